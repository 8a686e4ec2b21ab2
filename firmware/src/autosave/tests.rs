use core::pin::pin;
use std::boxed::Box;
use std::vec::Vec;

use embassy_futures::{block_on, poll_once};
use embassy_time::MockDriver;
use parlor_core::server::Link;

use super::*;
use crate::games::{Framer, Settings};
use crate::shared::tests::CLOCK;
use crate::store::nor::Nor;

type Chip = Nor<1, 4096>;
const GAMES: usize = 32;
/// Two more for the owner's settings.
const SECTORS: usize = GAMES + 2;

fn begun(seed: u8) -> Shared {
    let mut shared = Shared::new();
    shared.begin(|games, now| games.begin(&mut || [seed; 32], &Settings::default(), false, now));
    shared
}

/// HANDSHAKE, then JOIN as a watcher: piece 0, not playing.
fn join(shared: &Shared, name: &[u8; 3]) -> Link {
    let link = shared.games.borrow_mut().server(Id::Pimp).open(Millis(0)).unwrap();
    let [a, b, c] = *name;
    say(shared, link, &[0x00, 1, 1, 0x02, 6, 0, 0, 3, a, b, c]);
    link
}

fn say(shared: &Shared, link: Link, bytes: &[u8]) {
    let mut framer = Framer::new(Id::Pimp);
    framer.any().window()[..bytes.len()].copy_from_slice(bytes);
    framer.any().commit(bytes.len());
    let mut games = shared.games.borrow_mut();
    games.server(Id::Pimp).receive(link, framer.any(), crate::shared::now());
    games.after_call(Id::Pimp, crate::shared::now());
}

fn encoded(shared: &Shared) -> Vec<u8> {
    let mut out = std::vec![0; LONGEST_SAVE];
    let length = shared.games.borrow().peek(Id::Pimp).save(&mut out).unwrap();
    out.truncate(length);
    out
}

/// A flash chip that outlives the boots of a test.
fn chip() -> &'static Flash<Chip> {
    Box::leak(Box::new(Flash::new(Chip::new(SECTORS))))
}

fn place(flash: &'static Flash<Chip>, endurance: u32) -> Place<Chip> {
    let (range, buffer) = (0..(GAMES * 4096) as u32, Box::leak(Box::new([0; LONGEST_SAVE])));
    #[cfg(feature = "settings")]
    let chosen = range.end..(SECTORS * 4096) as u32;
    Place {
        flash,
        range,
        #[cfg(feature = "settings")]
        chosen,
        endurance,
        rest: Duration::MIN,
        buffer,
    }
}

fn changes(flash: &'static Flash<Chip>) -> usize {
    block_on(flash.lock()).changes
}

/// Runs the task for a few seconds at a time between the steps of `act`; how often it wrote or erased.
fn run(shared: &mut Shared, flash: &'static Flash<Chip>, act: impl FnOnce(&Shared, &mut dyn FnMut(u64))) -> usize {
    let before = changes(flash);
    let now = crate::shared::now();
    let mut autosave = Autosave::new(place(flash, 100_000));
    block_on(autosave.load(shared.games.get_mut(), now));
    let shared = &*shared;
    let mut task = pin!(autosave.run(shared));
    // It yields after each part; a hundred polls are enough for a save.
    let mut poll = || (0..100).for_each(|_| assert!(poll_once(task.as_mut()).is_pending()));
    act(shared, &mut |seconds| {
        for _ in 0..seconds {
            poll();
            MockDriver::get().advance(LOOK);
        }
        poll();
    });
    changes(flash) - before
}

/// Ann has come, and was saved.
fn saved() -> (Shared, &'static Flash<Chip>) {
    let (mut shared, flash) = (begun(7), chip());
    run(&mut shared, flash, |shared, wait| {
        wait(20);
        join(shared, b"ann");
        wait(3);
    });
    (shared, flash)
}

#[test]
fn a_game_outlives_its_power() {
    let _clock = CLOCK.lock();
    let (shared, flash) = saved();
    let game = encoded(&shared);
    let mut after = begun(8);
    assert_ne!(encoded(&after), game);
    run(&mut after, flash, |_, _| ());
    assert_eq!(encoded(&after), game);
}

