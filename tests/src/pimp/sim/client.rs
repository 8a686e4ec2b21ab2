//! One client of the simulation: a link, a mirror, a bot, and the habits that chaos gives it.

use parlor_core::pimp::bot::{Bot, Strength};
use parlor_core::pimp::view::View;
use parlor_core::pimp::wire::{FRAME_MAX, Message, Name};

use super::census::Census;
use super::told;
use crate::rng::Rng;

/// Who sits at a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    Plain,
    Shrewd,
    /// Does anything that its view allows, without a plan.
    Wanderer,
}

enum Mind {
    Bot(Bot),
    /// A bot that it listens to now and then, or it would never get out of debt.
    Wanderer(Rng, Bot),
}

/// How far a client has come at the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// No connection; comes (again) in so many rounds.
    Away(u32),
    /// Said HANDSHAKE.
    Shaking,
    /// Said JOIN or REJOIN.
    Asking,
    Seated,
    /// Will not come again.
    Gone,
}

/// Frames that change a mirror are altered on their way for a test of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    DroppedDelta,
    DoubledDelta,
    WrongRecipient,
    AlteredAmount,
    Reordered,
}

pub struct Client<const USERS: usize> {
    pub stage: Stage,
    pub view: View<USERS>,
    pub player: Player,
    mind: Mind,
    pub plays: bool,
    name: [u8; 4],
    /// Something came in since the bot was last asked.
    pub news: bool,
    /// A PING to answer.
    pub ping: Option<u32>,
    /// Rounds in which it says nothing, or reads nothing.
    pub silent: u32,
    pub deaf: u32,
    /// Its stream to the server is torn: nothing sensible can follow, so it hangs up soon.
    pub torn: bool,
    /// The rest of a frame of which the first part was sent.
    pub half: ([u8; FRAME_MAX], usize, usize),
    /// JOIN or REJOIN was said on this connection.
    pub asked: bool,
    /// The last refusal when asking to sit: codes 0xF0 to 0xF4.
    pub refused: bool,
    /// A second mirror that began with a dump in the middle of the game.
    pub shadow: Option<Box<View<USERS>>>,
}

impl<const USERS: usize> Client<USERS> {
    pub fn new(index: usize, player: Player, plays: bool, seed: u64) -> Self {
        Self {
            stage: Stage::Away(0),
            view: View::new(),
            player,
            mind: match player {
                Player::Plain => Mind::Bot(Bot::new(Strength::Plain, seed as u32)),
                Player::Shrewd => Mind::Bot(Bot::new(Strength::Shrewd, seed as u32)),
                Player::Wanderer => Mind::Wanderer(Rng::new(seed ^ 0x3A4D), Bot::new(Strength::Plain, seed as u32)),
            },
            plays,
            name: [b'b', b'0' + (index / 100) as u8, b'0' + (index / 10 % 10) as u8, b'0' + (index % 10) as u8],
            news: false,
            ping: None,
            silent: 0,
            deaf: 0,
            torn: false,
            half: ([0; FRAME_MAX], 0, 0),
            asked: false,
            refused: false,
            shadow: None,
        }
    }

    /// A connection was made: everything that belonged to the last one is forgotten.
    pub fn connected(&mut self) {
        self.stage = Stage::Shaking;
        self.ping = None;
        self.deaf = 0;
        self.torn = false;
        self.half = ([0; FRAME_MAX], 0, 0);
        self.asked = false;
        self.refused = false;
        self.news = true;
    }

    pub fn lost(&mut self, rounds: u32) {
        self.torn = false;
        self.silent = 0;
        self.deaf = 0;
        self.shadow = None;
        self.stage = Stage::Away(rounds);
    }

    /// What a new connection says once it was heard.
    pub fn ask_to_sit(&self, out: &mut [u8]) -> usize {
        let message = if self.view.me() == 0 {
            Message::Join { piece: 0, play: self.plays, name: Name::new(&self.name).unwrap_or_default() }
        } else {
            Message::Rejoin { player: self.view.me(), password: self.view.password() }
        };
        message.encode(out).unwrap_or_default()
    }

    /// What its player wants to say now; 0 bytes if nothing.
    pub fn decide(&mut self, out: &mut [u8]) -> usize {
        let mut n = 0;
        match &mut self.mind {
            Mind::Bot(bot) => {
                bot.next(&self.view, &mut |message| n = message.encode(out).unwrap_or_default());
            }
            Mind::Wanderer(rng, bot) => {
                self.news = false;
                if rng.one_in(3) {
                    bot.nudge();
                    bot.next(&self.view, &mut |message| n = message.encode(out).unwrap_or_default());
                    return n;
                }
                let mut seen = 0;
                self.view.may_send(&mut |message| {
                    // Giving up, going away and asking for dumps are left to chaos, or a game would be nothing else.
                    let rare = matches!(message.code(), 0x11 | 0xD3..=0xD5 | 0x7A);
                    if rare && !rng.one_in(50) {
                        return;
                    }
                    seen += 1;
                    if rng.one_in(seen) {
                        n = message.encode(out).unwrap_or_default();
                    }
                });
            }
        }
        n
    }

    /// Nothing came for long: what was said may have been lost.
    pub fn nudge(&mut self) {
        self.news = true;
        if let Mind::Bot(bot) = &mut self.mind {
            bot.nudge();
        }
    }

    /// Takes whole frames from the server.
    pub fn hear(&mut self, bytes: &[u8], census: &mut Census) {
        told::frames(bytes, |code, payload| {
            census.to_clients[usize::from(code)] += 1;
            let Ok(message) = Message::from_server(code, payload) else {
                panic!("the server sent what no client can read: 0x{code:02X} {payload:?}");
            };
            self.view.take(&message);
            if let Some(shadow) = &mut self.shadow {
                shadow.take(&message);
            }
            match message {
                Message::HandshakeAcknowledge { .. } if self.stage == Stage::Shaking => self.stage = Stage::Asking,
                Message::WelcomeDetails { .. } | Message::WelcomeBack { .. } => self.stage = Stage::Seated,
                Message::Ping { nonce } => self.ping = Some(nonce),
                // Its place was given away: it comes as somebody new.
                Message::ErrorWrongPassword {} => {
                    self.view = View::new();
                    self.refused = true;
                }
                _ if code & 0xF0 == 0xF0 && code < 0xF8 => self.refused = true,
                _ => {}
            }
        });
        self.news = true;
    }

    /// Is what it knows what the server has said? Not while it does not read, or sits nowhere.
    pub fn is_up_to_date(&self) -> bool {
        self.stage == Stage::Seated && self.deaf == 0 && !self.view.is_dumping()
    }
}
