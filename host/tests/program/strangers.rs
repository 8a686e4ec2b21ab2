//! What few strangers could do to many, each over real connections: they are counted by what they do and where they come
//! from.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::common::{self, HELLO, PATIENCE, Server, handshake, run, tcp, tcp_from, ws};
use tungstenite::{Message, client::IntoClientRequest as _};

/// What a visitor of a proxy sends.
fn proxied(server: &Server, visitor: &str) -> Option<impl Sized + use<>> {
    let mut request = format!("ws://{}/ws/pimp", server.port("http")).into_client_request().unwrap();
    request.headers_mut().insert("x-forwarded-for", visitor.parse().unwrap());
    tungstenite::client(request, tcp(server.port("http"))).ok()
}

#[test]
fn visitors_of_a_trusted_proxy_are_counted_one_by_one() {
    let server = Server::start(&["--trusted-proxy", "127.0.0.1", "--max-per-address", "2"]);
    let one = [proxied(&server, "192.0.2.1"), proxied(&server, "192.0.2.1")];
    assert!(one.iter().all(Option::is_some));
    assert!(proxied(&server, "192.0.2.1").is_none(), "a third from there");
    // What a visitor writes before the proxy's own word changes nothing.
    assert!(proxied(&server, "192.0.2.7, 192.0.2.1").is_none());
    let other = proxied(&server, "192.0.2.2");
    assert!(other.is_some());
    // No request of a proxy is one of this machine.
    assert_eq!(server.http("GET", "/tables", &[]).0, 401);
    assert_eq!(server.http("GET", "/tables", &[("X-Forwarded-For", "127.0.0.1")]).0, 401);
    // Without a proxy that is trusted, what is said of visitors is not believed.
    let server = Server::start(&["--max-per-address", "2"]);
    let _all = [proxied(&server, "192.0.2.1"), proxied(&server, "192.0.2.2")];
    assert!(proxied(&server, "192.0.2.3").is_none());
}

/// A client's frame without a payload, masked with zeros.
fn empty_frame(first: u8) -> [u8; 6] {
    [first, 0x80, 0, 0, 0, 0]
}

#[test]
fn pings_and_empty_messages_are_counted() {
    let server = Server::start(&["--rate", "0", "--join-timeout", "60"]);
    let mut honest = server.tcp();
    handshake(&mut honest);
    let start = Instant::now();
    let mut socket = ws(tcp(server.port("pimp-ws")), "/");
    for _ in 0..2_000 {
        socket.write(Message::Ping(vec![7].into())).unwrap();
    }
    socket.flush().unwrap();
    let stream = socket.get_mut();
    stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    let (mut pongs, mut answer) = (0, [0; 3]);
    // Each is a head of two bytes and what was sent.
    while stream.read_exact(&mut answer).is_ok() {
        assert_eq!(answer, [0x8A, 1, 7]);
        pongs += 1;
    }
    let most = 16 * (start.elapsed().as_secs() + 2);
    assert!((1..=most).contains(&pongs), "{pongs} answers in {:?}", start.elapsed());
    // What a game says after too many of them waits for its turn, and others do not.
    for kind in [0x8A, 0x82, 0x02] {
        let mut socket = ws(tcp(server.port("pimp-ws")), "/");
        let flood: Vec<u8> = empty_frame(kind).into_iter().chain(empty_frame(0x00).repeat(20_000)).collect();
        let flood = if kind == 0x02 { flood } else { empty_frame(kind).repeat(20_000) };
        let stream: &mut TcpStream = socket.get_mut();
        stream.set_write_timeout(Some(Duration::from_millis(200))).unwrap();
        let _ = stream.write_all(&flood);
        handshake(&mut honest);
    }
}

/// HANDSHAKE and REJOIN as user 1, in one go.
fn guess(stream: &mut TcpStream, password: u32) {
    let [a, b, c, d] = password.to_be_bytes();
    stream.write_all(&[HELLO, &[0x0A, 5, 1, a, b, c, d]].concat()).unwrap();
}

/// The code of the next message that is no HANDSHAKE_ACKNOWLEDGE; `None`: closed.
fn heard(stream: &mut TcpStream) -> Option<u8> {
    loop {
        let mut head = [0; 2];
        stream.read_exact(&mut head).ok()?;
        stream.read_exact(&mut vec![0; usize::from(head[1])]).ok()?;
        if head[0] != 0x01 {
            return Some(head[0]);
        }
    }
}

const WELCOME_BACK: u8 = 0x0B;
const WRONG_PASSWORD: u8 = 0xF4;

