//! Every conversation in a capture, read by tshark with the dissector that is made from core's tables: every message is
//! named, nothing is malformed that core's codec takes, and every field is what the codec says.
//!
//! It needs tshark, so it runs when it is named: `tests/run dissector`.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use parlor_core::game::Encoding;
use parlor_core::protocol::Framing;
use parlor_tests::conversation::{Coverage, Entry, Reading};
use parlor_tests::games::GAMES;
use parlor_tests::pcap::{Capture, web_message, web_opening};
use parlor_tests::record::{Piece, Recorded};
use parlor_tests::rng::Rng;

const DISSECTOR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../host/docs/parlor.lua");

/// How a conversation goes over the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// TCP on the game's own port, cut anywhere.
    Cut,
    /// TCP on another port: known by how it begins.
    Elsewhere,
    /// WebSocket on the port of pages.
    Web,
}

/// One connection: whose port it has, and what its two ends say.
struct Said {
    game: &'static Entry,
    file: String,
    port: u16,
    pieces: Vec<Piece>,
}

/// A message as tshark shows it.
#[derive(Debug, Default)]
struct Shown {
    port: u16,
    by_client: bool,
    name: Option<String>,
    /// Name, what is shown, and the bytes in hexadecimal.
    fields: Vec<(String, String, String)>,
    flaws: Vec<String>,
    is_answer: bool,
    request: Option<u32>,
}

/// The games whose protocol has a table; an example has none.
fn dissected() -> impl Iterator<Item = &'static Entry> {
    GAMES.iter().filter(|game| game.protocol.is_some())
}

/// All connections of all conversations; each has a client's port of its own.
fn conversations() -> Vec<Said> {
    let (mut all, mut port) = (Vec::new(), 20000);
    for game in dissected() {
        for talk in game.talks().unwrap() {
            let mut backend = talk.in_memory(usize::MAX).unwrap();
            let mut recorded = Recorded::to_the_end(&mut *backend);
            talk.run(&mut recorded, &mut Coverage::default()).unwrap();
            let pieces = recorded.pieces();
            let connections = pieces.iter().map(|piece| piece.connection + 1).max().unwrap_or(0);
            for connection in 0..connections {
                let pieces = pieces.iter().filter(|piece| piece.connection == connection).cloned().collect();
                port += 1;
                all.push(Said { game, file: talk.file().to_string(), port, pieces });
            }
        }
    }
    all
}

/// Whether a stream can be known by how it begins.
fn greets(said: &Said) -> bool {
    let greetings = said.game.protocol.unwrap().greetings;
    let is_it =
        |piece: &Piece| greetings.iter().any(|it| it.by_client == piece.by_client && piece.bytes.starts_with(it.bytes));
    said.pieces.first().is_some_and(is_it)
}

fn is_in(said: &Said, way: Way) -> bool {
    let is_text = || said.pieces.iter().all(|piece| str::from_utf8(&piece.bytes).is_ok());
    match way {
        Way::Cut => true,
        Way::Elsewhere => greets(said),
        Way::Web => greets(said) && (said.game.encoding == Encoding::Binary || is_text()),
    }
}

fn capture(all: &[Said], way: Way) -> Vec<u8> {
    let (mut capture, mut rng) = (Capture::default(), Rng::new(1));
    for said in all.iter().filter(|said| is_in(said, way)) {
        let server = match way {
            Way::Cut => said.game.port,
            Way::Elsewhere => 5555,
            Way::Web => 8080,
        };
        let mut flow = capture.open(said.port, server);
        if way == Way::Web {
            let [request, answer] = web_opening(&format!("/ws/{}", said.game.game));
            capture.send(&mut flow, true, request.as_bytes());
            capture.send(&mut flow, false, answer.as_bytes());
        }
        for Piece { by_client, bytes, .. } in &said.pieces {
            match way {
                Way::Cut => capture.send_cut(&mut flow, *by_client, bytes, &mut rng),
                Way::Elsewhere => capture.send(&mut flow, *by_client, bytes),
                Way::Web => {
                    // Pieces of a stream, not messages: only the first is whole, so that it is known by it.
                    for piece in bytes.chunks(bytes.len().min(600)) {
                        let message = web_message(said.game.encoding == Encoding::Text, *by_client, piece);
                        capture.send(&mut flow, *by_client, &message);
                    }
                }
            }
        }
        capture.close(&mut flow);
    }
    capture.bytes
}

