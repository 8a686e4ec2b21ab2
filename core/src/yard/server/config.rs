//! What a server's owner may decide: times and limits. Durations are milliseconds.

crate::settings! {
    /// The order of the rows is that of saved games.
    pub struct Config {
        /// A connection that does not log in in this time is closed; 0: never
        time login_timeout: u32 = 60_000;
        /// After a wrong password a connection is not read for this long
        time password_pause: u32 = 1_000;
        /// A game in progress without a connected player for this long gives way when there is no room for another; 0: never
        time deserted: u32 = 600_000;
        /// The server decides for a player who lets a game wait for one decision this long; 0: never
        time move_timeout: u32 = 0, skip;
        /// Commands a second and connection; the rest waits. 0: no limit
        limit rate: u16 = 32;
        /// Wrong passwords that close a connection
        limit wrong_passwords: u8 = 5, 1..=255;
        /// Players may ask for bots of the server's own
        rule bots: bool = false;
    }
}

impl Config {
    /// For a PC, which has bots.
    pub const HOST: Self = Self { login_timeout: 30_000, bots: true, ..Self::DEFAULT };
}
