//! Names of users, rooms and saved games: what is fit (venus 3.2).

use crate::names;
use crate::text::Text;

/// 1 to `N` bytes that can be seen, no blank at either end.
pub(super) fn fit<const N: usize>(name: &str) -> Option<Text<N>> {
    Text::new(name).filter(|_| names::is_fit(name))
}

/// 1 to `N` letters, digits, `_` and `-`: it becomes the name of a file.
pub(super) fn fit_file<const N: usize>(name: &str) -> Option<Text<N>> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    Text::new(name).filter(|_| !name.is_empty() && name.bytes().all(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_measured_in_bytes() {
        for name in ["a", "it's, 100 %", "ÄÖÜ", "a b", "aaaaaaaaaaaaaaaaaaaa"] {
            assert_eq!(fit::<20>(name).map(|text| text.as_str() == name), Some(true));
        }
        for odd in [
            "",
            " a",
            "a ",
            " ",
            "a\u{7f}",
            "a\u{85}b",
            "a\u{202e}b",
            "\u{a0}a",
            "aaaaaaaaaaaaaaaaaaaaa",
            "ÄÖÜÄÖÜÄÖÜÄÖ",
        ] {
            assert_eq!(fit::<20>(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_file_has_a_plain_name() {
        assert!(fit_file::<32>("Evening_2-b").is_some());
        for odd in ["", "a.b", "../a", "a/b", "a b", "ä", "abcdefghijklmnopqrstuvwxyz0123456"] {
            assert!(fit_file::<32>(odd).is_none(), "{odd}");
        }
    }
}
