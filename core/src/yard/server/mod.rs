//! Logins, games, teams and votes: joins wire and rules into a [`Yard`] that an adapter drives.
//!
//! A line comes in through `command.rs`; what a move does is the rules' business, and whom an event reaches is decided in
//! `play.rs`: Mr. X's station leaves this room only to his own player, on reveal turns and after the end.
//!
//! One ring carries all games. A link's team there is four times its game's number plus its role, so a line for a whole
//! game is stored once; users in no game are the lobby, number 0.
//!
//! What can never happen here: a panic, an allocation, one link slowing another, an answer dropped, a byte sent to a
//! link that depends on when that link reads or on where Mr. X hides.

mod command;
mod config;
mod dump;
#[cfg(feature = "postcard")]
mod freeze;
mod game;
#[cfg(feature = "postcard")]
mod keep;
mod kinds;
mod line;
mod lobby;
mod login;
mod names;
mod play;
mod rooms;
mod seats;
mod summary;
#[cfg(test)]
mod tests;

pub use crate::accounts::HASH_MAX;
pub use config::Config;
pub use line::PASSWORD_MAX;
pub use rooms::SEATS;

use crate::accounts::AccountId;
use crate::dice::Dice;
use crate::fair::Record;
use crate::lines::{Lines, Piece, Tag, Tagged, split_tag};
use crate::outbox::{Audience, Dumped, Outbox, REPLY_HEADER, ask_outbox};
use crate::server::{Answer, Full, Intake, Lagging, Link, Millis, Request, RequestId, Server, Sight, Summary};
use crate::yard::rules::Game;
use crate::yard::wire::{LINE_MAX, Reply, Said, Stage, Status, USER_BYTES, longest_said};
use line::{Line, Role, Wanted};
use rooms::{Room, RoomId, Seat};

/// An account, by a user's name.
type Account = crate::accounts::Account<USER_BYTES>;

/// Lines that one call of `receive` handles at most.
const LINES_A_CALL: usize = crate::server::FRAMES_A_CALL;
/// The longest answer: 20 /* tag */ + 5 /* " bad " */ + 62 /* reason and its quotes */ + 2 /* CRLF */. `listai` is answered
/// with two lines, which are no longer together.
const ANSWER: usize = 89;
/// Bytes of answers that wait for one link: one of any length, and three short ones of a client that does not wait.
const REPLY: usize = REPLY_HEADER + ANSWER + 3 * (REPLY_HEADER + 11/* "#00001 ok" CRLF */);

type Out<const RING: usize, const LINKS: usize> = Outbox<RING, LINKS, REPLY>;

/// What a server is beside its connections: what is saved.
#[derive(Clone)]
struct Hall<const ACCOUNTS: usize, const GAMES: usize> {
    dice: Dice,
    config: Config,
    accounts: [Account; ACCOUNTS],
    rooms: [Room; GAMES],
}

impl<const ACCOUNTS: usize, const GAMES: usize> Hall<ACCOUNTS, GAMES> {
    fn name(&self, account: AccountId) -> &str {
        self.accounts.get(usize::from(account)).map_or("", |account| account.name.as_str())
    }

    /// A player of a game in progress is not connected.
    fn lacks_a_player(&self) -> bool {
        let is_played = |room: &&Room| room.is_open() && room.stage == Stage::InProgress;
        let mut seats = self.rooms.iter().filter(is_played).flat_map(Room::players);
        let account = |seat: &Seat| self.accounts.get(usize::from(seat.account));
        seats.any(|seat| account(seat).is_some_and(|account| account.slot().is_none()))
    }

    fn room(&self, room: RoomId) -> Option<&Room> {
        self.rooms.get(usize::from(room)).filter(|room| room.is_open())
    }

    /// The game is over: what was drawn in it can be checked.
    fn close_draws(&mut self, room: RoomId) {
        if let Some(room) = self.rooms.get_mut(usize::from(room)) {
            self.dice.close(&mut room.draws);
        }
    }

    fn room_mut(&mut self, room: RoomId) -> Option<&mut Room> {
        self.rooms.get_mut(usize::from(room)).filter(|room| room.is_open())
    }
}

/// The lobby's number among those of [`Audience::Teams`].
const LOBBY: u16 = 0;

/// The number of a game there.
fn hall_of(room: RoomId) -> u16 {
    u16::from(room) + 1
}

/// A link's team in the ring. There are at most 62 games.
fn team_of(room: RoomId, role: Role) -> u8 {
    (room + 1) * 4 + role as u8
}

/// The link whose command is being handled, and the tag of its answer.
#[derive(Clone, Copy)]
struct Asker<'a> {
    slot: u16,
    tag: Tag<'a>,
}