/// As tshark shows them, by the client's port, in the order in which they were said.
fn shown(pcap: &Path) -> BTreeMap<(u16, bool), Vec<Shown>> {
    let games = dissected().map(|game| game.game).collect::<Vec<_>>().join(" ");
    let mut tshark = Command::new("tshark");
    // Twice over the file, as Wireshark does: what was found out the first time must be found again.
    tshark.args(["-2", "-r"]).arg(pcap).args(["-X", &format!("lua_script:{}", lua().display())]);
    tshark.args(["-T", "pdml", "-J", &format!("tcp {games}"), "-o", "tcp.check_checksum:FALSE"]);
    tshark.env("HOME", env::temp_dir());
    // It loads no script for the superuser.
    if fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0) {
        tshark.uid(65534).gid(65534);
    }
    let output = tshark.output().expect("tshark is needed: tests/run dissector installs it");
    let (told, faults) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && !faults.to_lowercase().contains("lua"), "{faults}");
    let mut by_stream: BTreeMap<(u16, bool), Vec<Shown>> = BTreeMap::new();
    for message in read(&told) {
        by_stream.entry((message.port, message.by_client)).or_default().push(message);
    }
    by_stream
}

/// The dissector where another user may read it.
fn lua() -> PathBuf {
    let copy = env::temp_dir().join(format!("parlor-{}.lua", std::process::id()));
    fs::copy(DISSECTOR, &copy).unwrap();
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o644)).unwrap();
    copy
}

/// What lies between the quotes behind this name of an attribute.
fn attribute(line: &str, name: &str) -> Option<String> {
    let (_, rest) = line.split_once(&format!(" {name}=\""))?;
    let (value, _) = rest.split_once('"')?;
    let plain = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#x27;", "'"), ("&amp;", "&")];
    Some(plain.iter().fold(value.to_string(), |text, (from, to)| text.replace(from, to)))
}

/// As tshark shows a text.
fn without_controls(text: &str) -> String {
    let shown = |c: char| if c.is_control() { format!("\\x{:x}", c as u32) } else { c.to_string() };
    text.chars().map(shown).collect()
}

/// PDML, one element a line.
fn read(pdml: &str) -> Vec<Shown> {
    let (mut all, mut ports, mut game) = (Vec::<Shown>::new(), [0; 2], String::new());
    for line in pdml.lines().map(str::trim) {
        let Some(name) = attribute(line, "name") else { continue };
        let show = attribute(line, "show").unwrap_or_default();
        // Stands inside of what it is about.
        if name == "_ws.malformed" {
            continue;
        }
        if line.starts_with("<proto") {
            game = if GAMES.iter().any(|known| known.game == name) { name } else { "none".into() };
            if game != "none" {
                all.push(Shown::default());
            }
            continue;
        }
        match &name[..] {
            "tcp.srcport" => ports[0] = show.parse().unwrap(),
            "tcp.dstport" => ports[1] = show.parse().unwrap(),
            _ => {}
        }
        let (Some(field), Some(message)) = (name.strip_prefix(&format!("{game}.")), all.last_mut()) else { continue };
        match field {
            "message" => message.name = Some(show),
            "message.sender" => {
                message.by_client = show == "client";
                message.port = ports[usize::from(!message.by_client)];
            }
            "message.tag" => message.is_answer = true,
            "request_in" => message.request = show.parse().ok(),
            "malformed" | "unknown" | "wrong_side" => message.flaws.push(field.to_string()),
            _ if field.starts_with("message.") || matches!(field, "answer_in" | "answer_time" | "error") => {}
            _ => {
                let value = attribute(line, "value").unwrap_or_default();
                message.fields.push((field.to_string(), show, value));
            }
        }
    }
    all
}

/// What the codec says of one end's bytes, message by message; a rest that is no whole one is nobody's.
fn readings(said: &Said, by_client: bool) -> (Vec<(Reading, Vec<u8>)>, Vec<u8>) {
    let mine = said.pieces.iter().filter(|piece| piece.by_client == by_client);
    let (mut rest, mut all) = (mine.flat_map(|piece| piece.bytes.clone()).collect::<Vec<_>>(), Vec::new());
    while let Some(length) = cut(said.game, &rest) {
        let message: Vec<u8> = rest.drain(..length).collect();
        all.push(((said.game.read)(&message, by_client), message));
    }
    (all, rest)
}

