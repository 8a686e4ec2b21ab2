//! A board that serves Echo.

use std::io::Write;
use std::net::{Ipv4Addr, Shutdown, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use parlor_core::echo::TIMES;
use parlor_tests::echo;
use parlor_tests::peer::OverTcp;

use crate::door::{ANSWER, BOOT, Door, expect, expect_end};
use crate::{Outcome, step};

/// Two megabytes a thousand: enough to fill every buffer between a board and a client that has stopped reading.
const MOVES: usize = 3_000;

fn door(port: u16) -> Door {
    Door { port, question: b"E\x04here", answer: (b"E\x04here", 6) }
}

pub fn check(port: u16, links: usize) -> Outcome {
    let door = &door(port);
    step("it boots", || Ok(door.guest(BOOT).map(drop)?))?;
    step("every link is served at the same time", || Ok(door.serves(links)?))?;
    step("one more is refused, and served when others have left", || Ok(door.refuses_one_more_than(links)?))?;
    step("garbage is answered, a frame without an end closes", || survives_garbage(door))?;
    step("the last word arrives at one who has stopped sending", || answers_half_closed(door))?;
    step("200 connections, one after the other", || Ok((0..200).try_for_each(|_| door.serves(1))?))?;
    step("connections that are cut leave their links free", || survives_cuts(door, links))?;

    let board = &mut OverTcp((Ipv4Addr::LOCALHOST, port).into());
    promise("everybody hears what is for them", || echo::everybody_hears_what_is_for_them(board))?;
    promise("frames may come in any pieces", || echo::frames_may_come_in_any_pieces(board))?;
    promise("the adapter does what is asked", || echo::the_adapter_does_what_is_asked(board))?;
    promise("the last word arrives", || echo::the_last_word_arrives(board))?;
    promise("a slot is used again", || echo::a_slot_is_used_again(board, 100))?;
    promise("a dump that is run over begins anew", || echo::a_dump_that_is_run_over_begins_anew(board, TIMES))?;
    // One client moves and one has stopped reading; all others follow.
    promise("nobody waits for a slow reader", || echo::nobody_waits_for_a_slow_reader(board, links - 2, MOVES))
}

/// A board that was told to hold its output: each new connection lets it out.
pub fn check_held(port: u16) -> Outcome {
    let door = &door(port);
    step("it boots", || answers_when_let(door))?;
    let board = &mut OverTcp((Ipv4Addr::LOCALHOST, port).into());
    promise("output is held until released", || {
        echo::output_is_held_until_released(board, || drop(TcpStream::connect((Ipv4Addr::LOCALHOST, port))));
    })
}

/// One client asks, and another's connection lets the answer out.
fn answers_when_let(door: &Door) -> Outcome {
    let end = Instant::now() + BOOT;
    loop {
        let mut guest = door.connect()?;
        guest.set_read_timeout(Some(Duration::from_millis(200)))?;
        guest.write_all(door.question)?;
        sleep(Duration::from_millis(50));
        drop(door.connect()?);
        let answered = expect(&mut guest, door.answer.0);
        if answered.is_ok() || Instant::now() > end {
            return Ok(answered?);
        }
    }
}

/// A promise connects without trying again, so it waits until the sockets of the last one listen once more.
fn promise(what: &str, keep: impl FnOnce()) -> Outcome {
    sleep(Duration::from_millis(200));
    step(what, || {
        keep();
        Ok(())
    })
}

/// Unknown codes, many at once, then an impossible length.
fn survives_garbage(door: &Door) -> Outcome {
    let mut stream = door.guest(ANSWER)?;
    stream.write_all(&[0x80, 1, 7].repeat(100))?;
    expect(&mut stream, &[b'X', 1, 0x80].repeat(100))?;
    stream.write_all(&[b'E', 255, 1, 2, 3])?;
    expect(&mut stream, &[b'X', 1, 255])?;
    Ok(expect_end(&mut stream)?)
}

fn answers_half_closed(door: &Door) -> Outcome {
    let mut stream = door.guest(ANSWER)?;
    stream.write_all(b"E\x04last")?;
    stream.shutdown(Shutdown::Write)?;
    expect(&mut stream, b"E\x04last")?;
    Ok(expect_end(&mut stream)?)
}

/// Half a frame and away, on every link.
fn survives_cuts(door: &Door, links: usize) -> Outcome {
    for _ in 0..links {
        door.guest(ANSWER)?.write_all(&[b'E', 100, 1])?;
    }
    Ok(door.serves(links)?)
}
