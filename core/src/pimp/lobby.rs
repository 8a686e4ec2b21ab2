//! Any number of tables behind one address: where a newcomer sits, whose a REJOIN is, when a table is made and when it
//! is no longer needed. It holds no table and no connection; the adapter has those, each table behind a lock of its own,
//! and the lobby is asked only when somebody comes, comes back, or leaves a table empty.
//!
//! How an adapter drives it:
//!
//! 1. Bytes came on a new connection: [`Lobby::place`] says where its link is opened. The table's own answer to the
//!    HANDSHAKE names the game. [`Place::Make`]: begin a table in that space first ([`Table::begin_in`]).
//! 2. `receive` gave [`Intake::Elsewhere`]: a REJOIN lies in the framer. If [`Lobby::may_guess`] and the table of
//!    [`Lobby::home`] [claims] it, that table is its own. Another than the link's: pull what the link is
//!    still [owed], close it, open one there, let that `receive` the [greeting]. Then, at
//!    its own table, [`Table::judge`] with `known`. Nobody's: [`Lobby::wrong`], and `judge` without `known` where the
//!    link is; so one wrong guess is one answer, however many tables there are.
//! 3. A table is empty after a close or a tick: [`Lobby::retire`] says whether to drop it.
//!
//! All of it is decided from plain values, so a table's journal needs nothing of the lobby.
//!
//! What can never happen here: a panic, an allocation, two tables in one space, one password for two users of the lobby.
//!
//! [claims]: super::server::Table::claims
//! [owed]: super::server::Table::owes
//! [greeting]: super::server::Table::greeting
//! [`Table::begin_in`]: super::server::Table::begin_in
//! [`Table::judge`]: super::server::Table::judge
//! [`Intake::Elsewhere`]: crate::server::Intake::Elsewhere

use super::server::{Standing, rejoin};
use super::wire::Framer;
use crate::id_space::{IdSpace, Kind, space_of};
use crate::server::Millis;
use crate::throttle::{Allowance, Throttle};

/// What the lobby's owner may decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Tables at once.
    pub tables: u16,
    /// A game that has begun this many turns takes nobody new while there are other tables.
    pub turns: u32,
    /// Wrong passwords from one address, before none of its REJOINs is right any more for a while.
    pub guesses: u16,
    /// One of them is forgotten after this many milliseconds.
    pub forgets: u32,
}

impl Terms {
    pub const DEFAULT: Self = Self { tables: 256, turns: 16, guesses: 20, forgets: 30_000 };
    const BLANK: Self = Self { tables: 0, turns: 0, guesses: 0, forgets: 0 };

    /// With wrong passwords.
    pub const fn allowance(&self) -> Allowance {
        Allowance { most: self.guesses, forgets: self.forgets }
    }
}

/// Where a newcomer's link is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At the table of this space, which is filling.
    At(u16),
    /// At a table that is to be made in this space.
    Make(IdSpace),
    /// There are as many tables as there may be and none is filling: at this one, where there is a vote on a late comer,
    /// or the answer that the table is full.
    Late(u16),
    /// No table has a link left to answer on.
    Nowhere,
}

/// A space and what the tables in it have drawn.
#[derive(Clone, Copy)]
struct Berth {
    is_taken: bool,
    far: u64,
}

/// Addresses whose guesses are remembered at once.
const GUESSERS: usize = 256;

/// At most `TABLES` tables, itself at most [`crate::id_space::SPACES`]. New, it is all zero bytes; [`Lobby::begin`] before use.
pub struct Lobby<const TABLES: usize> {
    seed: [u8; 32],
    terms: Terms,
    /// The id spaces from 1.
    berths: [Berth; TABLES],
    /// Lanes up to this one were ever taken: the rest need not be searched.
    highest: u16,
    taken: u16,
    /// The space whose table fills; 0: none yet.
    filling: u16,
    guessers: Throttle<GUESSERS>,
}

impl<const TABLES: usize> Lobby<TABLES> {
    const SPACES_FOR_ALL: () = assert!(TABLES <= crate::id_space::SPACES);

    pub const fn new() -> Self {
        let () = Self::SPACES_FOR_ALL;
        Self {
            seed: [0; 32],
            terms: Terms::BLANK,
            berths: [Berth { is_taken: false, far: 0 }; TABLES],
            highest: 0,
            taken: 0,
            filling: 0,
            guessers: Throttle::new(),
        }
    }

