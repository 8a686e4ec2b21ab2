//! A network that is bad on purpose: a wrapper around any driver that drops, delays, doubles, reorders, damages and slows
//! frames, in both directions, as its options and its seed say.
//!
//! [`Plan`] decides what becomes of a frame and knows no clock and no driver; [`BadWire`] keeps the frames until their time
//! has come. It has room for `SLOTS` frames each way: what is more than that waits in the driver, or is lost there, as in
//! any network that is too slow.

use core::future::Future as _;
use core::pin::pin;
use core::task::Context;

use embassy_net::driver::{Capabilities, Driver, HardwareAddress, LinkState, RxToken, TxToken};
use embassy_time::{Instant, Timer};

/// The longest frame that is kept: 14 /* header */ + 1500.
pub const FRAME_MAX: usize = 14 + 1500;
/// Destination, source, type: what is damaged lies behind it, where a checksum will tell.
const HEADER: usize = 14;
const IPV4: [u8; 2] = [0x08, 0x00];
/// How much later a frame comes that others are to overtake.
const OVERTAKEN: u64 = 30;

/// Of a hundred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Percent(u8);

impl Percent {
    fn parse(value: &str) -> Option<Self> {
        value.parse().ok().filter(|percent| *percent <= 100).map(Self)
    }
}

/// What a bad network does. Nothing, unless it is told to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// `drop=10`: of 100 frames so many are lost.
    pub drop: Percent,
    /// `duplicate=2`: come twice.
    pub duplicate: Percent,
    /// `reorder=5`: come behind those that were sent after them.
    pub reorder: Percent,
    /// `corrupt=2`: have one bit wrong.
    pub corrupt: Percent,
    /// `delay=20`: milliseconds that each is late.
    pub delay: u16,
    /// `jitter=50`: and up to so much later still, each by itself.
    pub jitter: u16,
    /// `rate-limit=16`: kilobytes a second, in each direction.
    pub rate_limit: u16,
    /// `wire-seed=7`: repeats all of it.
    pub seed: u32,
}

impl Wishes {
    /// Reads one of the words above.
    pub fn set(&mut self, key: &str, value: &str) -> Option<()> {
        match key {
            "drop" => self.drop = Percent::parse(value)?,
            "duplicate" => self.duplicate = Percent::parse(value)?,
            "reorder" => self.reorder = Percent::parse(value)?,
            "corrupt" => self.corrupt = Percent::parse(value)?,
            "delay" => self.delay = value.parse().ok()?,
            "jitter" => self.jitter = value.parse().ok()?,
            "rate-limit" => self.rate_limit = value.parse().ok()?,
            "wire-seed" => self.seed = value.parse().ok()?,
            _ => return None,
        }
        Some(())
    }
}

/// What becomes of one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fate {
    /// When each copy of it arrives, in milliseconds; none: it is lost.
    pub arrives: [Option<u64>; 2],
    /// A bit of this byte is wrong.
    pub wrong: Option<(usize, u8)>,
}

/// Decides about the frames of one direction.
#[derive(Clone, Debug)]
pub struct Plan {
    wishes: Wishes,
    random: u32,
    /// When the wire is free for the next frame.
    free: u64,
}

impl Plan {
    pub const fn new(wishes: Wishes, is_inbound: bool) -> Self {
        // xorshift never leaves zero, and never comes to it.
        let random = (wishes.seed ^ if is_inbound { 0x9e37_79b9 } else { 0x85eb_ca6b }) | 1;
        Self { wishes, random, free: 0 }
    }

