//! Seats, logins, votes and resyncs: joins wire and rules into a [`Table`] that an adapter drives.
//!
//! A command comes in through `command.rs`; what it does to the game is the rules' business, and whom the events reach
//! is the herald's below. Everything that follows by itself (votes that are decided, kicks, an ended game) is settled
//! after each command in `clock.rs`, and so is what time brings.
//!
//! What can never happen here: a panic, an allocation, one link slowing another, an answer dropped, a byte sent to a
//! link that depends on when that link reads.

#[cfg(test)]
mod chaos;
mod clock;
mod command;
mod config;
mod dump;
#[cfg(feature = "postcard")]
mod freeze;
mod game;
mod join;
#[cfg(feature = "postcard")]
mod keep;
mod kick;
mod link;
mod lobby;
#[cfg(test)]
mod lobby_tests;
mod names;
mod over;
mod presence;
mod rejoin;
mod summary;
#[cfg(test)]
mod tests;
mod users;
mod votes;

pub use config::Config;

use crate::dice::Dice;
use crate::fair::Record;
use crate::fmt::debug;
use crate::id_space::IdSpace;
use crate::lobby::Lobbied as _;
use crate::outbox::{Audience, Outbox, REPLY_HEADER, ask_outbox};
use crate::pimp::limits::{ANSWER_NEWCOMER, ANSWER_USER, REPLY};
use crate::pimp::rules::{Cx, Game, Herald, UserId};
use crate::pimp::wire::{self, Endless, FRAME_MAX, Framer, HEADER, Message};
use crate::server::{
    Answer, FRAMES_A_CALL, Full, Intake, Lagging, Link, Millis, Request, RequestId, Server, Sight, Summary,
};
use clock::Watch;
use link::{Line, State};
use lobby::Trust;
use rejoin::REJOIN;
use users::Users;
use votes::Votes;

type Out<const RING: usize, const LINKS: usize> = Outbox<RING, LINKS, REPLY>;

/// What a table is beside its connections: what is saved.
#[derive(Clone)]
struct Hall<const USERS: usize> {
    game: Game,
    dice: Dice,
    config: Config,
    users: Users<USERS>,
    /// Non-zero, new for each game (pimp 2.3).
    number: u32,
    votes: Votes,
    watch: Watch,
}