    /// The seed is that of all its tables.
    pub fn begin(&mut self, seed: &[u8; 32], terms: &Terms) {
        self.seed = *seed;
        self.terms = *terms;
    }

    /// The lobby has lived so many times before, with the same seed: what may have been drawn in any space then is not drawn
    /// again. Before anything else.
    pub fn reborn(&mut self, lives: u32) {
        let far = Self::far(lives);
        self.berths.iter_mut().for_each(|berth| berth.far = far);
    }

    /// Beyond what a space has drawn in all lives: dice draw less than 2^32 in one, and passwords and games, of which a space
    /// has 2^20, less than 2^14.
    const fn far(lives: u32) -> u64 {
        (lives as u64) << 32 | (lives as u64) << 14
    }

    /// Tables there are.
    pub fn tables(&self) -> u16 {
        self.taken
    }

    /// The space of the table that fills; 0: none yet.
    pub fn filling(&self) -> u16 {
        self.filling
    }

    /// Where somebody new sits. As long as a table fills, everybody sits there; then at the one that lacks fewest, then
    /// at a new one. `standing` tells of the table in a space.
    pub fn place(&mut self, standing: impl Fn(u16) -> Option<Standing>) -> Place {
        if standing(self.filling).is_some_and(|table| self.fills(&table)) {
            return Place::At(self.filling);
        }
        let lacking = |table: &Standing| table.seats.saturating_sub(table.coming);
        let filling = self.stand(&standing).filter(|(_, table)| self.fills(table));
        if let Some((space, _)) = filling.min_by_key(|(_, table)| lacking(table)) {
            self.filling = space;
            return Place::At(space);
        }
        if let Some(space) = self.take_space() {
            self.filling = space.number;
            return Place::Make(space);
        }
        // The last link is left to whoever comes back.
        let answering = self.stand(&standing).filter(|(_, table)| table.links > 1);
        let roomiest = answering.max_by_key(|(_, table)| (table.seats > 0 && !table.is_over, table.links));
        roomiest.map_or(Place::Nowhere, |(space, _)| Place::Late(space))
    }

    /// How each table stands.
    fn stand(&self, standing: impl Fn(u16) -> Option<Standing>) -> impl Iterator<Item = (u16, Standing)> {
        let taken = |(space, berth): (u16, &Berth)| berth.is_taken.then_some(space);
        let spaces = (1..=self.highest).zip(&self.berths).filter_map(taken);
        spaces.filter_map(move |space| Some((space, standing(space)?)))
    }

    /// A free seat that nobody is on the way to, at a table that has not refused anybody and has not long begun. Whoever
    /// has come is counted, so that a crowd that shakes hands at once is not sent to one table.
    fn fills(&self, table: &Standing) -> bool {
        table.links > 0
            && table.seats > table.coming
            && table.turn <= self.terms.turns
            && !table.has_refused
            && !table.is_over
    }

    /// The lowest free space.
    fn take_space(&mut self) -> Option<IdSpace> {
        let most = usize::from(self.terms.tables).min(TABLES);
        if usize::from(self.taken) >= most {
            return None;
        }
        let (number, berth) = (1..).zip(&self.berths).find(|(_, berth)| !berth.is_taken)?;
        let space = IdSpace { number, far: berth.far };
        self.adopt(space).then_some(space)
    }

    /// There is a table in this space that the lobby has not asked for: one that was restored. `false`: it is taken. A space
    /// whose table had been retired is told by adopting it and retiring it again.
    pub fn adopt(&mut self, space: IdSpace) -> bool {
        let berth = space.number.checked_sub(1).and_then(|at| self.berths.get_mut(usize::from(at)));
        let Some(berth) = berth.filter(|berth| !berth.is_taken) else { return false };
        *berth = Berth { is_taken: true, far: berth.far.max(space.far) };
        self.highest = self.highest.max(space.number);
        self.taken = self.taken.saturating_add(1);
        true
    }

    /// A table whose space this is has no further use: nobody is there, and it is not the one that fills. Its space is free
    /// from now on; another table in it will go on where this one stopped.
    pub fn retire(&mut self, space: IdSpace, standing: &Standing) -> bool {
        if !standing.is_empty || space.number == self.filling {
            return false;
        }
        let berth = space.number.checked_sub(1).and_then(|at| self.berths.get_mut(usize::from(at)));
        let Some(berth) = berth.filter(|berth| berth.is_taken) else { return false };
        *berth = Berth { is_taken: false, far: berth.far.max(space.far) };
        self.taken = self.taken.saturating_sub(1);
        true
    }

