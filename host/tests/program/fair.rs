//! Whole games of bots of each protocol, heard on their way: the dice are those of the key that the server had committed to, and
//! of no other.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::{fs, thread};

use parlor::fair::Proof;
use parlor::verify;
use parlor_core::fair::{self, Key};
use parlor_core::pimp::wire::{Framer, Message};
use parlor_core::server::Framer as _;
use parlor_core::yard::map::{STARTS, Station};
use serde_json::Value;

use crate::common::{Server, run, scratch, tcp};

/// By connection, in the order in which they were made.
type Heard = Arc<Mutex<Vec<Vec<u8>>>>;

/// A port that leads to another, and what those who came heard there.
fn listen_in(to: SocketAddr) -> (SocketAddr, Heard) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, heard) = (listener.local_addr().unwrap(), Heard::default());
    let all = heard.clone();
    thread::spawn(move || {
        for (nth, client) in listener.incoming().enumerate() {
            let (Ok(mut client), mut server) = (client, tcp(to)) else { return };
            let (mut from, mut there) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            thread::spawn(move || {
                let _ = std::io::copy(&mut from, &mut there);
                let _ = there.shutdown(Shutdown::Write);
            });
            all.lock().unwrap().push(Vec::new());
            let all = all.clone();
            thread::spawn(move || {
                let mut bytes = [0; 4096];
                while let Ok(count @ 1..) = server.read(&mut bytes) {
                    all.lock().unwrap()[nth].extend_from_slice(&bytes[..count]);
                    if client.write_all(&bytes[..count]).is_err() {
                        break;
                    }
                }
                let _ = client.shutdown(Shutdown::Both);
            });
        }
    });
    (address, heard)
}

fn json(server: &Server, path: &str) -> Value {
    let (status, body) = server.http("GET", path, &[]);
    assert_eq!(status, 200, "{path}: {body}");
    serde_json::from_str(&body).unwrap()
}

fn start(game: &str, data: &str) -> Server {
    let flag = format!("--{game}");
    let port: &[&str] = if game == "pimp" { &[] } else { &[&flag, "127.0.0.1:0"] };
    let haste = ["--rate", "0", "--claim-grace", "0.2", "--vote-pause", "0.01", "--farewell", "60", "--data", data];
    Server::start(&[port, &haste[..]].concat())
}

/// Plays a game and checks all that is told of it; its proof, and what each player heard.
fn play(game: &str, players: &str, data: &str) -> (Proof, Vec<Vec<u8>>) {
    let server = start(game, data);
    let table = json(&server, &format!("/fair/{game}-1.json"));
    let games = table["games"].as_array().unwrap();
    // Monopoly's game is there before its players, and others come with them.
    let waits = games.iter().find(|row| row["state"] == if game == "pimp" { "sealed" } else { "next" }).unwrap();
    let (number, commitment) = (waits["game"].as_u64().unwrap(), waits["commitment"].as_str().unwrap().to_owned());
    assert!(json(&server, "/fair")["tables"].as_array().unwrap().contains(&table));
    let path = format!("/fair/{game}-1-{number}.json");
    assert_eq!(server.http("GET", &path, &[]).0, 404, "a key before its game");
    let (relay, heard) = listen_in(server.port(game));
    let bots = run(&["bot", "--game", game, "--connect", &relay.to_string(), "--players", players, "--seed", "5"]);
    assert!(bots.status.success(), "{}", String::from_utf8_lossy(&bots.stderr));
    let proof: Proof = serde_json::from_value(json(&server, &path)).unwrap();
    assert_eq!((proof.commitment.as_str(), u64::from(proof.game)), (commitment.as_str(), number));
    verify::check(&proof, Some(&commitment), None).unwrap();
    // The game after it is not told.
    assert_eq!(server.http("GET", &format!("/fair/{game}-1-{}.json", number + 1), &[]).0, 404);
    // With the program, from the server and from a file; and it survives a restart.
    let url = format!("http://{}{path}", server.port("http"));
    let output = run(&["verify", &url, "--commitment", &commitment]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("Not proven"), "{said}");
    let table = json(&server, &format!("/fair/{game}-1.json"));
    server.terminate();
    drop(server);
    let server = start(game, data);
    assert_eq!(json(&server, &format!("/fair/{game}-1.json"))["before"], table["before"]);
    assert_eq!(serde_json::from_value::<Proof>(json(&server, &path)).unwrap(), proof.clone());
    let heard = heard.lock().unwrap().clone();
    (proof, heard)
}

