//! embassy-net's driver for the LAN9118: frames over two registers, one at a time in each direction.
//!
//! What can never happen here: a wait for the chip without an end, a frame longer than its buffer.

use core::task::Context;

use cortex_m::interrupt::InterruptNumber;
use cortex_m::peripheral::NVIC;
use embassy_net_driver::{Capabilities, Driver, HardwareAddress, LinkState, RxToken, TxToken};
use embassy_sync::waitqueue::AtomicWaker;
use embassy_time::{Duration, Timer};

use crate::registers::lan::*;

/// The longest Ethernet frame without its checksum, which the chip makes; of what comes it leaves it on.
const FRAME: usize = 1514;
const SHORTEST: usize = 14;
const CHECKSUM: usize = 4;
const WORDS: usize = (FRAME + CHECKSUM).div_ceil(4);
/// The chip's place on this machine.
pub const INTERRUPT: u16 = 13;
const LOOK: Duration = Duration::from_millis(500);

// The PHY's registers and what is looked at in them (IEEE 802.3, 22.2.4).
const PHY_CONTROL: u32 = 0;
const PHY_CONTROL_RESET: u32 = 1 << 15;
const PHY_CONTROL_NEGOTIATE: u32 = 1 << 12 | 1 << 9;
const PHY_STATUS: u32 = 1;
const PHY_STATUS_LINK: u32 = 1 << 2;
const PHY_ADVERTISE: u32 = 4;
/// 10 and 100 Mbit/s, half and full duplex.
const PHY_ADVERTISE_ALL: u32 = 0x01E1;

static WAKER: AtomicWaker = AtomicWaker::new();

#[derive(Clone, Copy)]
struct Line;

#[allow(unsafe_code, reason = "the trait's promise")]
// SAFETY: the number is the one of this machine, and always the same.
unsafe impl InterruptNumber for Line {
    fn number(self) -> u16 {
        INTERRUPT
    }
}

/// Masked until the driver has looked: the level stays for as long as frames are held.
pub fn on_interrupt() {
    INT_EN.write(0);
    WAKER.wake();
}

/// Has the driver look at the cable, forever.
pub async fn watch_cable() -> ! {
    loop {
        Timer::after(LOOK).await;
        WAKER.wake();
    }
}

fn mac_rests() -> bool {
    MAC_COMMAND.comes_to(|command| command & MAC_BUSY == 0)
}

fn write_mac(register: u32, value: u32) {
    mac_rests();
    MAC_DATA.write(value);
    MAC_COMMAND.write(MAC_BUSY | register);
    mac_rests();
}

fn read_mac(register: u32) -> u32 {
    mac_rests();
    MAC_COMMAND.write(MAC_BUSY | MAC_READ | register);
    mac_rests();
    MAC_DATA.read()
}

/// The PHY inside the chip is number 1.
const fn phy(register: u32, is_write: bool) -> u32 {
    1 << 11 | register << 6 | (is_write as u32) << 1 | 1
}

fn write_phy(register: u32, value: u32) {
    write_mac(MAC_PHY_DATA, value);
    write_mac(MAC_PHY, phy(register, true));
}

fn read_phy(register: u32) -> u32 {
    write_mac(MAC_PHY, phy(register, false));
    read_mac(MAC_PHY_DATA) & 0xFFFF
}

/// The chip, with room for a frame in each direction. All zero bytes when new.
pub struct Lan {
    address: [u8; 6],
    rx: [u32; WORDS],
    tx: [u32; WORDS],
}

impl Lan {
    pub const fn new() -> Self {
        Self { address: [0; 6], rx: [0; WORDS], tx: [0; WORDS] }
    }

    /// From whatever state it is in; which chip it says to be.
    pub fn start(&mut self, address: [u8; 6]) -> u32 {
        self.address = address;
        HW_CFG.write(HW_CFG_RESET);
        HW_CFG.comes_to(|config| config & HW_CFG_RESET == 0);
        HW_CFG.write(HW_CFG_STORE);
        AFC_CFG.write(AFC_CFG_USUAL);
        write_phy(PHY_CONTROL, PHY_CONTROL_RESET);
        (0..1_000).any(|_| read_phy(PHY_CONTROL) & PHY_CONTROL_RESET == 0);
        write_phy(PHY_ADVERTISE, PHY_ADVERTISE_ALL);
        write_phy(PHY_CONTROL, PHY_CONTROL_NEGOTIATE);
        let [a, b, c, d, e, f] = address;
        write_mac(MAC_ADDRESS_LOW, u32::from_le_bytes([a, b, c, d]));
        write_mac(MAC_ADDRESS_HIGH, u32::from_le_bytes([e, f, 0, 0]));
        write_mac(MAC_CONTROL, MAC_CONTROL_ON);
        TX_CFG.write(TX_CFG_ON);
        FIFO_INT.write(0);
        INT_STS.write(u32::MAX);
        IRQ_CFG.write(IRQ_CFG_ON);
        #[allow(unsafe_code, reason = "unmasking may break a critical section")]
        // SAFETY: none here relies on this interrupt being masked.
        unsafe {
            NVIC::unmask(Line);
        }
        ID_REV.read()
    }

