//! What a server's owner may decide: times, limits and the pieces in the box. Durations are milliseconds.

use super::gui::{GUI_MAX, USUAL};
use crate::settings::Url;
use crate::venus::board::Chart;

crate::settings! {
    /// The order of the rows is that of saved games.
    pub struct Config {
        /// A connection that does not log in in this time is closed; 0: never
        time login_timeout: u32 = 60_000;
        /// After a wrong password a connection is not read for this long
        time password_pause: u32 = 1_000;
        /// A game in progress with nobody in its room for this long gives way when there is no space for another room; 0: never
        time deserted: u32 = 600_000;
        /// The server plays for a player who is not in the room and lets the others wait for this long; 0: never
        time patience: u32 = 0;
        /// The server decides for a player who lets a game wait for one decision this long; 0: never
        time move_timeout: u32 = 0, skip;
        /// Actions a second and connection; the rest waits. 0: no limit
        limit rate: u16 = 32;
        /// Wrong passwords that close a connection
        limit wrong_passwords: u8 = 5, 1..=255;
        /// The lasers and novaballs of the optional combat rules are in the box, and do nothing
        rule weapons: bool = false;
        /// Games are played on a small board with three cultures, which is over soon
        rule pocket: bool = false;
        /// Games can be saved by name: the server has a place to keep files
        rule storage: bool = false;
        /// There are bots for whoever asks for one
        rule bots: bool = false;
        /// The directory where the first client finds its windows and pictures
        rule gui: Url<GUI_MAX> = USUAL;
    }
}

impl Config {
    /// For a PC, which keeps files.
    pub const HOST: Self = Self { login_timeout: 30_000, storage: true, bots: true, ..Self::DEFAULT };

    pub(super) const fn chart(&self) -> Chart {
        if self.pocket { Chart::Pocket } else { Chart::Galaxy }
    }
}
