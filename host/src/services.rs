//! What a game may ask of this process ([`parlor_core::server::Ask`]): passwords hashed and checked, bots called, files
//! kept. Any game may; how often it is done for one address is counted here.

use std::net::Ipv6Addr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use parlor_core::throttle::Allowance;

use crate::bot::Pace;
use crate::flags::Asked;
use crate::games::Entry;
use crate::house_bots::Bots;
use crate::journal::Cabinet;
use crate::net::strangers::{Count, Strangers};
use crate::net::{GameServices, Origin, Outcome, ServiceFuture, ServiceRequest, TableHandle};
use crate::vault::Vault;

/// New accounts from one address, as the flags say; one more every minute.
pub fn accounts(asked: &Asked) -> Allowance {
    Allowance { most: asked.accounts, forgets: 60_000 }
}

/// This machine's own address. Of one of IPv6 only the network counts, and that of `::1` is all zero.
fn is_loopback(address: u128) -> bool {
    address == 0 || Ipv6Addr::from_bits(address).to_canonical().is_loopback()
}

/// Does what one server asks for.
#[derive(Clone)]
pub struct HostServices(Arc<Inner>);

struct Inner {
    /// One for the process: all games wait in one line.
    vault: Arc<Vault>,
    accounts: Count,
    /// Where wrong passwords are counted.
    strangers: Arc<Strangers>,
    bots: Arc<Bots>,
    /// Where files are kept, if anywhere, and what their names begin with.
    cabinet: Option<Arc<dyn Cabinet>>,
    game: &'static str,
}

/// The folder of files that games keep by name.
const FILES: &str = "files";

impl HostServices {
    /// For a server of this game. Without a cabinet no file is kept.
    pub fn new(
        entry: &'static Entry,
        vault: Arc<Vault>,
        bots: Bots,
        (accounts, strangers): (Allowance, Arc<Strangers>),
        cabinet: Option<Arc<dyn Cabinet>>,
    ) -> Self {
        let accounts = Count::new(accounts);
        Self(Arc::new(Inner { vault, accounts, strangers, bots: Arc::new(bots), cabinet, game: entry.name }))
    }

    /// New accounts from one address, from now on.
    pub fn allow(&self, accounts: Allowance) {
        self.0.accounts.allow(accounts);
    }

    /// The server is open. Our bots among its players, by game and name, sit down again.
    pub fn enter(&self, table: &Arc<dyn TableHandle>, players: &[(String, String)]) {
        self.0.bots.enter(table, players);
    }
}

impl Inner {
    /// For a new account.
    async fn hash(&self, secret: Vec<u8>, from: Origin) -> Outcome {
        // This machine's own clients are not limited: behind a proxy or in a family that would be all.
        let counted = from.filter(|address| !is_loopback(*address));
        if !self.accounts.may(counted) {
            return Outcome::Limited;
        }
        self.accounts.note(counted);
        self.vault.hash(secret, from).await
    }

    async fn verify(&self, secret: Vec<u8>, hash: Vec<u8>, from: Origin) -> Outcome {
        if !self.strangers.may_guess(from) {
            self.strangers.figures.held.fetch_add(1, Relaxed);
            return Outcome::Failed;
        }
        let outcome = self.vault.verify(secret, hash, from).await;
        if outcome == Outcome::Verified(false) {
            self.strangers.note_wrong(from);
        }
        outcome
    }
}

impl Inner {
    /// Games give names of letters, digits, `_` and `-` alone; whatever else one gave would not leave the folder.
    fn file_name(&self, name: &str) -> Option<String> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        (!name.is_empty() && name.bytes().all(is_plain)).then(|| format!("{}.{name}", self.game))
    }

    /// A file of that name takes the place of another; it is safe when this returns.
    async fn save(self: Arc<Self>, name: String, file: Vec<u8>) -> Outcome {
        let (Some(cabinet), Some(name)) = (self.cabinet.clone(), self.file_name(&name)) else { return Outcome::Failed };
        let written = tokio::task::spawn_blocking(move || cabinet.put(FILES, &name, &file));
        match written.await {
            Ok(Ok(())) => Outcome::Done,
            Ok(Err(error)) => {
                tracing::warn!(%error, game = self.game, "a game could not be saved");
                Outcome::Failed
            }
            Err(_) => Outcome::Failed,
        }
    }

    async fn load(self: Arc<Self>, name: String) -> Outcome {
        let (Some(cabinet), Some(name)) = (self.cabinet.clone(), self.file_name(&name)) else { return Outcome::Failed };
        let read = tokio::task::spawn_blocking(move || cabinet.get(FILES, &name));
        match read.await {
            Ok(Ok(file)) => Outcome::File(file),
            _ => Outcome::Failed,
        }
    }
}

