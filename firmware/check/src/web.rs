//! A board that serves pages and WebSocket, as browsers ask and as others do.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};

use crate::door::{ANSWER, BOOT, Door};
use crate::{Outcome, house_bots, settings, step};

/// After 5 s a browser that asks nothing is turned out; after 30 s one that takes nothing. An emulator's seconds may be
/// longer.
const IDLE: Duration = Duration::from_secs(40);
const STUCK: Duration = Duration::from_secs(80);
/// The board's links may all be busy for a while: so long an answer is waited for, over as many connections as it takes.
const BUSY: Duration = Duration::from_secs(30);
const HALVES: usize = 60;
const KEY: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
const MASK: [u8; 4] = [1, 2, 3, 4];

/// `holds_back`: a client that reads nothing is felt by the board. Where the emulator's own network takes whatever
/// comes, no client is ever stuck.
pub fn check(port: u16, holds_back: bool) -> Outcome {
    let door = &door(port);
    step("it boots", || Ok(door.guest(BOOT).map(drop)?))?;
    step("every page is there, once, compressed, with a tag", || serves_pages(door))?;
    step("what is wrong is said", || refuses(door))?;
    step("many requests on one connection, in any pieces", || answers_in_a_row(door))?;
    step("it tells how it stands", || tells_how_it_stands(door))?;
    step("it keeps the keys of its games", || keeps_its_keys(door))?;
    step("rings and links are seen to move", || shows_what_moves(door))?;
    step("a game over WebSocket", || plays_over_websocket(door))?;
    step("pings are answered, wrong kinds are not", || keeps_to_the_protocol(door))?;
    step("a browser that opens twenty connections", || serves_twenty(door))?;
    step(&format!("{HALVES} half requests, then a page"), || survives_halves(door))?;
    step("whoever asks nothing is turned out", || turns_out_the_idle(door))?;
    if holds_back {
        step("whoever takes nothing is given up", || gives_up_the_stuck(door))?;
    }
    let lobby = String::from_utf8(ask(door, &get("/lobby", ""))?.body)?;
    if lobby.contains("\"board\":") {
        settings::check(door)?;
    }
    if lobby.contains("\"may_command\":true") {
        step("bots come to every game that asks for one", || house_bots::check(door))?;
    }
    Ok(())
}

pub fn door(port: u16) -> Door {
    Door { port, question: b"GET /status HTTP/1.1\r\nHost: parlor.local\r\n\r\n", answer: (b"HTTP/1.1 200", 16) }
}

pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

fn other(why: impl Into<String>) -> io::Error {
    io::Error::other(why.into())
}

/// The head, up to its empty line.
fn read_head(stream: &mut TcpStream) -> io::Result<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    String::from_utf8(head).map_err(|_| other("a head that is no text"))
}

pub fn read_answer(stream: &mut TcpStream, has_body: bool) -> io::Result<Answer> {
    let head = read_head(stream)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(|| other(head.clone()))?;
    let length = value(&head, "Content-Length").map_or(Ok(0), str::parse).map_err(|_| other(head.clone()))?;
    let mut body = vec![0; if has_body { length } else { 0 }];
    stream.read_exact(&mut body)?;
    Ok(Answer { status, head, body })
}

pub fn value<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

/// A connection that is asked once.
pub fn ask(door: &Door, request: &str) -> io::Result<Answer> {
    let end = Instant::now() + BUSY;
    loop {
        let answer = ask_once(door, request);
        if answer.is_ok() || Instant::now() > end {
            return answer;
        }
    }
}

/// Over one connection, which has to be answered.
pub fn ask_once(door: &Door, request: &str) -> io::Result<Answer> {
    let mut stream = door.connect()?;
    stream.write_all(request.as_bytes())?;
    read_answer(&mut stream, !request.starts_with("HEAD"))
}

pub fn get(path: &str, lines: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: parlor.local\r\n{lines}\r\n")
}

pub fn must(holds: bool, otherwise: &str) -> io::Result<()> {
    if holds { Ok(()) } else { Err(other(otherwise)) }
}

