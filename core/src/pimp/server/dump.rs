//! The state told to one link: STATE_* from a snapshot, then what a latecomer must know (pimp 4).
//!
//! A dump is the state at one place of the ring, streamed as its reader drains it. So it is told from a copy of the
//! numbers, never from the moving state: a two-sided DELTA_CASH can't be half told. Names alone are read from the users'
//! table, which changes them only when a place is reused; then the dumps that name it are lost and begin anew.

use super::users::Users;
use super::{Hall, Out, say};
use crate::outbox::{Audience, Dumped};
use crate::pimp::board::{Card, DEEDS, Deed};
use crate::pimp::rules::{BANK, Game, PLAYERS, Standing, UserId};
use crate::pimp::wire::Message;
use crate::server::{Lagging, Millis};

use super::{Table, link::Line};

/// What one dump tells. New, it is all zero bytes.
#[derive(Clone)]
pub(super) struct Snapshot<const USERS: usize> {
    numbers: Numbers,
    /// The pieces of the users then, plus 1; 0 = a free place. A takeover changes a piece.
    pieces: [u8; USERS],
}

/// The numbers of one dump, which are as many at every table, however large: so they are taken and told by code that is
/// compiled once.
#[derive(Clone)]
struct Numbers {
    cash: [u32; PLAYERS],
    pot: u32,
    /// By ascending id; 0 = no more.
    ids: [UserId; PLAYERS],
    squares: [u8; PLAYERS],
    jail_turns: [u8; PLAYERS],
    /// A seat (from 1, 0 = the bank's) in the low half, the level in the next three bits, mortgaged in the last.
    deeds: [u8; DEEDS],
    card_owners: [UserId; 2],
    /// Houses and hotels.
    bank: [u8; 2],
}

const LEVEL: u8 = 4;
const MORTGAGED: u8 = 0x80;

impl<const USERS: usize> Snapshot<USERS> {
    pub const fn new() -> Self {
        Self { numbers: Numbers::new(), pieces: [0; USERS] }
    }

    pub fn take(&mut self, game: &Game, users: &Users<USERS>) {
        self.numbers.take(game);
        self.pieces.fill(0);
        for (id, user) in users.iter().filter(|(_, user)| user.is_user()) {
            if let Some(piece) = self.pieces.get_mut(usize::from(id).saturating_sub(1)) {
                *piece = user.piece.saturating_add(1);
            }
        }
    }

    #[cfg(feature = "postcard")]
    pub fn freeze(&self, writer: &mut crate::save::Writer<'_>) -> Result<(), crate::save::SaveError> {
        let Self { numbers, pieces } = self;
        let Numbers { cash, pot, ids, squares, jail_turns, deeds, card_owners, bank } = numbers;
        writer.put(&(cash, pot, ids, squares, jail_turns, deeds, card_owners, bank, &pieces[..]))
    }

    #[cfg(feature = "postcard")]
    pub fn thaw(&mut self, reader: &mut crate::save::Reader<'_>) -> Result<(), crate::save::LoadError> {
        let pieces: &[u8];
        let Numbers { cash, pot, ids, squares, jail_turns, deeds, card_owners, bank } = &mut self.numbers;
        (*cash, *pot, *ids, *squares, *jail_turns, *deeds, *card_owners, *bank, pieces) = reader.take()?;
        let whole = crate::bytes::put(&mut self.pieces, pieces) == Some(USERS);
        if whole { Ok(()) } else { Err(crate::save::LoadError::Malformed) }
    }

    pub fn names(&self, id: UserId) -> bool {
        self.piece(id).is_some()
    }

    fn piece(&self, id: UserId) -> Option<u8> {
        self.pieces.get(usize::from(id.checked_sub(1)?))?.checked_sub(1)
    }

    /// The frames from this step on, as many as there is room for.
    pub fn next(&self, users: &Users<USERS>, step: &mut u16, room: &mut [u8]) -> Dumped {
        let mut written = 0;
        while usize::from(*step) < Self::STEPS {
            let room = room.get_mut(written..).unwrap_or_default();
            let told = match usize::from(*step).checked_sub(Self::FIRST_DEED) {
                Some(step) => self.numbers.tell(step, room),
                None => self.place(users, *step).map(|message| message.encode(room)),
            };
            match told {
                None => {}
                Some(Some(n)) => written += n,
                Some(None) if written == 0 => return Dumped::NoRoom,
                Some(None) => break,
            }
            *step += 1;
        }
        if written == 0 { Dumped::Done } else { Dumped::Frames(written) }
    }

