//! The lobby over real sockets: where newcomers sit, how they come back, and what becomes of the tables.

use std::collections::{HashMap, HashSet};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;

use crate::common::{self, HELLO, PATIENCE, Server, handshake, parlor, scratch, tcp, tls, ws};
use parlor_core::pimp::wire::{FRAME_MAX, Message, Name};

const HASTE: [&str; 8] = ["--rate", "0", "--claim-grace", "0.2", "--vote-pause", "0.01", "--password-pause", "0"];

fn start(arguments: &[&str]) -> Server {
    Server::start(&[&["--pimp-lobby", "127.0.0.1:0"], &HASTE[..], arguments].concat())
}

fn encode(message: &Message<'_>) -> Vec<u8> {
    let mut frame = [0; FRAME_MAX];
    let n = message.encode(&mut frame).unwrap();
    frame[..n].to_vec()
}

/// A seat, as its owner must remember it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seat {
    game: u32,
    player: u8,
    password: u32,
}

impl Seat {
    fn rejoin(&self) -> Vec<u8> {
        encode(&Message::Rejoin { player: self.player, password: self.password })
    }
}

/// A client that lets everybody in; what else it hears can be asked for.
struct Guest {
    stream: TcpStream,
    heard: Receiver<Vec<u8>>,
}

impl Guest {
    fn at(address: SocketAddr) -> Self {
        let stream = tcp(address);
        let (tell, heard) = channel();
        let other = stream.try_clone().unwrap();
        thread::spawn(move || listen(other, &tell));
        Self { stream, heard }
    }

