//! Bots that sit at the board's own games, without a socket: bytes in, bytes out, like anybody.
//!
//! They are asked for by games ([`parlor_core::server::Ask::Bot`]) and by the page of games that are one table. One
//! task steps all of them, one message at a time, and other tasks get a turn after each step: none waits for more than
//! one thought.
//!
//! A bot's password is made of its name with a key that is the board's own: after a power cut bots that were in a game
//! with accounts come back, and no one else in their place.

use core::fmt::Write as _;

use embassy_futures::select::select;
use embassy_futures::yield_now;
use embassy_time::{Duration, Instant, Timer};
use heapless::{String, Vec};
use parlor_core::game::{BEGIN_SECONDS, End, Out, Player, Progress, Seat, Strength};
use parlor_core::server::{Framer as _, Intake, Link};
use parlor_core::sha256::sha256;

use crate::calls::Call;
use crate::fmt::{info, warn};
use crate::games::{Framer, Games, Id, LONGEST_FRAME, Mind, Pulled};
use crate::shared::{Shared, now};

/// What every name begins with.
const PREFIX: &str = "bot-";
/// Numbers that are tried: other users may have some of the names.
const NUMBERS: u8 = 32;
/// What a bot may say before it is heard.
const UNSAID: usize = 512;
/// A bot that hears nothing for this long repeats its last message.
const SILENCE: Duration = Duration::from_secs(5);
/// Before a bot whose link was closed comes again, and how often it does.
const PAUSE: Duration = Duration::from_secs(1);
const TRIES: u8 = 5;
/// How often a link that takes nothing is tried again.
const STALLED: Duration = Duration::from_millis(50);
/// A bot that sits at a game which is not begun leaves after this.
const BEGIN: Duration = Duration::from_secs(BEGIN_SECONDS);
/// How often bots are looked at that nothing happens to.
const LOOK: Duration = Duration::from_secs(1);

/// [`Player`] without its type.
pub(crate) trait AnyPlayer {
    fn connect(&mut self, out: Out<'_>);
    fn hear(&mut self, bytes: &[u8], out: Out<'_>);
    fn nudge(&mut self, out: Out<'_>);
    fn progress(&self) -> Progress;
    fn end(&self) -> Option<End>;
    fn company(&self) -> Company;
}

/// The players at a bot's game before it begins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Company {
    /// That is not known, or the game has begun.
    Unknown,
    Bots,
    People,
}

/// A player, and what it has not yet heard to its end.
pub(crate) struct Thinker<P: Player> {
    player: P,
    framer: P::Framer,
}

impl<P: Player> Thinker<P> {
    pub(crate) fn new(seat: &Seat<'_>) -> Option<Self> {
        Some(Self { player: P::new(seat)?, framer: P::Framer::default() })
    }
}

impl<P: Player> AnyPlayer for Thinker<P> {
    fn connect(&mut self, out: Out<'_>) {
        self.framer = P::Framer::default();
        self.player.connect(out);
    }
    fn hear(&mut self, bytes: &[u8], out: Out<'_>) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let window = self.framer.window();
            let count = window.len().min(rest.len());
            let (now, later) = rest.split_at_checked(count).unwrap_or((rest, b""));
            let Some(to) = window.get_mut(..count).filter(|to| !to.is_empty()) else { return };
            to.copy_from_slice(now);
            self.framer.commit(count);
            self.player.receive(&mut self.framer, out);
            rest = later;
        }
    }
    fn nudge(&mut self, out: Out<'_>) {
        self.player.nudge(out);
    }
    fn progress(&self) -> Progress {
        self.player.progress()
    }
    fn end(&self) -> Option<End> {
        self.player.end()
    }
    fn company(&self) -> Company {
        let mut company = Company::Unknown;
        self.player.each_companion(&mut |name| match company {
            Company::Unknown | Company::Bots if name.starts_with(PREFIX) => company = Company::Bots,
            _ => company = Company::People,
        });
        company
    }
}

/// One bot, its link to the game, and what it wants to say there.
struct Bot {
    call: Call,
    number: u8,
    /// None until the bot is in its place: a player is too large to be put together twice at once.
    mind: Option<Mind>,
    link: Option<Link>,
    framer: Framer,
    intake: Intake,
    unsaid: Vec<u8, UNSAID>,
    /// It said more than there was room for.
    is_lost: bool,
    has_sat: bool,
    heard: Instant,
    /// Its game has not begun since then, if it sits at one.
    waits: Instant,
    /// It comes, or comes again, then.
    comes: Instant,
    tries: u8,
    /// It thinks until then, and says what it has to say.
    speaks: Instant,
}

/// What became of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Rests,
    Moved,
    /// Something is to be said that the server does not take now.
    Stalled,
    /// It goes for good.
    Gone,
    /// Its name is another user's.
    Foreign,
}

