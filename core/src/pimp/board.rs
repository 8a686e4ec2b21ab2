//! Board 0, the standard US board, as tables: squares, deeds, colour groups, cards, pieces and the fixed numbers.
//!
//! An id from a wire becomes a [`Square`], [`Deed`], [`Group`], [`Card`] or [`Piece`] through `new`, which refuses what
//! the board does not have. Every table is looked into in this file alone, by such an id, so no lookup can fail and
//! nothing here panics. Facts only: no state, no rule.

use core::fmt;

pub const START_CASH: u32 = 1500;
pub const SALARY: u32 = 200;
pub const BAIL: u32 = 50;
/// Rolls for a double before bail is forced.
pub const JAIL_ROLLS: u8 = 3;
pub const INCOME_TAX: u32 = 200;
pub const LUXURY_TAX: u32 = 75;
pub const HOUSES: u8 = 32;
pub const HOTELS: u8 = 12;
pub const SQUARES: usize = 40;
pub const DEEDS: usize = 28;
pub const GROUPS: usize = 10;
pub const CARDS: usize = 32;
pub const PIECES: usize = 12;
/// A hotel stands for this many houses.
pub const HOTEL_LEVEL: u8 = 5;

/// What a save file or a caller gave is no id of this board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotOnBoard;

impl fmt::Display for NotOnBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no such id on board 0")
    }
}

macro_rules! ids {
    ($( $(#[$doc:meta])* $Id:ident $count:ident )*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        #[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "postcard", serde(try_from = "u8", into = "u8"))]
        pub struct $Id(u8);

        impl $Id {
            /// `None` if the board has no such id.
            pub const fn new(id: u8) -> Option<Self> {
                if (id as usize) < $count { Some(Self(id)) } else { None }
            }
            /// As on the wire.
            pub const fn id(self) -> u8 {
                self.0
            }
            /// All of them, ascending.
            pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
                (0..$count as u8).map(Self)
            }
        }
        impl TryFrom<u8> for $Id {
            type Error = NotOnBoard;
            fn try_from(id: u8) -> Result<Self, NotOnBoard> {
                Self::new(id).ok_or(NotOnBoard)
            }
        }
        impl From<$Id> for u8 {
            fn from(id: $Id) -> u8 {
                id.0
            }
        }
    )* };
}

ids! {
    /// One of the 40 squares.
    Square SQUARES
    /// One of the 28 properties that can be owned.
    Deed DEEDS
    /// Eight colours, then the railroads, then the utilities.
    Group GROUPS
    /// One of the 32 cards: 0-15 Chance, 16-31 Community Chest.
    Card CARDS
    /// A token; 0 = any.
    Piece PIECES
}

/// The row of `table` that stands at `at`. Ids are below their table's length, so the first row never stands in.
const fn row<T, const N: usize>(table: &'static [T; N], at: u8, first: &'static T) -> &'static T {
    if (at as usize) < N
        && let Some((row, _)) = table.split_at(at as usize).1.split_first()
    {
        return row;
    }
    first
}

// ---------------------------------------------------------------------------------------------------------- squares

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SquareKind {
    Go,
    Property(Deed),
    CommunityChest,
    Chance,
    IncomeTax,
    LuxuryTax,
    Jail,
    FreeParking,
    GoToJail,
}

const fn lot(deed: u8) -> SquareKind {
    SquareKind::Property(Deed(deed))
}

#[rustfmt::skip]
static SQUARE_KINDS: [SquareKind; SQUARES] = {
    use SquareKind::{Chance, CommunityChest, FreeParking, Go, GoToJail, IncomeTax, Jail, LuxuryTax};
    [
        Go,          lot(0),  CommunityChest, lot(1),         IncomeTax, lot(2),  lot(3),  Chance,  lot(4),    lot(5),
        Jail,        lot(6),  lot(7),         lot(8),         lot(9),    lot(10), lot(11), CommunityChest, lot(12), lot(13),
        FreeParking, lot(14), Chance,         lot(15),        lot(16),   lot(17), lot(18), lot(19), lot(20),   lot(21),
        GoToJail,    lot(22), lot(23),        CommunityChest, lot(24),   lot(25), Chance,  lot(26), LuxuryTax, lot(27),
    ]
};

