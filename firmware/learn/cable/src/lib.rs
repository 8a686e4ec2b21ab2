//! A cable in memory: what one end sends, the other receives. Somebody may look at every frame on its way, and the cable may
//! be a bad one: it loses, doubles, delays and damages frames as its [`Weather`] and its seed say.
//!
//! There is no clock here. smoltcp tells each end what time it is, so a program may let a minute pass in no time.

use std::cell::RefCell;
use std::rc::Rc;

use smoltcp::phy::{self, Device, DeviceCapabilities, Medium};
use smoltcp::time::{Duration, Instant};

/// How bad the network is: in percent of the frames, and in milliseconds.
#[derive(Clone, Copy, Default)]
pub struct Weather {
    pub drop: u64,
    pub duplicate: u64,
    pub corrupt: u64,
    pub delay: u64,
    pub jitter: u64,
    pub seed: u64,
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Arrives,
    Lost,
    Doubled,
    Damaged,
}

/// Is shown every frame when it is sent: who sends it, when, its bytes, and what becomes of it.
pub type Tap = Box<dyn FnMut(&'static str, Instant, &[u8], Fate)>;

struct Flying {
    to: usize,
    arrives: Instant,
    bytes: Vec<u8>,
}

struct Cable {
    names: [&'static str; 2],
    flying: Vec<Flying>,
    weather: Weather,
    random: u64,
    tap: Tap,
}

impl Cable {
    /// SplitMix64: the same seed, the same network.
    fn below(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }

    fn send(&mut self, from: usize, now: Instant, mut bytes: Vec<u8>) {
        let Weather { drop, duplicate, corrupt, delay, jitter, .. } = self.weather;
        let [lost, doubled, damaged] = [drop, duplicate, corrupt].map(|percent| self.below(100) < percent);
        let fate = match () {
            () if lost => Fate::Lost,
            () if damaged && bytes.len() > 34 => Fate::Damaged,
            () if doubled => Fate::Doubled,
            () => Fate::Arrives,
        };
        (self.tap)(self.names[from], now, &bytes, fate);
        if fate == Fate::Damaged {
            let place = 34 + self.below(bytes.len() as u64 - 34) as usize;
            bytes[place] ^= 1 << self.below(8);
        }
        let copies = [1, 0, 2, 1][fate as usize];
        for _ in 0..copies {
            let arrives = now + Duration::from_millis(delay + self.below(jitter + 1));
            self.flying.push(Flying { to: 1 - from, arrives, bytes: bytes.clone() });
        }
    }

    /// The frame that has come for this end, oldest first.
    fn arrived(&mut self, at: usize, now: Instant) -> Option<Vec<u8>> {
        let mine = |flying: &&Flying| flying.to == at && flying.arrives <= now;
        let first = self.flying.iter().filter(mine).map(|flying| flying.arrives).min()?;
        let place = self.flying.iter().position(|flying| flying.to == at && flying.arrives == first)?;
        Some(self.flying.remove(place).bytes)
    }
}

/// One end of a cable: a device for smoltcp.
#[derive(Clone)]
pub struct End {
    cable: Rc<RefCell<Cable>>,
    side: usize,
}

/// A cable between two that are named.
pub fn cable(names: [&'static str; 2], weather: Weather, tap: Tap) -> [End; 2] {
    let cable = Cable { names, flying: Vec::new(), weather, random: weather.seed, tap };
    let cable = Rc::new(RefCell::new(cable));
    [0, 1].map(|side| End { cable: cable.clone(), side })
}

impl End {
    /// When the next frame arrives at either end.
    pub fn next_arrival(&self) -> Option<Instant> {
        self.cable.borrow().flying.iter().map(|flying| flying.arrives).min()
    }
}

/// A frame that came.
pub struct Received(Vec<u8>);

/// The right to send one.
pub struct Sending<'a> {
    end: &'a End,
    now: Instant,
}

impl phy::RxToken for Received {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, handle: F) -> R {
        handle(&self.0)
    }
}

impl phy::TxToken for Sending<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, fill: F) -> R {
        let mut bytes = vec![0; length];
        let result = fill(&mut bytes);
        self.end.cable.borrow_mut().send(self.end.side, self.now, bytes);
        result
    }
}

impl Device for End {
    type RxToken<'a> = Received;
    type TxToken<'a> = Sending<'a>;

    fn receive(&mut self, now: Instant) -> Option<(Received, Sending<'_>)> {
        let bytes = self.cable.borrow_mut().arrived(self.side, now)?;
        Some((Received(bytes), Sending { end: self, now }))
    }

    fn transmit(&mut self, now: Instant) -> Option<Sending<'_>> {
        Some(Sending { end: self, now })
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = 14 + 576;
        capabilities
    }
}
