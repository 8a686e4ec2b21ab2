//! A whole table in a saved game: the game, its users, dice and options. Not the connections, nor what was on its way
//! to them: after a load all users are gone since that moment, and come back with REJOIN.

use super::users::{Standing, User};
use super::{Config, Table, Votes, names};
use crate::dice::Dice;
use crate::fair::HAS_KEYS;
use crate::pimp::board::Piece;
use crate::pimp::limits::SEATS;
use crate::pimp::rules::{Deal, Deals, Game, UserId};
use crate::pimp::wire::Name;
use crate::save::{LoadError, Reader, SaveError, Writer, must};
use crate::server::Millis;

const MAGIC: [u8; 4] = *b"PIMP";
/// Counts up with every change of anything that is saved. A program that gives games no keys has none to save.
const VERSION: u16 = if HAS_KEYS { 4 } else { WITHOUT_KEYS };
/// Earlier versions are read, too: 2 had no clock, 2 and 3 no keys.
const OLDEST: u16 = 2;
const WITHOUT_KEYS: u16 = 3;

/// What stands before the game.
#[derive(serde::Serialize, serde::Deserialize)]
struct Front {
    number: u32,
    /// The candidate's number given last.
    candidates: u32,
    config: Config,
    dice: Dice,
}

/// One user. Candidates are not saved: they end with their connections.
#[derive(serde::Serialize, serde::Deserialize)]
struct Kept<'a> {
    id: UserId,
    piece: u8,
    paid: bool,
    seal: u64,
    name: &'a [u8],
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> Table<USERS, LINKS, RING> {
    /// Writes the table to `out`, of which [`crate::pimp::limits::save_max`] bytes are enough; how long it became.
    pub fn save(&self, out: &mut [u8]) -> Result<usize, SaveError> {
        let hall = &self.hall;
        let mut writer = Writer::new(out);
        writer.put(&hall.number)?;
        writer.put(&hall.votes.numbers)?;
        writer.put(&hall.config)?;
        writer.put(&hall.dice)?;
        writer.put(&hall.game)?;
        // At most 255 users.
        writer.put(&(self.users() as u8))?;
        for (id, user) in hall.users.iter().filter(|(_, user)| user.is_user()) {
            let (piece, paid, seal, name) = (user.piece, user.paid, user.seal, user.name().bytes());
            writer.put(&Kept { id, piece, paid, seal, name })?;
        }
        writer.put(&hall.config.move_timeout)?;
        if HAS_KEYS {
            writer.put(&hall.dice.kept_games())?;
        }
        writer.seal(MAGIC, VERSION)
    }

    /// Goes on with a saved game; all links after a handshake are closed. On an error nothing has happened.
    pub fn load(&mut self, bytes: &[u8], now: Millis) -> Result<(), LoadError> {
        let body = Reader::open_since(bytes, MAGIC, OLDEST, VERSION)?;
        check::<USERS>(body)?;
        self.close_all();
        self.new_game(now);
        self.put_in(body, now)
    }

    /// The same bytes have passed [`check`]: nothing here can fail.
    fn put_in(&mut self, mut body: Reader<'_>, now: Millis) -> Result<(), LoadError> {
        let Front { number, candidates, config, dice } = body.take()?;
        let hall = &mut self.hall;
        (hall.number, hall.config, hall.dice) = (number, config, dice);
        hall.votes = Votes::new();
        hall.votes.numbers = candidates;
        take_game(&mut body, &mut hall.game)?;
        // They are gone since now: an auction waits for them a while, as for anybody (pimp 8.2).
        hall.game.players.iter_mut().for_each(|player| player.absent = false);
        for _ in 0..body.take::<u8>()? {
            let kept: Kept<'_> = body.take()?;
            let mut user = User::BLANK;
            user.standing = Standing::User;
            (user.piece, user.paid, user.seal) = (kept.piece, kept.paid, kept.seal);
            user.set_name(Name::new(kept.name).unwrap_or_default());
            (user.lingering, user.gone_since, user.spoke_at) = (true, now, now);
            hall.users.put(kept.id, user);
        }
        hall.watch.begin(hall.game.turn, now);
        // A game that was worth saving is worth waiting for.
        hall.watch.has_thrown = true;
        // The player whom the game waits for has all the time anew.
        hall.config.move_timeout = take_timeout(&mut body)?;
        take_keys(&mut body, &mut hall.dice)?;
        let (waited, timeout) = (hall.game.waited_for().unwrap_or_default(), hall.move_timeout());
        hall.watch.start_clock(&hall.game, waited, timeout, now);
        Ok(())
    }
}

fn take_timeout(body: &mut Reader<'_>) -> Result<u32, LoadError> {
    if body.version > OLDEST { body.take() } else { Ok(0) }
}