    /// The board, then the users. Places that were free have nothing to say.
    fn place<'a>(&self, users: &'a Users<USERS>, step: u16) -> Option<Message<'a>> {
        if step == 0 { Some(Message::StateBoard { board: 0 }) } else { self.user(users, step as u8) }
    }

    const FIRST_DEED: usize = 1 /* board */ + USERS;
    const STEPS: usize = Self::FIRST_DEED + Numbers::STEPS;

    fn user<'a>(&self, users: &'a Users<USERS>, id: UserId) -> Option<Message<'a>> {
        let piece = self.piece(id)?;
        let name = users.user(id)?.name();
        let Numbers { ids, squares, cash, jail_turns, .. } = &self.numbers;
        let seat = ids.iter().position(|player| *player == id);
        Some(match seat {
            Some(seat) => Message::StatePlayer {
                player: id,
                piece,
                name,
                square: *squares.get(seat)?,
                cash: *cash.get(seat)?,
                jail_turn: *jail_turns.get(seat)?,
            },
            None => Message::StateObserver { player: id, piece, name },
        })
    }
}

impl Numbers {
    const fn new() -> Self {
        Self {
            cash: [0; PLAYERS],
            pot: 0,
            ids: [0; PLAYERS],
            squares: [0; PLAYERS],
            jail_turns: [0; PLAYERS],
            deeds: [0; DEEDS],
            card_owners: [0; 2],
            bank: [0; 2],
        }
    }

    fn take(&mut self, game: &Game) {
        self.ids = [0; PLAYERS];
        let seats = self.ids.iter_mut().zip(&mut self.squares).zip(&mut self.jail_turns).zip(&mut self.cash);
        for ((((id, square), jail_turn), cash), player) in seats.zip(&game.players) {
            (*id, *square, *jail_turn, *cash) = (player.id, player.square.id(), player.jail_turn, player.cash);
        }
        self.pot = game.pot;
        let ids = self.ids;
        for (packed, (_, standing)) in self.deeds.iter_mut().zip(game.deeds.iter()) {
            // Nothing is built or mortgaged where the bank is the owner.
            *packed = 0;
            if standing.owner == BANK {
                continue;
            }
            let seat = ids.iter().position(|id| *id == standing.owner).map_or(0, |seat| seat as u8 + 1);
            *packed = seat | (standing.level & 7) << LEVEL | if standing.mortgaged { MORTGAGED } else { 0 };
        }
        for (owner, card) in self.card_owners.iter_mut().zip(Card::JAIL_CARDS) {
            *owner = game.card_owner(card);
        }
        self.bank = game.bank().into();
    }

    const STEPS: usize = DEEDS + 2 /* cards */ + 1 /* bank */ + 1 /* pot */;

    /// Writes what this step has to say, if it has: how long it is, or `None` if there is no room for it.
    #[inline]
    fn tell(&self, step: usize, room: &mut [u8]) -> Option<Option<usize>> {
        // Most of a dump are deeds.
        match self.deeds.get(step) {
            Some(0) => None,
            Some(packed) => self.deed(step as u8, *packed).map(|message| message.encode_in_line(room)),
            None => self.message(step - DEEDS).map(|message| message.encode(room)),
        }
    }

    #[inline]
    fn deed(&self, deed: u8, packed: u8) -> Option<Message<'static>> {
        let owner = *self.ids.get(usize::from((packed & 0xf).checked_sub(1)?))?;
        let standing = Standing { owner, mortgaged: packed & MORTGAGED != 0, level: packed >> LEVEL & 7 };
        Some(Message::StateProperty {
            property: Deed::new(deed)?.id(),
            owner,
            mortgaged: standing.mortgaged,
            houses: standing.houses(),
            hotels: standing.hotels(),
        })
    }

    /// What comes after the deeds.
    fn message(&self, step: usize) -> Option<Message<'static>> {
        match step {
            card @ (0 | 1) => {
                let owner = *self.card_owners.get(card)?;
                let card = Card::JAIL_CARDS.get(card)?.id();
                (owner != BANK).then_some(Message::StateCard { card, owner })
            }
            2 => {
                let [houses, hotels] = self.bank;
                Some(Message::DeltaBank { houses, hotels })
            }
            _ => Some(Message::StatePot { cash: self.pot }),
        }
    }
}

/// What follows a dump: open vote, dead links, own deals, and the prompt of the phase unless it is about to be said.
pub(super) fn resync<const USERS: usize, const LINKS: usize, const RING: usize>(
    out: &mut Out<RING, LINKS>,
    hall: &Hall<USERS>,
    slot: u16,
    user: UserId,
    prompt: bool,
) {
    let to = Audience::One(slot);
    if let Some((id, candidate)) = hall.open_candidate()
        && id != user
    {
        say(out, to, &candidate.query());
    }
    for (id, _) in hall.users.iter().filter(|(_, user)| user.dead) {
        say(out, to, &Message::LinkDead { player: id });
    }
    hall.game.deals_of(user, &mut |message| say(out, to, &message));
    if prompt {
        hall.game.prompt(&mut |message| say(out, to, &message));
    }
}

