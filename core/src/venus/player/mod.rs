//! A bot at its end of a connection: session, view and bot over lines.

mod session;

use super::board::{Board, Chart};
use super::bot::{Bot, Strength};
use super::pieces::Seat;
use super::rules::{self, Target};
use super::view::View;
use super::wire::{Action, Event, longest_line};
use crate::game::{self, End, Out, Progress};
use crate::lines::Lines;
use session::{Session, Standing};

/// Room for the longest line that any server of ours says: a list of so many saved games.
const LINE: usize = longest_line(64) + 2;

/// An account and a seat at the game in the room of one name.
#[derive(Clone, Debug)]
pub struct Player {
    session: Session,
    view: View,
    bot: Bot,
    /// In the middle of a line that is too long.
    skipping: bool,
}

impl From<game::Strength> for Strength {
    fn from(strength: game::Strength) -> Self {
        match strength {
            game::Strength::Plain => Self::Plain,
            game::Strength::Shrewd => Self::Shrewd,
        }
    }
}

impl Player {
    fn hear(&mut self, line: &[u8], out: Out<'_>) {
        let mut room = [0; LINE];
        let Some(event) = room.get_mut(..line.len()).and_then(|room| Event::parse(line, room)) else { return };
        self.view.take(&event);
        self.session.take(&event, &mut |action| say(action, out));
    }

    fn act(&mut self, out: Out<'_>) {
        if game::Player::end(self).is_some() || self.session.standing() != Standing::Seated {
            return;
        }
        if let Some(action) = self.bot.next(&self.view) {
            say(&written(action, self.view.board()), out);
        }
    }

    fn winner(&self) -> Option<Seat> {
        self.view.winner().filter(|_| self.session.standing() == Standing::Seated)
    }
}

impl game::Player for Player {
    type Framer = Lines<LINE>;

    fn new(seat: &game::Seat<'_>) -> Option<Self> {
        Some(Self {
            session: Session::new(seat)?,
            view: View::new(Chart::Galaxy),
            bot: Bot::new(seat.strength.into(), seat.seed),
            skipping: false,
        })
    }

    /// The server speaks first. It tells a returning player its game from the beginning.
    fn connect(&mut self, _out: Out<'_>) {
        self.view = View::new(Chart::Galaxy);
        self.bot.nudge();
        self.skipping = false;
        self.session.connect();
    }

    fn receive(&mut self, framer: &mut Lines<LINE>, out: Out<'_>) {
        let mut skipping = self.skipping;
        framer.each_line(&mut skipping, |line| self.hear(line, out));
        self.skipping = skipping;
        self.act(out);
    }

    fn nudge(&mut self, out: Out<'_>) {
        self.bot.nudge();
        self.act(out);
    }

    fn progress(&self) -> Progress {
        match self.session.standing() {
            Standing::Outside | Standing::LoggingIn | Standing::Refused => Progress::Outside,
            Standing::Hall | Standing::Making | Standing::Entering | Standing::Inside | Standing::Unseated => {
                Progress::Known
            }
            Standing::Seated => Progress::Seated,
        }
    }

    fn end(&self) -> Option<End> {
        match self.winner() {
            Some(winner) => Some(End::Over { won: self.view.me() == Some(winner) }),
            None => self.session.is_refused().then_some(End::Refused),
        }
    }

    fn each_companion(&self, tell: &mut dyn FnMut(&str)) {
        if self.session.standing() == Standing::Seated && !self.view.game().has_started() {
            self.session.players().for_each(tell);
        }
    }
}

fn say(action: &Action<'_>, out: Out<'_>) {
    let mut line = [0; LINE];
    let length = action.write(&mut line).unwrap_or_default();
    out(line.get(..length).unwrap_or_default());
}

/// An action of the rules as the wire has it.
fn written(action: rules::Action, board: &'static Board) -> Action<'static> {
    use rules::Action as R;
    match action {
        R::Buy(token) => Action::Buy { token },
        R::DontLikeOptions => Action::DontLikeOptions {},
        R::DropOff(token) => Action::DropOff { token },
        R::EndMove => Action::EndMove {},
        R::EndTurn => Action::EndTurn {},
        R::GetRelic => Action::GetRelic {},
        R::Jettison(token) => Action::Jettison { token },
        R::Join => Action::Join {},
        R::LeaveRelic => Action::LeaveRelic {},
        R::LikeOptions => Action::LikeOptions {},
        R::Mulligan(die) => Action::Mulligan { die: u32::from(die) },
        R::NoMulligan => Action::NoMulligan {},
        R::Options(win_money) => Action::Options { win_money },
        R::PickUp(token) => Action::PickUp { token },
        R::RedeemIou => Action::RedeemIou {},
        R::SelectDestination(Target { space, is_jump }) => {
            Action::SelectDestination { space: board.name(space), jump: is_jump }
        }
        R::SelectPilotNumber(number) => Action::SelectPilotNumber { number: u32::from(number) },
        R::SelectSwitchables(list) => Action::SelectSwitchables { list },
        R::Sell(token) => Action::Sell { token },
        R::TradeInShip(token) => Action::TradeInShip { token },
        R::Unjoin => Action::Unjoin {},
        R::ValidateSetup => Action::ValidateSetup {},
    }
}
