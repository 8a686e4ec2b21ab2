//! Whole games of bots against the real program.

use crate::common::{Server, run, scratch};

/// As fast as they can.
const HASTE: [&str; 6] = ["--rate", "0", "--claim-grace", "0.2", "--vote-pause", "0.01"];

#[test]
fn bots_play_to_the_end_over_every_transport() {
    let data = scratch("bots");
    let tls = ["--tls", "self-signed", "--data", data.to_str().unwrap()];
    let server = Server::start(&[&HASTE[..], &tls, &["--seed", "07", "--farewell", "0.5"]].concat());
    let (tcp, ws) = (server.port("pimp"), server.port("pimp-ws"));
    let targets = [format!("{tcp}"), format!("tls://{tcp}"), format!("ws://{ws}/"), format!("wss://{ws}/")];
    for target in targets {
        let output = run(&["bot", "--connect", &target, "--players", "3", "--seed", "5", "--insecure"]);
        let (text, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{target}: {error}");
        assert!(text.trim_end().ends_with(" won") && text.lines().count() == 1, "{target}: {text}");
    }
}

#[test]
fn the_server_seats_its_own() {
    let server = Server::start(&[&HASTE[..], &["--seed", "09", "--farewell", "3600"]].concat());
    let first = game(&server);
    assert_eq!(server.http("POST", "/tables/2/bots", &[]).0, 404);
    for _ in 0..2 {
        assert_eq!(server.http("POST", "/tables/1/bots", &[]).0, 202);
    }
    // Somebody wins, both leave, and the next game has another number.
    while game(&server) == first {}
}

/// The number of the game at table 1.
fn game(server: &Server) -> u64 {
    let (_, body) = server.http("GET", "/tables", &[]);
    let list: serde_json::Value = serde_json::from_str(&body).unwrap();
    list["tables"][0]["number"].as_u64().unwrap()
}
