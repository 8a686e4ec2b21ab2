//! A client that shares no code with us, written from the protocol's text, plays whole games over real sockets.

use std::process::Command;

use parlor_core::driver::Driver;
use parlor_core::yard::limits::BoardYard;
use parlor_core::yard::server::Config;
use parlor_tests::served::Served;

fn play(seed: u8) -> String {
    let served = Served::new(move || {
        let mut driver = Driver::new(Box::new(BoardYard::new()));
        // The client learns the map by trial: it talks much faster than people do.
        driver.server.begin(&[seed; 32], &Config { rate: 0, ..Config::DEFAULT });
        driver
    })
    .unwrap();
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/clients/yard.py");
    let [host, port] = [served.address.ip().to_string(), served.address.port().to_string()];
    let run = Command::new("python3").args([client, &host, &port, &seed.to_string()]).output();
    let run = run.expect("python3 is needed (Debian: apt install python3)");
    let (said, wrong) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "seed {seed}: {said}{wrong}");
    said.into_owned()
}

#[test]
fn a_client_of_another_making_plays_whole_games() {
    for seed in 1..=3 {
        let said = play(seed);
        print!("{said}");
        assert!(said.contains(" won after "), "{said}");
    }
}
