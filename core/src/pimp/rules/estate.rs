//! Bankruptcy, what becomes of an estate, and the game after someone has left play (pimp 12.4, 12.5).
//!
//! What can never happen here: a deed, card, claim or deal of someone who no longer plays.

use super::{BANK, Cause, Cx, Game, Herald, Phase, Refusal, UserId, Verdict};
use crate::pimp::board::{Card, DeedSet};
use crate::pimp::wire::Message;

/// Why a player left play, as far as the rest of the game cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Departure {
    Bankrupt,
    Kicked,
    Transferred,
}

impl Departure {
    fn message(self, player: UserId) -> Message<'static> {
        match self {
            Departure::Bankrupt => Message::PlayerBecameObserverBankrupt { player },
            Departure::Kicked => Message::PlayerBecameObserverKicked { player },
            Departure::Transferred => Message::PlayerBecameObserverTransfer { player },
        }
    }
}

impl Game {
    /// BANKRUPT_TRANSACTION: only a debtor whose whole worth is not enough, and the oldest deal first.
    pub(super) fn bankrupt<H: Herald>(&mut self, cx: &mut Cx<'_, H>, id: u32, player: UserId) -> Verdict {
        let Some(deal) = self.deals.get(id) else { return Ok(()) };
        if deal.debtor() != Some(player) {
            return Err(Refusal::Unexpected);
        }
        let creditor = deal.creditor().unwrap_or(BANK);
        let amount = deal.amount;
        let has_card = deal.cause == Cause::Jail && self.cards_of(player).next().is_some();
        let earlier = self.deals.next_of(player, 0).filter(|first| *first < id);
        let reason = if self.worth(player) >= amount || has_card { Some(0) } else { earlier };
        if let Some(earlier_transaction) = reason {
            cx.out.one(player, Message::ErrorTransactionNotBankrupt { transaction: id, earlier_transaction });
            return Err(Refusal::Told);
        }
        let held = self.is_held_by(player);
        let heir = if cx.options.estate_to_creditor { creditor } else { BANK };
        self.cancel_all_of(cx, player);
        self.claims_after_leaving(player, heir);
        self.estate(cx, player, heir, true);
        if heir != creditor {
            self.move_cash(cx, BANK, creditor, amount);
        }
        self.depart(cx, player, Departure::Bankrupt, held);
        Ok(())
    }

    /// The game waits for a deal in which this player must pay.
    pub(super) fn is_held_by(&self, player: UserId) -> bool {
        match self.phase {
            Phase::Held { deal } => self.deals.get(deal).and_then(|deal| deal.debtor()) == Some(player),
            _ => false,
        }
    }

    /// Who is named by the running WAITING_FOR_TRANSACTION, else whose turn it is.
    pub fn waited_for(&self) -> Option<UserId> {
        match self.phase {
            Phase::Idle | Phase::Over { .. } => None,
            Phase::Held { deal } => self.deals.get(deal).and_then(|deal| deal.debtor()),
            _ => Some(self.current).filter(|player| self.is_player(*player)),
        }
    }

    /// May the others vote to be rid of this player now (pimp V9, 16.2)?
    pub fn may_be_kicked(&self, user: UserId) -> bool {
        let Some(player) = self.player(user) else { return false };
        let delays = match self.phase {
            Phase::Idle | Phase::Over { .. } => return false,
            Phase::Auction { leader, .. } => leader != user && !player.passed,
            _ => self.waited_for() == Some(user),
        };
        delays || self.current == user
    }

    /// All that a player has goes to another player, or to the bank. `fees`: the heir pays for mortgaged deeds.
    pub(super) fn estate<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, heir: UserId, fees: bool) {
        let deeds: DeedSet = self.deeds_of(player).collect();
        let proceeds = self.clear_buildings(cx, player, deeds);
        if heir != BANK && proceeds > 0 {
            cx.out.all(Message::DestructionGivesCash { player, cash: proceeds });
            self.move_cash(cx, BANK, player, proceeds);
        }
        self.move_cash(cx, player, heir, self.cash(player));
        for deed in deeds.iter() {
            self.move_deed(cx, player, heir, deed);
            if heir == BANK && self.standing(deed).mortgaged {
                self.deeds.get_mut(deed).mortgaged = false;
                cx.out.all(Message::DeltaPropertyUnmortgaged { property: deed.id() });
            }
        }
        for card in Card::JAIL_CARDS {
            if self.card_owner(card) == player {
                self.move_card(cx, player, heir, card);
            }
        }
        let owed = self.fees(deeds);
        if fees && heir != BANK && owed > 0 {
            self.open_fee(cx, heir, owed);
        }
    }

    /// Takes all buildings off these lots; what they would bring is the answer.
    fn clear_buildings<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, deeds: DeedSet) -> u32 {
        let built: DeedSet = deeds.iter().filter(|deed| self.standing(*deed).level > 0).collect();
        let proceeds = built.iter().map(|deed| self.resale(deed)).sum();
        for deed in built.iter() {
            self.deeds.get_mut(deed).level = 0;
            cx.out.all(Message::DeltaHousesPurchased { player, property: deed.id(), houses: 0, hotels: 0 });
        }
        if !built.is_empty() {
            let (houses, hotels) = self.bank();
            cx.out.all(Message::DeltaBank { houses, hotels });
        }
        proceeds
    }

    /// The player, who has nothing left, is no player any more; the game goes on without (pimp 12.5). `held`: the game
    /// waited for a debt of theirs.
    pub(super) fn depart<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId, why: Departure, held: bool) {
        cx.out.all(why.message(player));
        self.players.retain(|other| other.id != player);
        let was_current = self.current == player;
        if was_current {
            self.debt_flag = false;
        }
        if self.players.len() < 2 {
            return self.close_table(cx, why);
        }
        match self.phase {
            Phase::Auction { .. } => self.auction_forget(cx, player),
            Phase::Held { .. } if !held => {}
            _ if was_current => self.next_turn(cx, self.next_after(player)),
            Phase::Held { .. } => self.advance(cx),
            _ => {}
        }
        // A debt to the leaver may have been the last that kept someone from throwing.
        self.resume_if_unblocked(cx);
    }

    /// Fewer than two play: a bankruptcy makes a winner, anything else leaves one who waits for company.
    fn close_table<H: Herald>(&mut self, cx: &mut Cx<'_, H>, why: Departure) {
        if matches!(self.phase, Phase::Auction { .. }) {
            cx.out.all(Message::PropertyAuctionVoid {});
        }
        self.drop_claims();
        self.debt_flag = false;
        self.doubles = 0;
        self.current = BANK;
        self.phase = Phase::Idle;
        while let Some(id) = self.deals.first() {
            self.cancel(cx, id);
        }
        let left = self.players.first().map(|player| player.id);
        if let (Departure::Bankrupt, Some(winner)) = (why, left) {
            self.phase = Phase::Over { winner };
            cx.out.all(Message::PlayerWon { player: winner });
        }
    }
}
