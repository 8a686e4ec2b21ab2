//! Saved games: which there are, and the file of each (venus 3.13). The files themselves are the adapter's to keep.

use super::line::Wanted;
use super::names::fit_file;
use super::rooms::RoomId;
use super::{Venus, Verdict, say, team};
use crate::accounts::AccountId;
use crate::server::{Answer, Millis};
use crate::text::Text;
use crate::venus::pieces::Phase;
use crate::venus::wire::{self, Event, SAVE_MAX};

const NO_STORAGE: &str = "Games are not kept here.";
const NO_NAME: &str = "That is no name for a saved game.";
const TAKEN: &str = "Somebody else has saved a game by that name.";
const FULL: &str = "There is no space for another saved game.";
const NO_SAVE: &str = "There is no such saved game.";
const FAILED: &str = "The game could not be saved.";
const NOT_NOW: &str = "The game can not be loaded now.";

/// The names of saved games, and the owner of each. New, it is all zero bytes.
#[derive(Clone)]
pub(super) struct Saves<const SAVES: usize> {
    names: [Text<SAVE_MAX>; SAVES],
    /// An account plus 1; 0: its owner is a user no more.
    owners: [AccountId; SAVES],
}

impl<const SAVES: usize> Saves<SAVES> {
    pub const EMPTY: Self = Self { names: [const { Text::EMPTY }; SAVES], owners: [0; SAVES] };

    pub fn names(&self) -> wire::Names<'_> {
        wire::Names::Each(&self.names)
    }

    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| !known.is_empty() && known.as_str() == name)
    }

    /// Where a game by this name can be kept by this account: in its place if it is this account's or has no owner, in
    /// an empty place, or in one without an owner. One account has at most half of the places.
    fn place_for(&self, name: &str, account: AccountId) -> Result<usize, &'static str> {
        let owner = account.saturating_add(1);
        if let Some(known) = self.names.iter().position(|known| known.as_str() == name) {
            let is_free = self.owners.get(known).is_some_and(|of| *of == 0 || *of == owner);
            return if is_free { Ok(known) } else { Err(TAKEN) };
        }
        if self.owners.iter().filter(|of| **of == owner).count() >= SAVES.div_ceil(2) {
            return Err(FULL);
        }
        let empty = self.names.iter().position(Text::is_empty);
        empty.or_else(|| self.owners.iter().position(|of| *of == 0)).ok_or(FULL)
    }

    fn put(&mut self, place: usize, name: Text<SAVE_MAX>, account: AccountId) {
        if let (Some(kept), Some(owner)) = (self.names.get_mut(place), self.owners.get_mut(place)) {
            (*kept, *owner) = (name, account.saturating_add(1));
        }
    }

    /// An account goes to another user: its saved games stay, until their places are needed.
    fn give_up(&mut self, account: AccountId) {
        let owner = account.saturating_add(1);
        self.owners.iter_mut().filter(|of| **of == owner).for_each(|of| *of = 0);
    }
}

impl<
    const ACCOUNTS: usize,
    const ROOMS: usize,
    const LINKS: usize,
    const RING: usize,
    const LINE: usize,
    const SHOTS: usize,
    const SAVES: usize,
