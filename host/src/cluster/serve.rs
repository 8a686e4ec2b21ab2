//! `parlor --cluster`: the ports of a node. Every port of a game leads to one of its shards, wherever that is.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, OnceLock, RwLock};
use std::time::Duration;

use axum::Router;
use axum::http::HeaderMap;
use axum::response::IntoResponse as _;
use axum::routing::any;
use tokio::net::TcpListener;
use tokio::time::timeout;

use super::engine::{self, Engine};
use super::node::{About, Node, names};
use super::shard::{Terms, can_be_shard};
use crate::access::{Access, is_origin};
use crate::bans::Bans;
use crate::bot::Pace;
use crate::cli::{Durability, Exit, Listen, Serve, addresses};
use crate::config;
use crate::door::{Door, Guest, listen};
use crate::flags::Asked;
use crate::games::GAMES;
use crate::http::{self, Desk};
use crate::journal::{Disk, Files};
use crate::net::strangers::Strangers;
use crate::registry::Registry;
use crate::reload;
use crate::serve::{
    Announced, Heard, Opened, PATIENCE, Signals, announce, announce_name, begin_capture, begin_log, consecutive,
    for_friends, no_port, open_http, raise_file_limit, take_name_back,
};
use crate::shards::Shards;
use crate::talk::Talk;
use crate::task;
use crate::vault::Vault;
use crate::ws::Upgrade;
use crate::{notify, tls};

/// How long a node that starts waits for every shard to have an owner before it says that it is ready.
const SETTLE: Duration = Duration::from_secs(30);

pub async fn run(args: Serve) -> Result<(), Exit> {
    begin_log(&args.running)?;
    if args.running.durability != Durability::Strict {
        return Err(Exit::fault("--cluster keeps games strictly: --durability can't be anything else"));
    }
    if args.running.notify {
        return Err(Exit::fault(
            "--notify tells of turns at this machine's own tables, and --cluster has none of its own",
        ));
    }
    if let Some(public) = args.cluster.cluster_public.as_ref().filter(|public| !is_origin(public)) {
        return Err(Exit::fault(format!(
            "--cluster-public {public}: scheme, host and port alone, like https://a.games.example"
        )));
    }
    let files = raise_file_limit();
    let mut signals = Signals::new()?;
    let cluster = args.cluster.clone();
    let (Some(servers), Some(key)) = (&cluster.cluster, &cluster.cluster_key) else {
        return Err(Exit::fault("--cluster needs --cluster-key"));
    };
    let asked = engine::Asked { servers, key, monitors: &cluster.cluster_monitor, trust: cluster.cluster_trust };
    let engine = Engine::connect(asked).await.map_err(Exit::fault)?;
    let secure = tls::set_up(&args.tls, args.running.data.as_deref())?;
    let secured = secure.as_ref().map(tls::Secure::announced);
    let access = Arc::new(Access::new(&args.network));
    // Games are in the engine; bans are each node's own.
    let folder = config::data_dir(args.running.data.as_deref())?;
    let disk = Arc::new(Files::unlocked(&folder));
    disk.make_folder("tables").map_err(|error| Exit::fault(format!("can't use {}: {error}", folder.display())))?;
    let bans = Bans::kept(Some(disk)).map_err(|error| Exit::fault(format!("can't read who is banned: {error}")))?;
    let tls = secure.as_ref().map(|secure| secure.tls.clone());
    let door = Door::new(reload::limits(&args, &access, files), tls).with_bans(bans);
    let door = Arc::new(door.with_capture(begin_capture(args.running.pcap.as_deref())?));
    let strangers = Arc::new(Strangers::new(args.lobby.allowance(), args.limits.of_address()));
    let inner =
        listen(cluster.cluster_inner).map_err(|error| no_port("cluster-inner", cluster.cluster_inner, &error))?;
    let at = inner.local_addr().map_err(|error| no_port("cluster-inner", cluster.cluster_inner, &error))?;
    let reached = match cluster.cluster_advertise {
        Some(Listen::At(address)) => address,
        _ => at,
    };
    let about = About { name: cluster.cluster_name.clone(), inner: reached, public: cluster.cluster_public.clone() };
    let vault = Arc::new(Vault::counted(strangers.hashing.clone()));
    let terms = Terms { args: args.clone(), strangers: strangers.clone(), vault };
    let node = Node::new(engine, terms, door.clone(), about);
    let node = node.map_err(|error| Exit::fault(format!("can't make a certificate for other nodes: {error}")))?;
    let desk = Arc::new(Desk {
        // No table is this process's alone.
        registry: Arc::new(Registry::new(&[], &[], 0, None, strangers)),
        door: door.clone(),
        access: RwLock::new(access),
        game: &GAMES[0],
        address: None,
        lobbies: Vec::new(),
        pace: Pace(args.running.bot_pace),
        talk: Talk::new(None),
        webhooks: None,
        pages: OnceLock::new(),
        announcer: OnceLock::new(),
        shards: Some(node.clone()),
    });
    let mut open = vec![Opened { flag: "cluster-inner".into(), at: vec![at] }];
    for asked in &args.games {
        if can_be_shard(asked) {
            open.extend(open_shards(&desk, &node, asked, cluster.cluster_shards)?);
        } else if !asked.tcp.is_empty() {
            tracing::warn!(
                game = asked.entry.name,
                "this game has neither a lobby nor a hall: no node of a cluster serves it"
            );
        }
    }
    let pages = open_http(&desk, &addresses(&args.network.http))?;
    let _ = desk.pages.set(pages.at.clone());
    announce_name(&desk, &args.network);
    open.push(pages);
    node.start(inner).await.map_err(Exit::failure)?;
    tokio::select! {
        () = node.settled(SETTLE) => {}
        () = signals.stop() => return Ok(()),
    }
    let friends = if args.network.lan { for_friends(&desk, &open) } else { String::new() };
    let shown = engine::without_passwords(servers);
    let kept = Some((Path::new(&shown), Durability::Strict));
    let state = Announced { secured: secured.as_deref(), kept, waiting: Vec::new(), friends };
    announce(&open, &state).map_err(|error| Exit::failure(format!("can't write: {error}")))?;
    notify::tell("READY=1");
    while signals.wait().await == Heard::Reload {
        tracing::warn!("a node of a cluster reads its settings when it starts: drain it and start it again");
    }
    tracing::info!("stopping");
    notify::tell("STOPPING=1");
    take_name_back(&desk).await;
    tokio::select! {
        () = node.leave() => {}
        () = signals.stop() => tracing::warn!("stopped at once"),
    }
    door.shut();
    if timeout(PATIENCE, door.everybody_left()).await.is_err() {
        tracing::warn!(connections = door.connections(), "not everybody left in time");
    }
    Ok(())
}

