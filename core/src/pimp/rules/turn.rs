//! Turns, what the game waits for, and the throw of the dice (pimp 5).

use super::throw::throw;
use super::walk::Arrival;
use super::{BANK, Cx, Game, Herald, Phase, Player, Refusal, UserId, Verdict};
use crate::pimp::board::Square;
use crate::pimp::wire::Message;

/// This many doubles in a row lead to jail.
const TOO_MANY_DOUBLES: u8 = 3;

impl Game {
    /// A user becomes a player, with this cash from the bank. Refused if the table is full or the user plays already.
    /// [`Game::start`] comes next: between the two the server tells the newcomer the state.
    pub fn sit<H: Herald>(&mut self, user: UserId, cash: u32, cx: &mut Cx<'_, H>) -> Verdict {
        if user == BANK || self.is_player(user) || matches!(self.phase, Phase::Over { .. }) {
            return Err(Refusal::Unexpected);
        }
        // A player who sits down during an auction is passed at once (pimp 16.2).
        let passed = matches!(self.phase, Phase::Auction { .. });
        let player = Player {
            id: user,
            square: Square::GO,
            jail_turn: 0,
            passed_go: false,
            absent: false,
            passed,
            handed_over: false,
            cash: 0,
        };
        self.players.push(player).map_err(|_| Refusal::Unexpected)?;
        self.order_players();
        if cash > 0 {
            self.move_cash(cx, BANK, user, cash);
        }
        if passed {
            cx.out.all(Message::PropertyAuctionNoBid { player: user });
        }
        Ok(())
    }

    /// The first turn, once there are two players: it is `user`'s, the second to sit down.
    pub fn start<H: Herald>(&mut self, user: UserId, cx: &mut Cx<'_, H>) {
        if self.phase == Phase::Idle && self.players.len() >= 2 {
            self.next_turn(cx, user);
        }
    }

    /// Is it this player's move, with nothing else to settle first?
    pub(super) fn is_turn_of(&self, player: UserId) -> bool {
        self.current == player && self.is_player(player)
    }

