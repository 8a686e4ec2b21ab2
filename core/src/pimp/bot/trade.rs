//! Trades: the protocol lets each side lay down its own goods and nothing more, so an offer is a hint. The opener of a
//! deal lays down what it gives and finishes; the other answers with the deed that it must be after, or cancels.

use heapless::Vec;

use super::debt::deal_stamp;
use super::memory::push_over;
use super::value::{completes, estate};
use super::{Bot, Out, Strength};
use crate::pimp::board::{Deed, DeedKind, DeedSet};
use crate::pimp::view::{Deal, Kind, Step, View};
use crate::pimp::wire::Message;

/// Words in one deal before it is called off: a bot is not led on for ever.
const WORDS: u8 = 16;
/// Own turns after which a deal that goes nowhere is called off.
const PATIENCE: u32 = 3;
/// Own turns before the same wish is brought up again.
const PAUSE: u32 = 8;
/// Own turns after which a shrewd bot that is alone with its rival no longer compares gains: two that never let each
/// other have a group play for ever.
const WEARY: u32 = 150;
/// A plain bot thinks of trading only every so many turns.
const LAZY: u32 = 4;
/// Cash that no offer touches: a whole group without houses on it wins nothing.
const BUILDING: u32 = 400;
/// Failed wishes and open deals that are remembered, the oldest forgotten first.
const WISHES: usize = 16;

#[derive(Clone, Copy, Debug)]
struct Proposal {
    partner: u8,
    want: Deed,
    give: Option<Deed>,
    cash: u32,
    turn: u32,
    /// 0 until the server has opened it.
    deal: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Proposals {
    open: Option<Proposal>,
    /// The turn in which the last one was made: one a turn is enough.
    made: u32,
    /// Partner, deed and the turn in which the wish failed.
    failed: Vec<(u8, Deed, u32), WISHES>,
    /// Deals and the turn in which each was first seen.
    seen: Vec<(u32, u32), WISHES>,
}

impl Proposals {
    pub(super) const fn new() -> Self {
        Self { open: None, made: 0, failed: Vec::new(), seen: Vec::new() }
    }
    fn failed(&mut self, wish: Proposal) {
        push_over(&mut self.failed, (wish.partner, wish.want, wish.turn));
    }
    fn is_barred(&self, partner: u8, want: Deed, turn: u32) -> bool {
        let barred = |(p, d, t): &(u8, Deed, u32)| *p == partner && *d == want && turn.wrapping_sub(*t) < PAUSE;
        self.failed.iter().any(barred)
    }
    /// How many own turns ago this deal was first seen.
    fn age(&mut self, deal: u32, turn: u32) -> u32 {
        if let Some((_, since)) = self.seen.iter().find(|(id, _)| *id == deal) {
            return turn.wrapping_sub(*since);
        }
        push_over(&mut self.seen, (deal, turn));
        0
    }
}

impl Bot {
    /// Answers every deal that is no debt of this bot's.
    pub(super) fn answer_deals<const U: usize, const D: usize>(&mut self, view: &View<U, D>, out: Out<'_>) -> bool {
        self.follow_up(view);
        view.deals().iter().any(|deal| match deal.kind {
            Kind::Trade => self.answer_trade(view, deal, out),
            _ if !deal.is_debt() => self.answer_payment(view, deal, out),
            _ => false,
        })
    }

    /// A debtor pays by default without this bot; goods in place of cash are taken if they are worth it.
    fn answer_payment<const U: usize, const D: usize>(&mut self, view: &View<U, D>, deal: &Deal, out: Out<'_>) -> bool {
        let (transaction, stamp) = (deal.id, deal_stamp(view, deal));
        match deal.mine.step {
            Step::Setup => self.insist(Message::TransactionFinish { transaction }, stamp, out),
            Step::Finished if deal.theirs.step >= Step::Finished && offered(deal) >= deal.amount => {
                self.insist(Message::TransactionAgree { transaction }, stamp, out)
            }
            _ => false,
        }
    }

    fn answer_trade<const U: usize, const D: usize>(&mut self, view: &View<U, D>, deal: &Deal, out: Out<'_>) -> bool {
        let (transaction, stamp) = (deal.id, deal_stamp(view, deal));
        let ours = self.proposals.open.filter(|proposal| proposal.deal == deal.id);
        let line = match ours {
            Some(proposal) => self.own_line(view, deal, proposal),
            None => self.reply_line(view, deal),
        };
        let tired = self.proposals.age(transaction, self.turns) >= PATIENCE;
        let line = if tired { Some(Message::TransactionCancel { transaction }) } else { line };
        let Some(line) = line else { return false };
        let mut spoken = false;
        let settled = self.insist(line, stamp, &mut |message| {
            spoken = true;
            out(message);
        });
        if spoken && self.memory.touch(transaction) > WORDS {
            // Called off with the next word, whatever it would have been.
            self.proposals.seen.retain(|(id, _)| *id != transaction);
            push_over(&mut self.proposals.seen, (transaction, self.turns.wrapping_sub(PATIENCE)));
        }
        settled || self.insist(Message::TransactionCancel { transaction }, stamp, out)
    }

