//! What a game can't do by itself, done for it: hashing passwords, calling bots. It takes its time elsewhere, and only the
//! link that asked waits.

use std::future::Future;
use std::pin::Pin;

use parlor_core::server::{Answer, Ask};

use crate::bot::Pace;

/// The address that a request comes from, as a number; `None`: from within this process.
pub type Origin = Option<u128>;

/// What is asked for, kept beyond the call in which it was asked. It is never shown: it may hold a password.
pub enum ServiceRequest {
    Hash(Vec<u8>),
    Verify {
        secret: Vec<u8>,
        hash: Vec<u8>,
    },
    Bot {
        game: String,
    },
    Save {
        name: String,
        file: Vec<u8>,
    },
    Load {
        name: String,
    },
    /// Nothing that this host knows.
    Unknown,
}

impl From<Ask<'_>> for ServiceRequest {
    fn from(ask: Ask<'_>) -> Self {
        match ask {
            Ask::Hash(secret) => Self::Hash(secret.into()),
            Ask::Verify { secret, hash } => Self::Verify { secret: secret.into(), hash: hash.into() },
            Ask::Bot { game } => Self::Bot { game: game.into() },
            Ask::Save { name, file } => Self::Save { name: name.into(), file: file.into() },
            Ask::Load { name } => Self::Load { name: name.into() },
            _ => Self::Unknown,
        }
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Failed,
    Hash(Vec<u8>),
    Verified(bool),
    Done,
    File(Vec<u8>),
    /// Too many accounts were made from there.
    Limited,
}

impl Outcome {
    /// As the game is told.
    pub fn answer(&self) -> Answer<'_> {
        match self {
            Self::Failed => Answer::Failed,
            Self::Hash(hash) => Answer::Hash(hash),
            Self::Verified(right) => Answer::Verified(*right),
            Self::Done => Answer::Done,
            Self::File(file) => Answer::File(file),
            Self::Limited => Answer::Limited,
        }
    }
}

pub type ServiceFuture = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// The part of the host that does it.
pub trait GameServices: Send + Sync {
    fn serve(&self, request: ServiceRequest, from: Origin) -> ServiceFuture;
    /// Bots that sit at this game think about so long from now on, or as all do; whether there are any.
    fn set_pace(&self, _game: &str, _pace: Option<Pace>) -> bool {
        false
    }
}
