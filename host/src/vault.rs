//! Passwords, hashed: argon2id with a salt from the operating system, away from the threads that serve games.
//!
//! Few are hashed at once, so that logins never take all memory; the rest wait in line, and when the line is long they
//! are told to try again. From one address only a few stand in that line, the others wait behind them, and after a
//! crowd's first logins they come at a walking pace: a client that logs in without end waits for itself, and takes a
//! fortieth of a processor from the games. A login that is given up, as its connection is gone, costs nothing. A login
//! of a new name and one with a wrong password cost the same work. It is done on threads that get idle processors alone
//! (`Rank::Idle`): one that hashes for a login is a game's as soon as a player moves. On a machine where nothing is
//! left over a login would wait for ever, so one that was not done soon is done once more by a thread that has a share
//! (`Rank::Low`).
//!
//! What can never happen here: a password in a log, a comparison that stops at the first difference, a hash that asks for
//! more memory than ours do.

use std::collections::HashMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use argon2::{Algorithm, Argon2, Block, Params, Version};
use parlor_core::throttle::Allowance;
use rustix::process::setpriority_process;
use thread_priority::{
    NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy, thread_native_id,
};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::{sleep, timeout};

use crate::net::strangers::{ANOTHER_TRY, Count};
use crate::net::{Origin, Outcome};

/// Memory in KB, passes and lanes: the least memory that is still advised, for machines that have little.
const COST: Cost = Cost { memory: 7 * 1024, passes: 5, lanes: 1 };
/// Hashed at the same time at most; never on more than half of the cores.
const AT_ONCE: usize = 4;
/// How far a thread of low rank stands back, in the system's nice values: it has about a tenth of a processor that others
/// want all of.
const NICE: i32 = 10;
/// A login not served by then by a thread of idle rank is served by one of low rank.
const SOON: Duration = Duration::from_millis(250);
/// Logins waiting or being hashed at most; more are refused.
const IN_LINE: usize = 512;
/// Logins of one address that stand in line, and that wait in all.
const BY_ADDRESS: (usize, usize) = (2, 64);
/// Logins of one address that are hashed as they come, and after how many milliseconds one more is.
const PACE: Allowance = Allowance { most: 100, forgets: 1_000 };
/// The first byte of every hash: which form it has.
const FORM: u8 = 1;
const SALT: usize = 16;
const SUM: usize = 32;
/// 1 /* form */ + 4 /* memory */ + 1 /* passes */ + 1 /* lanes */ + salt + sum: less than the 64 bytes there are.
const LENGTH: usize = 7 + SALT + SUM;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cost {
    memory: u32,
    passes: u8,
    lanes: u8,
}

impl Cost {
    /// `None`: it can't be done, or is more than ours.
    fn sum(self, secret: &[u8], salt: &[u8], blocks: &mut Vec<Block>) -> Option<[u8; SUM]> {
        if self.memory > COST.memory || self.passes > COST.passes || self.lanes > COST.lanes {
            return None;
        }
        let params = Params::new(self.memory, self.passes.into(), self.lanes.into(), Some(SUM)).ok()?;
        blocks.resize(params.block_count(), Block::default());
        let mut sum = [0; SUM];
        let hasher = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        hasher.hash_password_into_with_memory(secret, salt, &mut sum, blocks).ok()?;
        Some(sum)
    }
}

/// What a thread that hashes has of the processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rank {
    /// What no other thread wants. Any other thread that wakes up has the processor at once, where one that is only
    /// nice keeps it for a slice.
    Idle,
    /// A small share, and slices.
    Low,
}

impl Rank {
    /// For the calling thread, for good. Where the system does not let it, it is like others.
    fn take(self) {
        let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
        match self {
            Self::Idle => _ = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, idle),
            // Without a number it is about the calling thread, as Linux has it.
            Self::Low => _ = setpriority_process(None, NICE),
        }
    }
}

/// Makes and checks hashes.
pub struct Vault {
    line: Arc<Semaphore>,
    turns: Arc<Semaphore>,
    /// Threads of idle rank that there may be: those that were overtaken are at it still.
    idlers: Arc<Semaphore>,
    pace: Count,
    addresses: Mutex<HashMap<Origin, Address>>,
    bench: Bench,
}

