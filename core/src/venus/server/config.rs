//! What a server's owner may decide: times, limits and the pieces in the box. Durations are milliseconds.

use crate::venus::board::Chart;

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Config {
    /// A connection that does not log in in this time is closed; 0: never.
    pub login_timeout: u32,
    /// After a wrong password a connection is not read for this long.
    pub password_pause: u32,
    /// A game in progress with nobody in its room for this long gives way when rooms run out.
    pub deserted: u32,
    /// The server plays for a player who is not in the room and has let the others wait for this long; 0: never.
    pub patience: u32,
    /// Actions a second and link; 0: no limit.
    pub rate: u16,
    /// Wrong passwords that close a connection.
    pub wrong_passwords: u8,
    /// The board that is played on.
    pub chart: Chart,
    /// The lasers and novaballs of the optional combat rules are in the box, and do nothing.
    pub weapons: bool,
    /// The adapter keeps files, so games can be saved.
    pub storage: bool,
}

impl Config {
    /// For a PC.
    pub const DEFAULT: Self = Self {
        login_timeout: 60_000,
        password_pause: 1_000,
        deserted: 7 * 24 * 3_600_000,
        patience: 0,
        rate: 32,
        wrong_passwords: 5,
        chart: Chart::Galaxy,
        weapons: false,
        storage: false,
    };

    /// For a board with few rooms: a deserted game is kept for an hour.
    pub const BOARD: Self = Self { deserted: 3_600_000, ..Self::DEFAULT };

    /// All zero bytes: what a server holds before it begins.
    pub(super) const BLANK: Self = Self {
        login_timeout: 0,
        password_pause: 0,
        deserted: 0,
        patience: 0,
        rate: 0,
        wrong_passwords: 0,
        chart: Chart::Galaxy,
        weapons: false,
        storage: false,
    };
}

impl Default for Config {
    fn default() -> Self {
        Self::DEFAULT
    }
}
