//! `parlor serve`: opens the ports, says so, and closes them cleanly when told to stop.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, RwLock};
use std::time::Duration;

use parlor_core::game::Scope;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::timeout;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::access::Access;
use crate::bans::Bans;
use crate::bot::Pace;
use crate::cli::{Durability, Exit, LogFormat, Running, Serve, addresses};
use crate::config::{self, Seed};
use crate::door::{Door, Guest, listen, origin};
use crate::flags::Asked;
use crate::games::GAMES;
use crate::house_bots::{Bots, Key};
use crate::http::{self, Desk};
use crate::journal::{Cabinet, FileStore, Files, Journal, Store, StoreError, Threads, restore};
use crate::mdns::Announcer;
use crate::net::LAST_WORDS;
use crate::net::strangers::Strangers;
use crate::pcap::Capture;
use crate::placement::{Past, Placement, Plan};
use crate::registry::{Cause, Registry, Served};
use crate::reload::{self, Reload};
use crate::services::{self, HostServices};
use crate::table_id::TableId;
use crate::talk::Talk;
use crate::task;
use crate::vault::Vault;
use crate::webhook::{self, Webhooks};
use crate::{cli, mdns, network, notify, ports, tls};

/// How long we wait for clients that take their time to leave.
pub(crate) const PATIENCE: Duration = Duration::from_secs(LAST_WORDS.as_secs() + 2);

/// How long it may take to say that a name is free again.
const FAREWELL: Duration = Duration::from_millis(500);

/// Files that no connection takes.
const RESERVE: u32 = 64;
/// Connections that there are files for, however few the system allows.
const LEAST: u32 = 16;

pub async fn run(args: Serve) -> Result<(), Exit> {
    begin_log(&args.running)?;
    let files = raise_file_limit();
    let mut signals = Signals::new()?;
    let secure = tls::set_up(&args.tls, args.running.data.as_deref())?;
    let secured = secure.as_ref().map(tls::Secure::announced);
    let access = Arc::new(Access::new(&args.network));
    let seeds = args.games.iter().map(|_| args.running.seed.map_or_else(Seed::from_system, Ok));
    let seeds = seeds.collect::<Result<Vec<_>, _>>()?;
    let books = open_books(&args.running)?;
    let journal = books.as_ref().map(|books| books.journal.clone());
    let strangers = Arc::new(Strangers::new(args.lobby.allowance(), args.limits.of_address()));
    let registry = Arc::new(Registry::new(&args.games, &seeds, args.limits.max_tables, journal, strangers));
    let (saved, books) =
        books.map(|books| (books.saved, (books.journal, books.threads, books.folder, books.disk))).unzip();
    if let Some(saved) = saved {
        registry.revive(saved);
    }
    let disk = books.as_ref().map(|(.., disk)| disk.clone());
    let bans = Bans::kept(disk.clone().map(|disk| disk as _))
        .map_err(|error| Exit::fault(format!("can't read who is banned: {error}")))?;
    let tls = secure.as_ref().map(|secure| secure.tls.clone());
    let door = Door::new(reload::limits(&args, &access, files), tls).with_bans(bans);
    let door = Arc::new(door.with_capture(begin_capture(args.running.pcap.as_deref())?));
    let lobbies = open_lobbies(&args, &seeds, &registry, disk.as_deref().map(|disk| disk as _))?;
    let staff = Staff::hire(&args, disk.map(|disk| disk as _), registry.strangers.clone())?;
    let webhooks = staff.webhooks(&args.running, &registry)?;
    let desk = Arc::new(Desk {
        registry: registry.clone(),
        door: door.clone(),
        access: RwLock::new(access),
        game: &GAMES[0],
        address: args.games.first().and_then(|asked| asked.tcp.first()).map(SocketAddr::ip),
        lobbies: lobbies.iter().map(|(lobby, _)| lobby.clone()).collect(),
        pace: Pace(args.running.bot_pace),
        talk: Talk::new(staff.cabinet.clone()),
        webhooks: webhooks.clone(),
        pages: OnceLock::new(),
        shards: None,
        announcer: OnceLock::new(),
    });

    let (mut open, mut halls) = (Vec::new(), Vec::new());
    for asked in &args.games {
        let services = staff.services(asked);
        open.extend(open_game(&desk, asked, args.network.tables, &services)?);
        halls.push((asked.entry.name, services));
    }
    registry.put_to_rest();
    open_again(&desk);
    for (lobby, at) in &lobbies {
        open.push(open_lobby(&door, lobby, at)?);
    }
    let pages = open_http(&desk, &addresses(&args.network.http))?;
    let _ = desk.pages.set(pages.at.clone());
    announce_name(&desk, &args.network);
    open.push(pages);
    task::spawn(registry.clone().sweep_for_ever());
    if let Some(webhooks) = webhooks {
        task::spawn(webhooks.watch_for_ever());
    }
    if let Some((journal, _, folder, _)) = &books {
        first_words(journal, folder).await?;
    }
    let files = files_for_connections(files, &open);
    let kept = books.as_ref().map(|(_, _, folder, _)| (folder.as_path(), args.running.durability));
    let friends = if args.network.lan { for_friends(&desk, &open) } else { String::new() };
    let state = Announced { secured: secured.as_deref(), kept, waiting: registry.waiting(), friends };
    let following = reload::follow(secure, &door);
    let mut reload = Reload { args: args.clone(), files, desk: desk.clone(), halls, following };
    reload.check_files();
    announce(&open, &state).map_err(|error| Exit::failure(format!("can't write: {error}")))?;
    notify::tell("READY=1");

    while signals.wait().await == Heard::Reload {
        reload.again();
    }
    tracing::info!("stopping");
    notify::tell("STOPPING=1");
    take_name_back(&desk).await;
    door.shut();
    lobbies.iter().for_each(|(lobby, _)| lobby.stop());
    registry.stop();
    tokio::select! {
        left = timeout(PATIENCE, door.everybody_left()) => {
            if left.is_err() {
                tracing::warn!(connections = door.connections(), "not everybody left in time");
            }
        }
        () = signals.stop() => tracing::warn!("stopped at once"),
    }
    match books {
        Some((journal, threads, ..)) => close_books(&journal, threads).await,
        None => Ok(()),
    }
}