/// Not inlined, nor what follows: a player is some kilobytes, and a function that puts one together would keep room for
/// it on the stack while others think.
#[inline(never)]
fn mind(call: &Call, number: u8, key: &[u8; 32]) -> Option<Mind> {
    let mut name = String::<8>::new();
    write!(name, "{PREFIX}{number}").ok()?;
    let password = password(key, &name);
    let seat = Seat {
        name: &name,
        password: &password,
        game: &call.game,
        is_guest: true,
        // The player who called it begins the game.
        players: 0,
        strength: Strength::Shrewd,
        seed: u32::from(number),
    };
    Mind::new(call.id, &seat)
}

impl Bot {
    /// The same bot under another name: whether there is one.
    #[inline(never)]
    fn rename(&mut self, number: u8, key: &[u8; 32]) -> bool {
        let Some(mind) = mind(&self.call, number, key) else { return false };
        self.mind = Some(mind);
        (self.number, self.tries, self.comes) = (number, 0, Instant::now());
        true
    }

    /// One thing: it comes, says something, or hears something and thinks about it.
    fn step(&mut self, games: &mut Games, out: &mut [u8; LONGEST_FRAME], pace: Duration) -> Step {
        let id = self.call.id;
        let Some(link) = self.link else { return self.come(games) };
        if games.peek(id).closing(link) || self.is_lost {
            return self.part(games, link);
        }
        let is_thinking = !self.unsaid.is_empty() && Instant::now() < self.speaks;
        if !is_thinking && self.speak(games, link) {
            return Step::Moved;
        }
        let Pulled { length, .. } = games.pull(id, link, out, now());
        if length > 0 {
            self.heard = Instant::now();
            let bytes = out.get(..length).unwrap_or_default();
            // A bot without a seat yet does not pause to think.
            if self.unsaid.is_empty() && self.has_sat {
                self.speaks = Instant::now() + pace;
            }
            self.think(|mind, say| mind.hear(bytes, say));
            return self.after_thought(games, link);
        }
        if self.heard.elapsed() > SILENCE {
            self.heard = Instant::now();
            self.think(|mind, say| mind.nudge(say));
            return self.after_thought(games, link);
        }
        if self.unsaid.is_empty() && self.intake == Intake::Hungry { Step::Rests } else { Step::Stalled }
    }

