//! `parlor serve` as a program: what it says, what it refuses, how it stops.

use std::io::{Read, Write};
use std::os::unix::net::UnixDatagram;

use crate::common::{self, PATIENCE, Server, handshake, parlor, run, scratch, tcp};

#[test]
fn the_ready_line_names_the_true_ports() {
    let server = Server::start(&["--tables", "3"]);
    assert!(server.ready.starts_with("ready pimp=127.0.0.1:"), "{}", server.ready);
    for flag in ["pimp", "pimp-ws"] {
        let ports: Vec<u16> = server.ports(flag).iter().map(|address| address.port()).collect();
        assert!(ports[0] != 0 && ports == [ports[0], ports[0] + 1, ports[0] + 2], "{ports:?}");
    }
    let games: Vec<u32> = server.ports("pimp").iter().map(|port| handshake(&mut tcp(*port))).collect();
    assert!(games[0] != games[1] && games[1] != games[2] && games[0] != games[2], "{games:?}");
}

#[test]
fn a_seed_gives_the_same_game_again() {
    let game = |seed: &str| handshake(&mut Server::start(&["--seed", seed]).tcp());
    assert_eq!(game("0123"), game("0123"));
    assert_ne!(game("0123"), game("0124"));
}

#[test]
fn what_is_off_is_off() {
    let mut command = parlor();
    command.args(["--pimp", "off", "--pimp-ws", "off", "--http", "127.0.0.1:0", "--log", "warn"]);
    let server = Server::spawn(command);
    assert!(
        server
            .ready
            .starts_with("ready pimp=off pimp-ws=off yard=off yard-ws=off venus=off venus-ws=off http=127.0.0.1:"),
        "{}",
        server.ready
    );
}

#[test]
fn a_flag_beats_the_environment_and_that_the_file() {
    let folder = scratch("precedence");
    let file = folder.join("parlor.toml");
    std::fs::write(&file, "pimp = \"off\"\npimp-ws = \"off\"\nhttp = [\"127.0.0.1:0\"]\nlog = \"warn\"\n").unwrap();
    let mut command = parlor();
    command.arg("--config").arg(&file).env("PARLOR_PIMP", "127.0.0.1:0").env("PARLOR_HTTP", "127.0.0.1:0");
    command.args(["--http", "off"]);
    let server = Server::spawn(command);
    assert!(server.ready.starts_with("ready pimp=127.0.0.1:"), "{}", server.ready);
    assert!(
        server.ready.ends_with(" pimp-ws=off yard=off yard-ws=off venus=off venus-ws=off http=off"),
        "{}",
        server.ready
    );
}

#[test]
fn a_fault_is_one_sentence_and_exit_code_2() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let folder = scratch("faults");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (unknown, torn) = (file("unknown.toml", "colour = 3\n"), file("torn.toml", "rate = \n"));
    let (value, empty) = (file("value.toml", "rate = \"many\"\n"), file("empty.pem", ""));
    let list = file("list.toml", "rate = [1, 2]\n");
    let others = ["--pimp-ws", "off", "--http", "off", "--pimp"];
    let cases: &[(&[&str], &str)] = &[
        (&["127.0.0.1:0", "--no-such-flag"], "--no-such-flag"),
        (&["127.0.0.1:0", "--rate", "many"], "--rate"),
        (&["somewhere"], "--pimp"),
        (&[&taken], "the port is in use"),
        (&["127.0.0.1:0", "--config", "no-such-file.toml"], "no-such-file.toml"),
        (&["127.0.0.1:0", "--config", &unknown], "there is no setting `colour`"),
        (&["127.0.0.1:0", "--config", &torn], "line 1"),
        (&["127.0.0.1:0", "--config", &list], "`rate` is one value, not a list"),
        (&["127.0.0.1:0", "--config", &value], "value.toml"),
        (&["127.0.0.1:0", "--tls-cert", &empty, "--tls-key", &empty], "certificate"),
        (&["127.0.0.1:0", "--tls-cert", &empty], "--tls-key"),
        (&["127.0.0.1:0", "--seed", "xyz"], "--seed"),
        (&["127.0.0.1:0", "--log", "parlor=loud"], "--log"),
        (&["127.0.0.1:0", "--log", "wran"], "`wran` is no level"),
        (&["127.0.0.1:0", "--token", ""], "--token"),
    ];
    for (arguments, word) in cases {
        let output = run(&[&others[..], arguments].concat());
        let (out, text) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.starts_with("parlor: ") && text.lines().count() == 1, "{arguments:?}: {text}");
        assert!(text.contains(word), "{arguments:?}: {text}");
        // The file is named once.
        assert!(text.matches(".toml").count() <= 1, "{arguments:?}: {text}");
        assert_eq!(out, "", "{arguments:?}");
    }
}

