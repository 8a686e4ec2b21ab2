//! What an action brought about, in the order in which it is told.

use heapless::Vec;

use super::Game;
use super::action::Reason;
use crate::venus::board::DEGREE;
use crate::venus::pieces::{Age, Contents, Culture, Numbers, Roll, Seat, Secrecy, Space, Switches, System, Token};

/// The links that hear an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Everybody in the room, seated or not.
    Room,
    /// The player in this seat, if in the room.
    Seat(Seat),
    /// The one who acts: only this one can be without a seat.
    Actor,
}

/// A step that is offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    pub space: Space,
    pub is_jump: bool,
    pub cost: u8,
    /// The numbers that can be used for it; none if numbers do not matter.
    pub numbers: Numbers,
}

/// The most steps that are offered: DEGREE /* walks */ + 6 /* telegates */.
pub const STEPS: usize = DEGREE + 6;
/// In the order of DESTINATION: walks as the board lists them, then jumps by number.
pub type Steps = Vec<Step, STEPS, u8>;

/// The order of play: seats, the first mover first.
pub type Order = Vec<Seat, { crate::venus::pieces::SEATS }, u8>;

/// What a player has in money.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Money {
    pub cash: u32,
    pub barter: u32,
    /// Cash and the full price of deeds.
    pub worth: u32,
}

/// Each is one line of the wire, but for [`Event::Started`].
#[derive(Clone, Debug)]
pub enum Event<'a> {
    Reset,
    Iam(Seat),
    /// The server knows the name.
    Player(Seat),
    Options {
        win: u32,
    },
    PlayerOkStartup(Seat, bool),
    /// The game begins: what [`super::Script::start`] tells of the state as it is now.
    Started(&'a Game),
    TurnOrder(Order),
    CurPlayer(Seat),
    PlayerMoney(Seat, Money),
    PlayerRace(Seat, Culture),
    PlayerLocation(Seat, Space),
    /// -1: without end.
    RemainingTransCount {
        seat: Seat,
        buys: i8,
        sells: i8,
    },
    AddToPlayer(Seat, Token, Age),
    SubtractFromPlayer(Seat, Token, Age),
    AddToTradeBase {
        culture: Culture,
        token: Token,
        from_cup: bool,
    },
    SubtractFromTradeBase(Culture, Token),
    SolarSystemPrivacy(System, Secrecy),
    BaseLocation(System, Culture),
    QboxPrivacy(Space, Secrecy),
    QboxContents(Space, Contents),
    FactoryOwner(Culture, Seat),
    Switchables(Switches),
    SelectedSwitchables(Seat, Switches),
    Destination {
        penalty: u8,
        is_first: bool,
        steps: Steps,
    },
    Dice(Roll),
    MpLeft(u8),
    PilotNumberChoice(Numbers),
    PilotNumberChosen {
        seat: Seat,
        /// 0: none yet.
        number: u8,
        is_fixed: bool,
    },
    AgePlayer(Seat),
    PlayerWins(Seat),
    /// An action that was taken, and a step that was not.
    MovError(Reason),
}

/// Where events go. The rules name seats; connections are not their concern.
pub trait Herald {
    fn tell(&mut self, to: Audience, event: Event<'_>);
}

impl<F: FnMut(Audience, Event<'_>)> Herald for F {
    fn tell(&mut self, to: Audience, event: Event<'_>) {
        self(to, event);
    }
}
