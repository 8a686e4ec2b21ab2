//! Dice that everybody can check afterwards: "parlor dice 1".
//!
//! Each game of a table draws all that falls in it from a key of its own, which the table's seed gives and which tells nothing
//! about the seed. A hash of the key, its commitment, is known before anybody sits down; when the game is over the key itself is,
//! and whoever has both can work out every throw, shuffle and draw: none was chosen after the first player came. Commitments form
//! a chain, so that games that were thrown away until the dice pleased are seen to have been.
//!
//! | value | what it is |
//! |---|---|
//! | key | the first 32 bytes of ChaCha20(seed, game, 5 + lane * 2^32): games of a table are counted, `game` has 64 bits |
//! | commitment | SHA-256("parlor dice 1" 0 ‖ the lower 32 bits of `game`, big endian ‖ key) |
//! | chain | SHA-256("parlor chain 1" 0 ‖ the chain before, at first zeros ‖ commitment) |
//! | throw n | ChaCha8(key, n, 0): the words of the block up to 4294967291, in order, each mod 6 + 1 |
//! | shuffle p | Fisher-Yates from the last card down, each place by a word of ChaCha8(key, …, 1 + p * 2^32) |
//! | other draws | words of ChaCha8(key, …, 2, 3 or 4), counted together: by chance, from a pile, in secret |
//!
//! A number below a bound is a word modulo the bound; words from the greatest multiple of the bound on are passed over.
//!
//! What is not proven: that the server did not know the throws. It has the seed.

use crate::dice::{self, FULL, QUICK, Stream, below, bytes, chacha, swap};
use crate::sha256::sha256;

/// What was drawn last of a table's games: so many are in the list of commitments, and of so many that are over the key can be
/// asked for. A program that saves no games runs on a chip with little memory.
pub const KEPT: usize = match (HAS_KEYS, cfg!(feature = "postcard")) {
    (true, true) => 16,
    (true, false) => 8,
    (false, _) => 0,
};

/// Whether this program gives keys to games. One that does not saves games as programs did before there were keys, and reads no
/// others.
pub(crate) const HAS_KEYS: bool = cfg!(any(test, feature = "fair"));

/// Bytes that the games and keys of a table take in a save at most, and those of one more game of a hall.
pub(crate) const SAVED: usize = if HAS_KEYS { 240 } else { 0 };
pub(crate) const SAVED_GAME: usize = if HAS_KEYS { 26 } else { 0 };

/// The low half of the nonce by which a seed gives its games their keys.
const KEYS: u64 = 5;
/// Nonces under a game's key.
const THROWS: u64 = 0;
const SHUFFLES: u64 = 1;
const OTHERS: u64 = 2;

/// A game's key.
pub type Key = [u8; 32];
/// A commitment, or how far a chain of them has come.
pub type Hash = [u8; 32];

/// What is known of a key before its game.
pub fn commitment(game: u32, key: &Key) -> Hash {
    sha256(&[b"parlor dice 1\0", &game.to_be_bytes(), key])
}

/// The chain with one commitment more.
pub fn chain(before: &Hash, commitment: &Hash) -> Hash {
    sha256(&[b"parlor chain 1\0", before, commitment])
}

/// Throw `n` of a game: as many dice as there are places.
pub fn throw(key: &Key, n: u32, dice: &mut [u8]) {
    roll(&dice::key(key), n, dice);
}

/// Puts a pile into the order that shuffle `p` of a game gives it.
pub fn shuffle(key: &Key, p: u32, pile: &mut [u8]) {
    order(&dice::key(key), p, pile);
}

fn roll(key: &[u32; 8], n: u32, dice: &mut [u8]) {
    let block = chacha(key, u64::from(n), THROWS, QUICK);
    let mut fair = block.into_iter().filter(|word| *word <= u32::MAX - 4);
    // A block without enough such words is met once in 2^300 throws.
    dice.iter_mut().for_each(|die| *die = fair.next().map_or(1, |word| (word % 6) as u8 + 1));
}