#[test]
fn saves_are_not_too_often_and_only_for_a_change() {
    let _clock = CLOCK.lock();
    let flash = chip();
    assert_eq!(run(&mut begun(7), flash, |_, wait| wait(60)), 0);
    // The last sector of a side, 1 sector begun, 1 part in 2 writes.
    let save = 1 + 1 + 2;
    for (seconds, writes) in [(1, 0), (2, save)] {
        let wrote = run(&mut begun(7), chip(), |shared, wait| {
            wait(0);
            join(shared, b"ann");
            wait(seconds);
        });
        assert_eq!(wrote, writes, "somebody came, {seconds} s");
    }
    for (seconds, writes) in [(4, save), (5, save + save)] {
        let wrote = run(&mut begun(7), chip(), |shared, wait| {
            wait(0);
            join(shared, b"ann");
            wait(2);
            // Ann is asked; until she answers, only the number of candidates is another.
            join(shared, b"bob");
            wait(seconds);
        });
        assert_eq!(wrote, writes, "somebody asked to come, {seconds} s");
    }
    let wrote = run(&mut begun(7), chip(), |shared, wait| {
        wait(20);
        let ann = join(shared, b"ann");
        wait(3);
        // REQUEST_STATE: much is said, and nothing changes.
        say(shared, ann, &[0x11, 0]);
        wait(60);
    });
    assert_eq!(wrote, save);
}

#[test]
fn the_worst_play_does_not_wear_flash_out_in_ten_years() {
    let _clock = CLOCK.lock();
    let (parts, endurance) = (96 * 7, 100_000);
    let mut wear = Wear::new(parts, endurance);
    assert_eq!(wear.pause, 5218);
    // A game of 12 parts that changes each second, for a month.
    let (mut now, mut written) = (Instant::now(), 0);
    let seconds = 30 * 24 * 3600;
    for _ in 0..seconds {
        now += Duration::from_secs(1);
        written += u64::from(wear.spend(12, now)) * 12;
    }
    let life = u64::from(parts) * u64::from(endurance) / written * seconds;
    assert!(life >= LIFE.as_secs(), "{life} s");
    // And no save waits without need: nine tenths of what the flash can do are used.
    assert!(life < LIFE.as_secs() * 10 / 9 + 1, "{life} s");
}

#[test]
fn a_burst_is_saved_at_once() {
    let _clock = CLOCK.lock();
    let mut wear = Wear::new(1_008, 100_000);
    let now = Instant::now();
    assert_eq!((0..100).filter(|_| wear.spend(2, now)).count() as u32, FIRST_BURST / 2);
    let later = now + Duration::from_secs(24 * 3600);
    assert_eq!((0..1_000).filter(|_| wear.spend(2, later)).count() as u32, BURST / 2);
}

/// Says lines at a game that knows accounts; what it answers.
fn talk(shared: &Shared, id: Id, lines: &[&str]) -> std::string::String {
    let link = shared.games.borrow_mut().server(id).open(crate::shared::now()).unwrap();
    let (mut heard, mut framer) = (Vec::new(), Framer::new(id));
    for line in lines {
        framer.any().window()[..line.len()].copy_from_slice(line.as_bytes());
        framer.any().commit(line.len());
        // Once more for what waited for a hash.
        for _ in 0..2 {
            let mut games = shared.games.borrow_mut();
            games.server(id).receive(link, framer.any(), crate::shared::now());
            games.after_call(id, crate::shared::now());
            let mut out = [0; 2048];
            while let count @ 1.. = games.server(id).pull(link, &mut out, crate::shared::now()).length {
                heard.extend_from_slice(&out[..count]);
            }
        }
    }
    std::string::String::from_utf8_lossy(&heard).into_owned()
}

/// A chip whose flash is as an earlier version left it: lines of 32 bytes with where they stand, blank ones left out.
#[cfg(feature = "venus")]
fn golden(text: &str) -> &'static Flash<Chip> {
    let flash = chip();
    let mut chip = block_on(flash.lock());
    for (at, bytes) in text.lines().filter_map(|line| line.split_once(' ')) {
        let at = usize::from_str_radix(at, 16).unwrap();
        for (nth, byte) in bytes.as_bytes().chunks(2).enumerate() {
            chip.bytes[at + nth] = u8::from_str_radix(str::from_utf8(byte).unwrap(), 16).unwrap();
        }
    }
    drop(chip);
    flash
}

/// Ann has watched at Monopoly, made a game of Scotland Yard and sat down at Merchant of Venus, before tables had a clock: pimp
/// in format 2, the others in 3.
#[test]
#[cfg(feature = "venus")]
fn what_an_earlier_version_saved_goes_on() {
    let _clock = CLOCK.lock();
    let flash = golden(include_str!("../../../tests/data/board-store-1.txt"));
    let mut shared = begun(8);
    run(&mut shared, flash, |shared, _| {
        let count = |id: Id| shared.games.borrow().peek(id).summary().users;
        assert_eq!((count(Id::Pimp), count(Id::Yard), count(Id::Venus)), (1, 1, 1));
        let refused = talk(shared, Id::Yard, &["protocol 2.0\r\n", "login ann other\r\n"]);
        let welcome = talk(shared, Id::Yard, &["protocol 2.0\r\n", "login ann secret\r\n"]);
        assert!(refused.contains("wrong password") && welcome == "- ok\r\n- ok\r\n", "{refused}{welcome}");
        let refused = talk(shared, Id::Venus, &["LOGIN,ann,other\n"]);
        let welcome = talk(shared, Id::Venus, &["LOGIN,ann,secret\n"]);
        assert!(!refused.contains("WELCOME") && welcome.contains("WELCOME"), "{refused}{welcome}");
    });
}