fn key(proof: &Proof) -> Key {
    let digits = |at| u8::from_str_radix(&proof.key[2 * at..2 * at + 2], 16).unwrap();
    std::array::from_fn(digits)
}

/// Every throw that Monopoly has told.
fn throws(mut rest: &[u8]) -> Vec<Vec<u8>> {
    let (mut throws, mut framer) = (Vec::new(), Framer::new());
    while !rest.is_empty() {
        let window = framer.window();
        let count = window.len().min(rest.len());
        window[..count].copy_from_slice(&rest[..count]);
        framer.commit(count);
        rest = &rest[count..];
        while let Ok(Some(frame)) = framer.peek() {
            if let Ok(Message::DiceRolled { die1, die2, .. }) = Message::from_server(frame.code, frame.payload) {
                throws.push(vec![die1, die2]);
            }
            framer.skip();
        }
    }
    throws
}

#[test]
fn every_throw_of_monopoly_is_the_keys() {
    let data = scratch("fair-pimp");
    let (proof, heard) = play("pimp", "3", data.to_str().unwrap());
    // Whoever sat down last may have come after the first throw.
    let throws = heard.iter().map(|bytes| throws(bytes)).max_by_key(Vec::len).unwrap();
    assert!(throws.len() > 20 && throws.len() == proof.thrown as usize, "{} of {}", throws.len(), proof.thrown);
    let mut seen = Proof { throws: Some(throws), ..proof };
    verify::check(&seen, None, None).unwrap();
    // One die of one throw, and the program says which.
    seen.throws.as_mut().unwrap()[7][1] = seen.throws.as_ref().unwrap()[7][1] % 6 + 1;
    assert!(verify::check(&seen, None, None).unwrap_err().contains("throw 8"));
    let file = data.join("changed.json");
    fs::write(&file, serde_json::to_string(&seen).unwrap()).unwrap();
    let output = run(&["verify", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("throw 8"));
    fs::remove_dir_all(data).unwrap();
}

#[test]
fn where_pawns_begin_is_the_keys() {
    let data = scratch("fair-yard");
    let (proof, heard) = play("yard", "3", data.to_str().unwrap());
    let heard = String::from_utf8(heard[0].clone()).unwrap();
    let mut pile: Vec<u8> = (0..STARTS.len() as u8).collect();
    fair::shuffle(&key(&proof), 0, &mut pile);
    for (pawn, place) in ["Red", "Yellow", "Green", "Blue", "Black"].iter().zip(&pile[1..]) {
        let line = heard.lines().find(|line| line.starts_with(&format!("* pawninfo {pawn} "))).unwrap();
        let station = line.split(' ').find_map(|word| word.parse::<u8>().ok()).unwrap();
        assert_eq!(Station::new(station), Some(STARTS[usize::from(*place)]), "{line}");
    }
    fs::remove_dir_all(data).unwrap();
}

#[test]
fn the_first_throws_of_venus_are_the_keys() {
    let data = scratch("fair-venus");
    let (proof, heard) = play("venus", "2", data.to_str().unwrap());
    let heard = String::from_utf8(heard[0].clone()).unwrap();
    // Before anybody has what changes dice, every one that is shown is the next.
    let shown = heard.lines().filter_map(|line| line.strip_prefix("DICE,"));
    let fell: Vec<u8> = shown
        .filter(|dice| dice.bytes().any(|die| (b'1'..=b'6').contains(&die)))
        .take(2)
        .flat_map(|dice| dice.bytes().filter(u8::is_ascii_digit).map(|die| die - b'0').collect::<Vec<_>>())
        .collect();
    let throws: Vec<u8> = proof.throws.unwrap().concat();
    assert!(fell.len() >= 4 && throws.starts_with(&fell), "{fell:?} {:?}", &throws[..12]);
    fs::remove_dir_all(data).unwrap();
}