fn order(key: &[u32; 8], p: u32, pile: &mut [u8]) {
    let mut drawn = 0;
    for i in (1..pile.len()).rev() {
        let j = below(i as u32 + 1, || {
            drawn += 1;
            word(key, SHUFFLES | u64::from(p) << 32, drawn - 1)
        });
        swap(pile, i, j as usize);
    }
}

fn word(key: &[u32; 8], nonce: u64, at: u32) -> u32 {
    let block = chacha(key, u64::from(at / 16), nonce, QUICK);
    block.get((at % 16) as usize).copied().unwrap_or_default()
}

/// The key of a game, as the cipher takes it.
fn game_key(seed: &[u32; 8], lane: u16, game: u64) -> [u32; 8] {
    let [a, b, c, d, e, f, g, h, ..] = chacha(seed, game, KEYS | u64::from(lane) << 32, FULL);
    [a, b, c, d, e, f, g, h]
}

/// A game and how far each kind of its draws has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Draws {
    /// Which game of its table it is, from 1; 0: one that draws from the table's own streams, as games did before there were
    /// keys, and as those of a script do.
    game: u64,
    throws: u32,
    shuffles: u32,
    others: u32,
    /// The game may go on another time: its key is told to nobody.
    is_withheld: bool,
}

impl Draws {
    /// Those of a game that has no key.
    pub const NONE: Self = Self { game: 0, throws: 0, shuffles: 0, others: 0, is_withheld: false };

    /// As everybody calls the game; 0: it has no key.
    pub fn number(&self) -> u32 {
        self.game as u32
    }

    pub(crate) fn has_key(&self) -> bool {
        HAS_KEYS && self.game != 0
    }

    /// A copy of the game is kept, to be played on when it is over here.
    pub(crate) fn withhold(&mut self) {
        self.is_withheld = self.has_key();
    }

    fn was_drawn_from(&self) -> bool {
        (self.throws, self.shuffles, self.others) != (0, 0, 0)
    }

    pub(crate) fn throw(&mut self, seed: &[u32; 8], lane: u16, dice: &mut [u8]) {
        roll(&game_key(seed, lane, self.game), self.throws, dice);
        self.throws = self.throws.wrapping_add(1);
    }

    pub(crate) fn shuffle(&mut self, seed: &[u32; 8], lane: u16, pile: &mut [u8]) {
        order(&game_key(seed, lane, self.game), self.shuffles, pile);
        self.shuffles = self.shuffles.wrapping_add(1);
    }

    pub(crate) fn other(&mut self, seed: &[u32; 8], lane: u16, stream: Stream) -> u32 {
        let at = self.others;
        self.others = at.wrapping_add(1);
        word(&game_key(seed, lane, self.game), OTHERS + stream as u64, at)
    }
}

/// A game that is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
struct Ended {
    /// 0: none.
    number: u32,
    throws: u32,
}

/// The games of a table that had keys, as far as they are told of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Ledger {
    /// The next game; 0: games have no keys.
    next: u64,
    /// The first game of the list; what the chain was before it.
    first: u64,
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    before: Hash,
    /// The last first.
    #[cfg_attr(all(feature = "postcard", any(test, feature = "fair")), serde(deserialize_with = "crate::save::array"))]
    #[cfg_attr(all(feature = "postcard", not(any(test, feature = "fair"))), serde(skip))]
    ended: [Ended; KEPT],
}

impl Ledger {
    pub const EMPTY: Self =
        Self { next: 0, first: 0, before: [0; 32], ended: [const { Ended { number: 0, throws: 0 } }; KEPT] };

    /// Games have keys from here on: those from `far` on, which none had before.
    pub fn begin(&mut self, far: u64) {
        *self = Self { next: far.saturating_add(1), first: far.saturating_add(1), ..Self::EMPTY };
    }

