//! embassy-net driver for the LM3S6965's Ethernet controller.
//!
//! The controller has two FIFOs of 2 KB and no DMA: the processor moves each word. A frame is taken out of the receive
//! FIFO whole before it is offered to the stack, and one that can't be a frame resets the FIFO: after an overrun its
//! words no longer begin where a frame begins. Lost frames are TCP's business. No state of the hardware makes this
//! driver panic or wait without end.

use core::task::Context;

use embassy_net_driver::{Capabilities, Driver, HardwareAddress, LinkState, RxToken, TxToken};
use embassy_sync::waitqueue::AtomicWaker;
use embassy_time::{Duration, Instant, Timer};

use crate::phy::{Cable, Phy};
use crate::registers::{mac::*, system, unmask_ethernet};

/// In the FIFO, two bytes of length come before a frame.
const LENGTH: usize = 2;
const HEADER: usize = 14;
const CHECKSUM: usize = 4;
/// Small: two segments fit a link's send buffer, so that no peer delays its acknowledgement; and frames cost memory.
pub const FRAME_MAX: usize = HEADER + 576;
/// The longest that others may send.
const WIRE_MAX: usize = HEADER + 1500;
/// `LENGTH` + `FRAME_MAX` + `CHECKSUM`, in whole words.
const WORDS: usize = (LENGTH + FRAME_MAX + CHECKSUM).div_ceil(4);

/// The longest frame takes 1.2 ms at 10 Mbit/s; sixteen collisions take it over again with pauses of up to 52 ms each.
const SEND_MAX: Duration = Duration::from_secs(1);
/// How often the cable is looked at.
const CABLE_EVERY: Duration = Duration::from_millis(500);

const RECEIVE: u32 = RCTL_RXEN | RCTL_BADCRC | RCTL_AMUL;
const SEND: u32 = TCTL_TXEN | TCTL_PADEN | TCTL_CRC;

static WAKER: AtomicWaker = AtomicWaker::new();

/// Masks everything, so that the handler does not run again, and leaves the work to the driver, which unmasks.
pub fn on_interrupt() {
    IM.write(0);
    WAKER.wake();
}

/// Has the driver look at the cable again and again.
pub async fn watch_cable() -> ! {
    loop {
        Timer::after(CABLE_EVERY).await;
        WAKER.wake();
    }
}

/// The controller and one frame for each direction.
pub struct Mac {
    address: [u8; 6],
    phy: Phy,
    cable: Cable,
    looked: Instant,
    /// When the frame that is being sent was handed over.
    sending: Option<Instant>,
    /// Frames, or crowds of frames, that had to be thrown away.
    overruns: u32,
    rx: [u32; WORDS],
    tx: [u32; WORDS],
}

impl Mac {
    /// All zero, so that it lies in .bss; [`Mac::start`] before use.
    pub const fn new() -> Self {
        Self {
            address: [0; 6],
            phy: Phy::Absent,
            cable: Cable::Out,
            looked: Instant::from_ticks(0),
            sending: None,
            overruns: 0,
            rx: [0; WORDS],
            tx: [0; WORDS],
        }
    }

    pub fn start(&mut self, address: [u8; 6]) -> Phy {
        self.address = address;
        let [a, b, c, d, e, f] = address;
        IM.write(0);
        RIS_IACK.write(INT_ALL);
        IA0.write(u32::from_le_bytes([a, b, c, d]));
        IA1.write(u32::from_le_bytes([e, f, 0, 0]));
        self.phy = Phy::find();
        self.look_at_cable();
        reset_receiver();
        unmask_ethernet();
        self.phy
    }

    fn look_at_cable(&mut self) {
        self.looked = Instant::now();
        let cable = self.phy.cable();
        if cable == self.cable {
            return;
        }
        self.cable = cable;
        match cable {
            Cable::Out => {}
            Cable::HalfDuplex => TCTL.write(SEND),
            Cable::FullDuplex => TCTL.write(SEND | TCTL_DUPLEX),
        }
    }

    /// Sees to errors. Called before anything else is decided.
    fn attend(&mut self) {
        let happened = RIS_IACK.read();
        if happened & (INT_FOV | INT_RXER) != 0 {
            RIS_IACK.write(INT_FOV | INT_RXER);
            self.lost_frames("overrun or damaged frame");
        }
        if happened & INT_TXER != 0 {
            // Sixteen collisions. Acknowledging also takes the FIFO's write pointer back.
            RIS_IACK.write(INT_TXER);
            defmt::debug!("mac: a frame could not be sent");
        }
        if let Some(since) = self.sending {
            if TR.read() & TR_NEWTX == 0 {
                self.sending = None;
            } else if since.elapsed() > SEND_MAX {
                defmt::warn!("mac: transmitter hangs");
                let control = TCTL.read();
                TCTL.write(control & !TCTL_TXEN);
                TR.write(0);
                RIS_IACK.write(INT_TXER);
                TCTL.write(control);
                self.sending = None;
            }
        }
    }

    fn lost_frames(&mut self, why: &str) {
        reset_receiver();
        self.overruns = self.overruns.wrapping_add(1);
        defmt::debug!("mac: {=str}; receiver reset, {} times so far", why, self.overruns);
    }

    fn can_send(&self) -> bool {
        self.sending.is_none() || TR.read() & TR_NEWTX == 0
    }

