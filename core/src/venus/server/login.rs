//! From a fresh connection to a user, and what becomes of one that does not log in (venus 3.1 to 3.5).

use super::line::{Line, State, Tale, Wanted};
use super::names::fit;
use super::{Account, Venus, Verdict, answer, say, team_of};
use crate::accounts::AccountId;
use crate::fmt::debug;
use crate::names::are_alike;
use crate::outbox::Audience;
use crate::server::{Answer, Ask, Millis, Request, RequestId};
use crate::venus::wire::{Event, PASSWORD_MAX};

const NO_NAME: &str = "That is no name for a user.";
const LONG_PASSWORD: &str = "A password has at most 64 bytes.";
const WRONG_PASSWORD: &str = "Wrong password.";
const ALIKE: &str = "That name looks like another.";
const LIMITED: &str = "Too many accounts were made from your address.";
const TOO_MANY: &str = "There are too many users.";
const LATER: &str = "Try again later.";
const NO_USER: &str = "There is no such user.";

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
    /// An unknown name makes the account. Either way the adapter hashes once; only this link waits.
    pub(super) fn log_in(&mut self, slot: u16, user: &str, password: &str) -> Verdict {
        let name = fit(user).ok_or(NO_NAME)?;
        if password.len() > PASSWORD_MAX {
            return Err(LONG_PASSWORD);
        }
        let known = self.hall.accounts.iter().position(|account| account.name == name);
        let (wanted, account) = match known {
            // Its first login is still waiting for a hash.
            Some(known) if !self.hall.accounts.get(known).is_some_and(Account::is_made) => return Err(LATER),
            Some(known) => (Wanted::Verdict, known),
            // No name may be taken for another (venus 3.2).
            None if self.hall.accounts.iter().any(|account| are_alike(account.name.as_str(), name.as_str())) => {
                return Err(ALIKE);
            }
            None => {
                let place = self.place_for_account().ok_or(TOO_MANY)?;
                self.give_up_saves(place as AccountId);
                if let Some(account) = self.hall.accounts.get_mut(place) {
                    // The name is this link's from now on: no other can take it meanwhile.
                    *account = Account::named(name);
                    account.connect(Some(slot));
                }
                (Wanted::Hash, place)
            }
        };
        self.ask_about(slot, wanted, account as AccountId, password);
        Ok(())
    }

    /// The other link of that name is closed; no answer but to a wrong password.
    pub(super) fn log_out_other(&mut self, slot: u16, user: &str, password: &str) -> Verdict {
        if password.len() > PASSWORD_MAX {
            return Err(LONG_PASSWORD);
        }
        let is_made = |account: &Account| account.is_made() && account.name.as_str() == user;
        let account = self.hall.accounts.iter().position(is_made).ok_or(NO_USER)?;
        self.ask_about(slot, Wanted::Eviction, account as AccountId, password);
        Ok(())
    }

    fn ask_about(&mut self, slot: u16, wanted: Wanted, account: AccountId, password: &str) {
        self.out.note_change();
        if let Some(line) = self.line_mut(slot) {
            (line.state, line.account) = (State::Asking, account);
            line.want(wanted, password);
        }
    }

    /// A free place, or that of the account which is longest offline, has never played and has no seat (venus 3.3).
    fn place_for_account(&self) -> Option<usize> {
        let accounts = self.hall.accounts.iter().enumerate();
        if let Some((free, _)) = accounts.clone().find(|(_, account)| account.is_free()) {
            return Some(free);
        }
        // A login that is being checked holds on to its account, too.
        let is_wanted = |id: usize, account: &Account| {
            let asks = |line: &Line| line.state == State::Asking && usize::from(line.account) == id;
            self.hall.rooms.iter().any(|room| room.keeps(account.name.as_str())) || self.lines.iter().any(asks)
        };
        let idle = accounts.filter(|(id, account)| account.may_give_way() && !is_wanted(*id, account));
        idle.min_by_key(|(_, account)| account.seen).map(|(id, _)| id)
    }

    /// The next thing that the adapter is asked for.
    pub(super) fn next_question(&mut self) -> Option<Request<'_>> {
        let waits = |line: &Line| line.wanted != Wanted::Nothing && !line.handed;
        let slot = self.lines.iter().position(waits)? as u16;
        let link = self.out.link(slot)?;
        let id = RequestId::of(link);
        let line = self.line_mut(slot)?;
        line.handed = true;
        let (wanted, account, room) = (line.wanted, line.account, line.room());
        if wanted == Wanted::Save {
            self.write_file(room);
        }
        let word = self.lines.get(usize::from(slot))?.word();
        let name = core::str::from_utf8(word).unwrap_or_default();
        let ask = match wanted {
            Wanted::Verdict | Wanted::Eviction => {
                let hash = self.hall.accounts.get(usize::from(account)).map_or(&[][..], Account::hash);
                Ask::Verify { secret: word, hash }
            }
            Wanted::Save => Ask::Save { name, file: self.file() },
            Wanted::Load => Ask::Load { name },
            Wanted::Bot => {
                let room = room.and_then(|room| self.hall.room(room));
                Ask::Bot { game: room.map_or("", |room| room.name.as_str()) }
            }
            Wanted::Hash | Wanted::Nothing => Ask::Hash(word),
        };
        Some(Request { id, link, ask })
    }

    pub(super) fn answered(&mut self, slot: u16, said: Answer<'_>, now: Millis) {
        let Some(line) = self.line(slot).filter(|line| line.wanted != Wanted::Nothing) else { return };
        let verdict = match line.wanted {
            Wanted::Save => self.saved(slot, said),
            Wanted::Load => self.loaded(slot, said, now),
            Wanted::Eviction => self.evict(slot, said, now),
            Wanted::Bot => self.called(slot, said),
            Wanted::Nothing | Wanted::Hash | Wanted::Verdict => self.admit(slot, said, now),
        };
        if let Err(text) = verdict {
            self.error(slot, text);
            self.shut_out(slot);
        }
        self.out.wake(slot);
    }

    /// The hash was made, or the password found right or wrong.
    fn admit(&mut self, slot: u16, said: Answer<'_>, now: Millis) -> Verdict {
        let Some(line) = self.line_mut(slot) else { return Ok(()) };
        let (wanted, account) = (line.wanted, line.account);
        line.forget();
        line.state = State::New;
        match (wanted, said) {
            (Wanted::Hash, Answer::Hash(hash)) if self.keep_hash(account, hash) => {}
            (Wanted::Hash, said) => {
                self.free_unmade(slot, account);
                return Err(if said == Answer::Limited { LIMITED } else { LATER });
            }
            (_, Answer::Verified(true)) => {
                if self.account_mut(account).is_some_and(|account| account.slot().is_some()) {
                    answer(&mut self.out, slot, &[&Event::AlreadyLoggedIn {}]);
                    return Ok(());
                }
            }
            (_, Answer::Verified(false)) => {
                self.punish(slot, now);
                return Err(WRONG_PASSWORD);
            }
            _ => return Err(LATER),
        }
        self.welcome(slot, account);
        Ok(())
    }

    fn keep_hash(&mut self, account: AccountId, hash: &[u8]) -> bool {
        self.account_mut(account).is_some_and(|account| account.set_hash(hash))
    }

    /// The link of this account, if it has one, is done with.
    fn evict(&mut self, slot: u16, said: Answer<'_>, now: Millis) -> Verdict {
        let Some(line) = self.line_mut(slot) else { return Ok(()) };
        let account = line.account;
        line.forget();
        line.state = State::New;
        match said {
            Answer::Verified(true) => {
                if let Some(other) = self.account_mut(account).and_then(|account| account.slot()) {
                    self.out.doom(other);
                    self.part(other, now);
                }
                Ok(())
            }
            Answer::Verified(false) => {
                self.punish(slot, now);
                Err(WRONG_PASSWORD)
            }
            _ => Err(LATER),
        }
    }

    /// A wrong password costs time, and at last the connection.
    fn punish(&mut self, slot: u16, now: Millis) {
        let pause = u64::from(self.hall.config.password_pause);
        if let Some(line) = self.line_mut(slot) {
            line.wrong = line.wrong.saturating_add(1);
            line.deaf_until = now.plus(pause);
        }
    }

    fn shut_out(&mut self, slot: u16) {
        let limit = self.hall.config.wrong_passwords;
        if limit != 0 && self.line(slot).is_some_and(|line| line.wrong >= limit) {
            self.out.doom(slot);
        }
    }

    /// The others are told of a new inhabitant, this link of everything.
    fn welcome(&mut self, slot: u16, account: AccountId) {
        if let Some(account) = self.account_mut(account) {
            account.connect(Some(slot));
        }
        if let Some(line) = self.line_mut(slot) {
            line.state = State::User;
            line.set_room(None);
        }
        debug!("link {}: logged in", slot);
        let Self { hall, out, .. } = self;
        say(out, Audience::Room, &Event::Inhabitant { user: hall.name(account), room: super::GREAT_HALL });
        hall.change();
        self.tell_hall(slot);
        self.out.enter(slot, team_of(None));
    }

    /// Begins to tell a link of all rooms and users.
    fn tell_hall(&mut self, slot: u16) {
        let Self { hall, lines, shots, .. } = self;
        let users = lines.iter().filter(|line| line.is_user()).map(|line| (hall.name(line.account), line.room()));
        let taken = shots.take_hall(hall.version, &hall.rooms, users);
        if taken.is_new {
            self.lose(slot, |line| line.tale == Tale::Hall && line.shot == taken.shot);
        }
        if let Some(line) = self.line_mut(slot) {
            line.tell(Tale::Hall, taken.shot, None);
        }
        self.out.begin_dump(slot);
    }

    /// What these links are being told of is gone: those that have not heard all of it lag. Link `but` is about to be
    /// told something else.
    pub(super) fn lose(&mut self, but: u16, is_told: impl Fn(&Line) -> bool) {
        for (slot, _) in (0..).zip(&self.lines).filter(|(slot, line)| *slot != but && is_told(line)) {
            self.out.lose(slot);
        }
    }

    /// An account whose first login came to nothing is removed.
    fn free_unmade(&mut self, slot: u16, account: AccountId) {
        if let Some(account) = self.account_mut(account)
            && !account.is_made()
            && account.slot() == Some(slot)
        {
            *account = Account::BLANK;
        }
    }

    /// The link is gone, or as good as gone: its user leaves, and its game goes on.
    pub(super) fn part(&mut self, slot: u16, now: Millis) {
        let Some(line) = self.line(slot) else { return };
        let (state, account, room) = (line.state, line.account, line.room());
        if let Some(line) = self.line_mut(slot) {
            line.clear();
        }
        if state != State::New {
            self.out.note_change();
        }
        match state {
            State::New => {}
            State::Asking => self.free_unmade(slot, account),
            State::User => {
                if let Some(account) = self.account_mut(account) {
                    account.connect(None);
                    account.seen = now;
                }
                let Self { hall, out, .. } = self;
                out.leave(slot);
                say(out, Audience::Room, &Event::DropInhabitant { user: hall.name(account) });
                hall.change();
                self.walk_out(account, room, now);
                self.drop_unentered(account);
            }
        }
    }

    /// When a link that has not logged in is closed, or one that only waits for time is read again.
    pub(super) fn next_timer(&self) -> Option<Millis> {
        (0..self.out.used()).filter_map(|slot| self.timer_of(slot)).min()
    }

    fn timer_of(&self, slot: u16) -> Option<Millis> {
        let line = self.line(slot).filter(|_| self.out.link(slot).is_some() && !self.out.is_doomed(slot))?;
        let timeout = u64::from(self.hall.config.login_timeout);
        let late = (timeout != 0 && line.state != State::User).then(|| line.since.plus(timeout));
        let woken = (line.wake_at != Millis(0)).then_some(line.wake_at);
        late.into_iter().chain(woken).min()
    }

    /// What is due by now.
    pub(super) fn on_timer(&mut self, now: Millis) {
        let timeout = u64::from(self.hall.config.login_timeout);
        for slot in 0..self.out.used() {
            if self.timer_of(slot).is_none_or(|due| due > now) {
                continue;
            }
            let Some(line) = self.line_mut(slot) else { continue };
            if line.pace().wake(now) {
                self.out.wake(slot);
            }
            let Some(line) = self.line(slot) else { continue };
            if timeout != 0 && line.state != State::User && line.since.plus(timeout) <= now {
                debug!("link {}: did not log in", slot);
                self.out.doom(slot);
            }
        }
    }
}
