//! A board that serves Scotland Yard, under abuse, and a game of bots.

use std::io::Write;
use std::net::{Ipv4Addr, Shutdown};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use parlor_core::yard::bot::Strength;
use parlor_core::yard::bot::session::Standing;
use parlor_core::yard::pieces::Team;
use parlor_tests::conversation::{Conversation, Coverage, Talk as _};
use parlor_tests::peer::OverTcp;
use parlor_tests::yard::Dialect;
use parlor_tests::yard::player::{Guest, Mind};

use crate::door::{ANSWER, BOOT, Door, expect, expect_end};
use crate::emulator::{REST, Start};
use crate::{Outcome, step, words};

/// A client that names the protocol is answered; one that does so twice is told `- no` and a reason.
pub fn door(port: u16) -> Door {
    Door { port, question: b"protocol 2.0\r\n", answer: (b"- ", 6) }
}

/// A line that is always understood, and its answer.
const NOOP: (&[u8], &[u8]) = (b"#7 noop\r\n", b"#7 ok\r\n");
const TOO_LONG: &[u8] = b"* bad \"line too long\"\r\n";

pub fn check(port: u16, links: usize) -> Outcome {
    let door = &door(port);
    step("it boots", || Ok(door.guest(BOOT).map(drop)?))?;
    step("every link is served at the same time, and the last makes the first give way", || {
        Ok(door.makes_way_at(links)?)
    })?;
    step("a line too long is answered, and the talk goes on", || survives_length(door))?;
    step("half a line is waited for, and half a line and away does no harm", || survives_halves(door, links))?;
    step("the last word arrives at one who has stopped sending", || answers_half_closed(door))?;
    step("a password is checked, and a wrong one is told so", || checks_passwords(door))
}

fn survives_length(door: &Door) -> Outcome {
    let mut stream = door.guest(ANSWER)?;
    for length in [257, 1_000, 20_000] {
        stream.write_all(&b"a".repeat(length))?;
        stream.write_all(b"\r\n")?;
        expect(&mut stream, TOO_LONG)?;
        stream.write_all(NOOP.0)?;
        expect(&mut stream, NOOP.1)?;
    }
    Ok(())
}

fn survives_halves(door: &Door, links: usize) -> Outcome {
    let mut stream = door.guest(ANSWER)?;
    for byte in NOOP.0 {
        stream.write_all(&[*byte])?;
        sleep(Duration::from_millis(1));
    }
    expect(&mut stream, NOOP.1)?;
    drop(stream);
    for _ in 0..links {
        door.guest(ANSWER)?.write_all(b"login kim")?;
    }
    Ok(door.serves(links - 1)?)
}

fn answers_half_closed(door: &Door) -> Outcome {
    let mut stream = door.guest(ANSWER)?;
    stream.write_all(NOOP.0)?;
    stream.shutdown(Shutdown::Write)?;
    expect(&mut stream, NOOP.1)?;
    Ok(expect_end(&mut stream)?)
}

fn checks_passwords(door: &Door) -> Outcome {
    for (password, answer) in [("pw", "#1 ok\r\n"), ("wp", "#1 no \"wrong password\"\r\n"), ("pw", "#1 ok\r\n")] {
        let mut stream = door.guest(ANSWER)?;
        stream.write_all(format!("#1 login kim {password}\r\n").as_bytes())?;
        expect(&mut stream, answer.as_bytes())?;
        stream.shutdown(Shutdown::Both)?;
        // The name is free when the board has seen that.
        sleep(Duration::from_millis(200));
    }
    Ok(())
}

const BEFORE: &str = "# A game is begun (yard 4)
starts: 103 132 141 29 197 174
login joe dan
begin g joe dan
play 102 taxi, 140 taxi
";

/// The board is another by now, as far as clients can see: it drew another seed.
const AFTER: &str = "# And gone on with (yard 2.9)
connect joe
joe > protocol 2.0
joe < - ok
joe > login joe wrong
joe < - no \"wrong password\"
joe > login joe pw
joe < - ok
login dan
dan > join g
dan < - ok
    < * pawninfo X joe -1 -1 -1 -1 5 2
dan < ...
dan < * history 1 \"X -1 taxi\" \"Red 140 taxi\"
    < * history end
    < * turnnum 1
    < * turn Yellow
";

