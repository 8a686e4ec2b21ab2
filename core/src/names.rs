//! What people, games and rooms may be called, in every game: nothing that can't be seen, nothing that moves text, and
//! nothing that looks like a name that is there already.
//!
//! Two names are alike if they differ in upper and lower case alone, or if their skeletons are the same: what is left when
//! every letter is drawn as the Latin letter that it looks like. The table is a small one of alphabets that players have at
//! hand, Cyrillic and Greek, beside forms of Latin letters themselves. Where there is room for it (the feature
//! `confusables`: on a PC), Unicode's own table is asked too, which has every script.
//!
//! What can never happen here: a panic, and without that feature an allocation.

/// May a user or a game be called this? Whether another is called alike is another question: [`are_alike`].
pub fn is_fit(name: &str) -> bool {
    let mut last = ' ';
    for c in name.chars() {
        // A space may only stand between two others.
        if is_hidden(c) || (c == ' ' && last == ' ') {
            return false;
        }
        last = c;
    }
    // Empty, or a space at the end.
    last != ' '
}

/// Would one be taken for the other?
pub fn are_alike(one: &str, other: &str) -> bool {
    let [one_lower, other_lower] = [one, other].map(|name| name.chars().map(lower));
    one_lower.clone().eq(other_lower.clone())
        || skeleton(one.chars()).eq(skeleton(other.chars()))
        || skeleton(one_lower).eq(skeleton(other_lower))
        || are_confusable(one, other)
}

/// By Unicode's table (UTS 39), in which the small one has the plain letters.
#[cfg(feature = "confusables")]
fn are_confusable(one: &str, other: &str) -> bool {
    let drawn = |name| unicode_security::skeleton(name).flat_map(char::to_lowercase);
    (!one.is_ascii() || !other.is_ascii()) && drawn(one).eq(drawn(other))
}

#[cfg(not(feature = "confusables"))]
fn are_confusable(_: &str, _: &str) -> bool {
    false
}

/// Controls, marks that turn the direction of text, what has no width or no glyph, accents that are letters of their own,
/// and every space but the plain one.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{300}'..='\u{36f}' | '\u{61c}'
        | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{20d0}'..='\u{20ff}' | '\u{2800}' | '\u{3164}' | '\u{e000}'..='\u{f8ff}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{fe20}'..='\u{fe2f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{ffff}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..)
        || (c != ' ' && c.is_whitespace())
}

/// Lower case of the alphabets that are known here.
fn lower(c: char) -> char {
    let code = c as u32;
    let lower = match code {
        0x41..=0x5A | 0xC0..=0xD6 | 0xD8..=0xDE | 0x391..=0x3A9 | 0x410..=0x42F | 0xFF21..=0xFF3A => code + 0x20,
        0x400..=0x40F => code + 0x50,
        // Pairs, the upper one first.
        0x100..=0x137 | 0x14A..=0x177 | 0x460..=0x481 | 0x48A..=0x4BF | 0x4D0..=0x52F | 0x1E00..=0x1EFF => code | 1,
        0x139..=0x148 | 0x179..=0x17E => code + code % 2,
        _ => code,
    };
    char::from_u32(lower).unwrap_or(c)
}

/// What is seen of a name.
fn skeleton(name: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    name.flat_map(|c| {
        let drawn = match drawn(c) {
            'I' | '1' | '|' => 'l',
            '0' => 'o',
            letter => lower(letter),
        };
        // An m is an r and an n that stand close.
        if drawn == 'm' { ['r', 'n'].into_iter().take(2) } else { [drawn, ' '].into_iter().take(1) }
    })
}

/// The Latin letter or digit that this looks like.
fn drawn(c: char) -> char {
    let code = c as u32;
    let nth = |first: char, n: u32| char::from_u32(first as u32 + n).unwrap_or(c);
    match code {
        ..=0x7F => c,
        // As wide as an ideograph.
        0xFF01..=0xFF5E => nth('!', code - 0xFF01),
        // Bold, italic, script: 26 letters of either case, again and again; then digits.
        0x1D400..=0x1D6A3 => match (code - 0x1D400) % 52 {
            upper @ 0..26 => nth('A', upper),
            lower => nth('a', lower - 26),
        },
        0x1D7CE..=0x1D7FF => nth('0', (code - 0x1D7CE) % 10),
        _ => LOOKS.iter().find(|(like, _)| *like == c).map_or(c, |(_, letter)| char::from(*letter)),
    }
}

