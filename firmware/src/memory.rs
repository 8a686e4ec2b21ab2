//! Memory that is moved or filled, in few instructions, for a board whose flash is short (feature `small-memory`).
//!
//! The compiler's own functions are made for speed: on a chip that can't load a word from anywhere they are a kilobyte and more.
//! Little is moved within a buffer here. What is copied from one place to another is left to the compiler.
#![allow(unsafe_code, reason = "the compiler calls these with pointers")]

use core::ptr;

/// Where both begin at a word, a word is moved at once.
const WORD: usize = size_of::<u32>();

fn is_aligned(address: usize) -> bool {
    address.is_multiple_of(WORD)
}

/// # Safety
/// `from` can be read and `to` written for `count` bytes. They may overlap.
#[cfg_attr(not(any(test, target_arch = "arm")), allow(dead_code))]
unsafe fn copy(to: *mut u8, from: *const u8, count: usize) {
    let mut at = 0;
    // Every access is volatile: the compiler would make calls to these very functions of such loops. SAFETY: no access
    // is behind `count` bytes, as the caller promises; words are accessed where they are aligned.
    unsafe {
        if (to as usize).wrapping_sub(from as usize) < count {
            // The end of what is moved lies where it goes to: from behind, or it would be overwritten.
            for at in (0..count).rev() {
                ptr::write_volatile(to.add(at), ptr::read_volatile(from.add(at)));
            }
            return;
        }
        if is_aligned(to as usize | from as usize) {
            while count - at >= WORD {
                ptr::write_volatile(to.add(at).cast::<u32>(), ptr::read_volatile(from.add(at).cast::<u32>()));
                at += WORD;
            }
        }
        while at < count {
            ptr::write_volatile(to.add(at), ptr::read_volatile(from.add(at)));
            at += 1;
        }
    }
}

/// # Safety
/// `to` can be written for `count` bytes.
#[cfg_attr(not(any(test, target_arch = "arm")), allow(dead_code))]
unsafe fn fill(to: *mut u8, count: usize, byte: u8) {
    let word = u32::from_ne_bytes([byte; WORD]);
    let mut at = 0;
    // SAFETY: as above.
    unsafe {
        while at < count {
            if count - at >= WORD && is_aligned(to as usize + at) {
                ptr::write_volatile(to.add(at).cast::<u32>(), word);
                at += WORD;
            } else {
                ptr::write_volatile(to.add(at), byte);
                at += 1;
            }
        }
    }
}

/// By the names that compilers for this chip call them.
#[cfg(all(feature = "small-memory", target_arch = "arm"))]
mod names {
    use super::{copy, fill};

    macro_rules! names {
        ($($name:ident($($given:ident: $kind:ty),*) -> $what:ident($($order:expr),*);)*) => {
            $(
                // SAFETY: the name is the one for what this does; the linker takes no other function beside it.
                #[unsafe(no_mangle)]
                unsafe extern "C" fn $name(to: *mut u8, $($given: $kind),*) -> *mut u8 {
                    // SAFETY: the caller promises what is asked for above.
                    unsafe { $what(to, $($order),*) };
                    to
                }
            )*
        };
    }

    names! {
        memmove(from: *const u8, count: usize) -> copy(from, count);
        __aeabi_memmove(from: *const u8, count: usize) -> copy(from, count);
        __aeabi_memmove4(from: *const u8, count: usize) -> copy(from, count);
        __aeabi_memmove8(from: *const u8, count: usize) -> copy(from, count);
        memset(byte: i32, count: usize) -> fill(count, byte as u8);
        __aeabi_memset(count: usize, byte: i32) -> fill(count, byte as u8);
        __aeabi_memset4(count: usize, byte: i32) -> fill(count, byte as u8);
        __aeabi_memset8(count: usize, byte: i32) -> fill(count, byte as u8);
        __aeabi_memclr(count: usize) -> fill(count, 0);
        __aeabi_memclr4(count: usize) -> fill(count, 0);
        __aeabi_memclr8(count: usize) -> fill(count, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_moved_is_whole_wherever_it_goes() {
        let before: [u8; 40] = core::array::from_fn(|at| at as u8);
        for (to, from) in (0..16).flat_map(|to| (0..16).map(move |from| (to, from))) {
            for count in 0..24 {
                let mut expected = before;
                expected.copy_within(from..from + count, to);
                let mut memory = before;
                let base = memory.as_mut_ptr();
                // SAFETY: 15 + 23 bytes are within 40.
                unsafe { copy(base.add(to), base.add(from), count) };
                assert_eq!(memory, expected, "{count} bytes from {from} to {to}");
            }
        }
    }

    #[test]
    fn what_is_filled_is_filled_and_nothing_else() {
        for (to, count) in (0..9).flat_map(|to| (0..24).map(move |count| (to, count))) {
            let mut expected = [7_u8; 40];
            expected[to..to + count].fill(0xA5);
            let mut memory = [7_u8; 40];
            // SAFETY: 8 + 23 bytes are within 40.
            unsafe { fill(memory.as_mut_ptr().add(to), count, 0xA5) };
            assert_eq!(memory, expected, "{count} bytes at {to}");
        }
    }
}
