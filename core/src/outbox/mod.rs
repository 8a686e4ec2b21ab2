//! Outgoing bytes, bounded and shared by all games.
//!
//! What everybody hears is stored once, in one ring with a cursor a link; what answers one link alone waits in that
//! link's small queue and takes its place among the broadcasts by the position it was given at. A dump is streamed from
//! a snapshot the game keeps, at the position where it was taken. So what a link is sent depends on what happened, never
//! on when it reads; only a link that falls a whole ring behind with what it is told loses its place. That it did is for
//! the adapter to say ([`crate::server::Server::lag`]): nothing else here follows from how far links have read.
//!
//! What can never happen here: a panic, an allocation, a frame cut in two, a reply dropped, one link slowing another.

#[cfg(feature = "postcard")]
mod freeze;
mod replies;
mod ring;
#[cfg(test)]
mod tests;

pub use replies::HEADER as REPLY_HEADER;
pub use ring::Audience;

use crate::bytes;
use crate::fmt::{debug, info};
use crate::server::{Full, Lagging, Link, RingFill, Seq};
use replies::{Due, Replies};
use ring::{Ring, Stored};

/// What an adapter asks of the outbox alone, within the `impl` of a server that has it as `out`: of
/// [`crate::server::Server`], or of [`crate::save::Durable`].
macro_rules! ask_outbox {
    (Server) => {
        fn next_ready(&mut self) -> Option<crate::server::Link> {
            self.out.next_ready()
        }

        fn produced(&self) -> crate::server::Seq {
            self.out.produced()
        }

        fn release(&mut self, upto: crate::server::Seq) {
            self.out.release(upto);
        }

        fn ring(&self) -> crate::server::RingFill {
            self.out.ring()
        }

        fn behind(&self, link: crate::server::Link) -> u32 {
            self.out.behind(link)
        }
    };
    (Durable) => {
        fn link(&self, slot: u16) -> Option<crate::server::Link> {
            self.out.link(slot)
        }

        fn sum(&self) -> u8 {
            self.out.sum()
        }
    };
}
pub(crate) use ask_outbox;

/// What a game did when asked for the next frames of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dumped {
    /// Whole frames, so many bytes together.
    Frames(usize),
    /// The next one needs more room than was given.
    NoRoom,
    /// The dump is over.
    Done,
}

/// A dump in progress: the state as it was at `at`, streamed step by step.
#[derive(Clone, Copy)]
struct Dump {
    active: bool,
    /// How often it had to begin anew because the ring ran over its start.
    restarts: u8,
    step: u16,
    serial: u32,
    at: u64,
}

/// How far one link has come with what the ring has, what of that it hears, and whether it is to be woken. It has one type for
/// links of all games: what goes on here is compiled once.
#[derive(Clone, Copy)]
struct Listener {
    /// Changed only by its own Enter and Leave as the cursor passes them.
    inside: bool,
    team: u16,
    /// Has output, or takes input again: named by `next_ready`, once.
    ready: bool,
    /// Its input was refused for lack of room or time: to be woken when that may have changed.
    waiting: bool,
    /// It has output that is not released yet.
    held: bool,
    /// What its dump is told from is gone: it must lag.
    lost: bool,
    /// No more output after `end`.
    doomed: bool,
    end: u64,
    cursor: u64,
    dump: Dump,
}

/// The sending half of one link.
#[derive(Clone)]
struct Port<const REPLY: usize> {
    open: bool,
    generation: u16,
    listener: Listener,
    replies: Replies<REPLY>,
}

impl<const REPLY: usize> Port<REPLY> {
    const fn new() -> Self {
        Self { open: false, generation: 0, listener: Listener::at(0), replies: Replies::new() }
    }
}

impl Listener {
    const fn at(cursor: u64) -> Self {
        Self {
            inside: false,
            team: 0,
            ready: false,
            waiting: false,
            held: false,
            lost: false,
            doomed: false,
            end: 0,
            cursor,
            dump: Dump { active: false, restarts: 0, step: 0, serial: 0, at: 0 },
        }
    }

    fn hears(&self, slot: u16, to: Audience) -> bool {
        match to {
            Audience::One(who) => who == slot,
            Audience::Room => self.inside,
            Audience::RoomBut(who) => self.inside && who != slot,
            Audience::Team(team) => self.inside && team == self.team,
            Audience::Teams(four) => self.inside && four == self.team / 4,
            Audience::Enter(_) | Audience::Leave(_) => false,
        }
    }

