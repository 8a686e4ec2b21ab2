//! Every capacity of Monopoly, as commented sums.
//!
//! A table is one value of a fixed size: what stands here is all the memory it will ever use. LINKS is always
//! USERS + 2: "too many users" is an answer to a JOIN, so it needs a link that works.

use super::rules::PLAYERS;
use super::server::Table;
use super::wire::NAME_MAX;
use crate::outbox::REPLY_HEADER;

/// F0 to F4, FD, JOIN_PENDING: 2 /* header */.
const BARE: usize = REPLY_HEADER + 2;
/// FC and FE: 2 /* header */ + 1 /* code */.
const COMPLAINT: usize = REPLY_HEADER + 3;
/// HANDSHAKE_ACKNOWLEDGE: 2 /* header */ + 4 /* game */.
const ACKNOWLEDGE: usize = REPLY_HEADER + 6;
/// WELCOME_DETAILS: 2 /* header */ + 1 /* id */ + 4 /* password */.
const DETAILS: usize = REPLY_HEADER + 7;
/// WELCOME_BACK: 2 /* header */ + 2 /* id, piece */ + 33 /* name */ + 1 /* playing */.
const BACK: usize = REPLY_HEADER + 2 + 2 + 1 + NAME_MAX + 1;

/// The most that one command before the join is answered with: WELCOME_BACK, or JOIN_PENDING now and WELCOME_DETAILS
/// later.
pub const ANSWER_NEWCOMER: usize = BACK;
const _: () = assert!(BACK >= BARE + DETAILS);
/// The most that one command of a candidate or user is answered with: JOIN_PENDING and TOO_MANY_USERS, a handshake or
/// a complaint; and what can come unasked before the next command: the outcome of a vote (WELCOME_DETAILS or
/// NOT_WELCOME).
pub const ANSWER_USER: usize = 2 * BARE + DETAILS;
const _: () = assert!(2 * BARE >= ACKNOWLEDGE && 2 * BARE >= COMPLAINT);

/// Bytes of answers that wait for one link. Whatever its state, a link that has read everything can be answered, and
/// one that has not is not read from.
pub const REPLY: usize = 96;
const _: () = assert!(REPLY >= ANSWER_NEWCOMER && REPLY >= ANSWER_USER);

/// The longest saved game of a table with `users` users: 14 /* header */ + 240 /* games and their keys */ + 1,024 /* config,
/// dice, piles, deeds, claims, players */ + 93 deals of at most 48 + 48 a user /* name 33, id, piece, sealed password 10, flags */.
pub const fn save_max(users: usize) -> usize {
    14 + crate::fair::SAVED + 1024 + 93 * 48 + 48 * users
}

/// The longest frozen table: a saved one, 80 /* votes, clocks, counters */ + 104 a user /* seal, times, flags */ + for each
/// link 360 /* cursor 60, dump 25, replies 98, line 70, snapshot 107 */ and a piece a user + the ring.
pub const fn frozen_max(users: usize, links: usize, ring: usize) -> usize {
    save_max(users) + 80 + 104 * users + links * (360 + users) + ring
}

/// Seats, a constant of the rules; users may be more.
pub const SEATS: usize = PLAYERS;

/// A microcontroller with 64 KB: 4,096 /* ring */ + 10 /* links */ * about 300 /* cursor 48, replies 98, snapshot 104,
/// state 48 */ + 3,728 /* 93 deals of 40 */ + 8 /* users */ * 88 + about 700 /* the rest of the game, dice, options,
/// clock */ + 232 /* games and their keys */: 12,488 bytes on a PC, of the 12,544 allowed.
pub type BoardTable = Table<8, 10, 4096>;
/// One of many on a PC, 8 seats and 6 watchers: a host may have thousands.
pub type LobbyTable = Table<14, 16, 4096>;
/// A PC.
pub type HostTable = Table<32, 34, 16384>;
/// As many as the protocol can number.
pub type CrowdTable = Table<255, 257, 65536>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_table_fits_its_budget() {
        let sizes = [size_of::<BoardTable>(), size_of::<HostTable>(), size_of::<CrowdTable>()];
        std::println!("size_of board, host and crowd table: {sizes:?}");
        assert!(sizes[0] <= 12 * 1024 + 256, "{sizes:?}");
    }

    #[test]
    fn thousands_of_lobby_tables_fit_a_host() {
        let size = size_of::<LobbyTable>();
        std::println!("size_of lobby table: {size}");
        // Of 16 KB a table, the rest is for what an adapter puts around it: its lock, its wakers, its clock.
        assert!(size <= 15 * 1024, "{size}");
    }
}
