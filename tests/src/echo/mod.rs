//! What Echo promises, asked over bytes of any backend. Each function is one promise. Its conversations are in the
//! dialect beside it.

mod dialect;

pub use dialect::Dialect;

use std::time::Duration;

use parlor_core::echo::{COUNTERS, FILLER, START};

use crate::peer::{Backend, Talk};

fn frame(code: u8, payload: &[u8]) -> Vec<u8> {
    [&[code, payload.len() as u8], payload].concat()
}

/// Connects and waits for the first answer: behind a port forwarder, a connection alone proves nothing.
fn guest(backend: &mut dyn Backend) -> Talk {
    let mut talk = Talk::new(backend);
    talk.send(&frame(b'E', b"hello"));
    assert_eq!(talk.frame(), frame(b'E', b"hello"));
    talk
}

/// Enters the room; its slot. Other people's coming and going is passed over.
fn enter(talk: &mut Talk, team: u8) -> u8 {
    talk.send(&frame(b'J', &[team]));
    talk.frames_until(|frame| frame[0] == b'J')[0][2]
}

/// Frames of noise that just run over Echo's ring of 4 KB: 17 * (4 /* in the ring */ + 256).
const OVERRUN: usize = 17;
/// Frames of noise a move: half of Echo's ring, so that a reader who looks after every move keeps up.
const NOISE: usize = 8;

/// The counters as a reader knows them: the last dump and the moves since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters([i32; COUNTERS]);

impl Counters {
    fn unknown() -> Self {
        Self([0; COUNTERS])
    }
    fn take(&mut self, frame: &[u8]) {
        match frame {
            [b'D', _, index, value, ..] => self.0[usize::from(*index)] = i32::from(*value),
            [b'M', 3, from, to, amount] => {
                self.0[usize::from(*from)] -= i32::from(*amount);
                self.0[usize::from(*to)] += i32::from(*amount);
            }
            _ => {}
        }
    }
    fn sum(&self) -> i32 {
        self.0.iter().sum()
    }
}

/// Who is answered, who hears what, who is refused.
pub fn everybody_hears_what_is_for_them(backend: &mut dyn Backend) {
    let (mut ann, mut bob, mut cat) = (guest(backend), guest(backend), guest(backend));
    let ann_slot = enter(&mut ann, 1);
    let bob_slot = enter(&mut bob, 1);
    assert_eq!(ann.frame(), frame(b'J', &[bob_slot, 1]));
    let cat_slot = enter(&mut cat, 2);
    assert_eq!(ann.frame(), frame(b'J', &[cat_slot, 2]));
    assert_eq!(bob.frame(), frame(b'J', &[cat_slot, 2]));

    ann.send(&[frame(b'S', b"all"), frame(b'O', b"others"), frame(b'T', b"\x01team"), frame(b'E', b"me")].concat());
    let from_ann = |code, text: &[u8]| frame(code, &[&[ann_slot], text].concat());
    assert_eq!(ann.frame(), from_ann(b'S', b"all"));
    assert_eq!(ann.frame(), from_ann(b'T', b"team"));
    assert_eq!(ann.frame(), frame(b'E', b"me"), "an answer keeps its place among the broadcasts");
    assert_eq!(bob.frame(), from_ann(b'S', b"all"));
    assert_eq!(bob.frame(), from_ann(b'O', b"others"));
    assert_eq!(bob.frame(), from_ann(b'T', b"team"));
    assert_eq!(cat.frame(), from_ann(b'S', b"all"));
    assert_eq!(cat.frame(), from_ann(b'O', b"others"));

    bob.send(&frame(b'L', b""));
    assert_eq!(bob.frame(), frame(b'L', &[bob_slot]));
    assert_eq!(cat.frame(), frame(b'L', &[bob_slot]));
    cat.send(&[frame(b'S', b"two"), frame(b'?', b""), frame(b'M', &[0, 1, 101])].concat());
    assert_eq!(cat.frame(), frame(b'S', &[&[cat_slot], &b"two"[..]].concat()));
    assert_eq!(cat.frame(), frame(b'X', b"?"));
    assert_eq!(cat.frame(), frame(b'X', b"M"), "a counter has no more than it has");
    bob.send(&frame(b'E', b"alone"));
    assert_eq!(bob.frame(), frame(b'E', b"alone"), "who has left hears nothing");
}

