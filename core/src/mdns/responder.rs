//! A host's name and services on its network, and when they are said: probing, announcing, answering (RFC 6762, 6763).
//! Time is an argument, packets are bytes; nothing here knows a socket.
//!
//! A host that would be `parlor` is `parlor-2`, `parlor-3` and so on where another has that name. All records bear it:
//! the address, and the services `_http._tcp` and `_parlor._tcp` with their place and text.

use core::fmt::Write as _;

use heapless::String;

use super::packet::{A, ANY, Header, PTR, Reader, Record, SRV, TXT, Writer};
use crate::server::Millis;

/// A label has 63 bytes; a number goes behind the name: `-65535`.
pub const NAME_MAX: usize = 63 - 6;
/// The longest text of a service.
pub const TEXT_MAX: usize = 63;
/// A probe is repeated so often, each so long after the last.
const PROBES: u8 = 3;
const PROBE_PAUSE: u64 = 250;
/// Said so often when the name is ours, each so long after the last. Nothing is said to all more often.
const ANNOUNCEMENTS: u8 = 2;
const PAUSE: u64 = 1_000;
/// After more conflicts than this a host probes slowly (RFC 6762, 8.1).
const MANY_CONFLICTS: u8 = 15;
const CONFLICT_PAUSE: u64 = 5_000;
/// Several hosts may answer for a service: so long, and up to so much longer, is waited.
const SHARED_DELAY: u64 = 20;
const SHARED_SPREAD: u64 = 100;
/// Seconds that a host's own records hold, and all others.
const TTL_HOST: u32 = 120;
const TTL: u32 = 4_500;
/// For a plain DNS client, which can't be told later that things have changed.
const TTL_LEGACY: u32 = 10;

const SERVICES: [[&str; 3]; 2] = [["_http", "_tcp", "local"], ["_parlor", "_tcp", "local"]];
const ENUMERATION: [&str; 4] = ["_services", "_dns-sd", "_udp", "local"];

/// The longest packet that is written for a name as short as `parlor`: everything there is to say, and a question. The longest
/// name there can be needs twice as much.
pub const LONGEST: usize = 600;

/// One record of ours; for services, which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Own {
    Address,
    /// Which host has this service.
    Pointer(usize),
    /// At which port.
    Port(usize),
    /// What else there is to know.
    Text(usize),
    /// That there is such a service.
    Kind(usize),
}

const ALL: [Own; 9] = [
    Own::Address,
    Own::Pointer(0),
    Own::Pointer(1),
    Own::Port(0),
    Own::Port(1),
    Own::Text(0),
    Own::Text(1),
    Own::Kind(0),
    Own::Kind(1),
];

impl Own {
    const fn kind(self) -> u16 {
        match self {
            Self::Address => A,
            Self::Pointer(_) | Self::Kind(_) => PTR,
            Self::Port(_) => SRV,
            Self::Text(_) => TXT,
        }
    }
    const fn ttl(self) -> u32 {
        match self {
            Self::Address | Self::Port(_) => TTL_HOST,
            _ => TTL,
        }
    }
    /// Others have one of the same name.
    const fn is_shared(self) -> bool {
        matches!(self, Self::Pointer(_) | Self::Kind(_))
    }
}

/// Some of [`ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Set(u16);

impl Set {
    /// Everything that is said without being asked.
    const NEWS: Self = Self(0x7F);
    /// Address and ports: what no other host may have by that name.
    const UNIQUE: Self = Self(0x19);

