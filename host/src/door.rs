//! Who comes in: accepts connections, counts them, tells plain from TLS, and stops when the process does.
//!
//! No table is asked before a connection has passed here, and none is slowed by one that does not.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::net::Stream;
use crate::tls;

/// How long a peer may take to say whether it speaks TLS, and then to agree on it.
const FIRST_WORD: Duration = Duration::from_secs(30);
/// A silent peer is asked after this long whether it is still there, this often, this many times.
const KEEPALIVE: (Duration, Duration, u32) = (Duration::from_secs(60), Duration::from_secs(15), 4);
/// A peer that acknowledges nothing for this long is gone.
const UNACKNOWLEDGED: Duration = Duration::from_secs(120);

/// Bytes that the kernel keeps for a peer that does not read; it takes twice as much memory. Left alone it would grow to
/// megabytes, and a table would learn late that somebody has fallen behind.
const UNREAD: usize = 64 << 10;
/// Bytes that it keeps of a peer that is not read from: thousands of commands.
const UNHEARD: usize = 32 << 10;

/// Who says nothing for this long waits for the server to speak, as clients of some games do. One that wants TLS speaks
/// first, at once, and again within this time if its first packet was lost.
const SILENCE: Duration = Duration::from_secs(2);

/// Connections that may wait to be accepted. With the usual 128, a burst loses some for a second each.
const BACKLOG: u32 = 4096;

/// Newcomers that are let in without a pause, and the pause after them: a crowd at the door waits so that those at the
/// tables need not.
const TOGETHER: u32 = 4;
const MOMENT: Duration = Duration::from_millis(1);

/// Connections that were turned away or in, as figures.
#[derive(Default)]
pub struct Figures {
    pub accepted: AtomicU64,
    pub over_total: AtomicU64,
    pub over_address: AtomicU64,
    pub tls: AtomicU64,
    pub tls_failed: AtomicU64,
}

/// Connections in all and by address.
#[derive(Default)]
struct Count {
    total: u32,
    by_address: HashMap<IpAddr, u32>,
}

pub struct Door {
    /// 0: no limit.
    most: u32,
    most_by_address: u32,
    tls: Option<TlsAcceptor>,
    first_word: Duration,
    count: Mutex<Count>,
    emptied: watch::Sender<bool>,
    stop: watch::Sender<bool>,
    pub figures: Figures,
}

/// A connection's place in the count, given back when dropped.
pub struct Ticket {
    door: Arc<Door>,
    address: IpAddr,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut count = self.door.count.lock().unwrap_or_else(PoisonError::into_inner);
        count.total = count.total.saturating_sub(1);
        if let Some(here) = count.by_address.get_mut(&self.address) {
            *here = here.saturating_sub(1);
            if *here == 0 {
                count.by_address.remove(&self.address);
            }
        }
        self.door.emptied.send_replace(count.total == 0);
    }
}

/// A connection that was let in.
pub struct Guest {
    pub stream: Box<dyn Stream>,
    pub peer: SocketAddr,
    pub ticket: Arc<Ticket>,
}

impl Door {
    pub fn new(most: u32, most_by_address: u32, tls: Option<TlsAcceptor>) -> Self {
        Self {
            most,
            most_by_address,
            tls,
            first_word: FIRST_WORD,
            count: Mutex::default(),
            emptied: watch::Sender::new(true),
            stop: watch::Sender::new(false),
            figures: Figures::default(),
        }
    }

    /// Connections now.
    pub fn connections(&self) -> u32 {
        self.count.lock().unwrap_or_else(PoisonError::into_inner).total
    }

    /// No more connections from now on.
    pub fn shut(&self) {
        self.stop.send_replace(true);
    }

    /// Ends when the door is shut.
    pub async fn closing_time(&self) {
        let mut stop = self.stop.subscribe();
        let _ = stop.wait_for(|stop| *stop).await;
    }

