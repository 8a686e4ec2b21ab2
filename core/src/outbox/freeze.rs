//! An outbox in a frozen table: every byte that waits, and how far each link has come.
//!
//! A reply may hold a password that no client has seen yet, so the game masks replies with a key from its seed.

use super::{Dump, Listener, Outbox, Port, RESTARTS};
use crate::save::{LoadError, Reader, SaveError, Writer, must};

/// Positions beyond this are no table's: a century at full speed does not get there, and sums of them don't overflow.
const FAR: u64 = 1 << 62;

impl<const RING: usize, const LINKS: usize, const REPLY: usize> Outbox<RING, LINKS, REPLY> {
    pub(crate) fn freeze(&self, writer: &mut Writer<'_>, mask: impl Fn(u32, u32) -> u64) -> Result<(), SaveError> {
        let (ring, serial) = (self.released_ring, self.released_serial);
        writer.put(&(self.serial, ring, serial, self.stirred, self.spoken, self.scan, self.lagging, self.sum))?;
        let (head, tail, [first, second]) = self.ring.kept_bytes();
        writer.put(&(head, tail, first, second))?;
        self.ports.iter().try_for_each(|port| port.freeze(writer, &mask))
    }

    /// On an error the outbox holds anything: it is not to be used.
    pub(crate) fn thaw(&mut self, reader: &mut Reader<'_>, mask: impl Fn(u32, u32) -> u64) -> Result<(), LoadError> {
        let (ring, serial);
        (self.serial, ring, serial, self.stirred, self.spoken, self.scan, self.lagging, self.sum) = reader.take()?;
        (self.released_ring, self.released_serial) = (ring, serial);
        // Links that lost their place are found again.
        self.may_lag = true;
        let (head, tail, first, second) = reader.take()?;
        must(head < FAR, "positions out of this world")?;
        must(self.ring.refill(head, tail, [first, second]), "a ring that is none")?;
        must(ring <= head && (self.serial.wrapping_sub(serial) as i32) >= 0, "more was released than was said")?;
        must(usize::from(self.scan) <= LINKS, "no such link")?;
        self.ports.iter_mut().try_for_each(|port| port.thaw(reader, head, &mask))?;
        self.count_used();
        Ok(())
    }
}

impl<const REPLY: usize> Port<REPLY> {
    fn freeze(&self, writer: &mut Writer<'_>, mask: impl Fn(u32, u32) -> u64) -> Result<(), SaveError> {
        let Listener { inside, team, ready, waiting, held, lost, doomed, end, cursor, dump } = self.listener;
        let Dump { active, restarts, step, serial, at } = dump;
        let flags = (self.open, inside, ready, waiting, held, lost, doomed);
        writer.put(&(flags, self.generation, team, end, cursor))?;
        writer.put(&(active, restarts, step, serial, at))?;
        let mut replies = self.replies.clone();
        replies.mask(mask);
        writer.put(&replies.waiting())
    }

    fn thaw(&mut self, reader: &mut Reader<'_>, head: u64, mask: impl Fn(u32, u32) -> u64) -> Result<(), LoadError> {
        let (flags, team, end, cursor);
        (flags, self.generation, team, end, cursor) = reader.take()?;
        let (inside, ready, waiting, held, lost, doomed);
        (self.open, inside, ready, waiting, held, lost, doomed) = flags;
        let (active, restarts, step, serial, at) = reader.take()?;
        let dump = Dump { active, restarts, step, serial, at };
        self.listener = Listener { inside, team, ready, waiting, held, lost, doomed, end, cursor, dump };
        must(cursor <= head && end <= head && at <= head, "a link ahead of the ring")?;
        must(restarts <= RESTARTS, "too many dumps")?;
        must(self.replies.refill(reader.take()?), "answers that are none")?;
        self.replies.mask(mask);
        Ok(())
    }
}
