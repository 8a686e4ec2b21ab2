//! What is done for a player who is away too long (venus 16.1). How long is the server's to say.

use super::{Action, Game};
use crate::venus::pieces::{Phase, Switches};

impl Game {
    /// The action that keeps the game going and decides as little as possible. `None` while the game waits for no one
    /// in particular.
    pub fn idle_action(&self) -> Option<Action> {
        match self.phase {
            Phase::InitialState | Phase::ValidateSetup | Phase::TerminalState => None,
            Phase::TechSelect => Some(Action::SelectSwitchables(Switches::NONE)),
            Phase::SelectMove if self.offer().can_stop => Some(Action::EndMove),
            Phase::SelectMove => self.first_step(),
            Phase::Mulligan => Some(Action::NoMulligan),
            Phase::SelectPilotNumber => self.choice().iter().next().map(Action::SelectPilotNumber),
            Phase::AsteroidPhase => Some(Action::LeaveRelic),
            Phase::TradePhase => Some(Action::EndTurn),
        }
    }
}
