//! `NAME.local`: the server is found by its name in every network that it is in, and as the services `_http._tcp` and
//! `_parlor._tcp` (RFC 6762, 6763), where that is asked for (`--mdns NAME`).
//!
//! What is said when is [`Responder`]'s, which knows no socket; here are sockets and the clock: one of each for every
//! address of IPv4 that this machine has. Where another host in one of them has the name, it is `NAME-2.local` there.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use parlor_core::mdns::{self, HOPS, NAME_MAX, PORT};
use parlor_core::server::Millis;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::UdpSocket;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use crate::network;
use crate::task;

const GROUP: Ipv4Addr = {
    let [a, b, c, d] = mdns::GROUP;
    Ipv4Addr::new(a, b, c, d)
};
/// The longest packet that is looked at or written: one that an Ethernet carries.
const PACKET: usize = 1500;
/// How often the machine's addresses are looked at.
const LOOK: Duration = Duration::from_secs(5);
/// With a number behind it.
const LABEL: usize = NAME_MAX + 6;

type Responder = mdns::Responder<LABEL>;

/// A name that can be announced: letters, digits and hyphens within; `.local` may stand behind it.
pub fn name(text: &str) -> Result<String, String> {
    let name = text.strip_suffix(".local").unwrap_or(text);
    let is_label = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_whole = !name.is_empty() && name.len() <= NAME_MAX && !name.starts_with('-') && !name.ends_with('-');
    if is_label && is_whole {
        return Ok(name.to_ascii_lowercase());
    }
    Err(format!("not a name of at most {NAME_MAX} letters, digits and hyphens, like `parlor`"))
}

/// What is announced, and where.
pub struct Plan {
    pub name: String,
    /// The port of the pages.
    pub port: u16,
    /// What the services' text says.
    pub text: String,
    /// Addresses of this machine that it is announced at; none: all that lead to others.
    pub at: Vec<Ipv4Addr>,
}

/// Names that are ours by now, by the address that they have.
#[derive(Default)]
struct Names(Mutex<BTreeMap<Ipv4Addr, String>>);

