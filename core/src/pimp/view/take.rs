//! A received message changes the mirror: one function a range of codes, each total.

use heapless::Vec;

use super::deal::{Deal, Kind, Step, Whose};
use super::users::User;
use super::{Claim, Holding, Prompt, Refusal, UserSet, View, Vote};
use crate::pimp::board::{ByDeed, CARDS, Card, DEEDS, Deed, JAIL_ROLLS, Square};
use crate::pimp::wire::{Message, Name};

impl<const USERS: usize, const DEALS: usize> View<USERS, DEALS> {
    /// Takes one message from the server. Ids that the board or the table does not have change nothing.
    pub fn take(&mut self, message: &Message<'_>) {
        match message.code() {
            0x00..=0x11 | 0xD0..=0xDF => self.take_seat(message),
            0x12..=0x1F => self.take_state(message),
            0x22..=0x29 => self.take_move(message),
            0x20 | 0x2A..=0x4F => self.take_prompt(message),
            0x50..=0x7F => self.take_deal(message),
            0x80..=0x8F => self.take_claimed(message),
            0xC0..=0xCF => self.take_delta(message),
            _ => self.take_refusal(message),
        }
    }

    fn take_seat(&mut self, message: &Message<'_>) {
        match *message {
            Message::HandshakeAcknowledge { game } => {
                // Another number is another game: nothing known of the old one holds.
                if self.game != 0 && self.game != game {
                    *self = Self::new();
                }
                self.game = game;
            }
            Message::WelcomeDetails { player, password } => {
                self.me = player;
                self.password = password;
                self.pending = false;
            }
            Message::WelcomeBack { player, piece, name, playing } => {
                self.me = player;
                self.dead.remove(player);
                if self.users.get(player).is_none() {
                    self.users.put(User::new(player, piece, playing, name));
                }
            }
            Message::WelcomePlayer { player, piece, name } => self.welcome(player, piece, true, name),
            Message::WelcomeObserver { player, piece, name } => self.welcome(player, piece, false, name),
            Message::QueryJoinPlay { candidate, name } => self.open_vote(candidate, name, true),
            Message::QueryJoinObserve { candidate, name } => self.open_vote(candidate, name, false),
            Message::JoinPending {} => self.pending = true,
            Message::JoinRefused { candidate, name } => {
                self.vote.take_if(|vote| vote.candidate == candidate);
                if self.users.get(self.me).is_some_and(|me| me.name() == name) {
                    self.pending = false;
                }
            }
            Message::ObserverBecamePlayer { player } => self.begin_play(player),
            Message::PlayerTakeover { new_player, old_player } => self.take_over(new_player, old_player),
            Message::PlayerBecameObserverTransfer { player }
            | Message::PlayerBecameObserverBankrupt { player }
            | Message::PlayerBecameObserverKicked { player } => self.end_play(player),
            Message::PlayerWon { player } => {
                self.prompt = Prompt::Over { winner: player };
                self.claims.clear();
            }
            Message::LinkDead { player } => self.dead.insert(player),
            _ => {}
        }
    }

    fn welcome(&mut self, player: u8, piece: u8, playing: bool, name: Name<'_>) {
        self.vote.take_if(|vote| vote.name() == name);
        self.dead.remove(player);
        self.users.put(User::new(player, piece, playing, name));
    }

    fn open_vote(&mut self, candidate: u32, name: Name<'_>, play: bool) {
        // A wire name is never longer than the room for it.
        let name = Vec::from_slice(name.bytes()).unwrap_or_default();
        self.vote = Some(Vote { candidate, play, name });
    }

    fn begin_play(&mut self, player: u8) {
        if player == self.me {
            self.pending = false;
        }
        let Self { users, vote, .. } = self;
        if let Some(user) = users.get_mut(player) {
            user.playing = true;
            user.square = Square::GO;
            user.jail_turn = 0;
            vote.take_if(|vote| vote.name() == user.name());
        }
    }

