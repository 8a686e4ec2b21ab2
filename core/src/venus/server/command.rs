//! What a link may say, where, and what is done about it (venus 1.6).

use core::fmt::Write;

use heapless::String;

use super::line::State;
use super::{Venus, Verdict};
use crate::fmt::trace;
use crate::lines::{Fields, Lines};
use crate::server::Millis;
use crate::venus::wire::{Action, NoAction, Verb};

/// What a line is refused with; the first two as the first server has them.
pub(super) const UNKNOWN: &str = "Unknown Action sent to server!";
pub(super) const NOT_LEGAL: &str = "That is not a legal move.";
pub(super) const TOO_LONG: &str = "That line is too long.";
const NOT_UTF8: &str = "That line is not UTF-8.";
/// A number, a flag or something else that is not what it should be.
pub(super) const MALFORMED: &str = "An argument is malformed.";

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
    /// Handles one line. A password in it is written over, so that it is not among the bytes taken; what is left means
    /// the same, as the adapter's answer decides.
    pub(super) fn handle(&mut self, slot: u16, line: &[u8], framer: &mut Lines<LINE>, now: Millis) {
        self.count(slot, now);
        let mut room = [0; LINE];
        let Ok(mut fields) = Fields::split(line, &mut room) else {
            cover_flawed(framer, line);
            return self.error(slot, NOT_UTF8);
        };
        let verb = fields.next().and_then(Verb::named);
        let is_user = self.line(slot).is_some_and(|line| line.state == State::User);
        cover(framer, line, verb, &fields, is_user);
        let verdict = match verb {
            Some(verb) => self.obey(slot, verb, fields, now),
            None => Err(UNKNOWN),
        };
        if let Err(text) = verdict {
            self.error(slot, text);
        }
    }

    /// Is the action known in this state, is it legal for this user, has it as many arguments as it needs; then its own
    /// checks.
    fn obey(&mut self, slot: u16, verb: Verb, fields: Fields<'_>, now: Millis) -> Verdict {
        trace!("link {}: {}", slot, verb.name());
        let is_user = self.line(slot).is_some_and(|line| line.state == State::User);
        let is_login = matches!(verb, Verb::Login | Verb::LogoutOther);
        if is_user == is_login {
            return Err(UNKNOWN);
        }
        if !is_login {
            self.check_legal(slot, verb)?;
        }
        match Action::parse(verb, fields) {
            Ok(action) => self.act(slot, action, now),
            Err(NoAction::Count) => {
                let mut text = String::<64>::new();
                // There is room for the longest name.
                let _ = write!(text, "Bad number of arguments to {}", verb.name());
                self.error(slot, &text);
                Ok(())
            }
            Err(NoAction::Malformed) => self.refuse_argument(slot, verb),
        }
    }

    /// Known here, and legal for this user?
    fn check_legal(&self, slot: u16, verb: Verb) -> Verdict {
        let is_legal = match verb {
            Verb::NewRoom | Verb::ChangeRoom | Verb::RoomTalk | Verb::PlayerTalk => true,
            Verb::NewGame => self.may_begin(slot),
            Verb::SaveGame => self.may_save(slot),
            Verb::LoadGame => self.may_load(slot),
            Verb::RequestBot => self.may_call(slot),
            _ => return self.check_move(slot, verb),
        };
        if is_legal { Ok(()) } else { Err(NOT_LEGAL) }
    }

    fn act(&mut self, slot: u16, action: Action<'_>, now: Millis) -> Verdict {
        match action {
            Action::Login { user, password } => self.log_in(slot, user, password),
            Action::LogoutOther { user, password } => self.log_out_other(slot, user, password),
            Action::NewRoom { room } => self.new_room(slot, room, now),
            Action::ChangeRoom { room } => self.change_room(slot, room, now),
            Action::RoomTalk { text } => self.talk_to_room(slot, text),
            Action::PlayerTalk { user, text } => self.talk_to_player(slot, user, text),
            Action::NewGame { game } => self.new_game(slot, game, now),
            Action::SaveGame { name } => self.save_game(slot, name),
            Action::LoadGame { name } => self.load_game(slot, name),
            Action::RequestBot {} => self.call_bot(slot),
            _ => self.make_move(slot, action, now),
        }
    }
}

/// Writes over every secret that a line holds or may hold. What is a password stays as long as it was; where the action
/// is none that takes one, only the commas are left of its arguments; where it is none at all, nothing is left.
fn cover<const LINE: usize>(
    framer: &mut Lines<LINE>,
    line: &[u8],
    verb: Option<Verb>,
    fields: &Fields<'_>,
    is_user: bool,
) {
    let is_login = matches!(verb, Some(Verb::Login | Verb::LogoutOther));
    if is_user && verb.is_some() && !is_login {
        return;
    }
    if verb.is_none() {
        // It may be a login with blanks for commas, or a password alone. No action is called like this.
        return framer.scrub(0, [b'x'; LINE].get(..line.len()).unwrap_or_default());
    }
    let mut commas = line.iter().enumerate().filter(|(_, byte)| **byte == b',').map(|(at, _)| at + 1);
    let (Some(first), second) = (commas.next(), commas.next()) else { return };
    let password = fields.clone().nth(1);
    match (second, password) {
        (Some(start), Some(password)) if is_login && !is_user && fields.total() == 3 => {
            // As many bytes as it had once it was unescaped; what is left over means nothing in a line.
            let mut blank = [b'\r'; LINE];
            blank.iter_mut().take(password.len()).for_each(|byte| *byte = b'x');
            framer.scrub(start, blank.get(..line.len().saturating_sub(start)).unwrap_or_default());
        }
        _ => {
            let mut blank = [0; LINE];
            let rest = line.get(first..).unwrap_or_default();
            blank.iter_mut().zip(rest).for_each(|(to, byte)| *to = if *byte == b',' { b',' } else { b'x' });
            framer.scrub(first, blank.get(..rest.len()).unwrap_or_default());
        }
    }
}

/// Writes over all of a line that is not UTF-8: what is left is none either.
fn cover_flawed<const LINE: usize>(framer: &mut Lines<LINE>, line: &[u8]) {
    let mut blank = [b'x'; LINE];
    if let Some(first) = blank.first_mut() {
        *first = 0xff;
    }
    framer.scrub(0, blank.get(..line.len()).unwrap_or_default());
}
