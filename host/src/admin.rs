//! What a server's operator may do while it runs: see which connections come from where, end the game at a table,
//! remove a table, disconnect and ban addresses. The commands of `parlor admin` are one request each.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use axum::extract::{FromRequestParts, Path, RawQuery, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use parlor_core::game::Scope;
use parlor_core::server::Sight;
use serde::{Deserialize, Serialize};

use crate::access::{Caller, Denied, Subnet};
use crate::http::Desk;
use crate::registry::NotRemoved;
use crate::table_id::TableId;

pub fn routes() -> Router<Arc<Desk>> {
    Router::new()
        .route("/admin/callers", get(callers).delete(kick))
        .route("/admin/bans", get(bans).post(ban).delete(lift))
        .route("/admin/games", get(games))
        .route("/admin/tables/{game}/{number}/end", post(end))
        .route("/admin/tables/{game}/{number}", axum::routing::delete(remove))
}

/// A connection, as the list shows it.
#[derive(Serialize, Deserialize)]
pub struct Row {
    pub game: String,
    pub table: u32,
    pub link: u16,
    /// `None`: a bot of the server's own.
    pub address: Option<IpAddr>,
    pub has_joined: bool,
}

/// A game, as the list shows it.
#[derive(Serialize, Deserialize)]
pub struct Game {
    pub game: String,
    pub table: u32,
    /// Where games have names.
    pub name: String,
    pub stage: String,
    pub players: Vec<String>,
    /// The players who are connected.
    pub here: u16,
}

/// The addresses that a request is about: `?address=192.0.2.0/24`.
struct About(Subnet);

impl<S: Sync> FromRequestParts<S> for About {
    type Rejection = (StatusCode, String);

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let query = parts.uri.query().and_then(|query| query.strip_prefix("address=")).unwrap_or_default();
        let address = query.replace("%2F", "/").replace("%3A", ":").parse();
        address.map(Self).map_err(|why: &str| (StatusCode::BAD_REQUEST, format!("?address= is {why}\n")))
    }
}

async fn callers(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Json<Vec<Row>>, Denied> {
    desk.access().may_command(&headers, &caller)?;
    let mut rows = Vec::new();
    for served in desk.all() {
        rows.extend(served.table.callers().into_iter().map(|(link, from, has_joined)| Row {
            game: served.id.game.into(),
            table: served.id.number,
            link,
            address: from.map(|bits| Ipv6Addr::from_bits(bits).to_canonical()),
            has_joined,
        }));
    }
    Ok(Json(rows))
}

/// Every game of every server.
async fn games(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Json<Vec<Game>>, Denied> {
    desk.access().may_command(&headers, &caller)?;
    let mut rows: Vec<Game> = Vec::new();
    for served in desk.all() {
        let first = rows.len();
        served.table.each_sight(&mut |sight| match sight {
            Sight::Table { name, stage, .. } => rows.push(Game {
                game: served.id.game.into(),
                table: served.id.number,
                name: name.into(),
                stage: format!("{stage:?}").to_lowercase(),
                players: Vec::new(),
                here: 0,
            }),
            Sight::Player { name, is_here, .. } => {
                if let Some(row) = rows.get_mut(first..).and_then(<[_]>::last_mut) {
                    row.players.push(name.into());
                    row.here += u16::from(is_here);
                }
            }
            Sight::Guest(_) => {}
        });
    }
    Ok(Json(rows))
}

/// Connections from these addresses are closed; their players may come back.
async fn kick(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    About(address): About,
    headers: HeaderMap,
) -> Result<String, Denied> {
    desk.access().may_command(&headers, &caller)?;
    Ok(format!("{} connections closed\n", send_away(&desk, &address)))
}

fn send_away(desk: &Desk, address: &Subnet) -> usize {
    let is_meant = |from: u128| address.means(Ipv6Addr::from_bits(from).to_canonical());
    desk.all().iter().map(|served| served.table.kick(&|from| from.is_some_and(is_meant))).sum()
}

async fn bans(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Json<Vec<String>>, Denied> {
    desk.access().may_command(&headers, &caller)?;
    Ok(Json(desk.door.bans.list().iter().map(Subnet::to_string).collect()))
}

async fn ban(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    About(address): About,
    headers: HeaderMap,
) -> Result<Response, Denied> {
    desk.access().may_command(&headers, &caller)?;
    if address.means(caller.address) {
        return Ok((StatusCode::CONFLICT, "that is your own address\n").into_response());
    }
    let changed = change(&desk, address, true).await;
    send_away(&desk, &address);
    Ok(changed)
}

async fn lift(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    About(address): About,
    headers: HeaderMap,
) -> Result<Response, Denied> {
    desk.access().may_command(&headers, &caller)?;
    Ok(change(&desk, address, false).await)
}

async fn change(desk: &Arc<Desk>, address: Subnet, is_banned: bool) -> Response {
    let bans = desk.door.bans.clone();
    match tokio::task::spawn_blocking(move || bans.change(address, is_banned)).await {
        Ok(Ok(true)) => format!("{address} is {}\n", if is_banned { "banned" } else { "let in again" }).into_response(),
        Ok(Ok(false)) => {
            let was = if is_banned { "was banned already" } else { "was not banned" };
            (StatusCode::NOT_FOUND, format!("{address} {was}\n")).into_response()
        }
        _ => (StatusCode::SERVICE_UNAVAILABLE, "it can't be kept\n").into_response(),
    }
}

/// The game that a request is about, where games have names: `?name=evening`.
fn named(query: Option<&str>) -> Option<String> {
    let bytes = query?.strip_prefix("name=")?.as_bytes();
    let (mut name, mut rest) = (Vec::new(), bytes);
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte == b'%' {
            let (digits, tail) = tail.split_at_checked(2)?;
            name.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = tail;
        } else {
            name.push(byte);
        }
    }
    String::from_utf8(name).ok()
}

/// A game's name in a request.
pub fn written(name: &str) -> String {
    name.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).into() } else { format!("%{byte:02X}") })
        .collect()
}