    fn of(belongs: impl Fn(Own) -> bool) -> Self {
        let bits = ALL.iter().enumerate().map(|(nth, own)| u16::from(belongs(*own)) << nth);
        Self(bits.fold(0, |set, bit| set | bit))
    }
    fn iter(self) -> impl Iterator<Item = Own> {
        ALL.into_iter().enumerate().filter(move |(nth, _)| self.0 >> nth & 1 == 1).map(|(_, own)| own)
    }
    fn is_empty(self) -> bool {
        self.0 == 0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// No address, no name.
    Silent,
    /// So many probes were sent.
    Probing(u8),
    /// So often it was said.
    Announcing(u8),
    Settled,
}

/// Speaks for one address. A label has room for `LABEL` bytes: the name and `-65535`.
pub struct Responder<const LABEL: usize> {
    /// As it wants to be called.
    name: String<LABEL>,
    label: String<LABEL>,
    /// 1 is not said.
    number: u16,
    address: [u8; 4],
    port: u16,
    /// What a service's text says.
    text: String<TEXT_MAX>,
    stage: Stage,
    /// When [`Responder::poll`] has something to say.
    due: Option<Millis>,
    /// Asked for, and not yet said to all.
    owed: Set,
    said: Millis,
    conflicts: u8,
    random: u32,
}

impl<const LABEL: usize> Responder<LABEL> {
    /// A name or a text for which there is no room is none.
    pub fn new(name: &str, port: u16, text: &str, seed: u32) -> Self {
        let (address, stage) = ([0; 4], Stage::Silent);
        let (due, owed, said) = (None, Set::default(), Millis(0));
        let label = String::new();
        let random = seed | 1;
        let (name, text) = (String::try_from(name).unwrap_or_default(), String::try_from(text).unwrap_or_default());
        let mut new =
            Self { name, label, number: 1, address, port, text, stage, due, owed, said, conflicts: 0, random };
        new.name_anew(1);
        new
    }

    /// As it is called now; it may still lose the name unless it [`Responder::is_settled`].
    pub fn label(&self) -> &str {
        &self.label
    }
    pub fn is_settled(&self) -> bool {
        matches!(self.stage, Stage::Announcing(_) | Stage::Settled)
    }
    pub fn address(&self) -> Option<[u8; 4]> {
        (self.stage != Stage::Silent).then_some(self.address)
    }
    pub fn due(&self) -> Option<Millis> {
        self.due
    }

    /// There is another address, or none any more.
    pub fn set_address(&mut self, address: Option<[u8; 4]>, now: Millis) {
        (self.address, self.owed) = (address.unwrap_or_default(), Set::default());
        match address {
            Some(_) => {
                let pause = u64::from(self.draw()) % PROBE_PAUSE;
                self.probe_after(pause, now);
            }
            None => (self.stage, self.due) = (Stage::Silent, None),
        }
    }

    /// It would like to be called so, and says this of itself. Nothing happens if it was so before.
    pub fn set_name(&mut self, name: &str, text: &str, now: Millis) {
        if (self.name.as_str(), self.text.as_str()) == (name, text) {
            return;
        }
        self.name = String::try_from(name).unwrap_or_default();
        self.text = String::try_from(text).unwrap_or_default();
        self.name_anew(1);
        if self.stage != Stage::Silent {
            self.probe_after(0, now);
        }
    }

    /// What is to be said to all now, if anything.
    pub fn poll(&mut self, out: &mut [u8], now: Millis) -> Option<usize> {
        if self.due.is_none_or(|due| due > now) {
            return None;
        }
        match self.stage {
            Stage::Silent => {
                self.due = None;
                None
            }
            Stage::Probing(sent) if sent < PROBES => {
                (self.stage, self.due) = (Stage::Probing(sent + 1), Some(after(now, PROBE_PAUSE)));
                self.write_probe(out)
            }
            Stage::Probing(_) => {
                (self.stage, self.conflicts) = (Stage::Announcing(0), 0);
                self.poll(out, now)
            }
            Stage::Announcing(said) => {
                let is_last = said + 1 == ANNOUNCEMENTS;
                self.stage = if is_last { Stage::Settled } else { Stage::Announcing(said + 1) };
                self.due = (!is_last).then(|| after(now, PAUSE));
                (self.owed, self.said) = (Set::default(), now);
                self.write_answers(out, Set::NEWS, None)
            }
            Stage::Settled => {
                (self.due, self.said) = (None, now);
                let owed = core::mem::take(&mut self.owed);
                if owed.is_empty() { None } else { self.write_answers(out, owed, None) }
            }
        }
    }

    /// The goodbye of a host that stops, which ends its name: to be said to all, if anything was.
    pub fn farewell(&self, out: &mut [u8]) -> Option<usize> {
        let header = Header { is_response: true, answers: Set::NEWS.iter().count() as u16, ..Header::default() };
        let mut writer = Writer::new(out, header);
        Set::NEWS.iter().for_each(|own| self.write(&mut writer, own, 0, !own.is_shared()));
        writer.end().filter(|_| self.is_settled())
    }

