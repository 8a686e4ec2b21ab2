//! One connection with a session, a view and a bot that sees nothing else.

use parlor_core::server::Server;
use parlor_core::yard::bot::session::Session;
use parlor_core::yard::bot::{Bot, Strength};
use parlor_core::yard::pieces::Team;
use parlor_core::yard::view::View;
use parlor_core::yard::wire::{Command, Said};

use crate::harness::Harness;

/// Room for any line.
const LINE: usize = 2048;

pub struct Player {
    pub name: String,
    pub client: usize,
    pub session: Session,
    pub view: View,
    pub bot: Bot,
    unread: Vec<u8>,
    /// Everything it was told, if that is to be kept.
    pub heard: Option<Vec<String>>,
}

impl Player {
    /// Connects and says hello; the rest follows in [`Player::step`].
    pub fn sit<S: Server>(
        harness: &mut Harness<S>,
        name: &str,
        game: &str,
        (team, players): (Team, u8),
        (strength, seed): (Strength, u32),
    ) -> Self {
        let client = harness.connect().expect("a link is free");
        let session = Session::new(name, "pw", game, Some(team), players).expect("names are short");
        let (view, bot) = (View::new(name), Bot::new(strength, seed));
        let mut player = Self { name: name.to_string(), client, session, view, bot, unread: Vec::new(), heard: None };
        let hello = player.session.connect();
        say(harness, client, &hello);
        player
    }

    /// Loses the connection and opens another.
    pub fn come_back<S: Server>(&mut self, harness: &mut Harness<S>) {
        harness.hang_up(self.client);
        self.connect_again(harness);
    }

    /// Opens a connection where it has none: the server is another.
    pub fn connect_again<S: Server>(&mut self, harness: &mut Harness<S>) {
        self.client = harness.connect().expect("a link is free");
        self.unread.clear();
        self.view = View::new(&self.name);
        self.bot.nudge();
        let hello = self.session.connect();
        say(harness, self.client, &hello);
    }

    /// Hears all that has come and says what it calls for; how many lines each.
    pub fn step<S: Server>(&mut self, harness: &mut Harness<S>) -> (u32, u32) {
        let (heard, mut said) = self.hear(harness);
        if let Some(command) = self.bot.next(&self.view) {
            say(harness, self.client, &command);
            said += 1;
        }
        (heard, said)
    }

    /// Hears all that has come; a session answers at once.
    pub fn hear<S: Server>(&mut self, harness: &mut Harness<S>) -> (u32, u32) {
        let (mut heard, mut said) = (0, 0);
        self.unread.extend(harness.take(self.client));
        while let Some(end) = self.unread.windows(2).position(|two| two == b"\r\n") {
            let line: Vec<u8> = self.unread.drain(..end + 2).take(end).collect();
            let mut room = [0; LINE];
            let told = Said::parse(&line, &mut room);
            let Some(told) = told else { panic!("no client can read {:?}", String::from_utf8_lossy(&line)) };
            heard += 1;
            self.view.take(&told);
            if let Some(command) = self.session.take(&told) {
                say(harness, self.client, &command);
                said += 1;
            }
            if let Some(heard) = &mut self.heard {
                heard.push(String::from_utf8_lossy(&line).into_owned());
            }
        }
        (heard, said)
    }
}

pub fn say<S: Server>(harness: &mut Harness<S>, client: usize, command: &Command<'_>) {
    let mut room = [0; LINE];
    let length = command.write("", &mut room).expect("a command fits");
    harness.send(client, &room[..length]);
}
