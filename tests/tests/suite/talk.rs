//! What the runner of conversations says when one goes wrong: every way in which a file can fail does fail, readably.

use std::time::Duration;

use parlor_tests::conversation::{Conversation, Coverage, Dialect, Talk as _};
use parlor_tests::peer::{Backend, Peer};
use parlor_tests::{pimp, yard};

/// How a conversation with the core fails.
fn fails<D: Dialect>(text: &str) -> String {
    let conversation = Conversation::<D>::parse("wrong.talk", text).unwrap();
    let mut backend = conversation.in_memory(usize::MAX).unwrap();
    conversation.run(&mut *backend, &mut Coverage::default()).unwrap_err()
}

/// Why a file can't be read.
fn odd<D: Dialect>(text: &str) -> String {
    Conversation::<D>::parse("odd.talk", text).map(|_| ()).unwrap_err()
}

/// Says this to a table of ann and bob, who begins with a throw of 1 and 2; how it fails.
fn failure(lines: &str) -> String {
    let text = format!("# A conversation that goes wrong (pimp 5)\ndice: 1 2\nplayers ann bob\n{lines}");
    fails::<pimp::Dialect>(&text)
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
    let told = |text: &str| odd::<pimp::Dialect>(text);
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
    let conversation = Conversation::<pimp::Dialect>::parse("books.talk", text).unwrap();
    let shown = conversation.run(&mut Forgetful(Vec::new()), &mut Coverage::default()).unwrap_err();
    assert!(shown.contains("ann added up\n") && shown.contains("{1: 1500}") && shown.contains("{1: 1400}"), "{shown}");
}

/// Says this to a server where joe and dan are logged in; how it fails.
fn yard_failure(lines: &str) -> String {
    fails::<yard::Dialect>(&format!("# A conversation that goes wrong (yard 1)\nlogin joe dan\n{lines}"))
}

#[test]
fn the_same_is_shown_of_lines() {
    let shown = yard_failure("joe > noop\njoe < - no\n");
    assert!(shown.starts_with("wrong.talk:4: joe should hear\n    - no\n  but heard\n    - ok\n"), "{shown}");
    assert!(yard_failure("joe > noop\n").starts_with("wrong.talk:3: joe heard what no line mentions\n    - ok"));
    assert!(yard_failure("joe < - ok\n").contains("but nothing came"));
    assert!(yard_failure("joe < closed\n").contains("should be closed and is not"));
    assert!(yard_failure("eve > noop\n").contains("nobody called eve is connected"));
    assert!(odd::<yard::Dialect>("# Title\n").starts_with("odd.talk:1: the first line is a title"));
    assert!(odd::<yard::Dialect>("# Title (yard 1)\njoe sings\n").starts_with("odd.talk:2: joe sings: not understood"));
    assert!(odd::<yard::Dialect>("# Title (yard 1)\nstarts: 1\n").starts_with("odd.talk:2: 1: nobody starts there"));
}
