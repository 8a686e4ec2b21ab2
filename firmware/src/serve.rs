//! A link's whole life, from accept to close, and the tables' clock.
//!
//! smoltcp has no backlog: a connection is only accepted by a socket that listens already, so a board runs one
//! [`link`] for each link of its server. None of them waits for another: each has buffers of its own.

use embassy_futures::select::{Either, select};
use embassy_futures::yield_now;
use embassy_net::{Stack, tcp::TcpSocket};
use embassy_time::{Duration, Instant, Timer, with_timeout};
use parlor_core::server::{Framer, Intake, Link, Server};

use crate::fmt::{debug, error, info, warn};
use crate::liveness::{BEAT, Heartbeat};
use crate::table::{Meter, Table, Tables};

/// A peer that answers nothing for this long is gone; it is asked every [`ASK_ALIVE`].
const GIVE_UP: Duration = Duration::from_secs(30);
const ASK_ALIVE: Duration = Duration::from_secs(10);
/// How long a closing connection may take to send its last bytes, and then to read the peer's.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The memory of one connection: what TCP has received, what it has yet to send, and one pull of the server.
pub struct Buffers<const RX: usize, const TX: usize, const OUT: usize> {
    rx: [u8; RX],
    tx: [u8; TX],
    out: [u8; OUT],
}

impl<const RX: usize, const TX: usize, const OUT: usize> Buffers<RX, TX, OUT> {
    pub const fn new() -> Self {
        Self { rx: [0; RX], tx: [0; TX], out: [0; OUT] }
    }
}

impl<const RX: usize, const TX: usize, const OUT: usize> Default for Buffers<RX, TX, OUT> {
    fn default() -> Self {
        Self::new()
    }
}

/// Why a conversation is over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// The server is done, or the peer has said all it will: the last bytes must still arrive.
    Orderly,
    /// Nobody is there any more, or the link broke a promise.
    Broken,
}

/// Serves one connection after the other on `port`, forever.
pub async fn link<S: Server, M: Meter, const LINKS: usize, const RX: usize, const TX: usize, const OUT: usize>(
    stack: Stack<'_>,
    port: u16,
    table: &Table<S, LINKS, M>,
    buffers: &mut Buffers<RX, TX, OUT>,
) -> ! {
    const { assert!(OUT >= S::MAX_FRAME, "a pull could make no progress") };
    loop {
        let mut socket = TcpSocket::new(stack, &mut buffers.rx, &mut buffers.tx);
        socket.set_nagle_enabled(false);
        socket.set_timeout(Some(GIVE_UP));
        socket.set_keep_alive(Some(ASK_ALIVE));
        if socket.accept(port).await.is_err() {
            warn!("port {}: can't listen", port);
            Timer::after(LAST_WORDS).await;
            continue;
        }
        let Ok(link) = table.open() else {
            warn!("no link left");
            hang_up(&mut socket, End::Broken).await;
            continue;
        };
        info!("link {}: open to {}", link.slot, socket.remote_endpoint());
        let end = converse(&mut socket, table, link, &mut buffers.out).await;
        // At once, not when the goodbyes are over: the others should see the seat empty now.
        table.close(link);
        hang_up(&mut socket, end).await;
        info!("link {}: closed", link.slot);
    }
}

/// The least that a link can do: what comes goes back. A yardstick for what a table costs.
pub async fn bare<const RX: usize, const TX: usize, const OUT: usize>(
    stack: Stack<'_>,
    port: u16,
    buffers: &mut Buffers<RX, TX, OUT>,
) -> ! {
    loop {
        let mut socket = TcpSocket::new(stack, &mut buffers.rx, &mut buffers.tx);
        socket.set_nagle_enabled(false);
        if socket.accept(port).await.is_err() {
            Timer::after(LAST_WORDS).await;
            continue;
        }
        while let Ok(count @ 1..) = socket.read(&mut buffers.out).await {
            let mut bytes = buffers.out.get(..count).unwrap_or_default();
            while !bytes.is_empty()
                && let Ok(sent @ 1..) = socket.write(bytes).await
            {
                bytes = bytes.get(sent..).unwrap_or_default();
            }
        }
        hang_up(&mut socket, End::Orderly).await;
    }
}

