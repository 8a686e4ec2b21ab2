//! An action of the game brought to the rules, and what comes of it to the links (venus 4 to 6).

use super::command::{MALFORMED, NOT_LEGAL, UNKNOWN};
use super::line::{Line, Tale};
use super::rooms::{Names, Room, RoomId, Status};
use super::shots::Shots;
use super::{Out, Venus, Verdict, answer, say, team};
use crate::accounts::AccountId;
use crate::outbox;
use crate::server::Millis;
use crate::venus::board::Board;
use crate::venus::pieces::{Phase, SEATS, Seat};
use crate::venus::rules::{self, Action as Move, Actor, Audience, Game, Herald, Reason, Refusal, Target};
use crate::venus::wire::{Action, Event, Verb};

use super::dump::translate;

/// How often a link is told a game anew because its snapshot was needed elsewhere.
const RETELLINGS: u8 = 2;

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
    /// The seat of a link's user, if any, in the game of its room.
    pub(super) fn actor(&self, slot: u16) -> Option<(RoomId, Actor)> {
        let id = self.line(slot)?.room()?;
        let room = self.hall.room(id).filter(|room| room.has_game)?;
        Some((id, room.seat_of(self.user(slot))))
    }

    /// Known in the state that the game is in, and legal for this user?
    pub(super) fn check_move(&self, slot: u16, verb: Verb) -> Verdict {
        let (id, actor) = self.actor(slot).ok_or(UNKNOWN)?;
        let game = self.hall.room(id).map(|room| &room.game).ok_or(UNKNOWN)?;
        let verb = rules_verb(verb).filter(|verb| is_known_in(game.phase(), *verb)).ok_or(UNKNOWN)?;
        if game.legal(actor).contains(verb) { Ok(()) } else { Err(NOT_LEGAL) }
    }

    /// It is legal; whether its arguments are is for the rules to say.
    pub(super) fn make_move(&mut self, slot: u16, action: Action<'_>, now: Millis) -> Verdict {
        let (id, actor) = self.actor(slot).ok_or(UNKNOWN)?;
        let board = self.hall.room(id).map(|room| room.game.board()).ok_or(UNKNOWN)?;
        if action == (Action::Join {}) {
            self.check_games_of(slot)?;
        }
        let refusal = match rules_action(action, board) {
            Ok(action) => self.apply(id, actor, Some(slot), action, now).err(),
            Err(refusal) => Some(refusal),
        };
        let has_started = self.hall.room(id).is_some_and(|room| room.game.has_started());
        let account = self.line(slot).map(|line| line.account).unwrap_or_default();
        if let Some(account) = self.account_mut(account).filter(|_| refusal.is_none() && has_started) {
            account.has_played = true;
        }
        self.refuse(slot, refusal)
    }

    /// An argument of this action could not be read: it names nothing that there is, or it is no number.
    pub(super) fn refuse_argument(&mut self, slot: u16, verb: Verb) -> Verdict {
        let reason = match verb {
            Verb::Buy | Verb::TradeInShip | Verb::PickUp => Some(Reason::NotSoldHere),
            Verb::Sell | Verb::DropOff | Verb::Jettison => Some(Reason::NotYours),
            Verb::SelectSwitchables => Some(Reason::NotYourSwitch),
            _ => None,
        };
        self.refuse(slot, Some(reason.map_or(Refusal::Malformed, Refusal::Rule)))
    }

    /// MOVERROR if a rule says no, then ERROR (venus 8.3).
    fn refuse(&mut self, slot: u16, refusal: Option<Refusal>) -> Verdict {
        match refusal {
            None => Ok(()),
            Some(Refusal::NotLegal) => Err(NOT_LEGAL),
            Some(Refusal::Malformed) => Err(MALFORMED),
            Some(Refusal::Rule(reason)) => {
                let (why, error) = (Event::MoveError { text: reason.text() }, Event::Error { text: NOT_LEGAL });
                answer(&mut self.out, slot, &[&why, &error]);
                Ok(())
            }
        }
    }

    /// The links of a room's players, as far as they are in it.
    pub(super) fn slots(&self, id: RoomId) -> [Option<u16>; SEATS] {
        let mut slots = [None; SEATS];
        let Some(room) = self.hall.room(id) else { return slots };
        let is_here = |slot: &u16| self.line(*slot).is_some_and(|line| line.is_user() && line.room() == Some(id));
        for ((slot, name), _) in slots.iter_mut().zip(&room.names).zip(room.game.seats()) {
            *slot = self.hall.slot_of(name.as_str()).filter(is_here);
        }
        slots
    }

    /// Is a player in the room?
    pub(super) fn is_present(&self, id: RoomId, seat: Seat) -> bool {
        self.slots(id).get(seat.index()).copied().flatten().is_some()
    }

    /// An action, its events, NEWSTATE and LEGALACTION. `slot` is the actor's link, if the actor is there.
    pub(super) fn apply(
        &mut self,
        id: RoomId,
        actor: Actor,
        slot: Option<u16>,
        action: Move,
        now: Millis,
    ) -> Result<(), Refusal> {
        self.change_seats(id, actor, slot, action);
        let played = self.with_teller(id, slot, |game, dice, teller| game.apply(actor, action, dice, teller));
        played.unwrap_or(Err(Refusal::NotLegal))?;
        self.after(id, now);
        Ok(())
    }

    /// Names move before the rules tell of it. The action is known to be legal.
    fn change_seats(&mut self, id: RoomId, actor: Actor, slot: Option<u16>, action: Move) {
        let account = slot.and_then(|slot| self.line(slot)).map(|line| line.account);
        let Some(name) = account.and_then(|account| self.hall.accounts.get(usize::from(account))) else { return };
        let name = name.name.clone();
        let Some(room) = self.hall.room_mut(id) else { return };
        match (action, actor) {
            (Move::Join, _) => room.sit(name.as_str()),
            (Move::Unjoin, Some(seat)) => room.rise(seat),
            _ => {}
        }
    }

    /// Lends a room's game to the rules, with a teller that tells its links what happens.
    fn with_teller<T>(
        &mut self,
        id: RoomId,
        actor: Option<u16>,
        play: impl FnOnce(&mut Game, &mut crate::dice::Dice, &mut Teller<'_, ROOMS, LINKS, SHOTS, RING>) -> T,
    ) -> Option<T> {
        let (seats, version) = (self.slots(id), self.hall.next_version());
        let Self { hall, lines, shots, out, .. } = self;
        let room = hall.rooms.get_mut(usize::from(id))?;
        let board = room.game.board();
        let names = &room.names;
        let mut teller = Teller { out, shots, lines, room: id, version, board, names, actor, seats };
        let Room { game, draws, .. } = room;
        Some(hall.dice.lend(draws, |dice| play(game, dice, &mut teller)))
    }

    /// The state, and what everybody may do in it.
    fn after(&mut self, id: RoomId, now: Millis) {
        self.hall.change_game(id);
        self.tell_state(id);
        self.status_changed(id);
        if let Some(room) = self.hall.room_mut(id) {
            room.absent_since = Millis(0);
        }
        self.note_presence(id, now);
        self.start_clock(id, now);
    }

    /// Everybody is told how a game stands, if that is news.
    pub(super) fn status_changed(&mut self, id: RoomId) {
        let Some(room) = self.hall.room_mut(id).filter(|room| room.told != room.status()) else { return };
        room.told = room.status();
        if room.told == Status::Complete {
            self.hall.close_draws(id);
        }
        self.hall.change();
        self.push_room(id);
    }

    fn tell_state(&mut self, id: RoomId) {
        let Self { hall, lines, out, .. } = self;
        let Some(room) = hall.room(id) else { return };
        let state = room.game.phase();
        say(out, team(Some(id)), &Event::NewState { state, description: description(state) });
        let is_inside = |line: &Line| line.is_user() && line.room() == Some(id);
        for (slot, line) in (0..).zip(lines.iter()).filter(|(_, line)| is_inside(line)) {
            for verb in room.game.legal(room.seat_of(hall.name(line.account))).iter() {
                if let Some(action) = Verb::named(verb.name()) {
                    say(out, outbox::Audience::One(slot), &Event::LegalAction { action });
                }
            }
        }
    }

    /// A player who leaves before a game has begun is unjoined at once (venus 4.4); later the seat is kept.
    pub(super) fn give_up_seat(&mut self, account: AccountId, id: RoomId, now: Millis) {
        let name = self.hall.accounts.get(usize::from(account)).map(|account| account.name.clone());
        let (Some(name), Some(room)) = (name, self.hall.room_mut(id)) else { return };
        let Some(seat) = room.seat_of(name.as_str()).filter(|_| !room.game.has_started()) else { return };
        room.rise(seat);
        self.with_teller(id, None, |game, dice, teller| game.leave(seat, dice, teller));
        self.after(id, now);
    }

    /// Before the start only users in the room keep their seats.
    #[cfg(feature = "postcard")]
    pub(super) fn drop_absent(&mut self, id: RoomId) {
        let slots = self.slots(id);
        let Some(room) = self.hall.rooms.get_mut(usize::from(id)).filter(|room| !room.game.has_started()) else {
            return;
        };
        for seat in room.game.seats().rev() {
            if slots.get(seat.index()).copied().flatten().is_none() {
                room.rise(seat);
                room.game.leave(seat, &mut self.hall.dice, &mut |_: Audience, _: rules::Event<'_>| ());
            }
        }
    }

    /// Tells one link in a room everything about its game.
    pub(super) fn refresh(&mut self, slot: u16) {
        let Some((id, listener)) = self.actor(slot) else { return };
        let Self { hall, shots, .. } = self;
        let Some(room) = hall.room(id) else { return };
        let taken = shots.take_game(room.version, &room.names, &room.game);
        if taken.is_new {
            self.lose(slot, |line| line.tale != Tale::Hall && line.shot == taken.shot);
        }
        if let Some(line) = self.line_mut(slot) {
            line.tell(Tale::Refresh, taken.shot, listener);
        }
        self.out.begin_dump(slot);
    }

    /// A link that lost the snapshot of a game can be told the game as it is now; only so often, or slow readers could
    /// take snapshots from each other for ever.
    pub(super) fn may_retell(&self, slot: u16) -> bool {
        let is_told = |line: &&Line| line.tale != Tale::Hall && line.retold < RETELLINGS;
        self.line(slot).filter(is_told).is_some() && !self.out.is_overrun(slot) && self.actor(slot).is_some()
    }

    pub(super) fn retell(&mut self, slot: u16) {
        let retold = self.line(slot).map(|line| line.retold).unwrap_or_default();
        self.refresh(slot);
        if let Some(line) = self.line_mut(slot) {
            line.retold = retold.saturating_add(1);
        }
    }

    pub(super) fn refresh_all(&mut self, id: RoomId) {
        for slot in 0..LINKS as u16 {
            if self.line(slot).is_some_and(|line| line.is_user() && line.room() == Some(id)) {
                self.refresh(slot);
            }
        }
    }
}

/// Brings the rules' events to the links of one room.
pub(super) struct Teller<'a, const ROOMS: usize, const LINKS: usize, const SHOTS: usize, const RING: usize> {
    out: &'a mut Out<RING, LINKS>,
    shots: &'a mut Shots<ROOMS, LINKS, SHOTS>,
    lines: &'a mut [Line; LINKS],
    room: RoomId,
    /// Of the state at a start.
    version: u32,
    board: &'static Board,
    names: &'a Names,
    actor: Option<u16>,
    seats: [Option<u16>; SEATS],
}

