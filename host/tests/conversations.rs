//! The conversations with the real program, over TCP and WebSocket.

mod common;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Mutex;

use common::Server;
use parlor::client::{Target, Trust, connect};
use parlor_core::pimp::server::Config;
use parlor_tests::conversation::{Conversation, Coverage, Limits};
use parlor_tests::peer::OverTcp;
use tokio::io::copy_bidirectional;
use tokio::net::TcpListener;

/// How often a file that failed is held again.
const TRIES: u32 = 2;

/// Waits four times 2 s beside pings every 2 s: which comes first is chance where time is real.
const TO_THE_SECOND: &str = "presence.talk";

/// The flags that give a table these settings.
fn flags(config: &Config, seed: &[u8; 32]) -> Vec<String> {
    let rules = &config.rules;
    let switch = |on: bool| if on { "on" } else { "off" }.to_owned();
    let seconds = |ms: u32| format!("{}", f64::from(ms) / 1000.0);
    let pairs = [
        ("seed", seed.iter().map(|byte| format!("{byte:02x}")).collect()),
        ("pot", rules.pot.map_or("off".into(), |pot| pot.to_string())),
        ("double-go", switch(rules.double_go)),
        ("lap-before-buy", switch(rules.lap_before_buy)),
        ("estate-to-creditor", switch(rules.estate_to_creditor)),
        ("bail-ends-turn", switch(rules.bail_ends_turn)),
        ("debt-blocks-roll", switch(rules.debt_blocks_roll)),
        ("termites", rules.termites.to_string()),
        ("vote-timeout", seconds(config.vote_timeout)),
        ("vote-pause", seconds(config.vote_pause)),
        ("ping-interval", seconds(config.ping_interval)),
        ("ping-timeout", seconds(config.ping_timeout)),
        ("auction-timeout", seconds(config.auction_timeout)),
        ("claim-grace", seconds(config.claim_grace)),
        ("presence", seconds(config.presence)),
        ("silence", seconds(config.silence)),
        ("join-timeout", seconds(config.join_timeout)),
        ("deserted", seconds(config.deserted)),
        ("farewell", seconds(config.farewell)),
        ("password-pause", seconds(config.password_pause)),
        ("dump-pause", seconds(config.dump_pause)),
        ("rate", config.rate.to_string()),
        ("wrong-passwords", config.wrong_passwords.to_string()),
        ("refusals", config.refusals.to_string()),
        ("ascii-names", switch(config.ascii_names)),
        ("max-players", config.max_players.to_string()),
    ];
    pairs.into_iter().flat_map(|(name, value)| [format!("--{name}"), value]).collect()
}

/// A plain port that leads to `target`, whatever is spoken there.
fn detour(runtime: &tokio::runtime::Runtime, target: Target) -> SocketAddr {
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    runtime.spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let target = target.clone();
            tokio::spawn(async move {
                near.set_nodelay(true).unwrap();
                let mut far = connect(&target, &Trust::Blind).await.unwrap();
                let _ = copy_bidirectional(&mut near, &mut far).await;
            });
        }
    });
    address
}

fn hold(conversation: &Conversation, scheme: &str, runtime: &tokio::runtime::Runtime) -> Result<(), String> {
    let flags = flags(&conversation.setup.config()?, &conversation.setup.seed);
    let arguments: Vec<&str> = flags.iter().map(String::as_str).collect();
    let server = Server::start(&arguments);
    let mut backend = OverTcp(match scheme {
        "tcp" => server.port("pimp"),
        _ => detour(runtime, format!("ws://{}/", server.port("pimp-ws")).parse().unwrap()),
    });
    conversation.run(&mut backend, &mut Coverage::default())
}

fn the_files_hold_over(scheme: &str) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/conversations/pimp");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let (queue, failures, held) = (Mutex::new(paths), Mutex::new(Vec::new()), Mutex::new(0));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    // Most of the time is spent waiting, so more at once than there are cores.
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                loop {
                    let Some(path) = queue.lock().unwrap().pop() else { return };
                    let text = std::fs::read_to_string(&path).unwrap();
                    let conversation = Conversation::parse(&path.display().to_string(), &text).unwrap();
                    if path.ends_with(TO_THE_SECOND) {
                        continue;
                    }
                    if !conversation.setup.needs.is_empty() || conversation.setup.limits == Limits::Board {
                        continue;
                    }
                    // Time is real here: on a busy machine a file that waits may wait too long, and is held again.
                    let first = hold(&conversation, scheme, &runtime);
                    let result =
                        (0..TRIES).fold(first, |held, _| held.or_else(|_| hold(&conversation, scheme, &runtime)));
                    match result {
                        Ok(()) => *held.lock().unwrap() += 1,
                        Err(failure) => failures.lock().unwrap().push(failure),
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    println!("{} conversations held over {scheme}", held.into_inner().unwrap());
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn the_files_hold_over_tcp() {
    the_files_hold_over("tcp");
}

#[test]
fn the_files_hold_over_websocket() {
    the_files_hold_over("ws");
}
