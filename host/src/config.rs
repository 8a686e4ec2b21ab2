//! Settings from the file, and what becomes of settings: house rules and seeds.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::OsStr;
use parlor_core::pimp::lobby::Terms;
use parlor_core::pimp::rules::Options;
use parlor_core::pimp::server::Config;
use parlor_core::throttle::Allowance;
use parlor_core::yard::server as yard;

use crate::cli::{Exit, Serve};

/// The file that is read without being asked for.
const DEFAULT_FILE: &str = "parlor.toml";

/// A settings file: the values of flags by their names.
#[derive(Default)]
pub struct File {
    path: PathBuf,
    values: Vec<(String, Vec<String>)>,
}

impl File {
    /// The file named, or the one in this directory if there is one.
    pub fn find(named: Option<&Path>) -> Result<Option<Self>, Exit> {
        let path = named.unwrap_or(Path::new(DEFAULT_FILE));
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(path, &text).map(Some),
            Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Exit::fault(format!("can't read {}: {error}", path.display()))),
        }
    }

    fn parse(path: &Path, text: &str) -> Result<Self, Exit> {
        let fault = |what: String| Exit::fault(format!("{}: {what}", path.display()));
        let table = toml::Table::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| text.get(..span.start).unwrap_or_default().lines().count().max(1));
            fault(format!("line {line}: {}", error.message()))
        })?;
        let mut values = Vec::new();
        for (key, value) in table {
            let words = match value {
                toml::Value::Array(list) => list.into_iter().map(word).collect(),
                other => word(other).map(|word| vec![word]),
            };
            values.push((key.clone(), words.ok_or_else(|| fault(format!("`{key}` is neither a value nor a list")))?));
        }
        Ok(Self { path: path.into(), values })
    }

    /// Every key is a flag of `serve`.
    pub fn check(&self, command: &clap::Command) -> Result<(), Exit> {
        let Some(serve) = command.find_subcommand("serve") else { return Ok(()) };
        let known = |key: &str| key != "config" && serve.get_arguments().any(|arg| arg.get_long() == Some(key));
        match self.values.iter().find(|(key, _)| !known(key)) {
            Some((key, _)) => Err(Exit::fault(format!("{}: there is no setting `{key}`", self.path.display()))),
            None => Ok(()),
        }
    }

    /// A flag's value where neither the command line nor the environment has one.
    pub fn complete(&self, arg: clap::Arg, name: &str) -> clap::Arg {
        let variable = format!("PARLOR_{}", name.replace('-', "_").to_uppercase());
        let arg = arg.env(OsStr::from(variable)).hide_env(true);
        match self.values.iter().find(|(key, _)| key == name) {
            Some((_, words)) => arg.default_values(words.iter().map(|word| OsStr::from(word.clone()))),
            None => arg,
        }
    }

    /// A fault that the command line alone does not have comes from here.
    pub fn blame(&self, exit: Exit) -> Exit {
        exit.with(&format!(", or see {}", self.path.display()))
    }
}

fn word(value: toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Float(number) => Some(number.to_string()),
        toml::Value::Boolean(yes) => Some(yes.to_string()),
        _ => None,
    }
}

/// What the tables of each game are made with.
#[derive(Clone, Debug)]
pub struct Rules {
    pub pimp: Config,
    pub yard: yard::Config,
}

pub fn rules(serve: &Serve) -> Rules {
    let (rules, times, limits) = (&serve.rules, &serve.times, &serve.limits);
    let pimp = Config {
        rules: Options {
            pot: rules.pot.0,
            double_go: rules.double_go.0,
            lap_before_buy: rules.lap_before_buy.0,
            estate_to_creditor: rules.estate_to_creditor.0,
            bail_ends_turn: rules.bail_ends_turn.0,
            debt_blocks_roll: rules.debt_blocks_roll.0,
            termites: rules.termites,
        },
        vote_timeout: times.vote_timeout.0,
        vote_pause: times.vote_pause.0,
        ping_interval: times.ping_interval.0,
        ping_timeout: times.ping_timeout.0,
        auction_timeout: times.auction_timeout.0,
        claim_grace: times.claim_grace.0,
        presence: times.presence.0,
        silence: times.silence.0,
        join_timeout: times.join_timeout.0,
        deserted: times.deserted.0,
        farewell: times.farewell.0,
        password_pause: times.password_pause.0,
        dump_pause: times.dump_pause.0,
        rate: limits.rate,
        wrong_passwords: limits.wrong_passwords,
        refusals: limits.refusals,
        ascii_names: rules.ascii_names.0,
        max_players: rules.max_players,
    };
    let yard = yard::Config {
        login_timeout: times.join_timeout.0,
        bots: rules.yard_bots.0,
        password_pause: times.password_pause.0,
        rate: limits.rate,
        wrong_passwords: limits.wrong_passwords,
        ..yard::Config::DEFAULT
    };
    Rules { pimp, yard }
}

