//! Reads a data directory back: the newest snapshot of each table that is whole, then its records, call by call, checking
//! that every link hears what it heard.
//!
//! Nothing that stands on the disk can keep the process from starting: a torn tail is cut at the last good record, a
//! damaged snapshot falls back to the one before, a table that does not agree with its journal goes on with what agreed.
//! What was damaged is said, and kept in `damaged/`.

use std::collections::BTreeMap;
use std::io;

use parlor_core::server::Millis;

use super::archive::{self, Snapshot};
use super::disk::{Disk, write_whole};
use super::record::{Card, Event, Record, Records, Torn};
use super::resting::{Disagreement, Resting};
use super::writer;
use crate::games::{self, Entry as Game};

/// Whoever wants to see what is read.
pub trait Witness {
    /// A call was made again; `heard` is what it let out. Other calls of the table follow only if it agreed.
    fn saw(&mut self, game: &Game, record: &Record<'_>, heard: &[u8], agreed: Result<(), &Disagreement>) {
        let _ = (game, record, heard, agreed);
    }
    /// A record of a table whose state is not known here.
    fn passed(&mut self, record: &Record<'_>) {
        let _ = record;
    }
    /// Something is not as it should be.
    fn warn(&mut self, text: String);
}

/// One table as it was read.
pub struct Table {
    pub game: &'static Game,
    pub card: Card,
    pub rest: Box<dyn Resting>,
    /// The record before which its state was known last.
    pub point: u64,
    /// Records before this are in its state already.
    from: u64,
    /// What follows can't be played: records are missing, or do not agree.
    cut: bool,
}

/// All that was read.
#[derive(Default)]
pub struct House {
    pub tables: BTreeMap<u32, Table>,
    /// The number of the next record.
    pub next: u64,
    /// Records that were played again.
    pub replayed: u64,
    damaged: Vec<String>,
    useless: Vec<String>,
    /// Segments with a torn tail, and how much of them is good.
    torn: Vec<(String, usize)>,
    /// By table, the last record that says how it stood: nothing before it need be played again.
    begun: BTreeMap<u32, u64>,
}

/// Which snapshot a table begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// To go on.
    Newest,
    /// To tell as much as there is.
    Oldest,
}

/// A segment as it lies on the disk.
struct Segment {
    first: u64,
    name: String,
    bytes: Vec<u8>,
}

/// Reads everything.
pub fn read(disk: &dyn Disk, from: From, witness: &mut dyn Witness) -> io::Result<House> {
    let mut house = House::default();
    let segments = house.open_segments(disk, witness)?;
    if from == From::Newest {
        segments.iter().for_each(|segment| house.look_ahead(segment));
    }
    house.read_snapshots(disk, from, witness)?;
    let mut expected = segments.first().map_or(0, |segment| segment.first);
    for (at, segment) in segments.iter().enumerate() {
        if segment.first > expected {
            house.gap(expected, segment.first, witness);
        }
        let end = segments.get(at + 1).map(|next| next.first);
        expected = house.read_segment(segment, end, witness);
    }
    house.next = house.next.max(expected);
    Ok(house)
}

/// Keeps what was damaged where nobody throws it away, and takes it out of the way. Whether that works or not, the process
/// goes on.
pub fn put_aside(disk: &dyn Disk, house: &House) {
    for name in &house.damaged {
        let kept = name.replace('/', "-");
        let copied = disk.read(name).and_then(|bytes| write_whole(disk, "damaged", &kept, &bytes));
        match copied {
            Ok(()) => tracing::warn!(file = name, "a copy is kept in the data directory as damaged/{kept}"),
            Err(error) => tracing::warn!(file = name, %error, "no copy of what is damaged could be kept"),
        }
    }
    // What can't be read at all is not read again.
    for name in &house.useless {
        let _ = disk.remove(name);
    }
    for (name, good) in &house.torn {
        let (folder, file) = name.split_once('/').unwrap_or_default();
        let cut = disk.read(name).map(|bytes| bytes.get(..*good).map(<[u8]>::to_vec).unwrap_or_default());
        let _ = cut.and_then(|bytes| write_whole(disk, folder, file, &bytes));
    }
}

impl House {
    fn read_snapshots(&mut self, disk: &dyn Disk, from: From, witness: &mut dyn Witness) -> io::Result<()> {
        let names = disk.list("tables")?;
        let mut snapshots: Vec<_> = names.iter().filter_map(|name| archive::parse(name)).collect();
        snapshots.sort_unstable();
        if from == From::Newest {
            snapshots.reverse();
        }
        for (table, number) in snapshots {
            if self.tables.contains_key(&table) {
                continue;
            }
            let name = format!("tables/{}", archive::name(table, number));
            let bytes = disk.read(&name)?;
            match Snapshot::decode(&bytes).map(|snapshot| self.begin_with(&snapshot)) {
                Some(Ok(())) => self.next = self.next.max(number),
                Some(Err(why)) => self.refuse(name, &why, witness),
                None => self.refuse(name, "it is damaged", witness),
            }
        }
        Ok(())
    }

    fn refuse(&mut self, name: String, why: &str, witness: &mut dyn Witness) {
        witness.warn(format!("{name} can't be used ({why}): the one before is"));
        self.damaged.push(name.clone());
        self.useless.push(name);
    }

