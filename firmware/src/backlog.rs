//! A backlog without memory: a driver around a driver that overhears calls which no listener can take, and answers calls itself
//! while many callers are silent ([`crate::cookies`]).
//!
//! smoltcp would refuse the former, and the caller would see a closed port. A call that gets no answer is made again by the
//! caller's own TCP a second later, when a link may be free.
//!
//! The same driver sends and hears the ARP packets of an address that is not yet the board's ([`Claim`]), which smoltcp
//! can't.

use core::cell::{Cell, RefCell};
use core::task::Context;

use embassy_net::driver::{Capabilities, Driver, HardwareAddress, LinkState, RxToken, TxToken};
use embassy_sync::waitqueue::AtomicWaker;

use crate::cookies::{self, ACK, Coming, Cookies, SYN};
use crate::games::Id;
use crate::link_local::{self, Frame};
use crate::links::{self, WEB_PORT};

/// Where the games are and where the page is.
const PORTS: usize = Id::ALL.len() + 1;
/// Callers that smoltcp waits for at once. A browser opens up to six connections together.
const CALLERS: usize = 6;
/// And where it has no listener left for another one.
const FEW: usize = 3;

/// An address that the board would like to have, or has by its own choice.
pub struct Claim {
    /// Which, and for which hardware address.
    wanted: Cell<Option<([u8; 6], [u8; 4])>>,
    unsent: RefCell<Option<Frame>>,
    is_disputed: Cell<bool>,
    waker: AtomicWaker,
    /// The driver has nothing of its own to do before it looks for a frame: nothing waits to be sent, smoltcp was told of no
    /// call, and the waker is known. It is asked for each frame, and more than once.
    is_calm: Cell<bool>,
}

impl Claim {
    pub const fn new() -> Self {
        Self {
            wanted: Cell::new(None),
            unsent: RefCell::new(None),
            is_disputed: Cell::new(false),
            waker: AtomicWaker::new(),
            is_calm: Cell::new(false),
        }
    }

    /// From now on disputes of this address are heard; `None`: of none.
    pub(crate) fn set(&self, wanted: Option<([u8; 6], [u8; 4])>) {
        self.wanted.set(wanted);
        self.is_disputed.set(false);
    }

    /// Asks for the address that was set, or says that it is taken.
    pub(crate) fn send(&self, is_ours: bool) {
        let question = |(hardware, address)| link_local::question(hardware, address, is_ours);
        *self.unsent.borrow_mut() = self.wanted.get().map(question);
        self.is_calm.set(false);
        self.waker.wake();
    }