    /// Takes note of its own marks.
    fn pass(&mut self, slot: u16, to: Audience, team: Option<u8>) {
        match to {
            Audience::Enter(who) if who == slot => {
                self.inside = true;
                self.team = team.map_or(0, u16::from);
            }
            Audience::Leave(who) if who == slot => self.inside = false,
            _ => {}
        }
    }

    /// What the ring has for it, until it comes to where the first of its replies is due (`due`), or a dump.
    fn next_of_ring<const RING: usize>(
        &mut self,
        slot: u16,
        ring: &Ring<RING>,
        released: Seq,
        due: Option<u32>,
        room: &mut [u8],
    ) -> Next {
        let mut written = 0;
        loop {
            if self.doomed && self.cursor >= self.end {
                break;
            }
            if self.cursor >= released.ring {
                if written == 0 && self.cursor < ring.head() {
                    return Next::Held;
                }
                break;
            }
            let Some(Stored { to, frame, next }) = ring.at(self.cursor) else { break };
            if let Some(to) = to {
                if self.hears(slot, to) {
                    let Some(n) = room.get_mut(written..).and_then(|room| bytes::put(room, frame)) else { break };
                    written += n;
                }
                self.pass(slot, to, frame.first().copied());
            }
            self.cursor = next;
            // A reply or a dump may be due right here: `next` looks again before the ring goes on.
            let is_due = due.is_some_and(|at| (at.wrapping_sub(next as u32) as i32) <= 0);
            if is_due || (self.dump.active && self.dump.at <= next) {
                return Next::Wrote(written);
            }
        }
        if written > 0 { Next::Wrote(written) } else { Next::Nothing }
    }

    /// Goes on to the next of the ring that it hears.
    fn pass_unheard<const RING: usize>(&mut self, slot: u16, ring: &Ring<RING>) {
        while let Some(Stored { to, frame, next }) = ring.at(self.cursor) {
            if let Some(to) = to {
                if self.hears(slot, to) {
                    return;
                }
                self.pass(slot, to, frame.first().copied());
            }
            self.cursor = next;
        }
    }
}

/// How often a dump may begin anew: the third time that the ring runs over its start, its link is closed.
const RESTARTS: u8 = 2;

/// A ring of `RING` bytes, `LINKS` links, `REPLY` bytes of answers for each.
#[derive(Clone)]
pub struct Outbox<const RING: usize, const LINKS: usize, const REPLY: usize> {
    ring: Ring<RING>,
    ports: [Port<REPLY>; LINKS],
    /// One more than the last slot that is open. The first free one is taken, so where few are connected few are looked at.
    used: u16,
    /// Replies and dumps ever given; begins anew after the last number.
    serial: u32,
    /// How far output may be pulled: of the ring, and of replies and dumps.
    released_ring: u64,
    released_serial: u32,
    /// Changes of what must survive the connections.
    changes: u32,
    /// Eight bits of everything ever said, dumps excepted: enough to see a replay go astray within a few messages, too
    /// few to guess a password by.
    #[cfg(feature = "postcard")]
    sum: u8,
    /// Something was said, or a port is lost: some link may have lost its place, or may be about to.
    may_lag: bool,
    /// Some port may be ready.
    stirred: bool,
    /// Something was said to many: every port is ready.
    spoken: bool,
    /// Where the search for a ready port goes on: no link is always first.
    scan: u16,
    /// Links ever closed because they fell a whole ring behind, or had not read a snapshot in time.
    lagging: u32,
}

impl<const RING: usize, const LINKS: usize, const REPLY: usize> Outbox<RING, LINKS, REPLY> {
    /// All zero bytes.
    pub const fn new() -> Self {
        Self {
            ring: Ring::new(),
            ports: [const { Port::new() }; LINKS],
            used: 0,
            serial: 0,
            released_ring: 0,
            released_serial: 0,
            changes: 0,
            #[cfg(feature = "postcard")]
            sum: 0,
            may_lag: false,
            stirred: false,
            spoken: false,
            scan: 0,
            lagging: 0,
        }
    }

    /// Links ever closed because they fell a whole ring behind, or had not read a snapshot in time.
    pub fn lagging(&self) -> u32 {
        self.lagging
    }

    /// How much the ring holds, and how much of it is in use: what was said and not yet written over.
    pub fn ring(&self) -> RingFill {
        RingFill { size: RING as u32, used: self.ring.head().saturating_sub(self.ring.tail()) as u32 }
    }