/// A frame may come byte by byte, and many in one piece.
pub fn frames_may_come_in_any_pieces(backend: &mut dyn Backend) {
    let mut ann = guest(backend);
    let long = vec![7; 254];
    for byte in [frame(b'E', b"slow"), frame(b'E', &long), frame(b'E', b"")].concat() {
        ann.send(&[byte]);
    }
    assert_eq!(ann.frame(), frame(b'E', b"slow"));
    assert_eq!(ann.frame(), frame(b'E', &long));
    assert_eq!(ann.frame(), frame(b'E', b""));
    let many: Vec<u8> = (0..200u8).flat_map(|n| frame(b'E', &[n])).collect();
    ann.send(&many);
    for n in 0..200 {
        assert_eq!(ann.frame(), frame(b'E', &[n]));
    }
}

/// The adapter hashes, the clock wakes; meanwhile nothing else stops.
pub fn the_adapter_does_what_is_asked(backend: &mut dyn Backend) {
    let (mut ann, mut bob) = (guest(backend), guest(backend));
    ann.send(&[frame(b'H', b"secret"), frame(b'E', b"after")].concat());
    let hash = ann.frame();
    assert!(hash[0] == b'H' && hash.len() > 2, "{hash:?}");
    assert_eq!(ann.frame(), frame(b'E', b"after"), "what was sent while waiting comes after");
    // Another salt may make another hash of it, but as long a one.
    ann.send(&frame(b'H', b"secret"));
    assert_eq!(ann.frame()[..2], hash[..2]);

    bob.send(&frame(b'W', &50u16.to_be_bytes()));
    bob.send(&frame(b'E', b"first"));
    assert_eq!(bob.frame(), frame(b'E', b"first"));
    backend.wait(60);
    assert_eq!(bob.frame(), frame(b'W', b""));
}

/// The last word arrives, however much lies before it; then the connection ends.
pub fn the_last_word_arrives(backend: &mut dyn Backend) {
    let mut ann = guest(backend);
    enter(&mut ann, 0);
    ann.peer().stop_reading(true);
    let mut all: Vec<u8> = (0..6).flat_map(|n| frame(b'S', &[n; 100])).collect();
    all.extend(frame(b'Q', b"bye"));
    all.extend(frame(b'E', b"never"));
    ann.send(&all);
    ann.peer().stop_reading(false);
    let frames = ann.frames_until_closed();
    assert_eq!(frames.last(), Some(&frame(b'Q', b"bye")));
    assert_eq!(frames.len(), 7);

    let mut bob = guest(backend);
    bob.send(&[b'E', 255, 1, 2, 3]);
    assert_eq!(bob.frames_until_closed(), [frame(b'X', &[255])]);
}

/// A slot is used again and again; its new owner hears nothing of the old one.
pub fn a_slot_is_used_again(backend: &mut dyn Backend, times: usize) {
    let mut ann = guest(backend);
    enter(&mut ann, 0);
    for n in 0..times {
        let mut bob = guest(backend);
        enter(&mut bob, 0);
        ann.send(&frame(b'S', &[n as u8]));
        bob.frames_until(|frame| frame[0] == b'S');
        if n % 2 == 0 {
            // Leaves with words unread and a half frame sent.
            ann.send(&frame(b'S', b"unread"));
            bob.send(&[b'E', 9, 1]);
        }
        bob.hang_up();
        drop(bob);
        ann.frames_until(|frame| frame[0] == b'S');
    }
    let mut cat = guest(backend);
    cat.send(&frame(b'E', b"fresh"));
    assert_eq!(cat.frame(), frame(b'E', b"fresh"));
}