/// Sits down to watch, the first at the table; her password.
fn ann(stream: &mut TcpStream) -> u32 {
    handshake(stream);
    stream.write_all(&[0x02, 6, 0, 0, 3, b'a', b'n', b'n']).unwrap();
    let mut details = [0; 7];
    stream.read_exact(&mut details).unwrap();
    let [0x03, 5, 1, password @ ..] = details else { panic!("{details:02x?} is no WELCOME_DETAILS") };
    u32::from_be_bytes(password)
}

fn figure(server: &Server, name: &str) -> u64 {
    let (_, page) = server.http("GET", "/metrics", &[]);
    let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name} in\n{page}")).parse().unwrap()
}

/// Guesses at a table or in a lobby, from one address: three are answered, then they wait, and a right one waits with them.
/// Another address is not concerned, nor is whoever sits.
fn guesses_wait(port: &str, more: &[&str]) {
    let few = ["--lobby-guesses", "3", "--lobby-forgets", "3600", "--join-timeout", "2", "--password-pause", "0"];
    let server = Server::start(&[&few[..], more].concat());
    let mut seated = tcp_from("127.0.0.1", server.port(port));
    let password = ann(&mut seated);
    for _ in 0..3 {
        let mut stranger = tcp_from("127.0.0.2", server.port(port));
        guess(&mut stranger, password ^ 1);
        assert_eq!(heard(&mut stranger), Some(WRONG_PASSWORD));
    }
    // Right, wrong, in one piece or byte by byte: there is no answer, until the time to join is over.
    let mut waiting: Vec<_> = (0..3).map(|_| tcp_from("127.0.0.2", server.port(port))).collect();
    guess(&mut waiting[0], password);
    guess(&mut waiting[1], password ^ 2);
    let [a, b, c, d] = password.to_be_bytes();
    for byte in HELLO.iter().chain(&[0x0A, 5, 1, a, b, c, d]) {
        waiting[2].write_all(&[*byte]).unwrap();
    }
    // A newcomer from there is let in meanwhile, and a neighbour with the right password comes back from elsewhere.
    let mut newcomer = tcp_from("127.0.0.2", server.port(port));
    handshake(&mut newcomer);
    newcomer.write_all(&[0x02, 6, 0, 0, 3, b'b', b'o', b'b']).unwrap();
    assert_eq!(heard(&mut seated).map(|code| code != WRONG_PASSWORD), Some(true), "ann is asked about bob");
    let mut back = tcp_from("127.0.0.3", server.port(port));
    guess(&mut back, password);
    assert_eq!(heard(&mut back), Some(WELCOME_BACK));
    for stream in &mut waiting {
        let mut said = Vec::new();
        stream.read_to_end(&mut said).expect("closed when the time to join is over");
        assert!(said.len() <= 12 && said.chunks(6).all(|frame| frame[0] == 0x01), "{said:02x?}");
    }
    let name = if port == "pimp" { "parlor_wrong_passwords_total" } else { "parlor_lobby_wrong_passwords_total" };
    assert_eq!(figure(&server, name), 3);
    drop(server);
}

#[test]
fn guesses_at_a_table_wait_and_a_right_password_is_never_called_wrong() {
    guesses_wait("pimp", &[]);
}

#[test]
fn guesses_in_a_lobby_wait_and_a_right_password_is_never_called_wrong() {
    guesses_wait("pimp-lobby", &["--pimp-lobby", "127.0.0.1:0"]);
}