fn serves_pages(door: &Door) -> Outcome {
    let lobby = ask(door, &get("/lobby", ""))?;
    let lobby = String::from_utf8(lobby.body)?;
    let names = lobby.split_once("\"games\":[").and_then(|(_, rest)| rest.split_once(']')).map(|(names, _)| names);
    let names = names.ok_or("no games")?.split(',').map(|name| name.trim_matches('"'));
    for path in names.map(|name| format!("/{name}")).chain([String::from("/")]) {
        let page = ask(door, &get(&path, ""))?;
        must(page.status == 200 && page.body.starts_with(&[0x1F, 0x8B]), &format!("{path}: {}", page.head))?;
        must(value(&page.head, "Content-Encoding") == Some("gzip"), &page.head)?;
        let tag = value(&page.head, "ETag").ok_or("no tag")?;
        let again = ask(door, &get(&path, &format!("If-None-Match: {tag}\r\n")))?;
        must(again.status == 304 && again.body.is_empty(), &again.head)?;
        let head = ask(door, &get(&path, "").replacen("GET", "HEAD", 1))?;
        must(head.status == 200 && value(&head.head, "ETag") == Some(tag), &head.head)?;
        println!("{path}: {} bytes", page.body.len());
    }
    Ok(())
}

fn refuses(door: &Door) -> Outcome {
    let long = format!("X-Long: {}\r\n", "x".repeat(64 * 1024));
    for (request, status) in [
        (get("/none", ""), 404),
        (get("/ws/none", KEY), 404),
        (get("/", "").replacen("GET", "POST", 1), 405),
        (get("/", "Content-Length: 9\r\n"), 413),
        (get("/", "").replacen("parlor.local", "evil.example", 1), 421),
        (get("/ws/pimp", ""), 426),
        (get("/ws/pimp", &format!("{KEY}Origin: http://evil.example\r\n")), 403),
        (get("/", "").replacen("HTTP/1.1", "HTTP/9", 1), 400),
        (get("/", &long), 431),
    ] {
        let answer = ask(door, &request)?;
        must(answer.status == status, &format!("{status} was expected: {}", answer.head))?;
    }
    Ok(())
}

fn answers_in_a_row(door: &Door) -> Outcome {
    let mut stream = door.guest(ANSWER)?;
    // The rest of the answer to the first question.
    let head = format!("HTTP/1.1 200 OK\r{}", read_head(&mut stream)?);
    let length = value(&head, "Content-Length").and_then(|length| length.parse().ok()).ok_or("no length")?;
    stream.read_exact(&mut vec![0; length])?;
    for path in ["/lobby", "/none", "/status", "/links"] {
        for byte in get(path, "").as_bytes() {
            stream.write_all(&[*byte])?;
        }
        must((read_answer(&mut stream, true)?.status == 404) == (path == "/none"), path)?;
    }
    let three = [get("/lobby", ""), get("/none", ""), get("/lobby", "")].concat();
    stream.write_all(three.as_bytes())?;
    for status in [200, 404, 200] {
        must(read_answer(&mut stream, true)?.status == status, "out of order")?;
    }
    Ok(())
}

fn tells_how_it_stands(door: &Door) -> Outcome {
    for (path, words) in [
        ("/status", &["\"uptime_seconds\":", "\"links\":", "\"stack_bytes_used\":", "\"ring_bytes_used\":"][..]),
        // The client that asks has a link too.
        ("/links", &["\"busy\":", "\"retransmissions\":", "\"links\":[{\"at\":\"", "\"at\":\"page\""]),
        ("/lobby", &["\"tables\":[", "\"rules\":{", "\"may_command\":", "\"max_players\":"]),
    ] {
        let answer = ask(door, &get(path, ""))?;
        let text = String::from_utf8(answer.body)?;
        must(value(&answer.head, "Content-Type") == Some("application/json"), &answer.head)?;
        words.iter().try_for_each(|word| must(text.contains(word), &format!("{word} is missing: {text}")))?;
    }
    Ok(())
}

