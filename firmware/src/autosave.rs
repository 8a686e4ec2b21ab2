//! Saves every game after a change, not too often, in one task; and loads what was saved before any client is served.
//!
//! A game stands still while it is encoded, never while flash is written. After a load all users are gone and come back
//! with the passwords they had; time begins anew. The options of the saved game hold, not those of the boot.
//!
//! Flash: an RP2040 runs its program out of the same chip, so everything stops while a part is written (4 pages of
//! 256 bytes, 2 ms) or a sector is erased (45 ms, 400 ms at worst); the others get their turn after each, and
//! [`Place::rest`] after an erase.
//!
//! Wear: a save costs one part of [`store::parts`] for each 506 bytes, and a store of `P` parts can be written `P *
//! endurance` parts in its life. Nine tenths of that, spread over ten years, are what a game may spend ([`Wear`]): the
//! flash lasts, whatever is played. The last tenth is for boots, each of which has the store erased once at most: with
//! an endurance of 100,000 that makes 2.7 a day. In figures, for a board with 384 KB a game in sectors of 4 KB (7 parts
//! each): 96 * 7 = 672 parts; 672 * 90,000 / 315,576,000 s = one part every 5.2 s, for ever. A game of 1 or 2 parts is
//! saved every 10 s at the worst; one of 12 every 63 s once [`BURST`] is used up.
//!
//! Passwords: each game says what it saves of them. A table's are sealed by its seed, which is saved too: a reader of
//! the flash can sit down as any. Those of games with accounts are kept as [`crate::hash`] makes them.

use core::ops::Range;

use embassy_embedded_hal::flash::partition::Partition;
use embassy_sync::{blocking_mutex::raw::NoopRawMutex, mutex::Mutex};
use embassy_time::{Duration, Instant, Timer};
use embedded_storage_async::nor_flash::NorFlash;
use parlor_core::server::{Millis, Seq, Summary};

use crate::fmt::{debug, error, info, warn};
use crate::games::{Games, Id, LONGEST_SAVE, Served};
#[cfg(feature = "settings")]
use crate::settings;
use crate::shared::Shared;
use crate::store::{self, Store};

/// How often the games are looked at.
const LOOK: Duration = Duration::from_secs(1);
/// After a change that many would miss: a turn ended, or a user came to the table or left it.
pub const SOON: Duration = Duration::from_secs(2);
/// After any other change. This much play is lost at most when the power goes, and what a save takes, unless [`Wear`]
/// makes it wait.
pub const AT_LEAST: Duration = Duration::from_secs(5);

/// How long flash must last, whatever is played.
const LIFE: Duration = Duration::from_secs(315_576_000);
/// Parts that may be written in a row, after a pause that was long enough: an hour of saves every 5 s.
const BURST: u32 = 720;
/// The same after a boot: a board that is switched off and on gains nothing by it.
const FIRST_BURST: u32 = 48;

/// The flash of all stores: one of them at a time.
pub type Flash<F> = Mutex<NoopRawMutex, F>;
/// Room for the longest save of any game.
pub type Buffer = [u8; LONGEST_SAVE];

/// What a board saves into.
pub struct Place<F: 'static> {
    pub flash: &'static Flash<F>,
    /// All of it is for saved games, each game's share as large as the next one's.
    pub range: Range<u32>,
    /// For what the owner chooses in a browser.
    #[cfg(feature = "settings")]
    pub chosen: Range<u32>,
    /// How often a sector can be erased, as the flash's data sheet promises.
    pub endurance: u32,
    /// How long other tasks run between two sectors that are erased.
    pub rest: Duration,
    pub buffer: &'static mut Buffer,
}

/// Some kilobytes: a board has it in a static, where it is filled in place.
pub struct Autosave<F: NorFlash + 'static> {
    saves: [Option<Save<F>>; Id::ALL.len()],
    #[cfg(feature = "settings")]
    chosen: Option<Keep<F>>,
    place: Place<F>,
}

/// The owner's.
#[cfg(feature = "settings")]
struct Keep<F: NorFlash + 'static> {
    store: Store<Partition<'static, NoopRawMutex, F>>,
    wear: Wear,
    /// [`crate::settings::Chosen::changes`] that are kept.
    kept: u32,
}

/// One game's.
struct Save<F: NorFlash + 'static> {
    id: Id,
    store: Store<Partition<'static, NoopRawMutex, F>>,
    wear: Wear,
    /// What is in the store can't be read, as another version's, and is not written over.
    stays: bool,
    kept: Mark,
    print: [u8; 32],
    last: Instant,
}

