//! The games' settings by name: `rate=0`, `claim-grace=3`, `pot=100`. The one place here that knows games.
//!
//! Times are seconds, or `250ms`; switches are `yes` and `no`. Total over all strings.

use parlor_core::pimp::server::Config;
use parlor_core::yard;

/// What a table can be told by name when it is started.
pub trait Settings: Default {
    /// Changes one setting; `None`, and nothing is changed, if there is none of this name or it can't have this value.
    fn set(&mut self, name: &str, value: &str) -> Option<()>;
}

impl Settings for Config {
    /// Not inlined: options are read once, so small is better than quick.
    #[inline(never)]
    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        set(self, name, value)
    }
}

/// What a board's server of Scotland Yard is told: fewer tables than a PC has, so a deserted one is kept for less time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Yard(pub yard::server::Config);

impl Default for Yard {
    fn default() -> Self {
        Self(yard::server::Config::BOARD)
    }
}

impl Settings for Yard {
    #[inline(never)]
    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        let Self(config) = self;
        match name {
            "login-timeout" => config.login_timeout = time(value)?,
            "password-pause" => config.password_pause = time(value)?,
            "deserted" => config.deserted = time(value)?,
            "rate" => config.rate = value.parse().ok()?,
            "wrong-passwords" => config.wrong_passwords = value.parse().ok()?,
            _ => return None,
        }
        Some(())
    }
}

/// Where both games are served: `rate=0` is for each game that has such a setting, `pimp-rate=0` or `yard-rate=0` for one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Both {
    pub pimp: Config,
    pub yard: Yard,
}

impl Settings for Both {
    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match (name.strip_prefix("pimp-"), name.strip_prefix("yard-")) {
            (Some(name), _) => self.pimp.set(name, value),
            (_, Some(name)) => self.yard.set(name, value),
            _ => {
                let (pimp, yard) = (self.pimp.set(name, value), self.yard.set(name, value));
                pimp.or(yard)
            }
        }
    }
}

fn set(config: &mut Config, name: &str, value: &str) -> Option<()> {
    match name {
        "vote-timeout" => config.vote_timeout = time(value)?,
        "vote-pause" => config.vote_pause = time(value)?,
        "ping-interval" => config.ping_interval = time(value)?,
        "ping-timeout" => config.ping_timeout = time(value)?,
        "auction-timeout" => config.auction_timeout = time(value)?,
        "claim-grace" => config.claim_grace = time(value)?,
        "presence" => config.presence = time(value)?,
        "silence" => config.silence = time(value)?,
        "join-timeout" => config.join_timeout = time(value)?,
        "deserted" => config.deserted = time(value)?,
        "farewell" => config.farewell = time(value)?,
        "password-pause" => config.password_pause = time(value)?,
        "dump-pause" => config.dump_pause = time(value)?,
        "rate" => config.rate = value.parse().ok()?,
        "wrong-passwords" => config.wrong_passwords = value.parse().ok()?,
        "refusals" => config.refusals = value.parse().ok()?,
        "ascii-names" => config.ascii_names = switch(value)?,
        "max-players" => config.max_players = value.parse().ok()?,
        _ => return set_rule(config, name, value),
    }
    Some(())
}

/// The house rules among them.
fn set_rule(config: &mut Config, name: &str, value: &str) -> Option<()> {
    let rules = &mut config.rules;
    match name {
        "pot" => rules.pot = Some(value.parse().ok()?).filter(|pot| *pot > 0),
        "double-go" => rules.double_go = switch(value)?,
        "lap-before-buy" => rules.lap_before_buy = switch(value)?,
        "estate-to-creditor" => rules.estate_to_creditor = switch(value)?,
        "bail-ends-turn" => rules.bail_ends_turn = switch(value)?,
        "debt-blocks-roll" => rules.debt_blocks_roll = switch(value)?,
        "termites" => rules.termites = value.parse().ok()?,
        _ => return None,
    }
    Some(())
}

/// Milliseconds.
fn time(value: &str) -> Option<u32> {
    match value.strip_suffix("ms") {
        Some(milliseconds) => milliseconds.parse().ok(),
        None => value.parse::<u32>().ok()?.checked_mul(1_000),
    }
}

/// `yes` or `no`.
pub(crate) fn switch(value: &str) -> Option<bool> {
    match value {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_set_by_name() {
        let mut config = Config::DEFAULT;
        let words = [("rate", "0"), ("claim-grace", "4"), ("vote-pause", "250ms"), ("pot", "0"), ("double-go", "yes")];
        words.iter().for_each(|(name, value)| set(&mut config, name, value).unwrap());
        assert_eq!((config.rate, config.claim_grace, config.vote_pause), (0, 4_000, 250));
        assert_eq!((config.rules.pot, config.rules.double_go), (None, true));
        assert_eq!(config.silence, Config::DEFAULT.silence);
    }

    #[test]
    fn each_game_is_told_what_it_knows() {
        let mut both = Both::default();
        assert_eq!(both.yard.0, yard::server::Config::BOARD);
        let words = [("rate", "0"), ("yard-rate", "5"), ("pimp-deserted", "7"), ("login-timeout", "3"), ("pot", "9")];
        words.iter().for_each(|(name, value)| both.set(name, value).unwrap());
        assert_eq!((both.pimp.rate, both.yard.0.rate, both.pimp.deserted), (0, 5, 7_000));
        assert_eq!((both.yard.0.deserted, both.yard.0.login_timeout), (3_600_000, 3_000));
        assert_eq!(both.pimp.rules.pot, Some(9));
        let before = both.clone();
        for (name, value) in
            [("rate", "x"), ("yard-pot", "9"), ("pimp-login-timeout", "3"), ("dice", "6"), ("yard-", "1")]
        {
            assert_eq!(both.set(name, value), None, "{name}={value}");
        }
        assert_eq!(both, before);
    }

    #[test]
    fn nonsense_changes_nothing() {
        let mut config = Config::DEFAULT;
        let words = [("rate", "-1"), ("rate", "65536"), ("silence", "4294968"), ("silence", "ms"), ("dice", "6")];
        for (name, value) in words {
            assert_eq!(set(&mut config, name, value), None, "{name}={value}");
        }
        assert_eq!(set(&mut config, "double-go", "1"), None);
        assert_eq!(config, Config::DEFAULT);
    }
}