/// Silent connections of one address leave room for everybody else, wherever they sit.
#[test]
fn few_strangers_do_not_fill_a_table() {
    let server = Server::start(&[
        "--yard",
        "127.0.0.1:0",
        "--venus",
        "127.0.0.1:0",
        "--pimp-lobby",
        "127.0.0.1:0",
        "--max-unjoined",
        "4",
        "--claim-grace",
        "0",
        "--vote-pause",
        "0.01",
        "--rate",
        "0",
    ]);
    for port in ["pimp", "yard", "venus", "pimp-lobby"] {
        let mut silent: Vec<_> = (0..12).map(|_| tcp_from("127.0.0.2", server.port(port))).collect();
        for stream in &mut silent {
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            // A lobby opens no link for somebody who says nothing.
            let _ = stream.write_all(if port == "yard" || port == "venus" { b"x" } else { &HELLO[..1] });
        }
        // Eight of twelve are closed; which ones is not for us to say.
        let mut closed = 0;
        for stream in &mut silent {
            stream.set_read_timeout(Some(Duration::from_millis(700))).unwrap();
            let mut byte = [0; 64];
            loop {
                match stream.read(&mut byte) {
                    Ok(0) => break closed += 1,
                    Ok(_) => {}
                    Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => break,
                    Err(_) => break closed += 1,
                }
            }
        }
        assert_eq!(closed, 8, "{port}");
    }
    assert_eq!(figure(&server, "parlor_refused_total{reason=\"unjoined\"}"), 32);
    // Whoever joins is none of them any more: more than four of one address log in, and bots play a game to its end. No more
    // of those than may wait at once: one that has to come again may find that the others have played without it.
    let log_in = |guest: u8| {
        let mut stream = tcp(server.port("yard"));
        let said = ["protocol 2.0", &format!("login guest{guest} secret")];
        assert_eq!(lines(&mut stream, &said, |line| line.starts_with("- ")), "- ok", "guest {guest}");
        stream
    };
    let _guests: Vec<_> = (0..6).map(log_in).collect();
    let table = server.port("pimp").to_string();
    let quick = run(&["bot", "--connect", &table, "--players", "4", "--strength", "plain"]);
    assert!(quick.status.success(), "{}", String::from_utf8_lossy(&quick.stderr));
}

/// Three addresses have more connections than a table has links, and go on coming. Whoever came before them from elsewhere and
/// takes its time to join is not the one who gives way.
#[test]
fn a_crowd_from_few_addresses_gives_way_to_the_rest() {
    let server = Server::start(&["--max-unjoined", "16", "--join-timeout", "60"]);
    let port = server.port("pimp");
    let mut slow = tcp_from("127.0.0.9", port);
    handshake(&mut slow);
    let mut crowd = Vec::new();
    for round in 0..100 {
        // Each of them has a link, or is closed for one that comes after it.
        let mut stream = tcp_from(["127.0.0.2", "127.0.0.3", "127.0.0.4"][round % 3], port);
        let _ = stream.write_all(HELLO);
        let _ = stream.read(&mut [0; 6]);
        crowd.push(stream);
    }
    // Somebody else finds a link as well.
    let mut late = tcp_from("127.0.0.8", port);
    handshake(&mut late);
    slow.write_all(&[0x02, 6, 0, 1, 3, b'a', b'n', b'n']).unwrap();
    let mut head = [0; 2];
    slow.read_exact(&mut head).unwrap();
    assert_eq!(head, [WELCOME_DETAILS, 5]);
}

const WELCOME_DETAILS: u8 = 0x03;
const JOIN_PENDING: u8 = 0x10;
const REQUEST_STATE: u8 = 0x11;
const STATE_BOARD: u8 = 0x12;
const UNEXPECTED: u8 = 0xFE;
const TOO_MANY_USERS: u8 = 0xF1;

/// HANDSHAKE and JOIN as a player, in one go; the next message's code, and the password if there is one.
fn sit_down(stream: &mut TcpStream, name: &str) -> (u8, u32) {
    let length = name.len() as u8;
    stream.write_all(&[HELLO, &[0x02, 3 + length, 0, 1, length], name.as_bytes()].concat()).unwrap();
    stream.read_exact(&mut [0; 6]).unwrap();
    loop {
        let mut head = [0; 2];
        stream.read_exact(&mut head).unwrap();
        let mut payload = vec![0; usize::from(head[1])];
        stream.read_exact(&mut payload).unwrap();
        // Whoever sits there may be asked first.
        if head[0] != JOIN_PENDING {
            return (head[0], payload.get(1..5).map_or(0, |password| u32::from_be_bytes(password.try_into().unwrap())));
        }
    }
}