/// What the lobby was told.
pub fn terms(serve: &Serve) -> Terms {
    let limits = &serve.limits;
    Terms { tables: limits.lobby_tables, turns: limits.lobby_turns, guesses: limits.lobby_guesses, ..Terms::DEFAULT }
}

/// What Scotland Yard puts up with.
pub fn yard_terms(serve: &Serve) -> crate::yard::Terms {
    let accounts = Allowance { most: serve.limits.yard_accounts, forgets: 60_000 };
    crate::yard::Terms { accounts, guesses: terms(serve).allowance() }
}

/// Where the dice begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed([u8; 32]);

impl Seed {
    pub fn from_system() -> Result<Self, Exit> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| Exit::fault(format!("no random bytes from the system: {error}")))?;
        Ok(Self(seed))
    }

    /// The lobby's, which no table of the house has.
    pub fn of_lobby(&self) -> [u8; 32] {
        self.of_table(0)
    }

    /// Table 1 has the seed itself, every other one of its own.
    pub fn of_table(&self, number: u32) -> [u8; 32] {
        let mut seed = self.0;
        let [.., a, b, c, d] = &mut seed;
        let last = u32::from_be_bytes([*a, *b, *c, *d]).wrapping_add(number.wrapping_sub(1));
        [*a, *b, *c, *d] = last.to_be_bytes();
        seed
    }
}

impl FromStr for Seed {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut seed = [0; 32];
        let digits = text.as_bytes();
        if digits.is_empty() || !digits.len().is_multiple_of(2) || digits.len() > 64 {
            return Err("not 2 to 64 hexadecimal digits, two a byte");
        }
        for (byte, pair) in seed.iter_mut().zip(digits.chunks(2)) {
            let pair = std::str::from_utf8(pair).unwrap_or_default();
            *byte = u8::from_str_radix(pair, 16).map_err(|_| "not hexadecimal")?;
        }
        Ok(Self(seed))
    }
}

/// Where the server keeps its files unless told: as systemd says, as the desktop says, or below the home directory.
pub fn data_dir(asked: Option<&Path>) -> Result<PathBuf, Exit> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    asked
        .map(Path::to_path_buf)
        .or_else(|| variable("STATE_DIRECTORY"))
        .or_else(|| variable("XDG_DATA_HOME").map(|dir| dir.join("parlor")))
        .or_else(|| variable("HOME").map(|dir| dir.join(".local/share/parlor")))
        .ok_or_else(|| Exit::fault("no home directory to keep files in: say --data DIR"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_filled_with_zeros_and_differs_by_table() {
        let seed = Seed::from_str("01ff").unwrap();
        let mut first = [0; 32];
        (first[0], first[1]) = (1, 255);
        assert_eq!(seed.of_table(1), first);
        first[31] = 6;
        assert_eq!(seed.of_table(7), first);
        assert!(["", "0", "0g", &"00".repeat(33)].iter().all(|text| Seed::from_str(text).is_err()));
        assert!(Seed::from_str(&"00".repeat(32)).is_ok());
    }

    #[test]
    fn a_file_is_values_and_lists() {
        let file = File::parse(Path::new("x.toml"), "rate = 3\npimp = [\"a\", \"b\"]\npot = false\n").ok().unwrap();
        let value = |name: &str| file.values.iter().find(|(key, _)| key == name).map(|(_, words)| words.join(" "));
        assert_eq!(value("rate").as_deref(), Some("3"));
        assert_eq!(value("pimp").as_deref(), Some("a b"));
        assert_eq!(value("pot").as_deref(), Some("false"));
        assert!(File::parse(Path::new("x.toml"), "rate = ").is_err());
    }
}
