//! What is refused because the adapter could not do its part: no conversation brings it about.

use super::{CONFIG, House};
use crate::server::{Answer, Server as _};

impl House {
    /// The adapter fails at everything it was asked for.
    fn fail_all(&mut self) {
        self.answer_all(Answer::Failed);
    }

    fn answer_all(&mut self, said: Answer<'_>) {
        for (id, _) in core::mem::take(&mut self.owed) {
            self.venus.answer(id, said, self.now);
        }
        self.run();
    }
}

#[test]
fn a_name_whose_password_is_being_hashed_is_nobody_elses() {
    let house = &mut House::new();
    for name in ["one", "two"] {
        house.connect(name);
        house.heard(name);
    }
    house.answering = false;
    assert_eq!(house.ask("one", "LOGIN,ann,pw"), [""; 0]);
    assert_eq!(house.ask("two", "LOGIN,ann,pw"), ["ERROR,Try again later."]);
    house.fail_all();
    assert_eq!(house.heard("one"), ["ERROR,Try again later."]);
    // The name is free again.
    house.answering = true;
    assert_eq!(house.ask("two", "LOGIN,ann,other")[0], "WELCOME");
    // And so it is with a password that can't be looked at.
    house.answering = false;
    house.say("one", "LOGIN,ann,other");
    house.fail_all();
    assert_eq!(house.heard("one"), ["ERROR,Try again later."]);
    house.say("one", "LOGOUTOTHER,ann,other");
    house.fail_all();
    assert_eq!(house.heard("one"), ["ERROR,Try again later."]);
    assert!(!house.is_closed("one") && !house.is_closed("two"));
}

#[test]
fn an_address_that_has_made_too_many_accounts_is_told_so() {
    let house = &mut House::new();
    house.connect("one");
    house.heard("one");
    house.answering = false;
    house.say("one", "LOGIN,ann,pw");
    house.answer_all(Answer::Limited);
    assert_eq!(house.heard("one"), ["ERROR,Too many accounts were made from your address."]);
    // The link may try again, and the name is nobody's.
    house.answering = true;
    assert_eq!(house.ask("one", "LOGIN,ann,pw")[0], "WELCOME");
}

#[test]
fn a_file_that_is_not_kept_is_no_saved_game() {
    let house = &mut House::with_game(&CONFIG, &[]);
    house.forget();
    house.answering = false;
    house.say("ann", "SAVEGAME,evening");
    house.fail_all();
    assert_eq!(house.heard("ann"), ["ERROR,The game could not be saved."]);
    assert_eq!(house.heard("bob"), [""; 0]);
    assert_eq!(house.ask("ann", "LOADGAME,evening"), ["ERROR,There is no such saved game."]);
}

/// Anybody may load before the game is agreed on; the others went on while the file was fetched.
#[test]
fn a_file_that_comes_too_late_is_not_loaded() {
    let house = &mut House::new();
    house.gather(&["ann", "bob", "cat"]);
    for name in ["ann", "bob"] {
        house.say(name, "JOIN");
    }
    house.say("ann", "SAVEGAME,early");
    house.answering = false;
    assert_eq!(house.ask("cat", "LOADGAME,early"), [""; 0]);
    house.say("ann", "VALIDATESETUP");
    let before = house.venus.game("den").cloned();
    house.forget();
    house.give_answers();
    house.run();
    assert_eq!(house.heard("cat"), ["ERROR,The game can not be loaded now."]);
    assert_eq!(house.heard("ann"), [""; 0]);
    assert_eq!(house.venus.game("den").cloned(), before);
}
