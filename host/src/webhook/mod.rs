//! Webhooks: a player who is away from the table is told at an address of the player's choice that it is the player's
//! turn, where the operator allows it (`--notify`). Each is a plain POST of one line of text, as ntfy and its like take
//! it.
//!
//! What a stranger could do with this is bounded: an address is tried before it is kept, none is in the server's own
//! network (`address.rs`), everything has a limit in number, rate, size and time, and an address is never logged.
//! Anyone who asks for a player's turns learns what all at the table know.

mod address;
mod book;
mod post;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json, http};
use parlor_core::server::{Millis, Sight};
use parlor_core::throttle::{Allowance, Throttle};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};

use crate::access::{Caller, Denied, Subnet};
use crate::door::origin;
use crate::games::{self, GAMES};
use crate::http::{Desk, short_body};
use crate::journal::Cabinet;
use crate::quiet::warn_seldom;
use crate::registry::{Registry, Served};
use crate::table_id::TableId;
use crate::task;
use address::Address;
pub use book::Seat;
use book::{Hook, Safe};
use post::{Untaken, post};

/// How often turns are looked at.
const LOOK: Duration = Duration::from_millis(500);
/// Between two texts to one address.
const PAUSE: Duration = Duration::from_secs(30);
/// How often it is tried to tell one turn, and after how many failures in a row the webhook is dropped.
const TRIES: u8 = 3;
const FAILURES: u8 = 20;
/// In all, for one player, and from one address.
const MOST: usize = 1024;
const A_PLAYER: usize = 3;
const AN_ADDRESS: usize = 16;
/// Texts on their way at once; addresses that are tried have places of their own.
const AT_ONCE: usize = 8;
/// How often one address may ask for something: so many at once, and one more every so often.
const ASKERS: Allowance = Allowance { most: 12, forgets: 10_000 };
/// The same for texts to one host, from all that asked for them.
const HOSTS: Allowance = Allowance { most: 32, forgets: 2_000 };
const KNOWN: usize = 256;
/// The longest name and key of a request.
const WORD: usize = 64;

/// What the operator allows.
#[derive(Clone, Debug)]
pub struct Terms {
    /// A connected player is told after this; one who is gone, at once.
    pub after: Duration,
    /// Networks of the server's own that are sent to all the same.
    pub networks: Vec<Subnet>,
}

pub struct Webhooks {
    registry: Arc<Registry>,
    terms: Terms,
    hooks: Mutex<Vec<Hook>>,
    safe: Option<Safe>,
    askers: Mutex<Throttle<KNOWN>>,
    hosts: Mutex<Throttle<KNOWN>>,
    sending: Arc<Semaphore>,
    trying: Semaphore,
    start: Instant,
}

/// A text and the player it is for.
struct Letter {
    seat: Seat,
    key: String,
    address: Address,
}

/// A player as seen from the door.
struct Player {
    place: String,
    name: String,
    is_here: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn players(table: &Served) -> Vec<Player> {
    let (mut players, mut at) = (Vec::new(), String::new());
    table.table.each_sight(&mut |sight| match sight {
        Sight::Table { name, .. } => name.clone_into(&mut at),
        Sight::Player { name, is_here, .. } => players.push(Player { place: at.clone(), name: name.into(), is_here }),
        Sight::Guest(_) => {}
    });
    players
}

impl Webhooks {
    /// With those that were kept, if there is a place for them.
    pub fn open(
        registry: Arc<Registry>,
        terms: Terms,
        kept: Option<(Arc<dyn Cabinet>, [u8; 32])>,
    ) -> io::Result<Arc<Self>> {
        let safe = kept.map(|(cabinet, key)| Safe::new(cabinet, &key)).transpose()?;
        let hooks = safe.as_ref().map(Safe::read).transpose()?.unwrap_or_default();
        let (askers, hosts) = (Mutex::new(Throttle::new()), Mutex::new(Throttle::new()));
        let (sending, trying) = (Arc::new(Semaphore::new(AT_ONCE)), Semaphore::new(AT_ONCE));
        let (hooks, start) = (Mutex::new(hooks), Instant::now());
        Ok(Arc::new(Self { registry, terms, hooks, safe, askers, hosts, sending, trying, start }))
    }

    /// Looks at turns, and tells the players who asked for it, for ever.
    pub async fn watch_for_ever(self: Arc<Self>) {
        loop {
            sleep(LOOK).await;
            for letter in self.due() {
                // A player without a place is told at the next look.
                let Ok(place) = self.sending.clone().try_acquire_owned() else {
                    self.settle(&letter, None);
                    continue;
                };
                let webhooks = self.clone();
                task::spawn(async move {
                    let text = format!("It is your turn, {}.", about(&letter.seat));
                    let outcome = post(&letter.address, &text, &webhooks.terms.networks).await;
                    webhooks.settle(&letter, Some(outcome));
                    drop(place);
                });
            }
        }
    }