/// Letters of other alphabets, and the Latin ones that they look like.
const LOOKS: &[(char, u8)] = &[
    ('ı', b'i'),
    ('ſ', b's'),
    ('ƅ', b'b'),
    ('ɑ', b'a'),
    ('ɡ', b'g'),
    ('ɩ', b'i'),
    ('ʟ', b'l'),
    ('Ⅰ', b'l'),
    ('ⅰ', b'i'),
    ('ⅼ', b'l'),
    ('Α', b'A'),
    ('Β', b'B'),
    ('Ε', b'E'),
    ('Ζ', b'Z'),
    ('Η', b'H'),
    ('Ι', b'I'),
    ('Κ', b'K'),
    ('Μ', b'M'),
    ('Ν', b'N'),
    ('Ο', b'O'),
    ('Ρ', b'P'),
    ('Τ', b'T'),
    ('Υ', b'Y'),
    ('Χ', b'X'),
    ('α', b'a'),
    ('γ', b'y'),
    ('η', b'n'),
    ('ι', b'i'),
    ('κ', b'k'),
    ('ν', b'v'),
    ('ο', b'o'),
    ('ρ', b'p'),
    ('σ', b'o'),
    ('τ', b't'),
    ('υ', b'u'),
    ('ω', b'w'),
    ('Ѕ', b'S'),
    ('І', b'I'),
    ('Ј', b'J'),
    ('А', b'A'),
    ('В', b'B'),
    ('Е', b'E'),
    ('З', b'3'),
    ('К', b'K'),
    ('М', b'M'),
    ('Н', b'H'),
    ('О', b'O'),
    ('Р', b'P'),
    ('С', b'C'),
    ('Т', b'T'),
    ('У', b'Y'),
    ('Х', b'X'),
    ('Ь', b'b'),
    ('а', b'a'),
    ('е', b'e'),
    ('к', b'k'),
    ('о', b'o'),
    ('р', b'p'),
    ('с', b'c'),
    ('у', b'y'),
    ('х', b'x'),
    ('ѕ', b's'),
    ('і', b'i'),
    ('ј', b'j'),
    ('һ', b'h'),
    ('Ӏ', b'I'),
    ('ӏ', b'l'),
    ('ԁ', b'd'),
    ('ԛ', b'q'),
    ('ԝ', b'w'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_fit_or_not() {
        for name in ["ann", "Ann Lee", "Zoë", "a", "李", "x y z", "Łukasz", "Нина", "it's \\ #1", "👍", "สมชาย"]
        {
            assert!(is_fit(name), "{name:?}");
        }
        let inside = [
            '\t',
            '\u{0}',
            '\u{1b}',
            '\u{7f}',
            '\u{85}',
            '\u{a0}',
            '\u{ad}',
            '\u{301}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{180e}',
            '\u{2003}',
            '\u{200b}',
            '\u{200d}',
            '\u{202e}',
            '\u{2060}',
            '\u{2800}',
            '\u{3000}',
            '\u{3164}',
            '\u{e000}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{ffa0}',
            '\u{fffd}',
            '\u{e0041}',
            '\u{e0100}',
            '\u{f0000}',
        ];
        for c in inside {
            assert!(!is_fit(&std::format!("a{c}b")), "{c:?}");
            assert!(!is_fit(&std::format!("{c}")), "{c:?}");
        }
        for name in ["", " ", " ann", "ann ", "a  b"] {
            assert!(!is_fit(name), "{name:?}");
        }
    }

    #[test]
    fn what_looks_alike_is_alike() {
        for (one, other) in [
            ("Joe", "joe"),
            ("JOE", "jоe"), // a Cyrillic o
            ("Ann", "Αnn"), // a Greek Alpha
            ("Нина", "нина"),
            ("ZOË", "zoë"),
            ("ŁUKASZ", "łukasz"),
            ("bill", "biII"),
            ("bill", "bi11"),
            ("bob", "b0b"),
            ("tom", "torn"),
            ("ann", "ａｎｎ"),
            ("ann", "𝐚𝓷𝖓"),
            ("scope", "ѕсоре"),
            ("ian", "Ian"),
            ("ian", "ІAN"), // a Cyrillic I in another case
        ] {
            assert!(are_alike(one, other) && are_alike(other, one), "{one} {other}");
        }
        for (one, other) in
            [("ann", "anna"), ("zoe", "zoë"), ("eli", "ell"), ("u1", "u11"), ("u10", "u1"), ("a b", "ab")]
        {
            assert!(!are_alike(one, other), "{one} {other}");
        }
    }

    #[cfg(feature = "confusables")]
    #[test]
    fn every_script_is_known_where_there_is_room() {
        for (one, other) in [("ann", "Ꭺnn"), ("Lisa", "ꓡisa"), ("so", "ѕօ"), ("cope", "ᴄᴏре"), ("ann", "ａｎｎ")]
        {
            assert!(are_alike(one, other) && are_alike(other, one), "{one} {other}");
        }
        for (one, other) in [("zoe", "zoë"), ("李", "季"), ("Нина", "Инна"), ("สมชาย", "สมหญิง")]
        {
            assert!(!are_alike(one, other), "{one} {other}");
        }
    }

    #[test]
    fn numbers_stay_apart() {
        let names: std::vec::Vec<_> = (0..300).map(|n| std::format!("u{n}")).collect();
        for (nth, one) in names.iter().enumerate() {
            assert!(names.iter().skip(nth + 1).all(|other| !are_alike(one, other)), "{one}");
        }
    }
}
