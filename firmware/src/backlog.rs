//! A backlog without memory: a driver around a driver that overhears calls which no listener can take.
//!
//! smoltcp would refuse them, and the caller would see a closed port. A call that gets no answer is made again by the
//! caller's own TCP a second later, when a link may be free.
//!
//! The same driver sends and hears the ARP packets of an address that is not yet the board's ([`Claim`]), which smoltcp
//! can't.

use core::cell::Cell;
use core::task::Context;

use embassy_net::driver::{Capabilities, Driver, HardwareAddress, LinkState, RxToken, TxToken};
use embassy_sync::waitqueue::AtomicWaker;

use crate::games::Id;
use crate::link_local::{self, Frame};
use crate::links::WEB_PORT;

/// Where the games are and where the page is.
const PORTS: usize = Id::ALL.len() + 1;

/// An address that the board would like to have, or has by its own choice.
pub struct Claim {
    /// Which, and for which hardware address.
    wanted: Cell<Option<([u8; 6], [u8; 4])>>,
    unsent: Cell<Option<Frame>>,
    is_disputed: Cell<bool>,
    waker: AtomicWaker,
}

impl Claim {
    pub const fn new() -> Self {
        Self {
            wanted: Cell::new(None),
            unsent: Cell::new(None),
            is_disputed: Cell::new(false),
            waker: AtomicWaker::new(),
        }
    }

    /// From now on it is heard whether somebody disputes this address; `None`: of none.
    pub(crate) fn set(&self, wanted: Option<([u8; 6], [u8; 4])>) {
        self.wanted.set(wanted);
        self.is_disputed.set(false);
    }

    /// Asks for the address that was set, or says that it is taken.
    pub(crate) fn send(&self, is_ours: bool) {
        self.unsent.set(self.wanted.get().map(|(hardware, address)| link_local::question(hardware, address, is_ours)));
        self.waker.wake();
    }

    /// Whether somebody has disputed it since this was asked last.
    pub(crate) fn take_dispute(&self) -> bool {
        self.is_disputed.replace(false)
    }

    fn hear(&self, frame: &[u8]) {
        if let Some((hardware, address)) = self.wanted.get()
            && link_local::is_disputed(frame, hardware, address)
        {
            self.is_disputed.set(true);
        }
    }
}

impl Default for Claim {
    fn default() -> Self {
        Self::new()
    }
}

/// Connections that are told apart when what was sent twice is counted; two that fall together are counted less.
const TRACKED: usize = 16;

/// Counts segments that were sent again: smoltcp knows, and does not tell.
struct Resent {
    count: Cell<u32>,
    /// Which connection, and up to where it has sent.
    upto: [Cell<(u32, u32)>; TRACKED],
}

impl Resent {
    const fn new() -> Self {
        Self { count: Cell::new(0), upto: [const { Cell::new((0, 0)) }; TRACKED] }
    }

    /// A frame leaves.
    fn note(&self, frame: &[u8]) {
        let Some((connection, start, length)) = sent(frame) else { return };
        let Some(upto) = self.upto.get(place(connection)) else { return };
        let end = start.wrapping_add(length);
        let (known, before) = upto.get();
        let is_new = known != connection || (end.wrapping_sub(before) as i32) > 0;
        if is_new {
            upto.set((connection, end));
        // One byte that lies just before what was sent last asks whether the peer is there, and repeats nothing.
        } else if length > 1 || end != before {
            self.count.set(self.count.get().wrapping_add(1));
        }
    }
}

/// A segment with bytes in it: whose, where they begin, and how many there are.
fn sent(frame: &[u8]) -> Option<(u32, u32, u32)> {
    let [0x08, 0x00, version, _, high, low, _, _, _, _, _, 6, ..] = frame.get(12..)? else { return None };
    let header = usize::from(version & 0x0F) * 4;
    let to = frame.get(14 + 16..14 + 20)?;
    let tcp = frame.get(14 + header..)?;
    let [from_port, from_low, to_port, to_low, a, b, c, d, _, _, _, _, offset, ..] = tcp else { return None };
    let all = usize::from(u16::from_be_bytes([*high, *low]));
    let length = all.checked_sub(header + usize::from(offset >> 4) * 4).filter(|length| *length > 0)?;
    // Both ports, and of the peer's address what differs on one network.
    let [_, _, third, fourth] = to else { return None };
    let ports = u32::from_be_bytes([*from_port, *from_low, *to_port, *to_low]);
    let connection = ports ^ u32::from_be_bytes([*fourth, *third, 0, 0]);
    Some((connection, u32::from_be_bytes([*a, *b, *c, *d]), length as u32))
}

/// Where a connection is tracked: by the peer's port, whose lowest bit is the same in every port that Linux gives away first.
const fn place(connection: u32) -> usize {
    (connection >> 1) as usize % TRACKED
}

