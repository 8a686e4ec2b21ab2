//! Links whose clients have joined and may stay. Nothing else has to be known of most with every message, so it is told
//! without the lock on all callers.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use parlor_core::server::Link;

/// One a link slot: the generation of the link that is settled there, plus 1; 0: none is. Written under the lock on the
/// callers.
pub(super) struct Settled(Vec<AtomicU32>);

impl Settled {
    pub fn new(links: usize) -> Self {
        Self((0..links).map(|_| AtomicU32::new(0)).collect())
    }

    pub fn has(&self, link: Link) -> bool {
        self.0.get(usize::from(link.slot)).is_some_and(|settled| settled.load(Relaxed) == mark(link))
    }

    pub fn note(&self, link: Link) {
        self.store(link.slot, mark(link));
    }

    /// The client in this slot, or the next one, is looked at again.
    pub fn forget(&self, slot: u16) {
        self.store(slot, 0);
    }

    fn store(&self, slot: u16, mark: u32) {
        if let Some(settled) = self.0.get(usize::from(slot)) {
            settled.store(mark, Relaxed);
        }
    }
}

fn mark(link: Link) -> u32 {
    u32::from(link.generation) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_has_the_slot_next_is_not_settled() {
        let settled = Settled::new(2);
        let link = |slot, generation| Link { slot, generation };
        assert!(!settled.has(link(1, 0)));
        settled.note(link(1, 7));
        settled.note(link(9, 7));
        assert!(
            settled.has(link(1, 7)) && !settled.has(link(1, 8)) && !settled.has(link(0, 7)) && !settled.has(link(9, 7))
        );
        settled.forget(1);
        assert!(!settled.has(link(1, 7)));
    }
}