impl Square {
    pub const GO: Square = Square(0);
    pub const INCOME_TAX: Square = Square(4);
    pub const JAIL: Square = Square(10);
    pub const FREE_PARKING: Square = Square(20);
    pub const GO_TO_JAIL: Square = Square(30);
    pub const LUXURY_TAX: Square = Square(38);

    pub const fn kind(self) -> SquareKind {
        *row(&SQUARE_KINDS, self.0, &SQUARE_KINDS[0])
    }
    pub const fn deed(self) -> Option<Deed> {
        match self.kind() {
            SquareKind::Property(deed) => Some(deed),
            _ => None,
        }
    }
    /// `steps` squares on.
    pub const fn plus(self, steps: u8) -> Square {
        Square((self.0 + steps % SQUARES as u8) % SQUARES as u8)
    }
    /// `steps` squares back.
    pub const fn back(self, steps: u8) -> Square {
        Square((self.0 + SQUARES as u8 - steps % SQUARES as u8) % SQUARES as u8)
    }
    pub const fn name(self) -> &'static str {
        use SquareKind::{Chance, CommunityChest, FreeParking, Go, GoToJail, IncomeTax, Jail, LuxuryTax};
        match self.kind() {
            Go => "Go",
            SquareKind::Property(deed) => deed.name(),
            CommunityChest => "Community Chest",
            Chance => "Chance",
            IncomeTax => "Income Tax",
            LuxuryTax => "Luxury Tax",
            Jail => "Jail",
            FreeParking => "Free Parking",
            GoToJail => "Go To Jail",
        }
    }
}

// ------------------------------------------------------------------------------------------------------------ deeds

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum DeedKind {
    Street,
    Railroad,
    Utility,
}

struct DeedRow {
    square: u8,
    group: u8,
    price: u16,
    house_cost: u16,
    /// A street with 0-4 houses and a hotel; a railroad with 1-4 owned; a utility's factor with 1-2 owned.
    rents: [u16; 6],
    name: &'static str,
}

const fn deed(square: u8, group: u8, price: u16, house_cost: u16, rents: [u16; 6], name: &'static str) -> DeedRow {
    DeedRow { square, group, price, house_cost, rents, name }
}

#[rustfmt::skip]
static DEED_ROWS: [DeedRow; DEEDS] = [
    deed(1, 0, 60, 50, [2, 10, 30, 90, 160, 250], "Mediterranean Avenue"),
    deed(3, 0, 60, 50, [4, 20, 60, 180, 320, 450], "Baltic Avenue"),
    deed(5, 8, 200, 0, [25, 50, 100, 200, 200, 200], "Reading Railroad"),
    deed(6, 1, 100, 50, [6, 30, 90, 270, 400, 550], "Oriental Avenue"),
    deed(8, 1, 100, 50, [6, 30, 90, 270, 400, 550], "Vermont Avenue"),
    deed(9, 1, 120, 50, [8, 40, 100, 300, 450, 600], "Connecticut Avenue"),
    deed(11, 2, 140, 100, [10, 50, 150, 450, 625, 750], "St. Charles Place"),
    deed(12, 9, 150, 0, [4, 10, 10, 10, 10, 10], "Electric Company"),
    deed(13, 2, 140, 100, [10, 50, 150, 450, 625, 750], "States Avenue"),
    deed(14, 2, 160, 100, [12, 60, 180, 500, 700, 900], "Virginia Avenue"),
    deed(15, 8, 200, 0, [25, 50, 100, 200, 200, 200], "Pennsylvania Railroad"),
    deed(16, 3, 180, 100, [14, 70, 200, 550, 750, 950], "St. James Place"),
    deed(18, 3, 180, 100, [14, 70, 200, 550, 750, 950], "Tennessee Avenue"),
    deed(19, 3, 200, 100, [16, 80, 220, 600, 800, 1000], "New York Avenue"),
    deed(21, 4, 220, 150, [18, 90, 250, 700, 875, 1050], "Kentucky Avenue"),
    deed(23, 4, 220, 150, [18, 90, 250, 700, 875, 1050], "Indiana Avenue"),
    deed(24, 4, 240, 150, [20, 100, 300, 750, 925, 1100], "Illinois Avenue"),
    deed(25, 8, 200, 0, [25, 50, 100, 200, 200, 200], "B & O Railroad"),
    deed(26, 5, 260, 150, [22, 110, 330, 800, 975, 1150], "Atlantic Avenue"),
    deed(27, 5, 260, 150, [22, 110, 330, 800, 975, 1150], "Ventnor Avenue"),
    deed(28, 9, 150, 0, [4, 10, 10, 10, 10, 10], "Water Works"),
    deed(29, 5, 280, 150, [24, 120, 360, 850, 1025, 1200], "Marvin Gardens"),
    deed(31, 6, 300, 200, [26, 130, 390, 900, 1100, 1275], "Pacific Avenue"),
    deed(32, 6, 300, 200, [26, 130, 390, 900, 1100, 1275], "North Carolina Avenue"),
    deed(34, 6, 320, 200, [28, 150, 450, 1000, 1200, 1400], "Pennsylvania Avenue"),
    deed(35, 8, 200, 0, [25, 50, 100, 200, 200, 200], "Short Line"),
    deed(37, 7, 350, 200, [35, 175, 500, 1100, 1300, 1500], "Park Place"),
    deed(39, 7, 400, 200, [50, 200, 600, 1400, 1700, 2000], "Boardwalk"),
];