    /// Ends when nobody is connected.
    pub async fn everybody_left(&self) {
        let mut emptied = self.emptied.subscribe();
        let _ = emptied.wait_for(|emptied| *emptied).await;
    }

    /// Accepts until the door is shut; `receive` gets each connection in a task of its own.
    pub async fn watch<F>(self: Arc<Self>, listener: TcpListener, receive: impl Fn(Guest) -> F + Clone + Send + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let mut together = 0;
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = self.closing_time() => return,
            };
            let (stream, peer) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of descriptors, most likely: it passes when somebody leaves.
                    tracing::warn!(%error, "can't accept");
                    sleep(Duration::from_millis(50)).await;
                    continue;
                }
            };
            let Some(ticket) = self.admit(peer) else { continue };
            let (door, receive) = (self.clone(), receive.clone());
            tokio::spawn(async move {
                // Boxed: what it takes to agree on TLS is given back before the connection settles down.
                match Box::pin(door.prepare(stream)).await {
                    Ok(stream) => receive(Guest { stream, peer, ticket: Arc::new(ticket) }).await,
                    Err(error) => tracing::debug!(%peer, %error, "connection refused"),
                }
            });
            // However many come at once, between two of them games go on.
            together += 1;
            if together < TOGETHER {
                tokio::task::yield_now().await;
            } else {
                together = 0;
                sleep(MOMENT).await;
            }
        }
    }

    /// Full is answered by closing.
    fn admit(self: &Arc<Self>, peer: SocketAddr) -> Option<Ticket> {
        let address = neighbourhood(peer.ip());
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        if self.most != 0 && count.total >= self.most {
            self.figures.over_total.fetch_add(1, Ordering::Relaxed);
            tracing::debug!(%peer, "too many connections");
            return None;
        }
        let here = count.by_address.entry(address).or_default();
        if self.most_by_address != 0 && *here >= self.most_by_address {
            self.figures.over_address.fetch_add(1, Ordering::Relaxed);
            tracing::debug!(%peer, "too many connections from one address");
            return None;
        }
        *here += 1;
        count.total += 1;
        self.emptied.send_replace(false);
        self.figures.accepted.fetch_add(1, Ordering::Relaxed);
        Some(Ticket { door: self.clone(), address })
    }

    async fn prepare(&self, stream: TcpStream) -> io::Result<Box<dyn Stream>> {
        let Some(tls) = &self.tls else { return Ok(Box::new(stream)) };
        let secured = async {
            // Not `readable`, which may be done when there is nothing to read.
            let is_silent = timeout(SILENCE, stream.peek(&mut [0])).await.is_err();
            if is_silent || !tls::is_hello(&stream).await? {
                return Ok(Box::new(stream) as Box<dyn Stream>);
            }
            let secured = tls.accept(stream).await.inspect_err(|_| {
                self.figures.tls_failed.fetch_add(1, Ordering::Relaxed);
            })?;
            self.figures.tls.fetch_add(1, Ordering::Relaxed);
            Ok(Box::new(secured) as Box<dyn Stream>)
        };
        tokio::select! {
            secured = timeout(self.first_word, secured) => secured?,
            () = self.closing_time() => Err(io::ErrorKind::ConnectionAborted.into()),
        }
    }
}

/// Opens a port.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A port that was in use a moment ago: its old connections are no reason to refuse.
    socket.set_reuseaddr(true)?;
    tune(&SockRef::from(&socket))?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Moves go out at once, a peer that is gone without a word is noticed, and the kernel holds little for one that does not
/// read. Said of the port: its connections have it from there, so that one which comes and leaves costs no call for it.
fn tune(port: &SockRef<'_>) -> io::Result<()> {
    // A frame is a whole move: nothing is gained by waiting for more.
    port.set_tcp_nodelay(true)?;
    let (time, interval, retries) = KEEPALIVE;
    port.set_tcp_keepalive(&TcpKeepalive::new().with_time(time).with_interval(interval).with_retries(retries))?;
    port.set_tcp_user_timeout(Some(UNACKNOWLEDGED))?;
    port.set_send_buffer_size(UNREAD)?;
    port.set_recv_buffer_size(UNHEARD)
}

