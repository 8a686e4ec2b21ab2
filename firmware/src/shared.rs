//! All games of a board behind one cell, which is borrowed for a call and never across an await.

use core::cell::{Cell, RefCell};

use embassy_sync::{blocking_mutex::raw::NoopRawMutex, signal::Signal};
use embassy_time::Instant;
#[cfg(feature = "autosave")]
use embedded_storage_async::nor_flash::NorFlash;
use parlor_core::server::Millis;

use crate::address::Dweller;
#[cfg(feature = "autosave")]
use crate::autosave::Autosave;
#[cfg(any(feature = "autosave", feature = "settings"))]
use crate::entropy::Pool;
#[cfg(any(feature = "autosave", feature = "settings"))]
use crate::fmt::info;
use crate::games::{Games, Id};
#[cfg(any(feature = "autosave", feature = "settings"))]
use crate::options::Options;
#[cfg(feature = "settings")]
use crate::settings::{Chosen, Own};
#[cfg(feature = "autosave")]
use crate::watermark::Painted;

/// Tells what a command costs, on a board that wants to know. `()` does not.
pub trait Meter {
    /// Some count that goes on.
    fn now() -> u32 {
        0
    }
    /// The frames `taken` were handled, and everything that was due after them: what it cost, in instructions; 0:
    /// nothing counts.
    fn spent(_taken: &[u8], _since: u32) -> u32 {
        0
    }
}

impl Meter for () {}

/// All zero bytes when new.
pub struct Shared {
    pub(crate) games: RefCell<Games>,
    /// Bytes came or went: for a lamp.
    pub(crate) talk: Signal<NoopRawMutex, ()>,
    /// A link of a game that is none of the pool's, a bot's, has output.
    #[cfg(feature = "bots")]
    pub(crate) bots: Signal<NoopRawMutex, ()>,
    /// Something happened at a game that no link of the pool brought.
    poked: Cell<bool>,
    /// Links that are not free.
    pub(crate) busy: Cell<usize>,
    /// Instructions that the last command took, where a [`Meter`] counts them.
    pub(crate) cost: Cell<u32>,
    /// What is the board's own, as it is now.
    #[cfg(feature = "settings")]
    pub(crate) own: RefCell<Own>,
    #[cfg(feature = "settings")]
    pub(crate) chosen: RefCell<Chosen>,
    /// All that was saved and chosen should be forgotten.
    #[cfg(feature = "settings")]
    pub(crate) forgets: Cell<bool>,
}

impl Shared {
    pub const fn new() -> Self {
        Self {
            games: RefCell::new(Games::new()),
            talk: Signal::new(),
            #[cfg(feature = "bots")]
            bots: Signal::new(),
            poked: Cell::new(false),
            busy: Cell::new(0),
            cost: Cell::new(0),
            #[cfg(feature = "settings")]
            own: RefCell::new(Own::new()),
            #[cfg(feature = "settings")]
            chosen: RefCell::new(Chosen::new()),
            #[cfg(feature = "settings")]
            forgets: Cell::new(false),
        }
    }

    /// Something happened at a game that no link of the pool brought: the pool looks.
    #[cfg(any(feature = "bots", feature = "settings"))]
    pub(crate) fn poke(&self) {
        self.poked.set(true);
        crate::links::wake();
    }

    /// Whether that was so since this was asked last.
    pub(crate) fn take_poke(&self) -> bool {
        self.poked.take()
    }

    /// Before anything else.
    pub fn begin(&mut self, act: impl FnOnce(&mut Games, Millis)) {
        act(self.games.get_mut(), now());
    }

    /// Begins with what the words said and what was chosen, `kept` from an earlier time. Once, before any client is
    /// served: later calls do nothing.
    #[cfg(feature = "settings")]
    pub fn choose(&self, options: &Options, kept: &[u8], pool: &mut Pool) {
        let (mut own, mut chosen) = (self.own.borrow_mut(), self.chosen.borrow_mut());
        if chosen.is_begun() {
            return;
        }
        chosen.begin(kept, pool);
        own.clone_from(&options.own);
        chosen.each(|key, value| {
            let _ = own.set(key, value);
        });
        chosen.apply(&mut self.games.borrow_mut());
        info!("settings: the code is {}", chosen.code());
    }

    /// The board's own secret, the same after each start for as long as the board is not told to forget everything.
    #[cfg(all(feature = "bots", feature = "settings"))]
    pub fn secret(&self) -> [u8; 32] {
        let mut pool = Pool::new();
        pool.absorb(self.chosen.borrow().code().as_bytes());
        pool.draw()
    }

    /// Whether the board serves this game.
    pub(crate) fn is_open(&self, _id: Id) -> bool {
        #[cfg(feature = "settings")]
        return self.own.borrow().is_open(_id);
        #[cfg(not(feature = "settings"))]
        true
    }

    /// Goes on with what was saved and chosen, before any client is served.
    #[cfg(feature = "autosave")]
    pub async fn load<F: NorFlash>(
        &mut self,
        autosave: &mut Autosave<F>,
        stack: Painted,
        _options: &Options,
        _pool: &mut Pool,
    ) {
        let before = stack.repaint();
        autosave.load(self.games.get_mut(), now()).await;
        info!("autosave: {} bytes of stack to load", stack.since(before));
        #[cfg(feature = "settings")]
        self.choose(_options, autosave.chosen().await, _pool);
    }
}

impl Dweller for Shared {
    fn is_idle(&self) -> bool {
        self.busy.get() == 0
    }
    #[cfg(all(feature = "hostname", feature = "settings"))]
    fn with_name<R>(&self, see: impl FnOnce(&str) -> R) -> R {
        see(self.own.borrow().name())
    }
}

impl Default for Shared {
    fn default() -> Self {
        Self::new()
    }
}

pub(crate) fn now() -> Millis {
    Millis(Instant::now().as_millis())
}

#[cfg(test)]
pub(crate) mod tests {
    /// There is one clock for all tests: a test that moves it, or needs it to stand still, holds this.
    pub static CLOCK: std::sync::Mutex<()> = std::sync::Mutex::new(());
}