    /// The texts to send now. A player who no longer plays, or whose table is gone, is forgotten.
    fn due(&self) -> Vec<Letter> {
        let mut hooks = lock(&self.hooks);
        let before = hooks.len();
        let mut tables = BTreeMap::new();
        for hook in hooks.iter() {
            let id = hook.seat.table;
            tables.entry(id).or_insert_with(|| {
                let table = self.registry.find(id.game, id.number)?;
                let players = players(&table);
                Some((table, players))
            });
        }
        let mut due = Vec::new();
        hooks.retain_mut(|hook| {
            let Some(Some((table, players))) = tables.get(&hook.seat.table) else { return false };
            let is_seat = |player: &&Player| player.place == hook.seat.place && player.name == hook.seat.name;
            let Some(player) = players.iter().find(is_seat) else { return false };
            if !std::mem::replace(&mut hook.is_followed, true) {
                table.table.follow_turns(true);
            }
            let awaited = table.table.awaited().into_iter().find(|turn| turn.is(&hook.seat.place, &hook.seat.name));
            if self.is_due(hook, awaited.map(|turn| turn.number), player.is_here) {
                hook.is_sending = true;
                let (seat, key, address) = (hook.seat.clone(), hook.key.clone(), hook.address.clone());
                due.push(Letter { seat, key, address });
            }
            true
        });
        if hooks.len() != before {
            tables.into_keys().for_each(|id| self.leave_alone(&hooks, id));
            self.keep(&hooks);
        }
        due
    }

    fn is_due(&self, hook: &mut Hook, turn: Option<u64>, is_here: bool) -> bool {
        let Some(turn) = turn else {
            return false;
        };
        let now = Instant::now();
        if hook.turn.0 != turn {
            (hook.turn, hook.is_told, hook.tries) = ((turn, now), false, 0);
        }
        let is_time = !is_here || now.duration_since(hook.turn.1) >= self.terms.after;
        let has_rested = hook.sent_at.is_none_or(|sent| now.duration_since(sent) >= PAUSE);
        let may_try = !hook.is_told && !hook.is_sending && hook.tries < TRIES;
        is_time && may_try && has_rested && self.may_send(&hook.address)
    }

    /// What came of it; `None`: it was not tried.
    fn settle(&self, letter: &Letter, outcome: Option<Result<(), Untaken>>) {
        let mut hooks = lock(&self.hooks);
        let Some(place) = hooks.iter().position(|hook| hook.is(&letter.seat, &letter.key)) else { return };
        let Some(hook) = hooks.get_mut(place) else { return };
        hook.is_sending = false;
        let Some(outcome) = outcome else { return };
        hook.sent_at = Some(Instant::now());
        hook.tries = hook.tries.saturating_add(1);
        hook.is_told = outcome.is_ok();
        hook.failures = if outcome.is_ok() { 0 } else { hook.failures.saturating_add(1) };
        if let Err(why) = outcome {
            tracing::debug!(table = %letter.seat.table, ?why, "a webhook was not taken");
        }
        if hook.failures >= FAILURES {
            tracing::info!(table = %letter.seat.table, "a webhook that is never taken is forgotten");
            hooks.remove(place);
            self.leave_alone(&hooks, letter.seat.table);
            self.keep(&hooks);
        }
    }

    /// A table without webhooks need not keep track of turns.
    fn leave_alone(&self, hooks: &[Hook], id: TableId) {
        let is_wanted = hooks.iter().any(|hook| hook.seat.table == id);
        if let (Some(table), false) = (self.registry.find(id.game, id.number), is_wanted) {
            table.table.follow_turns(false);
        }
    }

    fn keep(&self, hooks: &[Hook]) {
        if let Some(Err(error)) = self.safe.as_ref().map(|safe| safe.write(hooks)) {
            warn_seldom!(%error, "can't keep webhooks: after a restart players must set them again");
        }
    }

    fn may(&self, throttle: &Mutex<Throttle<KNOWN>>, who: u128, allowance: Allowance) -> bool {
        let now = Millis(self.start.elapsed().as_millis() as u64);
        let mut throttle = lock(throttle);
        let may = throttle.may(who, allowance, now);
        if may {
            throttle.count(who, allowance, now);
        }
        may
    }

    /// Whether one text more may go to this host.
    fn may_send(&self, address: &Address) -> bool {
        let mut host = DefaultHasher::new();
        address.host().to_ascii_lowercase().hash(&mut host);
        self.may(&self.hosts, host.finish().into(), HOSTS)
    }

    /// Whether there is room for one more.
    fn has_room(&self, seat: &Seat, key: &str, from: u128) -> bool {
        let hooks = lock(&self.hooks);
        let others = || hooks.iter().filter(|hook| !hook.is(seat, key));
        let by = |is: &dyn Fn(&Hook) -> bool| others().filter(|hook| is(hook)).count();
        others().count() < MOST
            && by(&|hook| hook.seat == *seat) < A_PLAYER
            && by(&|hook| hook.from == from) < AN_ADDRESS
    }

