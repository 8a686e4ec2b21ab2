//! A W5500 in MACRAW mode as embassy-net sees it: registers over SPI here, and the [`Mover`] that carries frames.
//!
//! The chip latches: its interrupt says that at least one frame came since the bit was last cleared, never how many, and
//! it does not come again for what was left behind. So the mover clears the bit first and then takes frames until the
//! chip holds none: a frame that comes in between sets the bit anew.
//!
//! What can never happen here: a wait for the chip without an end, a frame longer than its buffer, a read of lengths that
//! do not fit together. A chip that is out of step (after a brown-out, or noise on its wires) is opened anew.

mod mover;

use embassy_net_driver_channel::{self as channel, driver::HardwareAddress};
use embassy_time::{Duration, Timer, with_timeout};
use embedded_hal::digital::OutputPin;
use embedded_hal_async::{
    digital::Wait,
    spi::{Operation, SpiDevice},
};

use crate::fmt::warn;

pub use mover::Mover;

/// The longest Ethernet frame without its checksum, which the chip makes and checks itself.
const MTU: usize = 1514;
/// The shortest that has both addresses and a type.
const SHORTEST: usize = 14;
/// The chip puts a frame's length before it, these two bytes included.
const LENGTH: usize = 2;
/// All of the chip's memory for socket 0, in each direction.
const BUFFER_KB: u8 = 16;
const VERSION: u8 = 0x04;
/// The PLL holds after a millisecond at most (the data sheet's reset timing).
const RESET: Duration = Duration::from_millis(2);
/// No more than this for all that is asked of the chip at once. The longest frame takes half a millisecond.
const PATIENCE: Duration = Duration::from_millis(200);
/// How often a register that the chip sets by itself is looked at.
const LOOKS: usize = 200;

/// A register: its block, as the control byte names it, and its address.
#[derive(Clone, Copy)]
struct Register(u8, u16);

const COMMON: u8 = 0x00;
const SOCKET: u8 = 0x01;
const TRANSMIT: u8 = 0x02;
const RECEIVE: u8 = 0x03;

const MODE: Register = Register(COMMON, 0x00);
const HARDWARE_ADDRESS: Register = Register(COMMON, 0x09);
const SOCKET_INTERRUPT_MASK: Register = Register(COMMON, 0x18);
const PHY: Register = Register(COMMON, 0x2E);
const CHIP_VERSION: Register = Register(COMMON, 0x39);
const SOCKET_MODE: Register = Register(SOCKET, 0x00);
const COMMAND: Register = Register(SOCKET, 0x01);
const INTERRUPT: Register = Register(SOCKET, 0x02);
const STATUS: Register = Register(SOCKET, 0x03);
/// The sizes of the receive buffer and of the transmit buffer.
const BUFFER_SIZES: Register = Register(SOCKET, 0x1E);
const TRANSMIT_FREE: Register = Register(SOCKET, 0x20);
const TRANSMIT_WRITE: Register = Register(SOCKET, 0x24);
/// How much is held, and where reading begins.
const RECEIVED: Register = Register(SOCKET, 0x26);
const RECEIVE_READ: Register = Register(SOCKET, 0x28);
const INTERRUPT_MASK: Register = Register(SOCKET, 0x2C);

const MODE_RESET: u8 = 0x80;
/// Frames as they are, for this address, for groups and for all.
const MACRAW_FILTERED: u8 = 0x84;
const STATUS_MACRAW: u8 = 0x42;
const INTERRUPT_RECEIVED: u8 = 0x04;
const OPEN: u8 = 0x01;
const CLOSE: u8 = 0x10;
const SEND: u8 = 0x20;
const RECEIVED_TO_HERE: u8 = 0x40;

/// Frames on their way between the chip and the network stack, so many in each direction.
pub type Frames<const IN: usize, const OUT: usize> = channel::State<MTU, IN, OUT>;
/// The network stack's side.
pub type Port<'d> = channel::Device<'d, MTU>;

