//! The whole surface between a game and a network.
//!
//! A game never sees a socket and an adapter never looks inside a message. The loop an adapter must run:
//!
//! 1. A connection came: [`Server::open`]. `Full` means no link is left: drop the connection.
//! 2. Bytes came: read them into [`Framer::window`], tell how many with [`Framer::commit`], call
//!    [`Server::receive`]. On [`Intake::Hungry`] read more; on [`Intake::More`] give the other links a turn and
//!    call again; on [`Intake::Stalled`] call again once [`Server::next_ready`] names the link, and read nothing
//!    until then: TCP's window does the rest. [`Intake::Elsewhere`] comes from a table of a lobby, or by request: [`crate::lobby`]
//!    says what to do. Where inputs are journalled, [`Framer::taken`] is what to write.
//! 3. After every call, a pull too: ask [`Server::next_lagging`] until it is `None`, and tell the server each with
//!    [`Server::lag`] before anything is pulled. How far links have read is known to the adapter's world alone: so what
//!    follows from it is an input of its own, and one that a journal keeps.
//! 4. Then, after every call: ask [`Server::next_ready`] until it is `None`, and for each link named
//!    [`Server::pull`] until it gives 0 and write what came; then, if [`Server::closing`], close the connection
//!    (flush, half-close, read to the end for at most a second: a reset would eat the last error).
//! 5. Ask [`Server::next_request`] until it is `None`; do what is asked; [`Server::answer`] when done.
//! 6. Call [`Server::tick`] when [`Server::deadline`] has come. It may move earlier with any call.
//! 7. A connection ended: [`Server::close`]. A late close of a link whose slot has a new owner does nothing.
//!
//! Output is held back until [`Server::release`] has passed it: an adapter that keeps a journal releases what
//! [`Server::produced`] said when its journal was last safe on disk; one that keeps none releases at once. What a call
//! led to that changed nothing ([`Seq::has_changed_since`]) may go out as soon as everything before that call is safe.
//!
//! Time is an argument and so is entropy: the same calls give the same bytes on any machine.

use crate::fair::Record;
use crate::settings::Refused;

/// Frames that one call of [`Server::receive`] handles at most: the other links get their turn.
pub const FRAMES_A_CALL: usize = 16;

/// Milliseconds since a moment of the adapter's choice. Never goes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Millis(pub u64);

impl Millis {
    /// This moment, `ms` milliseconds later.
    pub const fn plus(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }
    /// How long ago `earlier` was; 0 if it lies ahead.
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// One connection. A slot is used again; the generation tells its owners apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Link {
    pub slot: u16,
    pub generation: u16,
}

/// No link slot is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Full;

/// What [`Server::receive`] left undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Intake {
    /// Every whole frame was handled: read more bytes.
    Hungry,
    /// Whole frames are left, but others deserve a turn: call again soon.
    More,
    /// Nothing more is taken from this link until [`Server::next_ready`] names it.
    Stalled,
    /// Only from a table of a lobby, and where [`Server::leave_secrets`] asks for it: whose the next frame is must be found
    /// out first. It is still in the framer.
    Elsewhere,
}

/// How far output has come: [`Server::produced`] gives it, [`Server::release`] takes it back. It means nothing to
/// another server, nor after a restart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Seq {
    /// Bytes ever written to the ring that all links share.
    pub(crate) ring: u64,
    /// Answers ever given to single links, and changes of what must survive the connections: only compared with near
    /// ones, so they may begin anew.
    pub(crate) replies: u32,
    pub(crate) changes: u32,
}

impl Seq {
    /// Whether anything happened since `earlier` that must not be lost. A command that was refused, a question and what
    /// only counts how often a client speaks are no changes.
    pub const fn has_changed_since(self, earlier: Self) -> bool {
        self.changes != earlier.changes
    }
}

/// A link for which the ring no longer has all that it is told and has not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Lagging {
    pub slot: u16,
    /// It is told everything anew; else it is closed. A dump that had to wait for the one before also begins this way.
    pub again: bool,
}

/// Names one request until it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct RequestId(pub u32);

impl RequestId {
    /// For games that have at most one request open a link.
    pub const fn of(link: Link) -> Self {
        Self((link.generation as u32) << 16 | link.slot as u32)
    }

    /// The link that the request is for.
    pub const fn link(self) -> Link {
        Link { slot: self.0 as u16, generation: (self.0 >> 16) as u16 }
    }
}