pub(crate) fn begin_capture(file: Option<&Path>) -> Result<Option<Arc<Capture>>, Exit> {
    let Some(file) = file else { return Ok(None) };
    let capture = Capture::create(file);
    capture.map(Some).map_err(|error| Exit::fault(format!("can't write the capture {}: {error}", file.display())))
}

/// The journal and what it told of earlier days.
struct Books {
    journal: Arc<Journal>,
    threads: Threads,
    saved: restore::House,
    disk: Arc<Files>,
    folder: PathBuf,
}

fn open_books(running: &Running) -> Result<Option<Books>, Exit> {
    if running.durability == Durability::Off {
        return Ok(None);
    }
    let folder = config::data_dir(running.data.as_deref())?;
    let fault = |error: StoreError| match error {
        StoreError::Taken => {
            let other = "another parlor keeps its games there (--data DIR for another directory, or --durability off)";
            Exit::fault(format!("{}: {other}", folder.display()))
        }
        StoreError::Version(text) => Exit::fault(format!("{}: {text}", folder.display())),
        StoreError::Io(error) => {
            Exit::fault(format!("can't keep games in {}: {error} (--durability off to go without)", folder.display()))
        }
    };
    let disk = Arc::new(Files::unlocked(&folder));
    let store: Arc<dyn Store> = Arc::new(FileStore::new(disk.clone()));
    store.take().map_err(fault)?;
    let start = std::time::Instant::now();
    let mut saved = restore::read(&*store, restore::From::Newest, &mut restore::Logged).map_err(fault)?;
    restore::put_aside(&*store, &saved);
    // A seed that is given is there to repeat what happened: tables go on as they did.
    if running.seed.is_none() {
        saved.begin_keys();
    }
    if !saved.tables.is_empty() {
        let (tables, records, ms) = (saved.tables.len(), saved.replayed, start.elapsed().as_millis() as u64);
        tracing::info!(tables, records, ms, "saved games go on, each with the rules and dice that it was begun with");
    }
    let journal = Journal::resume(running.durability == Durability::Strict, &saved);
    let threads = Threads::start(&journal, &store).map_err(|error| fault(error.into()))?;
    Ok(Some(Books { journal, threads, saved, disk, folder }))
}

