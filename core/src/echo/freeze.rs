//! Echo as it stands, its connections and what is on its way to them included.

use super::{COUNTERS, Echo, Snapshot};
use crate::pimp::wire::Framer;
use crate::save::{Durable, LoadError, Reader, SaveError, Writer};
use crate::server::{Intake, Link, Millis, Server};

const MAGIC: [u8; 4] = *b"ECHF";
const VERSION: u16 = 2;

impl<const LINKS: usize, const RING: usize> Durable for Echo<LINKS, RING> {
    /// 14 /* header */ + 64 /* counters, positions */ + 800 a link /* cursors 90, replies 550, snapshot 40, times 20 */ + the
    /// ring.
    const FROZEN_MAX: usize = 14 + 64 + 800 * LINKS + RING;

    fn recall(&mut self, link: Link, framer: &mut Framer, now: Millis) -> Intake {
        self.receive(link, framer, now)
    }

    fn link(&self, slot: u16) -> Option<Link> {
        self.outbox.link(slot)
    }

    fn sum(&self) -> u8 {
        self.outbox.sum()
    }

    /// Not the secret that waits to be hashed: its link is answered from the journal, or its connection has ended.
    fn freeze(&self, out: &mut [u8]) -> Result<usize, SaveError> {
        let mut writer = Writer::new(out);
        writer.put(&self.moved)?;
        for guest in &self.guests {
            writer.put(&(guest.asked, guest.wake, &guest.snapshot))?;
        }
        self.outbox.freeze(&mut writer, |_, _| 0)?;
        writer.seal(MAGIC, VERSION)
    }

    fn thaw(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        let mut body = Reader::open(bytes, MAGIC, VERSION)?;
        let moved: [i8; COUNTERS] = body.take()?;
        super::game::check(&moved)?;
        self.moved = moved;
        for guest in &mut self.guests {
            let snapshot: Snapshot;
            (guest.asked, guest.wake, snapshot) = body.take()?;
            guest.snapshot = snapshot;
            guest.secret_length = super::TAKEN;
        }
        self.outbox.thaw(&mut body, |_, _| 0)?;
        body.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::Framer as _;

    #[test]
    fn what_waits_for_a_link_is_still_told() {
        let mut echo = Echo::<4, 1024>::new();
        let link = echo.open(Millis(0)).unwrap();
        let (said, mut framer) = (b"E\x02hiJ\x01\x00M\x03\x00\x01\x05", Framer::new());
        framer.window()[..said.len()].copy_from_slice(said);
        framer.commit(said.len());
        echo.receive(link, &mut framer, Millis(0));
        let mut frozen = [0; Echo::<4, 1024>::FROZEN_MAX];
        let n = echo.freeze(&mut frozen).unwrap();
        let mut again = Echo::<4, 1024>::new();
        assert_eq!(again.thaw(&frozen[..n]), Ok(()));
        let heard = [&mut echo, &mut again].map(|echo| {
            let (mut out, produced) = ([0; 600], echo.produced());
            echo.release(produced);
            let n = echo.pull(link, &mut out);
            out[..n].to_vec()
        });
        assert!(heard[0].starts_with(b"E\x02hi") && heard[0] == heard[1]);
        assert_eq!(again.counters()[..2], [95, 105]);
    }
}