    /// `player` begins a turn. Without a second player, the game waits for company.
    pub(super) fn next_turn<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId) {
        self.doubles = 0;
        self.owes_first = 0;
        self.players.iter_mut().for_each(|player| player.handed_over = false);
        if self.players.len() < 2 {
            self.current = BANK;
            self.phase = Phase::Idle;
            return;
        }
        self.current = player;
        self.turn = self.turn.wrapping_add(1);
        self.phase = if self.jail_turn(player) > 0 { Phase::JailStart } else { Phase::Start };
        self.repeat_prompt(cx);
    }

    /// Nothing more to do here: on with the same player after a double, else with the next.
    pub(super) fn advance<H: Herald>(&mut self, cx: &mut Cx<'_, H>) {
        if self.doubles > 0 && self.is_player(self.current) && self.jail_turn(self.current) == 0 {
            self.roll_again(cx);
        } else {
            self.next_turn(cx, self.next_after(self.current));
        }
    }

    pub(super) fn roll_again<H: Herald>(&mut self, cx: &mut Cx<'_, H>) {
        self.phase = Phase::Again;
        self.repeat_prompt(cx);
    }

    /// What the game waits for, to everybody.
    pub(super) fn repeat_prompt<H: Herald>(&mut self, cx: &mut Cx<'_, H>) {
        self.prompt(&mut |message| cx.out.all(message));
    }

    /// The messages that tell what the game waits for (pimp 5.1), as a resync repeats them.
    pub fn prompt(&self, tell: &mut impl FnMut(Message<'static>)) {
        let player = self.current;
        match self.phase {
            Phase::Idle => {}
            Phase::Start => tell(Message::StartOfTurn { player, may_throw: true }),
            Phase::JailStart => {
                tell(Message::StartOfTurn { player, may_throw: false });
                tell(Message::JailPayOrRoll { player, rolls_left: self.rolls_left(player), may_build: true });
            }
            Phase::Again => tell(Message::RollAgain { player }),
            Phase::Sale { property } => {
                tell(Message::PropertySale { player, property: property.id(), price: property.price() });
            }
            Phase::Auction { .. } => self.auction_prompt(tell),
            Phase::Tax { square } => tell(Message::TaxSelectOption { player, square: square.id() }),
            Phase::CardChoice { square, card } => {
                tell(Message::GotCard { player, square: square.id(), card: card.id() });
                tell(Message::CardCollectOrRetry { player });
            }
            Phase::Held { deal } => {
                let player = self.waited_for().unwrap_or(player);
                tell(Message::WaitingForTransaction { player, transaction: deal });
            }
            Phase::Over { winner } => tell(Message::PlayerWon { player: winner }),
        }
        if self.owes_first != 0 {
            tell(Message::WaitingForTransaction { player, transaction: self.owes_first });
        }
    }

    /// A debtor must settle before throwing (pimp 5.5.1). True if `player` is held back.
    pub(super) fn held_back<H: Herald>(&mut self, cx: &mut Cx<'_, H>, player: UserId) -> bool {
        if !cx.options.debt_blocks_roll {
            return false;
        }
        let Some(transaction) = self.debt_of(player) else { return false };
        self.owes_first = transaction;
        cx.out.all(Message::WaitingForTransaction { player, transaction });
        true
    }

    /// A debt has ended. If a player who wanted to throw was told of it, the next is named, or the throw asked for
    /// again: users who were told and users who learn it from a dump must wait for the same (pimp 14.6).
    pub(super) fn resume_if_unblocked<H: Herald>(&mut self, cx: &mut Cx<'_, H>) {
        let player = self.current;
        let named = self.deals.get(self.owes_first).is_some_and(|deal| deal.keeps_from_throwing(player));
        if self.owes_first == 0 || named {
            return;
        }
        self.owes_first = self.debt_of(player).unwrap_or_default();
        match self.owes_first {
            0 => self.repeat_prompt(cx),
            transaction => cx.out.all(Message::WaitingForTransaction { player, transaction }),
        }
    }

    pub(super) fn throw_dice<H: Herald>(&mut self, player: UserId, cx: &mut Cx<'_, H>) -> Verdict {
        let first = self.phase == Phase::Start;
        if !self.is_turn_of(player) || !(first || self.phase == Phase::Again) {
            return Err(Refusal::Unexpected);
        }
        if self.held_back(cx, player) {
            return Ok(());
        }
        // Claims live through the doubles of the same turn.
        if first {
            self.close_claims(cx);
        }
        let (die1, die2) = throw(cx.dice);
        cx.out.all(Message::DiceRolled { player, die1, die2 });
        self.doubles = if die1 == die2 { self.doubles.saturating_add(1) } else { 0 };
        if self.doubles >= TOO_MANY_DOUBLES {
            cx.out.all(Message::ThreeDoubles { player });
            cx.out.all(Message::DiceMovedPlayer { player, square: Square::JAIL.id(), total: 0 });
            self.send_to_jail(cx, player);
        } else {
            let total = die1.saturating_add(die2);
            let square = self.square_of(player).plus(total).id();
            cx.out.all(Message::DiceMovedPlayer { player, square, total });
            self.walk(cx, player, total, Arrival::Throw(total));
        }
        self.advance_unless_waiting(cx);
        Ok(())
    }

    /// Go on, if where the player landed asks for nothing.
    fn advance_unless_waiting<H: Herald>(&mut self, cx: &mut Cx<'_, H>) {
        if matches!(self.phase, Phase::Start | Phase::Again) {
            self.advance(cx);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Options;
    use super::super::testing::Table;
    use super::*;

    const THROW: Message<'static> = Message::ThrowDice {};

    #[test]
    fn the_second_player_begins_and_the_vector_holds() {
        let mut table = Table::scripted(2, &[0x34, 0x80 + 11]);
        assert_eq!(table.prompt(), ["START_OF_TURN player=2 may_throw=true"]);
        assert_eq!(table.refused(1, THROW), ["Unexpected"]);
        assert_eq!(
            table.ok(2, THROW),
            [
                "all< DICE_ROLLED player=2 die1=3 die2=4",
                "all< DICE_MOVED_PLAYER player=2 square=7 total=7",
                "all< PLAYER_PASSING_BY_SQUARE player=2 square=1",
                "all< PLAYER_PASSING_BY_SQUARE player=2 square=2",
                "all< PLAYER_PASSING_BY_SQUARE player=2 square=3",
                "all< PLAYER_PASSING_BY_SQUARE player=2 square=4",
                "all< PLAYER_PASSING_BY_SQUARE player=2 square=5",
                "all< PLAYER_PASSING_BY_SQUARE player=2 square=6",
                "all< PLAYER_LANDING_ON_SQUARE player=2 square=7",
                "all< GOT_CARD player=2 square=7 card=11",
                "all< SQUARE_TAKES_CASH player=2 square=7 cash=15",
                "all< DELTA_CASH from=2 to=0 cash=15",
                "all< DELTA_POT cash=115",
                "all< START_OF_TURN player=1 may_throw=true",
            ]
        );
    }

    #[test]
    fn three_doubles_lead_to_jail_and_the_turn_ends() {
        let mut table = Table::scripted(2, &[0x55, 0x55, 0x55]);
        table.own(2, &(0..28).collect::<std::vec::Vec<u8>>());
        assert!(table.ok(2, THROW).ends_with(&["all< ROLL_AGAIN player=2".into()]));
        table.ok(2, THROW);
        assert_eq!(
            table.ok(2, THROW),
            [
                "all< DICE_ROLLED player=2 die1=5 die2=5",
                "all< THREE_DOUBLES player=2",
                "all< DICE_MOVED_PLAYER player=2 square=10 total=0",
                "all< GOING_TO_JAIL player=2 square=10",
                "all< PLAYER_LANDING_ON_SQUARE player=2 square=10",
                "all< START_OF_TURN player=1 may_throw=true",
            ]
        );
        assert_eq!((table.game.jail_turn(2), table.game.doubles), (1, 0));
    }

    #[test]
    fn a_debtor_throws_only_once_the_debt_is_settled() {
        let mut table = Table::scripted(2, &[0x11, 0x12]);
        table.own(1, &[1]).own(2, &[3]).at(2, 1);
        // A double onto Baltic Avenue: rent 4, and another throw.
        table.ok(2, THROW);
        table.ok(1, Message::ClaimRent { debtor: 2, property: 1 });
        let waiting = "WAITING_FOR_TRANSACTION player=2 transaction=1";
        assert_eq!(table.ok(2, THROW), [std::format!("all< {waiting}")]);
        assert_eq!(table.prompt(), ["ROLL_AGAIN player=2", waiting]);
        let said = table.ok(2, Message::TransactionAgree { transaction: 1 });
        assert_eq!(said.last().unwrap(), "all< ROLL_AGAIN player=2");
        assert_eq!(table.prompt(), ["ROLL_AGAIN player=2"]);
        assert_eq!(table.ok(2, THROW)[0], "all< DICE_ROLLED player=2 die1=1 die2=2");
    }

    #[test]
    fn a_debtor_throws_where_the_house_does_not_mind() {
        let options = Options { debt_blocks_roll: false, ..Options::DEFAULT };
        let mut table = Table::with_options(2, &[0x11, 0x12], options);
        table.own(1, &[1]).own(2, &[3]).at(2, 1);
        table.ok(2, THROW);
        table.ok(1, Message::ClaimRent { debtor: 2, property: 1 });
        assert_eq!(table.ok(2, THROW)[0], "all< DICE_ROLLED player=2 die1=1 die2=2");
    }

    #[test]
    fn nobody_sits_twice_or_as_the_ninth() {
        let mut table = Table::new(8);
        assert_eq!(table.run(|game, cx| game.sit(3, 0, cx)), Err(Refusal::Unexpected));
        assert_eq!(table.run(|game, cx| game.sit(9, 0, cx)), Err(Refusal::Unexpected));
        assert_eq!(table.run(|game, cx| game.sit(BANK, 0, cx)), Err(Refusal::Unexpected));
        assert!(table.said().is_empty());
    }

    #[test]
    fn players_sit_by_id_whenever_they_come() {
        let mut table = Table::new(0);
        for user in [5, 2, 9] {
            table.run(|game, cx| game.sit(user, 1500, cx)).unwrap();
            table.run(|game, cx| game.start(user, cx));
        }
        assert_eq!(
            table.said(),
            [
                "all< DELTA_CASH from=0 to=5 cash=1500",
                "all< DELTA_CASH from=0 to=2 cash=1500",
                "all< START_OF_TURN player=2 may_throw=true",
                "all< DELTA_CASH from=0 to=9 cash=1500",
            ]
        );
        assert_eq!(table.game.players.iter().map(|p| p.id).collect::<std::vec::Vec<_>>(), [2, 5, 9]);
    }
}
