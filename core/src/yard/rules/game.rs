//! The state of one game and the only way to change it.

use heapless::Vec;

use super::{BLACKS, DOUBLES, TICKETS};
use crate::dice::{Dice, Stream};
use crate::yard::map::{STARTS, Station};
use crate::yard::pieces::{Pawn, Team, Ticket};
use crate::yard::wire::{Hop, Purse};

pub const LAST_TURN: u8 = 24;
/// Moves in the longest game: 24 /* Mr. X */ + 5 * (10 + 8 + 4) /* every ticket of every detective */.
pub const LOG_MAX: usize = 24 + 5 * (10 + 8 + 4);

/// Mr. X is seen after his moves on these turns.
pub const fn is_reveal(turn: u8) -> bool {
    matches!(turn, 3 | 8 | 13 | 18 | 24)
}

/// One move of one pawn, in two bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Step {
    to: u8,
    /// The pawn in the low half, the ticket above it.
    what: u8,
}

impl Step {
    pub const fn new(pawn: Pawn, hop: Hop) -> Self {
        Self { to: hop.to.number(), what: pawn as u8 | (hop.ticket as u8) << 4 }
    }
    pub fn pawn(self) -> Pawn {
        Pawn::ALL.get(usize::from(self.what & 15)).copied().unwrap_or_default()
    }
    pub fn to(self) -> Station {
        Station::new(self.to).unwrap_or_default()
    }
    pub fn ticket(self) -> Ticket {
        Ticket::ALL.get(usize::from(self.what >> 4)).copied().unwrap_or_default()
    }
    pub fn hop(self) -> Hop {
        Hop { to: self.to(), ticket: self.ticket() }
    }
}

/// How a game stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Outcome {
    #[default]
    Open,
    /// Mr. X and a detective share a station.
    Caught,
    /// Turn 24 is over.
    Escaped,
    /// After Mr. X's move no detective could move.
    Stuck,
}

impl Outcome {
    pub const fn winner(self) -> Option<Team> {
        match self {
            Self::Open => None,
            Self::Caught => Some(Team::Detectives),
            Self::Escaped | Self::Stuck => Some(Team::MrX),
        }
    }
}

/// What a move brought about, in the order in which it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Moved {
        step: Step,
        turn: u8,
    },
    /// A new round, or the second half of a double move.
    TurnNum(u8),
    /// Can't move, and is passed over.
    Stuck(Pawn),
    /// The pawn to move now.
    Turn(Pawn),
    Over(Outcome),
}

/// Why a move was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Over,
    NotYourTurn,
    NoTicket,
    NoLink,
    /// Another detective stands there.
    Occupied,
    NoDouble,
    /// A double move would end after turn 24.
    LastTurn,
}

impl Refusal {
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Over => "the game is over",
            Self::NotYourTurn => "it is not your turn",
            Self::NoTicket => "you have no such ticket left",
            Self::NoLink => "that ticket does not lead there",
            Self::Occupied => "another detective is there",
            Self::NoDouble => "you have no double move left",
            Self::LastTurn => "there is no turn left for a second move",
        }
    }
}

/// One game. New, it is all zero bytes; [`Game::begin`] before use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    pub(super) starts: [Station; 6],
    pub(super) at: [Station; 6],
    /// The detectives' tickets left: taxi, bus, underground.
    pub(super) tickets: [[u8; 3]; 5],
    pub(super) blacks: u8,
    pub(super) doubles: u8,
    pub(super) turn: u8,
    pub(super) next: Pawn,
    pub(super) outcome: Outcome,
    pub(super) log: Vec<Step, LOG_MAX, u8>,
}

impl Game {
    pub const fn new() -> Self {
        Self {
            starts: [Station::FIRST; 6],
            at: [Station::FIRST; 6],
            tickets: [[0; 3]; 5],
            blacks: 0,
            doubles: 0,
            turn: 0,
            next: Pawn::X,
            outcome: Outcome::Open,
            log: Vec::new(),
        }
    }

