//! The pages: files that were compressed into the program, and what the lobby shows. Reads nothing from the disk.
//!
//! A folder of `web/` with an `index.html` is a page at `/FOLDER`: a game's, by the game's name, and the front page at `/`.
//! Its files are at `/FOLDER/FILE`, where they are asked after each time, and at `/VERSION/FOLDER/FILE`, where they never
//! change.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Json};
use flate2::read::GzDecoder;
use parlor_core::settings::{Kind, Value};
use serde::Serialize;

use crate::access::{Caller, Denied};
use crate::games::{self, GAMES};
use crate::http::Desk;

/// One file of a page.
pub struct File {
    /// `FOLDER/FILE`.
    pub name: &'static str,
    pub kind: &'static str,
    /// Differs when the contents do.
    pub tag: &'static str,
    pub gzip: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Everything comes from here, nothing runs that is not a file of ours, and no other page may frame it.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; \
                      form-action 'self'; frame-ancestors 'none'";

/// `/`; links that name a table are from before the tables' game had a page of its own.
pub async fn front(State(desk): State<Arc<Desk>>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    match query.filter(|query| query.starts_with("table=")) {
        Some(query) => Redirect::permanent(&format!("/{}?{query}", desk.game.name)).into_response(),
        None => serve("front/index.html", &headers, false),
    }
}

pub async fn page(Path(folder): Path<String>, headers: HeaderMap) -> Response {
    // The folder of a game that this program does not have is for another build of it.
    if games::named(&folder).is_none() {
        return (StatusCode::NOT_FOUND, "there is no such page\n").into_response();
    }
    serve(&format!("{folder}/index.html"), &headers, false)
}

pub async fn file(Path((folder, file)): Path<(String, String)>, headers: HeaderMap) -> Response {
    serve(&format!("{folder}/{file}"), &headers, false)
}

/// A page of an older program may ask by its version: it gets what there is now.
pub async fn versioned(Path((version, folder, file)): Path<(String, String, String)>, headers: HeaderMap) -> Response {
    if version.len() != VERSION.len() || !version.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return (StatusCode::NOT_FOUND, "there is no such page\n").into_response();
    }
    serve(&format!("{folder}/{file}"), &headers, version == VERSION)
}

/// In gzip, as every browser of the last twenty years takes it; as it was for whoever does not say so.
fn serve(name: &str, headers: &HeaderMap, is_for_ever: bool) -> Response {
    let Some(file) = FILES.iter().find(|file| file.name == name) else {
        return (StatusCode::NOT_FOUND, "there is no such page\n").into_response();
    };
    let is_gzip = takes_gzip(headers);
    // Another form of the same has a tag of its own.
    let tag = if is_gzip { file.tag.to_owned() } else { format!("\"p{}", file.tag.trim_start_matches('"')) };
    let common = [
        (header::ETAG, tag.as_str()),
        (header::VARY, "accept-encoding"),
        // Kept, but asked after each time: a new program has a new page at once.
        (header::CACHE_CONTROL, if is_for_ever { "public, max-age=31536000, immutable" } else { "no-cache" }),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    let known = headers.get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
    if known.is_some_and(|tags| tags.split(',').any(|known| known.trim().trim_start_matches("W/") == tag)) {
        return (StatusCode::NOT_MODIFIED, common).into_response();
    }
    let kind = [(header::CONTENT_TYPE, file.kind)];
    if is_gzip {
        return (common, kind, [(header::CONTENT_ENCODING, "gzip")], file.gzip).into_response();
    }
    let mut plain = Vec::new();
    match GzDecoder::new(file.gzip).read_to_end(&mut plain) {
        Ok(_) => (common, kind, plain).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Whether gzip is named, and not with a weight of nothing.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let lists = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().trim_start_matches(['q', 'Q']).trim_start().trim_start_matches('=').trim();
        let is_none = !weight.is_empty() && weight.bytes().all(|byte| matches!(byte, b'0' | b'.'));
        matches!(name.trim(), "*" | "gzip" | "x-gzip") && !is_none
    })
}

/// A table as the lobby shows it: nobody's name, no port.
#[derive(Serialize)]
struct Row {
    game: &'static str,
    table: u32,
    players: u16,
    watchers: u16,
    connected: u16,
    turn: u32,
    phase: &'static str,
}

#[derive(Serialize)]
pub struct Lobby {
    tables: Vec<Row>,
    /// The settings of its tables: times in seconds, what is off is null.
    rules: BTreeMap<&'static str, serde_json::Value>,
    /// May this visitor make tables and seat bots?
    may_command: bool,
    /// Is there a next free table behind `/ws/GAME/lobby`?
    lobby: bool,
    /// Every game that is served, by the names of their pages.
    games: Vec<&'static str>,
}

