//! Whole games of Merchant of Venus through the protocol: a server, and bots that speak to it like any player.

use parlor_core::driver::Driver;
use parlor_core::game::{End, Player as _, Seat, Strength};
use parlor_core::server::Framer as _;
use parlor_core::venus::limits::BoardVenus;
use parlor_core::venus::player::Player;
use parlor_core::venus::server::Config;

type Framer = <Player as parlor_core::game::Player>::Framer;

/// A bot and its connection.
struct Client {
    at: usize,
    player: Player,
    framer: Framer,
    /// All that it was told, where somebody wants to know.
    told: Option<Vec<u8>>,
}

/// What came of a game.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evening {
    /// Lines that bots sent, and that they heard.
    pub said: u64,
    pub heard: u64,
    pub bytes: u64,
    pub turns: u64,
    /// Somebody won.
    pub is_won: bool,
}

const NAMES: [&str; 6] = ["ann", "bob", "cat", "dan", "eve", "fay"];

/// One game of so many bots to the usual sum.
pub fn play(players: u8, strength: Strength, seed: u32) -> Evening {
    begin(players, strength, seed, false).0
}

/// The same, and what each was told; at last each enters the room once more.
pub fn told(players: u8, strength: Strength, seed: u32) -> Vec<(&'static str, String)> {
    let (_, mut driver, mut clients) = begin(players, strength, seed, true);
    let told = NAMES.into_iter().zip(&mut clients).map(|(name, client)| {
        driver.send(client.at, b"CHANGEROOM,den\n");
        let mut told = client.told.take().unwrap_or_default();
        told.extend(driver.take(client.at));
        (name, String::from_utf8(told).expect("lines are text"))
    });
    told.collect()
}

fn begin(players: u8, strength: Strength, seed: u32, is_kept: bool) -> (Evening, Driver<BoardVenus>, Vec<Client>) {
    let mut driver = Driver::new(Box::new(BoardVenus::new()));
    let mut bytes = [5; 32];
    bytes[..4].copy_from_slice(&seed.to_le_bytes());
    driver.server.begin(&bytes, &Config { rate: 0, ..Config::DEFAULT });
    let mut evening = Evening::default();
    let mut clients: Vec<Client> = Vec::new();
    for (name, n) in NAMES.into_iter().zip(0..players) {
        let seed = seed.wrapping_mul(8) + u32::from(n);
        let seat = Seat { name, password: "pw", game: "den", is_guest: false, players, strength, seed };
        let mut player = Player::new(&seat).expect("a name that fits");
        player.connect(&mut |_| unreachable!("the server speaks first"));
        let at = driver.connect().expect("a link is free");
        clients.push(Client { at, player, framer: Framer::default(), told: is_kept.then(Vec::new) });
        run(&mut driver, &mut clients, &mut evening);
    }
    let is_over = |client: &Client| matches!(client.player.end(), Some(End::Over { .. }));
    evening.is_won = clients.iter().all(is_over);
    (evening, driver, clients)
}

/// Brings what was said to whom it is for, until nobody has anything to say.
fn run(driver: &mut Driver<BoardVenus>, clients: &mut [Client], evening: &mut Evening) {
    loop {
        let mut is_quiet = true;
        for Client { at, player, framer, told } in clients.iter_mut() {
            let heard = driver.take(*at);
            told.iter_mut().for_each(|told| told.extend_from_slice(&heard));
            evening.bytes += heard.len() as u64;
            evening.heard += heard.iter().filter(|byte| **byte == b'\n').count() as u64;
            evening.turns += count_turns(&heard, *at);
            let mut said = Vec::new();
            let mut rest = &heard[..];
            while !rest.is_empty() {
                let window = framer.window();
                let n = window.len().min(rest.len());
                window[..n].copy_from_slice(&rest[..n]);
                framer.commit(n);
                rest = &rest[n..];
                player.receive(framer, &mut |line| said.extend_from_slice(line));
            }
            if !said.is_empty() {
                is_quiet = false;
                evening.said += said.iter().filter(|byte| **byte == b'\n').count() as u64;
                driver.send(*at, &said);
            }
        }
        if is_quiet {
            return;
        }
    }
}

/// Turns that began, as the first client hears them.
fn count_turns(heard: &[u8], at: usize) -> u64 {
    let lines = heard.split(|byte| *byte == b'\n');
    if at == 0 { lines.filter(|line| line.starts_with(b"CURPLAYER,")).count() as u64 } else { 0 }
}
