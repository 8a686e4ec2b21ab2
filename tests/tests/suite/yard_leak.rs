//! Two games that differ only in where Mr. X hides give every detective and everybody who looks on the same bytes.
//!
//! The same commands go to both servers, but for Mr. X's stations: he rides with the same tickets from other places to
//! other places. On a reveal turn both go to one station, where such a station exists; where none does, the pair is done.

use parlor_core::dice::script;
use parlor_core::driver::Driver;
use parlor_core::yard::limits::BoardYard;
use parlor_core::yard::map::Station;
use parlor_core::yard::pieces::{Pawn, Ticket};
use parlor_core::yard::rules::{Game, Outcome, is_reveal};
use parlor_core::yard::server::Config;
use parlor_core::yard::wire::Hop;
use parlor_tests::rng::Rng;

/// One server with its clients; Mr. X is the first.
struct Side {
    driver: Driver<BoardYard>,
    clients: Vec<usize>,
}

/// joe is Mr. X; dan and eve are detectives, wil looks on, bob stays in the lobby.
const NAMES: [&str; 5] = ["joe", "dan", "eve", "wil", "bob"];

impl Side {
    /// The place among the starts where Mr. X begins; the detectives' are the same in all games.
    fn new(start: u8) -> Self {
        let starts = [start, 11, 13, 2, 16, 15].map(|place| 0x80 + place);
        let mut driver = Driver::new(Box::new(BoardYard::new()));
        driver.server.begin(&script(&starts).unwrap(), &Config { rate: 0, ..Config::DEFAULT });
        let mut side = Self { driver, clients: Vec::new() };
        for name in NAMES {
            let client = side.driver.connect().unwrap();
            side.clients.push(client);
            side.say(side.clients.len() - 1, &format!("protocol 2.0\r\nlogin {name} pw"));
        }
        side.say(0, "newgame g standard");
        side.say(1, "join g");
        side.say(2, "join g");
        side.say(3, "watch g");
        (0..3).for_each(|who| side.say(who, "votestart True"));
        side
    }

    fn say(&mut self, who: usize, line: &str) {
        self.driver.send(self.clients[who], format!("{line}\r\n").as_bytes());
    }

    /// Loses its connection and comes back to where it was.
    fn come_back(&mut self, who: usize) {
        self.driver.hang_up(self.clients[who]);
        self.clients[who] = self.driver.connect().unwrap();
        let verb = if who == 3 { "watch" } else { "join" };
        self.say(who, &format!("protocol 2.0\r\nlogin {} pw\r\n{verb} g", NAMES[who]));
    }

    fn game(&self) -> &Game {
        self.driver.server.game("g").unwrap()
    }

    /// What everybody but Mr. X heard since the last time.
    fn heard(&mut self) -> Vec<String> {
        self.driver.take(self.clients[0]);
        (1..NAMES.len()).map(|who| String::from_utf8(self.driver.take(self.clients[who])).unwrap()).collect()
    }
}

fn detectives(game: &Game) -> [Station; 5] {
    Pawn::DETECTIVES.map(|pawn| game.at(pawn))
}

/// Where a ticket takes this Mr. X without being caught.
fn ways(game: &Game, ticket: Ticket) -> Vec<Station> {
    let hops = game.moves(Pawn::X).filter(|hop| hop.ticket == ticket);
    hops.map(|hop| hop.to).filter(|to| !detectives(game).contains(to)).collect()
}

/// A ticket and the stations that the two ride to with it.
fn pick_rides(rng: &mut Rng, sides: &[Side; 2]) -> Option<(Ticket, [Station; 2])> {
    let first = rng.below(4) as usize;
    for n in 0..4 {
        let ticket = Ticket::ALL[(first + n) % 4];
        let [a, b] = [0, 1].map(|side| ways(sides[side].game(), ticket));
        let turn = sides[0].game().turn();
        let picked = if is_reveal(turn) {
            a.iter().find(|to| b.contains(to)).map(|to| [*to, *to])
        } else {
            let near = |a: &Station, b: &Station| a.rides(Ticket::Taxi).any(|to| b.leads(to, Ticket::Taxi));
            let pairs: Vec<_> = a.iter().flat_map(|a| b.iter().map(|b| [*a, *b])).collect();
            let meeting: Vec<_> = pairs.iter().filter(|[a, b]| near(a, b)).copied().collect();
            // Before a reveal they had better be near to each other.
            rng.pick(if is_reveal(turn + 1) && !meeting.is_empty() { &meeting } else { &pairs }).copied()
        };
        if let Some(stations) = picked {
            return Some((ticket, stations));
        }
    }
    None
}