impl Deed {
    const fn row(self) -> &'static DeedRow {
        row(&DEED_ROWS, self.0, &DEED_ROWS[0])
    }
    pub const fn square(self) -> Square {
        Square(self.row().square)
    }
    pub const fn group(self) -> Group {
        Group(self.row().group)
    }
    pub const fn kind(self) -> DeedKind {
        self.group().kind()
    }
    pub const fn price(self) -> u32 {
        self.row().price as u32
    }
    pub const fn mortgage(self) -> u32 {
        self.price() / 2
    }
    /// The mortgage and a tenth of it, rounded down.
    pub const fn unmortgage_cost(self) -> u32 {
        self.mortgage() * 11 / 10
    }
    /// What the bank takes when the deed changes hands mortgaged.
    pub const fn transfer_fee(self) -> u32 {
        self.mortgage() / 10
    }
    /// The price of one house; 0 where none can stand.
    pub const fn house_cost(self) -> u32 {
        self.row().house_cost as u32
    }
    /// What the bank gives for one house.
    pub const fn house_resale(self) -> u32 {
        self.house_cost() / 2
    }
    /// The printed rent of a street: level 0 bare, 1-4 houses, 5 (and above) a hotel. A railroad gives its rent with
    /// `level + 1` railroads owned, a utility the factor of the dice with `level + 1` utilities owned.
    pub const fn rent(self, level: u8) -> u32 {
        let [bare, one, two, three, four, hotel] = self.row().rents;
        let rent = match level {
            0 => bare,
            1 => one,
            2 => two,
            3 => three,
            4 => four,
            _ => hotel,
        };
        rent as u32
    }
    pub const fn name(self) -> &'static str {
        self.row().name
    }
}

// ----------------------------------------------------------------------------------------------------------- groups

struct GroupRow {
    deeds: &'static [Deed],
    name: &'static str,
}

static GROUP_ROWS: [GroupRow; GROUPS] = [
    GroupRow { deeds: &[Deed(0), Deed(1)], name: "Purple" },
    GroupRow { deeds: &[Deed(3), Deed(4), Deed(5)], name: "Light Blue" },
    GroupRow { deeds: &[Deed(6), Deed(8), Deed(9)], name: "Pink" },
    GroupRow { deeds: &[Deed(11), Deed(12), Deed(13)], name: "Orange" },
    GroupRow { deeds: &[Deed(14), Deed(15), Deed(16)], name: "Red" },
    GroupRow { deeds: &[Deed(18), Deed(19), Deed(21)], name: "Yellow" },
    GroupRow { deeds: &[Deed(22), Deed(23), Deed(24)], name: "Green" },
    GroupRow { deeds: &[Deed(26), Deed(27)], name: "Dark Blue" },
    GroupRow { deeds: &[Deed(2), Deed(10), Deed(17), Deed(25)], name: "Railroad" },
    GroupRow { deeds: &[Deed(7), Deed(20)], name: "Utility" },
];

