//! Scotland Yard with the real program: whole games, restarts, bots, and clients that mean no good.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Server, run, scratch, tcp, ws};
use parlor_core::yard::bot::{Bot, Strength};
use parlor_core::yard::view::View;
use parlor_core::yard::wire::Said;
use rustix::process::{Signal, kill_process};

const YARD: [&str; 4] = ["--yard", "127.0.0.1:0", "--rate", "0"];

fn start(more: &[&str]) -> Server {
    Server::start(&[&YARD[..], more].concat())
}

/// With dice that make a long game; `YARD_SEED` for others.
fn start_in(data: &Path) -> Server {
    let seed = std::env::var("YARD_SEED").unwrap_or("05".into());
    start(&["--data", data.to_str().unwrap(), "--seed", &seed])
}

/// An empty folder.
fn fresh(name: &str) -> PathBuf {
    let data = scratch(name);
    fs::remove_dir_all(&data).unwrap();
    data
}

/// Dies without a word, as when the power fails.
fn kill(mut server: Server) {
    kill_process(server.pid(), Signal::KILL).unwrap();
    server.wait();
}

fn stop(mut server: Server) {
    server.terminate();
    assert!(server.wait().success());
}

/// One player at a terminal: asks, and waits for the answer.
struct Client {
    stream: BufReader<TcpStream>,
    asked: u32,
    view: View,
    bot: Bot,
}

impl Client {
    fn connect(address: SocketAddr, name: &str) -> Self {
        let bot = Bot::new(Strength::Shrewd, name.len() as u32);
        let mut client = Self { stream: BufReader::new(tcp(address)), asked: 0, view: View::new(name), bot };
        assert_eq!(client.ask("protocol 2.0"), "ok");
        client
    }

    fn login(address: SocketAddr, name: &str) -> Self {
        let mut client = Self::connect(address, name);
        assert_eq!(client.ask(&format!("login {name} secret-of-{name}")), "ok");
        client
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        assert!(line.ends_with("\r\n"), "{line:?} is no line");
        let line = line.trim_end().to_owned();
        let mut room = vec![0; line.len()];
        self.view.take(&Said::parse(line.as_bytes(), &mut room).expect("a line of the protocol"));
        line
    }

    fn send(&mut self, command: &str) -> String {
        self.asked += 1;
        let tag = format!("#{}", self.asked);
        self.stream.get_mut().write_all(format!("{tag} {command}\r\n").as_bytes()).unwrap();
        tag
    }

    /// The answer, without its tag.
    fn ask(&mut self, command: &str) -> String {
        let tag = self.send(command);
        loop {
            if let Some(answer) = self.line().strip_prefix(&format!("{tag} ")) {
                return answer.to_owned();
            }
        }
    }

    /// Hears until it is somebody's turn, or nobody's any more.
    fn advance(&mut self) {
        while !self.line().starts_with("* turn ") && self.view.winner().is_none() {}
    }

    fn history(&mut self) -> Vec<String> {
        assert_eq!(self.ask("history"), "ok");
        let mut lines = Vec::new();
        while lines.last().is_none_or(|line| line != "* history end") {
            lines.push(self.line());
        }
        lines
    }

    /// What its bot would say, if it is its turn.
    fn next_move(&mut self) -> Option<String> {
        let command = self.bot.next(&self.view)?;
        let mut line = [0; 256];
        let length = command.write("", &mut line).unwrap();
        Some(String::from_utf8_lossy(&line[..length]).trim_end().to_owned())
    }

    /// Moves if it is its turn; was it?
    fn play(&mut self) -> bool {
        let Some(command) = self.next_move() else { return false };
        assert_eq!(self.ask(&command), "ok");
        true
    }
}

/// joe is Mr. X, dan the detectives; the game has begun.
fn begin(address: SocketAddr) -> [Client; 2] {
    let [mut joe, mut dan] = ["joe", "dan"].map(|name| Client::login(address, name));
    assert_eq!(joe.ask("newgame g standard"), "ok");
    assert_eq!(dan.ask("join g"), "ok");
    for player in [&mut joe, &mut dan] {
        assert_eq!(player.ask("votestart True"), "ok");
    }
    let mut players = [joe, dan];
    players.iter_mut().for_each(Client::advance);
    players
}

