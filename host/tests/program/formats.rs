//! Data directories of every format that was ever written (`tests/data/journal-N`): those of this format and the one before are
//! read, others are left as they are. 1 is of another journal, 2 of another making of tables, 3 of tables without a clock.
//!
//! A new format, of the journal or of what tables are, gets a directory of its own: `FORMAT=N cargo test -p parlor --test
//! program formats:: -- --ignored` writes it, with the program of PARLOR_PROGRAM where that is set.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use crate::common::{Server, handshake, parlor, run, scratch, tcp};
use parlor::journal::archive::{self, Snapshot};
use parlor::journal::record::{Event, Record, Records};
use parlor::journal::restore::{self, From, Witness};
use parlor::journal::{FileStore, Files};
use parlor::table_id::TableId;
use parlor_core::pimp::limits::HostTable;
use parlor_core::server::Server as _;
use parlor_core::venus::limits::HostVenus;
use parlor_core::yard::limits::HostYard;

/// Who watches the game of Monopoly, plays the one of Scotland Yard and is known where merchants meet.
const NAME: &str = "ann";
/// Where her number and her password at Monopoly are kept, as she was told them.
const PASSWORD: &str = "password";
const WELCOME_DETAILS: u8 = 0x03;
/// Where `parlor bot` plays, if nobody says otherwise.
const BOTS_ROOM: &str = "bots";
/// Long enough for some turns.
const PAUSE: Duration = Duration::from_secs(2);

/// The directory of this format.
const NEWEST: u32 = 5;
/// Its tables are of the version before, which is read, too: their games have no keys.
const BEFORE: u32 = 4;
/// So are those of this one; it has none of Merchant of Venus.
const OLDEST: u32 = 3;

fn golden(format: u32) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../tests/data/journal-{format}"))
}

/// A copy to play with.
fn copied(format: u32, name: &str) -> PathBuf {
    let to = scratch(name);
    fs::remove_dir_all(&to).unwrap();
    copy(&golden(format), &to);
    to
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() { copy(&entry.path(), &target) } else { _ = fs::copy(entry.path(), target).unwrap() }
    }
}

/// Every file and folder, with what is in it.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            all.insert(entry.path(), None);
            all.extend(contents(&entry.path()));
        } else {
            all.insert(entry.path(), Some(fs::read(entry.path()).unwrap()));
        }
    }
    all
}

fn arguments(data: &Path) -> [&str; 6] {
    ["--data", data.to_str().unwrap(), "--yard", "127.0.0.1:0", "--venus", "127.0.0.1:0"]
}

/// What a server of Merchant of Venus answers to a login, behind its greeting.
fn venus_login(address: SocketAddr, password: &str) -> (BufReader<TcpStream>, String) {
    let mut stream = BufReader::new(tcp(address));
    stream.get_mut().write_all(format!("LOGIN,{NAME},{password}\n").as_bytes()).unwrap();
    let mut said = [String::new(), String::new()];
    for line in &mut said {
        stream.read_line(line).unwrap();
    }
    let [_, answer] = said;
    (stream, answer.trim_end().into())
}

/// A client of Scotland Yard that reads the answer to what it says.
struct Client(BufReader<TcpStream>);

impl Client {
    fn connect(address: SocketAddr) -> Self {
        let mut client = Self(BufReader::new(tcp(address)));
        assert_eq!(client.ask("protocol 2.0"), "- ok");
        client
    }

    fn ask(&mut self, line: &str) -> String {
        self.0.get_mut().write_all(format!("{line}\r\n").as_bytes()).unwrap();
        loop {
            let mut said = String::new();
            self.0.read_line(&mut said).unwrap();
            assert!(!said.is_empty(), "closed after {line}");
            if said.starts_with("- ") {
                return said.trim_end().into();
            }
        }
    }
}

/// The start is refused in a sentence, and nothing is touched.
fn is_refused(data: &Path, format: &str) {
    let before = contents(data);
    let ports = ["--pimp", "127.0.0.1:0", "--pimp-ws", "off", "--http", "off"];
    let output = run(&[&ports[..], &arguments(data)].concat());
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), text.lines().count()), (Some(2), 1), "{text}");
    assert!(text.contains(format) && text.contains("another version of parlor wrote"), "{text}");
    assert!(text.contains("finish them with the parlor that wrote them") && text.contains("--data DIR"), "{text}");
    assert!(contents(data) == before, "something was touched");
    let output = run(&["replay", data.to_str().unwrap()]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && text.contains("another version of parlor wrote"), "{text}");
    fs::remove_dir_all(data).unwrap();
}

