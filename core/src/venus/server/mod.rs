//! Logins, rooms, seats and saved games: joins wire and rules into a [`Venus`] that an adapter drives.
//!
//! A line comes in through `command.rs`; what an action of the game does is the rules' business, and whom an event
//! reaches is decided in `play.rs`. Everybody who is logged in is inside the ring's room; a link's team there is the room
//! of this game that it is in, so a line for a whole room is stored once. The Great Hall is team 0.
//!
//! What is long (a login, a refresh, the start of a game) never goes through the ring: `shots.rs` keeps the state that it
//! is told from, `dump.rs` tells it.
//!
//! What can never happen here: a panic, an allocation, one link slowing another, an answer dropped, a byte sent to a
//! link that depends on when that link reads or on what its player must not know.

mod bots;
mod command;
mod config;
mod dump;
#[cfg(feature = "postcard")]
mod freeze;
mod game;
mod gui;
#[cfg(feature = "postcard")]
mod keep;
mod kinds;
mod line;
mod lobby;
mod login;
mod names;
mod play;
mod rooms;
mod saves;
mod shots;
mod summary;
#[cfg(test)]
mod tests;
mod waiting;

pub use crate::accounts::HASH_MAX;
pub use config::Config;
pub use gui::GUI_MAX;
#[cfg(feature = "postcard")]
pub use saves::FILE_MAX;

use crate::accounts::AccountId;
use crate::dice::Dice;
use crate::fair::Record;
use crate::lines::{Lines, Piece};
use crate::outbox::{Audience, Outbox, REPLY_HEADER, ask_outbox};
use crate::server::{Answer, Full, Intake, Lagging, Link, Millis, Request, RequestId, Server, Sight, Summary};
use crate::venus::rules::Game;
use crate::venus::wire::{Event, LINE_MAX, LINE_MIN, USER_MAX, longest_line};
use line::{Line, Wanted};
use rooms::{Room, RoomId};
use saves::Saves;
use shots::Shots;

/// An account, by a user's name.
type Account = crate::accounts::Account<USER_MAX>;

/// Lines that one call of `receive` handles at most.
const LINES_A_CALL: usize = crate::server::FRAMES_A_CALL;
/// The longest answer: MOVERROR and ERROR with their reasons: 9 + 72 + 1 + 6 + 40 + 1.
const ANSWER: usize = 129;
/// Bytes of answers that wait for one link: one of any length.
const REPLY: usize = REPLY_HEADER + ANSWER;

type Out<const RING: usize, const LINKS: usize> = Outbox<RING, LINKS, REPLY>;

const GREAT_HALL: &str = "Great Hall";

/// What a server is beside its connections: what is saved.
#[derive(Clone)]
struct Hall<const ACCOUNTS: usize, const ROOMS: usize, const SAVES: usize> {
    dice: Dice,
    config: Config,
    accounts: [Account; ACCOUNTS],
    rooms: [Room; ROOMS],
    saves: Saves<SAVES>,
    /// Changes of any game, and of the list of rooms and users.
    versions: u32,
    /// The list as it is now.
    version: u32,
}

impl<const ACCOUNTS: usize, const ROOMS: usize, const SAVES: usize> Hall<ACCOUNTS, ROOMS, SAVES> {
    fn name(&self, account: AccountId) -> &str {
        self.accounts.get(usize::from(account)).map_or("", |account| account.name.as_str())
    }

    /// A player of a game in progress is not connected.
    fn lacks_a_player(&self) -> bool {
        let is_played = |room: &&Room| room.is_open() && room.status() == rooms::Status::InProgress;
        let mut seats = self.rooms.iter().filter(is_played).flat_map(|room| room.game.seats().zip(&room.names));
        seats.any(|(_, name)| self.slot_of(name.as_str()).is_none())
    }

    fn room(&self, room: RoomId) -> Option<&Room> {
        self.rooms.get(usize::from(room)).filter(|room| room.is_open())
    }

    fn room_mut(&mut self, room: RoomId) -> Option<&mut Room> {
        self.rooms.get_mut(usize::from(room)).filter(|room| room.is_open())
    }

    /// The game of a room is over: what was drawn in it can be checked.
    fn close_draws(&mut self, room: RoomId) {
        if let Some(room) = self.rooms.get_mut(usize::from(room)) {
            self.dice.close(&mut room.draws);
        }
    }

    /// Another game is in a room.
    fn open_draws(&mut self, room: RoomId) {
        self.close_draws(room);
        if let Some(room) = self.rooms.get_mut(usize::from(room)) {
            room.draws = self.dice.new_game();
        }
    }

    fn room_name(&self, room: Option<RoomId>) -> &str {
        room.map_or(GREAT_HALL, |room| self.room(room).map_or("", |room| room.name.as_str()))
    }

    /// The link of an account by name.
    fn slot_of(&self, user: &str) -> Option<u16> {
        self.accounts.iter().find(|account| !account.is_free() && account.name.as_str() == user)?.slot()
    }

    /// A number that no state had before; never 0.
    fn next_version(&mut self) -> u32 {
        self.versions = self.versions.wrapping_add(1).max(1);
        self.versions
    }

