//! House rules: the default is how most people play.

crate::settings! {
    /// What a table may decide for itself (pimp 0).
    pub struct Options {
        /// Fines go to a pot that Free Parking pays out; it begins anew with this
        rule pot: Option<u32> = Some(100);
        /// Landing exactly on Go pays 400
        rule double_go: bool = false;
        /// Nobody buys before having passed Go once
        rule lap_before_buy: bool = false;
        /// A bankrupt's estate goes to the creditor; off: to the bank, which pays what was owed
        rule estate_to_creditor: bool = true;
        /// Leaving jail by payment ends the turn; off: the player throws
        rule bail_ends_turn: bool = false;
        /// Who owes another player may not throw
        rule debt_blocks_roll: bool = true;
        /// Chance in percent that a purchase of houses fails
        rule termites: u8 = 0, 0..=100;
    }
}
