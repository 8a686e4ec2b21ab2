//! Random play: sense and nonsense by two to eight players, watched by a bookkeeper that hears the announcements alone.
//!
//! After every step: the audit passes, a refused action changed nothing, and what was announced adds up to what is
//! there (pimp 14.1). `PARLOR_SEED=7 cargo test -p parlor-core random_play` repeats one seed.

use std::vec::Vec;
use std::{println, vec};

use super::deal::Cause;
use super::{BANK, ClaimKind, Cx, Deal, Game, Herald, Options, Phase, Standing, TransferTo, UserId, Verdict};
use crate::dice::{Dice, Stream};
use crate::pimp::board::{ByDeed, Card, DEEDS, Deed, Group, START_CASH};
use crate::pimp::wire::{Direction, FRAME_MAX, Lots, Message, TABLE};

const SEEDS: u64 = 60;
const STEPS: u32 = 2_000;
/// Users at the table; users who do not play watch.
const USERS: u8 = 11;

/// What a listener knows.
#[derive(Clone)]
struct Books {
    cash: [i64; 256],
    deeds: ByDeed<Standing>,
    cards: [UserId; 32],
    pot: u32,
    bank: (u8, u8),
    heard: [u32; 256],
    /// Told to one user in this step.
    told: Vec<UserId>,
}

impl Books {
    fn new(pot: u32) -> Self {
        Self {
            cash: [0; 256],
            deeds: ByDeed::new([Standing::default(); DEEDS]),
            cards: [BANK; 32],
            pot,
            bank: (32, 12),
            heard: [0; 256],
            told: vec![],
        }
    }

    fn deed(&mut self, property: u8) -> &mut Standing {
        self.deeds.get_mut(Deed::new(property).expect("a deed of the board"))
    }

    fn check(&self, game: &Game) {
        for user in 0..=255 {
            if user != BANK {
                assert_eq!(self.cash[usize::from(user)], i64::from(game.cash(user)), "cash of {user}");
            }
        }
        assert_eq!(self.deeds, game.deeds);
        assert_eq!(self.cards, game.card_owners);
        assert_eq!((self.pot, self.bank), (game.pot, game.bank()));
    }
}

impl Herald for Books {
    fn all(&mut self, event: Message<'_>) {
        self.heard[usize::from(event.code())] += 1;
        match event {
            Message::DeltaCash { from, to, cash } => {
                assert!(cash > 0 && from != to, "{event}");
                self.cash[usize::from(from)] -= i64::from(cash);
                self.cash[usize::from(to)] += i64::from(cash);
            }
            Message::DeltaProperty { from, to, property } => {
                assert_eq!(self.deed(property).owner, from, "{event}");
                self.deed(property).owner = to;
            }
            Message::DeltaCard { from, to, card } => {
                assert_eq!(self.cards[usize::from(card)], from, "{event}");
                self.cards[usize::from(card)] = to;
            }
            Message::DeltaHousesPurchased { property, houses, hotels, .. } => {
                self.deed(property).level = houses + 5 * hotels;
            }
            Message::DeltaPropertyMortgaged { property } => self.deed(property).mortgaged = true,
            Message::DeltaPropertyUnmortgaged { property } => self.deed(property).mortgaged = false,
            Message::DeltaPot { cash } => self.pot = cash,
            Message::DeltaBank { houses, hotels } => self.bank = (houses, hotels),
            _ => {}
        }
    }
    fn one(&mut self, user: UserId, event: Message<'_>) {
        assert_ne!(user, BANK, "the bank was told {event}");
        self.heard[usize::from(event.code())] += 1;
        self.told.push(user);
    }
}

/// One seed's table.
struct Play {
    game: Game,
    dice: Dice,
    chance: Dice,
    options: Options,
    books: Books,
    taken: u32,
    refused: u32,
    games: u32,
}

impl Play {
    fn new(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let (mut dice, mut chance) = (Dice::new(), Dice::new());
        dice.begin(&bytes);
        bytes[31] = 1;
        chance.begin(&bytes);
        let mut play = Self {
            game: Game::new(),
            dice,
            chance,
            options: Options::DEFAULT,
            books: Books::new(0),
            taken: 0,
            refused: 0,
            games: 0,
        };
        play.new_game();
        play
    }

    fn below(&mut self, bound: usize) -> usize {
        self.chance.below(Stream::Secret, bound as u32) as usize
    }

    fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        (!from.is_empty()).then(|| from[self.below(from.len())].clone())
    }

    fn player(&mut self) -> UserId {
        let ids: Vec<UserId> = self.game.players.iter().map(|player| player.id).collect();
        self.pick(&ids).unwrap_or(1)
    }

    fn new_game(&mut self) {
        self.games += 1;
        self.options = Options {
            pot: if self.percent(70) { Some(100) } else { None },
            double_go: self.percent(30),
            lap_before_buy: self.percent(20),
            estate_to_creditor: self.percent(70),
            bail_ends_turn: self.percent(30),
            debt_blocks_roll: self.percent(85),
            termites: if self.percent(20) { 30 } else { 0 },
        };
        self.game.begin(&mut self.dice, &self.options);
        let heard = self.books.heard;
        self.books = Books { heard, ..Books::new(self.game.pot) };
        for user in 1..=2 + self.below(7) as u8 {
            self.sit(user, START_CASH);
        }
        if self.percent(50) {
            self.deal_out_groups();
        }
    }

    /// A game that begins late: whole groups are owned, so that there is building. The bookkeeper is told apart.
    fn deal_out_groups(&mut self) {
        for group in Group::all() {
            let owner = self.player();
            for lot in group.deeds() {
                self.game.deeds.get_mut(*lot).owner = owner;
                self.books.deeds.get_mut(*lot).owner = owner;
            }
        }
    }

    fn run<R>(&mut self, call: impl FnOnce(&mut Game, &mut Cx<'_, Books>) -> R) -> R {
        let mut cx = Cx { dice: &mut self.dice, options: &self.options, out: &mut self.books };
        call(&mut self.game, &mut cx)
    }

    fn sit(&mut self, user: UserId, cash: u32) {
        self.run(|game, cx| {
            if game.sit(user, cash, cx).is_ok() {
                game.start(user, cx);
            }
        });
    }

    fn step(&mut self) {
        if matches!(self.game.phase, Phase::Over { .. }) && self.percent(50) {
            self.new_game();
        }
        if self.game.phase == Phase::Idle {
            let user = 1 + self.below(usize::from(USERS)) as u8;
            self.sit(user, 1000);
        }
        if self.percent(4) {
            self.server_step();
        } else {
            self.player_step();
        }
        self.books.check(&self.game);
        assert_eq!(self.game.audit(), Ok(()));
    }

    /// What comes from the server and not from a player's message.
    fn server_step(&mut self) {
        let user = 1 + self.below(usize::from(USERS)) as u8;
        let player = self.player();
        match self.below(100) {
            0..4 => self.sit(user, 0),
            4 | 5 => self.judge(player, |game, cx| game.kick(player, cx)),
            6..10 => {
                let to = match user {
                    _ if self.percent(20) => TransferTo::Bank,
                    user if self.game.is_player(user) => TransferTo::Player(user),
                    user => TransferTo::Observer(user),
                };
                self.judge(player, |game, cx| game.transfer(player, to, cx));
            }
            10..30 => self.run(|game, cx| game.auction_timeout(cx)),
            30..36 => self.run(|game, cx| game.play_idly(cx)),
            _ => {
                let absent = self.percent(40);
                self.run(|game, cx| game.absent(player, absent, cx));
            }
        }
    }

    fn player_step(&mut self) {
        let mut frame = [0; FRAME_MAX];
        let (actor, length) = self.choose(&mut frame);
        let action = Message::from_client(frame[0], &frame[2..length]).expect("what was encoded");
        self.judge(actor, |game, cx| game.apply(actor, &action, cx));
    }

    /// A refused action leaves the state as it was, and tells no one but its sender.
    fn judge(&mut self, actor: UserId, act: impl FnOnce(&mut Game, &mut Cx<'_, Books>) -> Verdict) {
        let (before, books) = (self.game.clone(), self.books.clone());
        self.books.told.clear();
        if self.run(act).is_ok() {
            self.taken += 1;
            return;
        }
        self.refused += 1;
        assert!(self.game == before, "a refused action changed the state");
        assert_eq!(self.books.cash, books.cash);
        assert!(self.books.told.iter().all(|user| *user == actor), "told somebody else");
    }

    /// An action as a frame: its sender and its length.
    fn choose(&mut self, frame: &mut [u8; FRAME_MAX]) -> (UserId, usize) {
        let choice = match self.below(100) {
            0..40 => self.phase_action(),
            40..55 => self.claim_action(),
            55..80 => self.deal_action(),
            80..86 => return self.house_action(frame),
            86..90 => self.mortgage_action(),
            90..93 => {
                let (player, other) = (self.player(), self.player());
                Some((player, Message::TransactionRequestTrade { player: other }))
            }
            _ => None,
        };
        match choice {
            Some((actor, action)) => (actor, action.encode(frame).expect("room for any frame")),
            None => self.nonsense(frame),
        }
    }

    /// Any message a client can send, with bytes that tend to be small.
    fn nonsense(&mut self, frame: &mut [u8; FRAME_MAX]) -> (UserId, usize) {
        let client: Vec<_> = TABLE.iter().filter(|e| e.direction == Direction::ToServer && e.code >= 0x20).collect();
        let entry = self.pick(&client).expect("messages");
        frame[0] = entry.code;
        for byte in &mut frame[2..2 + entry.min_payload] {
            *byte = if self.percent(60) { 0 } else { self.below(30) as u8 };
        }
        if entry.name == "PURCHASE_HOUSES" {
            frame[2] = 0;
        }
        let actor = if self.percent(90) { self.player() } else { self.below(256) as u8 };
        (actor, 2 + entry.min_payload)
    }

    fn phase_action(&mut self) -> Option<(UserId, Message<'static>)> {
        let (phase, current) = (self.game.phase, self.game.current);
        // A player told to pay before throwing may as well pay.
        if self.game.owes_first != 0 && self.percent(80) {
            let deal = self.game.debt_of(current).and_then(|id| self.game.deals.get(id)).cloned()?;
            return self.settle(&deal);
        }
        Some(match phase {
            Phase::Idle | Phase::Over { .. } => return None,
            Phase::Start | Phase::Again => (current, Message::ThrowDice {}),
            Phase::JailStart if self.percent(70) => (current, Message::JailRollDice {}),
            Phase::JailStart => (current, Message::JailPayBail {}),
            Phase::Sale { .. } if self.percent(80) => (current, Message::BuyProperty {}),
            Phase::Sale { .. } => (current, Message::AuctionProperty {}),
            Phase::Auction { bid, .. } => {
                let raise = 1 + self.below(80) as u32;
                let player = self.player();
                let bids = self.percent(40);
                (player, if bids { Message::Bid { cash: bid + raise } } else { Message::NoBid {} })
            }
            Phase::Tax { .. } if self.percent(50) => (current, Message::TaxPayTenPercent {}),
            Phase::Tax { .. } => (current, Message::TaxPayFlatFee {}),
            Phase::CardChoice { .. } => (current, Message::CardSelectRetry {}),
            Phase::Held { deal } => {
                let deal = self.game.deals.get(deal).cloned()?;
                return self.settle(&deal);
            }
        })
    }

    fn claim_action(&mut self) -> Option<(UserId, Message<'static>)> {
        let claims = self.game.claims.to_vec();
        Some(match self.pick(&claims)?.kind {
            ClaimKind::Go { player, square, .. } => (player, Message::ClaimGo { square: square.id() }),
            ClaimKind::Rent { debtor, creditor, property, .. } => {
                (creditor, Message::ClaimRent { debtor, property: property.id() })
            }
        })
    }

    fn deal_action(&mut self) -> Option<(UserId, Message<'static>)> {
        let deals: Vec<Deal> = self.game.deals.iter().cloned().collect();
        let deal = self.pick(&deals)?;
        if !matches!(deal.cause, Cause::Trade) && self.percent(50) {
            return self.settle(&deal);
        }
        let actor = self.pick(&deal.parties())?;
        let transaction = deal.id;
        let deeds: Vec<Deed> = self.game.deeds_of(actor).collect();
        let property = self.pick(&deeds).map_or(0, Deed::id);
        let card = self.pick(&Card::JAIL_CARDS).map_or(0, Card::id);
        let cash = self.below(300) as u32;
        Some((
            actor,
            match self.below(20) {
                0 | 1 => Message::TransactionSetCash { transaction, cash },
                2..5 => Message::TransactionAddProperty { transaction, property },
                5 => Message::TransactionRemoveProperty { transaction, property },
                6 => Message::TransactionAddCard { transaction, card },
                7 => Message::TransactionRemoveCard { transaction, card },
                8..12 => Message::TransactionFinish { transaction },
                12 => Message::TransactionReopen { transaction },
                13 => Message::TransactionCancel { transaction },
                14 => Message::BankruptTransaction { transaction },
                _ => Message::TransactionAgree { transaction },
            },
        ))
    }

    /// A debtor who means to pay: takes back what else was offered, raises cash, pays, or gives up.
    fn settle(&mut self, deal: &Deal) -> Option<(UserId, Message<'static>)> {
        let transaction = deal.id;
        let debtor = deal.debtor()?;
        let (own, _) = deal.sides_of(debtor)?;
        let oldest = self.game.deals.of(debtor).next()?.id;
        let offered: Vec<Deed> = own.deeds.iter().collect();
        let deeds: Vec<Deed> = self.game.deeds_of(debtor).collect();
        let card = self.pick(&Card::JAIL_CARDS).map_or(0, Card::id);
        let property = self.pick(&deeds).map_or(0, Deed::id);
        let action = match self.below(12) {
            0..3 => Message::TransactionSetCash { transaction, cash: deal.amount },
            3..5 if !own.cards.is_empty() => Message::TransactionRemoveCard { transaction, card },
            3..5 if !offered.is_empty() => {
                let property = self.pick(&offered).map_or(0, Deed::id);
                Message::TransactionRemoveProperty { transaction, property }
            }
            3..5 => Message::TransactionFinish { transaction },
            5..9 => Message::TransactionAgree { transaction },
            9 => Message::MortgageProperty { property },
            // What is older must end first: trades and what others owe can be called off.
            10 if oldest != transaction => Message::TransactionCancel { transaction: oldest },
            10 => Message::MortgageProperty { property },
            _ => Message::BankruptTransaction { transaction: oldest },
        };
        Some((debtor, action))
    }

    /// One house up or down on each lot whose turn it is, or on any lots.
    fn house_action(&mut self, frame: &mut [u8; FRAME_MAX]) -> (UserId, usize) {
        let (sell, mine) = (self.percent(35), self.percent(70));
        let current = self.game.waited_for().unwrap_or(self.game.current);
        let fits = |group: &Group| !mine || self.game.owns_group(current, *group);
        let groups: Vec<Group> = Group::all().filter(fits).collect();
        let group = self.pick(&groups).unwrap_or(Group::RAILROADS);
        let owner = self.game.owner(group.deeds()[0]);
        let even = self.percent(70);
        let levels: Vec<u8> = group.deeds().iter().map(|lot| self.game.standing(*lot).level).collect();
        let next = if sell { levels.iter().max() } else { levels.iter().min() };
        let mut lots = vec![];
        for (lot, level) in group.deeds().iter().zip(&levels) {
            let chosen = if even { Some(level) == next } else { self.percent(40) };
            if chosen {
                lots.extend(match (sell, level) {
                    (false, 4) => [lot.id(), 0, 1],
                    (false, _) => [lot.id(), 1, 0],
                    (true, 5) => [lot.id(), 0, 0xff],
                    (true, _) => [lot.id(), 0xff, 0],
                });
            }
        }
        let action = Message::PurchaseHouses { lots: Lots::new(&lots).expect("whole items") };
        (owner.max(1), action.encode(frame).expect("room for any frame"))
    }

    fn mortgage_action(&mut self) -> Option<(UserId, Message<'static>)> {
        let player = self.player();
        let deeds: Vec<Deed> = self.game.deeds_of(player).collect();
        let property = self.pick(&deeds)?.id();
        let mortgage = self.percent(50);
        let action =
            if mortgage { Message::MortgageProperty { property } } else { Message::UnmortgageProperty { property } };
        Some((player, action))
    }
}

#[test]
fn random_play_keeps_the_books() {
    let wanted: Option<u64> = std::env::var("PARLOR_SEED").ok().and_then(|seed| seed.parse().ok());
    let seeds = wanted.map_or(0..SEEDS, |seed| seed..seed + 1);
    let mut heard = [0u32; 256];
    let (mut taken, mut refused, mut games) = (0, 0, 0);
    for seed in seeds {
        let mut play = Play::new(seed);
        for step in 0..STEPS {
            // Captured, and shown when the test fails: the last line names the step.
            if step % 100 == 0 || wanted.is_some() {
                println!("seed {seed} step {step}");
            }
            play.step();
        }
        heard.iter_mut().zip(play.books.heard).for_each(|(sum, count)| *sum += count);
        (taken, refused, games) = (taken + play.taken, refused + play.refused, games + play.games);
    }
    println!("{taken} actions taken, {refused} refused, {games} games");
    for entry in TABLE.iter().filter(|entry| entry.direction != Direction::ToServer && entry.code >= 0x20) {
        println!("{:7} {}", heard[usize::from(entry.code)], entry.name);
    }
    assert!(wanted.is_some() || taken > 20_000, "random play got stuck: {taken} actions taken");
}
