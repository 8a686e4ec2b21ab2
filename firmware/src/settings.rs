//! The games' settings by name: `rate=0`, `claim-grace=3`, `pot=100`. What can be set, and how it is told, is each game's
//! own table.

use parlor_core::game::Game;
use parlor_core::settings::Settings as _;

/// What can be told by name when a board is started.
pub trait Settings: Default {
    /// Changes one setting; `None`, and nothing is changed, if there is none of this name or it can't have this value.
    fn set(&mut self, name: &str, value: &str) -> Option<()>;
}

/// What one game's server is told. It begins with what suits a board.
pub struct For<G: Game>(pub G::Config);

impl<G: Game> Default for For<G> {
    fn default() -> Self {
        Self(G::BOARD)
    }
}

impl<G: Game> Settings for For<G> {
    /// `rate=0` is for each game that has such a setting, `pimp-rate=0` for the game of that name.
    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        let own = name.strip_prefix(G::NAME).and_then(|rest| rest.strip_prefix('-'));
        self.0.set(own.unwrap_or(name), value).ok()
    }
}

/// Where two games are served.
impl<A: Settings, B: Settings> Settings for (A, B) {
    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        let (first, second) = (self.0.set(name, value), self.1.set(name, value));
        first.or(second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::pimp::limits::BoardTable;
    use parlor_core::pimp::server::Config;
    use parlor_core::yard::limits::BoardYard;
    use parlor_core::yard::server::Config as Yard;

    #[test]
    fn settings_are_set_by_name() {
        let mut told = For::<BoardTable>::default();
        let words = [("rate", "0"), ("claim-grace", "4"), ("vote-pause", "250ms"), ("pot", "off"), ("double-go", "yes")];
        words.iter().for_each(|(name, value)| told.set(name, value).unwrap());
        let For(config) = told;
        assert_eq!((config.rate, config.claim_grace, config.vote_pause), (0, 4_000, 250));
        assert_eq!((config.rules.pot, config.rules.double_go), (None, true));
        assert_eq!(config.silence, Config::DEFAULT.silence);
    }

    #[test]
    fn each_game_is_told_what_it_knows() {
        let mut both = <(For<BoardTable>, For<BoardYard>)>::default();
        assert_eq!(both.1.0, Yard::BOARD);
        let words = [("rate", "0"), ("yard-rate", "5"), ("pimp-deserted", "7"), ("login-timeout", "3"), ("pot", "9")];
        words.iter().for_each(|(name, value)| both.set(name, value).unwrap());
        let (For(pimp), For(yard)) = &both;
        assert_eq!((pimp.rate, yard.rate, pimp.deserted), (0, 5, 7_000));
        assert_eq!((yard.deserted, yard.login_timeout), (3_600_000, 3_000));
        assert_eq!(pimp.rules.pot, Some(9));
        let before = (pimp.clone(), yard.clone());
        for (name, value) in
            [("rate", "x"), ("yard-pot", "9"), ("pimp-login-timeout", "3"), ("dice", "6"), ("yard-", "1")]
        {
            assert_eq!(both.set(name, value), None, "{name}={value}");
        }
        assert_eq!((both.0.0, both.1.0), before);
    }
}
