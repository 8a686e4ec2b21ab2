//! The games that boards serve: the one list, and all of them as one value.
//!
//! A game is a line below. Which of them a board has in its image is the board's choice of features; everything else (their
//! memory, ports, settings, saved games and WebSockets) follows from the list and from what each says of itself
//! ([`Game`]). Nothing else here knows a game.

#[macro_use]
mod list;
mod served;

#[cfg(feature = "bots")]
use parlor_core::game::Seat;
use parlor_core::game::{Encoding, Game, Scope};
use parlor_core::server::{Intake, Link, Millis, Server};
#[cfg(feature = "settings")]
use parlor_core::settings::{Refused, Shown};
use parlor_core::settings::{Setting, Value};

#[cfg(feature = "bots")]
use crate::bots::{AnyPlayer, Thinker};
use crate::calls::Calls;
use served::AnyFramer;
pub(crate) use served::{Pulled, Served};

games! {
    #[cfg(feature = "pimp")]
    pimp Pimp: parlor_core::pimp::limits::BoardTable;
    #[cfg(feature = "yard")]
    yard Yard: parlor_core::yard::limits::BoardYard;
    #[cfg(feature = "venus")]
    venus Venus: parlor_core::venus::limits::BoardVenus;
    // The smallest server there is: for tests of the board itself.
    #[cfg(feature = "echo")]
    echo Echo: parlor_core::echo::Echo<10, 4096>;
}

/// What a game says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub name: &'static str,
    pub port: u16,
    /// How it speaks over WebSocket.
    pub encoding: Encoding,
    /// It is one table, which a lobby lists; others list their games themselves.
    pub is_table: bool,
    /// The longest save.
    #[cfg(feature = "autosave")]
    pub save_max: usize,
}

impl Entry {
    const fn of<G: Game>() -> Self {
        Self {
            name: G::NAME,
            port: G::PORT,
            encoding: G::ENCODING,
            is_table: matches!(G::SCOPE, Scope::Table),
            #[cfg(feature = "autosave")]
            save_max: G::SAVE_MAX,
        }
    }
}

/// All games of a board. All zero bytes when new, so that it lies in .bss.
pub struct Games {
    servers: Servers,
    /// The salts of the hashes that servers ask for come from it.
    key: [u8; 32],
    /// Salts drawn.
    salts: u32,
    /// Bots that were asked for.
    pub(crate) calls: Calls,
    /// Output waits for the next connection, as where a journal is written first: for tests.
    holds: bool,
    /// Games that were called, a bit for each: they may name links, and have an earlier deadline than `due`.
    stirred: u8,
    moved: u8,
    /// No deadline is before this. It may be too early until the next tick, which looks at all games: one of each would take memory.
    due: Millis,
}

/// In the place of a deadline: there is none.
const NEVER: Millis = Millis(u64::MAX);

impl Games {
    pub const fn new() -> Self {
        Self {
            servers: Servers::NEW,
            key: [0; 32],
            salts: 0,
            calls: Calls::new(),
            holds: false,
            stirred: 0,
            moved: 0,
            due: Millis(0),
        }
    }

    /// Once, before anything else: all that is random comes from `seed`.
    pub fn begin(&mut self, seed: &mut dyn FnMut() -> [u8; 32], settings: &Settings, holds: bool, now: Millis) {
        (self.key, self.holds, self.due) = (seed(), holds, NEVER);
        self.servers.begin(seed, settings, now);
        Id::ALL.iter().for_each(|id| self.after_call(*id, now));
    }

    /// To be called: whatever may come of it is asked for.
    pub(crate) fn server(&mut self, id: Id) -> &mut dyn Served {
        self.stirred |= id.bit();
        self.moved |= id.bit();
        self.servers.server(id)
    }

    /// To be looked at: nothing comes of it.
    pub(crate) fn peek(&self, id: Id) -> &dyn Served {
        self.servers.peek(id)
    }

    /// What is due after every call of a server: requests are answered, lagging links are told, output is let out.
    pub(crate) fn after_call(&mut self, id: Id, now: Millis) {
        self.stirred |= id.bit();
        self.moved |= id.bit();
        let Self { servers, key, salts, calls, holds, .. } = self;
        servers.server(id).settle(key, salts, calls, *holds, now);
    }