    fn think(&mut self, act: impl FnOnce(&mut dyn AnyPlayer, Out<'_>)) {
        let Self { mind, unsaid, is_lost, .. } = self;
        if let Some(mind) = mind {
            act(mind.any(), &mut |bytes| *is_lost |= unsaid.extend_from_slice(bytes).is_err());
        }
    }

    fn after_thought(&mut self, games: &mut Games, link: Link) -> Step {
        let Some(mind) = self.mind.as_mut().map(Mind::any) else { return self.leave(games, link) };
        let (progress, end, company) = (mind.progress(), mind.end(), mind.company());
        self.has_sat |= progress == Progress::Seated;
        match end {
            Some(End::Refused) if !self.has_sat && progress == Progress::Outside => {
                self.close(games, link);
                Step::Foreign
            }
            Some(_) => self.leave(games, link),
            None if company == Company::Bots || self.waits_in_vain(games, company) => self.leave(games, link),
            None => Step::Moved,
        }
    }

    /// Whether its game has not begun for too long. A table names no players, but plays where a turn has begun.
    fn waits_in_vain(&mut self, games: &mut Games, company: Company) -> bool {
        let is_table = self.call.id.entry().is_table;
        if company == Company::Unknown && !is_table {
            self.waits = Instant::now();
        }
        let is_over = self.waits.elapsed() >= BEGIN;
        if is_over && is_table && games.server(self.call.id).summary().turn > 0 {
            self.waits = Instant::now();
            return false;
        }
        is_over
    }

    fn come(&mut self, games: &mut Games) -> Step {
        if Instant::now() < self.comes {
            return Step::Rests;
        }
        let Ok(link) = games.server(self.call.id).open(now()) else { return self.wait() };
        games.after_call(self.call.id, now());
        (self.link, self.intake, self.framer) = (Some(link), Intake::Hungry, Framer::new(self.call.id));
        self.unsaid.clear();
        self.think(|mind, say| mind.connect(say));
        Step::Moved
    }

    /// Whether something was said, or what was said before was heard to its end.
    fn speak(&mut self, games: &mut Games, link: Link) -> bool {
        let framer = self.framer.any();
        let window = framer.window();
        let count = window.len().min(self.unsaid.len());
        if count == 0 && self.intake == Intake::Hungry {
            return false;
        }
        window.iter_mut().zip(&self.unsaid).for_each(|(to, from)| *to = *from);
        framer.commit(count);
        // What is left moves to the front.
        let left = self.unsaid.len() - count;
        self.unsaid.copy_within(count.., 0);
        self.unsaid.truncate(left);
        let id = self.call.id;
        let Some(intake) = games.receive(id, link, framer, now()) else { return false };
        let is_taken = count > 0 || intake != Intake::Stalled;
        self.intake = intake;
        is_taken
    }

    fn part(&mut self, games: &mut Games, link: Link) -> Step {
        self.close(games, link);
        self.wait()
    }

    fn leave(&mut self, games: &mut Games, link: Link) -> Step {
        self.close(games, link);
        Step::Gone
    }

    fn close(&mut self, games: &mut Games, link: Link) {
        games.server(self.call.id).close(link, now());
        games.after_call(self.call.id, now());
        self.link = None;
        self.is_lost = false;
    }

    /// Until it comes again, if it does.
    fn wait(&mut self) -> Step {
        (self.tries, self.comes) = (self.tries + 1, Instant::now() + PAUSE);
        if self.tries > TRIES { Step::Gone } else { Step::Moved }
    }
}

/// How long bots think.
fn pace(_shared: &Shared) -> Duration {
    #[cfg(feature = "settings")]
    return Duration::from_millis(_shared.own.borrow().pace().into());
    #[cfg(not(feature = "settings"))]
    Duration::MIN
}

fn password(key: &[u8; 32], name: &str) -> String<16> {
    let digest = sha256(&[key, name.as_bytes()]);
    let mut password = String::new();
    for byte in digest.iter().take(8) {
        // There is room for eight.
        let _ = write!(password, "{byte:02x}");
    }
    password
}

/// Room for so many bots. All zero bytes when new.
pub struct Bots<const N: usize> {
    bots: Vec<Bot, N>,
    out: [u8; LONGEST_FRAME],
}

impl<const N: usize> Bots<N> {
    pub const fn new() -> Self {
        Self { bots: Vec::new(), out: [0; LONGEST_FRAME] }
    }

    /// Lets them play, forever. `key` is the same after each start of this board, and no other board's.
    pub async fn play(&mut self, shared: &Shared, key: [u8; 32]) -> ! {
        self.come_back(&mut shared.games.borrow_mut());
        loop {
            let mut pause = LOOK;
            let mut at = 0;
            while let Some(bot) = self.bots.get_mut(at) {
                let step = bot.step(&mut shared.games.borrow_mut(), &mut self.out, pace(shared));
                match step {
                    Step::Rests => {}
                    Step::Stalled => pause = pause.min(STALLED),
                    Step::Moved | Step::Gone | Step::Foreign => pause = Duration::MIN,
                }
                match step {
                    Step::Gone => self.remove(at),
                    Step::Foreign => self.rename(at, &key),
                    _ => at += 1,
                }
                if step != Step::Rests {
                    shared.poke();
                    yield_now().await;
                }
            }
            self.send(shared, &key);
            if pause > Duration::MIN {
                select(shared.bots.wait(), Timer::after(pause)).await;
            }
        }
    }

    /// Bots that were in saved games are called again, where games have accounts: a table gives out passwords of its
    /// own, which are gone.
    fn come_back(&mut self, games: &mut Games) {
        // From now on there is room.
        let _ = games.calls.next(N);
        for id in Id::ALL.iter().filter(|id| !id.entry().is_table) {
            let mut found = Vec::<(String<64>, u8), N>::new();
            games.peek(*id).each_player(&mut |game, name| {
                let number = name.strip_prefix(PREFIX).and_then(|number| number.parse().ok());
                if let (Some(number), Ok(game)) = (number, String::try_from(game)) {
                    let _ = found.push((game, number));
                }
            });
            for (game, number) in &found {
                games.calls.take(id.entry().name, game, Some(*number));
            }
        }
    }

    /// Sends the bots that were asked for.
    fn send(&mut self, shared: &Shared, key: &[u8; 32]) {
        while let Some(call) = { shared.games.borrow_mut().calls.next(N - self.bots.len()) } {
            let number = call.number.or_else(|| self.free_number(call.id, 0));
            if !number.is_some_and(|number| self.add(call, number, key)) {
                warn!("a bot can't come");
            }
        }
        // The room that is left now.
        let _ = shared.games.borrow_mut().calls.next(N - self.bots.len());
    }