/// Why the chip is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Trouble {
    /// The bus says no, or says nothing for [`PATIENCE`].
    Bus,
    /// Another chip, or none, answers where a W5500 gives its version.
    Version(u8),
    /// The chip does not do what it was told, or its lengths do not fit together.
    OutOfStep,
}

/// Resets the chip and readies it. Once, before the network begins.
pub async fn start<'d, const IN: usize, const OUT: usize, S: SpiDevice, I: Wait, R: OutputPin>(
    address: [u8; 6],
    frames: &'d mut Frames<IN, OUT>,
    bus: S,
    interrupt: I,
    reset: R,
) -> Result<(Port<'d>, Mover<'d, S, I, R>), Trouble> {
    let mut chip = Chip { bus, reset, address };
    chip.ready().await?;
    let (runner, port) = channel::new(frames, HardwareAddress::Ethernet(address));
    Ok((port, Mover::new(chip, runner, interrupt)))
}

/// What came of a look for a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    /// A frame of this length.
    Frame(usize),
    /// The chip holds none.
    Nothing,
}

struct Chip<S, R> {
    bus: S,
    reset: R,
    address: [u8; 6],
}

impl<S: SpiDevice, R: OutputPin> Chip<S, R> {
    /// From whatever state it is in to one that takes and gives frames.
    async fn ready(&mut self) -> Result<(), Trouble> {
        // An output pin of a microcontroller can't fail.
        let _ = self.reset.set_low();
        Timer::after(RESET).await;
        let _ = self.reset.set_high();
        Timer::after(RESET).await;
        within(self.configure()).await
    }

    async fn configure(&mut self) -> Result<(), Trouble> {
        self.write(MODE, &[MODE_RESET]).await?;
        let [version] = self.read(CHIP_VERSION).await?;
        if version != VERSION {
            return Err(Trouble::Version(version));
        }
        self.write(SOCKET_INTERRUPT_MASK, &[1]).await?;
        self.write(INTERRUPT_MASK, &[INTERRUPT_RECEIVED]).await?;
        let address = self.address;
        self.write(HARDWARE_ADDRESS, &address).await?;
        self.write(BUFFER_SIZES, &[BUFFER_KB; 2]).await?;
        self.write(SOCKET_MODE, &[MACRAW_FILTERED]).await?;
        self.open().await
    }

    /// Whether it is the chip that was readied, in the state that it was left in.
    async fn is_well(&mut self) -> bool {
        let look =
            async { Ok(self.read(CHIP_VERSION).await? == [VERSION] && self.read(STATUS).await? == [STATUS_MACRAW]) };
        within(look).await == Ok(true)
    }

    async fn has_cable(&mut self) -> bool {
        matches!(within(self.read(PHY)).await, Ok([phy]) if phy & 1 == 1)
    }

    /// From here on the next frame raises the interrupt.
    async fn clear_interrupt(&mut self) -> Result<(), Trouble> {
        within(self.write(INTERRUPT, &[INTERRUPT_RECEIVED])).await
    }

    /// Takes one frame out of the chip.
    async fn take(&mut self, frame: &mut [u8]) -> Result<Taken, Trouble> {
        let taken = within(self.take_frame(frame)).await;
        self.in_step(taken).await
    }

    /// Has the chip send one frame.
    async fn send(&mut self, frame: &[u8]) -> Result<(), Trouble> {
        let sent = within(self.send_frame(frame)).await;
        self.in_step(sent).await
    }

    async fn take_frame(&mut self, frame: &mut [u8]) -> Result<Taken, Trouble> {
        let (held, at) = self.received().await?;
        if held == 0 {
            return Ok(Taken::Nothing);
        }
        let mut length = [0; LENGTH];
        self.read_to(Register(RECEIVE, at), &mut length).await?;
        let whole = u16::from_be_bytes(length);
        let length = usize::from(whole).checked_sub(LENGTH).filter(|length| *length >= SHORTEST && whole <= held);
        let frame = length.and_then(|length| frame.get_mut(..length)).ok_or(Trouble::OutOfStep)?;
        self.read_to(Register(RECEIVE, at.wrapping_add(LENGTH as u16)), frame).await?;
        self.write(RECEIVE_READ, &at.wrapping_add(whole).to_be_bytes()).await?;
        self.command(RECEIVED_TO_HERE).await?;
        Ok(Taken::Frame(frame.len()))
    }

