//! Which names are taken (pimp 16.6): as in every game ([`crate::names`]), or of ASCII alone.

/// May a user be called this? Whether another is already is another question: [`same`].
pub fn is_fit(name: &[u8], ascii_only: bool) -> bool {
    let fits = |name: &str| crate::names::is_fit(name) && (!ascii_only || name.is_ascii());
    core::str::from_utf8(name).is_ok_and(fits)
}

/// Would be taken for one.
pub fn same(a: &[u8], b: &[u8]) -> bool {
    let [a, b] = [a, b].map(core::str::from_utf8);
    a.is_ok_and(|a| b.is_ok_and(|b| crate::names::are_alike(a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_fit_or_not() {
        assert!(is_fit("Zoë".as_bytes(), false) && is_fit(b"Zoe", true));
        assert!(!is_fit("Zoë".as_bytes(), true) && !is_fit(b"an\xff", false) && !is_fit(b"", false));
        assert!(same(b"Ann", b"aNN") && !same(b"Ann", b"Anna") && !same(b"\xff", b"\xff"));
    }
}
