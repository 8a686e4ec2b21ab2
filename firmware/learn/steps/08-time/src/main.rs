//! Time is an argument. A server says when it wants to be woken, an adapter wakes it, and a watchdog asks whether anybody
//! still does.

use parlor_core::echo::Echo;
use parlor_core::server::{Framer as _, Link, Millis, Server};

type Room = Echo<4, 1024>;

/// Resets a machine that nobody has fed for so long.
struct Watchdog {
    patience: u64,
    fed: Millis,
}

impl Watchdog {
    fn feed(&mut self, now: Millis) {
        self.fed = now;
    }
    fn bites(&self, now: Millis) -> bool {
        now.since(self.fed) > self.patience
    }
}

fn say(room: &mut Room, link: Link, frame: &[u8], now: Millis) {
    let mut framer = <Room as Server>::Framer::default();
    framer.window()[..frame.len()].copy_from_slice(frame);
    framer.commit(frame.len());
    room.receive(link, &mut framer, now);
    room.release(room.produced());
}

/// Asks to be woken after so many milliseconds.
fn wake_me(room: &mut Room, link: Link, ms: u16, now: Millis) {
    let [high, low] = ms.to_be_bytes();
    say(room, link, &[b'W', 2, high, low], now);
}

fn main() {
    // `break`: at 40 ms the loop hangs for a while.
    let hang = if std::env::args().any(|word| word == "break") { 300 } else { 0 };
    let mut room = Room::new();
    let links = [50, 20, 90].map(|ms| {
        let link = room.open(Millis(0)).expect("a link is free");
        wake_me(&mut room, link, ms, Millis(0));
        (link, ms)
    });
    println!("three links ask to be woken after 50, 20 and 90 ms");

    let (mut now, mut watchdog) = (Millis(0), Watchdog { patience: 100, fed: Millis(0) });
    let (mut looks, mut has_hung) = (0, false);
    while let Some(deadline) = room.deadline() {
        // Sleep until the nearest deadline, and no longer than the watchdog waits.
        let until = deadline.0.min(now.0 + watchdog.patience / 2);
        now = Millis(until);
        if now >= Millis(40) && !has_hung {
            has_hung = true;
            now = now.plus(hang);
        }
        looks += 1;
        if watchdog.bites(now) {
            println!("{:>4} ms  nobody fed the watchdog for {} ms: reset", now.0, now.since(watchdog.fed));
            return;
        }
        watchdog.feed(now);
        room.tick(now);
        room.release(room.produced());
        for (link, ms) in links {
            let mut out = [0; Room::MAX_FRAME];
            if room.pull(link, &mut out) > 0 {
                println!("{:>4} ms  the link that asked for {ms} ms is woken", now.0);
            }
        }
    }
    println!("{looks} looks at the clock in {} ms, and an evening would take no longer to test", now.0);
}