impl Group {
    pub const RAILROADS: Group = Group(8);
    pub const UTILITIES: Group = Group(9);

    const fn row(self) -> &'static GroupRow {
        row(&GROUP_ROWS, self.0, &GROUP_ROWS[0])
    }
    /// Ascending.
    pub const fn deeds(self) -> &'static [Deed] {
        self.row().deeds
    }
    pub const fn kind(self) -> DeedKind {
        match self.0 {
            8 => DeedKind::Railroad,
            9 => DeedKind::Utility,
            _ => DeedKind::Street,
        }
    }
    pub const fn name(self) -> &'static str {
        self.row().name
    }
}

// ------------------------------------------------------------------------------------------------------------ cards

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub enum Pile {
    Chance,
    CommunityChest,
}

impl Pile {
    /// The sixteen cards of this pile, ascending.
    pub fn cards(self) -> impl DoubleEndedIterator<Item = Card> + Clone {
        let first = match self {
            Pile::Chance => 0,
            Pile::CommunityChest => 16,
        };
        (first..first + 16).map(Card)
    }
}

/// What a card does to the player who draws it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Effect {
    AdvanceTo(Square),
    /// To the next utility; its owner gets ten times a fresh throw.
    NextUtility,
    /// To the next railroad; its owner gets twice the rent.
    NextRailroad,
    BankPays(u32),
    JailCard,
    Back(u8),
    GoToJail,
    Repairs {
        house: u32,
        hotel: u32,
    },
    PayBank(u32),
    PayEach(u32),
    CollectEach(u32),
}

#[rustfmt::skip]
static EFFECTS: [Effect; CARDS] = {
    use Effect::*;
    [
        AdvanceTo(Square(0)), AdvanceTo(Square(24)), NextUtility, NextRailroad,
        NextRailroad, AdvanceTo(Square(11)), BankPays(50), JailCard,
        Back(3), GoToJail, Repairs { house: 25, hotel: 100 }, PayBank(15),
        AdvanceTo(Square(5)), AdvanceTo(Square(39)), PayEach(50), BankPays(150),
        AdvanceTo(Square(0)), BankPays(200), PayBank(50), BankPays(45),
        JailCard, GoToJail, CollectEach(50), BankPays(20),
        BankPays(100), PayBank(100), PayBank(150), BankPays(25),
        BankPays(100), Repairs { house: 40, hotel: 115 }, BankPays(10), BankPays(100),
    ]
};

impl Card {
    /// The two cards that are kept until needed, and pay bail.
    pub const JAIL_CARDS: [Card; 2] = [Card(7), Card(20)];

    pub const fn pile(self) -> Pile {
        if self.0 < 16 { Pile::Chance } else { Pile::CommunityChest }
    }
    pub const fn effect(self) -> Effect {
        *row(&EFFECTS, self.0, &EFFECTS[0])
    }
    pub const fn is_jail_card(self) -> bool {
        matches!(self.effect(), Effect::JailCard)
    }
}

// ----------------------------------------------------------------------------------------------------------- pieces

static PIECE_NAMES: [&str; PIECES] = [
    "any",
    "Bag of money",
    "Battleship",
    "Cannon",
    "Dog",
    "Horse & Rider",
    "Iron",
    "Race Car",
    "Shoe",
    "Thimble",
    "Top Hat",
    "Wheelbarrow",
];

impl Piece {
    pub const ANY: Piece = Piece(0);
    pub const HORSE: Piece = Piece(5);
    pub const CAR: Piece = Piece(7);

    pub const fn name(self) -> &'static str {
        row::<&str, PIECES>(&PIECE_NAMES, self.0, &PIECE_NAMES[0])
    }
}

// ----------------------------------------------------------------------------------------------- things kept by deed

