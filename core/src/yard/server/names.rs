//! Names of users and games: what is fit.

use crate::names;
pub(super) use crate::text::Text;

/// The name that is meant, trimmed: 1 to `chars` characters that can be seen, no double quote (yard 2.4, 2.7).
pub(super) fn fit<const N: usize>(name: &str, chars: usize) -> Option<Text<N>> {
    let name = name.trim();
    let fits = names::is_fit(name) && !name.contains('"') && name.chars().count() <= chars;
    Text::new(name).filter(|_| fits)
}

/// A name that was saved: it was fit when it was given.
#[cfg(feature = "postcard")]
pub(super) fn kept<const N: usize>(name: &str) -> Option<Text<N>> {
    Text::new(name).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(name: &str) -> Option<std::string::String> {
        fit::<75>(name, 25).map(|text| text.as_str().into())
    }

    #[test]
    fn names_are_trimmed_and_measured() {
        assert_eq!(fits("  Joe Dan ").as_deref(), Some("Joe Dan"));
        assert_eq!(fits("it's \\ #1").as_deref(), Some("it's \\ #1"));
        assert_eq!(fits(&"日".repeat(25)), Some("日".repeat(25)));
        for odd in [
            "",
            "  ",
            "a\"b",
            "a\tb",
            "a\u{7f}",
            "a\u{200b}",
            "\u{3164}",
            "a  b",
            &"a".repeat(26),
            &"\u{1F600}".repeat(19),
        ] {
            assert_eq!(fits(odd), None, "{odd}");
        }
    }
}
