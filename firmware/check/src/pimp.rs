//! A board that serves Monopoly, under abuse.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use parlor_core::dice::{Dice, Stream};
use parlor_tests::conversation::{Conversation, Coverage, Talk as _};
use parlor_tests::peer::OverTcp;
use parlor_tests::pimp::Dialect;
use parlor_tests::pimp::bots::{self, Played};

use crate::door::{ANSWER, BOOT, Door, expect, expect_end};
use crate::emulator::{Emulator, REST, Start};
use crate::{Outcome, step};

/// A handshake is answered with HANDSHAKE_ACKNOWLEDGE and the game's number.
pub fn door(port: u16) -> Door {
    Door { port, question: &[0x00, 1, 1], answer: (&[0x01, 4], 6) }
}

const UNPARSEABLE: [u8; 2] = [0xFD, 0];
const UNEXPECTED: u8 = 0xFE;

pub fn check(port: u16, seats: usize) -> Outcome {
    let links = seats + 2;
    let door = &door(port);
    step("it boots", || Ok(door.guest(BOOT).map(drop)?))?;
    step("every link but one is served at the same time", || Ok(door.serves(links - 1)?))?;
    step("the last makes the first give way", || Ok(door.makes_way_at(links)?))?;
    step("unknown frames are answered, one by one", || answers_the_unknown(door))?;
    step("a length of 255 is the last that is heard", || ends_the_endless(door))?;
    step("half a frame is waited for", || waits_for_the_rest(door))?;
    step("half a frame and away, on every link", || survives_cuts(door, links))?;
    step("the last word arrives at one who has stopped sending", || answers_half_closed(door))?;
    step("64 KB of noise", || survives_noise(door))?;
    step("200 connections, one after the other", || Ok((0..200).try_for_each(|_| door.serves(1))?))?;
    step("more than there are seats: each is told so", || tells_too_many(port))
}

/// Turns after which a game is long enough, and how often a player's connection is cut on the way.
const TURNS: u32 = 400;
const CUT: u32 = 20;
const GAME: Duration = Duration::from_secs(280);

/// A whole game, with connections that are cut and come back.
pub fn game(port: u16, bots: u8) -> Result<Played, String> {
    bots::play(&mut OverTcp((Ipv4Addr::LOCALHOST, port).into()), bots, TURNS, CUT, GAME)
}

pub fn play(port: u16, bots: u8) -> Outcome {
    step("it boots", || Ok(door(port).guest(BOOT).map(drop)?))?;
    sleep(Duration::from_millis(200));
    step(&format!("a game of {bots} bots"), || {
        let Played { turns, said, heard, rejoined, winner } = game(port, bots)?;
        println!(
            "{turns} turns, {said} messages said, {heard} heard, {rejoined} times cut and back, winner: {winner:?}"
        );
        Ok(())
    })
}

/// Turns before the power goes, and when it is enough.
const HALF: (u32, u32) = (40, 80);

/// Half a game, a power cut, and the other half. The emulator keeps the flash: `PARLOR_FLASH` names a file for it.
pub fn play_through_outage(run: &Path, elf: &Path, bots: u8) -> Outcome {
    let options = ["rate=0", "vote-pause=0", "claim-grace=0"].map(String::from);
    let start = Start { run, elf, qemu: "" };
    let board = start.pimp("before", &options)?;
    let backend = |board: &Emulator| Box::new(OverTcp((Ipv4Addr::LOCALHOST, board.port).into()));
    let (first, mut second) = (backend(&board), None);
    step(&format!("a game of {bots} bots, with a power cut"), || {
        let played = bots::play_through_outage(first, bots, HALF, (REST, GAME), || {
            // No signal that it could answer: it is gone in the middle of whatever it did.
            drop(board);
            let board = start.pimp("after", &options).map_err(|error| error.to_string())?;
            Ok(backend(second.insert(board)))
        })?;
        println!("{} turns, {} messages said, {} heard", played.turns, played.said, played.heard);
        Ok(())
    })?;
    let board = second.ok_or("the power was never cut")?;
    let (loading, used) = board.loaded()?;
    println!("stack: {loading} bytes to load the game, {used} used in all");
    match board.complaint() {
        None => Ok(()),
        Some(why) => Err(format!("{why}\n{}", board.log()).into()),
    }
}

