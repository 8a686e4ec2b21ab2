//! Games outlive the process: what is saved, where, for whom, and what is told of it.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::common::{Server, handshake, run, scratch, tcp};

/// Joins as a watcher named ann, the first at the table; her password.
fn join(stream: &mut TcpStream) -> [u8; 4] {
    stream.write_all(&[0x02, 6, 0, 0, 3, b'a', b'n', b'n']).unwrap();
    let mut details = [0; 7];
    stream.read_exact(&mut details).unwrap();
    let [0x03, 5, 1, password @ ..] = details else { panic!("{details:02x?} is no WELCOME_DETAILS") };
    password
}

/// The code of the answer to a REJOIN as user 1.
fn rejoin(stream: &mut TcpStream, [a, b, c, d]: [u8; 4]) -> u8 {
    stream.write_all(&[0x0A, 5, 1, a, b, c, d]).unwrap();
    let mut code = [0];
    stream.read_exact(&mut code).unwrap();
    code[0]
}

const WELCOME_BACK: u8 = 0x0B;
const WRONG_PASSWORD: u8 = 0xF4;

fn start(data: &Path, more: &[&str]) -> Server {
    Server::start(&[&["--data", data.to_str().unwrap()][..], more].concat())
}

fn stop(mut server: Server) {
    server.terminate();
    assert!(server.wait().success());
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() { found.extend(files(&entry.path())) } else { found.push(entry.path()) }
    }
    found
}

/// An empty folder.
fn fresh(name: &str) -> PathBuf {
    let data = scratch(name);
    fs::remove_dir_all(&data).unwrap();
    data
}

#[test]
fn everybody_comes_back_to_the_table_they_left() {
    for durability in ["strict", "relaxed"] {
        let data = fresh(durability);
        let server = start(&data, &["--durability", durability, "--tables", "2"]);
        let mut ann = server.tcp();
        let game = handshake(&mut ann);
        let password = join(&mut ann);
        let (status, body) = server.http("POST", "/tables", &[]);
        assert_eq!(status, 201);
        let made: serde_json::Value = serde_json::from_str(&body).unwrap();
        let port = made["ports"]["tcp"][0].as_str().unwrap().parse().unwrap();
        let other = handshake(&mut tcp(port));
        drop(ann);
        stop(server);

        // Other dice and other rules are for new tables.
        let server = start(&data, &["--durability", durability, "--tables", "3", "--seed", "77"]);
        let mut ann = server.tcp();
        assert_eq!(handshake(&mut ann), game);
        assert_eq!(rejoin(&mut ann, [0, 0, 0, 1]), WRONG_PASSWORD);
        let mut ann = server.tcp();
        handshake(&mut ann);
        assert_eq!(rejoin(&mut ann, password), WELCOME_BACK);
        // The table that was made has its number and its port; the third of the house is new.
        assert_eq!(handshake(&mut tcp(port)), other);
        let (_, body) = server.http("GET", "/tables", &[]);
        let list: serde_json::Value = serde_json::from_str(&body).unwrap();
        let tables: Vec<_> = list["tables"].as_array().unwrap().iter().map(|table| table["table"].as_u64()).collect();
        assert_eq!(tables, [1, 2, 3, 4].map(Some));
        assert_eq!(list["tables"][2]["number"], other);
        assert_eq!(list["tables"][0]["users"], 1);
        stop(server);

        for file in files(&data) {
            let mode = fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", file.display());
            let bytes = fs::read(&file).unwrap();
            let mut turned = password;
            turned.reverse();
            let clear = |word: [u8; 4]| bytes.windows(4).any(|four| four == word);
            assert!(!clear(password) && !clear(turned), "{} holds a password", file.display());
        }
        for folder in ["", "journal", "tables", "damaged"] {
            assert_eq!(fs::metadata(data.join(folder)).unwrap().permissions().mode() & 0o777, 0o700);
        }
        fs::remove_dir_all(data).unwrap();
    }
}

#[test]
fn a_table_at_rest_writes_nothing() {
    let data = fresh("rest");
    let arguments = ["--yard", "127.0.0.1:0", "--tables", "3"];
    let server = start(&data, &arguments);
    let records = |server: &Server| {
        let (_, page) = server.http("GET", "/metrics", &[]);
        let count = page.lines().find_map(|line| line.strip_prefix("parlor_journal_records_total "));
        count.unwrap().parse::<u64>().unwrap()
    };
    let begun = records(&server);
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert_eq!((begun, records(&server)), (4, 4), "one for each table, and one for the hall");
    stop(server);
    // Nor does a start, where nothing has happened since the last.
    let before: Vec<_> = files(&data.join("journal")).iter().map(|file| fs::read(file).unwrap()).collect();
    for _ in 0..2 {
        let server = start(&data, &arguments);
        assert_eq!(records(&server), 0);
        stop(server);
    }
    let after: Vec<_> = files(&data.join("journal")).iter().map(|file| fs::read(file).unwrap()).collect();
    assert_eq!(before, after);
    fs::remove_dir_all(data).unwrap();
}