/// Where it is done.
#[derive(Clone, Default)]
struct Bench {
    /// The memory of earlier jobs, for the next: were it given back, every thread that ever hashed would keep some.
    memory: Arc<Mutex<Vec<Vec<Block>>>>,
    figures: Arc<Figures>,
}

impl Bench {
    fn take(&self) -> Vec<Block> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn give_back(&self, blocks: Vec<Block>) {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).push(blocks);
    }
}

/// Something to hash, for one thread or for two.
struct Job<W> {
    work: W,
    bench: Bench,
    is_done: AtomicBool,
}

impl<W> Job<W> {
    /// Begins it on a thread of its own: one that has stood back may not come forward again, so it is used for no other
    /// job. The thread gives its permits back before it tells what came of it.
    fn begin<T: Send + 'static>(
        self: Arc<Self>,
        rank: Rank,
        permits: impl Send + 'static,
    ) -> std::io::Result<oneshot::Receiver<T>>
    where
        W: Fn(&mut Vec<Block>) -> T + Send + Sync + 'static,
    {
        let (tell, told) = oneshot::channel();
        std::thread::Builder::new().name("password".into()).spawn(move || {
            rank.take();
            let mut blocks = self.bench.take();
            let done = (self.work)(&mut blocks);
            self.bench.give_back(blocks);
            if !self.is_done.swap(true, Relaxed) {
                self.bench.figures.hashed.fetch_add(1, Relaxed);
            }
            drop(permits);
            let _ = tell.send(done);
        })?;
        Ok(told)
    }
}

#[derive(Default)]
pub struct Figures {
    /// Passwords that were hashed, still waited for or not.
    pub hashed: AtomicU64,
    /// Passwords that wait for it, or are at it.
    pub waiting: AtomicU64,
}

/// The logins of one address that wait.
struct Address {
    /// For a place in line.
    places: Arc<Semaphore>,
    count: usize,
}

/// One of them, until it has left.
struct Waiting<'v>(&'v Vault, Origin);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut addresses = self.0.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(address) = addresses.get_mut(&self.1) {
            address.count = address.count.saturating_sub(1);
            self.0.bench.figures.waiting.fetch_sub(1, Relaxed);
            if address.count == 0 {
                addresses.remove(&self.1);
            }
        }
    }
}

impl Default for Vault {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let [turns, idlers] = [(); 2].map(|()| Arc::new(Semaphore::new((cores / 2).clamp(1, AT_ONCE))));
        let (line, pace) = (Arc::new(Semaphore::new(IN_LINE)), Count::new(PACE));
        Self { line, turns, idlers, pace, addresses: Mutex::default(), bench: Bench::default() }
    }
}

impl Vault {
    /// What it does is counted there.
    pub fn counted(figures: Arc<Figures>) -> Self {
        Self { bench: Bench { figures, ..Bench::default() }, ..Self::default() }
    }

    /// The hash of a secret, with its salt, for a client from there.
    pub async fn hash(&self, secret: Vec<u8>, from: Origin) -> Outcome {
        let made = self.work(from, move |bench| hash(&secret, bench)).await;
        made.flatten().map_or(Outcome::Failed, |hash| Outcome::Hash(hash.into()))
    }

    /// Whether the hash is the secret's.
    pub async fn verify(&self, secret: Vec<u8>, hash: Vec<u8>, from: Origin) -> Outcome {
        let checked = self.work(from, move |bench| verify(&secret, &hash, bench)).await;
        checked.map_or(Outcome::Failed, Outcome::Verified)
    }

    /// One more login waits from there; `None`: too many do.
    fn wait(&self, from: Origin) -> Option<(Waiting<'_>, Arc<Semaphore>)> {
        let (in_line, most) = BY_ADDRESS;
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Address { places: Arc::new(Semaphore::new(in_line)), count: 0 };
        let address = addresses.entry(from).or_insert_with(new);
        if address.count >= most {
            return None;
        }
        address.count += 1;
        self.bench.figures.waiting.fetch_add(1, Relaxed);
        Some((Waiting(self, from), address.places.clone()))
    }

