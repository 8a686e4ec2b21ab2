//! The client's mirror: lines to what a player knows. Used by bots and tests, and fit for any client.
//!
//! What can never happen here: a panic or an allocation, whatever a server says.

#[cfg(test)]
mod tests;

use super::map::Station;
use super::pieces::{Pawn, Pawns, Team, Ticket};
use super::rules::{LAST_TURN, Sight, is_reveal};
use super::wire::{Hop, Made, Purse, Round, Said, Spot, Status, USER_BYTES};
use heapless::String;

/// What everybody is told of one of Mr. X's moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ride {
    pub ticket: Ticket,
    pub seen: Option<Station>,
}

/// What a player knows of the game it is in.
#[derive(Clone, Debug)]
pub struct View {
    me: String<USER_BYTES>,
    team: Option<Team>,
    pawns: Pawns,
    at: [Option<Station>; 6],
    purses: [Purse; 6],
    turn: u8,
    next: Option<Pawn>,
    winner: Option<Team>,
    sight: Sight,
    rides: [Ride; LAST_TURN as usize],
    /// Moves heard of since the game began; also told by its history.
    moves: u16,
    /// Mr. X has moved in this round: another move of his is the second of a double one.
    x_moved: bool,
    /// A history is being told.
    reading: bool,
}

impl View {
    /// The view of the player who logs in with this name; too long a name is no player's.
    pub fn new(me: &str) -> Self {
        Self {
            me: String::try_from(me).unwrap_or_default(),
            team: None,
            pawns: Pawns::NONE,
            at: [None; 6],
            purses: [Purse([0; 5]); 6],
            turn: 0,
            next: None,
            winner: None,
            sight: Sight::BLIND,
            rides: [Ride { ticket: Ticket::Taxi, seen: None }; LAST_TURN as usize],
            moves: 0,
            x_moved: false,
            reading: false,
        }
    }

