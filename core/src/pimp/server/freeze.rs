//! A table as it stands, its connections and what is on its way to them included: what a journal goes on from.
//!
//! Unlike a saved game (`keep.rs`) nothing is left out or begun anew: a thawed table goes on exactly where it was
//! frozen. Passwords are sealed and answers that may tell one are masked; the seed is in it, as it must be.

use super::link::Line;
use super::lobby::Trust;
use super::users::User;
use super::{Table, names};
use crate::dice::Dice;
use crate::outbox::ask_outbox;
use crate::pimp::board::Piece;
use crate::pimp::limits::{SEATS, frozen_max};
use crate::pimp::rules::UserId;
use crate::pimp::wire::Framer;
use crate::save::{Durable, LoadError, Reader, SaveError, Writer, must};
use crate::server::{Intake, Link, Millis};

const MAGIC: [u8; 4] = *b"PIMF";
/// Counts up with every change of anything that is frozen, or of what frames are answered: a journal's are answered anew.
const VERSION: u16 = 5;
/// Earlier versions are read, too: 3 had no clock, 3 and 4 no keys. A journal's later calls are answered without keys,
/// as they were then.
const OLDEST: u16 = 3;
const WITHOUT_KEYS: u16 = 4;

impl<const USERS: usize, const LINKS: usize, const RING: usize> Durable for Table<USERS, LINKS, RING> {
    const FROZEN_MAX: usize = frozen_max(USERS, LINKS, RING);

    fn recall(&mut self, link: Link, framer: &mut Framer, now: Millis) -> Intake {
        self.take_in(link, framer, Trust::Settled, now)
    }

    ask_outbox!(Durable);

    fn freeze(&self, out: &mut [u8]) -> Result<usize, SaveError> {
        let (hall, mut writer) = (&self.hall, Writer::new(out));
        writer.put(&Self::SHAPE)?;
        writer.put(&(hall.number, &hall.config, &hall.dice, &hall.votes, &hall.watch, self.commands))?;
        writer.put(&hall.game)?;
        // At most 255 users.
        writer.put(&(hall.users.iter().count() as u8))?;
        hall.users.iter().try_for_each(|user| writer.put(&user))?;
        self.lines.iter().try_for_each(|line| line.freeze(&mut writer))?;
        self.out.freeze(&mut writer, mask(&hall.dice))?;
        writer.put(&(hall.config.move_timeout, hall.watch.due))?;
        writer.put(&hall.dice.kept_games())?;
        writer.seal(MAGIC, VERSION)
    }

    fn begin_keys(&mut self) -> bool {
        self.hall.dice.begin_keys()
    }

    fn thaw(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        let mut body = Reader::open_since(bytes, MAGIC, OLDEST, VERSION)?;
        must(body.take::<[u32; 3]>()? == Self::SHAPE, "a table of another size")?;
        self.thaw_hall(&mut body)?;
        self.lines.iter_mut().try_for_each(|line| line.thaw(&mut body))?;
        must(self.lines.iter().all(|line| usize::from(line.user) <= USERS), "no such user")?;
        self.out.thaw(&mut body, mask(&self.hall.dice))?;
        let hall = &mut self.hall;
        if body.version > OLDEST {
            (hall.config.move_timeout, hall.watch.due) = body.take()?;
        }
        if body.version > WITHOUT_KEYS {
            hall.dice.keep_games(body.take()?)?;
        }
        hall.watch.note_question(&hall.game);
        body.end()
    }
}

