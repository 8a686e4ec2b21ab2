//! Every line there is: one table for what clients say, one for what the server says unasked.
//!
//! `doc` lines stand in the document; `compat` ones are what London Law's server and clients say beside it; `ours` are
//! additions that a plain client never notices.

use super::field::{Field, Hop, Purse, Round, Spot, Stage, Vote};
use crate::lines::{Words, Writer};
use crate::protocol;
use crate::yard::pieces::{Pawn, Pawns, Team, Ticket};

/// Writes one field.
pub type Put<'p> = &'p dyn Fn(&mut Writer<'_>);

macro_rules! lines {
    (
        $(#[$about:meta])* $list:ident $type:ident:
        $($(#[$doc:meta])* $variant:ident $word:literal { $($field:ident: $kind:ty),* };)*
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $type<'a> {
            $($(#[$doc])* $variant { $($field: $kind),* },)*
        }

        /// The words that these lines begin with.
        pub const $list: &[&str] = &[$($word),*];

        impl<'a> $type<'a> {
            /// The same with the arguments of each.
            pub(super) const LINES: &'static [(&'static str, &'static [protocol::Field])] = &[
                $(($word, &[
                    $(protocol::Field { name: stringify!($field), parts: <$kind as Field<'a>>::PARTS }),*
                ])),*
            ];

            /// Tells each argument by its name, and how it is written.
            pub fn each_field(&self, tell: &mut dyn FnMut(&'static str, Put<'_>)) {
                // Lines without an argument have nothing to tell.
                let _ = &tell;
                match self {
                    $(Self::$variant { $($field),* } => { $(tell(stringify!($field), &|line| $field.put(line));)* })*
                }
            }

            /// The word it begins with.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $word,)*
                }
            }

            /// The line that begins with `name`; `None`: there is none. `Some(None)`: its arguments are not those.
            fn read(name: &str, words: &mut Words<'a>) -> Option<Option<Self>> {
                match name {
                    $($word => {
                        $(let Some($field) = <$kind as Field<'a>>::take(words) else { return Some(None) };)*
                        Some(Some(Self::$variant { $($field),* }))
                    })*
                    _ => {
                        // Lines without an argument leave it alone.
                        let _ = words;
                        None
                    }
                }
            }

            /// Its word and arguments.
            fn put(&self, line: &mut Writer<'_>) {
                line.plain(self.name());
                match self {
                    $(Self::$variant { $($field),* } => { $($field.put(line);)* })*
                }
            }
        }
    };
}

lines! {
    /// What a client may say.
    COMMANDS Command:
    Protocol "protocol" { version: &'a str };
    Login "login" { name: &'a str, password: &'a str };
    /// compat: ok at any time.
    Noop "noop" {};
    /// compat: clients of 2.1 ask for it, and go on after `no`.
    Language "language" {};
    /// compat
    ListAi "listai" {};
    /// compat
    RequestAi "requestai" {};
    ListGames "listgames" {};
    NewGame "newgame" { name: &'a str, kind: &'a str };
    Join "join" { game: &'a str };
    /// ours: look on.
    Watch "watch" { game: &'a str };
    Leave "leave" {};
    /// With a game's name: compat.
    ListPlayers "listplayers" { game: Option<&'a str> };
    SetTeam "setteam" { team: &'a str };
    VoteStart "votestart" { vote: Vote };
    ChatAll "chatall" { text: &'a str };
    ChatTeam "chatteam" { text: &'a str };
    PawnInfo "pawninfo" {};
    WhoseTurn "whoseturn" {};
    TurnNum "turnnum" {};
    /// compat
    WhatTurnNum "whatturnnum" {};
    /// The pawn first: compat.
    Move "move" { pawn: Option<Pawn>, hop: Hop };
    DoubleMove "doublemove" { pawn: Option<Pawn>, first: Hop, second: Hop };
    History "history" {};
}

lines! {
    /// What the server says that is no answer to a command.
    STATUSES Status:
    GameInfo "gameinfo" { name: &'a str, stage: Stage, kind: &'a str, players: u8 };
    /// compat
    GameRemoved "gameremoved" { name: &'a str };
    PlayerInfo "playerinfo" { user: &'a str, team: Team, vote: Vote, pawns: Pawns };
    PlayerLeave "playerleave" { user: &'a str };
    /// compat
    Rejoin "rejoin" { user: &'a str };
    GameStart "gamestart" {};
    PawnInfo "pawninfo" { pawn: Pawn, user: &'a str, at: Spot, purse: Purse };
    TurnNum "turnnum" { turn: u8 };
    Turn "turn" { pawn: Pawn };
    Move "move" { pawn: Pawn, to: Spot, ticket: Ticket };
    /// compat
    Stuck "stuck" { pawn: Pawn };
    GameOver "gameover" { winner: Team, reason: &'a str };
    ChatAll "chatall" { user: &'a str, text: &'a str };
    ChatTeam "chatteam" { user: &'a str, text: &'a str };
    History "history" { turn: u8, round: Round };
}

/// Why a line is no command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoCommand {
    Empty,
    Unknown,
    Arguments,
}

impl<'a> Command<'a> {
    /// The command that these words make. More words than it needs are ignored.
    pub fn parse(mut words: Words<'a>) -> Result<Self, NoCommand> {
        let name = words.next().ok_or(NoCommand::Empty)?;
        Self::read(name, &mut words).ok_or(NoCommand::Unknown)?.ok_or(NoCommand::Arguments)
    }

    /// A whole line; its length, or `None` if there is no room for it. A tag of `""` is left out.
    pub fn write(&self, tag: &str, room: &mut [u8]) -> Option<usize> {
        let mut line = Writer::new(room);
        if !tag.is_empty() {
            line.plain(tag);
        }
        self.put(&mut line);
        line.end()
    }
}

impl<'a> Status<'a> {
    pub(super) fn parse(mut words: Words<'a>) -> Option<Self> {
        let name = words.next()?;
        Self::read(name, &mut words)?
    }

    /// A whole line; its length, or `None` if there is no room for it.
    pub fn write(&self, room: &mut [u8]) -> Option<usize> {
        let mut line = Writer::new(room);
        line.plain("*");
        self.put(&mut line);
        line.end()
    }

    /// How long its line is.
    pub fn length(&self) -> usize {
        let mut line = Writer::new(&mut []);
        line.plain("*");
        self.put(&mut line);
        line.length()
    }
}