/// A lobby and where it is asked for.
type AskedLobby<'a> = (Arc<dyn Placement>, &'a [SocketAddr]);

/// The lobbies that are asked for, with the tables they had.
fn open_lobbies<'a>(
    args: &'a Serve,
    seeds: &[Seed],
    registry: &Arc<Registry>,
    disk: Option<&dyn Cabinet>,
) -> Result<Vec<AskedLobby<'a>>, Exit> {
    let fault = |error| Exit::fault(format!("can't keep a lobby's tables: {error} (--durability off to go without)"));
    let mut lobbies = Vec::new();
    for (asked, seed) in args.games.iter().zip(seeds).filter(|(asked, _)| !asked.lobby.is_empty()) {
        let Some(lobby) = asked.entry.lobby else { continue };
        let past = match disk {
            Some(disk) => Past::begin(disk, lobby.tables.name, seed.of_lobby()).map_err(fault)?,
            None => Past::none(seed.of_lobby()),
        };
        let (past, chosen, terms) = (&past, &asked.chosen, args.lobby);
        let plan = Plan { entry: &lobby.tables, past, chosen, terms, registry };
        lobbies.push(((lobby.open)(plan), &asked.lobby[..]));
    }
    Ok(lobbies)
}

/// What servers need to have their requests served.
struct Staff {
    vault: Arc<Vault>,
    key: Key,
    strangers: Arc<Strangers>,
    pace: Pace,
    cabinet: Option<Arc<dyn Cabinet>>,
}

impl Staff {
    fn hire(args: &Serve, cabinet: Option<Arc<dyn Cabinet>>, strangers: Arc<Strangers>) -> Result<Self, Exit> {
        let key = match &cabinet {
            Some(cabinet) => Key::keep(&**cabinet),
            None => Key::fresh(),
        };
        let key = key.map_err(|error| Exit::fault(format!("can't keep the bots' key: {error}")))?;
        let pace = Pace(args.running.bot_pace);
        let vault = Arc::new(Vault::counted(strangers.hashing.clone()));
        Ok(Self { vault, key, strangers, pace, cabinet })
    }

    /// Tells players of their turns elsewhere, where that is allowed.
    fn webhooks(&self, running: &Running, registry: &Arc<Registry>) -> Result<Option<Arc<Webhooks>>, Exit> {
        if !running.notify {
            return Ok(None);
        }
        let terms = webhook::Terms { after: running.notify_after, networks: running.notify_network.clone() };
        let kept = self.cabinet.clone().map(|cabinet| (cabinet, self.key.of("webhooks")));
        let opened = Webhooks::open(registry.clone(), terms, kept);
        opened.map(Some).map_err(|error| Exit::fault(format!("can't read who is told of a turn: {error}")))
    }

    fn services(&self, asked: &Asked) -> HostServices {
        let terms = (services::accounts(asked), self.strangers.clone());
        let bots = Bots::new(asked.entry, &self.key, self.pace);
        HostServices::new(asked.entry, self.vault.clone(), bots, terms, self.cabinet.clone())
    }
}

/// How every table stands is safe before any client is let in.
async fn first_words(journal: &Journal, folder: &Path) -> Result<(), Exit> {
    while timeout(Duration::from_millis(100), journal.flush()).await.is_err() {
        if journal.figures.is_failing() {
            return Err(Exit::fault(format!("can't write to {}: is the disk full?", folder.display())));
        }
    }
    Ok(())
}

/// Everything that happened is on the disk before the process ends.
async fn close_books(journal: &Arc<Journal>, threads: Threads) -> Result<(), Exit> {
    journal.stop();
    match tokio::task::spawn_blocking(|| threads.join()).await {
        Ok(true) => Ok(()),
        _ => Err(Exit::failure("the journal could not be written: the last moves, which nobody was told of, are lost")),
    }
}

