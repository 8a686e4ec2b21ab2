//! A server in this process, set up as a conversation's header asks.

use parlor_core::yard::limits::{BoardYard, HostYard};
use parlor_core::yard::server::Config;

use super::parse::Setup;
use crate::peer::{Backend, InMemory, InPieces};

impl Setup {
    /// The server's settings; an error names an option that no server has.
    pub fn config(&self) -> Result<Config, String> {
        let mut config = Config::BOARD;
        for (name, value) in &self.options {
            let short = u32::try_from(*value).map_err(|e| format!("{name}: {e}"))?;
            match name.as_str() {
                "login_timeout" => config.login_timeout = short,
                "password_pause" => config.password_pause = short,
                "deserted" => config.deserted = short,
                "rate" => config.rate = short as u16,
                "wrong_passwords" => config.wrong_passwords = short as u8,
                _ => return Err(format!("{name}: a server has no such option")),
            }
        }
        Ok(config)
    }

    /// A server that receives what is sent to it in pieces of at most `piece` bytes.
    pub fn in_memory(&self, piece: usize) -> Result<Box<dyn Backend>, String> {
        let config = self.config()?;
        Ok(if self.host {
            let mut server = Box::new(HostYard::new());
            server.begin(&self.seed, &config);
            Box::new(InPieces { memory: InMemory::new(*server), piece })
        } else {
            let mut server = BoardYard::new();
            server.begin(&self.seed, &config);
            Box::new(InPieces { memory: InMemory::new(server), piece })
        })
    }
}