impl GameServices for HostServices {
    fn set_pace(&self, game: &str, pace: Option<Pace>) -> bool {
        self.0.bots.set_pace(game, pace)
    }

    fn serve(&self, request: ServiceRequest, from: Origin) -> ServiceFuture {
        let inner = self.0.clone();
        Box::pin(async move {
            match request {
                ServiceRequest::Hash(secret) => inner.hash(secret, from).await,
                ServiceRequest::Verify { secret, hash } => inner.verify(secret, hash, from).await,
                ServiceRequest::Bot { game } => inner.bots.call(game, from).await,
                ServiceRequest::Save { name, file } => inner.save(name, file).await,
                ServiceRequest::Load { name } => inner.load(name).await,
                ServiceRequest::Unknown => Outcome::Failed,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bot::Pace;
    use crate::games::GAMES;
    use crate::house_bots::Key;
    use crate::net::strangers::Most;

    fn bots() -> Bots {
        Bots::new(&GAMES[0], &Key::fresh().unwrap(), Pace::NONE)
    }

    fn strangers(guesses: Allowance) -> Arc<Strangers> {
        Arc::new(Strangers::new(guesses, Most::default()))
    }

    fn services(allowance: Allowance) -> HostServices {
        HostServices::new(&GAMES[0], Arc::default(), bots(), (allowance, strangers(allowance)), None)
    }

    #[tokio::test]
    async fn one_address_makes_few_accounts_and_guesses_little() {
        let few = Allowance { most: 2, forgets: 1_000_000 };
        let services = services(few);
        let hash = |from| services.serve(ServiceRequest::Hash(b"pw".to_vec()), from);
        let Outcome::Hash(made) = hash(Some(101)).await else { panic!() };
        assert!(matches!(hash(Some(101)).await, Outcome::Hash(_)));
        assert_eq!(hash(Some(101)).await, Outcome::Limited);
        for here in ["127.0.0.1", "127.0.0.9", "::1", "::ffff:127.0.0.1"] {
            for _ in 0..4 {
                assert!(
                    matches!(hash(Some(crate::door::origin(here.parse().unwrap()))).await, Outcome::Hash(_)),
                    "{here}"
                );
            }
        }
        assert!(matches!(hash(Some(102)).await, Outcome::Hash(_)) && matches!(hash(None).await, Outcome::Hash(_)));
        let guess = |secret: &[u8]| {
            services.serve(ServiceRequest::Verify { secret: secret.into(), hash: made.clone() }, Some(101))
        };
        assert_eq!(guess(b"pw").await, Outcome::Verified(true));
        assert_eq!(guess(b"a").await, Outcome::Verified(false));
        assert_eq!(guess(b"b").await, Outcome::Verified(false));
        assert_eq!(guess(b"pw").await, Outcome::Failed);
        let figures = &services.0.strangers.figures;
        assert_eq!((figures.wrong.load(Relaxed), figures.held.load(Relaxed)), (2, 1));
    }

    #[tokio::test]
    async fn files_are_kept_by_name_and_nowhere_else() {
        let folder = std::env::temp_dir().join(format!("parlor-files-{}", std::process::id()));
        let few = Allowance { most: 1, forgets: 1 };
        let cabinet: Arc<dyn Cabinet> = Arc::new(crate::journal::Files::unlocked(&folder));
        let services = HostServices::new(&GAMES[0], Arc::default(), bots(), (few, strangers(few)), Some(cabinet));
        let save = |name: &str| services.serve(ServiceRequest::Save { name: name.into(), file: b"x".to_vec() }, None);
        let load = |name: &str| services.serve(ServiceRequest::Load { name: name.into() }, None);
        assert_eq!(load("evening").await, Outcome::Failed);
        assert_eq!(save("evening").await, Outcome::Done);
        assert_eq!(load("evening").await, Outcome::File(b"x".to_vec()));
        for name in ["", "..", "../evening", "a/b", "a.b"] {
            assert_eq!((save(name).await, load(name).await), (Outcome::Failed, Outcome::Failed), "{name}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[tokio::test]
    async fn nobody_comes_where_there_is_no_room() {
        let few = Allowance { most: 2, forgets: 1_000 };
        let services = services(few);
        assert_eq!(services.serve(ServiceRequest::Bot { game: "g".into() }, None).await, Outcome::Failed);
    }
}