/// Something that a game asks of its adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    pub id: RequestId,
    /// The link whose command made it necessary: an adapter may count by it.
    pub link: Link,
    pub ask: Ask<'a>,
}

/// What is asked of the adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ask<'a> {
    /// A salted, slow hash of a secret, at most 64 bytes with its salt. The secret's bytes must not reach a log or a
    /// journal.
    Hash(&'a [u8]),
    /// Whether this is a hash of this secret: as slow as making one, compared in constant time. The secret's bytes must
    /// not reach a log or a journal either.
    Verify { secret: &'a [u8], hash: &'a [u8] },
    /// A bot that will sit down at the game of this name. It comes through a connection like any other player.
    Bot { game: &'a str },
    /// To keep a file for good, in place of one of the same name. The name is 1 to 32 letters, digits, `_` and `-`; the
    /// file has at most a kilobyte. Answered with [`Answer::Done`] once it is safe.
    Save { name: &'a str, file: &'a [u8] },
    /// To give back the file of this name, as it was kept: [`Answer::File`].
    Load { name: &'a str },
}

/// What the adapter answers. A journal keeps it as it stands here: new ones go to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Answer<'a> {
    /// It could not be done; the game tells the asker.
    Failed,
    /// The hash asked for.
    Hash(&'a [u8]),
    /// Whether the hash is the secret's.
    Verified(bool),
    /// What was asked for is on its way, or done.
    Done,
    /// The file asked for.
    File(&'a [u8]),
    /// It was not done: too many accounts were made from where this link comes from.
    Limited,
}

/// A table in figures, for its operator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Summary {
    /// What this game alone counts, by its name: how many games are played, or the number of the one that is.
    pub own: (&'static str, u32),
    /// Players and watchers, connected or not.
    pub users: u16,
    pub players: u16,
    pub watchers: u16,
    /// The users who are connected.
    pub connected: u16,
    /// Turns begun in this game.
    pub turn: u32,
    /// What the game waits for, in one word.
    pub phase: &'static str,
    /// Commands ever handled.
    pub commands: u64,
    /// Links ever closed because they read too slowly.
    pub lagging: u32,
}

/// How full the ring is that many read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RingFill {
    pub size: u32,
    /// What was said and not yet written over, read or not.
    pub used: u32,
}

/// How far a game at a table has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// People sit down.
    Filling,
    Playing,
    Over,
}

/// One line of a server's public view, told in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight<'a> {
    /// A connected user who does not play: watches at the table told of last, or, before any, sits at none.
    Guest(&'a str),
    /// A table, by its name where tables have names. The people told of next are at it.
    Table { name: &'a str, stage: Stage, seats: u8, turn: u32 },
    /// A user with a seat at the table told of last, connected or not; the game goes on when this player has decided
    /// something (`is_awaited`). At most as much as everybody at the table knows.
    Player { name: &'a str, is_here: bool, is_awaited: bool },
}

/// A connection's unread bytes. It belongs to the connection, not to the table.
pub trait Framer: Default + Send {
    /// Where the next bytes go. Empty means: the frames inside must be taken first.
    fn window(&mut self) -> &mut [u8];
    /// `n` bytes of the window were filled.
    fn commit(&mut self, n: usize);
    /// The bytes of the frames that the last [`Server::receive`] consumed, until the next [`Framer::window`].
    fn taken(&self) -> &[u8];
}

/// A game as an adapter sees it. The module's head says how to drive it.
pub trait Server {
    type Framer: Framer;
    /// The least `out` with which [`Server::pull`] always makes progress: the longest frame ever sent.
    const MAX_FRAME: usize;

    fn open(&mut self, now: Millis) -> Result<Link, Full>;
    /// Handles whole frames out of `framer`, at most [`FRAMES_A_CALL`].
    fn receive(&mut self, link: Link, framer: &mut Self::Framer, now: Millis) -> Intake;
    /// Writes whole frames to `out`, all that there are and that fit; how many bytes. 0: nothing more for now. Where the longest
    /// frame would still have fit, there is nothing more either. A link that is pulled from need not be named for what it was
    /// given.
    fn pull(&mut self, link: Link, out: &mut [u8]) -> usize;
    /// The game is done with this link and everything was pulled.
    fn closing(&self, link: Link) -> bool;
    fn close(&mut self, link: Link, now: Millis);
    fn tick(&mut self, now: Millis);
    /// A link that has fallen behind, until [`Server::lag`] is told so.
    fn next_lagging(&mut self) -> Option<Lagging>;
    /// What [`Server::next_lagging`] said, now or when it was journalled: the link is closed, or told everything anew.
    fn lag(&mut self, lagging: Lagging, now: Millis);
    /// Whether a frame that asks for a seat by a secret is left in the framer with [`Intake::Elsewhere`], at this table as at
    /// one of a lobby: an adapter that counts wrong secrets by address and by seat looks at it first
    /// ([`Server::secret`], [`Server::claims`]) and goes on with [`Server::judge`], or lets it wait. No journal knows of it.
    fn leave_secrets(&mut self, _to_adapter: bool) {}
    /// The seat that the next frame asks for, and the secret that it gives, if that is what it does.
    fn secret(_framer: &Self::Framer) -> Option<(u16, u32)> {
        None
    }
    /// Whether the next frame asks for a seat of this table's, and rightly so.
    fn claims(&self, _framer: &Self::Framer) -> bool {
        false
    }
    /// As [`Server::receive`], after [`Intake::Elsewhere`]: what the next frame asks for is looked at if it belongs here
    /// (`known`), and is refused if it does not.
    fn judge(&mut self, link: Link, framer: &mut Self::Framer, _known: bool, now: Millis) -> Intake {
        self.receive(link, framer, now)
    }
    /// Both, for an adapter that keeps no journal.
    fn lag_all(&mut self, now: Millis) {
        while let Some(lagging) = self.next_lagging() {
            self.lag(lagging, now);
        }
    }
    fn deadline(&self) -> Option<Millis>;
    /// Whether the last [`Server::receive`] may have brought the deadline forward. An adapter that waits for no later one need
    /// not ask for it again if not: what was refused hastens nothing. A pull never does.
    fn hastens(&self) -> bool {
        true
    }
    /// A link that has output, takes input again, or is closing.
    fn next_ready(&mut self) -> Option<Link>;
    fn next_request(&mut self) -> Option<Request<'_>>;
    fn answer(&mut self, id: RequestId, answer: Answer<'_>, now: Millis);
    fn produced(&self) -> Seq;
    fn release(&mut self, upto: Seq);
    /// Changes one of its settings, told in words; whether it is another than before ([`crate::settings::change`]). An input:
    /// a journal keeps those that changed something. Limits and times count at once, rules from the next game.
    fn set(&mut self, _name: &str, _text: &str) -> Result<bool, Refused> {
        Err(Refused::Name)
    }
    /// In the next [`Server::receive`] or [`Server::judge`] nothing is made that would stay when the link is gone,
    /// neither a seat nor a game, and a client that asks for it is told so: an adapter has found that the link's
    /// address holds too much of it. An input; a journal has it right before the call that it is for.
    fn confine(&mut self) {}
    /// Ends the game of this name, where games have names; its users are let go. Whether there was one. An input.
    fn end_game(&mut self, _name: &str, _now: Millis) -> bool {
        false
    }
    /// How the table stands. A game that keeps no figures gives zeros.
    fn summary(&self) -> Summary {
        Summary::default()
    }
    /// By what everybody can check the dice of its games; `None`: by nothing.
    fn record(&self) -> Option<Record<'_>> {
        None
    }
    /// Tells the games that go on, by name where games have names, and by their numbers in the record. One that has no key has no
    /// number there.
    fn each_number(&self, _tell: &mut dyn FnMut(&str, u32)) {}
    /// How full the ring is that its links read from, for operators.
    fn ring(&self) -> RingFill {
        RingFill::default()
    }
    /// How many bytes of the ring this link has not come to.
    fn behind(&self, _link: Link) -> u32 {
        0
    }
    /// Tells every table and who is there, for players who choose a seat. A game that shows nothing tells nothing.
    fn each_sight(&self, _tell: &mut dyn FnMut(Sight<'_>)) {}
    /// Tells the kind of each of these frames, which are whole, as pulled or taken: an adapter may count what it can't
    /// tell apart.
    fn kinds(_frames: &[u8], _note: impl FnMut(u8)) {}
    /// What a kind is called in the protocol.
    fn kind_name(_kind: u8) -> Option<&'static str> {
        None
    }
}
