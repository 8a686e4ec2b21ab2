//! What a client in another language is held against, one line each, on standard output
//! (`cargo run -p parlor-tests --bin transcripts`):
//!
//! - `vector HEX TEXT`: a frame, and how it reads;
//! - `heard NAME HEX JSON`: all that one connection heard, in a conversation or a game of bots, and what core's view
//!   made of it;
//! - `words HEX JSON`: a line of Scotland Yard, and its words; `null` if it is none;
//! - `space NAME KIND CIRCLE PORT SYSTEM LIVES` and `way FROM TO HOW NUMBERS`: the board of Merchant of Venus, each way in
//!   both directions;
//! - `yard NAME USER HEX JSON`: all that one user of Scotland Yard was told, and what core's view showed on the way.
//!
//! Columns are separated by tabs.

use std::env;
use std::io::{self, Write as _};
use std::time::Duration;

use parlor_core::lines::Words;
use parlor_core::pimp::limits::HostTable;
use parlor_core::pimp::server::Config;
use parlor_core::pimp::view::{Claim, Deal, Kind, Prompt, Side, User, View};
use parlor_core::pimp::wire::{Message, Name, TABLE};
use parlor_core::server::Millis;
use parlor_core::venus::board::GALAXY;
use parlor_tests::conversation::{Coverage, Entry};
use parlor_tests::peer::InMemory;
use parlor_tests::pimp::{Dialect, bots, vectors};
use parlor_tests::record::{Heard, Recorded};
use parlor_tests::yard::told;

fn main() -> Result<(), String> {
    let mut out = io::stdout().lock();
    for entry in TABLE {
        for (payload, shown) in vectors::payloads(entry) {
            let frame = [&[entry.code, payload.len() as u8], &payload[..]].concat();
            writeln!(out, "vector\t{}\t{shown}", hex(&frame)).map_err(|error| error.to_string())?;
        }
    }
    let mut tell = |name: &str, heard: &Heard| {
        heard.0.iter().enumerate().try_for_each(|(connection, bytes)| {
            writeln!(out, "heard\t{name} {connection}\t{}\t{}", hex(bytes), known(&view(bytes)))
        })
    };
    for talk in Entry::of::<Dialect>().talks()? {
        let mut backend = talk.in_memory(usize::MAX)?;
        let mut recorded = Recorded::new(&mut *backend);
        talk.run(&mut recorded, &mut Coverage::default())?;
        tell(talk.file(), &recorded.heard()).map_err(|error| error.to_string())?;
    }
    for seed in 1..=env::args().nth(1).and_then(|games| games.parse().ok()).unwrap_or(3) {
        // No clock runs here: nothing may wait for one.
        let config = Config { claim_grace: 0, vote_pause: 0, rate: 0, dump_pause: 0, ..Config::DEFAULT };
        let mut table = Box::new(HostTable::new());
        table.begin(&[seed; 32], &config, Millis(0));
        let mut memory = InMemory::new(table);
        let mut recorded = Recorded::new(&mut memory);
        bots::play(&mut recorded, 4, 400, 60, Duration::from_secs(60))?;
        tell(&format!("bots {seed}"), &recorded.heard()).map_err(|error| error.to_string())?;
    }
    tell_yard(&mut out).and_then(|()| tell_galaxy(&mut out)).map_err(|error| error.to_string())
}

fn tell_galaxy(out: &mut impl io::Write) -> io::Result<()> {
    let board = &GALAXY;
    for space in board.spaces() {
        let (name, kind) = (board.name(space), board.kind(space));
        let (circle, port) = (board.is_circle(space), board.port_at(space).is_some());
        let system = board.system_of(space).filter(|system| !board.system_name(*system).is_empty());
        let (system, lives) = system.map_or(("", None), |one| (board.system_name(one), Some(board.lives(one))));
        writeln!(out, "space\t{name}\t{kind:?}\t{circle}\t{port}\t{system}\t{lives:?}")?;
        for way in board.ways(space) {
            let numbers: String = (1..=6).filter(|n| way.numbers().contains(*n)).map(|n| n.to_string()).collect();
            let how = if way.is_fly() { "fly" } else { "walk" };
            writeln!(out, "way\t{name}\t{}\t{how}\t{numbers}", board.name(way.to()))?;
        }
    }
    Ok(())
}

fn tell_yard(out: &mut impl io::Write) -> io::Result<()> {
    // Pieces of lines, put together in every order of three.
    const PIECES: [&str; 12] = ["a", " ", "'", "\"", "\\", "#1", "b c", "''", "\"\"", "\\\"", "ä", "\t"];
    for n in 0..PIECES.len().pow(3) {
        let line = [n, n / 12, n / 144].map(|n| PIECES[n % 12]).concat();
        let mut room = [0; 64];
        let words = Words::split(line.as_bytes(), &mut room).map(|words| format!("{:?}", words.collect::<Vec<_>>()));
        writeln!(out, "words\t{}\t{}", hex(line.as_bytes()), words.unwrap_or_else(|_| "null".into()))?;
    }
    for seed in 1..=4 {
        for told in told::game(seed) {
            let text = told.lines.join("\r\n") + "\r\n";
            writeln!(
                out,
                "yard\t{seed} {}\t{}\t{}\t{}",
                told.user,
                told.user,
                hex(text.as_bytes()),
                told::known(&told)
            )?;
        }
    }
    Ok(())
}