/// What counts as one address, as a number.
pub fn origin(peer: SocketAddr) -> u128 {
    match neighbourhood(peer.ip()) {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// What counts as one address: an IPv6 user has a whole /64.
fn neighbourhood(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_counted_by_neighbourhood() {
        let same = |a: &str, b: &str| neighbourhood(a.parse().unwrap()) == neighbourhood(b.parse().unwrap());
        assert!(same("2001:db8::1", "2001:db8::ffff:1"));
        assert!(!same("2001:db8::1", "2001:db8:0:1::1"));
        assert!(same("::ffff:10.0.0.1", "10.0.0.1"));
        assert!(!same("10.0.0.1", "10.0.0.2"));
    }

    /// A connection as the server has it, and its peer.
    async fn pair() -> (TcpStream, TcpStream) {
        let listener = listen("127.0.0.1:0".parse().unwrap()).unwrap();
        let peer = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        (listener.accept().await.unwrap().0, peer)
    }

    #[tokio::test]
    async fn half_open_connections_are_noticed() {
        let (stream, _peer) = pair().await;
        let socket = SockRef::from(&stream);
        assert!(stream.nodelay().unwrap() && socket.keepalive().unwrap());
        assert_eq!(socket.tcp_keepalive_time().unwrap(), Duration::from_secs(60));
        assert_eq!(socket.tcp_keepalive_interval().unwrap(), Duration::from_secs(15));
        assert_eq!(socket.tcp_keepalive_retries().unwrap(), 4);
        assert_eq!(socket.tcp_user_timeout().unwrap(), Some(Duration::from_secs(120)));
    }

    #[tokio::test]
    async fn the_kernel_holds_little_for_who_does_not_read() {
        let (stream, _peer) = pair().await;
        let socket = SockRef::from(&stream);
        assert_eq!(socket.send_buffer_size().unwrap(), 2 * UNREAD);
        assert_eq!(socket.recv_buffer_size().unwrap(), 2 * UNHEARD);
    }

    #[tokio::test]
    async fn who_never_agrees_on_tls_is_let_go() {
        let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = rustls::pki_types::PrivateKeyDer::try_from(own.signing_key.serialize_der()).unwrap();
        let config = rustls::ServerConfig::builder_with_provider(tls::provider()).with_safe_default_protocol_versions();
        let config = config.unwrap().with_no_client_auth().with_single_cert(vec![own.cert.der().clone()], key);
        let door = Door {
            first_word: Duration::from_millis(50),
            ..Door::new(0, 0, Some(TlsAcceptor::from(Arc::new(config.unwrap()))))
        };
        // Nothing at all, the first byte of a hello, and more of it.
        for words in [&[][..], &[0x16], &[0x16, 0x03, 0x01, 0x00]] {
            let (stream, mut peer) = pair().await;
            tokio::io::AsyncWriteExt::write_all(&mut peer, words).await.unwrap();
            let refused = door.prepare(stream).await.err().expect("nobody spoke TLS");
            assert_eq!(refused.kind(), io::ErrorKind::TimedOut);
        }
    }

    #[test]
    fn a_ticket_gives_its_place_back() {
        let door = Arc::new(Door::new(3, 2, None));
        let peer = |address: &str| SocketAddr::new(address.parse().unwrap(), 1);
        let first = door.admit(peer("10.0.0.1"));
        let _second = door.admit(peer("10.0.0.1"));
        assert!(first.is_some() && door.admit(peer("10.0.0.1")).is_none());
        let _third = door.admit(peer("10.0.0.2"));
        assert!(door.admit(peer("10.0.0.3")).is_none());
        drop(first);
        assert_eq!(door.connections(), 2);
        assert!(door.admit(peer("10.0.0.1")).is_some());
    }
}
