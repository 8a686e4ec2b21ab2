//! All games of a board behind one cell, which is borrowed for a call and never across an await.

use core::cell::{Cell, RefCell};

use embassy_sync::{blocking_mutex::raw::NoopRawMutex, signal::Signal};
use embassy_time::Instant;
#[cfg(feature = "autosave")]
use embedded_storage_async::nor_flash::NorFlash;
use parlor_core::server::Millis;

#[cfg(feature = "autosave")]
use crate::autosave::{self, Autosave};
use crate::games::Games;

/// Tells what a command costs, on a board that wants to know. `()` does not.
pub trait Meter {
    /// Some count that goes on.
    fn now() -> u32 {
        0
    }
    /// The frames `taken` were handled, and everything that was due after them.
    fn spent(_taken: &[u8], _since: u32) {}
}

impl Meter for () {}

/// All zero bytes when new.
pub struct Shared {
    pub(crate) games: RefCell<Games>,
    /// Bytes came or went: for a lamp.
    pub(crate) talk: Signal<NoopRawMutex, ()>,
    /// Somebody at a game who is no link of the pool has something to hear.
    #[cfg(feature = "bots")]
    pub(crate) bots: Signal<NoopRawMutex, ()>,
    /// Something happened at a game that no link of the pool brought.
    pub(crate) poke: Signal<NoopRawMutex, ()>,
    /// Links that are not free.
    pub(crate) busy: Cell<usize>,
}

impl Shared {
    pub const fn new() -> Self {
        Self {
            games: RefCell::new(Games::new()),
            talk: Signal::new(),
            #[cfg(feature = "bots")]
            bots: Signal::new(),
            poke: Signal::new(),
            busy: Cell::new(0),
        }
    }

    /// Before anything else.
    pub fn begin(&mut self, act: impl FnOnce(&mut Games, Millis)) {
        act(self.games.get_mut(), now());
    }

    /// Nobody is connected.
    pub fn is_idle(&self) -> bool {
        self.busy.get() == 0
    }

    /// Goes on with what was saved, before anybody is served.
    #[cfg(feature = "autosave")]
    pub async fn load<F: NorFlash>(&mut self, place: autosave::Place<F>) -> Autosave<F> {
        Autosave::load(place, self.games.get_mut(), now()).await
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
    /// There is one clock for all tests: whoever moves it, or needs it to stand still, holds this.
    pub static CLOCK: std::sync::Mutex<()> = std::sync::Mutex::new(());
}
