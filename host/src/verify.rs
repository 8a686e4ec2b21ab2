//! `parlor verify`: whether the dice of a game that is over were fixed before it began.

use std::fs;
use std::str::FromStr as _;

use parlor_core::fair::{self, Hash, Key};
use parlor_core::sha256::sha256;

use crate::cli::{Exit, Verify};
use crate::client::Target;
use crate::fair::{Proof, SCHEME, hex, throw};
use crate::games;
use crate::status;

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
    lines.push(check_throws(proof, &key)?);
    lines.push(
        "Proven, if that commitment was known before the game: no throw, shuffle or draw was chosen after it. Not proven: that \
         nobody knew them. Whoever runs the server could."
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

fn check_throws(proof: &Proof, key: &Key) -> Result<String, String> {
    let shares: Option<Vec<Vec<u8>>> = proof.shares.iter().map(|share| unhex(share)).collect();
    let key = dice_key(key, &shares.ok_or("a share is not hexadecimal")?);
    let Some(entry) = games::named(&proof.name) else {
        return Err(format!("this program knows no game by the name of {:?}", proof.name));
    };
    if entry.dice == 0 {
        return Ok("No dice are thrown in this game; its shuffles and draws follow from the key.".into());
    }
    let Some(throws) = &proof.throws else {
        return Ok(format!("{} throws follow from the key; the file does not list them.", proof.thrown));
    };
    for (n, told) in (0..).zip(throws) {
        let fell = throw(&key, n, entry.dice);
        if *told != fell {
            return Err(format!("throw {} was {told:?}, and the key says {fell:?}", n + 1));
        }
    }
    Ok(format!("{} throws are what the key says, of {} in the game.", throws.len(), proof.thrown))
}

/// The key that dice are thrown with where players have added to it: without them, the game's.
pub fn dice_key(key: &Key, shares: &[Vec<u8>]) -> Key {
    if shares.is_empty() {
        return *key;
    }
    let mut all = b"parlor share 1\0".to_vec();
    for share in shares {
        all.push(share.len() as u8);
        all.extend_from_slice(share);
    }
    sha256(&[b"parlor both 1\0", key, &sha256(&[&all])])
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

    #[test]
    fn nobody_makes_dice_by_what_players_are_said_to_have_added() {
        // Of a few dozen, one has the double six first that the server would like.
        let key = bytes(&proof().key).unwrap();
        let added = (0..200u8)
            .map(|n| vec![n])
            .find(|share| throw(&dice_key(&key, std::slice::from_ref(share)), 0, 2) == [6, 6]);
        let shares = vec![hex(&added.unwrap())];
        let made = Proof { shares, thrown: 1, throws: Some(vec![vec![6, 6]]), ..proof() };
        assert!(check(&made, None, None).unwrap_err().contains("any dice"));
    }

    /// As the scheme's own program has them.
    #[test]
    fn shares_make_another_key() {
        let key = bytes(&proof().key).unwrap();
        let shared = dice_key(&key, &[b"ann".to_vec(), (0..16).collect()]);
        assert_eq!(hex(&shared), "ff31f0b5a57622f93db60ffb18ae9876ee1e2d39b6a4eed3f03ff06a955d7d33");
        assert_eq!([0, 1, 2].map(|n| throw(&shared, n, 2)), [[1, 4], [3, 2], [3, 5]]);
        assert_eq!(dice_key(&key, &[]), key);
    }
}
