//! A siege: every attack at once from one address, beside honest games of every protocol from others, and a kill in the
//! middle. `tests/run siege SECONDS` runs it with the release program; it prints figures, and asserts what no machine is too
//! slow for: nobody honest is turned away, games are played to their end, memory stays flat, nothing is lost.
//!
//! The attacks are those of SECURITY.md that need nothing but connections; those on files and flags are in `operators.rs` and
//! `formats.rs`.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::common::{self, HELLO, PATIENCE, Server, parlor, run, scratch};
use parlor::bot::{AnyPlayer, Pace, play};
use parlor::games::{Entry, GAMES, named};
use parlor_core::game::{End, Seat, Strength};
use rustix::process::{Signal, kill_process};
use socket2::{Domain, Socket, Type};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpSocket;
use tokio::runtime::Runtime;

/// Whoever attacks comes from here.
const ENEMY: Ipv4Addr = Ipv4Addr::new(127, 0, 1, 1);
/// Ports that are opened, by flag.
const PORTS: [&str; 6] = ["pimp", "pimp-ws", "pimp-lobby", "yard", "venus", "http"];
/// Memory that may be held on to after all of it.
const SLACK: u64 = 32 << 20;

/// The server, which may be another process a moment later.
struct Castle {
    data: PathBuf,
    ports: Vec<(&'static str, SocketAddr)>,
    server: Mutex<Option<Server>>,
    /// It is not there, or was not a moment ago.
    is_down: AtomicBool,
}

impl Castle {
    fn build(data: &Path) -> Self {
        let castle =
            Self { data: data.into(), ports: Vec::new(), server: Mutex::default(), is_down: AtomicBool::new(false) };
        let free: Vec<_> = PORTS.iter().map(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let ports = PORTS.iter().copied().zip(free.iter().map(|port| port.local_addr().unwrap())).collect();
        drop(free);
        let castle = Self { ports, ..castle };
        castle.open();
        castle
    }

    fn open(&self) {
        let mut command = parlor();
        for limit in ["PARLOR_MAX_UNJOINED", "PARLOR_MAX_SEATS", "PARLOR_MAX_GAMES"] {
            command.env_remove(limit);
        }
        command.args(["--log", "error", "--data", self.data.to_str().unwrap()]);
        command.args(["--claim-grace", "0", "--vote-pause", "0.01", "--farewell", "0.5", "--rate", "200"]);
        for (flag, port) in &self.ports {
            command.arg(format!("--{flag}")).arg(port.to_string());
        }
        *self.server.lock().unwrap() = Some(Server::spawn(command));
    }

    /// In the middle of whatever it does, and up again.
    fn kill(&self) {
        self.is_down.store(true, Relaxed);
        let mut server = self.server.lock().unwrap().take().unwrap();
        kill_process(server.pid(), Signal::KILL).unwrap();
        server.wait();
        drop(server);
        self.open();
    }

    fn port(&self, flag: &str) -> SocketAddr {
        self.ports.iter().find(|(name, _)| *name == flag).unwrap().1
    }

    fn figure(&self, name: &str) -> u64 {
        let (_, page) = self.server.lock().unwrap().as_ref().unwrap().http("GET", "/metrics", &[]);
        page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok()).unwrap_or_default()
    }
}

/// Takes the time from a word to the next that is heard.
struct Timed<'t, S> {
    stream: S,
    asked: Option<Instant>,
    times: &'t Mutex<Vec<Duration>>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Timed<'_, S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_read(cx, room);
        if let (Poll::Ready(Ok(())), Some(asked)) = (&polled, self.asked) {
            self.times.lock().unwrap().push(asked.elapsed());
            self.asked = None;
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Timed<'_, S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if !bytes.is_empty() && self.asked.is_none() {
            self.asked = Some(Instant::now());
        }
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// What became of the honest.
#[derive(Default)]
struct Honest {
    times: Mutex<Vec<Duration>>,
    games: AtomicU64,
    /// Connections that ended before a word was heard, by game and player.
    turned_away: Mutex<Vec<String>>,
    /// Evenings that were over, or full, before they came.
    late: AtomicU64,
}

/// One player of a game, evening after evening, from an address of its own.
struct Guest {
    entry: &'static Entry,
    to: SocketAddr,
    from: Ipv4Addr,
    number: u8,
}

impl Guest {
    async fn connect(&self) -> io::Result<tokio::net::TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(IpAddr::V4(self.from), 0))?;
        let stream = socket.connect(self.to).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    fn player(&self, evening: u32) -> Box<dyn AnyPlayer> {
        let seat = Seat {
            name: &format!("guest{}", self.number),
            password: &format!("secret of {}", self.number),
            game: &format!("evening{evening}"),
            is_guest: false,
            players: 2,
            strength: Strength::Plain,
            seed: evening.wrapping_mul(16) + u32::from(self.number),
        };
        (self.entry.player)(&seat).unwrap()
    }