    /// Bytes of the ring that lie between this link's place and the newest.
    pub fn behind(&self, link: Link) -> u32 {
        let port = self.port(link.slot).filter(|_| self.is_live(link));
        port.map_or(0, |port| self.ring.head().saturating_sub(port.listener.cursor) as u32)
    }

    /// Takes the first free slot.
    pub fn open(&mut self) -> Result<Link, Full> {
        let head = self.ring.head();
        let (slot, port) = self.ports.iter_mut().enumerate().find(|(_, port)| !port.open).ok_or(Full)?;
        let generation = port.generation.wrapping_add(1);
        *port = Port { open: true, generation, listener: Listener::at(head), ..Port::new() };
        self.used = self.used.max(slot as u16 + 1);
        debug!("link {}: opened", slot);
        Ok(Link { slot: slot as u16, generation })
    }

    /// No slot is free, nor will one be as soon as the adapter has closed what is done with.
    pub fn is_full(&self) -> bool {
        self.ports.iter().all(|port| port.open && !port.listener.doomed)
    }

    /// Frees the slot; `false` if the link was gone already.
    pub fn close(&mut self, link: Link) -> bool {
        let live = self.is_live(link);
        if let Some(port) = self.port_mut(link.slot).filter(|_| live) {
            port.open = false;
            port.listener.ready = false;
            debug!("link {}: closed", link.slot);
            self.count_used();
        }
        live
    }

    /// No slot from here on is open: a search through all links may stop here.
    pub fn used(&self) -> u16 {
        self.used
    }

    fn count_used(&mut self) {
        self.used = self.ports.iter().rposition(|port| port.open).map_or(0, |last| last as u16 + 1);
    }

    pub fn is_live(&self, link: Link) -> bool {
        self.port(link.slot).is_some_and(|port| port.open && port.generation == link.generation)
    }

    /// The link that has this slot now.
    pub fn link(&self, slot: u16) -> Option<Link> {
        self.port(slot).filter(|port| port.open).map(|port| Link { slot, generation: port.generation })
    }

    /// Stores a frame of `length` bytes, which `fill` writes, for its audience. `false`: too long for the ring.
    pub fn send(&mut self, to: Audience, length: usize, fill: impl FnOnce(&mut [u8])) -> bool {
        match to {
            Audience::One(slot) | Audience::Enter(slot) | Audience::Leave(slot) => self.wake(slot),
            Audience::Room | Audience::RoomBut(_) | Audience::Team(_) | Audience::Teams(_) => {
                self.spoken = true;
                // What many are told has happened.
                self.note_change();
            }
        }
        #[cfg(feature = "postcard")]
        let fill = {
            let sum = &mut self.sum;
            move |room: &mut [u8]| {
                fill(room);
                *sum = mix(*sum, room);
            }
        };
        self.may_lag = true;
        self.ring.push(to, length, fill)
    }

    /// Something has changed that must survive the connections.
    pub fn note_change(&mut self) {
        self.changes = self.changes.wrapping_add(1);
    }

    /// How often something has changed that must survive the connections; begins anew after the last number.
    pub fn changes(&self) -> u32 {
        self.changes
    }

    /// Eight bits of everything ever said, dumps excepted.
    #[cfg(feature = "postcard")]
    pub fn sum(&self) -> u8 {
        self.sum
    }

    /// From here on the link is in the room.
    pub fn enter(&mut self, slot: u16, team: u8) {
        self.send(Audience::Enter(slot), 1, |room| bytes::copy(room, &[team]));
    }

    /// From here on it is not.
    pub fn leave(&mut self, slot: u16) {
        self.send(Audience::Leave(slot), 0, |_| ());
    }

    /// How long an answer to this link may be now.
    pub fn reply_room(&self, slot: u16) -> usize {
        self.port(slot).map_or(0, |port| port.replies.room())
    }

    /// Answers one link.
    pub fn reply(&mut self, slot: u16, frame: &[u8]) -> bool {
        self.reply_with(slot, |room| bytes::put(room, frame))
    }