    const fn next(&mut self) -> u32 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        self.random
    }

    const fn below(&mut self, bound: u32) -> u32 {
        ((self.next() as u64 * bound as u64) >> 32) as u32
    }

    const fn happens(&mut self, percent: Percent) -> bool {
        self.below(100) < percent.0 as u32
    }

    /// Every frame draws as often as any other: what is wished for one thing does not change the rest.
    pub fn decide(&mut self, frame: &[u8], now: u64) -> Fate {
        let [lost, twice, overtaken, damaged] =
            [self.wishes.drop, self.wishes.duplicate, self.wishes.reorder, self.wishes.corrupt]
                .map(|percent| self.happens(percent));
        let jitters = [self.below(u32::from(self.wishes.jitter) + 1), self.below(u32::from(self.wishes.jitter) + 1)];
        let (place, bit) = (self.next(), self.below(8));
        let mut sent = now;
        if self.wishes.rate_limit > 0 {
            // Kilobytes a second are bytes a millisecond; a frame begun is a millisecond at least.
            sent = now.max(self.free) + (frame.len() as u64).div_ceil(u64::from(self.wishes.rate_limit));
            self.free = sent;
        }
        let late = u64::from(self.wishes.delay) + if overtaken { OVERTAKEN } else { 0 };
        let [first, second] = jitters.map(|jitter| sent + late + u64::from(jitter));
        let payload = frame.len().saturating_sub(HEADER);
        // What has no checksum of its own would be believed: an answer to ARP, for a minute.
        let can_tell = payload > 0 && frame.get(12..HEADER) == Some(&IPV4[..]);
        Fate {
            arrives: [(!lost).then_some(first), (!lost && twice).then_some(second)],
            wrong: (damaged && can_tell).then(|| (HEADER + place as usize % payload.max(1), 1 << bit)),
        }
    }
}

/// Frames on their way, in one direction.
struct Held<const SLOTS: usize, const SIZE: usize> {
    frames: [[u8; SIZE]; SLOTS],
    /// Length and time of arrival; 0 bytes: the slot is free.
    slots: [(u16, u64); SLOTS],
    plan: Plan,
}

impl<const SLOTS: usize, const SIZE: usize> Held<SLOTS, SIZE> {
    const fn new() -> Self {
        let wishes = Wishes {
            drop: Percent(0),
            duplicate: Percent(0),
            reorder: Percent(0),
            corrupt: Percent(0),
            delay: 0,
            jitter: 0,
            rate_limit: 0,
            seed: 0,
        };
        let plan = Plan { wishes, random: 0, free: 0 };
        Self { frames: [[0; SIZE]; SLOTS], slots: [(0, 0); SLOTS], plan }
    }

    fn free(&self) -> Option<usize> {
        self.slots.iter().position(|(length, _)| *length == 0)
    }

    /// Where a frame of this length goes.
    fn room(&mut self, slot: usize, length: usize) -> &mut [u8] {
        self.frames.get_mut(slot).and_then(|frame| frame.get_mut(..length)).unwrap_or_default()
    }

    /// The frame in a slot sets out, and fares as it may.
    fn send(&mut self, slot: usize, length: usize, now: u64) {
        let Some(frame) = self.frames.get_mut(slot).and_then(|frame| frame.get_mut(..length)) else { return };
        let Fate { arrives: [first, second], wrong } = self.plan.decide(frame, now);
        if let Some((place, bit)) = wrong
            && let Some(byte) = frame.get_mut(place)
        {
            *byte ^= bit;
        }
        self.hold(slot, length, first);
        // Where there is no room for the other copy, there is none.
        if let (Some(_), Some(other)) = (second, self.free()) {
            self.copy(slot, other, length);
            self.hold(other, length, second);
        }
    }

    fn hold(&mut self, slot: usize, length: usize, arrives: Option<u64>) {
        if let (Some(slot), Some(at)) = (self.slots.get_mut(slot), arrives) {
            *slot = (length as u16, at);
        }
    }

    fn copy(&mut self, from: usize, to: usize, length: usize) {
        let (low, high) = (from.min(to), from.max(to));
        let Some((front, back)) = self.frames.split_at_mut_checked(high) else { return };
        let (Some(one), Some(other)) = (front.get_mut(low), back.first_mut()) else { return };
        let (from, to) = if from < to { (one, other) } else { (other, one) };
        if let (Some(from), Some(to)) = (from.get(..length), to.get_mut(..length)) {
            to.copy_from_slice(from);
        }
    }

    /// The one that arrives next, and when.
    fn next(&self) -> Option<(usize, u64)> {
        let held = self.slots.iter().enumerate().filter(|(_, (length, _))| *length > 0);
        held.min_by_key(|(_, (_, at))| *at).map(|(slot, (_, at))| (slot, *at))
    }