    /// True if `ready`; otherwise the task is woken when it may be.
    fn ready_or_wake(&mut self, context: &mut Context, ready: impl Fn(&Self) -> bool) -> bool {
        self.attend();
        if ready(self) {
            return true;
        }
        // Acknowledge, unmask, then look again: what comes in between is seen by one or the other.
        WAKER.register(context.waker());
        RIS_IACK.write(INT_RX | INT_TXEMP);
        let sent = if self.can_send() { 0 } else { INT_TXEMP };
        IM.write(INT_RX | INT_FOV | INT_RXER | INT_TXER | sent);
        ready(self)
    }

    /// Takes the next frame out of the FIFO into `rx`; its length. `None` if it can't be one.
    fn fetch(&mut self) -> Option<usize> {
        let first = DATA.read();
        let total = (first & 0xFFFF) as usize;
        let frame = total.saturating_sub(LENGTH + CHECKSUM);
        if (FRAME_MAX + 1..=WIRE_MAX).contains(&frame) {
            // A long broadcast: the next frame begins after it.
            (1..total.div_ceil(4)).for_each(|_| {
                DATA.read();
            });
            return None;
        }
        if !(HEADER..=FRAME_MAX).contains(&frame) {
            self.lost_frames("impossible length");
            return None;
        }
        let mut words = self.rx.iter_mut().take(total.div_ceil(4));
        if let Some(word) = words.next() {
            *word = first;
        }
        for word in words {
            *word = DATA.read();
        }
        Some(frame)
    }
}

/// Frames stand in the receive FIFO.
fn waiting() -> bool {
    NP.read() & NP_COUNT != 0
}

/// Empties the receive FIFO, in the order that the data sheet wants.
fn reset_receiver() {
    RCTL.write(RECEIVE & !RCTL_RXEN);
    RCTL.write(RECEIVE & !RCTL_RXEN | RCTL_RSTFIFO);
    RCTL.write(RECEIVE);
}

/// The station address that the board's maker left, if any.
pub fn makers_address() -> Option<[u8; 6]> {
    let [low, high] = [system::USER_REG0.read(), system::USER_REG1.read()];
    let ([a, b, c, _], [d, e, f, _]) = (low.to_le_bytes(), high.to_le_bytes());
    let address = [a, b, c, d, e, f];
    // Empty flash is all ones, which as an address is the broadcast.
    (address != [0; 6] && a & 1 == 0).then_some(address)
}

impl Driver for Mac {
    type RxToken<'a> = Received<'a>;
    type TxToken<'a> = Send<'a>;

    fn receive(&mut self, context: &mut Context) -> Option<(Received<'_>, Send<'_>)> {
        // A frame may need an answer at once, so none is taken while the last answer is still leaving.
        if !self.ready_or_wake(context, |mac| mac.can_send() && waiting()) {
            return None;
        }
        let Some(length) = self.fetch() else {
            // Look again, but only after the other tasks: a FIFO that is broken for good must not hold them up.
            context.waker().wake_by_ref();
            return None;
        };
        let Self { rx, tx, sending, .. } = self;
        Some((Received { words: rx, length }, Send { words: tx, sending }))
    }

    fn transmit(&mut self, context: &mut Context) -> Option<Send<'_>> {
        self.ready_or_wake(context, Self::can_send).then_some(Send { words: &mut self.tx, sending: &mut self.sending })
    }

    fn link_state(&mut self, context: &mut Context) -> LinkState {
        WAKER.register(context.waker());
        if self.phy == Phy::Present && self.looked.elapsed() >= CABLE_EVERY {
            self.look_at_cable();
        }
        match self.cable {
            Cable::Out => LinkState::Down,
            Cable::HalfDuplex | Cable::FullDuplex => LinkState::Up,
        }
    }

    fn capabilities(&self) -> Capabilities {
        let mut capabilities = Capabilities::default();
        capabilities.max_transmission_unit = FRAME_MAX;
        capabilities
    }

    fn hardware_address(&self) -> HardwareAddress {
        HardwareAddress::Ethernet(self.address)
    }
}

/// A frame that came.
pub struct Received<'a> {
    words: &'a mut [u32; WORDS],
    length: usize,
}

impl RxToken for Received<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, handle: F) -> R {
        handle(frame(self.words, self.length))
    }
}

/// The right to send one frame.
pub struct Send<'a> {
    words: &'a mut [u32; WORDS],
    sending: &'a mut Option<Instant>,
}

impl TxToken for Send<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, fill: F) -> R {
        let length = length.min(FRAME_MAX);
        let result = fill(frame(self.words, length));
        // The controller is told the length without header and checksum.
        let payload = length.saturating_sub(HEADER) as u32;
        if let Some(first) = self.words.first_mut() {
            *first = *first & !0xFFFF | payload;
        }
        for word in self.words.iter().take((LENGTH + length).div_ceil(4)) {
            DATA.write(*word);
        }
        TR.write(TR_NEWTX);
        *self.sending = Some(Instant::now());
        result
    }
}

/// The bytes of a frame of `length`, after its own length.
fn frame(words: &mut [u32; WORDS], length: usize) -> &mut [u8] {
    bytes_of(words).get_mut(LENGTH..LENGTH + length).unwrap_or_default()
}

/// The FIFO gives and takes words whose lowest byte is first on the wire, as in this chip's memory.
#[allow(unsafe_code, reason = "words seen as bytes")]
fn bytes_of(words: &mut [u32; WORDS]) -> &mut [u8] {
    // SAFETY: any byte is a valid u8 and any four are a valid u32; the length is the array's; the borrow passes on.
    unsafe { core::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}