/// Ghosts of one address do not fill a lobby: those who are gone count, and whoever has a seat finds back to it.
#[test]
fn seats_of_one_address_are_few() {
    let data = common::scratch("seats");
    let flags =
        ["--pimp-lobby", "127.0.0.1:0", "--max-seats", "3", "--vote-timeout", "1", "--data", data.to_str().unwrap()];
    let server = Server::start(&[&flags[..], &["--deserted", "600"]].concat());
    let lobby = server.port("pimp-lobby");
    let mut passwords = Vec::new();
    // One throws, so that the game is worth waiting for; then both are away.
    let [mut first, mut second] = ["ann", "bob"].map(|name| {
        let mut stream = tcp_from("127.0.0.2", lobby);
        let (code, password) = sit_down(&mut stream, name);
        assert_eq!(code, WELCOME_DETAILS, "{name}");
        passwords.push(password);
        stream.write_all(&[0xD5, 0]).unwrap();
        stream
    });
    for stream in [&mut second, &mut first] {
        stream.write_all(&[0x21, 0]).unwrap();
        stream.write_all(&[0xD5, 0]).unwrap();
    }
    let mut third = tcp_from("127.0.0.2", lobby);
    assert_eq!(sit_down(&mut third, "eve").0, WELCOME_DETAILS);
    third.write_all(&[0xD5, 0]).unwrap();
    drop((first, second, third));
    for name in ["fay", "gus"] {
        assert_eq!(sit_down(&mut tcp_from("127.0.0.2", lobby), name).0, TOO_MANY_USERS);
    }
    assert_eq!(figure(&server, "parlor_confined_total"), 2);
    let mut neighbour = tcp_from("127.0.0.3", lobby);
    assert_ne!(sit_down(&mut neighbour, "hal").0, TOO_MANY_USERS);
    let mut back = tcp_from("127.0.0.2", lobby);
    guess(&mut back, passwords[0]);
    assert_eq!(heard(&mut back), Some(WELCOME_BACK));
    drop((back, neighbour, server));
    // What was refused is refused when it is played again.
    let replay = run(&["replay", data.to_str().unwrap()]);
    let told = String::from_utf8(replay.stdout).unwrap();
    assert!(replay.status.success() && told.contains("makes nothing more"), "{told}");
    std::fs::remove_dir_all(data).unwrap();
}

/// Whoever sits down and leaves in a loop is soon among its own: those who come to play meet no ghost any more.
#[test]
fn those_who_come_and_go_are_seated_apart() {
    let server = Server::start(&["--pimp-lobby", "127.0.0.1:0", "--lobby-visits", "3", "--lobby-forgets", "3600"]);
    let lobby = server.port("pimp-lobby");
    let game_from = |address: &str| handshake(&mut tcp_from(address, lobby));
    let mut ann = tcp_from("127.0.0.2", lobby);
    let game = handshake(&mut ann);
    let end = Instant::now() + PATIENCE;
    // A visit counts once the server has seen that it is over.
    let mut visits = 0;
    while game_from("127.0.0.3") == game {
        visits += 1;
        assert!(Instant::now() < end, "still at the same table after {visits} visits");
    }
    assert!(visits >= 3, "apart after {visits} visits");
    let apart = game_from("127.0.0.3");
    assert_ne!(apart, game);
    assert_eq!(game_from("127.0.0.4"), game, "somebody else");
    // They play, too: with each other.
    let [mut eve, mut fay] = [(); 2].map(|()| tcp_from("127.0.0.3", lobby));
    assert_eq!([sit_down(&mut eve, "eve").0, sit_down(&mut fay, "fay").0], [WELCOME_DETAILS; 2]);
    eve.write_all(&[0x21, 0]).unwrap();
}

