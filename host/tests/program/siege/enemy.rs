//! Every attack of SECURITY.md that needs nothing but connections.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::Castle;
use crate::common::HELLO;
use socket2::{Domain, Socket, Type};

/// Whoever attacks comes from here.
const ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 1, 1);
/// How often they look what they are to do.
const LOOK: Duration = Duration::from_millis(20);

/// Enemies have machines of their own. These share one with the server: they have what of it nobody else wants. A thread that is
/// only nice still has its slices, and whoever is woken meanwhile waits for their end.
fn give_way() {
    let own = std::fs::read_link("/proc/thread-self").unwrap();
    let thread = own.file_name().unwrap();
    let told = Command::new("chrt").args(["--idle", "--pid", "0"]).arg(thread).status();
    assert!(told.is_ok_and(|status| status.success()), "chrt of util-linux is needed");
}

/// What they are at.
const NOTHING: u64 = u64::MAX;
const HOME: u64 = u64::MAX - 1;

/// Those who mean no good. Whatever they are answered, they go on.
pub struct Enemy<'a> {
    castles: [&'a Castle; 2],
    /// The castle that they are at, by its number.
    target: AtomicU64,
    /// Attacks that go on now.
    busy: AtomicU64,
    /// Connections so far.
    pub done: AtomicU64,
}

