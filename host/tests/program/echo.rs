//! Echo over tokio; `tests/tests/suite/echo.rs` asks the same of the core in memory, `tests/run firmware-boot` of a board.

use std::net::SocketAddr;
use std::sync::Arc;

use parlor::net::{GameServices, Origin, Outcome, ServiceFuture, ServiceRequest, TableDriver, serve};
use parlor_core::echo::{Echo, TIMES};
use parlor_tests::echo;
use parlor_tests::peer::OverTcp;

const LINKS: usize = 12;
type Table = Echo<LINKS, 4096>;

/// Hashes by turning round.
struct Reversed;

impl GameServices for Reversed {
    fn serve(&self, request: ServiceRequest, _: Origin) -> ServiceFuture {
        Box::pin(async move {
            match request {
                ServiceRequest::Hash(secret) => Outcome::Hash(secret.into_iter().rev().collect()),
                _ => Outcome::Failed,
            }
        })
    }
}

/// The adapter on a port of its own, in a runtime that ends with the test.
fn over_tcp(
    prepare: impl FnOnce(TableDriver<Table>) -> TableDriver<Table>,
) -> (tokio::runtime::Runtime, OverTcp, Arc<TableDriver<Table>>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    let shared = Arc::new(prepare(TableDriver::new(Box::new(Table::new()), LINKS).with_services(Arc::new(Reversed))));
    runtime.spawn(serve(listener, shared.clone()));
    (runtime, OverTcp(address), shared)
}

macro_rules! promises {
    ($($promise:ident ( $($argument:expr),* );)*) => {
        $( #[test] fn $promise() {
            let (_runtime, mut backend, _) = over_tcp(|shared| shared);
            echo::$promise(&mut backend $(, $argument)*);
        } )*
    };
}

promises! {
    everybody_hears_what_is_for_them();
    frames_may_come_in_any_pieces();
    the_adapter_does_what_is_asked();
    the_last_word_arrives();
    a_slot_is_used_again(100);
    nobody_waits_for_a_slow_reader(8, 6_000);
    a_dump_that_is_run_over_begins_anew(TIMES);
}

#[test]
fn output_is_held_until_released() {
    let (_runtime, mut backend, shared) = over_tcp(TableDriver::holding);
    echo::output_is_held_until_released(&mut backend, || shared.release());
}