/// One PIMP game and everybody at it. [`Table::new`] is all zero bytes; [`Table::begin`] before use.
#[derive(Clone)]
pub struct Table<const USERS: usize, const LINKS: usize, const RING: usize> {
    hall: Hall<USERS>,
    lines: [Line<USERS>; LINKS],
    out: Out<RING, LINKS>,
    /// Commands ever handled.
    commands: u64,
    /// A REJOIN is left to the adapter to judge.
    leaves_secrets: bool,
    /// In this call no newcomer may join.
    is_confined: bool,
    /// In this call some line's user has reopened an offer.
    reopened: bool,
    /// The last call that took frames may have brought the deadline forward.
    hastens: bool,
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> Table<USERS, LINKS, RING> {
    const TWO_MORE_LINKS: () = assert!(LINKS == USERS + 2 && USERS <= 255, "\"too many users\" needs a link to say it");

    pub const fn new() -> Self {
        let () = Self::TWO_MORE_LINKS;
        Self {
            hall: Hall {
                game: Game::new(),
                dice: Dice::new(),
                config: Config::BLANK,
                users: Users::new(),
                number: 0,
                votes: Votes::new(),
                watch: Watch::new(),
            },
            lines: [const { Line::new() }; LINKS],
            out: Outbox::new(),
            commands: 0,
            leaves_secrets: false,
            is_confined: false,
            reopened: false,
            hastens: false,
        }
    }

    /// The first game. Not while links are open: links of an earlier life would have no user.
    pub fn begin(&mut self, seed: &[u8; 32], config: &Config, now: Millis) {
        self.begin_in(seed, IdSpace::NONE, config, now);
    }

    /// The game as it stands: for tests, for an adapter's figures.
    pub fn game(&self) -> &Game {
        &self.hall.game
    }

    /// The number of the game being played.
    pub fn number(&self) -> u32 {
        self.hall.number
    }

    /// Users at the table, connected or not, candidates not counted.
    pub fn users(&self) -> usize {
        self.hall.users.iter().filter(|(_, user)| user.is_user()).count()
    }

    fn line(&self, slot: u16) -> Option<&Line<USERS>> {
        self.lines.get(usize::from(slot))
    }

    fn line_mut(&mut self, slot: u16) -> Option<&mut Line<USERS>> {
        self.lines.get_mut(usize::from(slot))
    }

    fn reply(&mut self, slot: u16, message: &Message<'_>) {
        reply(&mut self.out, slot, message);
    }

    fn say_all(&mut self, message: &Message<'_>) {
        say(&mut self.out, Audience::Room, message);
    }

    /// Lets the rules act, and brings their events to links.
    fn play<R>(&mut self, act: impl FnOnce(&mut Game, &mut Cx<'_, Crier<'_, USERS, LINKS, RING>>) -> R) -> R {
        let Self { hall, out, lines, reopened, .. } = self;
        let Hall { game, dice, config, users, watch, .. } = hall;
        let mut crier = Crier { out, lines, users, watch, reopened };
        act(game, &mut Cx { dice, options: &config.rules, out: &mut crier })
    }

    /// The user behind a link.
    fn user_of(&self, slot: u16) -> Option<UserId> {
        self.line(slot).filter(|line| line.state == State::User).map(|line| line.user)
    }

    fn is_doomed(&self, slot: u16) -> bool {
        self.out.is_doomed(slot)
    }

    /// After every input: the users of doomed links leave.
    fn part_doomed(&mut self, now: Millis) {
        for slot in 0..self.out.used() {
            if self.is_doomed(slot) && self.line(slot).is_some_and(|line| line.user != 0) {
                self.part(slot, now);
                self.after_call(now);
                self.hastens = true;
            }
        }
    }

    /// `trust` is for the first frame, and for that alone, unless it is a journal's.
    fn take_frames(&mut self, slot: u16, framer: &mut Framer, mut trust: Trust, now: Millis) -> Intake {
        for _ in 0..FRAMES_A_CALL {
            if framer.is_spent() {
                return Intake::Hungry;
            }
            if let Some(intake) = self.take_frame(slot, framer, trust, now) {
                return intake;
            }
            if !trust.is_settled() {
                trust = Trust::Ask;
            }
        }
        match framer.peek() {
            Ok(None) => Intake::Hungry,
            _ => Intake::More,
        }
    }

    /// The next frame; `None`: it was handled, and the one behind it may be looked at. Not inlined: of all that some command
    /// needs, the compiler would make much ready before the loop over the frames, for each command.
    #[inline(never)]
    fn take_frame(&mut self, slot: u16, framer: &mut Framer, trust: Trust, now: Millis) -> Option<Intake> {
        let frame = match framer.peek() {
            Ok(Some(frame)) => frame,
            Ok(None) => return Some(Intake::Hungry),
            Err(Endless) => {
                if trust.is_settled() || self.has_room_to_answer(slot) {
                    // Where it ends can't be known (pimp 1.2).
                    debug!("link {}: a frame without an end", slot);
                    self.reply(slot, &Message::ErrorUnparseable {});
                    self.out.doom(slot);
                    framer.give_up();
                }
                return Some(Intake::Stalled);
            }
        };
        if !trust.is_settled() && !self.may_read(slot, frame, now) {
            return Some(Intake::Stalled);
        }
        if trust == Trust::Ask && self.is_for_others(slot, frame) {
            return Some(Intake::Elsewhere);
        }
        let frame = if frame.code == REJOIN && !trust.is_settled() {
            framer.scrub(trust != Trust::Deny && self.hall.is_right(frame.payload));
            // It is as long as it was.
            let Ok(Some(scrubbed)) = framer.peek() else { return Some(Intake::Hungry) };
            scrubbed
        } else {
            frame
        };
        self.handle(slot, frame, now);
        self.commands = self.commands.wrapping_add(1);
        framer.skip();
        self.after_call(now);
        self.is_doomed(slot).then_some(Intake::Stalled)
    }

    fn take_in(&mut self, link: Link, framer: &mut Framer, trust: Trust, now: Millis) -> Intake {
        framer.mark();
        if !self.out.is_live(link) || self.is_doomed(link.slot) {
            self.is_confined = false;
            return Intake::Stalled;
        }
        self.out.resume(link.slot);
        let changes = self.out.changes();
        self.hastens = false;
        let intake = self.take_frames(link.slot, framer, trust, now);
        self.is_confined = false;
        // Whatever has an end later on is a change, or a command that was obeyed (`handle`), or a link that waits for its time.
        self.hastens |= self.out.changes() != changes;
        if intake == Intake::Stalled {
            self.out.stall(link.slot);
            self.hastens = true;
        }
        self.part_doomed(now);
        intake
    }

    /// The last link was taken: the oldest that has not joined gives way, so that a player can always come back to its
    /// seat (pimp 16.6.5).
    fn keep_a_link(&mut self, newest: u16) {
        if !self.out.is_full() {
            return;
        }
        let waits = |line: &Line<USERS>| matches!(line.state, State::Fresh | State::Spoken);
        let idle = (0..).zip(&self.lines).filter(|(slot, line)| *slot != newest && waits(line));
        if let Some((oldest, _)) = idle.min_by_key(|(_, line)| line.since) {
            self.out.doom(oldest);
        }
    }

    /// Answers are never dropped: a link that has not pulled the last ones is not read (pimp 4).
    fn has_room_to_answer(&self, slot: u16) -> bool {
        let need = match self.line(slot).map(|line| line.state) {
            Some(State::Candidate | State::User) => ANSWER_USER,
            _ => ANSWER_NEWCOMER,
        };
        // `reply_room` leaves out one header, which the sums count.
        !self.out.is_held_up() && self.out.reply_room(slot) + REPLY_HEADER >= need
    }
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> Default for Table<USERS, LINKS, RING> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> Server for Table<USERS, LINKS, RING> {
    type Framer = Framer;
    const MAX_FRAME: usize = FRAME_MAX;

    fn open(&mut self, now: Millis) -> Result<Link, Full> {
        let link = self.out.open()?;
        if let Some(line) = self.line_mut(link.slot) {
            line.begin(now);
        }
        self.keep_a_link(link.slot);
        Ok(link)
    }

    fn receive(&mut self, link: Link, framer: &mut Framer, now: Millis) -> Intake {
        self.take_in(link, framer, Trust::Ask, now)
    }

    fn leave_secrets(&mut self, to_adapter: bool) {
        self.leaves_secrets = to_adapter;
    }

    fn secret(framer: &Framer) -> Option<(u16, u32)> {
        lobby::secret(framer)
    }

    fn claims(&self, framer: &Framer) -> bool {
        framer.peek().ok().flatten().is_some_and(|frame| lobby::is_rejoin(frame) && self.hall.is_right(frame.payload))
    }

    fn judge(&mut self, link: Link, framer: &mut Framer, known: bool, now: Millis) -> Intake {
        self.take_in(link, framer, if known { Trust::Check } else { Trust::Deny }, now)
    }

    fn pull(&mut self, link: Link, out: &mut [u8]) -> usize {
        let Self { hall, lines, out: outbox, .. } = self;
        let snapshot = lines.get(usize::from(link.slot)).map(|line| &line.snapshot);
        outbox.pull(link, out, |step, room| match snapshot {
            Some(snapshot) => snapshot.next(&hall.users, step, room),
            None => crate::outbox::Dumped::Done,
        })
    }

    fn closing(&self, link: Link) -> bool {
        self.out.closing(link)
    }

    fn close(&mut self, link: Link, now: Millis) {
        if !self.out.close(link) {
            return;
        }
        self.part(link.slot, now);
        self.after_call(now);
        self.part_doomed(now);
    }

    /// Always counted as a change: what time brings is rare, and much of it is silent.
    fn tick(&mut self, now: Millis) {
        self.out.note_change();
        self.on_timer(now);
        self.after_call(now);
        self.part_doomed(now);
    }

    fn next_lagging(&mut self) -> Option<Lagging> {
        // Asked after every call and every pull.
        if !self.out.may_lag() && !self.hall.watch.owes_dumps {
            return None;
        }
        self.out.next_lagging(true).or_else(|| self.next_owed_dump())
    }

    fn lag(&mut self, lagging: Lagging, now: Millis) {
        self.out.note_change();
        let slot = lagging.slot;
        let is_there = self.out.lag(lagging);
        if is_there && lagging.again && !self.is_doomed(slot) {
            self.out.enter(slot, 0);
            self.dump(slot);
        } else if let Some(line) = self.line_mut(slot) {
            line.forget_dumps();
        }
        self.part_doomed(now);
    }

    fn deadline(&self) -> Option<Millis> {
        self.next_timer()
    }

    fn hastens(&self) -> bool {
        self.hastens
    }

    ask_outbox!(Server);

    fn next_request(&mut self) -> Option<Request<'_>> {
        None
    }

    fn answer(&mut self, _: RequestId, _: Answer<'_>, _: Millis) {}

    fn summary(&self) -> Summary {
        self.figures()
    }

    fn record(&self) -> Option<Record<'_>> {
        self.hall.dice.record()
    }

    fn each_number(&self, tell: &mut dyn FnMut(&str, u32)) {
        let draws = self.hall.dice.draws();
        if draws.has_key() {
            tell("", draws.number());
        }
    }

    fn each_sight(&self, tell: &mut dyn FnMut(Sight<'_>)) {
        self.look_around(tell);
    }

    fn set(&mut self, name: &str, text: &str) -> Result<bool, crate::settings::Refused> {
        crate::settings::change(&mut self.hall.config, name, text, !self.hall.game.players.is_empty())
    }

    fn confine(&mut self) {
        self.is_confined = true;
    }

    /// The one there is, which has no name.
    fn end_game(&mut self, name: &str, now: Millis) -> bool {
        if name.is_empty() {
            self.out.note_change();
            self.break_off(now);
        }
        name.is_empty()
    }

    fn kinds(frames: &[u8], note: impl FnMut(u8)) {
        wire::codes(frames).for_each(note);
    }

    fn kind_name(kind: u8) -> Option<&'static str> {
        let at = wire::TABLE.binary_search_by_key(&kind, |entry| entry.code).ok()?;
        wire::TABLE.get(at).map(|entry| entry.name)
    }
}

/// Brings the rules' events to links, and notes what the server itself must know of.
struct Crier<'a, const USERS: usize, const LINKS: usize, const RING: usize> {
    out: &'a mut Out<RING, LINKS>,
    lines: &'a mut [Line<USERS>; LINKS],
    users: &'a Users<USERS>,
    watch: &'a mut Watch,
    reopened: &'a mut bool,
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> Herald for Crier<'_, USERS, LINKS, RING> {
    fn all(&mut self, event: Message<'_>) {
        self.watch.see(&event);
        say(self.out, Audience::Room, &event);
    }

