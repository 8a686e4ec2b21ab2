//! What the front door shows: every game with its tables and people, the house rules, and the address for friends.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use parlor_core::server::{Sight, Stage};
use parlor_core::settings::{Group, Kind, Setting};
use serde::Serialize;

use crate::access::{self, Caller, Denied};
use crate::games::{Entry, GAMES};
use crate::http::Desk;
use crate::network;
use crate::registry::{Cause, Served};

/// Tables of a game that are told, those with people before others; the rest is a number.
const TABLES: usize = 60;
/// The longest address that is made a code.
const LONGEST: usize = 300;

#[derive(Serialize)]
pub struct Now {
    games: Vec<GameNow>,
    may_command: bool,
    /// Where friends find this door; empty: it is open to this machine alone, or the visitor came by an address that will
    /// do for friends as well.
    addresses: Vec<String>,
}

#[derive(Serialize)]
struct GameNow {
    name: &'static str,
    title: &'static str,
    tables: Vec<TableNow>,
    /// Tables that are not told.
    more: usize,
    /// Users who are connected and at no table.
    guests: Vec<String>,
    rules: Vec<Rule>,
}

#[derive(Debug, PartialEq, Serialize)]
struct TableNow {
    /// As its page calls it: its number, or its name where tables have names. `None`: a lobby's, which can't be chosen.
    place: Option<String>,
    stage: &'static str,
    seats: u8,
    turn: u32,
    players: Vec<PlayerNow>,
    watchers: Vec<String>,
}

#[derive(Debug, PartialEq, Serialize)]
struct PlayerNow {
    name: String,
    is_here: bool,
}

/// A setting in words.
#[derive(Serialize)]
struct Rule {
    /// The setting's: pages have words for it in other languages.
    name: &'static str,
    about: &'static str,
    value: String,
}

const fn word(stage: Stage) -> &'static str {
    match stage {
        Stage::Filling => "filling",
        Stage::Playing => "playing",
        Stage::Over => "over",
    }
}

impl GameNow {
    fn new(desk: &Desk, entry: &'static Entry, served: &[Arc<Served>]) -> Self {
        let (mut tables, mut guests) = (Vec::new(), Vec::new());
        for server in served {
            look(server, &mut tables, &mut guests);
        }
        tables.sort_by_key(|table: &TableNow| table.players.is_empty() && table.watchers.is_empty());
        let more = tables.len().saturating_sub(TABLES);
        tables.truncate(TABLES);
        let chosen = desk.registry.chosen(entry.name).unwrap_or_default();
        let told = (entry.told)(&chosen).into_iter().filter(|(setting, ..)| setting.group != Group::Limit);
        let rule = |(setting, _, words): (&'static Setting, _, String)| {
            let unit = if setting.kind == Kind::Time { " s" } else { "" };
            Rule { name: setting.name, about: setting.help.trim(), value: words + unit }
        };
        Self { name: entry.name, title: entry.title, tables, more, guests, rules: told.map(rule).collect() }
    }
}

/// One server: a table, or all tables of a game.
fn look(served: &Served, tables: &mut Vec<TableNow>, guests: &mut Vec<String>) {
    let first = tables.len();
    served.table.each_sight(&mut |sight| match sight {
        Sight::Table { name, stage, seats, turn } => {
            let place = match (served.cause, name) {
                (Cause::Lobby, _) => None,
                (_, "") => Some(served.id.number.to_string()),
                _ => Some(name.to_owned()),
            };
            let (players, watchers) = (Vec::new(), Vec::new());
            tables.push(TableNow { place, stage: word(stage), seats, turn, players, watchers });
        }
        Sight::Player { name, is_here, .. } => {
            if let Some(table) = tables.last_mut() {
                table.players.push(PlayerNow { name: name.into(), is_here });
            }
        }
        Sight::Guest(name) => match tables.get_mut(first..).and_then(<[TableNow]>::last_mut) {
            Some(table) => table.watchers.push(name.into()),
            None => guests.push(name.into()),
        },
    });
}

/// For everybody who may load the page.
pub async fn now(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Json<Now>, Denied> {
    desk.access().may_come_from(&headers)?;
    let all = desk.registry.all();
    let mut games = Vec::new();
    for entry in &GAMES {
        let is_its = |served: &Arc<Served>| {
            served.entry.name == entry.name || entry.lobby.is_some_and(|lobby| lobby.tables.name == served.entry.name)
        };
        let served: Vec<_> = all.iter().filter(|served| is_its(served)).cloned().collect();
        if !served.is_empty() {
            games.push(GameNow::new(&desk, entry, &served));
        }
    }
    let may_command = desk.access().may_command(&headers, &caller).is_ok();
    let addresses = if access::is_asked_locally(&headers) { desk.addresses() } else { Vec::new() };
    Ok(Json(Now { games, may_command, addresses }))
}

/// A code of an address of this server, which is the query as it stands.
pub async fn code(State(desk): State<Arc<Desk>>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    let wanted = query.filter(|query| query.len() <= LONGEST && is_ours(query, &desk, &headers));
    let Some(picture) = wanted.and_then(|wanted| network::svg(&wanted)) else {
        return (StatusCode::NOT_FOUND, "no address of this server\n").into_response();
    };
    let head = [(header::CONTENT_TYPE, "image/svg+xml"), (header::X_CONTENT_TYPE_OPTIONS, "nosniff")];
    (head, picture).into_response()
}

/// This server makes no codes for other people's pages.
fn is_ours(url: &str, desk: &Desk, headers: &HeaderMap) -> bool {
    let Some((scheme, rest)) = url.split_once("://") else { return false };
    let authority = rest.split('/').next().unwrap_or_default();
    let asked = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let is_address = || desk.addresses().iter().any(|known| known == &format!("http://{authority}/"));
    ["http", "https"].contains(&scheme) && (asked == Some(authority) || is_address())
}
