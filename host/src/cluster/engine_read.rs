//! Reading messages of the engine back: one, the last, or all of a shard's log or snapshots.

use std::io;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::stream::{LastRawMessageErrorKind, Stream};
use bytes::Bytes;
use futures_util::StreamExt as _;
use tokio::time::timeout;

/// A log or a shard's snapshots with more messages than this are read by a consumer, which is slower to begin with.
const FEW: usize = 32;
/// How long the next message of what is read may take.
const READ: Duration = Duration::from_secs(5);

/// A message of the engine.
pub(super) struct Raw {
    pub(super) sequence: u64,
    pub(super) subject: String,
    pub(super) payload: Bytes,
}

pub(super) fn other(error: impl ToString) -> io::Error {
    io::Error::other(error.to_string())
}

/// The shard's last message, or the next of a subject, as the stream's leader has it.
pub(super) async fn ask(stream: &Stream, subject: &str, next: Option<u64>) -> io::Result<Option<Raw>> {
    let builder = stream.raw_message_builder();
    let builder = match next {
        Some(sequence) => builder.sequence(sequence).next_by_subject(subject),
        None => builder.last_by_subject(subject),
    };
    match builder.send().await {
        Ok(message) => {
            Ok(Some(Raw { sequence: message.sequence, subject: message.subject.to_string(), payload: message.payload }))
        }
        Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
        Err(error) => Err(other(error)),
    }
}

/// The server that leads a stream; empty: none is known.
pub(super) async fn leader(stream: &Stream) -> String {
    let info = stream.get_info().await.ok();
    info.and_then(|info| info.cluster).and_then(|cluster| cluster.leader).unwrap_or_default()
}

/// Every message of these subjects, in order. Long ones come from any replica as far as it has them, the rest from the
/// leader: a replica may be behind, but what it has is what the leader had.
pub(super) async fn read_all(stream: &Stream, subjects: &str, take: &mut (dyn FnMut(Raw) + Send)) -> io::Result<()> {
    let mut next = 1;
    let mut info = stream.info_with_subjects(subjects).await.map_err(other)?;
    let mut count = 0;
    while let Some(subject) = info.next().await {
        count += subject.map_err(other)?.1;
    }
    if count > FEW {
        let config = pull::Config {
            filter_subject: subjects.into(),
            ack_policy: AckPolicy::None,
            memory_storage: true,
            num_replicas: 1,
            inactive_threshold: Duration::from_secs(30),
            ..pull::Config::default()
        };
        let consumer = stream.create_consumer(config).await.map_err(other)?;
        let mut left = consumer.cached_info().num_pending;
        if left > 0 {
            let mut messages = consumer.messages().await.map_err(other)?;
            while left > 0 {
                let message = timeout(READ, messages.next()).await.map_err(|_| io::ErrorKind::TimedOut)?;
                let message = message.ok_or(io::ErrorKind::UnexpectedEof)?.map_err(other)?;
                let (sequence, pending) =
                    message.info().map(|info| (info.stream_sequence, info.pending)).map_err(other)?;
                next = sequence + 1;
                let subject = message.subject.to_string();
                take(Raw { sequence, subject, payload: message.payload.clone() });
                left = pending;
            }
        }
        let name = consumer.cached_info().name.clone();
        let _ = stream.delete_consumer(&name).await;
    }
    for raw in read_tail(stream, subjects, next).await? {
        take(raw);
    }
    Ok(())
}

/// The messages of these subjects from a sequence on, as far as there are any now: an owner may write faster than they
/// are read.
pub(super) async fn read_tail(stream: &Stream, subjects: &str, mut next: u64) -> io::Result<Vec<Raw>> {
    let mut raws = Vec::new();
    let Some(last) = ask(stream, subjects, None).await? else { return Ok(raws) };
    while next <= last.sequence
        && let Some(raw) = ask(stream, subjects, Some(next)).await?
    {
        next = raw.sequence + 1;
        raws.push(raw);
    }
    Ok(raws)
}
