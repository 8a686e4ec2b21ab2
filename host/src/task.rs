//! Tasks of the runtime, all of one type: what the runtime does around a task is compiled once for all of them, and not once
//! for each (BENCHMARKS.md, "Building it").

use std::future::Future;
use std::pin::Pin;

use tokio::task::JoinHandle;

pub type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

pub fn boxed(task: impl Future<Output = ()> + Send + 'static) -> Task {
    Box::pin(task)
}

/// As `tokio::spawn`.
pub fn spawn(task: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    tokio::spawn(boxed(task))
}
