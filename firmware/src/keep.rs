//! Keeps a table on a [`Shelf`]: a snapshot after a change, not too often, in a task of its own.
//!
//! The table stands still while it is encoded, never while flash is written. A board loads what was kept before anybody
//! is served, then runs [`keep_saved`]:
//!
//! ```ignore
//! let mut shelf = Shelf::new(flash, KEPT, save_max(8))?;
//! let saved = shelf.load(buffer).await;
//! table.begin(seed, |pimp, seed, now| {
//!     pimp.begin(seed, &config, now);
//!     keep::resume(saved, |game| pimp.load(game, now));
//! });
//! // …and in a task:
//! keep::keep_saved(table, shelf, buffer, |pimp, out| pimp.save(out)).await
//! ```
//!
//! After a load everybody is gone and comes back with the password they had; time begins anew. The options of the saved
//! game hold, not those of the boot.
//!
//! Flash: an RP2040 runs its program out of the same chip, so everything stops while a part is written (4 pages of
//! 256 bytes, 2 ms) or a sector is erased (45 ms, 400 ms at worst); the others get their turn after each.
//!
//! Wear: a sector of 4 KB stands 100,000 erases and has room for 7 parts. 128 KB are 32 sectors, which are erased once
//! for 224 parts. A game of eight users with every deal open has 12 parts, a usual one 1 or 2 (bots' games have up to 420
//! bytes, and all around them 150). Bots that end a turn every [`SOON`] for 6 hours on the fullest table make
//! 4,320 saves, 232 erases of each sector: 430 such nights. People who play for 4 hours make at most 2,880 saves of 2
//! parts, 26 erases: 3,800 nights.
//!
//! Monopoly's passwords are kept sealed by the table's seed, and the seed is kept with them: who can read the flash can sit
//! down as anyone. Scotland Yard's are kept as [`crate::hash`] makes them.

use embassy_time::{Duration, Instant, Timer};
use embedded_storage_async::nor_flash::NorFlash;
use parlor_core::save::{LoadError, SaveError};
use parlor_core::server::{Seq, Server, Summary};
use sha2::{Digest, Sha256};

use crate::fmt::{debug, error, info, warn};
use crate::shelf::Shelf;
use crate::table::Table;

/// How often the table is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// After a change that many would miss: a turn ended, or somebody came to the table or left it.
pub const SOON: Duration = Duration::from_secs(5);
/// After any other change. This much play is lost at most when the power goes, and what a save takes.
pub const AT_LEAST: Duration = Duration::from_secs(15);

/// Goes on with the game that was kept, if there is one; whether it does.
pub fn resume(saved: Option<&[u8]>, load: impl FnOnce(&[u8]) -> Result<(), LoadError>) -> bool {
    let Some(game) = saved else {
        info!("keep: no saved game");
        return false;
    };
    match load(game) {
        Ok(()) => {
            info!("keep: goes on with a saved game of {} bytes", game.len());
            true
        }
        Err(why) => {
            warn!("keep: the saved game can't be gone on with: {}", why);
            false
        }
    }
}

/// Saves the table when it has changed, forever. `encode` writes it to `buffer`, which must have room for the longest.
pub async fn keep_saved<S: Server, F: NorFlash, const LINKS: usize>(
    table: &Table<S, LINKS>,
    mut shelf: Shelf<F>,
    buffer: &mut [u8],
    encode: impl Fn(&S, &mut [u8]) -> Result<usize, SaveError>,
) -> ! {
    // What the table has come to by now is on the shelf already, or is an empty table.
    let mut kept = table.look(Mark::of);
    let mut print = [0; 32];
    let mut last = Instant::now();
    loop {
        Timer::after(LOOK).await;
        let mark = table.look(Mark::of);
        if !mark.is_due(&kept, last.elapsed()) {
            continue;
        }
        let (Ok(length), mark) = table.look(|server| (encode(server, buffer), Mark::of(server))) else {
            error!("keep: the buffer is too short for this game");
            last = Instant::now();
            continue;
        };
        let game = buffer.get(..length).unwrap_or_default();
        let new_print = Sha256::digest(game).into();
        // Much that is said changes nothing that is saved: talk, a client that looks around.
        if print != new_print {
            last = Instant::now();
            if let Err(why) = shelf.save(game).await {
                error!("keep: not saved: {}", why);
                continue;
            }
            debug!("keep: saved {} bytes", length);
        }
        (kept, print) = (mark, new_print);
    }
}

/// How far a table has come. What is equal has not changed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mark {
    produced: Seq,
    commands: u64,
    /// Game, turn, users and players: what many would miss.
    milestone: (u32, u32, u16, u16),
}

impl Mark {
    fn of<S: Server>(server: &S) -> Self {
        let Summary { own, turn, users, players, commands, .. } = server.summary();
        Self { produced: server.produced(), commands, milestone: (own.1, turn, users, players) }
    }

    /// Should this be saved, when `kept` was, so long ago?
    fn is_due(&self, kept: &Self, ago: Duration) -> bool {
        let pause = if self.milestone == kept.milestone { AT_LEAST } else { SOON };
        self != kept && ago >= pause
    }
}