    /// Rooms or users are not what they were.
    fn change(&mut self) {
        self.version = self.next_version();
    }

    /// A room's game is not what it was.
    fn change_game(&mut self, room: RoomId) {
        let version = self.next_version();
        if let Some(room) = self.room_mut(room) {
            room.version = version;
        }
    }
}

/// The links in a room, or in the Great Hall.
fn team(room: Option<RoomId>) -> Audience {
    Audience::Team(u16::from(team_of(room)))
}

/// A link's team in the ring. There are at most 255 rooms.
fn team_of(room: Option<RoomId>) -> u8 {
    room.map_or(0, |room| room.saturating_add(1))
}

/// What an action is refused with: ERROR, whose text has no comma and no percent sign (venus 9.4).
type Verdict = Result<(), &'static str>;

/// All rooms of Merchant of Venus on one port, and all users there. [`Venus::new`] is all zero bytes; [`Venus::begin`]
/// before use. `LINE` is the room for a line with its end, `SHOTS` how many snapshots of either kind there are, `SAVES`
/// how many games can be saved.
#[derive(Clone)]
pub struct Venus<
    const ACCOUNTS: usize,
    const ROOMS: usize,
    const LINKS: usize,
    const RING: usize,
    const LINE: usize,
    const SHOTS: usize,
    const SAVES: usize,
> {
    hall: Hall<ACCOUNTS, ROOMS, SAVES>,
    lines: [Line; LINKS],
    shots: Shots<ROOMS, LINKS, SHOTS>,
    out: Out<RING, LINKS>,
    /// Actions ever handled.
    commands: u64,
    /// In this call no new room may be made.
    is_confined: bool,
    /// A file on its way to the adapter.
    #[cfg(feature = "postcard")]
    file: [u8; FILE_MAX],
    #[cfg(feature = "postcard")]
    file_length: u16,
}

impl<
    const ACCOUNTS: usize,
    const ROOMS: usize,
    const LINKS: usize,
    const RING: usize,
    const LINE: usize,
    const SHOTS: usize,
    const SAVES: usize,
