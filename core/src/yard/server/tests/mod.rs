//! The server by example: what is said to whom, to the letter.

mod accounts;

use core::ops::{Deref, DerefMut};
use std::boxed::Box;
use std::collections::BTreeMap;
use std::string::{String, ToString};
use std::vec::Vec;

use super::*;
use crate::dice::script;
use crate::driver::{Asked, Driver, Reading, Reply};
use crate::yard::limits::BoardYard;

/// A server with few accounts.
#[cfg(feature = "postcard")]
pub type House4 = Yard<1, 1, 2, 4096, 258>;

/// A server and clients by name: all that follows from a step happens at once.
pub struct House {
    driver: Driver<BoardYard>,
    clients: BTreeMap<String, usize>,
}

impl Deref for House {
    type Target = Driver<BoardYard>;
    fn deref(&self) -> &Self::Target {
        &self.driver
    }
}

impl DerefMut for House {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.driver
    }
}

/// Starts at 103, 132, 141, 29, 197 and 174, as in the document.
const STARTS: [u8; 6] = [0x80 + 8, 0x80 + 11, 0x80 + 13, 0x80 + 2, 0x80 + 16, 0x80 + 15];

impl House {
    pub fn new() -> Self {
        let mut driver = Driver::new(Box::new(BoardYard::new()));
        driver.server.begin(&script(&STARTS).unwrap(), &Config { rate: 0, ..Config::DEFAULT });
        Self { driver, clients: BTreeMap::new() }
    }

    /// joe is Mr. X, dan has all detectives, and the game has begun.
    pub fn with_game() -> Self {
        let mut house = Self::new();
        house.login("joe");
        house.login("dan");
        house.say("joe", "newgame g standard");
        house.say("dan", "join g");
        house.say("joe", "votestart True");
        house.say("dan", "votestart True");
        house.forget();
        house
    }

    pub fn connect(&mut self, name: &str) {
        let at = self.driver.connect().unwrap();
        self.connections[at].taken = Some(Vec::new());
        self.clients.insert(name.to_string(), at);
    }

    pub fn login(&mut self, name: &str) {
        self.connect(name);
        self.say(name, "protocol 2.0");
        self.say(name, &std::format!("login \"{name}\" pw"));
        assert_eq!(self.heard(name), ["- ok", "- ok"], "{name}");
    }

    pub fn say(&mut self, name: &str, line: &str) {
        self.send(name, &std::format!("{line}\r\n").into_bytes());
    }

    fn send(&mut self, name: &str, bytes: &[u8]) {
        let at = self.clients[name];
        self.driver.send(at, bytes);
    }

    fn hang_up(&mut self, name: &str) {
        let at = self.clients.remove(name).unwrap();
        self.driver.hang_up(at);
    }

    /// The same clients with another server.
    #[cfg(feature = "postcard")]
    pub fn clone_with(&self, yard: BoardYard) -> Self {
        Self { driver: self.driver.clone_with(Box::new(yard)), clients: self.clients.clone() }
    }

    /// A client that does not read has nothing in its socket either: the server keeps it all.
    pub fn stop_reading(&mut self, name: &str, stop: bool) {
        let at = self.clients[name];
        let connection = &mut self.connections[at];
        connection.reading = if stop { Reading::Stopped } else { Reading::Eager };
        connection.window = if stop { 0 } else { 1024 };
    }

    pub fn is_closed(&self, name: &str) -> bool {
        self.connections[self.clients[name]].closed
    }

    /// What came since it was last asked, line by line.
    pub fn heard(&mut self, name: &str) -> Vec<String> {
        let at = self.clients[name];
        let text = String::from_utf8(self.take(at)).unwrap();
        assert!(text.is_empty() || text.ends_with("\r\n"), "{text}");
        text.split_terminator("\r\n").map(str::to_string).collect()
    }

    fn forget(&mut self) {
        self.connections.iter_mut().for_each(|connection| connection.inbox.clear());
    }

