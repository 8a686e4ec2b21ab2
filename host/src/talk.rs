//! Talk at tables whose game has no words for it: beside the game, for people at the page. A client of the game's own
//! protocol hears nothing of it.
//!
//! A speaker has the name of somebody at the table, and keeps it from the first word on: a key that only the speaker's
//! browser knows goes with it.
//!
//! What was said is kept beside the journal, a file a table, and is there again after a restart; the keys are not.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use parlor_core::server::{Millis, Sight};
use parlor_core::throttle::{Allowance, Throttle};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout};

use crate::access::{Caller, Denied};
use crate::door::origin;
use crate::http::{Desk, short_body};
use crate::journal::Cabinet;
use crate::quiet::warn_seldom;
use crate::registry::Served;
use crate::table_id::TableId;

/// Lines of a table that are kept.
const LINES: usize = 200;
/// The longest line, and the longest name and key.
const LINE: usize = 300;
const NAME: usize = 64;
/// How long a question waits for something to be said.
const WAIT: Duration = Duration::from_secs(25);
/// Lines from one address: so many at once, and one more every so often.
const MEASURE: Allowance = Allowance { most: 12, forgets: 1_500 };
const ADDRESSES: usize = 256;
/// Where lines are kept, and how such a file begins.
const FOLDER: &str = "talk";
const WORD: &[u8] = b"parlor talk 1\n";

#[derive(Clone, Serialize, Deserialize)]
struct Line {
    number: u32,
    name: String,
    text: String,
}

/// What was said at one table.
struct Said {
    lines: VecDeque<Line>,
    /// The number of the newest line; requests that wait are woken by it.
    newest: watch::Sender<u32>,
    /// The key of each name's speaker.
    keys: BTreeMap<String, String>,
}

impl Said {
    fn new(lines: VecDeque<Line>) -> Self {
        let newest = watch::Sender::new(lines.back().map_or(0, |line| line.number));
        Self { lines, newest, keys: BTreeMap::new() }
    }
}

/// What was said at all tables.
pub struct Talk {
    tables: Mutex<BTreeMap<TableId, Said>>,
    throttle: Mutex<Throttle<ADDRESSES>>,
    start: Instant,
    cabinet: Option<Arc<dyn Cabinet>>,
    /// One is written at a time: what is written last is what was said last.
    writing: Mutex<()>,
}

impl Talk {
    /// Without a place to keep it, what was said is forgotten by a restart.
    pub fn new(cabinet: Option<Arc<dyn Cabinet>>) -> Self {
        let throttle = Mutex::new(Throttle::new());
        Self { tables: Mutex::default(), throttle, start: Instant::now(), cabinet, writing: Mutex::default() }
    }
}

fn file(id: TableId) -> String {
    format!("{}-{}", id.game, id.number)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What `GET` answers: the lines after the one that was asked for, and the number of the newest.
#[derive(Serialize)]
pub struct Heard {
    lines: Vec<Line>,
    newest: u32,
}

/// What `POST` takes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    name: String,
    text: String,
    key: String,
}

impl Words {
    /// As it is told to others: one line, without signs that are none.
    fn plain(self) -> Option<Self> {
        let plain =
            |text: &str| text.chars().filter(|letter| !letter.is_control()).collect::<String>().trim().to_owned();
        let words = Self { name: self.name, text: plain(&self.text), key: self.key };
        let fits = words.text.len() <= LINE && words.name.len() <= NAME && (1..=NAME).contains(&words.key.len());
        (fits && !words.text.is_empty()).then_some(words)
    }
}

