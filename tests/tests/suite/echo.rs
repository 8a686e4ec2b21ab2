//! Echo in this process; `host/tests/program/echo.rs` asks the same over tokio, `tests/run firmware-boot` of a board.

use parlor_core::driver::Driver;
use parlor_core::echo::Echo;
use parlor_tests::echo;
use parlor_tests::peer::InMemory;

const LINKS: usize = 12;
type Table = Echo<LINKS, 4096>;

fn in_memory() -> InMemory<Table> {
    InMemory::new(Box::new(Table::new()))
}

macro_rules! promises {
    ($($promise:ident ( $($argument:expr),* );)*) => {
        $( #[test] fn $promise() { echo::$promise(&mut in_memory() $(, $argument)*); } )*
    };
}

promises! {
    everybody_hears_what_is_for_them();
    frames_may_come_in_any_pieces();
    the_adapter_does_what_is_asked();
    the_last_word_arrives();
    a_slot_is_used_again(100);
    nobody_waits_for_a_slow_reader(8, 400);
    a_dump_that_is_run_over_begins_anew(8);
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
fn output_is_held_until_released() {
    let mut backend = in_memory();
    backend.driver.borrow_mut().releasing = false;
    let driver = backend.driver.clone();
    echo::output_is_held_until_released(&mut backend, || {
        driver.borrow_mut().let_go();
    });
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
