//! `parlor serve`: opens the ports, says so, and closes them cleanly when told to stop.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::timeout;
use tracing_subscriber::EnvFilter;

use crate::access::Access;
use crate::cli::{Durability, Exit, LogFormat, Running, Serve, addresses};
use crate::config::{self, Seed};
use crate::door::{Door, Guest, listen, origin};
use crate::games::{self, Game};
use crate::house::{House, Table};
use crate::http::{self, Desk};
use crate::journal::{Disk, FileStore, Files, Journal, Store, StoreError, Threads, restore};
use crate::lobby::{Lobby, Past};
use crate::net::LAST_WORDS;
use crate::yard::{Butler, Key};
use crate::{notify, tls};

/// How long we wait for clients that take their time to leave.
const PATIENCE: Duration = Duration::from_secs(LAST_WORDS.as_secs() + 2);

pub async fn run(args: Serve) -> Result<(), Exit> {
    begin_log(&args.running)?;
    raise_file_limit();
    let mut signals = Signals::new()?;
    let secure = tls::set_up(&args.tls, args.running.data.as_deref())?;
    let (acceptor, fingerprint) = secure.map(|secure| (secure.acceptor, secure.fingerprint)).unzip();
    let limits = &args.limits;
    let door = Arc::new(Door::new(limits.max_connections, limits.max_per_address, acceptor));
    let seed = args.running.seed.map_or_else(Seed::from_system, Ok)?;
    let mut books = open_books(&args.running)?;
    let journal = books.as_ref().map(|books| books.journal.clone());
    let house = Arc::new(House::new(config::rules(&args), seed, limits.max_tables, journal));
    let lobby_at = addresses(&args.network.pimp_lobby);
    let lobby = if lobby_at.is_empty() { None } else { Some(open_past(&args, seed, books.as_mut())?) };
    let staff = Staff::hire(&args, books.as_ref())?;
    let (saved, books) = books.map(|books| (books.saved, (books.journal, books.threads, books.folder))).unzip();
    if let Some(saved) = saved {
        house.revive(saved);
    }
    let desk = Arc::new(Desk {
        house: house.clone(),
        door: door.clone(),
        access: Access { origins: args.network.origin.clone(), token: args.network.token.clone() },
        game: &games::PIMP,
        address: addresses(&args.network.pimp).first().map(SocketAddr::ip),
        lobby: lobby.clone(),
    });

    let mut open = Vec::new();
    for ports in games::asked(&args) {
        open.extend(open_game(&desk, &ports, args.network.tables, &staff)?);
    }
    open_again(&desk);
    if let Some(lobby) = &lobby {
        open.push(open_lobby(&door, lobby, &lobby_at)?);
    }
    open.push(open_http(&desk, &addresses(&args.network.http))?);
    if let Some((journal, _, folder)) = &books {
        first_words(journal, folder).await?;
    }
    let kept = books.as_ref().map(|(_, _, folder)| (folder.as_path(), args.running.durability));
    announce(&open, fingerprint.as_deref(), kept).map_err(|error| Exit::failure(format!("can't write: {error}")))?;
    notify::tell("READY=1");

    signals.wait().await;
    tracing::info!("stopping");
    notify::tell("STOPPING=1");
    door.shut();
    house.stop();
    lobby.iter().for_each(|lobby| lobby.stop());
    tokio::select! {
        left = timeout(PATIENCE, door.everybody_left()) => {
            if left.is_err() {
                tracing::warn!(connections = door.connections(), "not everybody left in time");
            }
        }
        () = signals.wait() => tracing::warn!("stopped at once"),
    }
    match books {
        Some((journal, threads, _)) => close_books(&journal, threads).await,
        None => Ok(()),
    }
}

/// The journal and what it told of earlier days.
struct Books {
    journal: Arc<Journal>,
    threads: Threads,
    saved: restore::House,
    disk: Arc<dyn Disk>,
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
    let disk: Arc<dyn Disk> = Arc::new(Files::look(&folder));
    let store: Arc<dyn Store> = Arc::new(FileStore::new(disk.clone()));
    store.take().map_err(fault)?;
    let start = std::time::Instant::now();
    let saved = restore::read(&*store, restore::From::Newest, &mut restore::Logged).map_err(fault)?;
    restore::put_aside(&*store, &saved);
    if !saved.tables.is_empty() {
        let (tables, records, ms) = (saved.tables.len(), saved.replayed, start.elapsed().as_millis() as u64);
        tracing::info!(tables, records, ms, "saved games go on, each with the rules and dice that it was begun with");
    }
    let journal = Journal::resume(running.durability == Durability::Strict, &saved);
    let threads = Threads::start(&journal, &store).map_err(|error| fault(error.into()))?;
    Ok(Some(Books { journal, threads, saved, disk, folder }))
}

