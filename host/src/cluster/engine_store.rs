//! A shard's journal in the engine ([`super::engine`]).
//!
//! The log is the fence. Every append names the sequence of the message that must be the shard's last; a node that
//! takes the shard reads the log to its end and appends a claim, and from then on every append of the former owner is
//! refused. No clock has a part in it.
//!
//! An append whose answer does not come, or which is refused, may be there all the same: the server refuses now and then
//! what it has taken. So the shard's last message is read, by the stream's leader, and says what is so: it is the message
//! in question, or the one before it, or another's.
//!
//! The log is read before the snapshots: so what a former owner throws away meanwhile is either in the snapshots or still
//! in the log that was read.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::Stream;
use bytes::Bytes;
use tokio::time::sleep;

use super::engine::Engine;
use super::engine_read::{Raw, ask, leader, other, read_all, read_tail};
use super::pieces::pieces;
use super::sealed::{self, Head, Kind, Unreadable};
use crate::journal::archive;
use crate::journal::record;
use crate::journal::store::{Append, Batch, Cabinet, Damage, Source, Store, StoreError};

/// Tries of one append before the writer is told that it is unsure, and the longest pause between two.
const TRIES: u32 = 12;
const PAUSE: Duration = Duration::from_millis(50);
/// Bytes of the log that are read back as one part.
const PART: usize = 1 << 20;
/// Messages that are not needed are thrown away when there are so many.
const USELESS: usize = 16;
/// A leader that is none any more may answer with what it had for as long as it does not know. What is missing for longer than
/// that is lost.
const STALE: Duration = Duration::from_secs(15);
/// How long nothing may be sure before another of the engine's servers is tried.
const PATIENCE: Duration = Duration::from_secs(4);
/// Tries to get a claim in between two appends of an owner that writes on, before it is stopped and after it.
const POLITE: u32 = 3;
const CLAIMS: u32 = 8;
/// What a claim says of the message before it if that may be any.
const ANY: [u8; 16] = [0; 16];

/// A message that waits to be acknowledged.
struct Pending {
    bytes: Bytes,
    next: u64,
}

/// What is known of the shard's log since it was taken.
struct Log {
    stream: Stream,
    subject: String,
    /// The engine's server that leads the stream, as far as is known.
    leader: String,
    epoch: u32,
    writer: [u8; 16],
    /// The sequence of its last message, and that message's hash.
    last: u64,
    hash: [u8; 16],
    /// Where each message ends, by sequence, but of the last.
    ends: VecDeque<(u64, u64)>,
    last_end: u64,
    /// The batch that is being appended: its first record, and what is left of it.
    batch: u64,
    pending: VecDeque<Pending>,
    is_fenced: bool,
    /// Since when the log ends before what was safe.
    back_since: Option<Instant>,
    /// Since when it is not known what became of the next message.
    unsure_since: Option<Instant>,
}

/// What lies under one subject beside the log.
#[derive(Default)]
struct Kept {
    /// The sequence of its last message.
    last: u64,
    /// The names of the last two, of snapshots.
    names: VecDeque<String>,
}

/// What was read when the shard was taken; let go once it was looked at.
#[derive(Default)]
struct Read {
    parts: BTreeMap<u64, Vec<u8>>,
    /// The part that the next message goes on with.
    open: Option<u64>,
    /// The first record of each gap.
    missing: Vec<u64>,
    snapshots: BTreeMap<String, Vec<u8>>,
}

pub struct EngineStore {
    engine: Arc<Engine>,
    shard: String,
    log: Mutex<Option<Log>>,
    snapshots: Mutex<Option<Stream>>,
    kept: Mutex<HashMap<String, Kept>>,
    /// Messages kept beside the log since it was taken.
    count: Mutex<u64>,
    /// Of the log, for figures: an append may hold the rest for long.
    length: AtomicUsize,
    epoch: AtomicU32,
    read: Mutex<Read>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What became of one message.
enum Pushed {
    /// Under this sequence, at once or after other tries.
    Safe(u64, bool),
    Fenced,
    /// The log ends with this message, which is before the last that was safe.
    Back(Option<Raw>),
    Unsure(io::Error),
}

impl EngineStore {
    pub fn new(engine: &Arc<Engine>, shard: &str) -> Self {
        Self {
            engine: engine.clone(),
            shard: shard.into(),
            log: Mutex::default(),
            snapshots: Mutex::default(),
            kept: Mutex::default(),
            count: Mutex::default(),
            length: AtomicUsize::new(0),
            epoch: AtomicU32::new(0),
            read: Mutex::default(),
        }
    }