    /// Tries the address, and keeps it if it takes what is sent there.
    async fn set(&self, seat: Seat, key: String, address: Address, from: u128) -> Result<(), Refused> {
        if !self.has_room(&seat, &key, from) || !self.may_send(&address) {
            return Err(Refused::TooMany);
        }
        let place = self.trying.try_acquire().map_err(|_| Refused::TooMany)?;
        let text = format!("You will be told here when it is your turn, {}.", about(&seat));
        let outcome = post(&address, &text, &self.terms.networks).await;
        drop(place);
        outcome.map_err(|why| if why == Untaken::Nowhere { Refused::Nowhere } else { Refused::Untaken })?;
        let mut hooks = lock(&self.hooks);
        hooks.retain(|hook| !hook.is(&seat, &key));
        // Others may have asked meanwhile.
        if hooks.len() >= MOST {
            return Err(Refused::TooMany);
        }
        hooks.push(Hook::new(seat, key, address, from));
        self.keep(&hooks);
        Ok(())
    }

    fn remove(&self, seat: &Seat, key: &str) {
        let mut hooks = lock(&self.hooks);
        let before = hooks.len();
        hooks.retain(|hook| !hook.is(seat, key));
        if hooks.len() != before {
            self.leave_alone(&hooks, seat.table);
            self.keep(&hooks);
        }
    }
}

/// A player and a table in words.
fn about(Seat { table, place, name }: &Seat) -> String {
    let title = games::named(table.game).map_or(table.game, |entry| entry.title);
    match place.as_str() {
        // A lobby's table has no number for people.
        "" if GAMES.iter().all(|entry| entry.name != table.game) => format!("{name}: {title}"),
        "" => format!("{name}: {title}, table {}", table.number),
        place => format!("{name}: {title}, {place}"),
    }
}

/// Why a webhook was not set.
enum Refused {
    Address,
    Nowhere,
    Untaken,
    TooMany,
    NoPlayer,
    Body,
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let (status, text) = match self {
            Self::Address => (StatusCode::BAD_REQUEST, "no address like https://ntfy.sh/a-topic\n"),
            Self::Nowhere => {
                (StatusCode::BAD_REQUEST, "there is no such address, or it is inside the server's network\n")
            }
            Self::Untaken => (StatusCode::BAD_GATEWAY, "what was sent there was not taken\n"),
            Self::TooMany => (StatusCode::TOO_MANY_REQUESTS, "not so many, or not so fast\n"),
            Self::NoPlayer => (StatusCode::FORBIDDEN, "nobody plays at this table by that name\n"),
            Self::Body => (StatusCode::BAD_REQUEST, "a place, a name, a key and an address, none of them long\n"),
        };
        (status, text).into_response()
    }
}

/// What `PUT` and `DELETE` take; `DELETE` needs no address.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    #[serde(default)]
    place: String,
    name: String,
    key: String,
    #[serde(default)]
    url: String,
}

#[derive(Serialize)]
pub struct Allowed {
    is_allowed: bool,
}

/// Whether webhooks can be set here: a page asks before it offers any.
pub async fn is_allowed(State(desk): State<Arc<Desk>>) -> Json<Allowed> {
    Json(Allowed { is_allowed: desk.webhooks.is_some() })
}

pub async fn change(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    Path((game, number)): Path<(String, u32)>,
    method: http::Method,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Denied> {
    desk.access().may_come_from(&headers)?;
    let Some(webhooks) = &desk.webhooks else { return Ok(StatusCode::NOT_FOUND.into_response()) };
    let table = desk.registry.find_told(&game, number).ok_or(Denied::NoTable)?;
    let from = origin(caller.address);
    if !webhooks.may(&webhooks.askers, from, ASKERS) {
        return Ok(Refused::TooMany.into_response());
    }
    let wish = serde_json::from_slice::<Wish>(&short_body(body).await?).ok();
    let fits = |wish: &Wish| [&wish.place, &wish.name].iter().all(|word| word.len() <= WORD);
    let Some(wish) = wish.filter(|wish| fits(wish) && (1..=WORD).contains(&wish.key.len())) else {
        return Ok(Refused::Body.into_response());
    };
    let Wish { place, name, key, url } = wish;
    let seat = Seat { table: table.id, place, name };
    let done = if method == http::Method::DELETE {
        webhooks.remove(&seat, &key);
        Ok(())
    } else if !players(&table).iter().any(|player| player.place == seat.place && player.name == seat.name) {
        Err(Refused::NoPlayer)
    } else {
        match Address::read(&url) {
            Some(address) => webhooks.set(seat, key, address, from).await,
            None => Err(Refused::Address),
        }
    };
    Ok(match done {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(refused) => refused.into_response(),
    })
}
