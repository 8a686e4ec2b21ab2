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
    copy(room, from);
    Some(from.len())
}