    /// Says it and gives what comes back to the speaker.
    fn ask(&mut self, name: &str, line: &str) -> Vec<String> {
        self.heard(name);
        self.say(name, line);
        self.heard(name)
    }

    /// The bot that was asked for last.
    fn called(&mut self) -> Asked {
        self.asked.pop().filter(|asked| asked.bot_for.is_some()).unwrap()
    }
}

#[test]
fn protocol_then_login() {
    let mut house = House::new();
    house.connect("a");
    assert_eq!(house.ask("a", "#01 login joe pw"), ["#01 no \"say the protocol first\""]);
    assert_eq!(house.ask("a", "#02 protocol 1.9"), ["#02 bad \"protocols 2.0 and 2.1 are spoken here\""]);
    assert_eq!(house.ask("a", "#02 listgames"), ["#02 bad \"not now\""]);
    assert_eq!(house.ask("a", "#001 protocol 2.0"), ["#001 ok"]);
    assert_eq!(house.ask("a", "#001 protocol 2.1"), ["#001 no \"the protocol is agreed on\""]);
    assert_eq!(house.ask("a", "#3 language de"), ["#3 no \"one language is spoken here\""]);
    assert_eq!(house.ask("a", "#001 login \"my name\" \"my password\""), ["#001 ok"]);
    assert_eq!(house.ask("a", "#001 login x y"), ["#001 no \"you are logged in\""]);
    assert_eq!(house.ask("a", "noop"), ["- ok"]);
    house.connect("b");
    house.say("b", "protocol 2.1");
    assert_eq!(house.ask("b", "login 'my name' wrong"), ["- no \"that name is in use\""]);
    assert_eq!(house.ask("b", "login 'my \"name' x"), ["- no \"that is no name for a user\""]);
    house.hang_up("a");
    assert_eq!(house.ask("b", "#9 login ' my name ' wrong"), ["#9 no \"wrong password\""]);
    assert_eq!(house.ask("b", "#9 login 'my name' 'my password'"), [""; 0], "not read for a second");
    house.advance(1_000);
    assert_eq!(house.heard("b"), ["#9 ok"]);
}

#[test]
fn lines_that_are_no_commands() {
    let mut house = House::new();
    house.connect("a");
    for (line, answer) in [
        ("", "* bad \"an empty line\""),
        ("   ", "* bad \"an empty line\""),
        ("#12", "#12 bad \"no command\""),
        ("#x noop", "* bad \"no tag begins like this\""),
        ("#012345678901234567890 noop", "* bad \"no tag begins like this\""),
        ("#00001 dance", "#00001 bad \"unknown command\""),
        ("dance", "- bad \"unknown command\""),
        ("#2 chatall \"half", "#2 bad \"a quote is not closed\""),
        ("#2 move", "#2 bad \"not now\""),
        ("#2 protocol", "#2 bad \"an argument is missing or malformed\""),
        ("#2 move 5 taxi", "#2 bad \"not now\""),
        ("#2 noop and more", "#2 ok"),
    ] {
        assert_eq!(house.ask("a", line), [answer], "{line}");
    }
    house.send("a", b"#5 chatall \xff\r\n");
    assert_eq!(house.heard("a"), ["#5 bad \"not UTF-8\""]);
    house.send("a", &[b'a'; 700]);
    assert_eq!(house.heard("a"), ["* bad \"line too long\""]);
    house.send("a", b"aaa\r\n#6 noop\n");
    assert_eq!(house.heard("a"), ["#6 ok"]);
    house.send("a", &[&[b'a'; 257][..], b"\n#7 noop\n"].concat());
    assert_eq!(house.heard("a"), ["* bad \"line too long\"", "#7 ok"]);
    for front in ["#8 ", " #8  ", "#8\t"] {
        house.send("a", &[front.as_bytes(), &[b'a'; 257][..], b"\n#9 noop\n"].concat());
        assert_eq!(house.heard("a"), ["#8 bad \"line too long\"", "#9 ok"], "{front:?}");
    }
    house.send("a", &[b"#8", &[b'a'; 257][..], b"\n"].concat());
    assert_eq!(house.heard("a"), ["* bad \"line too long\""]);
}