#[test]
fn what_an_older_version_wrote_is_left_as_it_is() {
    is_refused(&copied(1, "format-1"), "journal format 1");
    let data = copied(2, "format-2");
    be_used(&data);
    is_refused(&data, "tables of ");
}

/// Puts in what a process makes before it reads: folders and the lock.
fn be_used(data: &Path) {
    for folder in ["damaged", "tables"] {
        fs::create_dir_all(data.join(folder)).unwrap();
    }
    fs::write(data.join("lock"), "").unwrap();
}

/// A snapshot of the game of Monopoly as it began, whose state is of this version if it is said.
fn put_snapshot(data: &Path, version: Option<u16>) -> PathBuf {
    let log = contents(&data.join("journal")).into_values().flatten().next().expect("a segment");
    for Record { number: at, table, event, .. } in Records::new(&log).unwrap().map(Result::unwrap) {
        let Event::Begin { number, meta, now, state } = event else { continue };
        if meta.game != "pimp" {
            continue;
        }
        let (next, mut state) = (at + 1, state.to_vec());
        if let Some(version) = version {
            // Behind the four letters that say which game it is.
            state[4..6].copy_from_slice(&version.to_le_bytes());
        }
        let file = data.join("tables").join(archive::name(TableId::new("pimp", number), next));
        fs::create_dir_all(data.join("tables")).unwrap();
        fs::write(&file, Snapshot { table, number, next, meta, now, state: &state }.encode()).unwrap();
        return file;
    }
    panic!("no game of Monopoly")
}

#[test]
fn what_a_newer_version_wrote_is_left_as_it_is() {
    for is_log in [true, false] {
        let data = copied(NEWEST, &format!("newer-{is_log}"));
        let file = match is_log {
            true => contents(&data.join("journal")).into_keys().next().expect("a segment"),
            false => put_snapshot(&data, None),
        };
        let mut bytes = fs::read(&file).unwrap();
        let at = bytes.iter().position(|byte| *byte == b'2').unwrap();
        bytes[at] = b'7';
        fs::write(&file, bytes).unwrap();
        is_refused(&data, "journal format 7");
    }
    // A list of segments of a later making.
    let data = copied(2, "newer-list");
    fs::create_dir_all(data.join("tables")).unwrap();
    fs::write(data.join("tables/segments"), "parlor segments 7\n0000000000000000.log\n").unwrap();
    is_refused(&data, "parlor segments 7");
    // A table of a later making, in a snapshot that is whole.
    let data = copied(NEWEST, "newer-state");
    put_snapshot(&data, Some(999));
    be_used(&data);
    is_refused(&data, "tables of pimp, format 999");
}

struct Strict;

impl Witness for Strict {
    fn warn(&mut self, text: String) {
        panic!("{text}");
    }
}

#[test]
fn what_this_version_and_those_before_wrote_is_read() {
    for format in [OLDEST, BEFORE, NEWEST] {
        is_read(format);
    }
}

