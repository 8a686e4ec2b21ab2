//! A bot at its end of a connection: session, view and bot over lines.

use heapless::String;

use super::bot::Bot;
use super::bot::session::{Session, Standing};
use super::view::View;
use super::wire::{Command, Said, USER_BYTES, longest_said};
use crate::game::{self, End, Out, Progress, Seat};
use crate::lines::Lines;

/// The longest line that a bot reads: what a server for lines of 256 bytes can say. Only chat is longer, and no bot reads that; a
/// board has room for seven of these.
const LINE: usize = longest_said(256);

/// An account and a seat at the game of one name.
#[derive(Clone, Debug)]
pub struct Player {
    name: String<USER_BYTES>,
    session: Session,
    view: View,
    bot: Bot,
    /// In the middle of a line that is too long.
    skipping: bool,
}

impl Player {
    fn hear(&mut self, line: &[u8], out: Out<'_>) {
        let mut room = [0; LINE];
        let Some(said) = room.get_mut(..line.len()).and_then(|room| Said::parse(line, room)) else { return };
        self.view.take(&said);
        if let Some(command) = self.session.take(&said) {
            say(&command, out);
        }
    }

    fn act(&mut self, out: Out<'_>) {
        if game::Player::end(self).is_none()
            && let Some(command) = self.bot.next(&self.view)
        {
            say(&command, out);
        }
    }
}

impl game::Player for Player {
    type Framer = Lines<LINE>;

    fn new(seat: &Seat<'_>) -> Option<Self> {
        let session = Session::new(seat.name, seat.password, seat.game, None, seat.players)?;
        Some(Self {
            name: String::try_from(seat.name).ok()?,
            session: if seat.is_guest { session.as_guest() } else { session },
            view: View::new(seat.name),
            bot: Bot::new(seat.strength.into(), seat.seed),
            skipping: false,
        })
    }

    /// The server tells a returning player its game from the beginning.
    fn connect(&mut self, out: Out<'_>) {
        self.view = View::new(&self.name);
        self.bot.nudge();
        self.skipping = false;
        say(&self.session.connect(), out);
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
            Standing::Joining | Standing::Making | Standing::Unseated => Progress::Known,
            Standing::Sitting | Standing::Choosing | Standing::Waiting | Standing::Voted => Progress::Seated,
        }
    }

    fn end(&self) -> Option<End> {
        match self.view.winner() {
            Some(winner) => Some(End::Over { won: self.view.team() == Some(winner) }),
            None => self.session.is_refused().then_some(End::Refused),
        }
    }

    fn each_companion(&self, tell: &mut dyn FnMut(&str)) {
        if matches!(self.session.standing(), Standing::Waiting | Standing::Voted) && self.view.turn() == 0 {
            self.session.players().for_each(tell);
        }
    }
}

fn say(command: &Command<'_>, out: Out<'_>) {
    let mut line = [0; LINE];
    let length = command.write("", &mut line).unwrap_or_default();
    out(line.get(..length).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::game::{Player as _, Strength};
    use crate::server::Framer as _;

    /// What the player says when it hears this.
    fn said(player: &mut Player, framer: &mut Lines<LINE>, bytes: &[u8]) -> Vec<u8> {
        let mut said = Vec::new();
        for part in bytes.chunks(LINE / 2) {
            framer.window()[..part.len()].copy_from_slice(part);
            framer.commit(part.len());
            player.receive(framer, &mut |bytes| said.extend_from_slice(bytes));
        }
        said
    }

    #[test]
    fn chat_that_is_longer_than_a_bot_reads_is_passed_over() {
        let (name, password, game) = ("bot-1", "pw", "evening");
        let (is_guest, players, strength, seed) = (true, 2, Strength::Shrewd, 1);
        let mut player = Player::new(&Seat { name, password, game, is_guest, players, strength, seed }).unwrap();
        let mut framer = Lines::default();
        let mut first = Vec::new();
        player.connect(&mut |bytes| first.extend_from_slice(bytes));
        assert!(first.starts_with(b"protocol"));
        let chat = ["* chatall \"kim\" \"", &"x".repeat(3 * LINE), "\"\r\n"].concat();
        assert_eq!(said(&mut player, &mut framer, chat.as_bytes()), b"");
        assert!(said(&mut player, &mut framer, b"- ok\r\n").starts_with(b"login"));
    }
}