    /// For the how-manieth time the shard is taken; 0: it was not.
    pub fn epoch(&self) -> u32 {
        self.epoch.load(Relaxed)
    }

    /// Messages in the log that a taker would read.
    pub fn log_length(&self) -> usize {
        self.length.load(Relaxed)
    }

    /// What was read is let go.
    pub fn forget(&self) {
        *lock(&self.read) = Read::default();
    }

    fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.engine.runtime.block_on(future)
    }

    fn open(&self, raw: &Raw) -> Result<(Head, Vec<u8>), Unreadable> {
        self.engine.keys.open(&self.shard, &raw.subject, &raw.payload)
    }

    /// What was written last with another key, or by another version, is none of ours to judge.
    fn refuse(&self, why: Unreadable) -> Result<(), StoreError> {
        match why {
            Unreadable::Damaged => Ok(()),
            Unreadable::Version(version) => Err(StoreError::other_version(&format!("cluster format {version}"))),
            Unreadable::Key(id) => {
                let shard = &self.shard;
                let text =
                    format!("shard {shard} was sealed with a key that --cluster-key does not hold (id {id:02x?})");
                Err(StoreError::Io(io::Error::new(io::ErrorKind::InvalidData, text)))
            }
        }
    }

    /// Reads what is there and takes nothing: to look at, while its owner may be writing. The epochs of the messages,
    /// in their order.
    pub fn look(&self) -> Result<Vec<u32>, StoreError> {
        self.block_on(async {
            let (mut log, raws, snapshots) = self.find([0; 16]).await?;
            let mut read = self.read_log(&mut log, &raws)?;
            (read.snapshots, _) = self.read_snapshots(&snapshots).await?;
            *lock(&self.read) = read;
            Ok(raws.iter().filter_map(|raw| Head::peek(&raw.payload)).map(|head| head.epoch).collect())
        })
    }

    /// The log as it is now, for the writer from here on, and where snapshots are.
    async fn find(&self, writer: [u8; 16]) -> io::Result<(Log, Vec<Raw>, Stream)> {
        let (stream, subject) = self.engine.log(&self.shard).await.map_err(other)?;
        let snapshots = self.engine.snapshots().await.map_err(other)?;
        let (log, raws) = Log::read(stream, subject, writer).await?;
        Ok((log, raws, snapshots))
    }

    async fn claim(&self) -> Result<(), StoreError> {
        let mut writer = [0; 16];
        getrandom::fill(&mut writer).map_err(other)?;
        let found = self.find(writer).await.inspect_err(|_| self.engine.leave_server());
        let (mut log, raws, snapshots) = found?;
        let mut read = self.read_log(&mut log, &raws)?;
        drop(raws);
        let (snapshots_read, kept) = self.read_snapshots(&snapshots).await?;
        read.snapshots = snapshots_read;
        self.claim_behind_what_was_read(&mut log, &mut read).await?;
        *lock(&self.read) = read;
        *lock(&self.kept) = kept;
        *lock(&self.count) = 0;
        *lock(&self.snapshots) = Some(snapshots);
        self.length.store(log.ends.len() + 1, Relaxed);
        self.epoch.store(log.epoch, Relaxed);
        *lock(&self.log) = Some(log);
        Ok(())
    }

    /// Appends the claim. A former owner that writes on is faster than the node that reads its log: what it has written
    /// meanwhile is read, and the claim goes behind that. If it is always faster, it is stopped first.
    async fn claim_behind_what_was_read(&self, log: &mut Log, read: &mut Read) -> Result<(), StoreError> {
        let former = log.epoch;
        for attempt in 0..CLAIMS {
            let known = log.epoch;
            log.epoch = known + 1;
            let claim = self.seal_claim(log, log.hash);
            match self.push(log, &claim).await {
                Pushed::Safe(sequence, _) => {
                    log.advance(&claim, sequence);
                    return Ok(());
                }
                Pushed::Fenced => {}
                Pushed::Back(_) => return Err(other("the log ends before what was read").into()),
                Pushed::Unsure(error) => {
                    self.engine.leave_server();
                    return Err(error.into());
                }
            }
            if attempt + 1 == POLITE {
                // Behind whatever is the last by then: the next append of the former owner is refused.
                let message = PublishMessage::build().payload(self.seal_claim(log, ANY).bytes);
                let way = self.engine.way_to(&log.leader);
                way.send_publish(log.subject.clone(), message).await.map_err(other)?.await.map_err(other)?;
            }
            log.epoch = known;
            for raw in read_tail(&log.stream, &log.subject, log.last + 1).await? {
                let head = Head::peek(&raw.payload);
                if head.as_ref().is_some_and(|head| head.epoch > former && head.writer != log.writer) {
                    return Err(other("another node has taken it meanwhile").into());
                }
                // Nothing is lost: it lies in snapshots that are newer than those which were read.
                if head.is_some_and(|head| head.first > log.last_end) {
                    return Err(other("the log was trimmed while it was read").into());
                }
                self.read_message(log, read, &raw, true)?;
            }
        }
        Err(other("others take it too").into())
    }

