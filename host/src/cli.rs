//! What can be asked of the program. Every flag of `serve` is also a key of parlor.toml and a variable PARLOR_NAME; a
//! flag wins over the environment, the environment over the file.

use std::ffi::OsString;
use std::fmt::Display;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use parlor_core::id_space::SPACES;
use parlor_core::pimp::lobby::Terms;

use crate::client::Target;
use crate::config;
use crate::games::{PIMP, Words, YARD};

/// A tabletop game server: Monopoly over PIMP, Scotland Yard over its lines.
///
/// Without a command it serves: `parlor` is `parlor serve`.
#[derive(Parser)]
#[command(name = "parlor", version)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Serve tables (the default command).
    ///
    /// Every flag can also stand in the file (`rate = 10`) and in the environment (PARLOR_RATE=10). A flag wins over the
    /// environment, the environment over the file. Where a flag may be given more than once, the environment separates
    /// by commas and the file has a list. Durations are seconds and may have a fraction.
    ///
    /// When every port is open, one line on standard output names them:
    /// `ready pimp=127.0.0.1:13220 pimp-ws=127.0.0.1:23220 yard=127.0.0.1:7921 yard-ws=off http=127.0.0.1:8080`.
    Serve(Box<Serve>),
    /// Seat bots at a table; ends when the game is over.
    Bot(Bot),
    /// Show the tables of a running server.
    Status(Status),
    /// Play a journal again: tells what was said, and checks that the same is said.
    Replay(Replay),
}

#[derive(Args, Clone, Debug)]
pub struct Bot {
    /// The game to play
    #[arg(long, value_name = "GAME", default_value = "pimp")]
    pub game: GameName,
    /// The table: 127.0.0.1:13220, tls://HOST:PORT, ws://HOST:PORT/PATH or wss://HOST:PORT/PATH
    #[arg(long, value_name = "ADDR")]
    pub connect: Target,
    /// With --game yard: the name of the game, which is made if there is none
    #[arg(long, value_name = "NAME", default_value = "bots")]
    pub table: String,
    /// How many bots
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
    pub players: u8,
    /// Small differences in taste
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u32,
    #[arg(long, value_name = "STRENGTH", default_value = "shrewd")]
    pub strength: Strength,
    /// The server's certificate, as `parlor serve` prints it
    #[arg(long, value_name = "SHA256")]
    pub fingerprint: Option<String>,
    /// Take any certificate
    #[arg(long)]
    pub insecure: bool,
}

/// The games that bots play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GameName {
    Pimp,
    Yard,
}