> Venus<ACCOUNTS, ROOMS, LINKS, RING, LINE, SHOTS, SAVES>
{
    const FITS: () = {
        assert!(ROOMS <= 255, "a team in the ring is one byte");
        assert!(ACCOUNTS < u16::MAX as usize && LINKS < u16::MAX as usize);
        assert!(LINE >= LINE_MIN + 2 && LINE <= LINE_MAX + 2);
        assert!(SHOTS >= 1 && SHOTS <= 255 && SAVES <= 255);
        assert!(longest_line(SAVES) + 4 <= RING / 2, "the longest line must fit the ring");
    };

    pub const fn new() -> Self {
        let () = Self::FITS;
        Self {
            hall: Hall {
                dice: Dice::new(),
                config: Config::BLANK,
                accounts: [const { Account::BLANK }; ACCOUNTS],
                rooms: [const { Room::BLANK }; ROOMS],
                saves: Saves::EMPTY,
                versions: 0,
                version: 0,
            },
            lines: [const { Line::BLANK }; LINKS],
            shots: Shots::BLANK,
            out: Outbox::new(),
            commands: 0,
            is_confined: false,
            #[cfg(feature = "postcard")]
            file: [0; FILE_MAX],
            #[cfg(feature = "postcard")]
            file_length: 0,
        }
    }

    /// No accounts, and no room but the Great Hall. Not while links are open.
    pub fn begin(&mut self, seed: &[u8; 32], config: &Config) {
        let hall = &mut self.hall;
        hall.dice.begin(seed);
        hall.config.clone_from(config);
        hall.accounts.iter_mut().for_each(|account| *account = Account::BLANK);
        hall.rooms.iter_mut().for_each(|room| *room = Room::BLANK);
        hall.saves = Saves::EMPTY;
        hall.change();
    }

    /// The game in the room of this name, as it stands: for tests and operators.
    pub fn game(&self, name: &str) -> Option<&Game> {
        let room = self.find_room(name)??;
        self.hall.room(room).filter(|room| room.has_game).map(|room| &room.game)
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

    /// The name of the user behind a link.
    fn user(&self, slot: u16) -> &str {
        self.line(slot).filter(|line| line.is_user()).map_or("", |line| self.hall.name(line.account))
    }

    /// The links in a room, or in the Great Hall.
    fn inside(&self, room: Option<RoomId>) -> impl Iterator<Item = u16> + '_ {
        let is_inside = move |line: &Line| line.is_user() && line.room() == room;
        (0..).zip(&self.lines).filter(move |(_, line)| is_inside(line)).map(|(slot, _)| slot)
    }

    fn error(&mut self, slot: u16, text: &str) {
        answer(&mut self.out, slot, &[&Event::Error { text }]);
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
                    framer.blank(0);
                    self.count(slot, now);
                    self.error(slot, command::TOO_LONG);
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

    /// One action more of this link in this second.
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
        self.part_doomed(now);
        intake
    }

    /// The last link was taken: the oldest that has not logged in gives way. Where all others have, and accounts are
    /// more than links, it is the oldest in the Great Hall, if a player with a seat is not connected: a player can
    /// always come back to its seat (venus 3.3).
    fn keep_a_link(&mut self, newest: u16) {
        if !self.out.is_full() {
            return;
        }
        let spares_users = ACCOUNTS <= LINKS || !self.hall.lacks_a_player();
        let idle =
            |(slot, line): &(u16, &Line)| *slot != newest && line.room().is_none() && !(line.is_user() && spares_users);
        let idle = (0..).zip(&self.lines).filter(idle);
        if let Some((oldest, _)) = idle.min_by_key(|(_, line)| (line.is_user(), line.since)) {
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

impl<
    const ACCOUNTS: usize,
    const ROOMS: usize,
    const LINKS: usize,
    const RING: usize,
    const LINE: usize,
    const SHOTS: usize,
    const SAVES: usize,
> Default for Venus<ACCOUNTS, ROOMS, LINKS, RING, LINE, SHOTS, SAVES>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<
    const ACCOUNTS: usize,
    const ROOMS: usize,
    const LINKS: usize,
    const RING: usize,
    const LINE: usize,
    const SHOTS: usize,
    const SAVES: usize,
> Server for Venus<ACCOUNTS, ROOMS, LINKS, RING, LINE, SHOTS, SAVES>
{
    type Framer = Lines<LINE>;
    const MAX_FRAME: usize = longest_line(SAVES);

    fn open(&mut self, now: Millis) -> Result<Link, Full> {
        let link = self.out.open()?;
        if let Some(line) = self.line_mut(link.slot) {
            line.begin(now);
        }
        answer(&mut self.out, link.slot, &[&Event::ConnectString { text: "parlor: Merchant of Venus" }]);
        self.keep_a_link(link.slot);
        Ok(link)
    }

    fn receive(&mut self, link: Link, framer: &mut Lines<LINE>, now: Millis) -> Intake {
        self.take_in(link, framer, false, now)
    }

    fn pull(&mut self, link: Link, out: &mut [u8]) -> usize {
        let Self { hall, lines, shots, out: outbox, .. } = self;
        let Some(line) = lines.get_mut(usize::from(link.slot)) else { return 0 };
        outbox.pull(link, out, |step, room| dump::next(hall, shots, line, step, room))
    }

    fn closing(&self, link: Link) -> bool {
        self.out.closing(link)
    }

    fn close(&mut self, link: Link, now: Millis) {
        if self.out.close(link) {
            self.part(link.slot, now);
            self.part_doomed(now);
        }
    }

    /// Always counted as a change: what time brings is rare.
    fn tick(&mut self, now: Millis) {
        self.out.note_change();
        self.on_timer(now);
        self.play_for_idle(now);
        self.part_doomed(now);
    }

    /// A link that fell a whole ring behind is closed: rooms and users are told in full only after a login. One whose
    /// snapshot is gone is told its game anew, if that was what it was being told (venus 7.3).
    fn next_lagging(&mut self) -> Option<Lagging> {
        let lagging = self.out.next_lagging(true)?;
        let again = lagging.again && self.may_retell(lagging.slot);
        Some(Lagging { again, ..lagging })
    }

    fn lag(&mut self, lagging: Lagging, now: Millis) {
        self.out.note_change();
        if !self.out.lag(lagging) {
            return;
        }
        if lagging.again {
            self.retell(lagging.slot);
        } else {
            self.part_doomed(now);
        }
    }

    fn deadline(&self) -> Option<Millis> {
        self.next_timer().into_iter().chain(self.next_idle()).min()
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

    fn end_game(&mut self, name: &str, now: Millis) -> bool {
        self.close_room(name, now)
    }

    fn kinds(frames: &[u8], note: impl FnMut(u8)) {
        kinds::of(frames).for_each(note);
    }

    fn kind_name(kind: u8) -> Option<&'static str> {
        kinds::name(kind)
    }
}

/// Straight into the ring.
fn say<const RING: usize, const LINKS: usize>(out: &mut Out<RING, LINKS>, to: Audience, event: &Event<'_>) {
    let sent = out.send(to, event.length(), |room| {
        event.write(room);
    });
    assert!(cfg!(not(test)) || sent, "too long for the ring: {event:?}");
}

/// An answer of one or two lines to one link.
fn answer<const RING: usize, const LINKS: usize>(out: &mut Out<RING, LINKS>, slot: u16, events: &[&Event<'_>]) {
    let mut lines = [0; ANSWER];
    let mut used = 0;
    for event in events {
        let written = lines.get_mut(used..).and_then(|room| event.write(room));
        assert!(cfg!(not(test)) || written.is_some(), "longer than an answer may be: {event:?}");
        used += written.unwrap_or_default();
    }
    let sent = out.reply(slot, lines.get(..used).unwrap_or_default());
    // `may_read` keeps room for it: only a doomed link misses an answer.
    assert!(cfg!(not(test)) || sent || out.is_doomed(slot) || out.link(slot).is_none(), "{events:?} was dropped");
}
