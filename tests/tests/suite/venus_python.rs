//! A client that shares no code with us, written from the protocol's page, plays whole games over real sockets.

use std::process::Command;

use parlor_core::driver::Driver;
use parlor_core::venus::limits::BoardVenus;
use parlor_core::venus::server::Config;
use parlor_tests::served::Served;

fn play(players: u8, seed: u8) -> String {
    let served = Served::new(move || {
        let mut driver = Driver::new(Box::new(BoardVenus::new()));
        // Programs talk faster than people do.
        driver.server.begin(&[seed; 32], &Config { rate: 0, storage: true, ..Config::DEFAULT });
        driver
    })
    .unwrap();
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/clients/venus.py");
    let [host, port] = [served.address.ip().to_string(), served.address.port().to_string()];
    let run = Command::new("python3").args([client, &host, &port, &players.to_string(), &seed.to_string()]).output();
    let run = run.expect("python3 is needed (Debian: apt install python3)");
    let (said, wrong) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{players} players, seed {seed}: {said}{wrong}");
    said.into_owned()
}

#[test]
fn a_client_of_another_making_plays_whole_games() {
    for (players, seed) in [(2, 1), (3, 2)] {
        let said = play(players, seed);
        print!("{said}");
        assert!(said.contains(" won after "), "{said}");
    }
}