fn is_read(format: u32) {
    let read =
        restore::read(&FileStore::new(Arc::new(Files::unlocked(&golden(format)))), From::Newest, &mut Strict).unwrap();
    let table = &read.tables[&TableId::new("pimp", 1)];
    let game = table.stored.any().downcast_ref::<HostTable>().unwrap().game();
    assert!(game.turn > 3 && game.players.len() == 3 && read.replayed > 20, "{} {}", game.turn, read.replayed);
    let hall = read.tables.values().find_map(|table| table.stored.any().downcast_ref::<HostYard>()).unwrap();
    assert!(hall.game("evening").is_some_and(|game| game.turn() > 0));
    let mut galaxies = read.tables.values().filter_map(|table| table.stored.any().downcast_ref::<HostVenus>());
    let game = galaxies.next().and_then(|galaxy| galaxy.game(BOTS_ROOM));
    assert_eq!(game.is_some_and(|game| game.audit().is_ok()), format != OLDEST);
    // What an earlier program has drawn can't be checked, and what it drew next was made again without keys.
    let record = table.stored.any().downcast_ref::<HostTable>().unwrap().record();
    assert_eq!(record.is_some(), format == NEWEST);
    // Whoever was there comes back.
    let data = copied(format, &format!("read-{format}"));
    let server = Server::start(&arguments(&data));
    let words = fs::read_to_string(golden(format).join(PASSWORD)).unwrap();
    let details = u64::from_str_radix(words.trim(), 16).unwrap().to_be_bytes();
    // From its next game on they can.
    let (status, told) = server.http("GET", "/fair/pimp-1.json", &[]);
    assert!(status == 200 && told.contains("\"state\":\"next\""), "{told}");
    assert_eq!(told.contains("\"state\":\"sealed\""), format == NEWEST, "{told}");
    let mut watcher = server.tcp();
    handshake(&mut watcher);
    watcher.write_all(&[&[0x0A, 5][..], &details[3..]].concat()).unwrap();
    let mut back = [0; 8];
    watcher.read_exact(&mut back).unwrap();
    assert_eq!((back[0], &back[5..]), (0x0B, NAME.as_bytes()), "{back:02x?}");
    let mut player = Client::connect(server.port("yard"));
    assert_eq!(player.ask(&format!("login {NAME} wrong")), "- no \"wrong password\"");
    let mut player = Client::connect(server.port("yard"));
    assert_eq!(player.ask(&format!("login {NAME} secret")), "- ok");
    assert_eq!(player.ask("join evening"), "- ok");
    if format != OLDEST {
        let (_, answer) = venus_login(server.port("venus"), "wrong");
        assert!(answer.starts_with("ERROR,"), "{answer}");
        let (mut merchant, answer) = venus_login(server.port("venus"), "secret");
        assert_eq!(answer, "WELCOME");
        // She looks on where the bots were playing: the table is told to her.
        merchant.get_mut().write_all(format!("CHANGEROOM,{BOTS_ROOM}\n").as_bytes()).unwrap();
        let mut line = String::new();
        while !line.starts_with("PLAYERLOCATION,") {
            line.clear();
            assert!(merchant.read_line(&mut line).unwrap() > 0, "closed");
        }
    }
    drop(server);
    fs::remove_dir_all(data).unwrap();
}

#[test]
#[ignore = "writes the directory that the others read"]
fn write_a_directory() {
    let format = std::env::var("FORMAT").expect("FORMAT=N");
    let data = golden(format.parse().unwrap());
    fs::remove_dir_all(&data).ok();
    let haste = ["--rate", "0", "--claim-grace", "0", "--vote-pause", "0.01", "--yard-bots", "on", "--termites", "100"];
    let start = || Server::start(&[&haste[..], &arguments(&data)].concat());
    let server = start();
    let mut player = Client::connect(server.port("yard"));
    for line in [format!("login {NAME} secret"), "newgame evening standard".into(), "requestai".into()] {
        assert_eq!(player.ask(&line), "- ok", "{line}");
    }
    assert_eq!(player.ask("votestart True"), "- ok");
    let (_merchant, answer) = venus_login(server.port("venus"), "secret");
    assert_eq!(answer, "WELCOME");
    let seat = |game: &str| {
        let address = server.port(game).to_string();
        let arguments = ["bot", "--game", game, "--connect", &address, "--players", "3"];
        parlor().args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let bots = seat("pimp");
    std::thread::sleep(PAUSE);
    // The bots let her in.
    let mut watcher = server.tcp();
    handshake(&mut watcher);
    watcher.write_all(&[&[0x02, 6, 0, 0, 3][..], NAME.as_bytes()].concat()).unwrap();
    let details = loop {
        let mut head = [0; 2];
        watcher.read_exact(&mut head).unwrap();
        let mut payload = vec![0; usize::from(head[1])];
        watcher.read_exact(&mut payload).unwrap();
        if head[0] == WELCOME_DETAILS {
            break payload;
        }
    };
    std::thread::sleep(PAUSE);
    // They are stopped in the middle of their game.
    let merchants = seat("venus");
    std::thread::sleep(PAUSE / 4);
    for mut bots in [bots, merchants] {
        bots.kill().unwrap();
        bots.wait().unwrap();
    }
    // Mr. X moves somewhere, and his hunters after him.
    for station in 1..=199 {
        if player.ask(&format!("move {station} taxi")) == "- ok" {
            break;
        }
    }
    std::thread::sleep(PAUSE);
    let mut server = server;
    server.terminate();
    assert!(server.wait().success());
    let words = details.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    fs::write(data.join(PASSWORD), words).unwrap();
    // What nobody needs: locks and folders.
    fs::remove_file(data.join("lock")).ok();
}
