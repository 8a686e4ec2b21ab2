//! Every file of `conversations/pimp`, held with the core in this process.

use std::collections::BTreeSet;
use std::path::PathBuf;

use parlor_tests::conversation::{Conversation, Coverage};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("conversations/pimp")
}

fn hold(name: &str, coverage: &mut Coverage) -> Result<(), String> {
    let file = format!("{name}.talk");
    let text = std::fs::read_to_string(folder().join(&file)).map_err(|e| format!("{file}: {e}"))?;
    let conversation = Conversation::parse(&format!("conversations/pimp/{file}"), &text)?;
    let mut backend = conversation.setup.in_memory().map_err(|e| format!("{file}: {e}"))?;
    conversation.run(&mut *backend, coverage)
}

/// A test a file, by the file's name.
macro_rules! conversations {
    ($($name:ident)*) => {
        const FILES: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                if let Err(failure) = hold(stringify!($name), &mut Coverage::default()) {
                    panic!("{failure}");
                }
            }
        )*
    };
}

conversations! {
    auction
    auction_absent
    auction_debt
    bankrupt_to_bank
    bankrupt_to_player
    cards_advance
    cards_chance
    cards_chest
    cards_each
    cards_nearest
    cards_nearest_owned
    cards_railroad
    cards_repairs
    cheat_fee
    cheat_frozen_debtor
    cheat_guessed_password
    cheat_kick_pool
    cheat_late_bidder
    cheat_leader_leaves
    cheat_mortgage_after_agree
    cheat_rent_dodge
    cheat_second_agree
    cheat_silent_electors
    cheat_spent_ids
    cheat_stalled_auction
    cheat_start_cash
    cheat_start_cash_takeover
    cheat_trade_flood
    cheat_void_claim
    cheat_vote_flood
    claim_grace
    claims_doubles
    deserted
    dump_resync
    escrow
    escrow_earlier
    estate_to_bank
    framing
    full_table
    go_claim
    go_claim_lost
    handshake
    houses_bank
    houses_errors
    houses_termites
    jail_card
    jail_pay
    jail_roll
    jail_third
    joining
    kick
    kick_debt
    lap_before_buy
    max_players
    moratorium
    mortgage
    names
    names_ascii
    net_worth
    net_worth_houses
    observers
    presence
    rate_limit
    rejoin
    rent_claim
    ring_overrun
    sale
    slow_reader
    takeover
    taxes
    taxes_no_pot
    three_doubles
    time_to_join
    trade
    trade_card
    trade_houses
    transfer
    transfer_houses
    votes
    votes_absent
    votes_queue
    votes_refused
    votes_timeout
    win_and_again
}

fn found() -> BTreeSet<String> {
    std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .map(|file| file.strip_suffix(".talk").map(str::to_string).unwrap_or(file))
        .collect()
}

#[test]
fn every_file_of_the_folder_is_held() {
    let listed: BTreeSet<String> = FILES.iter().map(|name| name.to_string()).collect();
    assert_eq!(listed, found(), "listed in conversations.rs and found in the folder");
}

/// What no conversation can bring about, and why.
const SILENT: [(&str, &str); 1] =
    [("CARD_COLLECT_OR_RETRY", "no card of board 0 leaves a choice; it is the British \"fine or Chance\" card")];

#[test]
fn every_message_occurs() {
    let mut coverage = Coverage::default();
    let failures: Vec<String> = found().iter().filter_map(|name| hold(name, &mut coverage).err()).collect();
    println!("{coverage}");
    SILENT.iter().for_each(|(name, why)| println!("never: {name}: {why}"));
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert_eq!(coverage.missing(), SILENT.map(|(name, _)| name), "messages that nobody said");
}
