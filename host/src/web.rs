//! The pages: files that were compressed into the program, and what the lobby shows. Reads nothing from the disk.
//!
//! A folder of `web/` with an `index.html` is a page at `/FOLDER`: a game's, by the game's name, and the front page at `/`.
//! It is there in several languages: a browser gets the one that its user reads best. Its files are at `/FOLDER/FILE`,
//! where they are asked after each time, and at `/VERSION/FOLDER/FILE`, where they never change.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Json};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use parlor_core::settings::{Kind, Value};
use serde::Serialize;

use crate::access::{Caller, Denied};
use crate::games::{self, Entry, GAMES};
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
        None => serve_page(&desk, "front", &headers),
    }
}

pub async fn page(State(desk): State<Arc<Desk>>, Path(folder): Path<String>, headers: HeaderMap) -> Response {
    // The folder of a game that this program does not have is for another build of it.
    if games::named(&folder).is_none() {
        return no_page();
    }
    serve_page(&desk, &folder, &headers)
}

fn serve_page(desk: &Desk, folder: &str, headers: &HeaderMap) -> Response {
    let name = format!("{folder}/index.{}.html", language(headers));
    match &desk.shards {
        Some(shards) => serve_in_cluster(&name, headers, &shards.origins()),
        None => serve(&name, headers, false),
    }
}

/// A page of a cluster is told so in its first tag: it asks where its table is. It may connect to every node.
fn serve_in_cluster(name: &str, headers: &HeaderMap, origins: &[String]) -> Response {
    let Some(file) = FILES.iter().find(|file| file.name == name) else { return no_page() };
    let mut page = String::new();
    if GzDecoder::new(file.gzip).read_to_string(&mut page).is_err() {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    let page = page.replacen("<html ", "<html data-cluster=\"1\" ", 1);
    let nodes: String =
        origins.iter().map(|origin| format!(" {origin} ws{}", origin.trim_start_matches("http"))).collect();
    let policy = format!("{POLICY}; connect-src 'self'{nodes}");
    let common = [
        (header::VARY, "accept-language"),
        // The origins to connect to change with the nodes.
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, policy.as_str()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONTENT_TYPE, file.kind),
    ];
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    match takes_gzip(headers).then(|| gzip.write_all(page.as_bytes()).and_then(|()| gzip.finish())) {
        Some(Ok(gzip)) => (common, [(header::CONTENT_ENCODING, "gzip")], gzip).into_response(),
        _ => (common, page).into_response(),
    }
}

fn no_page() -> Response {
    (StatusCode::NOT_FOUND, "there is no such page\n").into_response()
}

pub async fn file(
    State(desk): State<Arc<Desk>>,
    Path((folder, file)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    match file.as_str() {
        "index.html" => serve_page(&desk, &folder, &headers),
        _ => serve(&format!("{folder}/{file}"), &headers, false),
    }
}

/// A page of an older program may ask by its version: it gets what there is now.
pub async fn versioned(Path((version, folder, file)): Path<(String, String, String)>, headers: HeaderMap) -> Response {
    if version.len() != VERSION.len() || !version.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return no_page();
    }
    serve(&format!("{folder}/{file}"), &headers, version == VERSION)
}

