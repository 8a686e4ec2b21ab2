//! The users of a table: users by id, ascending, and sets of user ids.

use heapless::Vec;

use crate::pimp::board::Square;
use crate::pimp::wire::{NAME_MAX, Name};

/// One user as the messages tell of it. Of an observer no message tells square, cash or jail: they are zero then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    pub id: u8,
    pub piece: u8,
    pub playing: bool,
    pub square: Square,
    /// 0 = free, 1-3 = that turn in jail, 4 = all rolls used up.
    pub jail_turn: u8,
    pub cash: u32,
    name: Vec<u8, NAME_MAX, u8>,
}

impl User {
    pub(super) fn new(id: u8, piece: u8, playing: bool, name: Name<'_>) -> Self {
        // A wire name is never longer than the room for it.
        let name = Vec::from_slice(name.bytes()).unwrap_or_default();
        Self { id, piece, playing, square: Square::GO, jail_turn: 0, cash: 0, name }
    }
    pub fn name(&self) -> Name<'_> {
        Name::new(&self.name).unwrap_or_default()
    }
    /// Leaves play: nothing that only players have stays behind.
    pub(super) fn leave_play(&mut self) {
        self.playing = false;
        self.square = Square::GO;
        self.jail_turn = 0;
        self.cash = 0;
    }
}

/// Up to `N` users, ascending by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Users<const N: usize>(Vec<User, N>);

impl<const N: usize> Users<N> {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
    pub(super) fn all(&self) -> &[User] {
        &self.0
    }
    pub(super) fn get(&self, id: u8) -> Option<&User> {
        self.0.iter().find(|user| user.id == id)
    }
    pub(super) fn get_mut(&mut self, id: u8) -> Option<&mut User> {
        self.0.iter_mut().find(|user| user.id == id)
    }
    /// Puts a user in its place, over an older one of that id. Id 0 is the bank; what finds no room is not kept.
    pub(super) fn put(&mut self, user: User) {
        if user.id == 0 {
            return;
        }
        match self.0.binary_search_by_key(&user.id, |old| old.id) {
            Ok(at) => {
                if let Some(old) = self.0.get_mut(at) {
                    *old = user;
                }
            }
            Err(at) => {
                // Put behind the others, then moved to its place: `insert` could panic, if not here.
                if self.0.push(user).is_ok()
                    && let Some(rest) = self.0.get_mut(at..)
                {
                    rest.rotate_right(1);
                }
            }
        }
    }
}

/// A set of user ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UserSet([u64; 4]);

impl UserSet {
    pub const EMPTY: UserSet = UserSet([0; 4]);

    pub fn contains(&self, id: u8) -> bool {
        self.0.get(usize::from(id / 64)).is_some_and(|word| word >> (id % 64) & 1 == 1)
    }
    pub(super) fn insert(&mut self, id: u8) {
        if let Some(word) = self.0.get_mut(usize::from(id / 64)) {
            *word |= 1 << (id % 64);
        }
    }
    /// True if it was there.
    pub(super) fn remove(&mut self, id: u8) -> bool {
        let there = self.contains(id);
        if let Some(word) = self.0.get_mut(usize::from(id / 64)) {
            *word &= !(1 << (id % 64));
        }
        there
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec as Many;

    fn user(id: u8, name: &[u8]) -> User {
        User::new(id, 1, true, Name::new(name).unwrap())
    }

    #[test]
    fn users_stand_in_the_order_of_their_ids() {
        let mut users = Users::<3>::new();
        for (id, name) in [(9, b"a"), (2, b"b"), (200, b"c"), (4, b"d"), (0, b"e")] {
            users.put(user(id, name));
        }
        users.put(user(2, b"again"));
        let seen: Many<(u8, &[u8])> = users.all().iter().map(|u| (u.id, u.name().bytes())).collect();
        assert_eq!(seen, [(2, &b"again"[..]), (9, b"a"), (200, b"c")]);
        assert!(users.get(4).is_none());
    }

    #[test]
    fn a_set_holds_every_id() {
        let mut set = UserSet::EMPTY;
        for id in [0, 63, 64, 255] {
            set.insert(id);
        }
        assert_eq!((0..=255).filter(|id| set.contains(*id)).collect::<Many<u8>>(), [0, 63, 64, 255]);
        assert!(set.remove(255) && !set.remove(255) && !set.contains(255));
    }
}
