//! Bots on request (venus 3.15): the adapter sends one, which comes in and sits down like anybody else.

use super::line::Wanted;
use super::{Venus, Verdict};
use crate::server::Answer;
use crate::venus::pieces::{Phase, SEATS};

const NO_BOT: &str = "There is no bot to be had.";

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
    /// For who sits at a game that fills and has a seat left.
    pub(super) fn may_call(&self, slot: u16) -> bool {
        let Some((room, Some(_))) = self.actor(slot) else { return false };
        let is_open = |game: &super::Game| game.phase() == Phase::InitialState && game.seats().count() < SEATS;
        self.hall.config.bots && self.hall.room(room).is_some_and(|room| room.has_game && is_open(&room.game))
    }

    pub(super) fn call_bot(&mut self, slot: u16) -> Verdict {
        self.out.note_change();
        if let Some(line) = self.line_mut(slot) {
            line.want(Wanted::Bot, "");
        }
        Ok(())
    }

    /// A bot is there, or will not come. Whoever asked is heard again.
    pub(super) fn called(&mut self, slot: u16, said: Answer<'_>) -> Verdict {
        if let Some(line) = self.line_mut(slot) {
            line.forget();
        }
        if said == Answer::Done { Ok(()) } else { Err(NO_BOT) }
    }
}