/// Tables with a port of their own get it again, or another.
fn open_again(desk: &Arc<Desk>) {
    for table in desk.registry.all() {
        let Some(port) = table.saved_port else {
            if table.cause == Cause::Standing && table.ports().tcp.is_empty() && table.ports().ws.is_empty() {
                tracing::info!(id = %table.id, "a table has no port; WebSocket at /ws/GAME/TABLE leads to it");
            }
            continue;
        };
        let opened = open_port(&desk.door, &table, port).or_else(|error| {
            tracing::warn!(id = %table.id, %port, %error, "a saved table can't have its port again");
            let other = open_port(&desk.door, &table, SocketAddr::new(port.ip(), 0))?;
            desk.registry.note_port(&table, other);
            Ok::<_, io::Error>(other)
        });
        if let Err(error) = opened {
            tracing::warn!(id = %table.id, %error, "no port for a saved table");
        }
    }
}

/// What was asked for under one flag, and where it is served.
pub(crate) struct Opened {
    pub flag: String,
    pub at: Vec<SocketAddr>,
}

/// The standing tables of a game or its hall, on every port asked for.
fn open_game(desk: &Arc<Desk>, asked: &Asked, tables: u16, services: &HostServices) -> Result<[Opened; 2], Exit> {
    let entry = asked.entry;
    let name = entry.name;
    let made = match entry.scope {
        // It has no port to be reached at: it is not there. What was saved of it is kept for another time.
        Scope::Hall if asked.tcp.is_empty() && asked.ws.is_empty() => Vec::new(),
        Scope::Hall => vec![desk.registry.hall(entry, services)],
        Scope::Table => {
            let over = |_| Exit::fault("--tables asks for more tables than --max-tables allows");
            desk.registry.standing(entry, tables).map_err(over)?
        }
    };
    let tables = made.len() as u16;
    let mut plain = Opened { flag: name.into(), at: Vec::new() };
    for address in &asked.tcp {
        for (listener, table) in consecutive(&plain.flag, *address, tables)?.into_iter().zip(&made) {
            plain.at.push(serve_table(&desk.door, table, listener).map_err(|error| no_port(name, *address, &error))?);
        }
    }
    let mut web = Opened { flag: format!("{name}-ws"), at: Vec::new() };
    for address in &asked.ws {
        for (listener, table) in consecutive(&web.flag, *address, tables)?.into_iter().zip(&made) {
            let at = listener.local_addr().map_err(|error| no_port(&web.flag, *address, &error))?;
            web.at.push(at);
            let (router, door) = (http::table_router(desk.clone(), table.clone()), desk.door.clone());
            let receive = move |guest: Guest| http::answer(guest, router.clone(), door.clone());
            table.add_ws(at, task::spawn(desk.door.clone().watch(listener, receive)).abort_handle());
        }
    }
    Ok([plain, web])
}

fn open_lobby(door: &Arc<Door>, lobby: &Arc<dyn Placement>, asked: &[SocketAddr]) -> Result<Opened, Exit> {
    let mut opened = Opened { flag: lobby.entry().name.into(), at: Vec::new() };
    for address in asked {
        let listener = listen(*address).map_err(|error| no_port(&opened.flag, *address, &error))?;
        opened.at.push(listener.local_addr().map_err(|error| no_port(&opened.flag, *address, &error))?);
        let lobby = lobby.clone();
        let receive = move |Guest { stream, peer, ticket, .. }: Guest| {
            let lobby = lobby.clone();
            async move {
                lobby.attend(stream, origin(peer.ip())).await;
                drop(ticket);
            }
        };
        task::spawn(door.clone().watch(listener, receive));
    }
    Ok(opened)
}

pub(crate) fn open_http(desk: &Arc<Desk>, asked: &[SocketAddr]) -> Result<Opened, Exit> {
    let mut opened = Opened { flag: "http".into(), at: Vec::new() };
    for address in asked {
        let listener = listen(*address).map_err(|error| no_port("http", *address, &error))?;
        opened.at.push(listener.local_addr().map_err(|error| no_port("http", *address, &error))?);
        let (router, door) = (http::router(desk.clone()), desk.door.clone());
        let receive = move |guest: Guest| http::answer(guest, router.clone(), door.clone());
        task::spawn(desk.door.clone().watch(listener, receive));
    }
    Ok(opened)
}