impl Names {
    fn change(&self, change: impl FnOnce(&mut BTreeMap<Ipv4Addr, String>)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Speaks for the name until it is told to stop.
pub struct Announcer {
    names: Arc<Names>,
    plan: Arc<Plan>,
    stop: watch::Sender<bool>,
}

impl Announcer {
    pub fn start(plan: Plan) -> Self {
        let (names, plan, stop) = (Arc::<Names>::default(), Arc::new(plan), watch::Sender::new(false));
        task::spawn(follow(plan.clone(), names.clone(), stop.subscribe()));
        Self { names, plan, stop }
    }

    /// Where browsers find the pages by name.
    pub fn urls(&self) -> Vec<String> {
        let mut urls: Vec<String> = Vec::new();
        self.names.change(|names| urls.extend(names.values().map(|name| self.url(name))));
        urls.dedup();
        urls
    }

    fn url(&self, name: &str) -> String {
        url(name, self.plan.port)
    }

    /// All hosts are told that the name is free again.
    pub async fn stop(&self) {
        self.stop.send_replace(true);
        self.stop.closed().await;
    }
}

fn url(name: &str, port: u16) -> String {
    if port == 80 { format!("http://{name}.local/") } else { format!("http://{name}.local:{port}/") }
}

/// One speaker for each address that there is, as they come and go.
async fn follow(plan: Arc<Plan>, names: Arc<Names>, mut stop: watch::Receiver<bool>) {
    let mut speakers: BTreeMap<Ipv4Addr, tokio::task::AbortHandle> = BTreeMap::new();
    let (all, mut tasks) = (watch::Sender::new(Vec::new()), JoinSet::new());
    while !*stop.borrow() {
        let now = if plan.at.is_empty() { network::multicast_addresses() } else { plan.at.clone() };
        speakers.retain(|address, speaker| {
            let is_there = now.contains(address) && !speaker.is_finished();
            if !is_there {
                speaker.abort();
                names.change(|names| _ = names.remove(address));
            }
            is_there
        });
        all.send_replace(now.clone());
        for address in now {
            speakers.entry(address).or_insert_with(|| {
                let speaker = Speaker { address, plan: plan.clone(), names: names.clone(), all: all.subscribe() };
                tasks.spawn(speaker.run(stop.clone()))
            });
        }
        tokio::select! {
            () = sleep(LOOK) => {}
            () = told(&mut stop) => {}
        }
    }
    while tasks.join_next().await.is_some() {}
}

/// Until it is to stop.
async fn told(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

/// One address, and what is said for it.
struct Speaker {
    address: Ipv4Addr,
    plan: Arc<Plan>,
    names: Arc<Names>,
    /// Every address that a speaker speaks for.
    all: watch::Receiver<Vec<Ipv4Addr>>,
}

impl Speaker {
    async fn run(self, mut stop: watch::Receiver<bool>) {
        if let Err(error) = self.speak(&mut stop).await {
            tracing::debug!(address = %self.address, %error, "mDNS: nobody is heard there for now");
        }
    }

    async fn speak(&self, stop: &mut watch::Receiver<bool>) -> io::Result<()> {
        let socket = open(self.address)?;
        let mut seed = [0; 4];
        getrandom::fill(&mut seed).map_err(io::Error::other)?;
        let start = Instant::now();
        let now = || Millis(start.elapsed().as_millis() as u64);
        let mut responder = Responder::new(&self.plan.name, self.plan.port, &self.plan.text, u32::from_ne_bytes(seed));
        responder.set_address(Some(self.address.octets()), now());
        let (mut out, mut packet) = ([0; PACKET], [0; PACKET]);
        let to_all = SocketAddrV4::new(GROUP, PORT).into();
        loop {
            while let Some(length) = responder.poll(&mut out, now()) {
                send(&socket, out.get(..length), to_all).await;
            }
            self.note(&responder);
            let due = responder.due().map(|due| start + Duration::from_millis(due.0));
            tokio::select! {
                heard = socket.recv_from(&mut packet) => {
                    let (length, SocketAddr::V4(from)) = heard? else { continue };
                    let heard = packet.get(..length).unwrap_or_default();
                    let kin: Vec<_> = self.all.borrow().iter().map(Ipv4Addr::octets).collect();
                    let is_legacy = from.port() != PORT;
                    if let Some(length) = responder.receive(heard, is_legacy, &kin, &mut out, now()) {
                        send(&socket, out.get(..length), from.into()).await;
                    }
                }
                () = sleep_until(due.unwrap_or(start)), if due.is_some() => {}
                () = told(stop) => {
                    if let Some(length) = responder.farewell(&mut out) {
                        send(&socket, out.get(..length), to_all).await;
                    }
                    return Ok(());
                }
            }
        }
    }

    /// The name is ours, or no longer.
    fn note(&self, responder: &Responder) {
        let name = responder.is_settled().then(|| responder.label());
        self.names.change(|names| match name {
            Some(name) if names.get(&self.address).is_some_and(|known| known == name) => {}
            Some(name) => {
                names.insert(self.address, name.to_owned());
                tracing::info!(address = %self.address, "found as {}", url(name, self.plan.port));
            }
            None => _ = names.remove(&self.address),
        });
    }
}

/// Hears what is said to all in the network of this address, beside other programs on this machine, and takes no
/// answers from them: it hears what is said to the group alone.
fn open(address: Ipv4Addr) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&SocketAddrV4::new(GROUP, PORT).into())?;
    socket.set_multicast_all_v4(false)?;
    socket.join_multicast_v4(&GROUP, &address)?;
    socket.set_multicast_if_v4(&address)?;
    socket.set_multicast_ttl_v4(HOPS.into())?;
    socket.set_ttl_v4(HOPS.into())?;
    UdpSocket::from_std(socket.into())
}

/// A packet that can't be sent is lost, as on any Ethernet.
async fn send(socket: &UdpSocket, packet: Option<&[u8]>, to: SocketAddr) {
    let _ = socket.send_to(packet.unwrap_or_default(), to).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_label() {
        assert_eq!(name("Parlor").as_deref(), Ok("parlor"));
        assert_eq!(name("game-night.local").as_deref(), Ok("game-night"));
        for bad in ["", ".local", "a.b", "-a", "a-", "ä", "a b", &"x".repeat(NAME_MAX + 1)] {
            assert!(name(bad).is_err(), "{bad}");
        }
    }
}
