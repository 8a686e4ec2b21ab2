//! What follows by itself: after a command (votes decided, kicks, an ended game), and with time.

use super::link::State;
use super::{Table, over};
use crate::pimp::rules::{Game, Phase, UserId};
use crate::pimp::wire::Message;
use crate::server::Millis;

/// Tells one decision of a player's turn from the next: as long as it stays, it is the same. What else the player does
/// meanwhile, as to mortgage or to trade, gains no time.
fn question(game: &Game) -> u32 {
    let (kind, what) = match game.phase {
        Phase::Idle | Phase::Over { .. } => return 0,
        Phase::Start | Phase::JailStart => (1, 0),
        Phase::Again => (2, u32::from(game.doubles)),
        Phase::Sale { .. } | Phase::Tax { .. } | Phase::CardChoice { .. } => (3, u32::from(game.doubles)),
        Phase::Auction { bid, .. } => (4, bid),
        Phase::Held { deal } => (5, deal),
    };
    what << 3 | kind
}

/// What the server has seen happen in the game. New, it is all zero bytes.
#[derive(Clone)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Watch {
    /// Something changed that votes and kicks depend on.
    pub stir: bool,
    landed: bool,
    bid: bool,
    /// The last landing: claims may be made for a while (pimp 16.4).
    pub landed_at: Millis,
    /// The last bid, or the beginning of the auction (pimp 16.2).
    bid_at: Millis,
    /// The turn to which the kick votes belong.
    turn: u32,
    /// The player whom the game waits for, since when, and whether silent for too long (pimp 16.3).
    pub waited: UserId,
    waited_since: Millis,
    pub is_silent: bool,
    /// What the game asks and of whom, and when that player's time is up (pimp 16.8); 0: never. Saves and frozen tables
    /// keep them apart, as older ones had none.
    #[cfg_attr(feature = "postcard", serde(skip))]
    asked: u32,
    #[cfg_attr(feature = "postcard", serde(skip))]
    pub due: Millis,
    /// Some link may be owed a dump.
    pub owes_dumps: bool,
    /// The end of the game was dealt with.
    pub is_over: bool,
    pub over_at: Millis,
    /// The last user's connection ended.
    pub deserted_at: Millis,
    /// A player has thrown the dice: it is worth waiting for the players.
    pub has_thrown: bool,
}

impl Watch {
    pub const fn new() -> Self {
        Self {
            stir: false,
            landed: false,
            bid: false,
            landed_at: Millis(0),
            bid_at: Millis(0),
            turn: 0,
            waited: 0,
            waited_since: Millis(0),
            is_silent: false,
            asked: 0,
            due: Millis(0),
            owes_dumps: false,
            is_over: false,
            over_at: Millis(0),
            deserted_at: Millis(0),
            has_thrown: false,
        }
    }

    /// As after a restart: everything happened just now.
    pub fn begin(&mut self, turn: u32, now: Millis) {
        *self = Self {
            turn,
            landed_at: now,
            bid_at: now,
            waited_since: now,
            over_at: now,
            deserted_at: now,
            stir: true,
            ..Self::new()
        };
    }

    /// Another question than before, put now to `waited`, may be thought about for `timeout`. Call it before the turn
    /// and `waited` are noted.
    pub fn start_clock(&mut self, game: &Game, waited: UserId, timeout: u32, now: Millis) {
        let is_other = self.turn != game.turn || self.waited != waited;
        if self.note_question(game) || is_other {
            let runs = timeout != 0 && self.asked != 0;
            self.due = if runs { now.plus(u64::from(timeout)) } else { Millis(0) };
        }
    }

    /// Whether the question is another than before, of the same player in the same turn.
    pub fn note_question(&mut self, game: &Game) -> bool {
        let asked = question(game);
        core::mem::replace(&mut self.asked, asked) != asked
    }