    /// The space of the one table that can have given the password of the REJOIN that comes next.
    pub fn home(&self, framer: &Framer) -> Option<u16> {
        let (_, password) = rejoin(framer)?;
        let space = space_of(&self.seed, Kind::Password, password);
        let berth = self.berths.get(usize::from(space.checked_sub(1)?))?;
        berth.is_taken.then_some(space)
    }

    /// Whether a REJOIN from this address is looked at. `address` is the adapter's to choose, one for each network that
    /// should count as one.
    pub fn may_guess(&mut self, address: u128, now: Millis) -> bool {
        self.guessers.may(address, self.terms.allowance(), now)
    }

    /// A REJOIN from this address was wrong, or was not looked at.
    pub fn wrong(&mut self, address: u128, now: Millis) {
        self.guessers.count(address, self.terms.allowance(), now);
    }
}

impl<const TABLES: usize> Default for Lobby<TABLES> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pimp::limits::LobbyTable;
    use crate::pimp::server::Config;
    use crate::pimp::wire::{Message, Name};
    use crate::server::{Framer as _, Intake, Link, Server as _};
    use std::boxed::Box;
    use std::collections::HashSet;
    use std::string::{String, ToString};
    use std::vec::Vec;

    const SEED: [u8; 32] = [3; 32];
    const NOW: Millis = Millis(5_000);
    const FRESH: Standing =
        Standing { seats: 8, coming: 0, links: 16, turn: 0, has_refused: false, is_over: false, is_empty: true };

    fn lobby(tables: u16) -> Lobby<8> {
        let mut lobby = Lobby::new();
        lobby.begin(&SEED, &Terms { tables, ..Terms::DEFAULT });
        lobby
    }

    /// Places one more at tables that stand like this, the id spaces from 1.
    fn place(lobby: &mut Lobby<8>, tables: &[Standing]) -> Place {
        lobby.place(|space| tables.get(usize::from(space.checked_sub(1)?)).copied())
    }

    #[test]
    fn everybody_sits_at_the_table_that_fills() {
        let mut lobby = lobby(8);
        assert_eq!(place(&mut lobby, &[]), Place::Make(IdSpace { number: 1, far: 0 }));
        for coming in 0..8 {
            assert_eq!(place(&mut lobby, &[Standing { coming, ..FRESH }]), Place::At(1));
        }
        // Eight are on their way to eight seats.
        let full = Standing { coming: 8, ..FRESH };
        assert_eq!(place(&mut lobby, &[full]), Place::Make(IdSpace { number: 2, far: 0 }));
        assert_eq!(lobby.tables(), 2);
        // Others have free seats again, but one is filling.
        assert_eq!(place(&mut lobby, &[FRESH, Standing { coming: 1, ..FRESH }]), Place::At(2));
        // Then the one that lacks fewest.
        let (two, five) = (Standing { seats: 2, ..FRESH }, Standing { seats: 5, ..FRESH });
        lobby.take_space();
        assert_eq!(place(&mut lobby, &[five, full, two]), Place::At(3));
        assert_eq!(lobby.filling(), 3);
    }

    #[test]
    fn a_table_stops_filling() {
        let begun = |turn| Standing { seats: 6, links: 14, turn, is_empty: false, ..FRESH };
        for (table, fills) in [
            (begun(16), true),
            (begun(17), false),
            (Standing { has_refused: true, ..begun(1) }, false),
            (Standing { is_over: true, ..begun(1) }, false),
            (Standing { links: 0, ..begun(1) }, false),
            (Standing { seats: 0, ..begun(1) }, false),
            (Standing { seats: 3, coming: 2, ..begun(1) }, true),
            (Standing { seats: 3, coming: 3, ..begun(1) }, false),
        ] {
            let mut lobby = lobby(8);
            place(&mut lobby, &[]);
            let expected = if fills { Place::At(1) } else { Place::Make(IdSpace { number: 2, far: 0 }) };
            assert_eq!(place(&mut lobby, &[table]), expected, "{table:?}");
        }
    }

    #[test]
    fn a_full_lobby_still_answers() {
        let mut lobby = lobby(3);
        (0..3).for_each(|_| _ = lobby.take_space());
        let late = Standing { seats: 2, links: 5, turn: 99, is_empty: false, ..FRESH };
        let full = Standing { seats: 0, links: 9, ..late };
        let over = Standing { is_over: true, links: 12, ..late };
        assert_eq!(place(&mut lobby, &[full, late, over]), Place::Late(2));
        assert_eq!(place(&mut lobby, &[full, full, Standing { links: 10, ..full }]), Place::Late(3));
        let deaf = Standing { links: 1, ..full };
        assert_eq!(place(&mut lobby, &[deaf, full, deaf]), Place::Late(2));
        assert_eq!(place(&mut lobby, &[deaf; 3]), Place::Nowhere);
        // One is free again.
        assert_eq!(place(&mut lobby, &[deaf, deaf, FRESH]), Place::At(3));
    }

    #[test]
    fn an_empty_table_is_retired_unless_it_fills() {
        let mut lobby = lobby(8);
        place(&mut lobby, &[]);
        let busy = Standing { seats: 0, is_empty: false, ..FRESH };
        place(&mut lobby, &[busy]);
        let space = |number, far| IdSpace { number, far };
        assert!(!lobby.retire(space(1, 40), &busy));
        assert!(!lobby.retire(space(2, 40), &FRESH), "it is filling");
        assert!(!lobby.retire(space(0, 40), &FRESH) && !lobby.retire(space(9, 40), &FRESH), "there is none");
        assert!(lobby.retire(space(1, 40), &FRESH));
        assert!(!lobby.retire(space(1, 40), &FRESH), "once");
        assert_eq!(lobby.tables(), 1);
        // The next one in its space draws nothing that was drawn before.
        assert_eq!(place(&mut lobby, &[busy, busy]), Place::Make(space(1, 40)));
    }

    #[test]
    fn restored_tables_keep_their_lanes() {
        let (mut lobby, space) = (lobby(8), |number, far| IdSpace { number, far });
        assert!(lobby.adopt(space(1, 70)) && lobby.adopt(space(3, 9)));
        assert!(!lobby.adopt(space(3, 9)) && !lobby.adopt(space(0, 0)) && !lobby.adopt(space(9, 0)));
        assert!(lobby.retire(space(1, 70), &FRESH));
        assert_eq!(lobby.tables(), 1);
        let busy = Standing { seats: 0, is_empty: false, ..FRESH };
        assert_eq!(place(&mut lobby, &[busy; 3]), Place::Make(space(1, 70)));
        assert_eq!(place(&mut lobby, &[busy; 3]), Place::Make(space(2, 0)));
        assert_eq!(place(&mut lobby, &[busy, busy, Standing { seats: 1, ..busy }]), Place::At(3));
    }

    #[test]
    fn guesses_are_counted_by_address_and_forgotten() {
        let mut lobby = lobby(8);
        let after = |ms| NOW.plus(ms);
        for _ in 0..20 {
            assert!(lobby.may_guess(7, NOW));
            lobby.wrong(7, NOW);
        }
        assert!(!lobby.may_guess(7, NOW) && lobby.may_guess(8, NOW));
        // To go on guessing makes it no worse than it is.
        lobby.wrong(7, after(29_999));
        assert!(!lobby.may_guess(7, after(29_999)));
        assert!(lobby.may_guess(7, after(30_000)));
        lobby.wrong(7, after(30_000));
        assert!(!lobby.may_guess(7, after(59_999)) && lobby.may_guess(7, after(60_000)));
    }

    #[test]
    fn a_crowd_of_addresses_does_not_clear_the_worst() {
        let mut lobby = lobby(8);
        (0..20).for_each(|_| lobby.wrong(7, NOW));
        (1_000..9_000).for_each(|address| lobby.wrong(address, NOW));
        assert!(!lobby.may_guess(7, NOW));
    }

    /// A link at a table, with its client's framer.
    struct Client {
        link: Link,
        framer: Framer,
    }

    fn table(space: u16) -> Box<LobbyTable> {
        let mut table = Box::new(LobbyTable::new());
        let config = Config { rate: 0, ..Config::DEFAULT };
        table.begin_in(&SEED, IdSpace { number: space, far: 0 }, &config, NOW);
        table
    }

    fn fill(framer: &mut Framer, messages: &[Message<'_>]) {
        for message in messages {
            let n = message.encode(framer.window()).unwrap();
            framer.commit(n);
        }
    }

    fn come(table: &mut LobbyTable, messages: &[Message<'_>]) -> (Client, Intake) {
        let mut client = Client { link: table.open(NOW).unwrap(), framer: Framer::new() };
        fill(&mut client.framer, messages);
        let intake = table.receive(client.link, &mut client.framer, NOW);
        (client, intake)
    }

    /// What a link hears, and the password in it.
    fn heard(table: &mut LobbyTable, link: Link) -> (Vec<String>, u32) {
        table.release(table.produced());
        let (mut out, mut said, mut secret) = ([0; 2048], Vec::new(), 0);
        let n = table.pull(link, &mut out);
        let mut rest = &out[..n];
        while let [code, length, tail @ ..] = rest {
            let (payload, next) = tail.split_at(usize::from(*length));
            let message = Message::from_server(*code, payload).unwrap();
            if let Message::WelcomeDetails { password, .. } = message {
                secret = password;
            }
            said.push(message.to_string());
            rest = next;
        }
        (said, secret)
    }

    const HELLO: Message<'static> = Message::Handshake { version: 1 };

    fn join(name: &'static str) -> Message<'static> {
        Message::Join { piece: 0, play: true, name: Name::new(name.as_bytes()).unwrap() }
    }

    #[test]
    fn a_rejoin_goes_home_and_hears_its_game_first() {
        let mut lobby = lobby(8);
        (0..2).for_each(|_| _ = lobby.take_space());
        let (mut one, mut two) = (table(1), table(2));
        let (ann, _) = come(&mut one, &[HELLO, join("ann")]);
        let (_, password) = heard(&mut one, ann.link);
        one.close(ann.link, NOW);
        // Both in one write, at the table that fills now: nothing is answered there but the handshake.
        let (mut back, intake) = come(&mut two, &[HELLO, Message::Rejoin { player: 1, password }]);
        assert_eq!(intake, Intake::Elsewhere);
        assert_eq!(back.framer.taken(), [0x00, 1, 1]);
        assert!(two.owes(back.link));
        assert_eq!(heard(&mut two, back.link).0, [std::format!("HANDSHAKE_ACKNOWLEDGE game={}", two.number())]);
        assert!(!two.owes(back.link));
        assert_eq!(lobby.home(&back.framer), Some(1));
        assert!(one.claims(&back.framer) && !two.claims(&back.framer));
        two.close(back.link, NOW);
        back.link = one.open(NOW).unwrap();
        assert_eq!(one.receive(back.link, &mut LobbyTable::greeting(), NOW), Intake::Hungry);
        assert_eq!(one.judge(back.link, &mut back.framer, true, NOW), Intake::Hungry);
        let (said, _) = heard(&mut one, back.link);
        assert_eq!(said[0], std::format!("HANDSHAKE_ACKNOWLEDGE game={}", one.number()));
        assert_eq!(said[1], "WELCOME_BACK player=1 piece=1 name=\"ann\" playing=true");
    }

    #[test]
    fn a_wrong_guess_is_one_answer_and_costs_a_second() {
        let lobby = lobby(8);
        let mut one = table(1);
        let wrong = Message::Rejoin { player: 1, password: 77 };
        let (mut eve, intake) = come(&mut one, &[HELLO, wrong, wrong]);
        assert_eq!(intake, Intake::Elsewhere);
        assert_eq!(one.receive(eve.link, &mut eve.framer, NOW), Intake::Elsewhere, "until it is judged");
        assert_eq!(lobby.home(&eve.framer), None, "no table is taken");
        // The second waits for the pause that follows the first.
        assert_eq!(one.judge(eve.link, &mut eve.framer, false, NOW), Intake::Stalled);
        assert_eq!(eve.framer.taken().len(), 7);
        assert_eq!(heard(&mut one, eve.link).0[1..], ["ERROR_WRONG_PASSWORD"]);
        assert_eq!(one.receive(eve.link, &mut eve.framer, NOW.plus(1_000)), Intake::Elsewhere);
        // To be told that it is known does not make it right.
        assert_eq!(one.judge(eve.link, &mut eve.framer, true, NOW.plus(1_000)), Intake::Hungry);
        assert_eq!(heard(&mut one, eve.link).0, ["ERROR_WRONG_PASSWORD"]);
    }

    #[test]
    fn what_is_no_legal_rejoin_is_the_tables_own() {
        let mut one = table(1);
        // Before the handshake, and too short.
        let (mut eve, intake) = come(&mut one, &[Message::Rejoin { player: 1, password: 77 }]);
        assert_eq!(intake, Intake::Hungry);
        fill(&mut eve.framer, &[HELLO]);
        eve.framer.window()[..3].copy_from_slice(&[0x0A, 1, 1]);
        eve.framer.commit(3);
        assert_eq!(one.receive(eve.link, &mut eve.framer, NOW), Intake::Hungry);
        let (said, _) = heard(&mut one, eve.link);
        assert_eq!((said[0].as_str(), said[2].as_str()), ("ERROR_UNEXPECTED_MESSAGE code=10", "ERROR_UNPARSEABLE"));
        assert_eq!(lobby(8).home(&eve.framer), None);
    }

    #[test]
    fn nonsense_and_false_verdicts_are_survived() {
        let mut random = crate::dice::Dice::new();
        random.begin(&[9; 32]);
        let mut one = table(1);
        let mut clients: Vec<Client> = (0..4).map(|_| come(&mut one, &[HELLO]).0).collect();
        for step in 0..20_000u64 {
            let now = NOW.plus(step * 40);
            let mut word = |below| random.below(crate::dice::Stream::Dice, below);
            let client = &mut clients[word(4) as usize];
            let (code, length) = ([0x00, 0x02, 0x0A, 0x0A, 0x11, 0x21, 0xFF][word(7) as usize], word(9) as u8);
            let frame: Vec<u8> = [code, length].into_iter().chain((0..length).map(|_| word(3) as u8)).collect();
            let room = client.framer.window();
            let n = frame.len().min(room.len());
            room[..n].copy_from_slice(&frame[..n]);
            client.framer.commit(n);
            let mut intake = one.receive(client.link, &mut client.framer, now);
            while intake == Intake::Elsewhere {
                intake = one.judge(client.link, &mut client.framer, word(2) == 1, now);
            }
            heard(&mut one, client.link);
            if one.closing(client.link) || word(50) == 0 {
                one.close(client.link, now);
                *client = Client { link: one.open(now).unwrap(), framer: Framer::new() };
            }
            one.tick(now);
            assert_eq!(one.game().audit(), Ok(()));
        }
    }

    #[test]
    fn a_table_tells_how_it_stands() {
        let mut one = table(1);
        assert_eq!(one.standing(), FRESH);
        let (ann, _) = come(&mut one, &[HELLO]);
        assert_eq!(one.standing(), Standing { coming: 1, links: 15, is_empty: false, ..FRESH });
        let mut framer = Framer::new();
        fill(&mut framer, &[join("ann")]);
        one.receive(ann.link, &mut framer, NOW);
        let seated = Standing { seats: 7, links: 15, is_empty: false, ..FRESH };
        assert_eq!(one.standing(), seated);
        // bob waits for a vote, is refused, and leaves.
        let (bob, _) = come(&mut one, &[HELLO, join("bob")]);
        assert_eq!(one.standing(), Standing { coming: 1, links: 14, ..seated });
        fill(&mut framer, &[Message::RefuseJoin { candidate: 1 }]);
        one.receive(ann.link, &mut framer, NOW);
        assert!(one.standing().has_refused);
        one.close(bob.link, NOW);
        one.close(ann.link, NOW);
        // ann may come back for ten minutes; then nobody is there, and the next game is nobody's fault.
        assert_eq!(one.standing(), Standing { links: 16, has_refused: true, ..seated });
        one.tick(NOW.plus(600_000));
        assert_eq!(one.standing(), FRESH);
        assert_eq!(one.deadline(), None, "an empty table needs no timer");
    }

    #[test]
    fn no_two_users_of_a_lobby_have_one_password() {
        let (mut passwords, mut games, mut lobby) = (HashSet::new(), HashSet::new(), lobby(8));
        for space in 1..=3 {
            lobby.take_space();
            let mut table = table(space);
            for _ in 0..200 {
                let (ann, _) = come(&mut table, &[HELLO, join("ann")]);
                let (_, password) = heard(&mut table, ann.link);
                assert!(password != 0 && passwords.insert(password) && games.insert(table.number()));
                let mut framer = Framer::new();
                fill(&mut framer, &[Message::Rejoin { player: 1, password }]);
                assert_eq!(lobby.home(&framer), Some(space));
                table.close(ann.link, NOW);
                // Deserted: the next game.
                table.tick(NOW.plus(600_000));
            }
        }
    }
}
