//! Players' webhooks: kept in the data directory under a seal, so that no one reads an address there by chance, and a
//! restart forgets no player of a game of days.

use std::io;
use std::sync::Arc;

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::address::Address;
use crate::games;
use crate::journal::Cabinet;
use crate::table_id::TableId;

const FILE: (&str, &str) = ("tables", "webhooks");
/// What the file begins with, with its version. The seal covers it too.
const WORD: &[u8] = b"parlor webhooks 1\n";

/// The player whose turn is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    pub table: TableId,
    /// The table's name, where tables have names.
    pub place: String,
    pub name: String,
}

/// A player who is told, and where. It is never shown.
pub struct Hook {
    pub seat: Seat,
    /// What only the browser knows that asked for it.
    pub key: String,
    pub address: Address,
    /// From where it was asked for.
    pub from: u128,
    /// The turn that was seen last and since when, and how often it was tried to tell it.
    pub turn: (u64, Instant),
    pub tries: u8,
    pub is_told: bool,
    /// When something was sent last.
    pub sent_at: Option<Instant>,
    pub is_sending: bool,
    /// In a row.
    pub failures: u8,
    /// The table keeps track of the players it waits for.
    pub is_followed: bool,
}

impl Hook {
    pub fn new(seat: Seat, key: String, address: Address, from: u128) -> Self {
        let turn = (0, Instant::now());
        let (tries, is_told, is_sending, failures, is_followed) = (0, false, false, 0, false);
        Self { seat, key, address, from, turn, tries, is_told, sent_at: None, is_sending, failures, is_followed }
    }

    pub fn is(&self, seat: &Seat, key: &str) -> bool {
        self.seat == *seat && self.key == key
    }
}

/// A hook as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    game: String,
    number: u32,
    place: String,
    name: String,
    key: String,
    address: String,
    from: u128,
}

impl Kept {
    fn of(hook: &Hook) -> Self {
        let Seat { table, place, name } = hook.seat.clone();
        let (key, address) = (hook.key.clone(), hook.address.text());
        Self { game: table.game.into(), number: table.number, place, name, key, address, from: hook.from }
    }

    /// `None`: this program has no such game any more.
    fn open(self) -> Option<Hook> {
        let table = TableId::new(games::named(&self.game)?.name, self.number);
        let seat = Seat { table, place: self.place, name: self.name };
        Some(Hook::new(seat, self.key, Address::read(&self.address)?, self.from))
    }
}

/// Where hooks are kept.
pub struct Safe {
    cabinet: Arc<dyn Cabinet>,
    key: LessSafeKey,
}

impl Safe {
    pub fn new(cabinet: Arc<dyn Cabinet>, key: &[u8; 32]) -> io::Result<Self> {
        let key = UnboundKey::new(&CHACHA20_POLY1305, key).map_err(|_| io::ErrorKind::InvalidInput)?;
        Ok(Self { cabinet, key: LessSafeKey::new(key) })
    }

    /// Those that were kept. What another version wrote is an error; what can't be opened any more is forgotten.
    pub fn read(&self) -> io::Result<Vec<Hook>> {
        let (folder, name) = FILE;
        let bytes = match self.cabinet.get(folder, name) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let Some(sealed) = bytes.strip_prefix(WORD) else {
            let strange = format!("{folder}/{name} is damaged, or another version's");
            return Err(io::Error::new(io::ErrorKind::InvalidData, strange));
        };
        let kept = self.unseal(sealed).and_then(|plain| postcard::from_bytes::<Vec<Kept>>(&plain).ok());
        if kept.is_none() {
            tracing::warn!("{folder}/{name} can't be opened: players who had set a webhook must set it again");
        }
        Ok(kept.unwrap_or_default().into_iter().filter_map(Kept::open).collect())
    }

    fn unseal(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE_LEN)?;
        let (nonce, mut plain) = (Nonce::try_assume_unique_for_key(nonce).ok()?, sealed.to_vec());
        let length = self.key.open_in_place(nonce, Aad::from(WORD), &mut plain).ok()?.len();
        plain.truncate(length);
        Some(plain)
    }

    pub fn write(&self, hooks: &[Hook]) -> io::Result<()> {
        let kept: Vec<Kept> = hooks.iter().map(Kept::of).collect();
        let mut sealed = postcard::to_extend(&kept, Vec::new()).map_err(io::Error::other)?;
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(io::Error::other)?;
        let fresh = Nonce::assume_unique_for_key(nonce);
        self.key.seal_in_place_append_tag(fresh, Aad::from(WORD), &mut sealed).map_err(|_| io::ErrorKind::Other)?;
        let (folder, name) = FILE;
        self.cabinet.put(folder, name, &[WORD, &nonce, &sealed].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Files;

    #[test]
    fn addresses_outlive_the_process_and_nobody_reads_them_by_chance() {
        let folder = std::env::temp_dir().join(format!("parlor-webhooks-{}", std::process::id()));
        let cabinet: Arc<dyn Cabinet> = Arc::new(Files::unlocked(&folder));
        let safe = |key| Safe::new(cabinet.clone(), &[key; 32]).unwrap();
        assert!(safe(1).read().unwrap().is_empty());
        let seat = Seat { table: TableId::new("pimp", 1), place: String::new(), name: "ann".into() };
        let address = Address::read("https://ntfy.example/my-secret-topic").unwrap();
        safe(1).write(&[Hook::new(seat.clone(), "key".into(), address.clone(), 7)]).unwrap();
        let kept = safe(1).read().unwrap();
        assert!(kept.len() == 1 && kept[0].is(&seat, "key") && kept[0].address == address && kept[0].from == 7);
        let bytes = std::fs::read(folder.join("tables/webhooks")).unwrap();
        assert!(!bytes.windows(6).any(|part| part == b"secret" || part == b"ntfy.e"));
        // Another key, or one bit: it is no longer what was written.
        assert!(safe(2).read().unwrap().is_empty());
        let mut bad = bytes.clone();
        *bad.last_mut().unwrap() ^= 1;
        std::fs::write(folder.join("tables/webhooks"), &bad).unwrap();
        assert!(safe(1).read().unwrap().is_empty());
        std::fs::write(folder.join("tables/webhooks"), b"parlor webhooks 2\n").unwrap();
        assert!(safe(1).read().is_err());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