    fn say(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    /// The next message.
    fn hear(&self) -> Vec<u8> {
        self.heard.recv_timeout(PATIENCE).expect("something should be said")
    }

    /// The next message is a HANDSHAKE_ACKNOWLEDGE; its game.
    fn game(&self) -> u32 {
        let frame = self.hear();
        let [0x01, 4, game @ ..] = &frame[..] else { panic!("{frame:02x?} is no HANDSHAKE_ACKNOWLEDGE") };
        u32::from_be_bytes(game.try_into().unwrap())
    }

    fn is_welcome_back(&self, seat: &Seat) -> bool {
        matches!(&self.hear()[..], [0x0B, _, player, ..] if *player == seat.player)
    }

    fn join(&mut self, name: &str, play: bool) {
        self.say(&encode(&Message::Join { piece: 0, play, name: Name::new(name.as_bytes()).unwrap() }));
    }

    /// Sits down as a player.
    fn sit(address: SocketAddr, name: &str) -> (Self, Seat) {
        let mut guest = Self::at(address);
        guest.say(HELLO);
        let game = guest.game();
        guest.join(name, true);
        loop {
            let frame = guest.hear();
            if let Ok(Message::WelcomeDetails { player, password }) = Message::from_server(frame[0], &frame[2..]) {
                return (guest, Seat { game, player, password });
            }
            assert_eq!(frame, [0x10, 0], "only JOIN_PENDING may come before");
        }
    }
}

fn listen(mut stream: TcpStream, tell: &Sender<Vec<u8>>) {
    loop {
        let mut frame = vec![0; 2];
        if stream.read_exact(&mut frame).is_err() {
            return;
        }
        let length = usize::from(frame[1]);
        frame.resize(2 + length, 0);
        stream.read_exact(&mut frame[2..]).unwrap();
        match Message::from_server(frame[0], &frame[2..]) {
            Ok(Message::QueryJoinPlay { candidate, .. } | Message::QueryJoinObserve { candidate, .. }) => {
                let _ = stream.write_all(&encode(&Message::AcceptJoin { candidate }));
            }
            _ => _ = tell.send(frame),
        }
    }
}

/// A figure of `/metrics`.
fn figure(server: &Server, name: &str) -> u64 {
    let (_, page) = server.http("GET", "/metrics", &[]);
    let line = page.lines().find_map(|line| line.strip_prefix(&format!("parlor_{name} ")));
    line.unwrap_or_else(|| panic!("no {name} in {page}")).parse().unwrap()
}

#[test]
fn twenty_fill_three_tables_and_find_back() {
    let server = start(&[]);
    let lobby = server.port("pimp-lobby");
    let (mut guests, seats): (Vec<Guest>, Vec<Seat>) =
        (0..20).map(|n| Guest::sit(lobby, &format!("guest {n}"))).unzip();
    let mut tables: HashMap<u32, usize> = HashMap::new();
    seats.iter().for_each(|seat| *tables.entry(seat.game).or_default() += 1);
    assert_eq!([seats[0], seats[8], seats[16]].map(|seat| tables[&seat.game]), [8, 8, 4]);
    assert_eq!(seats.iter().map(|seat| seat.password).collect::<HashSet<_>>().len(), 20);
    assert_eq!(figure(&server, "lobby_tables"), 3);
    assert_eq!(figure(&server, "players"), 20);

    // From a new connection, while the old one still stands or not: the handshake names the table that fills, the
    // answer to REJOIN begins with the table of the seat.
    let filling = seats[16].game;
    drop(guests.remove(3));
    for (index, at_once) in [(3, false), (9, false), (1, true), (8, true)] {
        let mut guest = Guest::at(lobby);
        if at_once {
            guest.say(&[HELLO, &seats[index].rejoin()].concat());
            assert_eq!(guest.game(), filling);
        } else {
            guest.say(HELLO);
            assert_eq!(guest.game(), filling);
            guest.say(&seats[index].rejoin());
        }
        assert_eq!(guest.game(), seats[index].game);
        assert!(guest.is_welcome_back(&seats[index]));
        // A dump follows, and the table is the right one.
        assert_eq!(guest.hear(), [0x12, 1, 0]);
        guest.say(HELLO);
        while guest.hear() != [&[0x01, 4], &seats[index].game.to_be_bytes()[..]].concat() {}
        guests.push(guest);
    }
    // Byte by byte.
    let mut guest = Guest::at(lobby);
    for byte in [HELLO, &seats[10].rejoin()].concat() {
        guest.say(&[byte]);
    }
    assert_eq!((guest.game(), guest.game()), (filling, seats[10].game));
    assert!(guest.is_welcome_back(&seats[10]));
    // Who belongs to the table that fills has heard its number already.
    let mut guest = Guest::at(lobby);
    guest.say(&[HELLO, &seats[17].rejoin()].concat());
    assert_eq!(guest.game(), filling);
    assert!(guest.is_welcome_back(&seats[17]));
    assert_eq!(figure(&server, "lobby_wrong_passwords_total"), 0);
}

#[test]
fn a_killed_lobby_comes_back_with_every_table_and_no_password_twice() {
    let data = scratch("lobby-killed");
    let at_home = || start(&["--data", data.to_str().unwrap()]);
    let server = at_home();
    let lobby = server.port("pimp-lobby");
    let (_guests, seats): (Vec<Guest>, Vec<Seat>) = (0..18).map(|n| Guest::sit(lobby, &format!("guest {n}"))).unzip();
    rustix::process::kill_process(server.pid(), rustix::process::Signal::KILL).unwrap();
    drop(server);

    let server = at_home();
    let lobby = server.port("pimp-lobby");
    assert_eq!(figure(&server, "lobby_tables"), 3);
    assert_eq!(figure(&server, "players"), 18);
    let mut back = Vec::new();
    for seat in &seats {
        let mut guest = Guest::at(lobby);
        guest.say(&[HELLO, &seat.rejoin()].concat());
        // The table that fills comes first, unless it is the seat's own.
        if guest.game() != seat.game {
            assert_eq!(guest.game(), seat.game);
        }
        assert!(guest.is_welcome_back(seat));
        back.push(guest);
    }
    // Newcomers get seats whose passwords nobody has had.
    let (_new, fresh): (Vec<Guest>, Vec<Seat>) = (0..4).map(|n| Guest::sit(lobby, &format!("late {n}"))).unzip();
    let all: HashSet<u32> = seats.iter().chain(&fresh).map(|seat| seat.password).collect();
    assert_eq!(all.len(), 22);
    let _ = std::fs::remove_dir_all(data);
}

#[test]
fn a_crowd_that_shakes_hands_at_once_gets_seats() {
    let server = start(&["--max-players", "3"]);
    let lobby = server.port("pimp-lobby");
    let mut guests: Vec<Guest> = (0..9).map(|_| Guest::at(lobby)).collect();
    guests.iter_mut().for_each(|guest| guest.say(HELLO));
    let games: HashSet<u32> = guests.iter().map(Guest::game).collect();
    assert_eq!(games.len(), 3);
    for (n, guest) in guests.iter_mut().enumerate() {
        guest.join(&format!("guest {n}"), true);
    }
    for guest in &guests {
        while guest.hear()[0] != 0x03 {}
    }
    assert_eq!(figure(&server, "players"), 9);
}

#[test]
fn a_wrong_password_is_answered_once_and_counted_by_address() {
    let limits = ["--lobby-guesses", "3", "--wrong-passwords", "100", "--join-timeout", "5"];
    let server = start(&[&["--max-players", "1"][..], &limits].concat());
    let lobby = server.port("pimp-lobby");
    let seats: Vec<(Guest, Seat)> = (0..3).map(|n| Guest::sit(lobby, &format!("guest {n}"))).collect();
    let seat = seats[1].1;
    let mut eve = Guest::at(lobby);
    eve.say(HELLO);
    eve.game();
    for guess in 0..3 {
        eve.say(&Seat { password: seat.password ^ (1 << guess), ..seat }.rejoin());
        eve.say(HELLO);
        assert_eq!(eve.hear(), [0xF4, 0], "one answer, then the handshake's");
        eve.game();
    }
    // Now even the right one is not looked at, on this connection and on any other from here; whoever sits, sits.
    let is_sent_away = |mut guest: Guest| {
        guest.say(&[HELLO, &seat.rejoin()].concat());
        guest.game();
        guest.heard.recv_timeout(PATIENCE).is_err_and(|end| end == RecvTimeoutError::Disconnected)
    };
    assert!(is_sent_away(eve));
    // It connects only now: while the first one waits, its own time to join would pass.
    assert!(is_sent_away(Guest::at(lobby)));
    assert_eq!(figure(&server, "lobby_wrong_passwords_total"), 3);
    while figure(&server, "links") > 3 {}
    // Newcomers from there can still join.
    Guest::sit(lobby, "eve");
}

#[test]
fn tables_are_retired_and_made_again() {
    let server = start(&["--max-players", "1", "--deserted", "0.1"]);
    let lobby = server.port("pimp-lobby");
    let (guests, seats): (Vec<Guest>, Vec<Seat>) = (0..4).map(|n| Guest::sit(lobby, &format!("guest {n}"))).unzip();
    assert_eq!(figure(&server, "lobby_tables"), 4);
    let before = figure(&server, "commands_total");
    assert_eq!(before, 8);
    for guest in &guests {
        guest.stream.shutdown(std::net::Shutdown::Both).unwrap();
    }
    // Nobody for a while: only the table where the next one sits is kept. What was counted stays counted.
    while figure(&server, "lobby_tables") > 1 {}
    assert_eq!((figure(&server, "lobby_retired_total"), figure(&server, "commands_total")), (3, before));
    while figure(&server, "users") > 0 {}
    let again: Vec<(Guest, Seat)> = (0..3).map(|n| Guest::sit(lobby, &format!("guest {n}"))).collect();
    assert_eq!((figure(&server, "lobby_tables"), figure(&server, "lobby_made_total")), (3, 6));
    // New games, new passwords; the old ones are worth nothing.
    let numbers = |seat: &Seat| [seat.game, seat.password];
    let known: HashSet<u32> = seats.iter().flat_map(numbers).collect();
    assert!(again.iter().all(|(_, seat)| numbers(seat).iter().all(|number| !known.contains(number))));
    for seat in &seats {
        let mut guest = Guest::at(lobby);
        guest.say(&[HELLO, &seat.rejoin()].concat());
        guest.game();
        assert_eq!(guest.hear(), [0xF4, 0]);
    }
}

#[test]
fn a_full_lobby_says_so_and_still_takes_its_own_back() {
    let server = start(&["--max-players", "1", "--lobby-tables", "2"]);
    let lobby = server.port("pimp-lobby");
    let (guests, seats): (Vec<Guest>, Vec<Seat>) = (0..2).map(|n| Guest::sit(lobby, &format!("guest {n}"))).unzip();
    for _ in 0..3 {
        let mut late = Guest::at(lobby);
        late.say(HELLO);
        let game = late.game();
        assert!(seats.iter().any(|seat| seat.game == game));
        late.join("late", true);
        assert_eq!(late.hear(), [0xF1, 0]);
    }
    assert_eq!(figure(&server, "lobby_late_total"), 3);
    // Watchers are voted on, as at any table.
    let mut watcher = Guest::at(lobby);
    watcher.say(HELLO);
    watcher.game();
    watcher.join("watcher", false);
    while watcher.hear()[0] != 0x03 {}
    drop(guests);
    for seat in &seats {
        let mut guest = Guest::at(lobby);
        guest.say(&[HELLO, &seat.rejoin()].concat());
        if guest.game() != seat.game {
            assert_eq!(guest.game(), seat.game);
        }
        assert!(guest.is_welcome_back(seat));
    }
    assert_eq!(figure(&server, "lobby_tables"), 2);
}

#[test]
fn the_silent_take_nobodys_place() {
    let server = start(&["--lobby-tables", "1", "--join-timeout", "0.3"]);
    let lobby = server.port("pimp-lobby");
    // More than a table has links.
    let mut silent: Vec<TcpStream> = (0..40).map(|_| tcp(lobby)).collect();
    let (_guest, _) = Guest::sit(lobby, "guest");
    for stream in &mut silent {
        assert_eq!(stream.read(&mut [0]).unwrap(), 0, "closed in time, and cleanly");
    }
}

#[test]
fn the_same_lobby_over_tls_and_websocket() {
    let data = scratch("lobby-tls");
    let server = start(&["--tls", "self-signed", "--data", data.to_str().unwrap()]);
    let lobby = server.port("pimp-lobby");
    let game = handshake(&mut tcp(lobby));
    assert_eq!(handshake(&mut tls(tcp(lobby))), game);
    let mut socket = ws(tcp(server.port("http")), "/ws/pimp/lobby");
    socket.send(HELLO.to_vec().into()).unwrap();
    let answer = socket.read().unwrap().into_data();
    assert_eq!(answer[..], [&[0x01, 4], &game.to_be_bytes()[..]].concat()[..]);
    // The house's own tables are other tables.
    assert_ne!(handshake(&mut server.tcp()), game);
}

#[test]
fn whoever_runs_it_sees_it() {
    let server = start(&["--lobby-tables", "7"]);
    assert!(server.ready.contains(" pimp-lobby=127.0.0.1:"), "{}", server.ready);
    let (_guest, seat) = Guest::sit(server.port("pimp-lobby"), "guest");
    let (_, body) = server.http("GET", "/tables", &[]);
    let list: serde_json::Value = serde_json::from_str(&body).unwrap();
    let lobby = &list["lobbies"][0];
    assert_eq!((lobby["limit"].as_u64(), lobby["filling"].as_u64()), (Some(7), Some(1)));
    assert_eq!(lobby["tables"][0]["number"].as_u64(), Some(seat.game.into()));
    assert_eq!(lobby["tables"][0]["players"].as_u64(), Some(1));
    let output = common::run(&["status", "--http", &server.port("http").to_string()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\nlobby of pimp: 1 tables of at most 7, 1 users, 1 players, 1 connected\n"), "{text}");
    // Without the flag there is none.
    let server = Server::start(&[]);
    assert!(!server.ready.contains("lobby"), "{}", server.ready);
    assert_eq!(server.http("GET", "/ws/pimp/lobby", &[]).0 / 100, 4);
    assert!(server.http("GET", "/tables", &[]).1.contains("\"lobbies\":[]"));
}

#[test]
fn sigterm_closes_the_lobby_cleanly() {
    let mut server = start(&[]);
    let (mut silent, mut spoken) = (tcp(server.port("pimp-lobby")), tcp(server.port("pimp-lobby")));
    handshake(&mut spoken);
    server.terminate();
    for stream in [&mut silent, &mut spoken] {
        assert_eq!(stream.read_to_end(&mut Vec::new()).unwrap(), 0);
    }
    drop((silent, spoken));
    assert!(server.wait().success());
}

#[test]
fn bots_play_whole_games_at_once() {
    // Two a table: whoever comes finds somebody, in whatever order they come. Plain, for two shrewd ones may be too careful
    // ever to end.
    let server = start(&["--max-players", "2", "--farewell", "0.5", "--seed", "0b"]);
    let (lobby, http) = (server.port("pimp-lobby"), server.port("http"));
    let targets = [lobby.to_string(), format!("ws://{http}/ws/pimp/lobby")];
    let evenings: Vec<_> = (0..4)
        .map(|n| {
            let target = &targets[n % 2];
            let seed = n.to_string();
            let arguments = ["bot", "--connect", target, "--players", "2", "--strength", "plain", "--seed", &seed];
            parlor().args(arguments).stdout(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut winners = 0;
    for evening in evenings {
        let output = evening.wait_with_output().unwrap();
        assert!(output.status.success());
        winners += String::from_utf8(output.stdout).unwrap().lines().filter(|line| line.ends_with(" won")).count();
    }
    assert_eq!(winners, 4);
    while figure(&server, "lobby_tables") > 1 {}
    assert!(figure(&server, "lobby_made_total") >= 1);
}