    pub fn has_begun(&self) -> bool {
        HAS_KEYS && self.next != 0
    }

    pub fn far(&self) -> u64 {
        self.next
    }

    pub fn open(&mut self, seed: &[u32; 8], lane: u16) -> Draws {
        if !self.has_begun() {
            return Draws::NONE;
        }
        let game = self.next;
        self.next = game.saturating_add(1);
        if self.next - self.first > KEPT as u64 {
            self.before = chain(&self.before, &committed(seed, lane, self.first));
            self.first += 1;
        }
        Draws { game, ..Draws::NONE }
    }

    pub fn close(&mut self, draws: &mut Draws) {
        let ended = core::mem::take(draws);
        if ended.has_key() && ended.was_drawn_from() && !ended.is_withheld {
            // The oldest makes way, and the list goes on with this one.
            if let Some(oldest) = self.ended.last_mut() {
                *oldest = Ended { number: ended.number(), throws: ended.throws };
                self.ended.rotate_right(1);
            }
        }
    }

    /// Can this have been written?
    #[cfg(feature = "postcard")]
    pub fn is_sound(&self) -> bool {
        self.first <= self.next && self.next - self.first <= KEPT as u64
    }
}

impl Default for Ledger {
    fn default() -> Self {
        Self::EMPTY
    }
}

fn committed(seed: &[u32; 8], lane: u16, game: u64) -> Hash {
    commitment(game as u32, &bytes(chacha(seed, game, KEYS | u64::from(lane) << 32, FULL)))
}

/// How far a game of a [`Record`] has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is being played, or a copy of it may be; or nothing was drawn, or so many games have ended since that its key is no
    /// longer told.
    Sealed,
    /// It is over, and its key can be asked for.
    Revealed,
    /// Nobody has sat down at it.
    Next,
}

/// What everybody may know of the dice of a table.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    pub(crate) seed: &'a [u32; 8],
    pub(crate) lane: u16,
    pub(crate) ledger: &'a Ledger,
}

