//! Monopoly among people who say anything: whole frames of any code, and seats that are taken and kept.

use parlor_core::pimp::limits::BoardTable;
use parlor_core::pimp::server::Config;
use parlor_core::pimp::wire::FRAME_MAX;

use crate::script::{LINKS, Run, Speaker};

/// What each connection was told when it was let in: its id and its password.
#[derive(Default)]
pub struct Pimp([(u8, [u8; 4]); LINKS]);

impl Speaker for Pimp {
    type Game = BoardTable;

    fn config(options: u8) -> Config {
        let mut config = Config { rate: 0, claim_grace: 0, vote_pause: 0, ..Config::DEFAULT };
        config.rules.debt_blocks_roll = options & 1 == 0;
        config.rules.estate_to_creditor = options & 2 == 0;
        config.rules.bail_ends_turn = options & 4 != 0;
        config.rules.pot = (options & 8 == 0).then_some(100);
        config.ping_interval = if options & 16 == 0 { 0 } else { 5_000 };
        config.rate = if options & 32 == 0 { 0 } else { 32 };
        config
    }

    /// Shakes hands, and asks to join or to come back.
    fn enter(run: &mut Run<'_, Self>, at: usize, how: u8) {
        frame(run, at, 0x00, &[1]);
        let (id, [a, b, c, d]) = run.speaker.0[at];
        if how & 1 == 0 || id == 0 {
            frame(run, at, 0x02, &[how >> 4, how >> 1 & 1 ^ 1, 2, b'a', b'a' + at as u8]);
        } else {
            frame(run, at, 0x0A, &[id, a, b, c, d]);
        }
    }

    fn speak(run: &mut Run<'_, Self>, at: usize, _kind: u8, how: u8) {
        let length = usize::from(run.byte() % 12);
        let payload = run.bytes(length);
        frame(run, at, how, payload);
    }

    /// Whole frames only; WELCOME_DETAILS is kept.
    fn read(&mut self, at: usize, mut bytes: &[u8]) {
        while let [code, length, rest @ ..] = bytes {
            let (payload, later) = rest.split_at(usize::from(*length));
            if let (0x03, [id, a, b, c, d]) = (*code, payload) {
                self.0[at] = (*id, [*a, *b, *c, *d]);
            }
            bytes = later;
        }
        assert!(bytes.is_empty(), "a frame was cut in two");
    }

    fn audit(table: &BoardTable) {
        table.game().audit().unwrap();
    }
}

fn frame(run: &mut Run<'_, Pimp>, at: usize, code: u8, payload: &[u8]) {
    let mut frame = [0; FRAME_MAX];
    let n = payload.len().min(254);
    frame[0] = code;
    frame[1] = n as u8;
    frame[2..2 + n].copy_from_slice(&payload[..n]);
    run.send(at, &frame[..2 + n]);
}
