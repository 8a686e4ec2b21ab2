//! What this user may sensibly send now, by the mirror alone. The server has the last word: a choice listed here can
//! still be refused (a net-worth lock is not reckoned), and sums (a bid, an offer) are given by their smallest value.

use super::{Claim, Deal, Kind, Prompt, Step, View};
use crate::pimp::board::{Card, Deed, DeedKind, HOTEL_LEVEL};
use crate::pimp::wire::{Lots, Message, Name};

type Out<'o> = &'o mut dyn FnMut(Message<'_>);

impl<const USERS: usize, const DEALS: usize> View<USERS, DEALS> {
    /// Hands every choice to `out`, the most pressing first.
    pub fn may_send(&self, out: Out<'_>) {
        if self.game == 0 {
            return out(Message::Handshake { version: 1 });
        }
        let Some(me) = self.user(self.me) else {
            if !self.pending {
                out(Message::Join { piece: 0, play: true, name: Name::default() });
                out(Message::Join { piece: 0, play: false, name: Name::default() });
            }
            return;
        };
        out(Message::RequestState {});
        out(Message::Afk {});
        if matches!(self.prompt, Prompt::Over { .. }) {
            return;
        }
        if let Some(vote) = &self.vote {
            out(Message::AcceptJoin { candidate: vote.candidate });
            out(Message::RefuseJoin { candidate: vote.candidate });
        }
        if !me.playing {
            if !self.pending {
                out(Message::SwitchPlay {});
            }
            return;
        }
        if self.prompt == Prompt::Idle {
            return;
        }
        self.claim_choices(out);
        self.prompt_choices(out);
        self.deals().iter().for_each(|deal| self.deal_choices(deal, out));
        self.deed_choices(out);
        for other in self.players().filter(|other| other.id != self.me) {
            out(Message::TransactionRequestTrade { player: other.id });
        }
        if self.turn != 0 && self.turn != self.me {
            out(Message::Kick { player: self.turn });
        }
        if self.deals().is_empty() {
            out(Message::Transfer { player: 0 });
        }
    }

    /// Rents and salaries owed to this user, the oldest first: the number of each, and how it is claimed.
    pub fn my_claims(&self) -> impl Iterator<Item = (u32, Message<'static>)> + '_ {
        let mine = self.claims().iter().filter(|noticed| noticed.claim.owed_to() == self.me);
        mine.map(|noticed| match noticed.claim {
            Claim::Rent { debtor, deed, .. } => (noticed.number, Message::ClaimRent { debtor, property: deed.id() }),
            Claim::Go { square, .. } => (noticed.number, Message::ClaimGo { square: square.id() }),
        })
    }

    fn claim_choices(&self, out: Out<'_>) {
        self.my_claims().for_each(|(_, claim)| out(claim));
    }

    fn prompt_choices(&self, out: Out<'_>) {
        let me = self.me;
        match self.prompt {
            Prompt::Start { player, may_throw: true } if player == me => out(Message::ThrowDice {}),
            Prompt::Again { player } if player == me => out(Message::ThrowDice {}),
            Prompt::Jail { player, rolls_left, .. } if player == me => {
                out(Message::JailPayBail {});
                if rolls_left > 0 {
                    out(Message::JailRollDice {});
                }
            }
            Prompt::Sale { player, price, .. } if player == me => {
                if self.cash() >= price {
                    out(Message::BuyProperty {});
                }
                out(Message::AuctionProperty {});
            }
            Prompt::Auction { leader, bid, passed, .. } if leader != me => {
                if self.worth(me) > bid {
                    out(Message::Bid { cash: bid + 1 });
                }
                if !passed.contains(me) {
                    out(Message::NoBid {});
                }
            }
            Prompt::Tax { player, .. } if player == me => {
                out(Message::TaxPayTenPercent {});
                out(Message::TaxPayFlatFee {});
            }
            Prompt::CardChoice { player, .. } if player == me => {
                out(Message::CardSelectCollect {});
                out(Message::CardSelectRetry {});
            }
            _ => {}
        }
    }

    fn deal_choices(&self, deal: &Deal, out: Out<'_>) {
        let transaction = deal.id;
        match deal.mine.step {
            Step::Setup => out(Message::TransactionFinish { transaction }),
            Step::Finished if deal.theirs.step >= Step::Finished => out(Message::TransactionAgree { transaction }),
            _ => {}
        }
        if deal.mine.step > Step::Setup {
            out(Message::TransactionReopen { transaction });
        }
        if deal.may_cancel() {
            out(Message::TransactionCancel { transaction });
        } else if self.cannot_pay(deal) {
            out(Message::BankruptTransaction { transaction });
        }
        out(Message::TransactionSetCash { transaction, cash: deal.amount.min(self.cash()) });
        for (deed, _) in self.deeds_of(self.me) {
            let property = deed.id();
            if deal.mine.deeds.contains(deed) {
                out(Message::TransactionRemoveProperty { transaction, property });
            } else if !self.group_has_buildings(deed.group()) {
                out(Message::TransactionAddProperty { transaction, property });
            }
        }
        for card in Card::JAIL_CARDS.into_iter().filter(|card| self.card_owner(*card) == self.me) {
            let held = card.id();
            if deal.mine.has_card(card) {
                out(Message::TransactionRemoveCard { transaction, card: held });
            } else {
                out(Message::TransactionAddCard { transaction, card: held });
            }
        }
    }

    /// All this user has is not enough for a debt (pimp 12.4).
    pub fn cannot_pay(&self, deal: &Deal) -> bool {
        let card = deal.kind == Kind::Jail && self.jail_card(self.me).is_some();
        deal.is_debt() && !card && self.worth(self.me) < deal.amount
    }

    /// May one more building go up on this deed now?
    pub fn may_build(&self, deed: Deed) -> bool {
        let mine = match self.prompt {
            Prompt::Start { player, may_throw } => player == self.me && may_throw,
            Prompt::Jail { player, may_build, .. } => player == self.me && may_build,
            _ => false,
        };
        let (group, level) = (deed.group(), self.deed(deed).level());
        mine && self.deed(deed).owner == self.me
            && deed.kind() == DeedKind::Street
            && self.group_owner(group) == Some(self.me)
            && !self.group_has_mortgage(group)
            && level == self.levels(group).0
            && level < HOTEL_LEVEL
            && (if level + 1 == HOTEL_LEVEL { self.bank_hotels } else { self.bank_houses }) > 0
            && self.cash() >= deed.house_cost()
    }

    /// May the topmost building on this deed be sold alone? A hotel needs four houses to be broken up into.
    pub fn may_sell(&self, deed: Deed) -> bool {
        let holding = self.deed(deed);
        holding.owner == self.me
            && holding.level() > 0
            && holding.level() == self.levels(deed.group()).1
            && (holding.hotels == 0 || self.bank_houses >= 4)
    }

    pub fn may_mortgage(&self, deed: Deed) -> bool {
        let holding = self.deed(deed);
        holding.owner == self.me && !holding.mortgaged && !self.group_has_buildings(deed.group())
    }

    fn deed_choices(&self, out: Out<'_>) {
        for (deed, holding) in self.deeds_of(self.me) {
            let property = deed.id();
            if self.may_build(deed) {
                send_building(deed, holding.level(), true, out);
            }
            if self.may_sell(deed) {
                send_building(deed, holding.level(), false, out);
            }
            if self.may_mortgage(deed) {
                out(Message::MortgageProperty { property });
            }
            if holding.mortgaged && self.cash() >= deed.unmortgage_cost() {
                out(Message::UnmortgageProperty { property });
            }
        }
    }
}

/// One building up or down on a deed that stands at `level`: the step between four houses and a hotel swaps pieces.
pub fn send_building(deed: Deed, level: u8, up: bool, out: Out<'_>) {
    let step: i8 = if up { 1 } else { -1 };
    let hotel = if up { level + 1 >= HOTEL_LEVEL } else { level >= HOTEL_LEVEL };
    let (houses, hotels) = if hotel { (0, step) } else { (step, 0) };
    let bytes = [deed.id(), houses as u8, hotels as u8];
    if let Some(lots) = Lots::new(&bytes) {
        out(Message::PurchaseHouses { lots });
    }
}
