//! Bots at a table of the rules, without a wire between: whole games, and each view against a dump of the same moment.

use std::collections::VecDeque;
use std::vec::Vec;
use std::{format, string::String};

use super::{Bot, Strength};
use crate::dice::{Dice, Stream};
use crate::pimp::board::START_CASH;
use crate::pimp::rules::{Cx, Game, Herald, Options, Phase, Refusal, UserId};
use crate::pimp::view::View;
use crate::pimp::wire::{FRAME_MAX, HEADER, Message, Name};

/// Every user's view hears what the rules tell it. The same frames are kept for links that are slow.
struct Ears {
    views: Vec<View>,
    told: Vec<(usize, Vec<u8>)>,
    keep: bool,
}

impl Ears {
    fn tell(&mut self, at: usize, event: &Message<'_>) {
        self.views[at].take(event);
        if self.keep {
            self.told.push((at, frame_of(event)));
        }
    }
}

impl Herald for Ears {
    fn all(&mut self, event: Message<'_>) {
        (0..self.views.len()).for_each(|at| self.tell(at, &event));
    }
    fn one(&mut self, user: UserId, event: Message<'_>) {
        self.tell(usize::from(user) - 1, &event);
    }
}

/// Frames on their way, and what users know so far.
struct Links {
    views: Vec<View>,
    out: Vec<VecDeque<Vec<u8>>>,
    back: Vec<VecDeque<Vec<u8>>>,
}

impl Links {
    fn take(&mut self, ears: &mut Ears) {
        ears.told.drain(..).for_each(|(at, frame)| self.back[at].push_back(frame));
    }
}

fn frame_of(message: &Message<'_>) -> Vec<u8> {
    let mut frame = [0; FRAME_MAX];
    let length = message.encode(&mut frame).unwrap();
    frame[..length].to_vec()
}

struct Arena {
    game: Game,
    dice: Dice,
    options: Options,
    ears: Ears,
    bots: Vec<Bot>,
    commands: u64,
    refusals: u64,
}

fn name_of(user: UserId) -> String {
    format!("bot{user}")
}

impl Arena {
    fn new(strengths: &[Strength], seed: u32) -> Self {
        let mut bytes = [0; 32];
        bytes[..4].copy_from_slice(&seed.to_be_bytes());
        let mut dice = Dice::new();
        dice.begin(&bytes);
        let options = Options::DEFAULT;
        let mut game = Game::new();
        game.begin(&mut dice, &options);
        let users: Vec<UserId> = (1..=strengths.len() as u8).collect();
        let bots = strengths.iter().zip(&users).map(|(s, user)| Bot::new(*s, seed ^ u32::from(*user))).collect();
        let mut views: Vec<View> = users.iter().map(|_| View::new()).collect();
        for (view, user) in views.iter_mut().zip(&users) {
            view.take(&Message::HandshakeAcknowledge { game: 1 });
            view.take(&Message::WelcomeDetails { player: *user, password: 1 });
        }
        let mut arena = Self {
            game,
            dice,
            options,
            ears: Ears { views, told: Vec::new(), keep: false },
            bots,
            commands: 0,
            refusals: 0,
        };
        for user in users {
            let name = name_of(user);
            arena.ears.all(Message::WelcomePlayer {
                player: user,
                piece: user,
                name: Name::new(name.as_bytes()).unwrap(),
            });
            let mut cx = Cx { dice: &mut arena.dice, options: &arena.options, out: &mut arena.ears };
            arena.game.sit(user, START_CASH, &mut cx).unwrap();
            arena.game.start(user, &mut cx);
        }
        let pot = arena.game.pot;
        arena.ears.all(Message::DeltaPot { cash: pot });
        arena
    }

    /// What a dump would tell `user` now.
    fn dump(&self, user: UserId) -> View {
        let mut view = View::new();
        view.take(&Message::WelcomeDetails { player: user, password: 1 });
        view.take(&Message::StateBoard { board: 0 });
        for player in 1..=self.bots.len() as u8 {
            let name = name_of(player);
            let (piece, name) = (player, Name::new(name.as_bytes()).unwrap());
            view.take(&match self.game.player(player) {
                Some(p) => Message::StatePlayer {
                    player,
                    piece,
                    name,
                    square: p.square.id(),
                    cash: p.cash,
                    jail_turn: p.jail_turn,
                },
                None => Message::StateObserver { player, piece, name },
            });
        }
        for (deed, s) in self.game.deeds.iter().filter(|(_, s)| s.owner != 0) {
            let (owner, mortgaged, houses, hotels) = (s.owner, s.mortgaged, s.houses(), s.hotels());
            view.take(&Message::StateProperty { property: deed.id(), owner, mortgaged, houses, hotels });
        }
        for (card, owner) in (0u8..).zip(self.game.card_owners).filter(|(_, owner)| *owner != 0) {
            view.take(&Message::StateCard { card, owner });
        }
        let (houses, hotels) = self.game.bank();
        view.take(&Message::DeltaBank { houses, hotels });
        view.take(&Message::StatePot { cash: self.game.pot });
        self.game.deals_of(user, &mut |message| view.take(&message));
        self.game.prompt(&mut |message| view.take(&message));
        view
    }

