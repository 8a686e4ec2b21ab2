//! The smallest server there is: no game, but everything a game asks of a network. Read it first. What it says and hears
//! is in its `PROTOCOL.md`, as every game's is.

#[cfg(feature = "postcard")]
mod freeze;
mod game;

pub use game::{Config, Player};

use crate::bytes;
use crate::outbox::{Audience, Dumped, Outbox, REPLY_HEADER};
use crate::pimp::wire::{FRAME_MAX, Framer};
use crate::server::{
    Answer, Ask, FRAMES_A_CALL, Full, Intake, Lagging, Link, Millis, Request, RequestId, RingFill, Seq, Server,
};

/// Counters at the table. Each begins with [`START`]; a move never changes their sum.
pub const COUNTERS: usize = 32;
pub const START: u8 = 100;
/// Room that a command may need for its answer, 2 /* header */ + 254 /* payload */, beside the `W` that may come at any
/// time.
const ANSWER: usize = FRAME_MAX + REPLY_HEADER + 2;
const REPLY: usize = 2 * (FRAME_MAX + 16);
/// How often a dump may tell the counters: its steps are numbered by a u16.
pub const TIMES: u16 = u16::MAX / COUNTERS as u16 - 1;
/// What fills a dump's frame beside 2 /* header */ + 1 /* index */ + 1 /* value */.
pub const FILLER: u8 = (FRAME_MAX - 4) as u8;

/// As small boards serve it, and as a PC does.
pub type BoardEcho = Echo<10, 4096>;
pub type HostEcho = Echo<64, 16384>;

/// What a link waits for, beside the bytes.
#[derive(Clone)]
struct Guest {
    /// The secret it wants hashed, until the adapter took it, and its length.
    secret: [u8; 32],
    secret_length: u8,
    asked: bool,
    /// When to say `W`.
    wake: Option<Millis>,
    snapshot: Snapshot,
}

/// The counters at the moment a dump began, and how the guest wants to be told: a dump may be longer than all that lies
/// between server and reader, what is kept for it never is.
#[derive(Clone)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
struct Snapshot {
    counters: [u8; COUNTERS],
    times: u16,
    filler: u8,
}

/// Marks a secret that the adapter has in hand.
const TAKEN: u8 = 0x80;

impl Guest {
    const fn new() -> Self {
        Self { secret: [0; 32], secret_length: 0, asked: false, wake: None, snapshot: Snapshot::new() }
    }
}

/// A table for `LINKS` links with a ring of `RING` bytes.
#[derive(Clone)]
pub struct Echo<const LINKS: usize, const RING: usize> {
    outbox: Outbox<RING, LINKS, REPLY>,
    guests: [Guest; LINKS],
    /// How far each counter is from [`START`]: zero bytes when new.
    moved: [i8; COUNTERS],
}

impl<const LINKS: usize, const RING: usize> Echo<LINKS, RING> {
    /// All zero bytes, so that a static one lies in .bss.
    pub const fn new() -> Self {
        Self { outbox: Outbox::new(), guests: [const { Guest::new() }; LINKS], moved: [0; COUNTERS] }
    }

    /// The counters as they are now.
    pub fn counters(&self) -> [u8; COUNTERS] {
        self.moved.map(|by| START.saturating_add_signed(by))
    }

    fn say(&mut self, to: Audience, code: u8, parts: [&[u8]; 2]) {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        // A frame's payload came from a frame, with at most a slot before it: cut what would not fit.
        let length = length.min(FRAME_MAX - 2);
        self.outbox.send(to, 2 + length, |room| {
            bytes::copy(room, &[code, length as u8]);
            let payload = parts.iter().flat_map(|part| part.iter());
            room.iter_mut().skip(2).zip(payload).for_each(|(to, from)| *to = *from);
        });
    }

    fn reply(&mut self, slot: u16, code: u8, payload: &[u8]) {
        let mut frame = [0; FRAME_MAX];
        bytes::copy(&mut frame, &[code, payload.len() as u8]);
        if let Some(room) = frame.get_mut(2..) {
            bytes::copy(room, payload);
        }
        if let Some(frame) = frame.get(..2 + payload.len()) {
            self.outbox.reply(slot, frame);
        }
    }

