//! Scotland Yard on the host: what its one server, with all its accounts and games, asks of the process.
//!
//! [`Butler`] has passwords hashed and calls bots; [`player`] is a bot at one end of a connection; [`tell()`] is for replays.

mod bots;
pub mod player;
mod tell;

pub use bots::Key;
pub use tell::tell;

use std::sync::{Arc, Mutex, PoisonError};

use parlor_core::server::Millis;
use parlor_core::throttle::{Allowance, Throttle};
use tokio::time::Instant;

use crate::net::{Help, Helping, Origin, Outcome, Room, Wish};
use crate::vault::Vault;
use bots::Bots;

/// Addresses that are remembered at once, of each kind.
const ADDRESSES: usize = 256;

/// How much is put up with from one address.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// New accounts.
    pub accounts: Allowance,
    /// Wrong passwords.
    pub guesses: Allowance,
}

/// What was done from where lately.
struct Count {
    throttle: Mutex<Throttle<ADDRESSES>>,
    allowance: Allowance,
    start: Instant,
}

impl Count {
    fn new(allowance: Allowance) -> Self {
        Self { throttle: Mutex::new(Throttle::new()), allowance, start: Instant::now() }
    }

    fn ask<T>(&self, ask: impl FnOnce(&mut Throttle<ADDRESSES>, Millis) -> T) -> T {
        let now = Millis(self.start.elapsed().as_millis() as u64);
        ask(&mut self.throttle.lock().unwrap_or_else(PoisonError::into_inner), now)
    }

    /// Whether it may be done once more from there. Whoever is of this process may.
    fn may(&self, from: Origin) -> bool {
        from.is_none_or(|address| self.ask(|throttle, now| throttle.may(address, self.allowance, now)))
    }

    fn note(&self, from: Origin) {
        if let Some(address) = from {
            self.ask(|throttle, now| throttle.count(address, self.allowance, now));
        }
    }
}

/// Does what the server asks for.
#[derive(Clone)]
pub struct Butler(Arc<Inner>);

struct Inner {
    vault: Vault,
    accounts: Count,
    guesses: Count,
    bots: Arc<Bots>,
}

impl Butler {
    /// The key is what the passwords of its bots are made with.
    pub fn new(key: &Key, terms: Terms) -> Self {
        let (accounts, guesses) = (Count::new(terms.accounts), Count::new(terms.guesses));
        Self(Arc::new(Inner { vault: Vault::default(), accounts, guesses, bots: Arc::new(Bots::new(key)) }))
    }

    /// The server is open. Whoever plays there for us, by game and name, sits down again.
    pub fn enter(&self, room: &Arc<dyn Room>, players: &[(String, String)]) {
        self.0.bots.enter(room, players);
    }
}

impl Inner {
    /// For a new account.
    async fn hash(&self, secret: Vec<u8>, from: Origin) -> Outcome {
        if !self.accounts.may(from) {
            return Outcome::Failed;
        }
        self.accounts.note(from);
        self.vault.hash(secret).await
    }

    async fn verify(&self, secret: Vec<u8>, hash: Vec<u8>, from: Origin) -> Outcome {
        if !self.guesses.may(from) {
            return Outcome::Failed;
        }
        let outcome = self.vault.verify(secret, hash).await;
        if outcome == Outcome::Verified(false) {
            self.guesses.note(from);
        }
        outcome
    }
}

impl Help for Butler {
    fn help(&self, wish: Wish, from: Origin) -> Helping {
        let inner = self.0.clone();
        Box::pin(async move {
            match wish {
                Wish::Hash(secret) => inner.hash(secret, from).await,
                Wish::Verify { secret, hash } => inner.verify(secret, hash, from).await,
                Wish::Bot { game } => inner.bots.call(game, from).await,
                Wish::Unknown => Outcome::Failed,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_address_makes_few_accounts_and_guesses_little() {
        let few = Allowance { most: 2, forgets: 1_000_000 };
        let butler = Butler::new(&Key::fresh().unwrap(), Terms { accounts: few, guesses: few });
        let hash = |from| butler.help(Wish::Hash(b"pw".to_vec()), from);
        let Outcome::Hash(made) = hash(Some(1)).await else { panic!() };
        assert!(matches!(hash(Some(1)).await, Outcome::Hash(_)));
        assert_eq!(hash(Some(1)).await, Outcome::Failed);
        assert!(matches!(hash(Some(2)).await, Outcome::Hash(_)) && matches!(hash(None).await, Outcome::Hash(_)));
        let guess = |secret: &[u8]| butler.help(Wish::Verify { secret: secret.into(), hash: made.clone() }, Some(1));
        assert_eq!(guess(b"pw").await, Outcome::Verified(true));
        assert_eq!(guess(b"a").await, Outcome::Verified(false));
        assert_eq!(guess(b"b").await, Outcome::Verified(false));
        assert_eq!(guess(b"pw").await, Outcome::Failed);
    }

    #[tokio::test]
    async fn nobody_comes_where_there_is_no_room() {
        let few = Allowance { most: 2, forgets: 1_000 };
        let butler = Butler::new(&Key::fresh().unwrap(), Terms { accounts: few, guesses: few });
        assert_eq!(butler.help(Wish::Bot { game: "g".into() }, None).await, Outcome::Failed);
    }
}