    fn add(&mut self, call: Call, number: u8, key: &[u8; 32]) -> bool {
        info!("bot {}: comes to {}", number, call.id.entry().name);
        let is_there = self.seat(call, number) && self.bots.last_mut().is_some_and(|bot| bot.rename(number, key));
        if !is_there {
            self.bots.retain(|bot| bot.mind.is_some());
        }
        is_there
    }

    /// A place for a bot that has no mind yet.
    #[inline(never)]
    fn seat(&mut self, call: Call, number: u8) -> bool {
        let framer = Framer::new(call.id);
        let at = Instant::now();
        let (mind, link, intake, unsaid) = (None, None, Intake::Hungry, Vec::new());
        let (is_lost, has_sat, heard, waits, comes, tries, speaks) = (false, false, at, at, at, 0, at);
        let bot = Bot {
            call,
            number,
            mind,
            link,
            framer,
            intake,
            unsaid,
            is_lost,
            has_sat,
            heard,
            waits,
            comes,
            tries,
            speaks,
        };
        self.bots.push(bot).is_ok()
    }

    /// The first number above `last` that no bot of this game has.
    fn free_number(&self, id: Id, last: u8) -> Option<u8> {
        let is_free = |number: &u8| !self.bots.iter().any(|bot| bot.call.id == id && bot.number == *number);
        (last + 1..=NUMBERS).find(is_free)
    }

    fn rename(&mut self, at: usize, key: &[u8; 32]) {
        let next = self.bots.get(at).and_then(|bot| {
            // A bot that was there before has no other name.
            self.free_number(bot.call.id, bot.number).filter(|_| bot.call.number.is_none())
        });
        let is_renamed = match (next, self.bots.get_mut(at)) {
            (Some(number), Some(bot)) => bot.rename(number, key),
            _ => false,
        };
        if !is_renamed {
            self.remove(at);
        }
    }

    fn remove(&mut self, at: usize) {
        if let Some(bot) = self.bots.get(at) {
            info!("bot {}: leaves", bot.number);
        }
        let mut nth = 0;
        self.bots.retain(|_| {
            nth += 1;
            nth - 1 != at
        });
    }
}

impl<const N: usize> Default for Bots<N> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(all(test, feature = "pimp", feature = "yard", feature = "venus"))]
mod tests {
    use core::pin::pin;
    use std::boxed::Box;

    use embassy_futures::poll_once;
    use embassy_time::MockDriver;

    use super::*;
    use crate::games::Settings;
    use crate::shared::tests::CLOCK;

    #[test]
    fn a_table_of_bots_plays_to_its_end() {
        let _clock = CLOCK.lock();
        let mut shared = Box::new(Shared::new());
        let mut settings = Settings::default();
        for name in ["rate", "vote-pause", "claim-grace"] {
            settings.set(name, "0").unwrap();
        }
        shared.begin(|games, now| games.begin(&mut || [7; 32], &settings, false, now));
        let shared = &*shared;
        let mut bots = Box::new(Bots::<3>::new());
        let mut task = pin!(bots.play(shared, [9; 32]));
        let call = || shared.games.borrow_mut().calls.take("pimp", "", None);
        assert!(!call());
        assert!(poll_once(task.as_mut()).is_pending());
        assert_eq!([call(), call(), call(), call()], [true, true, true, false]);
        let (mut most, mut phase) = (0, "");
        for _ in 0..2_000_000 {
            shared.bots.signal(());
            assert!(poll_once(task.as_mut()).is_pending());
            MockDriver::get().advance(Duration::from_millis(1));
            shared.games.borrow_mut().tick(now());
            let summary = shared.games.borrow().peek(Id::Pimp).summary();
            (most, phase) = (summary.turn.max(most), summary.phase);
            if phase == "over" {
                break;
            }
        }
        assert!(phase == "over" && most > 10, "turn {most}, {phase}");
        // The bots leave, and others may come.
        for _ in 0..10_000 {
            shared.bots.signal(());
            assert!(poll_once(task.as_mut()).is_pending());
            MockDriver::get().advance(Duration::from_millis(1));
        }
        assert!(call());
    }

    /// A client that says these lines to a game, one after another.
    struct Caller {
        id: Id,
        link: Link,
        framer: Framer,
    }