    fn seal_claim(&self, log: &Log, before: [u8; 16]) -> Pending {
        let (epoch, writer, next) = (log.epoch, log.writer, log.last_end);
        let head = Head { kind: Kind::Claim, epoch, writer, first: next, next, before };
        Pending { bytes: Bytes::from(self.engine.keys.seal(&self.shard, &log.subject, &head, b"")), next }
    }

    /// The parts of the log, and what is missing between them.
    fn read_log(&self, log: &mut Log, raws: &[Raw]) -> Result<Read, StoreError> {
        let mut read = Read::default();
        for (at, raw) in raws.iter().enumerate() {
            self.read_message(log, &mut read, raw, at + 1 == raws.len())?;
        }
        Ok(read)
    }

    /// The next message of the log. One that is damaged is a part that can't be read, so that the reader is told.
    fn read_message(&self, log: &mut Log, read: &mut Read, raw: &Raw, is_last: bool) -> Result<(), StoreError> {
        let shard = &self.shard;
        // What was the last ends where this one begins.
        let has_before = log.last > 0;
        if has_before {
            log.ends.push_back((log.last_end, log.last));
        }
        match self.open(raw) {
            Ok((head, bytes)) => {
                let is_any = head.kind == Kind::Claim && head.before == ANY;
                if has_before && !is_any && log.hash != head.before && head.first <= log.last_end {
                    tracing::warn!(shard, sequence = raw.sequence, "a message of the log is not what was there");
                }
                if head.first > log.last_end && has_before {
                    let (from, to) = (log.last_end, head.first);
                    tracing::error!(shard, from, to, "messages of the log are missing: records between these are lost");
                    read.missing.push(from);
                    read.open = None;
                }
                if head.kind == Kind::Records {
                    match read.open.and_then(|first| read.parts.get_mut(&first)) {
                        Some(part) if part.len() < PART => part.extend(&bytes),
                        _ => {
                            read.open = Some(head.first);
                            read.parts.insert(head.first, [&record::head(head.first), &bytes[..]].concat());
                        }
                    }
                }
                log.epoch = log.epoch.max(head.epoch);
                log.last_end = log.last_end.max(head.next);
            }
            Err(why) => {
                tracing::error!(shard, sequence = raw.sequence, "a message of the log is damaged: it is left out");
                if is_last {
                    self.refuse(why)?;
                }
                read.parts.insert(log.last_end, [&record::head(log.last_end), &raw.payload[..]].concat());
                read.open = None;
                // Its head may be right: no epoch is given twice.
                if let Some(head) = Head::peek(&raw.payload).filter(|head| head.epoch <= log.epoch.saturating_add(1)) {
                    log.epoch = log.epoch.max(head.epoch);
                }
            }
        }
        (log.last, log.hash) = (raw.sequence, sealed::hash(&raw.payload));
        Ok(())
    }

    async fn read_snapshots(
        &self,
        stream: &Stream,
    ) -> Result<(BTreeMap<String, Vec<u8>>, HashMap<String, Kept>), StoreError> {
        let mut raws = Vec::new();
        let mut kept = HashMap::<String, Kept>::new();
        // What else is kept is read when it is asked for.
        read_all(stream, &format!("s.{}.t.>", self.shard), &mut |raw| raws.push(raw)).await?;
        let mut snapshots = BTreeMap::new();
        for raw in raws {
            let entry = kept.entry(raw.subject.clone()).or_default();
            entry.last = raw.sequence;
            match self.open(&raw) {
                Ok((_, plain)) => {
                    if let Some((name, bytes)) = unnamed(&plain) {
                        entry.note(&name);
                        snapshots.insert(name, bytes.to_vec());
                    }
                }
                // The reader is told that it can't be read. Its name was sealed with it.
                Err(_) => {
                    let Raw { subject, sequence, payload } = &raw;
                    snapshots.insert(format!("{subject}.damaged-{sequence}{}", archive::ENDING), payload.to_vec());
                }
            }
        }
        Ok((snapshots, kept))
    }