    /// Lost if that user is not connected: it gets a dump when it comes back.
    fn one(&mut self, user: UserId, event: Message<'_>) {
        if let Some(slot) = self.users.slot(user) {
            if matches!(event, Message::TransactionReopened { .. })
                && let Some(line) = self.lines.get_mut(usize::from(slot))
            {
                (line.reopened, *self.reopened) = (true, true);
            }
            say(self.out, Audience::One(slot), &event);
        }
    }
}

/// Straight into the ring.
fn say<const RING: usize, const LINKS: usize>(out: &mut Out<RING, LINKS>, to: Audience, message: &Message<'_>) {
    out.send(to, HEADER + message.payload_len(), |room| {
        message.encode(room);
    });
}

/// An answer to one link: HANDSHAKE_ACKNOWLEDGE, WELCOME_DETAILS, WELCOME_BACK, JOIN_PENDING and 0xFx.
fn reply<const RING: usize, const LINKS: usize>(out: &mut Out<RING, LINKS>, slot: u16, message: &Message<'_>) {
    let sent = out.reply_with(slot, |room| message.encode(room));
    // `has_room_to_answer` was asked first: only a doomed link misses an answer.
    assert!(cfg!(not(test)) || sent || out.is_doomed(slot) || out.link(slot).is_none(), "{message} was dropped");
}
