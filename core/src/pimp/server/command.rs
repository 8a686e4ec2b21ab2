//! What a link may send, in which state, and what is done about it (pimp 1 and 2).

use super::Table;
use super::link::State;
use crate::fmt::{debug, trace};
use crate::pimp::rules::{ClaimKind, Phase, Refusal, UserId, Verdict};
use crate::pimp::wire::{Flaw, Frame, Message};
use crate::server::Millis;

const REQUEST_STATE: u8 = 0x11;
const THROW_DICE: u8 = 0x21;
const JAIL_PAY_BAIL: u8 = 0x4B;
const JAIL_ROLL_DICE: u8 = 0x4C;
const TRANSACTION_FINISH: u8 = 0x70;

/// The one version there is.
const VERSION: u8 = 1;

impl<const USERS: usize, const LINKS: usize, const RING: usize> Table<USERS, LINKS, RING> {
    /// Whether the next frame of this link is taken now. If only time is in the way, `wake_at` says until when.
    pub(super) fn may_read(&mut self, slot: u16, frame: Frame<'_>, now: Millis) -> bool {
        let code = frame.code;
        if !self.has_room_to_answer(slot) {
            return false;
        }
        if code == REQUEST_STATE && self.out.is_dumping(slot) && self.may_dump(slot, now) {
            return false;
        }
        let claims = self.time_to_claim(slot, code, now);
        let grace = claims.or_else(|| self.time_to_look(slot, frame, now));
        let rate = self.hall.config.rate;
        let Some(line) = self.line_mut(slot) else { return false };
        line.waits_for_claims = claims.is_some();
        line.pace().may_read(rate, grace, now)
    }

    /// A first throw voids the claims of the turn before: it waits a moment, or the lander's ally could void a rent
    /// within milliseconds (pimp 16.4). Until when.
    fn time_to_claim(&self, slot: u16, code: u8, now: Millis) -> Option<Millis> {
        let game = &self.hall.game;
        let first = match game.phase {
            Phase::Start => code == THROW_DICE,
            Phase::JailStart => code == JAIL_PAY_BAIL || code == JAIL_ROLL_DICE,
            _ => false,
        };
        if !first || self.user_of(slot) != Some(game.current) {
            return None;
        }
        let until = self.hall.watch.landed_at.plus(u64::from(self.hall.config.claim_grace));
        let others_claim = game.claims.iter().any(|claim| match claim.kind {
            ClaimKind::Rent { creditor, .. } => creditor != game.current,
            ClaimKind::Go { player, .. } => player != game.current,
        });
        (others_claim && now < until).then_some(until)
    }

    /// AGREE does not say to what. An offer that was taken back is not ready again before an AGREE that was on its way
    /// has come: that one finds SETUP and is refused (pimp 16.1.10). Until when.
    fn time_to_look(&self, slot: u16, frame: Frame<'_>, now: Millis) -> Option<Millis> {
        if frame.code != TRANSACTION_FINISH {
            return None;
        }
        let until = self.line(slot)?.since.plus(u64::from(self.hall.config.claim_grace));
        let Ok(Message::TransactionFinish { transaction }) = Message::from_client(frame.code, frame.payload) else {
            return None;
        };
        let deal = self.hall.game.deals.get(transaction)?;
        (now < until && deal.finish_lets_agree(self.user_of(slot)?)).then_some(until)
    }

