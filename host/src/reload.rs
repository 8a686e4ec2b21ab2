//! What SIGHUP asks for: the settings are read again, as at the start, from flags, environment and file, and count from now
//! on as far as a running server can change. What can't is named, and waits for the next start.

use std::sync::{Arc, PoisonError};

use crate::access::Access;
use crate::cli::{self, Command, Exit, Serve};
use crate::door::{Door, Limits};
use crate::http::Desk;
use crate::net::strangers::Strangers;
use crate::services::{self, HostServices};
use crate::task;
use crate::tls::{self, Secure};
use tokio::task::AbortHandle;

/// A running server's parts whose settings can change.
pub struct Reload {
    /// What the process was started with.
    pub args: Serve,
    /// Files that connections may take of those the system allows.
    pub files: u32,
    pub desk: Arc<Desk>,
    pub halls: Vec<(&'static str, HostServices)>,
    /// The task that follows the certificate.
    pub following: Option<AbortHandle>,
}

impl Reload {
    /// How many connections there may be is known once every port is open.
    pub fn check_files(&self) {
        let asked = self.args.limits.max_connections;
        if asked == 0 || asked > self.files {
            tracing::info!(
                connections = self.files,
                "the system allows no more open files: there may be so many connections"
            );
        }
        self.desk.door.allow(limits(&self.args, &self.desk.access(), self.files));
    }

    /// Either all of it or, on a fault, nothing.
    pub fn again(&mut self) {
        match self.read() {
            Ok((args, secure)) => {
                self.adopt(&args, secure);
                let unchanged = self.unchangeable(&args);
                match unchanged.is_empty() {
                    true => tracing::info!("the settings were read again"),
                    false => tracing::warn!(
                        waiting = unchanged.join(" "),
                        "the settings were read again; some wait for the next start"
                    ),
                }
            }
            Err(exit) => tracing::error!("the settings stay as they are: {}", exit.text()),
        }
    }

    fn read(&self) -> Result<(Serve, Option<Secure>), Exit> {
        let Command::Serve(args) = cli::read(std::env::args_os())? else {
            return Err(Exit::fault("this is no command to serve"));
        };
        let secure = tls::set_up(&args.tls, args.running.data.as_deref())?;
        Ok((*args, secure))
    }

    fn adopt(&mut self, args: &Serve, secure: Option<Secure>) {
        let access = Arc::new(Access::new(&args.network));
        let Desk { door, registry, lobbies, .. } = &*self.desk;
        door.allow(limits(args, &access, self.files));
        door.speak(secure.as_ref().map(|secure| secure.tls.clone()));
        if let Some(following) = std::mem::replace(&mut self.following, follow(secure, door)) {
            following.abort();
        }
        *self.desk.access.write().unwrap_or_else(PoisonError::into_inner) = access;
        allow_strangers(&registry.strangers, args);
        registry.adopt(&args.games, args.limits.max_tables);
        for asked in &args.games {
            for lobby in lobbies.iter().filter(|lobby| lobby.is_for(asked.entry.name)) {
                lobby.adopt(&asked.chosen, args.lobby);
            }
            for (_, services) in self.halls.iter().filter(|(game, _)| *game == asked.entry.name) {
                services.allow(services::accounts(asked));
            }
        }
        for (id, names) in registry.waiting() {
            tracing::info!(%id, rules = names.join(" "), "rules wait for the next game");
        }
    }

    /// Flags whose new value counts at the next start alone.
    fn unchangeable(&self, args: &Serve) -> Vec<String> {
        let mut flags = Vec::new();
        let mut compare = |flag: String, differs: bool| flags.extend(differs.then(|| format!("--{flag}")));
        let (now, new) = (&self.args, args);
        compare("http".into(), now.network.http != new.network.http);
        compare("mdns".into(), now.network.mdns != new.network.mdns);
        compare("mdns-at".into(), now.network.mdns_at != new.network.mdns_at);
        compare("tables".into(), now.network.tables != new.network.tables);
        compare("data".into(), now.running.data != new.running.data);
        compare("durability".into(), now.running.durability != new.running.durability);
        compare("seed".into(), now.running.seed != new.running.seed);
        compare("notify".into(), now.running.notify != new.running.notify);
        compare("notify-network".into(), now.running.notify_network != new.running.notify_network);
        compare("notify-after".into(), now.running.notify_after != new.running.notify_after);
        compare("log".into(), now.running.log != new.running.log);
        compare("log-format".into(), now.running.log_format != new.running.log_format);
        compare("pcap".into(), now.running.pcap != new.running.pcap);
        for (now, new) in now.games.iter().zip(&new.games) {
            let name = now.entry.name;
            compare(name.into(), now.tcp != new.tcp);
            compare(format!("{name}-ws"), now.ws != new.ws);
            compare(now.entry.lobby.map_or("", |lobby| lobby.tables.name).into(), now.lobby != new.lobby);
        }
        flags
    }
}

/// As many connections as were asked for and as there are files for.
pub fn limits(args: &Serve, access: &Access, files: u32) -> Limits {
    let asked = args.limits.max_connections;
    let total = if asked == 0 { files } else { asked.min(files) };
    let (by_address, proxies) = (args.limits.max_per_address, access.proxies.clone());
    let new_by_address = args.limits.max_new_per_address;
    Limits { total, by_address, new_by_address, proxies, proxy_protocol: args.network.proxy_protocol }
}

pub fn allow_strangers(strangers: &Strangers, args: &Serve) {
    strangers.allow(args.lobby.allowance(), args.limits.of_address());
}

/// A renewed certificate is noticed.
pub fn follow(secure: Option<Secure>, door: &Arc<Door>) -> Option<AbortHandle> {
    secure.map(|secure| task::spawn(secure.follow(door.clone())).abort_handle())
}