    /// A link's bytes for its server, and what is due after them. `None`: the framer is another game's.
    pub(crate) fn receive(&mut self, id: Id, link: Link, framer: &mut dyn AnyFramer, now: Millis) -> Option<Intake> {
        let Self { servers, key, salts, calls, holds, stirred, moved, .. } = self;
        let server = servers.server(id);
        let intake = server.receive(link, framer, now)?;
        *stirred |= id.bit();
        // Both are asked.
        if server.hastens() | server.settle(key, salts, calls, *holds, now) {
            *moved |= id.bit();
        }
        Some(intake)
    }

    /// Output for a link; other links may be named by it.
    pub(crate) fn pull(&mut self, id: Id, link: Link, out: &mut [u8], now: Millis) -> Pulled {
        let pulled = self.servers.server(id).pull(link, out, now);
        self.stirred |= id.bit();
        if pulled.has_lagged {
            self.moved |= id.bit();
        }
        pulled
    }

    /// A link that has output, takes input again or is closing, and its game; each once.
    pub(crate) fn next_ready(&mut self) -> Option<(Id, Link)> {
        for id in Id::ALL {
            if self.stirred & id.bit() == 0 {
                continue;
            }
            if let Some(link) = self.servers.server(*id).next_ready() {
                return Some((*id, link));
            }
            self.stirred &= !id.bit();
        }
        None
    }

    /// Before a connection is opened: what was held back leaves now.
    pub(crate) fn let_out(&mut self, id: Id) {
        self.server(id).release_all();
    }

    /// Tells the games a setting, as [`Settings::set`] does; whether it waits for the end of a game.
    #[cfg(feature = "settings")]
    pub(crate) fn set(&mut self, name: &str, value: &str) -> bool {
        let mut waits = false;
        for id in Id::ALL {
            let own = name.strip_prefix(id.entry().name).and_then(|rest| rest.strip_prefix('-'));
            waits |= self.server(*id).set(own.unwrap_or(name), value) == Err(Refused::Later);
        }
        waits
    }

    pub(crate) fn tick(&mut self, now: Millis) {
        self.due = NEVER;
        for id in Id::ALL {
            self.server(*id).tick(now);
            self.after_call(*id, now);
        }
    }

    /// Whether the deadline may be another one than it was said to be last.
    pub(crate) fn has_moved(&self) -> bool {
        self.moved != 0
    }

    /// When to tick: not later than a game has it, and exactly then if this is the first question after a tick.
    pub(crate) fn deadline(&mut self) -> Option<Millis> {
        let moved = core::mem::take(&mut self.moved);
        for id in Id::ALL {
            if moved & id.bit() != 0
                && let Some(due) = self.servers.peek(*id).deadline()
            {
                self.due = self.due.min(due);
            }
        }
        (self.due != NEVER).then_some(self.due)
    }
}

impl Default for Games {
    fn default() -> Self {
        Self::new()
    }
}

/// What each game is told: its own settings, beginning with what suits a board.
impl Settings {
    /// `rate=0` is for each game that has such a setting, `pimp-rate=0` for the game of that name. `None`, and nothing has
    /// changed: no game has one of this name that can have this value.
    pub fn set(&mut self, name: &str, value: &str) -> Option<()> {
        let mut taken = None;
        self.each(&mut |game, set| {
            let own = name.strip_prefix(game).and_then(|rest| rest.strip_prefix('-'));
            taken = set(own.unwrap_or(name), value).or(taken);
        });
        taken
    }
}