impl<const ROOMS: usize, const LINKS: usize, const SHOTS: usize, const RING: usize>
    Teller<'_, ROOMS, LINKS, SHOTS, RING>
{
    /// The start of a game is long, and everybody is told the same at once: from one snapshot.
    fn start(&mut self, game: &Game) {
        let taken = self.shots.take_game(self.version, self.names, game);
        for (slot, line) in (0..).zip(self.lines.iter_mut()) {
            if line.is_user() && line.room() == Some(self.room) {
                let listener = self.seats.iter().position(|seat| *seat == Some(slot)).map(|seat| Seat(seat as u8));
                // A link that was still being told of the game is told all of it anew.
                let tale = if self.out.is_dumping(slot) { Tale::Opening } else { Tale::Start };
                line.tell(tale, taken.shot, listener);
                self.out.begin_dump(slot);
            } else if line.tale != Tale::Hall && line.shot == taken.shot {
                self.out.lose(slot);
            }
        }
    }
}

impl<const ROOMS: usize, const LINKS: usize, const SHOTS: usize, const RING: usize> Herald
    for Teller<'_, ROOMS, LINKS, SHOTS, RING>
{
    fn tell(&mut self, to: Audience, event: rules::Event<'_>) {
        if let rules::Event::Started(game) = event {
            return self.start(game);
        }
        let to = match to {
            Audience::Room => Some(team(Some(self.room))),
            Audience::Seat(seat) => self.seats.get(seat.index()).copied().flatten().map(outbox::Audience::One),
            Audience::Actor => self.actor.map(outbox::Audience::One),
        };
        if let Some(to) = to {
            translate(&event, self.board, self.names, |event| say(self.out, to, event));
        }
    }
}