    pub fn me(&self) -> &str {
        &self.me
    }
    pub fn team(&self) -> Option<Team> {
        self.team
    }
    /// The pawns that are this player's.
    pub fn pawns(&self) -> Pawns {
        self.pawns
    }
    /// Where a pawn is, if that is known.
    pub fn at(&self, pawn: Pawn) -> Option<Station> {
        self.at.get(pawn.index()).copied().flatten()
    }
    pub fn purse(&self, pawn: Pawn) -> Purse {
        self.purses.get(pawn.index()).copied().unwrap_or_default()
    }
    pub fn turn(&self) -> u8 {
        self.turn
    }
    pub fn next(&self) -> Option<Pawn> {
        self.next
    }
    pub fn winner(&self) -> Option<Team> {
        self.winner
    }
    /// Where Mr. X can be, as far as everybody can tell.
    pub fn sight(&self) -> &Sight {
        &self.sight
    }
    /// Mr. X's travel log so far.
    pub fn rides(&self) -> impl Iterator<Item = Ride> + '_ {
        let made = if self.x_moved { self.turn } else { self.turn.saturating_sub(1) };
        self.rides.iter().copied().take(usize::from(made))
    }
    /// How often anything has moved: a question is new when this has changed.
    pub fn moves(&self) -> u16 {
        self.moves
    }

    /// The pawn that this player has to move now.
    pub fn to_move(&self) -> Option<Pawn> {
        self.next.filter(|pawn| self.pawns.contains(*pawn) && self.winner.is_none() && !self.reading)
    }

    pub fn detectives(&self) -> [Station; 5] {
        Pawn::DETECTIVES.map(|pawn| self.at(pawn).unwrap_or_default())
    }

    pub fn has(&self, pawn: Pawn, ticket: Ticket) -> bool {
        self.purse(pawn).0.get(ticket.index()).is_some_and(|count| *count != 0)
    }

    /// Every single move that a pawn could make.
    pub fn hops(&self, pawn: Pawn) -> impl Iterator<Item = Hop> + '_ {
        self.hops_from(pawn, self.at(pawn))
    }

    /// The same from another station.
    pub fn hops_from(&self, pawn: Pawn, from: Option<Station>) -> impl Iterator<Item = Hop> + '_ {
        let rides = move |ticket| from.into_iter().flat_map(move |from| from.rides(ticket));
        Ticket::ALL
            .into_iter()
            .filter(move |ticket| self.has(pawn, *ticket))
            .flat_map(move |ticket| rides(ticket).map(move |to| Hop { to, ticket }))
            .filter(move |hop| pawn == Pawn::X || !self.detectives().contains(&hop.to))
    }

    /// Takes in a line from the server.
    pub fn take(&mut self, said: &Said<'_>) {
        match *said {
            Said::Status(status) => self.take_status(&status),
            Said::HistoryEnd => self.reading = false,
            Said::Reply(..) | Said::Bad(_) => {}
        }
    }

    fn take_status(&mut self, status: &Status<'_>) {
        match *status {
            Status::PlayerInfo { user, team, pawns, .. } if user == self.me.as_str() => {
                (self.team, self.pawns) = (Some(team), pawns);
            }
            Status::GameStart {} => {
                let (team, pawns) = (self.team, self.pawns);
                *self = Self { me: self.me.clone(), team, pawns, ..Self::new("") };
            }
            Status::PawnInfo { pawn, user, at, purse } => self.take_pawn(pawn, user, at, purse),
            Status::TurnNum { turn } => self.turn = turn,
            Status::Turn { pawn } => {
                self.next = Some(pawn);
                self.x_moved &= pawn != Pawn::X;
            }
            Status::Move { pawn, to, ticket } => {
                self.spend(pawn, ticket);
                self.moved(pawn, to, ticket);
            }
            Status::GameOver { winner, .. } => {
                self.winner = Some(winner);
                self.next = None;
            }
            Status::History { turn: 0, round } => self.relive(&round),
            Status::History { turn, round } => {
                self.turn = turn;
                self.x_moved = false;
                for (pawn, Made { to, ticket }) in round.iter() {
                    self.moved(pawn, to, ticket.unwrap_or_default());
                }
            }
            _ => {}
        }
    }

    fn take_pawn(&mut self, pawn: Pawn, user: &str, at: Spot, purse: Purse) {
        if user == self.me.as_str() {
            self.pawns = self.pawns.with(pawn);
            self.team = Some(pawn.team());
        }
        if let Some(place) = self.at.get_mut(pawn.index()) {
            *place = at.0;
        }
        if let Some(place) = self.purses.get_mut(pawn.index()) {
            *place = purse;
        }
        // At the start nothing else is told: from the detectives' places follows where Mr. X may begin.
        if self.moves == 0 && pawn == Pawn::Black {
            self.sight = Sight::begin(&self.detectives());
        }
    }

    /// A history begins: everything is told again from the starts. What tickets are left was told before it.
    fn relive(&mut self, starts: &Round) {
        for (pawn, made) in starts.iter() {
            if let Some(place) = self.at.get_mut(pawn.index()) {
                *place = made.to.0;
            }
        }
        self.sight = Sight::begin(&self.detectives());
        (self.turn, self.moves, self.x_moved, self.reading) = (1, 0, false, true);
    }

    fn moved(&mut self, pawn: Pawn, to: Spot, ticket: Ticket) {
        self.moves = self.moves.saturating_add(1);
        if let Some(place) = self.at.get_mut(pawn.index()) {
            *place = to.0;
        }
        if pawn == Pawn::X {
            let seen = to.0.filter(|_| is_reveal(self.turn));
            self.sight.moved(ticket, seen, &self.detectives());
            if let Some(ride) = self.rides.get_mut(usize::from(self.turn.saturating_sub(1))) {
                *ride = Ride { ticket, seen };
            }
            self.x_moved = true;
        } else if let Some(station) = to.0 {
            self.sight.searched(station);
        }
    }

    fn spend(&mut self, pawn: Pawn, ticket: Ticket) {
        let is_double = pawn == Pawn::X && self.x_moved;
        if let Some(Purse(purse)) = self.purses.get_mut(pawn.index()) {
            // What there is no end of is -1 and stays so.
            if let Some(count) = purse.get_mut(ticket.index()).filter(|count| **count > 0) {
                *count -= 1;
            }
            if let Some(doubles) = purse.last_mut().filter(|count| is_double && **count > 0) {
                *doubles -= 1;
            }
        }
    }
}
