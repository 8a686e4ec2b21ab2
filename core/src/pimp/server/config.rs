//! What a table's owner may decide: house rules, times and limits. Durations are milliseconds.

use crate::pimp::limits::SEATS;
use crate::pimp::rules::Options;

crate::settings! {
    /// Section 0 of the decisions, and the limits of section 16. The order of the rows is that of saved games.
    pub struct Config {
        in rules: Options;
        /// An open vote is decided by the votes cast after this
        time vote_timeout: u32 = 60_000;
        /// Votes open at most this often
        time vote_pause: u32 = 2_000;
        /// How often users are pinged; 0: never. Some clients can't take a PING
        time ping_interval: u32 = 0;
        /// A ping unanswered for this long: the user's link is told dead
        time ping_timeout: u32 = 30_000;
        /// The server passes for all but the leader this long after the last bid; 0: never
        time auction_timeout: u32 = 60_000;
        /// A throw waits this long after the last landing while others have claims, a changed offer until it is ready again; 0: neither
        time claim_grace: u32 = 3_000;
        /// Who is gone for less than this still counts as present
        time presence: u32 = 30_000;
        /// Who the game waits for and who is silent for this long counts as away when a kick is counted; 0: never
        time silence: u32 = 300_000;
        /// The server decides for a player who lets a game wait for one decision this long; 0: never
        time move_timeout: u32 = 0, skip;
        /// A connection that neither joins nor rejoins in this time is closed
        time join_timeout: u32 = 30_000;
        /// A game ends when nobody was connected for this long; 0: never
        time deserted: u32 = 600_000;
        /// After a game was won, its connections are closed at last after this
        time farewell: u32 = 60_000;
        /// After a wrong password a connection is not read for this long
        time password_pause: u32 = 1_000;
        /// A connection gets at most one full state in this time
        time dump_pause: u32 = 1_000;
        /// Commands a second and connection; the rest waits. 0: no limit
        limit rate: u16 = 32;
        /// Wrong passwords in a row that close a connection
        limit wrong_passwords: u8 = 5, 1..=255;
        /// Refusals by vote that close a candidate's connection
        limit refusals: u8 = 3, 1..=255;
        /// Only ASCII names, against look-alikes
        rule ascii_names: bool = false;
        /// Players at a table; others watch
        rule max_players: u8 = SEATS as u8, 1..=SEATS as u32;
    }
}