impl GameName {
    pub fn words(self) -> Words {
        match self {
            Self::Pimp => PIMP.words,
            Self::Yard => YARD.words,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strength {
    /// Buys what it can pay for; rides anywhere
    Plain,
    /// Knows what a whole group is worth, or where Mr. X can be
    Shrewd,
}

impl From<Strength> for parlor_core::yard::bot::Strength {
    fn from(strength: Strength) -> Self {
        match strength {
            Strength::Plain => Self::Random,
            Strength::Shrewd => Self::Shrewd,
        }
    }
}

impl From<Strength> for parlor_core::pimp::bot::Strength {
    fn from(strength: Strength) -> Self {
        match strength {
            Strength::Plain => Self::Plain,
            Strength::Shrewd => Self::Shrewd,
        }
    }
}

#[derive(Args, Clone, Debug)]
pub struct Status {
    /// The server's HTTP port; https://HOST:PORT for TLS
    #[arg(long, value_name = "ADDR", default_value = "http://127.0.0.1:8080")]
    pub http: Target,
    /// As the server was given it; not needed on its own machine
    #[arg(long, value_name = "TOKEN", env = "PARLOR_TOKEN", hide_env_values = true)]
    pub token: Option<String>,
}

#[derive(Args, Clone, Debug)]
pub struct Replay {
    /// A data directory, or one file of its folder `journal`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Tell the bytes too, and what nobody heard
    #[arg(short, long)]
    pub verbose: bool,
}

#[derive(Args, Clone, Debug)]
pub struct Serve {
    /// Settings file [default: parlor.toml, if there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub network: Network,
    #[command(flatten)]
    pub rules: Rules,
    #[command(flatten)]
    pub times: Times,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub tls: Tls,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Network")]
pub struct Network {
    /// Where PIMP is served; may be given more than once. Port 0: any free port
    #[arg(long, value_name = "ADDR|off", default_value = "127.0.0.1:13220", value_delimiter = ',')]
    pub pimp: Vec<Listen>,
    /// Where PIMP is served over WebSocket (binary messages)
    #[arg(long, value_name = "ADDR|off", default_value = "127.0.0.1:23220", value_delimiter = ',')]
    pub pimp_ws: Vec<Listen>,
    /// A lobby: any number of PIMP tables on one port, made as players come. Over WebSocket it is at /ws/pimp/lobby
    #[arg(long, value_name = "ADDR|off", default_value = "off", value_delimiter = ',')]
    pub pimp_lobby: Vec<Listen>,
    /// Where Scotland Yard is served, all its games on one port; off here and in --yard-ws: not at all
    #[arg(long, value_name = "ADDR|off", default_value = "127.0.0.1:7921", value_delimiter = ',')]
    pub yard: Vec<Listen>,
    /// Where Scotland Yard is served over WebSocket (text messages), beside /ws/yard of the HTTP port
    #[arg(long, value_name = "ADDR|off", default_value = "off", value_delimiter = ',')]
    pub yard_ws: Vec<Listen>,
    /// The page, health, metrics, the list of tables, and WebSocket at /ws/pimp, /ws/pimp/TABLE and /ws/yard
    #[arg(long, value_name = "ADDR|off", default_value = "127.0.0.1:8080", value_delimiter = ',')]
    pub http: Vec<Listen>,
    /// PIMP tables that are always there, on consecutive ports
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub tables: u16,
    /// A web page's origin that may use WebSocket and the list of tables, like `https://games.example`; may be given more
    /// than once. Pages of the same host and of this machine always may
    #[arg(long, value_name = "ORIGIN", value_delimiter = ',')]
    pub origin: Vec<String>,
    /// Who sends `Authorization: Bearer TOKEN` may list and make tables; others only from this machine
    #[arg(long, value_name = "TOKEN", hide_env_values = true)]
    pub token: Option<String>,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "House rules")]
pub struct Rules {
    /// Fines go to a pot that Free Parking pays out; it begins anew with N
    #[arg(long, value_name = "N|off", default_value = "100")]
    pub pot: OrOff<u32>,
    /// Landing exactly on Go pays 400
    #[arg(long, value_name = "on|off", default_value = "off")]
    pub double_go: OnOff,
    /// Nobody buys before having passed Go once
    #[arg(long, value_name = "on|off", default_value = "off")]
    pub lap_before_buy: OnOff,
    /// A bankrupt's estate goes to the creditor; off: to the bank, which pays what was owed
    #[arg(long, value_name = "on|off", default_value = "on")]
    pub estate_to_creditor: OnOff,
    /// Leaving jail by payment ends the turn; off: the player throws
    #[arg(long, value_name = "on|off", default_value = "off")]
    pub bail_ends_turn: OnOff,
    /// Who owes another player may not throw
    #[arg(long, value_name = "on|off", default_value = "on")]
    pub debt_blocks_roll: OnOff,
    /// Chance that a purchase of houses fails
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub termites: u8,
    /// Players at a table; others watch
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=8))]
    pub max_players: u8,
    /// Players of Scotland Yard may ask for bots
    #[arg(long, value_name = "on|off", default_value = "on")]
    pub yard_bots: OnOff,
    /// Only ASCII names, against look-alikes
    #[arg(long, value_name = "on|off", default_value = "off")]
    pub ascii_names: OnOff,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Times")]
pub struct Times {
    /// A throw waits this long after the last landing while others have claims; 0: it does not
    #[arg(long, value_name = "SECONDS", default_value = "3")]
    pub claim_grace: Seconds,
    /// An open vote is decided by the votes cast after this
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    pub vote_timeout: Seconds,
    /// Votes open at most this often
    #[arg(long, value_name = "SECONDS", default_value = "2")]
    pub vote_pause: Seconds,
    /// The server passes for all but the leader this long after the last bid; 0: never
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    pub auction_timeout: Seconds,
    /// How often users are pinged; 0: never. Some clients can't take a PING
    #[arg(long, value_name = "SECONDS", default_value = "0")]
    pub ping_interval: Seconds,
    /// A ping unanswered for this long: the user's link is told dead
    #[arg(long, value_name = "SECONDS", default_value = "30")]
    pub ping_timeout: Seconds,
    /// A connection that neither joins, rejoins nor logs in in this time is closed
    #[arg(long, value_name = "SECONDS", default_value = "30")]
    pub join_timeout: Seconds,
    /// Who is gone for less than this still counts as present
    #[arg(long, value_name = "SECONDS", default_value = "30")]
    pub presence: Seconds,
    /// Who the game waits for and who is silent for this long counts as away when a kick is counted
    #[arg(long, value_name = "SECONDS", default_value = "300")]
    pub silence: Seconds,
    /// A game ends when nobody was connected for this long
    #[arg(long, value_name = "SECONDS", default_value = "600")]
    pub deserted: Seconds,
    /// After a game was won, its connections are closed at last after this
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    pub farewell: Seconds,
    /// After a wrong password a connection is not read for this long
    #[arg(long, value_name = "SECONDS", default_value = "1")]
    pub password_pause: Seconds,
    /// A connection gets at most one full state in this time
    #[arg(long, value_name = "SECONDS", default_value = "1")]
    pub dump_pause: Seconds,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    /// Commands a second and connection; the rest waits. 0: no limit
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub rate: u16,
    /// Wrong passwords in a row that close a connection
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..))]
    pub wrong_passwords: u8,
    /// Refusals by vote that close a candidate's connection
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..))]
    pub refusals: u8,
    /// Connections in all; more are closed at once. 0: no limit
    #[arg(long, value_name = "N", default_value_t = 16384)]
    pub max_connections: u32,
    /// Connections from one address (IPv6: one /64); more are closed at once. 0: no limit
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub max_per_address: u32,
    /// Tables in all, with those made by POST /tables
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub max_tables: u32,
    /// Tables of the lobby at once; then late comers are voted on, or told that the table is full
    #[arg(long, value_name = "N", default_value_t = Terms::DEFAULT.tables, value_parser = clap::value_parser!(u16).range(1..=SPACES as i64))]
    pub lobby_tables: u16,
    /// Turns after which a game of the lobby takes nobody new while another table can be had
    #[arg(long, value_name = "N", default_value_t = Terms::DEFAULT.turns)]
    pub lobby_turns: u32,
    /// Wrong passwords from one address (IPv6: one /64) after which neither the lobby nor Scotland Yard believes any; one
    /// is forgotten every 30 s
    #[arg(long, value_name = "N", default_value_t = Terms::DEFAULT.guesses, value_parser = clap::value_parser!(u16).range(1..))]
    pub lobby_guesses: u16,
    /// New accounts of Scotland Yard from one address (IPv6: one /64); one more every minute
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..))]
    pub yard_accounts: u16,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "TLS (on every port, beside plain connections)")]
