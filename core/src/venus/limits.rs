//! Every capacity of this game in one table.
//!
//! A server is one value of a fixed size: what stands here is all the memory it will ever use.

use super::server::Venus;
#[cfg(feature = "postcard")]
use super::server::{FILE_MAX, HASH_MAX};
#[cfg(feature = "postcard")]
use super::wire::{ROOM_MAX, SAVE_MAX, USER_MAX};

/// Games in progress that one user may have a seat in: four, where there are rooms enough.
pub const fn games_each(rooms: usize) -> usize {
    if rooms < 8 { rooms.div_ceil(2) } else { 4 }
}

/// A microcontroller with 64 KB: lines of 256 bytes; 4,096 /* ring */ + 10 /* links */ * about 390 /* cursor 80, answers
/// 140, state 170 */ + 10 /* accounts */ * 104 + 2 /* rooms */ * 820 /* name 25, seats 126, game 624 */ + 2 /* snapshots */ *
/// 1,030 /* game 760, hall 270 */ + 4 /* saved names */ * 35 + 786 /* a file on its way */: 12,568 bytes on a PC.
pub type BoardVenus = Venus<10, 2, 10, 4096, 258, 2, 4>;
/// A PC: lines of 1,024 bytes, as many rooms as a ring can tell apart.
pub type HostVenus = Venus<1024, 255, 258, 131_072, 1026, 16, 60>;

const _: () = assert!(size_of::<BoardVenus>() <= 13 * 1024);
const _: () = assert!(size_of::<HostVenus>() <= 1024 * 1024);

/// The longest save: 14 /* header */ + 325 /* config, window, dice, counts */ + games and their keys + an account /* id, name,
/// hash */ + a room /* name, what a file has, draws */ + a saved name and its owner.
#[cfg(feature = "postcard")]
pub const fn save_max(accounts: usize, rooms: usize, saves: usize) -> usize {
    14 + 325
        + crate::fair::SAVED
        + accounts * (3 + 1 + USER_MAX + 1 + HASH_MAX + 1)
        + rooms * (1 + ROOM_MAX + FILE_MAX + crate::fair::SAVED_GAME)
        + saves * (SAVE_MAX + 4)
}

/// The longest frozen server: a save and what is not saved: 64 /* counts, outbox */, 16 an account /* link, when seen */,
/// 64 a room /* marks and times */, 420 a link /* state 120, file's name 65, cursors 90, answers 142 */, snapshots /* a file
/// each; a name and status a room, a name and a room a link */, the ring.
#[cfg(feature = "postcard")]
pub const fn frozen_max([accounts, rooms, links, ring, shots, saves]: [usize; 6]) -> usize {
    let hall_shot = 16 + rooms * (ROOM_MAX + 2) + links * (USER_MAX + 3);
    save_max(accounts, rooms, saves)
        + 64
        + 16 * accounts
        + 64 * rooms
        + 420 * links
        + shots * (FILE_MAX + 16 + hall_shot)
        + ring
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_fit_their_budgets() {
        let sizes = [size_of::<BoardVenus>(), size_of::<HostVenus>()];
        std::println!("size_of board and host venus: {sizes:?}");
    }
}
