//! What commands cost a board, in instructions: an image with the feature `count` logs them, in an emulator whose clock
//! counts them.

use std::net::Ipv4Addr;
use std::path::Path;

use parlor_core::pimp::wire::TABLE;
use parlor_tests::conversation::{Conversation, Coverage, Talk as _};
use parlor_tests::peer::OverTcp;
use parlor_tests::pimp::Dialect;

use crate::emulator::{Emulator, Start};
use crate::{Outcome, pimp};

/// Every instruction takes a nanosecond of the board's time.
pub const COUNTING: &str = "-icount shift=0";
/// How often each command of the talk is said.
const TIMES: usize = 25;

/// Boots the image twice: for a talk of four players, and for a game of bots, whose throws end as in play.
pub fn print(run: &Path, elf: &Path) -> Outcome {
    let start = Start { run, elf, qemu: COUNTING };
    println!("| instructions, least | median | most | of | command |\n|---:|---:|---:|---:|---|");
    let options = ["rate=0", "vote-pause=0", "claim-grace=0", "dump-pause=0", "seed=42"].map(String::from);
    let board = start.pimp("count-talk", &options)?;
    let mut backend = OverTcp((Ipv4Addr::LOCALHOST, board.port).into());
    Conversation::<Dialect>::parse("count", &talk())?.run(&mut backend, &mut Coverage::default())?;
    line(&board, "HANDSHAKE", "")?;
    line(&board, "BID", ", refused: there is no auction")?;
    line(&board, "REQUEST_STATE", ", which begins the dump")?;
    line(&board, "TRANSACTION_SET_CASH", ", heard by both parties")?;
    drop(board);
    let board = start.pimp("count-game", &options)?;
    let played = pimp::game(board.port, 4)?;
    line(&board, "THROW_DICE", &format!(", all of a game of four bots, {} turns", played.turns))
}

/// Four players, of whom one asks for the state, bids without an auction, and offers cash.
fn talk() -> String {
    let bid = "ann > BID 5\nann < ERROR_UNEXPECTED_MESSAGE BID\n";
    let ask = "ann > REQUEST_STATE\nann ~ dump\nann < START_OF_TURN bob yes\n";
    let trade = "ann > TRANSACTION_REQUEST_TRADE bob\n\
                 ann < TRANSACTION_TRADE_REQUESTED $t bob\n\
                 bob < TRANSACTION_TRADE_REQUESTED $t ann\n";
    let offer = |cash| {
        format!(
            "ann > TRANSACTION_SET_CASH $t {cash}\n\
             ann < TRANSACTION_CASH_SET $t {cash}\n\
             bob < TRANSACTION_OTHER_CASH_SET $t {cash}\n"
        )
    };
    let offers: String = (1..=TIMES).map(offer).collect();
    let head = "# What commands cost (pimp 3)\nplayers ann bob carl dave\n";
    [head, &bid.repeat(TIMES), &ask.repeat(TIMES), trade, &offers].concat()
}

/// What the board has logged of one command.
fn line(board: &Emulator, name: &str, remark: &str) -> Outcome {
    let code = TABLE.iter().find(|entry| entry.name == name).ok_or("no such message")?.code;
    let log = board.log();
    let said = format!("spent on {code:02x}: ");
    let counts = log.lines().filter_map(|line| line.split_once(&said)?.1.split(' ').next()?.parse().ok());
    let mut counts: Vec<u32> = counts.collect();
    counts.sort_unstable();
    let [least, .., most] = counts[..] else { return Err(format!("the log says nothing of {name}:\n{log}").into()) };
    println!("| {least} | {} | {most} | {} | {name}{remark} |", counts[counts.len() / 2], counts.len());
    Ok(())
}
