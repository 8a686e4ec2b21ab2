//! One link of the pool: a socket, and what is being done with it.

use core::future::Future;
use core::pin::pin;
use core::task::{Context, Poll};

use embassy_net::{
    IpAddress, IpEndpoint, Stack,
    tcp::{Error, State, TcpSocket},
};
use embassy_time::Instant;
use parlor_core::server::Link;
use parlor_core::web::frames::Frames;
use parlor_core::web::head::{Asked, Head};
use parlor_core::web::status::Status;

use super::bell::Bell;
use super::play::{Outcome, Play};
use super::web::{LinksStatus, ReplyForm};
use super::{ASK_ALIVE, GIVE_UP, HALF_OPEN, Hub, IDLE, LAST_WORDS, PULL, STUCK, web};
use crate::fmt::{debug, info, warn};
use crate::games::{Id, Pulled};
use crate::shared::{Meter, Shared};

/// What TCP has received and has yet to send.
pub struct Buffers<const RX: usize, const TX: usize> {
    rx: [u8; RX],
    tx: [u8; TX],
}

impl<const RX: usize, const TX: usize> Buffers<RX, TX> {
    pub const fn new() -> Self {
        Self { rx: [0; RX], tx: [0; TX] }
    }
}

impl<const RX: usize, const TX: usize> Default for Buffers<RX, TX> {
    fn default() -> Self {
        Self::new()
    }
}

/// One poll of something that is asked again with each step.
pub(super) fn poll<F: Future>(future: F, context: &mut Context<'_>) -> Poll<F::Output> {
    pin!(future).poll(context)
}

/// Most frames are shorter than this: each byte by itself is quicker then than a call that copies any length.
const SHORT: usize = 16;

/// Copies as much as fits; how much that is.
#[inline]
pub(super) fn copy(to: &mut [u8], from: &[u8]) -> usize {
    let count = to.len().min(from.len());
    if count <= SHORT {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    } else if let (Some(to), Some(from)) = (to.get_mut(..count), from.get(..count)) {
        to.copy_from_slice(from);
    }
    count
}

/// A socket that knows how much was written to it.
pub(super) struct Wire<'a> {
    pub(super) socket: TcpSocket<'a>,
    sent: u32,
    /// What the peer had acknowledged when this was looked at last.
    acknowledged: u32,
}

impl Wire<'_> {
    /// Whether one pull can be written at once.
    pub(super) fn has_room(&self) -> bool {
        let queued = self.socket.send_queue();
        // Most often nothing waits, and a buffer has room for a pull.
        queued == 0 || self.socket.send_capacity().saturating_sub(queued) >= PULL
    }

    /// As many bytes as have room now; `None`: nothing can be sent any more.
    pub(super) fn write(&mut self, bytes: &[u8], context: &mut Context<'_>) -> Option<usize> {
        let first = self.write_piece(bytes, context)?;
        match bytes.get(first..) {
            // The buffer is a ring: what goes on at its front is a second piece. Most often there is none, and
            // `TcpSocket::write` would look for it all the same.
            Some(rest @ [_, ..]) if first > 0 => Some(first + self.write_piece(rest, context)?),
            _ => Some(first),
        }
    }

    fn write_piece(&mut self, bytes: &[u8], context: &mut Context<'_>) -> Option<usize> {
        let put = |room: &mut [u8]| {
            let count = copy(room, bytes);
            (count, count)
        };
        match poll(self.socket.write_with(put), context) {
            Poll::Ready(Ok(count)) => {
                self.sent = self.sent.wrapping_add(count as u32);
                Some(count)
            }
            Poll::Ready(Err(_)) => None,
            Poll::Pending => Some(0),
        }
    }

    /// What `pull` writes into `most` bytes of the send buffer; `None`: the next so many bytes of it are not free.
    pub(super) fn pull(
        &mut self,
        most: usize,
        pull: impl FnOnce(&mut [u8]) -> Pulled,
        context: &mut Context<'_>,
    ) -> Option<Pulled> {
        let put = |room: &mut [u8]| match room.get_mut(..most) {
            Some(room) => {
                let pulled = pull(room);
                (pulled.length, Some(pulled))
            }
            None => (0, None),
        };
        let Poll::Ready(Ok(pulled)) = poll(self.socket.write_with(put), context) else { return None };
        self.sent = self.sent.wrapping_add(pulled.as_ref().map_or(0, |pulled| pulled.length as u32));
        pulled
    }

    /// All of it, where [`Wire::has_room`] has said that it fits.
    pub(super) fn write_all(&mut self, bytes: &[u8], context: &mut Context<'_>) -> bool {
        self.write(bytes, context) == Some(bytes.len())
    }

    /// Has this link stepped again when the peer has taken something.
    pub(super) fn await_room(&mut self, context: &mut Context<'_>) {
        let _ = poll(self.socket.flush(), context);
    }

    pub(super) fn read_with<R>(
        &mut self,
        take: impl FnOnce(&[u8]) -> (usize, R),
        context: &mut Context<'_>,
    ) -> Poll<Result<R, Error>> {
        poll(self.socket.read_with(|bytes| take(bytes)), context)
    }

    /// Whether the peer has taken something since this was asked last, or has nothing to take.
    fn is_moving(&mut self) -> bool {
        let queued = self.socket.send_queue();
        let acknowledged = self.sent.wrapping_sub(queued as u32);
        core::mem::replace(&mut self.acknowledged, acknowledged) != acknowledged || queued == 0
    }
}