> Venus<ACCOUNTS, ROOMS, LINKS, RING, LINE, SHOTS, SAVES>
{
    /// By players of the game in their room.
    pub(super) fn may_save(&self, slot: u16) -> bool {
        let room = self.line(slot).and_then(|line| line.room()).and_then(|room| self.hall.room(room));
        room.is_some_and(|room| room.seat_of(self.user(slot)).is_some())
    }

    /// By players, and by anybody in the room while the game has not begun.
    pub(super) fn may_load(&self, slot: u16) -> bool {
        let room = self.line(slot).and_then(|line| line.room()).and_then(|room| self.hall.room(room));
        let is_new = room.is_some_and(|room| room.has_game && room.game.phase() == Phase::InitialState);
        is_new || self.may_save(slot)
    }

    pub(super) fn save_game(&mut self, slot: u16, name: &str) -> Verdict {
        let name = fit_file::<SAVE_MAX>(name).ok_or(NO_NAME)?;
        if !self.hall.config.storage || cfg!(not(feature = "postcard")) {
            return Err(NO_STORAGE);
        }
        let account = self.line(slot).map(|line| line.account).unwrap_or_default();
        self.hall.saves.place_for(name.as_str(), account)?;
        // What is hidden in it stays so when it is over here: it may be played on (venus 18.4).
        let room = self.line(slot).and_then(|line| line.room());
        if let Some(room) = room.and_then(|room| self.hall.room_mut(room)) {
            room.draws.withhold();
        }
        self.want_file(slot, Wanted::Save, name.as_str());
        Ok(())
    }

    pub(super) fn load_game(&mut self, slot: u16, name: &str) -> Verdict {
        if !self.hall.saves.has(name) {
            return Err(NO_SAVE);
        }
        self.want_file(slot, Wanted::Load, name);
        Ok(())
    }

    fn want_file(&mut self, slot: u16, wanted: Wanted, name: &str) {
        self.out.note_change();
        if let Some(line) = self.line_mut(slot) {
            line.want(wanted, name);
        }
    }

    /// The file is kept, or not.
    pub(super) fn saved(&mut self, slot: u16, said: Answer<'_>) -> Verdict {
        let Some(line) = self.line_mut(slot) else { return Ok(()) };
        let name = core::str::from_utf8(line.word()).ok().and_then(fit_file::<SAVE_MAX>);
        let (account, room) = (line.account, line.room());
        line.forget();
        let name = name.filter(|_| said == Answer::Done).ok_or(FAILED)?;
        let place = self.hall.saves.place_for(name.as_str(), account)?;
        let Self { hall, out, .. } = self;
        hall.saves.put(place, name, account);
        say(out, team(room), &Event::SaveGames { list: hall.saves.names() });
        Ok(())
    }

    /// The file has come, or there is none.
    pub(super) fn loaded(&mut self, slot: u16, said: Answer<'_>, now: Millis) -> Verdict {
        let Some(line) = self.line_mut(slot) else { return Ok(()) };
        let room = line.room();
        line.forget();
        let Answer::File(file) = said else { return Err(NO_SAVE) };
        let room = room.filter(|_| self.may_load(slot)).ok_or(NOT_NOW)?;
        self.take_file(room, file, now)
    }

    pub(super) fn give_up_saves(&mut self, account: AccountId) {
        self.hall.saves.give_up(account);
    }
}

#[cfg(not(feature = "postcard"))]
impl<
    const ACCOUNTS: usize,
    const ROOMS: usize,
    const LINKS: usize,
    const RING: usize,
    const LINE: usize,
    const SHOTS: usize,
    const SAVES: usize,
> Venus<ACCOUNTS, ROOMS, LINKS, RING, LINE, SHOTS, SAVES>
{
    /// Without a format there are no files.
    fn take_file(&mut self, _room: RoomId, _file: &[u8], _now: Millis) -> Verdict {
        Err(NO_STORAGE)
    }

    pub(super) fn write_file(&mut self, _room: Option<RoomId>) {}

    pub(super) fn file(&self) -> &[u8] {
        &[]
    }
}

#[cfg(feature = "postcard")]
pub use file::FILE_MAX;
#[cfg(feature = "postcard")]
pub(super) use file::check_names;

#[cfg(feature = "postcard")]
mod file {
    use super::super::names::fit;
    use super::super::rooms::Names;
    use super::*;
    use crate::save::{HEADER, LoadError, Reader, SaveError, Writer};
    use crate::venus::pieces::SEATS;
    use crate::venus::rules::Game;
    use crate::venus::wire::USER_MAX;

    const MAGIC: [u8; 4] = *b"VENG";
    /// Counts up with every change of anything in a file.
    const VERSION: u16 = 1;

