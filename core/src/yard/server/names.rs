//! Names of users and games: what is fit.

pub(super) use crate::text::Text;

/// The name that is meant, trimmed: 1 to `chars` characters, no control character, no double quote (yard 2.4, 2.7).
pub(super) fn fit<const N: usize>(name: &str, chars: usize) -> Option<Text<N>> {
    let name = name.trim();
    let is_odd = |c: char| c.is_control() || c == '"';
    if name.is_empty() || name.chars().count() > chars || name.contains(is_odd) {
        return None;
    }
    Text::new(name)
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
        for odd in ["", "  ", "a\"b", "a\tb", "a\u{7f}", &"a".repeat(26), &"\u{1F600}".repeat(19)] {
            assert_eq!(fits(odd), None, "{odd}");
        }
    }
}