/// What the page of links is told of a busy link.
#[derive(Clone, Copy)]
pub(super) struct LinkStatus {
    /// `None`: a browser.
    pub(super) game: Option<Id>,
    /// What the peer has not acknowledged yet, and what the server has not taken yet.
    pub(super) unsent: usize,
    pub(super) unread: usize,
    /// Bytes of the game's ring that it has not come to.
    pub(super) behind: u32,
}

/// What is sent before the next request is read, from flash.
pub(super) struct Reply {
    pub(super) head: &'static [u8],
    pub(super) body: &'static [u8],
    pub(super) closes: bool,
}

pub(super) enum Stage {
    /// Free: listens, or is about to.
    Free,
    Head(Head),
    /// Wants to know of all links: told when it is their turn.
    TellLinks(ReplyForm),
    Reply(Reply),
    Play(Play),
    Leave,
}

pub(super) struct Place<'a> {
    wire: Wire<'a>,
    bell: Bell,
    port: u16,
    stage: Stage,
    /// When the stage began; in one that sends, when the peer last took something.
    since: Instant,
}

impl<'a> Place<'a> {
    pub(super) fn new<const RX: usize, const TX: usize>(
        network: Stack<'static>,
        Buffers { rx, tx }: &'static mut Buffers<RX, TX>,
        bell: Bell,
    ) -> Self {
        bell.ring();
        let socket = TcpSocket::new(network, rx, tx);
        let wire = Wire { socket, sent: 0, acknowledged: 0 };
        Self { wire, bell, port: 0, stage: Stage::Free, since: Instant::MIN }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }
    pub(super) fn since(&self) -> Instant {
        self.since
    }
    /// No client has called yet.
    pub(super) fn is_free(&self) -> bool {
        matches!(self.stage, Stage::Free) && matches!(self.wire.socket.state(), State::Listen | State::Closed)
    }
    /// smoltcp has answered a caller, which has not answered yet.
    pub(super) fn is_half_open(&self) -> bool {
        matches!(self.stage, Stage::Free) && self.wire.socket.state() == State::SynReceived
    }
    /// Whether its socket has this peer.
    pub(super) fn is_with(&self, peer: u32, port: u16, own: u16) -> bool {
        self.port == own && self.peer() == Some((peer, port))
    }
    /// Address and port.
    pub(super) fn peer(&self) -> Option<(u32, u16)> {
        let IpEndpoint { addr: IpAddress::Ipv4(address), port } = self.wire.socket.remote_endpoint()?;
        Some((address.to_bits(), port))
    }
    /// A browser keeps the connection and asks nothing.
    pub(super) fn is_idle(&self) -> bool {
        matches!(&self.stage, Stage::Head(head) if head.is_empty())
    }

    /// Listens there from now on: before the next frame is looked at.
    pub(super) fn move_to(&mut self, port: u16) {
        self.wire.socket.abort();
        self.port = port;
        let waker = self.bell.waker();
        self.listen(&mut Context::from_waker(&waker));
    }