    /// Handles one frame: length, then state and role, then ids, then the rules (pimp 1.6).
    pub(super) fn handle(&mut self, slot: u16, frame: Frame<'_>, now: Millis) {
        if let Some(line) = self.line_mut(slot) {
            line.pace().count(now);
        }
        let code = frame.code;
        self.heard(slot, code, now);
        // Complaints are swallowed at any length: answering them would never end (pimp 1.7).
        if matches!(code, 0xFC..=0xFE) {
            return;
        }
        let verdict = match Message::from_client(code, frame.payload) {
            Ok(message) => {
                log(slot, &message);
                let verdict = self.obey(slot, &message, now);
                if verdict.is_ok() && !is_question(&message) {
                    self.out.note_change();
                }
                verdict
            }
            Err(Flaw::Unparseable(_)) => {
                debug!("link {}: can't read a frame of type {:#04x}", slot, code);
                self.reply(slot, &Message::ErrorUnparseable {});
                return;
            }
            Err(Flaw::Unknown(_) | Flaw::WrongSide(_)) => Err(Refusal::Unexpected),
        };
        match verdict {
            // A dump ends when it has been read; one that has to wait has seen to it (`request_dump`).
            Ok(()) if code == REQUEST_STATE => {}
            Ok(()) | Err(Refusal::Told) => self.hastens = true,
            Err(Refusal::Unexpected) => {
                debug!("link {}: a frame of type {:#04x} is not expected", slot, code);
                self.reply(slot, &Message::ErrorUnexpectedMessage { code });
            }
            Err(Refusal::Invalid) => {
                debug!("link {}: a frame of type {:#04x} is invalid", slot, code);
                self.reply(slot, &Message::ErrorInvalidPayload { code });
            }
        }
    }

    /// Not inlined, so that a frame which is refused before needs little of the stack.
    #[inline(never)]
    fn obey(&mut self, slot: u16, message: &Message<'_>, now: Millis) -> Verdict {
        let Some(line) = self.line(slot) else { return Err(Refusal::Unexpected) };
        match (line.state, *message) {
            (_, Message::Handshake { version }) => self.handshake(slot, version),
            (State::User, Message::Pong { nonce }) => self.pong(line.user, nonce),
            (_, Message::Pong { .. }) => {}
            (State::Spoken, Message::Join { piece, play, name }) => return self.join(slot, piece, play, name, now),
            // What stands for the password by now is whether it was right.
            (State::Spoken, Message::Rejoin { player, password }) => self.rejoin(slot, player, password, now),
            (State::User, _) => return self.obey_user(slot, line.user, message, now),
            _ => return Err(Refusal::Unexpected),
        }
        Ok(())
    }

    /// Legal at any time; only the first changes something (pimp 2.2).
    fn handshake(&mut self, slot: u16, version: u8) {
        if version != VERSION {
            return self.reply(slot, &Message::ErrorUnknownProtocol {});
        }
        let game = self.hall.number;
        if let Some(line) = self.line_mut(slot).filter(|line| line.state == State::Fresh) {
            line.state = State::Spoken;
        }
        self.reply(slot, &Message::HandshakeAcknowledge { game });
    }

    fn obey_user(&mut self, slot: u16, user: UserId, message: &Message<'_>, now: Millis) -> Verdict {
        match *message {
            Message::RequestState {} => self.request_dump(slot, now),
            Message::Afk {} => self.go_afk(user),
            Message::Join { .. } | Message::Rejoin { .. } => return Err(Refusal::Unexpected),
            // A game that is over takes nothing else (pimp 12.7).
            _ if matches!(self.hall.game.phase, Phase::Over { .. }) => return Err(Refusal::Unexpected),
            Message::AcceptJoin { candidate } => self.vote(user, candidate, true),
            Message::RefuseJoin { candidate } => self.vote(user, candidate, false),
            Message::SwitchPlay {} => return self.switch_play(slot, user, now),
            Message::Kick { player } => return self.vote_to_kick(user, player),
            Message::Transfer { player } => return self.transfer(user, player, now),
            _ => return self.play(|game, cx| game.apply(user, message, cx)),
        }
        Ok(())
    }
}

/// Commands that change nothing but their own connection.
fn is_question(message: &Message<'_>) -> bool {
    matches!(message, Message::Handshake { .. } | Message::Pong { .. } | Message::RequestState {})
}

/// Every frame that could be read. A password stays out of it.
fn log(slot: u16, message: &Message<'_>) {
    match message {
        Message::Rejoin { player, .. } => trace!("link {}: REJOIN player={}", slot, player),
        _ => trace!("link {}: {}", slot, message),
    }
}
