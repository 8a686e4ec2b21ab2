//! Pages of flash, and the file that carries them: blocks of 512 bytes, each with one page of 256.

use std::collections::BTreeMap;

const PAGE: usize = 256;
const BLOCK: usize = 512;
const FIRST_MAGIC: u32 = 0x0A32_4655;
const SECOND_MAGIC: u32 = 0x9E5D_5157;
const LAST_MAGIC: u32 = 0x0AB1_6F30;
/// The block says which family of chips it is for.
const HAS_FAMILY: u32 = 0x2000;
const RP2040: u32 = 0xE48B_FF56;

/// By address, each a multiple of [`PAGE`].
pub struct Pages(BTreeMap<u32, [u8; PAGE]>);

impl Pages {
    pub fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Bytes at an address; what else is in the pages they touch is as before, or zero.
    pub fn put(&mut self, address: u32, bytes: &[u8]) {
        for (at, byte) in (address..).zip(bytes) {
            let page = self.0.entry(at - at % PAGE as u32).or_insert([0; PAGE]);
            page[at as usize % PAGE] = *byte;
        }
    }

    pub fn size(&self) -> usize {
        self.0.len() * PAGE
    }

    pub fn uf2(&self) -> Vec<u8> {
        let count = self.0.len() as u32;
        (0..).zip(&self.0).flat_map(|(number, (address, page))| block(number, count, *address, page)).collect()
    }
}

fn block(number: u32, count: u32, address: u32, page: &[u8; PAGE]) -> Vec<u8> {
    let head = [FIRST_MAGIC, SECOND_MAGIC, HAS_FAMILY, address, PAGE as u32, number, count, RP2040];
    let mut block: Vec<u8> = head.iter().flat_map(|word| word.to_le_bytes()).collect();
    block.extend(page);
    block.resize(BLOCK - 4, 0);
    block.extend(LAST_MAGIC.to_le_bytes());
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_whole_and_in_order() {
        let mut pages = Pages::new();
        pages.put(0x1000_0300, &[7]);
        pages.put(0x1000_00FE, &[1, 2, 3]);
        let file = pages.uf2();
        assert_eq!((file.len(), pages.size()), (3 * 512, 3 * 256));
        let (first, second, third) = (&file[..512], &file[512..1024], &file[1024..]);
        assert_eq!(&first[..8], b"UF2\nWQ\x5D\x9E");
        assert_eq!(
            &first[8..32],
            [
                0x00, 0x20, 0, 0, // family
                0x00, 0x00, 0, 0x10, // address
                0x00, 0x01, 0, 0, // bytes
                0, 0, 0, 0, // number
                3, 0, 0, 0, // of how many
                0x56, 0xFF, 0x8B, 0xE4,
            ]
        );
        assert_eq!(first[32 + 253..32 + 257], [0, 1, 2, 0]);
        assert_eq!(second[12..16], [0x00, 0x01, 0, 0x10]);
        assert_eq!((second[20], second[32], second[33]), (1, 3, 0));
        assert_eq!((third[13], third[20], third[32]), (3, 2, 7));
        assert_eq!(&file[508..512], [0x30, 0x6F, 0xB1, 0x0A]);
    }
}
