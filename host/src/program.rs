//! The one program on a PC. It is all in the library: what is only polled elsewhere would be compiled there, at the
//! very end of a build, when nothing else is left to do beside it.

use std::process::ExitCode;

use crate::cli::{self, Command};

/// Does what the command line asks for.
pub fn main() -> ExitCode {
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
            Command::Serve(args) if args.cluster.cluster.is_some() => crate::cluster::serve::run(*args).await,
            Command::Serve(args) => crate::serve::run(*args).await,
            Command::Bot(args) => crate::bot::run(args).await,
            Command::Status(args) => crate::status::run(args).await,
            Command::Drain(args) => crate::status::drain(args).await,
            Command::Admin(args) => crate::operator::run(args).await,
            Command::Replay(args) => crate::replay::run(&args),
            Command::Verify(args) => crate::verify::run(args).await,
            Command::Inspect(args) => crate::inspect::run(args).await,
            Command::BadWire(args) => crate::bad_wire::run(args).await,
            Command::Dissector(_) => {
                print!("{}", crate::dissector::lua());
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
