//! Any number of tables behind one address: where a newcomer sits, whose seat a returning player asks for, when a table
//! is made and when it is no longer needed. A lobby holds no table and no connection; the adapter has those, each table
//! behind a lock of its own, and the lobby is asked only when a player comes, comes back, or leaves a table empty.
//!
//! A game whose tables can be behind a lobby is [`Lobbied`]. How an adapter drives a lobby:
//!
//! 1. Bytes came on a new connection: [`Lobby::place`] says where its link is opened. The table's own answer names the
//!    game. [`Place::Make`]: begin a table in that id space first ([`Lobbied::begin_in`]). When the connection is over:
//!    [`Lobby::left`].
//! 2. `receive` gave [`Intake::Elsewhere`]: a returning player asks for a seat, and the frame lies in the framer. Unless
//!    [`Lobby::may_guess`], it waits there until it may, or until its time to join is over: a right secret is never called
//!    wrong because others have guessed. Then [`Lobby::home`] finds the table that [claims](Server::claims) it. Another than
//!    the link's: pull what the link is still [owed](Lobbied::owes), close it, open one there, let that `receive` the
//!    [greeting](Lobbied::greeting). Then, at its own table, [`Server::judge`] with `known`. No table's: [`Lobby::wrong`],
//!    and `judge` without `known` where the link is; so one wrong guess is one answer, however many tables there are.
//! 3. A table is empty after a close or a tick: [`Lobby::retire`] says whether to drop it.
//!
//! All of it is decided from plain values, so a table's journal needs nothing of the lobby.
//!
//! A game waits for players who sat down and left ([`Company`]): newcomers from addresses that do so all the time sit
//! together, at tables apart from everybody else's.
//!
//! What can never happen here: a panic, an allocation, two tables in one id space, a secret that was foretold by others.

use crate::game::Game;
use crate::id_space::{IdSpace, Kind, SPACES, epoch_of, space_of};
#[cfg(doc)]
use crate::server::{Intake, Server};
use crate::server::{Link, Millis};
use crate::throttle::{Allowance, Throttle};

/// A game of one table a server whose tables can be behind a lobby. A table of no lobby judges for itself whose a seat is.
pub trait Lobbied: Game {
    /// As [`Game::begin`], for a table of a lobby: all of them have one seed, and an id space each.
    fn begin_in(&mut self, seed: &[u8; 32], space: IdSpace, config: &Self::Config, now: Millis);
    /// The id space it was begun in, and where another table would go on in it.
    fn space(&self) -> IdSpace;
    fn standing(&self) -> Standing;
    /// How long a connection may take to say what it wants, in milliseconds.
    fn patience(config: &Self::Config) -> u32;
    /// What a client says first, for one that has said it at another table: here it is said again on its behalf, so that
    /// it hears of its game.
    fn greeting() -> Self::Framer;
    /// Answers to this link wait to be pulled: it may not be moved before they are.
    fn owes(&self, link: Link) -> bool;
}

/// A table as its lobby sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Seats that a newcomer could still be let in to.
    pub seats: u16,
    /// Connections that have not joined yet, candidates among them: each may want a seat.
    pub coming: u16,
    /// Connections it could still take.
    pub links: u16,
    /// Turns begun in this game.
    pub turn: u32,
    /// A newcomer was refused in this game.
    pub has_refused: bool,
    pub is_over: bool,
    /// No seat is taken and no link is open: no one would miss this table.
    pub is_empty: bool,
    /// How far it has come with its secrets.
    pub secrets: u64,
}

crate::settings! {
    /// What the lobby's owner may decide.
    #[derive(Copy)]
    pub struct Terms {
        /// Tables of the lobby at once; then late comers are voted on, or told that the table is full
        limit tables: u16 = 256, 1..=SPACES as u32;
        /// Turns after which a game of the lobby takes nobody new while another table can be had
        limit turns: u32 = 16;
        /// Wrong passwords from one address (IPv6: one /64) after which none is believed
        limit guesses: u16 = 20, 1..=65_535;
        /// One wrong password, or one short visit, is forgotten after this
        time forgets: u32 = 30_000;
        /// Connections from one address (IPv6: one /64) that left a game within ten seconds, after which its newcomers sit apart
        limit visits: u16 = 12, 1..=65_535;
    }
}

