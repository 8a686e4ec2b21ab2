//! Flags that come from the list of games: where each is served, and every setting there is.
//!
//! A setting that several games have is one flag for all of them; with a game's name before it, it is for that game
//! alone: `--rate 10 --yard-rate 5`.

use std::net::{Ipv4Addr, SocketAddr};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use parlor_core::game::{Game, Scope};
use parlor_core::lobby::Terms;
use parlor_core::settings::{Group, Kind, Setting, Settings as _};

use crate::cli::{Listen, addresses};
use crate::games::{Entry, GAMES};

/// New accounts from one address, unless told otherwise.
const ACCOUNTS: u16 = 32;

/// Settings by name, as they were told.
#[derive(Clone, Debug, Default)]
pub struct Chosen(Vec<(String, String)>);

impl Chosen {
    /// What a server of this game begins with.
    pub fn config<G: Game>(&self) -> G::Config {
        let mut config = G::HOST;
        for (name, text) in &self.0 {
            // What a flag takes was read by the same table.
            let _ = config.set(name, text);
        }
        config
    }
}

/// What is asked for of one game.
#[derive(Clone, Debug)]
pub struct Asked {
    pub entry: &'static Entry,
    pub tcp: Vec<SocketAddr>,
    pub ws: Vec<SocketAddr>,
    /// Where its lobby is, if it can have one.
    pub lobby: Vec<SocketAddr>,
    /// New accounts from one address.
    pub accounts: u16,
    pub chosen: Chosen,
}

/// A setting and the games that have it.
struct Row {
    setting: &'static Setting,
    /// Each with its default in words.
    games: Vec<(&'static Entry, String)>,
}

/// Every setting once, in the order of the games' tables.
fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for entry in &GAMES {
        (entry.settings)(&mut |setting, value| match rows.iter_mut().find(|row| row.setting.name == setting.name) {
            Some(row) => row.games.push((entry, value)),
            None => rows.push(Row { setting, games: vec![(entry, value)] }),
        });
    }
    rows
}

/// The rows of the lobby's own table.
fn terms() -> Vec<&'static Setting> {
    let mut rows = Vec::new();
    Terms::each(&mut |row| rows.push(row));
    rows
}

impl Row {
    /// The games that have it, where not all do.
    fn owners(&self) -> String {
        let titles: Vec<_> = self.games.iter().map(|(entry, _)| entry.title).collect();
        if titles.len() == GAMES.len() { String::new() } else { format!(" ({})", titles.join(", ")) }
    }

    fn defaults(&self) -> String {
        match &self.games[..] {
            [(_, first), others @ ..] if others.iter().all(|(_, value)| value == first) => first.clone(),
            games => {
                games.iter().map(|(entry, value)| format!("{} {value}", entry.name)).collect::<Vec<_>>().join(", ")
            }
        }
    }
}

/// As a flag spells it.
fn flag(name: &str) -> String {
    name.replace('_', "-")
}

fn heading(group: Group) -> &'static str {
    match group {
        Group::Rule => "House rules",
        Group::Time => "Times",
        Group::Limit => "Limits",
    }
}

fn value_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Switch => "on|off",
        Kind::Time => "SECONDS",
        Kind::Number(..) => "N",
        Kind::NumberOrOff => "N|off",
        Kind::Url(_) => "URL",
    }
}

/// Takes what the table takes.
fn check(kind: Kind, text: &str) -> Result<String, String> {
    match (kind.read(text), kind) {
        (Some(_), _) => Ok(text.into()),
        (None, Kind::Switch) => Err("neither `on` nor `off`".into()),
        (None, Kind::Time) => Err("not a number of seconds from 0 to 4294967".into()),
        (None, Kind::Number(least, most)) => Err(format!("not a number from {least} to {most}")),
        (None, Kind::NumberOrOff) => Err("neither a number nor `off`".into()),
        (None, Kind::Url(most)) => {
            Err(format!("not an absolute URL of at most {most} bytes without blank, comma and percent sign"))
        }
    }
}

/// One setting as a flag; `default` is told, and stands in the games' tables.
fn setting_arg(name: String, setting: &'static Setting, owners: &str, default: &str) -> Arg {
    let kind = setting.kind;
    let help = format!("{}{owners} [default: {default}]", setting.help.trim());
    Arg::new(name.clone())
        .long(name)
        .value_name(value_name(kind))
        .help_heading(heading(setting.group))
        .value_parser(move |text: &str| check(kind, text))
        .help(help)
}

/// Addresses to listen at.
fn listen_arg(name: String, default: Option<u16>, help: String) -> Arg {
    let default = default.map_or_else(|| "off".into(), |port| format!("127.0.0.1:{port}"));
    Arg::new(name.clone())
        .long(name)
        .value_name("ADDR|off")
        .default_value(default)
        .value_delimiter(',')
        .action(ArgAction::Append)
        .value_parser(|text: &str| text.parse::<Listen>())
        .help_heading("Network")
        .help(help)
}

