//! Every capacity of Scotland Yard, as commented sums.
//!
//! A server is one value of a fixed size: what stands here is all the memory it will ever use.

use super::server::Yard;

/// The longest save of a Yard's server: 14 /* header */ + 101 /* config, dice, counts */ + games and their keys + 145 an account
/// /* id 3, name 76, hash 65, played 1 */ + 435 a game /* name 121, six seats 37, starts 6, log 271 */ and its draws.
pub const fn save_max(accounts: usize, games: usize) -> usize {
    14 + 101 + crate::fair::SAVED + 145 * accounts + (435 + crate::fair::SAVED_GAME) * games
}

/// The longest frozen server: a save and what is not saved: 64 /* front, outbox */ + 16 an account /* link, when seen */ +
/// 42 a game /* marks, when deserted, when due */ + 420 a link /* marks and times 80, tag 21, snapshot 10, cursors 90, answers 162 */ +
/// the ring.
pub const fn frozen_max(accounts: usize, games: usize, links: usize, ring: usize) -> usize {
    save_max(accounts, games) + 64 + 16 * accounts + 42 * games + 420 * links + ring
}

/// Games in progress that one account may have a seat in: four, where there are places enough.
pub const fn games_each(games: usize) -> usize {
    if games < 8 { games / 2 } else { 4 }
}

/// A microcontroller with 64 KB: lines of 256 bytes; 4,096 /* ring */ + 10 /* links */ * about 400 /* cursor 48, replies
/// 162, state 170 */ + 16 /* accounts */ * 152 + 4 /* games */ * 472.
pub type BoardYard = Yard<16, 4, 10, 4096, 258>;
/// A PC: lines of 4,096 bytes.
pub type HostYard = Yard<1024, 60, 258, 65536, 4098>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_yard_fits_its_budget() {
        let sizes = [size_of::<BoardYard>(), size_of::<HostYard>()];
        std::println!("size_of board and host yard: {sizes:?}");
        assert!(sizes[0] <= 12 * 1024 + 256, "{sizes:?}");
    }
}
