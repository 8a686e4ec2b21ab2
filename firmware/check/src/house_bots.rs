//! Bots of the board's own: called by a page, and by the games that have a word for it.

use std::io::Write;
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use parlor_core::game::{End, Game, Player, Progress};

use crate::door::{BOOT, Door};
use crate::venus::Guest;
use crate::web::{ask, frame, get, must, read_frame, websocket};
use crate::{Outcome, step};

/// A whole game, in an emulator that is slower than the chip.
const GAME: Duration = Duration::from_secs(500);
const PATIENCE: Duration = Duration::from_secs(60);
/// Turns of Monopoly that are waited for.
const TURNS: u32 = 5;

pub fn check(door: &Door) -> Outcome {
    calls_by_post(door)?;
    check_lines(door)
}

/// One comes to each game that has a word for it; then everybody leaves.
pub fn check_lines(door: &Door) -> Outcome {
    let yard = ["protocol 2.0", "login kim pw", "newgame evening standard", "requestai"];
    calls_by_line(door, "yard", &yard.map(|line| format!("{line}\r\n")))?;
    let venus = ["LOGIN,kim,pw", "NEWROOM,den", "CHANGEROOM,den", "NEWGAME,MerchantOfVenus", "JOIN", "REQUESTBOT"];
    calls_by_line(door, "venus", &venus.map(|line| format!("{line}\n")))
}

fn calls_by_post(door: &Door) -> Outcome {
    let post = |origin: &str| {
        let lines = format!("Origin: http://{origin}\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n");
        get("/tables/1/bots", &lines).replacen("GET", "POST", 1) + "{}"
    };
    must(ask(door, &post("evil.example"))?.status == 403, "anybody's page may call a bot")?;
    for _ in 0..3 {
        must(ask(door, &post("parlor.local"))?.status == 200, "no bot comes")?;
    }
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        let lobby = String::from_utf8(ask(door, &get("/lobby", ""))?.body)?;
        let turn = lobby.split_once("\"turn\":").and_then(|(_, rest)| rest.split(',').next()?.parse().ok());
        if turn.is_some_and(|turn: u32| turn >= TURNS) {
            let is_theirs = [2, 3].iter().any(|count| lobby.contains(&format!("\"players\":{count},")));
            return Ok(must(is_theirs, &format!("others play: {lobby}"))?);
        }
        sleep(Duration::from_millis(200));
    }
    Err("nobody plays".into())
}

/// Says these lines, and waits until a bot is spoken of.
fn calls_by_line(door: &Door, game: &str, lines: &[String]) -> Outcome {
    let mut stream: TcpStream = websocket(door, game)?;
    for line in lines {
        stream.write_all(&frame(0x81, line.as_bytes()))?;
    }
    let mut heard = String::new();
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        let frame = read_frame(&mut stream).map_err(|error| format!("{game}: {error}, after {heard:?}"))?;
        heard += &String::from_utf8(frame.1)?;
        if heard.contains("bot-1") {
            return Ok(());
        }
    }
    Err(format!("{game}: no bot came: {heard}").into())
}

/// A player of this process makes a game, calls so many of the board's bots to it in the game's own words, begins when
/// all are there, and plays it to its end.
pub fn play<G: Game<Player: Player<Framer: Default>>>(door: &Door, call: &str, bots: u8) -> Outcome {
    step("it boots", || Ok(door.guest(BOOT).map(drop)?))?;
    step(&format!("a game with {bots} of the board's own bots"), || {
        let mut guest = Guest::<G::Player>::come(door, 0, 1 + bots)?;
        let (mut called, end) = (0, Instant::now() + GAME);
        let mut next = Instant::now();
        while guest.player.end().is_none() {
            if Instant::now() > end {
                return Err(format!("the game did not end in time: {} bytes heard", guest.heard).into());
            }
            if called < bots && guest.player.progress() == Progress::Seated && Instant::now() > next {
                guest.stream.write_all(call.as_bytes())?;
                called += 1;
                next = Instant::now() + Duration::from_secs(1);
            }
            if guest.step()? == 0 {
                sleep(Duration::from_millis(1));
            }
        }
        println!("{} bytes heard, {:?}", guest.heard, guest.player.end());
        Ok(must(matches!(guest.player.end(), Some(End::Over { .. })), "it was turned away")?)
    })
}
