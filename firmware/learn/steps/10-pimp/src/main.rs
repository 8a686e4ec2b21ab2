//! Monopoly's protocol. First a handshake and a seat, byte by byte; then bots play a whole game at the table that fits a chip.

use parlor_core::game::{End, Game as _, Player as _, Seat, Strength};
use parlor_core::pimp::Player;
use parlor_core::pimp::limits::BoardTable;
use parlor_core::pimp::server::Config;
use parlor_core::pimp::wire::{Framer, Message};
use parlor_core::server::{Framer as _, Link, Millis, Server as _};

fn send(table: &mut BoardTable, link: Link, framer: &mut Framer, bytes: &[u8], now: Millis) {
    for piece in bytes.chunks(64) {
        let window = framer.window();
        window[..piece.len()].copy_from_slice(piece);
        framer.commit(piece.len());
        table.receive(link, framer, now);
    }
    table.release(table.produced());
}

fn hear(table: &mut BoardTable, link: Link) -> Vec<u8> {
    let (mut heard, mut out) = (Vec::new(), [0; BoardTable::MAX_FRAME]);
    while let n @ 1.. = table.pull(link, &mut out) {
        heard.extend_from_slice(&out[..n]);
    }
    heard
}

/// Frames in words, without what a seed made secret.
fn tell(who: &str, arrow: &str, mut bytes: &[u8], by_client: bool) {
    while let [code, length, rest @ ..] = bytes {
        let (payload, after) = rest.split_at(usize::from(*length));
        let read = if by_client { Message::from_client(*code, payload) } else { Message::from_server(*code, payload) };
        let hex: Vec<_> = bytes[..2 + payload.len()].iter().map(|byte| format!("{byte:02x}")).collect();
        let words = read.map(|message| message.to_string()).unwrap_or_else(|flaw| format!("{flaw:?}"));
        println!("{who} {arrow} {:<34} {words}", hex.join(" "));
        bytes = after;
    }
}

fn by_hand(broken: bool) {
    let mut table = BoardTable::new();
    table.begin(&[7; 32], &Config::DEFAULT, Millis(0));
    let (link, mut framer) = (table.open(Millis(0)).expect("a link is free"), Framer::new());
    let version = if broken { 9 } else { 1 };
    // A code, a length, and what is in between them and the next code.
    let hello = [0x00, 1, version];
    let join = [&[0x02, 6, 0, 1, 3][..], b"ann"].concat();
    for said in [&hello[..], &join, &[0x21, 0], &[0x99, 0]] {
        tell("ann", ">", said, true);
        send(&mut table, link, &mut framer, said, Millis(0));
        tell("ann", "<", &hear(&mut table, link), false);
    }
    println!("closing: {}", table.closing(link));
}

fn evening() {
    let mut table = Box::new(BoardTable::NEW);
    // No clock runs here but ours, and bots need no time to think.
    let config = Config { rate: 0, claim_grace: 0, vote_pause: 0, dump_pause: 0, ..Config::DEFAULT };
    table.begin(&[7; 32], &config, Millis(0));
    let mut bots: Vec<_> = ["ann", "bob", "cyd"]
        .into_iter()
        .map(|name| {
            let seat =
                Seat { name, password: "", game: "", is_guest: false, players: 3, strength: Strength::Shrewd, seed: 1 };
            let (mut bot, mut said) = (Player::new(&seat).expect("a short name"), Vec::new());
            bot.connect(&mut |bytes| said.extend_from_slice(bytes));
            (name, bot, table.open(Millis(0)).expect("a link is free"), said, Framer::new(), Framer::new())
        })
        .collect();
    let (mut messages, mut bytes) = (0, 0);
    for now in (1_000..100_000_000).step_by(1_000).map(Millis) {
        table.tick(now);
        for (_, bot, link, said, to_server, to_bot) in &mut bots {
            let out = std::mem::take(said);
            messages += usize::from(!out.is_empty());
            send(&mut table, *link, to_server, &out, now);
            let heard = hear(&mut table, *link);
            bytes += heard.len();
            for piece in heard.chunks(64) {
                to_bot.window()[..piece.len()].copy_from_slice(piece);
                to_bot.commit(piece.len());
                bot.receive(to_bot, &mut |bytes| said.extend_from_slice(bytes));
            }
        }
        if bots.iter().all(|(_, bot, ..)| bot.end().is_some()) {
            let winner = bots.iter().find(|(_, bot, ..)| bot.end() == Some(End::Over { won: true }));
            let (turns, seconds) = (table.summary().turn, now.0 / 1000);
            println!("{} won after {turns} turns and {seconds} seconds of table time", winner.expect("somebody").0);
            println!("{messages} times somebody spoke, {bytes} bytes were heard");
            println!("the table took ~{} bytes, from the first to the last of them", size_of::<BoardTable>());
            return;
        }
    }
    println!("nobody has won");
}

fn main() {
    let broken = std::env::args().any(|word| word == "break");
    by_hand(broken);
    if !broken {
        println!();
        evening();
    }
}