/// One `T` for each deed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "postcard", serde(bound(deserialize = "T: serde::Deserialize<'de> + Clone")))]
pub struct ByDeed<T>(#[cfg_attr(feature = "postcard", serde(deserialize_with = "crate::save::array"))] [T; DEEDS]);

impl<T> ByDeed<T> {
    pub const fn new(all: [T; DEEDS]) -> Self {
        Self(all)
    }
    pub fn get(&self, deed: Deed) -> &T {
        self.0.get(usize::from(deed.0)).unwrap_or(&self.0[0])
    }
    pub fn get_mut(&mut self, deed: Deed) -> &mut T {
        // A deed is below 28, so the clamp never moves it; it spares the check that could fail.
        let at = usize::from(deed.0).min(DEEDS - 1);
        let [first, rest @ ..] = &mut self.0;
        match at.checked_sub(1).and_then(|at| rest.get_mut(at)) {
            Some(entry) => entry,
            None => first,
        }
    }
    /// Ascending by deed.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Deed, &T)> {
        Deed::all().zip(&self.0)
    }
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (Deed, &mut T)> {
        Deed::all().zip(&mut self.0)
    }
}

/// A set of deeds: one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct DeedSet(u32);

impl DeedSet {
    pub const EMPTY: DeedSet = DeedSet(0);

    /// True if it was not there.
    pub const fn insert(&mut self, deed: Deed) -> bool {
        let new = !self.contains(deed);
        self.0 |= 1 << deed.0;
        new
    }
    /// True if it was there.
    pub const fn remove(&mut self, deed: Deed) -> bool {
        let old = self.contains(deed);
        self.0 &= !(1 << deed.0);
        old
    }
    pub const fn contains(self, deed: Deed) -> bool {
        self.0 >> deed.0 & 1 == 1
    }
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }
    /// Ascending.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Deed> + Clone {
        Deed::all().filter(move |deed| self.contains(*deed))
    }
}