/// One more port for a table.
pub fn open_port(door: &Arc<Door>, table: &Arc<Served>, address: SocketAddr) -> io::Result<SocketAddr> {
    serve_table(door, table, listen(address)?)
}

fn serve_table(door: &Arc<Door>, table: &Arc<Served>, listener: TcpListener) -> io::Result<SocketAddr> {
    let at = listener.local_addr()?;
    let handle = table.table.clone();
    let receive = move |Guest { stream, peer, ticket, .. }: Guest| {
        let task = handle.clone().attend(stream, Some(origin(peer.ip())));
        async move {
            task.await;
            drop(ticket);
        }
    };
    table.add_tcp(at, task::spawn(door.clone().watch(listener, receive)).abort_handle());
    Ok(at)
}

/// As many ports in a row, for what this flag asks for.
pub(crate) fn consecutive(flag: &str, address: SocketAddr, count: u16) -> Result<Vec<TcpListener>, Exit> {
    ports::row(address, count).map_err(|(address, error)| no_port(flag, address, &error))
}

pub(crate) fn no_port(flag: &str, address: SocketAddr, error: &io::Error) -> Exit {
    let why = match error.kind() {
        io::ErrorKind::AddrInUse => "the port is in use".to_owned(),
        io::ErrorKind::PermissionDenied => "this port needs more rights".to_owned(),
        io::ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
        _ => error.to_string(),
    };
    Exit::fault(format!("can't listen at {address} for --{flag}: {why}"))
}

/// Has the pages found by a name, where that is asked for and others could come.
pub(crate) fn announce_name(desk: &Desk, asked: &cli::Network) {
    let Some(name) = &asked.mdns else { return };
    let pages = desk.pages.get().map(Vec::as_slice).unwrap_or_default();
    let at = pages.iter().find(|at| !at.ip().is_loopback() || asked.mdns_at.iter().any(|own| at.ip() == *own));
    let Some(port) = at.map(SocketAddr::port) else {
        tracing::warn!("--mdns announces nothing: the pages are for this machine alone (--lan, or --http, opens them)");
        return;
    };
    let names = GAMES.iter().map(|entry| entry.name).filter(|game| desk.serves(game));
    let text = format!("games={}", names.collect::<Vec<_>>().join(","));
    let plan = mdns::Plan { name: name.clone(), port, text, at: asked.mdns_at.clone() };
    let _ = desk.announcer.set(Announcer::start(plan));
}

/// The pages' name is free again, where they had one.
pub(crate) async fn take_name_back(desk: &Desk) {
    if let Some(announcer) = desk.announcer.get() {
        // Sockets that take no packet must not delay the end.
        let _ = timeout(FAREWELL, announcer.stop()).await;
    }
}

/// How friends in the same network come in: where their browsers go, and what may stand in their way.
pub(crate) fn for_friends(desk: &Desk, open: &[Opened]) -> String {
    let addresses = desk.addresses();
    let mut words = match &addresses[..] {
        [] => String::from("  this machine is in no network: nobody else can come in\n"),
        _ => format!("  friends open   {}\n", addresses.join("  ")),
    };
    if let Some(first) = addresses.first().filter(|_| io::stderr().is_terminal()) {
        words += &network::letters(first).unwrap_or_default();
    }
    let mut ports: Vec<u16> = open.iter().flat_map(|opened| &opened.at).map(SocketAddr::port).collect();
    ports.sort_unstable();
    ports.dedup();
    let ports: Vec<String> = ports.iter().map(u16::to_string).collect();
    let _ =
        writeln!(words, "  if they can't, let these TCP ports through this machine's firewall: {}", ports.join(" "));
    words
}

