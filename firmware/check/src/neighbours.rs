//! Two boards on one cable: each is found, by a name of its own.

use std::io;
use std::net::Ipv4Addr;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::cable::Cable;
use crate::emulator::{Emulator, Start};
use crate::frames::datagram;
use crate::mdns::{A, address_record, has, question};
use crate::{Outcome, step};

const ADDRESSES: [[u8; 4]; 2] = [[10, 0, 7, 1], [10, 0, 7, 2]];
const GUEST: [u8; 4] = [10, 0, 7, 99];
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
    boards
        .iter()
        .try_for_each(|board| board.complaint().map_or(Ok(()), |why| Err(format!("{why}\n{}", board.log()).into())))
}

/// The name that a board has settled on last.
fn name(board: &Emulator) -> Option<String> {
    let log = board.log();
    let (_, rest) = log.rsplit_once("mdns: ")?;
    rest.split_once(".local").map(|(name, _)| name.to_string())
}
