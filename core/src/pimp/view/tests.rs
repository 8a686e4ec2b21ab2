//! The mirror against literal messages: a stream, a dump, and nonsense.

use std::vec::Vec;

use super::*;
use crate::pimp::wire::{Direction, HEADER, Message, TABLE};

type M<'a> = Message<'a>;

fn name(text: &str) -> Name<'_> {
    Name::new(text.as_bytes()).unwrap()
}
fn deed(id: u8) -> Deed {
    Deed::new(id).unwrap()
}
fn square(id: u8) -> Square {
    Square::new(id).unwrap()
}
fn take(view: &mut View, messages: &[M<'_>]) {
    messages.iter().for_each(|message| view.take(message));
}

/// Ann (1) and bob (2) have just begun; it is bob's turn.
fn table() -> View {
    let mut view = View::new();
    take(
        &mut view,
        &[
            M::HandshakeAcknowledge { game: 77 },
            M::WelcomeDetails { player: 1, password: 0xDEAD },
            M::WelcomePlayer { player: 1, piece: 1, name: name("ann") },
            M::DeltaCash { from: 0, to: 1, cash: 1500 },
            M::StateBoard { board: 0 },
            M::StatePlayer { player: 1, piece: 1, name: name("ann"), square: 0, cash: 1500, jail_turn: 0 },
            M::DeltaBank { houses: 32, hotels: 12 },
            M::StatePot { cash: 100 },
            M::QueryJoinPlay { candidate: 1, name: name("bob") },
            M::WelcomePlayer { player: 2, piece: 2, name: name("bob") },
            M::DeltaCash { from: 0, to: 2, cash: 1500 },
            M::StartOfTurn { player: 2, may_throw: true },
        ],
    );
    view
}

/// The dump of that moment as ann would get it.
fn dump_of_table() -> View {
    let mut view = View::new();
    take(
        &mut view,
        &[
            M::HandshakeAcknowledge { game: 77 },
            M::WelcomeBack { player: 1, piece: 1, name: name("ann"), playing: true },
            M::StateBoard { board: 0 },
            M::StatePlayer { player: 1, piece: 1, name: name("ann"), square: 0, cash: 1500, jail_turn: 0 },
            M::StatePlayer { player: 2, piece: 2, name: name("bob"), square: 0, cash: 1500, jail_turn: 0 },
            M::DeltaBank { houses: 32, hotels: 12 },
            M::StatePot { cash: 100 },
            M::StartOfTurn { player: 2, may_throw: true },
        ],
    );
    view
}

fn choices(view: &View) -> Vec<u8> {
    let mut codes = Vec::new();
    view.may_send(&mut |message| codes.push(message.code()));
    codes
}

#[test]
fn a_dump_tells_what_the_stream_told() {
    let (stream, dump) = (table(), dump_of_table());
    assert_eq!(stream.known(), dump.known());
    assert_eq!((stream.me(), stream.password(), stream.game()), (1, 0xDEAD, 77));
    assert_eq!(stream.vote(), None);
}

#[test]
fn the_same_messages_after_a_dump_lead_to_the_same_view() {
    let later = [
        M::DiceRolled { player: 2, die1: 2, die2: 4 },
        M::DiceMovedPlayer { player: 2, square: 6, total: 6 },
        M::PlayerLandingOnSquare { player: 2, square: 6 },
        M::PropertySale { player: 2, property: 3, price: 100 },
        M::DeltaCash { from: 2, to: 0, cash: 100 },
        M::DeltaProperty { from: 0, to: 2, property: 3 },
        M::StartOfTurn { player: 1, may_throw: true },
        M::RentCollectionMoratorium {},
        M::DeltaPropertyMortgaged { property: 3 },
        M::TransactionTradeRequested { transaction: 4, other: 2 },
        M::TransactionOtherPropertyAdded { transaction: 4, property: 3 },
        M::TransactionOtherFinished { transaction: 4 },
        M::LinkDead { player: 2 },
    ];
    let (mut stream, mut dump) = (table(), dump_of_table());
    for message in &later {
        stream.take(message);
        dump.take(message);
        assert_eq!(stream.known(), dump.known(), "{message}");
    }
    assert_eq!(stream.deed(deed(3)), Holding { owner: 2, mortgaged: true, houses: 0, hotels: 0 });
    assert_eq!(stream.user(2).unwrap().cash, 1400);
}

#[test]
fn a_dropped_and_a_doubled_delta_are_seen() {
    let (mut stream, dump) = (table(), dump_of_table());
    stream.take(&M::DeltaCash { from: 1, to: 2, cash: 10 });
    assert_ne!(stream.known(), dump.known());
    stream.take(&M::DeltaCash { from: 2, to: 1, cash: 10 });
    assert_eq!(stream.known(), dump.known());
    stream.take(&M::DeltaCash { from: 2, to: 1, cash: 10 });
    assert_ne!(stream.known(), dump.known());
}

#[test]
fn a_dump_forgets_what_it_does_not_restate() {
    let mut view = table();
    take(
        &mut view,
        &[
            M::DeltaProperty { from: 0, to: 2, property: 3 },
            M::DeltaCard { from: 0, to: 2, card: 7 },
            M::TransactionTradeRequested { transaction: 4, other: 2 },
            M::QueryJoinObserve { candidate: 2, name: name("eve") },
            M::StateBoard { board: 0 },
        ],
    );
    assert!(view.is_dumping() && view.users().is_empty() && view.deals().is_empty());
    assert_eq!((view.deed(deed(3)), view.card_owner(Card::JAIL_CARDS[0]), view.vote()), (Holding::UNOWNED, 0, None));
    view.take(&M::StatePot { cash: 5 });
    assert_eq!((view.is_dumping(), view.pot(), view.me()), (false, 5, 1));
}

#[test]
fn jail_is_counted_by_throws_and_by_prompts() {
    let mut view = table();
    let jail_turn = |view: &View| view.user(2).unwrap().jail_turn;
    take(&mut view, &[M::GoingToJail { player: 2, square: 10 }, M::PlayerLandingOnSquare { player: 2, square: 10 }]);
    assert_eq!((jail_turn(&view), view.user(2).unwrap().square), (1, Square::JAIL));
    for turn in 2..=4 {
        view.take(&M::DiceRolled { player: 2, die1: 1, die2: 2 });
        assert_eq!(jail_turn(&view), turn);
    }
    view.take(&M::DiceRolled { player: 2, die1: 1, die2: 2 });
    assert_eq!(jail_turn(&view), 4);
    view.take(&M::StartOfTurn { player: 2, may_throw: false });
    view.take(&M::JailPayOrRoll { player: 2, rolls_left: 2, may_build: true });
    assert_eq!(jail_turn(&view), 2);
    assert_eq!(view.prompt(), Prompt::Jail { player: 2, rolls_left: 2, may_build: true });
    view.take(&M::DiceRolled { player: 2, die1: 3, die2: 3 });
    view.take(&M::JailFree { player: 2 });
    assert_eq!(jail_turn(&view), 0);
}

#[test]
fn an_auction_is_followed() {
    let mut view = table();
    take(
        &mut view,
        &[
            M::PropertyAuction { property: 5 },
            M::PropertyAuctionNoBid { player: 1 },
            M::PropertyAuctionBid { player: 2, cash: 30 },
            M::PropertyAuctionBid { player: 1, cash: 31 },
        ],
    );
    let Prompt::Auction { deed: lot, leader, bid, passed } = view.prompt() else { panic!() };
    assert_eq!((lot, leader, bid, passed), (deed(5), 1, 31, UserSet::EMPTY));
    assert!(!choices(&view).contains(&0x34), "the leader may not bid");
    view.take(&M::PropertyAuctionBid { player: 2, cash: 40 });
    assert!(choices(&view).contains(&0x34) && choices(&view).contains(&0x36));
    view.take(&M::PropertyAuctionNoBid { player: 1 });
    assert!(choices(&view).contains(&0x34) && !choices(&view).contains(&0x36));
}

#[test]
fn claims_are_noticed_and_settled() {
    let mut view = table();
    take(
        &mut view,
        &[
            M::DeltaProperty { from: 0, to: 1, property: 3 },
            M::DeltaProperty { from: 0, to: 1, property: 4 },
            M::DeltaPropertyMortgaged { property: 4 },
            M::PlayerPassingBySquare { player: 1, square: 0 },
            M::PlayerPassingBySquare { player: 2, square: 0 },
            M::PlayerLandingOnSquare { player: 2, square: 6 },
            M::PlayerLandingOnSquare { player: 2, square: 8 },
            M::PlayerLandingOnSquare { player: 1, square: 6 },
        ],
    );
    let mine: Vec<_> = view.my_claims().collect();
    assert_eq!(mine, [(1, M::ClaimGo { square: 0 }), (3, M::ClaimRent { debtor: 2, property: 3 })]);
    view.take(&M::PlayerClaimedGo { player: 1, square: 0, cash: 200 });
    view.take(&M::PlayerClaimedRent { creditor: 1, debtor: 2, property: 3, rent: 6 });
    assert_eq!(view.claims(), [Noticed { number: 2, claim: Claim::Go { player: 2, square: Square::GO } }]);
    view.take(&M::RentCollectionMoratorium {});
    assert!(view.claims().is_empty());
    // A claim that was none is given up, so that no client asks for ever.
    view.take(&M::PlayerLandingOnSquare { player: 2, square: 6 });
    view.take(&M::ErrorInvalidRentClaim {});
    assert!(view.claims().is_empty());
    assert_eq!((view.refusal(), view.refusals()), (Some(Refusal { code: 0xE0, about: 0 }), 1));
}

#[test]
fn a_rent_is_paid_and_a_trade_is_followed_through_its_steps() {
    let mut view = table();
    take(
        &mut view,
        &[
            M::TransactionRentRequested { transaction: 3, other: 2, property: 27, creditor: 2, rent: 50 },
            M::TransactionOtherFinished { transaction: 3 },
            M::TransactionCashSet { transaction: 3, cash: 50 },
            M::TransactionFinished { transaction: 3 },
            M::TransactionOtherAgreed { transaction: 3 },
            M::TransactionTradeRequested { transaction: 2, other: 2 },
            M::TransactionPropertyAdded { transaction: 2, property: 9 },
            M::TransactionOtherCardAdded { transaction: 2, card: 20 },
        ],
    );
    let [trade, rent] = view.deals() else { panic!() };
    assert_eq!((trade.kind, rent.kind), (Kind::Trade, Kind::Rent { deed: deed(27) }));
    assert!(rent.is_debt() && rent.mine.cash == 50 && rent.theirs.step == Step::Agreed);
    assert!(trade.mine.deeds.contains(deed(9)) && trade.theirs.has_card(Card::JAIL_CARDS[1]));
    take(
        &mut view,
        &[
            M::TransactionFinalised { transaction: 3 },
            M::TransactionPropertyRemoved { transaction: 2, property: 9 },
            M::TransactionUnusual { transaction: 2 },
            M::TransactionCancelled { transaction: 9 },
        ],
    );
    assert_eq!(view.deals().len(), 1);
    assert!(view.deals()[0].unusual && view.deals()[0].mine.is_empty());
    view.take(&M::TransactionCancelled { transaction: 2 });
    assert!(view.deals().is_empty());
}

#[test]
fn a_seat_is_taken_over() {
    let mut view = table();
    take(
        &mut view,
        &[
            M::WelcomeObserver { player: 3, piece: 4, name: name("eve") },
            M::PlayerLandingOnSquare { player: 2, square: 12 },
            M::PropertyAuction { property: 7 },
            M::PropertyAuctionNoBid { player: 2 },
            M::PlayerTakeover { new_player: 3, old_player: 2 },
            M::DeltaCash { from: 2, to: 3, cash: 1500 },
            M::PlayerBecameObserverTransfer { player: 2 },
        ],
    );
    let eve = view.user(3).unwrap();
    assert_eq!((eve.playing, eve.piece, eve.square, eve.cash), (true, 2, square(12), 1500));
    let bob = view.user(2).unwrap();
    assert_eq!((bob.playing, bob.piece, bob.square, bob.cash), (false, 2, Square::GO, 0));
    let Prompt::Auction { passed, .. } = view.prompt() else { panic!("two still play") };
    assert!(passed.contains(3) && !passed.contains(2));
}

#[test]
fn a_game_ends_idle_or_won() {
    let mut view = table();
    view.take(&M::PlayerBecameObserverKicked { player: 2 });
    assert_eq!((view.prompt(), view.turn()), (Prompt::Idle, 0));
    let mut view = table();
    view.take(&M::PlayerBecameObserverBankrupt { player: 2 });
    view.take(&M::PlayerWon { player: 1 });
    assert_eq!(view.prompt(), Prompt::Over { winner: 1 });
    assert_eq!(choices(&view), [0x11, 0xD5]);
    view.take(&M::HandshakeAcknowledge { game: 78 });
    assert_eq!((view.me(), view.game(), view.users().len()), (0, 78, 0));
}

#[test]
fn votes_end_in_their_three_ways() {
    let mut view = table();
    let open = M::QueryJoinPlay { candidate: 5, name: name("eve") };
    for end in [
        M::JoinRefused { candidate: 5, name: name("eve") },
        M::WelcomePlayer { player: 3, piece: 3, name: name("eve") },
        M::ObserverBecamePlayer { player: 3 },
    ] {
        view.take(&open);
        assert_eq!(view.vote().map(|vote| (vote.candidate, vote.play, vote.name())), Some((5, true, name("eve"))));
        assert!(choices(&view).contains(&0x08));
        view.take(&M::JoinRefused { candidate: 4, name: name("zoe") });
        assert!(view.vote().is_some());
        view.take(&end);
        assert_eq!(view.vote(), None);
    }
}

#[test]
fn choices_follow_the_prompt() {
    let mut view: View = View::new();
    assert_eq!(choices(&view), [0x00]);
    view.take(&M::HandshakeAcknowledge { game: 1 });
    assert_eq!(choices(&view), [0x02, 0x02]);
    let mut view = table();
    assert!(!choices(&view).contains(&0x21), "it is bob's turn");
    view.take(&M::StartOfTurn { player: 1, may_throw: true });
    assert!(choices(&view).contains(&0x21) && !choices(&view).contains(&0x90));
    for property in [0, 1] {
        view.take(&M::DeltaProperty { from: 0, to: 1, property });
    }
    let built: Vec<_> = choices(&view).into_iter().filter(|code| *code == 0x90).collect();
    assert_eq!(built.len(), 2, "a house on either lot");
    view.take(&M::DeltaHousesPurchased { player: 1, property: 0, houses: 1, hotels: 0 });
    // Up on the other lot, down on the built one; nothing in the group can be mortgaged.
    let codes = choices(&view);
    assert_eq!(codes.iter().filter(|code| **code == 0x90).count(), 2);
    assert!(!codes.contains(&0x3B));
}

#[test]
fn observers_choose_little() {
    let mut view: View = View::new();
    take(
        &mut view,
        &[
            M::HandshakeAcknowledge { game: 1 },
            M::WelcomeDetails { player: 3, password: 1 },
            M::WelcomeObserver { player: 3, piece: 0, name: name("eve") },
        ],
    );
    assert_eq!(choices(&view), [0x11, 0xD5, 0x0D]);
    view.take(&M::JoinPending {});
    assert_eq!(choices(&view), [0x11, 0xD5]);
    view.take(&M::ErrorNotWelcome {});
    assert!(!view.is_pending());
}

/// Every message with every field at 0, 1, 2, 9, 40 or 255, in an order that a small generator shuffles, for a view so
/// small that its tables overflow: nothing panics and every question has an answer.
#[test]
fn nonsense_in_any_order_is_survived() {
    let mut view: View<3, 2> = View::new();
    let mut state = 1u32;
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    let values = [0u8, 1, 1, 2, 2, 3, 9, 27, 39, 40, 255];
    let sent: Vec<_> = TABLE.iter().filter(|entry| entry.direction != Direction::ToServer).collect();
    assert_eq!(sent.len(), 121);
    let mut most = (0, 0);
    for _ in 0..200_000 {
        let entry = sent[next(sent.len())];
        let mut payload: Vec<u8> = (0..entry.max_payload).map(|_| values[next(values.len())]).collect();
        // Numbers are small, or transaction ids never meet.
        for at in 0..payload.len().saturating_sub(3) {
            if next(3) > 0 {
                payload[at..at + 3].fill(0);
            }
        }
        let Ok(message) = Message::from_server(entry.code, &payload) else { continue };
        view.take(&message);
        let mut frame = [0; 256];
        view.may_send(&mut |choice| assert!(choice.encode(&mut frame).is_some_and(|n| n >= HEADER)));
        let _ = (view.worth(1), view.total(2), view.rent(deed(3), 7));
        let known = view.known();
        most = (most.0.max(known.users.len()), most.1.max(known.deals.len()));
    }
    assert_eq!(most, (3, 2), "both tables were full");
}
