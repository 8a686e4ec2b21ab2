//! Three guests in one room. One speaks, one listens, one has stopped reading. Who waits for whom?

use parlor_core::echo::Echo;
use parlor_core::server::{Framer as _, Intake, Link, Millis, Server};

/// The ring: what everybody hears is stored here once, and nowhere else.
const RING: usize = 512;
type Room = Echo<3, RING>;
/// What ann says, as others hear it: code, length, who, 32 letters.
const WORD: usize = 2 + 1 + 32;

struct Guest {
    name: &'static str,
    link: Link,
    framer: <Room as Server>::Framer,
    heard: usize,
    /// Messages that it reads each time ann has spoken.
    reads: usize,
}

impl Guest {
    fn new(room: &mut Room, name: &'static str, reads: usize) -> Self {
        let link = room.open(Millis(0)).expect("a link is free");
        let mut guest = Self { name, link, framer: Default::default(), heard: 0, reads };
        guest.say(room, b"J\x01\x07");
        guest
    }

    fn say(&mut self, room: &mut Room, frame: &[u8]) -> Intake {
        self.framer.window()[..frame.len()].copy_from_slice(frame);
        self.framer.commit(frame.len());
        let intake = room.receive(self.link, &mut self.framer, Millis(0));
        room.release(room.produced());
        intake
    }

    /// What a socket does while its reader reads.
    fn read(&mut self, room: &mut Room) {
        let mut out = [0; Room::MAX_FRAME];
        for _ in 0..self.reads {
            // A pull gives as many whole messages as there is room for: here one.
            if room.pull(self.link, &mut out[..WORD]) == 0 {
                return;
            }
            self.heard += 1;
        }
    }
}

fn main() {
    let broken = std::env::args().any(|word| word == "break");
    let mut room = Room::new();
    // `break`: cyd has not stopped, it is only slow: it begins to read when ann has spoken ten times.
    let mut guests = [("ann", 9), ("bob", 9), ("cyd", 0)].map(|(name, reads)| Guest::new(&mut room, name, reads));
    let frame = [&b"S\x20"[..], &[b'x'; 32]].concat();
    println!("the ring has {RING} bytes, and every word of ann's takes {WORD} and a few more");

    for nth in 1..=40 {
        if broken && nth > 10 {
            guests[2].reads = 1;
        }
        guests[0].say(&mut room, &frame);
        guests.iter_mut().for_each(|guest| guest.read(&mut room));
        // Who has fallen behind is told to the server: it lives in the adapter's world, not in the game's.
        while let Some(lagging) = room.next_lagging() {
            println!("after {nth} words, the link in slot {} has lost its place in the ring", lagging.slot);
            // Its place is gone. Either it is told everything anew (a dump), or it is closed and may come back.
            room.lag(lagging, Millis(0));
            room.release(room.produced());
        }
    }
    for guest in &mut guests {
        println!("{} heard {} messages", guest.name, guest.heard);
    }
    let cyd = &mut guests[2];
    cyd.reads = 99;
    cyd.read(&mut room);
    println!("now cyd reads all it can: {} messages, closing: {}", cyd.heard, room.closing(cyd.link));

    // The other way: answers to one link alone are never thrown away, so a link that asks and does not read is not heard.
    let mut room = Room::new();
    let link = room.open(Millis(0)).expect("a link is free");
    let mut greedy = Guest { name: "dan", link, framer: Default::default(), heard: 0, reads: 0 };
    let asked = (1..).find(|_| greedy.say(&mut room, &[&b"E\xc8"[..], &[b'y'; 200]].concat()) == Intake::Stalled);
    println!(
        "{} asks for echoes and reads none: after {} nothing more is taken",
        greedy.name,
        asked.expect("it stalls")
    );
    let (mut out, mut answers) = ([0; Room::MAX_FRAME], 0);
    while room.pull(greedy.link, &mut out) > 0 {
        answers += 1;
    }
    let again = room.receive(greedy.link, &mut greedy.framer, Millis(0));
    println!("{} reads {answers} answers, and is heard again: {again:?}", greedy.name);
}