    fn handle(&mut self, slot: u16, code: u8, payload: &[u8], now: Millis) {
        let me = [slot as u8];
        match (code, payload) {
            (b'E', _) => self.reply(slot, code, payload),
            (b'J', [team]) => {
                self.outbox.enter(slot, *team);
                self.say(Audience::Room, code, [&me, payload]);
            }
            (b'L', []) => {
                self.say(Audience::Room, code, [&me, &[]]);
                self.outbox.leave(slot);
            }
            (b'S', _) => self.say(Audience::Room, code, [&me, payload]),
            (b'O', _) => self.say(Audience::RoomBut(slot), code, [&me, payload]),
            (b'T', [team, rest @ ..]) => self.say(Audience::Team(u16::from(*team)), code, [&me, rest]),
            (b'M', [from, to, amount]) if self.shift(*from, *to, *amount) => {
                self.say(Audience::Room, code, [payload, &[]]);
            }
            (b'D', []) => self.dump(slot, 1, 0),
            (b'D', [high, low, filler]) if u16::from_be_bytes([*high, *low]) <= TIMES && *filler <= FILLER => {
                self.dump(slot, u16::from_be_bytes([*high, *low]), *filler);
            }
            (b'H', _) if payload.len() <= 32 => {
                if let Some(guest) = self.guests.get_mut(usize::from(slot)) {
                    bytes::copy(&mut guest.secret, payload);
                    guest.secret_length = payload.len() as u8;
                    guest.asked = true;
                }
            }
            (b'W', [high, low]) => {
                if let Some(guest) = self.guests.get_mut(usize::from(slot)) {
                    guest.wake = Some(now.plus(u64::from(u16::from_be_bytes([*high, *low]))));
                }
            }
            (b'Q', _) => {
                self.reply(slot, code, payload);
                self.outbox.doom(slot);
            }
            _ => self.reply(slot, b'X', &[code]),
        }
    }

    /// Checks first, then moves: a refused move changes nothing.
    fn shift(&mut self, from: u8, to: u8, amount: u8) -> bool {
        let (from, to) = (usize::from(from), usize::from(to));
        let Ok(amount) = i8::try_from(amount) else { return false };
        let (Some(a), Some(b)) = (self.moved.get(from), self.moved.get(to)) else { return false };
        let (Some(a), Some(b)) = (a.checked_sub(amount), b.checked_add(amount)) else { return false };
        if a < -(START as i8) {
            return false;
        }
        if from != to {
            self.moved.iter_mut().enumerate().for_each(|(i, counter)| match i {
                i if i == from => *counter = a,
                i if i == to => *counter = b,
                _ => {}
            });
        }
        true
    }

    fn dump(&mut self, slot: u16, times: u16, filler: u8) {
        let counters = self.counters();
        if let Some(guest) = self.guests.get_mut(usize::from(slot)) {
            guest.snapshot = Snapshot { counters, times, filler };
        }
        self.outbox.begin_dump(slot);
    }

    /// May this link's next command be taken?
    fn is_open_to(&self, slot: u16) -> bool {
        let asks = self.guests.get(usize::from(slot)).is_some_and(|guest| guest.asked);
        !asks && !self.outbox.is_held_up() && self.outbox.reply_room(slot) >= ANSWER
    }
}

impl Snapshot {
    const fn new() -> Self {
        Self { counters: [0; COUNTERS], times: 0, filler: 0 }
    }

    /// One frame of the dump: a counter a step, then the end.
    fn tell(&self, step: &mut u16, out: &mut [u8]) -> Dumped {
        let index = usize::from(*step) % COUNTERS;
        let end = self.times.saturating_mul(COUNTERS as u16);
        let value = self.counters.get(index).copied().unwrap_or_default();
        let frame = match *step {
            step if step < end => &[b'D', 2 + self.filler, index as u8, value][..],
            step if step == end => &[b'D', 0],
            _ => return Dumped::Done,
        };
        let length = frame.len() + if *step < end { usize::from(self.filler) } else { 0 };
        let Some(room) = out.get_mut(..length) else { return Dumped::NoRoom };
        room.fill(0);
        bytes::copy(room, frame);
        *step += 1;
        Dumped::Frames(length)
    }
}

impl<const LINKS: usize, const RING: usize> Server for Echo<LINKS, RING> {
    type Framer = Framer;
    const MAX_FRAME: usize = FRAME_MAX;

    fn open(&mut self, _now: Millis) -> Result<Link, Full> {
        let link = self.outbox.open()?;
        if let Some(guest) = self.guests.get_mut(usize::from(link.slot)) {
            *guest = Guest::new();
        }
        Ok(link)
    }

