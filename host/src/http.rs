//! The HTTP port: the page, health, metrics, tables, and WebSocket to any table. A table's own WebSocket port speaks through here
//! too.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, delete, get, post, put};
use axum::{Extension, Json, Router};
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use parlor_core::game::Scope;
use serde::{Deserialize, Serialize};
use tokio::task::yield_now;
use tokio::time::{sleep_until, timeout};

use crate::access::{Access, Caller, Denied};
use crate::bot::Pace;
use crate::cli::Strength;
use crate::door::{Door, Guest, Ticket, origin};
use crate::games::Entry;
use crate::mdns::Announcer;
use crate::net::{Braked, PerSecond};
use crate::placement::{Overview, Placement};
use crate::registry::{Cause, NotRemoved, Registry, Served};
use crate::shards::{ClusterView, Moved, Shards, Where};
use crate::table_id::TableId;
use crate::talk::{self, Talk};
use crate::webhook::{self, Webhooks};
use crate::ws::Upgrade;
use crate::{admin, fair, front, metrics, network, serve, web, ws};

/// A request's head must be whole in this time; an idle connection is closed after it.
const HEAD: Duration = Duration::from_secs(30);
/// The least that hyper allows.
const BUFFER: usize = 8 * 1024;
/// The longest body of a request, and the time it may take.
const BODY: usize = 4 * 1024;
pub const IN_TIME: Duration = Duration::from_secs(10);

/// Requests of one connection that are answered in a second: a page with all its files needs fewer. The rest wait unread.
const REQUESTS: u32 = 64;
/// Bots that one request may seat.
const BOTS: u8 = 8;

/// What the requests are answered from.
pub struct Desk {
    pub registry: Arc<Registry>,
    pub door: Arc<Door>,
    pub access: RwLock<Arc<Access>>,
    /// The game of a new table, and where its own port is opened; `None`: it has none.
    pub game: &'static Entry,
    pub address: Option<IpAddr>,
    pub lobbies: Vec<Arc<dyn Placement>>,
    /// How long the bots of this process think.
    pub pace: Pace,
    /// What is said beside games.
    pub talk: Talk,
    /// Tells players of their turns elsewhere; `None`: that is not allowed.
    pub webhooks: Option<Arc<Webhooks>>,
    /// Where the pages are served, once they are.
    pub pages: OnceLock<Vec<SocketAddr>>,
    /// Lobbies and halls that may be at another machine, where this is one of several.
    pub shards: Option<Arc<dyn Shards>>,
    /// By which name they are announced.
    pub announcer: OnceLock<Announcer>,
}

impl Desk {
    /// The rules of access, as of now.
    pub fn access(&self) -> Arc<Access> {
        self.access.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The lobby of this game.
    pub fn lobby(&self, game: &str) -> Option<&Arc<dyn Placement>> {
        self.lobbies.iter().find(|lobby| lobby.is_for(game))
    }

    /// Every server of this process.
    pub fn all(&self) -> Vec<Arc<Served>> {
        let held = self.shards.iter().flat_map(|shards| shards.held());
        self.registry.all().into_iter().chain(held.flat_map(|(_, held)| held.registry.all())).collect()
    }

    /// Whether a page may speak here: ours, or that of another node.
    pub fn may_play_from(&self, headers: &HeaderMap) -> Result<(), Denied> {
        let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok()).unwrap_or_default();
        let is_node = |shards: &Arc<dyn Shards>| shards.origins().iter().any(|node| node.eq_ignore_ascii_case(origin));
        let may = self.access().may_come_from(headers);
        if may.is_err() && self.shards.as_ref().is_some_and(is_node) { Ok(()) } else { may }
    }

    /// Whether this game's next free table can be asked for.
    pub fn has_lobby(&self, game: &str) -> bool {
        self.lobby(game).is_some()
            || self.shards.as_ref().is_some_and(|shards| shards.encoding(&first_shard(game)).is_some())
    }

    /// Whether this game is served, here or elsewhere.
    pub fn serves(&self, game: &str) -> bool {
        let is_shard = self.shards.as_ref().is_some_and(|shards| shards.encoding(&first_shard(game)).is_some());
        is_shard || self.registry.first(game).is_some()
    }

