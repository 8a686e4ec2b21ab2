//! `parlor verify`: whether the dice of a game that is over were fixed before it began.

use std::fs;
use std::str::FromStr as _;

use parlor_core::fair::{self, Hash, Key};

use crate::cli::{Exit, Verify};
use crate::client::Target;
use crate::fair::{Proof, SCHEME, THROWS, hex, throw};
use crate::games;
use crate::status;

/// Throws that are shown in a line.
const A_LINE: usize = 20;

pub async fn run(args: Verify) -> Result<(), Exit> {
    let text = read(&args.from).await?;
    let proof: Proof = serde_json::from_str(&text)
        .map_err(|error| Exit::fault(format!("{} is no proof of a game: {error}", args.from)))?;
    let seen = check(&proof, args.commitment.as_deref(), args.chain.as_deref()).map_err(Exit::failure)?;
    println!("{}, table {}, game {}", proof.name, proof.table, proof.game);
    seen.iter().for_each(|line| println!("{line}"));
    Ok(())
}

async fn read(from: &str) -> Result<String, Exit> {
    if from.starts_with("http://") || from.starts_with("https://") {
        let target = Target::from_str(from).map_err(|error| Exit::fault(format!("{from}: {error}")))?;
        return status::request(&target, &target.path).await.map_err(|error| Exit::failure(format!("{from}: {error}")));
    }
    fs::read_to_string(from).map_err(|error| Exit::fault(format!("can't read {from}: {error}")))
}

/// What is proven, and what is not, in sentences; or what is wrong.
pub fn check(proof: &Proof, commitment: Option<&str>, chain: Option<&str>) -> Result<Vec<String>, String> {
    if proof.scheme != SCHEME {
        return Err(format!("this program knows no dice by the name of {:?}", proof.scheme));
    }
    // No commitment covers them, so whoever wrote the file could try some until the dice are as they should be.
    if !proof.shares.is_empty() {
        return Err(
            "the file says that players added something to the dice: none can, and so any dice can be made".into()
        );
    }
    let key: Key = bytes(&proof.key).ok_or("the key is not 64 hexadecimal digits")?;
    let hash = hex(&fair::commitment(proof.game, &key));
    if hash != proof.commitment {
        return Err("the key is not the one that was committed to".into());
    }
    let mut lines = vec!["The key is the one that was committed to.".to_owned()];
    match commitment {
        Some(noted) if !noted.eq_ignore_ascii_case(&hash) => {
            return Err(format!("the commitment is not the one that you noted: it is {hash}"));
        }
        Some(_) => lines.push("The commitment is the one that you noted.".into()),
        None => lines.push(format!("Compare the commitment with the one that you noted before the game: {hash}")),
    }
    lines.extend(check_chain(proof, &hash, chain)?);
    lines.extend(check_throws(proof, &key)?);
    lines.push(
        "Proven, if that commitment was known before the game and all is as you saw it fall: no throw, shuffle or draw was \
         chosen after it. Not proven: that nobody knew them. Whoever runs the server could."
            .into(),
    );
    Ok(lines)
}

fn check_chain(proof: &Proof, hash: &str, noted: Option<&str>) -> Result<Option<String>, String> {
    let [Some(before), Some(after)] = [&proof.before, &proof.chain] else {
        let none = "the file does not say where in the chain of the table's games it stands";
        return if noted.is_some() { Err(none.into()) } else { Ok(None) };
    };
    let (Some(before), Some(hash)): (Option<Hash>, Option<Hash>) = (bytes(before), bytes(hash)) else {
        return Err("the chain is not 64 hexadecimal digits".into());
    };
    if hex(&fair::chain(&before, &hash)) != *after {
        return Err("the chain does not have this game where the file says".into());
    }
    if noted.is_some_and(|noted| !noted.eq_ignore_ascii_case(after)) {
        return Err(format!("the chain is not the one that you noted: it is {after}"));
    }
    Ok(Some("The game stands in the chain of its table's games, as the file says.".into()))
}

