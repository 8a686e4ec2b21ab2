//! What a client in another language is held against: frames, and all that connections heard, with what core's view made
//! of it.

use std::io;
use std::time::Duration;

use parlor_core::pimp::limits::HostTable;
use parlor_core::pimp::server::Config;
use parlor_core::pimp::view::{Claim, Deal, Kind, Prompt, Side, User, View};
use parlor_core::pimp::wire::{Message, Name, TABLE};
use parlor_core::server::Millis;

use super::{Dialect, bots, vectors};
use crate::conversation::{Coverage, Entry, Told, hex};
use crate::peer::InMemory;
use crate::record::{Heard, Recorded};

/// - `vector HEX TEXT`: a frame, and how it reads;
/// - `heard NAME HEX JSON`: all that one connection heard, in a conversation or one of so many games of bots, and what core's
///   view made of it.
pub(super) fn tell(out: &mut dyn io::Write, games: u8) -> Told {
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
    for seed in 1..=games {
        // No clock runs here: nothing may wait for one.
        let config = Config { claim_grace: 0, vote_pause: 0, rate: 0, dump_pause: 0, ..Config::DEFAULT };
        let mut table = Box::new(HostTable::new());
        table.begin(&[seed; 32], &config, Millis(0));
        let mut memory = InMemory::new(table);
        let mut recorded = Recorded::new(&mut memory);
        bots::play(&mut recorded, 4, 400, 60, Duration::from_secs(60))?;
        tell(&format!("bots {seed}"), &recorded.heard()).map_err(|error| error.to_string())?;
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
