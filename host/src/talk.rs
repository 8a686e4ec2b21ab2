//! Talk at tables whose game has no words for it: beside the game, for whoever is at the page. A client of the game's own
//! protocol hears nothing of it.
//!
//! Who speaks has a name that somebody at the table has, and it is the speaker's from the first word on: a key that only the
//! speaker's browser knows goes with it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use parlor_core::server::{Millis, Sight};
use parlor_core::throttle::{Allowance, Throttle};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::access::{Caller, Denied};
use crate::door::origin;
use crate::http::Desk;
use crate::registry::Served;
use crate::table_id::TableId;

/// Lines of a table that are kept.
const LINES: usize = 200;
/// The longest line, and the longest name and key.
const LINE: usize = 300;
const NAME: usize = 64;
/// A request's body.
const BODY: usize = 2 * 1024;
const IN_TIME: Duration = Duration::from_secs(10);
/// How long a question waits for something to be said.
const WAIT: Duration = Duration::from_secs(25);
/// Lines from one address: so many at once, and one more every so often.
const MEASURE: Allowance = Allowance { most: 12, forgets: 1_500 };
const ADDRESSES: usize = 256;

#[derive(Clone, Serialize)]
struct Line {
    number: u32,
    name: String,
    text: String,
}

/// What was said at one table.
struct Said {
    lines: VecDeque<Line>,
    /// The number of the newest line; whoever waits is woken by it.
    newest: watch::Sender<u32>,
    /// Whose a name is.
    keys: BTreeMap<String, String>,
}

impl Default for Said {
    fn default() -> Self {
        Self { lines: VecDeque::new(), newest: watch::Sender::new(0), keys: BTreeMap::new() }
    }
}

/// What was said at all tables.
pub struct Talk {
    tables: Mutex<BTreeMap<TableId, Said>>,
    throttle: Mutex<Throttle<ADDRESSES>>,
    start: Instant,
}

impl Default for Talk {
    fn default() -> Self {
        Self { tables: Mutex::default(), throttle: Mutex::new(Throttle::new()), start: Instant::now() }
    }
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
    fn newest(&self, id: TableId) -> watch::Receiver<u32> {
        lock(&self.tables).entry(id).or_default().newest.subscribe()
    }

    fn after(&self, id: TableId, number: u32) -> Heard {
        let mut tables = lock(&self.tables);
        let said = tables.entry(id).or_default();
        let newest = *said.newest.borrow();
        // Who has heard more than was said has heard it from a server that is gone.
        let number = if number > newest { 0 } else { number };
        Heard { lines: said.lines.iter().filter(|line| line.number > number).cloned().collect(), newest }
    }

    /// Whether the name is the speaker's; then everybody hears it. `names`: those that somebody at the table has.
    fn say(&self, id: TableId, Words { name, text, key }: Words, names: &[String]) -> bool {
        let mut tables = lock(&self.tables);
        let said = tables.entry(id).or_default();
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
        lock(&self.tables).retain(|id, _| is_there(*id));
    }
}

/// Everybody at a table, connected or not.
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
    let id = desk.registry.find(&game, number).ok_or(Denied::NoTable)?.id;
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
    let table = desk.registry.find(&game, number).ok_or(Denied::NoTable)?;
    if !desk.talk.may(origin(caller.address)) {
        return Ok((StatusCode::TOO_MANY_REQUESTS, "not so fast\n").into_response());
    }
    let body = timeout(IN_TIME, to_bytes(body, BODY)).await.ok().and_then(Result::ok);
    let words = body.and_then(|body| serde_json::from_slice::<Words>(&body).ok()).and_then(Words::plain);
    let Some(words) = words else {
        return Ok((StatusCode::BAD_REQUEST, "a name, a text that is not long, and a key\n").into_response());
    };
    desk.talk.keep(|id| desk.registry.find(id.game, id.number).is_some());
    Ok(if desk.talk.say(table.id, words, &names(&table)) {
        StatusCode::NO_CONTENT.into_response()
    } else {
        (StatusCode::FORBIDDEN, "nobody at this table has that name and that key\n").into_response()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(name: &str, text: &str, key: &str) -> Words {
        Words { name: name.into(), text: text.into(), key: key.into() }
    }

    #[test]
    fn a_name_is_whose_it_was_first_for_as_long_as_it_is_at_the_table() {
        let (talk, id) = (Talk::default(), TableId::new("pimp", 1));
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
        let (talk, id) = (Talk::default(), TableId::new("pimp", 1));
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
    fn a_line_is_one_line_and_not_empty() {
        assert_eq!(words("a", " hi\nthere\u{7} ", "k").plain().unwrap().text, "hithere");
        for bad in [words("a", " \n", "k"), words("a", "x", ""), words("a", &"x".repeat(LINE + 1), "k")] {
            assert!(bad.plain().is_none());
        }
    }
}
