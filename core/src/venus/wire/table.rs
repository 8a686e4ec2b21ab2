//! Every line there is: 32 actions that a client sends, 46 events that the server sends. Enums, names, reader and writer
//! all come from these two lists.

use super::field::{Field, Left, Names, Order};
use super::steps::Destinations;
use crate::lines::{FieldWriter, Fields};
use crate::protocol;
use crate::venus::pieces::{Contents, Culture, Named, Numbers, Phase, Roll, Seat, Secrecy, Switches};

/// Writes one field.
pub type Put<'p> = &'p dyn Fn(&mut FieldWriter<'_>);

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

        /// The names that these lines begin with, and the fields that follow.
        pub const $list: &[(&str, &[&str])] = &[$(($word, &[$(stringify!($field)),*])),*];

        impl<'a> $type<'a> {
            /// The same with the kind of each field.
            pub(super) const LINES: &'static [(&'static str, &'static [protocol::Field])] = &[
                $(($word, &[
                    $(protocol::Field { name: stringify!($field), parts: <$kind as Field<'a>>::PARTS }),*
                ])),*
            ];

            /// Tells each field by its name, and how it is written.
            pub fn each_field(&self, tell: &mut dyn FnMut(&'static str, Put<'_>)) {
                // Lines without a field have nothing to tell.
                let _ = &tell;
                match self {
                    $(Self::$variant { $($field),* } => { $(tell(stringify!($field), &|line| $field.put(line));)* })*
                }
            }

            /// The name it begins with.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $word,)*
                }
            }

            /// The line of this name with these fields behind it. `None`: there is no such name, or a field is malformed.
            fn read(name: &str, fields: &mut Fields<'a>) -> Option<Self> {
                match name {
                    $($word => Some(Self::$variant { $($field: <$kind as Field<'a>>::take(fields.next()?)?),* }),)*
                    _ => {
                        // Lines without a field leave them alone.
                        let _ = fields;
                        None
                    }
                }
            }

            fn put<'r>(&self, room: &'r mut [u8]) -> FieldWriter<'r> {
                let mut line = FieldWriter::new(self.name(), room);
                match self {
                    $(Self::$variant { $($field),* } => {
                        $(line.field(); $field.put(&mut line);)*
                    })*
                }
                line
            }

            /// A whole line; its length, or `None` if there is no room for it.
            pub fn write(&self, room: &mut [u8]) -> Option<usize> {
                self.put(room).end()
            }

            /// How long its line is.
            pub fn length(&self) -> usize {
                self.put(&mut []).length()
            }
        }
    };
}

/// The same list once more, without the fields: what an action is called.
macro_rules! verbs {
    ($($variant:ident $word:literal;)*) => {
        /// What an action is called; whether it is legal does not depend on its fields.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        pub enum Verb {
            $($variant),*
        }

        impl Verb {
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }

        impl Action<'_> {
            pub const fn verb(&self) -> Verb {
                match self {
                    $(Self::$variant { .. } => Verb::$variant,)*
                }
            }
        }
    };
}

