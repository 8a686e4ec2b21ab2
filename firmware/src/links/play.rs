//! A link at a game, over TCP as it is or in WebSocket frames.

use core::task::{Context, Poll};

use parlor_core::server::{Intake, Link};
use parlor_core::web::frames::{self, Control, Event, FRONT, Frames};

use super::place::{Wire, copy, poll};
use super::{Hub, PULL};
use crate::fmt::{error, info};
use crate::games::{Framer, Id, LONGEST_FRAME, Pulled};
use crate::shared::{Meter, Shared, now};

const PONG: u8 = 0x8A;
const CLOSE: [u8; 2] = [0x88, 0];

pub(super) enum Outcome {
    /// For something to happen.
    Wait,
    Again,
    /// Orderly: the last bytes must still arrive.
    Over {
        orderly: bool,
    },
}

/// What came of sending what the server has.
enum Pushed {
    All {
        is_closing: bool,
    },
    /// The peer must take something first.
    Full,
    /// It never will.
    Broken,
}

/// A server that asks for more must have left room for it.
#[cold]
fn no_room(_link: Link) -> Outcome {
    error!("link {}: hungry, but no room to read", _link.slot);
    BROKEN
}

const BROKEN: Outcome = Outcome::Over { orderly: false };

pub(super) struct Play {
    id: Id,
    link: Link,
    framer: Framer,
    web: Option<Frames>,
    intake: Intake,
    /// The server may have something for this link.
    ready: bool,
    /// The server has named this link since it was called last: if it had stalled, its input is taken again.
    named: bool,
}

impl Play {
    pub(super) fn open(id: Id, web: Option<Frames>, hub: &mut Hub<'_>) -> Option<Self> {
        let mut games = hub.shared.games.borrow_mut();
        games.let_out(id);
        let link = games.server(id).open(now()).ok()?;
        games.after_call(id, now());
        info!("link {}: open to {}", link.slot, id.entry().name);
        Some(Self { id, link, framer: Framer::new(id), web, intake: Intake::Hungry, ready: true, named: false })
    }

    pub(super) fn close(&mut self, hub: &mut Hub<'_>) {
        let mut games = hub.shared.games.borrow_mut();
        games.server(self.id).close(self.link, now());
        games.after_call(self.id, now());
    }

    pub(super) fn slot(&self) -> u16 {
        self.link.slot
    }

    /// The game, and how many bytes of its ring this link has not come to.
    pub(super) fn place(&self, shared: &Shared) -> (Id, u32) {
        (self.id, shared.games.borrow().peek(self.id).behind(self.link))
    }

    /// Whether it is this link.
    pub(super) fn mark_ready(&mut self, id: Id, link: Link) -> bool {
        let is_named = self.id == id && self.link == link;
        (self.ready, self.named) = (self.ready || is_named, self.named || is_named);
        is_named
    }

    pub(super) fn step<M: Meter>(
        &mut self,
        wire: &mut Wire<'_>,
        hub: &mut Hub<'_>,
        context: &mut Context<'_>,
    ) -> Outcome {
        let mut has_received = false;
        loop {
            // Also at once after a command, not with the next step: long answers are told from snapshots, of which
            // there are fewer than links, and a link that has not taken the last bytes of one when others have asked
            // for as many as there are is closed.
            match self.tell(wire, hub, context) {
                Outcome::Again => {}
                other => return other,
            }
            match self.intake {
                // Most clients sent no more than one command: then this link need not be looked at again.
                Intake::Hungry => match self.read(wire, hub, context) {
                    Outcome::Again => self.intake = Intake::More,
                    other => return other,
                },
                Intake::More => {}
                Intake::Stalled if self.named => {}
                Intake::Stalled => return Outcome::Wait,
                // Boards have no lobby.
                Intake::Elsewhere => return BROKEN,
            }
            // The others have a turn first.
            if has_received {
                return Outcome::Again;
            }
            match self.receive::<M>(hub) {
                Outcome::Again => has_received = true,
                other => return other,
            }
        }
    }

    /// Sends what the server has, if it may have something. [`Outcome::Wait`]: the peer must take something first.
    fn tell(&mut self, wire: &mut Wire<'_>, hub: &mut Hub<'_>, context: &mut Context<'_>) -> Outcome {
        // A control frame that is being answered comes first.
        if self.ready && !self.web.as_ref().is_some_and(Frames::is_in_control) {
            match self.push(wire, hub, context) {
                Pushed::All { is_closing: false } => self.ready = false,
                Pushed::All { is_closing: true } => return Outcome::Over { orderly: true },
                // It has a second for what was sent.
                Pushed::Full if hub.shared.games.borrow().peek(self.id).closing(self.link) => {
                    return Outcome::Over { orderly: true };
                }
                Pushed::Full => return Outcome::Wait,
                Pushed::Broken => return BROKEN,
            }
        }
        Outcome::Again
    }

