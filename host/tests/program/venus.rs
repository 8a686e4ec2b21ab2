//! Merchant of Venus with the real program: whole games, a restart, bots, and where the first client finds its windows.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;

use crate::common::{Server, parlor, run, scratch, tcp};
use rustix::process::{Signal, kill_process};

const VENUS: [&str; 4] = ["--venus", "127.0.0.1:0", "--rate", "0"];

fn start(more: &[&str]) -> Server {
    Server::start(&[&VENUS[..], more].concat())
}

/// One user: says a line, and hears what comes of it.
struct Client {
    stream: BufReader<TcpStream>,
    name: String,
    marks: u32,
}

impl Client {
    fn login(address: SocketAddr, name: &str) -> Self {
        let mut client = Self { stream: BufReader::new(tcp(address)), name: name.to_owned(), marks: 0 };
        client.send(&format!("LOGIN,{name},pw"));
        while client.line() != format!("INHABITANT,{name},Great Hall") {}
        client
    }

    fn send(&mut self, line: &str) {
        self.stream.get_mut().write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.stream.read_line(&mut line).unwrap() > 0, "{} was closed", self.name);
        line.trim_end().to_owned()
    }

    /// All that comes up to what one says to oneself.
    fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.marks += 1;
        let (name, mark) = (self.name.clone(), self.marks);
        self.send(&format!("PLAYERTALK,{name},{mark}"));
        let end = format!("MESSAGE,({name}) {mark}");
        std::iter::repeat_with(|| self.line()).take_while(|line| *line != end).collect()
    }
}

#[test]
fn a_client_of_another_making_plays_whole_games() {
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/clients/venus.py");
    for (players, seed) in [("2", "03"), ("3", "04")] {
        let server = start(&["--seed", seed]);
        let [host, port] = [server.port("venus").ip().to_string(), server.port("venus").port().to_string()];
        let output = Command::new("python3").args([client, &host, &port, players, seed]).output();
        let output = output.expect("python3 is needed (Debian: apt install python3)");
        let (said, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && said.contains(" won after "), "{players} players: {said}{wrong}");
        // With cuts: whoever lost the connection logged in again and knew what all knew.
        assert!(!said.contains(" 0 cuts"), "{said}");
        print!("{said}");
    }
}

#[test]
fn bots_play_to_the_end_over_every_transport() {
    let data = scratch("venus-transports");
    let tls = ["--tls", "self-signed", "--data", data.to_str().unwrap(), "--venus-ws", "127.0.0.1:0"];
    let server = start(&tls);
    let (plain, web, http) = (server.port("venus"), server.port("venus-ws"), server.port("http"));
    let targets = [format!("{plain}"), format!("ws://{web}/"), format!("wss://{http}/ws/venus")];
    for (players, target) in (2..=4).zip(targets) {
        let players = players.to_string();
        let room = format!("the game of {players}");
        let more = ["--table", &room, "--players", &players, "--seed", "5", "--insecure"];
        let output = run(&[&["bot", "--game", "venus", "--connect", &target][..], &more].concat());
        let (text, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{target}: {error}");
        assert!(text.lines().any(|line| line.ends_with(" won")), "{target}: {text}");
    }
    fs::remove_dir_all(data).unwrap();
}

fn start_in(data: &Path) -> Server {
    start(&["--data", data.to_str().unwrap(), "--seed", "07"])
}

/// Everything that was heard is there again after the power has failed: accounts, the room, seats, the saved game.
#[test]
fn a_game_outlives_the_program() {
    let data = scratch("venus-restart");
    let mut server = start_in(&data);
    let address = server.port("venus");
    let [mut ann, mut bob] = ["ann", "bob"].map(|name| Client::login(address, name));
    ann.ask("NEWROOM,den");
    ann.ask("CHANGEROOM,den");
    bob.ask("CHANGEROOM,den");
    ann.ask("NEWGAME,MerchantOfVenus");
    ann.ask("JOIN");
    bob.ask("JOIN");
    ann.ask("VALIDATESETUP");
    ann.ask("LIKEOPTIONS");
    bob.ask("LIKEOPTIONS");
    assert_eq!(ann.ask("SAVEGAME,evening").last().unwrap(), "SAVEGAMES,evening");
    let before = bob.ask("CHANGEROOM,den");
    kill_process(server.pid(), Signal::KILL).unwrap();
    server.wait();
    let server = start_in(&data);
    let mut bob = Client::login(server.port("venus"), "bob");
    let after = bob.ask("CHANGEROOM,den");
    let game = |lines: &[String]| {
        let from = lines.iter().position(|line| line.starts_with("RESET")).unwrap();
        lines[from..].iter().filter(|line| !line.starts_with("INHABITANT")).cloned().collect::<Vec<_>>()
    };
    assert_eq!(game(&after), game(&before));
    assert!(after.contains(&"SAVEGAMES,evening".to_owned()) && after.contains(&"IAM,1".to_owned()));
    drop(server);
    fs::remove_dir_all(data).unwrap();
}

/// What a newcomer is told of the directory.
fn directory(server: &Server) -> String {
    let mut stream = BufReader::new(tcp(server.port("venus")));
    stream.get_mut().write_all(b"LOGIN,ann,pw\n").unwrap();
    loop {
        let mut line = String::new();
        assert!(stream.read_line(&mut line).unwrap() > 0);
        if let Some(rest) = line.strip_prefix("NEWGUI,ROOMGUI,") {
            return rest.split(',').next().unwrap_or_default().to_owned();
        }
    }
}

#[test]
fn the_first_client_is_told_where_its_windows_are() {
    assert_eq!(directory(&start(&[])), "http://localhost/venus");
    assert_eq!(directory(&start(&["--venus-gui", "file:///srv/venus"])), "file:///srv/venus");
    // Like any setting: by a variable, and by a file that gives way to it.
    let folder = scratch("venus-gui");
    let file = folder.join("parlor.toml");
    fs::write(&file, "venus-gui = \"http://example.org/file\"\n").unwrap();
    let begin = |variable: Option<&str>| {
        let mut command = parlor();
        command.args(["--pimp", "off", "--pimp-ws", "off", "--http", "off", "--venus", "127.0.0.1:0", "--log", "warn"]);
        command.args(["--config", file.to_str().unwrap()]);
        command.envs(variable.map(|url| ("PARLOR_VENUS_GUI", url)));
        Server::spawn(command)
    };
    assert_eq!(directory(&begin(None)), "http://example.org/file");
    assert_eq!(directory(&begin(Some("http://example.org/variable"))), "http://example.org/variable");
    fs::remove_dir_all(folder).unwrap();
    for bad in ["venus", "http://a/b,c", "http://a/%20", &format!("http://a/{}", "x".repeat(96))] {
        let output = run(&["--venus-gui", bad]);
        assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("absolute URL"), "{bad}");
    }
}