/// How many links listen at each port.
pub struct Listeners {
    claim: Claim,
    resent: Resent,
    counts: [Cell<usize>; PORTS],
    /// A port that was called while nobody listened there.
    wanted: Cell<Option<u16>>,
    /// Games that the board does not serve now, the lowest bit for the first.
    #[cfg(feature = "settings")]
    closed: Cell<u32>,
}

impl Listeners {
    pub const fn new() -> Self {
        Self {
            claim: Claim::new(),
            resent: Resent::new(),
            counts: [const { Cell::new(0) }; PORTS],
            wanted: Cell::new(None),
            #[cfg(feature = "settings")]
            closed: Cell::new(0),
        }
    }

    /// For who keeps the board's address.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// Segments that were sent again.
    pub(crate) fn retransmissions(&self) -> u32 {
        self.resent.count.get()
    }

    /// Where the board listens.
    pub(crate) fn ports(&self) -> impl Iterator<Item = u16> {
        Id::ALL.iter().enumerate().filter(|(at, _)| self.is_open(*at)).map(|(_, id)| id.entry().port).chain([WEB_PORT])
    }

    fn is_open(&self, _at: usize) -> bool {
        #[cfg(feature = "settings")]
        return self.closed.get() >> _at & 1 == 0;
        #[cfg(not(feature = "settings"))]
        true
    }

    /// Calls of these games are refused from now on, as those of a port that is nobody's.
    #[cfg(feature = "settings")]
    pub(crate) fn set_closed(&self, closed: u32) {
        self.closed.set(closed);
    }

    pub(crate) fn set(&self, port: u16, count: usize) {
        self.at(port).into_iter().for_each(|at| at.set(count));
    }

    /// Where somebody called in vain since this was asked last.
    pub(crate) fn take_wanted(&self) -> Option<u16> {
        self.wanted.take()
    }

    fn at(&self, port: u16) -> Option<&Cell<usize>> {
        self.ports().find(|own| *own == port)?;
        let nth = Id::ALL.iter().position(|id| id.entry().port == port);
        self.counts.get(nth.unwrap_or(PORTS - 1))
    }

    /// Whether this frame may go on to the network stack. A call that goes on takes a listener with it, until the links
    /// are counted again: several may come before that.
    fn admits(&self, frame: &[u8]) -> bool {
        let Some(port) = called(frame) else { return true };
        let Some(count) = self.at(port) else { return true };
        match count.get().checked_sub(1) {
            Some(left) => count.set(left),
            None => {
                self.wanted.set(Some(port));
                return false;
            }
        }
        true
    }
}

impl Default for Listeners {
    fn default() -> Self {
        Self::new()
    }
}

/// The port that this frame calls, if it is a call: IPv4, TCP, no fragment but the first, SYN and no ACK.
fn called(frame: &[u8]) -> Option<u16> {
    let [0x08, 0x00, version, _, _, _, _, _, fragment, offset, _, 6, ..] = frame.get(12..)? else { return None };
    let tcp = frame.get(14 + usize::from(version & 0x0F) * 4..)?;
    let [_, _, high, low, _, _, _, _, _, _, _, _, _, flags, ..] = tcp else { return None };
    (fragment & 0x1F == 0 && *offset == 0 && flags & 0x12 == 0x02).then_some(u16::from_be_bytes([*high, *low]))
}

/// A driver whose calls are overheard while nobody listens.
pub struct Backlog<D> {
    driver: D,
    listeners: &'static Listeners,
}

impl<D: Driver> Backlog<D> {
    pub fn new(driver: D, listeners: &'static Listeners) -> Self {
        Self { driver, listeners }
    }
}

pub struct Heard<R> {
    token: R,
    listeners: &'static Listeners,
}

impl<R: RxToken> RxToken for Heard<R> {
    fn consume<T, F: FnOnce(&mut [u8]) -> T>(self, handle: F) -> T {
        let Self { token, listeners } = self;
        // A frame without a byte is too short for anything: the stack throws it away.
        token.consume(|frame| {
            listeners.claim.hear(frame);
            if listeners.admits(frame) { handle(frame) } else { handle(&mut []) }
        })
    }
}

/// The right to send a frame, which is looked at as it leaves.
pub struct Leaving<T> {
    token: T,
    listeners: &'static Listeners,
}

impl<T: TxToken> TxToken for Leaving<T> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, fill: F) -> R {
        let Self { token, listeners } = self;
        token.consume(length, |frame| {
            let result = fill(frame);
            listeners.resent.note(frame);
            result
        })
    }
}

impl<D: Driver> Driver for Backlog<D> {
    type RxToken<'a>
        = Heard<D::RxToken<'a>>
    where
        Self: 'a;
    type TxToken<'a>
        = Leaving<D::TxToken<'a>>
    where
        Self: 'a;