/// The flags of every game, added to those of the program.
pub fn add(mut command: Command) -> Command {
    for entry in &GAMES {
        let Entry { name, title, .. } = entry;
        let all = if entry.scope == Scope::Hall {
            ", all its games on one port; off here and in WebSocket: not at all"
        } else {
            ""
        };
        let plain = format!("Where {title} is served{all}; may be given more than once. Port 0: any free port");
        let web = format!("Where {title} is served over WebSocket, beside /ws/{name} of the HTTP port");
        command = command.arg(listen_arg((*name).into(), Some(entry.port), plain));
        command = command.arg(listen_arg(format!("{name}-ws"), entry.web_port, web));
        if let Some(lobby) = entry.lobby {
            let help = format!(
                "A lobby: any number of tables of {title} on one port, made as players come. Over WebSocket it is at /ws/{name}/lobby"
            );
            command = command.arg(listen_arg(lobby.tables.name.into(), None, help));
        }
        if entry.scope == Scope::Hall {
            let flag = format!("{name}-accounts");
            let help = format!("New accounts of {title} from one address (IPv6: one /64); one more every minute");
            let arg = Arg::new(flag.clone()).long(flag).value_name("N").default_value(ACCOUNTS.to_string());
            command = command.arg(arg.value_parser(value_parser!(u16).range(1..)).help_heading("Limits").help(help));
        }
    }
    for row in rows() {
        let name = flag(row.setting.name);
        for (entry, value) in &row.games {
            let own = setting_arg(format!("{}-{name}", entry.name), row.setting, "", value);
            command = command.arg(own.hide(true));
        }
        command = command.arg(setting_arg(name, row.setting, &row.owners(), &row.defaults()));
    }
    for row in terms() {
        let default = Terms::DEFAULT.shown(row).to_string();
        command = command.arg(setting_arg(format!("lobby-{}", flag(row.name)), row, "", &default));
    }
    command
}

/// What was asked for of each game, and of lobbies.
pub fn read(matches: &ArgMatches) -> (Vec<Asked>, Terms) {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let listens = |name: &str| {
        let listens: Vec<Listen> = matches.get_many(name).into_iter().flatten().copied().collect();
        addresses(&listens)
    };
    let asked = |entry: &'static Entry| {
        let mut chosen = Vec::new();
        (entry.settings)(&mut |setting, _| {
            let name = flag(setting.name);
            let own = text(&format!("{}-{name}", entry.name));
            chosen.extend(own.or_else(|| text(&name)).map(|text| (name, text)));
        });
        let (tcp, mut ws) = (listens(entry.name), listens(&format!("{}-ws", entry.name)));
        let usual = entry.web_port.map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        // A game that is turned off loses its usual WebSocket port as well, but not one that was asked for by itself.
        if tcp.is_empty() && ws.iter().copied().eq(usual) {
            ws.clear();
        }
        Asked {
            entry,
            tcp,
            ws,
            lobby: entry.lobby.map(|lobby| listens(lobby.tables.name)).unwrap_or_default(),
            accounts: match entry.scope {
                Scope::Hall => matches.get_one(&format!("{}-accounts", entry.name)).copied().unwrap_or(ACCOUNTS),
                Scope::Table => 0,
            },
            chosen: Chosen(chosen),
        }
    };
    let mut lobby = Terms::DEFAULT;
    for row in terms() {
        if let Some(text) = text(&format!("lobby-{}", flag(row.name))) {
            // Read by the same table.
            let _ = lobby.set(row.name, &text);
        }
    }
    (GAMES.iter().map(asked).collect(), lobby)
}

/// The reference of all settings, as host/docs/settings.md has it.
pub fn reference() -> String {
    let mut page = String::from(
        "# Settings of the games\n\n\
         Each is a flag of `parlor serve` (`--claim-grace 3`), a key of parlor.toml (`claim-grace = 3`), a variable\n\
         (`PARLOR_CLAIM_GRACE=3`) and an option of a board (`claim-grace=3`). Times are seconds, or `250ms`. With a game's\n\
         name before it a setting is for that game alone: `--yard-rate 5`. Defaults are a PC's. The program's own tables made\n\
         this page.\n",
    );
    let mut table = |title: &str, rows: Vec<[String; 4]>| {
        page += &format!("\n## {title}\n\n| setting | value | default | |\n|---|---|---|---|\n");
        for [name, value, default, help] in rows {
            page += &format!("| `{name}` | {} | {default} | {help} |\n", value.replace('|', "\\|"));
        }
    };
    for entry in &GAMES {
        let mut rows = Vec::new();
        (entry.settings)(&mut |setting, value| rows.push(reference_row("", setting, &value)));
        // A game may have nothing to decide.
        if !rows.is_empty() {
            table(entry.title, rows);
        }
    }
    let lobby = |row: &'static Setting| reference_row("lobby-", row, &Terms::DEFAULT.shown(row).to_string());
    table("Lobbies", terms().into_iter().map(lobby).collect());
    page
}

fn reference_row(prefix: &str, setting: &Setting, value: &str) -> [String; 4] {
    let Setting { name, kind, help, .. } = setting;
    [format!("{prefix}{}", flag(name)), value_name(*kind).into(), value.into(), help.trim().into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_is_the_tables_own() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/settings.md");
        if std::env::var_os("PARLOR_WRITE_DOCS").is_some() {
            std::fs::write(path, reference()).unwrap();
        }
        let anew = "PARLOR_WRITE_DOCS=1 cargo test -p parlor --lib reference";
        assert!(std::fs::read_to_string(path).unwrap() == reference(), "{path} is stale; renew it: {anew}");
    }

    #[test]
    fn one_name_has_one_kind() {
        for row in rows() {
            for (entry, _) in &row.games {
                (entry.settings)(&mut |setting, _| {
                    assert!(setting.name != row.setting.name || setting.kind == row.setting.kind, "{}", setting.name);
                });
            }
        }
    }
}
