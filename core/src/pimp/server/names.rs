//! Which names are taken (pimp 16.6): what one person types must not look like nothing, like another's, or move text.

/// May somebody be called this? Whether somebody else is already is another question: [`same`].
pub fn is_fit(name: &[u8], ascii_only: bool) -> bool {
    let Ok(text) = core::str::from_utf8(name) else { return false };
    let mut last = ' ';
    for c in text.chars() {
        // A space may only stand between two others.
        if is_hidden(c) || (c == ' ' && last == ' ') || (ascii_only && !c.is_ascii()) {
            return false;
        }
        last = c;
    }
    // Empty, or a space at the end.
    last != ' '
}

/// Equal but for ASCII case: ann and Ann would be taken for one.
pub fn same(a: &[u8], b: &[u8]) -> bool {
    a.eq_ignore_ascii_case(b)
}

/// Controls, marks that turn the direction of text, and everything of no width; every space but the plain one.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
        || (c != ' ' && c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_fit_or_not() {
        for name in ["ann", "Ann Lee", "kerz", "Zoë", "a", "李", "x y z"] {
            assert!(is_fit(name.as_bytes(), false), "{name:?}");
        }
        for name in [
            "",
            " ",
            " ann",
            "ann ",
            "a  b",
            "a\tb",
            "a\u{0}",
            "a\u{7f}",
            "a\u{85}",
            "a\u{a0}b",
            "a\u{ad}",
            "\u{200b}",
            "a\u{202e}b",
            "a\u{2003}b",
            "a\u{3000}b",
            "\u{feff}a",
            "a\u{e0041}",
            "a\u{2060}",
            "a\u{61c}",
        ] {
            assert!(!is_fit(name.as_bytes(), false), "{name:?}");
        }
        assert!(!is_fit(b"an\xff", false));
        assert!(!is_fit("Zoë".as_bytes(), true) && is_fit(b"Zoe", true));
        assert!(same(b"Ann", b"aNN") && !same(b"Ann", b"Anna"));
    }
}