    async fn stay(&self, castle: &Castle, honest: &Honest, is_over: &AtomicBool) {
        for evening in 1.. {
            let mut player = self.player(evening);
            let end = loop {
                if is_over.load(Relaxed) {
                    return;
                }
                let was_down = castle.is_down.load(Relaxed);
                let Ok(stream) = self.connect().await else {
                    if !was_down && !castle.is_down.load(Relaxed) {
                        honest.turned_away.lock().unwrap().push(format!("{} of {}", self.number, self.entry.name));
                    }
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                };
                let mut stream = Timed { stream, asked: None, times: &honest.times };
                let mut has_heard = false;
                let played = play(
                    &mut *player,
                    &mut stream,
                    || Pace::NONE,
                    |_, heard| {
                        has_heard |= heard;
                        !is_over.load(Relaxed)
                    },
                );
                match played.await {
                    Ok(end) => break end,
                    Err(_) if is_over.load(Relaxed) => return,
                    Err(_) if has_heard || was_down || castle.is_down.load(Relaxed) => {}
                    Err(_) => {
                        honest.turned_away.lock().unwrap().push(format!("{} of {}", self.number, self.entry.name));
                    }
                }
                tokio::time::sleep(Duration::from_millis(200)).await;
            };
            match end {
                _ if is_over.load(Relaxed) => return,
                End::Over { won } => _ = honest.games.fetch_add(u64::from(won), Relaxed),
                // The other may have ended the evening already: there is a next one.
                End::Refused => _ = honest.late.fetch_add(1, Relaxed),
            }
        }
    }
}

/// One who means no good. Whatever it is answered, it goes on.
struct Enemy<'a> {
    castle: &'a Castle,
    is_over: &'a AtomicBool,
    done: AtomicU64,
}

