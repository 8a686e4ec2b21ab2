//! Echo in this process and over tokio; on a board, `tests/run firmware-boot` asks the same.

use std::net::SocketAddr;
use std::sync::Arc;

use parlor::net::{Help, Helping, Origin, Outcome, Shared, Wish, serve};
use parlor_core::echo::Echo;
use parlor_tests::echo::*;
use parlor_core::driver::Driver;
use parlor_tests::peer::{InMemory, OverTcp};

const LINKS: usize = 12;
type Table = Echo<LINKS, 4096>;

fn in_memory() -> InMemory<Table> {
    InMemory::new(Box::new(Table::new()))
}

/// Hashes by turning round.
struct Reversed;

impl Help for Reversed {
    fn help(&self, wish: Wish, _: Origin) -> Helping {
        Box::pin(async move {
            match wish {
                Wish::Hash(secret) => Outcome::Hash(secret.into_iter().rev().collect()),
                _ => Outcome::Failed,
            }
        })
    }
}

/// The adapter on a port of its own, in a runtime that ends with the test.
fn over_tcp(
    prepare: impl FnOnce(Shared<Table>) -> Shared<Table>,
) -> (tokio::runtime::Runtime, OverTcp, Arc<Shared<Table>>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    let shared = Arc::new(prepare(Shared::new(Box::new(Table::new()), LINKS).helped(Arc::new(Reversed))));
    runtime.spawn(serve(listener, shared.clone()));
    (runtime, OverTcp(address), shared)
}

macro_rules! on_both {
    ($($promise:ident ( $($argument:expr),* ) or ( $($tcp:expr),* );)*) => {
        mod memory { $( #[test] fn $promise() { super::$promise(&mut super::in_memory() $(, $argument)*); } )* }
        mod tcp { $( #[test] fn $promise() {
            let (_runtime, mut backend, _) = super::over_tcp(|shared| shared);
            super::$promise(&mut backend $(, $tcp)*);
        } )* }
    };
}

on_both! {
    everybody_hears_what_is_for_them() or ();
    frames_may_come_in_any_pieces() or ();
    the_adapter_does_what_is_asked() or ();
    the_last_word_arrives() or ();
    a_slot_is_used_again(100) or (100);
    nobody_waits_for_a_slow_reader(8, 400) or (8, 6_000);
    a_dump_that_is_run_over_begins_anew(8) or (parlor_core::echo::TIMES);
}

#[test]
fn every_chunk_size_gives_the_same_transcript() {
    let play = |chunk: usize| {
        let mut driver = Driver::new(Box::new(Table::new()));
        let (ann, bob) = (driver.connect().unwrap(), driver.connect().unwrap());
        driver.connections[ann].chunk = chunk;
        driver.connections[bob].chunk = chunk;
        for _ in 0..20 {
            driver.send(ann, b"J\x01\x01S\x03abcM\x03\x01\x02\x05D\x00E\x02xyL\x00?\x00");
            driver.send(bob, b"J\x01\x02O\x01zH\x03abcD\x00M\x03\x02\x01\x05");
        }
        (driver.take(ann), driver.take(bob))
    };
    let whole = play(usize::MAX);
    assert!(whole.0.len() > 2000);
    for chunk in [1, 2, 3, 5, 7, 64] {
        assert_eq!(play(chunk), whole, "chunks of {chunk}");
    }
}

#[test]
fn output_is_held_until_released_in_memory() {
    let mut backend = in_memory();
    backend.driver.borrow_mut().releasing = false;
    let driver = backend.driver.clone();
    output_is_held_until_released(&mut backend, || {
        driver.borrow_mut().let_go();
    });
}

#[test]
fn output_is_held_until_released_over_tcp() {
    let (_runtime, mut backend, shared) = over_tcp(Shared::holding);
    output_is_held_until_released(&mut backend, || shared.release());
}

#[test]
fn full_is_answered() {
    let mut driver = Driver::new(Box::new(Table::new()));
    for _ in 0..LINKS {
        driver.connect().unwrap();
    }
    assert!(driver.connect().is_err());
    driver.hang_up(3);
    assert!(driver.connect().is_ok());
}