/// In gzip, as every browser of the last twenty years takes it; as it was for other clients.
fn serve(name: &str, headers: &HeaderMap, is_for_ever: bool) -> Response {
    let Some(file) = FILES.iter().find(|file| file.name == name) else {
        return no_page();
    };
    let is_gzip = takes_gzip(headers);
    // Another form of the same has a tag of its own.
    let tag = if is_gzip { file.tag.to_owned() } else { format!("\"p{}", file.tag.trim_start_matches('"')) };
    // A page is always sent: it is hardly longer than the answer that it is still the same.
    let is_asked_after = is_for_ever || !name.ends_with(".html");
    let tagged = is_asked_after.then_some([(header::ETAG, tag.as_str())]);
    let common = [
        // A file of a version is the same in every language: a browser that has it need not ask again.
        (header::VARY, if is_for_ever { "accept-encoding" } else { "accept-encoding, accept-language" }),
        // Kept, but asked after each time: a new program has a new page at once.
        (header::CACHE_CONTROL, if is_for_ever { "public, max-age=31536000, immutable" } else { "no-cache" }),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    let known = headers.get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
    let is_known = |tags: &str| tags.split(',').any(|known| known.trim().trim_start_matches("W/") == tag);
    if is_asked_after && known.is_some_and(is_known) {
        return (StatusCode::NOT_MODIFIED, tagged, common).into_response();
    }
    let kind = [(header::CONTENT_TYPE, file.kind)];
    if is_gzip {
        return (tagged, common, kind, [(header::CONTENT_ENCODING, "gzip")], file.gzip).into_response();
    }
    let mut plain = Vec::new();
    match GzDecoder::new(file.gzip).read_to_end(&mut plain) {
        Ok(_) => (tagged, common, kind, plain).into_response(),
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

/// The language of ours that is named first among those with the greatest weight; the first of all where none is.
fn language(headers: &HeaderMap) -> &'static str {
    let lists = headers.get_all(header::ACCEPT_LANGUAGE).iter().filter_map(|value| value.to_str().ok());
    let mut best = (0.0, LANGUAGES.first().copied().unwrap_or_default());
    for named in lists.flat_map(|list| list.split(',')) {
        let (range, weight) = named.split_once(';').unwrap_or((named, "q=1"));
        let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse::<f32>().ok()).unwrap_or(0.0);
        let primary = range.split('-').next().unwrap_or_default().trim();
        let ours = LANGUAGES.iter().find(|ours| ours.eq_ignore_ascii_case(primary));
        if let Some(ours) = ours.filter(|_| weight > best.0) {
            best = (weight, *ours);
        }
    }
    best.1
}

/// A table as the lobby shows it: no names, no port.
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
    /// The same of every game.
    settings: BTreeMap<&'static str, BTreeMap<&'static str, serde_json::Value>>,
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
    let served = || GAMES.iter().filter(|entry| desk.serves(entry.name));
    let settings = served().map(|entry| (entry.name, settings_of(&desk, entry))).collect();
    let (rules, games) = (settings_of(&desk, desk.game), served().map(|entry| entry.name).collect());
    let lobby = desk.has_lobby(desk.game.name);
    Ok(Json(Lobby { tables: rows.collect(), rules, settings, may_command, lobby, games }))
}

