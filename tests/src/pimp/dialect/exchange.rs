//! Short forms: exchanges that every file would repeat, each checked to the last frame.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use super::text::{Names, entry_of, words};
use super::{Dialect, Mirror};
use crate::conversation::{Link, Runner, Told, Who, Wire as _, arrow, number};

/// A table answers at most one REQUEST_STATE a second (pimp 16.6).
const DUMP_PAUSE: Duration = Duration::from_millis(1_100);

#[derive(Clone, Debug)]
pub enum Exchange {
    /// Connects, joins and votes, with the whole exchange checked.
    Join {
        names: Vec<String>,
        play: bool,
    },
    HearsDump(Who),
    /// Dice, the squares on the way and the landing.
    Moves {
        who: Who,
        player: String,
        dice: Option<(u8, u8)>,
        to: u8,
        back: bool,
    },
    Throws {
        player: String,
        dice: (u8, u8),
        to: u8,
    },
    Buys {
        player: String,
        deed: u8,
        price: u32,
    },
    /// Not bought, and nobody bids.
    Declines {
        player: String,
        deed: u8,
        price: u32,
    },
    Trade {
        first: (String, Offer),
        second: (String, Offer),
    },
    /// Puts things into an open trade, by its `$name`.
    Offers {
        from: String,
        to: String,
        trade: String,
        offer: Offer,
    },
    Cash(Vec<(String, i64)>),
}

/// What a side puts into a trade.
#[derive(Clone, Debug, Default)]
pub struct Offer {
    cash: u32,
    deeds: Vec<u8>,
    cards: Vec<u8>,
}

impl Exchange {
    pub fn parse(line: &str) -> Told<Option<Self>> {
        if let Some((who, '~', what)) = arrow(line) {
            return Self::heard(Who::parse(who), &words(what)).map(Some);
        }
        let all = words(line);
        let what: Vec<&str> = all.iter().map(String::as_str).collect();
        let name = |name: &str| name.to_string();
        Ok(Some(match what[..] {
            ["players", ..] => Self::Join { names: all[1..].to_vec(), play: true },
            ["observers", ..] => Self::Join { names: all[1..].to_vec(), play: false },
            [player, "throws", a, b, "to", to] => {
                Self::Throws { player: name(player), dice: (number(a)?, number(b)?), to: number(to)? }
            }
            [player, "buys", deed, "for", price] => {
                Self::Buys { player: name(player), deed: number(deed)?, price: number(price)? }
            }
            [player, "declines", deed, "for", price] => {
                Self::Declines { player: name(player), deed: number(deed)?, price: number(price)? }
            }
            [from, "offers", to, trade, ref rest @ ..] => {
                Self::Offers { from: name(from), to: name(to), trade: name(trade), offer: Offer::parse(rest)? }
            }
            ["trade", first, ref rest @ ..] => {
                let cut = rest.iter().position(|word| *word == "for").ok_or("trade ann … for bob …")?;
                let (gives, takes) = rest.split_at(cut);
                let [_, second, takes @ ..] = takes else { return Err(name("trade ann … for bob …")) };
                Self::Trade { first: (name(first), Offer::parse(gives)?), second: (name(second), Offer::parse(takes)?) }
            }
            ["cash", ref rest @ ..] => {
                let (pairs, []) = rest.as_chunks::<2>() else { return Err(name("cash ann 1440 bob 1560")) };
                Self::Cash(pairs.iter().map(|pair| Ok((name(pair[0]), number(pair[1])?))).collect::<Told<_>>()?)
            }
            _ => return Ok(None),
        }))
    }

    fn heard(who: Who, what: &[String]) -> Told<Self> {
        let what: Vec<&str> = what.iter().map(String::as_str).collect();
        Ok(match what[..] {
            ["dump"] => Self::HearsDump(who),
            ["move", player, a, b, "to", to] => {
                let dice = Some((number(a)?, number(b)?));
                Self::Moves { who, player: player.to_string(), dice, to: number(to)?, back: false }
            }
            [way @ ("walk" | "back"), player, "to", to] => {
                Self::Moves { who, player: player.to_string(), dice: None, to: number(to)?, back: way == "back" }
            }
            _ => return Err(format!("{}: no short form", what.join(" "))),
        })
    }
}

