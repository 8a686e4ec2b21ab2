//! Kinds of lines, for metrics: a number for each name that a line can begin with.

use crate::venus::wire::{ACTIONS, EVENTS};

/// Where the numbers of events begin; those of actions begin at 0. OPTIONS, which is both, counts as an action.
const EVENT: u8 = 64;

/// The kinds of these lines, as said by either side. A line that is none has no kind.
pub(super) fn of(lines: &[u8]) -> impl Iterator<Item = u8> + '_ {
    lines.split(|byte| *byte == b'\n').filter_map(kind)
}

pub(super) fn name(kind: u8) -> Option<&'static str> {
    let event = kind.checked_sub(EVENT).and_then(|n| EVENTS.get(usize::from(n)));
    event.or_else(|| ACTIONS.get(usize::from(kind))).map(|(name, _)| *name)
}

fn kind(line: &[u8]) -> Option<u8> {
    let name = line.split(|byte| matches!(byte, b',' | b'\r')).next()?;
    let find = |list: &[(&str, &[&str])]| list.iter().position(|(known, _)| known.as_bytes() == name);
    find(ACTIONS).map(|n| n as u8).or_else(|| find(EVENTS).map(|n| EVENT + n as u8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn lines_are_told_apart_by_their_names() {
        let lines = b"LOGIN,ann,x\nWELCOME\n\nDANCE,1\nJOIN\r\nNEWSTATE,InitialState,text\nOPTIONS,2000\n";
        let names: Vec<_> = of(lines).map(|kind| name(kind).unwrap()).collect();
        assert_eq!(names, ["LOGIN", "WELCOME", "JOIN", "NEWSTATE", "OPTIONS"]);
        assert_eq!((name(63), name(127)), (None, None));
        assert!(ACTIONS.len() <= usize::from(EVENT));
    }
}