#[test]
fn the_lobby_is_told_of_games() {
    let mut house = House::new();
    for name in ["joe", "dan", "eve"] {
        house.login(name);
    }
    assert_eq!(house.ask("joe", "#8 newgame \"my game\" chess"), ["#8 no \"only standard games are played here\""]);
    assert_eq!(house.ask("joe", "#8 newgame \" my game \" standard"), ["#8 ok"]);
    assert_eq!(house.heard("eve"), ["* gameinfo \"my game\" new standard 1"]);
    assert_eq!(house.ask("eve", "#8 newgame \"my game\" standard"), ["#8 no \"that name is taken\""]);
    assert_eq!(house.ask("eve", "#2 listgames"), ["* gameinfo \"my game\" new standard 1", "#2 ok"]);
    assert_eq!(house.ask("dan", "#3 join \"my game\""), ["#3 ok"]);
    assert_eq!(house.heard("joe"), ["* playerinfo dan Detectives False \"Red Yellow Green Blue Black\""]);
    assert_eq!(house.heard("eve"), ["* gameinfo \"my game\" new standard 2"]);
    assert_eq!(
        house.ask("dan", "#5 listplayers"),
        [
            "#5 ok",
            "* playerinfo joe \"Mr. X\" False X",
            "* playerinfo dan Detectives False \"Red Yellow Green Blue Black\""
        ]
    );
    assert_eq!(house.ask("eve", "#5 listplayers \"my game\"").len(), 3);
    assert_eq!(house.ask("eve", "#5 listplayers nogame"), ["#5 no \"there is no such game\""]);
    assert_eq!(house.ask("eve", "#5 listplayers"), ["#5 bad \"not now\""]);
    assert_eq!(house.ask("eve", "#5 join nogame"), ["#5 no \"there is no such game\""]);
    assert_eq!(house.ask("joe", "#4 leave"), ["#4 ok", "* gameinfo \"my game\" new standard 1"]);
    assert_eq!(house.heard("dan"), ["* playerleave joe"]);
    assert_eq!(house.heard("eve"), ["* gameinfo \"my game\" new standard 1"]);
    assert_eq!(house.ask("joe", "#4 leave"), ["#4 bad \"not now\""]);
    house.hang_up("dan");
    assert_eq!(house.heard("eve"), ["* gameremoved \"my game\""]);
    assert_eq!(house.ask("eve", "listgames"), ["- ok"]);
}