/// Why a command was not obeyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Denied {
    No(&'static str),
    Bad(&'static str),
}

type Verdict = Result<(), Denied>;

/// All games of Scotland Yard on one port, and all users there. [`Yard::new`] is all zero bytes; [`Yard::begin`] before
/// use. `LINE` is the room for a line with its end.
#[derive(Clone)]
pub struct Yard<const ACCOUNTS: usize, const GAMES: usize, const LINKS: usize, const RING: usize, const LINE: usize> {
    hall: Hall<ACCOUNTS, GAMES>,
    lines: [Line; LINKS],
    out: Out<RING, LINKS>,
    /// Commands ever handled.
    commands: u64,
    /// In this call no new game may be made.
    is_confined: bool,
}

impl<const ACCOUNTS: usize, const GAMES: usize, const LINKS: usize, const RING: usize, const LINE: usize>
    Yard<ACCOUNTS, GAMES, LINKS, RING, LINE>
{
    const FITS: () = {
        assert!(GAMES <= 62, "a team in the ring is one byte");
        assert!(ACCOUNTS < u16::MAX as usize && LINKS < u16::MAX as usize);
        assert!(LINE >= 258 && LINE <= LINE_MAX + 2, "a line has 256 to 4,096 bytes");
        assert!(longest_said(LINE - 2) + 4 <= RING / 2, "the longest line must fit the ring");
    };

    pub const fn new() -> Self {
        let () = Self::FITS;
        Self {
            hall: Hall {
                dice: Dice::new(),
                config: Config::BLANK,
                accounts: [const { Account::BLANK }; ACCOUNTS],
                rooms: [const { Room::BLANK }; GAMES],
            },
            lines: [const { Line::BLANK }; LINKS],
            out: Outbox::new(),
            commands: 0,
            is_confined: false,
        }
    }

    /// No accounts and no games. Not while links are open.
    pub fn begin(&mut self, seed: &[u8; 32], config: &Config) {
        self.hall.dice.begin(seed);
        self.hall.config.clone_from(config);
        self.hall.accounts.iter_mut().for_each(|account| *account = Account::BLANK);
        self.hall.rooms.iter_mut().for_each(|room| *room = Room::BLANK);
    }

    /// The game of this name, as it stands: for tests and operators.
    pub fn game(&self, name: &str) -> Option<&Game> {
        let room = self.find_room(name)?;
        self.hall.room(room).map(|room| &room.game)
    }

    fn line(&self, slot: u16) -> Option<&Line> {
        self.lines.get(usize::from(slot))
    }

    fn line_mut(&mut self, slot: u16) -> Option<&mut Line> {
        self.lines.get_mut(usize::from(slot))
    }

    fn account_mut(&mut self, account: AccountId) -> Option<&mut Account> {
        self.hall.accounts.get_mut(usize::from(account))
    }

    /// The slot of an account that is in this game now.
    fn present(&self, room: RoomId, account: AccountId) -> Option<u16> {
        let slot = self.hall.accounts.get(usize::from(account))?.slot()?;
        let here = |line: &&Line| line.room() == Some(room) && line.role != Role::Watcher;
        self.line(slot).filter(here).map(|_| slot)
    }

    fn reply(&mut self, to: Asker<'_>, reply: Reply<'_>) {
        answer(&mut self.out, to.slot, &Said::Reply(to.tag, reply));
    }

    fn ok(&mut self, to: Asker<'_>) {
        self.reply(to, Reply::Ok);
    }

    /// To everybody in a game.
    fn say(&mut self, room: RoomId, status: &Status<'_>) {
        say(&mut self.out, Audience::Teams(hall_of(room)), status);
    }

    /// Lines that were `settled` once are a journal's: they are taken, as they were then.
    fn take_lines(&mut self, slot: u16, framer: &mut Lines<LINE>, settled: bool, now: Millis) -> Intake {
        let begun = self.out.produced().ring;
        for _ in 0..LINES_A_CALL {
            let skipping = self.line(slot).is_some_and(|line| line.skipping);
            let Some(piece) = framer.peek(skipping) else { return Intake::Hungry };
            if !settled && !self.may_read(slot, now) {
                return Intake::Stalled;
            }
            // What one link makes the server say must leave the others time to read it.
            if !settled && self.out.produced().ring - begun > RING as u64 / 8 {
                return Intake::More;
            }
            match piece {
                Piece::Line(line) => {
                    let mut copy = [0; LINE];
                    let length = crate::bytes::put(&mut copy, line).unwrap_or_default();
                    let line = copy.get(..length).unwrap_or_default();
                    self.handle(slot, line, framer, now);
                }
                Piece::TooLong { ended } => {
                    self.count(slot, now);
                    self.refuse_long(slot, framer);
                    self.skip_on(slot, !ended);
                }
                Piece::Rest { ended } => {
                    framer.blank(0);
                    self.skip_on(slot, !ended);
                }
            }
            framer.skip();
            if self.out.is_doomed(slot) {
                return Intake::Stalled;
            }
        }
        let skipping = self.line(slot).is_some_and(|line| line.skipping);
        if framer.peek(skipping).is_some() { Intake::More } else { Intake::Hungry }
    }

    /// The answer to a line that is too long carries the line's tag, if it began with one (yard 1.1): of the line the tag
    /// alone is left.
    fn refuse_long(&mut self, slot: u16, framer: &mut Lines<LINE>) {
        const TOO_LONG: &str = "line too long";
        let kept = match split_tag(framer.unread()) {
            Ok(Tagged { tag, at, .. }) if tag != Tag::NONE => {
                answer(&mut self.out, slot, &Said::Reply(tag, Reply::Bad(TOO_LONG)));
                // And the space behind it.
                at + 1
            }
            _ => {
                answer(&mut self.out, slot, &Said::Bad(TOO_LONG));
                0
            }
        };
        framer.blank(kept);
    }

    fn skip_on(&mut self, slot: u16, skipping: bool) {
        if let Some(line) = self.line_mut(slot) {
            line.skipping = skipping;
        }
    }

    /// Whether this link is read now. Answers are never dropped: a link that has not pulled the last ones is not read,
    /// nor one that is being told a long one. If only time is in the way, `wake_at` says until when.
    fn may_read(&mut self, slot: u16, now: Millis) -> bool {
        let rate = self.hall.config.rate;
        if self.out.is_held_up() || self.out.is_dumping(slot) || self.out.reply_room(slot) < ANSWER {
            return false;
        }
        let Some(line) = self.line_mut(slot).filter(|line| line.wanted == Wanted::Nothing) else { return false };
        line.pace().may_read(rate, None, now)
    }

    /// One command more of this link in this second.
    fn count(&mut self, slot: u16, now: Millis) {
        self.commands = self.commands.wrapping_add(1);
        if let Some(line) = self.line_mut(slot) {
            line.pace().count(now);
        }
    }

    fn take_in(&mut self, link: Link, framer: &mut Lines<LINE>, settled: bool, now: Millis) -> Intake {
        framer.mark();
        if !self.out.is_live(link) || self.out.is_doomed(link.slot) {
            self.is_confined = false;
            return Intake::Stalled;
        }
        self.out.resume(link.slot);
        let intake = self.take_lines(link.slot, framer, settled, now);
        self.is_confined = false;
        if intake == Intake::Stalled {
            self.out.stall(link.slot);
        }
        if self.out.is_doomed(link.slot) {
            self.part_doomed(now);
        }
        self.start_clocks(now);
        intake
    }

    /// The last link was taken: the oldest that has not logged in gives way. Where all others have, and accounts are
    /// more than links, it is the oldest that is in no game, if a player with a seat is not connected: a player can
    /// always come back to its seat (yard 2.5).
    fn keep_a_link(&mut self, newest: u16) {
        if !self.out.is_full() {
            return;
        }
        let spares_users = ACCOUNTS <= LINKS || !self.hall.lacks_a_player();
        let idle = |(slot, line): &(u16, &Line)| {
            let is_user = line.state == line::State::User;
            *slot != newest && line.room().is_none() && !(is_user && spares_users)
        };
        let idle = (0..).zip(&self.lines).filter(idle);
        if let Some((oldest, _)) = idle.min_by_key(|(_, line)| (line.state == line::State::User, line.since)) {
            self.out.doom(oldest);
        }
    }

    /// The users of doomed links leave.
    fn part_doomed(&mut self, now: Millis) {
        for slot in 0..LINKS as u16 {
            if self.out.is_doomed(slot) {
                self.part(slot, now);
            }
        }
    }
}

impl<const ACCOUNTS: usize, const GAMES: usize, const LINKS: usize, const RING: usize, const LINE: usize> Default
    for Yard<ACCOUNTS, GAMES, LINKS, RING, LINE>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<const ACCOUNTS: usize, const GAMES: usize, const LINKS: usize, const RING: usize, const LINE: usize> Server
    for Yard<ACCOUNTS, GAMES, LINKS, RING, LINE>
{
    type Framer = Lines<LINE>;
    const MAX_FRAME: usize = longest_said(LINE - 2);

    fn open(&mut self, now: Millis) -> Result<Link, Full> {
        let link = self.out.open()?;
        if let Some(line) = self.line_mut(link.slot) {
            line.begin(now);
        }
        self.keep_a_link(link.slot);
        Ok(link)
    }

    fn receive(&mut self, link: Link, framer: &mut Lines<LINE>, now: Millis) -> Intake {
        self.take_in(link, framer, false, now)
    }

    fn pull(&mut self, link: Link, out: &mut [u8]) -> usize {
        let Self { hall, lines, out: outbox, .. } = self;
        let snapshot = lines.get(usize::from(link.slot)).map(|line| line.snapshot);
        outbox.pull(link, out, |step, room| match snapshot {
            Some(snapshot) => snapshot.next(hall, step, room),
            None => Dumped::Done,
        })
    }

    fn closing(&self, link: Link) -> bool {
        self.out.closing(link)
    }

    fn close(&mut self, link: Link, now: Millis) {
        if self.out.close(link) {
            self.part(link.slot, now);
        }
    }

    /// Always counted as a change: what time brings is rare.
    fn tick(&mut self, now: Millis) {
        self.out.note_change();
        self.on_timer(now);
        self.move_for_late(now);
        self.part_doomed(now);
        self.start_clocks(now);
    }

    /// A link that fell a whole ring behind is closed, not told anew (yard 1.8).
    fn next_lagging(&mut self) -> Option<Lagging> {
        self.out.next_lagging(false)
    }

    fn lag(&mut self, lagging: Lagging, now: Millis) {
        self.out.note_change();
        if self.out.lag(Lagging { again: false, ..lagging }) {
            self.part_doomed(now);
        }
    }

    fn deadline(&self) -> Option<Millis> {
        self.next_timer().into_iter().chain(self.next_late()).min()
    }

    ask_outbox!(Server);

    fn next_request(&mut self) -> Option<Request<'_>> {
        self.next_question()
    }

    fn answer(&mut self, id: RequestId, answer: Answer<'_>, now: Millis) {
        let link = id.link();
        if self.out.is_live(link) {
            self.out.note_change();
            self.answered(link.slot, answer, now);
            self.part_doomed(now);
        }
    }

    fn summary(&self) -> Summary {
        self.figures()
    }

    fn record(&self) -> Option<Record<'_>> {
        self.hall.dice.record()
    }

    fn each_number(&self, tell: &mut dyn FnMut(&str, u32)) {
        let rooms = self.hall.rooms.iter().filter(|room| room.is_open() && room.draws.has_key());
        rooms.for_each(|room| tell(room.name.as_str(), room.draws.number()));
    }

    fn each_sight(&self, tell: &mut dyn FnMut(Sight<'_>)) {
        self.look_around(tell);
    }

    fn set(&mut self, name: &str, text: &str) -> Result<bool, crate::settings::Refused> {
        // What a game goes by was fixed when it was made.
        crate::settings::change(&mut self.hall.config, name, text, false)
    }

    fn confine(&mut self) {
        self.is_confined = true;
    }

    fn end_game(&mut self, name: &str, _: Millis) -> bool {
        let Some(room) = self.find_room(name) else { return false };
        self.out.note_change();
        self.remove_game(room);
        true
    }

    fn kinds(frames: &[u8], note: impl FnMut(u8)) {
        kinds::of(frames).for_each(note);
    }

    fn kind_name(kind: u8) -> Option<&'static str> {
        kinds::name(kind)
    }
}