    /// One step of a table with slow links: frames arrive one at a time, in no order between users. False if nothing is
    /// on its way and no bot speaks.
    fn late_step(&mut self, links: &mut Links, dice: &mut Dice) -> bool {
        let users = self.bots.len() as u32;
        let first = dice.below(Stream::Shuffle, users);
        for at in (0..users).map(|n| ((first + n) % users) as usize) {
            if dice.below(Stream::Shuffle, 2) == 0
                && let Some(frame) = links.out[at].pop_front()
            {
                self.act(at as u8 + 1, Message::from_client(frame[0], &frame[HEADER..]).unwrap());
                links.take(&mut self.ears);
                return true;
            }
            if let Some(frame) = links.back[at].pop_front() {
                links.views[at].take(&Message::from_server(frame[0], &frame[HEADER..]).unwrap());
            }
            let out = &mut links.out[at];
            self.bots[at].next(&links.views[at], &mut |message| out.push_back(frame_of(&message)));
        }
        links.out.iter().chain(&links.back).any(|queue| !queue.is_empty())
    }

    /// Lets every bot say one thing; false if none had anything to say.
    fn round(&mut self, check: bool) -> bool {
        let mut spoken = false;
        for at in 0..self.bots.len() {
            let user = at as u8 + 1;
            let mut frame = Vec::new();
            if !self.bots[at].next(&self.ears.views[at], &mut |message| frame = frame_of(&message)) {
                continue;
            }
            spoken = true;
            let action = Message::from_client(frame[0], &frame[HEADER..]).unwrap();
            self.act(user, action);
            if check {
                self.compare(&action);
            }
        }
        spoken
    }

    /// Every view against what a dump would tell its user.
    fn compare(&self, after: &Message<'_>) {
        for user in 1..=self.bots.len() as u8 {
            let (view, dump) = (&self.ears.views[usize::from(user) - 1], self.dump(user));
            assert_eq!(view.known(), dump.known(), "user {user} after {after}");
        }
    }

    fn act(&mut self, user: UserId, action: Message<'_>) {
        self.commands += 1;
        let mut cx = Cx { dice: &mut self.dice, options: &self.options, out: &mut self.ears };
        let verdict = self.game.apply(user, &action, &mut cx);
        let code = action.code();
        self.refusals += u64::from(verdict.is_err());
        match verdict {
            Err(Refusal::Unexpected) => self.ears.one(user, Message::ErrorUnexpectedMessage { code }),
            Err(Refusal::Invalid) => self.ears.one(user, Message::ErrorInvalidPayload { code }),
            _ => {}
        }
    }

    /// Plays until a bot has won or `turns` are over; the winner, if any.
    fn play(&mut self, turns: u32, check: bool) -> Option<UserId> {
        while self.game.turn < turns {
            if let Phase::Over { winner } = self.game.phase {
                return Some(winner);
            }
            let before = self.game.turn;
            let from = self.commands;
            while self.game.turn == before && !matches!(self.game.phase, Phase::Over { .. }) {
                assert!(self.round(check), "nobody speaks in {:?}, turn of {}", self.game.phase, self.game.current);
                assert!(self.commands - from < 2_000, "no end of turn in {:?}", self.game.phase);
            }
        }
        None
    }
}

/// Wins of the first strength and of the second, and games without an end, with seats swapped every other game.
fn match_of(first: Strength, second: Strength, games: u32, turns: u32) -> (u32, u32, u32) {
    let (mut won, mut lost, mut open) = (0, 0, 0);
    for seed in 0..games {
        let swapped = seed % 2 == 1;
        let seats = if swapped { [second, first] } else { [first, second] };
        match Arena::new(&seats, seed / 2).play(turns, false) {
            Some(winner) if (winner == 1) != swapped => won += 1,
            Some(_) => lost += 1,
            None => open += 1,
        }
    }
    (won, lost, open)
}