#[test]
fn teams_and_votes() {
    let mut house = House::new();
    for name in ["joe", "dan", "eve"] {
        house.login(name);
    }
    house.say("joe", "newgame g standard");
    house.say("dan", "join g");
    house.say("eve", "join g");
    house.forget();
    assert_eq!(house.ask("dan", "#6 setteam \"Mr. X\""), ["#6 no \"that team is full\""]);
    assert_eq!(house.ask("dan", "#6 setteam Cops"), ["#6 no \"there is no such team\""]);
    assert_eq!(house.ask("dan", "#6 setteam Detectives"), ["#6 ok"]);
    let dealt = [
        "* playerinfo joe Detectives False \"Red Yellow\"",
        "* playerinfo dan Detectives False \"Green Blue\"",
        "* playerinfo eve Detectives False Black",
    ];
    let told = house.ask("joe", "#6 setteam Detectives");
    assert_eq!((told[0].as_str(), &told[1..]), ("#6 ok", &dealt.map(String::from)[..]));
    assert_eq!(house.heard("dan"), dealt);
    assert_eq!(house.heard("eve"), dealt);
    let told = house.ask("eve", "#6 setteam \"Mr. X\"");
    assert_eq!((told[0].as_str(), &told[1..]), ("#6 ok", &house.heard("dan")[..]));
    assert_eq!(
        house.heard("joe"),
        [
            "* playerinfo joe Detectives False \"Red Yellow Green\"",
            "* playerinfo dan Detectives False \"Blue Black\"",
            "* playerinfo eve \"Mr. X\" False X"
        ]
    );
    house.forget();
    assert_eq!(house.ask("joe", "#7 votestart maybe"), ["#7 bad \"an argument is missing or malformed\""]);
    assert_eq!(
        house.ask("joe", "#7 votestart true"),
        ["#7 ok", "* playerinfo joe Detectives True \"Red Yellow Green\""]
    );
    assert_eq!(house.heard("eve"), ["* playerinfo joe Detectives True \"Red Yellow Green\""]);
    assert_eq!(house.ask("joe", "#7 chatteam hush"), ["#7 bad \"not now\""]);
    house.say("dan", "votestart True");
    house.forget();
    let begun = house.ask("eve", "#7 votestart True");
    assert_eq!(
        begun,
        [
            "#7 ok",
            "* playerinfo eve \"Mr. X\" True X",
            "* gamestart",
            "* pawninfo X eve 103 -1 -1 -1 5 2",
            "* pawninfo Red joe 132 10 8 4 0 0",
            "* pawninfo Yellow joe 141 10 8 4 0 0",
            "* pawninfo Green joe 29 10 8 4 0 0",
            "* pawninfo Blue dan 197 10 8 4 0 0",
            "* pawninfo Black dan 174 10 8 4 0 0",
            "* turnnum 1",
            "* turn X"
        ]
    );
    let seen: Vec<String> = begun[1..].iter().map(|line| line.replace("X eve 103", "X eve -1")).collect();
    assert_eq!(house.heard("joe"), seen);
    assert_eq!(house.heard("dan"), seen);
}

/// The document's examples, from `pawninfo` to `history`.
#[test]
fn a_round_as_in_the_document() {
    let mut house = House::with_game();
    assert_eq!(house.ask("dan", "#011 whoseturn"), ["#011 turn X"]);
    assert_eq!(house.ask("dan", "#013 move 140 taxi"), ["#013 no \"it is not your turn\""]);
    assert_eq!(house.ask("joe", "#013 move 140 taxi"), ["#013 no \"that ticket does not lead there\""]);
    assert_eq!(house.ask("joe", "#013 move 102 taxi"), ["#013 ok", "* move X 102 taxi", "* turn Red"]);
    assert_eq!(house.heard("dan"), ["* move X -1 taxi", "* turn Red"]);
    assert_eq!(house.ask("dan", "#013 move yellow 142 taxi"), ["#013 no \"it is not your turn\""]);
    assert_eq!(house.ask("dan", "#013 move red 140 TAXI"), ["#013 ok", "* move Red 140 taxi", "* turn Yellow"]);
    for line in ["move 142 taxi", "move 41 taxi", "move 196 taxi"] {
        house.say("dan", line);
    }
    assert_eq!(house.ask("dan", "move 161 taxi"), ["- ok", "* move Black 161 taxi", "* turnnum 2", "* turn X"]);
    assert_eq!(house.ask("dan", "#012 turnnum"), ["#012 2"]);
    assert_eq!(house.ask("dan", "#012 whatturnnum"), ["#012 turnnum 2"]);
    assert_eq!(
        house.ask("dan", "#014 history"),
        [
            "#014 ok",
            "* history 0 \"X -1\" \"Red 132\" \"Yellow 141\" \"Green 29\" \"Blue 197\" \"Black 174\"",
            "* history 1 \"X -1 taxi\" \"Red 140 taxi\" \"Yellow 142 taxi\" \"Green 41 taxi\" \"Blue 196 taxi\" \"Black 161 taxi\"",
            "* history end"
        ]
    );
    assert_eq!(house.ask("joe", "#014 history")[1..3].concat().matches("X 10").count(), 2);
    let pawns = house.ask("dan", "#010 pawninfo");
    assert_eq!(pawns[..3], ["#010 ok", "* pawninfo X joe -1 -1 -1 -1 5 2", "* pawninfo Red dan 140 9 8 4 0 0"]);
    assert_eq!(house.ask("joe", "#010 pawninfo")[1], "* pawninfo X joe 102 -1 -1 -1 5 2");
    assert_eq!(house.ask("joe", "#4 leave"), ["#4 no \"the game goes on\""]);
    assert_eq!(house.ask("joe", "#4 setteam Detectives"), ["#4 bad \"not now\""]);
    assert_eq!(house.ask("joe", "#4 listgames"), ["#4 bad \"not now\""]);
}

