//! A table in this process, set up as a conversation's header asks.

use parlor_core::pimp::limits::{BoardTable, HostTable};
use parlor_core::pimp::server::{Config, Table};
use parlor_core::server::Millis;

use super::parse::{Limits, Setup};
use crate::peer::{Backend, InMemory, InPieces};

impl Setup {
    /// The settings of the table; an error names an option that no table has.
    pub fn config(&self) -> Result<Config, String> {
        let mut config = Config::DEFAULT;
        self.options.iter().try_for_each(|(name, value)| set(&mut config, name, *value))?;
        Ok(config)
    }

    /// A table that receives what is sent to it in pieces of at most `piece` bytes.
    pub fn in_memory(&self, piece: usize) -> Result<Box<dyn Backend>, String> {
        let config = self.config()?;
        Ok(match self.limits {
            Limits::Any | Limits::Board => seat(BoardTable::new(), &self.seed, &config, piece),
            Limits::Host => seat(HostTable::new(), &self.seed, &config, piece),
        })
    }
}

fn seat<const USERS: usize, const LINKS: usize, const RING: usize>(
    table: Table<USERS, LINKS, RING>,
    seed: &[u8; 32],
    config: &Config,
    piece: usize,
) -> Box<dyn Backend> {
    let memory = InMemory::new(table);
    {
        let mut harness = memory.0.borrow_mut();
        let now: Millis = harness.now;
        harness.server.begin(seed, config, now);
    }
    Box::new(InPieces { memory, piece })
}

fn set(config: &mut Config, name: &str, value: u64) -> Result<(), String> {
    let short = u32::try_from(value).map_err(|e| format!("{name}: {e}"))?;
    let byte = value.min(255) as u8;
    match name {
        "pot" => config.rules.pot = (value > 0).then_some(short),
        "double_go" => config.rules.double_go = value > 0,
        "lap_before_buy" => config.rules.lap_before_buy = value > 0,
        "estate_to_creditor" => config.rules.estate_to_creditor = value > 0,
        "bail_ends_turn" => config.rules.bail_ends_turn = value > 0,
        "debt_blocks_roll" => config.rules.debt_blocks_roll = value > 0,
        "termites" => config.rules.termites = byte,
        "vote_timeout" => config.vote_timeout = short,
        "vote_pause" => config.vote_pause = short,
        "ping_interval" => config.ping_interval = short,
        "ping_timeout" => config.ping_timeout = short,
        "auction_timeout" => config.auction_timeout = short,
        "claim_grace" => config.claim_grace = short,
        "presence" => config.presence = short,
        "silence" => config.silence = short,
        "join_timeout" => config.join_timeout = short,
        "deserted" => config.deserted = short,
        "farewell" => config.farewell = short,
        "password_pause" => config.password_pause = short,
        "dump_pause" => config.dump_pause = short,
        "rate" => config.rate = short as u16,
        "wrong_passwords" => config.wrong_passwords = byte,
        "refusals" => config.refusals = byte,
        "ascii_names" => config.ascii_names = value > 0,
        "max_players" => config.max_players = byte,
        _ => return Err(format!("{name}: a table has no such option")),
    }
    Ok(())
}