/// Straight into the ring.
fn say<const RING: usize, const LINKS: usize>(out: &mut Out<RING, LINKS>, to: Audience, status: &Status<'_>) {
    out.send(to, status.length(), |room| {
        status.write(room);
    });
}

/// To everybody in a game but one link: it steps out for the length of one line.
fn say_but<const RING: usize, const LINKS: usize>(
    out: &mut Out<RING, LINKS>,
    room: RoomId,
    but: (u16, Role),
    status: &Status<'_>,
) {
    let (slot, role) = but;
    out.leave(slot);
    say(out, Audience::Teams(hall_of(room)), status);
    out.enter(slot, team_of(room, role));
}

/// An answer to one link.
fn answer<const RING: usize, const LINKS: usize>(out: &mut Out<RING, LINKS>, slot: u16, said: &Said<'_>) {
    let mut line = [0; ANSWER];
    let length = said.write(&mut line);
    assert!(cfg!(not(test)) || length.is_some(), "longer than an answer may be: {said:?}");
    let sent = out.reply(slot, line.get(..length.unwrap_or_default()).unwrap_or_default());
    // `may_read` keeps room for it: only a doomed link misses an answer.
    assert!(cfg!(not(test)) || sent || out.is_doomed(slot) || out.link(slot).is_none(), "{said:?} was dropped");
}