macro_rules! actions {
    ($($(#[$doc:meta])* $variant:ident $word:literal { $($field:ident: $kind:ty),* };)*) => {
        lines! {
            /// What a client may say.
            ACTIONS Action:
            $($(#[$doc])* $variant $word { $($field: $kind),* };)*
        }
        verbs! { $($variant $word;)* }
    };
}

actions! {
    Login "LOGIN" { user: &'a str, password: &'a str };
    LogoutOther "LOGOUTOTHER" { user: &'a str, password: &'a str };
    NewRoom "NEWROOM" { room: &'a str };
    ChangeRoom "CHANGEROOM" { room: &'a str };
    RoomTalk "ROOMTALK" { text: &'a str };
    PlayerTalk "PLAYERTALK" { user: &'a str, text: &'a str };
    NewGame "NEWGAME" { game: &'a str };
    LoadGame "LOADGAME" { name: &'a str };
    SaveGame "SAVEGAME" { name: &'a str };
    /// ours
    RequestBot "REQUESTBOT" {};
    Join "JOIN" {};
    Unjoin "UNJOIN" {};
    Options "OPTIONS" { win_money: u32 };
    ValidateSetup "VALIDATESETUP" {};
    LikeOptions "LIKEOPTIONS" {};
    DontLikeOptions "DONTLIKEOPTIONS" {};
    SelectSwitchables "SELECTSWITCHABLES" { list: Switches };
    SelectDestination "SELECTDESTINATION" { space: &'a str, jump: bool };
    EndMove "ENDMOVE" {};
    Mulligan "MULLIGAN" { die: u32 };
    NoMulligan "NOMULLIGAN" {};
    SelectPilotNumber "SELECTPILOTNUMBER" { number: u32 };
    Buy "BUY" { token: Named };
    Sell "SELL" { token: Named };
    TradeInShip "TRADEINSHIP" { token: Named };
    PickUp "PICKUP" { token: Named };
    DropOff "DROPOFF" { token: Named };
    Jettison "JETTISON" { token: Named };
    RedeemIou "REDEEMIOU" {};
    EndTurn "ENDTURN" {};
    GetRelic "GETRELIC" {};
    LeaveRelic "LEAVERELIC" {};
}

lines! {
    /// What the server says.
    EVENTS Event:
    ConnectString "CONNECTSTRING" { text: &'a str };
    /// Its text holds no comma and no percent sign: the first client does not unescape it (venus 9.4).
    Error "ERROR" { text: &'a str };
    Welcome "WELCOME" {};
    AlreadyLoggedIn "ALREADYLOGGEDIN" {};
    NewGui "NEWGUI" { gui: &'a str, directory: &'a str, file: &'a str };
    DropGui "DROPGUI" { gui: &'a str };
    Games "GAMES" { list: Names<'a> };
    SaveGames "SAVEGAMES" { list: Names<'a> };
    GuiIam "GUIIAM" { user: &'a str };
    GuiRoom "GUIROOM" { room: &'a str, game: &'a str, status: &'a str };
    Inhabitant "INHABITANT" { user: &'a str, room: &'a str };
    DropInhabitant "DROPINHABITANT" { user: &'a str };
    /// ours
    DropRoom "DROPROOM" { room: &'a str };
    Message "MESSAGE" { text: &'a str };
    Reset "RESET" { game: &'a str };
    NewState "NEWSTATE" { state: Phase, description: &'a str };
    LegalAction "LEGALACTION" { action: Verb };
    MoveError "MOVERROR" { text: &'a str };
    Iam "IAM" { player: Seat };
    Player "PLAYER" { user: &'a str, player: Seat };
    Options "OPTIONS" { win_money: u32 };
    PlayerOkStartup "PLAYEROKSTARTUP" { player: Seat, ok: bool };
    TurnOrder "TURNORDER" { order: Order };
    CurPlayer "CURPLAYER" { player: Seat };
    PlayerMoney "PLAYERMONEY" { player: Seat, cash: u32, barter: u32, worth: u32 };
    PlayerRace "PLAYERRACE" { player: Seat, race: Culture };
    PlayerLocation "PLAYERLOCATION" { player: Seat, space: &'a str };
    RemainingTransCount "REMAININGTRANSCOUNT" { player: Seat, buys: Left, sells: Left };
    AddToPlayer "ADDTOPLAYER" { player: Seat, token: Named };
    SubtractFromPlayer "SUBTRACTFROMPLAYER" { player: Seat, token: Named };
    AddToTradeBase "ADDTOTRADEBASE" { race: Culture, token: Named, from_cup: bool };
    SubtractFromTradeBase "SUBTRACTFROMTRADEBASE" { race: Culture, token: Named };
    SolarSystemPrivacy "SOLARSYSTEMPRIVACY" { system: &'a str, secrecy: Secrecy };
    BaseLocation "BASELOCATION" { system: &'a str, race: Culture };
    QboxPrivacy "QBOXPRIVACY" { space: &'a str, secrecy: Secrecy };
    QboxContents "QBOXCONTENTS" { space: &'a str, contents: Contents };
    FactoryOwner "FACTORYOWNER" { race: Culture, player: Seat };
    Switchables "SWITCHABLES" { list: Switches };
    SelectedSwitchables "SELECTEDSWITCHABLES" { player: Seat, list: Switches };
    Dice "DICE" { dice: Roll };
    MpLeft "MPLEFT" { points: u8 };
    PilotNumberChoice "PILOTNUMBERCHOICE" { numbers: Numbers };
    PilotNumberChosen "PILOTNUMBERCHOSEN" { player: Seat, number: u8, permanent: bool };
    Destination "DESTINATION" { penalty: u32, first: bool, list: Destinations<'a> };
    AgePlayer "AGEPLAYER" { player: Seat };
    PlayerWins "PLAYERWINS" { player: Seat };
}

/// Why a line is no action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAction {
    /// More or fewer fields than it has.
    Count,
    /// A field is not what it should be.
    Malformed,
}

/// How the document spells VALIDATESETUP.
pub(super) const MISSPELT: &str = "VALDIATESETUP";

impl Verb {
    /// The document's own spelling of VALIDATESETUP is accepted, but never announced (venus 5.1).
    pub fn named(name: &str) -> Option<Self> {
        let name = if name == MISSPELT { Self::ValidateSetup.name() } else { name };
        Self::ALL.iter().copied().find(|verb| verb.name() == name)
    }
}

impl<'a> Action<'a> {
    /// The action of this name, whose fields come next.
    pub fn parse(verb: Verb, mut fields: Fields<'a>) -> Result<Self, NoAction> {
        let count = ACTIONS.get(verb as usize).map(|(_, fields)| fields.len());
        if fields.total().checked_sub(1) != count {
            return Err(NoAction::Count);
        }
        Self::read(verb.name(), &mut fields).ok_or(NoAction::Malformed)
    }
}

impl<'a> Event<'a> {
    /// Reads a line without its end; `room` must be as long as the line. `None`: nothing that a server says.
    pub fn parse(line: &[u8], room: &'a mut [u8]) -> Option<Self> {
        let mut fields = Fields::split(line, room).ok()?;
        let name = fields.next()?;
        let (_, names) = EVENTS.iter().find(|(event, _)| *event == name)?;
        if fields.total() != names.len() + 1 {
            return None;
        }
        Self::read(name, &mut fields)
    }
}
