//! Messages as they lie in the engine: a head that any reader there sees, and a body for holders of the cluster's key.
//!
//! A journal holds seeds, and with them passwords and dice. So its records and snapshots are sealed before they leave
//! the node, with ChaCha20-Poly1305. The key of a message is made of the cluster's key, the shard, the epoch and the
//! writer, which is drawn anew for every claim; the nonce is the message's kind and number. So no two messages are ever
//! sealed with the same key and nonce, not even by two nodes at one time. The engine's operator sees sizes and times.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use ring::{digest, hkdf};

/// The format of messages.
const VERSION: u8 = 1;
/// 1 /* version */ + 1 /* kind */ + 4 /* key id */ + 4 /* epoch */ + 16 /* writer */ + 8 /* first */ + 8 /* next */ +
/// 16 /* hash of the message before */.
pub const HEAD: usize = 58;
/// The shortest line of a key file: 128 bits in hexadecimal digits.
const SHORTEST: usize = 32;

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A node has taken the shard.
    Claim = 0,
    Records = 1,
    /// A snapshot, or what is kept under another name.
    File = 2,
}

/// What any reader sees of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub kind: Kind,
    pub epoch: u32,
    /// Drawn for every claim.
    pub writer: [u8; 16],
    /// The number of the first record; of a file, how many the writer has kept before.
    pub first: u64,
    /// The number of the record after the last.
    pub next: u64,
    /// Of the message before, so that one which is missing is noticed.
    pub before: [u8; 16],
}

impl Head {
    fn encode(&self, key: [u8; 4]) -> [u8; HEAD] {
        let mut out = [0; HEAD];
        out[0] = VERSION;
        out[1] = self.kind as u8;
        out[2..6].copy_from_slice(&key);
        out[6..10].copy_from_slice(&self.epoch.to_le_bytes());
        out[10..26].copy_from_slice(&self.writer);
        out[26..34].copy_from_slice(&self.first.to_le_bytes());
        out[34..42].copy_from_slice(&self.next.to_le_bytes());
        out[42..].copy_from_slice(&self.before);
        out
    }

    /// The head, the key's id, and what is sealed; `None`: it is no message of this version.
    fn decode(bytes: &[u8]) -> Option<(Self, [u8; 4], &[u8])> {
        let (head, sealed) = bytes.split_first_chunk::<HEAD>()?;
        let kind = [Kind::Claim, Kind::Records, Kind::File].into_iter().find(|kind| *kind as u8 == head[1])?;
        let number = |at: usize| Some(u64::from_le_bytes(*head.get(at..)?.first_chunk()?));
        let read = Self {
            kind,
            epoch: u32::from_le_bytes(*head.get(6..)?.first_chunk()?),
            writer: *head.get(10..)?.first_chunk()?,
            first: number(26)?,
            next: number(34)?,
            before: *head.get(42..)?.first_chunk()?,
        };
        (head[0] == VERSION).then_some((read, *head.get(2..)?.first_chunk()?, sealed))
    }

    /// What any reader sees of a message.
    pub fn peek(bytes: &[u8]) -> Option<Self> {
        Self::decode(bytes).map(|(head, ..)| head)
    }
}

/// Why a message can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It is damaged, or none of ours.
    Damaged,
    /// It was sealed with a key that is not in the key file.
    Key([u8; 4]),
    /// Another version wrote it.
    Version(u8),
}

/// What the message after this one remembers of it.
pub fn hash(message: &[u8]) -> [u8; 16] {
    let whole = digest::digest(&digest::SHA256, message);
    let mut hash = [0; 16];
    hash.copy_from_slice(&whole.as_ref()[..16]);
    hash
}

struct ClusterKey {
    id: [u8; 4],
    prk: hkdf::Prk,
}

impl ClusterKey {
    fn new(secret: &[u8]) -> Self {
        let prk = hkdf::Salt::new(hkdf::HKDF_SHA256, b"parlor cluster").extract(secret);
        Self { id: expand(&prk, &[b"id"]), prk }
    }
}

struct Length(usize);

impl hkdf::KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn expand<const N: usize>(prk: &hkdf::Prk, info: &[&[u8]]) -> [u8; N] {
    let mut out = [0; N];
    // Only more than 8,160 bytes at once would be refused.
    if let Ok(okm) = prk.expand(info, Length(N)) {
        let _ = okm.fill(&mut out);
    }
    out
}

/// Which key a message was sealed with: the cluster's, its shard's, its epoch's and its writer's.
type Derived = ([u8; 4], String, u32, [u8; 16]);

/// The keys of a cluster. The first seals; the others only read what was sealed before the first took their place.
pub struct Keys {
    keys: Vec<ClusterKey>,
    derived: Mutex<HashMap<Derived, LessSafeKey>>,
}

/// Keys that are remembered: a shard is read with the keys of its last few owners.
const REMEMBERED: usize = 4096;