impl Terms {
    /// Of wrong passwords.
    pub const fn allowance(&self) -> Allowance {
        Allowance { most: self.guesses, forgets: self.forgets }
    }

    /// Of short visits.
    const fn visits_allowed(&self) -> Allowance {
        Allowance { most: self.visits, forgets: self.forgets }
    }
}

/// A player who leaves a game after fewer milliseconds made a short visit.
const SHORT: u64 = 10_000;

/// Which newcomers sit with each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Company {
    /// Players who stay, or have not come often.
    #[default]
    Staying,
    /// Players from addresses of too many short visits. Others behind the same address play too, with them.
    Passing,
}

impl Company {
    const COUNT: usize = 2;

    const fn other(self) -> Self {
        match self {
            Self::Staying => Self::Passing,
            Self::Passing => Self::Staying,
        }
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
    /// The company of the table in this space.
    company: Company,
    /// The epochs in which the table in this space gave its players their secrets.
    first: u64,
    last: u64,
    /// Where the next table in it goes on.
    far: u64,
}

impl Berth {
    const FREE: Self = Self { is_taken: false, company: Company::Staying, first: 0, last: 0, far: 0 };

    /// The epochs that may have a secret of this table's. Between two looks at a table fewer secrets are given than an
    /// epoch has.
    fn epochs(&self) -> impl Iterator<Item = u64> + use<> {
        self.first..=self.last.saturating_add(1)
    }
}

/// Bits of what is drawn in a space in one life.
const LIFE: u32 = 32;

/// Addresses whose guesses are remembered at once, and as many whose short visits are.
const ADDRESSES: usize = 256;

/// At most `TABLES` tables, itself at most [`SPACES`]. New, it is all zero bytes; [`Lobby::begin`] before use.
pub struct Lobby<const TABLES: usize> {
    seed: [u8; 32],
    terms: Terms,
    /// The id spaces from 1.
    berths: [Berth; TABLES],
    /// Spaces up to this one were ever taken: the rest need not be searched.
    highest: u16,
    taken: u16,
    /// The space whose table fills, for each company; 0: none yet.
    filling: [u16; Company::COUNT],
    guessers: Throttle<ADDRESSES>,
    visitors: Throttle<ADDRESSES>,
}

impl<const TABLES: usize> Lobby<TABLES> {
    const SPACES_FOR_ALL: () = assert!(TABLES <= SPACES);

    pub const fn new() -> Self {
        let () = Self::SPACES_FOR_ALL;
        Self {
            seed: [0; 32],
            terms: Terms::BLANK,
            berths: [Berth::FREE; TABLES],
            highest: 0,
            taken: 0,
            filling: [0; Company::COUNT],
            guessers: Throttle::new(),
            visitors: Throttle::new(),
        }
    }

    /// The seed is that of all its tables.
    pub fn begin(&mut self, seed: &[u8; 32], terms: &Terms) {
        self.seed = *seed;
        self.terms = *terms;
    }

    /// The lobby was begun so many times before, with the same seed: what may have been drawn in any space then is not
    /// drawn again. Before anything else.
    pub fn reborn(&mut self, lives: u32) {
        let far = Self::far(lives);
        self.berths.iter_mut().for_each(|berth| berth.far = far);
    }

    /// Beyond what a space has drawn in all lives, less than 2^32 in one: so every life has epochs of its own.
    const fn far(lives: u32) -> u64 {
        (lives as u64) << LIFE
    }

    /// Tables there are.
    pub fn tables(&self) -> u16 {
        self.taken
    }

    /// The space of the table that fills; 0: none yet.
    pub fn filling(&self) -> u16 {
        let [staying, _] = self.filling;
        staying
    }

    /// With which company a newcomer from this address sits. Which addresses count as one is the adapter's to choose.
    pub fn company(&mut self, address: u128, now: Millis) -> Company {
        if self.visitors.may(address, self.terms.visits_allowed(), now) { Company::Staying } else { Company::Passing }
    }

