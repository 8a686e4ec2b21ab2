//! What is found wrong with a game that was saved.

/// What is wrong, if anything.
pub type Finding = Result<(), &'static str>;

pub(crate) fn must(holds: bool, otherwise: &'static str) -> Finding {
    if holds { Ok(()) } else { Err(words(otherwise)) }
}

/// Words that only people need. A board's flash has no room for them; a PC that is given the same bytes says them.
pub(crate) const fn words(text: &'static str) -> &'static str {
    if cfg!(target_os = "none") { "" } else { text }
}
