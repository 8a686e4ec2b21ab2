//! House rules: one struct, the default is how most people play.

/// What a table may decide for itself (pimp 0).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Options {
    /// Fines go to a pot that Free Parking pays out; it starts again with this. `None`: no pot.
    pub pot: Option<u32>,
    /// Landing exactly on Go pays 400 instead of 200.
    pub double_go: bool,
    /// Nobody buys before having passed Go once.
    pub lap_before_buy: bool,
    /// A bankrupt's estate goes to the creditor; off: to the bank, which pays the creditor what was owed.
    pub estate_to_creditor: bool,
    /// Leaving jail by payment ends the turn; off: the player throws.
    pub bail_ends_turn: bool,
    /// Who owes another player may not throw.
    pub debt_blocks_roll: bool,
    /// Chance, in percent, that a purchase of houses fails.
    pub termites: u8,
}

impl Options {
    pub const DEFAULT: Self = Self {
        pot: Some(100),
        double_go: false,
        lap_before_buy: false,
        estate_to_creditor: true,
        bail_ends_turn: false,
        debt_blocks_roll: true,
        termites: 0,
    };
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}
