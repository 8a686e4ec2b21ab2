//! Settings from the file, seeds, and where files are kept.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::ArgAction;
use clap::builder::OsStr;
use parlor_core::dice;

use crate::cli::Exit;

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
        for (key, words) in &self.values {
            let arg = serve.get_arguments().find(|arg| arg.get_long() == Some(key)).filter(|_| key != "config");
            let Some(arg) = arg else {
                let fault = format!("there is no setting `{key}`: `parlor serve --help` names them, with -- before");
                return Err(self.fault(&fault));
            };
            if words.len() != 1 && !matches!(arg.get_action(), ArgAction::Append) {
                return Err(self.fault(&format!("`{key}` is one value, not a list")));
            }
        }
        Ok(())
    }

    fn fault(&self, what: &str) -> Exit {
        Exit::fault(format!("{}: {what}", self.path.display()))
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
        let path = self.path.display().to_string();
        if exit.text().starts_with(&path) { exit } else { exit.with(&format!(", or see {path}")) }
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

/// Where the dice begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed {
    bytes: [u8; 32],
    /// Drawn by the system: no one knows it.
    is_drawn: bool,
}

impl Seed {
    pub fn from_system() -> Result<Self, Exit> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| Exit::fault(format!("no random bytes from the system: {error}")))?;
        Ok(Self { bytes: seed, is_drawn: true })
    }

    /// The lobby's, which no table of the house has.
    pub fn of_lobby(&self) -> [u8; 32] {
        self.of_table(0)
    }

    /// That of a new table. One that was saved goes on with the seed that it was begun with. From a seed that was drawn each has
    /// its own, from which neither that seed nor another table's can be worked out, and games that can be checked. With a seed
    /// that was given, table 1 has the seed itself, as a board has that is given it, and every other one of its own.
    pub fn of_table(&self, number: u32) -> [u8; 32] {
        if self.is_drawn {
            return dice::table_seed(&self.bytes, number);
        }
        let mut seed = self.bytes;
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
        Ok(Self { bytes: seed, is_drawn: false })
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
    fn what_was_drawn_tells_no_table_of_another() {
        let seed = Seed::from_system().ok().unwrap();
        let tables = [seed.of_lobby(), seed.of_table(1), seed.of_table(2)];
        assert_eq!(tables[1], dice::table_seed(&seed.bytes, 1));
        assert!(!tables.contains(&seed.bytes) && tables[0] != tables[1] && tables[1] != tables[2]);
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
