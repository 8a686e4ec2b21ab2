//! What a server's owner may decide: times and limits. Durations are milliseconds.

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Config {
    /// A connection that does not log in in this time is closed; 0: never.
    pub login_timeout: u32,
    /// After a wrong password a connection is not read for this long.
    pub password_pause: u32,
    /// A game in progress without a connected player for this long gives way when tables run out.
    pub deserted: u32,
    /// Commands a second and link; 0: no limit.
    pub rate: u16,
    /// Wrong passwords that close a connection.
    pub wrong_passwords: u8,
    /// Whether the adapter has bots for whoever asks; else nobody is told to wait for one.
    pub bots: bool,
}

impl Config {
    /// For a PC.
    pub const DEFAULT: Self = Self {
        login_timeout: 60_000,
        password_pause: 1_000,
        deserted: 7 * 24 * 3_600_000,
        rate: 32,
        wrong_passwords: 5,
        bots: false,
    };

    /// For a board with few tables: a deserted game is kept for an hour.
    pub const BOARD: Self = Self { deserted: 3_600_000, ..Self::DEFAULT };

    /// All zero bytes: what a server holds before it begins.
    pub(super) const BLANK: Self =
        Self { login_timeout: 0, password_pause: 0, deserted: 0, rate: 0, wrong_passwords: 0, bots: false };
}

impl Default for Config {
    fn default() -> Self {
        Self::DEFAULT
    }
}