/// The ports of a game's shards: plain, WebSocket, and those that were asked for of its lobby.
fn open_shards(desk: &Arc<Desk>, node: &Arc<Node>, asked: &Asked, count: u16) -> Result<Vec<Opened>, Exit> {
    let name = asked.entry.name;
    let lobby = asked.entry.lobby.map(|lobby| (lobby.tables.name.to_owned(), &asked.lobby));
    let plain = [(name.to_owned(), &asked.tcp)].into_iter().chain(lobby.filter(|(_, at)| !at.is_empty()));
    let mut all = Vec::new();
    for (flag, at) in plain {
        let mut opened = Opened { flag, at: Vec::new() };
        for address in at {
            for (listener, shard) in consecutive(&opened.flag, *address, count)?.into_iter().zip(names(asked, count)) {
                opened.at.push(port_of(&listener, &opened.flag, *address)?);
                let node = node.clone();
                let receive = move |Guest { stream, peer, ticket, .. }: Guest| {
                    let task = node.clone().attend(shard.clone(), stream, peer);
                    async move {
                        task.await;
                        drop(ticket);
                    }
                };
                task::spawn(desk.door.clone().watch(listener, receive));
            }
        }
        all.push(opened);
    }
    let mut web = Opened { flag: format!("{name}-ws"), at: Vec::new() };
    for address in &asked.ws {
        for (listener, shard) in consecutive(&web.flag, *address, count)?.into_iter().zip(names(asked, count)) {
            web.at.push(port_of(&listener, &web.flag, *address)?);
            let (router, door) = (shard_router(desk, shard), desk.door.clone());
            let receive = move |guest: Guest| http::answer(guest, router.clone(), door.clone());
            task::spawn(desk.door.clone().watch(listener, receive));
        }
    }
    all.push(web);
    Ok(all)
}

fn port_of(listener: &TcpListener, flag: &str, asked: SocketAddr) -> Result<SocketAddr, Exit> {
    listener.local_addr().map_err(|error| no_port(flag, asked, &error))
}

/// A shard's own WebSocket port: any path leads to it.
fn shard_router(desk: &Arc<Desk>, shard: String) -> Router {
    let enter = {
        let desk = desk.clone();
        move |visitor, caller, headers: HeaderMap, upgrade: Upgrade| async move {
            http::sit_by_name(&desk, shard, upgrade, visitor, caller, &headers).into_response()
        }
    };
    http::met(desk, Router::new().fallback(any(enter)))
}
