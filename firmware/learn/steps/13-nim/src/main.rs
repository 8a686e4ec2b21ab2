//! Nim over parlor's core: two bots play an evening in memory, then a stranger is refused, then it serves real sockets if it
//! is asked to.

mod game;
mod rules;
mod server;
mod wire;

use parlor_core::game::{End, Game, Player, Seat, Strength};
use parlor_core::server::{Framer, Intake, Link, Millis, Server};
use server::Table;

/// Hands bytes to a server and shows what every link hears. This is all of an adapter, for a game without a clock.
fn say(table: &mut Table, link: Link, framer: &mut <Table as Server>::Framer, bytes: &[u8]) {
    for piece in bytes.chunks(framer.window().len()) {
        framer.window()[..piece.len()].copy_from_slice(piece);
        framer.commit(piece.len());
        while table.receive(link, framer, Millis(0)) == Intake::More {}
    }
    table.release(table.produced());
}

fn hear(table: &mut Table, link: Link) -> Vec<u8> {
    let (mut heard, mut out) = (Vec::new(), [0; Table::MAX_FRAME]);
    while let n @ 1.. = table.pull(link, &mut out) {
        heard.extend_from_slice(&out[..n]);
    }
    heard
}

/// Plays as any adapter would: through `Game` and `Player`, without a word about Nim.
fn evening<G: Game<Player: Player>>(
    table: &mut G,
    names: [&str; 2],
    mut show: impl FnMut(&str, bool, &[u8]),
) -> Option<usize> {
    let seat =
        |name| Seat { name, password: "", game: "", is_guest: false, players: 2, strength: Strength::Plain, seed: 0 };
    let mut bots = names.map(|name| {
        let (mut bot, mut said) = (G::Player::new(&seat(name)).expect("a short name"), Vec::new());
        bot.connect(&mut |bytes| said.extend_from_slice(bytes));
        let framers = (G::Framer::default(), <G::Player as Player>::Framer::default());
        (name, bot, table.open(Millis(0)).expect("a link is free"), said, framers)
    });
    let mut out = vec![0; G::MAX_FRAME];
    for _ in 0..100 {
        for (name, bot, link, said, (to_server, to_bot)) in &mut bots {
            for piece in std::mem::take(said).split_inclusive(|byte| *byte == b'\n') {
                show(name, true, piece);
                to_server.window()[..piece.len()].copy_from_slice(piece);
                to_server.commit(piece.len());
                table.receive(*link, to_server, Millis(0));
                table.release(table.produced());
            }
            while let n @ 1.. = table.pull(*link, &mut out) {
                for piece in out[..n].split_inclusive(|byte| *byte == b'\n') {
                    show(name, false, piece);
                    to_bot.window()[..piece.len()].copy_from_slice(piece);
                    to_bot.commit(piece.len());
                    bot.receive(to_bot, &mut |bytes| said.extend_from_slice(bytes));
                }
            }
        }
        if bots.iter().all(|(_, bot, ..)| bot.end().is_some()) {
            return bots.iter().position(|(_, bot, ..)| bot.end() == Some(End::Over { won: true }));
        }
    }
    None
}

fn main() {
    let broken = std::env::args().any(|word| word == "break");
    let mut table = Table::NEW;
    Game::begin(&mut table, &[0; 32], &game::Config {}, Millis(0));
    println!("{} on port {}, in {} bytes", Table::TITLE, Table::PORT, size_of::<Table>());
    let winner = evening(&mut table, ["ann", "bob"], |name, says, line| {
        // Both hear the same: one ear is enough.
        if says || name == "ann" {
            println!("{name} {} {}", if says { ">" } else { "<" }, line.trim_ascii_end().escape_ascii());
        }
    });
    println!("{} won", ["ann", "bob"][winner.expect("somebody wins")]);

    let (cyd, mut framer) = (table.open(Millis(0)).expect("a link is free"), Default::default());
    let words: &[&str] = if broken { &["take 0 1", "sit", &"x".repeat(99)] } else { &["take 0 1", "sit cyd"] };
    for line in words {
        say(&mut table, cyd, &mut framer, format!("{line}\n").as_bytes());
        let heard = hear(&mut table, cyd);
        println!("cyd > {}\ncyd < {}", &line[..line.len().min(20)], heard.trim_ascii_end().escape_ascii());
    }
    println!("closing: {}", table.closing(cyd));
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::outbox::REPLY_HEADER;

    #[test]
    fn whoever_leaves_loses() {
        let mut table = Table::NEW;
        table.begin(&[0; 32]);
        let [ann, bob] = [(); 2].map(|()| table.open(Millis(0)).unwrap());
        let mut framers = [(); 2].map(|()| Default::default());
        say(&mut table, ann, &mut framers[0], b"sit ann\n");
        say(&mut table, bob, &mut framers[1], b"sit bob\n");
        hear(&mut table, bob);
        table.close(ann, Millis(0));
        table.release(table.produced());
        assert_eq!(hear(&mut table, bob), b"heaps 0 0 0\nwon bob\n");
    }

    #[test]
    fn a_link_that_asks_and_does_not_read_is_not_heard() {
        let mut table = Table::NEW;
        let (link, mut framer) = (table.open(Millis(0)).unwrap(), <Table as Server>::Framer::default());
        let asked = (0..100).take_while(|_| {
            framer.window()[..2].copy_from_slice(b"?\n");
            framer.commit(2);
            table.receive(link, &mut framer, Millis(0)) != Intake::Stalled
        });
        assert!(asked.count() < 256 / (30 + REPLY_HEADER));
    }

    #[test]
    fn bots_finish_every_game_whoever_begins() {
        for seed in 0..=1 {
            let mut table = Table::NEW;
            table.begin(&[seed; 32]);
            // 3, 4 and 5 do not cancel out: who begins, wins.
            assert_eq!(evening(&mut table, ["ann", "bob"], |_, _, _| ()), Some(usize::from(seed)));
        }
    }
}