fn answers_the_unknown(door: &Door) -> Outcome {
    let mut stream = door.guest(ANSWER)?;
    stream.write_all(&[0x2D, 1, 7].repeat(100))?;
    Ok(expect(&mut stream, &[UNEXPECTED, 1, 0x2D].repeat(100))?)
}

fn ends_the_endless(door: &Door) -> Outcome {
    for code in [0x00, 0x21, 0x2D, 0xFD, 0xFF] {
        let mut stream = door.guest(ANSWER)?;
        stream.write_all(&[code, 255, 1, 2, 3])?;
        expect(&mut stream, &UNPARSEABLE)?;
        expect_end(&mut stream)?;
    }
    Ok(())
}

/// The longest frame there is, byte by byte.
fn waits_for_the_rest(door: &Door) -> Outcome {
    let mut stream = door.guest(ANSWER)?;
    stream.write_all(&[0x2D, 254])?;
    for _ in 0..127 {
        stream.write_all(&[0])?;
        sleep(Duration::from_millis(1));
    }
    stream.write_all(&[0; 127])?;
    Ok(expect(&mut stream, &[UNEXPECTED, 1, 0x2D])?)
}

fn survives_cuts(door: &Door, links: usize) -> Outcome {
    (0..links).try_for_each(|_| cut(door))?;
    Ok(door.serves(links - 1)?)
}

/// Half a frame and away.
pub fn cut(door: &Door) -> io::Result<()> {
    door.guest(ANSWER)?.write_all(&[0x02, 30, 1])
}

fn answers_half_closed(door: &Door) -> Outcome {
    let mut stream = door.guest(ANSWER)?;
    stream.write_all(&[0x2D, 0])?;
    stream.shutdown(Shutdown::Write)?;
    expect(&mut stream, &[UNEXPECTED, 1, 0x2D])?;
    Ok(expect_end(&mut stream)?)
}

/// Random bytes on one connection after the other, each until the board has had enough of it.
fn survives_noise(door: &Door) -> Outcome {
    let mut dice = Dice::new();
    dice.begin(&[13; 32]);
    (0..64).try_for_each(|_| make_noise(door, &mut dice))?;
    Ok(door.serves(1)?)
}

pub fn make_noise(door: &Door, dice: &mut Dice) -> io::Result<()> {
    let mut stream = door.guest(ANSWER)?;
    stream.set_read_timeout(Some(Duration::from_millis(1)))?;
    for _ in 0..8 {
        let noise: Vec<u8> = (0..128).map(|_| dice.word(Stream::Dice) as u8).collect();
        // A board that has closed is right to: noise has a length of 255 sooner or later.
        if stream.write_all(&noise).is_err() {
            break;
        }
        match stream.read(&mut [0; 1024]) {
            Ok(0) => break,
            Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
            _ => {}
        }
    }
    Ok(())
}

/// Eight sit down. On the two links that are left one client is answered; the one on the last makes it give way.
fn tells_too_many(port: u16) -> Outcome {
    let one_too_many = |name: &str| {
        format!(
            "connect {name}\n\
             {name} > HANDSHAKE 1\n\
             {name} < HANDSHAKE_ACKNOWLEDGE $game\n\
             {name} > JOIN 0 yes \"{name}\"\n\
             {name} < ERROR_TOO_MANY_USERS\n\
             {name} > JOIN 0 no \"{name}\"\n\
             {name} < ERROR_TOO_MANY_USERS\n"
        )
    };
    let talk = [
        "# More clients than seats (pimp 2)\nplayers ann bob carl dave eva fay gus hal\n",
        &one_too_many("ida"),
        "connect jim\nida < closed\njim hangs up\n",
        &one_too_many("kim"),
        "connect lou\nkim < closed\n",
    ];
    // Earlier clients have left for good by now.
    sleep(Duration::from_millis(200));
    let mut board = OverTcp((Ipv4Addr::LOCALHOST, port).into());
    Conversation::<Dialect>::parse("too many", &talk.concat())?.run(&mut board, &mut Coverage::default())?;
    Ok(())
}
