//! Short forms: exchanges that every file would repeat, each checked to the last frame.

use super::parse::{Offer, Who};
use super::run::Runner;
use crate::report::Told;

fn only(name: &str) -> Who {
    Who::These(vec![name.to_string()])
}

impl Runner<'_> {
    /// Connects, shakes hands, asks to join, is voted in by a majority of the players, and is told the state.
    pub(super) fn join(&mut self, name: &str, play: bool) -> Told {
        let me = only(name);
        let before = self.players();
        let joined: Vec<String> =
            self.links.iter().filter(|link| link.user.is_some() && link.open).map(|link| link.name.clone()).collect();
        self.connect(name)?;
        self.say(name, "HANDSHAKE 1")?;
        self.hear(&me, "HANDSHAKE_ACKNOWLEDGE $game")?;
        self.say(name, &format!("JOIN 0 {} \"{name}\"", if play { "yes" } else { "no" }))?;
        if !joined.is_empty() {
            self.names.bound.remove("candidate");
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
        let playing = |link: &&super::run::Link| {
            link.open && link.user.is_some_and(|user| link.ledger.cash.contains_key(&u32::from(user)))
        };
        let mut players: Vec<_> =
            self.links.iter().filter(playing).map(|link| (link.user, link.name.clone())).collect();
        players.sort();
        players.into_iter().map(|player| player.1).collect()
    }

    /// Where a player stands, as anybody's messages tell.
    fn square(&self, player: &str) -> Result<u32, String> {
        let id = self.names.users.get(player).ok_or_else(|| format!("{player} is no user"))?;
        let known =
            self.links.iter().filter(|link| link.open).find_map(|link| link.ledger.squares.get(&u32::from(*id)));
        known.copied().ok_or_else(|| format!("nobody knows where {player} is"))
    }

    pub(super) fn moves(&mut self, who: &Who, player: &str, dice: Option<(u8, u8)>, to: u8, back: bool) -> Told {
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

    pub(super) fn buys(&mut self, player: &str, deed: u8, price: u32) -> Told {
        let square = self.square(player)?;
        self.hear(&Who::All, &format!("PROPERTY_SALE {player} {deed} {price}"))?;
        self.say(player, "BUY_PROPERTY")?;
        self.hear(&Who::All, &format!("SQUARE_TAKES_CASH {player} {square} {price}"))?;
        self.hear(&Who::All, &format!("DELTA_CASH {player} bank {price}"))?;
        self.hear(&Who::All, &format!("DELTA_PROPERTY bank {player} {deed}"))
    }

    pub(super) fn declines(&mut self, player: &str, deed: u8, price: u32) -> Told {
        self.hear(&Who::All, &format!("PROPERTY_SALE {player} {deed} {price}"))?;
        self.say(player, "AUCTION_PROPERTY")?;
        self.hear(&Who::All, &format!("PROPERTY_AUCTION {deed}"))?;
        for bidder in self.players() {
            self.say(&bidder, "NO_BID")?;
            self.hear(&Who::All, &format!("PROPERTY_AUCTION_NO_BID {bidder}"))?;
        }
        self.hear(&Who::All, "PROPERTY_AUCTION_VOID")
    }

    pub(super) fn trade(&mut self, first: &(String, Offer), second: &(String, Offer)) -> Told {
        self.names.bound.remove("trade");
        let (one, other) = (&first.0, &second.0);
        self.say(one, &format!("TRANSACTION_REQUEST_TRADE {other}"))?;
        self.hear(&only(one), &format!("TRANSACTION_TRADE_REQUESTED $trade {other}"))?;
        self.hear(&only(other), &format!("TRANSACTION_TRADE_REQUESTED $trade {one}"))?;
        self.put_in(one, &first.1, other, "$trade")?;
        self.put_in(other, &second.1, one, "$trade")?;
        for (what, done) in [("FINISH", "FINISHED"), ("AGREE", "AGREED")] {
            for (mine, theirs) in [(one, other), (other, one)] {
                self.say(mine, &format!("TRANSACTION_{what} $trade"))?;
                self.hear(&only(mine), &format!("TRANSACTION_{done} $trade"))?;
                self.hear(&only(theirs), &format!("TRANSACTION_OTHER_{done} $trade"))?;
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
    pub(super) fn put_in(&mut self, mine: &str, offer: &Offer, theirs: &str, trade: &str) -> Told {
        let deeds = offer.deeds.iter().map(|deed| ("ADD_PROPERTY", "PROPERTY_ADDED", u32::from(*deed)));
        let cards = offer.cards.iter().map(|card| ("ADD_CARD", "CARD_ADDED", u32::from(*card)));
        let cash = (offer.cash > 0).then_some(("SET_CASH", "CASH_SET", offer.cash));
        for (ask, told, what) in deeds.chain(cards).chain(cash) {
            self.say(mine, &format!("TRANSACTION_{ask} {trade} {what}"))?;
            self.hear(&only(mine), &format!("TRANSACTION_{told} {trade} {what}"))?;
            self.hear(&only(theirs), &format!("TRANSACTION_OTHER_{told} {trade} {what}"))?;
        }
        Ok(())
    }

    /// Everybody has heard that these players have this much.
    pub(super) fn cash(&mut self, wanted: &[(String, i64)]) -> Told {
        for (player, cash) in wanted {
            let id = self.names.users.get(player).ok_or_else(|| format!("{player} is no user"))?;
            for link in self.links.iter().filter(|link| link.open && link.user.is_some()) {
                let known = link.ledger.cash.get(&u32::from(*id));
                if known != Some(cash) {
                    return Err(format!("{player} should have {cash}, but {} has heard of {known:?}", link.name));
                }
            }
        }
        Ok(())
    }

    fn dump(&mut self, who: &Who) -> Told {
        self.each(who, Self::hear_dump)
    }
}