    /// Where others in the network find the pages.
    pub fn addresses(&self) -> Vec<String> {
        let pages = self.pages.get().map(Vec::as_slice).unwrap_or_default();
        let numbers = network::reachable(pages).into_iter().map(network::url);
        numbers.chain(self.announcer.get().map(Announcer::urls).unwrap_or_default()).collect()
    }
}

/// The shard of a client that names none.
fn first_shard(game: &str) -> String {
    format!("{game}.1")
}

/// The shard that a WebSocket's path names.
fn shard_at(game: &str, place: &str) -> String {
    if place == LOBBY { first_shard(game) } else { format!("{game}.{place}") }
}

/// What stands in a path for the number of the next free table.
const LOBBY: &str = "lobby";

/// The sender of a request, and the connection it came over.
#[derive(Clone)]
pub struct Visitor {
    peer: SocketAddr,
    is_told: bool,
    ticket: Arc<Ticket>,
}

/// Every request passes here first: it calls us by a name of ours, and its sender is known from here on.
async fn meet(State(desk): State<Arc<Desk>>, mut request: Request, next: Next) -> Response {
    if let Err(denied) = desk.access().may_be_called(request.headers()) {
        return denied.into_response();
    }
    if let Some(Visitor { peer, is_told, .. }) = request.extensions().get() {
        let mut caller = desk.access().caller(request.headers(), request.version(), *peer);
        // An address that a proxy has told may be that of the proxy's machine: it is not this one's.
        caller.is_local &= !is_told;
        if desk.door.bans.contains(caller.address) {
            return Denied::Banned.into_response();
        }
        request.extensions_mut().insert(caller);
    }
    next.run(request).await
}

/// Everything that the HTTP port answers.
pub fn router(desk: Arc<Desk>) -> Router {
    Router::new()
        .route("/healthz", get(health))
        .route("/metrics", get(figures))
        .route("/tables", get(list).post(make))
        .route("/tables/{number}", delete(remove))
        .route("/tables/{number}/bots", post(seat_bots))
        .route("/bots/{game}/{number}", put(set_pace))
        .route("/", get(web::front))
        .route("/{folder}", get(web::page))
        .route("/{folder}/{file}", get(web::file))
        .route("/{version}/{folder}/{file}", get(web::versioned))
        .route("/lobby", get(web::lobby))
        .route("/fair", get(fair::all))
        .route("/fair/{file}", get(fair::one))
        .route("/where/{game}", get(find_first_shard))
        .route("/where/{game}/{place}", get(find_shard))
        .route("/cluster", get(cluster))
        .route("/drain", post(drain))
        .route("/now", get(front::now))
        .route("/qr.svg", get(front::code))
        .route("/talk/{game}/{number}", get(talk::hear).post(talk::say))
        .route("/notify", get(webhook::is_allowed))
        .route("/notify/{game}/{number}", put(webhook::change).delete(webhook::change))
        .merge(admin::routes())
        .route("/ws/{game}", any(sit_first))
        .route("/ws/{game}/{place}", any(sit))
        .layer(from_fn_with_state(desk.clone(), meet))
        .with_state(desk)
}

/// A table's own WebSocket port: any path leads to it.
pub fn table_router(desk: Arc<Desk>, table: Arc<Served>) -> Router {
    let access = desk.clone();
    let enter = |Extension(visitor), Extension(caller), headers: HeaderMap, upgrade: Upgrade| async move {
        match access.access().may_come_from(&headers) {
            Ok(()) => sit_at(&table, upgrade, &visitor, &caller).into_response(),
            Err(denied) => denied.into_response(),
        }
    };
    Router::new().fallback(any(enter)).layer(from_fn_with_state(desk, meet))
}

/// The same for a shard, wherever it is.
#[cfg(feature = "cluster")]
pub fn sit_by_name(
    desk: &Desk,
    shard: String,
    upgrade: Upgrade,
    Extension(visitor): Extension<Visitor>,
    Extension(caller): Extension<Caller>,
    headers: &HeaderMap,
) -> Result<Response, Denied> {
    desk.may_play_from(headers)?;
    let shards = desk.shards.as_ref().ok_or(Denied::NoTable)?;
    sit_in(shards, shard, upgrade, &visitor, &caller)
}

