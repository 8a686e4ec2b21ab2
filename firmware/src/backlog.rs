//! A backlog without memory: a driver around a driver that overhears calls which no listener can take.
//!
//! smoltcp would refuse them, and the caller would see a closed port. A call that gets no answer is made again by the
//! caller's own TCP a second later, when a link may be free.

use core::cell::Cell;
use core::task::Context;

use embassy_net::driver::{Capabilities, Driver, HardwareAddress, LinkState, RxToken};

use crate::games::Id;
use crate::links::WEB_PORT;

/// Where the games are and where the page is.
const PORTS: usize = Id::ALL.len() + 1;

/// How many links listen at each port.
pub struct Listeners {
    counts: [Cell<usize>; PORTS],
    /// A port that was called while nobody listened there.
    wanted: Cell<Option<u16>>,
}

impl Listeners {
    pub const fn new() -> Self {
        Self { counts: [const { Cell::new(0) }; PORTS], wanted: Cell::new(None) }
    }

    pub(crate) fn ports(&self) -> impl Iterator<Item = u16> {
        Id::ALL.iter().map(|id| id.entry().port).chain([WEB_PORT])
    }

    pub(crate) fn set(&self, port: u16, count: usize) {
        self.at(port).into_iter().for_each(|at| at.set(count));
    }

    /// Where somebody called in vain since this was asked last.
    pub(crate) fn take_wanted(&self) -> Option<u16> {
        self.wanted.take()
    }

    fn at(&self, port: u16) -> Option<&Cell<usize>> {
        self.counts.get(self.ports().position(|own| own == port)?)
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
        token.consume(|frame| if listeners.admits(frame) { handle(frame) } else { handle(&mut []) })
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