#[cfg(test)]
mod tests {
    use core::pin::pin;
    use std::vec::Vec;

    use embassy_futures::{block_on, poll_once};
    use embassy_time::MockDriver;
    use parlor_core::pimp::limits::{BoardTable, save_max};
    use parlor_core::pimp::server::Config;
    use parlor_core::server::{Framer as _, Link};

    use super::*;
    use crate::shelf::nor::Nor;
    use crate::table::tests::CLOCK;

    type Flash = Nor<1, 4096>;
    type Pimp = Table<BoardTable, 10>;
    const LONGEST: usize = save_max(8);

    fn table() -> Pimp {
        let mut table = Pimp::new(BoardTable::new());
        table.begin([7; 32], |pimp, seed, now| pimp.begin(seed, &Config::DEFAULT, now));
        table
    }

    /// HANDSHAKE, then JOIN as a watcher: piece 0, not playing.
    fn join(table: &Pimp, name: &[u8; 3]) -> Link {
        let link = table.open().unwrap();
        let [a, b, c] = *name;
        say(table, link, &[0x00, 1, 1, 0x02, 6, 0, 0, 3, a, b, c]);
        link
    }

    fn say(table: &Pimp, link: Link, bytes: &[u8]) {
        let mut framer = <BoardTable as Server>::Framer::default();
        framer.window()[..bytes.len()].copy_from_slice(bytes);
        framer.commit(bytes.len());
        table.receive(link, &mut framer);
    }

    fn encoded(table: &Pimp) -> Vec<u8> {
        let mut out = std::vec![0; LONGEST];
        let length = table.look(|pimp| pimp.save(&mut out)).unwrap();
        out.truncate(length);
        out
    }

    fn shelf(flash: &mut Flash) -> Shelf<&mut Flash> {
        Shelf::new(flash, 0..16 * 4096, LONGEST).unwrap()
    }

    fn kept(flash: &mut Flash) -> Option<Vec<u8>> {
        let mut out = [0; LONGEST];
        block_on(shelf(flash).load(&mut out)).map(<[u8]>::to_vec)
    }

    /// Runs the task for a few seconds at a time between the steps of `act`; how often it wrote or erased.
    fn run(table: &Pimp, flash: &mut Flash, act: impl FnOnce(&mut dyn FnMut(u64))) -> usize {
        let before = flash.changes;
        let mut buffer = [0; LONGEST];
        {
            let mut task = pin!(keep_saved(table, shelf(flash), &mut buffer, |pimp, out| pimp.save(out)));
            // It yields after each part; a hundred polls are enough for a save.
            let mut poll = || (0..100).for_each(|_| assert!(poll_once(task.as_mut()).is_pending()));
            act(&mut |seconds| {
                for _ in 0..seconds {
                    poll();
                    MockDriver::get().advance(LOOK);
                }
                poll();
            });
        }
        flash.changes - before
    }

    #[test]
    fn a_table_outlives_its_power() {
        let _clock = CLOCK.lock();
        let (table, mut flash) = (table(), Flash::new(16));
        run(&table, &mut flash, |wait| {
            wait(20);
            join(&table, b"ann");
            wait(1);
        });
        let game = encoded(&table);
        assert_eq!(kept(&mut flash), Some(game.clone()));
        let mut after = Pimp::new(BoardTable::new());
        after.begin([8; 32], |pimp, seed, now| {
            pimp.begin(seed, &Config::DEFAULT, now);
            assert!(resume(Some(&game), |game| pimp.load(game, now)));
        });
        assert_eq!(encoded(&after), game);
    }

    #[test]
    fn what_is_not_there_or_not_whole_is_not_gone_on_with() {
        assert!(!resume(None, |_| Ok(())));
        assert!(!resume(Some(b"PIMP"), |_| Err(LoadError::Length)));
    }

    #[test]
    fn saves_are_not_too_often_and_only_for_a_change() {
        let _clock = CLOCK.lock();
        let (table, mut flash) = (table(), Flash::new(16));
        assert_eq!(run(&table, &mut flash, |wait| wait(60)), 0);
        // 8 sectors of a side, 1 sector begun, 1 part in 2 writes.
        let save = 8 + 1 + 2;
        for (seconds, writes) in [(4, 0), (5, save)] {
            let table = self::table();
            let wrote = run(&table, &mut flash, |wait| {
                wait(0);
                join(&table, b"ann");
                wait(seconds);
            });
            assert_eq!(wrote, writes, "somebody came, {seconds} s");
        }
        let ann = join(&table, b"ann");
        for (seconds, writes) in [(14, 0), (15, save)] {
            let wrote = run(&table, &mut flash, |wait| {
                wait(0);
                // Ann is asked; until she answers, only the number of candidates is another.
                join(&table, b"bob");
                wait(seconds);
            });
            assert_eq!(wrote, writes, "somebody asked to come, {seconds} s");
        }
        let wrote = run(&table, &mut flash, |wait| {
            wait(20);
            join(&table, b"eve");
            wait(1);
            // REQUEST_STATE: much is said, and nothing changes.
            say(&table, ann, &[0x11, 0]);
            wait(60);
        });
        assert_eq!(wrote, save);
    }
}