impl Offer {
    fn parse(words: &[&str]) -> Told<Self> {
        let mut offer = Self::default();
        for pair in words.chunks(2) {
            match *pair {
                ["cash", cash] => offer.cash = number(cash)?,
                ["deed", deed] => offer.deeds.push(number(deed)?),
                ["card", card] => offer.cards.push(number(card)?),
                _ => return Err(format!("{}: an offer is cash 5, deed 3 or card 7", pair.join(" "))),
            }
        }
        Ok(offer)
    }
}

/// A conversation of this game, being held.
pub struct Talk<'t, 'r>(pub &'t mut Runner<'r, Dialect>);

impl<'r> Deref for Talk<'_, 'r> {
    type Target = Runner<'r, Dialect>;
    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl DerefMut for Talk<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0
    }
}

impl Talk<'_, '_> {
    pub fn hold(&mut self, exchange: &Exchange) -> Told {
        match exchange {
            Exchange::Join { names, play } => names.iter().try_for_each(|name| self.join(name, *play)),
            Exchange::HearsDump(who) => self.dump(who),
            Exchange::Moves { who, player, dice, to, back } => self.moves(who, player, *dice, *to, *back),
            Exchange::Throws { player, dice, to } => {
                self.say(player, "THROW_DICE")?;
                self.moves(&Who::All, player, Some(*dice), *to, false)
            }
            Exchange::Buys { player, deed, price } => self.buys(player, *deed, *price),
            Exchange::Declines { player, deed, price } => self.declines(player, *deed, *price),
            Exchange::Trade { first, second } => self.trade(first, second),
            Exchange::Offers { from, to, trade, offer } => self.put_in(from, offer, to, trade),
            Exchange::Cash(wanted) => self.cash(wanted),
        }
    }

    /// Connects, shakes hands, asks to join, is voted in by a majority of the players, and is told the state.
    fn join(&mut self, name: &str, play: bool) -> Told {
        let me = Who::only(name);
        let before = self.players();
        let joined: Vec<String> = self
            .links
            .iter()
            .filter(|link| link.mirror.user.is_some() && link.open)
            .map(|link| link.name.clone())
            .collect();
        self.connect(name)?;
        self.say(name, "HANDSHAKE 1")?;
        self.hear(&me, "HANDSHAKE_ACKNOWLEDGE $game")?;
        self.say(name, &format!("JOIN 0 {} \"{name}\"", if play { "yes" } else { "no" }))?;
        if !joined.is_empty() {
            self.wire.bound.remove("candidate");
            self.hear(&me, "JOIN_PENDING")?;
            let query = if play { "QUERY_JOIN_PLAY" } else { "QUERY_JOIN_OBSERVE" };
            self.hear(&Who::These(joined), &format!("{query} $candidate \"{name}\""))?;
            let votes = before.len() / 2 + 1;
            before.iter().take(votes).try_for_each(|voter| self.say(voter, "ACCEPT_JOIN $candidate"))?;
        }
        self.hear(&me, &format!("WELCOME_DETAILS {name} ${name}_password"))?;
        let welcome = if play { "WELCOME_PLAYER" } else { "WELCOME_OBSERVER" };
        self.hear(&Who::All, &format!("{welcome} {name} _ \"{name}\""))?;
        if play {
            self.hear(&Who::All, &format!("DELTA_CASH bank {name} 1500"))?;
        }
        self.dump(&me)?;
        match &before[..] {
            [_] if play => self.hear(&Who::All, &format!("START_OF_TURN {name} yes")),
            [_, second, ..] => self.hear(&me, &format!("START_OF_TURN {second} yes")),
            _ => Ok(()),
        }
    }