/// The game that goes on has no key where an earlier version has saved it; the next one has.
fn take_keys(body: &mut Reader<'_>, dice: &mut Dice) -> Result<(), LoadError> {
    if HAS_KEYS && body.version > WITHOUT_KEYS {
        return dice.keep_games(body.take()?);
    }
    dice.begin_keys();
    Ok(())
}

/// Decodes into `game` field by field and deal by deal, as derived code would but for one thing: no second game is put
/// together on the stack on the way, which a board has not the room for.
fn take_game(body: &mut Reader<'_>, game: &mut Game) -> Result<(), LoadError> {
    let Game {
        players,
        deeds,
        card_owners,
        piles: [chance, chest],
        pot,
        phase,
        current,
        doubles,
        turn,
        owes_first,
        claims,
        next_id,
        deals,
    } = game;
    take_to(body, players)?;
    take_to(body, deeds)?;
    *card_owners = body.take_array()?;
    take_to(body, chance)?;
    take_to(body, chest)?;
    take_to(body, pot)?;
    take_to(body, phase)?;
    take_to(body, current)?;
    take_to(body, doubles)?;
    take_to(body, turn)?;
    take_to(body, owes_first)?;
    take_to(body, claims)?;
    take_to(body, next_id)?;
    deals.clear();
    for _ in 0..body.take::<u32>()? {
        take_deal(body, deals)?;
    }
    Ok(())
}

/// Not inlined, so that no two values stand on the stack at once.
#[inline(never)]
fn take_to<'a, T: serde::Deserialize<'a>>(body: &mut Reader<'a>, to: &mut T) -> Result<(), LoadError> {
    *to = body.take()?;
    Ok(())
}

#[inline(never)]
fn take_deal(body: &mut Reader<'_>, deals: &mut Deals) -> Result<(), LoadError> {
    let deal: Deal = body.take()?;
    if deals.push_saved(deal) { Ok(()) } else { Err(LoadError::Malformed) }
}

/// The players of the saved game, if it is sound. Not inlined: only here is there a second game on the stack.
#[inline(never)]
fn check_game(body: &mut Reader<'_>) -> Result<[UserId; SEATS], LoadError> {
    let mut game = Game::new();
    take_game(body, &mut game)?;
    game.audit().map_err(LoadError::Unsound)?;
    let mut ids = [0; SEATS];
    ids.iter_mut().zip(&game.players).for_each(|(id, player)| *id = player.id);
    Ok(ids)
}

/// Decodes all of it and looks whether a table can have written it.
fn check<const USERS: usize>(mut body: Reader<'_>) -> Result<(), LoadError> {
    let front: Front = body.take()?;
    must(front.number != 0, "no game number")?;
    must(usize::from(front.config.max_players) <= SEATS, "more players than seats")?;
    let players = check_game(&mut body)?;
    let count = body.take::<u8>()?;
    if usize::from(count) > USERS {
        return Err(LoadError::TooManyUsers);
    }
    let first = body;
    let (mut last, mut seated) = (0, 0);
    for nth in 0..count {
        let kept: Kept<'_> = body.take()?;
        must(kept.id > last, "users out of order")?;
        if usize::from(kept.id) > USERS {
            return Err(LoadError::TooManyUsers);
        }
        must(kept.seal != 0, "a user without a password")?;
        must(Piece::new(kept.piece).is_some(), "no such piece")?;
        let fit = names::is_fit(kept.name, front.config.ascii_names) && Name::new(kept.name).is_some();
        must(fit && !is_named_before(first, nth, kept.name)?, "a name that can't be")?;
        seated += usize::from(players.contains(&kept.id));
        last = kept.id;
    }
    must(seated == players.iter().filter(|id| **id != 0).count(), "a player who is no user")?;
    take_timeout(&mut body)?;
    take_keys(&mut body, &mut Dice::new())?;
    body.end()
}