    /// Publishes a message behind the last, and finds out what became of it.
    async fn push(&self, log: &Log, pending: &Pending) -> Pushed {
        let mut why = None;
        for attempt in 0..TRIES {
            let message =
                PublishMessage::build().payload(pending.bytes.clone()).expected_last_subject_sequence(log.last);
            let sent = self.engine.way_to(&log.leader).send_publish(log.subject.clone(), message).await;
            let acknowledged = match sent {
                Ok(acknowledged) => acknowledged.await,
                Err(error) => Err(error),
            };
            match acknowledged {
                Ok(acknowledged) => return Pushed::Safe(acknowledged.sequence, attempt == 0),
                Err(error) => why = Some(error.to_string()),
            }
            match ask(&log.stream, &log.subject, None).await {
                Ok(Some(raw)) if raw.payload == pending.bytes => return Pushed::Safe(raw.sequence, false),
                Ok(found) => {
                    let sequence = found.as_ref().map_or(0, |raw| raw.sequence);
                    let head = found.as_ref().and_then(|raw| Head::peek(&raw.payload));
                    if sequence > log.last || head.as_ref().is_some_and(|head| head.epoch > log.epoch) {
                        let by = head.map_or(0, |head| head.epoch);
                        tracing::info!(shard = self.shard, epoch = log.epoch, by, "another node has taken the shard");
                        return Pushed::Fenced;
                    }
                    if sequence < log.last {
                        return Pushed::Back(found);
                    }
                }
                Err(error) => return Pushed::Unsure(error),
            }
            sleep(PAUSE.min(Duration::from_millis(2 << attempt))).await;
        }
        Pushed::Unsure(other(why.unwrap_or_default()))
    }

    /// Keeps a message beside the log. It is refused if the shard is another's, as far as that can be known: two
    /// messages of each subject stay, so one that comes too late takes no other's place.
    fn put_message(&self, subject: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
        let (epoch, writer, log_stream, log_subject) = {
            let log = lock(&self.log);
            let log = log.as_ref().filter(|log| !log.is_fenced).ok_or_else(|| other("the shard is not ours"))?;
            (log.epoch, log.writer, log.stream.clone(), log.subject.clone())
        };
        let number = {
            let mut count = lock(&self.count);
            *count += 1;
            *count
        };
        let head = Head { kind: Kind::File, epoch, writer, first: number, next: number, before: [0; 16] };
        let plain = named(name, bytes);
        let payload = Bytes::from(self.engine.keys.seal(&self.shard, subject, &head, &plain));
        let mut last = lock(&self.kept).get(subject).map_or(0, |kept| kept.last);
        let sequence = self.block_on(async {
            for _ in 0..TRIES {
                // A new owner of the shard has said so in its log.
                let owner = ask(&log_stream, &log_subject, None).await?;
                if owner.and_then(|raw| Head::peek(&raw.payload)).is_some_and(|head| head.epoch > epoch) {
                    return Err(other("another node has taken the shard"));
                }
                let message = PublishMessage::build().payload(payload.clone()).expected_last_subject_sequence(last);
                let sent = self.engine.js.send_publish(subject.to_owned(), message).await.map_err(other)?;
                match sent.await {
                    Ok(acknowledged) => return Ok(acknowledged.sequence),
                    Err(error) => tracing::debug!(%error, subject, "what is kept was not acknowledged"),
                }
                let stream = lock(&self.snapshots).clone().ok_or_else(|| other("the shard is not ours"))?;
                match ask(&stream, subject, None).await? {
                    Some(raw) if raw.payload == payload => return Ok(raw.sequence),
                    found => last = found.map_or(0, |raw| raw.sequence),
                }
                sleep(PAUSE).await;
            }
            Err(other("it was not acknowledged"))
        })?;
        let mut kept = lock(&self.kept);
        let entry = kept.entry(subject.into()).or_default();
        entry.last = sequence;
        entry.note(name);
        Ok(())
    }

    fn snapshot_subject(&self, name: &str) -> Option<String> {
        let (game, number, _) = archive::parse(name)?;
        Some(format!("s.{}.t.{game}.{number}", self.shard))
    }

