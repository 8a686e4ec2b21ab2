//! What is wanted of an ELF file: what is loaded where, and where a name is. Never panics, whatever the bytes.

const LOAD: u32 = 1;
const SYMBOLS: u32 = 2;
const SYMBOL_SIZE: usize = 16;

pub struct Elf<'a>(&'a [u8]);

impl<'a> Elf<'a> {
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        bytes.starts_with(b"\x7fELF\x01\x01").then_some(Self(bytes))
    }

    /// Physical addresses and bytes of all that is loaded.
    pub fn segments(&self) -> Option<Vec<(u32, &'a [u8])>> {
        let (at, size, count) = (self.word(28)?, self.half(42)?, self.half(44)?);
        let mut segments = Vec::new();
        for header in headers(at, size, count) {
            let length = self.word(header + 16)? as usize;
            if self.word(header)? == LOAD && length > 0 {
                segments.push((self.word(header + 12)?, self.bytes(self.word(header + 4)? as usize, length)?));
            }
        }
        Some(segments)
    }

    /// Where a region of memory.x begins: `_NAME_start`.
    pub fn start_of(&self, region: &str) -> Result<u32, String> {
        let name = format!("_{region}_start");
        self.symbol(&name).ok_or_else(|| format!("the image has no {name}"))
    }

    pub fn size_of(&self, region: &str) -> Result<usize, String> {
        let (start, name) = (self.start_of(region)?, format!("_{region}_end"));
        let end = self.symbol(&name).ok_or_else(|| format!("the image has no {name}"))?;
        Ok(end.saturating_sub(start) as usize)
    }

    fn symbol(&self, name: &str) -> Option<u32> {
        let (at, size, count) = (self.word(32)?, self.half(46)?, self.half(48)?);
        for header in headers(at, size, count) {
            if self.word(header + 4)? != SYMBOLS {
                continue;
            }
            let strings = headers(at, size, u16::MAX).nth(self.word(header + 24)? as usize)?;
            let names = self.word(strings + 16)? as usize;
            let (first, length) = (self.word(header + 16)? as usize, self.word(header + 20)? as usize);
            for entry in (first..first.checked_add(length)?).step_by(SYMBOL_SIZE) {
                let text = self.0.get(names.checked_add(self.word(entry)? as usize)?..)?;
                if text.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.first() == Some(&0)) {
                    return self.word(entry + 4);
                }
            }
        }
        None
    }

    fn bytes(&self, at: usize, length: usize) -> Option<&'a [u8]> {
        self.0.get(at..)?.get(..length)
    }

    fn word(&self, at: usize) -> Option<u32> {
        self.bytes(at, 4)?.try_into().ok().map(u32::from_le_bytes)
    }

    fn half(&self, at: usize) -> Option<u16> {
        self.bytes(at, 2)?.try_into().ok().map(u16::from_le_bytes)
    }
}

/// Where the entries of a table begin.
fn headers(at: u32, size: u16, count: u16) -> impl Iterator<Item = usize> {
    (0..usize::from(count)).map(move |nth| at as usize + nth * usize::from(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One segment of three bytes at 0x10000100, and the symbols `_x` and `_x_start`.
    fn file() -> Vec<u8> {
        let mut file = vec![0; 52];
        file[..6].copy_from_slice(b"\x7fELF\x01\x01");
        let mut set = |at: usize, value: u32, size: usize| {
            file.resize(file.len().max(at + size), 0);
            file[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
        };
        // Program headers: one at 52.
        set(28, 52, 4);
        set(42, 32, 2);
        set(44, 1, 2);
        for (at, value) in [(52, LOAD), (56, 84), (64, 0x1000_0100), (68, 3)] {
            set(at, value, 4);
        }
        set(84, 0x00CC_BBAA, 4);
        // Section headers: symbols at 88, their names at 128.
        set(32, 88, 4);
        set(46, 40, 2);
        set(48, 2, 2);
        for (at, value) in [(92, SYMBOLS), (104, 168), (108, 32), (112, 1), (144, 200)] {
            set(at, value, 4);
        }
        for (at, value) in [(168, 0), (172, 5), (184, 3), (188, 0x101F_F000)] {
            set(at, value, 4);
        }
        file.resize(200, 0);
        file.extend(b"_x\0_x_start\0");
        file
    }

    #[test]
    fn segments_and_symbols_are_found() {
        let file = file();
        let elf = Elf::new(&file).unwrap();
        assert_eq!(elf.segments().unwrap(), [(0x1000_0100, &[0xAA, 0xBB, 0xCC][..])]);
        assert_eq!((elf.symbol("_x"), elf.start_of("x")), (Some(5), Ok(0x101F_F000)));
        assert_eq!(elf.size_of("x").unwrap_err(), "the image has no _x_end");
        assert_eq!(elf.symbol("_x_st"), None);
    }

    #[test]
    fn half_a_file_is_no_panic() {
        let file = file();
        assert!(Elf::new(b"MZ").is_none() && Elf::new(b"").is_none());
        for length in 6..file.len() {
            let elf = Elf::new(&file[..length]).unwrap();
            let _ = (elf.segments(), elf.symbol("_x_start"));
        }
        for at in 6..file.len() {
            let mut file = file.clone();
            file[at] = 0xFF;
            let elf = Elf::new(&file).unwrap();
            let _ = (elf.segments(), elf.symbol("_x_start"));
        }
    }
}