/// A board whose dice can be checked tells what it has committed to, and no key of a game that is not over.
fn keeps_its_keys(door: &Door) -> Outcome {
    let answer = ask(door, &get("/fair", ""))?;
    if answer.status == 404 {
        return Ok(());
    }
    let text = String::from_utf8(answer.body)?;
    must(text.starts_with("{\"scheme\":\"parlor dice 1\",\"tables\":["), &text)?;
    must(text.contains("\"commitment\":") && !text.contains("\"key\""), &text)?;
    for Sealed { name, number, .. } in sealed(&text) {
        for number in [number.saturating_sub(1), number, number + 1] {
            let path = format!("/fair/{name}-1-{number}.json");
            must(ask(door, &get(&path, ""))?.status == 404, &path)?;
        }
    }
    for path in ["/fair/", "/fair/pimp", "/fair/pimp-1-x.json", "/fairy"] {
        must(ask(door, &get(path, ""))?.status == 404, path)?;
    }
    Ok(())
}

/// A game that the board has committed to.
pub struct Sealed {
    pub name: String,
    pub number: u64,
    pub commitment: String,
}

/// What `/fair` says.
pub fn sealed(told: &str) -> Vec<Sealed> {
    let rows = told.split("{\"name\":\"").skip(1).filter_map(|row| {
        let (name, _) = row.split_once('"')?;
        let number = figures(row, "game").first().copied()?;
        Some(Sealed { name: name.into(), number, commitment: word(row, "commitment")?.into() })
    });
    rows.collect()
}

/// The first text of this name.
pub fn word<'t>(told: &'t str, name: &str) -> Option<&'t str> {
    told.split_once(&format!("\"{name}\":\""))?.1.split('"').next()
}

/// What the board tells at this path.
pub fn told(door: &Door, path: &str) -> io::Result<String> {
    let answer = ask(door, &get(path, "Connection: close\r\n"))?;
    must(answer.status == 200, &answer.head)?;
    String::from_utf8(answer.body).map_err(|_| other("no text"))
}

/// Every number of this name, in the order in which they are told.
pub fn figures(told: &str, name: &str) -> Vec<u64> {
    let key = format!("\"{name}\":");
    told.split(&key).skip(1).filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()).collect()
}

/// A player begins a game: the command is counted, what all are told of it lies in the ring, and the link is seen.
fn shows_what_moves(door: &Door) -> Outcome {
    let sums = |told: &str, names: [&str; 2]| names.map(|name| figures(told, name).iter().sum::<u64>());
    let names = ["commands", "ring_bytes_used"];
    let [commands, ring] = sums(&told(door, "/status")?, names);
    let mut yard = websocket(door, "yard")?;
    yard.write_all(&frame(0x81, b"protocol 2.0\r\n#1 login lou pw\r\n#2 newgame rings standard\r\n"))?;
    let mut heard = String::new();
    while !heard.contains("#2 ") {
        heard += &String::from_utf8(read_frame(&mut yard)?.1)?;
    }
    let status = told(door, "/status")?;
    let after = sums(&status, names);
    must(after[0] >= commands + 3, &format!("{commands} commands before: {status}"))?;
    must(after[1] > ring, &format!("{ring} bytes in rings before: {status}"))?;
    let sizes = figures(&status, "ring_bytes");
    must(sizes.len() == figures(&status, names[1]).len() && !sizes.contains(&0), &status)?;
    let links = told(door, "/links")?;
    must(links.matches("\"at\":\"yard\"").count() == 1, &format!("one is at a game: {links}"))?;
    must(figures(&links, "busy") == [figures(&links, "behind").len() as u64], &format!("not all are told: {links}"))?;
    must(!sums(&links, ["send_bytes", "receive_bytes"]).contains(&0), &links)?;
    println!("{status}\n{links}");
    Ok(())
}

pub fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![first, 0x80 | payload.len() as u8];
    frame.extend(MASK);
    frame.extend(payload.iter().zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    frame
}

pub fn read_frame(stream: &mut TcpStream) -> io::Result<(u8, Vec<u8>)> {
    let mut front = [0; 2];
    stream.read_exact(&mut front)?;
    let length = match front[1] {
        126 => {
            let mut length = [0; 2];
            stream.read_exact(&mut length)?;
            usize::from(u16::from_be_bytes(length))
        }
        length => usize::from(length),
    };
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload)?;
    Ok((front[0], payload))
}

