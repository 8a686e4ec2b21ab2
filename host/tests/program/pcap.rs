//! `--pcap FILE`: what a capture tells of connections is what they said, whatever carried it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use crate::common::{self, HELLO, Server, handshake, parlor, scratch, tls, ws};
use parlor::games::GAMES;
use tungstenite::Message;

/// A client's port, and the server's.
type Ports = (u16, u16);

/// What both ends of each connection said, put together by the sequence numbers; whether both have closed.
#[derive(Debug, Default)]
struct Talk {
    said: [Vec<u8>; 2],
    ends: u8,
}

fn read(file: &[u8], servers: &[u16]) -> BTreeMap<Ports, Talk> {
    assert_eq!(
        file[..24],
        [0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 101, 0, 0, 0]
    );
    let (mut talks, mut rest) = (BTreeMap::<Ports, Talk>::new(), &file[24..]);
    while !rest.is_empty() {
        let length = u32::from_le_bytes(rest[8..12].try_into().unwrap()) as usize;
        let (packet, after) = rest[16..].split_at(length);
        rest = after;
        assert_eq!((packet[0], packet[9]), (0x45, 6), "IPv4 and TCP");
        let number = |at: usize| u16::from_be_bytes([packet[at], packet[at + 1]]);
        let (from, to, flags, payload) = (number(20), number(22), packet[33], &packet[40..]);
        let by_client = servers.contains(&to);
        let talk = talks.entry(if by_client { (from, to) } else { (to, from) }).or_default();
        let said = &mut talk.said[usize::from(!by_client)];
        if flags & 0x02 == 0 {
            let sequence = u32::from_be_bytes(packet[24..28].try_into().unwrap());
            assert_eq!(sequence as usize, 1 + said.len(), "a hole, or something twice");
        }
        said.extend_from_slice(payload);
        talk.ends += flags & 0x01;
    }
    talks
}

#[test]
fn a_capture_tells_what_was_said_whatever_carried_it() {
    let folder = scratch("pcap");
    let file = folder.join("all.pcap");
    let name = file.to_str().unwrap();
    let mut server = Server::start(&["--pcap", name, "--tls", "self-signed", "--yard", "127.0.0.1:0"]);
    let mut plain = server.tcp();
    let game = handshake(&mut plain);
    let mut secure = tls(server.tcp());
    handshake(&mut secure);
    let mut lines = common::tcp(server.port("yard"));
    lines.write_all(b"protocol 2.0\r\n#1 login kim secret\r\n").unwrap();
    let mut answers = [0; 13];
    lines.read_exact(&mut answers).unwrap();
    let mut web = ws(common::tcp(server.port("http")), "/ws/pimp");
    web.send(Message::Binary(HELLO.to_vec().into())).unwrap();
    web.read().unwrap();
    let ports = [&plain, secure.get_ref(), &lines, web.get_ref()].map(|stream| stream.local_addr().unwrap().port());
    drop((plain, secure, lines, web));
    server.terminate();
    assert!(server.wait().success());

    let servers = ["pimp", "yard", "http"].map(|flag| server.port(flag).port());
    let talks = read(&fs::read(&file).unwrap(), &servers);
    assert_eq!(talks.len(), 4);
    assert!(talks.values().all(|talk| talk.ends == 2), "{talks:?}");
    let [plain, secure, lines, web] =
        [0, 0, 1, 2].iter().zip(ports).map(|(server, port)| &talks[&(port, servers[*server])].said).collect::<Vec<_>>()
            [..]
    else {
        panic!("four of them")
    };
    let hello = [HELLO.to_vec(), [&[0x01, 4][..], &game.to_be_bytes()].concat()];
    // TLS is off by then.
    assert_eq!((plain, secure), (&hello, &hello));
    assert_eq!(lines[0], b"protocol 2.0\r\n#1 login kim secret\r\n");
    assert!(lines[1].starts_with(b"- ok\r\n#1 ok\r\n"));
    assert!(web[0].starts_with(b"GET /ws/pimp HTTP/1.1\r\n") && web[1].starts_with(b"HTTP/1.1 101 "));
    // A server that has to end before it has seen that a browser is gone says good-bye behind it.
    let answer = [&[0x82, 6][..], &hello[1]].concat();
    assert!(web[1].windows(answer.len()).any(|said| said == answer), "{:x?}", web[1]);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600, "passwords are in it");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_capture_that_cannot_be_written_is_said_at_once() {
    let output = parlor().args(["--pcap", "/no/such/folder/all.pcap"]).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text.contains("can't write the capture /no/such/folder/all.pcap"), "{text}");
}

/// Frames of a capture that this filter finds, by tshark with the dissector that is kept.
fn found(file: &Path, lua: &Path, filter: &str) -> usize {
    let mut tshark = Command::new("tshark");
    // Twice over the file: what a message is put together from is known the second time.
    tshark.args(["-2", "-r"]).arg(file).args(["-X", &format!("lua_script:{}", lua.display()), "-Y", filter]);
    tshark.args(["-T", "fields", "-e", "frame.number"]).env("HOME", std::env::temp_dir());
    // It loads no script for the superuser.
    if rustix::process::geteuid().is_root() {
        tshark.uid(65534).gid(65534);
    }
    let output = tshark.output().expect("tshark is needed: tests/run dissector installs it");
    let faults = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !faults.to_lowercase().contains("lua"), "{faults}");
    output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count()
}

/// Open for the user that tshark runs as.
fn copy_for_all(from: &Path, to: &Path) {
    fs::copy(from, to).unwrap();
    fs::set_permissions(to, fs::Permissions::from_mode(0o644)).unwrap();
}

#[test]
#[ignore = "needs tshark: tests/run dissector"]
fn tshark_names_every_message_of_whole_games() {
    let folder = std::env::temp_dir().join(format!("parlor-pcap-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (lua, open) = (folder.join("parlor.lua"), folder.join("open.pcap"));
    copy_for_all(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/parlor.lua")), &lua);
    for game in GAMES.iter().filter(|game| game.protocol.is_some()) {
        let (name, file) = (game.name, folder.join(format!("{}.pcap", game.name)));
        let mut command = parlor();
        for other in GAMES.iter() {
            command.args([
                format!("--{}", other.name),
                if other.name == name { "127.0.0.1:0".into() } else { "off".into() },
            ]);
        }
        command.args(["--http", "off", "--log", "warn", "--rate", "0", "--claim-grace", "0", "--vote-pause", "0"]);
        command.arg("--pcap").arg(&file);
        let mut server = Server::spawn(command);
        let at = server.port(name).to_string();
        let bots = common::run(&["bot", "--game", name, "--connect", &at, "--players", "3"]);
        assert!(bots.status.success(), "{bots:?}");
        server.terminate();
        assert!(server.wait().success());
        copy_for_all(&file, &open);
        let count = |filter: &str| found(&open, &lua, filter);
        let named = count(&format!("{name}.message"));
        // A piece of a message is shown where the message ends.
        let unknown = count(&format!("tcp.len > 0 && !{name} && !tcp.reassembled_in"));
        let flawed = count(&format!("{name}.malformed || {name}.unknown || {name}.wrong_side || _ws.malformed"));
        println!("{name}: {named} packets with messages, {unknown} unknown, {flawed} flawed");
        assert!(named > 100 && unknown == 0 && flawed == 0);
    }
    fs::remove_dir_all(folder).unwrap();
}
