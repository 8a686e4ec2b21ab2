//! What is public of the dice ([`parlor_core::fair`]): commitments before a game, its key after it.
//!
//! `GET /fair` tells of every table that stands by itself, `/fair/GAME-TABLE.json` of any, `/fair/GAME-TABLE-NUMBER.json` all that
//! proves a game that is over. A key opens what was hidden in its game: there is no way to it before.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use parlor_core::fair::{self, Hash, Key, Record, State as Told};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use crate::access::Denied;
use crate::http::{Desk, IN_TIME};
use crate::registry::{Cause, Served};

/// The scheme, as files name it.
pub const SCHEME: &str = "parlor dice 1";
/// Tables that one answer tells of.
const TABLES: usize = 256;
/// Throws that one proof lists; how many there were is told besides.
pub const THROWS: u32 = 10_000;

/// All that proves the dice of one game. `parlor verify` reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    pub scheme: String,
    pub name: String,
    pub table: u32,
    pub game: u32,
    pub commitment: String,
    /// The chain before and after this game's commitment; not told by a board, nor of a game of long ago.
    pub before: Option<String>,
    pub chain: Option<String>,
    pub key: String,
    /// What players added. None can, so far.
    pub shares: Vec<String>,
    /// How often dice were thrown.
    pub thrown: u32,
    /// The dice of each throw; a board leaves that to holders of the key.
    pub throws: Option<Vec<Vec<u8>>>,
}

/// How the dice of a table stand.
#[derive(Serialize)]
struct Table {
    name: &'static str,
    table: u32,
    /// The chain before the first of these games, and after all but the next one.
    before: String,
    chain: String,
    games: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    game: u32,
    /// `next`: no player has sat down at it; `revealed`: it is over, and its key is at `/fair/NAME-TABLE-GAME.json`;
    /// `sealed`: it goes on, or its key is not told any more.
    state: &'static str,
    /// Of a game that goes on, where games have names.
    #[serde(skip_serializing_if = "Option::is_none")]
    called: Option<String>,
    commitment: String,
}

#[derive(Serialize)]
pub struct Tables {
    scheme: &'static str,
    tables: Vec<Table>,
}

/// What a table knows of its games, copied while it is held.
#[derive(Clone, Debug)]
pub struct Games {
    before: Hash,
    games: Vec<(u32, Told, Hash)>,
    /// The games that go on, by name and number.
    going_on: Vec<(String, u32)>,
}

impl Games {
    pub fn of(record: &Record<'_>, going_on: Vec<(String, u32)>) -> Self {
        let mut games = Vec::new();
        record.each(|game, state, hash| games.push((game, state, hash)));
        Self { before: record.before(), games, going_on }
    }

    /// The chain before and after a game.
    fn links(&self, game: u32) -> Option<[Hash; 2]> {
        let mut before = self.before;
        for (number, _, hash) in &self.games {
            let after = fair::chain(&before, hash);
            if *number == game {
                return Some([before, after]);
            }
            before = after;
        }
        None
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn told(served: &Served) -> Option<Table> {
    let games = served.table.games()?;
    let drawn = games.games.iter().filter(|(_, state, _)| *state != Told::Next);
    let chain = drawn.fold(games.before, |before, (_, _, hash)| fair::chain(&before, hash));
    let rows = games.games.iter().map(|(game, state, hash)| Row {
        game: *game,
        state: match state {
            Told::Sealed => "sealed",
            Told::Revealed => "revealed",
            Told::Next => "next",
        },
        called: games.going_on.iter().find(|(_, number)| number == game).map(|(name, _)| name.clone()),
        commitment: hex(hash),
    });
    let (name, table) = (served.entry.name, served.id.number);
    Some(Table { name, table, before: hex(&games.before), chain: hex(&chain), games: rows.collect() })
}

/// For everybody who may load the page. The tables of a lobby are asked for one by one.
pub async fn all(State(desk): State<Arc<Desk>>, headers: HeaderMap) -> Result<Json<Tables>, Denied> {
    desk.access().may_come_from(&headers)?;
    let tables = desk.all().into_iter().filter(|served| served.cause != Cause::Lobby).take(TABLES);
    Ok(Json(Tables { scheme: SCHEME, tables: tables.filter_map(|served| told(&served)).collect() }))
}

/// One table, or one game of it that is over.
pub async fn one(
    State(desk): State<Arc<Desk>>,
    Path(file): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Denied> {
    desk.access().may_come_from(&headers)?;
    let Some((served, game)) = find(&desk, &file) else { return Err(Denied::NoTable) };
    let Some(game) = game else { return Ok(Json(told(&served).ok_or(Denied::NoTable)?).into_response()) };
    let Some(proof) = proof(&served, game) else {
        return Ok((StatusCode::NOT_FOUND, "that game is not over, or its key is not told any more\n").into_response());
    };
    // A key is told of a game that is over for good: not of one that a crash might take back to before its end.
    let held = desk.shards.iter().flat_map(|shards| shards.held()).map(|(_, held)| held.registry);
    let registries: Vec<_> = held.chain([desk.registry.clone()]).collect();
    for registry in registries {
        let Some(journal) = registry.journal() else { continue };
        if !timeout(IN_TIME, journal.flush()).await.unwrap_or_default() {
            return Ok((StatusCode::SERVICE_UNAVAILABLE, "the journal can't be written\n").into_response());
        }
    }
    Ok(Json(proof).into_response())
}

/// `GAME-TABLE.json` or `GAME-TABLE-NUMBER.json`. A game's name may have such a stroke in it.
fn find(desk: &Desk, file: &str) -> Option<(Arc<Served>, Option<u32>)> {
    let words = file.strip_suffix(".json")?;
    desk.all().into_iter().find_map(|served| {
        let rest = words.strip_prefix(served.entry.name)?.strip_prefix('-')?;
        let (table, game) = match rest.split_once('-') {
            Some((table, game)) => (table, Some(game.parse().ok()?)),
            None => (rest, None),
        };
        (table == served.id.number.to_string()).then_some((served, game))
    })
}

fn proof(served: &Served, game: u32) -> Option<Proof> {
    let (key, thrown) = served.table.key(game)?;
    let links = served.table.games().and_then(|games| games.links(game));
    Some(Proof {
        scheme: SCHEME.into(),
        name: served.entry.name.into(),
        table: served.id.number,
        game,
        commitment: hex(&fair::commitment(game, &key)),
        before: links.map(|[before, _]| hex(&before)),
        chain: links.map(|[_, after]| hex(&after)),
        key: hex(&key),
        shares: Vec::new(),
        thrown,
        throws: Some((0..thrown.min(THROWS)).map(|n| throw(&key, n, served.entry.dice)).collect()),
    })
}

/// Throw `n`.
pub fn throw(key: &Key, n: u32, dice: usize) -> Vec<u8> {
    let mut fallen = vec![0; dice];
    fair::throw(key, n, &mut fallen);
    fallen
}
