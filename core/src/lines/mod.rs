//! Lines of text, for the games that talk in them: cut out of a stream, split into words, written word by word.
//!
//! [`Lines`] knows only where a line ends, so any game can use it; [`Words`] and [`Writer`] speak the quoting of a POSIX
//! shell and tags before requests, [`Fields`] and [`FieldWriter`] commas.
//!
//! What can never happen here: a panic on any bytes, an allocation, a line longer than its room.

mod commas;
mod framer;
mod shown;
mod words;
mod writer;

pub use commas::{FIELDS_MAX, FieldWriter, Fields, NotUtf8};
pub use framer::{Lines, Piece};
pub(crate) use shown::{Plain, TooLong};
pub use words::{Flaw, TAG_MAX, Tag, Tagged, WORDS_MAX, Words, split_tag};
pub use writer::Writer;