/// Readers of different speed follow a game of moves; one stops. Nobody waits for anybody; who keeps up knows all.
///
/// There must be so many moves that their noise fills what lies between server and reader: else the one who stopped is
/// not overrun.
pub fn nobody_waits_for_a_slow_reader(backend: &mut dyn Backend, readers: usize, moves: usize) {
    let mut mover = guest(backend);
    enter(&mut mover, 0);
    let mut known: Vec<(Talk, Counters)> = (0..readers)
        .map(|_| {
            let mut reader = guest(backend);
            enter(&mut reader, 0);
            reader.send(&frame(b'D', b""));
            (reader, Counters::unknown())
        })
        .collect();
    let mut stopped = guest(backend);
    enter(&mut stopped, 0);
    stopped.peer().stop_reading(true);
    stopped.send(&frame(b'D', b""));

    let noise = frame(b'S', &[0; 253]).repeat(NOISE);
    let mut mine = Counters([i32::from(START); COUNTERS]);
    for n in 0..moves {
        let (from, to, amount) = ((n * 7 % COUNTERS) as u8, (n * 11 % COUNTERS) as u8, (n % 5) as u8);
        mover.send(&noise);
        mover.send(&frame(b'M', &[from, to, amount]));
        let heard = mover.frames_until(|frame| matches!(frame, [b'M', ..] | [b'X', ..]));
        heard.iter().for_each(|frame| mine.take(frame));
        for (speed, (reader, counters)) in known.iter_mut().enumerate() {
            // The slower a reader, the rarer it looks.
            if n % (speed + 1) == 0 {
                while let Some(frame) = reader.try_frame(Duration::ZERO) {
                    counters.take(&frame);
                }
            }
        }
    }
    mover.send(&frame(b'S', b"end"));
    let is_end = |frame: &[u8]| frame.ends_with(b"end") && frame.len() == 6;
    for (reader, counters) in &mut known {
        reader.frames_until(is_end).iter().for_each(|frame| counters.take(frame));
        assert_eq!(counters.sum(), i32::from(START) * COUNTERS as i32, "a dump is one moment");
        assert_eq!(counters, &mine);
    }
    stopped.peer().stop_reading(false);
    while let Some(frame) = stopped.try_frame(Duration::from_secs(10)) {
        assert!(!is_end(&frame), "who stopped reading for {moves} moves can't have heard the end");
    }
    assert!(stopped.peer().is_closed(), "who fell behind is closed");
}

/// The ring runs over a dump that its reader has begun to read: it is told the state anew, from the first counter. The
/// third time, its link is closed.
///
/// `times` must make the dump longer than all that lies between server and reader: else it was told before it is run over.
pub fn a_dump_that_is_run_over_begins_anew(backend: &mut dyn Backend, times: u16) {
    let mut now = Moment(0);
    for overruns in 1..=3 {
        let (mut mover, mut reader) = (guest(backend), guest(backend));
        enter(&mut mover, 0);
        enter(&mut reader, 0);
        reader.peer().stop_reading(true);
        let [high, low] = times.to_be_bytes();
        reader.send(&[frame(b'D', &[high, low, FILLER]), frame(b'S', b"asked")].concat());
        mover.frames_until(|frame| frame.ends_with(b"asked"));
        let first = now;
        for _ in 0..overruns {
            now = now.next(&mut mover);
            mover.send(&frame(b'S', &[0; 253]).repeat(OVERRUN));
            mover.send(&frame(b'E', b"run over"));
            mover.frames_until(|frame| frame[0] == b'E');
        }
        let last = now;
        now = now.next(&mut mover);
        mover.send(&frame(b'S', b"end"));
        reader.peer().stop_reading(false);
        let whole = usize::from(times) * COUNTERS;
        if overruns < 3 {
            let told = reader.frames_until(|frame| frame.ends_with(b"end"));
            let runs = runs_of(&told);
            assert_eq!(runs.first().map(|run| run.0), Some(first), "the first dump had begun");
            assert_eq!(
                runs.last(),
                Some(&(last, whole)),
                "the whole of the last moment: {overruns} overruns, {runs:?}"
            );
            let mut known = Counters::unknown();
            told.iter().for_each(|frame| known.take(frame));
            assert_eq!(known, now.counters(), "a dump, then what was said since");
            assert!(told.contains(&frame(b'D', b"")));
        } else {
            let told = reader.frames_until_closed();
            let runs = runs_of(&told);
            assert!(runs.iter().all(|run| run.1 < whole), "no dump was told whole: {runs:?}");
            assert!(!told.contains(&frame(b'D', b"")));
        }
    }
    // As it was: who asks a board next finds the same table.
    now.undo(&mut guest(backend));
}

