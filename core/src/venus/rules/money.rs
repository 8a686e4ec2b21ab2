//! Money: what is paid, what is earned, and which seats are told (venus 14.4).

use super::offer::Site;
use super::{Audience, Cx, Event, Game, Herald};
use crate::venus::pieces::Seat;

impl Game {
    pub(super) fn tell<H: Herald>(&self, cx: &mut Cx<'_, H>, event: Event<'_>) {
        cx.out.tell(Audience::Room, event);
    }

    /// To the current player alone.
    pub(super) fn tell_mover<H: Herald>(&self, cx: &mut Cx<'_, H>, event: Event<'_>) {
        cx.out.tell(Audience::Seat(self.current()), event);
    }

    pub(super) fn tell_money<H: Herald>(&self, seat: Seat, cx: &mut Cx<'_, H>) {
        self.tell(cx, Event::PlayerMoney(seat, self.money(seat)));
    }

    pub(super) fn can_pay(&self, price: u16) -> bool {
        let player = self.player(self.current());
        player.cash.saturating_add(player.barter) >= u32::from(price)
    }

    /// The current player pays: barter first, then cash. Whether it is enough was asked before.
    pub(super) fn pay(&mut self, price: u16) {
        let player = self.mover();
        let barter = player.barter.min(u32::from(price));
        player.barter -= barter;
        player.cash = player.cash.saturating_sub(u32::from(price) - barter);
    }

    /// The current player pays a penalty, in cash.
    pub(super) fn pay_penalty<H: Herald>(&mut self, penalty: u8, cx: &mut Cx<'_, H>) {
        if penalty > 0 {
            let player = self.mover();
            player.cash = player.cash.saturating_sub(u32::from(penalty));
            self.tell_money(self.current(), cx);
        }
    }

    pub(super) fn earn_cash(&mut self, sum: u16) {
        let player = self.mover();
        player.cash = player.cash.saturating_add(u32::from(sum));
    }

    pub(super) fn earn_barter(&mut self, sum: u16) {
        let player = self.mover();
        player.barter = player.barter.saturating_add(u32::from(sum));
    }

    /// The bank pays an owner a share, and everybody is told.
    pub(super) fn pay_owner<H: Herald>(&mut self, owner: Seat, share: u16, cx: &mut Cx<'_, H>) {
        if let Some(player) = self.players.get_mut(owner.index()) {
            player.cash = player.cash.saturating_add(u32::from(share));
        }
        self.tell_money(owner, cx);
    }

    /// The tenth of a sum traded at a built spaceport, to its owner; also of the owner's own trades.
    pub(super) fn pay_port<H: Herald>(&mut self, sum: u16, cx: &mut Cx<'_, H>) {
        if let Site::Station(Some(owner)) = self.site(self.space(self.current())) {
            self.pay_owner(owner, sum / 10, cx);
        }
    }
}