    /// Takes a packet. `is_legacy`: from another port than mDNS has; then what is written to `out` is for its sender alone.
    /// `kin`: the other addresses of this machine, for which others of us speak: no rivals.
    pub fn receive(
        &mut self,
        packet: &[u8],
        is_legacy: bool,
        kin: &[[u8; 4]],
        out: &mut [u8],
        now: Millis,
    ) -> Option<usize> {
        let (header, reader) = Reader::new(packet)?;
        match (header.is_response, self.stage) {
            (_, Stage::Silent) => None,
            (true, _) if is_legacy => None,
            (true, _) => {
                self.hear(header, reader, kin, now);
                None
            }
            (false, Stage::Probing(_)) => {
                self.compare(header, reader, kin, now);
                None
            }
            (false, _) => self.answer(header, reader, is_legacy, out, now),
        }
    }

    /// Another host says something. If it contradicts us, one of us needs another name.
    fn hear(&mut self, header: Header, mut reader: Reader<'_>, kin: &[[u8; 4]], now: Millis) {
        for _ in 0..header.questions {
            let Some(_) = reader.question() else { return };
        }
        let records = u32::from(header.answers) + u32::from(header.authorities) + u32::from(header.additional);
        for _ in 0..records {
            let Some(record) = reader.record() else { return };
            if !self.is_contradicted(&record, kin) {
                continue;
            }
            self.conflicts = self.conflicts.saturating_add(1);
            if let Stage::Probing(_) = self.stage {
                self.name_anew(self.number.saturating_add(1));
            }
            let pause = if self.conflicts > MANY_CONFLICTS { CONFLICT_PAUSE } else { 0 };
            return self.probe_after(pause, now);
        }
    }

    fn is_contradicted(&self, record: &Record<'_>, kin: &[[u8; 4]]) -> bool {
        // A time of zero is a goodbye.
        let is_said = record.ttl > 0;
        let mine = Set::of(|own| !own.is_shared() && own.kind() == record.kind && self.is_name(own, record));
        is_said
            && mine.iter().any(|own| match own {
                Own::Address => record.data != self.address && !kin.iter().any(|kin| record.data == kin),
                Own::Port(_) => {
                    record.data.get(4..6) != Some(&self.port.to_be_bytes())
                        || !record.name_in_data(6).is(&[&self.label, "local"])
                }
                _ => false,
            })
    }

    fn is_name(&self, own: Own, record: &Record<'_>) -> bool {
        self.with_name(own, |name| record.name.is(name))
    }

    /// Another host probes for our name at the same time: the greater address has it, on one machine the greater port;
    /// the other waits and asks again.
    fn compare(&mut self, header: Header, mut reader: Reader<'_>, kin: &[[u8; 4]], now: Millis) {
        for _ in 0..header.questions {
            let Some(_) = reader.question() else { return };
        }
        for _ in 0..header.answers {
            let Some(_) = reader.record() else { return };
        }
        for _ in 0..header.authorities {
            let Some(record) = reader.record() else { return };
            let is_rival = match record.kind {
                A if kin.iter().any(|kin| record.data == kin) => false,
                A if self.is_name(Own::Address, &record) && record.data < &self.address[..] => return,
                A => self.is_name(Own::Address, &record) && record.data > &self.address[..],
                SRV => {
                    let is_ours = self.is_name(Own::Port(0), &record) || self.is_name(Own::Port(1), &record);
                    is_ours && record.data.get(4..6) > Some(&self.port.to_be_bytes())
                }
                _ => false,
            };
            if is_rival {
                return self.probe_after(PAUSE, now);
            }
        }
    }

    fn answer(
        &mut self,
        header: Header,
        mut reader: Reader<'_>,
        is_legacy: bool,
        out: &mut [u8],
        now: Millis,
    ) -> Option<usize> {
        let (mut wanted, mut first) = (Set::default(), None);
        for _ in 0..header.questions {
            let question = reader.question()?;
            let asked = Set::of(|own| {
                let is_kind = question.kind == ANY || question.kind == own.kind();
                is_kind && self.with_name(own, |name| question.name.is(name))
            });
            if first.is_none() {
                first = asked.iter().next().map(|own| (own, question.kind));
            }
            wanted.0 |= asked.0;
        }
        if let (true, Some((own, kind))) = (is_legacy, first) {
            return self.write_answers(out, wanted, Some((header.id, own, kind)));
        }
        // What the asker knows already is not said again.
        for _ in 0..header.answers {
            let Some(record) = reader.record() else { break };
            let known = Set::of(|own| self.is_known(own, &record));
            wanted.0 &= !known.0;
        }
        if wanted.is_empty() || is_legacy {
            return None;
        }
        self.owed.0 |= wanted.0;
        let is_shared = wanted.iter().any(Own::is_shared);
        let delay = if is_shared { SHARED_DELAY + u64::from(self.draw()) % SHARED_SPREAD } else { 0 };
        // A probe can't wait: after three of them the name is taken.
        let earliest = if header.authorities > 0 { now } else { after(self.said, PAUSE) };
        let at = Millis(after(now, delay).0.max(earliest.0));
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
        None
    }

