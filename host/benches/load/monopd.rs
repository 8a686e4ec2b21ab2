//! Debian's monopd, asked what is comparable: a command out of turn, and a full update. Its messages are lines of XML.

use std::io::Write as _;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::waves::{Caller, drain};

const PROGRAM: &str = "/usr/sbin/monopd";
/// As its settings in /etc have it.
const ADDRESS: &str = "127.0.0.1:1234";

/// A running one; ended when dropped.
pub struct Server(Child);

impl Server {
    /// `None` where it is not installed, or something else has its port.
    pub fn start() -> Option<Self> {
        if !Path::new(PROGRAM).exists() || TcpStream::connect(ADDRESS).is_ok() {
            return None;
        }
        let mut command = Command::new("taskset");
        command.args(["-c", "0", PROGRAM]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let server = Self(command.spawn().ok()?);
        for _ in 0..100 {
            std::thread::sleep(Duration::from_millis(20));
            if TcpStream::connect(ADDRESS).is_ok() {
                return Some(server);
            }
        }
        None
    }

    /// Rolls in games of two, by who is not on turn.
    pub fn refused(&self, tables: usize) -> Caller {
        Caller::new(self.guests(tables), b".r\n")
    }

    pub fn full(&self, tables: usize) -> Caller {
        Caller::new(self.guests(tables), b".f\n")
    }

    /// The second player of each of so many games. The first is on turn, and stays silent.
    fn guests(&self, tables: usize) -> impl Iterator<Item = TcpStream> {
        (0..tables).map(|_| {
            let mut host = enter();
            say(&mut host, ".gncity\n");
            let game = game_of(&mut host);
            let mut guest = enter();
            say(&mut guest, &format!(".gj{game}\n"));
            drain(&mut guest);
            say(&mut host, ".gs\n");
            drain(&mut guest);
            // It must stay, or its game ends; nothing more is read from it, and nothing more is told to it.
            std::mem::forget(host);
            guest
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn enter() -> TcpStream {
    let mut stream = TcpStream::connect(ADDRESS).expect("monopd should listen");
    drain(&mut stream);
    say(&mut stream, ".nguest\n");
    drain(&mut stream);
    stream
}

fn say(stream: &mut TcpStream, line: &str) {
    stream.write_all(line.as_bytes()).expect("monopd should listen");
}

/// The number of the game that was made, from the first words about it.
fn game_of(stream: &mut TcpStream) -> u32 {
    use std::io::Read as _;
    let mut room = [0; 65536];
    let n = stream.read(&mut room).expect("monopd should answer");
    let text = String::from_utf8_lossy(&room[..n]).into_owned();
    let number = text.split_once("gameid=\"").and_then(|(_, rest)| rest.split('"').next()?.parse().ok());
    number.unwrap_or_else(|| panic!("no game in {text}"))
}