/// Plays on, at most so many moves.
fn play(players: &mut [Client; 2], moves: usize) {
    for _ in 0..moves {
        if players[0].view.winner().is_some() {
            return;
        }
        assert!(players.iter_mut().any(Client::play), "it must be somebody's turn");
        players.iter_mut().for_each(Client::advance);
    }
}

/// Both come back to their game.
fn come_back(address: SocketAddr) -> [Client; 2] {
    ["joe", "dan"].map(|name| {
        let mut client = Client::login(address, name);
        assert_eq!(client.ask("join g"), "ok");
        client.advance();
        client
    })
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn a_game_goes_on_where_it_was_killed() {
    let data = fresh("yard-kill");
    let mut server = start_in(&data);
    let mut players = begin(server.port("yard"));
    for kills in 1..=4 {
        play(&mut players, 2 * kills);
        assert_eq!(players[0].view.winner(), None, "a game that is over is not kept");
        let told = [players[0].history(), players[1].history()];
        let moves = players[0].view.moves();
        // In the third life a move is on its way: it may have been made or not.
        let in_flight = kills == 3
            && players.iter_mut().any(|player| player.next_move().map(|command| player.send(&command)).is_some());
        kill(server);
        server = start_in(&data);
        let mut stranger = Client::connect(server.port("yard"), "joe");
        assert_eq!(stranger.ask("login joe wrong"), "no \"wrong password\"");
        players = come_back(server.port("yard"));
        let now = players[0].view.moves();
        assert!(now == moves || (in_flight && now > moves), "{moves} moves, then {now}");
        if !in_flight {
            assert_eq!([players[0].history(), players[1].history()], told);
        }
    }
    play(&mut players, 1000);
    assert!(players[0].view.winner().is_some());
    stop(server);

    for file in files(&data) {
        let bytes = fs::read(&file).unwrap();
        assert!(!bytes.windows(9).any(|nine| nine == b"secret-of"), "{} holds a password", file.display());
    }
    let output = run(&["replay", data.to_str().unwrap()]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains(" login \"joe\" (password)") && text.contains("* gameover "), "{text}");
    assert!(!text.contains("xxx") && text.lines().last().unwrap().ends_with(" said again as they were said"));
    fs::remove_dir_all(data).unwrap();
}

/// Nobody moves, and yet moves are made: those that the server made before it was killed are made again from the journal,
/// and it goes on making them.
#[test]
fn a_clock_that_ran_out_is_played_again() {
    let data = fresh("yard-clock");
    let start = || start(&["--data", data.to_str().unwrap(), "--seed", "05", "--move-timeout", "1"]);
    let server = start();
    let mut players = begin(server.port("yard"));
    for _ in 0..3 {
        players.iter_mut().for_each(Client::advance);
    }
    kill(server);
    let server = start();
    let mut players = come_back(server.port("yard"));
    let moves = players[0].view.moves();
    assert!(moves >= 3, "{moves}");
    players[0].advance();
    assert!(players[0].view.moves() > moves);
    stop(server);
    let output = run(&["replay", data.to_str().unwrap()]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.lines().last().unwrap().ends_with(" said again as they were said"), "{text}");
    fs::remove_dir_all(data).unwrap();
}

#[test]
fn a_stopped_server_keeps_its_users_even_while_the_game_is_not_served() {
    let data = fresh("yard-stop");
    let server = start_in(&data);
    let mut players = begin(server.port("yard"));
    play(&mut players, 7);
    let told = players[0].history();
    stop(server);
    let server = Server::start(&["--data", data.to_str().unwrap()]);
    assert!(server.ready.contains(" yard=off "), "{}", server.ready);
    stop(server);
    let server = start_in(&data);
    assert_eq!(come_back(server.port("yard"))[0].history(), told);
    drop(server);
    fs::remove_dir_all(data).unwrap();
}

#[test]
fn bots_that_were_asked_for_play_and_come_back_after_a_restart() {
    let data = fresh("yard-bots");
    let mut server = start_in(&data);
    let mut joe = Client::login(server.port("yard"), "joe");
    assert_eq!(joe.ask("listai"), "aiinfo \"shrewd\"");
    assert_eq!(joe.ask("requestai"), "bad \"not now\"");
    assert_eq!(joe.ask("newgame g standard"), "ok");
    for _ in 0..5 {
        assert_eq!(joe.ask("requestai"), "ok");
    }
    assert_eq!(joe.ask("requestai"), "no \"the game is full\"");
    assert_eq!(joe.ask("votestart True"), "ok");
    joe.advance();
    for _ in 0..3 {
        assert!(joe.play());
        joe.advance();
        while joe.view.to_move().is_none() {
            joe.advance();
        }
    }
    let moves = joe.view.moves();
    assert!(moves >= 18, "{moves}");
    kill(server);
    server = start_in(&data);
    joe = Client::login(server.port("yard"), "joe");
    assert_eq!(joe.ask("join g"), "ok");
    joe.advance();
    assert_eq!(joe.view.moves(), moves);
    while joe.view.winner().is_none() {
        joe.play();
        joe.advance();
    }
    drop(server);
    fs::remove_dir_all(data).unwrap();
}

/// Bots do not keep a game that nobody else is in, nor do they make one.
#[test]
fn bots_leave_with_the_last_player() {
    let server = start(&[]);
    let mut joe = Client::login(server.port("yard"), "joe");
    assert_eq!(joe.ask("newgame g standard"), "ok");
    assert_eq!(joe.ask("requestai"), "ok");
    assert_eq!(joe.ask("leave"), "ok");
    while joe.line() != "* gameremoved g" {}
    let off = start(&["--yard-bots", "off"]);
    let mut joe = Client::login(off.port("yard"), "joe");
    assert_eq!(joe.ask("requestai"), "no \"nobody is to be had here\"");
}

#[test]
fn bots_play_to_the_end_over_every_transport() {
    let data = scratch("yard-transports");
    let tls = ["--tls", "self-signed", "--data", data.to_str().unwrap(), "--yard-ws", "127.0.0.1:0"];
    let server = start(&tls);
    let (plain, web, http) = (server.port("yard"), server.port("yard-ws"), server.port("http"));
    let targets = [
        format!("{plain}"),
        format!("tls://{plain}"),
        format!("ws://{web}/"),
        format!("ws://{http}/ws/yard"),
        format!("wss://{http}/ws/yard"),
    ];
    for (players, target) in (2..=6).zip(targets) {
        let players = players.to_string();
        let table = format!("the game of {players}");
        let more = ["--table", &table, "--players", &players, "--seed", "5", "--insecure"];
        let output = run(&[&["bot", "--game", "yard", "--connect", &target][..], &more].concat());
        let (text, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{target}: {error}");
        assert!(!text.is_empty() && text.lines().all(|line| line.ends_with(" won")), "{target}: {text}");
    }
    fs::remove_dir_all(data).unwrap();
}

#[test]
fn a_client_of_another_making_plays_whole_games() {
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/clients/yard.py");
    for seed in ["1", "2"] {
        let server = start(&[]);
        let [host, port] = [server.port("yard").ip().to_string(), server.port("yard").port().to_string()];
        let output = Command::new("python3").args([client, &host, &port, seed]).output();
        let output = output.expect("python3 is needed (Debian: apt install python3)");
        let (said, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && said.contains(" won after "), "seed {seed}: {said}{wrong}");
    }
}

#[test]
fn this_machine_makes_as_many_accounts_as_it_likes_and_guesses_little() {
    let server = start(&["--yard-accounts", "2", "--password-pause", "0", "--lobby-guesses", "2"]);
    let address = server.port("yard");
    drop(["joe", "dan", "ann", "bob"].map(|name| Client::login(address, name)));
    let mut eve = Client::connect(address, "eve");
    // Those who have one are let in, until somebody has guessed too often.
    let mut joe = Client::login(address, "joe");
    assert_eq!(joe.ask("listgames"), "ok");
    for _ in 0..2 {
        assert_eq!(eve.ask("login dan guess"), "no \"wrong password\"");
    }
    assert_eq!(eve.ask("login dan secret-of-dan"), "no \"try again later\"");
}

#[test]
fn abuse_does_not_keep_others_from_playing() {
    let server = start(&[]);
    let address = server.port("yard");
    // A line without an end, and one byte after another.
    let mut endless = tcp(address);
    endless.write_all(&[b'a'; 1 << 20]).unwrap();
    let mut slow = tcp(address);
    // Rubbish.
    let mut rubbish = tcp(address);
    let bytes: Vec<u8> = (0..1 << 16).map(|n: u32| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    rubbish.write_all(&bytes).unwrap();
    // Those who log in and are gone before they are let in.
    for number in 0..20 {
        let mut stream = tcp(address);
        stream.write_all(format!("protocol 2.0\r\nlogin u{number} pw\r\n").as_bytes()).unwrap();
    }
    for byte in b"protocol 2.0\r\n" {
        slow.write_all(&[*byte]).unwrap();
    }
    let mut players = begin(address);
    play(&mut players, 1000);
    assert!(players[0].view.winner().is_some());
    let mut answer = [0; 6];
    slow.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"- ok\r\n");
    endless.write_all(b"\r\nnoop\r\n").unwrap();
    let mut answer = [0; 29];
    endless.read_exact(&mut answer).unwrap();
    assert_eq!(std::str::from_utf8(&answer).unwrap(), "* bad \"line too long\"\r\n- ok\r\n");
}

#[test]
fn a_hall_is_listed_beside_the_tables() {
    let server = start(&[]);
    let players = begin(server.port("yard"));
    let list: serde_json::Value = serde_json::from_str(&server.http("GET", "/tables", &[]).1).unwrap();
    assert_eq!(list["tables"].as_array().unwrap().len(), 1);
    let hall = &list["halls"][0];
    assert_eq!((&hall["game"], &hall["path"]), (&"yard".into(), &"/ws/yard".into()));
    assert_eq!((&hall["games"], &hall["connected"], &hall["players"]), (&1.into(), &2.into(), &2.into()));
    // The front page shows the way to it.
    assert!(server.http("GET", "/lobby", &[]).1.contains("\"games\":[\"pimp\",\"yard\"]"));
    let (_, page) = server.http("GET", "/metrics", &[]);
    let frames = "parlor_frames_total{game=\"yard\",type=\"votestart\",direction=\"in\"} 2";
    for line in ["parlor_tables 1", "parlor_hall_games{game=\"yard\"} 1", frames] {
        assert!(page.contains(line), "no {line} in\n{page}");
    }
    let status = run(&["status", "--http", &server.port("http").to_string()]);
    let text = String::from_utf8_lossy(&status.stdout);
    assert!(text.contains("yard: 1 games, 2 users, 2 players, 2 connected"), "{text}");
    drop(players);
}

/// Each message of the server's is whole lines; what comes may be cut anywhere.
#[test]
fn lines_travel_as_text() {
    use tungstenite::Message;
    let server = start(&[]);
    let mut socket = ws(tcp(server.port("http")), "/ws/yard");
    for part in ["proto", "col 2.0\r", "\nlog", "in zoë pw\r\nlistgames\r\n"] {
        socket.send(Message::Text(part.into())).unwrap();
    }
    let mut heard = String::new();
    while heard.lines().count() < 3 {
        let message = socket.read().unwrap();
        let Message::Text(text) = message else { panic!("{message:?} is no text") };
        assert!(text.ends_with("\r\n"), "{text:?}");
        heard += &text;
    }
    assert_eq!(heard, "- ok\r\n- ok\r\n- ok\r\n");
    let off = Server::start(&[]);
    assert!(off.http("GET", "/lobby", &[]).1.contains("\"games\":[\"pimp\"]"));
    assert_eq!(off.http("GET", "/ws/yard", &[("Upgrade", "websocket"), ("Connection", "Upgrade")]).0 / 100, 4);
}