    /// The seat changes hands: token, jail, claims and the place in an auction move; cash, deeds, cards and deals have
    /// messages of their own. The old user plays on until its own message (the document's sequence at TRANSFER).
    fn take_over(&mut self, new: u8, old: u8) {
        let Some(seat) = self.users.get(old).cloned() else { return };
        let Some(user) = self.users.get_mut(new) else { return };
        user.playing = true;
        user.piece = seat.piece;
        user.square = seat.square;
        user.jail_turn = seat.jail_turn;
        // A user who takes a seat over no longer waits: a candidacy in the queue ends without a word (pimp 16.5).
        self.pending &= new != self.me;
        self.claims.move_seat(old, new);
        if self.turn == old {
            self.turn = new;
        }
        if let Prompt::Auction { leader, passed, .. } = &mut self.prompt {
            if *leader == old {
                *leader = new;
            }
            if passed.remove(old) {
                passed.insert(new);
            }
        }
    }

    fn end_play(&mut self, player: u8) {
        if let Some(user) = self.users.get_mut(player) {
            user.leave_play();
        }
        let deeds = &self.deeds;
        self.claims.leave(player, |deed| deeds.get(deed).owner);
        if let Prompt::Auction { leader, bid, passed, .. } = &mut self.prompt {
            passed.remove(player);
            if *leader == player {
                (*leader, *bid) = (0, 0);
            }
        }
        // No message says that the game stands idle again (pimp 12.5.1).
        if self.players().count() < 2 {
            self.prompt = Prompt::Idle;
            self.turn = 0;
            self.claims.clear();
        }
    }

    fn take_state(&mut self, message: &Message<'_>) {
        match *message {
            Message::StateBoard { .. } => self.begin_dump(),
            Message::StatePlayer { player, piece, name, square, cash, jail_turn } => {
                let Some(square) = Square::new(square) else { return };
                let mut user = User::new(player, piece, true, name);
                (user.square, user.cash, user.jail_turn) = (square, cash, jail_turn);
                self.users.put(user);
            }
            Message::StateObserver { player, piece, name } => self.users.put(User::new(player, piece, false, name)),
            Message::StateProperty { property, owner, mortgaged, houses, hotels } => {
                if let Some(deed) = Deed::new(property) {
                    *self.deeds.get_mut(deed) = Holding { owner, mortgaged, houses, hotels };
                }
            }
            Message::StateCard { card, owner } => self.give_card(card, owner),
            Message::StatePot { cash } => {
                self.pot = cash;
                self.dumping = false;
            }
            _ => {}
        }
    }

    /// A dump restates everything that it can tell: what it does not name is not so.
    fn begin_dump(&mut self) {
        self.dumping = true;
        self.users.clear();
        self.deeds = ByDeed::new([Holding::UNOWNED; DEEDS]);
        self.cards = [0; CARDS];
        self.deals.clear();
        self.prompt = Prompt::Idle;
        self.turn = 0;
        self.vote = None;
        self.pending = false;
        self.dead = UserSet::EMPTY;
    }

    fn take_move(&mut self, message: &Message<'_>) {
        match *message {
            Message::DiceRolled { player, die1, die2 } => {
                self.dice = (die1, die2);
                // A throw in jail that is no double uses up a turn there (pimp 5.6).
                if let Some(user) = self.users.get_mut(player)
                    && user.jail_turn > 0
                    && die1 != die2
                {
                    user.jail_turn = user.jail_turn.saturating_add(1).min(JAIL_ROLLS + 1);
                }
            }
            Message::PlayerPassingBySquare { player, square } if Square::new(square) == Some(Square::GO) => {
                self.claims.notice(Claim::Go { player, square: Square::GO });
            }
            Message::PlayerLandingOnSquare { player, square } => self.land(player, square),
            Message::GoingToJail { player, square } => {
                if let (Some(user), Some(square)) = (self.users.get_mut(player), Square::new(square)) {
                    user.square = square;
                    user.jail_turn = 1;
                }
            }
            _ => {}
        }
    }

