//! `parlor.local`: the board is found by its name, without a router that knows it (RFC 6762, 6763).
//!
//! What is said when is [`Responder`]'s, which knows no socket; here are the socket and the clock.

use core::fmt::Write as _;

use embassy_futures::select::{Either, select};
use embassy_net::udp::{PacketMetadata, UdpSocket};
use embassy_net::{IpAddress, IpEndpoint, Ipv4Address, Stack};
use embassy_time::{Duration, Instant, Timer, with_timeout};
use heapless::String;
use parlor_core::mdns::{self, HOPS, LONGEST, PORT, Responder, TEXT_MAX};

use crate::fmt::{info, warn};
use crate::games::Id;
use crate::links::WEB_PORT;
use crate::shared::{Shared, now};

/// A board's own name, where its owner chose none.
#[cfg(not(feature = "settings"))]
const NAME: &str = "parlor";
/// The longest name, and 6 /* -65535 */.
const LABEL: usize = 24 + 6;
const GROUP: Ipv4Address = {
    let [a, b, c, d] = mdns::GROUP;
    Ipv4Address::new(a, b, c, d)
};
/// How often the address is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// How long a packet may wait for the host that it is for to say where it is.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a service's text says: the games that are served, by name.
fn text(shared: &Shared) -> String<TEXT_MAX> {
    let mut text = String::new();
    let mut front = "games=";
    for id in Id::ALL.iter().filter(|id| shared.is_open(**id)) {
        let _ = write!(text, "{front}{}", id.entry().name);
        front = ",";
    }
    text
}

fn name(_shared: &Shared) -> String<LABEL> {
    #[cfg(feature = "settings")]
    return String::try_from(_shared.own.borrow().name()).unwrap_or_default();
    #[cfg(not(feature = "settings"))]
    String::try_from(NAME).unwrap_or_default()
}

/// A packet and some more in, one out. All zero bytes when new.
pub struct Buffers {
    rx: [u8; 1504],
    tx: [u8; LONGEST],
    out: [u8; LONGEST],
}

impl Buffers {
    pub const fn new() -> Self {
        Self { rx: [0; 1504], tx: [0; LONGEST], out: [0; LONGEST] }
    }
}

impl Default for Buffers {
    fn default() -> Self {
        Self::new()
    }
}

/// Answers for the board's name, forever.
pub async fn answer(stack: Stack<'_>, shared: &Shared, buffers: &mut Buffers, seed: u32) -> ! {
    let Buffers { rx, tx, out } = buffers;
    let (mut rx_meta, mut tx_meta) = ([PacketMetadata::EMPTY; 4], [PacketMetadata::EMPTY; 1]);
    let mut socket = UdpSocket::new(stack, &mut rx_meta, rx, &mut tx_meta, tx);
    socket.set_hop_limit(Some(HOPS));
    let group = IpEndpoint::new(IpAddress::Ipv4(GROUP), PORT);
    if socket.bind(PORT).is_err() || stack.join_multicast_group(GROUP).is_err() {
        warn!("mdns: nobody is heard");
    }
    let mut responder = Responder::<LABEL>::new(&name(shared), WEB_PORT, &text(shared), seed);
    let mut was_settled = false;
    loop {
        let address = stack.config_v4().map(|config| config.address.address().octets());
        if address != responder.address() {
            responder.set_address(address, now());
        }
        responder.set_name(&name(shared), &text(shared), now());
        if let Some(length) = responder.poll(out, now()) {
            send(&mut socket, out.get(..length).unwrap_or_default(), group).await;
            continue;
        }
        let is_settled = responder.is_settled();
        if core::mem::replace(&mut was_settled, is_settled) != is_settled && is_settled {
            info!("mdns: {}.local", responder.label());
        }
        let look = Instant::now() + LOOK;
        let due = responder.due().map_or(look, |due| Instant::from_millis(due.0).min(look));
        let heard = socket.recv_from_with(|packet, from| {
            let is_legacy = from.endpoint.port != PORT;
            (responder.receive(packet, is_legacy, &[], out, now()), from.endpoint)
        });
        if let Either::First((Some(length), asker)) = select(heard, Timer::at(due)).await {
            send(&mut socket, out.get(..length).unwrap_or_default(), asker).await;
        }
    }
}

/// A packet that can't be sent is lost, as on any Ethernet. So is one that still waits when the next has waited for long: for
/// an asker that is gone, or was never there, smoltcp asks for its hardware without end, and there is room for one packet.
async fn send(socket: &mut UdpSocket<'_>, packet: &[u8], to: IpEndpoint) {
    if with_timeout(PATIENCE, socket.wait_send_ready()).await.is_err() {
        // Which empties it.
        socket.close();
        let _ = socket.bind(PORT);
    }
    let _ = socket.send_to(packet, to).await;
}