    /// A caller that says no more than its first word has its link for [`HALF_OPEN`] only.
    fn listen(&mut self, context: &mut Context<'_>) {
        self.wire.socket.set_timeout(Some(HALF_OPEN));
        self.wire.socket.set_keep_alive(None);
        let _ = poll(self.wire.socket.accept(self.port), context);
    }

    pub(super) fn hang_up(&mut self) {
        self.wire.socket.close();
        (self.stage, self.since) = (Stage::Leave, Instant::now());
        self.bell.ring();
    }

    /// Whether it is this place's.
    pub(super) fn mark_ready(&mut self, id: Id, link: Link) -> bool {
        let is_named = if let Stage::Play(play) = &mut self.stage { play.mark_ready(id, link) } else { false };
        if is_named {
            self.bell.ring();
        }
        is_named
    }

    /// Whether it asks for all links.
    pub(super) fn asks_for_links(&self) -> bool {
        matches!(self.stage, Stage::TellLinks(_))
    }

    pub(super) fn status(&self, shared: &Shared) -> Option<LinkStatus> {
        if self.is_free() {
            return None;
        }
        let (unsent, unread) = (self.wire.socket.send_queue(), self.wire.socket.recv_queue());
        let (game, behind) = match &self.stage {
            Stage::Play(play) => {
                let (id, behind) = play.place(shared);
                (Some(id), behind)
            }
            _ => (None, 0),
        };
        Some(LinkStatus { game, unsent, unread, behind })
    }

    /// Answers the browser that asks for all links.
    pub(super) fn tell(&mut self, (seen, busy): (&[LinkStatus], usize), hub: &mut Hub<'_>) {
        let waker = self.bell.waker();
        let context = &mut Context::from_waker(&waker);
        if let Stage::TellLinks(form) = self.stage {
            let (send, receive) = (self.wire.socket.send_capacity(), self.wire.socket.recv_capacity());
            let all = LinksStatus { seen, busy, send, receive };
            let next = web::write_links(form, &mut self.wire, hub, context, &all);
            self.enter(next);
        }
    }

    /// Its bell has rung. It rings again if it would like to go on at once.
    pub(super) fn step<M: Meter>(&mut self, hub: &mut Hub<'_>) {
        let waker = self.bell.waker();
        if self.step_with::<M>(hub, &mut Context::from_waker(&waker)) {
            self.bell.ring();
        }
    }

    fn step_with<M: Meter>(&mut self, hub: &mut Hub<'_>, context: &mut Context<'_>) -> bool {
        match &mut self.stage {
            Stage::Free => self.begin(hub, context),
            Stage::Head(_) => self.ask(hub, context),
            // Only the pool knows all links.
            Stage::TellLinks(_) => true,
            Stage::Reply(_) => self.reply(context),
            Stage::Play(play) => match play.step::<M>(&mut self.wire, hub, context) {
                Outcome::Wait => false,
                Outcome::Again => true,
                Outcome::Over { orderly } => self.part(hub, orderly),
            },
            Stage::Leave => self.leave(hub, context),
        }
    }

    /// Once a second: a peer that takes too long makes room.
    pub(super) fn check_patience(&mut self, hub: &mut Hub<'_>) {
        self.bell.ring();
        let moving = self.wire.is_moving();
        match &self.stage {
            Stage::Head(_) if self.since.elapsed() > IDLE => self.hang_up(),
            Stage::Play(_) if !self.wire.socket.may_send() => {
                self.part(hub, false);
            }
            Stage::Reply(_) | Stage::Play(_) if moving => self.since = Instant::now(),
            Stage::Reply(_) if self.since.elapsed() > STUCK => self.drop_link(),
            Stage::Play(_) if self.since.elapsed() > GIVE_UP => {
                warn!("a peer takes nothing any more");
                self.part(hub, false);
            }
            _ => {}
        }
    }

    fn enter(&mut self, stage: Stage) -> bool {
        (self.stage, self.since) = (stage, Instant::now());
        self.bell.ring();
        true
    }

