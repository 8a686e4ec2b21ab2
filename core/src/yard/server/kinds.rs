//! Kinds of lines, for metrics: a number for each word that a line can begin with.

use crate::yard::wire::{COMMANDS, STATUSES};

/// What answers begin with, behind their tag.
const ANSWERS: [&str; 3] = ["ok", "no", "bad"];
/// Where the numbers of statuses and answers begin; those of commands begin at 0.
const STATUS: u8 = 64;
const ANSWER: u8 = 128;

/// The kinds of these lines, as said by either side. A line that is none, or an answer in numbers, has no kind.
pub(super) fn of(lines: &[u8]) -> impl Iterator<Item = u8> + '_ {
    lines.split(|byte| *byte == b'\n').filter_map(kind)
}

pub(super) fn name(kind: u8) -> Option<&'static str> {
    let [commands, statuses, answers] = [0, STATUS, ANSWER].map(|first| kind.checked_sub(first).map(usize::from));
    let answer = answers.and_then(|n| ANSWERS.get(n));
    answer.or_else(|| STATUSES.get(statuses?)).or_else(|| COMMANDS.get(commands?)).copied()
}

fn kind(line: &[u8]) -> Option<u8> {
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\r')).filter(|word| !word.is_empty());
    let find = |names: &[&str], word: &[u8]| names.iter().position(|name| name.as_bytes() == word).map(|n| n as u8);
    match words.next()? {
        b"*" => find(STATUSES, words.next()?).map(|n| STATUS + n),
        [b'#' | b'-', ..] => {
            let word = words.next()?;
            find(&ANSWERS, word).map(|n| ANSWER + n).or_else(|| find(COMMANDS, word))
        }
        word => find(COMMANDS, word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn lines_are_told_apart_by_their_words() {
        let lines = b"#1 protocol 2.0\r\n#1 ok\r\nnoop\n- no way\r\n* turn X\r\n#2 5\r\n\r\n* bad line\r\ndance\r\n#3 move 1 taxi";
        let names: Vec<_> = of(lines).map(|kind| name(kind).unwrap()).collect();
        assert_eq!(names, ["protocol", "ok", "noop", "no", "turn", "move"]);
        assert_eq!((name(63), name(127), name(131)), (None, None, None));
        assert!(COMMANDS.len() <= usize::from(STATUS) && STATUSES.len() <= usize::from(ANSWER - STATUS));
    }
}