    impl<const SAVES: usize> Saves<SAVES> {
        pub fn freeze(&self, writer: &mut Writer<'_>) -> Result<(), SaveError> {
            self.names.iter().zip(&self.owners).try_for_each(|kept| writer.put(&kept))
        }

        pub fn thaw(&mut self, reader: &mut Reader<'_>, accounts: usize) -> Result<(), LoadError> {
            for (name, owner) in self.names.iter_mut().zip(&mut self.owners) {
                (*name, *owner) = reader.take()?;
                let is_fit = name.is_empty() || fit_file::<SAVE_MAX>(name.as_str()).is_some();
                if !is_fit || usize::from(*owner) > accounts {
                    return Err(LoadError::Unsound("a saved game that can't be"));
                }
            }
            Ok(())
        }
    }

    /// The longest file: the header, 6 names with their lengths, and a game, whose numbers may take a byte more each.
    pub const FILE_MAX: usize = HEADER + SEATS * (1 + USER_MAX) + 640;

    impl<
        const ACCOUNTS: usize,
        const ROOMS: usize,
        const LINKS: usize,
        const RING: usize,
        const LINE: usize,
        const SHOTS: usize,
        const SAVES: usize,
    > Venus<ACCOUNTS, ROOMS, LINKS, RING, LINE, SHOTS, SAVES>
    {
        /// Makes a file of a room's game.
        pub(in super::super) fn write_file(&mut self, room: Option<RoomId>) {
            let Self { hall, file, file_length, .. } = self;
            let room = room.and_then(|room| hall.room(room)).filter(|room| room.has_game);
            let length = room.and_then(|room| write(&room.names, &room.game, file).ok());
            *file_length = length.unwrap_or_default() as u16;
        }

        /// The file that was made last.
        pub(in super::super) fn file(&self) -> &[u8] {
            self.file.get(..usize::from(self.file_length)).unwrap_or_default()
        }

        /// Everybody in the room is told of the game that takes the place of theirs. Seats are those of the file, by
        /// name; but where it has not begun, absent players would keep the others waiting, and give up their seats.
        pub(super) fn take_file(&mut self, id: RoomId, file: &[u8], now: Millis) -> Verdict {
            let (names, game) = read(file).map_err(|_| NO_SAVE)?;
            let Some(room) = self.hall.room_mut(id) else { return Err(NOT_NOW) };
            (room.names, room.game) = (names, game);
            self.hall.open_draws(id);
            self.drop_absent(id);
            self.hall.change_game(id);
            self.refresh_all(id);
            self.status_changed(id);
            if let Some(room) = self.hall.room_mut(id) {
                room.absent_since = Millis(0);
            }
            self.note_presence(id, now);
            self.start_clock(id, now);
            Ok(())
        }
    }

    fn write(names: &Names, game: &Game, out: &mut [u8]) -> Result<usize, SaveError> {
        let mut writer = Writer::new(out);
        writer.put(names)?;
        writer.put(game)?;
        writer.seal(MAGIC, VERSION)
    }

    fn read(file: &[u8]) -> Result<(Names, Game), LoadError> {
        let mut body = Reader::open(file, MAGIC, VERSION)?;
        let names: Names = body.take()?;
        let game: Game = body.take()?;
        body.end()?;
        game.audit().map_err(LoadError::Unsound)?;
        check_names(&names, &game)?;
        Ok((names, game))
    }

    /// Every seat has a name of its own, and there are no other names.
    pub(in super::super) fn check_names(names: &Names, game: &Game) -> Result<(), LoadError> {
        let count = usize::from(game.seat_count());
        let taken = names.get(..count).unwrap_or_default();
        let is_fit = |name: &Text<USER_MAX>| fit::<USER_MAX>(name.as_str()).is_some();
        let is_once = |name: &Text<USER_MAX>| taken.iter().filter(|other| *other == name).count() == 1;
        let rest_is_empty = names.iter().skip(count).all(Text::is_empty);
        let is_sound = rest_is_empty && taken.iter().all(|name| is_fit(name) && is_once(name));
        crate::save::must(is_sound, "seats and names that do not fit")
    }
}