    /// Draws the starts without repeat, in the order of play. A script names them by their place in [`STARTS`].
    pub fn begin(&mut self, dice: &mut Dice) {
        let mut pool: [u8; STARTS.len()] = core::array::from_fn(|n| n as u8);
        dice.shuffle(&mut pool);
        let mut starts = [Station::default(); 6];
        for (start, place) in starts.iter_mut().zip(pool) {
            *start = STARTS.get(usize::from(place)).copied().unwrap_or_default();
        }
        self.begin_at(starts);
    }

    pub fn begin_at(&mut self, starts: [Station; 6]) {
        (self.starts, self.at) = (starts, starts);
        self.tickets = [TICKETS; 5];
        (self.blacks, self.doubles) = (BLACKS, DOUBLES);
        (self.turn, self.next, self.outcome) = (1, Pawn::X, Outcome::Open);
        self.log.clear();
    }

    pub fn turn(&self) -> u8 {
        self.turn
    }
    /// The pawn to move.
    pub fn next(&self) -> Pawn {
        self.next
    }
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }
    pub fn starts(&self) -> [Station; 6] {
        self.starts
    }
    pub fn log(&self) -> &[Step] {
        &self.log
    }

    pub fn at(&self, pawn: Pawn) -> Station {
        self.at.get(pawn.index()).copied().unwrap_or_default()
    }

    pub fn purse(&self, pawn: Pawn) -> Purse {
        match pawn.index().checked_sub(1).and_then(|n| self.tickets.get(n)) {
            Some([taxi, bus, underground]) => Purse([*taxi as i8, *bus as i8, *underground as i8, 0, 0]),
            None => Purse([-1, -1, -1, self.blacks as i8, self.doubles as i8]),
        }
    }

    fn has(&self, pawn: Pawn, ticket: Ticket) -> bool {
        self.purse(pawn).0.get(ticket.index()).is_some_and(|count| *count != 0)
    }

    fn detective_at(&self, station: Station) -> Option<Pawn> {
        Pawn::DETECTIVES.into_iter().find(|pawn| self.at(*pawn) == station)
    }

    /// The detective on Mr. X's station, if there is one.
    pub fn catcher(&self) -> Option<Pawn> {
        self.detective_at(self.at(Pawn::X))
    }

    /// Every single move that this pawn could make now, were it its turn.
    pub fn moves(&self, pawn: Pawn) -> impl Iterator<Item = Hop> + '_ {
        let from = self.at(pawn);
        Ticket::ALL
            .into_iter()
            .filter(move |ticket| self.has(pawn, *ticket))
            .flat_map(move |ticket| from.rides(ticket).map(move |to| Hop { to, ticket }))
            .filter(move |hop| pawn == Pawn::X || self.detective_at(hop.to).is_none())
    }

    /// The move that is made for a player who lets the game wait too long (yard 2.24), drawn among the best there are: into
    /// no detective's arms, if one leads elsewhere, and then without a black ticket. It is drawn in secret: a rule would
    /// tell the detectives where Mr. X went.
    pub fn idle_hop(&self, dice: &mut Dice) -> Option<Hop> {
        let harm = |hop: &Hop| (self.detective_at(hop.to).is_some(), hop.ticket == Ticket::Black);
        let least = self.moves(self.next).map(|hop| harm(&hop)).min()?;
        let best = || self.moves(self.next).filter(|hop| harm(hop) == least);
        best().nth(dice.below(Stream::Secret, best().count() as u32) as usize)
    }

    /// Moves a pawn once, or Mr. X twice. All of it is checked before anything changes (yard 3.5).
    pub fn apply(
        &mut self,
        pawn: Pawn,
        first: Hop,
        second: Option<Hop>,
        tell: &mut impl FnMut(Event),
    ) -> Result<(), Refusal> {
        self.check(pawn, first, second)?;
        self.ride(pawn, first, tell);
        if let Some(second) = second.filter(|_| self.catcher().is_none()) {
            self.doubles = self.doubles.saturating_sub(1);
            self.turn += 1;
            tell(Event::TurnNum(self.turn));
            self.ride(pawn, second, tell);
        }
        self.go_on(pawn, tell);
        Ok(())
    }

    fn check(&self, pawn: Pawn, first: Hop, second: Option<Hop>) -> Result<(), Refusal> {
        if self.outcome != Outcome::Open {
            return Err(Refusal::Over);
        }
        if pawn != self.next {
            return Err(Refusal::NotYourTurn);
        }
        if second.is_some() && (pawn != Pawn::X || self.doubles == 0) {
            return Err(Refusal::NoDouble);
        }
        if second.is_some() && self.turn >= LAST_TURN {
            return Err(Refusal::LastTurn);
        }
        self.check_hop(pawn, self.at(pawn), first, 0)?;
        match second {
            Some(second) => {
                let spent = u8::from(first.ticket == Ticket::Black && second.ticket == Ticket::Black);
                self.check_hop(pawn, first.to, second, spent)
            }
            None => Ok(()),
        }
    }

    /// One ride with `spent` tickets of its kind gone already.
    fn check_hop(&self, pawn: Pawn, from: Station, hop: Hop, spent: u8) -> Result<(), Refusal> {
        if !self.has(pawn, hop.ticket) || (hop.ticket == Ticket::Black && self.blacks <= spent) {
            return Err(Refusal::NoTicket);
        }
        if !from.leads(hop.to, hop.ticket) {
            return Err(Refusal::NoLink);
        }
        if pawn != Pawn::X && self.detective_at(hop.to).is_some() {
            return Err(Refusal::Occupied);
        }
        Ok(())
    }

    /// A move that was checked.
    fn ride(&mut self, pawn: Pawn, hop: Hop, tell: &mut impl FnMut(Event)) {
        if let Some(at) = self.at.get_mut(pawn.index()) {
            *at = hop.to;
        }
        let purse = pawn.index().checked_sub(1).and_then(|n| self.tickets.get_mut(n));
        match purse.and_then(|purse| purse.get_mut(hop.ticket.index())) {
            Some(count) => *count = count.saturating_sub(1),
            None if hop.ticket == Ticket::Black => self.blacks = self.blacks.saturating_sub(1),
            None => {}
        }
        let step = Step::new(pawn, hop);
        // There is room for every ticket of the game.
        let _ = self.log.push(step);
        tell(Event::Moved { step, turn: self.turn });
    }

    /// After a move: the end, or whose turn it is.
    fn go_on(&mut self, moved: Pawn, tell: &mut impl FnMut(Event)) {
        let is_free = |pawn: &Pawn| self.moves(*pawn).next().is_some();
        self.outcome = if self.catcher().is_some() {
            Outcome::Caught
        } else if moved == Pawn::X && !Pawn::DETECTIVES.iter().any(is_free) {
            Outcome::Stuck
        } else {
            self.pass_on(moved, tell)
        };
        match self.outcome {
            Outcome::Open => tell(Event::Turn(self.next)),
            over => tell(Event::Over(over)),
        }
    }

    /// Finds the next pawn that can move; after Black a new round begins, if one is left.
    fn pass_on(&mut self, moved: Pawn, tell: &mut impl FnMut(Event)) -> Outcome {
        let mut last = moved;
        while let Some(pawn) = last.next() {
            if self.moves(pawn).next().is_some() {
                self.next = pawn;
                return Outcome::Open;
            }
            tell(Event::Stuck(pawn));
            last = pawn;
        }
        if self.turn >= LAST_TURN {
            return Outcome::Escaped;
        }
        self.turn += 1;
        self.next = Pawn::X;
        tell(Event::TurnNum(self.turn));
        Outcome::Open
    }

    /// Plays a game again from its starts and its log. `false`: no game can have gone so, and what this one is now means
    /// nothing.
    pub fn relive(&mut self, starts: [Station; 6], log: &[Step]) -> bool {
        let distinct = starts.iter().enumerate().all(|(n, start)| !starts.iter().take(n).any(|other| other == start));
        if !distinct || !starts.iter().all(|start| STARTS.contains(start)) {
            return false;
        }
        self.begin_at(starts);
        let mut steps = log.iter().copied().peekable();
        while let Some(step) = steps.next() {
            // Two moves of Mr. X with no other's between them are a double move.
            let second = steps.next_if(|next| step.pawn() == Pawn::X && next.pawn() == Pawn::X).map(Step::hop);
            if self.apply(step.pawn(), step.hop(), second, &mut |_| ()).is_err() {
                return false;
            }
        }
        // A step holds bits that mean nothing: they must come back as they were.
        self.log() == log
    }
}

impl Default for Game {
    fn default() -> Self {
        Self::new()
    }
}
