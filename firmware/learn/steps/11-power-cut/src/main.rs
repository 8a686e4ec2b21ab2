//! A score is kept in flash, and the plug may be pulled at any moment. Every moment is tried.

/// A page is erased as a whole; bytes are then written one by one, and a bit that was written stays so.
const PAGE: usize = 16;
const ERASED: u8 = 0xFF;

/// Two pages, and a plug that is pulled when so many bytes have been written or pages erased.
#[derive(Clone)]
struct Flash {
    pages: [[u8; PAGE]; 2],
    steps_left: usize,
}

/// The power is gone. Whoever was writing does not find out.
struct Dark;

impl Flash {
    fn step(&mut self) -> Result<(), Dark> {
        self.steps_left = self.steps_left.checked_sub(1).ok_or(Dark)?;
        Ok(())
    }
    fn erase(&mut self, page: usize) -> Result<(), Dark> {
        // Half erased is what a cut leaves: rubbish, not a blank page.
        self.pages[page][..PAGE / 2].fill(ERASED);
        self.step()?;
        self.pages[page].fill(ERASED);
        self.step()
    }
    fn write(&mut self, page: usize, at: usize, byte: u8) -> Result<(), Dark> {
        self.step()?;
        self.pages[page][at] &= byte;
        Ok(())
    }
}

/// A copy: a number that says which is newer, the score, and a sum over both that is written last.
fn record(serial: u32, score: u32) -> [u8; 12] {
    let mut bytes = [0; 12];
    bytes[..4].copy_from_slice(&serial.to_le_bytes());
    bytes[4..8].copy_from_slice(&score.to_le_bytes());
    let sum = bytes[..8].iter().fold(0x811c_9dc5u32, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    bytes[8..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Serial and score of a page, if its sum is right.
fn read(page: &[u8; PAGE]) -> Option<(u32, u32)> {
    let [serial, score] = [0, 4].map(|at| u32::from_le_bytes([page[at], page[at + 1], page[at + 2], page[at + 3]]));
    (record(serial, score)[..] == page[..12]).then_some((serial, score))
}

fn load(flash: &Flash) -> Option<(u32, u32)> {
    flash.pages.iter().filter_map(read).max()
}

/// Writes over the older copy, never over the newer one.
fn save_in_two(flash: &mut Flash, score: u32) -> Result<(), Dark> {
    let newest = load(flash).map(|(serial, _)| serial);
    let page = usize::from(newest.is_some() && read(&flash.pages[0]).map(|(serial, _)| serial) == newest);
    flash.erase(page)?;
    for (at, byte) in record(newest.unwrap_or(0) + 1, score).into_iter().enumerate() {
        flash.write(page, at, byte)?;
    }
    Ok(())
}

/// Always the same page: less flash, and one day no score.
fn save_in_one(flash: &mut Flash, score: u32) -> Result<(), Dark> {
    flash.erase(0)?;
    for (at, byte) in record(1, score).into_iter().enumerate() {
        flash.write(0, at, byte)?;
    }
    Ok(())
}

fn main() {
    let broken = std::env::args().any(|word| word == "break");
    let save = if broken { save_in_one } else { save_in_two };
    let mut before = Flash { pages: [[ERASED; PAGE]; 2], steps_left: usize::MAX };
    let _ = save(&mut before, 100);
    println!("100 is kept; now 200 is saved, and the plug is pulled after each step");
    let mut outcomes = Vec::new();
    for steps in 0.. {
        let mut flash = Flash { steps_left: steps, ..before.clone() };
        let is_done = save(&mut flash, 200).is_ok();
        outcomes.push(load(&flash).map(|(_, score)| score));
        // After the cut, life goes on: the next save must work whatever was left behind.
        flash.steps_left = usize::MAX;
        let _ = save(&mut flash, 300);
        assert_eq!(load(&flash).map(|(_, score)| score), Some(300));
        if is_done {
            break;
        }
    }
    for (score, name) in [(Some(100), "the old score"), (Some(200), "the new score"), (None, "nothing at all")] {
        let count = outcomes.iter().filter(|outcome| **outcome == score).count();
        println!("{count:>3} of {} cuts leave {name}", outcomes.len());
    }
    println!("and 300 could be saved after every one of them");
}
