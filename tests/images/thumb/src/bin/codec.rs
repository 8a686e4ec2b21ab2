//! PIMP without its server: takes frames from a framer, decodes them as a server and as a client would, and encodes what came.
//!
//! `black_box` stands for the socket: the compiler knows nothing of the bytes, so no message and no check is left out.
#![no_std]
#![no_main]

use core::hint::black_box;

use parlor_core::pimp::wire::{FRAME_MAX, Framer, Message};
use parlor_core::server::Framer as _;

#[cortex_m_rt::entry]
fn main() -> ! {
    let mut framer = Framer::new();
    let mut out = [0; FRAME_MAX];
    loop {
        let read = black_box(framer.window()).len();
        framer.commit(black_box(read));
        framer.mark();
        while let Ok(Some(frame)) = framer.peek() {
            let decoded = match black_box(true) {
                true => Message::from_client(frame.code, frame.payload),
                false => Message::from_server(frame.code, frame.payload),
            };
            // Laid out in memory, as a game would find it; else decoder and encoder melt into one.
            if let Ok(message) = black_box(decoded) {
                black_box(message.encode(black_box(&mut out)));
            }
            framer.skip();
        }
        black_box(framer.taken());
    }
}

parlor_images::without_panics!();