/// What is in the file may be all that the key says, and not what fell: only players can tell, so it is shown.
fn check_throws(proof: &Proof, key: &Key) -> Result<Vec<String>, String> {
    let Some(entry) = games::named(&proof.name) else {
        return Err(format!("this program knows no game by the name of {:?}", proof.name));
    };
    if entry.dice == 0 {
        return Ok(vec!["No dice are thrown in this game; its shuffles and draws follow from the key.".into()]);
    }
    // A file may say that there were any number of them.
    let count = proof.throws.as_ref().map_or(proof.thrown.min(THROWS), |throws| throws.len() as u32);
    let fell: Vec<_> = (0..count).map(|n| throw(key, n, entry.dice)).collect();
    let told = proof.throws.as_ref().unwrap_or(&fell);
    if let Some(n) = told.iter().zip(&fell).position(|(told, fell)| told != fell) {
        return Err(format!("throw {} was {:?}, and the key says {:?}", n + 1, told[n], fell[n]));
    }
    let mut lines = vec![format!("{count} throws are what the key says, of {} in the game. Compare:", proof.thrown)];
    let shown = |throw: &Vec<u8>| throw.iter().map(u8::to_string).collect::<Vec<_>>().join("+");
    lines.extend(fell.chunks(A_LINE).map(|some| format!("  {}", some.iter().map(shown).collect::<Vec<_>>().join(" "))));
    Ok(lines)
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2).map(|pair| {
        let digits = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
        u8::from_str_radix(digits, 16).ok()
    });
    pairs.collect()
}

fn bytes(text: &str) -> Option<[u8; 32]> {
    unhex(text)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proof() -> Proof {
        let key = bytes("4f00194a5549c1bbb8fc9aec271f992fdfee3cf268a5659a87517eb08a161e04").unwrap();
        let hash = fair::commitment(7, &key);
        Proof {
            scheme: SCHEME.into(),
            name: "pimp".into(),
            table: 1,
            game: 7,
            commitment: hex(&hash),
            before: Some(hex(&[9; 32])),
            chain: Some(hex(&fair::chain(&[9; 32], &hash))),
            key: hex(&key),
            shares: Vec::new(),
            thrown: 3,
            throws: Some(vec![vec![6, 1], vec![6, 5], vec![5, 3]]),
        }
    }

    #[test]
    fn a_proof_is_taken_and_every_change_of_it_refused() {
        let good = proof();
        let lines = check(&good, Some(&good.commitment), good.chain.as_deref()).unwrap();
        assert!(lines.iter().any(|line| line.starts_with("3 throws")) && lines.last().unwrap().contains("Not proven"));
        assert!(lines.contains(&"  6+1 6+5 5+3".to_owned()), "{lines:?}");
        // A board's does not list them.
        assert_eq!(check(&Proof { throws: None, ..proof() }, Some(&good.commitment), None), Ok(lines));
        let wrong = |change: fn(&mut Proof)| {
            let mut proof = proof();
            change(&mut proof);
            check(&proof, None, None).unwrap_err()
        };
        assert!(wrong(|proof| proof.game = 8).contains("committed"));
        assert!(wrong(|proof| proof.key.replace_range(..1, "5")).contains("committed"));
        assert!(wrong(|proof| proof.commitment = proof.key.clone()).contains("committed"));
        assert!(wrong(|proof| proof.before = Some(hex(&[8; 32]))).contains("chain"));
        assert!(wrong(|proof| proof.throws.as_mut().unwrap()[2][1] = 4).contains("throw 3"));
        assert!(wrong(|proof| proof.shares.push("00".into())).contains("added"));
        assert!(wrong(|proof| proof.scheme.push('0')).contains("no dice"));
        assert!(wrong(|proof| proof.key.truncate(63)).contains("64"));
        assert!(check(&good, Some(&good.key), None).unwrap_err().contains("noted"));
        assert!(check(&good, None, Some(&good.key)).unwrap_err().contains("noted"));
    }
}
