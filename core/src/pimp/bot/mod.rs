//! A player like any other: it looks at a [`View`] and says what it would send.
//!
//! [`Bot::next`] says at most one message and is called again whenever something was received.
//! It never panics, allocates or draws on anything but its view, its seed and a bounded memory: the same messages
//! give the same game. It answers every vote, auction and deal, and it never says the same thing twice about the same.
//!
//! [`Strength::Plain`] buys what it can pay for, builds on what it happens to own and takes a good offer.
//! [`Strength::Shrewd`] knows what a whole group is worth, keeps back what the squares ahead may cost, mortgages to
//! build, bids by value, offers trades and sits in jail when it is dear to be out.

#[cfg(test)]
mod arena;
mod debt;
mod memory;
pub mod session;
#[cfg(test)]
mod tests;
mod trade;
mod turn;
mod value;

use memory::{Memory, Said, fold};
use trade::Proposals;

use super::board::Deed;
use super::view::{Prompt, View};
use super::wire::Message;

pub use crate::game::Strength;

/// How often a bot acts unasked in one turn: building, mortgaging, offering.
const EFFORT: u8 = 40;

#[derive(Clone, Debug)]
pub struct Bot {
    strength: Strength,
    /// Small differences in taste, so that a table of bots does not move as one.
    taste: u32,
    memory: Memory,
    proposals: Proposals,
    /// Own turns begun so far.
    turns: u32,
    /// A turn of this bot's is at its beginning.
    beginning: bool,
    effort: u8,
    /// How often the view had been asked something when it was last looked at.
    asked: u32,
}

type Out<'o> = &'o mut dyn FnMut(Message<'_>);

impl Bot {
    pub const fn new(strength: Strength, seed: u32) -> Self {
        Self {
            strength,
            taste: seed,
            memory: Memory::new(),
            proposals: Proposals::new(),
            turns: 0,
            beginning: false,
            effort: 0,
            asked: 0,
        }
    }

    pub const fn strength(&self) -> Strength {
        self.strength
    }

    /// Says what it would send now, one message at most; false if nothing. Call it once the view has taken in all that
    /// was received, and again as long as something comes; what it said is taken as sent.
    pub fn next<const U: usize, const D: usize>(&mut self, view: &View<U, D>, out: Out<'_>) -> bool {
        if view.is_dumping() || view.user(view.me()).is_none() || matches!(view.prompt(), Prompt::Over { .. }) {
            return false;
        }
        if view.asked() < self.asked {
            // Another view, of a new game or a new connection: nothing said before was said about it.
            *self = Self { turns: self.turns, ..Self::new(self.strength, self.taste) };
        }
        self.asked = view.asked();
        self.memory.learn(view.refusals(), view.refusal());
        if let Some(vote) = view.vote() {
            let welcome = Message::AcceptJoin { candidate: vote.candidate };
            if self.memory.say(welcome, u64::from(vote.candidate), out) == Said::Now {
                return true;
            }
        }
        if !view.am_playing() || view.prompt() == Prompt::Idle {
            return false;
        }
        self.count_turns(view);
        let mut said = false;
        let mut out = |message: Message<'_>| {
            said = true;
            out(message);
        };
        // Each in turn says it is done for now, or leaves the word to the next.
        let _ = self.claim(view, &mut out)
            || self.settle_debts(view, &mut out)
            || self.answer_deals(view, &mut out)
            || self.answer_prompt(view, &mut out);
        said
    }

    /// Call it when nothing came for long, and after a reconnection: what was said may be said again.
    pub fn nudge(&mut self) {
        self.memory.forget();
    }

    fn count_turns<const U: usize, const D: usize>(&mut self, view: &View<U, D>) {
        let beginning = match view.prompt() {
            Prompt::Start { player, .. } | Prompt::Jail { player, .. } => player == view.me(),
            _ => false,
        };
        if beginning && !self.beginning {
            self.turns = self.turns.wrapping_add(1);
            self.effort = 0;
        }
        self.beginning = beginning;
    }

    /// Claims are asked for before anything else: they lapse at the next throw.
    fn claim<const U: usize, const D: usize>(&mut self, view: &View<U, D>, out: Out<'_>) -> bool {
        view.my_claims().any(|(number, claim)| self.memory.say(claim, u64::from(number), out) == Said::Now)
    }

    /// Says a line; true if there is nothing more to do until an answer comes.
    fn insist(&mut self, message: Message<'_>, stamp: u64, out: Out<'_>) -> bool {
        self.memory.say(message, stamp, out) != Said::Refused
    }

    /// As [`Bot::insist`], for what the bot does unasked: not without end in one turn, and not waited for if something
    /// else was said since (plans that go round in a circle end there).
    fn volunteer(&mut self, message: Message<'_>, stamp: u64, out: Out<'_>) -> bool {
        if self.effort >= EFFORT {
            return false;
        }
        match self.memory.say(message, stamp, out) {
            Said::Now => {
                self.effort += 1;
                true
            }
            Said::Before => self.memory.is_last(&message),
            Said::Refused => false,
        }
    }

    /// A number below `bound` that stays the same for the same question.
    fn whim(&self, about: u64, bound: u32) -> u32 {
        let mixed = fold(fold(0x9E37_79B9_7F4A_7C15 ^ u64::from(self.taste), about), u64::from(self.turns));
        ((mixed >> 32) as u32).checked_rem(bound).unwrap_or_default()
    }
}

/// A stamp of what this user could spend or lose in answer to the present question: lines about money hold as long as
/// it does not change.
fn purse<const U: usize, const D: usize>(view: &View<U, D>) -> u64 {
    let me = view.me();
    let cash = fold(u64::from(view.cash()), u64::from(view.asked()));
    view.deeds_of(me).fold(cash, |sum, (deed, holding)| {
        let state = u64::from(deed.id()) << 8 | u64::from(holding.level()) << 1 | u64::from(holding.mortgaged);
        fold(sum, state)
    })
}

/// The deeds of this user's in the order in which it would rather lose their rent: singles first, the cheap first.
fn spare_deeds<const U: usize, const D: usize>(view: &View<U, D>) -> Option<Deed> {
    let me = view.me();
    let may = view.deeds_of(me).map(|(deed, _)| deed).filter(|deed| view.may_mortgage(*deed));
    may.min_by_key(|deed| {
        let whole = view.group_owner(deed.group()) == Some(me);
        (whole, view.count_in(deed.group(), me), deed.price(), deed.id())
    })
}
