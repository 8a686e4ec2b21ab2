//! The client's mirror: lines to what a player knows. Used by bots and tests, and fit for any client.
//!
//! What can never happen here: a panic or an allocation, whatever a server says.

mod read;
#[cfg(test)]
mod tests;

use super::board::{Board, Chart};
use super::pieces::{Contents, Culture, Numbers, Phase, Qbox, Seat, Space, Switches, System};
use super::rules::{Event, Game, Steps, Verb, Verbs};
use super::wire;

pub use read::read;

/// What a player knows of the game in the room.
#[derive(Clone, Debug)]
pub struct View {
    game: Game,
    me: Option<Seat>,
    /// What was last offered to this player.
    steps: Steps,
    penalty: u8,
    is_first: bool,
    choice: Numbers,
    switchable: Switches,
    legal: Verbs,
    /// States told so far, and refusals: bots count them, to answer each question once.
    states: u32,
    refusals: u32,
}

impl View {
    pub const fn new(chart: Chart) -> Self {
        Self {
            game: Game::blank(chart),
            me: None,
            steps: Steps::new(),
            penalty: 0,
            is_first: false,
            choice: Numbers::NONE,
            switchable: Switches::NONE,
            legal: Verbs::NONE,
            states: 0,
            refusals: 0,
        }
    }

    /// Learns from a line.
    pub fn take(&mut self, event: &wire::Event<'_>) {
        match *event {
            wire::Event::NewState { state, .. } => self.enter(state),
            wire::Event::LegalAction { action } => self.announce(action.name()),
            wire::Event::Error { .. } => self.refusals = self.refusals.wrapping_add(1),
            _ => {
                if let Some(event) = read(event, self.board()) {
                    self.hear(&event);
                }
            }
        }
    }

    /// A new state: what may be done in it is told next.
    pub fn enter(&mut self, phase: Phase) {
        self.game.set_phase(phase);
        self.legal = Verbs::NONE;
        self.states = self.states.wrapping_add(1);
    }

    fn announce(&mut self, name: &str) {
        if let Some(verb) = Verb::ALL.into_iter().find(|verb| verb.name() == name) {
            self.legal = self.legal.with(verb);
        }
    }

    /// The same as all lines that announce, at once.
    pub fn allow(&mut self, legal: Verbs) {
        self.legal = legal;
    }

    /// Learns from an event of the rules.
    pub fn hear(&mut self, event: &Event<'_>) {
        match *event {
            Event::Iam(seat) => self.me = Some(seat),
            Event::Reset => {
                self.me = None;
                self.game.hear(event);
            }
            Event::Destination { penalty, is_first, ref steps } => {
                (self.penalty, self.is_first) = (penalty, is_first);
                self.steps.clone_from(steps);
            }
            Event::PilotNumberChoice(numbers) => self.choice = numbers,
            Event::Switchables(switches) => self.switchable = switches,
            _ => self.game.hear(event),
        }
    }

    /// The state as far as it was told. What was not told is blank: see [`View::home`] and [`View::contents`].
    pub fn game(&self) -> &Game {
        &self.game
    }
    pub fn board(&self) -> &'static Board {
        self.game.board()
    }
    pub fn me(&self) -> Option<Seat> {
        self.me
    }
    pub fn phase(&self) -> Phase {
        self.game.phase()
    }
    pub fn legal(&self) -> Verbs {
        self.legal
    }

    /// Is all announced that this player may do in this state? Lines come one by one, and some of them later than others.
    pub fn is_told(&self) -> bool {
        let last = match self.phase() {
            Phase::ValidateSetup => Verb::LikeOptions,
            Phase::TechSelect => Verb::SelectSwitchables,
            Phase::SelectMove => Verb::SelectDestination,
            Phase::Mulligan => Verb::NoMulligan,
            Phase::SelectPilotNumber => Verb::SelectPilotNumber,
            Phase::AsteroidPhase => Verb::LeaveRelic,
            Phase::TradePhase => return self.game.legal(self.me).iter().all(|verb| self.legal.contains(verb)),
            Phase::InitialState | Phase::TerminalState => return true,
        };
        self.legal.contains(last)
    }

    pub fn states(&self) -> u32 {
        self.states
    }
    pub fn refusals(&self) -> u32 {
        self.refusals
    }
    pub fn winner(&self) -> Option<Seat> {
        self.game.winner()
    }

    /// The steps offered to this player.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }
    /// What this player would pay for leaving this space, or for staying at the start of a turn.
    pub fn penalty(&self) -> u8 {
        self.penalty
    }
    pub fn is_first_step(&self) -> bool {
        self.is_first
    }
    /// The numbers to choose from.
    pub fn choice(&self) -> Numbers {
        self.choice
    }
    /// The switches to choose from.
    pub fn switchable(&self) -> Switches {
        self.switchable
    }

    /// Which culture lives in a system, if it was told.
    pub fn home(&self, system: System) -> Option<Culture> {
        self.game.home(system)
    }

    pub fn contents(&self, qbox: Qbox) -> Option<Contents> {
        self.game.contents_for(self.me, qbox)
    }

    /// Where this player is.
    pub fn here(&self) -> Space {
        self.me.map_or(Space::default(), |seat| self.game.space(seat))
    }
}
