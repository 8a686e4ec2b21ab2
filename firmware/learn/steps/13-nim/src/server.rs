//! Seats and turns: joins wire and rules. All that is about links is the outbox's.

use parlor_core::lines::{Lines, Piece};
use parlor_core::outbox::{Audience, Dumped, Outbox};
use parlor_core::server::{
    Answer, FRAMES_A_CALL, Full, Intake, Lagging, Link, Millis, Request, RequestId, Seq, Server,
};
use parlor_core::text::Text;

use crate::rules::Nim;
use crate::wire::{Command, Event, LINE_MAX, Line, NAME_MAX};

/// Connections: two players and some who look on.
pub const LINKS: usize = 6;
/// Room for answers that a link has not read.
const REPLY: usize = 4 * LINE_MAX;

#[derive(Clone)]
struct Seat {
    name: Text<NAME_MAX>,
    /// The slot of the link that sits here, plus 1; 0: nobody.
    link: u16,
}

/// One table.
#[derive(Clone)]
pub struct Table {
    outbox: Outbox<1024, LINKS, REPLY>,
    seats: [Seat; 2],
    pub game: Nim,
    first: u8,
    commands: u64,
}

impl Table {
    /// All zero bytes: a static one costs no flash.
    pub const fn new() -> Self {
        let seat = Seat { name: Text::EMPTY, link: 0 };
        Self { outbox: Outbox::new(), seats: [seat.clone_empty(), seat], game: Nim::new(), first: 0, commands: 0 }
    }

    /// Whoever sits at 0 or at 1 begins, as the seed says.
    pub fn begin(&mut self, seed: &[u8; 32]) {
        *self = Self::new();
        self.first = seed[0] % 2;
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.seats.iter().filter(|seat| seat.link > 0).map(|seat| seat.name.as_str())
    }

    fn seat_of(&self, slot: u16) -> Option<u8> {
        self.seats.iter().position(|seat| seat.link == slot + 1).map(|seat| seat as u8)
    }

    fn say(&mut self, event: Event<'_>) {
        let line = Line::of(event);
        self.outbox.send(Audience::Room, line.bytes().len(), |room| room.copy_from_slice(line.bytes()));
    }

    fn refuse(&mut self, slot: u16, reason: &str) {
        self.outbox.reply(slot, Line::of(Event::No(reason)).bytes());
    }

    fn handle(&mut self, slot: u16, line: &[u8]) {
        self.commands += 1;
        match Command::parse(line) {
            Some(Command::Sit(name)) => self.sit(slot, name),
            Some(Command::Take { heap, count }) => self.take(slot, heap, count),
            None => self.refuse(slot, "say: sit NAME, or take HEAP COUNT"),
        }
    }

    fn sit(&mut self, slot: u16, name: &str) {
        let (Some(name), None) = (Text::new(name), self.seat_of(slot)) else {
            return self.refuse(slot, "you sit already");
        };
        let Some(seat) = self.seats.iter_mut().find(|seat| seat.link == 0) else {
            return self.refuse(slot, "both seats are taken");
        };
        *seat = Seat { name, link: slot + 1 };
        let name = seat.name.clone();
        self.say(Event::Sits(name.as_str()));
        if self.seats.iter().all(|seat| seat.link > 0) {
            self.game.begin(self.first);
            self.tell_position();
        }
    }

    fn take(&mut self, slot: u16, heap: u8, count: u8) {
        let Some(player) = self.seat_of(slot) else { return self.refuse(slot, "sit down first") };
        match self.game.take(player, heap, count) {
            Ok(()) => self.tell_position(),
            Err(refused) => self.refuse(slot, refused.words()),
        }
    }

    fn tell_position(&mut self) {
        self.say(Event::Heaps(self.game.heaps));
        let name = self.seats[usize::from(self.game.turn)].name.clone();
        self.say(if self.game.is_over() { Event::Won(name.as_str()) } else { Event::Turn(name.as_str()) });
    }
}

impl Seat {
    /// `Text` is no `Copy`, and a constant needs two of them.
    const fn clone_empty(&self) -> Self {
        Self { name: Text::EMPTY, link: 0 }
    }
}

impl Server for Table {
    type Framer = Lines<LINE_MAX>;
    const MAX_FRAME: usize = LINE_MAX;

    fn open(&mut self, _now: Millis) -> Result<Link, Full> {
        let link = self.outbox.open()?;
        // Everybody who comes is in the room, and hears the game.
        self.outbox.enter(link.slot, 0);
        Ok(link)
    }

    fn receive(&mut self, link: Link, framer: &mut Self::Framer, _now: Millis) -> Intake {
        framer.mark();
        if !self.outbox.is_live(link) {
            return Intake::Stalled;
        }
        self.outbox.resume(link.slot);
        for _ in 0..FRAMES_A_CALL {
            // No command is taken whose answer might not fit.
            if self.outbox.is_doomed(link.slot) || self.outbox.reply_room(link.slot) < LINE_MAX + 8 {
                self.outbox.stall(link.slot);
                return Intake::Stalled;
            }
            match framer.peek(false) {
                None => return Intake::Hungry,
                Some(Piece::Line(line)) => self.handle(link.slot, line),
                Some(_) => {
                    self.refuse(link.slot, "that line is too long");
                    self.outbox.doom(link.slot);
                }
            }
            framer.skip();
        }
        Intake::More
    }

    fn pull(&mut self, link: Link, out: &mut [u8]) -> usize {
        self.outbox.pull(link, out, |_, _| Dumped::Done)
    }
    fn closing(&self, link: Link) -> bool {
        self.outbox.closing(link)
    }

    /// Whoever leaves loses; a seat that nobody sits at is free.
    fn close(&mut self, link: Link, _now: Millis) {
        let seat = self.seat_of(link.slot).filter(|_| self.outbox.is_live(link));
        self.outbox.close(link);
        let Some(seat) = seat else { return };
        self.seats[usize::from(seat)].link = 0;
        if !self.game.is_over() {
            self.game = Nim { turn: 1 - seat, ..Nim::new() };
            self.tell_position();
        }
    }

    fn tick(&mut self, _now: Millis) {}
    fn deadline(&self) -> Option<Millis> {
        None
    }
    fn next_lagging(&mut self) -> Option<Lagging> {
        self.outbox.next_lagging(false)
    }
    fn lag(&mut self, lagging: Lagging, _now: Millis) {
        self.outbox.lag(lagging);
    }
    fn next_ready(&mut self) -> Option<Link> {
        self.outbox.next_ready()
    }
    /// Nim asks nothing of its adapter.
    fn next_request(&mut self) -> Option<Request<'_>> {
        None
    }
    fn answer(&mut self, _id: RequestId, _answer: Answer<'_>, _now: Millis) {}
    fn produced(&self) -> Seq {
        self.outbox.produced()
    }
    fn release(&mut self, upto: Seq) {
        self.outbox.release(upto);
    }
}