#[test]
fn a_double_move_is_told_in_halves() {
    let mut house = House::with_game();
    assert_eq!(house.ask("joe", "doublemove 102 taxi 199 bus"), ["- no \"that ticket does not lead there\""]);
    assert_eq!(
        house.ask("joe", "#13 doublemove x 102 taxi 115 black"),
        ["#13 ok", "* move X 102 taxi", "* turnnum 2", "* move X 115 black", "* turn Red"]
    );
    assert_eq!(house.heard("dan"), ["* move X -1 taxi", "* turnnum 2", "* move X -1 black", "* turn Red"]);
    assert_eq!(house.ask("dan", "doublemove 140 taxi 128 taxi"), ["- no \"you have no double move left\""]);
    assert_eq!(house.ask("dan", "pawninfo")[1], "* pawninfo X joe -1 -1 -1 -1 4 1");
}

#[test]
fn chat_reaches_whom_it_is_for() {
    let mut house = House::with_game();
    house.login("eve");
    house.say("eve", "watch g");
    house.forget();
    assert_eq!(house.ask("joe", "#007 chatall \"my message\""), ["#007 ok", "* chatall joe \"my message\""]);
    assert_eq!(house.heard("dan"), ["* chatall joe \"my message\""]);
    assert_eq!(house.heard("eve"), ["* chatall joe \"my message\""]);
    assert_eq!(house.ask("dan", "#015 chatteam it's"), ["#015 bad \"a quote is not closed\""]);
    assert_eq!(house.ask("dan", "#015 chatteam \"it's\""), ["#015 ok", "* chatteam dan \"it's\""]);
    assert_eq!((house.heard("joe"), house.heard("eve")), (Vec::new(), Vec::new()));
    assert_eq!(house.ask("eve", "#1 chatall boo"), ["#1 no \"who looks on is silent\""]);
    assert_eq!(house.ask("joe", "chatall \"\x07\""), ["- no \"only what can be read can be said\""]);
}

#[test]
fn a_player_comes_back() {
    let mut house = House::with_game();
    house.say("joe", "move 102 taxi");
    house.forget();
    house.hang_up("dan");
    assert_eq!(house.heard("joe"), ["* playerleave dan"]);
    assert_eq!(house.ask("joe", "listplayers")[2], "* playerinfo dan Detectives True \"Red Yellow Green Blue Black\"");
    house.login("eve");
    assert_eq!(house.ask("eve", "#3 join g"), ["#3 no \"the game has begun without you\""]);
    house.login("dan");
    house.forget();
    let back = house.ask("dan", "#3 join g");
    assert_eq!(back[..2], ["#3 ok", "* pawninfo X joe -1 -1 -1 -1 5 2"]);
    assert_eq!(
        back[7..],
        [
            "* history 0 \"X -1\" \"Red 132\" \"Yellow 141\" \"Green 29\" \"Blue 197\" \"Black 174\"",
            "* history 1 \"X -1 taxi\"",
            "* history end",
            "* turnnum 1",
            "* turn Red"
        ]
    );
    assert_eq!(house.heard("joe"), ["* rejoin dan"]);
    assert_eq!(house.heard("eve"), Vec::<String>::new());
    assert_eq!(house.ask("eve", "#3 watch g")[1..], back[1..]);
    assert_eq!((house.heard("joe"), house.heard("dan")), (Vec::new(), Vec::new()));
    assert_eq!(house.ask("eve", "#3 move 140 taxi"), ["#3 bad \"not now\""]);
    assert_eq!(house.ask("eve", "#3 leave"), ["#3 ok"]);
    assert_eq!(house.heard("joe"), Vec::<String>::new());
}