/// Sometimes a double move, both halves of which stay hidden.
fn pick_seconds(rng: &mut Rng, sides: &[Side; 2], firsts: [Station; 2]) -> Option<[Station; 2]> {
    let game = sides[0].game();
    let may = rng.one_in(3) && game.purse(Pawn::X).0[4] > 0;
    if !may || is_reveal(game.turn()) || is_reveal(game.turn() + 1) {
        return None;
    }
    let free = |from: Station| from.rides(Ticket::Taxi).find(|to| !detectives(game).contains(to));
    Some([free(firsts[0])?, free(firsts[1])?])
}

/// A step that a detective may make in both games without finding Mr. X.
fn pick_step(rng: &mut Rng, sides: &[Side; 2]) -> Option<Hop> {
    let game = sides[0].game();
    let hidden = [0, 1].map(|side| sides[side].game().at(Pawn::X));
    let hops: Vec<Hop> = game.moves(game.next()).filter(|hop| !hidden.contains(&hop.to)).collect();
    rng.pick(&hops).copied()
}

/// How many turns the two could be compared over.
fn compare(seed: u64) -> u8 {
    let mut rng = Rng::new(seed);
    let mut sides = [Side::new(8), Side::new([0, 5, 6, 17][seed as usize % 4])];
    let check = |sides: &mut [Side; 2], what: &str| {
        let [a, b] = sides;
        assert_eq!(a.heard(), b.heard(), "seed {seed}: {what}");
    };
    assert_ne!(sides[0].game().at(Pawn::X), sides[1].game().at(Pawn::X));
    check(&mut sides, "the start");
    while sides[0].game().outcome() == Outcome::Open {
        let turn = sides[0].game().turn();
        if sides[0].game().next() == Pawn::X {
            let Some((ticket, stations)) = pick_rides(&mut rng, &sides) else { return turn };
            let seconds = pick_seconds(&mut rng, &sides, stations);
            for (n, side) in sides.iter_mut().enumerate() {
                let first = format!("{} {}", stations[n].number(), ticket.name());
                match seconds {
                    Some(seconds) => side.say(0, &format!("doublemove {first} {} taxi", seconds[n].number())),
                    None => side.say(0, &format!("move {first}")),
                }
            }
        } else {
            let Some(hop) = pick_step(&mut rng, &sides) else { return turn };
            let who = if matches!(sides[0].game().next(), Pawn::Blue | Pawn::Black) { 2 } else { 1 };
            for side in &mut sides {
                side.say(who, &format!("move {} {}", hop.to.number(), hop.ticket.name()));
            }
        }
        // Once it is over everything is shown.
        if sides[0].game().outcome() != Outcome::Open {
            break;
        }
        check(&mut sides, "a move");
        let who = 1 + rng.below(4) as usize;
        let question = ["pawninfo", "history", "listplayers", "whoseturn", "turnnum", "listgames", "move 1 taxi", ""];
        let question = question[rng.below(8) as usize];
        let cut = rng.one_in(6).then_some(1 + rng.below(3) as usize);
        for side in &mut sides {
            side.say(who, question);
            if let Some(who) = cut {
                side.come_back(who);
            }
        }
        check(&mut sides, "a question or a rejoin");
    }
    sides[0].game().turn()
}

#[test]
fn what_others_hear_does_not_depend_on_where_he_hides() {
    let turns: Vec<u8> = (0..60).map(compare).collect();
    println!("compared over turns: {turns:?}");
    assert!(turns.iter().filter(|turn| **turn >= 3).count() >= 50, "{turns:?}");
    assert!(turns.contains(&24), "through every reveal: {turns:?}");
}
