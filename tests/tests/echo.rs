//! Echo in this process and over tokio; on a board, `tests/run firmware-boot` asks the same.

use std::net::SocketAddr;
use std::sync::Arc;

use parlor::net::{Help, Helping, Origin, Outcome, Shared, Wish, serve};
use parlor_core::echo::Echo;
use parlor_tests::echo::*;
use parlor_tests::harness::Harness;
use parlor_tests::peer::{InMemory, OverTcp};

const LINKS: usize = 12;
type Table = Echo<LINKS, 4096>;

fn in_memory() -> InMemory<Table> {
    InMemory::new(Table::new())
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
        let mut harness = Harness::new(Table::new());
        let (ann, bob) = (harness.connect().unwrap(), harness.connect().unwrap());
        harness.clients[ann].chunk = chunk;
        harness.clients[bob].chunk = chunk;
        for _ in 0..20 {
            harness.send(ann, b"J\x01\x01S\x03abcM\x03\x01\x02\x05D\x00E\x02xyL\x00?\x00");
            harness.send(bob, b"J\x01\x02O\x01zH\x03abcD\x00M\x03\x02\x01\x05");
        }
        (harness.take(ann), harness.take(bob))
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
    backend.0.borrow_mut().releasing = false;
    let harness = backend.0.clone();
    output_is_held_until_released(&mut backend, || {
        harness.borrow_mut().release();
    });
}

#[test]
fn output_is_held_until_released_over_tcp() {
    let (_runtime, mut backend, shared) = over_tcp(Shared::holding);
    output_is_held_until_released(&mut backend, || shared.release());
}

#[test]
fn full_is_answered() {
    let mut harness = Harness::new(Table::new());
    for _ in 0..LINKS {
        harness.connect().unwrap();
    }
    assert!(harness.connect().is_err());
    harness.hang_up(3);
    assert!(harness.connect().is_ok());
}
