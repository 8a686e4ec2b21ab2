//! Turns: how one begins and ends, and how the game does (venus 12).

use super::game::Motion;
use super::{Cx, Event, Game, Herald, Verdict};
use crate::venus::pieces::{Phase, Switches};

impl Game {
    /// A turn begins: all switches are off until they are chosen.
    pub(super) fn start_turn<H: Herald>(&mut self, cx: &mut Cx<'_, H>) {
        self.motion = Motion::NONE;
        let owned = self.owned_switches(self.current());
        if owned == Switches::NONE {
            self.start_move(cx);
        } else {
            self.tell_mover(cx, Event::Switchables(owned));
            self.phase = Phase::TechSelect;
        }
    }

    /// Ends the trading or leaves an asteroid alone.
    pub(super) fn end_turn<H: Herald>(&mut self, cx: &mut Cx<'_, H>) -> Verdict {
        if self.phase == Phase::TradePhase {
            let seat = self.current();
            self.mover().barter = 0;
            self.tell_money(seat, cx);
            self.grow_old(seat);
            self.tell(cx, Event::AgePlayer(seat));
        }
        self.over(cx);
        Ok(())
    }

    /// The turn is over: the player has won, or the next one begins.
    pub(super) fn over<H: Herald>(&mut self, cx: &mut Cx<'_, H>) {
        let seat = self.current();
        if self.money(seat).worth >= self.win_money() {
            self.tell(cx, Event::PlayerWins(seat));
            self.phase = Phase::TerminalState;
            return;
        }
        self.turn = if self.turn + 1 < self.seats { self.turn + 1 } else { 0 };
        self.tell(cx, Event::CurPlayer(self.current()));
        self.start_turn(cx);
    }
}