    /// Does the work when it has its turn. `None`: too many wait.
    async fn work<T, W>(&self, from: Origin, work: W) -> Option<T>
    where
        T: Send + 'static,
        W: Fn(&mut Vec<Block>) -> T + Send + Sync + 'static,
    {
        let (_waiting, places) = self.wait(from)?;
        let of_address = places.acquire_owned().await.ok()?;
        while !self.pace.take(from) {
            sleep(ANOTHER_TRY).await;
        }
        let place = self.line.clone().try_acquire_owned().ok()?;
        let turn = self.turns.clone().acquire_owned().await.ok()?;
        let permits = (turn, place, of_address);
        let job = Arc::new(Job { work, bench: self.bench.clone(), is_done: AtomicBool::new(false) });
        // A thread of idle rank takes nothing from others: a login that stops waiting makes room for the next at once.
        if let Ok(idler) = self.idlers.clone().try_acquire_owned() {
            let told = job.clone().begin(Rank::Idle, idler).ok()?;
            if let Ok(done) = timeout(SOON, told).await {
                return done.ok();
            }
        }
        // The permits go where the work goes: a login that stops waiting from now on does not make room for another.
        job.begin(Rank::Low, permits).ok()?.await.ok()
    }
}

fn hash(secret: &[u8], bench: &mut Vec<Block>) -> Option<[u8; LENGTH]> {
    let mut salt = [0; SALT];
    getrandom::fill(&mut salt).ok()?;
    let sum = COST.sum(secret, &salt, bench)?;
    let mut hash = [0; LENGTH];
    let parts = [&[FORM][..], &COST.memory.to_le_bytes(), &[COST.passes, COST.lanes], &salt, &sum];
    hash.iter_mut().zip(parts.into_iter().flatten()).for_each(|(to, byte)| *to = *byte);
    Some(hash)
}

fn verify(secret: &[u8], hash: &[u8], bench: &mut Vec<Block>) -> bool {
    let Some((cost, salt, sum)) = read(hash) else { return false };
    // Every byte is looked at, whatever the others were.
    cost.sum(secret, salt, bench)
        .is_some_and(|made| made.iter().zip(sum).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0)
}

/// The parts of a hash.
fn read(hash: &[u8]) -> Option<(Cost, &[u8], &[u8])> {
    let (&[form, a, b, c, d, passes, lanes], rest) = hash.split_first_chunk()?;
    let (salt, sum) = rest.split_at_checked(SALT)?;
    let cost = Cost { memory: u32::from_le_bytes([a, b, c, d]), passes, lanes };
    (form == FORM && sum.len() == SUM).then_some((cost, salt, sum))
}

#[cfg(test)]
mod tests {
    use thread_priority::thread_schedule_policy;

    use super::*;

    #[test]
    fn a_hash_is_known_by_its_secret_alone() {
        let bench = &mut Vec::new();
        let made = hash(b"secret", bench).unwrap();
        assert!(made.len() <= parlor_core::yard::server::HASH_MAX);
        assert!(verify(b"secret", &made, bench));
        assert!(!verify(b"Secret", &made, bench) && !verify(b"", &made, bench));
        assert_ne!(hash(b"secret", bench).unwrap(), made, "another salt");
        for at in 0..made.len() {
            let mut bad = made;
            bad[at] ^= 1;
            assert!(!verify(b"secret", &bad, bench), "byte {at}");
            assert!(!verify(b"secret", &made[..at], bench));
        }
    }

    #[test]
    fn a_hash_that_asks_for_much_is_not_made() {
        let (mut made, bench) = (hash(b"secret", &mut Vec::new()).unwrap(), &mut Vec::new());
        made[4] = 0xff;
        assert!(!verify(b"secret", &made, bench) && bench.is_empty());
    }