impl<F: NorFlash> Autosave<F> {
    /// Nothing is read yet.
    pub const fn new(place: Place<F>) -> Self {
        Self {
            saves: [const { None }; Id::ALL.len()],
            #[cfg(feature = "settings")]
            chosen: None,
            place,
        }
    }

    /// Goes on with what was saved. Once, before any client is served, and after the games have begun.
    pub async fn load(&mut self, games: &mut Games, now: Millis) {
        let capacity = self.place.flash.lock().await.capacity() as u32;
        self.open(capacity, games);
        for save in self.saves.iter_mut().flatten() {
            let saved = save.store.load(self.place.buffer).await;
            save.stays = !resume(games.server(save.id), save.id.entry().name, saved, now);
            save.kept = Mark::of(games.peek(save.id));
        }
    }

    /// A store for each game, and one for what the owner chooses. Not inlined, nor what follows: each store is half a
    /// kilobyte on its way to its place.
    #[inline(never)]
    fn open(&mut self, capacity: u32, games: &Games) {
        let range = &self.place.range;
        let length = range.end.saturating_sub(range.start) / Id::ALL.len() as u32;
        // Whole sectors, and as many for each side.
        let length = length - length % (2 * F::ERASE_SIZE as u32);
        for ((id, save), nth) in Id::ALL.iter().zip(&mut self.saves).zip(0..) {
            let start = range.start + nth * length;
            *save = Save::open(&self.place, capacity, start..start + length, games.peek(*id), *id);
        }
        #[cfg(feature = "settings")]
        {
            self.chosen = Keep::open(&self.place, capacity);
        }
    }

    /// What the owner has chosen, as it was kept.
    #[cfg(feature = "settings")]
    pub(crate) async fn chosen(&mut self) -> &[u8] {
        match &mut self.chosen {
            Some(keep) => keep.store.load(self.place.buffer).await.unwrap_or_default(),
            None => b"",
        }
    }

    /// Saves each game when it has changed, until everything is to be forgotten: then all of it is, and the board should
    /// start anew.
    pub async fn run(&mut self, shared: &Shared) {
        loop {
            Timer::after(LOOK).await;
            #[cfg(feature = "settings")]
            if shared.forgets.get() {
                return self.forget().await;
            }
            for save in self.saves.iter_mut().flatten() {
                save.save_if_due(shared, self.place.buffer).await;
            }
            #[cfg(feature = "settings")]
            if let Some(keep) = &mut self.chosen {
                keep.save_if_due(shared, self.place.buffer).await;
            }
        }
    }

    #[cfg(feature = "settings")]
    async fn forget(&mut self) {
        let Self { saves, chosen, .. } = self;
        let stores = chosen.iter_mut().map(|keep| &mut keep.store);
        for store in stores.chain(saves.iter_mut().flatten().map(|save| &mut save.store)) {
            if let Err(why) = store.forget().await {
                error!("autosave: not forgotten: {}", why);
            }
        }
        info!("autosave: everything is forgotten");
    }
}

#[cfg(feature = "settings")]
impl<F: NorFlash> Keep<F> {
    #[inline(never)]
    fn open(place: &Place<F>, capacity: u32) -> Option<Self> {
        let part = Partition::new(place.flash, 0, capacity);
        let store = Store::new(part, place.chosen.clone(), settings::LONGEST, place.rest)
            .inspect_err(|_why| error!("settings: no room: {}", _why))
            .ok()?;
        Some(Self { wear: Wear::new(store.parts(), place.endurance), store, kept: 0 })
    }

    async fn save_if_due(&mut self, shared: &Shared, buffer: &mut Buffer) {
        let changes = shared.chosen.borrow().changes();
        if changes == self.kept || !self.wear.spend(1, Instant::now()) {
            return;
        }
        // Not borrowed while flash is written.
        let length = shared.chosen.borrow().write(buffer).map_or(0, <[u8]>::len);
        match self.store.save(buffer.get(..length).unwrap_or_default()).await {
            Ok(()) => self.kept = changes,
            Err(why) => error!("settings: not kept: {}", why),
        }
    }
}

