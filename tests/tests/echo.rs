//! Echo in this process and over tokio; on a board, `tests/run board` asks the same.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use parlor::net::{Hasher, Shared, serve};
use parlor_core::echo::{COUNTERS, Echo, START};
use parlor_core::server::Server;
use parlor_tests::echo::*;
use parlor_tests::harness::{Harness, Reading};
use parlor_tests::peer::{Backend, InMemory, OverTcp, Talk};

const LINKS: usize = 12;
type Table = Echo<LINKS, 4096>;

fn in_memory() -> InMemory<Table> {
    InMemory::new(Table::new())
}

/// The adapter on a port of its own, in a runtime that ends with the test.
fn over_tcp(
    prepare: impl FnOnce(Shared<Table>) -> Shared<Table>,
) -> (tokio::runtime::Runtime, OverTcp, Arc<Shared<Table>>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    let reversed: Hasher = |secret| secret.iter().rev().copied().collect();
    let shared = Arc::new(prepare(Shared::new(Table::new(), LINKS).with_hasher(reversed)));
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

/// The ring runs over a dump that its reader has begun to read: it gets another, three times; then it is closed.
#[test]
fn a_dump_that_is_run_over_begins_anew() {
    for overruns in 1..=4 {
        let mut harness = Harness::new(Table::new());
        let (mover, reader) = (harness.connect().unwrap(), harness.connect().unwrap());
        harness.send(mover, b"J\x01\x00");
        harness.send(reader, b"J\x01\x00");
        harness.take(reader);
        harness.clients[reader].window = 16;
        harness.clients[reader].pull = 16;
        harness.clients[reader].reading = Reading::Stopped;
        harness.send(reader, b"D\0");
        for n in 0..overruns {
            harness.send(mover, &[b'M', 3, n, 31, 5 + n]);
            for _ in 0..22 {
                harness.send(mover, &[&[b'S', 200][..], &[n; 200]].concat());
            }
        }
        harness.clients[reader].reading = Reading::Slow(5);
        harness.clients[reader].pull = 256;
        (0..4_000).for_each(|_| harness.run());
        let bytes = harness.take(reader);
        assert_eq!(harness.clients[reader].closed, overruns == 4, "{overruns} overruns");
        let dump = |counters: [u8; COUNTERS]| -> Vec<u8> {
            counters.iter().enumerate().flat_map(|(i, value)| [b'D', 2, i as u8, *value]).collect()
        };
        let begun = dump([START; COUNTERS]);
        assert!(bytes.starts_with(&begun[..16]), "the first dump had begun");
        let whole = dump(harness.server.counters());
        let complete = bytes.windows(whole.len()).any(|part| part == whole);
        assert_eq!(complete, overruns < 4, "the whole of one moment, or nothing");
    }
}

/// Nothing leaves before it is released, and all of it after.
#[test]
fn output_is_held_until_released() {
    let mut backend = in_memory();
    backend.0.borrow_mut().releasing = false;
    let harness = backend.0.clone();
    let mut ann = Talk::new(&mut backend);
    ann.send(b"E\x01aJ\x01\x00S\x01bD\0");
    assert_eq!(ann.try_frame(Duration::ZERO), None);
    let seq = harness.borrow_mut().release();
    assert_eq!(ann.frame(), b"E\x01a");
    assert_eq!(ann.frame(), b"J\x02\x00\x00");
    assert_eq!(ann.frame(), b"S\x02\x00b");
    assert_eq!(ann.frames_until(|frame| frame == b"D\0").len(), COUNTERS + 1);
    // Half the ring is the most that may wait: then nothing more is taken in.
    for _ in 0..100 {
        ann.send(&[&[b'S', 250][..], &[1; 250]].concat());
    }
    let held = harness.borrow().server.produced().ring - seq.ring;
    assert!((2048..2048 + 300).contains(&held), "{held} bytes held");
    harness.borrow_mut().releasing = true;
    harness.borrow_mut().release();
    for _ in 0..100 {
        assert_eq!(ann.frame().len(), 253);
    }
}

#[test]
fn output_is_held_until_released_over_tcp() {
    let (_runtime, mut backend, shared) = over_tcp(Shared::holding);
    let mut ann = Talk::new(&mut backend);
    ann.send(b"E\x01a");
    backend.wait(50);
    assert_eq!(ann.try_frame(Duration::ZERO), None);
    // The frame may still be on its way in: release until its answer comes.
    let answer = (0..200).find_map(|_| {
        shared.release();
        ann.try_frame(Duration::from_millis(20))
    });
    assert_eq!(answer.as_deref(), Some(&b"E\x01a"[..]));
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
