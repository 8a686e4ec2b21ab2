//! `key=value` words from the start of the image.
//!
//! Total over all strings: a word that is not understood is logged and left out, never a reason to stop.

use embassy_net::{Ipv4Address, Ipv4Cidr};
use parlor_core::settings::switch;
use parlor_core::web::host;

use crate::fmt::warn;
use crate::games::Settings;

/// What the words said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// `seed=42` or `seed=` and 64 hexadecimal digits: every game's seed, for tests that must be repeatable.
    pub seed: Option<[u8; 32]>,
    /// `entropy=` and 64 hexadecimal digits: one more source to mix in.
    pub entropy: Option<[u8; 32]>,
    /// `address=10.0.2.15/24`: no DHCP.
    pub address: Option<Ipv4Cidr>,
    /// `keep=no`: the board neither goes on with the games that it has saved nor saves any.
    pub forgetful: bool,
    /// `hold=yes`: what games say waits for the next connection, as where a journal is written first: for tests.
    pub holds: bool,
    /// `drop=10`, `delay=20` and so on: what a bad network does.
    #[cfg(feature = "bad-wire")]
    pub wire: crate::bad_wire::Wishes,
    /// `name=den`, `games=pimp,yard`, `pace=0.5`: what is the board's own.
    #[cfg(feature = "settings")]
    pub own: crate::settings::Own,
    /// Every other word: a setting of the games.
    pub settings: Settings,
}

impl Options {
    /// The words of a command line, without the program's name.
    pub fn parse(line: &str) -> Self {
        let mut options = Self::default();
        for word in line.split_ascii_whitespace() {
            if options.take(word).is_none() {
                warn!("option {} is not understood", word);
            }
        }
        options
    }

    /// The words in a page of flash, where a board has one for them: text up to the first byte that is none, which in
    /// erased flash is the very first.
    pub fn stored(page: &[u8]) -> Self {
        let end = page.iter().position(|byte| matches!(byte, 0x00 | 0xFF)).unwrap_or(page.len());
        match page.get(..end).map(str::from_utf8) {
            Some(Ok(line)) => Self::parse(line),
            _ => {
                warn!("the stored options are no text");
                Self::default()
            }
        }
    }

    fn take(&mut self, word: &str) -> Option<()> {
        let (key, value) = word.split_once('=')?;
        match key {
            "seed" => self.seed = Some(seed(value)?),
            "entropy" => self.entropy = Some(hex(value)?),
            "address" => self.address = Some(cidr(value)?),
            "keep" => self.forgetful = !switch(value)?,
            "hold" => self.holds = switch(value)?,
            #[cfg(feature = "bad-wire")]
            _ if self.wire.set(key, value).is_some() => {}
            #[cfg(feature = "settings")]
            _ if self.own.set(key, value).is_some() => {}
            _ => self.settings.set(key, value)?,
        }
        Some(())
    }
}

/// A number fills the seed's first eight bytes, lowest first.
fn seed(value: &str) -> Option<[u8; 32]> {
    if value.len() == 64 {
        return hex(value);
    }
    let number: u64 = value.parse().ok()?;
    let mut seed = [0; 32];
    seed.iter_mut().zip(number.to_le_bytes()).for_each(|(to, from)| *to = from);
    Some(seed)
}

fn hex(value: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    let (digits, []) = value.as_bytes().as_chunks::<2>() else { return None };
    if digits.len() != bytes.len() {
        return None;
    }
    for (byte, [high, low]) in bytes.iter_mut().zip(digits) {
        let digit = |digit: &u8| char::from(*digit).to_digit(16);
        *byte = u8::try_from(digit(high)? << 4 | digit(low)?).ok()?;
    }
    Some(bytes)
}

fn cidr(value: &str) -> Option<Ipv4Cidr> {
    let (address, prefix) = value.split_once('/')?;
    let address = Ipv4Address::from(host::ipv4(address)?);
    // smoltcp panics on an address that no host can have, and Ipv4Cidr::new on a longer prefix.
    if address.is_unspecified() || address.is_broadcast() || address.is_multicast() {
        return None;
    }
    let prefix = host::byte(prefix).filter(|prefix| *prefix <= 32)?;
    Some(Ipv4Cidr::new(address, prefix))
}

#[cfg(all(test, feature = "pimp"))]
mod tests {
    use super::*;

    #[test]
    fn words_are_read() {
        let options = Options::parse("seed=258 rate=7 address=10.0.2.15/24");
        assert_eq!(options.seed.unwrap()[..4], [2, 1, 0, 0]);
        assert_eq!(options.address, Some(Ipv4Cidr::new(Ipv4Address::new(10, 0, 2, 15), 24)));
        assert_eq!(options.entropy, None);
        assert_eq!(options.settings.pimp.rate, 7);
        assert!(!options.forgetful && Options::parse("keep=no").forgetful);
        assert!(!options.holds && Options::parse("hold=yes").holds);
        let digits = "00ff7f80".repeat(8);
        let options = Options::parse(&std::format!("entropy={digits} seed={digits}"));
        assert_eq!(options.entropy.unwrap()[..5], [0, 0xff, 0x7f, 0x80, 0]);
        assert_eq!(options.seed, options.entropy);
    }

    #[cfg(feature = "bad-wire")]
    #[test]
    fn a_bad_network_is_asked_for_in_words() {
        let line = "drop=10 duplicate=2 reorder=5 corrupt=2 delay=20 jitter=50 rate-limit=16 wire-seed=7";
        let wire = Options::parse(line).wire;
        assert_eq!((wire.delay, wire.jitter, wire.rate_limit, wire.seed), (20, 50, 16, 7));
        assert_ne!(wire.drop, wire.duplicate);
        assert_eq!(wire.duplicate, wire.corrupt);
        assert_eq!(Options::parse("drop=101 drop= delay=-1 jitter=1s").wire, crate::bad_wire::Wishes::default());
    }

    #[test]
    fn words_are_read_from_flash() {
        let mut page = [0xFF; 64];
        assert_eq!(Options::stored(&page), Options::default());
        page[..14].copy_from_slice(b"rate=7\nseed=2\n");
        assert_eq!(Options::stored(&page), Options::parse("rate=7 seed=2"));
        page[14] = 0;
        assert_eq!(Options::stored(&page), Options::parse("rate=7 seed=2"));
        assert_eq!(Options::stored(&page[..6]), Options::parse("rate=7"));
        page[7] = 0xFE;
        assert_eq!(Options::stored(&page), Options::default());
        assert_eq!(Options::stored(&[]), Options::default());
    }

    #[test]
    fn nonsense_is_left_out() {
        let line =
            "seed= seed=-1 seed entropy=00 address=1.2.3.4 address=1.2.3.4/33 address=1.2.3/8 what=1 keep=1 = ==";
        assert_eq!(Options::parse(line), Options::default());
        let nobody = "address=0.0.0.0/24 address=224.0.0.251/24 address=239.255.255.255/32 address=255.255.255.255/8";
        assert_eq!(Options::parse(nobody), Options::default());
        assert_eq!(Options::parse(&std::format!("entropy={}", "é".repeat(32))), Options::default());
        assert_eq!(Options::parse(""), Options::default());
    }
}