/// Every request has its sender known before it is answered.
#[cfg(feature = "cluster")]
pub fn met(desk: &Arc<Desk>, router: Router) -> Router {
    router.layer(from_fn_with_state(desk.clone(), meet))
}

/// One connection, request after request, until it ends or the door is shut.
pub async fn answer(guest: Guest, router: Router, door: Arc<Door>) {
    let Guest { stream, peer, is_told, ticket } = guest;
    let visitor = Visitor { peer, is_told, ticket };
    let (service, rate) = (TowerToHyperService::new(router), Mutex::new(PerSecond::new(REQUESTS)));
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(visitor.clone());
        let until = rate.lock().unwrap_or_else(PoisonError::into_inner).note();
        let answering = service.call(request);
        async move {
            match until {
                Some(until) => Box::pin(sleep_until(until)).await,
                // Requests may come by the dozen: between two of them the players have their turn.
                None => yield_now().await,
            }
            answering.await
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(Braked::new(stream)), service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = door.closing_time() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "HTTP connection lost");
    }
}

async fn health(State(desk): State<Arc<Desk>>) -> Response {
    let held = desk.shards.iter().flat_map(|shards| shards.held()).map(|(_, held)| held.registry);
    let is_failing = |registry: Arc<Registry>| registry.journal().is_some_and(|journal| journal.figures.is_failing());
    if held.chain([desk.registry.clone()]).any(is_failing) {
        return (StatusCode::SERVICE_UNAVAILABLE, "the journal can't be written\n").into_response();
    }
    "ok\n".into_response()
}

async fn figures(State(desk): State<Arc<Desk>>) -> Response {
    let kind = [("content-type", "text/plain; version=0.0.4")];
    (kind, metrics::page(&desk)).into_response()
}

/// A table as the list shows it.
#[derive(Serialize)]
struct Row {
    table: u32,
    game: &'static str,
    users: u16,
    players: u16,
    watchers: u16,
    connected: u16,
    links: u64,
    turn: u32,
    phase: &'static str,
    ports: PortsRow,
    path: String,
    /// What this game alone counts.
    #[serde(flatten)]
    own: BTreeMap<&'static str, u32>,
}

#[derive(Serialize)]
struct PortsRow {
    tcp: Vec<SocketAddr>,
    ws: Vec<SocketAddr>,
}

/// All that `GET /tables` tells.
#[derive(Serialize)]
struct List {
    tables: Vec<Row>,
    /// Of the games that have all in one.
    halls: Vec<Row>,
    lobbies: Vec<LobbyRows>,
    connections: u32,
    memory: u64,
}

/// A lobby, with its tables.
#[derive(Serialize)]
struct LobbyRows {
    #[serde(flatten)]
    overview: Overview,
    tables: Vec<Row>,
}

fn row(served: &Served) -> Row {
    let (summary, traffic, ports) = (served.table.summary(), served.table.traffic(), served.ports());
    let name = served.entry.name;
    Row {
        table: served.id.number,
        game: name,
        users: summary.users,
        players: summary.players,
        watchers: summary.watchers,
        connected: summary.connected,
        links: traffic.links,
        turn: summary.turn,
        phase: summary.phase,
        ports: PortsRow { tcp: ports.tcp, ws: ports.ws },
        path: match (served.entry.scope, served.cause) {
            (Scope::Hall, _) => format!("/ws/{name}"),
            // Only the lobby leads there.
            (_, Cause::Lobby) => String::new(),
            _ => format!("/ws/{name}/{}", served.id.number),
        },
        own: BTreeMap::from([summary.own]),
    }
}

