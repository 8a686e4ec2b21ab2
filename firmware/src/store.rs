//! An A/B store: a piece of flash that keeps the newest saved game whole, whenever the power goes.
//!
//! The flash is cut into two sides, each a log of `sequential-storage`. Game number n, in parts that fit one small
//! buffer, goes to side n % 2: never to the side that holds game n - 1. It counts from its last part on, once all of it
//! was read back; until then game n - 1 is the one that a boot finds. A side is erased when it is full, and before its
//! first use after a boot: so nothing is ever appended to what a power cut left behind. Sectors that are blank for
//! certain are left alone, and after each erase other tasks have a turn: a board that runs out of the same flash stands
//! still while a sector is erased.
//!
//! Knows bytes only: what they mean, and whether they can be gone on with, is for their writer to say.
//!
//! What can never happen here: a mix of two games, a write to flash that was not erased first, an erase of the newest
//! whole game.

use core::ops::Range;

use embassy_futures::yield_now;
use embassy_time::{Duration, Timer};
use embedded_storage_async::nor_flash::NorFlash;
use sequential_storage::cache::{Cache, Uncached};
use sequential_storage::queue::{QueueConfig, QueueStorage};

use crate::fmt::warn;

/// An item of the log: 6 /* front */ + up to 506 of the game. The log's own header comes to it.
const ITEM: usize = 512;
/// 4 /* number of the game, lowest byte first */ + 1 /* which part */ + 1 /* of how many */.
const FRONT: usize = 6;
const PART: usize = ITEM - FRONT;
/// What the log puts before an item, at most: 8 bytes, rounded up to the largest word it knows.
const ITEM_HEADER: usize = 32;

/// Flash that was erased, four bytes of it.
const BLANK: [u8; 4] = [0xFF; 4];

/// The parts of a game of this length.
pub fn parts(length: usize) -> usize {
    length.div_ceil(PART)
}

fn parts_a_sector(sector: usize) -> usize {
    // Two words mark a sector as begun and full.
    sector.saturating_sub(2 * ITEM_HEADER) / (ITEM_HEADER + ITEM)
}

type Log<'a, F> = QueueStorage<&'a mut F, Cache<Uncached, Uncached, Uncached, ()>>;

/// Why a game is not stored, or there is no store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Trouble {
    /// The flash can't be divided into two sides of whole sectors that each have room for the longest game.
    NoRoom,
    /// The flash said no.
    Flash,
    /// What was read back is not what was written: the flash is worn.
    Worn,
}

/// Two sides of flash, and the newest whole game on one of them.
pub struct Store<F> {
    flash: F,
    /// Where the first side begins.
    start: u32,
    /// How long a side is.
    length: u32,
    /// The longest game that has room on a side.
    longest: usize,
    /// How long other tasks run after a sector was erased.
    rest: Duration,
    /// The newest whole game; 0: there is none.
    number: u32,
    /// The sides that were erased since the boot, and to which nothing was written in vain: they can be appended to.
    fresh: [bool; 2],
    item: [u8; ITEM],
}

impl<F: NorFlash> Store<F> {
    /// All of `range` is the store's own, for games of up to `longest` bytes. Nothing is read or written yet.
    pub fn new(flash: F, range: Range<u32>, longest: usize, rest: Duration) -> Result<Self, Trouble> {
        let (sector, length) = (F::ERASE_SIZE, range.end.saturating_sub(range.start) / 2);
        let room = (length as usize / sector).saturating_mul(parts_a_sector(sector));
        let parts = parts(longest);
        let whole_sectors = [range.start, length].iter().all(|at| (*at as usize).is_multiple_of(sector));
        let is_inside = range.end as usize <= flash.capacity();
        if !whole_sectors || !is_inside || parts > room || parts > usize::from(u8::MAX) {
            return Err(Trouble::NoRoom);
        }
        Ok(Self { flash, start: range.start, length, longest, rest, number: 0, fresh: [false; 2], item: [0; ITEM] })
    }