/// What the banner says beside the ports.
pub(crate) struct Announced<'a> {
    /// How TLS is spoken, if it is.
    pub secured: Option<&'a str>,
    pub kept: Option<(&'a Path, Durability)>,
    /// By table, the settings that wait for its next game.
    pub waiting: Vec<(TableId, Vec<&'static str>)>,
    /// How friends in the same network come in.
    pub friends: String,
}

/// A banner for people, then the one line for programs.
pub(crate) fn announce(open: &[Opened], state: &Announced<'_>) -> io::Result<()> {
    let Announced { secured, kept, waiting, friends } = state;
    let mut banner = format!("parlor {}\n", env!("CARGO_PKG_VERSION"));
    let mut ready = String::from("ready");
    for Opened { flag, at } in open {
        let at: Vec<String> = at.iter().map(SocketAddr::to_string).collect();
        let named = if at.is_empty() { "off".to_owned() } else { at.join(",") };
        let shown = match &at[..] {
            [first, .., last] if at.len() > 4 => format!("{first} … {last} ({} ports)", at.len()),
            _ => named.replace(',', " "),
        };
        let _ = writeln!(banner, "  {flag:<10} {shown}");
        let _ = write!(ready, " {flag}={named}");
    }
    if let Some(secured) = secured {
        let _ = writeln!(banner, "  {secured}");
    }
    let _ = match kept {
        Some((folder, Durability::Relaxed)) => writeln!(banner, "  games are saved in {} (relaxed)", folder.display()),
        Some((folder, _)) => writeln!(banner, "  games are saved in {}", folder.display()),
        None => writeln!(banner, "  games are not saved"),
    };
    for (id, names) in waiting {
        let flags: Vec<String> = names.iter().map(|name| format!("--{}", name.replace('_', "-"))).collect();
        let _ =
            writeln!(banner, "  table {id} is being played by its old rules; from the next game: {}", flags.join(" "));
    }
    banner += friends;
    io::stderr().write_all(banner.as_bytes())?;
    let mut out = io::stdout().lock();
    writeln!(out, "{ready}")?;
    out.flush()
}

pub(crate) fn begin_log(running: &Running) -> Result<(), Exit> {
    let fault = |error| Exit::fault(format!("--log {}: {error}", running.log));
    let filter: Targets = running.log.parse().map_err(fault)?;
    // A word without a level would be a target with all that it says: a mistyped level would leave no line of anybody else.
    let is_level = |part: &str| part.parse::<LevelFilter>().is_ok();
    if let Some(part) = running.log.split(',').find(|part| !part.contains('=') && !is_level(part)) {
        return Err(Exit::fault(format!(
            "--log {}: `{part}` is no level, nor a filter like parlor=debug",
            running.log
        )));
    }
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(io::stderr().is_terminal());
    let log = tracing_subscriber::registry().with(filter);
    let begun = match running.log_format {
        LogFormat::Human => log.with(lines).try_init(),
        LogFormat::Json => log.with(lines.json()).try_init(),
    };
    begun.map_err(|error| Exit::failure(format!("can't write a log: {error}")))
}

/// A connection is a file to the system: allow as many as it lets us. How many that is.
pub(crate) fn raise_file_limit() -> u32 {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        tracing::debug!(%error, "the limit of open files stays as it is");
    }
    getrlimit(Resource::Nofile).current.map_or(u32::MAX, |files| u32::try_from(files).unwrap_or(u32::MAX))
}

/// Files that connections may take: the journal, its snapshots, certificates and ports that are opened later have theirs
/// whatever happens at the door.
pub(crate) fn files_for_connections(files: u32, open: &[Opened]) -> u32 {
    let ports = open.iter().map(|opened| opened.at.len() as u32).sum::<u32>();
    files.saturating_sub(RESERVE.saturating_add(ports)).max(LEAST)
}

/// What was asked of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Stop,
    Reload,
}

/// SIGTERM and SIGINT ask us to stop, SIGHUP to read the settings again.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    pub fn new() -> Result<Self, Exit> {
        let listen = |kind| signal(kind).map_err(|error| Exit::failure(format!("can't listen to signals: {error}")));
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    pub async fn wait(&mut self) -> Heard {
        tokio::select! {
            _ = self.terminate.recv() => Heard::Stop,
            _ = self.interrupt.recv() => Heard::Stop,
            _ = self.hang_up.recv() => Heard::Reload,
        }
    }

    pub async fn stop(&mut self) {
        while self.wait().await != Heard::Stop {}
    }
}