#[test]
fn the_end_shows_everything() {
    let mut house = House::with_game();
    house.login("eve");
    // Red goes to 86 by way of 116 and 104, while Mr. X waits for it at 103 and 102.
    let script =
        [("joe", "102 taxi"), ("dan", "114 taxi"), ("dan", "142 taxi"), ("dan", "41 taxi"), ("dan", "196 taxi")];
    for (who, step) in script {
        assert_eq!(house.ask(who, &std::format!("move {step}"))[0], "- ok", "{who} {step}");
    }
    house.say("dan", "move 161 taxi");
    house.say("joe", "move 115 taxi");
    house.forget();
    house.hang_up("joe");
    house.forget();
    assert_eq!(
        house.ask("dan", "#13 move 115 taxi"),
        ["#13 ok", "* move Red 115 taxi", "* gameover Detectives \"Red caught Mr. X at 115\""]
    );
    assert_eq!(house.heard("eve"), ["* gameinfo g complete standard 1"]);
    assert_eq!(house.ask("dan", "move 1 taxi"), ["- bad \"not now\""]);
    assert_eq!(house.ask("dan", "whoseturn"), ["- bad \"not now\""]);
    assert_eq!(house.ask("dan", "pawninfo")[1], "* pawninfo X joe 115 -1 -1 -1 5 2");
    assert!(house.ask("dan", "history")[2].starts_with("* history 1 \"X 102 taxi\" \"Red 114 taxi\""));
    assert_eq!(house.ask("dan", "listplayers").len(), 2, "who was absent at the end is gone");
    assert_eq!(house.ask("dan", "chatteam bye"), ["- ok", "* chatteam dan bye"]);
    house.login("joe");
    assert_eq!(house.ask("joe", "join g"), ["- no \"the game is over\""]);
    // A game that is removed is told to the end.
    house.stop_reading("eve", true);
    house.say("eve", "watch g");
    assert_eq!(house.ask("dan", "leave"), ["- ok", "* gameremoved g"]);
    house.stop_reading("eve", false);
    house.run();
    let told = house.heard("eve");
    assert_eq!((told[0].as_str(), told[1].as_str()), ("- ok", "* pawninfo X joe 115 -1 -1 -1 5 2"));
    assert_eq!(told.last().unwrap(), "* gameremoved g");
}

#[test]
fn who_is_still_told_of_a_game_whose_place_is_needed_is_closed() {
    let mut house = House::with_game();
    house.hang_up("joe");
    house.hang_up("dan");
    house.login("eve");
    house.login("bob");
    for name in ["a", "b", "c"] {
        house.connect(name);
        house.say(name, "protocol 2.0");
        house.say(name, &std::format!("login {name} pw"));
        house.say(name, &std::format!("newgame {name} standard"));
    }
    house.forget();
    assert_eq!(house.ask("bob", "newgame more standard"), ["- no \"there is no room for another game\""]);
    house.stop_reading("eve", true);
    house.say("eve", "watch g");
    house.advance(3_600_000);
    assert!(!house.is_closed("eve"));
    assert_eq!(house.ask("bob", "newgame more standard"), ["* gameremoved g", "- ok"]);
    house.stop_reading("eve", false);
    house.run();
    assert_eq!(house.heard("eve"), ["- ok"], "nothing of a game that is no more");
    assert!(house.is_closed("eve"));
}

