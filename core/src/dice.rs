//! The only randomness: ChaCha8 from a 32-byte seed, the same on every machine.
//!
//! One seed feeds streams that tell nothing about each other: whoever sees every throw of the dice still knows nothing
//! about a password. A cipher rather than a smaller generator for that reason alone.
//!
//! Games draw from keys that their table's seed gives them, so that everybody can check them afterwards: [`crate::fair`]. That is so
//! of seeds that an adapter has drawn ([`with_keys`]). What is not a game's, and all that is drawn where there is no key, comes from
//! the table's own streams.
//!
//! A test needs known throws. [`script`] makes a seed that carries them: the streams begin with what it says and go on
//! at random. An adapter's seed comes from entropy and is such a seed once in 2^64 tries.

use crate::fair::{Draws, HAS_KEYS, Ledger, Record};
use crate::id_space::{self, IdSpace, Kind};

/// Which stream a number is drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// What players see fall.
    Dice,
    /// The order of cards and other hidden piles.
    Shuffle,
    /// Passwords and game numbers.
    Secret,
}

/// A seed and how far each stream has come.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Dice {
    #[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))]
    key: [u32; 8],
    /// Words drawn from each stream so far.
    drawn: [u64; 3],
    /// Which table of a lobby this is; 0: the table of none.
    space: u16,
    /// Steps of a script that have already fallen.
    scripted: u8,
    /// The game that draws. Kept apart, as are the other games of a hall: versions differ in it.
    #[cfg_attr(feature = "postcard", serde(skip))]
    draws: Draws,
    #[cfg_attr(feature = "postcard", serde(skip))]
    ledger: Ledger,
}

/// The low half of the nonce of everything sealed.
const SEALS: u64 = 3;
/// The nonce by which a house's seed gives its tables theirs.
const TABLES: u64 = 6;
/// Double rounds of the cipher: for what is drawn, and for keys.
pub(crate) const QUICK: u32 = 4;
pub(crate) const FULL: u32 = 10;
/// The first eight bytes of a seed whose games have keys.
const KEYED: [u8; 8] = *b"has keys";
/// The first eight bytes of a seed that carries a script.
const SCRIPT: [u8; 8] = *b"scripted";
/// The bytes of a script after the tag: one a step, 0 = no more.
pub const SCRIPT_MAX: usize = 24;

/// A seed whose throws begin as told: each byte is a step. Below 0x80 it is what falls: one die, or what a game says that
/// it is ([`Dice::step`]); `0x80 + card` is a card that lies on top of its pile, in this order. `None` if it is longer
/// than [`SCRIPT_MAX`].
pub fn script(steps: &[u8]) -> Option<[u8; 32]> {
    let mut seed = [0; 32];
    let (tag, room) = seed.split_at_mut_checked(SCRIPT.len())?;
    tag.iter_mut().zip(SCRIPT).for_each(|(to, from)| *to = from);
    room.get_mut(..steps.len())?.iter_mut().zip(steps).for_each(|(to, from)| *to = *from);
    Some(seed)
}

/// Marks a seed that an adapter has drawn: its games have keys, where the program gives any. A seed that somebody gives is used as
/// it is, by programs with keys and without: it is there to repeat what happened, and whoever gives it knows the dice anyhow. 24
/// random bytes are left.
pub fn with_keys(mut seed: [u8; 32]) -> [u8; 32] {
    if HAS_KEYS {
        seed.iter_mut().zip(KEYED).for_each(|(to, from)| *to = from);
    }
    seed
}

/// The seed of the table of this number, for a house that has drawn one seed for all: whoever learns it learns neither the
/// house's nor another table's. Its games have keys.
pub fn table_seed(house: &[u8; 32], number: u32) -> [u8; 32] {
    with_keys(bytes(chacha(&key(house), u64::from(number), TABLES, FULL)))
}

impl Dice {
    /// All zero; [`Dice::begin`] before use.
    pub const fn new() -> Self {
        Self { key: [0; 8], drawn: [0; 3], space: 0, scripted: 0, draws: Draws::NONE, ledger: Ledger::EMPTY }
    }