/// Whether the game may be saved from now on. What another version of the program saved is left as it is: that version can go
/// on with it.
fn resume(server: &mut dyn Served, name: &str, saved: Option<&[u8]>, now: Millis) -> bool {
    let Some(game) = saved else {
        info!("autosave: {}: nothing saved", name);
        return true;
    };
    match server.load(game, now) {
        Ok(()) => info!("autosave: {}: goes on, {} bytes", name, game.len()),
        // Another version's, or nothing that this program could have written: only its owner may say that it is worth nothing.
        Err(why) => {
            warn!(
                "autosave: {}: what was saved can't be gone on with: {}: it stays, and nothing is saved; load the program that \
                 wrote it, or have the board forget everything",
                name, why
            );
            return false;
        }
    }
    true
}

impl<F: NorFlash> Save<F> {
    #[inline(never)]
    fn open(place: &Place<F>, capacity: u32, range: Range<u32>, server: &dyn Served, id: Id) -> Option<Self> {
        let part = Partition::new(place.flash, 0, capacity);
        let store = Store::new(part, range, id.entry().save_max, place.rest)
            .inspect_err(|_why| error!("autosave: {}: no room: {}", id.entry().name, _why))
            .ok()?;
        let (wear, kept) = (Wear::new(store.parts(), place.endurance), Mark::of(server));
        Some(Self { id, store, wear, stays: false, kept, print: [0; 32], last: Instant::now() })
    }

    async fn save_if_due(&mut self, shared: &Shared, buffer: &mut Buffer) {
        let mark = Mark::of(shared.games.borrow().peek(self.id));
        if self.stays || !mark.is_due(&self.kept, self.last.elapsed()) {
            return;
        }
        let (Ok(length), mark) = self.encode(shared, buffer) else {
            error!("autosave: the buffer is too short for this game");
            self.last = Instant::now();
            return;
        };
        let game = buffer.get(..length).unwrap_or_default();
        let print = parlor_core::sha256::sha256(&[game]);
        // Much that is said changes nothing that is saved: talk, a client that looks around.
        if self.print != print {
            if !self.wear.spend(store::parts(length) as u32, Instant::now()) {
                return;
            }
            self.last = Instant::now();
            if let Err(why) = self.store.save(game).await {
                error!("autosave: not saved: {}", why);
                return;
            }
            debug!("autosave: saved {} bytes", length);
        }
        (self.kept, self.print) = (mark, print);
    }

    fn encode(&self, shared: &Shared, buffer: &mut Buffer) -> (Result<usize, parlor_core::save::SaveError>, Mark) {
        let games = shared.games.borrow();
        let server = games.peek(self.id);
        (server.save(buffer), Mark::of(server))
    }
}

/// What may be written, so that the flash outlives [`LIFE`].
struct Wear {
    /// Milliseconds for each part.
    pause: u64,
    parts: u32,
    /// Up to then the parts were counted.
    counted: Instant,
}

impl Wear {
    /// A store of so many parts, each sector of which can be erased so often.
    fn new(parts: u32, endurance: u32) -> Self {
        let all = u64::from(parts) * u64::from(endurance) / 10 * 9;
        let pause = LIFE.as_millis().div_ceil(all.max(1)).max(1);
        Self { pause, parts: FIRST_BURST, counted: Instant::now() }
    }

    /// Whether so many parts may be written now; they are spent then.
    fn spend(&mut self, parts: u32, now: Instant) -> bool {
        let earned = now.saturating_duration_since(self.counted).as_millis() / self.pause;
        self.counted += Duration::from_millis(earned * self.pause);
        self.parts = self.parts.saturating_add(u32::try_from(earned).unwrap_or(BURST)).min(BURST);
        match self.parts.checked_sub(parts) {
            Some(left) => {
                self.parts = left;
                true
            }
            None => false,
        }
    }
}

/// How far a game has come. What is equal has not changed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mark {
    produced: Seq,
    commands: u64,
    /// Game, turn, users and players: what many would miss.
    milestone: (u32, u32, u16, u16),
}

impl Mark {
    fn of(server: &dyn Served) -> Self {
        let Summary { own: (_, game), turn, users, players, commands, .. } = server.summary();
        Self { produced: server.produced(), commands, milestone: (game, turn, users, players) }
    }

    /// Should this be saved, when `kept` was, so long ago?
    fn is_due(&self, kept: &Self, ago: Duration) -> bool {
        let pause = if self.milestone == kept.milestone { AT_LEAST } else { SOON };
        self != kept && ago >= pause
    }
}

#[cfg(all(test, feature = "pimp", feature = "yard"))]
mod tests;