    fn file_subject(&self, folder: &str, name: &str) -> String {
        format!("s.{}.f.{folder}.{}", self.shard, name.replace('.', "/"))
    }
}

impl Log {
    /// Every message of a log, and a log of which nothing is known yet.
    async fn read(stream: Stream, subject: String, writer: [u8; 16]) -> io::Result<(Self, Vec<Raw>)> {
        let mut raws = Vec::new();
        read_all(&stream, &subject, &mut |raw| raws.push(raw)).await?;
        let log = Self {
            leader: leader(&stream).await,
            stream,
            subject,
            epoch: 0,
            writer,
            last: 0,
            hash: [0; 16],
            ends: VecDeque::new(),
            last_end: 0,
            batch: 0,
            pending: VecDeque::new(),
            is_fenced: false,
            back_since: None,
            unsure_since: None,
        };
        Ok((log, raws))
    }

    /// The log ends with this message from now on.
    fn go_back(&mut self, last: Option<&Raw>) {
        self.pending.clear();
        (self.back_since, self.unsure_since) = (None, None);
        self.last = last.map_or(0, |raw| raw.sequence);
        self.hash = last.map_or([0; 16], |raw| sealed::hash(&raw.payload));
        self.ends.retain(|(_, sequence)| *sequence < self.last);
    }

    fn advance(&mut self, pending: &Pending, sequence: u64) {
        (self.back_since, self.unsure_since) = (None, None);
        // What was the last ends where this one begins.
        if self.last > 0 {
            self.ends.push_back((self.last_end, self.last));
        }
        (self.last, self.hash, self.last_end) = (sequence, sealed::hash(&pending.bytes), pending.next);
    }
}

impl Kept {
    fn note(&mut self, name: &str) {
        self.names.retain(|other| other != name);
        self.names.push_back(name.into());
        if self.names.len() > 2 {
            self.names.pop_front();
        }
    }
}

/// A file with its name before it: one length byte, the name, the rest.
fn named(name: &str, bytes: &[u8]) -> Vec<u8> {
    let name = name.as_bytes().get(..name.len().min(255)).unwrap_or_default();
    [&[name.len() as u8], name, bytes].concat()
}

fn unnamed(plain: &[u8]) -> Option<(String, &[u8])> {
    let (length, rest) = plain.split_first()?;
    let (name, bytes) = rest.split_at_checked(usize::from(*length))?;
    Some((String::from_utf8(name.into()).ok()?, bytes))
}

impl Source for EngineStore {
    fn parts(&self) -> io::Result<Vec<u64>> {
        Ok(lock(&self.read).parts.keys().copied().collect())
    }

    fn part(&self, first: u64) -> io::Result<Vec<u8>> {
        lock(&self.read).parts.get(&first).cloned().ok_or(io::ErrorKind::NotFound.into())
    }

    fn listed(&self) -> io::Result<Vec<u64>> {
        Ok(lock(&self.read).missing.clone())
    }

    fn snapshots(&self) -> io::Result<Vec<String>> {
        Ok(lock(&self.read).snapshots.keys().cloned().collect())
    }

    fn snapshot(&self, name: &str) -> io::Result<Vec<u8>> {
        lock(&self.read).snapshots.get(name).cloned().ok_or(io::ErrorKind::NotFound.into())
    }
}

impl Store for EngineStore {
    fn take(&self) -> Result<(), StoreError> {
        self.block_on(self.claim())
    }