impl Talk {
    /// What was said at a table, by an earlier process too.
    fn of<'t>(&self, tables: &'t mut BTreeMap<TableId, Said>, id: TableId) -> &'t mut Said {
        tables.entry(id).or_insert_with(|| Said::new(self.recall(id).unwrap_or_default()))
    }

    fn recall(&self, id: TableId) -> Option<VecDeque<Line>> {
        let bytes = match self.cabinet.as_ref()?.get(FOLDER, &file(id)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            bytes => bytes,
        };
        let lines = bytes.ok().and_then(|bytes| serde_json::from_slice(bytes.strip_prefix(WORD)?).ok());
        if lines.is_none() {
            warn_seldom!(table = %id, "what was said at a table can't be read any more");
        }
        lines
    }

    /// Writes down all that was said at a table until now.
    fn write(&self, id: TableId) {
        let Some(cabinet) = &self.cabinet else { return };
        let _one = lock(&self.writing);
        let Some(lines) = lock(&self.tables).get(&id).map(|said| said.lines.clone()) else { return };
        let written = serde_json::to_vec(&lines).map_err(io::Error::other);
        if let Err(error) = written.and_then(|text| cabinet.put(FOLDER, &file(id), &[WORD, &text].concat())) {
            warn_seldom!(%error, "can't keep what is said at tables: a restart forgets it");
        }
    }

    fn newest(&self, id: TableId) -> watch::Receiver<u32> {
        self.of(&mut lock(&self.tables), id).newest.subscribe()
    }

    fn after(&self, id: TableId, number: u32) -> Heard {
        let mut tables = lock(&self.tables);
        let said = self.of(&mut tables, id);
        let newest = *said.newest.borrow();
        // A page that has heard more than was said has heard it from a server that is gone.
        let number = if number > newest { 0 } else { number };
        Heard { lines: said.lines.iter().filter(|line| line.number > number).cloned().collect(), newest }
    }

    /// Whether the name is the speaker's; then everybody hears it. `names`: those of the people at the table.
    fn say(&self, id: TableId, Words { name, text, key }: Words, names: &[String]) -> bool {
        let mut tables = lock(&self.tables);
        let said = self.of(&mut tables, id);
        said.keys.retain(|known, _| names.contains(known));
        if !names.contains(&name) || *said.keys.entry(name.clone()).or_insert_with(|| key.clone()) != key {
            return false;
        }
        let number = *said.newest.borrow() + 1;
        said.lines.push_back(Line { number, name, text });
        said.lines.drain(..said.lines.len().saturating_sub(LINES));
        said.newest.send_replace(number);
        true
    }

    /// Whether one line more may come from there.
    fn may(&self, from: u128) -> bool {
        let now = Millis(self.start.elapsed().as_millis() as u64);
        let mut throttle = lock(&self.throttle);
        let may = throttle.may(from, MEASURE, now);
        if may {
            throttle.count(from, MEASURE, now);
        }
        may
    }

    /// Forgets tables that are gone.
    fn keep(&self, is_there: impl Fn(TableId) -> bool) {
        let gone = |id: &TableId| !is_there(*id);
        let gone: Vec<_> = lock(&self.tables).extract_if(.., |id, _| gone(id)).map(|(id, _)| id).collect();
        for id in gone {
            // One that was never written is not there to be thrown away.
            let _ = self.cabinet.as_ref().map(|cabinet| cabinet.throw_away(FOLDER, &file(id)));
        }
    }
}

/// The names of all at a table, connected or not.
fn names(table: &Served) -> Vec<String> {
    let mut names = Vec::new();
    table.table.each_sight(&mut |sight| match sight {
        Sight::Player { name, .. } | Sight::Guest(name) => names.push(name.to_owned()),
        Sight::Table { .. } => {}
    });
    names
}

