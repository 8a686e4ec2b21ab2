//! Three messages go over a wire that cuts them anywhere. Two readers: one that believes a read is a message, and one with a
//! framer.

use parlor_core::pimp::wire::Framer;
use parlor_core::server::Framer as _;

/// Three messages: a code, the length of the rest, the rest.
const SENT: &[u8] = b"E\x05helloE\x02toE\x05world";

/// Gives bytes in pieces of any length, as TCP does: it promises their order, and nothing else.
struct Wire<'a> {
    rest: &'a [u8],
    piece: usize,
}

impl Wire<'_> {
    fn read(&mut self, into: &mut [u8]) -> usize {
        let n = self.piece.min(self.rest.len()).min(into.len());
        into[..n].copy_from_slice(&self.rest[..n]);
        self.rest = &self.rest[n..];
        n
    }
}

/// Believes that a read gives a message.
fn naive(mut wire: Wire<'_>) -> Vec<String> {
    let (mut buffer, mut heard) = ([0; 64], Vec::new());
    while let n @ 1.. = wire.read(&mut buffer) {
        let message = buffer.get(2..n).unwrap_or(b"");
        heard.push(message.escape_ascii().to_string());
    }
    heard
}

/// Keeps what was read until a message is whole; takes whole messages one by one.
fn framed(mut wire: Wire<'_>) -> Vec<String> {
    let (mut framer, mut heard) = (Framer::new(), Vec::new());
    loop {
        let n = wire.read(framer.window());
        framer.commit(n);
        while let Ok(Some(frame)) = framer.peek() {
            heard.push(frame.payload.escape_ascii().to_string());
            framer.skip();
        }
        if n == 0 {
            return heard;
        }
    }
}

fn main() {
    // `break`: a length that no message has.
    let broken = std::env::args().any(|word| word == "break");
    let sent = if broken { &b"E\x05helloE\xffto"[..] } else { SENT };
    println!("sent   {}", sent.escape_ascii());
    for piece in [64, 7, 5, 1] {
        println!("read in pieces of at most {piece}:");
        println!("  naive  {:?}", naive(Wire { rest: sent, piece }));
        println!("  framed {:?}", framed(Wire { rest: sent, piece }));
    }
    if broken {
        let mut framer = Framer::new();
        framer.window()[..sent.len()].copy_from_slice(sent);
        framer.commit(sent.len());
        framer.skip();
        println!("and what the framer says of the rest: {:?}", framer.peek());
    }
}
