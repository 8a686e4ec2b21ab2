//! What the page needs of core's map.

use std::fmt::Write as _;

use parlor_core::yard::map::places::{CANVAS, place};
use parlor_core::yard::map::{Line, STARTS, Station};
use parlor_core::yard::pieces::{Pawn, Ticket};
use parlor_core::yard::rules::{LAST_TURN, is_reveal};

use crate::conversation::Made;

pub(super) fn made() -> Vec<Made> {
    vec![("host/web/yard/map.js", map())]
}

/// The board: where stations are drawn, and each link once.
fn map() -> String {
    let mut text = "// Made from core's map by `cargo run -p parlor-tests --bin messages`; do not edit.\n".to_string();
    let pawns: Vec<&str> = Pawn::ALL.map(Pawn::name).to_vec();
    let tickets: Vec<&str> = Ticket::ALL.map(Ticket::name).to_vec();
    let reveals: Vec<u8> = (1..=LAST_TURN).filter(|turn| is_reveal(*turn)).collect();
    let starts: Vec<u8> = STARTS.iter().map(|start| start.number()).collect();
    _ = writeln!(text, "export const PAWNS = {pawns:?};\nexport const TICKETS = {tickets:?};");
    _ = writeln!(text, "export const LAST_TURN = {LAST_TURN};\nexport const REVEALS = {reveals:?};");
    _ = writeln!(text, "export const STARTS = {starts:?};\nexport const CANVAS = [{}, {}];", CANVAS.0, CANVAS.1);
    let places: Vec<String> = Station::all().map(place).map(|(x, y)| base_36(x) + &base_36(y)).collect();
    let head = "// x and y of station 1 and so on, each in two digits to the base of 36";
    _ = writeln!(text, "{head}\nexport const PLACES = `{}`;", rows(&places, " ").replace(' ', ""));
    _ = writeln!(text, "// of station 1 and so on: how much higher the stations are that its lines lead to");
    _ = writeln!(text, "export const LINKS = {{");
    for (line, name) in Line::ALL.into_iter().zip(["taxi", "bus", "underground", "ferry"]) {
        let links: Vec<String> = Station::all().map(|from| higher_ends(from, line)).collect();
        _ = writeln!(text, "  {name}: `{}`,", rows(&links, ";"));
    }
    text + "};\n"
}

/// Two digits: the page loads them each time.
fn base_36(number: u16) -> String {
    [number / 36, number % 36].iter().filter_map(|digit| char::from_digit((*digit).into(), 36)).collect()
}

fn higher_ends(from: Station, line: Line) -> String {
    let ends = from.ends(line).filter(|to| *to > from).map(|to| (to.number() - from.number()).to_string());
    ends.collect::<Vec<_>>().join(",")
}

/// Words in lines of a readable length.
fn rows(words: &[String], between: &str) -> String {
    words.chunks(20).map(|row| row.join(between)).collect::<Vec<_>>().join(&format!("{}\n", between.trim()))
}
