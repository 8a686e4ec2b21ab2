//! The dice of a whole game, checked as anybody can: by what the board committed to before it, and by its key after it.

use std::net::Ipv4Addr;
use std::path::Path;
use std::time::{Duration, Instant};

use parlor_core::fair::{self, Key};
use parlor_core::pimp::wire::Message;
use parlor_tests::peer::{OverTcp, cut_frame};
use parlor_tests::pimp::bots::Party;
use parlor_tests::record::Recorded;

use crate::door::Door;
use crate::emulator::Start;
use crate::web::{self, ask, figures, get, must, sealed, told, word};
use crate::{Outcome, step};

/// Its first eight bytes say that games have keys.
const SEED: &str = "686173206b657973000000000000000000000000000000000000000000000000";
const OPTIONS: [&str; 3] = ["rate=0", "vote-pause=0", "claim-grace=0"];
const BOTS: u8 = 3;
const GAME: Duration = Duration::from_secs(200);

pub fn check(run: &Path, elf: &Path) -> Outcome {
    let options: Vec<_> = OPTIONS.iter().map(|word| word.to_string()).chain([format!("seed={SEED}")]).collect();
    let board = Start { run, elf, qemu: "" }.pimp("fair", &options)?;
    let web = &web::door(board.web);
    let sealed =
        sealed(&told(web, "/fair")?).into_iter().find(|sealed| sealed.name == "pimp").ok_or("nothing sealed")?;
    let path = format!("/fair/pimp-1-{}.json", sealed.number);
    let mut throws = Vec::new();
    step("no key before the game is over", || {
        throws = play(board.port, || is_hidden(web, &path))?;
        Ok(())
    })?;
    step("a key that gives every throw, as it was committed to", || {
        let proof = told(web, &path)?;
        println!("{proof}");
        verify(&proof, &sealed, &throws)?;
        is_hidden(web, &format!("/fair/pimp-1-{}.json", sealed.number + 1))
    })
}

fn is_hidden(door: &Door, path: &str) -> Outcome {
    Ok(must(ask(door, &get(path, "Connection: close\r\n"))?.status == 404, &format!("{path} is told"))?)
}

/// A game of bots to its end, at whose half `look` is called. Every throw that the first of them heard.
fn play(port: u16, look: impl Fn() -> Outcome) -> Result<Vec<[u8; 2]>, Box<dyn std::error::Error>> {
    let mut board = OverTcp((Ipv4Addr::LOCALHOST, port).into());
    let mut backend = Recorded::new(&mut board);
    let (mut party, end, mut has_looked) = (Party::sit(&mut backend, BOTS), Instant::now() + GAME, false);
    while party.played.winner.is_none() {
        if Instant::now() > end {
            return Err(format!("the game did not end in time: {:?}", party.played).into());
        }
        party.step();
        if party.played.turns > 10 && !has_looked {
            has_looked = true;
            look()?;
        }
    }
    println!("{:?}", party.played);
    must(has_looked, "it was over too soon")?;
    let heard = backend.heard();
    Ok(throws(heard.0.first().ok_or("nobody came")?))
}

fn throws(mut heard: &[u8]) -> Vec<[u8; 2]> {
    let mut throws = Vec::new();
    while let Some((frame, rest)) = cut_frame(heard).and_then(|length| heard.split_at_checked(length)) {
        if let [code, _, payload @ ..] = frame
            && let Ok(Message::DiceRolled { die1, die2, .. }) = Message::from_server(*code, payload)
        {
            throws.push([die1, die2]);
        }
        heard = rest;
    }
    throws
}

/// As `parlor verify` does, with the throws that were heard.
fn verify(proof: &str, sealed: &web::Sealed, throws: &[[u8; 2]]) -> Outcome {
    must(word(proof, "scheme") == Some("parlor dice 1"), "another scheme")?;
    must(figures(proof, "game") == [sealed.number], "another game")?;
    must(word(proof, "commitment") == Some(&sealed.commitment), "another commitment than before the game")?;
    let key: Key = word(proof, "key").and_then(bytes).ok_or("no key")?;
    let commitment = fair::commitment(u32::try_from(sealed.number)?, &key);
    must(bytes(&sealed.commitment) == Some(commitment), "the key is not the one that was committed to")?;
    must(throws.len() > 10 && figures(proof, "thrown") == [throws.len() as u64], "other throws were counted")?;
    for (n, heard) in (0..).zip(throws) {
        let mut dice = [0; 2];
        fair::throw(&key, n, &mut dice);
        must(dice == *heard, &format!("throw {n} was {heard:?}, and the key says {dice:?}"))?;
    }
    Ok(())
}

fn bytes(digits: &str) -> Option<[u8; 32]> {
    let byte = |at: usize| u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok();
    (0..32).map(byte).collect::<Option<Vec<_>>>()?.try_into().ok()
}
