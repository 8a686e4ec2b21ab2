//! Accepts connections, counts them, takes clients' addresses from proxies, tells plain from TLS, and stops when the
//! process does.
//!
//! No table is asked before a connection has passed here, and none is slowed by one that does not.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use parlor_core::throttle::Allowance;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::access::Subnet;
use crate::bans::Bans;
use crate::net::Stream;
use crate::net::strangers::{self, ANOTHER_TRY};
use crate::pcap::Capture;
use crate::proxy_protocol::{self, Header};
use crate::quiet::warn_seldom;
use crate::task;
use crate::tls;

/// How long a peer may take to say whether it speaks TLS, and then to agree on it.
const FIRST_WORD: Duration = Duration::from_secs(30);
/// How long a proxy may take to name its client: it knows it at once, and one lost packet is sent again by then.
const HEADER: Duration = Duration::from_secs(5);
/// A silent peer is asked after this long whether it is still there, this often, this many times.
const KEEPALIVE: (Duration, Duration, u32) = (Duration::from_secs(60), Duration::from_secs(15), 4);
/// A peer that acknowledges nothing for this long is gone.
const UNACKNOWLEDGED: Duration = Duration::from_secs(120);

/// Bytes that the kernel keeps for a peer that does not read; it takes twice as much memory. Left alone it would grow
/// to megabytes, and a table would learn late that a link lags.
const UNREAD: usize = 64 << 10;
/// Bytes that it keeps of a peer that is not read from: thousands of commands.
const UNHEARD: usize = 32 << 10;

/// A client that says nothing for this long waits for the server to speak, as clients of some games do. One that wants
/// TLS speaks first, at once, and again within this time if its first packet was lost.
const SILENCE: Duration = Duration::from_secs(2);

/// Connections that may wait to be accepted. With the usual 128, a burst loses some for a second each.
const BACKLOG: u32 = 4096;

/// Newcomers that are let in without a pause, and the pause after them: a crowd of new connections waits so that
/// players need not.
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
    /// Plain ones, where only TLS is spoken.
    pub plain: AtomicU64,
    pub banned: AtomicU64,
    /// Proxies that did not tell their client's address.
    pub no_header: AtomicU64,
}

/// Connections in all and by address.
#[derive(Default)]
struct Count {
    total: u32,
    by_address: HashMap<IpAddr, u32>,
}

/// How many connections there may be; 0: no limit.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    pub total: u32,
    pub by_address: u32,
    /// In each second; the rest wait.
    pub new_by_address: u16,
    /// Addresses of proxies, whose clients are counted once the proxy has told their addresses.
    pub proxies: Vec<Subnet>,
    /// A proxy tells them in a header of the PROXY protocol, before anything else.
    pub proxy_protocol: bool,
}

impl Limits {
    pub const fn new(total: u32, by_address: u32) -> Self {
        Self { total, by_address, new_by_address: 0, proxies: Vec::new(), proxy_protocol: false }
    }

    /// How many connections may come from an address before they wait, and how fast that is forgotten.
    fn newcomers(&self) -> Allowance {
        let second = 1_000_u32;
        Allowance {
            most: self.new_by_address.saturating_mul(2),
            forgets: second.checked_div(self.new_by_address.into()).unwrap_or_default(),
        }
    }

    fn is_proxy(&self, address: IpAddr) -> bool {
        self.proxies.iter().any(|proxy| proxy.contains(address))
    }
}

/// What is spoken beside plain bytes, or instead.
#[derive(Clone)]
pub struct Tls {
    pub acceptor: TlsAcceptor,
    /// Nothing else is.
    pub is_required: bool,
}

pub struct Door {
    limits: RwLock<Arc<Limits>>,
    tls: RwLock<Option<Tls>>,
    first_word: Duration,
    header: Duration,
    count: Mutex<Count>,
    /// New connections of late, by address.
    newcomers: strangers::Count,
    emptied: watch::Sender<bool>,
    stop: watch::Sender<bool>,
    capture: Option<Arc<Capture>>,
    pub bans: Arc<Bans>,
    pub figures: Figures,
}