#[test]
fn games_of_two_to_eight_come_to_an_end_and_views_match_dumps() {
    let mut ended = 0;
    for seed in 0..21 {
        let players = 2 + seed as usize % 7;
        let seats: Vec<Strength> =
            (0..players).map(|at| if at % 2 == 0 { Strength::Shrewd } else { Strength::Plain }).collect();
        ended += u32::from(Arena::new(&seats, seed).play(2_000, true).is_some());
    }
    assert_eq!(ended, 21);
}

/// Users who send anything that their view lists, with sums by chance: a deal is turned over in every way, and each
/// view still knows what a dump would tell. Most of what is listed is taken.
#[test]
fn choices_by_chance_keep_views_true() {
    let (mut commands, mut refusals) = (0, 0);
    for seed in 0..30 {
        let mut arena = Arena::new(&[Strength::Plain; 4][..2 + seed as usize % 3], seed);
        let mut chance = Dice::new();
        chance.begin(&[seed as u8 + 1; 32]);
        for _ in 0..1_500 {
            let at = chance.below(Stream::Shuffle, arena.bots.len() as u32) as usize;
            let mut choices = Vec::new();
            arena.ears.views[at].may_send(&mut |message| choices.push(frame_of(&message)));
            // What leaves the table, or is the server's to answer, is no matter of the rules.
            choices.retain(|frame| frame[0] >= 0x20 && frame[0] < 0xD0);
            if choices.is_empty() {
                continue;
            }
            let frame = choices.swap_remove(chance.below(Stream::Shuffle, choices.len() as u32) as usize);
            let mut action = Message::from_client(frame[0], &frame[HEADER..]).unwrap();
            if let Message::TransactionSetCash { cash, .. } = &mut action
                && chance.below(Stream::Shuffle, 2) == 0
            {
                *cash = chance.below(Stream::Shuffle, 400);
            }
            arena.act(at as u8 + 1, action);
            arena.compare(&action);
            if matches!(arena.game.phase, Phase::Over { .. }) {
                break;
            }
        }
        commands += arena.commands;
        refusals += arena.refusals;
    }
    std::println!("{commands} commands by chance, {refusals} refused");
    assert!(refusals * 10 < commands, "{refusals} of {commands}");
}

/// A bot that sees each frame alone and late asks for some things twice and in vain, but the game goes on.
#[test]
fn slow_links_stall_nobody() {
    let (mut commands, mut refusals, mut ended) = (0, 0, 0);
    for seed in 0..20 {
        let seats = [Strength::Shrewd, Strength::Plain, Strength::Shrewd, Strength::Plain];
        let mut arena = Arena::new(&seats[..2 + seed as usize % 3], seed);
        let mut chance = Dice::new();
        chance.begin(&[seed as u8; 32]);
        let users = arena.bots.len();
        let queues = || (0..users).map(|_| VecDeque::new()).collect();
        let mut links = Links { views: arena.ears.views.clone(), out: queues(), back: queues() };
        arena.ears.keep = true;
        let mut steps = 0;
        while !matches!(arena.game.phase, Phase::Over { .. }) && arena.game.turn < 1_000 {
            assert!(arena.late_step(&mut links, &mut chance), "seed {seed}: nobody speaks in {:?}", arena.game.phase);
            steps += 1;
            assert!(steps < 2_000_000, "seed {seed}: no end in {:?}", arena.game.phase);
        }
        ended += u32::from(matches!(arena.game.phase, Phase::Over { .. }));
        commands += arena.commands;
        refusals += arena.refusals;
    }
    std::println!("{ended} of 20 games ended, {commands} commands, {refusals} refused");
    assert!(ended >= 15 && refusals * 4 < commands);
}

#[test]
fn shrewd_beats_plain() {
    let (won, lost, open) = match_of(Strength::Shrewd, Strength::Plain, 1_000, 2_000);
    std::println!("Shrewd {won}, Plain {lost}, without an end {open}");
    assert!(won >= 650, "{won} of 1000");
}

/// Neither bot sells a group by a deal that helps its rival more: the game would last for ever, if neither grew weary.
#[test]
fn two_shrewd_bots_come_to_an_end() {
    let open = (0..100).filter(|seed| Arena::new(&[Strength::Shrewd; 2], *seed).play(2_000, false).is_none()).count();
    assert_eq!(open, 0, "of 100 games had no end");
}
