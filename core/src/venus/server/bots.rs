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
    /// For players of a game that has not begun and has a seat left.
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

    /// A bot is there, or will not come. The link that asked is read again.
    pub(super) fn called(&mut self, slot: u16, said: Answer<'_>) -> Verdict {
        if let Some(line) = self.line_mut(slot) {
            line.forget();
        }
        if said == Answer::Done { Ok(()) } else { Err(NO_BOT) }
    }
}

#[cfg(test)]
mod tests {
    use crate::venus::server::Config;
    use crate::venus::server::tests::{CONFIG, House};

    const NO: [&str; 1] = ["ERROR,That is not a legal move."];

    fn house(bots: bool, room: &str) -> House {
        let mut house = House::with(&Config { bots, ..CONFIG }, &[]);
        house.login("ann");
        for line in [&std::format!("NEWROOM,{room}"), &std::format!("CHANGEROOM,{room}"), "NEWGAME,MerchantOfVenus"] {
            house.say("ann", line);
        }
        house.heard("ann");
        house
    }

    #[test]
    fn a_player_of_a_game_that_fills_calls_bots() {
        let mut house = house(true, "den");
        house.say("ann", "REQUESTBOT");
        assert_eq!(house.heard("ann"), NO, "who has no seat");
        house.say("ann", "JOIN");
        house.heard("ann");
        house.say("ann", "REQUESTBOT");
        assert_eq!(house.heard("ann"), [""; 0], "one comes, and is heard of when it is there");
        house.say("ann", "ROOMTALK,hello");
        assert_eq!(house.heard("ann"), ["MESSAGE,(ann to room 'den') hello"], "the asker is heard again");
    }

    #[test]
    fn where_nobody_comes_that_is_told() {
        let mut nowhere = house(true, "attic");
        nowhere.say("ann", "JOIN");
        nowhere.heard("ann");
        nowhere.say("ann", "REQUESTBOT");
        assert_eq!(nowhere.heard("ann"), ["ERROR,There is no bot to be had."]);
        let mut without = house(false, "den");
        without.say("ann", "JOIN");
        without.heard("ann");
        without.say("ann", "REQUESTBOT");
        assert_eq!(without.heard("ann"), NO);
    }
}