    /// A connection from this address that was placed is over; it came at `since`. `standing` is its table's: a player
    /// who leaves a game that is over has played it, however fast.
    pub fn left(&mut self, address: u128, standing: &Standing, since: Millis, now: Millis) {
        if now.since(since) < SHORT && !standing.is_over {
            self.visitors.count(address, self.terms.visits_allowed(), now);
        }
    }

    /// Where a newcomer of this company sits. As long as a table fills, all sit there; then at the one that lacks
    /// fewest players, then at a new one. `standing` tells of the table in a space.
    pub fn place(&mut self, company: Company, standing: impl Fn(u16) -> Option<Standing>) -> Place {
        let at = *self.filling_of(company);
        let filling = standing(at);
        if let (Some(table), Some(berth)) = (filling, self.berth(at)) {
            berth.last = berth.last.max(epoch_of(table.secrets));
        }
        if filling.is_some_and(|table| self.fills(&table)) {
            return Place::At(at);
        }
        let lacking = |table: &Standing| table.seats.saturating_sub(table.coming);
        let filling = self.stand(company, &standing).filter(|(_, table)| self.fills(table));
        if let Some((space, _)) = filling.min_by_key(|(_, table)| lacking(table)) {
            *self.filling_of(company) = space;
            return Place::At(space);
        }
        if let Some(space) = self.take_space(company) {
            *self.filling_of(company) = space.number;
            return Place::Make(space);
        }
        // The last link is left to a player who comes back.
        let answering = |company| self.stand(company, &standing).filter(|(_, table)| table.links > 1);
        let own = answering(company).max_by_key(|(_, table)| (table.seats > 0 && !table.is_over, table.links));
        // Where no table of this company can answer, the other's does, a full one if any.
        let late = own.or_else(|| answering(company.other()).max_by_key(|(_, table)| (table.seats == 0, table.links)));
        late.map_or(Place::Nowhere, |(space, _)| Place::Late(space))
    }

    fn filling_of(&mut self, company: Company) -> &mut u16 {
        let [staying, passing] = &mut self.filling;
        match company {
            Company::Staying => staying,
            Company::Passing => passing,
        }
    }

    fn berth(&mut self, space: u16) -> Option<&mut Berth> {
        self.berths.get_mut(usize::from(space.checked_sub(1)?))
    }

    /// How each table of a company stands.
    fn stand(
        &self,
        company: Company,
        standing: impl Fn(u16) -> Option<Standing>,
    ) -> impl Iterator<Item = (u16, Standing)> {
        let taken = move |(space, berth): (u16, &Berth)| (berth.is_taken && berth.company == company).then_some(space);
        let spaces = (1..=self.highest).zip(&self.berths).filter_map(taken);
        spaces.filter_map(move |space| Some((space, standing(space)?)))
    }

    /// A free seat that no connection is on the way to, at a table that has refused no newcomer and has not long begun.
    /// Open connections are counted, so that a crowd that shakes hands at once is not sent to one table.
    fn fills(&self, table: &Standing) -> bool {
        table.links > 0
            && table.seats > table.coming
            && table.turn <= self.terms.turns
            && !table.has_refused
            && !table.is_over
    }

    /// The lowest free space. Passing players leave half of the tables to staying ones.
    fn take_space(&mut self, company: Company) -> Option<IdSpace> {
        let most = usize::from(self.terms.tables).min(TABLES);
        let of_company = if company == Company::Passing { most / 2 } else { most };
        if usize::from(self.taken) >= of_company {
            return None;
        }
        let (number, berth) = (1..).zip(&self.berths).find(|(_, berth)| !berth.is_taken)?;
        let space = IdSpace { number, far: berth.far };
        self.occupy(space, space.far, company).then_some(space)
    }

    /// There is a table in this space that the lobby has not asked for: one that was restored. `false`: it is taken. A space
    /// whose table had been retired is told by adopting it and retiring it again.
    pub fn adopt(&mut self, space: IdSpace) -> bool {
        // It began some time in the life that it still counts in.
        self.occupy(space, space.far >> LIFE << LIFE, Company::Staying)
    }

    /// There is a table in this space from now on, which gives or has given secrets from `first` on.
    fn occupy(&mut self, space: IdSpace, first: u64, company: Company) -> bool {
        let Some(berth) = self.berth(space.number).filter(|berth| !berth.is_taken) else { return false };
        let [first, last] = [first, space.far].map(epoch_of);
        *berth = Berth { is_taken: true, company, first, last, far: berth.far.max(space.far) };
        self.highest = self.highest.max(space.number);
        self.taken = self.taken.saturating_add(1);
        true
    }