    fn receive(&mut self, context: &mut Context<'_>) -> Option<(Self::RxToken<'_>, Self::TxToken<'_>)> {
        let listeners = self.listeners;
        listeners.claim.waker.register(context.waker());
        if let Some(frame) = listeners.claim.unsent.take() {
            match self.driver.transmit(context) {
                Some(token) => token.consume(frame.len(), |to| to.copy_from_slice(&frame)),
                None => listeners.claim.unsent.set(Some(frame)),
            }
        }
        let (token, send) = self.driver.receive(context)?;
        Some((Heard { token, listeners }, Leaving { token: send, listeners }))
    }
    fn transmit(&mut self, context: &mut Context<'_>) -> Option<Self::TxToken<'_>> {
        let listeners = self.listeners;
        self.driver.transmit(context).map(|token| Leaving { token, listeners })
    }
    fn link_state(&mut self, context: &mut Context<'_>) -> LinkState {
        self.driver.link_state(context)
    }
    fn capabilities(&self) -> Capabilities {
        self.driver.capabilities()
    }
    fn hardware_address(&self) -> HardwareAddress {
        self.driver.hardware_address()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A TCP segment to this port with these flags, as far as it is looked at.
    fn segment(port: u16, flags: u8) -> [u8; 54] {
        let mut frame = [0; 54];
        frame[12..14].copy_from_slice(&[0x08, 0x00]);
        frame[14] = 0x45;
        frame[23] = 6;
        frame[36..38].copy_from_slice(&port.to_be_bytes());
        frame[47] = flags;
        frame
    }

    #[test]
    fn as_many_calls_as_listeners_go_on() {
        let listeners = Listeners::new();
        let call = segment(WEB_PORT, 0x02);
        assert!(!listeners.admits(&call));
        listeners.set(WEB_PORT, 2);
        assert_eq!(listeners.take_wanted(), Some(WEB_PORT));
        assert_eq!([(); 2].map(|()| listeners.admits(&call)), [true, true]);
        assert_eq!(listeners.take_wanted(), None);
        assert!(!listeners.admits(&call));
        assert_eq!(listeners.take_wanted(), Some(WEB_PORT));
    }

    /// A segment of the board's with this many bytes, beginning at this number.
    fn leaving(to: u16, start: u32, length: u8) -> [u8; 54] {
        let mut frame = segment(to, 0x18);
        frame[17] = 40 + length;
        frame[38..42].copy_from_slice(&start.to_be_bytes());
        frame[46] = 5 << 4;
        frame
    }

    #[test]
    fn what_is_sent_again_is_counted_and_nothing_else() {
        let resent = Resent::new();
        let count = |frames: &[[u8; 54]]| {
            frames.iter().for_each(|frame| resent.note(frame));
            resent.count.take()
        };
        // On and on, over the end of the numbers; bare acknowledgements; a question whether the peer is there.
        assert_eq!(count(&[leaving(7, u32::MAX - 5, 4), leaving(7, u32::MAX - 1, 9), leaving(7, 7, 1)]), 0);
        assert_eq!(count(&[leaving(7, 8, 0), leaving(7, 8, 0), leaving(7, 7, 1)]), 0);
        assert_eq!(count(&[leaving(7, u32::MAX - 1, 9), leaving(7, 0, 2)]), 2);
        // Half of it is new.
        assert_eq!(count(&[leaving(7, 6, 9), leaving(7, 6, 9)]), 1);
        // Another connection begins where it likes, and one does not hide what the other sends again.
        assert_eq!(
            count(&[leaving(32_770, 3, 5), leaving(32_772, 9, 5), leaving(32_770, 3, 5), leaving(32_772, 9, 5)]),
            2
        );
        assert_eq!(count(&[leaving(9, 3, 5), leaving(9, 3, 5), leaving(9, 8, 5)]), 1);
    }

    #[test]
    fn everything_else_goes_on() {
        let listeners = Listeners::new();
        // An answer, bytes, an end; a port that is nobody's, which is refused; what is no TCP, a fragment, rubbish.
        for flags in [0x12, 0x10, 0x11, 0x04] {
            assert!(listeners.admits(&segment(WEB_PORT, flags)));
        }
        assert!(listeners.admits(&segment(9, 0x02)));
        let mut frame = segment(WEB_PORT, 0x02);
        frame[21] = 1;
        assert!(listeners.admits(&frame));
        let mut frame = segment(WEB_PORT, 0x02);
        frame[23] = 17;
        assert!(listeners.admits(&frame));
        (0..54).for_each(|length| assert!(listeners.admits(&segment(WEB_PORT, 0x02)[..length]) || length > 47));
    }
}