/// Has one of the first `count` users this name? The same, not one like it: what looked unlike another name when its owner sat
/// down may look like it to a later version.
fn is_named_before(mut users: Reader<'_>, count: u8, name: &[u8]) -> Result<bool, LoadError> {
    for _ in 0..count {
        if users.take::<Kept<'_>>()?.name == name {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::super::tests::Board;
    use super::*;
    use crate::pimp::limits::save_max;
    use crate::pimp::wire::Message;

    fn saved() -> (Board, Vec<u8>) {
        let mut room = Board::new(&[0x12, 0x24, 0x12]);
        ["ann", "bob"].into_iter().for_each(|who| room.seat(who));
        room.tick(3000);
        room.join("eve", false);
        room.accept("eve");
        for who in ["bob", "ann"] {
            room.send(who, Message::ThrowDice {});
            room.send(who, Message::BuyProperty {});
        }
        room.send("bob", Message::ThrowDice {});
        room.send("ann", Message::ClaimRent { debtor: 2, property: 3 });
        room.send("ann", Message::TransactionRequestTrade { player: 2 });
        let mut out = std::vec![0; save_max(8)];
        let n = room.server.save(&mut out).unwrap();
        out.truncate(n);
        (room, out)
    }

    #[test]
    fn a_game_goes_on_where_it_was_saved() {
        let (room, bytes) = saved();
        assert_eq!(room.server.game().deals.iter().count(), 2);
        let mut later = Board::new(&[]);
        later.now = Millis(77_000_000);
        let now = later.now;
        later.server.load(&bytes, now).unwrap();
        later.check();
        assert_eq!(later.server.number(), room.server.number());
        assert_eq!(later.server.hall.config, room.server.hall.config);
        let mut game = room.server.game().clone();
        game.players.iter_mut().for_each(|player| player.absent = false);
        assert_eq!(later.server.game(), &game);
        let mut again = std::vec![0; save_max(8)];
        let n = later.server.save(&mut again).unwrap();
        let mut third = Board::new(&[]);
        third.server.load(&again[..n], Millis(5)).unwrap();
        let mut last = std::vec![0; save_max(8)];
        assert_eq!(third.server.save(&mut last), Ok(n));
        assert_eq!(last[..n], again[..n]);
        later.open("bob");
        later.feed("bob", &[0, 1, 1]);
        later.heard("bob");
        let said = later.ask("bob", Message::Rejoin { player: 2, password: room.passwords["bob"] });
        assert!(said[0].starts_with("WELCOME_BACK player=2 piece=2 name=\"bob\" playing=true"), "{said:?}");
        assert!(said.iter().any(|line| line.starts_with("TRANSACTION_RENT_REQUESTED")));
        later.tick(600_000);
        assert_eq!(later.server.number(), room.server.number());
    }

    /// Whoever is the first to come back to a board that had no power is not alone in an auction.
    #[test]
    fn an_auction_waits_for_who_is_on_the_way_back() {
        let mut room = Board::new(&[0x12]);
        ["ann", "bob", "cat"].into_iter().for_each(|who| room.seat(who));
        room.send("cat", Message::Afk {});
        room.send("bob", Message::ThrowDice {});
        let mut bytes = std::vec![0; save_max(8)];
        let n = room.server.save(&mut bytes).unwrap();
        let mut later = Board::new(&[]);
        let now = later.now;
        later.server.load(&bytes[..n], now).unwrap();
        later.open("bob");
        later.feed("bob", &[0, 1, 1]);
        later.send("bob", Message::Rejoin { player: 2, password: room.passwords["bob"] });
        later.hush();
        assert_eq!(later.ask("bob", Message::AuctionProperty {}), ["PROPERTY_AUCTION property=1"]);
        assert_eq!(later.ask("bob", Message::Bid { cash: 1 }), ["PROPERTY_AUCTION_BID player=2 cash=1"]);
        later.tick(29_999);
        assert!(later.heard("bob").is_empty());
        later.tick(1);
        let passed = [
            "LINK_DEAD player=1",
            "PROPERTY_AUCTION_NO_BID player=1",
            "LINK_DEAD player=3",
            "PROPERTY_AUCTION_NO_BID player=3",
            "PROPERTY_AUCTION_WON player=2",
        ];
        assert_eq!(later.heard("bob")[..5], passed);
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_an_error() {
        let (mut room, mut bytes) = saved();
        let before = room.server.game().clone();
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(room.server.load(&bytes, Millis(1)).is_err(), "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        for length in 0..bytes.len() {
            assert!(room.server.load(&bytes[..length], Millis(1)).is_err(), "{length} bytes");
        }
        assert_eq!(room.server.game(), &before);
        assert!(room.server.hall.users.user(1).unwrap().is_connected());
        assert_eq!(room.server.load(b"nothing of this kind", Millis(1)), Err(LoadError::Foreign));
        assert_eq!(room.server.load(&bytes, Millis(1)), Ok(()));
    }

    #[test]
    fn a_game_is_read_in_place_as_derived_code_reads_it() {
        let (room, _) = saved();
        let mut bytes = [0; 4096];
        let length = postcard::to_slice(room.server.game(), &mut bytes).unwrap().len();
        let mut whole = std::vec![0; 14];
        whole.extend_from_slice(&bytes[..length]);
        crate::save::reseal(&mut whole, MAGIC, VERSION);
        let mut body = Reader::open(&whole, MAGIC, VERSION).unwrap();
        let mut game = Game::new();
        take_game(&mut body, &mut game).unwrap();
        assert_eq!((&game, body.end()), (room.server.game(), Ok(())));
    }

    #[test]
    fn a_small_buffer_is_an_error() {
        let (room, bytes) = saved();
        for length in 0..bytes.len() {
            assert!(room.server.save(&mut std::vec![0; length]).is_err());
        }
    }
}