    fn open_segments(&mut self, disk: &dyn Disk, witness: &mut dyn Witness) -> io::Result<Vec<Segment>> {
        let mut segments = Vec::new();
        for name in disk.list("journal")? {
            let Some(first) = writer::number(&name) else { continue };
            let name = format!("journal/{name}");
            let bytes = disk.read(&name)?;
            if Records::new(&bytes).is_some_and(|records| records.number == first) {
                segments.push(Segment { first, name, bytes });
            } else if !bytes.is_empty() {
                witness.warn(format!("{name} has no head: nothing of it is used"));
                self.damaged.push(name.clone());
                self.useless.push(name);
            }
            // Without a byte: the power failed between making the file and writing to it.
        }
        segments.sort_unstable_by_key(|segment| segment.first);
        Ok(segments)
    }

    /// Finds where tables begin that can.
    fn look_ahead(&mut self, segment: &Segment) {
        for record in Records::new(&segment.bytes).into_iter().flatten().map_while(Result::ok) {
            if let Event::Begin { card, .. } = &record.event
                && let Some(game) = games::named(&card.game)
                && (game.blank)().apply(&record.event, &mut Vec::new()).is_ok()
            {
                self.begun.insert(record.table, record.number);
            }
            if record.event == Event::End {
                self.begun.insert(record.table, record.number);
            }
        }
    }

    fn begin_with(&mut self, snapshot: &Snapshot<'_>) -> Result<(), String> {
        let Snapshot { table, number, card, now, gated, state } = snapshot;
        let begin = Event::Begin { card: card.clone(), now: *now, gated: *gated, state };
        self.begin(*table, *number, *number, &begin, card, *now)
    }

    fn begin(
        &mut self,
        table: u32,
        point: u64,
        from: u64,
        event: &Event<'_>,
        card: &Card,
        now: Millis,
    ) -> Result<(), String> {
        let game = games::named(&card.game).ok_or_else(|| format!("there is no game {:?}", card.game))?;
        let mut rest = (game.blank)();
        rest.apply(event, &mut Vec::new()).map_err(|why| why.to_string())?;
        rest.set_now(now);
        self.tables.insert(table, Table { game, card: card.clone(), rest, point, from, cut: false });
        Ok(())
    }

    /// Records are missing: whoever needs them stops before.
    fn gap(&mut self, first: u64, end: u64, witness: &mut dyn Witness) {
        // What every table's state has in it already was thrown away, or would have been.
        let begun = &self.begun;
        let needs = |number: &u32, table: &Table| table.from.max(begun.get(number).copied().unwrap_or(0)) < end;
        for (number, table) in self.tables.iter_mut().filter(|(number, table)| needs(number, table)) {
            let last = end.saturating_sub(1);
            witness.warn(format!("table {number}: records {first} to {last} are missing, it goes on as it was before"));
            table.cut = true;
        }
    }

    /// The number of the record after the last one taken.
    fn read_segment(&mut self, segment: &Segment, end: Option<u64>, witness: &mut dyn Witness) -> u64 {
        let Segment { first, name, bytes } = segment;
        let mut next = *first;
        let Some(records) = Records::new(bytes) else { return next };
        for record in records {
            match record {
                // Written again to the next segment, because this one failed.
                Ok(record) if end.is_some_and(|end| record.number >= end) => break,
                Ok(record) => {
                    next = record.number + 1;
                    self.take(name, &record, witness);
                }
                Err(Torn { number, at }) => {
                    if end.is_none_or(|end| number < end) {
                        let lost = bytes.len() - at;
                        witness.warn(format!(
                            "{name} is cut after its last good record: {lost} bytes from byte {at} on are no record"
                        ));
                        self.damaged.push(name.clone());
                        self.torn.push((name.clone(), at));
                    }
                    break;
                }
            }
        }
        next
    }

    fn take(&mut self, name: &str, record: &Record<'_>, witness: &mut dyn Witness) {
        if self.begun.get(&record.table).is_some_and(|begun| record.number < *begun) {
            return;
        }
        if let Event::Begin { card, now, .. } = &record.event {
            if self.tables.get(&record.table).is_some_and(|table| record.number < table.from) {
                return;
            }
            match self.begin(record.table, record.number, record.number + 1, &record.event, card, *now) {
                Ok(()) => {
                    if let Some(table) = self.tables.get(&record.table) {
                        witness.saw(table.game, record, &[], Ok(()));
                    }
                }
                Err(why) => {
                    witness.warn(format!("table {} can't go on at record {}: {why}", record.table, record.number))
                }
            }
            return;
        }
        let Some(table) = self.tables.get_mut(&record.table).filter(|table| !table.cut && record.number >= table.from)
        else {
            return witness.passed(record);
        };
        let mut heard = Vec::new();
        let agreed = table.rest.apply(&record.event, &mut heard);
        if let Event::Port(port) = record.event {
            table.card.port = Some(port);
        }
        self.replayed += 1;
        witness.saw(table.game, record, &heard, agreed.as_ref().copied());
        if record.event == Event::End {
            self.tables.remove(&record.table);
            return;
        }
        if let Err(why) = agreed {
            table.cut = true;
            witness.warn(format!(
                "table {} does not agree with its journal at record {}: {why}. It goes on from there",
                record.table, record.number
            ));
            self.damaged.push(name.into());
        }
    }

    /// Takes out the tables of this game.
    pub fn take_tables(&mut self, game: &Game) -> Vec<(u32, Table)> {
        self.tables.extract_if(.., |_, table| table.game.name == game.name).collect()
    }

    /// Was anything damaged?
    pub fn is_damaged(&self) -> bool {
        !self.damaged.is_empty()
    }
}

/// Says warnings in the log.
pub struct Logged;

impl Witness for Logged {
    fn warn(&mut self, text: String) {
        tracing::warn!("{text}");
    }
}