/// It is as old as the server, and was never without a player.
#[test]
fn a_game_with_a_player_in_it_gives_way_to_none() {
    let mut house = House::with_game();
    house.hang_up("dan");
    for name in ["a", "b", "c"] {
        house.login(name);
        house.say(name, &std::format!("newgame {name} standard"));
    }
    house.login("bob");
    house.advance(3_600_000);
    assert_eq!(house.ask("bob", "newgame more standard"), ["- no \"there is no room for another game\""]);
    house.say("joe", "move 102 taxi");
    assert!(house.heard("joe").contains(&"* turn Red".to_string()));
}

#[test]
fn a_bot_is_asked_for_where_a_seat_is_free() {
    let mut house = House::new();
    house.login("joe");
    assert_eq!(house.ask("joe", "listai"), ["- no \"nobody is to be had here\""]);
    house.server.hall.config.bots = true;
    assert_eq!(house.ask("joe", "#2 listai"), ["#2 aiinfo \"shrewd\"", "#2 ok"]);
    assert_eq!(house.ask("joe", "requestai"), ["- bad \"not now\""]);
    house.say("joe", "newgame g standard");
    assert_eq!(house.heard("joe"), ["- ok"]);
    // Only this link waits, and goes on whether a bot came or not.
    house.say("joe", "#7 requestai\r\n#8 noop");
    assert_eq!(house.heard("joe"), [""; 0]);
    let called = house.called();
    assert_eq!((called.bot_for.as_deref(), house.asked.len()), (Some("g"), 0));
    house.answer(called.id, &Reply::Done);
    house.run();
    assert_eq!(house.heard("joe"), ["#7 ok", "#8 ok"]);
    house.say("joe", "#9 requestai");
    let called = house.called();
    house.answer(called.id, &Reply::Failed);
    house.run();
    assert_eq!(house.heard("joe"), ["#9 no \"nobody is free to play\""]);
    // A player who leaves meanwhile leaves the game, too.
    house.say("joe", "requestai");
    house.hang_up("joe");
    let called = house.called();
    house.answer(called.id, &Reply::Done);
    assert_eq!(house.server.find_room("g"), None);
    for name in ["a", "b", "c", "d", "e", "f"] {
        house.login(name);
        house.say(name, if name == "a" { "newgame h standard" } else { "join h" });
    }
    assert_eq!(house.ask("a", "requestai"), ["- no \"the game is full\""]);
}

#[test]
fn players_are_told_of_games_in_progress_alone() {
    let mut house = House::with_game();
    house.login("eve");
    house.say("eve", "newgame h standard");
    house.hang_up("dan");
    let mut told = Vec::new();
    house.server.each_player(|game, player| told.push(std::format!("{game} {player}")));
    assert_eq!(told, ["g joe", "g dan"]);
}

/// What an adapter says of a link counts for one call.
#[test]
fn whoever_is_confined_makes_no_game() {
    let mut house = House::new();
    house.login("joe");
    house.login("dan");
    house.server.confine();
    assert_eq!(house.ask("joe", "#1 newgame g standard"), ["#1 no \"too many games were made from your address\""]);
    assert_eq!(house.ask("joe", "#2 newgame g standard"), ["#2 ok"]);
    house.heard("dan");
    house.server.confine();
    assert_eq!(house.ask("dan", "#1 join g")[0], "#1 ok");
}

#[test]
fn a_game_that_is_ended_from_outside_lets_everybody_go() {
    let mut house = House::with_game();
    house.login("eve");
    house.forget();
    let now = house.now;
    assert!(!house.server.end_game("evening", now) && house.server.end_game("g", now));
    house.run();
    for name in ["joe", "dan", "eve"] {
        assert_eq!(house.heard(name), ["* gameremoved g"]);
        assert_eq!(house.ask(name, "#1 listgames"), ["#1 ok"]);
    }
    assert_eq!(house.ask("joe", "#2 newgame g standard"), ["#2 ok"]);
}