    /// The next word in a deal that this bot has opened.
    fn own_line<const U: usize, const D: usize>(
        &self,
        view: &View<U, D>,
        deal: &Deal,
        proposal: Proposal,
    ) -> Option<Message<'static>> {
        let transaction = deal.id;
        let cash = proposal.cash.min(view.cash());
        match deal.mine.step {
            Step::Setup => {
                let missing = proposal.give.filter(|deed| !deal.mine.deeds.contains(*deed));
                Some(if let Some(deed) = missing {
                    Message::TransactionAddProperty { transaction, property: deed.id() }
                } else if deal.mine.cash != cash {
                    Message::TransactionSetCash { transaction, cash }
                } else {
                    Message::TransactionFinish { transaction }
                })
            }
            Step::Finished if deal.theirs.step >= Step::Finished => Some(self.verdict(view, deal)),
            _ => None,
        }
    }

    /// The next word in a deal that another has opened.
    fn reply_line<const U: usize, const D: usize>(&self, view: &View<U, D>, deal: &Deal) -> Option<Message<'static>> {
        let transaction = deal.id;
        if deal.theirs.step == Step::Setup {
            return None;
        }
        match deal.mine.step {
            Step::Setup if deal.mine.is_empty() => {
                let reply = self.fitting_deed(view, deal).map(Deed::id);
                Some(match reply {
                    Some(property) => Message::TransactionAddProperty { transaction, property },
                    None => Message::TransactionCancel { transaction },
                })
            }
            Step::Setup if self.accepts(view, deal, deal.mine.deeds) => {
                Some(Message::TransactionFinish { transaction })
            }
            Step::Setup => Some(Message::TransactionCancel { transaction }),
            Step::Finished => Some(self.verdict(view, deal)),
            Step::Agreed => None,
        }
    }

    fn verdict<const U: usize, const D: usize>(&self, view: &View<U, D>, deal: &Deal) -> Message<'static> {
        let transaction = deal.id;
        if self.accepts(view, deal, deal.mine.deeds) {
            Message::TransactionAgree { transaction }
        } else {
            Message::TransactionCancel { transaction }
        }
    }

    /// The deed that the other side must be after: the dearest this bot would part with for what is offered, one that
    /// completes a group before any other.
    fn fitting_deed<const U: usize, const D: usize>(&self, view: &View<U, D>, deal: &Deal) -> Option<Deed> {
        let other = deal.other;
        let mine = view.deeds_of(view.me()).map(|(deed, _)| deed);
        let theirs = |deed: &Deed| view.count_in(deed.group(), other) > 0 && !view.group_has_buildings(deed.group());
        let wished = mine.filter(theirs).filter(|deed| self.accepts(view, deal, DeedSet::from_iter([*deed])));
        wished.max_by_key(|deed| (completes(view, *deed, other), deed.price(), deed.id()))
    }

    /// Is the deal good for this bot, if it gives `given` and its cash for all that the other side offers?
    fn accepts<const U: usize, const D: usize>(&self, view: &View<U, D>, deal: &Deal, given: DeedSet) -> bool {
        let swap =
            Swap { other: deal.other, given, got: deal.theirs.deeds, paid: deal.mine.cash, won: deal.theirs.cash };
        self.likes(view, &swap)
    }

    fn likes<const U: usize, const D: usize>(&self, view: &View<U, D>, swap: &Swap) -> bool {
        match self.strength {
            Strength::Plain => swap.pleases_plain(view),
            Strength::Shrewd if self.turns > WEARY && view.players().count() == 2 => swap.pleases_plain(view),
            Strength::Shrewd => swap.pleases_shrewd(view),
        }
    }

    /// Sees whether the open proposal has found its deal, or has come to its end.
    fn follow_up<const U: usize, const D: usize>(&mut self, view: &View<U, D>) {
        let Some(mut proposal) = self.proposals.open else { return };
        let fresh = |deal: &&Deal| {
            deal.kind == Kind::Trade && deal.other == proposal.partner && deal.mine.is_empty() && deal.theirs.is_empty()
        };
        if proposal.deal == 0 {
            if let Some(deal) = view.deals().iter().rev().find(fresh) {
                proposal.deal = deal.id;
                self.proposals.open = Some(proposal);
            } else if proposal.turn != self.turns {
                self.proposals.open = None;
                self.proposals.failed(proposal);
            }
        } else if view.deals().iter().all(|deal| deal.id != proposal.deal) {
            self.proposals.open = None;
            if view.deed(proposal.want).owner != view.me() {
                self.proposals.failed(proposal);
            }
        }
    }

    /// Offers one trade a turn for a deed that completes a group.
    pub(super) fn propose<const U: usize, const D: usize>(&mut self, view: &View<U, D>, out: Out<'_>) -> bool {
        let idle = self.strength == Strength::Plain && !self.turns.is_multiple_of(LAZY);
        if idle || self.proposals.open.is_some() || self.proposals.made == self.turns {
            return false;
        }
        let me = view.me();
        let third = view.players().count() > 2;
        let wishes = Deed::all().filter(|deed| {
            let owner = view.deed(*deed).owner;
            if owner == 0 || owner == me || self.proposals.is_barred(owner, *deed, self.turns) {
                return false;
            }
            completes(view, *deed, me) || third && is_open_to(view, *deed, me)
        });
        let best = wishes.filter_map(|want| self.offer_for(view, want)).max_by_key(|(gain, _)| *gain);
        let Some((_, proposal)) = best else { return false };
        let stamp = u64::from(view.asked());
        self.proposals.made = self.turns;
        let settled = self.volunteer(Message::TransactionRequestTrade { player: proposal.partner }, stamp, out);
        if settled {
            self.proposals.open = Some(proposal);
        } else {
            self.proposals.failed(proposal);
        }
        settled
    }

    /// The offer for `want` that costs this bot least among those its owner may take, and what it would gain.
    fn offer_for<const U: usize, const D: usize>(&self, view: &View<U, D>, want: Deed) -> Option<(i64, Proposal)> {
        let (me, partner) = (view.me(), view.deed(want).owner);
        // What an owner asks for the last lot of a group, which it knows to be that.
        let asked = if completes(view, want, me) { want.price() * 11 / 4 } else { want.price() * 27 / 20 };
        let spare = view.cash().saturating_sub(BUILDING);
        // Alone with its rival, a bot that completes its group has gained nothing.
        let third = view.players().count() > 2;
        let gives = view.deeds_of(me).map(|(deed, _)| deed).filter(|deed| {
            deed.group() != want.group()
                && (third || !completes(view, *deed, partner))
                && !view.group_has_buildings(deed.group())
                && !(deed.kind() == DeedKind::Street && view.group_owner(deed.group()) == Some(me))
        });
        let offers = gives.map(Some).chain([None]).filter_map(|give| {
            let face =
                give.map_or(0, |deed| if completes(view, deed, partner) { deed.price() * 2 } else { deed.price() });
            let cash = asked.saturating_sub(face);
            let given = give.into_iter().collect();
            let swap = Swap { other: partner, given, got: DeedSet::from_iter([want]), paid: cash, won: 0 };
            let proposal = Proposal { partner, want, give, cash, turn: self.turns, deal: 0 };
            (cash <= spare && self.likes(view, &swap)).then(|| (swap.gain(view, me), proposal))
        });
        offers.max_by_key(|(gain, _)| *gain)
    }
}