impl Enemy<'_> {
    fn connect(&self, flag: &str) -> Option<TcpStream> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).ok()?;
        socket.bind(&SocketAddr::new(ENEMY.into(), 0).into()).ok()?;
        socket.connect_timeout(&self.castle.port(flag).into(), Duration::from_millis(500)).ok()?;
        let stream: TcpStream = socket.into();
        stream.set_read_timeout(Some(Duration::from_millis(200))).ok()?;
        stream.set_write_timeout(Some(Duration::from_millis(200))).ok()?;
        self.done.fetch_add(1, Relaxed);
        Some(stream)
    }

    fn for_ever(&self, attack: impl Fn()) {
        while !self.is_over.load(Relaxed) {
            attack();
            // An enemy that took all of this machine's time would measure itself.
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn say(&self, flag: &str, bytes: &[u8]) {
        let Some(mut stream) = self.connect(flag) else { return };
        let _ = stream.write_all(bytes);
        let _ = stream.read(&mut [0; 4096]);
    }

    /// Passwords of seats, one after another.
    fn guess(&self) {
        let password = self.done.load(Relaxed) as u32;
        let [a, b, c, d] = password.to_be_bytes();
        let rejoin = [HELLO, &[0x0A, 5, 1, a, b, c, d]].concat();
        self.say("pimp", &rejoin);
        self.say("pimp-lobby", &rejoin);
        self.say("yard", b"protocol 2.0\r\nlogin guest3 guess\r\n");
        self.say("venus", b"LOGIN,guest5,guess\n");
    }

    /// Accounts and games, begun and left.
    fn hoard(&self) {
        let n = self.done.load(Relaxed) % 40;
        let game = format!("protocol 2.0\r\nlogin hoarder{n} secret\r\nnewgame hoard{n} standard\r\n");
        self.say("yard", game.as_bytes());
        let room =
            format!("LOGIN,hoarder{n},secret\nNEWROOM,hoard{n}\nCHANGEROOM,hoard{n}\nNEWGAME,MerchantOfVenus\nJOIN\n");
        self.say("venus", room.as_bytes());
    }

    /// Names that look like others, and lines in which a password stands where it should not.
    fn pretend(&self) {
        self.say("yard", "protocol 2.0\r\nlogin gu\u{435}st3 x\r\n#a1 login joe secret\r\nlogin secret\r\n".as_bytes());
        self.say("venus", "LOGIN,gu\u{435}st5,x\nLOGIN secret\n".as_bytes());
    }

    /// Sits down to watch, says nothing, and has a vote in who comes.
    fn watch(&self) {
        let Some(mut stream) = self.connect("pimp-lobby") else { return };
        let _ = stream.write_all(&[HELLO, &[0x02, 6, 0, 0, 3, b'm', b'a', b'l']].concat());
        std::thread::sleep(Duration::from_secs(1));
    }

    /// Commands as a proxy would pass them on, by a name that is not the server's, and without the right.
    fn command(&self) {
        for more in
            ["Host: evil.example", "Host: 127.0.0.1\r\nX-Forwarded-For: 127.0.0.1", "Host: 127.0.0.1\r\nVia: 1.1 x"]
        {
            self.say(
                "http",
                format!("DELETE /admin/callers?address=127.0.0.0/8 HTTP/1.1\r\n{more}\r\n\r\n").as_bytes(),
            );
        }
    }

    /// Connections that say nothing, at every table.
    fn silent(&self) {
        let flags = ["pimp", "yard", "venus", "pimp-lobby"];
        let held: Vec<_> = (0..160).filter_map(|n| self.connect(flags[n % 4])).collect();
        std::thread::sleep(Duration::from_secs(2));
        drop(held);
    }

    fn upgraded(&self) -> Option<TcpStream> {
        let mut stream = self.connect("pimp-ws")?;
        let head = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                    Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        stream.write_all(head.as_bytes()).ok()?;
        Some(stream)
    }

    /// Pings, and parts of a message that never ends.
    fn ping(&self, first: u8, rest: u8) {
        let Some(mut stream) = self.upgraded() else { return };
        let frame = |kind| [kind, 0x80, 0, 0, 0, 0];
        let _ = stream.write_all(&frame(first));
        let many = frame(rest).repeat(1_000);
        while !self.is_over.load(Relaxed) && stream.write_all(&many).is_ok() {
            let _ = stream.read(&mut [0; 4096]);
        }
    }

    /// Frames without sense, and lines.
    fn rubbish(&self, flag: &str) {
        let Some(mut stream) = self.connect(flag) else { return };
        let frame = [&[0x0F, 254][..], &[0xAA; 254]].concat().repeat(16);
        let bytes = if flag == "pimp" { frame } else { b"rubbish of no kind at all\r\n".repeat(200) };
        while !self.is_over.load(Relaxed) && stream.write_all(&bytes).is_ok() {
            let _ = stream.read(&mut [0; 65536]);
        }
    }

    /// Sits down in the lobby, is away and gone.
    fn ghost(&self) {
        let name = format!("g{:06}", self.done.load(Relaxed) % 1_000_000);
        let join = [&[0x02, 3 + name.len() as u8, 0, 1, name.len() as u8][..], name.as_bytes()].concat();
        self.say("pimp-lobby", &[HELLO, &join, &[0x21, 0, 0xD5, 0]].concat());
    }

    fn page(&self) {
        let Some(mut stream) = self.connect("http") else { return };
        let request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(20);
        while !self.is_over.load(Relaxed) && stream.write_all(&request).is_ok() {
            let _ = stream.read(&mut [0; 65536]);
        }
    }

    /// One account, whose password is right each time: every login is hashed.
    fn log_in(&self) {
        self.say("yard", b"protocol 2.0\r\nlogin eve secret\r\n");
    }

    /// The beginning of a TLS hello, and of a request.
    fn half(&self) {
        self.say("pimp", &[0x16, 0x03, 0x01]);
        self.say("http", b"GET / HTTP/1.1\r\nHost: ");
    }

    fn besiege(&self) {
        std::thread::scope(|scope| {
            scope.spawn(|| self.for_ever(|| self.guess()));
            scope.spawn(|| self.for_ever(|| self.silent()));
            scope.spawn(|| self.for_ever(|| self.ping(0x89, 0x89)));
            scope.spawn(|| self.for_ever(|| self.ping(0x02, 0x00)));
            scope.spawn(|| self.for_ever(|| self.rubbish("pimp")));
            scope.spawn(|| self.for_ever(|| self.rubbish("yard")));
            scope.spawn(|| self.for_ever(|| self.ghost()));
            scope.spawn(|| self.for_ever(|| self.page()));
            scope.spawn(|| self.for_ever(|| self.log_in()));
            scope.spawn(|| self.for_ever(|| self.half()));
            scope.spawn(|| self.for_ever(|| self.rubbish("venus")));
            scope.spawn(|| self.for_ever(|| self.hoard()));
            scope.spawn(|| self.for_ever(|| self.pretend()));
            scope.spawn(|| self.for_ever(|| self.watch()));
            scope.spawn(|| self.for_ever(|| self.command()));
        });
    }
}

/// Somebody who remembers what the server has promised: a seat at a table of its own, and accounts with a game.
struct Witness {
    table: SocketAddr,
    password: u32,
    /// The pawns of the Yard's game, as its players were told.
    pawns: Vec<String>,
}

/// A client of lines, from an address of its own, that waits for each answer.
fn said(to: SocketAddr, lines: &[&str], is_last: impl Fn(&str) -> bool) -> (TcpStream, Vec<String>) {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::new(Ipv4Addr::new(127, 0, 2, 1).into(), 0).into()).unwrap();
    socket.connect(&to.into()).unwrap();
    let mut stream: TcpStream = socket.into();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let (mut ears, mut heard) = (BufReader::new(stream.try_clone().unwrap()), Vec::new());
    for line in lines {
        stream.write_all(format!("{line}\r\n").as_bytes()).unwrap();
        let mut answer = String::new();
        while !is_last(&answer) {
            answer.clear();
            assert_ne!(ears.read_line(&mut answer).unwrap(), 0, "closed after {line}: {heard:?}");
            heard.push(answer.trim_end().to_owned());
        }
    }
    (stream, heard)
}

