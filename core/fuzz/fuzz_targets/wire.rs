//! Any bytes, in any pieces: the same frames or lines as in one piece, and every message comes back. Never a panic.
//!
//! Once: `cargo install cargo-fuzz`. Then, in core/ (the stable compiler will do; nothing here needs a sanitizer, for
//! core has no unsafe code):
//!
//! ```text
//! RUSTC_BOOTSTRAP=1 cargo fuzz run --sanitizer none wire -- -runs=10000000 -max_len=1024
//! ```
#![no_main]

#[path = "../laws.rs"]
mod laws;
#[path = "../line_laws.rs"]
mod line_laws;
#[path = "../pour.rs"]
mod pour;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // The first bytes say whether frames or lines are meant, how the rest is cut and how many are taken at a time.
    let Some((&[turn, a, b, c], stream)) = data.split_first_chunk() else { return };
    let hold = if turn & 0x80 == 0 { line_laws::hold } else { laws::hold };
    hold(stream, &[a, b, c], 1 + usize::from(turn % 16));
});