fn settings_of(desk: &Desk, entry: &Entry) -> BTreeMap<&'static str, serde_json::Value> {
    let chosen = desk.registry.chosen(entry.name).unwrap_or_default();
    let told = (entry.told)(&chosen).into_iter();
    told.map(|(setting, value, words)| (setting.name, json(setting.kind, value, words))).collect()
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
    use std::io::Read as _;

    use axum::http::{HeaderMap, header};
    use flate2::read::GzDecoder;

    use super::{FILES, LANGUAGES, VERSION, language, takes_gzip};
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

    #[test]
    fn a_page_is_told_in_the_language_that_is_read_best() {
        let told = |said: &str| language(&HeaderMap::from_iter([(header::ACCEPT_LANGUAGE, said.parse().unwrap())]));
        for (said, expected) in [
            ("de", "de"),
            ("de-AT,de;q=0.9,en;q=0.8", "de"),
            ("fr, he-IL;q=0.7, en;q=0.3", "he"),
            ("en;q=0.5, DE;q=0.8", "de"),
            ("de;q=0, en;q=0.1", "en"),
            ("fr", "en"),
            ("*", "en"),
            ("", "en"),
            ("de;q=x", "en"),
        ] {
            assert_eq!(told(said), expected, "{said}");
        }
        assert_eq!(language(&HeaderMap::new()), "en");
    }

    /// The most that a page may load, in gzip, and all pages together, in one language.
    const PAGE: usize = 60 * 1024;
    const ALL: usize = 150 * 1024;

    fn plain(name: &str) -> String {
        let file = FILES.iter().find(|file| file.name == name).unwrap();
        let mut text = String::new();
        GzDecoder::new(file.gzip).read_to_string(&mut text).unwrap();
        text
    }

    fn pages(language: &str) -> impl Iterator<Item = &'static str> {
        let end = format!("/index.{language}.html");
        FILES.iter().map(|file| file.name).filter(move |name| name.ends_with(&end))
    }

    /// A page and every file that it can lead to, by what the files say.
    fn loaded(page: &'static str, language: &str) -> BTreeSet<&'static str> {
        let mut found = BTreeSet::from([page]);
        let mut unread = vec![page];
        while let Some(name) = unread.pop() {
            // Words are asked for by the language in use, and a game's rules by the game.
            let text = plain(name).replace("${language}", language).replace('`', "\"");
            let folder = format!("{}/", name.split_once('/').unwrap().0);
            let is_named = |file: &&str| {
                let near = file.strip_prefix(&folder).map(|file| format!("\"./{file}\""));
                let (_, last) = file.split_once('/').unwrap();
                let names =
                    [format!("\"/{VERSION}/{file}\""), format!("\"../{file}\""), format!("\"../${{game}}/{last}\"")];
                names.iter().chain(&near).any(|name| text.contains(name))
            };
            // Of another page the front page reads the head alone.
            let files = FILES.iter().map(|file| file.name).filter(|file| !file.ends_with(".html"));
            for file in files.filter(is_named) {
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
        let mut every = BTreeSet::new();
        for language in LANGUAGES {
            let mut all = BTreeSet::new();
            for page in pages(language) {
                let files = loaded(page, language);
                println!("{page}: {} bytes in gzip", size(&files));
                assert!(size(&files) <= PAGE, "{page}: {} bytes in gzip: {files:?}", size(&files));
                every.extend(files.iter().copied());
                // What is for another build of the program takes no room beside these.
                if page.starts_with("front/") || GAMES.iter().any(|game| page.split('/').next() == Some(game.name)) {
                    all.extend(files);
                }
            }
            println!("all in {language}: {} bytes in gzip", size(&all));
            assert!(size(&all) <= ALL, "all in {language}: {} bytes in gzip", size(&all));
        }
        assert_eq!(every.len(), FILES.len(), "a file that no page loads");
    }

    /// A browser that learns of a module only when it has read another waits for one more round trip. House rules come when
    /// the front page knows which games there are.
    #[test]
    fn a_page_names_all_its_modules_at_once() {
        for language in LANGUAGES {
            for page in pages(language) {
                let text = plain(page);
                let unnamed = loaded(page, language).into_iter();
                let unnamed = unnamed.filter(|file| file.ends_with(".js") && !file.contains("/rules."));
                let unnamed: Vec<_> =
                    unnamed.filter(|file| !text.contains(&format!("\"/{VERSION}/{file}\""))).collect();
                assert!(unnamed.is_empty(), "{page} does not preload {unnamed:?}");
            }
        }
    }

    /// A reader of a page in one language loads no words of another.
    #[test]
    fn a_page_loads_the_words_of_one_language() {
        for language in LANGUAGES {
            for page in pages(language) {
                let others = LANGUAGES.iter().filter(|other| *other != language).map(|other| format!(".{other}."));
                let files = loaded(page, language);
                for other in others {
                    assert!(!files.iter().any(|file| file.contains(&other)), "{page} loads {other}: {files:?}");
                }
            }
        }
    }

    #[test]
    fn every_game_has_a_page() {
        for game in &GAMES {
            assert!(FILES.iter().any(|file| file.name == format!("{}/index.en.html", game.name)), "{}", game.name);
        }
    }
}
