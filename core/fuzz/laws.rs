//! What must hold for every byte string there is. The fuzz target drives these laws, and so does a seeded test in tests/.

use parlor_core::pimp::wire::{FRAME_MAX, Flaw, Framer, HEADER, Message};
use parlor_core::server::Framer as _;

use super::pour::Stream;

/// What a stream was cut into.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// Code and payload of each whole frame.
    pub frames: Vec<(u8, Vec<u8>)>,
    /// A frame had the reserved length 255: nothing is read after it.
    pub endless: bool,
}

/// The document's framing, done the plain way on the whole stream: what the framer must agree with.
pub fn cut_plainly(mut stream: &[u8]) -> Cut {
    let mut cut = Cut::default();
    while let [code, length, rest @ ..] = stream {
        if *length == 255 {
            cut.endless = true;
            break;
        }
        let Some((payload, after)) = rest.split_at_checked(usize::from(*length)) else { break };
        cut.frames.push((*code, payload.to_vec()));
        stream = after;
    }
    cut
}

/// The framer's work on the stream in pieces of the lengths that `pieces` says, over and over (0 counts as 256), with
/// at most `turn` frames taken between two reads, as fairness asks of a server. Checks `taken` on the way.
pub fn cut_in_pieces(stream: &[u8], pieces: &[u8], turn: usize) -> Cut {
    let mut cut = Cut::default();
    let mut framer = Framer::default();
    let mut stream = Stream::new(stream, pieces);
    loop {
        let full = stream.pour(&mut framer);
        framer.mark();
        let mut taken = Vec::new();
        let mut count = 0;
        while count < turn {
            match framer.peek() {
                Ok(Some(frame)) => {
                    taken.extend([frame.code, frame.payload.len() as u8]);
                    taken.extend(frame.payload);
                    cut.frames.push((frame.code, frame.payload.to_vec()));
                }
                Ok(None) => break,
                Err(_) => {
                    framer.skip();
                    assert!(framer.peek().is_err(), "an endless frame was skipped");
                    cut.endless = true;
                    return cut;
                }
            }
            framer.skip();
            count += 1;
        }
        assert_eq!(framer.taken(), taken, "taken is not what was handed out");
        assert!(count > 0 || !full, "stuck: no frame in a full buffer");
        if stream.rest.is_empty() && count == 0 {
            return cut;
        }
    }
}

fn decode(from_client: bool, code: u8, payload: &[u8]) -> Result<Message<'_>, Flaw> {
    if from_client { Message::from_client(code, payload) } else { Message::from_server(code, payload) }
}

/// Whoever sends it: what decodes is encoded to a frame that decodes to the same, no longer than the first.
pub fn there_and_back(code: u8, payload: &[u8]) {
    for from_client in [true, false] {
        match decode(from_client, code, payload) {
            Ok(message) => {
                let mut out = [0; FRAME_MAX];
                let n = message.encode(&mut out).expect("every message fits the longest frame");
                let [again, length, body @ ..] = &out[..n] else { panic!("a frame without a header") };
                assert_eq!((*again, usize::from(*length)), (code, body.len()));
                assert_eq!(message.code(), code);
                assert_eq!((message.payload_len(), n), (body.len(), HEADER + body.len()));
                assert!(body.len() <= payload.len(), "{message} grew");
                assert_eq!(decode(from_client, code, body), Ok(message));
            }
            Err(Flaw::Unknown(told) | Flaw::WrongSide(told) | Flaw::Unparseable(told)) => assert_eq!(told, code),
        }
    }
}

/// All laws for one stream.
pub fn hold(stream: &[u8], pieces: &[u8], turn: usize) {
    let plain = cut_plainly(stream);
    assert_eq!(cut_in_pieces(stream, pieces, turn), plain);
    for (code, payload) in &plain.frames {
        there_and_back(*code, payload);
    }
}
