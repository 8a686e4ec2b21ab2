//! What must hold for every byte string that is sent to a game of lines, as laws.rs has it for frames.

use parlor_core::lines::{Fields, Lines, Piece, Tag, Words, split_tag};
use parlor_core::server::Framer as _;
use parlor_core::venus::wire::{Action, Event, Verb};
use parlor_core::yard::wire::{Command, Said};

use super::pour::Stream;

/// A framer's room: small, so that lines that are too long come often.
const ROOM: usize = 400;
/// What is read may be longer when it is written: escaped, quoted, with a tag.
const WRITTEN: usize = 4 * ROOM;

/// What a stream was cut into: whole lines, `None` for one that is too long.
pub type Cut = Vec<Option<Vec<u8>>>;

/// The framing done the plain way on the whole stream: what the framer must agree with.
pub fn cut_plainly(stream: &[u8]) -> Cut {
    let mut cut = Cut::new();
    let mut lines = stream.split(|byte| *byte == b'\n');
    // What follows the last end is no line yet, but may be too long already.
    let tail = lines.next_back().unwrap_or_default();
    for line in lines {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        cut.push((line.len() <= ROOM - 2).then(|| line.to_vec()));
    }
    if tail.len() >= ROOM {
        cut.push(None);
    }
    cut
}

/// The framer's work on the stream in pieces of the lengths that `pieces` says, over and over (0 counts as 256), with at
/// most `turn` lines taken between two reads.
pub fn cut_in_pieces(stream: &[u8], pieces: &[u8], turn: usize) -> Cut {
    let mut cut = Cut::new();
    let mut framer = Lines::<ROOM>::new();
    let mut skipping = false;
    let mut stream = Stream::new(stream, pieces);
    loop {
        let full = stream.pour(&mut framer);
        framer.mark();
        let unread = framer.unread().to_vec();
        let mut count = 0;
        while count < turn {
            let Some(piece) = framer.peek(skipping) else { break };
            match piece {
                Piece::Line(line) => cut.push(Some(line.to_vec())),
                Piece::TooLong { .. } => cut.push(None),
                Piece::Rest { .. } => {}
            }
            skipping = matches!(piece, Piece::TooLong { ended: false } | Piece::Rest { ended: false });
            framer.skip();
            count += 1;
        }
        assert!(unread.starts_with(framer.taken()), "taken is not what was handed out");
        assert!(count > 0 || !full, "stuck: no line in a full buffer");
        if stream.rest.is_empty() && count == 0 {
            return cut;
        }
    }
}

fn action<'a>(line: &[u8], room: &'a mut [u8]) -> Option<Action<'a>> {
    let mut fields = Fields::split(line, room).ok()?;
    let verb = fields.next().and_then(Verb::named)?;
    Action::parse(verb, fields).ok()
}

fn command<'a>(line: &'a [u8], room: &'a mut [u8]) -> Option<(&'a str, Command<'a>)> {
    let tagged = split_tag(line).ok()?;
    let tag = if tagged.tag == Tag::NONE { "" } else { tagged.tag.text() };
    Some((tag, Command::parse(Words::split(tagged.rest, room).ok()?).ok()?))
}

/// The line that was written, without its end.
fn line_of(written: &[u8]) -> &[u8] {
    let line = written.strip_suffix(b"\n").expect("a line has an end");
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Whatever is read, as either side's line in either game, is written to a line that is read the same.
pub fn there_and_back(line: &[u8]) {
    let (first, second, out) = (&mut [0; ROOM], &mut [0; WRITTEN], &mut [0; WRITTEN]);
    if let Some(action) = action(line, first) {
        let n = action.write(out).expect("an action fits");
        assert_eq!(self::action(line_of(&out[..n]), second), Some(action));
    }
    let (first, second, out) = (&mut [0; ROOM], &mut [0; WRITTEN], &mut [0; WRITTEN]);
    if let Some(event) = Event::parse(line, first) {
        let n = event.write(out).expect("an event fits");
        assert_eq!(n, event.length());
        assert_eq!(Event::parse(line_of(&out[..n]), second), Some(event));
    }
    let (first, second, out) = (&mut [0; ROOM], &mut [0; WRITTEN], &mut [0; WRITTEN]);
    if let Some((tag, command)) = command(line, first) {
        let n = command.write(tag, out).expect("a command fits");
        assert_eq!(self::command(line_of(&out[..n]), second), Some((tag, command)));
    }
    let (first, second, out) = (&mut [0; ROOM], &mut [0; WRITTEN], &mut [0; WRITTEN]);
    if let Some(said) = Said::parse(line, first) {
        let n = said.write(out).expect("a server's line fits");
        assert_eq!(Said::parse(line_of(&out[..n]), second), Some(said));
    }
}

/// All laws for one stream.
pub fn hold(stream: &[u8], pieces: &[u8], turn: usize) {
    let plain = cut_plainly(stream);
    assert_eq!(cut_in_pieces(stream, pieces, turn), plain);
    for line in plain.iter().flatten() {
        there_and_back(line);
    }
}