    /// The connected players, by ascending id, as anybody's messages tell.
    fn players(&self) -> Vec<String> {
        let playing = |link: &&Link<Dialect>| {
            let Mirror { user, ledger } = &link.mirror;
            link.open && user.is_some_and(|user| ledger.cash.contains_key(&u32::from(user)))
        };
        let mut players: Vec<_> =
            self.links.iter().filter(playing).map(|link| (link.mirror.user, link.name.clone())).collect();
        players.sort();
        players.into_iter().map(|player| player.1).collect()
    }

    /// Where a player stands, as anybody's messages tell.
    fn square(&self, player: &str) -> Result<u32, String> {
        let id = self.wire.users.get(player).ok_or_else(|| format!("{player} is no user"))?;
        let known =
            self.links.iter().filter(|link| link.open).find_map(|link| link.mirror.ledger.squares.get(&u32::from(*id)));
        known.copied().ok_or_else(|| format!("nobody knows where {player} is"))
    }

    fn moves(&mut self, who: &Who, player: &str, dice: Option<(u8, u8)>, to: u8, back: bool) -> Told {
        let from = self.square(player)?;
        if let Some((a, b)) = dice {
            self.hear(who, &format!("DICE_ROLLED {player} {a} {b}"))?;
            self.hear(who, &format!("DICE_MOVED_PLAYER {player} {to} {}", a + b))?;
        }
        let step = |square: u32| if back { (square + 39) % 40 } else { (square + 1) % 40 };
        let mut square = step(from);
        while square != u32::from(to) {
            self.hear(who, &format!("PLAYER_PASSING_BY_SQUARE {player} {square}"))?;
            square = step(square);
        }
        self.hear(who, &format!("PLAYER_LANDING_ON_SQUARE {player} {to}"))
    }

    fn buys(&mut self, player: &str, deed: u8, price: u32) -> Told {
        let square = self.square(player)?;
        self.hear(&Who::All, &format!("PROPERTY_SALE {player} {deed} {price}"))?;
        self.say(player, "BUY_PROPERTY")?;
        self.hear(&Who::All, &format!("SQUARE_TAKES_CASH {player} {square} {price}"))?;
        self.hear(&Who::All, &format!("DELTA_CASH {player} bank {price}"))?;
        self.hear(&Who::All, &format!("DELTA_PROPERTY bank {player} {deed}"))
    }

    fn declines(&mut self, player: &str, deed: u8, price: u32) -> Told {
        self.hear(&Who::All, &format!("PROPERTY_SALE {player} {deed} {price}"))?;
        self.say(player, "AUCTION_PROPERTY")?;
        self.hear(&Who::All, &format!("PROPERTY_AUCTION {deed}"))?;
        for bidder in self.players() {
            self.say(&bidder, "NO_BID")?;
            self.hear(&Who::All, &format!("PROPERTY_AUCTION_NO_BID {bidder}"))?;
        }
        self.hear(&Who::All, "PROPERTY_AUCTION_VOID")
    }

    fn trade(&mut self, first: &(String, Offer), second: &(String, Offer)) -> Told {
        self.wire.bound.remove("trade");
        let (one, other) = (&first.0, &second.0);
        self.say(one, &format!("TRANSACTION_REQUEST_TRADE {other}"))?;
        self.hear(&Who::only(one), &format!("TRANSACTION_TRADE_REQUESTED $trade {other}"))?;
        self.hear(&Who::only(other), &format!("TRANSACTION_TRADE_REQUESTED $trade {one}"))?;
        self.put_in(one, &first.1, other, "$trade")?;
        self.put_in(other, &second.1, one, "$trade")?;
        for (what, done) in [("FINISH", "FINISHED"), ("AGREE", "AGREED")] {
            for (mine, theirs) in [(one, other), (other, one)] {
                self.say(mine, &format!("TRANSACTION_{what} $trade"))?;
                self.hear(&Who::only(mine), &format!("TRANSACTION_{done} $trade"))?;
                self.hear(&Who::only(theirs), &format!("TRANSACTION_OTHER_{done} $trade"))?;
            }
        }
        self.hear(&Who::These(vec![one.clone(), other.clone()]), "TRANSACTION_FINALISED $trade")?;
        let sides = [(one, &first.1, other), (other, &second.1, one)];
        for (from, offer, to) in sides.iter().filter(|(_, offer, _)| offer.cash > 0) {
            self.hear(&Who::All, &format!("DELTA_CASH {from} {to} {}", offer.cash))?;
        }
        for (from, offer, to) in &sides {
            for deed in &offer.deeds {
                self.hear(&Who::All, &format!("DELTA_PROPERTY {from} {to} {deed}"))?;
            }
        }
        for (from, offer, to) in &sides {
            for card in &offer.cards {
                self.hear(&Who::All, &format!("DELTA_CARD {from} {to} {card}"))?;
            }
        }
        Ok(())
    }