    impl Caller {
        fn come(shared: &Shared, id: Id, lines: &[&str]) -> Self {
            let link = shared.games.borrow_mut().server(id).open(now()).unwrap();
            let mut caller = Self { id, link, framer: Framer::new(id) };
            for line in lines {
                let framer = caller.framer.any();
                framer.window()[..line.len()].copy_from_slice(line.as_bytes());
                framer.commit(line.len());
                let games = &mut *shared.games.borrow_mut();
                games.server(id).receive(link, framer, now()).unwrap();
                games.after_call(id, now());
                while games.server(id).pull(link, &mut [0; LONGEST_FRAME], now()).length > 0 {}
            }
            caller
        }

        fn leave(self, shared: &Shared) {
            let games = &mut *shared.games.borrow_mut();
            games.server(self.id).close(self.link, now());
            games.after_call(self.id, now());
        }
    }

    /// What a client says to call a bot, for each game that has a word for it.
    const CALLS: [(Id, &[&str]); 2] = [
        (Id::Yard, &["protocol 2.0\r\n", "login kim pw\r\n", "newgame g standard\r\n", "requestai\r\n"]),
        (
            Id::Venus,
            &["LOGIN,kim,pw\n", "NEWROOM,g\n", "CHANGEROOM,g\n", "NEWGAME,MerchantOfVenus\n", "JOIN\n", "REQUESTBOT\n"],
        ),
    ];

    fn begun() -> Box<Shared> {
        let mut shared = Box::new(Shared::new());
        let mut settings = Settings::default();
        for name in ["rate", "password-pause"] {
            settings.set(name, "0").unwrap();
        }
        shared.begin(|games, now| games.begin(&mut || [7; 32], &settings, false, now));
        shared
    }

    /// One step of the bot that may be there, and a tenth of a second.
    fn step(bots: &mut Bots<1>, shared: &Shared) {
        let mut out = [0; LONGEST_FRAME];
        let mut step = Step::Rests;
        if let Some(bot) = bots.bots.first_mut() {
            step = bot.step(&mut shared.games.borrow_mut(), &mut out, Duration::MIN);
        }
        match step {
            Step::Gone => bots.remove(0),
            Step::Foreign => bots.rename(0, &[9; 32]),
            _ => {}
        }
        bots.send(shared, &[9; 32]);
        MockDriver::get().advance(Duration::from_millis(100));
        shared.games.borrow_mut().tick(now());
    }

    /// The caller leaves, however far the bot has come: it does not stay, nor try names that it does not need.
    #[test]
    fn a_bot_whose_caller_is_gone_leaves() {
        let _clock = CLOCK.lock();
        let (shared, mut bots) = (begun(), Box::new(Bots::new()));
        for (id, lines) in CALLS {
            for steps in 0..40 {
                step(&mut bots, &shared);
                let caller = Caller::come(&shared, id, lines);
                step(&mut bots, &shared);
                assert_eq!(bots.bots.len(), 1, "{} after {steps}: nobody came", id.entry().name);
                (0..steps).for_each(|_| step(&mut bots, &shared));
                caller.leave(&shared);
                let mut renamed = 0;
                for _ in 0..100 {
                    step(&mut bots, &shared);
                    renamed = bots.bots.first().map_or(renamed, |bot| renamed.max(bot.number));
                }
                assert!(bots.bots.is_empty(), "{} after {steps}: it stays", id.entry().name);
                assert!(renamed <= 1, "{} after {steps}: it was number {renamed}", id.entry().name);
            }
        }
    }

    #[test]
    fn a_bot_leaves_a_game_that_nobody_begins() {
        let _clock = CLOCK.lock();
        let (shared, mut bots) = (begun(), Box::new(Bots::new()));
        for (id, lines) in CALLS {
            step(&mut bots, &shared);
            let caller = Caller::come(&shared, id, lines);
            let mut steps = 0;
            while steps < 2 || !bots.bots.is_empty() {
                step(&mut bots, &shared);
                steps += 1;
                assert!(steps < 4_000, "{}: it stays", id.entry().name);
            }
            // It sits down at once, and looks every few seconds.
            assert!((2_990..3_100).contains(&steps), "{}: it left after {} s", id.entry().name, steps / 10);
            caller.leave(&shared);
        }
        // A table without other players.
        step(&mut bots, &shared);
        assert!(shared.games.borrow_mut().calls.take("pimp", "", None));
        let stays = |bots: &mut Bots<1>, seconds| {
            (0..seconds * 10).for_each(|_| step(bots, &shared));
            !bots.bots.is_empty()
        };
        assert!(stays(&mut bots, 295) && !stays(&mut bots, 15));
    }
}
