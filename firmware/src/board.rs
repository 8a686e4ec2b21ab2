//! What is the same on every board, down to its statics and tasks: [`board!`](crate::board!) makes them of the types that
//! differ.
//!
//! A board's `main`, in this order: start the clocks and the watchdog (from then on whatever hangs is bitten), gather
//! entropy, `parlor::begin` the games, load what was saved if there is flash for it, start the network's driver, and hand
//! everything to `parlor::open`.

use embedded_hal::digital::OutputPin;

use crate::address::Plan;
use crate::entropy::Pool;
use crate::games::Settings;
use crate::options::Options;
use crate::shared::Shared;

/// Sockets that are not for links: DHCP's, and that of mDNS.
pub const OTHER_SOCKETS: usize = if cfg!(feature = "mdns") { 2 } else { 1 };

/// What resets a board that stands still. It was started when it was made.
pub trait Watchdog {
    /// Not yet.
    fn feed(&mut self);
}

/// What is done about an address.
pub fn plan(options: &Options) -> Plan {
    options.address.map_or(Plan::Ask, Plan::Fixed)
}

/// What the games are told, by the options of its start and by its owner.
pub fn settings(_shared: &Shared, options: &Options, _pool: &mut Pool) -> Settings {
    #[cfg_attr(not(feature = "settings"), expect(unused_mut, reason = "nobody else has a say"))]
    let mut settings = options.settings.clone();
    #[cfg(feature = "settings")]
    {
        _shared.choose(options, b"", _pool);
        _shared.chosen.borrow().each(|key, value| {
            let _ = settings.set(key, value);
        });
    }
    settings
}

/// Switches a lamp. An output pin of a microcontroller can't fail.
pub fn switch(lamp: &mut impl OutputPin, on: bool) {
    let _ = lamp.set_state(on.into());
}