    /// The newest whole game, read into `out`. Once, at boot, before the first [`Store::save`].
    pub async fn load<'a>(&mut self, out: &'a mut [u8]) -> Option<&'a [u8]> {
        self.number = self.newest(0).await.max(self.newest(1).await);
        if self.number == 0 {
            return None;
        }
        let length = self.read(out).await?;
        out.get(..length)
    }

    /// Keeps this game instead of the last one. On an error the last one is kept still.
    pub async fn save(&mut self, game: &[u8]) -> Result<(), Trouble> {
        if game.is_empty() || game.len() > self.longest {
            return Err(Trouble::NoRoom);
        }
        let number = self.number.saturating_add(1);
        if !self.is_fresh(number) || self.append(number, game).await.is_err() {
            self.erase(number).await?;
            self.append(number, game).await?;
        }
        if self.newest(number).await != number {
            self.set_fresh(number, false);
            return Err(Trouble::Worn);
        }
        self.number = number;
        Ok(())
    }

    /// Keeps nothing any more.
    #[cfg(feature = "settings")]
    pub async fn forget(&mut self) -> Result<(), Trouble> {
        self.number = 0;
        self.erase(0).await?;
        self.erase(1).await
    }

    /// Parts that can be written before every sector has been erased once more.
    pub fn parts(&self) -> u32 {
        2 * self.length / F::ERASE_SIZE as u32 * parts_a_sector(F::ERASE_SIZE) as u32
    }

    fn is_fresh(&self, number: u32) -> bool {
        let [even, odd] = self.fresh;
        if number.is_multiple_of(2) { even } else { odd }
    }

    fn set_fresh(&mut self, number: u32, fresh: bool) {
        let [even, odd] = &mut self.fresh;
        *(if number.is_multiple_of(2) { even } else { odd }) = fresh;
    }

    /// The side of this game.
    fn side(&self, number: u32) -> Range<u32> {
        let start = self.start + number % 2 * self.length;
        start..start + self.length
    }

    /// Sector by sector, the first one first. A power cut may leave a sector that looks blank and is not: it is the last of
    /// the side, or the one after it is not blank. Such a sector is erased again.
    async fn erase(&mut self, number: u32) -> Result<(), Trouble> {
        self.set_fresh(number, false);
        let side = self.side(number);
        for sector in side.clone().step_by(F::ERASE_SIZE) {
            let next = sector + F::ERASE_SIZE as u32;
            if next < side.end && self.is_blank(sector).await? && self.is_blank(next).await? {
                continue;
            }
            self.flash.erase(sector, next).await.map_err(|_| Trouble::Flash)?;
            Timer::after(self.rest).await;
        }
        self.set_fresh(number, true);
        Ok(())
    }

    async fn is_blank(&mut self, sector: u32) -> Result<bool, Trouble> {
        for at in (sector..sector + F::ERASE_SIZE as u32).step_by(ITEM) {
            self.flash.read(at, &mut self.item).await.map_err(|_| Trouble::Flash)?;
            if self.item.chunks_exact(BLANK.len()).any(|bytes| bytes != BLANK) {
                return Ok(false);
            }
        }
        yield_now().await;
        Ok(true)
    }

    /// Part by part, with a turn for other tasks after each.
    async fn append(&mut self, number: u32, game: &[u8]) -> Result<(), Trouble> {
        // What is begun and not ended can't be appended to. There are at most 255 parts: `new` saw to it.
        self.set_fresh(number, false);
        let side = self.side(number);
        let mut log = log(&mut self.flash, side)?;
        let count = parts(game.len()) as u8;
        for (nth, part) in (0..count).zip(game.chunks(PART)) {
            let [a, b, c, d] = number.to_le_bytes();
            let item = [a, b, c, d, nth, count].into_iter().chain(part.iter().copied());
            self.item.iter_mut().zip(item).for_each(|(to, from)| *to = from);
            let item = self.item.get(..FRONT + part.len()).ok_or(Trouble::NoRoom)?;
            log.push(item, false).await.map_err(|_| Trouble::Flash)?;
            yield_now().await;
        }
        self.set_fresh(number, true);
        Ok(())
    }

    /// The number of the newest whole game on the side of `number`, 0 if there is none.
    async fn newest(&mut self, number: u32) -> u32 {
        let side = self.side(number);
        let mut count = Count::default();
        let end = each_part(&mut self.flash, side, &mut self.item, &mut |part| count.take(&part)).await;
        if end.is_err() {
            // So it goes with what a power cut left; the other side is whole then.
            warn!("store: side {} can't be read to its end", number % 2);
        }
        if count.whole % 2 == number % 2 { count.whole } else { 0 }
    }

    /// The parts of the newest game put together; how long they are.
    async fn read(&mut self, out: &mut [u8]) -> Option<usize> {
        let (number, side) = (self.number, self.side(self.number));
        let (mut length, mut next, mut fits) = (0, 0, true);
        let mut take = |part: Part<'_>| {
            if part.number != number || part.nth != next {
                return;
            }
            next += 1;
            match out.get_mut(length..length + part.bytes.len()) {
                Some(to) => to.copy_from_slice(part.bytes),
                None => fits = false,
            }
            length += part.bytes.len();
        };
        each_part(&mut self.flash, side, &mut self.item, &mut take).await.ok()?;
        fits.then_some(length)
    }
}

fn log<F: NorFlash>(flash: &mut F, side: Range<u32>) -> Result<Log<'_, F>, Trouble> {
    let config = QueueConfig::try_new(side).map_err(|_| Trouble::NoRoom)?;
    Ok(QueueStorage::new(flash, config, Cache::new_uncached()))
}

/// Shows every readable part on a side, the oldest first.
async fn each_part<F: NorFlash>(
    flash: &mut F,
    side: Range<u32>,
    item: &mut [u8; ITEM],
    see: &mut dyn FnMut(Part<'_>),
) -> Result<(), Trouble> {
    let mut log = log(flash, side)?;
    let mut items = log.iter().await.map_err(|_| Trouble::Flash)?;
    while let Some(item) = items.next(item).await.map_err(|_| Trouble::Flash)? {
        Part::read(&item).into_iter().for_each(&mut *see);
        yield_now().await;
    }
    Ok(())
}

/// One item of a log.
struct Part<'a> {
    number: u32,
    nth: u8,
    count: u8,
    bytes: &'a [u8],
}

impl<'a> Part<'a> {
    fn read(item: &'a [u8]) -> Option<Self> {
        let ([a, b, c, d, nth, count], bytes) = item.split_first_chunk::<FRONT>()?;
        Some(Self { number: u32::from_le_bytes([*a, *b, *c, *d]), nth: *nth, count: *count, bytes })
    }
}

/// Follows a log, and knows the newest game of which every part was there.
#[derive(Default)]
struct Count {
    whole: u32,
    /// The game whose parts come now, and which of them comes next.
    number: u32,
    next: u8,
}

impl Count {
    fn take(&mut self, part: &Part<'_>) {
        if part.nth == 0 {
            (self.number, self.next) = (part.number, 0);
        }
        if part.number != self.number || part.nth != self.next {
            self.number = 0;
            return;
        }
        self.next = self.next.saturating_add(1);
        if self.next == part.count {
            self.whole = self.whole.max(part.number);
        }
    }
}

#[cfg(test)]
pub(crate) mod nor;
#[cfg(test)]
mod tests;