/// A connection's place in the count, given back when dropped.
pub struct Ticket {
    door: Arc<Door>,
    /// The address it is counted for; `None`: a proxy, which speaks for many.
    address: Option<IpAddr>,
    /// What a proxy's visitor has, beside that of the proxy's connection.
    connection: Option<Arc<Ticket>>,
}

impl Ticket {
    /// The ticket of a visitor over this connection, for as long as it lasts; `None`: too many are from there.
    pub fn of_visitor(self: &Arc<Self>, address: IpAddr) -> Option<Arc<Self>> {
        if self.address.is_some() {
            return Some(self.clone());
        }
        let address = neighbourhood(address);
        let mut count = self.door.count.lock().unwrap_or_else(PoisonError::into_inner);
        if !count.add(address, self.door.limits().by_address) {
            self.door.figures.over_address.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        drop(count);
        Some(Arc::new(Self { door: self.door.clone(), address: Some(address), connection: Some(self.clone()) }))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut count = self.door.count.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(address) = self.address {
            count.take(address);
        }
        if self.connection.is_none() {
            count.total = count.total.saturating_sub(1);
        }
        self.door.emptied.send_replace(count.total == 0);
    }
}

impl Count {
    /// One more from there; `false`: there are as many as may be.
    fn add(&mut self, address: IpAddr, most: u32) -> bool {
        let here = self.by_address.entry(address).or_default();
        let may = most == 0 || *here < most;
        *here += u32::from(may);
        may
    }

    fn take(&mut self, address: IpAddr) {
        if let Some(here) = self.by_address.get_mut(&address) {
            *here = here.saturating_sub(1);
            if *here == 0 {
                self.by_address.remove(&address);
            }
        }
    }
}

/// A connection that was let in.
pub struct Guest {
    pub stream: Box<dyn Stream>,
    pub peer: SocketAddr,
    /// The peer's address is what a proxy has told of it.
    pub is_told: bool,
    pub ticket: Arc<Ticket>,
}

impl Door {
    pub fn new(limits: Limits, tls: Option<Tls>) -> Self {
        Self {
            newcomers: strangers::Count::new(limits.newcomers()),
            limits: RwLock::new(Arc::new(limits)),
            tls: RwLock::new(tls),
            first_word: FIRST_WORD,
            header: HEADER,
            count: Mutex::default(),
            emptied: watch::Sender::new(true),
            stop: watch::Sender::new(false),
            capture: None,
            bans: Arc::default(),
            figures: Figures::default(),
        }
    }

    /// Addresses on this list are not let in.
    pub fn with_bans(self, bans: Bans) -> Self {
        Self { bans: Arc::new(bans), ..self }
    }

    /// What connections say is written there.
    pub fn with_capture(self, capture: Option<Arc<Capture>>) -> Self {
        Self { capture, ..self }
    }

    /// Connections now.
    pub fn connections(&self) -> u32 {
        self.count.lock().unwrap_or_else(PoisonError::into_inner).total
    }

