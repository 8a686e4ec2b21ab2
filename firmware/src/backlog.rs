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

/// How many links listen at each port.
pub struct Listeners {
    claim: Claim,
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

impl<D: Driver> Driver for Backlog<D> {
    type RxToken<'a>
        = Heard<D::RxToken<'a>>
    where
        Self: 'a;
    type TxToken<'a>
        = D::TxToken<'a>
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
        self.driver.receive(context).map(|(token, send)| (Heard { token, listeners }, send))
    }
    fn transmit(&mut self, context: &mut Context<'_>) -> Option<Self::TxToken<'_>> {
        self.driver.transmit(context)
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