    fn is_known(&self, own: Own, record: &Record<'_>) -> bool {
        let is_fresh = record.ttl >= own.ttl() / 2;
        is_fresh
            && record.kind == own.kind()
            && self.is_name(own, record)
            && match own {
                Own::Address => record.data == self.address,
                Own::Pointer(at) => self.with_name(Own::Port(at), |name| record.name_in_data(0).is(name)),
                Own::Kind(at) => record.name_in_data(0).is(service(at)),
                Own::Port(_) | Own::Text(_) => false,
            }
    }

    fn with_name<R>(&self, own: Own, see: impl FnOnce(&[&str]) -> R) -> R {
        match own {
            Own::Address => see(&[&self.label, "local"]),
            Own::Pointer(at) => see(service(at)),
            Own::Port(at) | Own::Text(at) => {
                let [name, protocol, domain] = service(at);
                see(&[&self.label, name, protocol, domain])
            }
            Own::Kind(_) => see(&ENUMERATION),
        }
    }

    fn write_probe(&self, out: &mut [u8]) -> Option<usize> {
        let count = Set::UNIQUE.iter().count() as u16;
        let mut writer = Writer::new(out, Header { questions: count, authorities: count, ..Header::default() });
        Set::UNIQUE.iter().for_each(|own| self.with_name(own, |name| writer.question(name, ANY, true)));
        Set::UNIQUE.iter().for_each(|own| self.write(&mut writer, own, TTL_HOST, false));
        writer.end()
    }

    /// To all; or to one plain DNS client: the query's number, and its question, which is repeated.
    fn write_answers(&self, out: &mut [u8], set: Set, legacy: Option<(u16, Own, u16)>) -> Option<usize> {
        let count = set.iter().count() as u16;
        let (id, questions) = legacy.map_or((0, 0), |(id, ..)| (id, 1));
        let header = Header { id, is_response: true, questions, answers: count, ..Header::default() };
        let mut writer = Writer::new(out, header);
        if let Some((_, own, kind)) = legacy {
            self.with_name(own, |name| writer.question(name, kind, false));
        }
        for own in set.iter() {
            let ttl = if legacy.is_some() { TTL_LEGACY } else { own.ttl() };
            self.write(&mut writer, own, ttl, legacy.is_none() && !own.is_shared());
        }
        writer.end()
    }

    fn write(&self, writer: &mut Writer<'_>, own: Own, ttl: u32, is_unique: bool) {
        self.with_name(own, |name| {
            writer.record(name, own.kind(), ttl, is_unique, |writer| match own {
                Own::Address => writer.put(&self.address),
                Own::Pointer(at) => self.with_name(Own::Port(at), |name| writer.name(name)),
                Own::Kind(at) => writer.name(service(at)),
                Own::Port(_) => {
                    // Priority and weight: there is one of us.
                    writer.put(&[0; 4]);
                    writer.word(self.port);
                    writer.name(&[&self.label, "local"]);
                }
                Own::Text(_) => {
                    writer.put(&[self.text.len() as u8]);
                    writer.put(self.text.as_bytes());
                }
            });
        });
    }

    fn probe_after(&mut self, pause: u64, now: Millis) {
        (self.stage, self.due, self.owed) = (Stage::Probing(0), Some(after(now, pause)), Set::default());
    }

    fn name_anew(&mut self, number: u16) {
        self.number = number;
        self.label.clear();
        let _ = self.label.push_str(&self.name);
        // There is room for 65,535 of them.
        if number > 1 {
            let _ = write!(self.label, "-{number}");
        }
    }

    /// Enough to keep two of us from speaking at once.
    fn draw(&mut self) -> u32 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        self.random
    }
}

fn service(at: usize) -> &'static [&'static str; 3] {
    let [http, parlor] = &SERVICES;
    if at == 0 { http } else { parlor }
}

fn after(now: Millis, pause: u64) -> Millis {
    Millis(now.0.saturating_add(pause))
}

#[cfg(test)]
mod tests;