/// Where everybody has logged in, a user in no game gives way to a player who may have a seat.
#[test]
fn a_seat_has_a_link_in_reserve() {
    let mut house = House::with_game();
    house.hang_up("joe");
    for n in 0..9 {
        house.advance(1);
        house.login(&std::format!("u{n}"));
    }
    house.login("joe");
    assert!(house.ask("joe", "join g").contains(&"* pawninfo X joe 103 -1 -1 -1 5 2".to_string()));
    assert!(house.is_closed("u0") && !house.is_closed("dan") && !house.is_closed("u8"));
}

/// What a client that is not logged in may say with a password in it, by mistake.
const STRANGERS_SECRETS: [&str; 9] = [
    "#a1 login joe secret",
    "login joe secret",
    "#2 join joe secret",
    "protocol joe secret",
    "protocol 'joe secret'",
    "noop secret",
    "#2 listgames joe secret",
    "requestai secret",
    "joe secret",
];

#[test]
fn a_link_that_lags_is_closed_and_its_seat_kept() {
    let mut house = House::with_game();
    house.stop_reading("dan", true);
    for _ in 0..60 {
        house.say("joe", &std::format!("chatall \"{}\"", "a".repeat(200)));
    }
    assert!(house.heard("joe").contains(&"* playerleave dan".to_string()));
    house.stop_reading("dan", false);
    house.run();
    assert!(house.is_closed("dan"));
    assert_eq!(house.server.summary().lagging, 1);
    house.login("dan");
    assert_eq!(house.ask("dan", "join g").len(), 1 + 6 + 2 + 2);
}

#[test]
fn a_client_that_does_not_wait_gets_every_answer() {
    let mut house = House::with_game();
    let lines: String = (0..200).map(|n| std::format!("#{n} history\r\n#{n} noop\r\n")).collect();
    house.send("dan", lines.as_bytes());
    let heard = house.heard("dan");
    let expected: Vec<String> = (0..200)
        .flat_map(|n| {
            let lines = [
                "* history 0 \"X -1\" \"Red 132\" \"Yellow 141\" \"Green 29\" \"Blue 197\" \"Black 174\"",
                "* history end",
            ];
            let ok = std::format!("#{n} ok");
            [ok.clone(), lines[0].to_string(), lines[1].to_string(), ok]
        })
        .collect();
    assert_eq!(heard, expected);
}

#[test]
fn commands_have_a_rate() {
    let mut house = House::new();
    house.server.hall.config.rate = 10;
    house.connect("a");
    house.send("a", "noop\r\n".repeat(25).as_bytes());
    assert_eq!(house.heard("a").len(), 10);
    house.advance(1_000);
    assert_eq!(house.heard("a").len(), 10);
    house.advance(1_000);
    assert_eq!(house.heard("a").len(), 5);
}

/// Where the server moves for who is late, a game can end while nobody is there. None of its players could come back to
/// it, nor leave it, and it would keep its place and its name for ever (yard 2.20, 2.24).
#[test]
fn a_game_that_ends_while_nobody_is_there_is_removed() {
    let mut house = House::with_game();
    assert_eq!(house.server.set("move_timeout", "3"), Ok(true));
    house.login("eve");
    house.say("eve", "watch g");
    house.login("bob");
    house.say("joe", "move 102 taxi");
    house.hang_up("joe");
    house.hang_up("dan");
    house.forget();
    // 24 + 5 * 22 moves at most.
    (0..134).for_each(|_| house.advance(3_000));
    assert_eq!(house.heard("bob"), ["* gameremoved g"]);
    let heard = house.heard("eve");
    assert!(heard[heard.len() - 2].starts_with("* gameover"), "{heard:?}");
    assert_eq!(heard.last().unwrap(), "* gameremoved g");
    assert_eq!(house.ask("eve", "newgame g standard"), ["- ok"]);
}
