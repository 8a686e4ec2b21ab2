//! A shard at the node that has it: its journal in the engine and its lobby or hall, opened and closed as a whole.

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use parlor_core::game::Scope;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::engine::Engine;
use super::engine_store::EngineStore;
use super::members::Holding;
use crate::bot::Pace;
use crate::cli::Serve;
use crate::config::Seed;
use crate::door::origin;
use crate::flags::Asked;
use crate::house_bots::{Bots, Key};
use crate::journal::{Journal, Store, StoreError, Threads, restore};
use crate::net::strangers::Strangers;
use crate::net::{LAST_WORDS, Stream};
use crate::placement::{Past, Placement, Plan};
use crate::registry::{Registry, Served};
use crate::services::{self, HostServices};
use crate::task::Task;
use crate::vault::Vault;

/// What every shard of a process is opened with.
pub struct Terms {
    pub args: Serve,
    pub strangers: Arc<Strangers>,
    pub vault: Arc<Vault>,
}

/// Where its connections go.
enum Place {
    Lobby(Arc<dyn Placement>),
    Hall(Arc<Served>),
}

pub struct Owned {
    pub shard: String,
    pub registry: Arc<Registry>,
    pub journal: Arc<Journal>,
    store: Arc<EngineStore>,
    place: Place,
    threads: Mutex<Option<Threads>>,
    pub epoch: u32,
}

/// What was read when a shard was taken.
struct Opening {
    store: Arc<EngineStore>,
    house: restore::House,
    past: Option<Past>,
    key: Key,
}

fn fresh_seed() -> io::Result<Seed> {
    Seed::from_system().map_err(|exit| io::Error::other(exit.text().to_owned()))
}

fn read(engine: &Arc<Engine>, shard: &str, asked: &Asked) -> Result<Opening, StoreError> {
    let store = Arc::new(EngineStore::new(engine, shard));
    store.take()?;
    let mut house = restore::read(&*store, restore::From::Newest, &mut restore::Logged)?;
    restore::put_aside(&*store, &house);
    house.begin_keys();
    store.forget();
    let past = match asked.entry.lobby {
        Some(lobby) => Some(Past::begin(&*store, lobby.tables.name, fresh_seed()?.of_lobby())?),
        None => None,
    };
    let key = Key::keep(&*store)?;
    Ok(Opening { store, house, past, key })
}

impl Owned {
    /// Takes the shard from any owner, and opens its tables. No client is let in before how they stand is safe.
    pub async fn open(
        terms: &Terms,
        engine: &Arc<Engine>,
        shard: &str,
        asked: &Asked,
    ) -> Result<Arc<Self>, StoreError> {
        let opening = {
            let (engine, shard, asked) = (engine.clone(), shard.to_owned(), asked.clone());
            spawn_blocking(move || read(&engine, &shard, &asked)).await.map_err(io::Error::other)??
        };
        let Opening { store, house, past, key } = opening;
        let args = &terms.args;
        let journal = Journal::resume_shared(&house);
        let shared: Arc<dyn Store> = store.clone();
        let threads = Threads::start_lingering(&journal, &shared, args.cluster.cluster_linger)?;
        let seed = fresh_seed()?;
        let games = [asked.clone()];
        let (limit, strangers) = (args.limits.max_tables, terms.strangers.clone());
        let registry = Arc::new(Registry::new(&games, &[seed], limit, Some(journal.clone()), strangers));
        registry.revive(house);
        let place = match (asked.entry.lobby, past) {
            (Some(lobby), Some(past)) => {
                let plan = Plan {
                    entry: &lobby.tables,
                    past: &past,
                    chosen: &asked.chosen,
                    terms: args.lobby,
                    registry: &registry,
                };
                Place::Lobby((lobby.open)(plan))
            }
            _ => {
                let terms_of = (services::accounts(asked), terms.strangers.clone());
                let bots = Bots::new(asked.entry, &key, Pace(args.running.bot_pace));
                let services = HostServices::new(asked.entry, terms.vault.clone(), bots, terms_of, Some(store.clone()));
                Place::Hall(registry.hall(asked.entry, &services))
            }
        };
        registry.put_to_rest();
        let epoch = store.epoch();
        let owned =
            Self { shard: shard.into(), registry, journal, store, place, threads: Mutex::new(Some(threads)), epoch };
        if !owned.journal.flush().await {
            owned.end().await;
            return Err(io::Error::other("another node has taken it meanwhile").into());
        }
        Ok(Arc::new(owned))
    }

    /// One connection from this address.
    pub fn attend(&self, stream: Box<dyn Stream>, address: IpAddr) -> Task {
        match &self.place {
            Place::Lobby(lobby) => lobby.clone().attend(stream, origin(address)),
            Place::Hall(hall) => hall.table.clone().attend(stream, Some(origin(address))),
        }
    }

    pub fn lobby(&self) -> Option<&Arc<dyn Placement>> {
        match &self.place {
            Place::Lobby(lobby) => Some(lobby),
            Place::Hall(_) => None,
        }
    }

    pub fn holding(&self) -> Holding {
        Holding {
            epoch: self.epoch,
            tables: self.registry.all().len() as u32,
            links: self.registry.links(),
            lag: self.journal.lag(),
            log: self.store.log_length() as u64,
        }
    }

    fn shut(&self) {
        if let Place::Lobby(lobby) = &self.place {
            lobby.stop();
        }
        self.registry.stop();
    }

    /// The shard is another's: nothing more is noted or said, and connections are closed.
    pub async fn end(&self) {
        self.shut();
        self.registry.close();
        self.journal.stop();
        self.join().await;
    }

    /// Clients are sent what is due and away; then all that happened is safe, and the shard can be another's.
    pub async fn close(&self) -> bool {
        self.shut();
        let end = Instant::now() + LAST_WORDS + Duration::from_secs(2);
        while self.registry.links() > 0 && Instant::now() < end {
            sleep(Duration::from_millis(5)).await;
        }
        self.registry.close();
        let is_safe = self.journal.flush().await;
        self.journal.stop();
        self.join().await && is_safe
    }

    async fn join(&self) -> bool {
        let threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner).take();
        match threads {
            Some(threads) => spawn_blocking(|| threads.join()).await.unwrap_or(false),
            None => true,
        }
    }
}

/// Whether a game can be a shard: it has a lobby, or all in one.
pub fn can_be_shard(asked: &Asked) -> bool {
    asked.entry.lobby.is_some() || asked.entry.scope == Scope::Hall
}