    pub fn begin(&mut self, seed: &[u8; 32]) {
        self.begin_in(seed, IdSpace::NONE);
    }

    /// For a table of a lobby: all of them have the lobby's seed, and streams of their own by their id spaces.
    pub fn begin_in(&mut self, seed: &[u8; 32], space: IdSpace) {
        self.key = key(seed);
        self.drawn = [space.far; 3];
        self.space = space.number;
        self.scripted = 0;
        self.draws = Draws::NONE;
        self.ledger = Ledger::EMPTY;
        if self.has_tag(KEYED) {
            self.begin_keys();
        }
    }

    /// Games have keys from the next one on; whether they had none. Not those of a script.
    pub fn begin_keys(&mut self) -> bool {
        let begins = HAS_KEYS && !self.ledger.has_begun() && !self.has_tag(SCRIPT);
        if begins {
            self.ledger.begin(self.space().far);
        }
        begins
    }

    /// What everybody may know of the games; `None`: they have no keys.
    pub fn record(&self) -> Option<Record<'_>> {
        let record = Record { seed: &self.key, lane: self.space, ledger: &self.ledger };
        self.ledger.has_begun().then_some(record)
    }

    /// All that follows is drawn in a new game.
    pub fn open_game(&mut self) {
        self.draws = self.new_game();
    }

    /// The game is over: what was drawn in it can be checked from now on.
    pub fn close_game(&mut self) {
        self.ledger.close(&mut self.draws);
    }

    /// Another game of a hall, which draws when it is lent the dice.
    pub(crate) fn new_game(&mut self) -> Draws {
        self.ledger.open(&self.key, self.space)
    }

    /// The same as [`Dice::close_game`], for a game of a hall.
    pub(crate) fn close(&mut self, draws: &mut Draws) {
        self.ledger.close(draws);
    }

    /// The game that draws.
    pub fn draws(&self) -> Draws {
        self.draws
    }

    /// For a hall of several games: another game draws, in `play` alone.
    pub(crate) fn lend<R>(&mut self, draws: &mut Draws, play: impl FnOnce(&mut Self) -> R) -> R {
        self.draws = core::mem::take(draws);
        let result = play(self);
        *draws = core::mem::take(&mut self.draws);
        result
    }

    /// The games' part, for what is kept; beside it, that of the game that draws.
    #[cfg(feature = "postcard")]
    pub(crate) fn kept_games(&self) -> (&Ledger, Draws) {
        (&self.ledger, self.draws)
    }

    #[cfg(feature = "postcard")]
    pub(crate) fn keep_games(&mut self, (ledger, draws): (Ledger, Draws)) -> Result<(), crate::save::LoadError> {
        crate::save::must(ledger.is_sound(), "games that can't have been")?;
        (self.ledger, self.draws) = (ledger, draws);
        Ok(())
    }

    /// The space this was begun in, and how far along it any stream has come: where a later table may go on.
    pub fn space(&self) -> IdSpace {
        let games = self.ledger.far().saturating_sub(1);
        IdSpace { number: self.space, far: self.drawn.into_iter().max().unwrap_or_default().max(games) }
    }

    /// Is this the table of a lobby, which has an id space of its own?
    pub const fn is_of_lobby(&self) -> bool {
        cfg!(any(test, feature = "lobby")) && self.space != 0
    }

    /// How far the stream of secrets has come.
    pub fn secrets(&self) -> u64 {
        self.drawn.get(Stream::Secret as usize).copied().unwrap_or_default()
    }

    /// A number from 1 to 2^31 - 1, from the stream of secrets. In a lobby no other table has the same.
    pub fn secret(&mut self, kind: Kind) -> u32 {
        loop {
            let at = self.secrets();
            let word = self.word(Stream::Secret) & id_space::NUMBER_MAX;
            let number = if self.space == 0 { word } else { id_space::number(&self.key, kind, self.space, at) };
            if number != 0 {
                return number;
            }
        }
    }

    /// 32 random bits.
    pub fn word(&mut self, stream: Stream) -> u32 {
        let which = stream as usize;
        let Some(drawn) = self.drawn.get_mut(which) else { return 0 };
        let at = *drawn;
        *drawn = at.wrapping_add(1);
        let block = chacha(&self.key, at / 16, which as u64 | u64::from(self.space) << 32, QUICK);
        block.get((at % 16) as usize).copied().unwrap_or_default()
    }

    /// Can these have come from a seed?
    #[cfg(feature = "postcard")]
    pub(crate) fn is_sound(&self) -> bool {
        usize::from(self.scripted) <= SCRIPT_MAX
    }

    /// 64 bits that only this seed makes of `secret`, and others for other `salt`: they can be kept where the secret
    /// must not be. They are of no stream: a stream's number is its whole nonce, and there is no fourth.
    pub fn seal(&self, salt: u64, secret: u32) -> u64 {
        let [high, low] = [salt >> 32, salt & 0xffff_ffff];
        let block = chacha(&self.key, u64::from(secret) | high << 32, SEALS | low << 32, QUICK);
        let [a, b, ..] = block;
        u64::from(a) | u64::from(b) << 32
    }

    /// A number below `bound`, all equally likely. 0 for a bound of 0.
    pub fn below(&mut self, stream: Stream, bound: u32) -> u32 {
        below(bound, || self.draw(stream))
    }

    fn draw(&mut self, stream: Stream) -> u32 {
        if self.draws.has_key() { self.draws.other(&self.key, self.space, stream) } else { self.word(stream) }
    }

    /// So many dice, in the order in which they fall. A script gives a step a die.
    pub fn roll<const DICE: usize>(&mut self) -> [u8; DICE] {
        let mut dice = [0; DICE];
        if self.draws.has_key() {
            self.draws.throw(&self.key, self.space, &mut dice);
            return dice;
        }
        dice.map(|_| match self.step() {
            Some(step) => step.clamp(1, 6),
            None => self.below(Stream::Dice, 6) as u8 + 1,
        })
    }

    /// The next step of a script that says what falls, for a game whose scripts say more with a step than one die. `None`:
    /// there is no script, or it is over.
    pub fn step(&mut self) -> Option<u8> {
        let step = self.steps().filter(|step| *step < 0x80).nth(usize::from(self.scripted))?;
        self.scripted += 1;
        Some(step)
    }

    /// Puts a pile of cards into random order. Cards that a script names lie on top, as far as this pile holds them.
    pub fn shuffle(&mut self, pile: &mut [u8]) {
        if self.draws.has_key() {
            return self.draws.shuffle(&self.key, self.space, pile);
        }
        for i in (1..pile.len()).rev() {
            swap(pile, i, self.below(Stream::Shuffle, i as u32 + 1) as usize);
        }
        let mut top = 0;
        for step in self.steps() {
            if step < 0x80 {
                continue;
            }
            let Some(found) = pile.iter().skip(top).position(|card| *card == step - 0x80) else { continue };
            for at in (top..top + found).rev() {
                swap(pile, at, at + 1);
            }
            top += 1;
        }
    }

    fn has_tag(&self, tag: [u8; 8]) -> bool {
        let [a, b, ..] = self.key;
        u64::from(a) | u64::from(b) << 32 == u64::from_le_bytes(tag)
    }

    /// The script that the seed carries, if it carries one.
    fn steps(&self) -> impl Iterator<Item = u8> + use<> {
        let [_, _, rest @ ..] = self.key;
        let length = if self.has_tag(SCRIPT) { SCRIPT_MAX } else { 0 };
        rest.into_iter().flat_map(u32::to_le_bytes).take(length).take_while(|step| *step != 0)
    }
}