#[test]
fn one_server_a_directory() {
    let data = fresh("shared");
    let server = start(&data, &[]);
    let ports = ["--pimp", "127.0.0.1:0", "--pimp-ws", "off", "--http", "off", "--data", data.to_str().unwrap()];
    let second = run(&ports);
    let text = String::from_utf8(second.stderr).unwrap();
    assert_eq!(second.status.code(), Some(2));
    assert!(text.lines().count() == 1 && text.contains("another parlor keeps its games there"), "{text}");
    drop(server);
    fs::remove_dir_all(data).unwrap();
}

#[test]
fn without_a_journal_nothing_is_written() {
    let data = fresh("off");
    let server = start(&data, &["--durability", "off"]);
    let game = handshake(&mut server.tcp());
    stop(server);
    assert!(!data.exists());
    let server = start(&data, &["--durability", "off"]);
    assert_ne!(handshake(&mut server.tcp()), game);
}

#[test]
fn a_replay_tells_what_was_said() {
    let data = fresh("replay");
    let server = start(&data, &[]);
    let mut ann = server.tcp();
    handshake(&mut ann);
    let password = join(&mut ann);
    let mut again = server.tcp();
    handshake(&mut again);
    assert_eq!(rejoin(&mut again, password), WELCOME_BACK);
    stop(server);
    let told = |arguments: &[&str]| {
        let output = run(arguments);
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let whole = data.to_str().unwrap();
    let segment = files(&data.join("journal")).pop().unwrap();
    for file in [whole, segment.to_str().unwrap()] {
        let (code, text, errors) = told(&["replay", file]);
        assert_eq!((code, &errors[..]), (Some(0), ""));
        for line in [
            "table 1 link 0 opened",
            "link 0 > HANDSHAKE version=1\n",
            "link 0 > JOIN piece=0 play=false name=\"ann\"\n",
            "link 0 < WELCOME_DETAILS player=1 password=(told)\n",
            "link 1 > REJOIN player=1 password=(right)\n",
            "link 1 < WELCOME_BACK player=1 piece=0 name=\"ann\" playing=false\n",
        ] {
            assert!(text.contains(line), "no {line:?} in\n{text}");
        }
        assert!(text.lines().last().unwrap().contains(" bytes said again as they were said"), "{text}");
        let (_, text, _) = told(&["replay", "-v", file]);
        assert!(text.contains("link 0 > HANDSHAKE version=1   | 00 01 01\n"), "{text}");
        assert!(text.contains("WELCOME_DETAILS player=1 password=(told)   | 03 05 01 00 00 00 00\n"), "{text}");
    }
    let (code, _, errors) = told(&["replay", data.join("lock").to_str().unwrap()]);
    assert!(code == Some(1) && errors.contains("this is no journal"), "{errors}");
    fs::remove_dir_all(data).unwrap();
}

#[test]
fn no_damage_keeps_the_server_from_starting() {
    let data = fresh("damage");
    let server = start(&data, &[]);
    let mut ann = server.tcp();
    let game = handshake(&mut ann);
    let password = join(&mut ann);
    stop(server);
    // A torn tail, rubbish in every folder, a snapshot that is none.
    let segment = files(&data.join("journal")).pop().unwrap();
    fs::OpenOptions::new().append(true).open(&segment).unwrap().write_all(&[7; 100]).unwrap();
    fs::write(data.join("journal/rubbish"), "rubbish").unwrap();
    fs::write(data.join("journal/ffffffffffffff00.log"), "rubbish").unwrap();
    fs::write(data.join("tables/pimp.1.00000000000000ff.snap"), "rubbish").unwrap();
    fs::write(data.join("tables/pimp.1.00000000000000ff.snap.new"), "rubbish").unwrap();
    let server = start(&data, &[]);
    let mut ann = server.tcp();
    assert_eq!(handshake(&mut ann), game);
    assert_eq!(rejoin(&mut ann, password), WELCOME_BACK);
    stop(server);
    let damaged = files(&data.join("damaged"));
    assert_eq!(damaged.len(), 3, "{damaged:?}");
    // It was said once; the next start has nothing to complain of.
    fs::remove_dir_all(data.join("damaged")).unwrap();
    let server = start(&data, &[]);
    assert_eq!(handshake(&mut server.tcp()), game);
    drop(server);
    assert!(files(&data.join("damaged")).is_empty());
    fs::remove_dir_all(data).unwrap();
}

#[test]
fn the_journal_is_told_in_figures() {
    let server = Server::start(&[]);
    handshake(&mut server.tcp());
    let (_, page) = server.http("GET", "/metrics", &[]);
    assert!(page.contains("\nparlor_journal_failing 0\n"), "{page}");
    assert!(page.contains("\nparlor_journal_wait_seconds_bucket{le=\"0.001\"} "), "{page}");
    let count = page.lines().find_map(|line| line.strip_prefix("parlor_journal_wait_seconds_count "));
    assert!(count.unwrap().parse::<u64>().unwrap() > 0);
    let off = Server::start(&["--durability", "off"]);
    assert!(!off.http("GET", "/metrics", &[]).1.contains("journal"));
}
