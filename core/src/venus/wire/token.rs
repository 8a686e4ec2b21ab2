//! A token on the wire: the document's 17 fields and its age, separated by `|` (venus 2.3). They are built from the
//! figures of the catalogue and read back by comparing with what would be built.

use core::fmt::{self, Write};

use crate::venus::pieces::{Age, Culture, Gear, Named, Relic, Token};
use crate::venus::tokens::{Class, put_all, put_number};

/// A token as it is written on the wire: 18 fields, or 17 without an age.
pub fn write(Named { token, age }: Named, out: &mut impl Write) -> fmt::Result {
    write_fields(token, out)?;
    match age {
        Some(age) => put_all(out, ["|", age.name()]),
        None => Ok(()),
    }
}

/// The token that is written exactly like this.
pub fn read(text: &str) -> Option<Named> {
    Token::all().find_map(|token| {
        let mut rest = Matching(text);
        write_fields(token, &mut rest).ok()?;
        let age = match rest.0 {
            "" => None,
            "|old" => Some(Age::Old),
            "|new" => Some(Age::New),
            _ => return None,
        };
        Some(Named { token, age })
    })
}

/// What is left of a text once all that was written has been found at its front; an error at the first difference.
struct Matching<'a>(&'a str);

impl Write for Matching<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(text).ok_or(fmt::Error)?;
        Ok(())
    }
}

/// The wire's 17 fields of the document, separated by `|`.
fn write_fields(token: Token, out: &mut impl Write) -> fmt::Result {
    token.write_name(out)?;
    put_all(out, ["|", token.class().name(), "|"])?;
    put_number(out, token.buy())?;
    out.write_str("|")?;
    put_number(out, token.sell())?;
    let (pay, goes) = match token.class() {
        Class::Ship | Class::Equip | Class::Drive | Class::Iou => ("barter", "nowhere"),
        Class::Relic => ("barter", "culture"),
        Class::Good | Class::Fare => ("cash", "cup"),
        Class::Demand => ("none", "cup"),
        Class::Deed => ("none", "nowhere"),
    };
    let made = if matches!(token, Token::FactoryGood(_)) { "fg" } else { "notfg" };
    let supply = if token.is_unlimited() { "unlimited" } else { "limited" };
    put_all(out, ["|", pay, "|", goes, "|", made, "|", supply, "|"])?;
    write_buyers(token, out)?;
    let deed = match token {
        Token::FactoryDeed(_) => "factory",
        Token::PortDeed(_) => "spaceport",
        _ => "notdeed",
    };
    let is_shield = matches!(token, Token::Gear(Gear::Shield) | Token::Relic(Relic::Shield));
    let shots = if token == Token::Gear(Gear::Novaball) { "disposable" } else { "reusable" };
    let [defence, attack] = [is_shield, token.is_weapon()].map(|has| if has { "20" } else { "0" });
    let source = token.source().map_or("", Culture::id);
    put_all(out, ["|", source, "|", deed, "|", defence, "|", attack, "|", shots, "|", colours(token), "|"])?;
    let (dice, holds) = if let Token::Ship(ship) = token { (ship.dice(), ship.half_holds()) } else { (0, 0) };
    put_number(out, u16::from(dice))?;
    out.write_str("|")?;
    put_number(out, u16::from(holds))
}

/// The colours that it makes free: `Y`, `R` or both.
const fn colours(token: Token) -> &'static str {
    match token {
        Token::Gear(Gear::YellowDrive) | Token::Relic(Relic::YellowDrive) => "Y",
        Token::Gear(Gear::RedDrive) => "R",
        Token::Gear(Gear::CombinedDrive) => "YR",
        _ => "",
    }
}

/// In the order of cultures, beginning behind the one that it comes from.
fn write_buyers(token: Token, out: &mut impl Write) -> fmt::Result {
    let buyers = token.buyers();
    let first = token.source().map_or(0, |source| source.index() + 1);
    let order = Culture::ALL.iter().cycle().skip(first).take(Culture::COUNT);
    let mut separator = "";
    for culture in order.filter(|culture| buyers.contains(**culture)) {
        put_all(out, [separator, culture.id()])?;
        separator = "?";
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;
    use std::vec::Vec;

    /// All encodings, as a table of the facts has them: `kind,key,encoding`.
    const ENCODINGS: &str = include_str!("../../../../tests/data/venus/tokens.csv");

    fn written(named: Named) -> String {
        let mut text = String::new();
        write(named, &mut text).unwrap();
        text
    }

    #[test]
    fn every_token_is_written_as_the_table_has_it() {
        let rows: Vec<&str> = ENCODINGS.lines().skip(1).collect();
        assert_eq!(rows.len(), Token::COUNT);
        for (token, row) in Token::all().zip(rows) {
            let [kind, _, encoding] = row.split(',').collect::<Vec<_>>()[..] else { panic!("{row}") };
            assert_eq!(written(Named { token, age: Some(Age::Old) }), encoding);
            assert_eq!((token.class().name(), encoding.split('|').count()), (kind, 18));
        }
    }

    #[test]
    fn every_token_is_read_again_and_nothing_else() {
        for token in Token::all() {
            for age in [None, Some(Age::Old), Some(Age::New)] {
                let text = written(Named { token, age });
                assert_eq!(read(&text), Some(Named { token, age }));
                assert!(text.len() <= 134, "{text}");
            }
            let text = written(Named { token, age: Some(Age::New) });
            for odd in [&text[..text.len() - 1], &text[1..], &std::format!("{text}|"), &text.replace("new", "New")] {
                assert_eq!(read(odd), None, "{odd}");
            }
        }
        assert_eq!((read(""), read("Scout"), read("|")), (None, None, None));
    }
}
