//! A bot at its end of a connection: session, view and bot over frames.

use super::bot::Bot;
use super::bot::session::{Session, Standing};
use super::view::{Prompt, View};
use super::wire::{FRAME_MAX, Framer, Message, Name};
use crate::game::{self, End, Out, Progress, Seat};

/// Messages said in a row without listening.
const BREATH: usize = 16;

/// A seat at one table; the server makes the password, and the table has no name.
#[derive(Clone, Debug)]
pub struct Player {
    session: Session,
    view: View,
    bot: Bot,
}

impl Player {
    fn act(&mut self, out: Out<'_>) {
        if game::Player::end(self).is_some() {
            return;
        }
        for _ in 0..BREATH {
            if !self.bot.next(&self.view, &mut |message| say(&message, out)) {
                break;
            }
        }
    }
}

impl game::Player for Player {
    type Framer = Framer;

    fn new(seat: &Seat<'_>) -> Option<Self> {
        let name = Name::new(seat.name.as_bytes())?;
        Some(Self { session: Session::new(name, 0, true), view: View::new(), bot: Bot::new(seat.strength, seat.seed) })
    }

    fn connect(&mut self, out: Out<'_>) {
        say(&self.session.connect(), out);
    }

    fn receive(&mut self, framer: &mut Framer, out: Out<'_>) {
        while let Ok(Some(frame)) = framer.peek() {
            if let Ok(message) = Message::from_server(frame.code, frame.payload) {
                if let Some(answer) = self.session.take(&message) {
                    say(&answer, out);
                }
                self.view.take(&message);
            }
            framer.skip();
        }
        self.act(out);
    }

    fn nudge(&mut self, out: Out<'_>) {
        // A bot that has not rejoined knows the game as it was, and may not speak in it.
        if self.session.standing() == Standing::Seated {
            self.bot.nudge();
            self.act(out);
        }
    }

    fn progress(&self) -> Progress {
        match self.session.standing() {
            Standing::Outside | Standing::Refused => Progress::Outside,
            Standing::Asking => Progress::Known,
            Standing::Seated => Progress::Seated,
        }
    }

    fn end(&self) -> Option<End> {
        match self.view.prompt() {
            Prompt::Over { winner } => Some(End::Over { won: winner == self.view.me() }),
            _ => (self.session.standing() == Standing::Refused).then_some(End::Refused),
        }
    }

    fn is_waiting(&self) -> bool {
        self.session.standing() == Standing::Seated && self.view.prompt() == Prompt::Idle
    }
}

fn say(message: &Message<'_>, out: Out<'_>) {
    let mut frame = [0; FRAME_MAX];
    let length = message.encode(&mut frame).unwrap_or_default();
    out(frame.get(..length).unwrap_or_default());
}