    /// Offers cash, deeds and cards, and both sides hear of each.
    fn put_in(&mut self, mine: &str, offer: &Offer, theirs: &str, trade: &str) -> Told {
        let deeds = offer.deeds.iter().map(|deed| ("ADD_PROPERTY", "PROPERTY_ADDED", u32::from(*deed)));
        let cards = offer.cards.iter().map(|card| ("ADD_CARD", "CARD_ADDED", u32::from(*card)));
        let cash = (offer.cash > 0).then_some(("SET_CASH", "CASH_SET", offer.cash));
        for (ask, told, what) in deeds.chain(cards).chain(cash) {
            self.say(mine, &format!("TRANSACTION_{ask} {trade} {what}"))?;
            self.hear(&Who::only(mine), &format!("TRANSACTION_{told} {trade} {what}"))?;
            self.hear(&Who::only(theirs), &format!("TRANSACTION_OTHER_{told} {trade} {what}"))?;
        }
        Ok(())
    }

    /// Everybody has heard that these players have this much.
    fn cash(&mut self, wanted: &[(String, i64)]) -> Told {
        for (player, cash) in wanted {
            let id = self.wire.users.get(player).ok_or_else(|| format!("{player} is no user"))?;
            for link in self.links.iter().filter(|link| link.open && link.mirror.user.is_some()) {
                let known = link.mirror.ledger.cash.get(&u32::from(*id));
                if known != Some(cash) {
                    return Err(format!("{player} should have {cash}, but {} has heard of {known:?}", link.name));
                }
            }
        }
        Ok(())
    }

    fn dump(&mut self, who: &Who) -> Told {
        self.0.each(who, |runner, at| Talk(runner).hear_dump(at))
    }

    /// STATE_BOARD begins a dump, STATE_POT ends it (the document's own words).
    fn hear_dump(&mut self, at: usize) -> Told {
        self.hear_at(at, "STATE_BOARD 0")?;
        loop {
            let frame = self.take(at).ok_or_else(|| format!("{}: the dump has no end", self.links[at].name))?;
            match entry_of(frame[0]).map(|entry| entry.name) {
                Some("STATE_POT") => return Ok(()),
                Some(name) if name.starts_with("STATE_") || name == "DELTA_BANK" => {}
                _ => return Err(format!("{} in a dump: {}", self.links[at].name, self.wire.show(&frame))),
            }
        }
    }

    /// At the end everybody asks for the state, and it must be what they believed (pimp 14.1).
    pub fn adds_up(&mut self) -> Told {
        if !self.links.iter().any(Link::has_joined) {
            return Ok(());
        }
        self.wait(DUMP_PAUSE);
        for at in 0..self.links.len() {
            if !self.links[at].has_joined() {
                continue;
            }
            self.send(at, "REQUEST_STATE")?;
            let board = Names::parse("STATE_BOARD 0", 1)?;
            let believed = loop {
                let believed = self.links[at].mirror.ledger.clone();
                let frame = self.take(at).ok_or("no dump came at the end")?;
                if self.wire.matches(&board, &frame)? {
                    break believed;
                }
            };
            while self.take(at).ok_or("the last dump has no end")?[0] != 0x1f {}
            self.links[at].lenient = true;
            let Link { name, mirror, .. } = &self.links[at];
            if believed != mirror.ledger {
                return Err(format!("{name} added up\n    {believed:?}\n  but the state is\n    {:?}", mirror.ledger));
            }
        }
        Ok(())
    }
}
