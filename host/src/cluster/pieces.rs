//! What is too long for one message of the engine, cut.

use crate::journal::record::{self, Records};
use crate::journal::store::Batch;

/// Batches beyond what a message may hold are cut between two blocks.
pub(super) fn pieces(batch: &Batch, largest: usize) -> Vec<Batch> {
    if batch.bytes.len() <= largest {
        return vec![batch.clone()];
    }
    let whole = [&record::head(batch.first), &batch.bytes[..]].concat();
    let Some(mut records) = Records::new(&whole) else { return vec![batch.clone()] };
    let (mut pieces, mut from, mut first) = (Vec::new(), record::HEAD, batch.first);
    let mut end = record::HEAD;
    while let Some(Ok(record)) = records.next() {
        // A block was read to its end, and another begins with this record.
        if records.end() > end {
            if end > from && records.end() - from > largest {
                let bytes = whole.get(from..end).unwrap_or_default().to_vec();
                pieces.push(Batch { bytes, first, next: record.number });
                (from, first) = (end, record.number);
            }
            end = records.end();
        }
    }
    let bytes = whole.get(from..).unwrap_or_default().to_vec();
    pieces.push(Batch { bytes, first, next: batch.next });
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::record::{Block, Event};
    use parlor_core::server::Millis;

    #[test]
    fn a_long_batch_is_cut_between_blocks() {
        let (mut bytes, mut number) = (Vec::new(), 5);
        for blocks in 0..10 {
            let (mut block, first) = (Block::default(), number);
            for _ in 0..=blocks {
                block.push(1, 2, &Event::Receive { slot: 0, now: Millis(1), bytes: &[7; 200] });
                number += 1;
            }
            block.seal(first, &mut bytes);
        }
        let batch = Batch { bytes, first: 5, next: number };
        for largest in [1, 500, 1_000, 3_000, 100_000] {
            let pieces = pieces(&batch, largest);
            assert_eq!(pieces.iter().flat_map(|piece| piece.bytes.clone()).collect::<Vec<_>>(), batch.bytes);
            assert!(pieces.windows(2).all(|pair| pair[0].next == pair[1].first));
            assert_eq!((pieces[0].first, pieces.last().unwrap().next), (5, number));
            for piece in &pieces {
                let part = [&record::head(piece.first), &piece.bytes[..]].concat();
                assert_eq!(Records::new(&part).unwrap().map_while(Result::ok).last().unwrap().number, piece.next - 1);
            }
        }
        assert_eq!(pieces(&batch, 1).len(), 10);
    }
}
