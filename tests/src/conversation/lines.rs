//! The wire of games that talk in lines: what is said and heard stands in the files as it is.

use super::{Told, Wire};

/// The two bytes of which a line's end is the last, or both.
const ENDS: &[u8; 2] = b"\r\n";

/// Lines that end with so many bytes: 2 for CR LF, 1 for LF alone.
#[derive(Default)]
pub struct Lines<const END: usize>;

impl<const END: usize> Lines<END> {
    const END: &[u8] = ENDS.split_at(ENDS.len() - END).1;
}

/// A text, and whether it is a whole line. `600 x a` is none: what is said so often has no end.
#[derive(Clone, Debug)]
pub struct Line {
    text: String,
    is_whole: bool,
}

impl<const END: usize> Wire for Lines<END> {
    type Line = Line;

    /// Only whole lines are comments: what is said may hold a `#`.
    fn without_comment(line: &str) -> &str {
        if line.starts_with('#') { "" } else { line }
    }
    fn parse(text: &str, times: usize) -> Told<Line> {
        Ok(Line { text: text.to_string(), is_whole: times == 1 })
    }
    fn bytes(&self, line: &Line) -> Told<Vec<u8>> {
        Ok([line.text.as_bytes(), if line.is_whole { Self::END } else { b"" }].concat())
    }
    fn cut(unread: &[u8]) -> Option<usize> {
        unread.windows(END).position(|bytes| bytes == Self::END).map(|at| at + END)
    }
    fn matches(&mut self, line: &Line, message: &[u8]) -> Told<bool> {
        Ok(message.strip_suffix(Self::END) == Some(line.text.as_bytes()))
    }
    fn show_line(&self, line: &Line) -> String {
        line.text.clone()
    }
    fn show(&self, message: &[u8]) -> String {
        String::from_utf8_lossy(message.strip_suffix(Self::END).unwrap_or(message)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_as_its_game_says() {
        let line = Lines::<1>::parse("1,a", 1).unwrap();
        assert_eq!(Lines::<1>.bytes(&line).unwrap(), b"1,a\n");
        assert_eq!(Lines::<2>.bytes(&line).unwrap(), b"1,a\r\n");
        assert_eq!(
            (Lines::<1>::cut(b"a\nb\n"), Lines::<2>::cut(b"a\nb\r\nc"), Lines::<2>::cut(b"a\r")),
            (Some(2), Some(5), None)
        );
        assert!(Lines::<1>.matches(&line, b"1,a\n").unwrap() && !Lines::<1>.matches(&line, b"1,a\r\n").unwrap());
        assert_eq!(Lines::<2>.bytes(&Lines::<2>::parse("a", 3).unwrap()).unwrap(), b"a");
    }
}
