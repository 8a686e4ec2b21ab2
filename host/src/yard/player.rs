//! A bot at its end of a connection: core's session, view and bot over lines.

use std::io;
use std::time::Duration;

use parlor_core::yard::bot::session::{Session, Standing};
use parlor_core::yard::bot::{Bot, Strength};
use parlor_core::yard::view::View;
use parlor_core::yard::wire::{Command, Said};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use crate::bot::{End, Player as Plays};
use crate::net::Stream;

/// Nothing came for this long: what was said may be said again.
const NUDGE: Duration = Duration::from_secs(5);
/// Longer than any line.
const LINE: usize = 2048;

/// A bot and what it knows, over any number of connections.
pub struct Player {
    name: String,
    session: Session,
    view: Box<View>,
    bot: Bot,
}

/// How far it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Progress {
    /// Its name and password were right.
    Known,
    /// It sits at its game.
    Seated,
}

impl Player {
    /// `None` if a text is too long.
    pub fn new(session: Option<Session>, name: String, strength: Strength, seed: u32) -> Option<Self> {
        let view = Box::new(View::new(&name));
        Some(Self { name, session: session?, view, bot: Bot::new(strength, seed) })
    }

    /// Who sits at the game with it, as long as that has not begun.
    pub fn company(&self) -> Option<impl Iterator<Item = &str>> {
        let waits = matches!(self.session.standing(), Standing::Waiting | Standing::Voted) && self.view.turn() == 0;
        waits.then(|| self.session.players())
    }

    /// Plays until the game is over or `stays` says no, which is asked whenever something was heard or nothing was for
    /// long; an error is a lost connection.
    pub async fn play_while(
        &mut self,
        stream: &mut impl Stream,
        mut stays: impl FnMut(&Self, Option<Progress>, bool) -> bool + Send,
    ) -> io::Result<End> {
        let (mut unread, mut out) = (Vec::new(), Vec::new());
        *self.view = View::new(&self.name);
        self.bot.nudge();
        say(&mut out, &self.session.connect());
        loop {
            stream.write_all(&out).await?;
            stream.flush().await?;
            out.clear();
            let heard = match timeout(NUDGE, stream.read_buf(&mut unread)).await {
                Ok(Ok(0)) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => read? > 0,
                Err(_) => false,
            };
            if heard {
                self.hear(&mut unread, &mut out)?;
            } else {
                self.bot.nudge();
            }
            if let Some(winner) = self.view.winner() {
                return Ok(End::Over { won: self.view.team() == Some(winner) });
            }
            if self.session.standing() == Standing::Refused || !stays(self, self.progress(), heard) {
                return Ok(End::Refused);
            }
            if let Some(command) = self.bot.next(&self.view) {
                say(&mut out, &command);
            }
        }
    }

    fn progress(&self) -> Option<Progress> {
        match self.session.standing() {
            Standing::Outside | Standing::LoggingIn | Standing::Refused => None,
            Standing::Joining | Standing::Making => Some(Progress::Known),
            Standing::Sitting | Standing::Choosing | Standing::Waiting | Standing::Voted => Some(Progress::Seated),
        }
    }

    /// Takes whole lines out of `unread`.
    fn hear(&mut self, unread: &mut Vec<u8>, out: &mut Vec<u8>) -> io::Result<()> {
        let mut taken = 0;
        for line in unread.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
            taken += line.len();
            let mut room = vec![0; line.len()];
            let Some(said) = Said::parse(line.trim_ascii_end(), &mut room) else { continue };
            self.view.take(&said);
            if let Some(command) = self.session.take(&said) {
                say(out, &command);
            }
        }
        unread.drain(..taken);
        if unread.len() > LINE { Err(io::ErrorKind::InvalidData.into()) } else { Ok(()) }
    }
}

impl Plays for Player {
    async fn play(&mut self, stream: &mut Box<dyn Stream>) -> io::Result<End> {
        self.play_while(stream, |_, _, _| true).await
    }
}

fn say(out: &mut Vec<u8>, command: &Command<'_>) {
    let mut line = [0; LINE];
    let n = command.write("", &mut line).unwrap_or_default();
    out.extend_from_slice(line.get(..n).unwrap_or_default());
}