/// A board's module `parlor`: its statics, its tasks, `begin` and `open`.
///
/// `alive` counts the network and the board's own tasks that the watchdog asks after. `stack` is what the stack may use:
/// there may be more, but its use should be noticed. `sockets` is the cell that their memory stands in:
/// `ConstStaticCell` is filled by the linker, and `StaticCell`, which is for boards with the feature `hostname`, over the
/// stack.
#[macro_export]
macro_rules! board {
    (
        driver: $Driver:ty;
        watchdog: $Watchdog:ty;
        meter: $Meter:ty;
        links: $links:expr, receive $rx:expr, send $tx:expr;
        alive: $alive:expr;
        stack: $stack:expr;
        sockets: $Sockets:ident;
        $(names: $Names:ty;)?
        $(bots: $bots:expr;)?
        $(lamp: $Lamp:ty;)?
        $(flash: $Flash:ty;)?
    ) => {
        mod parlor {
            use super::*;
            use ::embassy_executor::Spawner;
            use ::embassy_net::{Runner, Stack, StackResources};
            use ::static_cell::ConstStaticCell;
            use $crate::backlog::{Backlog, Listeners};
            use $crate::board::Watchdog as _;
            use $crate::entropy::Pool;
            use $crate::links::{self, Buffers, House, Page};
            use $crate::liveness::Heartbeat;
            use $crate::options::Options;
            use $crate::shared::Shared;
            use $crate::watermark::Painted;

            const SOCKETS: usize = $links + $crate::board::OTHER_SOCKETS;

            static SHARED: ConstStaticCell<Shared> = ConstStaticCell::new(Shared::new());
            static LISTENERS: ConstStaticCell<Listeners> = ConstStaticCell::new(Listeners::new());
            static BUFFERS: ConstStaticCell<[Buffers<{ $rx }, { $tx }>; $links]> =
                ConstStaticCell::new([const { Buffers::new() }; $links]);
            static SOCKET_SET: ::static_cell::$Sockets<StackResources<SOCKETS>> = $crate::board!(@cell $Sockets);
            static ALIVE: ConstStaticCell<[Heartbeat; $alive]> =
                ConstStaticCell::new([const { Heartbeat::new() }; $alive]);

            ::defmt::timestamp!("{=u64:ms}", ::embassy_time::Instant::now().as_millis());

            #[::embassy_executor::task]
            async fn network(runner: Runner<'static, Backlog<$Driver>>, alive: &'static Heartbeat) -> ! {
                $crate::liveness::network(runner, alive).await
            }
            #[::embassy_executor::task]
            async fn keep_address(
                stack: Stack<'static>,
                plan: $crate::address::Plan,
                listeners: &'static Listeners,
                shared: &'static Shared,
            ) -> ! {
                $crate::address::keep(stack, plan, listeners.claim(), shared).await
            }
            #[::embassy_executor::task]
            async fn serve(
                stack: Stack<'static>,
                house: House<'static>,
                buffers: &'static mut [Buffers<{ $rx }, { $tx }>; $links],
                mut watchdog: $Watchdog,
            ) -> ! {
                links::serve::<$Meter, { $links }, { $rx }, { $tx }>(stack, house, buffers, || watchdog.feed()).await
            }
            #[::embassy_executor::task]
            async fn report_stack(stack: Painted) -> ! {
                $crate::watermark::report(stack).await
            }
            $(static NAMES: ConstStaticCell<$Names> = ConstStaticCell::new(<$Names>::new());
            #[::embassy_executor::task]
            async fn answer_names(stack: Stack<'static>, shared: &'static Shared, buffers: &'static mut $Names, seed: u32) -> ! {
                $crate::mdns::answer(stack, shared, buffers, seed).await
            })?
            $(static BOTS: ConstStaticCell<$crate::bots::Bots<{ $bots }>> = ConstStaticCell::new($crate::bots::Bots::new());
            #[::embassy_executor::task]
            async fn play_bots(bots: &'static mut $crate::bots::Bots<{ $bots }>, shared: &'static Shared, key: [u8; 32]) -> ! {
                bots.play(shared, key).await
            })?
            $(#[::embassy_executor::task]
            async fn show(stack: Stack<'static>, shared: &'static Shared, mut lamp: $Lamp) -> ! {
                $crate::lamp::show(stack, shared, |on| $crate::board::switch(&mut lamp, on)).await
            })?
            $(#[::embassy_executor::task]
            async fn autosave(autosave: &'static mut $crate::autosave::Autosave<$Flash>, shared: &'static Shared) -> ! {
                autosave.run(shared).await;
                // Everything is forgotten.
                ::cortex_m::peripheral::SCB::sys_reset()
            })?

            /// The signs of life that the watchdog waits for: the first is the network's, the others are the board's. Once.
            pub fn heartbeats() -> &'static [Heartbeat; $alive] {
                ALIVE.take()
            }

            /// The games, begun. Once.
            #[inline(never)]
            pub fn begin(options: &Options, pool: &mut Pool) -> &'static mut Shared {
                let shared = SHARED.take();
                let mut seed = || options.seed.unwrap_or_else(|| pool.draw_seed());
                shared.begin(|games, now| games.begin(&mut seed, &options.settings, options.holds, now));
                shared
            }

            pub struct Parts<'p> {
                pub shared: &'static Shared,
                pub driver: $Driver,
                pub watchdog: $Watchdog,
                pub alive: &'static [Heartbeat; $alive],
                pub pages: &'static [Page],
                pub options: &'p Options,
                pub pool: &'p mut Pool,
                // The length is always the same, and there only where there are bots.
                $(/// Secret, the same after each start; `None`: the board has nothing of the kind.
                pub key: Option<[u8; if $bots > 0 { 32 } else { 32 }]>,)?
                $(pub lamp: $Lamp,)?
                $(pub autosave: Option<&'static mut $crate::autosave::Autosave<$Flash>>,)?
            }

            /// Serves. Not inlined: what is put together here would stay on the stack below every task, forever.
            #[inline(never)]
            pub fn open(spawner: Spawner, parts: Parts<'_>) {
                let Parts { shared, driver, watchdog, alive, pages, options, pool, .. } = parts;
                let listeners: &'static Listeners = LISTENERS.take();
                listeners.cookies().set_key(pool.draw_word());
                let (stack, runner) = stack(Backlog::new(driver, listeners), pool.draw_word());
                let memory = stack_memory();
                let settings = $crate::board::settings(shared, options, pool);
                let house = House { shared, listeners, pages, settings, tasks: alive, stack: memory };
                let [network_alive, ..] = alive;
                let mut spawned = true;
                // Each task is spawned once into a pool of its size, so none of this can fail.
                let mut note = |is_ok: bool| spawned &= is_ok;
                note(network(runner, network_alive).map(|task| spawner.spawn(task)).is_ok());
                note(keep_address(stack, $crate::board::plan(options), listeners, shared).map(|task| spawner.spawn(task)).is_ok());
                note(serve(stack, house, BUFFERS.take(), watchdog).map(|task| spawner.spawn(task)).is_ok());
                note(report_stack(memory).map(|task| spawner.spawn(task)).is_ok());
                $(let names: &'static mut $Names = NAMES.take();
                note(answer_names(stack, shared, names, pool.draw_word() as u32).map(|task| spawner.spawn(task)).is_ok());)?
                $(let bots: &'static mut $crate::bots::Bots<{ $bots }> = BOTS.take();
                let key = parts.key.unwrap_or_else(|| pool.draw());
                note(play_bots(bots, shared, key).map(|task| spawner.spawn(task)).is_ok());)?
                $(let lamp: $Lamp = parts.lamp;
                note(show(stack, shared, lamp).map(|task| spawner.spawn(task)).is_ok());)?
                $(let saves: Option<&'static mut $crate::autosave::Autosave<$Flash>> = parts.autosave;
                if let Some(saves) = saves {
                    note(autosave(saves, shared).map(|task| spawner.spawn(task)).is_ok());
                })?
                for id in $crate::games::Id::ALL {
                    ::defmt::info!("port {}: {}", id.entry().port, id.entry().name);
                }
                ::defmt::info!("port {}: {} pages; {} links", links::WEB_PORT, pages.len(), $links);
                if !spawned {
                    ::defmt::error!("a task pool is too small");
                }
            }

            // Not inlined, nor what follows: each is some kilobytes on its way to its place, and the stack need not have room
            // for all of them at once.
            #[inline(never)]
            fn sockets() -> &'static mut StackResources<SOCKETS> {
                $crate::board!(@take $Sockets SOCKET_SET)
            }
            #[inline(never)]
            fn stack(driver: Backlog<$Driver>, seed: u64) -> (Stack<'static>, Runner<'static, Backlog<$Driver>>) {
                ::embassy_net::new(driver, Default::default(), sockets(), seed)
            }
            $(static AUTOSAVE: ::static_cell::StaticCell<$crate::autosave::Autosave<$Flash>> = ::static_cell::StaticCell::new();
            /// Where games are saved, in its own place: nothing is read yet. Once.
            #[inline(never)]
            pub fn saves(place: $crate::autosave::Place<$Flash>) -> &'static mut $crate::autosave::Autosave<$Flash> {
                AUTOSAVE.init_with(|| $crate::autosave::Autosave::new(place))
            })?

            #[allow(unsafe_code, reason = "the linker knows where the stack lies")]
            pub fn stack_memory() -> Painted {
                unsafe extern "C" {
                    static _stack_start: u32;
                    static _stack_end: u32;
                }
                let (high, end) = (&raw const _stack_start, &raw const _stack_end);
                let low = high.wrapping_byte_sub($stack);
                // SAFETY: cortex-m-rt's symbols: aligned ends of RAM that no static occupies, painted before main; `low` is
                // not below the lower of them.
                unsafe { Painted::new(if low.addr() > end.addr() { low } else { end }, high, ::cortex_m_rt::STACK_PAINT_VALUE) }
            }
        }
    };
    (@cell ConstStaticCell) => { ConstStaticCell::new(StackResources::new()) };
    (@cell StaticCell) => { ::static_cell::StaticCell::new() };
    (@take ConstStaticCell $cell:ident) => { $cell.take() };
    (@take StaticCell $cell:ident) => { $cell.init_with(StackResources::new) };
}
