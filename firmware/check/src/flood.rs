//! Calls from addresses without a host, to every port of a board, while others are served.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::cable::Cable;
use crate::frames::call;

pub const BOARD: [u8; 4] = [10, 0, 2, 15];
const PORTS: [u16; 4] = [80, 13220, 7921, 4356];
/// Calls in this time, one to each of the ports.
const PAUSE: Duration = Duration::from_millis(10);
/// The emulator's own network is 10.0.2.2 to 10.0.2.4; no host has one of the others.
const NOBODIES: std::ops::Range<u32> = 20..250;

/// The address of the board's hardware, from any frame that it sends.
pub fn hardware(cable: &Cable) -> Option<[u8; 6]> {
    let mut room = [0; 2048];
    let end = Instant::now() + Duration::from_secs(10);
    while Instant::now() < end {
        while let Some(frame) = cable.take(&mut room) {
            if frame.get(12..14) == Some(&[0x08, 0x00]) && frame.get(26..30) == Some(&BOARD) {
                return frame.get(6..12)?.try_into().ok();
            }
        }
        sleep(PAUSE);
    }
    None
}

/// Calls until it is over, and counts.
pub fn call_in_vain(cable: &Cable, hardware: [u8; 6], calls: &AtomicU32, over: &AtomicBool) -> io::Result<()> {
    while !over.load(Relaxed) {
        for port in PORTS {
            let nth = calls.fetch_add(1, Relaxed);
            let host = NOBODIES.start + nth.wrapping_mul(0x9E37) % NOBODIES.len() as u32;
            let from = ([10, 0, 2, host as u8], 1024 + nth as u16 % 60_000);
            cable.send(&call(hardware, from, (BOARD, port), nth.wrapping_mul(0x9E37_79B9)))?;
        }
        sleep(PAUSE);
    }
    Ok(())
}