fn is_answer(line: &str) -> bool {
    line.starts_with("- ")
}

impl Witness {
    fn begin(castle: &Castle) -> (Self, Vec<TcpStream>) {
        let made = castle.server.lock().unwrap().as_ref().unwrap().http("POST", "/tables", &[]).1;
        let made: serde_json::Value = serde_json::from_str(&made).unwrap();
        let table = made["ports"]["tcp"][0].as_str().unwrap().parse().unwrap();
        let mut seat = common::tcp(table);
        common::handshake(&mut seat);
        seat.write_all(&[0x02, 6, 0, 1, 3, b'w', b'i', b't']).unwrap();
        let mut details = [0; 7];
        seat.read_exact(&mut details).unwrap();
        let [0x03, 5, 1, password @ ..] = details else { panic!("{details:02x?} is no WELCOME_DETAILS") };
        let yard = castle.port("yard");
        let (first, _) = said(yard, &["protocol 2.0", "login wit1 secret", "newgame witness standard"], is_answer);
        let (second, _) =
            said(yard, &["protocol 2.0", "login wit2 secret", "join witness", "votestart True"], is_answer);
        let mut voter = first.try_clone().unwrap();
        voter.write_all(b"votestart True\r\n").unwrap();
        let (mut ears, mut pawns) = (BufReader::new(second.try_clone().unwrap()), Vec::new());
        while pawns.len() < 6 {
            let mut line = String::new();
            assert_ne!(ears.read_line(&mut line).unwrap(), 0);
            pawns.extend(line.starts_with("* pawninfo").then(|| line.trim_end().to_owned()));
        }
        let is_in = |line: &str| line.starts_with("INHABITANT,wit,") || line.starts_with("ERROR");
        let (venus, heard) = said(castle.port("venus"), &["LOGIN,wit,secret"], is_in);
        assert!(heard.iter().any(|line| line == "WELCOME"), "{heard:?}");
        (Self { table, password: u32::from_be_bytes(password), pawns }, vec![seat, first, second, venus])
    }

    /// All of it is there after the kill, and nobody else's.
    fn check(&self, castle: &Castle) {
        let mut seat = common::tcp(self.table);
        common::handshake(&mut seat);
        let [a, b, c, d] = self.password.to_be_bytes();
        seat.write_all(&[0x0A, 5, 1, a, b, c, d]).unwrap();
        let mut head = [0; 2];
        seat.read_exact(&mut head).unwrap();
        assert_eq!(head[0], 0x0B, "WELCOME_BACK");
        let yard = castle.port("yard");
        let (_, heard) = said(yard, &["protocol 2.0", "login wit2 other"], is_answer);
        assert_eq!(heard.last().unwrap(), "- no \"wrong password\"");
        let back = ["protocol 2.0", "login wit2 secret", "join witness", "pawninfo", "noop"];
        let (_, heard) = said(yard, &back, is_answer);
        let pawns: Vec<_> = heard.iter().filter(|line| line.starts_with("* pawninfo")).take(6).cloned().collect();
        assert_eq!(pawns, self.pawns, "{heard:?}");
        let told = |line: &str| line.starts_with("WELCOME") || line.starts_with("ERROR");
        let (_, heard) = said(castle.port("venus"), &["LOGIN,wit,other"], told);
        assert_eq!(heard.last().unwrap(), "ERROR,Wrong password.");
        let (_, heard) = said(castle.port("venus"), &["LOGIN,wit,secret"], told);
        assert_eq!(heard.last().unwrap(), "WELCOME");
    }
}