/// The lobby, with the tables it had.
fn open_past(args: &Serve, seed: Seed, books: Option<&mut Books>) -> Result<Arc<Lobby>, Exit> {
    let fault = |error| Exit::fault(format!("can't keep the lobby's tables: {error} (--durability off to go without)"));
    let past = match &books {
        Some(books) => Past::begin(&*books.disk, seed.of_lobby()).map_err(fault)?,
        None => Past::none(seed.of_lobby()),
    };
    let (rules, terms) = (config::rules(args), config::terms(args));
    let lobby = Arc::new(Lobby::new(&past, &rules.pimp, &terms, books.as_ref().map(|books| books.journal.clone())));
    if let Some(books) = books {
        lobby.revive(books.saved.take_tables(&games::PIMP_LOBBY));
    }
    Ok(lobby)
}

/// What a hall needs.
struct Staff {
    butler: Butler,
    /// Another than that of the tables, whose dice must tell nothing about each other; unless one was asked for.
    seed: Seed,
}

impl Staff {
    fn hire(args: &Serve, books: Option<&Books>) -> Result<Self, Exit> {
        let key = match books {
            Some(books) => Key::keep(&*books.disk),
            None => Key::fresh(),
        };
        let key = key.map_err(|error| Exit::fault(format!("can't keep the bots' key: {error}")))?;
        let seed = args.running.seed.map_or_else(Seed::from_system, Ok)?;
        Ok(Self { butler: Butler::new(&key, config::yard_terms(args)), seed })
    }
}

/// How every table stands is safe before anybody is let in.
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
    for table in desk.house.tables() {
        let Some(port) = table.saved_port else {
            if table.is_house && table.ports().tcp.is_empty() && table.ports().ws.is_empty() {
                tracing::info!(
                    table = table.number,
                    "a saved table has no port; WebSocket at /ws/GAME/TABLE leads to it"
                );
            }
            continue;
        };
        let opened = open_port(&desk.door, &table, port).or_else(|error| {
            tracing::warn!(table = table.number, %port, %error, "a saved table can't have its port again");
            let other = open_port(&desk.door, &table, SocketAddr::new(port.ip(), 0))?;
            desk.house.note_port(&table, other);
            Ok::<_, io::Error>(other)
        });
        if let Err(error) = opened {
            tracing::warn!(table = table.number, %error, "no port for a saved table");
        }
    }
}

/// What was asked for under one flag, and where it is served.
struct Opened {
    flag: String,
    at: Vec<SocketAddr>,
}

/// The house tables of a game or its hall, on every port asked for.
fn open_game(desk: &Arc<Desk>, ports: &games::Ports, tables: u16, staff: &Staff) -> Result<[Opened; 2], Exit> {
    let Game { name, hall, .. } = *ports.game;
    let made = match hall {
        // Nobody could ask for it: it is not there. What was saved of it is kept for another time.
        Some(_) if ports.tcp.is_empty() && ports.ws.is_empty() => Vec::new(),
        Some(number) => vec![desk.house.hall(ports.game, number, staff.seed, &staff.butler)],
        None => {
            let over = |_| Exit::fault("--tables asks for more tables than --max-tables allows");
            desk.house.standing(ports.game, tables).map_err(over)?
        }
    };
    let tables = made.len() as u16;
    let mut plain = Opened { flag: name.into(), at: Vec::new() };
    for address in &ports.tcp {
        for (listener, table) in consecutive(&plain.flag, *address, tables)?.into_iter().zip(&made) {
            plain.at.push(serve_table(&desk.door, table, listener).map_err(|error| no_port(name, *address, &error))?);
        }
    }
    let mut web = Opened { flag: format!("{name}-ws"), at: Vec::new() };
    for address in &ports.ws {
        for (listener, table) in consecutive(&web.flag, *address, tables)?.into_iter().zip(&made) {
            let at = listener.local_addr().map_err(|error| no_port(&web.flag, *address, &error))?;
            table.add_ws(at);
            web.at.push(at);
            let (router, door) = (http::table_router(desk.clone(), table.clone()), desk.door.clone());
            let receive = move |guest: Guest| http::answer(guest, router.clone(), door.clone());
            tokio::spawn(desk.door.clone().watch(listener, receive));
        }
    }
    Ok([plain, web])
}

fn open_lobby(door: &Arc<Door>, lobby: &Arc<Lobby>, asked: &[SocketAddr]) -> Result<Opened, Exit> {
    let mut opened = Opened { flag: "pimp-lobby".into(), at: Vec::new() };
    for address in asked {
        let listener = listen(*address).map_err(|error| no_port(&opened.flag, *address, &error))?;
        opened.at.push(listener.local_addr().map_err(|error| no_port(&opened.flag, *address, &error))?);
        let lobby = lobby.clone();
        let receive = move |Guest { stream, peer, ticket }: Guest| {
            let lobby = lobby.clone();
            async move {
                lobby.attend(stream, origin(peer)).await;
                drop(ticket);
            }
        };
        tokio::spawn(door.clone().watch(listener, receive));
    }
    Ok(opened)
}