    /// Answers one link with what `fill` writes; how long that is, or `None` if it has no room.
    pub fn reply_with(&mut self, slot: u16, fill: impl FnOnce(&mut [u8]) -> Option<usize>) -> bool {
        let due = Due { at: self.ring.head() as u32, serial: self.serial };
        let Some(port) = self.ports.get_mut(usize::from(slot)) else { return false };
        #[cfg(feature = "postcard")]
        let fill = {
            let sum = &mut self.sum;
            move |room: &mut [u8]| {
                let length = fill(room)?;
                *sum = mix(*sum, room.get(..length)?);
                Some(length)
            }
        };
        if !port.open || port.listener.doomed || !port.replies.push(due, fill) {
            return false;
        }
        port.listener.ready = true;
        self.stirred = true;
        self.serial = self.serial.wrapping_add(1);
        true
    }

    /// A dump begins here: its frames come before anything said later. A dump in progress is replaced.
    pub fn begin_dump(&mut self, slot: u16) {
        let (at, serial) = (self.ring.head(), self.serial);
        if let Some(port) = self.port_mut(slot) {
            port.listener.dump = Dump { active: true, restarts: port.listener.dump.restarts, step: 0, serial, at };
            self.serial = self.serial.wrapping_add(1);
            self.wake(slot);
        }
    }

    pub fn is_dumping(&self, slot: u16) -> bool {
        self.port(slot).is_some_and(|port| port.listener.dump.active)
    }

    /// Nothing said later reaches this link; it is closed once it has what was said until now.
    pub fn doom(&mut self, slot: u16) {
        let end = self.ring.head();
        if let Some(port) = self.port_mut(slot).filter(|port| port.open && !port.listener.doomed) {
            port.listener.doomed = true;
            port.listener.end = end;
            self.wake(slot);
        }
    }

    /// Answers or a dump wait to be pulled.
    pub fn owes(&self, link: Link) -> bool {
        self.port(link.slot)
            .is_some_and(|port| self.is_live(link) && (!port.replies.is_empty() || port.listener.dump.active))
    }

    /// Did the game say it is done with this link?
    pub fn is_doomed(&self, slot: u16) -> bool {
        self.port(slot).is_some_and(|port| port.listener.doomed)
    }

    /// Doomed, and everything was pulled.
    pub fn closing(&self, link: Link) -> bool {
        let Some(port) = self.port(link.slot).filter(|_| self.is_live(link)) else { return false };
        let Listener { doomed, end, cursor, dump, .. } = port.listener;
        doomed && port.replies.is_empty() && !dump.active && cursor >= end
    }

    /// What this link's dump is told from changes now: the link is told nothing more until it lags.
    pub fn lose(&mut self, slot: u16) {
        if let Some(port) = self.port_mut(slot).filter(|port| port.open && port.listener.dump.active) {
            port.listener.lost = true;
            self.may_lag = true;
        }
    }

    /// Has the ring run over what this link has not read?
    pub fn is_overrun(&self, slot: u16) -> bool {
        self.port(slot).is_some_and(|port| !self.ring.kept(port.listener.cursor))
    }

    /// Whether some link may have lost its place, or may be about to.
    #[inline]
    pub fn may_lag(&self) -> bool {
        self.may_lag
    }

    /// A link that the ring has run over what it was told, or whose dump is lost. One in the middle of its dump may get another
    /// (`may_dump`): two at most for having been slow.
    #[inline(never)]
    pub fn next_lagging(&mut self, may_dump: bool) -> Option<Lagging> {
        if !self.may_lag {
            return None;
        }
        let Self { ring, ports, used, .. } = self;
        for (slot, port) in (0..*used).zip(ports).filter(|(_, port)| port.open) {
            // Nobody wakes a link for what others alone are told: it passes that here, before the ring runs over its place.
            if ring.head() - port.listener.cursor > RING as u64 / 4 {
                port.listener.pass_unheard(slot, ring);
            }
            let Listener { lost, doomed, end, cursor, dump, .. } = port.listener;
            // A doomed link that has pulled everything loses nothing, however long its last bytes take to leave.
            let loses = !doomed || dump.active || cursor < end;
            if (lost || !ring.kept(cursor)) && loses {
                let may_restart = lost || dump.restarts < RESTARTS;
                return Some(Lagging { slot, again: may_dump && dump.active && !doomed && may_restart });
            }
        }
        self.may_lag = false;
        None
    }