pub fn websocket(door: &Door, game: &str) -> io::Result<TcpStream> {
    let mut stream = door.connect()?;
    stream.write_all(get(&format!("/ws/{game}"), &format!("{KEY}Origin: http://parlor.local\r\n")).as_bytes())?;
    let head = read_head(&mut stream)?;
    must(head.starts_with("HTTP/1.1 101"), &head)?;
    must(value(&head, "Sec-WebSocket-Accept") == Some("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), &head)?;
    Ok(stream)
}

/// A handshake in one message and in pieces; a line in text.
fn plays_over_websocket(door: &Door) -> Outcome {
    let mut pimp = websocket(door, "pimp/1")?;
    pimp.write_all(&frame(0x82, &[0x00, 1, 1]))?;
    let (first, answer) = read_frame(&mut pimp)?;
    must(first == 0x82 && answer.starts_with(&[0x01, 4]), &format!("{first:x} {answer:x?}"))?;
    let pieces = [frame(0x02, &[0x00]), frame(0x00, &[1]), frame(0x89, b"still there?"), frame(0x80, &[1])];
    for byte in pieces.concat() {
        pimp.write_all(&[byte])?;
    }
    must(read_frame(&mut pimp)? == (0x8A, b"still there?".to_vec()), "no pong")?;
    must(read_frame(&mut pimp)?.0 == 0x82, "no answer to what came in pieces")?;
    let mut yard = websocket(door, "yard")?;
    yard.write_all(&frame(0x81, b"protocol 2.0\r\n"))?;
    must(read_frame(&mut yard)? == (0x81, b"- ok\r\n".to_vec()), "no answer in text")?;
    yard.write_all(&frame(0x88, &[]))?;
    Ok(must(read_frame(&mut yard)?.0 == 0x88, "no goodbye")?)
}

fn keeps_to_the_protocol(door: &Door) -> Outcome {
    let unmasked = vec![0x82, 1, 7, 0, 0, 0, 0];
    for (wire, code) in [(frame(0x81, b"text"), 1003_u16), (frame(0xF2, b"x"), 1002), (unmasked, 1002)] {
        let mut pimp = websocket(door, "pimp")?;
        pimp.write_all(&wire)?;
        let (first, payload) = read_frame(&mut pimp)?;
        must(first == 0x88 && payload == code.to_be_bytes(), &format!("{code}: {first:x} {payload:x?}"))?;
        must(pimp.read(&mut [0])? == 0, "it goes on")?;
    }
    Ok(())
}

fn serves_twenty(door: &Door) -> Outcome {
    let idle = (0..20).map(|_| door.connect()).collect::<io::Result<Vec<_>>>()?;
    must(ask(door, &get("/lobby", ""))?.status == 200, "no lobby")?;
    drop(idle);
    Ok(())
}

fn survives_halves(door: &Door) -> Outcome {
    for nth in 0..HALVES {
        let mut stream = door.connect()?;
        let _ = stream.write_all(get("/", "").get(..nth % 30).unwrap_or_default().as_bytes());
    }
    Ok(must(ask(door, &get("/", ""))?.status == 200, "no page")?)
}

fn turns_out_the_idle(door: &Door) -> Outcome {
    let mut idle = door.connect()?;
    idle.write_all(b"GET / HT")?;
    idle.set_read_timeout(Some(IDLE))?;
    Ok(must(matches!(idle.read(&mut [0]), Ok(0)), "it still listens")?)
}

/// Asks for much more than fits on the way, and reads none of it: the board's peer acknowledges, but has no room.
fn gives_up_the_stuck(door: &Door) -> Outcome {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    socket.set_recv_buffer_size(4096)?;
    socket.connect(&SocketAddr::from((Ipv4Addr::LOCALHOST, door.port)).into())?;
    let mut stuck: TcpStream = socket.into();
    stuck.set_write_timeout(Some(ANSWER))?;
    let many = get("/pimp", "").repeat(400);
    // The requests may not all fit either.
    let _ = stuck.write_all(many.as_bytes());
    let end = Instant::now() + STUCK;
    while Instant::now() < end {
        let status = String::from_utf8(ask(door, &get("/status", "Connection: close\r\n"))?.body)?;
        if status.contains("\"links_busy\":1,") {
            return Ok(());
        }
        sleep(Duration::from_secs(1));
    }
    Err("it is still waited for".into())
}
