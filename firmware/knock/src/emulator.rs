//! An image in QEMU, for as long as the value lives.

use std::error::Error;
use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::door::BOOT;
use crate::pimp;

pub struct Emulator {
    child: Child,
    pub port: u16,
    log: PathBuf,
}

impl Emulator {
    /// Boots `elf` by the board's `run` with these options; `name` tells its log from others. It is answering when this
    /// returns.
    pub fn boot(run: &Path, elf: &Path, name: &str, options: &[String]) -> Result<Self, Box<dyn Error>> {
        // Somebody may take the port before QEMU does: then QEMU ends at once, and nobody answers.
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let log = std::env::temp_dir().join(format!("parlor-{}-{name}.log", std::process::id()));
        let file = File::create(&log)?;
        let child = Command::new(run)
            .arg(elf)
            .env("PARLOR_PIMP_PORT", port.to_string())
            .env("PARLOR_ARGS", options.join(" "))
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file)
            .spawn()?;
        let emulator = Self { child, port, log };
        drop(pimp::door(port).guest(BOOT).map_err(|error| format!("no answer: {error}\n{}", emulator.log()))?);
        // The link that answered is free again.
        sleep(Duration::from_millis(100));
        Ok(emulator)
    }

    /// What the board has logged.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // `run` has become QEMU: this is its id.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_file(&self.log);
    }
}