/// What NEWSTATE says beside the state's name: for people.
pub(super) const fn description(phase: Phase) -> &'static str {
    match phase {
        Phase::InitialState => "Players join and agree on the options.",
        Phase::ValidateSetup => "Does everybody like the options?",
        Phase::TechSelect => "The player sets switches.",
        Phase::SelectMove => "The player moves.",
        Phase::Mulligan => "The player may throw one die again.",
        Phase::SelectPilotNumber => "The player chooses a number.",
        Phase::TradePhase => "The player trades.",
        Phase::AsteroidPhase => "The player may take the relic.",
        Phase::TerminalState => "The game is over.",
    }
}

/// What the rules call it; a lobby's action is none of theirs.
fn rules_verb(verb: Verb) -> Option<rules::Verb> {
    rules::Verb::ALL.into_iter().find(|known| known.name() == verb.name())
}

/// Does anybody ever do this in this state?
fn is_known_in(phase: Phase, verb: rules::Verb) -> bool {
    use rules::Verb as V;
    match phase {
        Phase::InitialState => matches!(verb, V::Join | V::Unjoin | V::Options | V::ValidateSetup),
        Phase::ValidateSetup => matches!(verb, V::LikeOptions | V::DontLikeOptions),
        Phase::TechSelect => verb == V::SelectSwitchables,
        Phase::SelectMove => matches!(verb, V::SelectDestination | V::EndMove),
        Phase::Mulligan => matches!(verb, V::Mulligan | V::NoMulligan),
        Phase::SelectPilotNumber => verb == V::SelectPilotNumber,
        Phase::TradePhase => matches!(
            verb,
            V::Buy | V::Sell | V::TradeInShip | V::PickUp | V::DropOff | V::Jettison | V::RedeemIou | V::EndTurn
        ),
        Phase::AsteroidPhase => matches!(verb, V::GetRelic | V::LeaveRelic | V::EndTurn),
        Phase::TerminalState => false,
    }
}

