//! A bot at its end of a connection: session, view and bot over lines.

use super::board::{Board, Chart};
use super::bot::Bot;
use super::bot::session::{Session, Standing};
use super::pieces::{Phase, SEATS, Seat as Chair};
use super::rules::{self, Verb};
use super::view::View;
use super::wire::{Action, Event, longest_line};
use crate::game::{self, End, Out, Progress, Seat};
use crate::lines::{Lines, Piece};

/// The longest line that a server of ours says, with its end.
const LINE: usize = longest_line(60) + 2;

/// An account and a seat at the game of one room.
#[derive(Clone, Debug)]
pub struct Player {
    session: Session,
    view: View,
    bot: Bot,
    /// Begins once so many players are there.
    players: u8,
    /// The state in which it last sat down or asked to begin: once is enough.
    asked: Option<u32>,
    /// In the middle of a line that is too long.
    skipping: bool,
}

impl Player {
    fn hear(&mut self, line: &[u8], out: Out<'_>) {
        let mut room = [0; LINE];
        let Some(event) = room.get_mut(..line.len()).and_then(|room| Event::parse(line, room)) else { return };
        self.view.take(&event);
        self.session.take(&event, &mut |action| say(action, out));
    }

    fn act(&mut self, out: Out<'_>) {
        if game::Player::end(self).is_some() || self.session.standing() != Standing::Inside {
            return;
        }
        if let Some(action) = self.sit_down() {
            return say(&action, out);
        }
        if let Some(action) = self.bot.next(&self.view) {
            say(&spoken(action, self.view.board()), out);
        }
    }

    /// A chair, and the beginning when enough are there: the first of them asks for it. A guest leaves that to the hosts.
    fn sit_down(&mut self) -> Option<Action<'static>> {
        let (legal, me) = (self.view.legal(), self.view.me());
        let is_begun = !matches!(self.view.phase(), Phase::InitialState | Phase::ValidateSetup);
        let is_full = self.session.seated().count() >= SEATS;
        if me.is_none() && (is_begun || is_full) {
            self.session.give_up();
            return None;
        }
        let is_enough = self.session.seated().count() >= usize::from(self.players);
        let action = if me.is_none() && legal.contains(Verb::Join) {
            Action::Join {}
        } else if me == Some(Chair(0)) && legal.contains(Verb::ValidateSetup) && is_enough && !self.session.is_guest() {
            Action::ValidateSetup {}
        } else {
            return None;
        };
        let state = self.view.states();
        (self.asked.replace(state) != Some(state)).then_some(action)
    }
}

impl game::Player for Player {
    type Framer = Lines<LINE>;

    fn new(seat: &Seat<'_>) -> Option<Self> {
        Some(Self {
            session: Session::new(seat.name, seat.password, seat.game, seat.is_guest)?,
            view: View::new(Chart::Galaxy),
            bot: Bot::new(seat.strength.into(), seat.seed),
            players: seat.players.max(2),
            asked: None,
            skipping: false,
        })
    }

    /// The server speaks first, and tells a game from its beginning to whoever comes back.
    fn connect(&mut self, _out: Out<'_>) {
        self.session.connect();
        self.view = View::new(Chart::Galaxy);
        self.bot.nudge();
        (self.asked, self.skipping) = (None, false);
    }

    fn receive(&mut self, framer: &mut Lines<LINE>, out: Out<'_>) {
        while let Some(piece) = framer.peek(self.skipping) {
            match piece {
                Piece::Line(line) => self.hear(line, out),
                Piece::TooLong { ended } | Piece::Rest { ended } => self.skipping = !ended,
            }
            framer.skip();
        }
        self.act(out);
    }

    fn nudge(&mut self, out: Out<'_>) {
        self.bot.nudge();
        self.asked = None;
        self.act(out);
    }

    fn progress(&self) -> Progress {
        match self.session.standing() {
            Standing::Outside | Standing::LoggingIn | Standing::Refused => Progress::Outside,
            _ if self.view.me().is_some() => Progress::Seated,
            Standing::Known | Standing::Inside => Progress::Known,
        }
    }

    fn end(&self) -> Option<End> {
        match self.view.winner() {
            Some(winner) => Some(End::Over { won: self.view.me() == Some(winner) }),
            None => (self.session.standing() == Standing::Refused).then_some(End::Refused),
        }
    }

    fn each_companion(&self, tell: &mut dyn FnMut(&str)) {
        if matches!(self.view.phase(), Phase::InitialState | Phase::ValidateSetup) {
            self.session.seated().for_each(tell);
        }
    }
}

/// What the rules call it, as the wire says it.
fn spoken(action: rules::Action, board: &Board) -> Action<'_> {
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
        R::SelectDestination(target) => {
            Action::SelectDestination { space: board.name(target.space), jump: target.is_jump }
        }
        R::SelectPilotNumber(number) => Action::SelectPilotNumber { number: u32::from(number) },
        R::SelectSwitchables(list) => Action::SelectSwitchables { list },
        R::Sell(token) => Action::Sell { token },
        R::TradeInShip(token) => Action::TradeInShip { token },
        R::Unjoin => Action::Unjoin {},
        R::ValidateSetup => Action::ValidateSetup {},
    }
}

fn say(action: &Action<'_>, out: Out<'_>) {
    let mut line = [0; LINE];
    let length = action.write(&mut line).unwrap_or_default();
    out(line.get(..length).unwrap_or_default());
}