/// Hides answers that no client has read yet. No user's number is as high as these.
fn mask(dice: &Dice) -> impl Fn(u32, u32) -> u64 {
    |serial, place| dice.seal(u64::MAX - u64::from(place), serial)
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> Table<USERS, LINKS, RING> {
    const SHAPE: [u32; 3] = [USERS as u32, LINKS as u32, RING as u32];

    fn thaw_hall(&mut self, body: &mut Reader<'_>) -> Result<(), LoadError> {
        let hall = &mut self.hall;
        (hall.number, hall.config, hall.dice, hall.votes, hall.watch, self.commands) = body.take()?;
        must(hall.number != 0, "no game number")?;
        must(usize::from(hall.config.max_players) <= SEATS, "more players than seats")?;
        must(hall.dice.is_sound(), "a script that is too long")?;
        hall.game = body.take()?;
        hall.game.audit().map_err(LoadError::Unsound)?;
        hall.users.clear_all();
        let mut last = 0;
        for _ in 0..body.take::<u8>()? {
            let (id, user): (UserId, User) = body.take()?;
            must(id > last && usize::from(id) <= USERS, "users out of order")?;
            must(Piece::new(user.piece).is_some(), "no such piece")?;
            must(names::is_fit(user.name().bytes(), hall.config.ascii_names), "a name that can't be")?;
            must(user.slot().is_none_or(|slot| usize::from(slot) < LINKS), "no such link")?;
            must(!user.is_user() || user.seal != 0, "a user without a password")?;
            hall.users.put(id, user);
            last = id;
        }
        must(hall.game.players.iter().all(|player| hall.users.user(player.id).is_some()), "a player who is no user")
    }
}

impl<const USERS: usize> Line<USERS> {
    fn freeze(&self, writer: &mut Writer<'_>) -> Result<(), SaveError> {
        let dumps = (self.wants_dump, self.owed_dump);
        let marks = (self.state, self.user, self.wrong, self.refused, dumps, self.waits_for_claims);
        let times = (self.second, self.since, self.deaf_until, self.wake_at, self.dumped_at);
        writer.put(&(marks, self.taken, times))?;
        self.snapshot.freeze(writer)
    }

    fn thaw(&mut self, reader: &mut Reader<'_>) -> Result<(), LoadError> {
        let (marks, times, dumps);
        (marks, self.taken, times) = reader.take()?;
        (self.state, self.user, self.wrong, self.refused, dumps, self.waits_for_claims) = marks;
        (self.wants_dump, self.owed_dump) = dumps;
        (self.second, self.since, self.deaf_until, self.wake_at, self.dumped_at) = times;
        self.snapshot.thaw(reader)
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::super::tests::Board;
    use super::*;
    use crate::pimp::limits::BoardTable;
    use crate::pimp::wire::Message;
    use crate::save::{self, assert_damage_is_harmless};
    use crate::server::{Framer as _, Server};

    fn frozen(server: &BoardTable) -> Vec<u8> {
        save::frozen(server)
    }

    /// A game with a debt, a trade, a candidate and unread bytes.
    fn busy() -> Board {
        let mut room = Board::new(&[0x12, 0x24, 0x12]);
        ["ann", "bob"].into_iter().for_each(|who| room.seat(who));
        room.tick(3000);
        for who in ["bob", "ann"] {
            room.send(who, Message::ThrowDice {});
            room.send(who, Message::BuyProperty {});
        }
        room.send("ann", Message::TransactionRequestTrade { player: 2 });
        room.join("eve", false);
        room.accept("eve");
        room
    }

    /// What a link hears until nothing is left.
    fn rest(table: &mut BoardTable, slot: u16) -> Vec<u8> {
        let (mut heard, mut out) = (Vec::new(), [0; 300]);
        let seq = table.produced();
        table.release(seq);
        let Some(link) = table.link(slot) else { return heard };
        loop {
            match table.pull(link, &mut out) {
                0 => return heard,
                n => heard.extend_from_slice(&out[..n]),
            }
        }
    }

    #[test]
    fn a_thawed_table_goes_on_byte_by_byte() {
        let mut room = busy();
        let bytes = frozen(&room.server);
        let mut twin = BoardTable::new();
        twin.thaw(&bytes).unwrap();
        assert_eq!(frozen(&twin), bytes);
        let now = room.now.plus(500);
        for table in [&mut room.server, &mut twin] {
            let link = table.link(1).unwrap();
            let mut framer = Framer::new();
            framer.window()[..2].copy_from_slice(&[0x21, 0]);
            framer.commit(2);
            table.receive(link, &mut framer, now);
            assert_eq!(framer.taken(), [0x21, 0]);
            table.close(table.link(0).unwrap(), now);
        }
        assert_eq!(frozen(&twin), frozen(&room.server));
        for slot in 0..10 {
            assert_eq!(rest(&mut twin, slot), rest(&mut room.server, slot));
        }
    }

    /// A ledger in which nothing stands, and draws of a game without a key.
    const NO_GAMES: usize = 66 + 5;

    /// A table frozen by a program without keys goes on as it did there, game after game, until games are given keys.
    #[test]
    fn an_older_table_draws_as_it_did() {
        let seed = crate::dice::with_keys([3; 32]);
        let begun = || {
            let mut table = BoardTable::new();
            table.begin(&seed, &super::super::Config::DEFAULT, Millis(0));
            table
        };
        let kept = |table: &BoardTable| postcard::to_slice(&table.hall.dice.kept_games(), &mut [0; 400]).unwrap().len();
        let mut table = begun();
        let whole = frozen(&table);
        let mut old = whole[..whole.len() - kept(&table)].to_vec();
        save::reseal(&mut old, MAGIC, WITHOUT_KEYS);
        let (mut one, mut two) = (BoardTable::new(), BoardTable::new());
        one.thaw(&old).unwrap();
        two.thaw(&old).unwrap();
        assert!(one.record().is_none() && !one.hall.dice.draws().has_key());
        // Without keys the same streams are drawn from as ever.
        let mut plain = Dice::new();
        plain.begin(&seed);
        let throws = [0; 5].map(|_| plain.roll::<2>());
        assert_eq!([0; 5].map(|_| one.hall.dice.roll::<2>()), throws);
        assert_ne!([0; 5].map(|_| table.hall.dice.roll::<2>()), throws);
        assert!(one.end_game("", Millis(1)) && one.record().is_none());
        // The game that goes on has none yet; the next has.
        assert!(two.begin_keys() && !two.begin_keys() && !table.begin_keys());
        let mut numbers = std::vec![];
        two.each_number(&mut |_, number| numbers.push(number));
        assert!(two.end_game("", Millis(1)));
        two.each_number(&mut |_, number| numbers.push(number));
        let record = two.record().unwrap();
        assert!(numbers.len() == 1 && record.key(numbers[0]).is_none());
        assert!(two.end_game("", Millis(2)) && two.record().unwrap().key(numbers[0]).is_some());
    }

    /// The clock runs on as it did; a table frozen before there was one is read, and has none.
    #[test]
    fn a_clock_goes_on_and_an_older_table_has_none() {
        let mut room = busy();
        let off = frozen(&room.server);
        assert_eq!(room.server.set("move_timeout", "3600"), Ok(true));
        room.send("bob", Message::ThrowDice {});
        let (bytes, mut twin) = (frozen(&room.server), BoardTable::new());
        twin.thaw(&bytes).unwrap();
        let due = |table: &BoardTable| table.hall.move_due();
        assert_eq!((due(&twin), due(&room.server)), (Some(room.now.plus(3_600_000)), due(&twin)));
        // The same question is still the same.
        let now = room.now.plus(1_000);
        for table in [&mut room.server, &mut twin] {
            table.tick(now);
        }
        assert_eq!((due(&twin), frozen(&twin)), (due(&room.server), frozen(&room.server)));
        let mut old = off[..off.len() - 2 /* no time, no end of it */ - NO_GAMES].to_vec();
        save::reseal(&mut old, MAGIC, OLDEST);
        twin.thaw(&old).unwrap();
        assert_eq!((due(&twin), frozen(&twin)), (None, off));
    }

    #[test]
    fn no_password_lies_in_the_open() {
        let room = busy();
        let bytes = frozen(&room.server);
        for password in room.passwords.values() {
            for word in [password.to_be_bytes(), password.to_le_bytes()] {
                assert!(!bytes.windows(4).any(|four| four == word));
            }
        }
        // Told, and not read yet: HANDSHAKE and JOIN as a watcher, answered by WELCOME_DETAILS.
        let mut table = BoardTable::new();
        table.begin(&[3; 32], &super::super::Config::DEFAULT, Millis(0));
        let link = table.open(Millis(0)).unwrap();
        let mut framer = Framer::new();
        let said = [0x00, 1, 1, 0x02, 6, 0, 0, 3, b'a', b'n', b'n'];
        framer.window()[..said.len()].copy_from_slice(&said);
        framer.commit(said.len());
        table.receive(link, &mut framer, Millis(0));
        let bytes = frozen(&table);
        let mut twin = BoardTable::new();
        twin.thaw(&bytes).unwrap();
        let heard = rest(&mut twin, link.slot);
        assert_eq!(heard, rest(&mut table, link.slot));
        assert_eq!(heard[6..9], [0x03, 5, 1]);
        assert!(!bytes.windows(4).any(|four| four == &heard[9..13]));
    }

    #[test]
    fn a_password_in_the_journal_is_a_verdict_and_no_client_can_give_one() {
        let mut room = busy();
        let password = room.passwords["bob"];
        let rejoin = |table: &mut BoardTable, payload: [u8; 5], live: bool, now| {
            let link = table.open(now).unwrap();
            let mut framer = Framer::new();
            framer.window()[..10].copy_from_slice(&[&[0, 1, 1, 0x0A, 5][..], &payload].concat());
            framer.commit(10);
            if live {
                table.receive(link, &mut framer, now)
            } else {
                table.recall(link, &mut framer, now)
            };
            (rest(table, link.slot)[6], framer.taken()[5..].to_vec())
        };
        let [a, b, c, d] = password.to_be_bytes();
        const BACK: u8 = 0x0B;
        let (now, twin) = (room.now, room.server.clone());
        assert_eq!(rejoin(&mut room.server, [2, a, b, c, d], true, now), (BACK, [2, 0, 0, 0, 1].to_vec()));
        assert_eq!(rejoin(&mut twin.clone(), [2, 0, 0, 0, 1], false, now), (BACK, [2, 0, 0, 0, 1].to_vec()));
        let refused = rejoin(&mut twin.clone(), [2, 0, 0, 0, 1], true, now);
        assert!(refused.0 != BACK && refused.1 == [2, 0, 0, 0, 0]);
        assert!(rejoin(&mut twin.clone(), [2, 0, 0, 0, 0], false, now).0 != BACK);
        // No user has number 7.
        assert!(rejoin(&mut twin.clone(), [7, 0, 0, 0, 1], false, now).0 != BACK);
    }

    #[test]
    fn what_is_damaged_is_refused_and_never_panics() {
        let (bytes, mut server) = (frozen(&busy().server), BoardTable::new());
        assert_damage_is_harmless(&mut server, &bytes, (MAGIC, VERSION), 1);
    }
}
