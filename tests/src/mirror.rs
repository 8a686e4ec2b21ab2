//! A client's mirror held against a server that was read back from a journal: what the client knows by all that it heard is
//! what the server tells it when it comes back.

use parlor_core::save::Durable;
use parlor_core::server::{Answer, Ask, Framer as _, Millis};

/// A game whose clients have mirrors.
pub trait Mirrored: Durable {
    /// Whether a name that is connected must go before it can come again.
    const ONE_LINK: bool;
    /// What a client says to come back, one call each, by what it said and heard before; `None`: it has no seat in a game
    /// that is being played.
    fn words(said: &[u8], heard: &[u8]) -> Option<Vec<Vec<u8>>>;
    /// The first difference between what was known and what is told anew.
    fn difference(said: &[u8], heard: &[u8], told: &[u8]) -> Option<String>;
}

/// Compares the mirror of whoever is connected at this slot; `None`: it has none to compare.
pub fn compare<S: Mirrored>(
    server: &mut S,
    now: Millis,
    slot: u16,
    said: &[u8],
    heard: &[u8],
) -> Option<Result<(), String>> {
    let words = S::words(said, heard)?;
    if S::ONE_LINK
        && let Some(link) = server.link(slot)
    {
        server.close(link, now);
    }
    let told = tell(server, now, &words);
    Some(S::difference(said, heard, &told).map_or(Ok(()), Err))
}

/// What a new link hears that says all this. Every password is right, as it was.
fn tell<S: Durable>(server: &mut S, now: Millis, words: &[Vec<u8>]) -> Vec<u8> {
    let link = server.open(now).expect("a link is free");
    let (mut framer, mut told, mut room) = (S::Framer::default(), Vec::new(), vec![0; S::MAX_FRAME.max(4096)]);
    for word in words {
        framer.window()[..word.len()].copy_from_slice(word);
        framer.commit(word.len());
        server.recall(link, &mut framer, now);
        while let Some((id, is_secret)) =
            server.next_request().map(|request| (request.id, matches!(request.ask, Ask::Verify { .. })))
        {
            server.answer(id, if is_secret { Answer::Verified(true) } else { Answer::Failed }, now);
        }
        let produced = server.produced();
        server.release(produced);
        while let n @ 1.. = server.pull(link, &mut room) {
            told.extend_from_slice(&room[..n]);
        }
    }
    told
}

/// Whole lines, without their ends.
pub fn lines(bytes: &[u8]) -> Vec<String> {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    String::from_utf8_lossy(&bytes[..end]).lines().map(str::to_owned).collect()
}
