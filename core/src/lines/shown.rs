//! Lines as people read them.

use core::fmt::{self, Display, Formatter, Write as _};

/// A line as it is, but for what would harm a terminal.
pub(crate) struct Plain<'a>(pub &'a [u8]);

impl Display for Plain<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            write!(f, "{}", chunk.valid().escape_debug())?;
            if !chunk.invalid().is_empty() {
                f.write_char(char::REPLACEMENT_CHARACTER)?;
            }
        }
        Ok(())
    }
}

/// In place of a line that no message can have: how long it is.
pub(crate) struct TooLong(pub usize);

impl Display for TooLong {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "({} bytes)", self.0)
    }
}