impl Record<'_> {
    /// What the chain was before the first game told.
    pub fn before(&self) -> Hash {
        self.ledger.before
    }

    /// The last games in order, by number and commitment; the one that comes next is the last of them.
    pub fn each(&self, mut tell: impl FnMut(u32, State, Hash)) {
        for game in self.ledger.first..=self.ledger.next {
            let number = game as u32;
            let state = match self.ended(number) {
                _ if game == self.ledger.next => State::Next,
                Some(_) => State::Revealed,
                None => State::Sealed,
            };
            tell(number, state, committed(self.seed, self.lane, game));
        }
    }

    /// The game that comes next, or the last before it unless its key is told: its number and commitment.
    pub fn sealed(&self, is_next: bool) -> Option<(u32, Hash)> {
        let game = if is_next { self.ledger.next } else { self.ledger.next.saturating_sub(1) };
        let is_sealed = game >= self.ledger.first && self.ended(game as u32).is_none();
        is_sealed.then(|| (game as u32, committed(self.seed, self.lane, game)))
    }

    /// The key of a game that is over, and how often dice were thrown in it.
    pub fn key(&self, number: u32) -> Option<(Key, u32)> {
        let ended = self.ended(number)?;
        // The upper half is the same in all games of a table.
        let game = self.ledger.next & !u64::from(u32::MAX) | u64::from(number);
        Some((bytes(chacha(self.seed, game, KEYS | u64::from(self.lane) << 32, FULL)), ended.throws))
    }

    fn ended(&self, number: u32) -> Option<&Ended> {
        self.ledger.ended.iter().find(|ended| ended.number == number && number != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Dice;
    use std::string::String;
    use std::vec::Vec;

    /// As the scheme's own program has them.
    const SEED: [u8; 32] = {
        let mut seed = [0; 32];
        let mut at = 0;
        while at < 32 {
            seed[at] = at as u8;
            at += 1;
        }
        seed
    };
    const KEY: &str = "4f00194a5549c1bbb8fc9aec271f992fdfee3cf268a5659a87517eb08a161e04";
    const COMMITMENT: &str = "e1e6612691341141988c85d9aa2bcadfd0777e3e3fc94204a78952889cec567e";

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| std::format!("{byte:02x}")).collect()
    }

    fn key() -> Key {
        bytes(chacha(&dice::key(&SEED), 0, KEYS, FULL))
    }

    #[test]
    fn values_are_those_of_the_scheme() {
        assert_eq!(hex(&key()), KEY);
        assert_eq!(hex(&commitment(0x1a2b_3c4d, &key())), COMMITMENT);
        let throws = (0..8).map(|n| {
            let mut dice = [0; 2];
            throw(&key(), n, &mut dice);
            dice
        });
        assert_eq!(throws.collect::<Vec<_>>(), [[6, 1], [6, 5], [5, 3], [1, 3], [4, 1], [1, 3], [6, 3], [5, 1]]);
        let mut pile: Vec<u8> = (0..16).collect();
        shuffle(&key(), 0, &mut pile);
        assert_eq!(pile, [11, 3, 5, 10, 13, 2, 0, 8, 15, 6, 14, 12, 4, 1, 7, 9]);
    }

    /// A table whose games have keys.
    fn table() -> Dice {
        let mut dice = Dice::new();
        dice.begin(&dice::with_keys(SEED));
        dice
    }

    #[test]
    fn a_game_draws_from_its_key_alone() {
        let (mut dice, mut other) = (table(), table());
        dice.open_game();
        other.open_game();
        assert_eq!(dice.draws().number(), 1);
        let _ = (0..9).map(|_| other.word(Stream::Dice)).count();
        let (mut one, mut two) = ([0; 16], [0; 16]);
        let drawn = [&mut dice, &mut other].map(|dice| {
            let mut pile: [u8; 16] = core::array::from_fn(|n| n as u8);
            dice.shuffle(&mut pile);
            (dice.roll::<2>(), dice.roll::<1>(), pile, dice.below(Stream::Dice, 100), dice.below(Stream::Secret, 100))
        });
        assert_eq!(drawn[0], drawn[1]);
        // Nothing was taken from the table's streams.
        assert_eq!(dice.word(Stream::Dice), table().word(Stream::Dice));
        let (first, second, pile, ..) = drawn[0];
        dice.close_game();
        let (key, throws) = dice.record().unwrap().key(1).unwrap();
        assert_eq!(throws, 2);
        one.iter_mut().zip(0..).for_each(|(card, n)| *card = n);
        shuffle(&key, 0, &mut one);
        assert_eq!(one, pile);
        throw(&key, 0, &mut two[..2]);
        throw(&key, 1, &mut two[2..3]);
        assert_eq!((&two[..2], &two[2..3]), (&first[..], &second[..]));
        // The next game is another, though it draws as much.
        dice.open_game();
        let next = [0; 6].map(|_| dice.roll::<6>());
        assert_ne!(next, [0; 6].map(|_| other.roll::<6>()));
    }

    #[test]
    fn a_key_is_told_when_its_game_is_over() {
        let mut dice = table();
        dice.open_game();
        dice.roll::<2>();
        let told = |dice: &Dice| {
            let mut all = Vec::new();
            dice.record().unwrap().each(|number, state, hash| all.push((number, state, hash)));
            all
        };
        let before = told(&dice);
        assert_eq!(
            before.iter().map(|told| (told.0, told.1)).collect::<Vec<_>>(),
            [(1, State::Sealed), (2, State::Next)]
        );
        assert!((0..9).all(|number| dice.record().unwrap().key(number).is_none()));
        let sealed = |dice: &Dice| [false, true].map(|is_next| dice.record().unwrap().sealed(is_next));
        assert_eq!(sealed(&dice), [Some((1, before[0].2)), Some((2, before[1].2))]);
        assert_eq!(sealed(&table()), [None, Some((1, before[0].2))]);
        dice.close_game();
        assert!(!dice.draws().has_key());
        assert_eq!(sealed(&dice), [None, Some((2, before[1].2))]);
        let after = told(&dice);
        assert_eq!(
            after.iter().map(|told| (told.0, told.1)).collect::<Vec<_>>(),
            [(1, State::Revealed), (2, State::Next)]
        );
        let (key, _) = dice.record().unwrap().key(1).unwrap();
        assert!(commitment(1, &key) == before[0].2 && before[0].2 == after[0].2 && before[1].2 == after[1].2);
        assert!(dice.record().unwrap().key(2).is_none());
        // One of which a copy is kept, and one in which nothing fell, are told of, and no more.
        let mut kept = dice.new_game();
        dice.lend(&mut kept, |dice| dice.roll::<1>());
        kept.withhold();
        dice.close(&mut kept);
        assert_eq!(kept, Draws::NONE);
        dice.open_game();
        dice.close_game();
        assert!(told(&dice)[1..3].iter().all(|told| told.1 == State::Sealed));
        assert!(dice.record().unwrap().key(2).is_none() && dice.record().unwrap().key(3).is_none());
    }

    #[test]
    fn the_chain_has_every_game_however_many_there_were() {
        let mut dice = table();
        let (mut whole, mut all) = ([0; 32], Vec::new());
        for game in 1..=3 * KEPT as u32 {
            dice.open_game();
            dice.roll::<1>();
            dice.close_game();
            let record = dice.record().unwrap();
            let mut listed = Vec::new();
            record.each(|number, _, hash| listed.push((number, hash)));
            let (next, told) = listed.split_last().unwrap();
            assert_eq!((next.0, told.last().unwrap().0, told.len()), (game + 1, game, KEPT.min(game as usize)));
            whole = chain(&whole, &told.last().unwrap().1);
            let folded = told.iter().fold(record.before(), |before, (_, hash)| chain(&before, hash));
            assert_eq!(folded, whole, "game {game}");
            all.push(next.1);
        }
        // What was said to come next did.
        let mut told = Vec::new();
        dice.record().unwrap().each(|_, _, hash| told.push(hash));
        assert_eq!(all[all.len() - KEPT - 1..], told);
        // Keys of the last games, and of no others.
        let has_key = |number| dice.record().unwrap().key(number).is_some();
        assert_eq!((1..=3 * KEPT as u32).filter(|number| has_key(*number)).count(), KEPT);
        assert!(has_key(3 * KEPT as u32));
    }

    #[test]
    fn tables_of_a_lobby_have_keys_of_their_own() {
        let begun = |number, far| {
            let mut dice = Dice::new();
            dice.begin_in(&dice::with_keys(SEED), crate::id_space::IdSpace { number, far });
            dice
        };
        let next = |dice: &Dice| {
            let mut hashes = Vec::new();
            dice.record().unwrap().each(|_, _, hash| hashes.push(hash));
            hashes.pop().unwrap()
        };
        let (mut one, two) = (begun(1, 0), begun(2, 0));
        assert_ne!(next(&one), next(&two));
        for _ in 0..3 {
            one.open_game();
        }
        // The table that comes after it in its space has none of its games.
        let later = begun(1, one.space().far);
        assert!(one.space().far >= 3 && later.record().unwrap().ledger.next > 3);
    }

    #[test]
    fn a_script_has_no_keys() {
        let mut dice = Dice::new();
        dice.begin(&dice::script(&[1]).unwrap());
        dice.open_game();
        assert!(dice.record().is_none() && !dice.draws().has_key() && !dice.begin_keys());
        assert_eq!(dice.roll(), [1]);
    }
}
