//! Every file of `conversations/pimp`, held with the core in this process.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use parlor_tests::conversation::{Conversation, Coverage};
use parlor_tests::peer::{Backend, Peer};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("conversations/pimp")
}

/// Bytes that arrive in one piece: all there are.
const WHOLE: usize = usize::MAX;

fn hold(name: &str, piece: usize, coverage: &mut Coverage) -> Result<(), String> {
    let file = format!("{name}.talk");
    let text = std::fs::read_to_string(folder().join(&file)).map_err(|e| format!("{file}: {e}"))?;
    let conversation = Conversation::parse(&format!("conversations/pimp/{file}"), &text)?;
    let mut backend = conversation.setup.in_memory(piece).map_err(|e| format!("{file}: {e}"))?;
    conversation.run(&mut *backend, coverage)
}

/// A test a file, by the file's name.
macro_rules! conversations {
    ($($name:ident)*) => {
        const FILES: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                if let Err(failure) = hold(stringify!($name), WHOLE, &mut Coverage::default()) {
                    panic!("{failure}");
                }
            }
        )*
    };
}

conversations! {
    afk
    auction
    auction_absent
    auction_debt
    bankrupt_in_auction
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
    cards_repairs_houses
    cheat_fee
    cheat_frozen_debtor
    cheat_guessed_password
    cheat_has_house_later
    cheat_insolvent_gives
    cheat_kick_pool
    cheat_last_seat
    cheat_late_bidder
    cheat_leader_leaves
    cheat_mortgage_after_agree
    cheat_own_rent
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
    debt_reopened
    default_times
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
    jail_without_cash
    joining
    kick
    kick_debt
    kick_held
    lap_before_buy
    max_players
    moratorium
    mortgage
    names
    names_ascii
    net_worth
    net_worth_houses
    ninth_player
    observers
    presence
    rate_limit
    rejoin
    rejoin_candidate
    rent_claim
    rents
    ring_overrun
    sale
    slow_reader
    takeover
    takeover_auction
    takeover_candidate
    takeover_held
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
    win_ends_votes
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

/// How bytes are cut up on their way must change nothing.
#[test]
fn every_file_holds_byte_by_byte() {
    for piece in [1, 7] {
        let failures: Vec<String> =
            FILES.iter().filter_map(|name| hold(name, piece, &mut Coverage::default()).err()).collect();
        assert!(failures.is_empty(), "in pieces of {piece}: {}", failures.join("\n\n"));
    }
}

/// What no conversation can bring about, and why.
const SILENT: [(&str, &str); 1] =
    [("CARD_COLLECT_OR_RETRY", "no card of board 0 leaves a choice; it is the British \"fine or Chance\" card")];

#[test]
fn every_message_occurs() {
    let mut coverage = Coverage::default();
    let failures: Vec<String> = found().iter().filter_map(|name| hold(name, WHOLE, &mut coverage).err()).collect();
    println!("{coverage}");
    SILENT.iter().for_each(|(name, why)| println!("never: {name}: {why}"));
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert_eq!(coverage.missing(), SILENT.map(|(name, _)| name), "messages that nobody said");
}

/// Says this to a table of ann and bob, who begins with a throw of 1 and 2; how it fails.
fn failure(lines: &str) -> String {
    let text = format!("# A conversation that goes wrong (pimp 5)\ndice: 1 2\nplayers ann bob\n{lines}");
    let conversation = Conversation::parse("wrong.talk", &text).unwrap();
    let mut backend = conversation.setup.in_memory(WHOLE).unwrap();
    conversation.run(&mut *backend, &mut Coverage::default()).unwrap_err()
}

#[test]
fn what_differs_is_shown_beside_what_should_be() {
    let shown = failure("bob > THROW_DICE\nall < DICE_ROLLED bob 1 3\n");
    let start = "wrong.talk:5: ann should hear\n    DICE_ROLLED bob 1 3\n  but heard\n    DICE_ROLLED bob 1 2\n";
    assert!(shown.starts_with(start), "{shown}");
    assert!(shown.ends_with("    bob > THROW_DICE\n    ann < DICE_ROLLED bob 1 2"), "{shown}");
}

#[test]
fn what_is_not_mentioned_must_not_come() {
    let unmentioned = "heard what no line mentions\n    DICE_ROLLED bob 1 2\n";
    assert!(failure("bob > THROW_DICE\n").starts_with(&format!("wrong.talk:4: ann {unmentioned}")));
    assert!(failure("bob > THROW_DICE\nann < ...\n").starts_with(&format!("wrong.talk:5: bob {unmentioned}")));
    assert!(failure("bob > THROW_DICE\nbob,ann < nothing\n").contains(unmentioned));
    // One frame more than the short form covers.
    let rest = failure("bob throws 1 2 to 3\nann > HANDSHAKE 1\n");
    assert!(rest.starts_with("wrong.talk:5: ann heard what no line mentions\n    PROPERTY_SALE bob 1 60\n"), "{rest}");
}

#[test]
fn what_is_mentioned_must_come() {
    assert!(
        failure("ann < ROLL_AGAIN ann\n")
            .starts_with("wrong.talk:4: ann should hear\n    ROLL_AGAIN ann\n  but nothing")
    );
    assert!(failure("bob > REQUEST_STATE\nbob < ...\nbob < ROLL_AGAIN bob\n").contains("but nothing came"));
    assert!(failure("ann < closed\n").starts_with("wrong.talk:4: ann should be closed and is not"));
    assert!(failure("ann > raw 00 ff\nann < ERROR_UNPARSEABLE\nbob > HANDSHAKE 1\n").contains("closed, which no line"));
    assert!(failure("cash ann 1400\n").contains("ann should have 1400, but ann has heard of Some(1500)"));
}

#[test]
fn a_name_once_bound_is_held_to() {
    let lines = "bob > TRANSACTION_REQUEST_TRADE ann\nbob < TRANSACTION_TRADE_REQUESTED $t ann\n\
        ann < TRANSACTION_TRADE_REQUESTED $t bob\nbob > TRANSACTION_REQUEST_TRADE ann\n\
        bob < TRANSACTION_TRADE_REQUESTED $t ann\n";
    let shown = failure(lines);
    assert!(
        shown.contains("TRANSACTION_TRADE_REQUESTED 1 ann\n  but heard\n    TRANSACTION_TRADE_REQUESTED 2 ann"),
        "{shown}"
    );
}

#[test]
fn a_file_that_makes_no_sense_is_told_where() {
    let told = |text: &str| Conversation::parse("odd.talk", text).unwrap_err();
    assert!(told("players ann\n").starts_with("odd.talk:1: the first line is a title"));
    assert!(told("# Title (pimp 1)\nann > THROW_DIE\n").starts_with("odd.talk:2: no message is called THROW_DIE"));
    assert!(told("# Title (pimp 1)\nann > BID\n").contains("BID has the fields (cash), not 0"));
    assert!(told("# Title (pimp 1)\nann sings\n").starts_with("odd.talk:2: ann sings: not understood"));
    assert!(told("# Title (pimp 1)\ndice: 1 7\n").contains("two dice, please"));
}

/// A server that has lost count: ann is told of 1500, and asked again it says 1400.
struct Forgetful(Vec<u8>);

const WELCOME: [u8; 7] = [0x03, 5, 1, 0, 0, 0, 9];

fn dump(cash: u16) -> Vec<u8> {
    let [high, low] = cash.to_be_bytes();
    let player = [0x13, 0x0c, 1, 1, 3, 0x61, 0x6e, 0x6e, 0, 0, 0, high, low, 0];
    [&[0x12, 1, 0][..], &player, &[0xc4, 2, 32, 12], &[0x1f, 4, 0, 0, 0, 100]].concat()
}

impl Backend for Forgetful {
    fn connect(&mut self) -> Box<dyn Peer> {
        Box::new(Forgetful([&WELCOME[..], &dump(1500)].concat()))
    }
    fn wait(&mut self, _ms: u64) {}
    fn patience(&self) -> Duration {
        Duration::ZERO
    }
}

impl Peer for Forgetful {
    fn send(&mut self, _bytes: &[u8]) {
        self.0 = dump(1400);
    }
    fn arrived(&mut self, _patience: Duration) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }
    fn is_closed(&mut self) -> bool {
        false
    }
    fn stop_reading(&mut self, _stop: bool) {}
    fn hang_up(&mut self) {}
}

#[test]
fn books_that_do_not_add_up_fail_any_file() {
    let text = "# Nothing is wrong until the end (pimp 14)\nconnect ann\nann < WELCOME_DETAILS 1 9\nann ~ dump\n";
    let conversation = Conversation::parse("books.talk", text).unwrap();
    let shown = conversation.run(&mut Forgetful(Vec::new()), &mut Coverage::default()).unwrap_err();
    assert!(shown.contains("ann added up\n") && shown.contains("{1: 1500}") && shown.contains("{1: 1400}"), "{shown}");
}