    /// Whether a host has disputed it since this was asked last.
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

/// A segment with bytes in it: its connection, where they begin, and how many there are.
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
    cookies: Cookies,
    /// An answer to a call.
    unsent: RefCell<Option<cookies::Frame>>,
    counts: [Cell<usize>; PORTS],
    /// Links whose caller has not answered, and may not exist.
    half_open: Cell<usize>,
    /// A port that was called while no link listened there.
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
            cookies: Cookies::new(),
            unsent: RefCell::new(None),
            counts: [const { Cell::new(0) }; PORTS],
            half_open: Cell::new(0),
            wanted: Cell::new(None),
            #[cfg(feature = "settings")]
            closed: Cell::new(0),
        }
    }

    /// For the task that keeps the board's address.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// Callers that have proven that they exist, for the pool, which has the sockets.
    pub fn cookies(&self) -> &Cookies {
        &self.cookies
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

    /// Calls of these games are refused from now on, as those of a port without a server.
    #[cfg(feature = "settings")]
    pub(crate) fn set_closed(&self, closed: u32) {
        self.closed.set(closed);
    }

    pub(crate) fn set(&self, port: u16, count: usize) {
        self.at(port).into_iter().for_each(|at| at.set(count));
    }

    pub(crate) fn set_half_open(&self, count: usize) {
        self.half_open.set(count);
    }

    /// The port that was last called in vain since this was asked.
    pub(crate) fn take_wanted(&self) -> Option<u16> {
        self.wanted.take()
    }

    fn at(&self, port: u16) -> Option<&Cell<usize>> {
        self.ports().find(|own| *own == port)?;
        let nth = Id::ALL.iter().position(|id| id.entry().port == port);
        self.counts.get(nth.unwrap_or(PORTS - 1))
    }

    /// How much of this frame the network stack hears, which may be another one then; 0: nothing. A call that goes on
    /// takes a listener with it, until the links are counted again: more calls may come before that.
    fn judge(&self, frame: &mut [u8]) -> usize {
        let all = frame.len();
        // Next to every frame: while no call was answered here, only calls are of interest, and where there are no IP options
        // this byte of a call says what it is, whatever it may be in another frame.
        if let Some([0x45, .., flags]) = frame.get(14..48)
            && flags & (SYN | ACK) != SYN
            && self.cookies.is_unused()
        {
            return all;
        }
        let Some(tcp) = cookies::tcp(frame) else { return all };
        let is_call = cookies::flags(frame, tcp) & (SYN | ACK) == SYN;
        if !is_call && self.cookies.is_unused() {
            return all;
        }
        let port = cookies::ports(frame, tcp) as u16;
        let Some(count) = self.at(port) else { return all };
        if !is_call {
            return self.judge_others(frame, tcp, (port, count));
        }
        let (listening, silent) = (count.get(), self.half_open.get());
        let is_crowd = silent >= if listening > 0 { CALLERS } else { FEW };
        if is_crowd || !self.cookies.is_calm() {
            let mut unsent = self.unsent.borrow_mut();
            // An answer that has not left yet is not overtaken: that caller calls again.
            if unsent.is_none() {
                *unsent = self.cookies.answer(frame, tcp);
            }
            self.claim.is_calm.set(false);
            return 0;
        }
        let Some(left) = listening.checked_sub(1) else { return self.want(port) };
        count.set(left);
        self.half_open.set(silent + 1);
        all
    }

    /// There should be a listener. The caller calls again.
    fn want(&self, port: u16) -> usize {
        self.wanted.set(Some(port));
        links::wake();
        0
    }

    /// Judges segments that are no call.
    fn judge_others(&self, frame: &mut [u8], tcp: usize, (port, count): (u16, &Cell<usize>)) -> usize {
        match self.cookies.exchange_coming(frame, tcp) {
            Coming::Known => return frame.len(),
            Coming::TooEarly => return 0,
            Coming::Stranger => {}
        }
        if !self.cookies.is_proof(frame, tcp) {
            return frame.len();
        }
        let Some(left) = count.get().checked_sub(1) else { return self.want(port) };
        let Some(call) = self.cookies.call(frame, tcp) else { return 0 };
        self.claim.is_calm.set(false);
        let Some(front) = frame.first_chunk_mut() else { return 0 };
        *front = call;
        count.set(left);
        call.len()
    }
}

impl Default for Listeners {
    fn default() -> Self {
        Self::new()
    }
}

/// A driver whose calls are overheard while no link listens.
pub struct Backlog<D> {
    driver: D,
    listeners: &'static Listeners,
}

impl<D: Driver> Backlog<D> {
    pub fn new(driver: D, listeners: &'static Listeners) -> Self {
        Self { driver, listeners }
    }

    /// Sends what waits there, or leaves it there.
    fn send_waiting<const N: usize>(&mut self, context: &mut Context<'_>, waiting: &RefCell<Option<[u8; N]>>) {
        let mut waiting = waiting.borrow_mut();
        if let Some(frame) = &*waiting
            && let Some(token) = self.driver.transmit(context)
        {
            token.consume(N, |to| to.copy_from_slice(frame));
            *waiting = None;
        }
    }