/// Could `who`, who has begun this street's group, still come to own all of it by this deed and its owner's others?
fn is_open_to<const U: usize, const D: usize>(view: &View<U, D>, deed: Deed, who: u8) -> bool {
    let (group, partner) = (deed.group(), view.deed(deed).owner);
    let open = |other: &Deed| matches!(view.deed(*other).owner, 0) || [who, partner].contains(&view.deed(*other).owner);
    deed.kind() == DeedKind::Street && view.count_in(group, who) > 0 && group.deeds().iter().all(open)
}

/// What lies in a deal for its debtor, in cash: goods at what a bank would lend on them.
fn offered(deal: &Deal) -> u32 {
    deal.theirs.deeds.iter().map(Deed::mortgage).fold(deal.theirs.cash, u32::saturating_add)
}

/// Goods that would change hands between this user and another.
struct Swap {
    other: u8,
    given: DeedSet,
    got: DeedSet,
    paid: u32,
    won: u32,
}

impl Swap {
    /// What `who`, one of the two, would gain.
    fn gain<const U: usize, const D: usize>(&self, view: &View<U, D>, who: u8) -> i64 {
        let me = view.me();
        let now = |deed: Deed| view.deed(deed).owner;
        let then = |deed: Deed| match deed {
            deed if self.given.contains(deed) => self.other,
            deed if self.got.contains(deed) => me,
            deed => view.deed(deed).owner,
        };
        let more = i64::from(self.won) - i64::from(self.paid);
        let more = if who == me { more } else { -more };
        let cash = view.user(who).map_or(0, |user| i64::from(user.cash));
        estate(view, who, cash + more, &then) - estate(view, who, cash, &now) + more
    }

    /// Better for this user than for the other; with more at the table, the others lose to both.
    fn pleases_shrewd<const U: usize, const D: usize>(&self, view: &View<U, D>) -> bool {
        let mine = self.gain(view, view.me());
        let others = view.players().count().saturating_sub(1).clamp(1, 2) as i64;
        mine >= 40 && mine * others >= self.gain(view, self.other)
    }

    /// By printed prices: a whole group counts three and a half times, and giving one away costs two and a half times.
    fn pleases_plain<const U: usize, const D: usize>(&self, view: &View<U, D>) -> bool {
        let me = view.me();
        let price = |deeds: DeedSet, who: u8, percent: u32| -> u32 {
            let value = |deed: Deed| deed.price() * if completes(view, deed, who) { percent } else { 100 } / 100;
            deeds.iter().map(value).sum()
        };
        let got = price(self.got, me, 350).saturating_add(self.won);
        let given = price(self.given, self.other, 250).saturating_add(self.paid);
        got > given.saturating_add(given / 20)
    }
}