/// For everybody who may load the page.
pub async fn lobby(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Json<Lobby>, Denied> {
    desk.access().may_come_from(&headers)?;
    let may_command = desk.access().may_command(&headers, &caller).is_ok();
    let tables = desk.registry.of(desk.game.name);
    let rows = tables.iter().map(|served| {
        let summary = served.table.summary();
        Row {
            game: served.entry.name,
            table: served.id.number,
            players: summary.players,
            watchers: summary.watchers,
            connected: summary.connected,
            turn: summary.turn,
            phase: summary.phase,
        }
    });
    let chosen = desk.registry.chosen(desk.game.name).unwrap_or_default();
    let rules = (desk.game.told)(&chosen).into_iter();
    let rules = rules.map(|(setting, value, words)| (setting.name, json(setting.kind, value, words)));
    let games = GAMES.iter().map(|entry| entry.name).filter(|name| desk.serves(name)).collect();
    let lobby = desk.has_lobby(desk.game.name);
    Ok(Json(Lobby { tables: rows.collect(), rules: rules.collect(), may_command, lobby, games }))
}

fn json(kind: Kind, value: Value, words: String) -> serde_json::Value {
    match (kind, value) {
        (Kind::Url(_), _) => words.into(),
        (_, None) => serde_json::Value::Null,
        (Kind::Switch, Some(on)) => (on != 0).into(),
        (Kind::Time, Some(time)) if time.is_multiple_of(1000) => (time / 1000).into(),
        (Kind::Time, Some(time)) => (f64::from(time) / 1000.0).into(),
        (_, Some(number)) => number.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use axum::http::{HeaderMap, header};

    use super::{FILES, takes_gzip};
    use crate::games::GAMES;

    #[test]
    fn gzip_is_for_whoever_takes_it() {
        let takes = |said: &str| takes_gzip(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, said.parse().unwrap())]));
        for said in ["gzip", "deflate, gzip;q=0.5, br", "*", "br;q=1.0, *;q=0.1", "x-gzip"] {
            assert!(takes(said), "{said}");
        }
        for said in ["", "identity", "br", "gzip;q=0", "gzip; q=0.000, br", "*;q=0", "notgzip"] {
            assert!(!takes(said), "{said}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }

    /// The most that a page may load, in gzip.
    const PAGE: usize = 60 * 1024;

    /// A page and every file that it can lead to, by what the files say.
    fn loaded(page: &'static str) -> BTreeSet<&'static str> {
        let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
        let mut found = BTreeSet::from([page]);
        let mut unread = vec![page];
        while let Some(name) = unread.pop() {
            let text = fs::read_to_string(web.join(name)).unwrap();
            let folder = format!("{}/", name.split_once('/').unwrap().0);
            let is_named = |file: &&str| {
                let near = file.strip_prefix(&folder).map(|file| format!("\"./{file}\""));
                [format!("\"/{file}\""), format!("\"../{file}\"")].iter().chain(&near).any(|name| text.contains(name))
            };
            for file in FILES.iter().map(|file| file.name).filter(is_named) {
                if found.insert(file) {
                    unread.push(file);
                }
            }
        }
        found
    }

    fn size(names: &BTreeSet<&str>) -> usize {
        FILES.iter().filter(|file| names.contains(file.name)).map(|file| file.gzip.len()).sum()
    }

    #[test]
    fn the_pages_are_small() {
        let pages = FILES.iter().map(|file| file.name).filter(|name| name.ends_with("/index.html"));
        let mut all = BTreeSet::new();
        for page in pages {
            let files = loaded(page);
            println!("{page}: {} bytes in gzip", size(&files));
            assert!(size(&files) <= PAGE, "{page}: {} bytes in gzip: {files:?}", size(&files));
            all.extend(files);
        }
        println!("all: {} bytes in gzip", size(&all));
        assert_eq!(all.len(), FILES.len(), "a file that no page loads");
    }

    /// A browser that learns of a module only when it has read another waits for one more round trip.
    #[test]
    fn a_page_names_all_its_modules_at_once() {
        let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
        for page in FILES.iter().map(|file| file.name).filter(|name| name.ends_with("/index.html")) {
            let text = fs::read_to_string(web.join(page)).unwrap();
            let unnamed = loaded(page).into_iter().filter(|file| file.ends_with(".js"));
            let unnamed: Vec<_> = unnamed.filter(|file| !text.contains(&format!("\"/{file}\""))).collect();
            assert!(unnamed.is_empty(), "{page} does not preload {unnamed:?}");
        }
    }

    #[test]
    fn every_game_has_a_page() {
        for game in &GAMES {
            assert!(FILES.iter().any(|file| file.name == format!("{}/index.html", game.name)), "{}", game.name);
        }
    }
}