/// A line of any end, or a frame of a length that there is.
fn cut(game: &Entry, bytes: &[u8]) -> Option<usize> {
    match game.protocol.unwrap().framing {
        Framing::Frames if bytes.get(1) == Some(&255) => None,
        Framing::Frames => (game.cut)(bytes),
        Framing::Words | Framing::Commas => Some(bytes.iter().position(|byte| *byte == b'\n')? + 1),
    }
}

fn check(game: &Entry, shown: &Shown, reading: &Reading) -> Result<(), String> {
    match reading {
        Reading::Message(name, fields) => {
            let is_frame = game.protocol.unwrap().framing == Framing::Frames;
            // A bool is shown as such, whatever else is in its byte.
            let truth = |show: &str| match show {
                "1" | "True" => Some(1),
                "0" | "False" => Some(0),
                _ => None,
            };
            let is_it = |((told, show, value), (name, wanted)): (&(String, String, String), &(String, String))| {
                let truth = truth(show);
                let bytes: String = wanted.bytes().map(|byte| format!("{byte:02x}")).collect();
                let is_text = !is_frame && (*value == bytes || *show == without_controls(wanted));
                told == name
                    && (is_text
                        || is_frame && value == wanted
                        || is_frame && truth.is_some_and(|truth| *wanted == format!("{truth:02x}"))
                        || !is_frame && truth.is_some_and(|truth| *wanted == format!("{truth}")))
            };
            let is_same = shown.fields.len() == fields.len() && shown.fields.iter().zip(fields).all(is_it);
            if shown.name.as_ref() != Some(name) || !shown.flaws.is_empty() || !is_same {
                return Err("another message".into());
            }
        }
        // What core refuses for its meaning (a token that there is none of) is well-formed to a dissector.
        Reading::Flawed(name) if shown.name.as_ref() == Some(name) => {}
        Reading::Unknown if shown.name.is_none() && !shown.flaws.is_empty() => {}
        // Too long, or no text, and yet a line with a name.
        Reading::Unknown if game.protocol.unwrap().framing != Framing::Frames => {}
        _ => return Err("another reading".into()),
    }
    Ok(())
}

fn check_all(all: &[Said], way: Way) {
    let pcap = env::temp_dir().join(format!("parlor-{way:?}-{}.pcap", std::process::id()));
    fs::write(&pcap, capture(all, way)).unwrap();
    let shown = shown(&pcap);
    let (mut messages, mut links, mut none) = (0, 0, Vec::new());
    for said in all.iter().filter(|said| is_in(said, way)) {
        for by_client in [true, false] {
            let (read, rest) = readings(said, by_client);
            let told = shown.get(&(said.port, by_client)).unwrap_or(&none);
            for (nth, (reading, bytes)) in read.iter().enumerate() {
                let Some(message) = told.get(nth) else {
                    panic!("{way:?} {} port {}: {nth} messages shown of {}", said.file, said.port, read.len())
                };
                if let Err(why) = check(said.game, message, reading) {
                    let words = bytes.escape_ascii();
                    panic!("{way:?} {} port {}: {why}\n{words}\n{message:?}\n{reading:?}", said.file, said.port);
                }
                let framing = said.game.protocol.unwrap().framing;
                // A line that is too long is answered before it has come to its end.
                let is_answer = framing == Framing::Words && message.is_answer && !by_client;
                let may_be_early = message.name.as_deref() == Some("bad");
                let is_linked = message.request.is_some();
                assert!(!is_answer || may_be_early || is_linked, "{}: an answer to nothing: {message:?}", said.file);
                links += usize::from(message.request.is_some());
            }
            // Where a frame without an end would end, nobody can know.
            let is_endless = rest.get(1) == Some(&255);
            assert!(told.len() == read.len() || is_endless, "{way:?} {} port {}", said.file, said.port);
            messages += read.len();
        }
    }
    none.clear();
    let connections = all.iter().filter(|said| is_in(said, way));
    println!("{way:?}: {messages} messages of {} connections, {links} answers linked", connections.clone().count());
    assert!(messages > 1000 && links > 100);
    assert!(
        dissected().all(|game| connections.clone().any(|said| said.game.game == game.game)),
        "{way:?}: a game is missing"
    );
    fs::remove_file(pcap).unwrap();
    fs::remove_file(lua()).unwrap();
}

#[test]
#[ignore = "needs tshark: tests/run dissector"]
fn tshark_reads_every_conversation_as_the_codec_does() {
    let all = conversations();
    for way in [Way::Cut, Way::Elsewhere, Way::Web] {
        check_all(&all, way);
    }
}
