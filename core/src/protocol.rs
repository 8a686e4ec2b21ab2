//! A game's protocol as data, told from the tables that its codec is made of: what a dissector, a page or a client in
//! another language can be generated from. An adapter that only serves never asks for it, so it costs an image nothing.

/// How messages are cut out of a stream, and fields out of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// A code, the length of the payload and the payload: fields one after the other, numbers big endian.
    Frames,
    /// Lines of words as [`crate::lines::Words`] splits them. A command may have a tag before it, an answer has that tag or
    /// `-`, and what is told without being asked for has `*`.
    Words,
    /// Lines of fields between commas, as [`crate::lines::Fields`] splits them; the first is the message's name.
    Commas,
}

/// A whole protocol.
#[derive(Clone, Copy, Debug)]
pub struct Protocol {
    /// As its document calls it.
    pub title: &'static str,
    pub framing: Framing,
    /// How a stream of this protocol begins, and no other.
    pub greetings: &'static [Greeting],
    /// Requests, and what may come as the answer to each. An answer to [`ANY`] is about whatever was said last.
    pub answers: &'static [(&'static str, &'static [&'static str])],
    /// Answers after which another one to the same request comes.
    pub unfinished: &'static [&'static str],
    /// Tells every message.
    pub each: fn(Tell<'_>),
}

/// Is told messages, one after the other.
pub type Tell<'t> = &'t mut dyn FnMut(&Message<'_>);

/// Any request.
pub const ANY: &str = "*";

/// The first bytes that one end sends.
#[derive(Clone, Copy, Debug)]
pub struct Greeting {
    pub by_client: bool,
    pub bytes: &'static [u8],
}

/// The end that may send a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    Client,
    Server,
    /// The server's, as the answer to a command.
    Answer,
    Either,
}

/// One message.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// Empty: an answer without a word of its own.
    pub name: &'static str,
    /// Another spelling that is understood.
    pub also: Option<&'static str>,
    /// The first byte of its frame, where there are frames.
    pub code: u8,
    pub sender: Sender,
    /// Says that something was refused.
    pub is_error: bool,
    /// The line of the protocol's document that defines it.
    pub line: Option<u16>,
    pub fields: &'a [Field],
}

/// A field by the name that the codec has for it.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub name: &'static str,
    pub parts: &'static [Part],
}

/// What stands for a field on the wire: mostly one value.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Empty where the field has only this one.
    pub name: &'static str,
    pub kind: Kind,
    /// Left out where what comes next is nothing of this kind.
    pub optional: bool,
}

/// The name of a number, as far as there are names.
pub type Names = fn(u8) -> Option<&'static str>;

/// What kind of value a part holds.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// In a frame one byte, in a line digits.
    Byte,
    /// A byte with a sign.
    Delta,
    /// A byte that has a name; in a line one of the names, whatever the case of its letters.
    Named(Names),
    /// A byte: the code of another message, which this one is about.
    Code,
    /// In a frame bit 0 of a byte, in a line `1` or `0`.
    Bool,
    /// In a frame four bytes, in a line digits: at least and at most this.
    Number(i32, u32),
    /// In a frame a length byte, at most this, and so many bytes.
    Counted(u8),
    /// In a line one word or field.
    Text,
    /// A count, and so many times these, which are one byte each.
    List(&'static [Part]),
    /// Every word that is left.
    Words,
    /// What is left of the line, as it stands.
    Rest,
}

impl Part {
    pub const fn of(kind: Kind) -> Self {
        Self { name: "", kind, optional: false }
    }

    pub const fn called(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, optional: false }
    }

    pub const fn if_there(kind: Kind) -> Self {
        Self { name: "", kind, optional: true }
    }
}