/// An action as the rules take it. A space that is not on the board is no step; a number beyond a die is none that was
/// rolled.
fn rules_action(action: Action<'_>, board: &Board) -> Result<Move, Refusal> {
    let number = |number: u32| u8::try_from(number).unwrap_or(u8::MAX);
    Ok(match action {
        Action::Join {} => Move::Join,
        Action::Unjoin {} => Move::Unjoin,
        Action::Options { win_money } => Move::Options(win_money),
        Action::ValidateSetup {} => Move::ValidateSetup,
        Action::LikeOptions {} => Move::LikeOptions,
        Action::DontLikeOptions {} => Move::DontLikeOptions,
        Action::SelectSwitchables { list } => Move::SelectSwitchables(list),
        Action::SelectDestination { space, jump } => {
            let space = board.named(space).ok_or(Refusal::Rule(Reason::NoSuchStep))?;
            Move::SelectDestination(Target { space, is_jump: jump })
        }
        Action::EndMove {} => Move::EndMove,
        Action::Mulligan { die } => Move::Mulligan(number(die)),
        Action::NoMulligan {} => Move::NoMulligan,
        Action::SelectPilotNumber { number: n } => Move::SelectPilotNumber(number(n)),
        Action::Buy { token } => Move::Buy(token),
        Action::Sell { token } => Move::Sell(token),
        Action::TradeInShip { token } => Move::TradeInShip(token),
        Action::PickUp { token } => Move::PickUp(token),
        Action::DropOff { token } => Move::DropOff(token),
        Action::Jettison { token } => Move::Jettison(token),
        Action::RedeemIou {} => Move::RedeemIou,
        Action::EndTurn {} => Move::EndTurn,
        Action::GetRelic {} => Move::GetRelic,
        Action::LeaveRelic {} => Move::LeaveRelic,
        Action::Login { .. }
        | Action::LogoutOther { .. }
        | Action::NewRoom { .. }
        | Action::ChangeRoom { .. }
        | Action::RoomTalk { .. }
        | Action::PlayerTalk { .. }
        | Action::NewGame { .. }
        | Action::LoadGame { .. }
        | Action::SaveGame { .. }
        | Action::RequestBot {} => return Err(Refusal::NotLegal),
    })
}