    fn receive(&mut self, link: Link, framer: &mut Framer, now: Millis) -> Intake {
        framer.mark();
        if !self.outbox.is_live(link) {
            return Intake::Stalled;
        }
        let slot = link.slot;
        self.outbox.resume(slot);
        for _ in 0..FRAMES_A_CALL {
            if self.outbox.is_doomed(slot) || !self.is_open_to(slot) {
                self.outbox.stall(slot);
                return Intake::Stalled;
            }
            match framer.peek() {
                Ok(Some(frame)) => self.handle(slot, frame.code, frame.payload, now),
                Ok(None) => return Intake::Hungry,
                Err(_) => {
                    self.reply(slot, b'X', &[255]);
                    self.outbox.doom(slot);
                    framer.give_up();
                }
            }
            framer.skip();
        }
        Intake::More
    }

    fn pull(&mut self, link: Link, out: &mut [u8]) -> usize {
        let Some(guest) = self.guests.get(usize::from(link.slot)) else { return 0 };
        self.outbox.pull(link, out, |step, out| guest.snapshot.tell(step, out))
    }

    fn closing(&self, link: Link) -> bool {
        self.outbox.closing(link)
    }

    fn close(&mut self, link: Link, _now: Millis) {
        if self.outbox.close(link)
            && let Some(guest) = self.guests.get_mut(usize::from(link.slot))
        {
            *guest = Guest::new();
        }
    }

    fn tick(&mut self, now: Millis) {
        for slot in 0..LINKS as u16 {
            // Room for it was kept: whether a link reads must not decide when it is told.
            let due = |guest: &&mut Guest| guest.wake.is_some_and(|at| at <= now);
            if let Some(guest) = self.guests.get_mut(usize::from(slot)).filter(due) {
                guest.wake = None;
                self.outbox.reply(slot, b"W\0");
            }
        }
    }

    fn next_lagging(&mut self) -> Option<Lagging> {
        self.outbox.next_lagging(true)
    }

    /// A link that lost its place gets its dump again, or is closed.
    fn lag(&mut self, lagging: Lagging, _now: Millis) {
        let (counters, slot) = (self.counters(), lagging.slot);
        if !self.outbox.lag(lagging) || !lagging.again {
            return;
        }
        if let Some(guest) = self.guests.get_mut(usize::from(slot)) {
            guest.snapshot.counters = counters;
        }
        self.outbox.enter(slot, 0);
        self.outbox.begin_dump(slot);
    }

    fn deadline(&self) -> Option<Millis> {
        self.guests.iter().filter_map(|guest| guest.wake).min()
    }

    fn next_ready(&mut self) -> Option<Link> {
        self.outbox.next_ready()
    }

    fn ring(&self) -> RingFill {
        self.outbox.ring()
    }

    fn behind(&self, link: Link) -> u32 {
        self.outbox.behind(link)
    }

    fn next_request(&mut self) -> Option<Request<'_>> {
        let (slot, guest) =
            self.guests.iter_mut().enumerate().find(|(_, guest)| guest.asked && guest.secret_length < TAKEN)?;
        let length = usize::from(guest.secret_length);
        guest.secret_length |= TAKEN;
        let secret = guest.secret.get(..length).unwrap_or_default();
        let link = self.outbox.link(slot as u16)?;
        Some(Request { id: RequestId::of(link), link, ask: Ask::Hash(secret) })
    }

    fn answer(&mut self, id: RequestId, answer: Answer<'_>, _now: Millis) {
        let link = id.link();
        if !self.outbox.is_live(link) {
            return;
        }
        if let Some(guest) = self.guests.get_mut(usize::from(link.slot)).filter(|guest| guest.asked) {
            guest.asked = false;
            guest.secret = [0; 32];
            match answer {
                Answer::Hash(hash) => self.reply(link.slot, b'H', hash.get(..hash.len().min(64)).unwrap_or_default()),
                _ => self.reply(link.slot, b'X', b"H"),
            }
        }
        self.outbox.wake_stalled();
    }

    fn produced(&self) -> Seq {
        self.outbox.produced()
    }

    fn release(&mut self, upto: Seq) {
        self.outbox.release(upto);
    }
}

impl<const LINKS: usize, const RING: usize> Default for Echo<LINKS, RING> {
    fn default() -> Self {
        Self::new()
    }
}