    /// The example of RFC 9106, but for the secret and data that we have none of, can't be had through this interface:
    /// this one is from the reference program, `echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 32`.
    #[test]
    fn the_sum_is_the_published_one() {
        let params = Params::new(65_536, 2, 1, Some(SUM)).unwrap();
        let mut sum = [0; SUM];
        let mut blocks = vec![Block::default(); params.block_count()];
        let hasher = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        hasher.hash_password_into_with_memory(b"password", b"somesalt", &mut sum, &mut blocks).unwrap();
        assert_eq!(sum[..8], [0x09, 0x31, 0x61, 0x15, 0xd5, 0xcf, 0x24, 0xed]);
    }

    #[tokio::test]
    async fn a_long_line_is_not_joined() {
        let vault = Vault::default();
        let _all = vault.line.clone().acquire_many_owned(IN_LINE as u32).await.unwrap();
        assert_eq!(vault.hash(b"secret".to_vec(), None).await, Outcome::Failed);
    }

    #[tokio::test]
    async fn one_address_waits_for_itself() {
        let vault = Vault::default();
        // All turns are taken: a new login stands in line.
        let all = vault.turns.available_permits() as u32;
        let turns = vault.turns.clone().acquire_many_owned(all).await.unwrap();
        let mut many: Vec<_> = (0..=BY_ADDRESS.1).map(|_| Box::pin(vault.hash(b"a".to_vec(), Some(1)))).collect();
        let mut refused = 0;
        for asked in &mut many {
            let polled = futures_util::future::poll_immediate(asked.as_mut()).await;
            refused += usize::from(polled == Some(Outcome::Failed));
        }
        assert_eq!((refused, IN_LINE - vault.line.available_permits()), (1, BY_ADDRESS.0));
        // A login that is given up makes room, and takes no time.
        drop(many);
        assert!(vault.line.available_permits() == IN_LINE && vault.addresses.lock().unwrap().is_empty());
        drop(turns);
        assert!(matches!(vault.hash(b"a".to_vec(), Some(2)).await, Outcome::Hash(_)));
    }

    fn is_idle() -> bool {
        thread_schedule_policy() == Ok(ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle))
    }

    #[tokio::test]
    async fn games_come_first_and_a_login_on_a_busy_machine_is_done_once_more() {
        let vault = Vault { idlers: Arc::new(Semaphore::new(1)), ..Vault::default() };
        let job = Job { work: |_: &mut _| is_idle(), bench: vault.bench.clone(), is_done: AtomicBool::new(false) };
        assert_eq!(Arc::new(job).begin(Rank::Idle, ()).unwrap().await, Ok(true));
        // As if nothing were left over for threads of idle rank.
        let never = Arc::new(std::sync::Barrier::new(2));
        let stuck = never.clone();
        let work = move |_: &mut Vec<Block>| {
            let is_idle = is_idle();
            if is_idle {
                stuck.wait();
            }
            is_idle
        };
        assert_eq!(timeout(Duration::from_secs(60), vault.work(None, work)).await, Ok(Some(false)));
        // It is at it still: the next need not wait for it.
        assert_eq!(vault.work(None, |_| is_idle()).await, Some(false));
        assert_eq!(vault.bench.figures.hashed.load(Relaxed), 3);
        never.wait();
        let _idler = vault.idlers.acquire().await.unwrap();
        assert_eq!(vault.bench.figures.hashed.load(Relaxed), 3, "one password, hashed twice, is counted once");
    }

    #[tokio::test]
    async fn one_address_is_slowed_down_and_no_other() {
        let vault = Vault { pace: Count::new(Allowance { most: 2, forgets: 3_600_000 }), ..Vault::default() };
        let ask = |from| timeout(Duration::from_secs(60), vault.hash(b"a".to_vec(), from));
        for _ in 0..2 {
            assert!(matches!(ask(Some(1)).await, Ok(Outcome::Hash(_))));
        }
        let mut third = Box::pin(ask(Some(1)));
        assert!(timeout(3 * ANOTHER_TRY, &mut third).await.is_err());
        // Neither another address nor this process waits for it.
        for from in [Some(2), None, None, None] {
            assert!(matches!(ask(from).await, Ok(Outcome::Hash(_))));
        }
        vault.pace.allow(Allowance { most: 3, forgets: 3_600_000 });
        assert!(matches!(third.await, Ok(Outcome::Hash(_))));
    }
}
