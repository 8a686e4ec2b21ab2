//! A NOR flash in memory, whose power can be cut in the middle of any write and any erase.

use std::vec::Vec;

use embedded_storage_async::nor_flash::{ErrorType, NorFlash, NorFlashError, NorFlashErrorKind, ReadNorFlash};

/// The power is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dead;

impl NorFlashError for Dead {
    fn kind(&self) -> NorFlashErrorKind {
        NorFlashErrorKind::Other
    }
}

/// What a cut leaves of the write or erase that it meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tear {
    /// It had not begun.
    Nothing,
    /// The first half is done, and a nibble.
    Front,
    /// The last half is done, and a nibble.
    Back,
    /// The middle is done.
    Middle,
    /// All but the middle is done: a sector's marks are gone, but it is not erased.
    Ends,
    /// Some bits are done, by lot.
    Bits(u32),
    /// It had just ended.
    All,
}

impl Tear {
    pub const EACH: [Self; 8] = [
        Self::Nothing,
        Self::Front,
        Self::Back,
        Self::Middle,
        Self::Ends,
        Self::Bits(0x2545_F491),
        Self::Bits(0x9E37_79B9),
        Self::All,
    ];

    /// The bits of byte `at` of `length` that have changed when the power goes.
    fn done(self, at: usize, length: usize) -> u8 {
        let (half, middle) = (length / 2, length / 4..length - length / 4);
        let all_if = |done: bool| if done { 0xFF } else { 0 };
        match self {
            Self::Nothing => 0,
            Self::Front if at == half => 0x0F,
            Self::Front => all_if(at < half),
            Self::Back if at == half => 0xF0,
            Self::Back => all_if(at > half),
            Self::Middle => all_if(middle.contains(&at)),
            Self::Ends => all_if(!middle.contains(&at)),
            Self::Bits(lot) => ((at as u32 ^ lot).wrapping_mul(lot | 1) >> 13) as u8,
            Self::All => 0xFF,
        }
    }
}

/// `WORD` is the least that can be read or written, `SECTOR` the least that can be erased.
#[derive(Clone)]
pub struct Nor<const WORD: usize, const SECTOR: usize> {
    pub bytes: Vec<u8>,
    /// Writes and erases ever begun.
    pub changes: usize,
    /// How often each sector was erased.
    pub erases: Vec<u32>,
    /// The change in which the power goes, and how.
    pub cut: Option<(usize, Tear)>,
}

impl<const WORD: usize, const SECTOR: usize> Nor<WORD, SECTOR> {
    pub fn new(sectors: usize) -> Self {
        Self { bytes: std::vec![0xFF; sectors * SECTOR], changes: 0, erases: std::vec![0; sectors], cut: None }
    }

    /// Power is back, and stays or is cut again in a change to come.
    pub fn boot(&mut self, cut: Option<(usize, Tear)>) {
        (self.changes, self.cut) = (0, cut);
    }

    /// What is done of a change that begins now.
    fn begin(&mut self) -> Tear {
        self.changes += 1;
        match self.cut {
            Some((at, tear)) if self.changes == at + 1 => tear,
            Some((at, _)) if self.changes > at => Tear::Nothing,
            _ => Tear::All,
        }
    }

    fn end(&self) -> Result<(), Dead> {
        if self.cut.is_some_and(|(at, _)| self.changes > at) { Err(Dead) } else { Ok(()) }
    }
}

impl<const WORD: usize, const SECTOR: usize> ErrorType for Nor<WORD, SECTOR> {
    type Error = Dead;
}

impl<const WORD: usize, const SECTOR: usize> ReadNorFlash for Nor<WORD, SECTOR> {
    const READ_SIZE: usize = WORD;

    async fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Dead> {
        assert!((offset as usize | bytes.len()).is_multiple_of(WORD));
        bytes.copy_from_slice(&self.bytes[offset as usize..][..bytes.len()]);
        self.end()
    }

    fn capacity(&self) -> usize {
        self.bytes.len()
    }
}

impl<const WORD: usize, const SECTOR: usize> NorFlash for Nor<WORD, SECTOR> {
    const WRITE_SIZE: usize = WORD;
    const ERASE_SIZE: usize = SECTOR;

    async fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Dead> {
        assert!((offset as usize | bytes.len()).is_multiple_of(WORD));
        let tear = self.begin();
        let length = bytes.len();
        let cells = &mut self.bytes[offset as usize..][..length];
        assert!(cells.iter().all(|cell| *cell == 0xFF), "written without erasing at {offset:#x}");
        for (at, (cell, byte)) in cells.iter_mut().zip(bytes).enumerate() {
            *cell &= byte | !tear.done(at, length);
        }
        self.end()
    }

    async fn erase(&mut self, from: u32, to: u32) -> Result<(), Dead> {
        let (from, to) = (from as usize, to as usize);
        assert!(from < to && (from | to).is_multiple_of(SECTOR));
        let tear = self.begin();
        self.erases[from / SECTOR..to / SECTOR].iter_mut().for_each(|count| *count += 1);
        for (at, cell) in self.bytes[from..to].iter_mut().enumerate() {
            *cell |= tear.done(at, to - from);
        }
        self.end()
    }
}