impl Default for Dice {
    fn default() -> Self {
        Self::new()
    }
}

/// A number below `bound` by words of 32 bits, all equally likely. 0 for a bound of 0.
pub(crate) fn below(bound: u32, mut word: impl FnMut() -> u32) -> u32 {
    // Words at or above the greatest multiple of `bound` would favour small numbers: draw again.
    let Some(over) = (u32::MAX % bound.max(1)).checked_add(1) else { return 0 };
    let limit = u32::MAX - over % bound.max(1);
    loop {
        let word = word();
        if word <= limit {
            return word.checked_rem(bound).unwrap_or_default();
        }
    }
}

/// Exchanges two cards, if both are there: slices have a `swap`, but one that may panic.
pub(crate) fn swap(pile: &mut [u8], a: usize, b: usize) {
    if let (Some(&one), Some(&other)) = (pile.get(a), pile.get(b)) {
        for (at, card) in [(a, other), (b, one)] {
            if let Some(place) = pile.get_mut(at) {
                *place = card;
            }
        }
    }
}

/// A seed as the cipher takes it.
pub(crate) fn key(seed: &[u8; 32]) -> [u32; 8] {
    let mut key = [0; 8];
    for (word, bytes) in key.iter_mut().zip(seed.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    key
}

/// The first half of a block, as bytes.
pub(crate) fn bytes(block: [u32; 16]) -> [u8; 32] {
    let mut half = [0; 32];
    for (bytes, word) in half.as_chunks_mut::<4>().0.iter_mut().zip(block) {
        *bytes = word.to_le_bytes();
    }
    half
}

/// One block of ChaCha with twice `double_rounds` rounds.
#[allow(clippy::indexing_slicing, reason = "constant indices into an array of 16, checked when compiled")]
#[inline(never)]
pub(crate) fn chacha(key: &[u32; 8], counter: u64, nonce: u64, double_rounds: u32) -> [u32; 16] {
    let [a, b, c, d, e, f, g, h] = *key;
    let start = [
        0x6170_7865,
        0x3320_646e,
        0x7962_2d32,
        0x6b20_6574,
        a,
        b,
        c,
        d,
        e,
        f,
        g,
        h,
        counter as u32,
        (counter >> 32) as u32,
        nonce as u32,
        (nonce >> 32) as u32,
    ];
    let mut x = start;
    macro_rules! quarter {
        ($a:literal $b:literal $c:literal $d:literal) => {
            x[$a] = x[$a].wrapping_add(x[$b]);
            x[$d] = (x[$d] ^ x[$a]).rotate_left(16);
            x[$c] = x[$c].wrapping_add(x[$d]);
            x[$b] = (x[$b] ^ x[$c]).rotate_left(12);
            x[$a] = x[$a].wrapping_add(x[$b]);
            x[$d] = (x[$d] ^ x[$a]).rotate_left(8);
            x[$c] = x[$c].wrapping_add(x[$d]);
            x[$b] = (x[$b] ^ x[$c]).rotate_left(7);
        };
    }
    for _ in 0..double_rounds {
        quarter!(0 4 8 12);
        quarter!(1 5 9 13);
        quarter!(2 6 10 14);
        quarter!(3 7 11 15);
        quarter!(0 5 10 15);
        quarter!(1 6 11 12);
        quarter!(2 7 8 13);
        quarter!(3 4 9 14);
    }
    for (word, first) in x.iter_mut().zip(start) {
        *word = word.wrapping_add(first);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn eight_rounds_give_the_published_stream() {
        let block = chacha(&[0; 8], 0, 0, QUICK);
        let bytes: Vec<u8> = block.iter().flat_map(|w| w.to_le_bytes()).take(16).collect();
        assert_eq!(
            bytes,
            [0x3e, 0x00, 0xef, 0x2f, 0x89, 0x5f, 0x40, 0xd6, 0x7f, 0x5b, 0xb8, 0xe8, 0x1f, 0x09, 0xa5, 0xa1]
        );
    }

    #[test]
    fn twenty_rounds_give_the_published_stream() {
        let block = chacha(&[0; 8], 0, 0, FULL);
        let bytes: Vec<u8> = block.iter().flat_map(|w| w.to_le_bytes()).take(8).collect();
        assert_eq!(bytes, [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90]);
    }

    #[test]
    fn tables_have_seeds_of_their_own() {
        let seeds: Vec<_> = (0..4).map(|number| table_seed(&[7; 32], number)).collect();
        for (nth, seed) in seeds.iter().enumerate() {
            assert!(seed.starts_with(&KEYED) && !seeds[..nth].contains(seed));
        }
        assert_eq!(table_seed(&[0; 32], 1)[8..12], chacha(&[0; 8], 1, 6, FULL)[2].to_le_bytes());
    }

    #[test]
    fn a_throw_is_fair() {
        let mut dice = Dice::new();
        dice.begin(&[7; 32]);
        let mut seen = [0u32; 7];
        for _ in 0..60_000 {
            dice.roll::<2>().iter().for_each(|die| seen[usize::from(*die)] += 1);
        }
        assert_eq!(seen[0], 0);
        assert!(seen[1..].iter().all(|n| (19_400..20_600).contains(n)), "{seen:?}");
    }

    #[test]
    fn streams_do_not_touch_each_other() {
        let (mut one, mut two) = (Dice::new(), Dice::new());
        one.begin(&[1; 32]);
        two.begin(&[1; 32]);
        let _ = (0..100).map(|_| one.word(Stream::Dice)).count();
        assert_eq!(one.word(Stream::Secret), two.word(Stream::Secret));
    }

    #[test]
    fn a_seal_depends_on_seed_salt_and_secret() {
        let (mut one, mut two) = (Dice::new(), Dice::new());
        one.begin(&[1; 32]);
        two.begin(&[2; 32]);
        let seal = one.seal(7, 9);
        assert_eq!(one.seal(7, 9), seal);
        assert!([one.seal(8, 9), one.seal(7 | 1 << 40, 9), one.seal(7, 10), two.seal(7, 9)].iter().all(|s| *s != seal));
    }

    #[test]
    fn id_spaces_are_streams_apart_and_go_on_where_they_were() {
        let begun = |number, far| {
            let mut dice = Dice::new();
            dice.begin_in(&[1; 32], IdSpace { number, far });
            dice
        };
        let words = |dice: &mut Dice| [0; 4].map(|_| dice.word(Stream::Dice));
        let (mut none, mut one, mut two) = (begun(0, 0), begun(1, 0), begun(2, 0));
        let first = words(&mut one);
        assert!(first != words(&mut none) && first != words(&mut two));
        assert_eq!(one.space(), IdSpace { number: 1, far: 4 });
        let mut later = begun(1, 4);
        assert_eq!(words(&mut later), words(&mut one));
    }

    /// Clients that read them with a sign must find them again.
    #[test]
    fn secrets_have_no_sign_and_are_never_nothing() {
        for number in [0, 1] {
            let mut dice = Dice::new();
            dice.begin_in(&[1; 32], IdSpace { number, far: 0 });
            for kind in [Kind::Game, Kind::Password].into_iter().cycle().take(1_000) {
                assert!((1..1 << 31).contains(&dice.secret(kind)), "space {number}");
            }
        }
    }

    #[test]
    fn a_script_is_followed_and_then_left() {
        let mut dice = Dice::new();
        dice.begin(&script(&[1, 2, 6, 0x80 + 7, 5, 0x66, 0x80 + 3, 0x80 + 20]).unwrap());
        assert_eq!((dice.roll(), dice.roll(), dice.step()), ([1, 2, 6], [5], Some(0x66)));
        let mut pile: Vec<u8> = (0..16).collect();
        dice.shuffle(&mut pile);
        assert_eq!(pile[..2], [7, 3]);
        pile.sort_unstable();
        assert_eq!(pile, (0..16).collect::<Vec<u8>>());
        let mut other: Vec<u8> = (16..32).collect();
        dice.shuffle(&mut other);
        assert_eq!(other[0], 20);
        assert_eq!(dice.step(), None);
        assert!(dice.roll::<6>().iter().all(|die| (1..=6).contains(die)));
        assert!(script(&[1; 25]).is_none());
    }

    #[test]
    fn below_stays_below() {
        let mut dice = Dice::new();
        dice.begin(&[9; 32]);
        for bound in [1, 2, 3, 7, 16, 1 << 31, u32::MAX] {
            assert!((0..50).all(|_| dice.below(Stream::Shuffle, bound) < bound));
        }
        assert_eq!(dice.below(Stream::Shuffle, 0), 0);
    }
}