    fn holds_frames() -> bool {
        RX_HELD.read() >> 16 & 0xFF != 0
    }

    fn can_send() -> bool {
        // A status that is not read stays, and there is room for few.
        while TX_HELD.read() >> 16 & 0xFF != 0 {
            TX_STATUS.read();
        }
        (TX_HELD.read() & 0xFFFF) as usize >= FRAME + 16
    }

    /// The next frame, into `rx`; `None`: it was no good, and is gone.
    fn fetch(&mut self) -> Option<usize> {
        let status = RX_STATUS.read();
        let total = (status >> 16 & 0x3FFF) as usize;
        let words = total.div_ceil(4);
        let length = total.saturating_sub(CHECKSUM);
        if status & RX_STATUS_ERROR != 0 || !(SHORTEST..=FRAME).contains(&length) {
            // The chip can skip no less than four words.
            if words >= 4 {
                RX_CONTROL.write(RX_CONTROL_SKIP);
                RX_CONTROL.comes_to(|control| control & RX_CONTROL_SKIP == 0);
            } else {
                for _ in 0..words {
                    RX_DATA.read();
                }
            }
            return None;
        }
        self.rx.iter_mut().take(words).for_each(|word| *word = RX_DATA.read());
        Some(length)
    }
}

impl Driver for Lan {
    type RxToken<'a> = Received<'a>;
    type TxToken<'a> = Outgoing<'a>;

    fn receive(&mut self, context: &mut Context<'_>) -> Option<(Received<'_>, Outgoing<'_>)> {
        if !Self::holds_frames() || !Self::can_send() {
            WAKER.register(context.waker());
            INT_STS.write(INT_RECEIVED);
            INT_EN.write(INT_RECEIVED);
            // One may have come in between.
            if !Self::holds_frames() || !Self::can_send() {
                return None;
            }
        }
        let Some(length) = self.fetch() else {
            context.waker().wake_by_ref();
            return None;
        };
        let Self { rx, tx, .. } = self;
        Some((Received { words: rx, length }, Outgoing { words: tx }))
    }

    fn transmit(&mut self, context: &mut Context<'_>) -> Option<Outgoing<'_>> {
        if !Self::can_send() {
            context.waker().wake_by_ref();
            return None;
        }
        Some(Outgoing { words: &mut self.tx })
    }

    fn link_state(&mut self, context: &mut Context<'_>) -> LinkState {
        WAKER.register(context.waker());
        // The bit latches a link that was lost: the second look tells how it is now.
        read_phy(PHY_STATUS);
        if read_phy(PHY_STATUS) & PHY_STATUS_LINK != 0 { LinkState::Up } else { LinkState::Down }
    }

    fn capabilities(&self) -> Capabilities {
        let mut capabilities = Capabilities::default();
        capabilities.max_transmission_unit = FRAME;
        capabilities
    }

    fn hardware_address(&self) -> HardwareAddress {
        HardwareAddress::Ethernet(self.address)
    }
}

pub struct Received<'a> {
    words: &'a mut [u32; WORDS],
    length: usize,
}

impl RxToken for Received<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, handle: F) -> R {
        handle(bytes_of(self.words).get_mut(..self.length).unwrap_or_default())
    }
}

pub struct Outgoing<'a> {
    words: &'a mut [u32; WORDS],
}

impl TxToken for Outgoing<'_> {
    /// In one piece, its length before it.
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, fill: F) -> R {
        let length = length.min(FRAME);
        let result = fill(bytes_of(self.words).get_mut(..length).unwrap_or_default());
        TX_DATA.write(1 << 13 | 1 << 12 | length as u32);
        TX_DATA.write(length as u32);
        self.words.iter().take(length.div_ceil(4)).for_each(|word| TX_DATA.write(*word));
        result
    }
}

#[allow(unsafe_code, reason = "words as bytes")]
fn bytes_of(words: &mut [u32; WORDS]) -> &mut [u8] {
    // SAFETY: any byte is a valid u8 and any four are a valid u32; the length is the array's; the borrow passes on.
    unsafe { core::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}
