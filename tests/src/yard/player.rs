//! One connection with a session, a view and a bot that sees nothing else.

use std::time::Duration;

use parlor_core::server::Server;
use parlor_core::yard::bot::session::Session;
use parlor_core::yard::bot::{Bot, Strength};
use parlor_core::yard::pieces::Team;
use parlor_core::yard::view::View;
use parlor_core::yard::wire::{Command, Said};

use crate::peer::{Backend, Peer};
use parlor_core::driver::Driver;

/// Room for any line.
const LINE: usize = 2048;

/// A session, a view and a bot: lines in, lines out, whatever carries them.
pub struct Mind {
    pub name: String,
    pub session: Session,
    pub view: View,
    pub bot: Bot,
    unread: Vec<u8>,
    /// Everything it was told, if that is to be kept.
    pub heard: Option<Vec<String>>,
}

impl Mind {
    pub fn new(name: &str, game: &str, (team, players): (Team, u8), (strength, seed): (Strength, u32)) -> Self {
        let session = Session::new(name, "pw", game, Some(team), players).expect("names are short");
        let (view, bot) = (View::new(name), Bot::new(strength, seed));
        Self { name: name.to_string(), session, view, bot, unread: Vec::new(), heard: None }
    }

    /// A connection was made: what it says first.
    pub fn greet(&mut self) -> Vec<u8> {
        self.unread.clear();
        self.view = View::new(&self.name);
        self.bot.nudge();
        line(&self.session.connect())
    }

    /// Hears bytes; the lines that the session answers them with, and how many were heard.
    pub fn hear(&mut self, bytes: &[u8]) -> (Vec<Vec<u8>>, u32) {
        let (mut said, mut heard) = (Vec::new(), 0);
        self.unread.extend_from_slice(bytes);
        while let Some(end) = self.unread.windows(2).position(|two| two == b"\r\n") {
            let told: Vec<u8> = self.unread.drain(..end + 2).take(end).collect();
            let mut room = [0; LINE];
            let parsed = Said::parse(&told, &mut room);
            let Some(parsed) = parsed else { panic!("no client can read {:?}", String::from_utf8_lossy(&told)) };
            heard += 1;
            self.view.take(&parsed);
            said.extend(self.session.take(&parsed).map(|command| line(&command)));
            if let Some(heard) = &mut self.heard {
                heard.push(String::from_utf8_lossy(&told).into_owned());
            }
        }
        (said, heard)
    }

    /// What the bot wants to say now.
    pub fn think(&mut self) -> Option<Vec<u8>> {
        self.bot.next(&self.view).map(|command| line(&command))
    }
}

fn line(command: &Command<'_>) -> Vec<u8> {
    let mut room = [0; LINE];
    let length = command.write("", &mut room).expect("a command fits");
    room[..length].to_vec()
}

/// A mind with a connection to any backend.
pub struct Guest {
    peer: Box<dyn Peer>,
    pub mind: Mind,
}

impl Guest {
    pub fn come(backend: &mut dyn Backend, mut mind: Mind) -> Self {
        let mut peer = backend.connect();
        peer.send(&mind.greet());
        Self { peer, mind }
    }

    /// Loses the connection and opens another.
    pub fn come_back(&mut self, backend: &mut dyn Backend) {
        self.peer.hang_up();
        // The name is free when the server has seen that nobody is behind it any more.
        backend.settle();
        self.peer = backend.connect();
        self.peer.send(&self.mind.greet());
    }

    /// Hears what has come and says what it calls for; how many lines each.
    pub fn step(&mut self) -> (u32, u32) {
        let bytes = self.peer.arrived(Duration::ZERO);
        let (mut said, heard) = self.mind.hear(&bytes);
        said.extend(self.mind.think());
        said.iter().for_each(|line| self.peer.send(line));
        (heard, said.len() as u32)
    }
}

/// A mind at the driver.
pub struct Player {
    pub client: usize,
    pub mind: Mind,
}

impl Player {
    /// Connects and says hello; the rest follows in [`Player::step`].
    pub fn sit<S: Server>(
        driver: &mut Driver<S>,
        name: &str,
        game: &str,
        wish: (Team, u8),
        bot: (Strength, u32),
    ) -> Self {
        let client = driver.connect().expect("a link is free");
        let mut player = Self { client, mind: Mind::new(name, game, wish, bot) };
        let hello = player.mind.greet();
        driver.send(client, &hello);
        player
    }

    /// Loses the connection and opens another.
    pub fn come_back<S: Server>(&mut self, driver: &mut Driver<S>) {
        driver.hang_up(self.client);
        self.connect_again(driver);
    }

    /// Opens a connection where it has none: the server is another.
    pub fn connect_again<S: Server>(&mut self, driver: &mut Driver<S>) {
        self.client = driver.connect().expect("a link is free");
        let hello = self.mind.greet();
        driver.send(self.client, &hello);
    }

    /// Hears all that has come and says what it calls for; how many lines each.
    pub fn step<S: Server>(&mut self, driver: &mut Driver<S>) -> (u32, u32) {
        let (heard, mut said) = self.hear(driver);
        if let Some(line) = self.mind.think() {
            driver.send(self.client, &line);
            said += 1;
        }
        (heard, said)
    }

    /// Hears all that has come; a session answers at once.
    pub fn hear<S: Server>(&mut self, driver: &mut Driver<S>) -> (u32, u32) {
        let (said, heard) = self.mind.hear(&driver.take(self.client));
        said.iter().for_each(|line| driver.send(self.client, line));
        (heard, said.len() as u32)
    }
}