impl FromIterator<Deed> for DeedSet {
    fn from_iter<I: IntoIterator<Item = Deed>>(deeds: I) -> Self {
        let mut set = DeedSet::EMPTY;
        for deed in deeds {
            set.insert(deed);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::SquareKind::{Chance, CommunityChest, FreeParking, Go, GoToJail, IncomeTax, Jail, LuxuryTax};
    use super::*;
    use std::vec::Vec;

    #[test]
    fn deeds_and_squares_point_at_each_other() {
        for deed in Deed::all() {
            assert_eq!(deed.square().kind(), SquareKind::Property(deed));
            assert_eq!(deed.square().deed(), Some(deed));
        }
        assert_eq!(Square::all().filter(|s| s.deed().is_some()).count(), 28);
        // Deeds are numbered in the order of their squares.
        assert!(Deed::all().zip(Deed::all().skip(1)).all(|(a, b)| a.square() < b.square()));
        let count = |kind| Square::all().filter(|s| s.kind() == kind).count();
        assert_eq!((count(Chance), count(CommunityChest)), (3, 3));
        assert_eq!(
            [Square::GO, Square::JAIL, Square::FREE_PARKING, Square::GO_TO_JAIL].map(Square::kind),
            [Go, Jail, FreeParking, GoToJail]
        );
        assert_eq!([Square::INCOME_TAX, Square::LUXURY_TAX].map(Square::kind), [IncomeTax, LuxuryTax]);
    }

    #[test]
    fn prices_add_up() {
        assert_eq!(Deed::all().map(Deed::price).sum::<u32>(), 5690);
        assert_eq!(Deed::all().map(Deed::mortgage).sum::<u32>(), 2845);
        assert!(Deed::all().all(|d| d.price() % 10 == 0 && d.mortgage() * 2 == d.price()));
        assert_eq!(Deed::all().map(Deed::house_cost).sum::<u32>(), 5 * 50 + 6 * 100 + 6 * 150 + 5 * 200);
        // All streets with their printed rents, from the bare lot to the hotel.
        let sums: Vec<u32> = (0..6)
            .map(|level| Deed::all().filter(|d| d.kind() == DeedKind::Street).map(|d| d.rent(level)).sum())
            .collect();
        assert_eq!(sums, [391, 1915, 5620, 14110, 18030, 21850]);
    }

    #[test]
    fn single_rows_are_as_printed() {
        let electric = Deed::new(7).unwrap();
        assert_eq!((electric.price(), electric.unmortgage_cost(), electric.transfer_fee()), (150, 82, 7));
        let park = Deed::new(26).unwrap();
        assert_eq!((park.name(), park.unmortgage_cost(), park.transfer_fee()), ("Park Place", 192, 17));
        let boardwalk = Deed::new(27).unwrap();
        assert_eq!((0..6).map(|l| boardwalk.rent(l)).collect::<Vec<_>>(), [50, 200, 600, 1400, 1700, 2000]);
        assert_eq!(boardwalk.rent(200), 2000);
        let reading = Deed::new(2).unwrap();
        assert_eq!((0..4).map(|l| reading.rent(l)).collect::<Vec<_>>(), [25, 50, 100, 200]);
        assert_eq!((electric.rent(0), electric.rent(1)), (4, 10));
        assert_eq!(Square::new(39).unwrap().name(), "Boardwalk");
        assert_eq!(Piece::CAR.name(), "Race Car");
    }

    #[test]
    fn groups_hold_what_deeds_say() {
        let sizes: Vec<usize> = Group::all().map(|g| g.deeds().len()).collect();
        assert_eq!(sizes, [2, 3, 3, 3, 3, 3, 3, 2, 4, 2]);
        for group in Group::all() {
            let of_group: Vec<Deed> = Deed::all().filter(|d| d.group() == group).collect();
            assert_eq!(group.deeds(), of_group);
            assert!(of_group.iter().all(|d| d.house_cost() == of_group[0].house_cost()));
        }
    }

    #[test]
    fn rents_rise_with_buildings() {
        for deed in Deed::all() {
            match deed.kind() {
                DeedKind::Street => assert!((0..5).all(|l| deed.rent(l) < deed.rent(l + 1)), "{}", deed.name()),
                _ => assert_eq!(deed.house_cost(), 0),
            }
        }
    }

    #[test]
    fn cards_lie_in_two_piles_of_sixteen() {
        let chance: Vec<Card> = Pile::Chance.cards().collect();
        let chest: Vec<Card> = Pile::CommunityChest.cards().collect();
        assert_eq!((chance.len(), chest.len()), (16, 16));
        assert!(chance.iter().all(|c| c.pile() == Pile::Chance));
        assert!(chest.iter().all(|c| c.pile() == Pile::CommunityChest));
        assert_eq!(Card::all().filter(|c| c.is_jail_card()).collect::<Vec<_>>(), Card::JAIL_CARDS);
        let paid: u32 = Card::all()
            .map(|c| match c.effect() {
                Effect::BankPays(m) => m,
                _ => 0,
            })
            .sum();
        assert_eq!(paid, 50 + 150 + 200 + 45 + 20 + 100 + 25 + 100 + 10 + 100);
        assert_eq!(Card::new(29).unwrap().effect(), Effect::Repairs { house: 40, hotel: 115 });
        assert_eq!(Card::new(13).unwrap().effect(), Effect::AdvanceTo(Square::new(39).unwrap()));
    }

    #[test]
    fn ids_beyond_the_board_are_refused() {
        assert!(Square::new(40).is_none() && Deed::new(28).is_none() && Group::new(10).is_none());
        assert!(Card::new(32).is_none() && Piece::new(12).is_none());
        assert_eq!(Deed::try_from(255), Err(NotOnBoard));
    }

    #[test]
    fn walking_goes_round() {
        let boardwalk = Square::new(39).unwrap();
        assert_eq!(boardwalk.plus(1), Square::GO);
        assert_eq!(boardwalk.plus(255).id(), (39 + 255 % 40) % 40);
        assert_eq!(Square::GO.back(3).id(), 37);
        assert!(Square::all().all(|s| s.plus(12).back(12) == s));
    }

    #[test]
    fn sets_and_tables_by_deed() {
        let mut set: DeedSet = [3, 27, 0].into_iter().filter_map(Deed::new).collect();
        let last = Deed::new(27).unwrap();
        assert!(set.contains(last) && !set.insert(last) && set.remove(last) && !set.remove(last));
        assert_eq!(set.iter().map(Deed::id).collect::<Vec<_>>(), [0, 3]);
        assert_eq!((set.len(), set.is_empty()), (2, false));
        let mut table = ByDeed::new([0u8; DEEDS]);
        Deed::all().for_each(|d| *table.get_mut(d) = d.id() + 1);
        assert!(table.iter().all(|(d, n)| *n == d.id() + 1 && table.get(d) == n));
        table.iter_mut().for_each(|(_, n)| *n = 7);
        assert_eq!(table, ByDeed::new([7; DEEDS]));
    }
}