    /// A table whose space this is has no further use: it is empty, and not the one that fills. Its space is free from
    /// now on; another table in it will go on where this one stopped.
    pub fn retire(&mut self, space: IdSpace, standing: &Standing) -> bool {
        let is_filling = self.filling.contains(&space.number);
        let Some(berth) = self.berth(space.number).filter(|berth| berth.is_taken && standing.is_empty) else {
            return false;
        };
        // No seat is taken there: secrets that will be asked for are younger.
        berth.first = epoch_of(standing.secrets);
        berth.last = berth.first;
        berth.far = berth.far.max(space.far);
        if is_filling {
            return false;
        }
        berth.is_taken = false;
        self.taken = self.taken.saturating_sub(1);
        true
    }

    /// The space of the table that has given this secret, as it `claims`. Of those that it did not give, few are asked: one
    /// in 2^12.
    pub fn home(&self, secret: u32, mut claims: impl FnMut(u16) -> bool) -> Option<u16> {
        // Most tables are of this life, and no more than one epoch old.
        let mut known = (u64::MAX, 0);
        let mut gave = |space: u16, epoch: u64| {
            if known.0 != epoch {
                known = (epoch, space_of(&self.seed, Kind::Password, epoch, secret));
            }
            known.1 == space
        };
        let tables = (1..=self.highest).zip(&self.berths).filter(|(_, berth)| berth.is_taken);
        for (space, berth) in tables {
            if berth.epochs().any(|epoch| gave(space, epoch)) && claims(space) {
                return Some(space);
            }
        }
        None
    }

    /// Whether a secret from this address is looked at. `address` is the adapter's to choose, one for each network that
    /// should count as one.
    pub fn may_guess(&mut self, address: u128, now: Millis) -> bool {
        self.guessers.may(address, self.terms.allowance(), now)
    }

    /// A secret from this address was wrong, or was not looked at.
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

    const SEED: [u8; 32] = [3; 32];
    const NOW: Millis = Millis(5_000);
    const FRESH: Standing = Standing {
        seats: 8,
        links: 16,
        is_empty: true,
        coming: 0,
        turn: 0,
        has_refused: false,
        is_over: false,
        secrets: 0,
    };

    fn lobby(tables: u16) -> Lobby<8> {
        let mut lobby = Lobby::new();
        lobby.begin(&SEED, &Terms { tables, ..Terms::DEFAULT });
        lobby
    }

    /// Places one more at tables that stand like this, the id spaces from 1.
    fn place(lobby: &mut Lobby<8>, tables: &[Standing]) -> Place {
        place_in(lobby, Company::Staying, tables)
    }