/// A later format: a checksum matters only to a program that reads on.
#[test]
fn what_a_later_version_saved_stays() {
    // Magic, then the format.
    stays(|saved| saved[4] = 99);
}

#[test]
fn what_no_version_saved_stays() {
    stays(|saved| *saved.last_mut().unwrap() ^= 1);
}

/// The game begins anew, and what was saved is as it was until everything is forgotten.
fn stays(spoil: fn(&mut [u8])) {
    let _clock = CLOCK.lock();
    let (shared, flash) = saved();
    let mut later = encoded(&shared);
    spoil(&mut later);
    block_on(async {
        let mut autosave = Autosave::new(place(flash, 100_000));
        let now = crate::shared::now();
        autosave.load(begun(7).games.get_mut(), now).await;
        let save = autosave.saves.iter_mut().flatten().find(|save| save.id == Id::Pimp).unwrap();
        save.store.save(&later).await.unwrap();
    });
    let before = block_on(flash.lock()).bytes.clone();
    let mut after = begun(8);
    let written = run(&mut after, flash, |shared, wait| {
        wait(20);
        join(shared, b"bob");
        wait(20);
    });
    assert_eq!(written, 0);
    assert!(block_on(flash.lock()).bytes == before);
}

#[cfg(feature = "settings")]
mod chosen {
    use super::*;
    use crate::entropy::Pool;
    use crate::options::Options;
    use crate::store::nor::Tear;
    use crate::watermark::Painted;

    /// A board that is switched on: its games, and the task that saves.
    fn boot(flash: &'static Flash<Chip>, seed: u8) -> (Shared, Autosave<Chip>) {
        let mut shared = begun(seed);
        let mut pool = Pool::new();
        pool.absorb(&[seed]);
        let mut autosave = Autosave::new(place(flash, 100_000));
        block_on(shared.load(&mut autosave, Painted::NONE, &Options::default(), &mut pool));
        (shared, autosave)
    }

    fn code(shared: &Shared) -> std::string::String {
        shared.chosen.borrow().code().into()
    }

    /// Whether it comes back: then the board starts anew.
    fn wait(mut autosave: Autosave<Chip>, shared: &Shared, seconds: u64) -> bool {
        let mut task = pin!(autosave.run(shared));
        for _ in 0..seconds * 100 {
            if poll_once(task.as_mut()).is_ready() {
                return true;
            }
            MockDriver::get().advance(LOOK / 100);
        }
        false
    }

    #[test]
    fn it_outlives_the_power_and_not_the_button() {
        let _clock = CLOCK.lock();
        let flash = chip();
        let (shared, autosave) = boot(flash, 1);
        let first = code(&shared);
        join(&shared, b"ann");
        let game = encoded(&shared);
        for word in ["name=den", "games=yard"] {
            shared.chosen.borrow_mut().choose(&std::format!("{first} {word}")).unwrap();
        }
        assert!(!wait(autosave, &shared, 5));

        let (shared, autosave) = boot(flash, 2);
        assert_eq!((code(&shared), shared.own.borrow().name()), (first.clone(), "den"));
        assert!(!shared.is_open(Id::Pimp) && shared.is_open(Id::Yard));
        assert_eq!(encoded(&shared), game);
        shared.forgets.set(true);
        assert!(wait(autosave, &shared, 20));

        let (shared, _) = boot(flash, 3);
        assert_ne!(code(&shared), first);
        assert_eq!(shared.own.borrow().name(), "parlor");
        assert!(shared.is_open(Id::Pimp));
        assert_ne!(encoded(&shared), game);
    }

    #[test]
    fn a_power_cut_leaves_what_was_chosen_before_or_after() {
        let _clock = CLOCK.lock();
        for (cut, tear) in (0..8).flat_map(|cut| Tear::EACH.map(|tear| (cut, tear))) {
            let flash = chip();
            let (shared, autosave) = boot(flash, 1);
            let first = code(&shared);
            shared.chosen.borrow_mut().choose(&std::format!("{first} name=den")).unwrap();
            assert!(!wait(autosave, &shared, 3));
            let (shared, autosave) = boot(flash, 2);
            shared.chosen.borrow_mut().choose(&std::format!("{first} name=attic")).unwrap();
            block_on(flash.lock()).boot(Some((cut, tear)));
            wait(autosave, &shared, 3);
            block_on(flash.lock()).boot(None);
            let (shared, _) = boot(flash, 3);
            let name = std::string::String::from(shared.own.borrow().name());
            assert!(code(&shared) == first && ["den", "attic"].contains(&&*name), "{cut} {tear:?}: {name}");
        }
    }
}