/// A seat counts no longer than its game.
#[test]
fn seats_are_free_when_their_game_is_over() {
    let server = Server::start(&["--pimp-lobby", "127.0.0.1:0", "--max-seats", "1", "--deserted", "0.2"]);
    let lobby = server.port("pimp-lobby");
    let mut ghost = tcp_from("127.0.0.2", lobby);
    assert_eq!(sit_down(&mut ghost, "ann").0, WELCOME_DETAILS);
    assert_eq!(sit_down(&mut tcp_from("127.0.0.2", lobby), "bob").0, TOO_MANY_USERS);
    drop(ghost);
    let end = Instant::now() + PATIENCE;
    while sit_down(&mut tcp_from("127.0.0.2", lobby), "bob").0 != WELCOME_DETAILS {
        assert!(Instant::now() < end, "the seat is taken for ever");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// One line after another, each answered; the last answer.
fn lines(stream: &mut TcpStream, said: &[&str], is_answer: impl Fn(&str) -> bool) -> String {
    let mut ears = std::io::BufReader::new(stream.try_clone().unwrap());
    let mut answer = String::new();
    for line in said {
        stream.write_all(format!("{line}\r\n").as_bytes()).unwrap();
        answer.clear();
        while !is_answer(&answer) {
            answer.clear();
            assert_ne!(std::io::BufRead::read_line(&mut ears, &mut answer).unwrap(), 0, "closed after {line}");
        }
    }
    answer.trim_end().into()
}

/// Few accounts of one address do not fill a hall with games, whatever they do with them.
#[test]
fn games_of_one_address_are_few() {
    let data = common::scratch("games");
    let halls = ["--yard", "127.0.0.1:0", "--venus", "127.0.0.1:0", "--max-games", "2"];
    let server = Server::start(&[&halls[..], &["--data", data.to_str().unwrap()]].concat());
    let yard = |address: &str, name: &str| {
        let mut stream = tcp_from(address, server.port("yard"));
        let said = ["protocol 2.0".into(), format!("login {name} secret"), format!("newgame {name}s standard")];
        let answer = lines(&mut stream, &said.each_ref().map(String::as_str), |line| line.starts_with("- "));
        (stream, answer)
    };
    let (mut first, made) = yard("127.0.0.2", "ann");
    assert_eq!(made, "- ok");
    let (_second, made) = yard("127.0.0.2", "bob");
    assert_eq!(made, "- ok");
    let (mut third, refused) = yard("127.0.0.2", "eve");
    assert_eq!(refused, "- no \"too many games were made from your address\"");
    let (_other, made) = yard("127.0.0.3", "dan");
    assert_eq!(made, "- ok");
    // A game that is no more counts no more.
    lines(&mut first, &["leave"], |line| line.starts_with("- "));
    assert_eq!(lines(&mut third, &["newgame eves standard"], |line| line.starts_with("- ")), "- ok");

    let venus = |address: &str, name: &str| {
        let mut stream = tcp_from(address, server.port("venus"));
        let own = format!("GUIROOM,d{name}");
        let told = |line: &str| line.starts_with(&own) || line.starts_with("ERROR");
        lines(&mut stream, &[&format!("LOGIN,{name},secret")], |line| line.starts_with("INHABITANT"));
        let answer = lines(&mut stream, &[&format!("NEWROOM,d{name}")], told);
        (stream, answer)
    };
    let held = ["ann", "bob"].map(|name| venus("127.0.0.2", name));
    assert!(held.iter().all(|(_, answer)| answer.starts_with("GUIROOM")), "{} {}", held[0].1, held[1].1);
    assert_eq!(venus("127.0.0.2", "eve").1, "ERROR,Too many rooms were made from your address.");
    assert!(venus("127.0.0.3", "dan").1.starts_with("GUIROOM"));
    assert_eq!(figure(&server, "parlor_confined_total"), 2);
    drop(server);
    let replay = run(&["replay", data.to_str().unwrap()]);
    assert!(replay.status.success(), "{}", String::from_utf8_lossy(&replay.stdout));
    std::fs::remove_dir_all(data).unwrap();
}

/// One rule for every game: a name in another case or script that looks like somebody's is nobody else's, nor is one that
/// can't be seen.
#[test]
fn nobody_is_taken_for_another_in_any_game() {
    let server = Server::start(&["--yard", "127.0.0.1:0", "--venus", "127.0.0.1:0"]);
    // In another case; a Cyrillic o; a Cherokee A, which is in no small table; what has no width, turns text, or is blank.
    let alike = ["JOE", "j\u{43e}e", "jo\u{13ac}"];
    let hidden = ["joe\u{200b}", "\u{202e}joe", "\u{3164}", "\u{2800}", "joe\u{fe0f}"];
    let mut joe = server.tcp();
    assert_eq!(sit_down(&mut joe, "joe").0, WELCOME_DETAILS);
    for name in alike.iter().chain(&hidden) {
        assert_eq!(sit_down(&mut server.tcp(), name).0, 0xF2, "{name:?} is NAME_IN_USE");
    }
    let yard = |name: &str| {
        let said = ["protocol 2.0", &format!("login \"{name}\" secret")];
        lines(&mut tcp(server.port("yard")), &said, |line| line.starts_with("- "))
    };
    assert_eq!(yard("joe"), "- ok");
    let venus = |name: &str| {
        let told = |line: &str| line.starts_with("WELCOME") || line.starts_with("ERROR");
        lines(&mut tcp(server.port("venus")), &[&format!("LOGIN,{name},secret")], told)
    };
    assert_eq!(venus("joe"), "WELCOME");
    for name in alike {
        assert_eq!(
            (yard(name), venus(name)),
            ("- no \"that name looks like another\"".into(), "ERROR,That name looks like another.".into()),
            "{name:?}"
        );
    }
    for name in hidden {
        assert_eq!(
            (yard(name), venus(name)),
            ("- no \"that is no name for a user\"".into(), "ERROR,That is no name for a user.".into()),
            "{name:?}"
        );
    }
}

#[test]
fn requests_of_a_connection_are_counted() {
    let server = Server::start(&[]);
    let ask = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let (mut stream, start) = (tcp(server.port("http")), Instant::now());
    stream.write_all(ask.repeat(150).as_bytes()).unwrap();
    let (mut heard, mut part) = (Vec::new(), [0; 4096]);
    while String::from_utf8_lossy(&heard).matches("HTTP/1.1 200").count() < 150 {
        let n = stream.read(&mut part).unwrap();
        assert_ne!(n, 0, "closed");
        heard.extend(&part[..n]);
    }
    // 64 a second: the rest had to wait for the next, and for the one after it.
    assert!(start.elapsed() >= Duration::from_secs(2), "{:?}", start.elapsed());
    // Others ask meanwhile.
    assert_eq!(server.http("GET", "/healthz", &[]).0, 200);
}

#[test]
fn newcomers_of_one_address_wait_for_their_turn() {
    let server = Server::start(&["--max-new-per-address", "4"]);
    let start = Instant::now();
    for _ in 0..16 {
        handshake(&mut tcp_from("127.0.0.2", server.port("pimp")));
    }
    // Eight at once, then four a second.
    assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
    let mut other = tcp_from("127.0.0.3", server.port("pimp"));
    handshake(&mut other);
}

/// Asks the same sixteen times at once, so often, and hears every answer: each has this in it.
fn keep_asking(stream: &mut TcpStream, asked: &[u8], answer: &[u8], rounds: usize) {
    let mut part = [0; 4096];
    for _ in 0..rounds {
        stream.write_all(&asked.repeat(16)).unwrap();
        let mut heard = Vec::<u8>::new();
        while heard.windows(answer.len()).filter(|piece| *piece == answer).count() < 16 {
            let n = stream.read(&mut part).unwrap();
            assert_ne!(n, 0, "closed");
            heard.extend(&part[..n]);
        }
    }
}

/// What one is told lies in a ring that all read from. Who is told nothing meanwhile is not woken for it, and stays.
#[test]
fn who_asks_without_end_closes_nobody_who_is_silent() {
    let halls = ["--yard", "127.0.0.1:0", "--venus", "127.0.0.1:0", "--pimp-lobby", "127.0.0.1:0"];
    let server = Server::start(&[&halls[..], &["--rate", "0", "--dump-pause", "0", "--vote-timeout", "1"]].concat());

    let yard = |name: &str, then: &str| {
        let mut stream = tcp(server.port("yard"));
        let said = ["protocol 2.0", &format!("login {name} secret"), then];
        assert_eq!(lines(&mut stream, &said, |line| line.starts_with("- ")), "- ok", "{name}");
        stream
    };
    let mut ann = yard("ann", "newgame evening standard");
    let mut bob = yard("bob", "join evening");
    // The ring has 64 KB.
    keep_asking(&mut yard("eve", "noop"), b"listgames\r\n", b"- ok\r\n", 300);
    lines(&mut ann, &["chatall \"still here\""], |line| line == "- ok\r\n");
    lines(&mut bob, &["noop"], |line| line.contains("still here"));

    let venus = |name: &str| {
        let mut stream = tcp(server.port("venus"));
        lines(&mut stream, &[&format!("LOGIN,{name},secret")], |line| line.starts_with(&format!("INHABITANT,{name},")));
        stream
    };
    let [mut ann, mut eve] = ["ann", "eve"].map(venus);
    // The ring has 128 KB.
    keep_asking(&mut eve, format!("PLAYERTALK,eve,{}\r\n", "x".repeat(190)).as_bytes(), b"MESSAGE,(eve) ", 120);
    lines(&mut eve, &["PLAYERTALK,ann,still here"], |_| true);
    lines(&mut ann, &["REFRESH"], |line| line.contains("still here"));

    // A table, and one of a lobby: their rings have 16 and 4 KB, of which each dump takes a few bytes.
    for port in ["pimp", "pimp-lobby"] {
        let [mut ann, mut bob] = [(); 2].map(|()| tcp(server.port(port)));
        for (stream, name) in [(&mut ann, "ann"), (&mut bob, "bob")] {
            assert_eq!(sit_down(stream, name).0, WELCOME_DETAILS);
        }
        keep_asking(&mut bob, &[REQUEST_STATE, 0], &[STATE_BOARD, 1, 0], 400);
        // Of a user nothing like it is expected, and she is told so.
        ann.write_all(&[REQUEST_STATE + 1, 0]).unwrap();
        while heard(&mut ann).expect("closed") != UNEXPECTED {}
    }
}