    /// This link lags; whether it is open at all. If it is told everything anew, the game enters it again and begins
    /// its dump; else it is closed.
    pub fn lag(&mut self, Lagging { slot, again }: Lagging) -> bool {
        let (head, tail) = (self.ring.head(), self.ring.tail());
        let Some(port) = self.port_mut(slot).filter(|port| port.open) else { return false };
        port.listener.lost = false;
        let is_overrun = port.listener.cursor < tail;
        if is_overrun {
            port.listener.cursor = head;
            port.listener.dump.restarts = port.listener.dump.restarts.saturating_add(1).min(RESTARTS);
        }
        if !again {
            port.listener.dump.active = false;
            port.listener.inside = false;
            port.listener.doomed = true;
            (port.listener.cursor, port.listener.end) = (head, head);
            // Two lines, of which no word is in a board's flash; without a log both are nothing.
            #[allow(clippy::if_same_then_else, reason = "they are the same only where nothing is logged")]
            if is_overrun {
                info!("link {}: fell a whole ring behind", slot);
            } else {
                info!("link {}: had not read its snapshot in time", slot);
            }
            self.lagging = self.lagging.wrapping_add(1);
            self.wake(slot);
        }
        true
    }

    /// Writes whole frames to `out`, in the order in which they were said. `dump` is asked for one frame at a time, with
    /// the number of the step, which it may move on.
    pub fn pull(&mut self, link: Link, out: &mut [u8], mut dump: impl FnMut(&mut u16, &mut [u8]) -> Dumped) -> usize {
        if !self.is_live(link) {
            return 0;
        }
        let released = Seq { ring: self.released_ring, replies: self.released_serial, changes: self.changes };
        let Self { ring, ports, .. } = self;
        let Some(port) = ports.get_mut(usize::from(link.slot)).filter(|port| !port.listener.lost) else { return 0 };
        // A link that is being pulled need not be named for output, only for input that is taken again or for its end.
        port.listener.ready &= port.listener.waiting || port.listener.doomed;
        let mut written = 0;
        let was_dumping = port.listener.dump.active;
        while let Some(room) = out.get_mut(written..)
            && port.has_more(ring)
        {
            match port.next(link.slot, ring, released, room, &mut dump) {
                Next::Wrote(n) => written += n,
                Next::Nothing => break,
                Next::Held => {
                    port.listener.held = true;
                    break;
                }
            }
        }
        // The end of a dump has no bytes of its own, but may be what its reader waits for.
        if port.listener.waiting && (written > 0 || was_dumping != port.listener.dump.active) {
            port.listener.ready = true;
            self.stirred = true;
        }
        written
    }

    /// A link that has output, takes input again or is closing; each once.
    pub fn next_ready(&mut self) -> Option<Link> {
        if core::mem::take(&mut self.spoken) {
            self.used_ports().for_each(|port| port.listener.ready = port.open);
            self.stirred = true;
        }
        if !self.stirred {
            return None;
        }
        // Once round.
        let (used, mut slot) = (usize::from(self.used), usize::from(self.scan));
        for _ in 0..used {
            let next = if slot < used { slot } else { 0 };
            slot = next + 1;
            let Some(port) = self.ports.get_mut(next).filter(|port| port.listener.ready) else { continue };
            port.listener.ready = false;
            self.scan = slot as u16;
            return Some(Link { slot: next as u16, generation: port.generation });
        }
        self.stirred = false;
        None
    }

    /// Name this link in `next_ready`.
    pub fn wake(&mut self, slot: u16) {
        if let Some(port) = self.port_mut(slot).filter(|port| port.open) {
            port.listener.ready = true;
            self.stirred = true;
        }
    }

    /// Its input is refused for now: it is woken when room or time may allow it again.
    pub fn stall(&mut self, slot: u16) {
        if let Some(port) = self.port_mut(slot) {
            port.listener.waiting = true;
        }
    }

    /// Its input is taken again.
    pub fn resume(&mut self, slot: u16) {
        if let Some(port) = self.port_mut(slot) {
            port.listener.waiting = false;
        }
    }

    /// Something changed for which stalled links wait: let them try.
    pub fn wake_stalled(&mut self) {
        let mut any = false;
        for port in self.used_ports().filter(|port| port.open && port.listener.waiting) {
            port.listener.ready = true;
            any = true;
        }
        self.stirred |= any;
    }

    pub fn produced(&self) -> Seq {
        Seq { ring: self.ring.head(), replies: self.serial, changes: self.changes }
    }

