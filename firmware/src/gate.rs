//! A server whose output can be held back, as an adapter does that writes a journal first.
//!
//! No board keeps a journal yet; this shows on a board that output which was not released does not leave. Held, it is
//! let out whenever somebody connects: what a test can do, and what nobody at the table does by chance.

use parlor_core::server::{Answer, Full, Intake, Link, Millis, Request, RequestId, Seq, Server, Summary};

use parlor_core::settings::switch;

use crate::settings::Settings;

/// `hold=yes`: output waits for the next connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hold(bool);

impl Settings for Hold {
    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        *self = Self(switch(value).filter(|_| name == "hold")?);
        Some(())
    }
}

pub struct Gate<S> {
    server: S,
    hold: Hold,
}

impl<S: Server> Gate<S> {
    /// All zero if the server is.
    pub const fn new(server: S) -> Self {
        Self { server, hold: Hold(false) }
    }

    pub fn begin(&mut self, hold: Hold) {
        self.hold = hold;
    }
}

impl<S: Server> Server for Gate<S> {
    type Framer = S::Framer;
    const MAX_FRAME: usize = S::MAX_FRAME;

    fn open(&mut self, now: Millis) -> Result<Link, Full> {
        let produced = self.server.produced();
        self.server.release(produced);
        self.server.open(now)
    }

    fn release(&mut self, upto: Seq) {
        if !self.hold.0 {
            self.server.release(upto);
        }
    }

    fn receive(&mut self, link: Link, framer: &mut S::Framer, now: Millis) -> Intake {
        self.server.receive(link, framer, now)
    }
    fn pull(&mut self, link: Link, out: &mut [u8]) -> usize {
        self.server.pull(link, out)
    }
    fn closing(&self, link: Link) -> bool {
        self.server.closing(link)
    }
    fn close(&mut self, link: Link, now: Millis) {
        self.server.close(link, now);
    }
    fn tick(&mut self, now: Millis) {
        self.server.tick(now);
    }
    fn deadline(&self) -> Option<Millis> {
        self.server.deadline()
    }
    fn next_ready(&mut self) -> Option<Link> {
        self.server.next_ready()
    }
    fn next_request(&mut self) -> Option<Request<'_>> {
        self.server.next_request()
    }
    fn answer(&mut self, id: RequestId, answer: Answer<'_>, now: Millis) {
        self.server.answer(id, answer, now);
    }
    fn produced(&self) -> Seq {
        self.server.produced()
    }
    fn summary(&self) -> Summary {
        self.server.summary()
    }
}

#[cfg(test)]
mod tests {
    use parlor_core::echo::Echo;
    use parlor_core::server::Framer as _;

    use super::*;

    #[test]
    fn what_is_held_leaves_when_somebody_connects() {
        let mut gate = Gate::new(Echo::<2, 1024>::new());
        let mut hold = Hold::default();
        assert_eq!((hold.set("hold", "1"), hold.set("held", "yes"), hold.set("hold", "yes")), (None, None, Some(())));
        gate.begin(hold);
        let link = gate.open(Millis(0)).unwrap();
        let mut framer = <Echo<2, 1024> as Server>::Framer::default();
        framer.window()[..3].copy_from_slice(b"E\x01a");
        framer.commit(3);
        gate.receive(link, &mut framer, Millis(0));
        let produced = gate.produced();
        gate.release(produced);
        let mut out = [0; 256];
        assert_eq!(gate.pull(link, &mut out), 0);
        gate.open(Millis(0)).unwrap();
        assert_eq!(gate.pull(link, &mut out), 3);
    }
}