#[test]
fn sigterm_closes_cleanly() {
    let mut server = Server::start(&[]);
    let mut clients = [server.tcp(), server.tcp()];
    clients.iter_mut().for_each(|client| _ = handshake(client));
    server.terminate();
    for client in &mut clients {
        // The end of the stream, not a reset.
        assert_eq!(client.read_to_end(&mut Vec::new()).unwrap(), 0);
    }
    drop(clients);
    assert!(server.wait().success());
}

#[test]
fn systemd_is_told() {
    let path = scratch("notify").join("socket");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut command = parlor();
    command.args(["--pimp", "127.0.0.1:0", "--pimp-ws", "off", "--http", "off", "--log", "warn"]);
    let server = Server::spawn({
        command.env("NOTIFY_SOCKET", &path);
        command
    });
    let heard = || {
        let mut buffer = [0; 64];
        let n = socket.recv(&mut buffer).unwrap();
        String::from_utf8(buffer[..n].to_vec()).unwrap()
    };
    assert_eq!(heard(), "READY=1");
    server.terminate();
    assert_eq!(heard(), "STOPPING=1");
}

#[test]
fn too_many_connections_are_closed_at_once() {
    for limit in ["--max-per-address", "--max-connections"] {
        let server = Server::start(&[limit, "2"]);
        let (mut first, mut second, mut third) = (server.tcp(), server.tcp(), server.tcp());
        // Accepted in order: the third is one too many.
        assert_eq!(third.read(&mut [0]).unwrap_or_default(), 0);
        handshake(&mut first);
        handshake(&mut second);
        // Whoever leaves makes room; when the server takes note of it is not for us to say.
        drop(second);
        let mut tries = 0;
        loop {
            let mut fourth = server.tcp();
            let _ = fourth.write_all(common::HELLO);
            if fourth.read(&mut [0]).is_ok_and(|n| n == 1) {
                break;
            }
            tries += 1;
            assert!(tries < 10_000, "no room was made");
        }
        handshake(&mut first);
    }
}

#[test]
fn garbage_and_endless_frames_harm_nobody_else() {
    let server = Server::start(&["--rate", "0"]);
    let mut honest = server.tcp();
    let game = handshake(&mut honest);
    for rubbish in [&[0x02, 0xFF][..], &[0xEE; 4096], b"GET / HTTP/1.1\r\n\r\n", &[0x16, 0x03, 0x01, 0x00]] {
        let mut stranger = server.tcp();
        let _ = stranger.write_all(rubbish);
        assert_eq!(handshake(&mut honest), game);
    }
}

#[test]
fn whoever_comes_and_goes_leaves_nothing_behind() {
    let server = Server::start(&[]);
    let mut honest = server.tcp();
    let game = handshake(&mut honest);
    for _ in 0..1_000 {
        drop(server.tcp());
    }
    assert_eq!(handshake(&mut honest), game);
    // When the server has taken note of the last of them is not for us to say.
    while !server.http("GET", "/metrics", &[]).1.contains("\nparlor_links 1\n") {}
}
