//! Accounts, for the games that have logins: names and the hashes of their passwords. No password is ever kept.

#[cfg(feature = "postcard")]
pub(crate) mod kept;

use crate::bytes;
use crate::server::Millis;
use crate::text::Text;

/// The longest hash an adapter may answer with, salt and parameters included.
pub const HASH_MAX: usize = 64;

/// A place in the table of accounts.
pub(crate) type AccountId = u16;

/// One account, whose name has at most `NAME` bytes. New, it is all zero bytes: it has no owner.
#[derive(Clone)]
pub(crate) struct Account<const NAME: usize> {
    pub name: Text<NAME>,
    hash: [u8; HASH_MAX],
    hash_length: u8,
    /// The slot of its link, plus 1; 0: not connected.
    link: u16,
    /// When it was last connected.
    pub seen: Millis,
    /// Has made a move in a game: it is never given away.
    pub has_played: bool,
}

impl<const NAME: usize> Account<NAME> {
    pub const BLANK: Self =
        Self { name: Text::EMPTY, hash: [0; HASH_MAX], hash_length: 0, link: 0, seen: Millis(0), has_played: false };

    pub fn named(name: Text<NAME>) -> Self {
        Self { name, ..Self::BLANK }
    }

    pub fn is_free(&self) -> bool {
        self.name.as_str().is_empty()
    }

    /// Was it made by a login that succeeded, or is that login still waiting for its hash?
    pub fn is_made(&self) -> bool {
        self.hash_length != 0
    }

    /// Its name may go to another: its owner is not here, and has nothing to lose.
    pub fn may_give_way(&self) -> bool {
        self.slot().is_none() && !self.has_played
    }

    pub fn hash(&self) -> &[u8] {
        self.hash.get(..usize::from(self.hash_length)).unwrap_or_default()
    }

    /// `false` if it is too long, or none at all.
    pub fn set_hash(&mut self, hash: &[u8]) -> bool {
        let fits = !hash.is_empty() && hash.len() <= HASH_MAX;
        if fits {
            self.hash = [0; HASH_MAX];
            bytes::copy(&mut self.hash, hash);
            self.hash_length = hash.len() as u8;
        }
        fits
    }

    pub fn slot(&self) -> Option<u16> {
        self.link.checked_sub(1)
    }

    /// Its link, if it has one, is among so many links.
    #[cfg(feature = "postcard")]
    pub fn is_within(&self, links: usize) -> bool {
        usize::from(self.link) <= links
    }

    pub fn connect(&mut self, slot: Option<u16>) {
        self.link = slot.map_or(0, |slot| slot.saturating_add(1));
    }
}