pub struct Tls {
    /// `self-signed` makes a certificate once, keeps it in the data directory and prints its fingerprint
    #[arg(long, value_name = "self-signed|off", default_value = "off")]
    pub tls: TlsKind,
    /// Certificate chain, PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// Private key, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Running")]
pub struct Running {
    /// Where the server keeps games and other files; one server a directory [default: parlor in the user's data
    /// directory]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// How safe games are: `strict` sends nothing before its cause is on the disk; `relaxed` sends at once and may lose
    /// the last second in a crash; `off` keeps games in memory alone. Saved games go on with the rules and dice that they
    /// were begun with
    #[arg(long, value_name = "strict|relaxed|off", default_value = "strict")]
    pub durability: Durability,
    /// Repeatable dice, for tests: up to 32 bytes. Whoever knows it knows every throw and password [default: from the
    /// operating system]
    #[arg(long, value_name = "HEX")]
    pub seed: Option<config::Seed>,
    /// error, warn, info, debug, trace or off; or filters like `info,parlor=debug`
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub log: String,
    /// How log lines are written, to standard error
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub log_format: LogFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Durability {
    Strict,
    Relaxed,
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    Human,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TlsKind {
    Off,
    SelfSigned,
}

/// An address to listen at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listen {
    Off,
    At(SocketAddr),
}

impl FromStr for Listen {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "off" {
            return Ok(Self::Off);
        }
        let address = text.to_socket_addrs().ok().and_then(|mut found| found.next());
        address.map(Self::At).ok_or_else(|| "not an address like 127.0.0.1:13220, nor `off`".into())
    }
}

/// Where to listen; nowhere if one of them is `off`.
pub fn addresses(listens: &[Listen]) -> Vec<SocketAddr> {
    let at = |listen: &Listen| match listen {
        Listen::At(address) => Some(*address),
        Listen::Off => None,
    };
    listens.iter().map(at).collect::<Option<_>>().unwrap_or_default()
}

/// Yes or no; a file may say true or false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnOff(pub bool);

impl FromStr for OnOff {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "on" | "true" => Ok(Self(true)),
            "off" | "false" => Ok(Self(false)),
            _ => Err("neither `on` nor `off`"),
        }
    }
}

/// A value, or nothing of the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrOff<T>(pub Option<T>);

impl<T: FromStr<Err: Display>> FromStr for OrOff<T> {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" | "false" => Ok(Self(None)),
            _ => text.parse().map(|value| Self(Some(value))).map_err(|error| format!("{error}, nor is it `off`")),
        }
    }
}

/// A duration, kept in milliseconds as core counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seconds(pub u32);

impl FromStr for Seconds {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse::<f64>() {
            Ok(seconds) if (0.0..=4_000_000.0).contains(&seconds) => Ok(Self((seconds * 1000.0).round() as u32)),
            _ => Err("not a number of seconds from 0 to 4000000"),
        }
    }
}