/// Waits until something was said after line `?after=N`, though not for ever.
pub async fn hear(
    State(desk): State<Arc<Desk>>,
    Path((game, number)): Path<(String, u32)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Json<Heard>, Denied> {
    desk.access().may_come_from(&headers)?;
    let id = desk.registry.find_told(&game, number).ok_or(Denied::NoTable)?.id;
    let after = query.and_then(|query| query.strip_prefix("after=")?.parse().ok()).unwrap_or_default();
    let mut newest = desk.talk.newest(id);
    tokio::select! {
        _ = timeout(WAIT, newest.wait_for(|newest| *newest != after)) => {}
        () = desk.door.closing_time() => {}
    }
    Ok(Json(desk.talk.after(id, after)))
}

pub async fn say(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    Path((game, number)): Path<(String, u32)>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Denied> {
    desk.access().may_come_from(&headers)?;
    let table = desk.registry.find_told(&game, number).ok_or(Denied::NoTable)?;
    if !desk.talk.may(origin(caller.address)) {
        return Ok((StatusCode::TOO_MANY_REQUESTS, "not so fast\n").into_response());
    }
    let words = serde_json::from_slice::<Words>(&short_body(body).await?).ok().and_then(Words::plain);
    let Some(words) = words else {
        return Ok((StatusCode::BAD_REQUEST, "a name, a text that is not long, and a key\n").into_response());
    };
    if !desk.talk.say(table.id, words, &names(&table)) {
        return Ok((StatusCode::FORBIDDEN, "nobody at this table has that name and that key\n").into_response());
    }
    let (desk, id) = (desk.clone(), table.id);
    let written = spawn_blocking(move || {
        desk.talk.keep(|id| desk.registry.find(id.game, id.number).is_some());
        desk.talk.write(id);
    });
    // It was heard by now, however this ends.
    let _ = written.await;
    Ok(StatusCode::NO_CONTENT.into_response())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Files;

    fn words(name: &str, text: &str, key: &str) -> Words {
        Words { name: name.into(), text: text.into(), key: key.into() }
    }

    #[test]
    fn a_name_is_whose_it_was_first_for_as_long_as_it_is_at_the_table() {
        let (talk, id) = (Talk::new(None), TableId::new("pimp", 1));
        let both = ["ann".to_owned(), "bob".to_owned()];
        assert!(talk.say(id, words("ann", "hello", "1"), &both));
        assert!(!talk.say(id, words("ann", "I am ann", "2"), &both));
        assert!(!talk.say(id, words("eve", "hello", "3"), &both));
        assert!(talk.say(id, words("bob", "hello", "2"), &both));
        // Ann has left; another Ann comes later.
        assert!(talk.say(id, words("bob", "anybody?", "2"), &both[1..]));
        assert!(talk.say(id, words("ann", "me", "2"), &both));
        let heard = |after| talk.after(id, after).lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
        assert_eq!(heard(1), ["hello", "anybody?", "me"]);
        assert_eq!(heard(99).len(), 4);
        assert_eq!(talk.after(TableId::new("pimp", 2), 0).newest, 0);
    }

    #[test]
    fn only_so_many_lines_are_kept_and_taken() {
        let (talk, id) = (Talk::new(None), TableId::new("pimp", 1));
        for n in 0..LINES + 9 {
            assert!(talk.say(id, words("ann", &n.to_string(), "1"), &["ann".to_owned()]));
        }
        let heard = talk.after(id, 0);
        assert_eq!((heard.lines.len(), heard.lines[0].number, heard.newest), (LINES, 10, LINES as u32 + 9));
        assert_eq!((0..99).filter(|_| talk.may(7)).count(), usize::from(MEASURE.most));
        assert!(talk.may(8));
        talk.keep(|_| false);
        assert!(lock(&talk.tables).is_empty());
    }

    #[test]
    fn what_was_said_is_there_after_a_restart_until_its_table_is_gone() {
        let folder = std::env::temp_dir().join(format!("parlor-talk-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let talk = || Talk::new(Some(Arc::new(Files::unlocked(&folder))));
        let [one, other] = [1, 2].map(|number| TableId::new("pimp", number));
        let first = talk();
        for text in ["hello", "anybody?"] {
            assert!(first.say(one, words("ann", text, "1"), &["ann".to_owned()]));
            first.write(one);
        }
        let again = talk();
        let heard = again.after(one, 0);
        assert_eq!((heard.lines.len(), heard.lines[1].text.as_str(), heard.newest), (2, "anybody?", 2));
        assert_eq!(again.after(other, 0).newest, 0);
        assert!(again.say(one, words("ann", "again", "1"), &["ann".to_owned()]));
        assert_eq!(again.after(one, 2).lines[0].number, 3);
        // A file that can't be read is as good as none.
        std::fs::write(folder.join("talk/pimp-2"), b"parlor talk 9\n").unwrap();
        assert_eq!(talk().after(other, 0).newest, 0);
        again.keep(|_| false);
        assert_eq!(talk().after(one, 0).newest, 0);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_line_is_one_line_and_not_empty() {
        assert_eq!(words("a", " hi\nthere\u{7} ", "k").plain().unwrap().text, "hithere");
        for bad in [words("a", " \n", "k"), words("a", "x", ""), words("a", &"x".repeat(LINE + 1), "k")] {
            assert!(bad.plain().is_none());
        }
    }
}