    fn receive<M: Meter>(&mut self, hub: &mut Hub<'_>) -> Outcome {
        hub.shared.talk.signal(());
        let since = M::now();
        let mut games = hub.shared.games.borrow_mut();
        let framer = self.framer.any();
        let Some(intake) = games.receive(self.id, self.link, framer, now()) else { return BROKEN };
        hub.shared.cost.set(M::spent(framer.taken(), since));
        // The next step looks for its output, without waiting to be told.
        (self.intake, self.ready, self.named) = (intake, true, false);
        Outcome::Again
    }

    /// Sends all that the server has, a whole pull at a time and only if it has room: nothing is kept here.
    fn push(&mut self, wire: &mut Wire<'_>, hub: &mut Hub<'_>, context: &mut Context<'_>) -> Pushed {
        loop {
            // What has no front is pulled to where it is sent from, if that is one piece.
            if self.web.is_none() {
                let pull = |room: &mut [u8]| {
                    let mut games = hub.shared.games.borrow_mut();
                    games.pull(self.id, self.link, room, now())
                };
                if let Some(Pulled { is_all, is_closing, length, .. }) = wire.pull(LONGEST_FRAME, pull, context) {
                    if length > 0 {
                        hub.shared.talk.signal(());
                    }
                    if is_all || length == 0 {
                        return Pushed::All { is_closing };
                    }
                    continue;
                }
            }
            if !wire.has_room() {
                wire.await_room(context);
                return if wire.socket.may_send() { Pushed::Full } else { Pushed::Broken };
            }
            let Some(room) = hub.out.get_mut(FRONT..PULL) else { return Pushed::Broken };
            let mut games = hub.shared.games.borrow_mut();
            let Pulled { length, is_all, is_closing, .. } = games.pull(self.id, self.link, room, now());
            drop(games);
            if length == 0 {
                return Pushed::All { is_closing };
            }
            hub.shared.talk.signal(());
            let start = self.web.as_ref().map_or(FRONT, |web| frames::seal(&mut hub.out, length, web.encoding()));
            let Some(bytes) = hub.out.get(start..FRONT + length) else {
                error!("link {}: pulled more than fits", self.link.slot);
                return Pushed::Broken;
            };
            if !wire.write_all(bytes, context) {
                return Pushed::Broken;
            }
            if is_all {
                return Pushed::All { is_closing };
            }
        }
    }

    /// [`Outcome::Again`]: there is something for the server.
    fn read(&mut self, wire: &mut Wire<'_>, hub: &mut Hub<'_>, context: &mut Context<'_>) -> Outcome {
        let Some(web) = &mut self.web else {
            let framer = self.framer.any();
            // Of what has come over the buffer's end, the first piece: `TcpSocket::read` would look for both also where
            // nothing waits.
            let take = |bytes: &[u8]| {
                let count = copy(framer.window(), bytes);
                framer.commit(count);
                (count, count)
            };
            return match wire.read_with(take, context) {
                Poll::Pending => Outcome::Wait,
                Poll::Ready(Ok(0)) => no_room(self.link),
                Poll::Ready(Ok(_)) => Outcome::Again,
                // Which end it is, an orderly one or none, only `read` tells.
                Poll::Ready(Err(_)) => match poll(wire.socket.read(&mut [0]), context) {
                    Poll::Ready(Ok(0)) => Outcome::Over { orderly: true },
                    _ => BROKEN,
                },
            };
        };
        if self.framer.any().window().is_empty() {
            return no_room(self.link);
        }
        loop {
            // Any answer must have room.
            if !wire.has_room() {
                wire.await_room(context);
                return Outcome::Wait;
            }
            let window = if web.is_in_control() { &mut hub.out[..] } else { self.framer.any().window() };
            let event = match wire.read_with(|bytes| web.take(bytes, window), context) {
                Poll::Pending => return Outcome::Wait,
                Poll::Ready(Err(_)) => return Outcome::Over { orderly: true },
                Poll::Ready(Ok(event)) => event,
            };
            let is_sent = match event {
                Event::Stream(0) => true,
                Event::Stream(count) => {
                    self.framer.any().commit(count);
                    return Outcome::Again;
                }
                Event::Control(Control::Ping, length) => wire.write_all(&[PONG, length as u8], context),
                Event::Payload(Control::Ping, count) => {
                    wire.write_all(hub.out.get(..count).unwrap_or_default(), context)
                }
                Event::Control(Control::Close, _) => {
                    wire.write_all(&CLOSE, context);
                    return Outcome::Over { orderly: true };
                }
                Event::Control(Control::Pong, _) | Event::Payload(..) => true,
                Event::Broken(code) => {
                    let [high, low] = code.to_be_bytes();
                    wire.write_all(&[0x88, 2, high, low], context);
                    return Outcome::Over { orderly: true };
                }
            };
            if !is_sent {
                return BROKEN;
            }
        }
    }
}