    fn begin(&mut self, hub: &mut Hub<'_>, context: &mut Context<'_>) -> bool {
        let socket = &mut self.wire.socket;
        match socket.state() {
            State::Closed if self.port != 0 => {
                hub.moved = true;
                self.listen(context);
                return false;
            }
            State::Listen => {
                // Be told when a client calls.
                let _ = poll(socket.accept(self.port), context);
                return false;
            }
            State::Closed => return false,
            State::SynSent | State::SynReceived => {
                hub.moved = true;
                // Be told when it is open.
                let _ = poll(socket.wait_write_ready(), context);
                return false;
            }
            State::Established | State::CloseWait => {}
            _ => {
                self.drop_link();
                hub.moved = true;
                return true;
            }
        }
        hub.moved = true;
        socket.set_nagle_enabled(false);
        socket.set_timeout(Some(GIVE_UP));
        socket.set_keep_alive(Some(ASK_ALIVE));
        let game = Id::ALL.iter().find(|id| id.entry().port == self.port);
        match game {
            None => self.enter(Stage::Head(Head::new())),
            Some(id) => match Play::open(*id, None, hub) {
                Some(play) => self.enter(Stage::Play(play)),
                None => {
                    warn!("no link left");
                    self.drop_link();
                    true
                }
            },
        }
    }

    fn ask(&mut self, hub: &mut Hub<'_>, context: &mut Context<'_>) -> bool {
        let Stage::Head(head) = &mut self.stage else { return false };
        match self.wire.read_with(|bytes| head.take(bytes), context) {
            Poll::Pending => false,
            Poll::Ready(Err(_)) => {
                self.hang_up();
                true
            }
            Poll::Ready(Ok(Asked::More)) => true,
            Poll::Ready(Ok(Asked::Refused(status))) => self.enter(refuse(status)),
            Poll::Ready(Ok(Asked::Whole)) => {
                let next = web::answer(head, &mut self.wire, hub, context);
                self.enter(next)
            }
        }
    }

    fn reply(&mut self, context: &mut Context<'_>) -> bool {
        let Stage::Reply(Reply { head, body, closes }) = &mut self.stage else { return false };
        let part = if head.is_empty() { body } else { head };
        if part.is_empty() {
            if *closes {
                self.hang_up();
                return true;
            }
            // The next answer wants all of the send buffer.
            if self.wire.socket.send_queue() > 0 {
                self.wire.await_room(context);
                return false;
            }
            return self.enter(Stage::Head(Head::new()));
        }
        match self.wire.write(part, context) {
            Some(0) => false,
            Some(count) => {
                *part = part.get(count..).unwrap_or_default();
                true
            }
            None => {
                self.drop_link();
                true
            }
        }
    }

    /// The game hears of it at once, not when the goodbyes are over: the others should see the seat empty now.
    fn part(&mut self, hub: &mut Hub<'_>, orderly: bool) -> bool {
        if let Stage::Play(play) = &mut self.stage {
            play.close(hub);
            info!("link {}: closed", play.slot());
        }
        if orderly {
            self.hang_up()
        } else {
            self.drop_link()
        }
        hub.moved = true;
        true
    }

    fn drop_link(&mut self) {
        self.wire.socket.abort();
        (self.stage, self.since) = (Stage::Leave, Instant::now());
    }

    /// Until the last error has arrived: a reset would eat it.
    fn leave(&mut self, hub: &mut Hub<'_>, context: &mut Context<'_>) -> bool {
        let is_over = loop {
            match self.wire.read_with(|bytes| (bytes.len(), ()), context) {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(_)) => break self.is_flushed(context),
                Poll::Pending => break false,
            }
        };
        if !is_over && self.since.elapsed() < LAST_WORDS {
            return false;
        }
        if !is_over && self.wire.socket.state() != State::Closed {
            debug!("no farewell");
            // The reset has to leave before the socket is used again; with no cable it never does.
            self.drop_link();
            return true;
        }
        self.wire.socket.abort();
        hub.moved = true;
        self.enter(Stage::Free)
    }

    fn is_flushed(&mut self, context: &mut Context<'_>) -> bool {
        poll(self.wire.socket.flush(), context).is_ready()
    }
}

pub(super) fn refuse(status: Status) -> Stage {
    Stage::Reply(Reply { head: status.answer(), body: b"", closes: status.closes() })
}

/// A WebSocket's stage, if a link of the game is free.
pub(super) fn upgrade(id: Id, hub: &mut Hub<'_>) -> Option<Stage> {
    Play::open(id, Some(Frames::new(id.entry().encoding)), hub).map(Stage::Play)
}