    /// Takes note of an event on its way out.
    pub fn see(&mut self, event: &Message<'_>) {
        match event {
            Message::PlayerLandingOnSquare { .. } => self.landed = true,
            Message::DiceRolled { .. } => self.has_thrown = true,
            Message::PropertyAuction { .. } | Message::PropertyAuctionBid { .. } => self.bid = true,
            Message::PlayerBecameObserverBankrupt { .. }
            | Message::PlayerBecameObserverKicked { .. }
            | Message::PlayerBecameObserverTransfer { .. }
            | Message::PlayerWon { .. } => self.stir = true,
            _ => {}
        }
    }
}

/// The earliest of some moments.
struct Soonest(Millis);

impl Soonest {
    const NEVER: Millis = Millis(u64::MAX);

    fn add(&mut self, at: Millis) {
        self.0 = self.0.min(at);
    }
    fn add_some(&mut self, at: Option<Millis>) {
        if let Some(at) = at {
            self.add(at);
        }
    }
}

impl<const USERS: usize> super::Hall<USERS> {
    fn bids_end(&self) -> Option<Millis> {
        let timeout = self.config.auction_timeout;
        let runs = timeout != 0 && matches!(self.game.phase, Phase::Auction { .. });
        runs.then(|| self.watch.bid_at.plus(u64::from(timeout)))
    }

    /// How long a decision may take: at least as long as others may claim after the last throw (pimp 16.4).
    pub(super) fn move_timeout(&self) -> u32 {
        let timeout = self.config.move_timeout;
        if timeout == 0 { 0 } else { timeout.max(self.config.claim_grace) }
    }

    /// When the time of the player whom the game waits for is up.
    pub(super) fn move_due(&self) -> Option<Millis> {
        Some(self.watch.due).filter(|due| self.config.move_timeout != 0 && *due != Millis(0))
    }