async fn list(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Json<List>, Denied> {
    desk.access().may_command(&headers, &caller)?;
    let all = desk.all();
    let rows = |wanted: &dyn Fn(&Served) -> bool| {
        all.iter().filter(|served| wanted(served)).map(|served| row(served)).collect()
    };
    let lobby = |lobby: &Arc<dyn Placement>| LobbyRows {
        overview: lobby.overview(),
        tables: rows(&|served| served.id.game == lobby.entry().name),
    };
    Ok(Json(List {
        tables: rows(&|served| served.entry.scope == Scope::Table && served.cause != Cause::Lobby),
        halls: rows(&|served| served.entry.scope == Scope::Hall),
        lobbies: desk.lobbies.iter().map(lobby).chain(shard_lobbies(&desk)).collect(),
        connections: desk.door.connections(),
        memory: metrics::resident(),
    }))
}

/// The lobbies of a cluster that are here.
fn shard_lobbies(desk: &Desk) -> Vec<LobbyRows> {
    let held = desk.shards.iter().flat_map(|shards| shards.held());
    let rows = held.filter_map(|(_, held)| {
        let tables = held.registry.all().iter().map(|served| row(served)).collect();
        Some(LobbyRows { overview: held.lobby?.overview(), tables })
    });
    rows.collect()
}

/// The owner of a shard, for clients that connect without a detour. The path is that of the WebSocket.
async fn find_shard(
    State(desk): State<Arc<Desk>>,
    Path((game, place)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Json<Where>, Denied> {
    desk.access().may_come_from(&headers)?;
    let found = desk.shards.as_ref().and_then(|shards| shards.find(&shard_at(&game, &place)));
    found.map(Json).ok_or(Denied::NoTable)
}

async fn find_first_shard(
    desk: State<Arc<Desk>>,
    Path(game): Path<String>,
    headers: HeaderMap,
) -> Result<Json<Where>, Denied> {
    find_shard(desk, Path((game, LOBBY.into())), headers).await
}

async fn cluster(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Json<ClusterView>, Denied> {
    desk.access().may_command(&headers, &caller)?;
    desk.shards.as_ref().map(|shards| Json(shards.view())).ok_or(Denied::NoCluster)
}

async fn drain(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Json<Vec<Moved>>, Denied> {
    desk.access().may_command(&headers, &caller)?;
    let shards = desk.shards.clone().ok_or(Denied::NoCluster)?;
    Ok(Json(shards.drain().await))
}

async fn make(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Response, Denied> {
    desk.access().may_command(&headers, &caller)?;
    let Ok(table) = desk.registry.make(desk.game) else {
        return Ok((StatusCode::SERVICE_UNAVAILABLE, "there are as many tables as there may be\n").into_response());
    };
    if let Some(address) = desk.address {
        match serve::open_port(&desk.door, &table, SocketAddr::new(address, 0)) {
            Ok(port) => desk.registry.note_port(&table, port),
            // It can still be reached by WebSocket.
            Err(error) => tracing::warn!(id = %table.id, %error, "no port for a new table"),
        }
    }
    if !desk.registry.saved().await {
        return Ok((StatusCode::SERVICE_UNAVAILABLE, "the journal can't be written\n").into_response());
    }
    Ok((StatusCode::CREATED, Json(row(&table))).into_response())
}

/// Only what was made by request can be removed by one.
async fn remove(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    Path(number): Path<u32>,
    headers: HeaderMap,
) -> Result<Response, Denied> {
    desk.access().may_command(&headers, &caller)?;
    match desk.registry.remove(TableId::new(desk.game.name, number)) {
        Ok(()) => Ok(StatusCode::NO_CONTENT.into_response()),
        Err(NotRemoved::Unknown) => Err(Denied::NoTable),
        Err(NotRemoved::NotAskedFor) => Ok((StatusCode::CONFLICT, "this table is always there\n").into_response()),
    }
}

/// What `POST /tables/N/bots` may say; an empty body is one shrewd bot.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Bots {
    players: u8,
    strength: Strength,
    seed: u32,
    /// Milliseconds that they think, about; without it as long as all bots here do.
    pace: Option<u16>,
}

impl Default for Bots {
    fn default() -> Self {
        Self { players: 1, strength: Strength::Shrewd, seed: 0, pace: None }
    }
}

/// What a request brings. Asked for when it is known that the request may be made: no other is listened to, and none
/// for ever.
pub(crate) async fn short_body(body: Body) -> Result<Bytes, Denied> {
    timeout(IN_TIME, to_bytes(body, BODY)).await.ok().and_then(Result::ok).ok_or(Denied::Body)
}

async fn seat_bots(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    Path(number): Path<u32>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Denied> {
    let table = desk.registry.find(desk.game.name, number);
    // At a table with players, these must let bots in: so anybody at its page may call some.
    let is_attended = table.as_ref().is_some_and(|table| table.table.summary().connected > 0);
    match desk.access().may_command(&headers, &caller) {
        Err(Denied::Token) if is_attended && headers.contains_key(header::ORIGIN) => {}
        may => may?,
    }
    let table = table.ok_or(Denied::NoTable)?;
    let body = short_body(body).await?;
    let asked = if body.is_empty() { Ok(Bots::default()) } else { serde_json::from_slice::<Bots>(&body) };
    match asked {
        Ok(bots) if (1..=BOTS).contains(&bots.players) => {
            let pace = bots.pace.map_or(desk.pace, |pace| Pace(Duration::from_millis(pace.into())));
            if table.seat_bots(bots.players, bots.strength, bots.seed, pace) {
                return Ok((StatusCode::ACCEPTED, Json(row(&table))).into_response());
            }
            Ok((StatusCode::TOO_MANY_REQUESTS, "there are as many bots at this table as there may be\n")
                .into_response())
        }
        Ok(_) => Ok((StatusCode::BAD_REQUEST, "from 1 to 8 players\n").into_response()),
        Err(error) => Ok((StatusCode::BAD_REQUEST, format!("{error}\n")).into_response()),
    }
}

/// No player may slow a game by having its bots think for longer: milliseconds.
const SLOWEST: u16 = 5_000;

/// What `PUT /bots/GAME/N` says: how long the bots think that sit at the game called `place`, or at the table itself,
/// as its players want it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Thinking {
    #[serde(default)]
    place: String,
    /// Milliseconds, about; without it as long as all bots here do.
    pace: Option<u16>,
}

/// A player who has joined there may ask for it, as told by the address: no bot is one player's alone, and the last
/// word counts. Answers whether any sits there.
async fn set_pace(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    Path((game, number)): Path<(String, u32)>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Denied> {
    let table = desk.registry.find(&game, number).ok_or(Denied::NoTable)?;
    let from = Some(origin(caller.address));
    let has_joined = table.table.callers().iter().any(|(_, at, has_joined)| *has_joined && *at == from);
    match desk.access().may_command(&headers, &caller) {
        Err(Denied::Token) if has_joined => {}
        may => may?,
    }
    let thinking = serde_json::from_slice::<Thinking>(&short_body(body).await?).ok();
    let Some(Thinking { place, pace }) = thinking.filter(|thinking| thinking.pace <= Some(SLOWEST)) else {
        return Ok((StatusCode::BAD_REQUEST, "a game, and a pace of at most 5000\n").into_response());
    };
    let pace = pace.map(|pace| Pace(Duration::from_millis(pace.into())));
    let is_any = match place.as_str() {
        "" => table.set_pace(pace.unwrap_or(desk.pace)),
        game => table.table.set_pace(game, pace),
    };
    Ok(Json(is_any).into_response())
}

async fn sit_first(
    State(desk): State<Arc<Desk>>,
    Extension(visitor): Extension<Visitor>,
    Extension(caller): Extension<Caller>,
    Path(game): Path<String>,
    headers: HeaderMap,
    upgrade: Upgrade,
) -> Result<Response, Denied> {
    desk.may_play_from(&headers)?;
    if let Some(shards) = &desk.shards {
        return sit_in(shards, first_shard(&game), upgrade, &visitor, &caller);
    }
    let table = desk.registry.first(&game).ok_or(Denied::NoTable)?;
    sit_at(&table, upgrade, &visitor, &caller)
}

/// A table by its number, or a game's lobby.
async fn sit(
    State(desk): State<Arc<Desk>>,
    Extension(visitor): Extension<Visitor>,
    Extension(caller): Extension<Caller>,
    Path((game, place)): Path<(String, String)>,
    headers: HeaderMap,
    upgrade: Upgrade,
) -> Result<Response, Denied> {
    desk.may_play_from(&headers)?;
    if let Some(shards) = &desk.shards {
        return sit_in(shards, shard_at(&game, &place), upgrade, &visitor, &caller);
    }
    if place == LOBBY {
        let lobby = desk.lobby(&game).ok_or(Denied::NoTable)?.clone();
        let (encoding, origin) = (lobby.entry().encoding, origin(caller.address));
        let ticket = visitor.ticket.of_visitor(caller.address).ok_or(Denied::Crowded)?;
        return Ok(ws::upgrade(upgrade, encoding, ticket, move |stream| lobby.attend(stream, origin)));
    }
    let number = place.parse().map_err(|_| Denied::NoTable)?;
    let table = desk.registry.find(&game, number).filter(|served| served.cause != Cause::Lobby);
    sit_at(&*table.ok_or(Denied::NoTable)?, upgrade, &visitor, &caller)
}

/// A shard, wherever it is.
fn sit_in(
    shards: &Arc<dyn Shards>,
    shard: String,
    upgrade: Upgrade,
    visitor: &Visitor,
    caller: &Caller,
) -> Result<Response, Denied> {
    let encoding = shards.encoding(&shard).ok_or(Denied::NoTable)?;
    let (shards, peer) = (shards.clone(), SocketAddr::new(caller.address, visitor.peer.port()));
    let ticket = visitor.ticket.of_visitor(caller.address).ok_or(Denied::Crowded)?;
    Ok(ws::upgrade(upgrade, encoding, ticket, move |stream| shards.attend(shard, stream, peer)))
}

fn sit_at(served: &Served, upgrade: Upgrade, visitor: &Visitor, caller: &Caller) -> Result<Response, Denied> {
    let (table, from) = (served.table.clone(), origin(caller.address));
    let ticket = visitor.ticket.of_visitor(caller.address).ok_or(Denied::Crowded)?;
    Ok(ws::upgrade(upgrade, served.entry.encoding, ticket, move |stream| table.attend(stream, Some(from))))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;
    use crate::cli::Command;
    use crate::config::Seed;
    use crate::door::Limits;
    use crate::games::GAMES;
    use crate::journal::Journal;
    use crate::net::strangers::Most;
    use crate::net::strangers::Strangers;

    fn desk(journal: Option<Arc<Journal>>, shards: Option<Arc<dyn Shards>>) -> Arc<Desk> {
        let Ok(Command::Serve(serve)) = crate::cli::read(["parlor".into()].into_iter()) else { panic!() };
        let seeds = vec!["00".parse::<Seed>().unwrap(); GAMES.len()];
        let strangers = Arc::new(Strangers::new(serve.lobby.allowance(), Most::default()));
        let registry = Arc::new(Registry::new(&serve.games, &seeds, 1, journal, strangers));
        let access = RwLock::default();
        let door = Arc::new(Door::new(Limits::default(), None));
        Arc::new(Desk {
            registry,
            door,
            access,
            game: &GAMES[0],
            address: None,
            lobbies: Vec::new(),
            pace: Pace::NONE,
            talk: Talk::new(None),
            webhooks: None,
            pages: OnceLock::new(),
            shards,
            announcer: OnceLock::new(),
        })
    }

    /// A node of a cluster that browsers reach at two origins.
    struct Nodes;

    impl Shards for Nodes {
        fn encoding(&self, _: &str) -> Option<parlor_core::game::Encoding> {
            None
        }
        fn attend(self: Arc<Self>, _: String, _: Box<dyn crate::net::Stream>, _: SocketAddr) -> crate::task::Task {
            Box::pin(async {})
        }
        fn find(&self, shard: &str) -> Option<Where> {
            let ways = vec!["https://b.example".into(), String::new()];
            let found = Where { shard: shard.into(), node: None, epoch: 0, here: false, public: None, ways };
            Some(found).filter(|_| shard == "yard.1")
        }
        fn origins(&self) -> Vec<String> {
            vec!["https://a.example".into(), "https://b.example:8443".into()]
        }
        fn view(&self) -> ClusterView {
            ClusterView { node: String::new(), nodes: Vec::new(), shards: Vec::new(), doubts: Vec::new() }
        }
        fn held(&self) -> Vec<(String, crate::shards::Held)> {
            Vec::new()
        }
        fn figures(&self) -> crate::shards::ClusterFigures {
            crate::shards::ClusterFigures::default()
        }
        fn drain(self: Arc<Self>) -> crate::shards::Draining {
            Box::pin(async { Vec::new() })
        }
    }

    #[tokio::test]
    async fn a_page_of_another_node_may_play_here_and_no_stranger() {
        let (node, alone) = (desk(None, Some(Arc::new(Nodes))), desk(None, None));
        let headers = |origin: &str| {
            let named = [(header::HOST, "a.example"), (header::ORIGIN, origin)];
            HeaderMap::from_iter(named.map(|(name, value)| (name, value.parse().unwrap())))
        };
        assert!(node.may_play_from(&headers("https://b.example:8443")).is_ok());
        assert!(alone.may_play_from(&headers("https://b.example:8443")).is_err());
        for stranger in ["https://b.example", "https://c.example", "null", ""] {
            assert!(node.may_play_from(&headers(stranger)).is_err(), "{stranger}");
        }
    }

    #[tokio::test]
    async fn a_page_of_a_cluster_is_told_so_and_may_connect_to_every_node() {
        let page = async |desk: Arc<Desk>, gzip: bool| {
            let accepted = [(header::ACCEPT_ENCODING, if gzip { "gzip" } else { "identity" })];
            let headers = HeaderMap::from_iter(accepted.map(|(name, value)| (name, value.parse().unwrap())));
            let answer = web::page(State(desk), Path(GAMES[0].name.into()), headers).await;
            let policy = answer.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
            let mut body = to_bytes(answer.into_body(), 1 << 20).await.unwrap().to_vec();
            if gzip {
                let mut plain = Vec::new();
                std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&body[..]), &mut plain).unwrap();
                body = plain;
            }
            (policy, String::from_utf8(body).unwrap())
        };
        let (policy, alone) = page(desk(None, None), true).await;
        assert!(!policy.contains("connect-src") && !alone.contains("data-cluster"));
        for gzip in [true, false] {
            let (policy, clustered) = page(desk(None, Some(Arc::new(Nodes))), gzip).await;
            let nodes = "https://a.example wss://a.example https://b.example:8443 wss://b.example:8443";
            assert!(policy.ends_with(&format!("; connect-src 'self' {nodes}")), "{policy}");
            assert_eq!(clustered.replacen(" data-cluster=\"1\"", "", 1), alone);
        }
    }

    #[tokio::test]
    async fn where_takes_the_path_of_the_websocket() {
        let node = desk(None, Some(Arc::new(Nodes)));
        let ways = async |place: Option<&str>| {
            let (desk, headers) = (State(node.clone()), HeaderMap::new());
            let found = match place {
                Some(place) => find_shard(desk, Path(("yard".into(), place.into())), headers).await,
                None => find_first_shard(desk, Path("yard".into()), headers).await,
            };
            found.map(|Json(found)| found.ways.len())
        };
        assert_eq!([ways(None).await, ways(Some("lobby")).await, ways(Some("1")).await], [Ok(2); 3]);
        assert_eq!(ways(Some("2")).await, Err(Denied::NoTable));
        let alone = find_shard(State(desk(None, None)), Path(("yard".into(), "1".into())), HeaderMap::new()).await;
        assert!(alone.is_err());
    }

    #[tokio::test]
    async fn a_journal_that_fails_is_no_good_health() {
        let journal = Journal::new(true, 0);
        let desk = desk(Some(journal.clone()), None);
        assert_eq!(health(State(desk.clone())).await.status(), StatusCode::OK);
        journal.figures.failing.store(true, Relaxed);
        assert_eq!(health(State(desk.clone())).await.status(), StatusCode::SERVICE_UNAVAILABLE);
        journal.figures.failing.store(false, Relaxed);
        assert_eq!(health(State(desk)).await.status(), StatusCode::OK);
    }
}