    /// The one that has arrived.
    fn due(&self, now: u64) -> Option<usize> {
        self.next().filter(|(_, at)| *at <= now).map(|(slot, _)| slot)
    }

    fn release(&mut self, slot: usize) -> &mut [u8] {
        let length = self.slots.get_mut(slot).map_or(0, |slot| core::mem::take(&mut slot.0));
        self.frames.get_mut(slot).and_then(|frame| frame.get_mut(..usize::from(length))).unwrap_or_default()
    }
}

/// A driver behind a bad network. `SIZE` is the longest frame of the driver's.
pub struct BadWire<D, const SLOTS: usize, const SIZE: usize = FRAME_MAX> {
    driver: Option<D>,
    inbound: Held<SLOTS, SIZE>,
    outbound: Held<SLOTS, SIZE>,
}

impl<D: Driver, const SLOTS: usize, const SIZE: usize> BadWire<D, SLOTS, SIZE> {
    /// All zero bytes; [`BadWire::start`] before use.
    pub const fn new() -> Self {
        Self { driver: None, inbound: Held::new(), outbound: Held::new() }
    }

    pub fn start(&mut self, driver: D, wishes: Wishes) {
        self.driver = Some(driver);
        self.inbound.plan = Plan::new(wishes, true);
        self.outbound.plan = Plan::new(wishes, false);
    }

    /// Lets what has arrived at the far end go, takes what the driver has, and asks to be woken for the next.
    fn carry(&mut self, context: &mut Context<'_>) {
        let Some(driver) = &mut self.driver else { return };
        let now = Instant::now().as_millis();
        while let Some(slot) = self.outbound.due(now) {
            let Some(token) = driver.transmit(context) else { break };
            let frame = self.outbound.release(slot);
            token.consume(frame.len(), |out| out.iter_mut().zip(frame).for_each(|(to, from)| *to = *from));
        }
        while let Some(slot) = self.inbound.free() {
            let Some((token, _)) = driver.receive(context) else { break };
            token.consume(|frame| {
                let room = self.inbound.room(slot, frame.len());
                // A frame that is too long for the slot is lost.
                if room.len() == frame.len() {
                    room.copy_from_slice(frame);
                    self.inbound.send(slot, frame.len(), now);
                }
            });
        }
        let next = [self.inbound.next(), self.outbound.next()].into_iter().flatten().map(|(_, at)| at).min();
        if let Some(at) = next {
            // Ready it is not: its time lies ahead. Polled once, it wakes the task that asked.
            let _ = pin!(Timer::at(Instant::from_millis(at.max(now + 1)))).poll(context);
        }
    }
}

impl<D: Driver, const SLOTS: usize, const SIZE: usize> Default for BadWire<D, SLOTS, SIZE> {
    fn default() -> Self {
        Self::new()
    }
}

impl<D: Driver, const SLOTS: usize, const SIZE: usize> Driver for BadWire<D, SLOTS, SIZE> {
    type RxToken<'a>
        = Arrived<'a>
    where
        Self: 'a;
    type TxToken<'a>
        = Sent<'a, SLOTS, SIZE>
    where
        Self: 'a;

    fn receive(&mut self, context: &mut Context<'_>) -> Option<(Self::RxToken<'_>, Self::TxToken<'_>)> {
        self.carry(context);
        let slot = self.inbound.due(Instant::now().as_millis())?;
        // A frame may need an answer at once: without room for one it waits.
        let answer = self.outbound.free()?;
        Some((Arrived(self.inbound.release(slot)), Sent { held: &mut self.outbound, slot: answer }))
    }

    fn transmit(&mut self, context: &mut Context<'_>) -> Option<Self::TxToken<'_>> {
        self.carry(context);
        let slot = self.outbound.free()?;
        // The stack asks again when it has sent, and then the alarm is set for this frame too.
        context.waker().wake_by_ref();
        Some(Sent { held: &mut self.outbound, slot })
    }

    fn link_state(&mut self, context: &mut Context<'_>) -> LinkState {
        self.driver.as_mut().map_or(LinkState::Down, |driver| driver.link_state(context))
    }

    fn capabilities(&self) -> Capabilities {
        self.driver.as_ref().map(Driver::capabilities).unwrap_or_default()
    }

    fn hardware_address(&self) -> HardwareAddress {
        self.driver.as_ref().map_or(HardwareAddress::Ethernet([0; 6]), Driver::hardware_address)
    }
}

/// A frame that has come through.
pub struct Arrived<'a>(&'a mut [u8]);