    /// When the player whom the game waits for will have been silent for too long.
    fn silence_due(&self) -> Option<Millis> {
        let silence = u64::from(self.config.silence);
        let user = self.users.user(self.watch.waited).filter(|_| silence != 0 && !self.watch.is_silent)?;
        Some(user.spoke_at.max(self.watch.waited_since).plus(silence))
    }
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> Table<USERS, LINKS, RING> {
    /// After every command and every tick.
    pub(super) fn after_call(&mut self, now: Millis) {
        self.observe_game(now);
        self.settle(now);
        self.end_if_deserted(now);
    }

    /// Decides all that can be decided now.
    pub(super) fn settle(&mut self, now: Millis) {
        // Each round follows from the one before: a vote makes a player, a new player starts a turn. Every round that
        // changes something ends a candidacy or a player's game.
        for _ in 0..2 * USERS {
            if !core::mem::take(&mut self.hall.watch.stir) {
                break;
            }
            self.out.note_change();
            self.settle_votes(now);
            // A vote can begin a turn: the kick votes of the last one end here.
            self.observe_game(now);
            self.settle_kicks();
            self.observe_game(now);
        }
    }

    /// Takes note of what the game has come to.
    fn observe_game(&mut self, now: Millis) {
        let (turn, waited) = (self.hall.game.turn, self.hall.game.waited_for().unwrap_or_default());
        let timeout = self.hall.move_timeout();
        let watch = &mut self.hall.watch;
        if core::mem::take(&mut watch.landed) {
            watch.landed_at = now;
        }
        if core::mem::take(&mut watch.bid) {
            watch.bid_at = now;
        }
        if core::mem::take(&mut self.reopened) {
            let lines = self.lines.iter_mut().filter(|line| line.reopened);
            lines.for_each(|line| (line.reopened, line.since) = (false, now));
        }
        watch.start_clock(&self.hall.game, waited, timeout, now);
        if watch.waited != waited {
            (watch.waited, watch.waited_since, watch.is_silent) = (waited, now, false);
        }
        if watch.turn != turn {
            // "Kick count gets reset when the turn ends."
            watch.turn = turn;
            self.hall.users.clear_kicks();
        }
        if matches!(self.hall.game.phase, Phase::Over { .. }) && !self.hall.watch.is_over {
            self.enter_over(now);
        }
        self.wake_throwers();
    }

    /// No claims are left: a throw that waited for them is read now.
    fn wake_throwers(&mut self) {
        if !self.hall.game.claims.is_empty() {
            return;
        }
        for (slot, line) in (0..self.out.used()).zip(&mut self.lines) {
            if core::mem::take(&mut line.waits_for_claims) {
                line.wake_at = Millis(0);
                self.out.wake(slot);
            }
        }
    }

    /// Everything whose time has come.
    pub(super) fn on_timer(&mut self, now: Millis) {
        self.strike_links(now);
        self.serve_dumps(now);
        self.ping(now);
        self.forget_lingering(now);
        self.unseat_ghosts(now);
        if self.hall.votes_due().is_some_and(|due| now >= due) {
            self.hall.watch.stir = true;
        }
        // Who has left just now may have let an auction or a turn begin, whose time begins now.
        self.observe_game(now);
        if self.hall.bids_end().is_some_and(|end| now >= end) {
            self.hall.watch.bid_at = now;
            self.play(|game, cx| game.auction_timeout(cx));
        } else if self.hall.move_due().is_some_and(|due| now >= due) {
            // Should nothing come of it, the time begins anew.
            self.hall.watch.due = now.plus(u64::from(self.hall.move_timeout()));
            self.play(|game, cx| game.play_idly(cx));
        }
        if self.hall.silence_due().is_some_and(|due| now >= due) {
            self.hall.watch.is_silent = true;
            self.hall.watch.stir = true;
        }
    }

    /// Links that wait for time, and links that have waited too long to join.
    fn strike_links(&mut self, now: Millis) {
        for slot in 0..self.out.used() {
            let Some(due) = self.join_due(slot) else { continue };
            if now >= due {
                self.out.doom(slot);
            }
        }
        for (slot, line) in (0..self.out.used()).zip(&mut self.lines) {
            if line.pace().wake(now) {
                self.out.wake(slot);
            }
        }
    }

    /// When a link that has not joined is closed.
    fn join_due(&self, slot: u16) -> Option<Millis> {
        let line = self.line(slot)?;
        let waits = matches!(line.state, State::Fresh | State::Spoken);
        let open = self.out.link(slot).is_some() && !self.is_doomed(slot);
        (waits && open).then(|| line.since.plus(u64::from(self.hall.config.join_timeout)))
    }

    pub(super) fn next_timer(&self) -> Option<Millis> {
        let mut soonest = Soonest(Soonest::NEVER);
        for (slot, line) in (0..self.out.used()).zip(&self.lines) {
            if self.out.link(slot).is_none() {
                continue;
            }
            soonest.add_some(self.join_due(slot));
            if line.wake_at != Millis(0) {
                soonest.add(line.wake_at);
            }
            if line.wants_dump {
                soonest.add(line.dumped_at.plus(u64::from(self.hall.config.dump_pause)));
            }
        }
        let hall = &self.hall;
        for (_, user) in hall.users.iter() {
            hall.presence_due(user, |at| soonest.add(at));
        }
        soonest.add_some(hall.votes_due());
        soonest.add_some(hall.bids_end());
        soonest.add_some(hall.silence_due());
        soonest.add_some(hall.move_due());
        soonest.add_some(hall.next_ghost().map(|(_, due)| due));
        soonest.add_some(over::due(hall));
        (soonest.0 != Soonest::NEVER).then_some(soonest.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::super::tests::Board;
    use crate::pimp::wire::Message;

    #[test]
    fn who_is_away_is_passed_and_time_ends_an_auction() {
        let mut room = Board::new(&[0x12]);
        ["ann", "bob", "eve"].into_iter().for_each(|who| room.seat(who));
        room.send("bob", Message::ThrowDice {});
        room.send("eve", Message::Afk {});
        room.hush();
        let said = room.ask("bob", Message::AuctionProperty {});
        assert_eq!(said, ["PROPERTY_AUCTION property=1", "PROPERTY_AUCTION_NO_BID player=3"]);
        room.tick(40_000);
        room.send("ann", Message::Bid { cash: 10 });
        room.hush();
        room.tick(59_999);
        assert!(room.heard("bob").is_empty());
        room.tick(1);
        let said = room.heard("bob");
        assert_eq!(said[..2], ["PROPERTY_AUCTION_NO_BID player=2", "PROPERTY_AUCTION_WON player=1"], "{said:?}");
        assert_eq!(said[3..5], ["DELTA_CASH from=1 to=0 cash=10", "DELTA_PROPERTY from=0 to=1 property=1"]);
    }

    /// However short the clock, a rent can be claimed before the next throw (pimp 16.8.1).
    #[test]
    fn the_clock_leaves_time_to_claim() {
        let mut room = Board::with(&[0x12, 0x12, 0x34], &Config { rate: 0, ..Config::DEFAULT });
        ["ann", "bob", "eve"].into_iter().for_each(|who| room.seat(who));
        room.server.hall.config.move_timeout = 1_000;
        room.send("bob", Message::ThrowDice {});
        room.send("bob", Message::BuyProperty {});
        room.send("eve", Message::ThrowDice {});
        room.hush();
        room.tick(2_999);
        assert!(room.heard("bob").is_empty());
        room.tick(1);
        assert_eq!(room.heard("bob")[..2], ["RENT_COLLECTION_MORATORIUM", "DICE_ROLLED player=1 die1=3 die2=4"]);
    }

    /// Silence while others play is no silence (pimp 16.3.4).
    #[test]
    fn silence_counts_from_when_the_game_waits() {
        let mut room = Board::new(&[0x12, 0x13]);
        ["ann", "bob"].into_iter().for_each(|who| room.seat(who));
        room.send("bob", Message::ThrowDice {});
        room.send("bob", Message::BuyProperty {});
        room.tick(299_000);
        room.send("ann", Message::ThrowDice {});
        room.send("ann", Message::TaxPayFlatFee {});
        room.tick(2_000);
        room.send("ann", Message::Kick { player: 2 });
        room.tick(297_999);
        assert!(room.server.game().is_player(2));
        room.tick(1);
        assert!(!room.server.game().is_player(2));
    }

    /// An auction and the leader's time end in the same moment: whoever is next has all the time there is.
    #[test]
    fn time_that_was_up_for_one_is_not_up_for_the_next() {
        let config = Config { move_timeout: 60_000, auction_timeout: 60_000, claim_grace: 0, ..Config::DEFAULT };
        let mut room = Board::with(&[0x12, 0x13], &config);
        ["ann", "bob", "eve"].into_iter().for_each(|who| room.seat(who));
        room.send("bob", Message::ThrowDice {});
        room.send("bob", Message::AuctionProperty {});
        room.hush();
        room.tick(60_000);
        assert_eq!(room.heard("eve").last().unwrap(), "START_OF_TURN player=3 may_throw=true");
        room.tick(59_999);
        assert!(room.heard("eve").is_empty());
        room.tick(1);
        assert_eq!(room.heard("eve")[0], "DICE_ROLLED player=3 die1=1 die2=3");
    }

    /// The last who might bid is gone for good in the moment in which the time for bids is up.
    #[test]
    fn an_auction_that_ends_by_itself_leaves_the_next_all_the_time() {
        let config = Config { move_timeout: 30_000, auction_timeout: 0, claim_grace: 0, ..Config::DEFAULT };
        let mut room = Board::with(&[0x12, 0x13], &config);
        ["ann", "bob", "eve"].into_iter().for_each(|who| room.seat(who));
        room.send("bob", Message::ThrowDice {});
        room.send("bob", Message::AuctionProperty {});
        room.send("bob", Message::NoBid {});
        room.send("eve", Message::NoBid {});
        room.drop("ann");
        room.hush();
        room.tick(30_000);
        let said = room.heard("eve");
        assert_eq!(said[..2], ["LINK_DEAD player=1", "PROPERTY_AUCTION_NO_BID player=1"]);
        assert_eq!(said.last().unwrap(), "START_OF_TURN player=3 may_throw=true");
    }
}