/// Takes a snapshot and begins a dump here.
pub(super) fn begin<const USERS: usize, const LINKS: usize, const RING: usize>(
    out: &mut Out<RING, LINKS>,
    hall: &Hall<USERS>,
    line: &mut Line<USERS>,
    slot: u16,
) {
    line.snapshot.take(&hall.game, &hall.users);
    out.begin_dump(slot);
    resync(out, hall, slot, line.user, true);
    // Last, after dump and resync (pimp 2), and in the ring like them: an answer would come before a dump begun anew.
    if hall.users.user(line.user).is_some_and(|user| user.candidate != 0) {
        say(out, Audience::One(slot), &Message::JoinPending {});
    }
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> Table<USERS, LINKS, RING> {
    /// Tells a link everything, now.
    pub(super) fn dump(&mut self, slot: u16) {
        let Some(line) = self.lines.get_mut(usize::from(slot)) else { return };
        line.forget_dumps();
        begin(&mut self.out, &self.hall, line, slot);
    }

    /// REQUEST_STATE: at most one dump a second; the rest are one (pimp 16.6). While a dump is being told, a REQUEST_STATE
    /// that would begin another is not read (`may_read`).
    pub(super) fn request_dump(&mut self, slot: u16, now: Millis) {
        if !self.may_dump(slot, now) {
            if let Some(line) = self.line_mut(slot).filter(|line| !line.owed_dump) {
                line.wants_dump = true;
                // Its time will come.
                self.hastens = true;
            }
            return;
        }
        if let Some(line) = self.line_mut(slot) {
            line.dumped_at = now;
        }
        self.dump(slot);
    }

    /// Whether a REQUEST_STATE begins a dump now.
    pub(super) fn may_dump(&self, slot: u16, now: Millis) -> bool {
        let pause = u64::from(self.hall.config.dump_pause);
        let is_due = |line: &Line<USERS>| line.dumped_at == Millis(0) || now >= line.dumped_at.plus(pause);
        self.line(slot).is_some_and(|line| is_due(line) && !line.owed_dump)
    }

    /// A link that had to wait gets its dump once it has read the one before: when that is, an adapter tells (`lag`).
    pub(super) fn serve_dumps(&mut self, now: Millis) {
        let pause = u64::from(self.hall.config.dump_pause);
        for line in self.lines.iter_mut().filter(|line| line.wants_dump && now >= line.dumped_at.plus(pause)) {
            line.dumped_at = now;
            (line.wants_dump, line.owed_dump) = (false, true);
            self.hall.watch.owes_dumps = true;
        }
    }

    /// A link whose dump begins now.
    #[inline(never)]
    pub(super) fn next_owed_dump(&mut self) -> Option<Lagging> {
        if !self.hall.watch.owes_dumps {
            return None;
        }
        let owed = (0..).zip(&self.lines).filter(|(_, line)| line.owed_dump);
        let due = owed.clone().map(|(slot, _)| slot).find(|slot| !self.out.is_dumping(*slot));
        self.hall.watch.owes_dumps = owed.count() > 0;
        due.map(|slot| Lagging { slot, again: true })
    }

    /// A place is about to have a new owner: the dumps that would name the old one begin anew. Not on a link that is done
    /// with: its dump would lie behind its end, and it would never close.
    pub(super) fn lose_dumps_naming(&mut self, id: UserId) {
        for (slot, line) in (0..).zip(&self.lines) {
            if !self.out.is_doomed(slot) && line.snapshot.names(id) {
                self.out.lose(slot);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Board;
    use crate::pimp::wire::{Message, Name};

    #[test]
    fn a_link_that_is_done_with_gets_no_dump_anew() {
        let mut room = Board::new(&[]);
        room.seat("ann");
        for who in ["b", "c", "d", "e", "f", "g", "h"] {
            room.tick(3000);
            room.join(who, false);
            room.accept(who);
        }
        room.drop("h");
        // g's old connection has not read its dump yet when g comes back on another, and h's place gets a new owner.
        room.send("g", Message::RequestState {});
        room.open("g again");
        room.feed("g again", &[0, 1, 1]);
        room.send("g again", Message::Rejoin { player: 7, password: room.passwords["g"] });
        room.open("new");
        room.feed("new", &[0, 1, 1]);
        room.send("new", Message::Join { piece: 0, play: false, name: Name::new(b"new").unwrap() });
        room.heard("g");
        assert!(room.is_closing("g"));
    }
}