    fn limits(&self) -> Arc<Limits> {
        self.limits.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From now on. Open connections stay.
    pub fn allow(&self, limits: Limits) {
        self.newcomers.allow(limits.newcomers());
        *self.limits.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(limits);
    }

    /// From now on. Open connections go on with what was agreed.
    pub fn speak(&self, tls: Option<Tls>) {
        *self.tls.write().unwrap_or_else(PoisonError::into_inner) = tls;
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

    /// Ends when no connection is left.
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
                    // Out of descriptors, most likely: it passes when a connection ends.
                    warn_seldom!(%error, "can't accept");
                    sleep(Duration::from_millis(50)).await;
                    continue;
                }
            };
            let Some(ticket) = self.admit(peer) else { continue };
            let (door, receive) = (self.clone(), receive.clone());
            task::spawn(async move {
                // Boxed: what it takes to agree on TLS is given back before the connection settles down.
                match Box::pin(door.welcome(stream, peer, ticket)).await {
                    Ok(guest) => receive(guest).await,
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
    pub(crate) fn admit(self: &Arc<Self>, peer: SocketAddr) -> Option<Ticket> {
        if self.bans.contains(peer.ip()) {
            self.figures.banned.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        let limits = self.limits();
        let address = (!limits.is_proxy(peer.ip())).then(|| neighbourhood(peer.ip()));
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        if limits.total != 0 && count.total >= limits.total {
            self.figures.over_total.fetch_add(1, Ordering::Relaxed);
            tracing::debug!(%peer, "too many connections");
            return None;
        }
        if address.is_some_and(|address| !count.add(address, limits.by_address)) {
            self.figures.over_address.fetch_add(1, Ordering::Relaxed);
            tracing::debug!(%peer, "too many connections from one address");
            return None;
        }
        count.total += 1;
        self.emptied.send_replace(false);
        self.figures.accepted.fetch_add(1, Ordering::Relaxed);
        Some(Ticket { door: self.clone(), address, connection: None })
    }

    /// The client's address, and what it speaks.
    async fn welcome(self: Arc<Self>, mut stream: TcpStream, peer: SocketAddr, ticket: Ticket) -> io::Result<Guest> {
        let (limits, ticket) = (self.limits(), Arc::new(ticket));
        let mut guest = (peer, false, ticket);
        if limits.proxy_protocol && limits.is_proxy(peer.ip()) {
            guest = self.introduce(&mut stream, &limits, peer, guest.2).await?;
        }
        let ((peer, is_told, ticket), here) = (guest, stream.local_addr()?);
        if limits.new_by_address != 0 && !limits.is_proxy(peer.ip()) {
            self.wait_for_turn(peer.ip()).await?;
        }
        let stream = self.prepare(stream).await?;
        let stream = match &self.capture {
            Some(capture) => capture.tap(stream, peer, here),
            None => stream,
        };
        Ok(Guest { stream, peer, is_told, ticket })
    }

    /// A client that connects again and again waits here, where it costs others nothing: no table has heard of it yet.
    async fn wait_for_turn(&self, address: IpAddr) -> io::Result<()> {
        let from = Some(origin(address));
        while !self.newcomers.take(from) {
            tokio::select! {
                () = sleep(ANOTHER_TRY) => {}
                () = self.closing_time() => return Err(io::ErrorKind::ConnectionAborted.into()),
            }
        }
        Ok(())
    }

    /// Hears a proxy's client. From there on that client is counted, and turned away, as if it had come by itself.
    async fn introduce(
        &self,
        stream: &mut TcpStream,
        limits: &Limits,
        proxy: SocketAddr,
        ticket: Arc<Ticket>,
    ) -> io::Result<(SocketAddr, bool, Arc<Ticket>)> {
        let header = tokio::select! {
            header = timeout(self.header, proxy_protocol::take(stream)) => header.unwrap_or_else(|late| Err(late.into())),
            () = self.closing_time() => return Err(io::ErrorKind::ConnectionAborted.into()),
        };
        let header = header.inspect_err(|error| {
            self.figures.no_header.fetch_add(1, Ordering::Relaxed);
            warn_seldom!(%proxy, %error, "a trusted proxy does not say for whom it speaks");
        })?;
        let visitor = match header {
            Header::Own => return Ok((proxy, true, ticket)),
            Header::Visitor(visitor) => visitor,
        };
        if self.bans.contains(visitor.ip()) {
            self.figures.banned.fetch_add(1, Ordering::Relaxed);
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "a banned address, through a proxy"));
        }
        // A proxy behind a proxy tells its clients itself, request by request.
        if limits.is_proxy(visitor.ip()) {
            return Ok((visitor, true, ticket));
        }
        let crowded =
            || io::Error::new(io::ErrorKind::QuotaExceeded, "too many connections from one address, through a proxy");
        let ticket = ticket.of_visitor(visitor.ip()).ok_or_else(crowded)?;
        Ok((visitor, true, ticket))
    }

    async fn prepare(&self, stream: TcpStream) -> io::Result<Box<dyn Stream>> {
        let tls = self.tls.read().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(tls) = tls else { return Ok(Box::new(stream)) };
        let secured = async {
            // Not `readable`, which may be done when there is nothing to read.
            let is_silent = timeout(SILENCE, stream.peek(&mut [0])).await.is_err();
            if is_silent || !tls::is_hello(&stream).await? {
                if tls.is_required {
                    self.figures.plain.fetch_add(1, Ordering::Relaxed);
                    return Err(io::Error::new(io::ErrorKind::InvalidData, "plain bytes where only TLS is spoken"));
                }
                return Ok(Box::new(stream) as Box<dyn Stream>);
            }
            let secured = tls.acceptor.accept(stream).await.inspect_err(|_| {
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
pub fn origin(address: IpAddr) -> u128 {
    match neighbourhood(address) {
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
    async fn half_openconnections_are_noticed() {
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
            ..Door::new(Limits::default(), Some(Tls { acceptor: Arc::new(config.unwrap()).into(), is_required: false }))
        };
        // Nothing at all, the first byte of a hello, and more of it.
        for words in [&[][..], &[0x16], &[0x16, 0x03, 0x01, 0x00]] {
            let (stream, mut peer) = pair().await;
            tokio::io::AsyncWriteExt::write_all(&mut peer, words).await.unwrap();
            let refused = door.prepare(stream).await.err().expect("nobody spoke TLS");
            assert_eq!(refused.kind(), io::ErrorKind::TimedOut);
        }
    }

    #[tokio::test]
    async fn a_proxy_that_does_not_say_for_whom_it_speaks_is_let_go() {
        let limits = Limits { proxies: vec!["127.0.0.1".parse().unwrap()], proxy_protocol: true, ..Limits::new(9, 1) };
        let door = Arc::new(Door { header: Duration::from_millis(50), ..Door::new(limits, None) });
        for words in [&b""[..], b"PROXY TCP4 192.0.2.1 10.0.", b"\r\n\r\n\0\r\nQUIT\n\x21"] {
            let (stream, mut peer) = pair().await;
            tokio::io::AsyncWriteExt::write_all(&mut peer, words).await.unwrap();
            let proxy = stream.peer_addr().unwrap();
            let ticket = door.admit(proxy).unwrap();
            let refused = door.clone().welcome(stream, proxy, ticket).await.err().expect("nobody said for whom");
            assert_eq!(refused.kind(), io::ErrorKind::TimedOut);
        }
        assert_eq!((door.connections(), door.figures.no_header.load(Ordering::Relaxed)), (0, 3));
    }

    #[test]
    fn a_ticket_gives_its_place_back() {
        let door = Arc::new(Door::new(Limits::new(3, 2), None));
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

    #[tokio::test]
    async fn whoever_comes_too_often_waits_and_nobody_else() {
        let few = Limits { new_by_address: 1, ..Limits::default() };
        let door = Door::new(few, None);
        let turn = |address: &str| door.wait_for_turn(address.parse().unwrap());
        let at_once =
            async |address: &str| futures_util::future::poll_immediate(Box::pin(turn(address))).await.is_some();
        assert!(at_once("192.0.2.1").await && at_once("192.0.2.1").await);
        assert!(!at_once("192.0.2.1").await && at_once("192.0.2.2").await);
        // Its turn comes, and when the door is shut none waits for it.
        turn("192.0.2.1").await.unwrap();
        door.shut();
        assert!(turn("192.0.2.1").await.is_err());
        door.allow(Limits { new_by_address: 1_000, ..Limits::default() });
        assert!(at_once("192.0.2.1").await);
    }

    #[test]
    fn visitors_of_a_proxy_are_counted_one_by_one() {
        let proxies = vec!["10.0.0.0/8".parse().unwrap()];
        let door = Arc::new(Door::new(Limits { proxies, ..Limits::new(9, 1) }, None));
        let peer = SocketAddr::new("10.0.0.1".parse().unwrap(), 1);
        let (first, second) = (door.admit(peer).unwrap(), Arc::new(door.admit(peer).unwrap()));
        let visitor = "192.0.2.1".parse().unwrap();
        let place = second.of_visitor(visitor);
        assert!(place.is_some() && Arc::new(first).of_visitor(visitor).is_none());
        assert!(second.of_visitor("192.0.2.2".parse().unwrap()).is_some());
        drop(place);
        assert!(second.of_visitor(visitor).is_some());
        assert_eq!(door.connections(), 1);
        drop(second);
        assert_eq!(door.connections(), 0);
        // A client without a proxy was counted at the door.
        let alone = Arc::new(door.admit(SocketAddr::new(visitor, 1)).unwrap());
        assert!(Arc::ptr_eq(&alone.of_visitor(visitor).unwrap(), &alone));
    }
}
