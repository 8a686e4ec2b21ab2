//! Whole games without a single allocation, counted by the allocator itself.
//!
//! Each thread counts its own: the test harness allocates in its main thread whenever it gets to run.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use parlor_tests::pimp::sim::client::Player;
use parlor_tests::pimp::sim::{Game, LINKS, Options, RING, USERS};

struct Counting;

thread_local! {
    /// Constant and without a destructor, so that the first use of it in a thread allocates nothing.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_game_allocates_nothing() {
    let before = ALLOCATIONS.get();
    drop(std::hint::black_box(Box::new(1)));
    assert_eq!(ALLOCATIONS.get() - before, 1, "the allocator counts");
    let mut frames = 0;
    for seed in 0..20 {
        let player = if seed % 2 == 0 { Player::Plain } else { Player::Shrewd };
        let options = Options::calm(seed, 2 + seed as usize % 7, player);
        let mut game = Game::<USERS, LINKS, RING>::new(&options);
        let before = ALLOCATIONS.get();
        let end = loop {
            match game.round() {
                Ok(None) => {}
                Ok(Some(end)) => break end,
                Err(fault) => panic!("{fault}"),
            }
        };
        let made = ALLOCATIONS.get() - before;
        assert_eq!(made, 0, "game {seed} ended {end:?}");
        frames += game.world.census.delivered();
    }
    println!("20 games, {frames} frames delivered, server, mirrors and bots: no allocation");
}
