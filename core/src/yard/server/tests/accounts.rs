//! Who logs in, with which password, and which account gives way.

use super::*;

#[test]
fn only_the_link_that_logs_in_waits() {
    let mut house = House::new();
    house.answering = false;
    for name in ["a", "b"] {
        house.connect(name);
        house.say(name, "protocol 2.0");
    }
    house.say("a", "#1 login joe pw");
    house.say("a", "#2 noop");
    assert_eq!(house.heard("a"), ["- ok"]);
    assert_eq!(house.ask("b", "#1 login joe pw"), ["#1 no \"that name is in use\""], "it is being made");
    assert_eq!(house.ask("b", "#2 noop"), ["#2 ok"]);
    house.answer_all();
    house.run();
    assert_eq!(house.heard("a"), ["#1 ok", "#2 ok"]);
    // A link that closes before the answer never had an account.
    house.say("b", "#1 login dan pw");
    house.hang_up("b");
    house.answer_all();
    house.connect("b");
    house.say("b", "protocol 2.0");
    house.say("b", "#1 login dan other");
    let [Asked { reply, .. }] = &house.asked[..] else { panic!("{:?}", house.asked) };
    assert!(matches!(reply, Some(Reply::Hash(_))), "made anew, not checked");
}

#[test]
fn two_logins_with_the_right_password_at_once() {
    let mut house = House::new();
    house.login("joe");
    house.hang_up("joe");
    house.answering = false;
    for name in ["a", "b"] {
        house.connect(name);
        house.say(name, "protocol 2.0");
        house.say(name, "#1 login joe pw");
    }
    house.forget();
    house.answer_all();
    house.run();
    assert_eq!((house.heard("a"), house.heard("b")), {
        (std::vec!["#1 ok".to_string()], std::vec!["#1 no \"that name is in use\"".to_string()])
    });
}

#[test]
fn five_wrong_passwords_close_a_connection() {
    let mut house = House::new();
    house.login("joe");
    house.hang_up("joe");
    house.connect("mal");
    house.say("mal", "protocol 2.0");
    for _ in 0..5 {
        assert!(!house.is_closed("mal"));
        house.say("mal", "login joe guess");
        house.advance(1_000);
    }
    assert!(house.is_closed("mal"));
    assert_eq!(house.heard("mal")[1..], ["- no \"wrong password\""; 5]);
}

#[test]
fn who_does_not_log_in_is_closed() {
    let mut house = House::new();
    house.connect("idle");
    house.login("joe");
    house.advance(59_999);
    assert!(!house.is_closed("idle"));
    house.advance(1);
    assert!(house.is_closed("idle") && !house.is_closed("joe"));
}

#[test]
fn accounts_that_have_played_are_never_given_away() {
    let mut house = House::with_game();
    // joe catches himself soon; dan and he have played, and are in no game any more.
    for (name, line) in [("joe", "move 102 taxi"), ("dan", "move 114 taxi")] {
        house.say(name, line);
    }
    for line in ["move 142 taxi", "move 41 taxi", "move 196 taxi", "move 161 taxi"] {
        house.say("dan", line);
    }
    house.say("joe", "move 115 taxi");
    house.say("dan", "move 115 taxi");
    for name in ["joe", "dan"] {
        house.say(name, "leave");
        house.hang_up(name);
    }
    assert_eq!(house.server.find_room("g"), None);
    for n in 0..40 {
        let name = std::format!("u{n}");
        house.advance(10);
        house.login(&name);
        house.hang_up(&name);
    }
    for name in ["joe", "dan"] {
        house.connect(name);
        house.say(name, "protocol 2.0");
        assert_eq!(house.ask(name, &std::format!("login {name} other")), ["- no \"wrong password\""]);
    }
    // When all have played, full is the answer.
    house.server.hall.accounts.iter_mut().for_each(|account| account.has_played = true);
    house.connect("new");
    house.say("new", "protocol 2.0");
    assert_eq!(house.ask("new", "login new pw"), ["- no \"too many users\""]);
}

#[test]
fn over_the_limit_of_an_address_the_reason_says_so() {
    let mut house = House::new();
    house.answering = false;
    house.connect("a");
    house.say("a", "protocol 2.0");
    house.say("a", "#1 login joe pw");
    house.collect_requests();
    let asked = house.asked.pop().unwrap();
    house.answer(asked.id, &Reply::Limited);
    house.run();
    assert_eq!(house.heard("a")[1..], ["#1 no \"too many accounts were made from your address\""]);
    assert!(house.server.hall.accounts.iter().all(crate::accounts::Account::is_free));
}

#[test]
fn accounts_are_reused_oldest_first() {
    let mut house = House::with_game();
    house.hang_up("joe");
    for n in 0..16 {
        let name = std::format!("u{n}");
        house.advance(10);
        house.login(&name);
        house.hang_up(&name);
    }
    assert_eq!(house.server.summary().users, 16);
    // joe's seat is kept, and so is his account.
    house.login("joe");
    assert!(house.ask("joe", "join g").contains(&"* pawninfo X joe 103 -1 -1 -1 5 2".to_string()));
}

#[test]
fn no_password_is_among_what_was_taken() {
    let mut house = House::new();
    house.connect("a");
    for line in STRANGERS_SECRETS {
        house.say("a", line);
    }
    house.say("a", "protocol 2.0 secret");
    house.say("a", "#1 login secret");
    house.say("a", "#1 login joe \"se cret\\\"\" extra");
    house.say("a", "#1 login joe secret");
    house.say("a", "#1 login joe 'secret");
    house.send("a", b"#1 login joe secret\xff\r\n");
    for line in ["Login joe secret", "secret", "#a1 login joe secret", "  # secret", "votestart secret"] {
        house.say("a", line);
    }
    let padding = "a".repeat(300);
    house.say("a", &std::format!("login joe secret {padding}{padding} secret"));
    house.say("a", &std::format!("#3 login joe secret {padding}{padding} secret"));
    let told = house.heard("a");
    assert_eq!(
        told[STRANGERS_SECRETS.len()..],
        [
            "- ok",
            "#1 bad \"an argument is missing or malformed\"",
            "#1 ok",
            "#1 no \"you are logged in\"",
            "#1 bad \"a quote is not closed\"",
            "#1 bad \"not UTF-8\"",
            "- bad \"unknown command\"",
            "- bad \"unknown command\"",
            "* bad \"no tag begins like this\"",
            "* bad \"no tag begins like this\"",
            "- bad \"an argument is missing or malformed\"",
            "* bad \"line too long\"",
            "#3 bad \"line too long\""
        ]
    );
    let taken = house.connections[house.clients["a"]].taken.clone().unwrap();
    let text = String::from_utf8_lossy(&taken);
    assert!(!text.contains("cret"), "{text}");
    // Taken again, it means the same.
    let mut again = House::new();
    again.connect("a");
    again.send("a", &taken);
    assert_eq!(again.heard("a"), told);
}