/// Bytes in, bytes out, until one side is done.
async fn converse<S: Server, M: Meter, const LINKS: usize>(
    socket: &mut TcpSocket<'_>,
    table: &Table<S, LINKS, M>,
    link: Link,
    out: &mut [u8],
) -> End {
    let mut framer = S::Framer::default();
    let mut intake = Intake::Hungry;
    loop {
        let mut sent = false;
        // Who is stalled waits for the signal itself: it says that input is taken again.
        if intake == Intake::Hungry {
            table.looks(link);
        }
        loop {
            let length = table.pull(link, out);
            let Some(bytes) = out.get(..length) else {
                error!("link {}: pulled more than fits", link.slot);
                return End::Broken;
            };
            table.rearm();
            if bytes.is_empty() {
                break;
            }
            if send(socket, table, link, bytes).await == End::Broken {
                return End::Broken;
            }
            sent = true;
        }
        if table.closing(link) {
            return End::Orderly;
        }
        match intake {
            Intake::Hungry => {
                let window = framer.window();
                if window.is_empty() {
                    error!("link {}: hungry, but no room to read", link.slot);
                    return End::Broken;
                }
                match select(socket.read(window), table.woken(link)).await {
                    Either::First(Ok(0)) => return End::Orderly,
                    Either::First(Ok(count)) => {
                        framer.commit(count);
                        intake = table.receive(link, &mut framer);
                    }
                    Either::First(Err(_)) => return End::Broken,
                    Either::Second(()) => {}
                }
            }
            Intake::More => {
                yield_now().await;
                intake = table.receive(link, &mut framer);
            }
            // Boards have no lobby.
            Intake::Elsewhere => return End::Broken,
            Intake::Stalled => {
                // Sending made room, and may have used up the signal that says so.
                if !sent {
                    table.woken(link).await;
                }
                intake = table.receive(link, &mut framer);
            }
        }
    }
}

/// Sends all of `bytes`. A peer that reads nothing holds up only itself, and only until the server is done with it.
async fn send<S: Server, M: Meter, const LINKS: usize>(
    socket: &mut TcpSocket<'_>,
    table: &Table<S, LINKS, M>,
    link: Link,
    mut bytes: &[u8],
) -> End {
    let mut deadline = None;
    while !bytes.is_empty() {
        let patience = async {
            match deadline {
                Some(at) => Timer::at(at).await,
                None => table.woken(link).await,
            }
        };
        match select(socket.write(bytes), patience).await {
            Either::First(Ok(count)) if count > 0 => bytes = bytes.get(count..).unwrap_or_default(),
            Either::First(_) => return End::Broken,
            Either::Second(()) if deadline.is_some() => return End::Broken,
            // The signal is used up here, which costs nothing: whoever calls pulls again.
            Either::Second(()) => deadline = table.closing(link).then(|| Instant::now() + LAST_WORDS),
        }
    }
    End::Orderly
}

/// Ends the connection so that the last error arrives: a reset would eat it.
async fn hang_up(socket: &mut TcpSocket<'_>, end: End) {
    if end == End::Orderly {
        socket.close();
        let farewell = async {
            let mut rest = [0; 32];
            while let Ok(1..) = socket.read(&mut rest).await {}
            socket.flush().await
        };
        if let Ok(Ok(())) = with_timeout(LAST_WORDS, farewell).await {
            return;
        }
        debug!("no farewell");
    }
    socket.abort();
    // The reset has to leave before the socket is used again; with no cable it never does.
    let _ = with_timeout(LAST_WORDS, socket.flush()).await;
}

/// Ticks the tables whenever their deadline has come, and on every beat. `feed` is called once a beat for as long as the
/// tables come back from their ticks and every one of `tasks` answers.
pub async fn clock(tables: &impl Tables, tasks: &[&Heartbeat], mut feed: impl FnMut()) -> ! {
    let mut beat = Instant::now() + BEAT;
    loop {
        let deadline = tables.arm().map_or(beat, |deadline| Instant::from_millis(deadline.0));
        if let Either::Second(()) = select(Timer::at(deadline.min(beat)), tables.moved()).await {
            continue;
        }
        tables.tick();
        if Instant::now() >= beat {
            beat = Instant::now() + BEAT;
            // Each is asked, also after one that has not answered.
            if tasks.iter().fold(true, |all, task| task.take() && all) {
                feed();
            }
        }
        // A server that leaves its deadline in the past must not keep everybody else from running.
        Timer::after_millis(1).await;
    }
}