    /// Sends what the board itself has to say; whether smoltcp has its turn before it hears more.
    #[inline(never)]
    fn see_to_own(&mut self, context: &mut Context<'_>) -> bool {
        let listeners = self.listeners;
        // A task has the same waker for as long as it lives.
        listeners.claim.waker.register(context.waker());
        self.send_waiting(context, &listeners.claim.unsent);
        self.send_waiting(context, &listeners.unsent);
        // What comes next may be for a connection whose numbers are only known when smoltcp has answered its call. It has
        // its turn now; if it does not answer though it could, it has to ask for the caller's hardware first.
        if listeners.cookies.is_told() {
            if self.driver.transmit(context).is_some() {
                listeners.cookies.forget_told();
                context.waker().wake_by_ref();
            }
            return true;
        }
        let is_all_sent = listeners.claim.unsent.borrow().is_none() && listeners.unsent.borrow().is_none();
        listeners.claim.is_calm.set(is_all_sent);
        false
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
            let length = listeners.judge(frame);
            handle(frame.get_mut(..length).unwrap_or_default())
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
            listeners.cookies.exchange_leaving(frame);
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
        if !listeners.claim.is_calm.get() && self.see_to_own(context) {
            return None;
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
    use crate::shared::tests::CLOCK;

    /// A TCP segment to this port with these flags, as far as it is looked at.
    fn segment(port: u16, flags: u8) -> [u8; 54] {
        let mut frame = [0; 54];
        frame[12..14].copy_from_slice(&[0x08, 0x00]);
        frame[14] = 0x45;
        frame[23] = 6;
        frame[26..30].copy_from_slice(&[10, 0, 2, 2]);
        frame[36..38].copy_from_slice(&port.to_be_bytes());
        frame[47] = flags;
        frame
    }

    #[test]
    fn as_many_calls_as_listeners_go_on() {
        let listeners = Listeners::new();
        let call = || listeners.judge(&mut segment(WEB_PORT, SYN));
        listeners.set(WEB_PORT, 2);
        assert_eq!([call(), call()], [54, 54]);
        assert_eq!(listeners.take_wanted(), None);
        assert_eq!(call(), 0);
        assert_eq!(listeners.take_wanted(), Some(WEB_PORT));
    }

    /// A cable on which nothing comes, and how many frames went.
    struct Cable(usize);

    struct Goes<'a>(&'a mut usize);

    impl RxToken for Goes<'_> {
        fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, handle: F) -> R {
            handle(&mut [])
        }
    }
    impl TxToken for Goes<'_> {
        fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, fill: F) -> R {
            *self.0 += 1;
            fill(&mut std::vec![0; length])
        }
    }
    impl Driver for Cable {
        type RxToken<'a> = Goes<'a>;
        type TxToken<'a> = Goes<'a>;
        fn receive(&mut self, _context: &mut Context<'_>) -> Option<(Goes<'_>, Goes<'_>)> {
            None
        }
        fn transmit(&mut self, _context: &mut Context<'_>) -> Option<Goes<'_>> {
            Some(Goes(&mut self.0))
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
    fn what_the_board_itself_says_leaves_also_after_a_calm() {
        let _clock = CLOCK.lock();
        let listeners: &'static Listeners = std::boxed::Box::leak(std::boxed::Box::new(Listeners::new()));
        let mut backlog = Backlog::new(Cable(0), listeners);
        let mut went = || {
            // A second look finds nothing more.
            (0..2).for_each(|_| {
                assert!(backlog.receive(&mut Context::from_waker(core::task::Waker::noop())).is_none());
            });
            core::mem::take(&mut backlog.driver.0)
        };
        assert_eq!(went(), 0);
        listeners.claim.set(Some(([2; 6], [10, 0, 2, 15])));
        for is_ours in [false, true] {
            listeners.claim.send(is_ours);
            assert_eq!(went(), 1);
        }
        // No link listens, and more callers are silent than are waited for: the call is answered here.
        listeners.set_half_open(CALLERS);
        for _ in 0..2 {
            assert_eq!(listeners.judge(&mut segment(WEB_PORT, SYN)), 0);
            assert_eq!(went(), 1);
        }
    }

    #[test]
    fn few_callers_are_waited_for() {
        let _clock = CLOCK.lock();
        let listeners = Listeners::new();
        listeners.set(WEB_PORT, 20);
        let went_on = (0..20).filter(|_| listeners.judge(&mut segment(WEB_PORT, SYN)) > 0).count();
        assert_eq!(went_on, CALLERS);
        // It is not known whether the callers exist.
        assert_eq!(listeners.take_wanted(), None);
        // All of them have answered, but others were silent just now.
        listeners.set_half_open(0);
        assert_eq!(listeners.judge(&mut segment(WEB_PORT, SYN)), 0);
    }

    #[test]
    fn fewer_are_waited_for_where_there_is_nobody_left_to_wait() {
        let listeners = Listeners::new();
        listeners.set(WEB_PORT, FEW);
        (0..=FEW).for_each(|nth| assert_eq!(listeners.judge(&mut segment(WEB_PORT, SYN)) > 0, nth < FEW));
        assert_eq!(listeners.take_wanted(), None);
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
        let hears = |frame: &[u8]| {
            let (mut room, length) = ([0; 54], frame.len());
            room[..length].copy_from_slice(frame);
            listeners.judge(&mut room[..length]) == length && room[..length] == *frame
        };
        // An answer, bytes, an end; a port without a server, which is refused; what is no TCP, a fragment, rubbish.
        for flags in [0x12, 0x10, 0x11, 0x04] {
            assert!(hears(&segment(WEB_PORT, flags)));
        }
        assert!(hears(&segment(9, SYN)));
        let mut frame = segment(WEB_PORT, SYN);
        frame[21] = 1;
        assert!(hears(&frame));
        let mut frame = segment(WEB_PORT, SYN);
        frame[23] = 17;
        assert!(hears(&frame));
        (0..54).for_each(|length| assert!(hears(&segment(WEB_PORT, SYN)[..length])));
    }
}