    fn land(&mut self, player: u8, square: u8) {
        let Some(square) = Square::new(square) else { return };
        let Some(user) = self.users.get_mut(player) else { return };
        user.square = square;
        if square == Square::GO {
            self.claims.notice(Claim::Go { player, square });
        }
        let Some(deed) = square.deed() else { return };
        let Holding { owner, mortgaged, .. } = *self.deeds.get(deed);
        if owner != 0 && owner != player && !mortgaged {
            self.claims.notice(Claim::Rent { creditor: owner, debtor: player, deed });
        }
    }

    fn ask(&mut self, prompt: Prompt) {
        self.prompt = prompt;
        self.asked = self.asked.wrapping_add(1);
    }

    fn take_prompt(&mut self, message: &Message<'_>) {
        let prompt = match *message {
            Message::StartOfTurn { player, may_throw } => Prompt::Start { player, may_throw },
            Message::JailPayOrRoll { player, rolls_left, may_build } => {
                if let Some(user) = self.users.get_mut(player) {
                    user.jail_turn = (JAIL_ROLLS + 1).saturating_sub(rolls_left).max(1);
                }
                Prompt::Jail { player, rolls_left, may_build }
            }
            Message::RollAgain { player } => Prompt::Again { player },
            Message::PropertySale { player, property, price } => match Deed::new(property) {
                Some(deed) => Prompt::Sale { player, deed, price },
                None => return,
            },
            Message::TaxSelectOption { player, square } => match Square::new(square) {
                Some(square) => Prompt::Tax { player, square },
                None => return,
            },
            Message::CardCollectOrRetry { player } => match self.picked {
                Some((square, card)) => Prompt::CardChoice { player, square, card },
                None => return,
            },
            Message::WaitingForTransaction { player, transaction } => {
                // The debtor need not be the player whose turn it is: an auction is won off turn.
                return self.ask(Prompt::Waiting { player, transaction });
            }
            _ => return self.take_square(message),
        };
        self.ask(prompt);
        self.turn = match prompt {
            Prompt::Start { player, .. }
            | Prompt::Jail { player, .. }
            | Prompt::Again { player }
            | Prompt::Sale { player, .. }
            | Prompt::Tax { player, .. }
            | Prompt::CardChoice { player, .. } => player,
            _ => self.turn,
        };
    }

    /// What squares and auctions say without asking a new question.
    fn take_square(&mut self, message: &Message<'_>) {
        match *message {
            Message::RentCollectionMoratorium {} => self.claims.clear(),
            Message::GotCard { square, card, .. } => self.picked = Square::new(square).zip(Card::new(card)),
            Message::JailFree { player } => {
                if let Some(user) = self.users.get_mut(player) {
                    user.jail_turn = 0;
                }
            }
            Message::PropertyAuction { property } => {
                if let Some(deed) = Deed::new(property) {
                    self.ask(Prompt::Auction { deed, leader: 0, bid: 0, passed: UserSet::EMPTY });
                }
            }
            Message::PropertyAuctionBid { player, cash } => {
                if let Prompt::Auction { leader, bid, passed, .. } = &mut self.prompt {
                    (*leader, *bid) = (player, cash);
                    passed.remove(player);
                    self.asked = self.asked.wrapping_add(1);
                }
            }
            Message::PropertyAuctionNoBid { player } => {
                if let Prompt::Auction { passed, .. } = &mut self.prompt {
                    passed.insert(player);
                }
            }
            _ => {}
        }
    }

