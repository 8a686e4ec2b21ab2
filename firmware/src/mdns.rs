//! `parlor.local`: the board is found by its name, without a router that knows it (RFC 6762, 6763).
//!
//! What is said when is [`Responder`]'s, which knows no socket; here are the socket and the clock.

use embassy_futures::select::{Either, select};
use embassy_net::udp::{PacketMetadata, UdpSocket};
use embassy_net::{IpAddress, IpEndpoint, Ipv4Address, Stack};
use embassy_time::{Duration, Instant, Timer};
use parlor_core::mdns::{self, HOPS, LONGEST, PORT, Responder};

use crate::fmt::{info, warn};
use crate::games::Id;
use crate::links::WEB_PORT;
use crate::shared::now;

const NAME: &str = "parlor";
/// `parlor-65535`.
const LABEL: usize = NAME.len() + 6;
const GROUP: Ipv4Address = {
    let [a, b, c, d] = mdns::GROUP;
    Ipv4Address::new(a, b, c, d)
};
/// How often the address is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// What a service's text says: the games by name.
const TEXT: &[&str] = &{
    let mut text = [""; 2 * Id::ALL.len()];
    let mut rest = Id::ALL;
    let mut at = 0;
    while let [id, others @ ..] = rest {
        // Indexing: as many pairs as games.
        #[allow(clippy::indexing_slicing, reason = "at compile time")]
        {
            text[at] = if at == 0 { "games=" } else { "," };
            text[at + 1] = id.entry().name;
        }
        (rest, at) = (others, at + 2);
    }
    text
};

/// A packet and some more in, one out. All zero bytes when new.
pub struct Buffers {
    rx: [u8; 1536],
    tx: [u8; LONGEST],
    out: [u8; LONGEST],
}

impl Buffers {
    pub const fn new() -> Self {
        Self { rx: [0; 1536], tx: [0; LONGEST], out: [0; LONGEST] }
    }
}

impl Default for Buffers {
    fn default() -> Self {
        Self::new()
    }
}

/// Answers for the board's name, forever.
pub async fn answer(stack: Stack<'_>, buffers: &mut Buffers, seed: u32) -> ! {
    let Buffers { rx, tx, out } = buffers;
    let (mut rx_meta, mut tx_meta) = ([PacketMetadata::EMPTY; 4], [PacketMetadata::EMPTY; 1]);
    let mut socket = UdpSocket::new(stack, &mut rx_meta, rx, &mut tx_meta, tx);
    socket.set_hop_limit(Some(HOPS));
    let group = IpEndpoint::new(IpAddress::Ipv4(GROUP), PORT);
    if socket.bind(PORT).is_err() || stack.join_multicast_group(GROUP).is_err() {
        warn!("mdns: nobody is heard");
    }
    let mut responder = Responder::<LABEL>::new(NAME, WEB_PORT, TEXT, seed);
    let mut was_settled = false;
    loop {
        let address = stack.config_v4().map(|config| config.address.address().octets());
        if address != responder.address() {
            responder.set_address(address, now());
        }
        if let Some(length) = responder.poll(out, now()) {
            // A packet that can't be sent is lost, as on any Ethernet.
            let _ = socket.send_to(out.get(..length).unwrap_or_default(), group).await;
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
            let _ = socket.send_to(out.get(..length).unwrap_or_default(), asker).await;
        }
    }
}
