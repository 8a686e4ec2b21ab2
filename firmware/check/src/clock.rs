//! A board's clock goes on while its emulator is kept waiting: what waits for a time is not late for ever.

use std::error::Error;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use crate::abuse::number;
use crate::door::Door;
use crate::emulator::Start;
use crate::web::{self, ask, get, must};
use crate::{Outcome, step};

/// Longer than any compiler keeps an emulator waiting, shorter than the board's watchdog waits.
const HELD: Duration = Duration::from_secs(4);

pub fn check(run: &Path, elf: &Path) -> Outcome {
    let board = Start { run, elf, qemu: "" }.pages("clock", &[])?;
    let door = web::door(board.web);
    step("its clock goes on while it is kept waiting", || {
        let before = seconds(&door)?;
        board.hold(true)?;
        sleep(HELD);
        board.hold(false)?;
        let passed = seconds(&door)? - before;
        Ok(must(u64::from(passed) >= HELD.as_secs(), &format!("{passed} of {} s passed for it", HELD.as_secs()))?)
    })
}

fn seconds(door: &Door) -> Result<u32, Box<dyn Error>> {
    number(&String::from_utf8(ask(door, &get("/status", "Connection: close\r\n"))?.body)?, "uptime_seconds")
}