impl<'a> Enemy<'a> {
    pub fn new(castles: [&'a Castle; 2]) -> Self {
        Self { castles, target: AtomicU64::new(NOTHING), busy: AtomicU64::default(), done: AtomicU64::default() }
    }

    /// From now on; without a number they rest. Returns when nobody is at another.
    pub fn go_to(&self, castle: Option<u64>) {
        self.target.store(NOTHING, Relaxed);
        while self.busy.load(Relaxed) > 0 {
            std::thread::sleep(LOOK);
        }
        self.target.store(castle.unwrap_or(NOTHING), Relaxed);
    }

    pub fn go_home(&self) {
        self.target.store(HOME, Relaxed);
    }

    fn is_at(&self, castle: &Castle) -> bool {
        let at = self.target.load(Relaxed) as usize;
        self.castles.get(at).is_some_and(|target| std::ptr::eq(*target, castle))
    }

    /// Waits so long, unless told to be elsewhere.
    fn stay(&self, castle: &Castle, time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end && self.is_at(castle) {
            std::thread::sleep(LOOK);
        }
    }

    fn connect(&self, castle: &Castle, flag: &str) -> Option<TcpStream> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).ok()?;
        socket.bind(&SocketAddr::new(ADDRESS.into(), 0).into()).ok()?;
        socket.connect_timeout(&castle.port(flag).into(), Duration::from_millis(500)).ok()?;
        let stream: TcpStream = socket.into();
        stream.set_read_timeout(Some(Duration::from_millis(200))).ok()?;
        stream.set_write_timeout(Some(Duration::from_millis(200))).ok()?;
        self.done.fetch_add(1, Relaxed);
        Some(stream)
    }

    fn for_ever(&self, attack: impl Fn(&Castle)) {
        give_way();
        loop {
            self.busy.fetch_add(1, Relaxed);
            let at = self.target.load(Relaxed);
            if let Some(castle) = self.castles.get(at as usize) {
                attack(castle);
            }
            self.busy.fetch_sub(1, Relaxed);
            match at {
                HOME => return,
                NOTHING => std::thread::sleep(LOOK),
                // One that took all of this machine's time would measure itself.
                _ => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    fn say(&self, castle: &Castle, flag: &str, bytes: &[u8]) {
        let Some(mut stream) = self.connect(castle, flag) else { return };
        let _ = stream.write_all(bytes);
        let _ = stream.read(&mut [0; 4096]);
    }

    /// Passwords of seats, one after another.
    fn guess(&self, castle: &Castle) {
        let password = self.done.load(Relaxed) as u32;
        let [a, b, c, d] = password.to_be_bytes();
        let rejoin = [HELLO, &[0x0A, 5, 1, a, b, c, d]].concat();
        self.say(castle, "pimp", &rejoin);
        self.say(castle, "pimp-lobby", &rejoin);
        self.say(castle, "yard", b"protocol 2.0\r\nlogin guest3 guess\r\n");
        self.say(castle, "venus", b"LOGIN,guest5,guess\n");
    }

    /// Accounts and games, begun and left.
    fn hoard(&self, castle: &Castle) {
        let n = self.done.load(Relaxed) % 40;
        let game = format!("protocol 2.0\r\nlogin hoarder{n} secret\r\nnewgame hoard{n} standard\r\n");
        self.say(castle, "yard", game.as_bytes());
        let room =
            format!("LOGIN,hoarder{n},secret\nNEWROOM,hoard{n}\nCHANGEROOM,hoard{n}\nNEWGAME,MerchantOfVenus\nJOIN\n");
        self.say(castle, "venus", room.as_bytes());
    }

    /// Names that look like others, and lines in which a password stands where it should not.
    fn pretend(&self, castle: &Castle) {
        self.say(
            castle,
            "yard",
            "protocol 2.0\r\nlogin gu\u{435}st3 x\r\n#a1 login joe secret\r\nlogin secret\r\n".as_bytes(),
        );
        self.say(castle, "venus", "LOGIN,gu\u{435}st5,x\nLOGIN secret\n".as_bytes());
    }

    /// Sits down to watch, says nothing, and has a vote in who comes.
    fn watch(&self, castle: &Castle) {
        let Some(mut stream) = self.connect(castle, "pimp-lobby") else { return };
        let _ = stream.write_all(&[HELLO, &[0x02, 6, 0, 0, 3, b'm', b'a', b'l']].concat());
        self.stay(castle, Duration::from_secs(1));
    }

    /// Commands as a proxy would pass them on, by a name that is not the server's, and without the right.
    fn command(&self, castle: &Castle) {
        for more in
            ["Host: evil.example", "Host: 127.0.0.1\r\nX-Forwarded-For: 127.0.0.1", "Host: 127.0.0.1\r\nVia: 1.1 x"]
        {
            self.say(
                castle,
                "http",
                format!("DELETE /admin/callers?address=127.0.0.0/8 HTTP/1.1\r\n{more}\r\n\r\n").as_bytes(),
            );
        }
    }

    /// Connections that say nothing, at every table.
    fn silent(&self, castle: &Castle) {
        let flags = ["pimp", "yard", "venus", "pimp-lobby"];
        let held: Vec<_> = (0..160).filter_map(|n| self.connect(castle, flags[n % 4])).collect();
        self.stay(castle, Duration::from_secs(2));
        drop(held);
    }

    fn upgraded(&self, castle: &Castle) -> Option<TcpStream> {
        let mut stream = self.connect(castle, "pimp-ws")?;
        let head = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                    Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        stream.write_all(head.as_bytes()).ok()?;
        Some(stream)
    }

    /// Pings, and parts of a message that never ends.
    fn ping(&self, castle: &Castle, first: u8, rest: u8) {
        let Some(mut stream) = self.upgraded(castle) else { return };
        let frame = |kind| [kind, 0x80, 0, 0, 0, 0];
        let _ = stream.write_all(&frame(first));
        let many = frame(rest).repeat(1_000);
        while self.is_at(castle) && stream.write_all(&many).is_ok() {
            let _ = stream.read(&mut [0; 4096]);
        }
    }

    /// Frames without sense, and lines.
    fn rubbish(&self, castle: &Castle, flag: &str) {
        let Some(mut stream) = self.connect(castle, flag) else { return };
        let frame = [&[0x0F, 254][..], &[0xAA; 254]].concat().repeat(16);
        let bytes = if flag == "pimp" { frame } else { b"rubbish of no kind at all\r\n".repeat(200) };
        while self.is_at(castle) && stream.write_all(&bytes).is_ok() {
            let _ = stream.read(&mut [0; 65536]);
        }
    }

    /// Sits down in the lobby, is away and gone.
    fn ghost(&self, castle: &Castle) {
        let name = format!("g{:06}", self.done.load(Relaxed) % 1_000_000);
        let join = [&[0x02, 3 + name.len() as u8, 0, 1, name.len() as u8][..], name.as_bytes()].concat();
        self.say(castle, "pimp-lobby", &[HELLO, &join, &[0x21, 0, 0xD5, 0]].concat());
    }

    fn page(&self, castle: &Castle) {
        let Some(mut stream) = self.connect(castle, "http") else { return };
        let request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(20);
        while self.is_at(castle) && stream.write_all(&request).is_ok() {
            let _ = stream.read(&mut [0; 65536]);
        }
    }

    /// One account, whose password is right each time: every login is hashed.
    fn log_in(&self, castle: &Castle) {
        self.say(castle, "yard", b"protocol 2.0\r\nlogin eve secret\r\n");
    }

    /// The same where nobody is told that the name is in use before the password was looked at, and gone before the answer.
    fn leave(&self, castle: &Castle) {
        if let Some(mut stream) = self.connect(castle, "venus") {
            let _ = stream.write_all(b"LOGIN,eve,secret\nLOGIN,eve,secret\n");
            std::thread::sleep(LOOK);
        }
    }

    /// The beginning of a TLS hello, and of a request.
    fn half(&self, castle: &Castle) {
        self.say(castle, "pimp", &[0x16, 0x03, 0x01]);
        self.say(castle, "http", b"GET / HTTP/1.1\r\nHost: ");
    }

    /// All of it at the same time, until they go home; `only`: these attacks alone, if any is named.
    pub fn besiege(&self, only: &[&str]) {
        type Attack<'e> = Box<dyn Fn(&Castle) + Send + 'e>;
        let attacks: [(&str, Attack<'_>); 16] = [
            ("guess", Box::new(|castle| self.guess(castle))),
            ("silent", Box::new(|castle| self.silent(castle))),
            ("ping", Box::new(|castle| self.ping(castle, 0x89, 0x89))),
            ("parts", Box::new(|castle| self.ping(castle, 0x02, 0x00))),
            ("pimp", Box::new(|castle| self.rubbish(castle, "pimp"))),
            ("yard", Box::new(|castle| self.rubbish(castle, "yard"))),
            ("venus", Box::new(|castle| self.rubbish(castle, "venus"))),
            ("ghost", Box::new(|castle| self.ghost(castle))),
            ("page", Box::new(|castle| self.page(castle))),
            ("log_in", Box::new(|castle| self.log_in(castle))),
            ("leave", Box::new(|castle| self.leave(castle))),
            ("half", Box::new(|castle| self.half(castle))),
            ("hoard", Box::new(|castle| self.hoard(castle))),
            ("pretend", Box::new(|castle| self.pretend(castle))),
            ("watch", Box::new(|castle| self.watch(castle))),
            ("command", Box::new(|castle| self.command(castle))),
        ];
        std::thread::scope(|scope| {
            for (name, attack) in attacks {
                if only.is_empty() || only.contains(&name) {
                    scope.spawn(move || self.for_ever(attack));
                }
            }
        });
    }
}