    fn take_deal(&mut self, message: &Message<'_>) {
        use Whose::{Mine, Theirs};
        let deals = &mut self.deals;
        match *message {
            Message::TransactionCashSet { transaction, cash } => deals.change(transaction, Mine, |s| s.cash = cash),
            Message::TransactionOtherCashSet { transaction, cash } => {
                deals.change(transaction, Theirs, |s| s.cash = cash);
            }
            Message::TransactionPropertyAdded { transaction, property } => {
                self.offer_deed(transaction, Mine, property, true);
            }
            Message::TransactionPropertyRemoved { transaction, property } => {
                self.offer_deed(transaction, Mine, property, false);
            }
            Message::TransactionOtherPropertyAdded { transaction, property } => {
                self.offer_deed(transaction, Theirs, property, true);
            }
            Message::TransactionOtherPropertyRemoved { transaction, property } => {
                self.offer_deed(transaction, Theirs, property, false);
            }
            Message::TransactionCardAdded { transaction, card } => self.offer_card(transaction, Mine, card, true),
            Message::TransactionCardRemoved { transaction, card } => self.offer_card(transaction, Mine, card, false),
            Message::TransactionOtherCardAdded { transaction, card } => {
                self.offer_card(transaction, Theirs, card, true);
            }
            Message::TransactionOtherCardRemoved { transaction, card } => {
                self.offer_card(transaction, Theirs, card, false);
            }
            Message::TransactionFinished { transaction } => deals.step(transaction, Mine, Step::Finished),
            Message::TransactionOtherFinished { transaction } => deals.step(transaction, Theirs, Step::Finished),
            Message::TransactionReopened { transaction } => deals.step(transaction, Mine, Step::Setup),
            Message::TransactionOtherReopened { transaction } => deals.step(transaction, Theirs, Step::Setup),
            Message::TransactionAgreed { transaction } => deals.step(transaction, Mine, Step::Agreed),
            Message::TransactionOtherAgreed { transaction } => deals.step(transaction, Theirs, Step::Agreed),
            Message::TransactionUnusual { transaction } => {
                if let Some(deal) = deals.get_mut(transaction) {
                    deal.unusual = true;
                }
            }
            Message::TransactionFinalised { transaction } | Message::TransactionCancelled { transaction } => {
                deals.end(transaction);
            }
            _ => self.open_deal(message),
        }
    }

    fn open_deal(&mut self, message: &Message<'_>) {
        let (transaction, kind, other, creditor, amount) = match *message {
            Message::TransactionTradeRequested { transaction, other } => (transaction, Some(Kind::Trade), other, 0, 0),
            Message::TransactionRentRequested { transaction, other, property, creditor, rent } => {
                (transaction, Deed::new(property).map(|deed| Kind::Rent { deed }), other, creditor, rent)
            }
            Message::TransactionCardRequested { transaction, other, card, creditor, amount } => {
                (transaction, Card::new(card).map(|card| Kind::Card { card }), other, creditor, amount)
            }
            Message::TransactionSquareRequested { transaction, square, amount } => {
                (transaction, Square::new(square).map(|square| Kind::Square { square }), 0, 0, amount)
            }
            Message::TransactionBankRequested { transaction, amount } => (transaction, Some(Kind::Bank), 0, 0, amount),
            Message::TransactionJailRequested { transaction, amount } => (transaction, Some(Kind::Jail), 0, 0, amount),
            _ => return,
        };
        if let Some(kind) = kind {
            self.deals.open(Deal::new(transaction, kind, other, creditor, amount));
        }
    }

    fn offer_deed(&mut self, transaction: u32, whose: Whose, deed: u8, there: bool) {
        if let Some(deed) = Deed::new(deed) {
            self.deals.change(transaction, whose, |side| {
                if there {
                    side.deeds.insert(deed)
                } else {
                    side.deeds.remove(deed)
                };
            });
        }
    }

    fn offer_card(&mut self, transaction: u32, whose: Whose, card: u8, there: bool) {
        if let Some(card) = Card::new(card) {
            self.deals.change(transaction, whose, |side| side.set_card(card, there));
        }
    }

    /// 0x80-0x8F say why cash moves; the cash itself comes as a delta. They settle claims.
    fn take_claimed(&mut self, message: &Message<'_>) {
        match *message {
            Message::PlayerClaimedRent { creditor, debtor, property, .. } => self.claims.settle(|claim| {
                matches!(claim, Claim::Rent { creditor: c, debtor: d, deed }
                    if *c == creditor && *d == debtor && deed.id() == property)
            }),
            Message::PlayerClaimedGo { player, square, .. } => self.claims.settle(
                |claim| matches!(claim, Claim::Go { player: p, square: s } if *p == player && s.id() == square),
            ),
            _ => {}
        }
    }