/// A state of the counters that shares no counter with another: each of the lower half has given so much to the upper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Moment(u8);

impl Moment {
    const HALF: u8 = COUNTERS as u8 / 2;

    fn next(self, mover: &mut Talk) -> Self {
        (0..Self::HALF).for_each(|low| mover.send(&frame(b'M', &[low, low + Self::HALF, 1])));
        Self(self.0 + 1)
    }
    fn undo(self, mover: &mut Talk) {
        (0..Self::HALF).for_each(|low| mover.send(&frame(b'M', &[low + Self::HALF, low, self.0])));
        mover.send(&frame(b'E', b"undone"));
        assert_eq!(mover.frame(), frame(b'E', b"undone"));
    }
    fn counters(self) -> Counters {
        let by = i32::from(self.0);
        let moved = |index| if index < usize::from(Self::HALF) { -by } else { by };
        Counters(std::array::from_fn(|index| i32::from(START) + moved(index)))
    }
    /// The moment at which a counter had this value.
    fn of(index: u8, value: u8) -> Self {
        Self(if index < Self::HALF { START - value } else { value - START })
    }
}

/// The moments that were told, one dump after the other, each from the first counter on: how many frames of each.
fn runs_of(told: &[Vec<u8>]) -> Vec<(Moment, usize)> {
    let mut runs: Vec<(Moment, usize)> = Vec::new();
    for frame in told {
        let [b'D', _, index, value, ..] = frame[..] else { continue };
        let moment = Moment::of(index, value);
        match runs.last_mut() {
            Some((same, count)) if *same == moment => {
                assert_eq!(usize::from(index), *count % COUNTERS, "a dump goes on where it was");
                *count += 1;
            }
            before => {
                assert!(index == 0 && before.is_none_or(|before| before.0 < moment), "{moment:?} after {runs:?}");
                runs.push((moment, 1));
            }
        }
    }
    runs
}

/// Nothing leaves before it is released, and all of it after. `release` lets out what was produced until then.
pub fn output_is_held_until_released(backend: &mut dyn Backend, mut release: impl FnMut()) {
    let mut ann = Talk::new(backend);
    ann.send(&[frame(b'E', b"a"), frame(b'J', b"\0"), frame(b'S', b"b"), frame(b'D', b"")].concat());
    backend.settle();
    assert_eq!(ann.try_frame(Duration::ZERO), None, "nothing leaves unreleased");
    // Over a network, what was sent may still be on its way in: release until the last of it has come.
    let mut came = Vec::new();
    for _ in 0..RELEASES {
        if came.last() == Some(&frame(b'D', b"")) {
            break;
        }
        release();
        came.extend(std::iter::from_fn(|| ann.try_frame(RELEASED)));
    }
    let [answer, joined, said, dump @ ..] = &came[..] else { panic!("{came:?}") };
    assert_eq!(*answer, frame(b'E', b"a"));
    let slot = joined[2];
    assert_eq!((joined, said), (&frame(b'J', &[slot, 0]), &frame(b'S', &[slot, b'b'])));
    assert_eq!(dump.len(), COUNTERS + 1);

    // Half the ring is the most that may wait: then nothing more is taken in.
    ann.send(&frame(b'S', &[1; 250]).repeat(MANY));
    backend.settle();
    assert_eq!(ann.try_frame(Duration::ZERO), None);
    let mut left = MANY;
    for _ in 0..RELEASES {
        release();
        let came = std::iter::from_fn(|| ann.try_frame(RELEASED)).count();
        assert!(came <= HELD, "{came} frames had waited for one release");
        left -= came;
        if left == 0 {
            return;
        }
    }
    panic!("{left} frames never came");
}

/// Frames that are not taken in while half of a ring of 4 KB is held.
const MANY: usize = 100;
/// 2048 bytes may be passed by one frame: 2048 / (4 /* in the ring */ + 253) + 1.
const HELD: usize = 8;
/// Far more than are needed: ends a test that would hang.
const RELEASES: usize = 200;
/// How long what was released may take to arrive. Too short a time only makes for more releases.
const RELEASED: Duration = Duration::from_millis(50);
