//! The one program a PC user runs.

use std::process::ExitCode;

use parlor::cli::{self, Command};

fn main() -> ExitCode {
    let command = match cli::read(std::env::args_os()) {
        Ok(command) => command,
        Err(exit) => return exit.tell(),
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return cli::Exit::fault(format!("can't start: {error}")).tell(),
    };
    let outcome = runtime.block_on(async {
        match command {
            #[cfg(feature = "cluster")]
            Command::Serve(args) if args.cluster.cluster.is_some() => parlor::cluster::serve::run(*args).await,
            Command::Serve(args) => parlor::serve::run(*args).await,
            Command::Bot(args) => parlor::bot::run(args).await,
            Command::Status(args) => parlor::status::run(args).await,
            Command::Drain(args) => parlor::status::drain(args).await,
            Command::Admin(args) => parlor::operator::run(args).await,
            Command::Replay(args) => parlor::replay::run(&args),
            Command::Inspect(args) => parlor::inspect::run(args).await,
            Command::BadWire(args) => parlor::bad_wire::run(args).await,
            Command::Dissector(_) => {
                print!("{}", parlor::dissector::lua());
                Ok(())
            }
        }
    });
    // A link that is still being written to must not keep the process alive.
    runtime.shutdown_background();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(exit) => exit.tell(),
    }
}
