//! Moves bytes about without a path that could panic.

/// Copies as much of `from` as fits.
#[inline]
pub(crate) fn copy(to: &mut [u8], from: &[u8]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}

/// Writes `from` to the front of `to`; how many bytes, or `None` if it does not fit.
#[inline]
pub(crate) fn put(to: &mut [u8], from: &[u8]) -> Option<usize> {
    let room = to.get_mut(..from.len())?;
    // Most frames are short: two moves that overlap are cheaper than a call that copies any length.
    match from.len() {
        8..=16 => ends::<8>(room, from),
        4..8 => ends::<4>(room, from),
        _ => copy(room, from),
    }
    Some(from.len())
}

/// Copies the first `N` and the last `N` bytes: all of them, where there are between `N` and `2 * N`.
#[inline]
fn ends<const N: usize>(to: &mut [u8], from: &[u8]) {
    if let (Some(to), Some(from)) = (to.first_chunk_mut::<N>(), from.first_chunk::<N>()) {
        *to = *from;
    }
    if let (Some(to), Some(from)) = (to.last_chunk_mut::<N>(), from.last_chunk::<N>()) {
        *to = *from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_copied_whole_and_nothing_else_is_touched() {
        let from: [u8; 40] = core::array::from_fn(|i| i as u8 + 1);
        for n in 0..from.len() {
            let mut to = [0xEE; 44];
            assert_eq!(put(&mut to[2..], &from[..n]), Some(n));
            assert_eq!((&to[..2], &to[2..2 + n], to[2 + n]), (&[0xEE; 2][..], &from[..n], 0xEE));
        }
        assert_eq!(put(&mut [0; 3], &from[..4]), None);
    }
}