impl RxToken for Arrived<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, handle: F) -> R {
        handle(self.0)
    }
}

/// The right to send a frame on its way.
pub struct Sent<'a, const SLOTS: usize, const SIZE: usize> {
    held: &'a mut Held<SLOTS, SIZE>,
    slot: usize,
}

impl<const SLOTS: usize, const SIZE: usize> TxToken for Sent<'_, SLOTS, SIZE> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, fill: F) -> R {
        let length = length.min(SIZE);
        let result = fill(self.held.room(self.slot, length));
        self.held.send(self.slot, length, Instant::now().as_millis());
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;
    use std::task::Waker;
    use std::vec::Vec;

    use embassy_time::MockDriver;

    const CALM: Wishes = Wishes {
        drop: Percent(0),
        duplicate: Percent(0),
        reorder: Percent(0),
        corrupt: Percent(0),
        delay: 0,
        jitter: 0,
        rate_limit: 0,
        seed: 1,
    };

    /// An IPv4 frame of a hundred bytes, told apart by its number.
    fn frame(number: u8) -> [u8; 100] {
        let mut frame = [number; 100];
        frame[12..14].copy_from_slice(&IPV4);
        frame
    }

    fn fates(wishes: Wishes, frames: usize) -> Vec<Fate> {
        let mut plan = Plan::new(wishes, true);
        (0..frames).map(|_| plan.decide(&frame(7), 1000)).collect()
    }

    fn count(fates: &[Fate], is: impl Fn(&Fate) -> bool) -> usize {
        fates.iter().filter(|fate| is(fate)).count()
    }

    #[test]
    fn a_calm_network_changes_nothing() {
        let fate = Fate { arrives: [Some(1000), None], wrong: None };
        assert!(fates(CALM, 1000).iter().all(|one| *one == fate));
    }

    #[test]
    fn of_a_thousand_frames_about_as_many_fare_ill_as_was_asked_for() {
        let all = fates(
            Wishes { drop: Percent(10), duplicate: Percent(5), corrupt: Percent(2), delay: 20, jitter: 50, ..CALM },
            10_000,
        );
        assert!((800..1200).contains(&count(&all, |fate| fate.arrives[0].is_none())));
        assert!((350..550).contains(&count(&all, |fate| fate.arrives[1].is_some())));
        assert!((100..300).contains(&count(&all, |fate| fate.wrong.is_some())));
        let late = |fate: &Fate| fate.arrives[0].is_none_or(|at| (1020..=1070).contains(&at));
        assert!(all.iter().all(late) && all.iter().any(|fate| fate.arrives[0] == Some(1070)));
        assert!(
            all.iter()
                .filter_map(|fate| fate.wrong)
                .all(|(place, bit)| (14..100).contains(&place) && bit.count_ones() == 1)
        );
    }

    #[test]
    fn the_seed_repeats_it_and_directions_differ() {
        let wishes = Wishes { drop: Percent(30), jitter: 9, ..CALM };
        assert_eq!(fates(wishes, 100), fates(wishes, 100));
        assert_ne!(fates(wishes, 100), fates(Wishes { seed: 2, ..wishes }, 100));
        let mut other = Plan::new(wishes, false);
        let back: Vec<_> = (0..100).map(|_| other.decide(&frame(7), 1000)).collect();
        assert_ne!(back, fates(wishes, 100));
    }

    #[test]
    fn what_has_no_checksum_is_not_damaged() {
        let mut plan = Plan::new(Wishes { corrupt: Percent(100), ..CALM }, true);
        let mut arp = frame(1);
        arp[12..14].copy_from_slice(&[0x08, 0x06]);
        assert_eq!(plan.decide(&arp, 0).wrong, None);
        assert_eq!(plan.decide(&frame(1)[..14], 0).wrong, None);
        assert_eq!(plan.decide(&[], 0).wrong, None);
        assert!(plan.decide(&frame(1), 0).wrong.is_some());
    }

    #[test]
    fn a_slow_wire_sends_one_frame_after_the_other() {
        let mut plan = Plan::new(Wishes { rate_limit: 10, ..CALM }, true);
        let at = |fate: Fate| fate.arrives[0].unwrap();
        let arrived = [0, 0, 0].map(|now| at(plan.decide(&frame(0), now)));
        assert_eq!(arrived, [10, 20, 30]);
        assert_eq!(at(plan.decide(&frame(0), 500)), 510);
    }

    /// A cable whose other end is a test.
    #[derive(Default)]
    struct Cable {
        comes: VecDeque<Vec<u8>>,
        went: Vec<Vec<u8>>,
    }

    struct Comes(Vec<u8>);
    struct Goes<'a>(&'a mut Vec<Vec<u8>>);

    impl RxToken for Comes {
        fn consume<R, F: FnOnce(&mut [u8]) -> R>(mut self, handle: F) -> R {
            handle(&mut self.0)
        }
    }
    impl TxToken for Goes<'_> {
        fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, fill: F) -> R {
            let mut frame = std::vec![0; length];
            let result = fill(&mut frame);
            self.0.push(frame);
            result
        }
    }
    impl Driver for &mut Cable {
        type RxToken<'a>
            = Comes
        where
            Self: 'a;
        type TxToken<'a>
            = Goes<'a>
        where
            Self: 'a;
        fn receive(&mut self, _context: &mut Context<'_>) -> Option<(Comes, Goes<'_>)> {
            Some((Comes(self.comes.pop_front()?), Goes(&mut self.went)))
        }
        fn transmit(&mut self, _context: &mut Context<'_>) -> Option<Goes<'_>> {
            Some(Goes(&mut self.went))
        }
        fn link_state(&mut self, _context: &mut Context<'_>) -> LinkState {
            LinkState::Up
        }
        fn capabilities(&self) -> Capabilities {
            Capabilities::default()
        }
        fn hardware_address(&self) -> HardwareAddress {
            HardwareAddress::Ethernet([2; 6])
        }
    }

    #[test]
    fn frames_come_late_in_another_order_and_twice() {
        let mut cable = Cable { comes: (1..=4).map(|number| frame(number).to_vec()).collect(), ..Cable::default() };
        let mut wire = BadWire::<_, 8, 128>::new();
        let wishes = Wishes { duplicate: Percent(50), reorder: Percent(50), delay: 10, jitter: 5, seed: 3, ..CALM };
        wire.start(&mut cable, wishes);
        let mut context = Context::from_waker(Waker::noop());
        let clock = MockDriver::get();
        assert!(wire.receive(&mut context).is_none(), "nothing can be there before its delay has passed");
        let mut came = Vec::new();
        for _ in 0..60 {
            clock.advance(embassy_time::Duration::from_millis(1));
            while let Some((token, _)) = wire.receive(&mut context) {
                came.push(token.consume(|frame| frame[0]));
            }
        }
        let mut sorted = came.clone();
        sorted.sort_unstable();
        assert!(came.len() > 4 && came != sorted, "{came:?}");
        sorted.dedup();
        assert_eq!(sorted, [1, 2, 3, 4]);
    }

    #[test]
    fn what_is_sent_leaves_when_its_time_has_come() {
        let mut cable = Cable::default();
        let mut wire = BadWire::<_, 2, 128>::new();
        wire.start(&mut cable, Wishes { delay: 10, ..CALM });
        let mut context = Context::from_waker(Waker::noop());
        for number in [1, 2] {
            wire.transmit(&mut context).unwrap().consume(100, |room| room.copy_from_slice(&frame(number)));
        }
        assert!(wire.transmit(&mut context).is_none(), "both slots are taken");
        MockDriver::get().advance(embassy_time::Duration::from_millis(10));
        assert!(wire.transmit(&mut context).is_some());
        assert_eq!(cable.went, [frame(1), frame(2)]);
    }
}