/// Why the program ends at once.
pub struct Exit {
    code: u8,
    text: String,
}

impl Exit {
    /// What was asked for can't be done.
    pub fn fault(text: impl Into<String>) -> Self {
        Self { code: 2, text: text.into() }
    }

    /// It could, but it went wrong on the way.
    pub fn failure(text: impl Into<String>) -> Self {
        Self { code: 1, text: text.into() }
    }

    /// The same, with a word on where it may come from.
    pub fn with(self, hint: &str) -> Self {
        Self { text: format!("{}{hint}", self.text), ..self }
    }

    pub fn tell(&self) -> ExitCode {
        if self.code == 0 {
            println!("{}", self.text.trim_end());
        } else {
            eprintln!("parlor: {}", self.text);
        }
        ExitCode::from(self.code)
    }
}

impl From<clap::Error> for Exit {
    fn from(error: clap::Error) -> Self {
        match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Self { code: 0, text: error.to_string() },
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Self::fault("no command given; see parlor --help"),
            _ => {
                // One sentence: clap's first paragraph without its frame.
                let text = error.to_string();
                let first = text.split("\n\n").next().unwrap_or_default();
                let words = first.trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>();
                Self::fault(format!("{} (see --help)", words.join(" ")))
            }
        }
    }
}

/// The command line, completed by environment and file.
pub fn read(words: impl Iterator<Item = OsString>) -> Result<Command, Exit> {
    let mut words: Vec<OsString> = words.collect();
    let is_bare = match words.get(1).and_then(|word| word.to_str()) {
        None => true,
        Some("-h" | "--help" | "-V" | "--version") => false,
        Some(word) => word.starts_with('-'),
    };
    if is_bare {
        words.insert(1.min(words.len()), "serve".into());
    }
    let first = parse(&words, &config::File::default())?;
    let Command::Serve(serve) = &first else { return Ok(first) };
    match config::File::find(serve.config.as_deref())? {
        Some(file) => parse(&words, &file).map_err(|exit| file.blame(exit)),
        None => Ok(first),
    }
}

fn parse(words: &[OsString], file: &config::File) -> Result<Command, Exit> {
    let command = Cli::command().mut_subcommand("serve", |serve| {
        serve.mut_args(|arg| match arg.get_long().map(String::from) {
            Some(name) => file.complete(arg, &name),
            None => arg,
        })
    });
    file.check(&command)?;
    let matches = command.try_get_matches_from(words)?;
    Ok(Cli::from_arg_matches(&matches)?.command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::pimp::server::Config;

    fn serve(words: &str) -> Serve {
        match read(words.split_whitespace().map(OsString::from)) {
            Ok(Command::Serve(serve)) => *serve,
            Ok(_) => panic!("{words:?} should serve"),
            Err(exit) => panic!("{}", exit.text),
        }
    }

    fn fault(words: &str) -> String {
        match read(words.split_whitespace().map(OsString::from)) {
            Ok(_) => panic!("{words} should be refused"),
            Err(exit) => exit.text,
        }
    }

    #[test]
    fn without_flags_the_rules_are_cores_own() {
        let yard = parlor_core::yard::server::Config { bots: true, login_timeout: 30_000, ..Default::default() };
        assert_eq!(config::rules(&serve("parlor")).yard, yard);
        assert_eq!(config::rules(&serve("parlor")).pimp, Config::DEFAULT);
        assert_eq!(config::rules(&serve("parlor serve")).pimp, Config::DEFAULT);
    }

    #[test]
    fn every_flag_reaches_its_rule() {
        let pimp = config::rules(&serve("parlor --pot off --rate 0 --claim-grace 0.25 --double-go on")).pimp;
        assert_eq!((pimp.rules.pot, pimp.rate, pimp.claim_grace, pimp.rules.double_go), (None, 0, 250, true));
    }

    #[test]
    fn one_off_is_off() {
        assert_eq!(addresses(&serve("parlor --pimp off").network.pimp), []);
        assert_eq!(addresses(&serve("parlor --pimp 127.0.0.1:1 --pimp 127.0.0.1:2").network.pimp).len(), 2);
    }

    #[test]
    fn a_bad_flag_is_one_sentence() {
        assert_eq!(fault("parlor --rat 3"), "unexpected argument '--rat' found (see --help)");
        let text = fault("parlor --rate many");
        assert!(text.starts_with("invalid value 'many' for '--rate <N>'") && !text.contains('\n'), "{text}");
        assert!(fault("parlor --config /no/such/file.toml").contains("/no/such/file.toml"));
    }

    #[test]
    fn help_is_whole() {
        Cli::command().debug_assert();
    }
}
