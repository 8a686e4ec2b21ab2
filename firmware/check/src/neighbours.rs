//! Two boards on one cable: each is found, by a name of its own, and knows as many hosts as it has links.

use std::io;
use std::net::Ipv4Addr;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::cable::Cable;
use crate::emulator::{Emulator, Start};
use crate::frames::{call, datagram, whereabouts, who_has};
use crate::mdns::{A, address_record, has, question};
use crate::{Outcome, step};

const ADDRESSES: [[u8; 4]; 2] = [[10, 0, 7, 1], [10, 0, 7, 2]];
const GUEST: [u8; 4] = [10, 0, 7, 99];
/// As many as the board has links.
const HOSTS: u8 = 20;
/// Nobody serves anything there.
const CLOSED: u16 = 9;
const GROUP: ([u8; 4], u16) = ([224, 0, 0, 251], 5353);
const GROUP_HARDWARE: [u8; 6] = [0x01, 0, 0x5E, 0, 0, 251];
/// Probes, a conflict and announcements take a few seconds; an emulator's may be longer.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(10);
const ASK: Duration = Duration::from_secs(1);

/// A hub between two boards.
struct Hub([Cable; 2]);

impl Hub {
    /// Whatever one board has sent, the other hears, and so does `hear`.
    fn carry(&self, mut hear: impl FnMut(&[u8])) -> io::Result<()> {
        let mut frame = [0; 2048];
        for (from, to) in [(0, 1), (1, 0)] {
            while let Some(frame) = self.0[from].take(&mut frame) {
                self.0[to].send(frame)?;
                hear(frame);
            }
        }
        sleep(LOOK);
        Ok(())
    }

    /// A third host sends this, to both.
    fn say(&self, frame: &[u8]) -> io::Result<()> {
        self.0.iter().try_for_each(|cable| cable.send(frame))
    }

    /// Says this to the first board until something like that is heard.
    fn until(&self, frame: &[u8], mut is_it: impl FnMut(&[u8]) -> bool) -> Outcome {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            self.0[0].send(frame)?;
            let (again, mut is_heard) = (Instant::now() + ASK, false);
            while Instant::now() < again && !is_heard {
                self.carry(|frame| is_heard |= is_it(frame))?;
            }
            if is_heard {
                return Ok(());
            }
        }
        Err("nothing came".into())
    }

    /// Asks until this name has this address.
    fn asked(&self, label: &str, address: [u8; 4]) -> Outcome {
        let own = address_record(label, address);
        let packet = question(&[label, "local"], A);
        let frame = datagram(GROUP_HARDWARE, (GUEST, GROUP.1), GROUP, &packet);
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            self.say(&frame)?;
            let (again, mut is_answered) = (Instant::now() + ASK, false);
            while Instant::now() < again && !is_answered {
                self.carry(|frame| is_answered |= has(frame, &own))?;
            }
            if is_answered {
                return Ok(());
            }
        }
        Err(format!("{label}.local is nobody").into())
    }
}

pub fn check(run: &Path, elf: &Path) -> Outcome {
    let hub = Hub([Cable::new()?, Cable::new()?]);
    let start = |nth: usize| {
        let address = Ipv4Addr::from(ADDRESSES[nth]);
        let ports = hub.0[nth].ports()?;
        Start { run, elf, qemu: "" }.on_cable(&format!("neighbour-{nth}"), &ports, &[format!("address={address}/24")])
    };
    let boards = [start(0)?, start(1)?];
    let mut names = [const { None }; 2];
    step("one is parlor.local, the other parlor-2.local", || {
        let end = Instant::now() + PATIENCE;
        loop {
            hub.carry(|_| ())?;
            names = [0, 1].map(|nth| name(&boards[nth]));
            match names.each_ref().map(Option::as_deref) {
                [Some("parlor"), Some("parlor-2")] | [Some("parlor-2"), Some("parlor")] => return Ok(()),
                names if Instant::now() > end => return Err(format!("{names:?}").into()),
                _ => {}
            }
        }
    })?;
    step("each answers for its own name", || {
        let names = names.iter().flatten().zip(ADDRESSES);
        names.into_iter().try_for_each(|(label, address)| hub.asked(label, address))
    })?;
    step("as many hosts as there are links are found again", || knows_all(&hub))?;
    boards
        .iter()
        .try_for_each(|board| board.complaint().map_or(Ok(()), |why| Err(format!("{why}\n{}", board.log()).into())))
}

/// Each host asks where the first board is, so the board knows where the host is. When all have asked, each is answered, and for
/// none the board has to ask: while it does, no other host is asked for, and each waits.
fn knows_all(hub: &Hub) -> Outcome {
    let hosts = (0..HOSTS).map(|nth| [10, 0, 7, 100 + nth]);
    let [board, _] = ADDRESSES;
    let mut hardware = [0; 6];
    for host in hosts.clone() {
        hub.until(&who_has(host, board), |frame| {
            let is_there = whereabouts(frame) == Some((false, board, host));
            if is_there {
                hardware.copy_from_slice(&frame[6..12]);
            }
            is_there
        })?;
    }
    let mut sought = None;
    for (host, port) in hosts.zip(50_000..) {
        let is_tcp_to = |frame: &[u8]| frame.get(23) == Some(&6) && frame.get(30..34) == Some(&host);
        hub.until(&call(hardware, (host, port), (board, CLOSED), 7), |frame| {
            sought = sought.or(whereabouts(frame).filter(|(asks, from, _)| *asks && *from == board));
            sought.is_some() || is_tcp_to(frame)
        })?;
    }
    sought.map_or(Ok(()), |(_, _, host)| Err(format!("the board asks where {host:?} is").into()))
}

/// The name that a board has settled on last.
fn name(board: &Emulator) -> Option<String> {
    let log = board.log();
    let (_, rest) = log.rsplit_once("mdns: ")?;
    rest.split_once(".local").map(|(name, _)| name.to_string())
}