    fn take_delta(&mut self, message: &Message<'_>) {
        match *message {
            Message::DeltaCash { from, to, cash } => {
                if let Some(user) = self.users.get_mut(from) {
                    user.cash = user.cash.saturating_sub(cash);
                }
                if let Some(user) = self.users.get_mut(to) {
                    user.cash = user.cash.saturating_add(cash);
                }
            }
            Message::DeltaProperty { to, property, .. } => self.change_deed(property, |deed| match to {
                0 => *deed = Holding::UNOWNED,
                _ => deed.owner = to,
            }),
            Message::DeltaCard { to, card, .. } => self.give_card(card, to),
            Message::DeltaHousesPurchased { property, houses, hotels, .. } => {
                self.change_deed(property, |deed| (deed.houses, deed.hotels) = (houses, hotels));
            }
            Message::DeltaBank { houses, hotels } => (self.bank_houses, self.bank_hotels) = (houses, hotels),
            Message::DeltaPropertyMortgaged { property } => self.change_deed(property, |deed| deed.mortgaged = true),
            Message::DeltaPropertyUnmortgaged { property } => self.change_deed(property, |deed| deed.mortgaged = false),
            Message::DeltaPot { cash } => self.pot = cash,
            _ => {}
        }
    }

    fn change_deed(&mut self, deed: u8, change: impl FnOnce(&mut Holding)) {
        if let Some(deed) = Deed::new(deed) {
            change(self.deeds.get_mut(deed));
        }
    }

    fn give_card(&mut self, card: u8, owner: u8) {
        if let Some(place) = self.cards.get_mut(usize::from(card)) {
            *place = owner;
        }
    }

    /// 0x90-0x9F and 0xE0-0xFE: all errors but the escrow note.
    fn take_refusal(&mut self, message: &Message<'_>) {
        let me = self.me;
        let about = match *message {
            Message::MoneyBeingHeldInEscrow { .. } => return,
            Message::ErrorInvalidRentClaim {} => {
                self.claims.settle(|claim| matches!(claim, Claim::Rent { creditor, .. } if *creditor == me));
                0
            }
            Message::ErrorInvalidGoClaim {} => {
                self.claims.settle(|claim| matches!(claim, Claim::Go { player, .. } if *player == me));
                0
            }
            Message::ErrorNotWelcome {} => {
                self.pending = false;
                0
            }
            Message::ErrorTransactionTooExpensive { transaction, .. }
            | Message::ErrorTransactionPropertyNotOwned { transaction, .. }
            | Message::ErrorTransactionCardNotOwned { transaction, .. }
            | Message::ErrorTransactionNotSuitable { transaction, .. }
            | Message::ErrorTransactionPropertyHasHouse { transaction, .. }
            | Message::ErrorTransactionWouldReduceNetWorth { transaction, .. }
            | Message::ErrorTransactionNotBankrupt { transaction, .. }
            | Message::ErrorTransactionCannotBeCancelled { transaction }
            | Message::ErrorCannotTransferDuringTransaction { transaction }
            | Message::ErrorHousesWouldReduceNetWorth { transaction } => transaction,
            Message::ErrorPropertyTooExpensive { property, .. }
            | Message::ErrorPropertyWouldReduceNetWorth { property, .. }
            | Message::ErrorMortgageTooExpensive { property, .. }
            | Message::ErrorHousesNotOwned { property }
            | Message::ErrorHousesNeedMonopoly { property }
            | Message::ErrorHousesMortgaged { property }
            | Message::ErrorHousesNotColourGroup { property }
            | Message::ErrorHousesCannotBuildThatNumber { property }
            | Message::ErrorHousesUnbalanced { property } => u32::from(property),
            Message::ErrorInvalidPayload { code } | Message::ErrorUnexpectedMessage { code } => u32::from(code),
            Message::ErrorHousesTooExpensive { cost } => cost,
            _ => 0,
        };
        self.refusal = Some(Refusal { code: message.code(), about });
        self.refusals = self.refusals.wrapping_add(1);
    }
}