impl Keys {
    /// From the lines of a file.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text =
            std::fs::read_to_string(path).map_err(|error| format!("--cluster-key {}: {error}", path.display()))?;
        Self::parse(&text).ok_or_else(|| {
            format!(
                "--cluster-key {}: a line of at least {SHORTEST} characters is needed, the same on every node \
                 (head -c 32 /dev/urandom | base64 > FILE)",
                path.display()
            )
        })
    }

    pub fn parse(text: &str) -> Option<Self> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let keys = lines.map(|line| (line.len() >= SHORTEST).then(|| ClusterKey::new(line.as_bytes())));
        let keys = keys.collect::<Option<Vec<_>>>()?;
        (!keys.is_empty()).then(|| Self { keys, derived: Mutex::default() })
    }

    /// Thirty-two bytes that only holders of the first key know, for something else than messages.
    pub fn secret(&self, purpose: &str) -> [u8; 32] {
        self.keys.first().map_or([0; 32], |key| expand(&key.prk, &[b"secret ", purpose.as_bytes()]))
    }

    /// Uses the key of a message.
    fn with<T>(
        &self,
        key: &ClusterKey,
        shard: &str,
        head: &Head,
        ask: impl FnOnce(&LessSafeKey, Nonce) -> Option<T>,
    ) -> Option<T> {
        let mut nonce = [0; 12];
        nonce[0] = head.kind as u8;
        nonce[4..].copy_from_slice(&head.first.to_le_bytes());
        let nonce = Nonce::assume_unique_for_key(nonce);
        let mut derived = self.derived.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let name = (key.id, shard.to_owned(), head.epoch, head.writer);
        if !derived.contains_key(&name) {
            if derived.len() >= REMEMBERED {
                derived.clear();
            }
            let (epoch, length) = (head.epoch.to_le_bytes(), (shard.len() as u32).to_le_bytes());
            let info = [&b"message"[..], &length, shard.as_bytes(), &epoch, &head.writer];
            let made = UnboundKey::from(key.prk.expand(&info, &CHACHA20_POLY1305).ok()?);
            derived.insert(name.clone(), LessSafeKey::new(made));
        }
        ask(derived.get(&name)?, nonce)
    }

    /// `subject` is where the message will lie: at another it can't be opened.
    pub fn seal(&self, shard: &str, subject: &str, head: &Head, plain: &[u8]) -> Vec<u8> {
        let Some(key) = self.keys.first() else { return Vec::new() };
        let bytes = head.encode(key.id);
        let aad = Aad::from([&bytes[..], subject.as_bytes()].concat());
        let sealed = self.with(key, shard, head, |key, nonce| {
            let mut sealed = plain.to_vec();
            // Only 256 GB at once would be refused.
            key.seal_in_place_append_tag(nonce, aad, &mut sealed).ok().map(|()| sealed)
        });
        [&bytes[..], &sealed.unwrap_or_default()].concat()
    }

    pub fn open(&self, shard: &str, subject: &str, bytes: &[u8]) -> Result<(Head, Vec<u8>), Unreadable> {
        let Some((head, id, sealed)) = Head::decode(bytes) else {
            return Err(match bytes.first() {
                Some(version) if *version != VERSION && bytes.len() > HEAD => Unreadable::Version(*version),
                _ => Unreadable::Damaged,
            });
        };
        let key = self.keys.iter().find(|key| key.id == id).ok_or(Unreadable::Key(id))?;
        let aad = Aad::from([bytes.get(..HEAD).unwrap_or_default(), subject.as_bytes()].concat());
        let mut sealed = sealed.to_vec();
        let opened = self.with(key, shard, &head, |key, nonce| {
            key.open_in_place(nonce, aad, &mut sealed).ok().map(|plain| plain.len())
        });
        let length = opened.ok_or(Unreadable::Damaged)?;
        sealed.truncate(length);
        Ok((head, sealed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "0123456789abcdef0123456789abcdef\n";
    const TWO: &str = "fedcba9876543210fedcba9876543210";

    fn head() -> Head {
        Head { kind: Kind::Records, epoch: 3, writer: [7; 16], first: 9, next: 12, before: [1; 16] }
    }

    #[test]
    fn what_was_sealed_is_opened_with_the_same_key_shard_and_subject() {
        let keys = Keys::parse(ONE).unwrap();
        let sealed = keys.seal("pimp.1", "j.1.pimp.1", &head(), b"a seed");
        assert_eq!(keys.open("pimp.1", "j.1.pimp.1", &sealed), Ok((head(), b"a seed".to_vec())));
        assert!(!sealed.windows(6).any(|window| window == b"a seed"));
        assert!(keys.open("pimp.2", "j.1.pimp.1", &sealed).is_err() && keys.open("pimp.1", "j.1", &sealed).is_err());
        assert!(matches!(Keys::parse(TWO).unwrap().open("pimp.1", "j.1.pimp.1", &sealed), Err(Unreadable::Key(_))));
        // A key that has been replaced still reads.
        let rotated = Keys::parse(&format!("{TWO}\n{ONE}")).unwrap();
        assert!(rotated.open("pimp.1", "j.1.pimp.1", &sealed).is_ok());
        assert_ne!(rotated.seal("pimp.1", "j.1.pimp.1", &head(), b"a seed"), sealed);
    }

    #[test]
    fn no_bit_can_be_changed() {
        let keys = Keys::parse(ONE).unwrap();
        let sealed = keys.seal("yard.1", "j.0.yard.1", &head(), b"a seed");
        for bit in 0..8 * sealed.len() {
            let mut other = sealed.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(keys.open("yard.1", "j.0.yard.1", &other).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn two_claimants_of_an_epoch_share_no_key() {
        let keys = Keys::parse(ONE).unwrap();
        let other = Head { writer: [8; 16], ..head() };
        let (one, two) = (keys.seal("a", "j", &head(), b"records"), keys.seal("a", "j", &other, b"records"));
        assert_ne!(one[HEAD..], two[HEAD..]);
    }

    #[test]
    fn short_keys_are_refused() {
        assert!(Keys::parse("").is_none() && Keys::parse("short").is_none());
        assert!(Keys::parse(&format!("{ONE}short")).is_none());
    }
}