fn open_http(desk: &Arc<Desk>, asked: &[SocketAddr]) -> Result<Opened, Exit> {
    let mut opened = Opened { flag: "http".into(), at: Vec::new() };
    for address in asked {
        let listener = listen(*address).map_err(|error| no_port("http", *address, &error))?;
        opened.at.push(listener.local_addr().map_err(|error| no_port("http", *address, &error))?);
        let (router, door) = (http::router(desk.clone()), desk.door.clone());
        let receive = move |guest: Guest| http::answer(guest, router.clone(), door.clone());
        tokio::spawn(desk.door.clone().watch(listener, receive));
    }
    Ok(opened)
}

/// One more port for a table.
pub fn open_port(door: &Arc<Door>, table: &Arc<Table>, address: SocketAddr) -> io::Result<SocketAddr> {
    serve_table(door, table, listen(address)?)
}

fn serve_table(door: &Arc<Door>, table: &Arc<Table>, listener: TcpListener) -> io::Result<SocketAddr> {
    let at = listener.local_addr()?;
    table.add_tcp(at);
    let room = table.room.clone();
    let receive = move |Guest { stream, peer, ticket }: Guest| {
        let task = room.clone().attend(stream, Some(origin(peer)));
        async move {
            task.await;
            drop(ticket);
        }
    };
    tokio::spawn(door.clone().watch(listener, receive));
    Ok(at)
}

/// As many ports in a row. Where any first port will do, one is looked for that has free ports behind it.
fn consecutive(flag: &str, address: SocketAddr, count: u16) -> Result<Vec<TcpListener>, Exit> {
    let mut tries = if address.port() == 0 { 100 } else { 1 };
    loop {
        tries -= 1;
        match bind_row(address, count) {
            Ok(row) => return Ok(row),
            Err(_) if tries > 0 => {}
            Err((address, error)) => return Err(no_port(flag, address, &error)),
        }
    }
}

fn bind_row(mut address: SocketAddr, count: u16) -> Result<Vec<TcpListener>, (SocketAddr, io::Error)> {
    let mut row = Vec::new();
    for _ in 0..count {
        let listener = listen(address).map_err(|error| (address, error))?;
        let port = listener.local_addr().map_err(|error| (address, error))?.port();
        row.push(listener);
        // Past the last port there is 0: it is never free twice in a row.
        address.set_port(port.wrapping_add(1));
    }
    Ok(row)
}

fn no_port(flag: &str, address: SocketAddr, error: &io::Error) -> Exit {
    let why = match error.kind() {
        io::ErrorKind::AddrInUse => "the port is in use".to_owned(),
        io::ErrorKind::PermissionDenied => "this port needs more rights".to_owned(),
        io::ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
        _ => error.to_string(),
    };
    Exit::fault(format!("can't listen at {address} for --{flag}: {why}"))
}

/// A banner for people, then the one line for programs.
fn announce(open: &[Opened], fingerprint: Option<&str>, kept: Option<(&Path, Durability)>) -> io::Result<()> {
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
    if let Some(fingerprint) = fingerprint {
        let _ = writeln!(banner, "  TLS too, SHA-256 fingerprint {fingerprint}");
    }
    let _ = match kept {
        Some((folder, Durability::Relaxed)) => writeln!(banner, "  games are saved in {} (relaxed)", folder.display()),
        Some((folder, _)) => writeln!(banner, "  games are saved in {}", folder.display()),
        None => writeln!(banner, "  games are not saved"),
    };
    io::stderr().write_all(banner.as_bytes())?;
    let mut out = io::stdout().lock();
    writeln!(out, "{ready}")?;
    out.flush()
}

fn begin_log(running: &Running) -> Result<(), Exit> {
    let filter =
        EnvFilter::try_new(&running.log).map_err(|error| Exit::fault(format!("--log {}: {error}", running.log)))?;
    let log =
        tracing_subscriber::fmt().with_writer(io::stderr).with_ansi(io::stderr().is_terminal()).with_env_filter(filter);
    let begun = match running.log_format {
        LogFormat::Human => log.try_init(),
        LogFormat::Json => log.json().try_init(),
    };
    begun.map_err(|error| Exit::failure(format!("can't write a log: {error}")))
}

/// A connection is a file to the system: allow as many as it lets us.
fn raise_file_limit() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        tracing::debug!(%error, "the limit of open files stays as it is");
    }
}

/// SIGTERM and SIGINT ask us to stop.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> Result<Self, Exit> {
        let listen = |kind| signal(kind).map_err(|error| Exit::failure(format!("can't listen to signals: {error}")));
        Ok(Self { terminate: listen(SignalKind::terminate())?, interrupt: listen(SignalKind::interrupt())? })
    }

    async fn wait(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