fn at(times: &mut [Duration], share: f64) -> Duration {
    times.sort_unstable();
    let last = times.len().saturating_sub(1);
    times.get((last as f64 * share) as usize).copied().unwrap_or_default()
}

fn tell(what: &str, times: &mut Vec<Duration>) -> Duration {
    let (half, most) = (at(times, 0.5), at(times, 0.99));
    println!("{what}: {} rounds, half within {half:?}, 99 % within {most:?}", times.len());
    times.clear();
    most
}

#[test]
#[ignore = "takes minutes: tests/run siege"]
fn honest_games_go_on_beside_every_attack() {
    let seconds = std::env::var("SIEGE_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_800_u64);
    let data = scratch("siege");
    std::fs::remove_dir_all(&data).unwrap();
    let castle = Arc::new(Castle::build(&data));
    let runtime = Runtime::new().unwrap();
    let (honest, is_over) = (Arc::new(Honest::default()), Arc::new(AtomicBool::new(false)));
    let lobby = named("pimp-lobby").unwrap();
    let evenings: Vec<_> = GAMES.iter().map(|entry| (entry, entry.name)).chain([(lobby, lobby.name)]).collect();
    let mut guests = Vec::new();
    for (number, (entry, flag)) in (1_u8..).zip(evenings.iter().flat_map(|evening| [evening, evening])) {
        let guest = Guest { entry, to: castle.port(flag), from: Ipv4Addr::new(127, 0, 0, 1 + number), number };
        let (castle, honest, is_over) = (castle.clone(), honest.clone(), is_over.clone());
        guests.push(runtime.spawn(async move { guest.stay(&castle, &honest, &is_over).await }));
    }
    let calm = Duration::from_secs((seconds / 4).clamp(5, 60));
    std::thread::sleep(calm);
    let before = tell("calm", &mut honest.times.lock().unwrap());
    let memory = castle.figure("parlor_resident_bytes");
    let (enemy_over, games) = (AtomicBool::new(false), honest.games.load(Relaxed));
    let enemy = Enemy { castle: &castle, is_over: &enemy_over, done: AtomicU64::new(0) };
    let (during, after_kill) = std::thread::scope(|scope| {
        scope.spawn(|| enemy.besiege());
        std::thread::sleep(Duration::from_secs(seconds / 2));
        let first = tell("besieged", &mut honest.times.lock().unwrap());
        let (witness, connections) = Witness::begin(&castle);
        castle.kill();
        witness.check(&castle);
        drop(connections);
        // Whoever was connected comes back.
        std::thread::sleep(Duration::from_secs(3));
        castle.is_down.store(false, Relaxed);
        honest.times.lock().unwrap().clear();
        std::thread::sleep(Duration::from_secs(seconds / 2));
        enemy_over.store(true, Relaxed);
        (first, tell("besieged, after the kill", &mut honest.times.lock().unwrap()))
    });
    let left = castle.figure("parlor_resident_bytes");
    let (won, attacks) = (honest.games.load(Relaxed) - games, enemy.done.load(Relaxed));
    for name in [
        "parlor_wrong_passwords_total",
        "parlor_held_passwords_total",
        "parlor_confined_total",
        "parlor_journal_failing",
    ] {
        println!("{name} {}", castle.figure(name));
    }
    is_over.store(true, Relaxed);
    guests.into_iter().for_each(|guest| runtime.block_on(guest).unwrap());
    let worst = during.max(after_kill).as_secs_f64() / before.as_secs_f64().max(1e-9);
    let late = honest.late.load(Relaxed);
    println!(
        "{attacks} attacks, {won} games won meanwhile, {late} evenings over or full; 99 % within {worst:.2} times the calm"
    );
    println!("memory: {memory} bytes before, {left} after");
    assert_eq!(*honest.turned_away.lock().unwrap(), Vec::<String>::new());
    assert!(won > 0 && castle.figure("parlor_journal_failing") == 0);
    assert!(left < memory + SLACK, "{memory} bytes before, {left} after");
    drop(castle);
    let replay = run(&["replay", data.to_str().unwrap()]);
    assert!(replay.status.success(), "{}", String::from_utf8_lossy(&replay.stderr));
    std::fs::remove_dir_all(data).unwrap();
}
