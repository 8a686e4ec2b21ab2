//! How conversations of Monopoly are written: messages by their names in the table of the wire.

mod exchange;
mod ledger;
mod text;

use parlor_core::pimp::limits::{BoardTable, HostTable};
use parlor_core::pimp::wire::{Direction, Flaw, Message as Frame, TABLE};

use crate::conversation::{self, Message, Reading, Runner, Told, number};
use exchange::{Exchange, Talk};
use ledger::Ledger;
use text::{Names, Value, decode, entry_of};

#[derive(Default)]
pub struct Dialect;

/// What a link's client believes.
#[derive(Default)]
pub struct Mirror {
    /// The user it speaks for, once it was welcomed.
    user: Option<u8>,
    ledger: Ledger,
}

impl conversation::Dialect for Dialect {
    type Board = BoardTable;
    type Host = HostTable;
    const SCRIPTED: &'static [&'static str] = &["dice", "chance", "chest"];
    const CALM: &'static [&'static str] = &["rate", "claim_grace", "vote_pause"];
    const SILENT: &'static [(&'static str, &'static str)] =
        &[("CARD_COLLECT_OR_RETRY", "no card of board 0 leaves a choice; it is the British \"fine or Chance\" card")];

    type Wire = Names;
    type Exchange = Exchange;
    type Mirror = Mirror;

    fn scripted(key: &str, value: &str) -> Told<Vec<u8>> {
        if key != "dice" {
            return value.split_whitespace().map(|card| Ok(0x80 + number::<u8>(card)?)).collect();
        }
        let throw = |throw: &str| {
            let dice: Vec<u8> = throw.split_whitespace().filter_map(|die| die.parse().ok()).collect();
            let [a @ 1..=6, b @ 1..=6] = dice[..] else { return Err(format!("{throw}: two dice, please")) };
            Ok(a << 4 | b)
        };
        value.split(',').map(throw).collect()
    }

    fn exchange(line: &str) -> Told<Option<Exchange>> {
        Exchange::parse(line)
    }
    fn hold(runner: &mut Runner<'_, Self>, exchange: &Exchange) -> Told {
        Talk(runner).hold(exchange)
    }
    fn has_joined(mirror: &Mirror) -> bool {
        mirror.user.is_some()
    }
    fn end(runner: &mut Runner<'_, Self>) -> Told {
        Talk(runner).adds_up()
    }

    /// Learns names and passwords, and what the link's client now believes.
    fn note(runner: &mut Runner<'_, Self>, link: usize, frame: &[u8]) {
        let (names, link) = (&mut runner.wire, &mut runner.links[link]);
        link.mirror.ledger.add(frame);
        let entry = entry_of(frame[0]);
        let values = entry.and_then(|entry| decode(entry, &frame[2..])).unwrap_or_default();
        match (entry.map(|entry| entry.name), &values[..]) {
            (Some("WELCOME_DETAILS"), [Value::Number(id), Value::Number(password)]) => {
                link.mirror.user = Some(*id as u8);
                names.users.insert(link.name.clone(), *id as u8);
                names.bound.insert(format!("{}_password", link.name), *password);
            }
            (Some("WELCOME_BACK"), [Value::Number(id), ..]) => link.mirror.user = Some(*id as u8),
            (
                Some("WELCOME_PLAYER" | "WELCOME_OBSERVER" | "STATE_PLAYER" | "STATE_OBSERVER"),
                [Value::Number(id), _, Value::Text(name), ..],
            ) => {
                let name = String::from_utf8_lossy(name).into_owned();
                if !names.users.values().any(|known| u32::from(*known) == *id) {
                    names.users.insert(name, *id as u8);
                }
            }
            _ => {}
        }
    }

    fn made() -> Vec<conversation::Made> {
        super::made::made()
    }
    fn client_data(out: &mut dyn std::io::Write, games: u8) -> Told {
        super::client_data::tell(out, games)
    }

    fn messages() -> Vec<Message> {
        let message = |entry: &parlor_core::pimp::wire::Entry| Message {
            name: entry.name.to_string(),
            by_client: matches!(entry.direction, Direction::ToServer | Direction::Either),
            by_server: entry.direction != Direction::ToServer,
        };
        TABLE.iter().map(message).collect()
    }
    fn kind(frame: &[u8], _from_client: bool) -> Option<String> {
        frame.first().and_then(|code| entry_of(*code)).map(|entry| entry.name.to_string())
    }
    fn read(frame: &[u8], from_client: bool) -> Reading {
        let [code, _, payload @ ..] = frame else { return Reading::Unknown };
        let read = if from_client { Frame::from_client(*code, payload) } else { Frame::from_server(*code, payload) };
        match read {
            Ok(message) => {
                let mut fields = Vec::new();
                message.each_field(&mut |name, bytes| fields.extend(values(name, bytes)));
                Reading::Message(entry_of(*code).map(|entry| entry.name.to_string()).unwrap_or_default(), fields)
            }
            Err(Flaw::Unknown(_)) => Reading::Unknown,
            Err(_) => Reading::Flawed(entry_of(*code).map(|entry| entry.name.to_string()).unwrap_or_default()),
        }
    }
}

/// A field's bytes by the names that the protocol's description has for them.
fn values(name: &str, bytes: &[u8]) -> Vec<(String, String)> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    if name != "lots" {
        return vec![(name.to_string(), hex(bytes))];
    }
    let parts = ["lots.property", "lots.houses", "lots.hotels"].into_iter().cycle();
    parts.zip(&bytes[1..]).map(|(part, byte)| (part.to_string(), hex(&[*byte]))).collect()
}
