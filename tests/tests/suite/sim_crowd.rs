//! As many users as the protocol can number, at one table; and what tables weigh.

use std::mem::size_of;

use parlor_core::pimp::limits::{BoardTable, CrowdTable, HostTable};
use parlor_tests::pimp::sim::client::Player;
use parlor_tests::pimp::sim::{Checking, End, Game, Options};

#[test]
fn eight_play_while_247_watch() {
    let options = Options { watchers: 247, turns: 40, checking: Checking::Off, ..Options::calm(255, 8, Player::Plain) };
    let mut game = Game::<255, 257, 65536>::new(&options);
    let end = loop {
        if let Some(end) = game.round().unwrap() {
            break end;
        }
    };
    assert_eq!(end, End::TurnLimit);
    assert_eq!(game.world.driver.server.users(), 255);
    game.check.mirrors(&game.world).unwrap();
    assert_eq!(game.check.mirrors, 255);
    println!("{} frames delivered to 255 users", game.world.census.delivered());
}

#[test]
fn a_board_table_fits_a_board() {
    let sizes = [size_of::<BoardTable>(), size_of::<HostTable>(), size_of::<CrowdTable>()];
    println!("size_of: board {} bytes, host {}, crowd {}", sizes[0], sizes[1], sizes[2]);
    assert!(sizes[0] <= 12 * 1024 + 256, "{sizes:?}");
}