/// Is told a setting and its value.
type TellOne<'a> = &'a mut dyn FnMut(&'static Setting, Value);
type SetOne<'a> = &'a mut dyn FnMut(&str, &str) -> Option<()>;

fn tell_all<C: parlor_core::settings::Settings>(config: &C, tell: TellOne<'_>) {
    C::each(&mut |setting| {
        if let Some(value) = config.get(setting.name) {
            tell(setting, value);
        }
    });
}

/// Is told a setting and its value in words.
#[cfg(feature = "settings")]
type ShowOne<'a> = &'a mut dyn FnMut(&'static Setting, Shown<'_>);

#[cfg(feature = "settings")]
fn show_all<C: parlor_core::settings::Settings>(config: &C, show: ShowOne<'_>) {
    C::each(&mut |setting| show(setting, config.shown(setting)));
}

const fn max(one: usize, other: usize) -> usize {
    if one > other { one } else { other }
}

#[cfg(all(test, feature = "pimp", feature = "yard"))]
mod tests {
    use parlor_core::pimp::server::Config as Pimp;
    use parlor_core::yard::server::Config as Yard;

    use super::*;

    #[test]
    fn each_game_is_told_what_it_knows() {
        let mut settings = Settings::default();
        assert_eq!(settings.yard, Yard { bots: cfg!(feature = "bots"), ..Yard::DEFAULT });
        let words = [("rate", "0"), ("yard-rate", "5"), ("pimp-deserted", "7"), ("login-timeout", "3"), ("pot", "9")];
        words.iter().for_each(|(name, value)| settings.set(name, value).unwrap());
        let Settings { pimp, yard, .. } = &settings;
        assert_eq!((pimp.rate, yard.rate, pimp.deserted), (0, 5, 7_000));
        assert_eq!((yard.deserted, yard.login_timeout), (600_000, 3_000));
        assert_eq!((pimp.rules.pot, pimp.silence), (Some(9), Pimp::DEFAULT.silence));
        let before = settings.clone();
        for (name, value) in
            [("rate", "x"), ("yard-pot", "9"), ("pimp-login-timeout", "3"), ("dice", "6"), ("yard-", "1")]
        {
            assert_eq!(settings.set(name, value), None, "{name}={value}");
        }
        assert_eq!(settings, before);
    }

    #[test]
    fn only_games_that_were_called_are_asked_and_they_always_are() {
        let mut games = std::boxed::Box::new(Games::new());
        games.begin(&mut || parlor_core::dice::with_keys([7; 32]), &Settings::default(), false, Millis(0));
        let asked = |games: &Games| Id::ALL.iter().filter_map(|id| games.peek(*id).deadline()).min();
        assert_eq!((games.deadline(), games.next_ready()), (asked(&games), None));
        let mut links = std::vec::Vec::new();
        for (id, now) in [(Id::Yard, Millis(5_000)), (Id::Pimp, Millis(1_000)), (Id::Pimp, Millis(2_000))] {
            links.push((id, games.server(id).open(now).unwrap()));
            games.after_call(id, now);
            let due = games.deadline();
            assert!(due.is_some() && due == asked(&games) && due == games.deadline(), "{id:?}");
        }
        // What is refused brings no deadline forward, and leaves the one that is known; a command that is obeyed is looked at.
        games.tick(Millis(2_400));
        assert!(games.deadline() == asked(&games) && !games.has_moved());
        let (id, link) = links[1];
        let mut framer = Framer::new(id);
        for (frame, is_obeyed) in [([0x2D, 1, 7], false), ([0, 1, 1], true), ([0x21, 0, 0], false)] {
            let framer = framer.any();
            framer.window()[..3].copy_from_slice(&frame);
            framer.commit(2 + usize::from(frame[1]));
            assert_eq!(games.receive(id, link, framer, Millis(2_500)), Some(Intake::Hungry));
            let known = games.due;
            assert_eq!(games.has_moved(), is_obeyed, "{frame:?}");
            assert!(games.pull(id, link, &mut [0; LONGEST_FRAME], Millis(2_500)).length > 0);
            assert!(games.has_moved() == is_obeyed && games.deadline() == asked(&games) && games.due == known);
        }
        // A link that waits too long is closed, and named for it.
        while games.next_ready().is_some() {}
        games.tick(Millis(4_000_000));
        let mut named: std::vec::Vec<_> = core::iter::from_fn(|| games.next_ready()).collect();
        named.sort_by_key(|(id, link)| (*id == Id::Pimp, link.slot));
        assert_eq!(named, links);
        for (id, link) in links {
            games.server(id).close(link, Millis(4_000_000));
            games.tick(Millis(4_000_000));
            assert_eq!(games.deadline(), asked(&games));
        }
    }

    #[test]
    fn ports_and_names_are_each_game_s_own() {
        let entries: std::vec::Vec<_> = Id::ALL.iter().map(|id| id.entry()).collect();
        for (at, entry) in entries.iter().enumerate() {
            assert!(entries[..at].iter().all(|other| other.port != entry.port && other.name != entry.name));
            assert_ne!(entry.port, crate::links::WEB_PORT);
        }
    }
}