    fn place_in(lobby: &mut Lobby<8>, company: Company, tables: &[Standing]) -> Place {
        lobby.place(company, |space| tables.get(usize::from(space.checked_sub(1)?)).copied())
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
        lobby.take_space(Company::Staying);
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
        (0..3).for_each(|_| _ = lobby.take_space(Company::Staying));
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
    fn restored_tables_keep_their_id_spaces() {
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

    /// The secret that a table in this space gives at this count.
    fn secret(space: u16, count: u64) -> u32 {
        crate::id_space::number(&crate::dice::key(&SEED), Kind::Password, space, count)
    }

    /// The space of the table that gave a secret, and the tables that were asked.
    fn asked(lobby: &Lobby<8>, secret: u32) -> std::vec::Vec<u16> {
        let mut asked = std::vec::Vec::new();
        lobby.home(secret, |space| {
            asked.push(space);
            false
        });
        asked
    }

    #[test]
    fn a_table_is_found_by_its_secrets_through_every_start_and_wrap() {
        let busy = Standing { seats: 0, is_empty: false, ..FRESH };
        for life in [0, 1, 64, 65, 1_000_000] {
            let mut lobby = lobby(8);
            lobby.reborn(life);
            // One table is of this life, one of an earlier one, which has come further since.
            let far = u64::from(life) << 32;
            assert_eq!(place(&mut lobby, &[]), Place::Make(IdSpace { number: 1, far }));
            assert!(lobby.adopt(IdSpace { number: 2, far: (7 << 32) + 30 }));
            assert!(asked(&lobby, secret(1, far + 5)).contains(&1), "life {life}");
            assert!(asked(&lobby, secret(2, (7 << 32) + 5)).contains(&2), "life {life}");
            assert!(!asked(&lobby, secret(1, far + (3 << 32))).contains(&1), "of another life");
            // It has used up an epoch, and a player who sat down in the first still sits there.
            let later = far + (1 << 19) + 3;
            place(&mut lobby, &[Standing { secrets: later, ..busy }, busy]);
            assert!(asked(&lobby, secret(1, far + 5)).contains(&1) && asked(&lobby, secret(1, later)).contains(&1));
        }
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
    fn those_who_come_and_go_sit_with_each_other() {
        let mut lobby = lobby(8);
        let after = |ms| NOW.plus(ms);
        for visit in 0..12 {
            assert_eq!(lobby.company(7, NOW), Company::Staying, "visit {visit}");
            lobby.left(7, &FRESH, NOW, after(9_999));
        }
        assert_eq!([7, 8].map(|address| lobby.company(address, after(9_999))), [Company::Passing, Company::Staying]);
        // A player who stays for a while or to the end makes no short visit, and earlier short ones are forgotten.
        for _ in 0..20 {
            lobby.left(8, &FRESH, NOW, after(10_000));
            lobby.left(8, &Standing { is_over: true, ..FRESH }, NOW, NOW);
        }
        assert_eq!(lobby.company(8, after(10_000)), Company::Staying);
        assert_eq!(lobby.company(7, after(9_999 + 29_999)), Company::Passing);
        assert_eq!(lobby.company(7, after(9_999 + 30_000)), Company::Staying);
    }

    #[test]
    fn companies_have_tables_of_their_own() {
        let (mut lobby, space) = (lobby(6), |number| IdSpace { number, far: 0 });
        assert_eq!(place(&mut lobby, &[]), Place::Make(space(1)));
        assert_eq!(place_in(&mut lobby, Company::Passing, &[FRESH]), Place::Make(space(2)));
        assert_eq!(place(&mut lobby, &[FRESH; 2]), Place::At(1));
        assert_eq!(place_in(&mut lobby, Company::Passing, &[FRESH; 2]), Place::At(2));
        assert_eq!(lobby.filling(), 1, "what everybody is told of");
        // Passing players have half of the tables at most; then one of theirs answers them.
        let full = Standing { seats: 0, is_empty: false, ..FRESH };
        assert_eq!(place_in(&mut lobby, Company::Passing, &[FRESH, full]), Place::Make(space(3)));
        assert_eq!(place_in(&mut lobby, Company::Passing, &[FRESH, full, full]), Place::Late(3));
        // Staying players have the rest, and never a passing table.
        for number in 4..=6 {
            assert_eq!(
                place(&mut lobby, &[full, FRESH, FRESH, full, full, full][..number - 1]),
                Place::Make(space(number as u16))
            );
        }
        assert_eq!(place(&mut lobby, &[full, FRESH, FRESH, full, full, full]), Place::Late(6));
        // Where no passing table can answer, a full staying one does.
        let deaf = Standing { links: 1, ..full };
        let tables = [FRESH, deaf, deaf, full, FRESH, FRESH];
        assert_eq!(place_in(&mut lobby, Company::Passing, &tables), Place::Late(4));
        // A retired table's space goes to the company that comes next.
        assert!(lobby.retire(space(2), &FRESH));
        assert_eq!(place(&mut lobby, &[full, full, FRESH, full, full, full]), Place::Make(space(2)));
        assert_eq!(place(&mut lobby, &[full, FRESH, FRESH, full, full, full]), Place::At(2));
    }

    #[test]
    fn a_crowd_of_addresses_does_not_clear_the_worst() {
        let mut lobby = lobby(8);
        (0..20).for_each(|_| lobby.wrong(7, NOW));
        (1_000..9_000).for_each(|address| lobby.wrong(address, NOW));
        assert!(!lobby.may_guess(7, NOW));
    }
}