    async fn send_frame(&mut self, frame: &[u8]) -> Result<(), Trouble> {
        let room = || Trouble::OutOfStep;
        let length = u16::try_from(frame.len()).ok().filter(|length| usize::from(*length) <= MTU).ok_or_else(room)?;
        let mut looks = 0;
        while u16::from_be_bytes(self.read(TRANSMIT_FREE).await?) < length {
            looks += 1;
            if looks == LOOKS {
                return Err(Trouble::OutOfStep);
            }
        }
        let at = u16::from_be_bytes(self.read(TRANSMIT_WRITE).await?);
        self.write(Register(TRANSMIT, at), frame).await?;
        self.write(TRANSMIT_WRITE, &at.wrapping_add(length).to_be_bytes()).await?;
        self.command(SEND).await
    }

    /// How much the chip holds, and where it begins. The chip may be counting up between two bytes: only what was read
    /// twice is true.
    async fn received(&mut self) -> Result<(u16, u16), Trouble> {
        let mut last: [u8; 4] = self.read(RECEIVED).await?;
        for _ in 0..LOOKS {
            let now = self.read(RECEIVED).await?;
            if now == last {
                let [a, b, c, d] = now;
                return Ok((u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])));
            }
            last = now;
        }
        Err(Trouble::OutOfStep)
    }

    /// A socket that lost its place is closed and opened, with empty buffers.
    async fn in_step<T>(&mut self, outcome: Result<T, Trouble>) -> Result<T, Trouble> {
        if outcome.as_ref().is_err_and(|trouble| *trouble == Trouble::OutOfStep) {
            warn!("ethernet: out of step, frames are lost");
            within(self.open()).await?;
        }
        outcome
    }

    async fn open(&mut self) -> Result<(), Trouble> {
        self.command(CLOSE).await?;
        self.command(OPEN).await?;
        let open = self.read(STATUS).await? == [STATUS_MACRAW];
        open.then_some(()).ok_or(Trouble::OutOfStep)
    }

    /// The chip has taken a command when its register is empty again.
    async fn command(&mut self, command: u8) -> Result<(), Trouble> {
        self.write(COMMAND, &[command]).await?;
        for _ in 0..LOOKS {
            if self.read(COMMAND).await? == [0] {
                return Ok(());
            }
        }
        Err(Trouble::OutOfStep)
    }

    async fn read<const N: usize>(&mut self, from: Register) -> Result<[u8; N], Trouble> {
        let mut bytes = [0; N];
        self.read_to(from, &mut bytes).await?;
        Ok(bytes)
    }

    async fn read_to(&mut self, Register(block, address): Register, bytes: &mut [u8]) -> Result<(), Trouble> {
        let [high, low] = address.to_be_bytes();
        let front = [high, low, block << 3];
        let mut operations = [Operation::Write(&front), Operation::Read(bytes)];
        self.bus.transaction(&mut operations).await.map_err(|_| Trouble::Bus)
    }

    async fn write(&mut self, Register(block, address): Register, bytes: &[u8]) -> Result<(), Trouble> {
        let [high, low] = address.to_be_bytes();
        let front = [high, low, block << 3 | 0x04];
        let mut operations = [Operation::Write(&front), Operation::Write(bytes)];
        self.bus.transaction(&mut operations).await.map_err(|_| Trouble::Bus)
    }
}

async fn within<T>(talk: impl Future<Output = Result<T, Trouble>>) -> Result<T, Trouble> {
    with_timeout(PATIENCE, talk).await.unwrap_or(Err(Trouble::Bus))
}

#[cfg(test)]
mod model;
