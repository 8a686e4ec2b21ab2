//! One Ethernet frame, put on the wire byte by byte. No driver, no stack, no operating system: six registers.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};

/// Registers of the LM3S6965, as its data sheet numbers them: which blocks have a clock, and the Ethernet controller.
const RCGC2: usize = 0x400F_E108;
const RCGC2_PHY_AND_MAC: u32 = 1 << 30 | 1 << 28;
const TCTL: usize = 0x4004_800C;
const TCTL_SEND: u32 = 1 << 0 /* on */ | 1 << 1 /* pad short frames */ | 1 << 2 /* add the checksum */;
const DATA: usize = 0x4004_8010;
const TR: usize = 0x4004_8038;
const TR_NEWTX: u32 = 1;

/// Everybody on this cable.
const TO: [u8; 6] = [0xFF; 6];
/// An address that we made up: bit 1 of the first byte says so.
const FROM: [u8; 6] = [0x02, 0, 0, 0, 0, 0x01];
/// What the rest is. This number is kept free for experiments.
const TYPE: [u8; 2] = [0x88, 0xB5];
const TEXT: &[u8] = b"hello, wire";

const HEADER: usize = 14;
const LENGTH: usize = HEADER + TEXT.len();

fn read(register: usize) -> u32 {
    // SAFETY: one of the addresses above, each an aligned register of this chip.
    unsafe { (register as *const u32).read_volatile() }
}

fn write(register: usize, value: u32) {
    // SAFETY: as in `read`; none of these makes the hardware touch memory.
    unsafe { (register as *mut u32).write_volatile(value) }
}

#[entry]
fn main() -> ! {
    write(RCGC2, read(RCGC2) | RCGC2_PHY_AND_MAC);
    write(TCTL, TCTL_SEND);

    // The frame as it will be on the wire, behind two bytes that only the controller reads: the length of the text.
    let mut bytes = [0; 2 + LENGTH + 3];
    let length = if cfg!(feature = "broken") { 5 } else { TEXT.len() as u16 };
    let parts = [&length.to_le_bytes()[..], &TO, &FROM, &TYPE, TEXT];
    bytes.iter_mut().zip(parts.into_iter().flatten()).for_each(|(to, from)| *to = *from);
    hprintln!("sending {} bytes: {:02x?}", LENGTH, &bytes[2..2 + LENGTH]);

    // The controller takes words; the lowest byte of each is first on the wire.
    for word in bytes[..(2 + LENGTH).next_multiple_of(4)].chunks(4) {
        write(DATA, u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    }
    write(TR, TR_NEWTX);
    while read(TR) & TR_NEWTX != 0 {}
    hprintln!("sent");
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::wfi();
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    hprintln!("{}", info);
    debug::exit(debug::EXIT_FAILURE);
    loop {
        cortex_m::asm::wfi();
    }
}
