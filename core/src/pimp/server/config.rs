//! What a table's owner may decide: house rules, times and limits. Durations are milliseconds.

use crate::limits::SEATS;
use crate::pimp::rules::Options;

/// The options and the limits of the decisions (pimp 0, 16).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Config {
    pub rules: Options,
    /// An open vote is decided by the votes cast after this.
    pub vote_timeout: u32,
    /// Votes open at most this often.
    pub vote_pause: u32,
    /// 0: no PING and no LINK_DEAD. One public client aborts on a PING.
    pub ping_interval: u32,
    pub ping_timeout: u32,
    /// The server passes for all but the leader this long after the last bid; 0: never.
    pub auction_timeout: u32,
    /// A first throw stays unread this long after the last landing while others have claims; 0: off.
    pub claim_grace: u32,
    /// Who is gone for less than this still counts as present.
    pub presence: u32,
    /// Who the game waits for and who says nothing for this long counts as away when a kick is counted.
    pub silence: u32,
    /// A connection that neither joins nor rejoins in this time is closed.
    pub join_timeout: u32,
    /// A game ends when no user was connected for this long.
    pub deserted: u32,
    /// After a game was won, its connections are closed at last after this.
    pub farewell: u32,
    /// After a wrong password a connection is not read for this long.
    pub password_pause: u32,
    /// A link gets at most one dump in this time.
    pub dump_pause: u32,
    /// Commands a second and link; 0: no limit.
    pub rate: u16,
    /// Wrong passwords in a row that close a connection.
    pub wrong_passwords: u8,
    /// Refusals that close a candidate's connection.
    pub refusals: u8,
    /// Only ASCII names, against look-alikes.
    pub ascii_names: bool,
    /// At most the rules' 8.
    pub max_players: u8,
}

impl Config {
    pub const DEFAULT: Self = Self {
        rules: Options::DEFAULT,
        vote_timeout: 60_000,
        vote_pause: 2_000,
        ping_interval: 0,
        ping_timeout: 30_000,
        auction_timeout: 60_000,
        claim_grace: 3_000,
        presence: 30_000,
        silence: 300_000,
        join_timeout: 30_000,
        deserted: 600_000,
        farewell: 60_000,
        password_pause: 1_000,
        dump_pause: 1_000,
        rate: 32,
        wrong_passwords: 5,
        refusals: 3,
        ascii_names: false,
        max_players: SEATS as u8,
    };

    /// All zero bytes: what a table holds before it begins.
    pub(super) const BLANK: Self = Self {
        rules: Options {
            pot: None,
            double_go: false,
            lap_before_buy: false,
            estate_to_creditor: false,
            bail_ends_turn: false,
            debt_blocks_roll: false,
            termites: 0,
        },
        vote_timeout: 0,
        vote_pause: 0,
        ping_interval: 0,
        ping_timeout: 0,
        auction_timeout: 0,
        claim_grace: 0,
        presence: 0,
        silence: 0,
        join_timeout: 0,
        deserted: 0,
        farewell: 0,
        password_pause: 0,
        dump_pause: 0,
        rate: 0,
        wrong_passwords: 0,
        refusals: 0,
        ascii_names: false,
        max_players: 0,
    };
}

impl Default for Config {
    fn default() -> Self {
        Self::DEFAULT
    }
}
