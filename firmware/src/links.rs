//! One pool of links for every game, its WebSocket and the page: one task that looks at all of them.
//!
//! smoltcp has no backlog: a connection is only accepted by a socket that listens already. So links that are free listen,
//! spread over the ports, and move to where fewest do; a call that no listener can take is overheard
//! ([`crate::backlog`]), and the caller's TCP calls again.
//!
//! What can never happen here: a link that waits for another, memory that grows with what peers do, a peer that reads
//! nothing and keeps its link for longer than a minute.

mod bell;
mod place;
mod play;
mod web;

use core::future::{Future, poll_fn};
use core::pin::pin;
use core::task::{Context, Poll};

use embassy_net::Stack;
use embassy_time::{Duration, Instant, Timer};
use heapless::Vec;
use parlor_core::web::frames::FRONT;

use crate::backlog::Listeners;
use crate::games::{LONGEST_FRAME, Settings};
use crate::liveness::{BEAT, Heartbeat};
use crate::shared::{Meter, Shared, now};
use crate::watermark::Painted;

use bell::{BELLS, Bell, POOL};
pub use place::Buffers;
use place::{LinkStatus, Place};
pub use web::{PORT as WEB_PORT, Page};

/// A peer that answers nothing for this long is gone; it is asked every [`ASK_ALIVE`]. Where a network loses one frame of ten
/// each way, what is lost is sent again after 1, 2, 4, 8 and 16 s, and a question or its answer is lost one time of four: a
/// link must last for all of these in a row.
const GIVE_UP: Duration = Duration::from_secs(60);
const ASK_ALIVE: Duration = Duration::from_secs(5);
/// A caller that does not answer its own call for this long was none.
const HALF_OPEN: Duration = Duration::from_secs(5);
/// A browser that answers, but takes nothing of what waits for it, is as good as gone after this; a player after [`GIVE_UP`].
const STUCK: Duration = Duration::from_secs(30);
/// How long a closing connection may take to send its last bytes, and then to read the peer's.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// A browser that asks nothing for so long, or takes so long to ask, makes room.
const IDLE: Duration = Duration::from_secs(5);

/// One pull of a server with a WebSocket's front before it: a link pulls only when this has room in its send buffer.
const PULL: usize = FRONT + LONGEST_FRAME;
/// What all links share to pull and to write into.
const OUT: usize = if PULL > web::OUT { PULL } else { web::OUT };
/// Rounds over all links before other tasks get a turn.
const ROUNDS: usize = 4;

/// What a link needs beside itself.
struct Hub<'h> {
    shared: &'h Shared,
    #[cfg(feature = "settings")]
    network: Stack<'static>,
    listeners: &'h Listeners,
    pages: &'static [Page],
    settings: Settings,
    stack: Painted,
    out: [u8; OUT],
    links: usize,
    /// A free link became a busy one, or the other way round.
    moved: bool,
}

/// What the pool is given when it begins.
pub struct House<'a> {
    pub shared: &'a Shared,
    pub listeners: &'a Listeners,
    pub pages: &'static [Page],
    /// What the games were told, for pages that ask.
    pub settings: Settings,
    /// Tasks that must be alive for the watchdog to be fed.
    pub tasks: &'a [Heartbeat],
    pub stack: Painted,
}

/// Serves everything, forever. `feed` is called once a [`BEAT`] for as long as every task answers and the games come back
/// from their ticks.
pub async fn serve<M: Meter, const N: usize, const RX: usize, const TX: usize>(
    network: Stack<'static>,
    house: House<'_>,
    buffers: &'static mut [Buffers<RX, TX>; N],
    mut feed: impl FnMut(),
) -> ! {
    const { assert!(TX >= OUT, "what is written at once must have room at once") };
    const { assert!(N <= BELLS, "each link has a bell") };
    let House { shared, listeners, pages, settings, tasks, stack } = house;
    // One by one: an array of them would be put together on the stack, which has no room for it.
    let mut places = Vec::<_, N>::new();
    for (number, buffers) in (0..).zip(buffers) {
        // There is room for each.
        let _ = places.push(Place::new(network, buffers, Bell::new(number)));
    }
    let mut hub = Hub {
        shared,
        listeners,
        #[cfg(feature = "settings")]
        network,
        pages,
        settings,
        stack,
        out: [0; OUT],
        links: N,
        moved: true,
    };
    let mut beat = Instant::now() + BEAT;
    loop {
        let due = deadline(shared).map_or(beat, |at| at.min(beat));
        if !until_due::<M>(&mut places, &mut hub, due).await {
            continue;
        }
        shared.games.borrow_mut().tick(now());
        mark_ready(&mut places, shared);
        if Instant::now() >= beat {
            beat = Instant::now() + BEAT;
            // What waited for the end of a game.
            #[cfg(feature = "settings")]
            shared.chosen.borrow_mut().apply(&mut shared.games.borrow_mut());
            places.iter_mut().for_each(|place| place.check_patience(&mut hub));
            // Each is asked, also after one that has not answered.
            if tasks.iter().filter(|task| !task.take()).count() == 0 {
                feed();
            }
        }
        // A server that leaves its deadline in the past must not keep other tasks from running.
        Timer::after_millis(1).await;
    }
}

