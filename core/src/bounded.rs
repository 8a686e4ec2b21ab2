//! Lists of a fixed room, filled without a way to panic.

use heapless::{LenType, Vec};

/// The items of an iterator, as many as there is room for. heapless's own `collect` panics at one item too many, and a
/// caller that knows better still has that panic in its image.
pub(crate) fn collect<T, const N: usize, L: LenType>(items: impl IntoIterator<Item = T>) -> Vec<T, N, L> {
    let mut list = Vec::new();
    for item in items {
        if list.push(item).is_err() {
            break;
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_room_is_left_out() {
        let list: Vec<u8, 3, u8> = collect(0..9);
        assert_eq!(list[..], [0, 1, 2]);
        let list: Vec<u8, 3> = collect(0..1);
        assert_eq!(list[..], [0]);
    }
}