    /// Output up to here may be pulled.
    pub fn release(&mut self, upto: Seq) {
        if (upto.ring, upto.replies) == (self.released_ring, self.released_serial) {
            return;
        }
        let was_held_up = self.is_held_up();
        self.released_ring = self.released_ring.max(upto.ring.min(self.ring.head()));
        let is_after = |a: u32, b: u32| (a.wrapping_sub(b) as i32) > 0;
        if is_after(upto.replies, self.released_serial) && !is_after(upto.replies, self.serial) {
            self.released_serial = upto.replies;
        }
        // A link that has not pulled since the last send is ready already.
        let mut any = false;
        for port in self.used_ports().filter(|port| port.open) {
            if core::mem::take(&mut port.listener.held) || (was_held_up && port.listener.waiting) {
                port.listener.ready = true;
                any = true;
            }
        }
        self.stirred |= any;
    }

    /// More than half the ring waits to be released: taking in more would make every reader lose its place.
    pub fn is_held_up(&self) -> bool {
        self.ring.head() - self.released_ring > RING as u64 / 2
    }

    fn used_ports(&mut self) -> impl Iterator<Item = &mut Port<REPLY>> {
        self.ports.iter_mut().take(usize::from(self.used))
    }

    fn port(&self, slot: u16) -> Option<&Port<REPLY>> {
        self.ports.get(usize::from(slot))
    }

    fn port_mut(&mut self, slot: u16) -> Option<&mut Port<REPLY>> {
        self.ports.get_mut(usize::from(slot))
    }
}

impl<const RING: usize, const LINKS: usize, const REPLY: usize> Default for Outbox<RING, LINKS, REPLY> {
    fn default() -> Self {
        Self::new()
    }
}

/// Takes a frame up into a sum of eight bits. Of all frames before, the sum knows no more than that.
#[cfg(feature = "postcard")]
fn mix(sum: u8, frame: &[u8]) -> u8 {
    // FNV-1a, folded: a lost, changed or exchanged byte shows in 255 of 256 cases.
    let step = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    let hash = frame.iter().fold(0x811c_9dc5 ^ u32::from(sum), step);
    hash.to_le_bytes().into_iter().fold(0, |sum, byte| sum ^ byte)
}

/// What became of one step of a pull.
enum Next {
    Wrote(usize),
    /// Nothing is left, or no room for it.
    Nothing,
    /// What comes next is not released yet.
    Held,
}

impl<const REPLY: usize> Port<REPLY> {
    /// Something was said that this link has not come to, whether or not it is told.
    fn has_more<const RING: usize>(&self, ring: &Ring<RING>) -> bool {
        !self.replies.is_empty() || self.listener.dump.active || self.listener.cursor != ring.head()
    }

    /// The next thing said to this link: a reply or a dump if one is due here, else what the ring has. Not inlined: in the loop
    /// of a pull, all that some of it needs would be made ready first, for one reply too.
    #[inline(never)]
    fn next<const RING: usize>(
        &mut self,
        slot: u16,
        ring: &Ring<RING>,
        released: Seq,
        room: &mut [u8],
        dump: &mut impl FnMut(&mut u16, &mut [u8]) -> Dumped,
    ) -> Next {
        let allowed = |serial: u32| (serial.wrapping_sub(released.replies) as i32) < 0;
        let reached = |at: u32| (at.wrapping_sub(self.listener.cursor as u32) as i32) <= 0;
        let first = self.replies.front();
        let (due, reply) = (first.map(|(due, _)| due.at), first.filter(|(due, _)| reached(due.at)));
        let dumping = self.listener.dump.active && self.listener.dump.at <= self.listener.cursor;
        if let Some((due, frame)) = reply
            && (!dumping || (due.serial.wrapping_sub(self.listener.dump.serial) as i32) < 0)
        {
            if !allowed(due.serial) {
                return Next::Held;
            }
            return match bytes::put(room, frame) {
                Some(n) => {
                    self.replies.pop(n);
                    Next::Wrote(n)
                }
                None => Next::Nothing,
            };
        }
        if dumping {
            if !allowed(self.listener.dump.serial) {
                return Next::Held;
            }
            return match dump(&mut self.listener.dump.step, room) {
                Dumped::Frames(n) => Next::Wrote(n),
                Dumped::NoRoom => Next::Nothing,
                Dumped::Done => {
                    self.listener.dump = Dump { active: false, restarts: 0, ..self.listener.dump };
                    Next::Wrote(0)
                }
            };
        }
        self.listener.next_of_ring(slot, ring, released, due, room)
    }
}