/// Serves links until it is time for a tick; `false`: until that may be earlier than it was. A future of its own: with this in the
/// one above, the compiler puts all places together on the stack before they go where they stay.
async fn until_due<M: Meter>(places: &mut [Place<'_>], hub: &mut Hub<'_>, due: Instant) -> bool {
    let (shared, listeners) = (hub.shared, hub.listeners);
    let mut timer = pin!(Timer::at(due));
    let mut is_set = false;
    poll_fn(|context| {
        step_all::<M>(places, hub, listeners, context);
        if shared.take_poke() {
            mark_ready(places, shared);
            return Poll::Ready(false);
        }
        // The deadline may be an earlier one now.
        if has_moved(shared) && deadline(shared).is_some_and(|at| at < due) {
            return Poll::Ready(false);
        }
        // A timer that is set wakes this task; until then a look at the clock is enough. Nothing else of this task waits for
        // time meanwhile, and a time that is waited for only becomes an earlier one, until it has come.
        if is_set {
            return if Instant::now() >= due { Poll::Ready(true) } else { Poll::Pending };
        }
        is_set = true;
        // A task has the same waker for as long as it lives.
        POOL.register(context.waker());
        timer.as_mut().poll(context).map(|()| true)
    })
    .await
}

/// Has the links looked at: a caller found no listener.
pub(crate) fn wake() {
    POOL.wake();
}

/// Whether some game may have another deadline than before.
fn has_moved(shared: &Shared) -> bool {
    shared.games.borrow().has_moved()
}

fn deadline(shared: &Shared) -> Option<Instant> {
    shared.games.borrow_mut().deadline().map(|at| Instant::from_millis(at.0))
}

fn step_all<M: Meter>(places: &mut [Place<'_>], hub: &mut Hub<'_>, listeners: &Listeners, context: &mut Context<'_>) {
    for _ in 0..ROUNDS {
        for at in bell::take_rung() {
            step::<M>(places, at, hub);
        }
        // A pull by any link may have found that others lag.
        mark_ready(places, hub.shared);
        let wanted = listeners.take_wanted();
        if core::mem::take(&mut hub.moved) || wanted.is_some() {
            #[cfg(feature = "settings")]
            listeners.set_closed(hub.shared.own.borrow().closed());
            spread(places, listeners, wanted);
            hub.shared.busy.set(places.iter().filter(|place| !place.is_free()).count());
        }
        if !bell::has_rung() {
            return;
        }
    }
    context.waker().wake_by_ref();
}

/// Looks at the link at `at`.
fn step<M: Meter>(places: &mut [Place<'_>], at: usize, hub: &mut Hub<'_>) {
    if places.get(at).is_some_and(Place::asks_for_links) {
        tell_links(places, at, hub);
    }
    places.get_mut(at).into_iter().for_each(|place| place.step::<M>(hub));
}

/// Answers the link at `at`, which asks for all links: busy ones, as many as an answer has room for.
#[inline(never)]
fn tell_links(places: &mut [Place<'_>], at: usize, hub: &mut Hub<'_>) {
    let (mut seen, mut busy) = (Vec::<LinkStatus, { web::LINKS_TOLD }>::new(), 0);
    for status in places.iter().filter_map(|place| place.status(hub.shared)) {
        busy += 1;
        // A link that finds no room is still counted.
        let _ = seen.push(status);
    }
    places.get_mut(at).into_iter().for_each(|place| place.tell((&seen, busy), hub));
}

/// Tells every link that its server has output for it, takes its input again, or is done with it.
fn mark_ready(places: &mut [Place<'_>], shared: &Shared) {
    while let Some((id, link)) = { shared.games.borrow_mut().next_ready() } {
        let _is_place = places.iter_mut().any(|place| place.mark_ready(id, link));
        #[cfg(feature = "bots")]
        if !_is_place {
            shared.bots.signal(());
        }
    }
}

/// Divides the free links among the ports, and tells the driver how many listen at each. With fewer links than ports,
/// one goes to the port that was called in vain. When none is free, a caller that may not exist gives way, or else a
/// browser that has its page and only keeps its connection.
fn spread(places: &mut [Place<'_>], listeners: &Listeners, wanted: Option<u16>) {
    let cookies = listeners.cookies();
    cookies.retain(|peer, port, own| places.iter().any(|place| place.is_with(peer, port, own)));
    let is_proven =
        |place: &Place<'_>| place.peer().is_some_and(|(peer, port)| cookies.knows(peer, port, place.port()));
    let may_be_nobody = |place: &Place<'_>| place.is_half_open() && !is_proven(place);
    if let Some(port) = wanted
        && !places.iter().any(Place::is_free)
        && let Some(place) = places.iter_mut().find(|place| may_be_nobody(place))
    {
        place.move_to(port);
    }
    listeners.set_half_open(places.iter().filter(|place| may_be_nobody(place)).count());
    if !places.iter().any(Place::is_free)
        && let Some(oldest) = places.iter_mut().filter(|place| place.is_idle()).min_by_key(|place| place.since())
    {
        oldest.hang_up();
        POOL.wake();
    }
    // Links that have just begun are at no port yet, and others may be where nothing is served any more.
    let is_served = |port: u16| listeners.ports().any(|own| own == port);
    for place in places.iter_mut().filter(|place| place.is_free() && !is_served(place.port())) {
        place.move_to(WEB_PORT);
    }
    loop {
        let count = |port: u16| places.iter().filter(|place| place.port() == port && place.is_free()).count();
        let most = listeners.ports().max_by_key(|port| count(*port));
        let least = listeners.ports().min_by_key(|port| count(*port));
        let (Some(most), Some(least)) = (most, least) else { return };
        if count(most) < count(least) + 2 {
            break;
        }
        let free = places.iter_mut().find(|place| place.port() == most && place.is_free());
        free.into_iter().for_each(|place| place.move_to(least));
    }
    if let Some(port) = wanted
        && !places.iter().any(|place| place.port() == port && place.is_free())
        && let Some(place) = places.iter_mut().find(|place| place.is_free())
    {
        place.move_to(port);
    }
    for port in listeners.ports() {
        let count = places.iter().filter(|place| place.port() == port && place.is_free()).count();
        listeners.set(port, count);
    }
}
