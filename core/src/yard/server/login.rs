//! From a fresh connection to a user, and what becomes of a connection that does not log in.

use super::Account;
use super::command::Place;
use super::line::{Line, PASSWORD_MAX, State, Wanted};
use super::names::fit;
use super::rooms::{Room, RoomId};
use super::{Asker, Denied, LOBBY, Verdict, Yard, answer};
use crate::fmt::debug;
use crate::names::are_alike;
use crate::server::{Answer, Ask, Millis, Request, RequestId};
use crate::yard::wire::{Reply, Said, USER_CHARS};

/// The versions of the protocol that are spoken here.
pub(super) fn is_spoken(version: &str) -> bool {
    matches!(version, "2.0" | "2.1")
}

const IN_USE: Denied = Denied::No("that name is in use");

impl<const ACCOUNTS: usize, const GAMES: usize, const LINKS: usize, const RING: usize, const LINE: usize>
    Yard<ACCOUNTS, GAMES, LINKS, RING, LINE>
{
    pub(super) fn protocol(&mut self, asker: Asker<'_>, version: &str, place: Place) -> Verdict {
        if place != Place::New {
            return Err(Denied::No("the protocol is agreed on"));
        }
        if !is_spoken(version) {
            return Err(Denied::Bad("protocols 2.0 and 2.1 are spoken here"));
        }
        if let Some(line) = self.line_mut(asker.slot) {
            line.state = State::Spoken;
        }
        self.ok(asker);
        Ok(())
    }

    /// An unknown name makes the account. Either way the adapter hashes once, so that a stranger's name and a wrong
    /// password take the same time; only this link waits.
    pub(super) fn login(&mut self, asker: Asker<'_>, name: &str, password: &str, place: Place) -> Verdict {
        match place {
            Place::New => return Err(Denied::No("say the protocol first")),
            Place::Spoken => {}
            _ => return Err(Denied::No("you are logged in")),
        }
        let name = fit(name, USER_CHARS).ok_or(Denied::No("that is no name for a user"))?;
        if password.is_empty() || password.len() > PASSWORD_MAX {
            return Err(Denied::No("a password has 1 to 64 bytes"));
        }
        let known = self.hall.accounts.iter().position(|account| account.name == name);
        let (wanted, account) = match known {
            Some(known) => {
                let account = self.hall.accounts.get(known);
                if account.is_some_and(|account| account.slot().is_some()) {
                    return Err(IN_USE);
                }
                (Wanted::Verdict, known)
            }
            // No name may be taken for another (yard 2.4).
            None if self.hall.accounts.iter().any(|account| are_alike(account.name.as_str(), name.as_str())) => {
                return Err(Denied::No("that name looks like another"));
            }
            None => {
                let place = self.place_for_account().ok_or(Denied::No("too many users"))?;
                self.forget_games_of(place);
                if let Some(account) = self.hall.accounts.get_mut(place) {
                    // The name is this link's from now on: no other can take it meanwhile.
                    *account = Account::named(name);
                    account.connect(Some(asker.slot));
                }
                (Wanted::Hash, place)
            }
        };
        if let Some(line) = self.line_mut(asker.slot) {
            line.ask(wanted, account as u16, asker.tag, password);
        }
        Ok(())
    }

    /// A free place, or that of the account which is longest offline, has never played and is in no game (yard 2.21).
    fn place_for_account(&self) -> Option<usize> {
        let accounts = self.hall.accounts.iter().enumerate();
        if let Some((free, _)) = accounts.clone().find(|(_, account)| account.is_free()) {
            return Some(free);
        }
        // A login that is being checked holds on to its account, too.
        let is_wanted = |id: usize| {
            let asks = |line: &Line| line.state == State::Asking && usize::from(line.account) == id;
            let sits = |room: &Room| room.is_open() && room.seats.iter().any(|seat| usize::from(seat.account) == id);
            self.hall.rooms.iter().any(sits) || self.lines.iter().any(asks)
        };
        let idle = accounts.filter(|(id, account)| account.may_give_way() && !is_wanted(*id));
        idle.min_by_key(|(_, account)| account.seen).map(|(id, _)| id)
    }

    /// Removed games that name this account are told no more.
    fn forget_games_of(&mut self, account: usize) {
        for room in 0..GAMES as RoomId {
            let names = |game: &Room| game.seats.iter().any(|seat| usize::from(seat.account) == account);
            if self.hall.rooms.get(usize::from(room)).is_some_and(|game| !game.is_open() && names(game)) {
                self.forget_game(room);
            }
        }
    }

    /// The next hash to make or to check, or bot to call.
    pub(super) fn next_question(&mut self) -> Option<Request<'_>> {
        let Self { hall, lines, out, .. } = self;
        let waits = |line: &Line| line.wanted != Wanted::Nothing && !line.handed;
        let (slot, line) = lines.iter_mut().enumerate().find(|(_, line)| waits(line))?;
        line.handed = true;
        let link = out.link(slot as u16)?;
        let id = RequestId::of(link);
        let secret = line.secret();
        let ask = match line.wanted {
            Wanted::Verdict => {
                let hash = hall.accounts.get(usize::from(line.account)).map_or(&[][..], Account::hash);
                Ask::Verify { secret, hash }
            }
            Wanted::Bot => {
                let room = line.room().and_then(|room| hall.room(room));
                Ask::Bot { game: room.map_or("", |room| room.name.as_str()) }
            }
            Wanted::Hash | Wanted::Nothing => Ask::Hash(secret),
        };
        Some(Request { id, link, ask })
    }

    pub(super) fn answered(&mut self, slot: u16, said: Answer<'_>, now: Millis) {
        let Some(line) = self.line_mut(slot).filter(|line| line.wanted != Wanted::Nothing) else { return };
        let (wanted, account) = (line.wanted, line.account);
        line.forget();
        if wanted == Wanted::Bot {
            return self.bot_came(slot, said);
        }
        line.state = State::Spoken;
        let verdict = match (wanted, said) {
            (Wanted::Hash, Answer::Hash(hash)) => {
                let kept = self.account_mut(account).is_some_and(|account| account.set_hash(hash));
                if kept { Ok(()) } else { Err(Denied::No("try again later")) }
            }
            (Wanted::Verdict, Answer::Verified(true)) => {
                let taken = self.account_mut(account).is_some_and(|account| account.slot().is_some());
                if taken { Err(IN_USE) } else { Ok(()) }
            }
            (Wanted::Verdict, Answer::Verified(false)) => Err(Denied::No("wrong password")),
            (_, Answer::Limited) => Err(Denied::No("too many accounts were made from your address")),
            _ => Err(Denied::No("try again later")),
        };
        match verdict {
            Ok(()) => self.welcome(slot, account),
            Err(denied) => {
                if wanted == Wanted::Hash {
                    self.free_unmade(slot, account);
                }
                if said == Answer::Verified(false) {
                    self.punish(slot, now);
                }
                self.answer_late(slot, denied);
            }
        }
        self.out.wake(slot);
    }

    fn bot_came(&mut self, slot: u16, said: Answer<'_>) {
        let Self { lines, out, .. } = self;
        let Some(line) = lines.get(usize::from(slot)) else { return };
        let reply = if said == Answer::Done { Reply::Ok } else { Reply::No("nobody is free to play") };
        answer(out, slot, &Said::Reply(line.tag(), reply));
        out.wake(slot);
    }

    fn answer_late(&mut self, slot: u16, denied: Denied) {
        let Self { lines, out, .. } = self;
        let Some(line) = lines.get(usize::from(slot)) else { return };
        let (Denied::No(reason) | Denied::Bad(reason)) = denied;
        answer(out, slot, &Said::Reply(line.tag(), Reply::No(reason)));
        let limit = self.hall.config.wrong_passwords;
        if limit != 0 && line.wrong >= limit {
            out.doom(slot);
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

    fn welcome(&mut self, slot: u16, account: u16) {
        if let Some(account) = self.account_mut(account) {
            account.connect(Some(slot));
        }
        let Self { lines, out, .. } = self;
        let Some(line) = lines.get_mut(usize::from(slot)) else { return };
        line.state = State::User;
        debug!("link {}: logged in", slot);
        answer(out, slot, &Said::Reply(line.tag(), Reply::Ok));
        out.enter(slot, (LOBBY * 4) as u8);
    }

    /// An account whose first login came to nothing is removed.
    fn free_unmade(&mut self, slot: u16, account: u16) {
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
        let (state, account) = (line.state, line.account);
        match state {
            State::Asking => {
                self.out.note_change();
                self.free_unmade(slot, account);
            }
            State::User => {
                self.out.note_change();
                self.walk_out(slot, now);
                if let Some(account) = self.account_mut(account) {
                    account.connect(None);
                    account.seen = now;
                }
            }
            State::New | State::Spoken => {}
        }
        if let Some(line) = self.line_mut(slot) {
            line.clear();
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
