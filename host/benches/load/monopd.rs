//! Debian's monopd, asked what is comparable: a command out of turn, and a full update. Its messages are lines of XML.

use std::io::Write as _;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::waves::{hear, rest};

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

    /// The second players of so many games of two. The first are on turn, and stay silent.
    pub fn guests(&self, tables: usize) -> Vec<TcpStream> {
        let connect = || TcpStream::connect(ADDRESS).expect("monopd should listen");
        let mut hosts: Vec<_> = (0..tables).map(|_| connect()).collect();
        let mut guests: Vec<_> = (0..tables).map(|_| connect()).collect();
        for streams in [&mut hosts, &mut guests] {
            say(streams, |_| ".nplayer\n".into());
            rest(streams);
        }
        say(&mut hosts, |_| ".gncity\n".into());
        let games: Vec<u32> = hear(&mut hosts).iter().map(|heard| game_in(heard)).collect();
        say(&mut guests, |at| format!(".gj{}\n", games[at]));
        rest(&mut guests);
        say(&mut hosts, |_| ".gs\n".into());
        rest(&mut hosts);
        // They must stay, or their games end; nothing more is told to them.
        hosts.into_iter().for_each(std::mem::forget);
        guests
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn say(streams: &mut [TcpStream], line: impl Fn(usize) -> String) {
    for (at, stream) in streams.iter_mut().enumerate() {
        stream.write_all(line(at).as_bytes()).expect("monopd should listen");
    }
}

/// The number of the game that somebody has made and sits in: the last that was told of.
fn game_in(heard: &[u8]) -> u32 {
    let text = String::from_utf8_lossy(heard);
    let own = text.split("<playerupdate").filter_map(|update| update.split_once(" game=\"")).last();
    let number = own.and_then(|(_, rest)| rest.split('"').next()?.parse().ok());
    number.unwrap_or_else(|| panic!("no game in {text}"))
}
