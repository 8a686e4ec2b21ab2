//! Drives a server through every call of its trait.
//!
//! `black_box` stands for the network: the compiler knows nothing of bytes, links and time, so no rule is left out.
#![no_std]

use core::hint::black_box;

use parlor_core::game::Game;
use parlor_core::server::{Answer, Framer as _, Lagging, Link, Millis, RequestId};

pub use cortex_m_rt;
pub use parlor_core;

/// `out` has room for the longest frame.
pub fn drive<G: Game>(server: &mut G, out: &mut [u8]) -> ! {
    let mut framer = G::Framer::default();
    server.begin(&black_box([7; 32]), &G::BOARD, black_box(Millis(1)));
    loop {
        let now = black_box(Millis(2));
        black_box(server.open(now).ok());
        let link = black_box(Link { slot: 1, generation: 1 });
        let read = black_box(framer.window()).len();
        framer.commit(black_box(read));
        black_box(server.receive(link, &mut framer, now));
        black_box(framer.taken());
        black_box(server.next_lagging());
        server.lag(black_box(Lagging { slot: 1, again: true }), now);
        server.release(black_box(server.produced()));
        while let Some(ready) = server.next_ready() {
            black_box(server.pull(ready, out));
            black_box(server.closing(ready));
        }
        while let Some(request) = server.next_request() {
            black_box(request.ask);
        }
        let hash = black_box([9; 32]);
        for answer in [Answer::Failed, Answer::Hash(&hash), Answer::Verified(true), Answer::Done] {
            server.answer(black_box(RequestId(1)), black_box(answer), now);
        }
        black_box(server.deadline());
        black_box(server.summary());
        server.tick(now);
        server.close(link, now);
    }
}

/// An image of one game: the server as firmware keeps it, static and all zero bytes, so that it lies in .bss.
#[macro_export]
macro_rules! serve {
    ($server:ty) => {
        use $crate::cortex_m_rt;
        use $crate::parlor_core::game::Game as _;
        use $crate::parlor_core::server::Server as _;

        struct Only(core::cell::UnsafeCell<$server>);
        // SAFETY: there is one thread and no interrupt; `main` alone takes the reference, once.
        unsafe impl Sync for Only {}
        static SERVER: Only = Only(core::cell::UnsafeCell::new(<$server>::NEW));

        #[cortex_m_rt::entry]
        fn main() -> ! {
            // SAFETY: `main` runs once, and nothing else names SERVER.
            let server = unsafe { &mut *SERVER.0.get() };
            $crate::drive(server, &mut [0; <$server>::MAX_FRAME])
        }

        $crate::without_panics!();
    };
}

/// The handler must not be linked: tests/parts/image looks for it.
#[macro_export]
macro_rules! without_panics {
    () => {
        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
            loop {}
        }
    };
}