fn view(bytes: &[u8]) -> View {
    let mut view = View::new();
    let mut rest = bytes;
    while let [code, length, tail @ ..] = rest {
        let Some((payload, after)) = tail.split_at_checked(usize::from(*length)) else { break };
        if let Ok(message) = Message::from_server(*code, payload) {
            view.take(&message);
        }
        rest = after;
    }
    view
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn name(name: Name<'_>) -> String {
    format!("\"{}\"", hex(name.bytes()))
}

fn known(view: &View) -> String {
    let list = |items: Vec<String>| format!("[{}]", items.join(","));
    let known = view.known();
    let deeds = known.deeds.iter().map(|(_, h)| format!("[{},{},{},{}]", h.owner, h.mortgaged, h.houses, h.hotels));
    let vote = known.vote.map(|vote| format!("[{},{},{}]", vote.candidate, vote.play, name(vote.name())));
    let claims = view.claims().iter().map(|noticed| match noticed.claim {
        Claim::Rent { creditor, debtor, deed } => format!("[{creditor},{debtor},{}]", deed.id()),
        Claim::Go { player, square } => format!("[{player},{}]", square.id()),
    });
    format!(
        "{{\"game\":{},\"me\":{},\"password\":{},\"users\":{},\"deeds\":{},\"cards\":{:?},\"pot\":{},\"bank\":[{},{}],\
         \"prompt\":{},\"turn\":{},\"deals\":{},\"vote\":{},\"pending\":{},\"claims\":{},\"dice\":[{},{}],\"worth\":{:?}}}",
        view.game(),
        known.me,
        view.password(),
        list(known.users.iter().map(user).collect()),
        list(deeds.collect()),
        known.cards,
        known.pot,
        known.bank_houses,
        known.bank_hotels,
        prompt(&known.prompt),
        view.turn(),
        list(known.deals.iter().map(deal).collect()),
        vote.unwrap_or_else(|| "null".into()),
        known.pending,
        list(claims.collect()),
        view.dice().0,
        view.dice().1,
        known.users.iter().flat_map(|user| [view.worth(user.id), view.total(user.id)]).collect::<Vec<_>>(),
    )
}

fn user(user: &User) -> String {
    let User { id, piece, playing, square, jail_turn, cash, .. } = user;
    format!("[{id},{piece},{playing},{},{jail_turn},{cash},{}]", square.id(), name(user.name()))
}

fn prompt(prompt: &Prompt) -> String {
    match prompt {
        Prompt::Idle => "[\"idle\"]".into(),
        Prompt::Start { player, may_throw } => format!("[\"start\",{player},{may_throw}]"),
        Prompt::Jail { player, rolls_left, may_build } => format!("[\"jail\",{player},{rolls_left},{may_build}]"),
        Prompt::Again { player } => format!("[\"again\",{player}]"),
        Prompt::Sale { player, deed, price } => format!("[\"sale\",{player},{},{price}]", deed.id()),
        Prompt::Auction { deed, leader, bid, passed } => {
            let passed: Vec<u8> = (0..=255).filter(|id| passed.contains(*id)).collect();
            format!("[\"auction\",{},{leader},{bid},{passed:?}]", deed.id())
        }
        Prompt::Tax { player, square } => format!("[\"tax\",{player},{}]", square.id()),
        Prompt::CardChoice { player, square, card } => {
            format!("[\"card\",{player},{},{}]", square.id(), card.id())
        }
        Prompt::Waiting { player, transaction } => format!("[\"waiting\",{player},{transaction}]"),
        Prompt::Over { winner } => format!("[\"over\",{winner}]"),
    }
}

fn deal(deal: &Deal) -> String {
    let (kind, about) = match deal.kind {
        Kind::Trade => ("trade", 0),
        Kind::Rent { deed } => ("rent", deed.id()),
        Kind::Card { card } => ("card", card.id()),
        Kind::Square { square } => ("square", square.id()),
        Kind::Bank => ("bank", 0),
        Kind::Jail => ("jail", 0),
    };
    let Deal { id, other, creditor, amount, unusual, .. } = deal;
    let (mine, theirs) = (side(&deal.mine), side(&deal.theirs));
    format!("[{id},\"{kind}\",{about},{other},{creditor},{amount},{unusual},{mine},{theirs}]")
}

fn side(side: &Side) -> String {
    let deeds: Vec<u8> = side.deeds.iter().map(|deed| deed.id()).collect();
    let cards: Vec<u8> = side.cards().map(|card| card.id()).collect();
    format!("[{},{deeds:?},{cards:?},{}]", side.cash, side.step as u8)
}