    fn append(&self, batch: &Batch) -> Append {
        let mut guard = lock(&self.log);
        let Some(log) = guard.as_mut().filter(|log| !log.is_fenced) else { return Append::Fenced };
        if log.pending.is_empty() || log.batch != batch.first {
            // Sealed once: the same bytes are sent until they are there.
            log.batch = batch.first;
            log.pending.clear();
            let mut before = log.hash;
            for piece in pieces(batch, self.engine.largest) {
                let (first, next) = (piece.first, piece.next);
                let head = Head { kind: Kind::Records, epoch: log.epoch, writer: log.writer, first, next, before };
                let bytes = Bytes::from(self.engine.keys.seal(&self.shard, &log.subject, &head, &piece.bytes));
                before = sealed::hash(&bytes);
                log.pending.push_back(Pending { bytes, next });
            }
        }
        while let Some(pending) = log.pending.pop_front() {
            match self.block_on(self.push(log, &pending)) {
                Pushed::Safe(sequence, is_first_try) => {
                    log.advance(&pending, sequence);
                    if !is_first_try {
                        log.leader = self.block_on(leader(&log.stream));
                    }
                    self.length.store(log.ends.len() + 1, Relaxed);
                }
                Pushed::Fenced => {
                    log.is_fenced = true;
                    return Append::Fenced;
                }
                Pushed::Unsure(error) => {
                    log.pending.push_front(pending);
                    if log.unsure_since.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                        self.engine.leave_server();
                    }
                    log.leader = self.block_on(leader(&log.stream));
                    return Append::Unsure(error);
                }
                Pushed::Back(found) => {
                    let since = *log.back_since.get_or_insert_with(Instant::now);
                    if since.elapsed() < STALE {
                        log.pending.push_front(pending);
                        return Append::Unsure(other("the log ends before what was safe"));
                    }
                    tracing::error!(
                        shard = self.shard,
                        from = log.last,
                        "the engine has lost messages that it acknowledged"
                    );
                    log.go_back(found.as_ref());
                    return Append::Gone;
                }
            }
        }
        Append::Safe
    }

    fn keep(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let subject = self.snapshot_subject(name).ok_or(io::ErrorKind::InvalidInput)?;
        self.put_message(&subject, name, bytes)
    }

    fn trim(&self, before: u64, is_needed: &dyn Fn(&str) -> bool) -> io::Result<()> {
        let useless: Vec<String> = {
            let kept = lock(&self.kept);
            let is_useless = |kept: &Kept| !kept.names.is_empty() && !kept.names.iter().any(|name| is_needed(name));
            let snapshots = kept.iter().filter(|(subject, _)| subject.contains(".t."));
            snapshots.filter(|(_, kept)| is_useless(kept)).map(|(subject, _)| subject.clone()).collect()
        };
        let snapshots = lock(&self.snapshots).clone().ok_or_else(|| other("the shard is not ours"))?;
        for subject in useless {
            self.block_on(async { snapshots.purge().filter(&subject).await }).map_err(other)?;
            lock(&self.kept).remove(&subject);
        }
        let (stream, subject, upto, count) = {
            let log = lock(&self.log);
            let log = log.as_ref().filter(|log| !log.is_fenced).ok_or_else(|| other("the shard is not ours"))?;
            let count = log.ends.iter().take_while(|(end, _)| *end <= before).count();
            let Some((_, upto)) = count.checked_sub(1).and_then(|at| log.ends.get(at)) else { return Ok(()) };
            (log.stream.clone(), log.subject.clone(), *upto, count)
        };
        if count < USELESS {
            return Ok(());
        }
        self.block_on(async { stream.purge().filter(&subject).sequence(upto + 1).await }).map_err(other)?;
        // It may have changed without our being told.
        let leader = self.block_on(leader(&stream));
        if let Some(log) = lock(&self.log).as_mut() {
            log.leader = leader;
            log.ends.retain(|(_, sequence)| *sequence > upto);
            self.length.store(log.ends.len() + 1, Relaxed);
        }
        Ok(())
    }

    /// What is damaged lies where it lay until it is trimmed: the engine's other messages can't be put in its place.
    fn put_aside(&self, damage: &Damage) {
        tracing::warn!(shard = self.shard, ?damage, "damaged in the engine, and left there until the log is trimmed");
    }
}

impl Cabinet for EngineStore {
    fn get(&self, folder: &str, name: &str) -> io::Result<Vec<u8>> {
        let subject = self.file_subject(folder, name);
        let stream = lock(&self.snapshots).clone().ok_or_else(|| other("the shard is not ours"))?;
        let raw = self.block_on(ask(&stream, &subject, None))?.ok_or(io::ErrorKind::NotFound)?;
        lock(&self.kept).entry(subject).or_default().last = raw.sequence;
        let unreadable = |why| io::Error::new(io::ErrorKind::InvalidData, format!("it can't be read: {why:?}"));
        let (_, plain) = self.open(&raw).map_err(unreadable)?;
        let (_, bytes) = unnamed(&plain).ok_or(io::ErrorKind::InvalidData)?;
        // Nothing is kept of what was thrown away but that it was.
        if bytes.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { Ok(bytes.to_vec()) }
    }

    fn put(&self, folder: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.put_message(&self.file_subject(folder, name), name, bytes)
    }

    fn throw_away(&self, folder: &str, name: &str) -> io::Result<()> {
        self.put_message(&self.file_subject(folder, name), name, b"")
    }
}