/// A table: its connections are closed, and another game begins. A hall: the game of this name is no more, and its
/// players are in the hall.
async fn end(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    Path((game, number)): Path<(String, u32)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Denied> {
    desk.access().may_command(&headers, &caller)?;
    let served = desk.registry.find(&game, number).ok_or(Denied::NoTable)?;
    let refused = |status, why: &'static str| Ok((status, why).into_response());
    match (served.entry.scope, named(query.as_deref())) {
        (Scope::Hall, Some(name)) => {
            if !desk.registry.end_game(&served, &name).await {
                return refused(StatusCode::NOT_FOUND, "there is no game of that name\n");
            }
            Ok(format!("{name:?} of {game} is over\n").into_response())
        }
        (Scope::Hall, None) => refused(StatusCode::BAD_REQUEST, "a hall has many games: say which\n"),
        (Scope::Table, Some(_)) => refused(StatusCode::BAD_REQUEST, "the games of tables have no names\n"),
        (Scope::Table, None) if desk.registry.renew(&served).await => {
            Ok(format!("another game begins at {game} table {number}\n").into_response())
        }
        (Scope::Table, None) => refused(StatusCode::CONFLICT, "not everybody left in time\n"),
    }
}

async fn remove(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    Path((game, number)): Path<(String, u32)>,
    headers: HeaderMap,
) -> Result<Response, Denied> {
    desk.access().may_command(&headers, &caller)?;
    let id = desk.registry.find(&game, number).ok_or(Denied::NoTable)?.id;
    Ok(match desk.registry.remove(TableId::new(id.game, number)) {
        Ok(()) => format!("{game} table {number} is gone\n").into_response(),
        Err(NotRemoved::Unknown) => return Err(Denied::NoTable),
        Err(NotRemoved::NotAskedFor) => {
            (StatusCode::CONFLICT, "this table is always there, or a lobby's: its game can be ended\n").into_response()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_games_travel_in_requests() {
        for name in ["evening", "a b/c?d=%2F", "Zoë's & 李"] {
            assert_eq!(named(Some(&format!("name={}", written(name)))).as_deref(), Some(name));
        }
        assert_eq!(
            [None, Some("name"), Some("name=%4"), Some("name=%ff"), Some("name=%zz")].map(named),
            [const { None }; 5]
        );
    }
}