/// A game is begun, the power cut, and everybody comes back with the passwords they had. The emulator keeps the flash:
/// `PARLOR_FLASH` names a file for it.
pub fn play_through_outage(run: &Path, elf: &Path) -> Outcome {
    let start = Start { run, elf, qemu: "" };
    let hold = |name: &str, text: &str| {
        let talk = Conversation::<Dialect>::parse(name, text)?;
        let options = ["rate=0".to_string(), "password-pause=0".to_string(), words::seed(&talk.setup.seed)];
        let seeded = name == "before";
        let board = start.game("yard", &format!("yard-{name}"), if seeded { &options } else { &options[..2] })?;
        talk.run(&mut OverTcp((Ipv4Addr::LOCALHOST, board.port).into()), &mut Coverage::default())?;
        if seeded {
            board.wait(REST);
        } else {
            let (loading, used) = board.loaded()?;
            println!("stack: {loading} bytes to load the game, {used} used in all");
        }
        // No signal that it could answer: it is gone in the middle of whatever it did.
        board.complaint().map_or(Ok(()), |why| Err(format!("{why}\n{}", board.log()).into()))
    };
    step("a game of Scotland Yard is begun", || hold("before", BEFORE))?;
    step("a power cut, and it goes on", || hold("after", AFTER))
}

/// Lines between two cuts of a player's connection.
const CUT: u32 = 150;
const GAME: Duration = Duration::from_secs(60);

/// A whole game, Mr. X and detectives, with connections that are cut and come back.
pub fn play(port: u16, players: u8) -> Outcome {
    step("it boots", || Ok(door(port).guest(BOOT).map(drop)?))?;
    sleep(Duration::from_millis(200));
    step(&format!("a game of {players} bots"), || {
        println!("{}", play_one(port, players)?);
        Ok(())
    })
}

/// A game, of which nothing is told.
pub fn game(port: u16, players: u8) -> Outcome {
    Ok(play_one(port, players).map(drop)?)
}

fn play_one(port: u16, players: u8) -> Result<String, String> {
    let mut backend = OverTcp((Ipv4Addr::LOCALHOST, port).into());
    let guests = (0..players).map(|n| Guest::come(&mut backend, mind(n, players))).collect();
    let mut party = Party { guests, heard: 0, said: 0, cuts: 0 };
    let end = Instant::now() + GAME;
    while !party.is_over() {
        if Instant::now() > end {
            return Err(format!("the game did not end in time: {}", party.told()));
        }
        party.step(&mut backend);
    }
    Ok(party.told())
}

struct Party {
    guests: Vec<Guest>,
    heard: u32,
    said: u32,
    cuts: u32,
}

impl Party {
    fn step(&mut self, backend: &mut OverTcp) {
        let before = self.heard;
        for guest in &mut self.guests {
            let (heard, said) = guest.step();
            (self.heard, self.said) = (self.heard + heard, self.said + said);
        }
        if self.heard == before {
            sleep(Duration::from_millis(1));
        }
        if self.guests.iter().any(|guest| guest.mind.view.winner().is_some()) {
            return;
        }
        // A guest that came back too soon was refused: the board had not seen yet that the old connection is gone.
        if let Some(refused) = self.guests.iter_mut().find(|guest| is_refused(guest)) {
            refused.come_back(backend);
        }
        if self.heard > CUT * (self.cuts + 1) {
            let at = self.cuts as usize % self.guests.len();
            self.guests[at].come_back(backend);
            self.cuts += 1;
        }
    }

    /// A player has won, and all have heard of it but the absent, who have no seat any more.
    fn is_over(&self) -> bool {
        let winners = self.guests.iter().filter(|guest| !is_refused(guest)).map(|guest| guest.mind.view.winner());
        self.winner().is_some() && winners.into_iter().all(|winner| winner == self.winner())
    }

    fn winner(&self) -> Option<Team> {
        self.guests.iter().find_map(|guest| guest.mind.view.winner())
    }

    fn told(&self) -> String {
        let Self { guests, heard, said, cuts } = self;
        let turn = guests.iter().map(|guest| guest.mind.view.turn()).max().unwrap_or_default();
        let standing: Vec<Standing> = guests.iter().map(|guest| guest.mind.session.standing()).collect();
        let winner = self.winner();
        format!(
            "turn {turn}, won by {winner:?}, {said} lines said, {heard} heard, {cuts} times cut and back, {standing:?}"
        )
    }
}

fn is_refused(guest: &Guest) -> bool {
    guest.mind.session.is_refused()
}

/// All wish to be Mr. X, and the first to come is. If only one did, and another made the game before it, that one would
/// be told that the side is taken, the other would leave it, and it would stay empty for good.
fn mind(n: u8, players: u8) -> Mind {
    Mind::new(&format!("p{n}"), "g", (Team::MrX, players), (Strength::Shrewd, u32::from(n)))
}
