//! All that bots were told in a whole game, and what core's view made of it on the way: what a page's mirror is held
//! against.

use parlor_core::game::Strength;
use parlor_core::venus::board::Chart;
use parlor_core::venus::pieces::{Age, Contents, Culture, Phase, Seat, Token};
use parlor_core::venus::rules::{Game, Site};
use parlor_core::venus::view::View;
use parlor_core::venus::wire::Event;

use super::evening;

/// What one player was told: whole lines.
pub struct Told {
    pub name: &'static str,
    pub text: String,
}

/// A game of three to the end; each enters the room once more when it is over, and is told it anew.
pub fn game(seed: u32) -> Vec<Told> {
    evening::told(3, Strength::Shrewd, seed).into_iter().map(|(name, text)| Told { name, text }).collect()
}

/// How many states apart what is known is written down.
const OFTEN: u32 = 20;

/// What is known whenever so many states were told: a list in JSON, each entry with the number of lines heard by then.
pub fn known(told: &Told) -> String {
    let mut view = View::new(Chart::Galaxy);
    let mut all = Vec::new();
    let lines: Vec<&str> = told.text.lines().collect();
    let is_last = |n: usize| !lines.get(n + 1).is_some_and(|next| next.starts_with("LEGALACTION,"));
    let mut is_due = false;
    for (n, line) in lines.iter().enumerate() {
        let mut room = [0; 4096];
        let event = Event::parse(line.as_bytes(), &mut room).unwrap_or_else(|| panic!("no event: {line}"));
        view.take(&event);
        is_due |= line.starts_with("NEWSTATE,") && (view.states().is_multiple_of(OFTEN) || view.winner().is_some());
        // What may be done is told line by line.
        if is_due && is_last(n) {
            is_due = false;
            let has_begun = !matches!(view.phase(), Phase::InitialState | Phase::ValidateSetup);
            all.extend(has_begun.then(|| json(&view, n + 1)));
        }
    }
    list(all.into_iter())
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

/// Pairs of a key and JSON.
fn object(items: impl Iterator<Item = (String, String)>) -> String {
    format!("{{{}}}", items.map(|(key, value)| format!("{key:?}:{value}")).collect::<Vec<_>>().join(","))
}

/// So many of a token, by class, name and age, sorted as text.
fn things(count: impl Fn(Token, Age) -> u8) -> String {
    let mut texts = Vec::new();
    for token in Token::all() {
        for age in [Age::Old, Age::New] {
            let mut name = String::new();
            token.write_name(&mut name).expect("a string has room");
            let text = format!("{:?}", format!("{} {name} {}", token.class().name(), age.name()));
            texts.extend(std::iter::repeat_n(text, usize::from(count(token, age))));
        }
    }
    texts.sort();
    list(texts.into_iter())
}

fn player(game: &Game, seat: Seat) -> String {
    let money = game.money(seat);
    let (race, at) = (game.race(seat).id(), game.board().name(game.space(seat)));
    let things = things(|token, age| game.held(seat, token, age));
    format!(
        "{{\"cash\":{},\"barter\":{},\"worth\":{},\"race\":{race:?},\"at\":{at:?},\"used\":{},\"things\":{things}}}",
        money.cash,
        money.barter,
        money.worth,
        game.load(seat)
    )
}

fn contents(contents: Contents) -> String {
    format!(
        "{:?}",
        match contents {
            Contents::Telegate(number) => format!("telegate {number}"),
            Contents::Station(owner) => format!("station {}", owner.map_or("null".into(), |seat| seat.0.to_string())),
            Contents::Penalty(colour, sum) => format!("penalty {} {sum}", format!("{colour:?}").to_lowercase()),
            Contents::Asteroid(relic) => format!("asteroid {}", relic.map_or("null", |relic| relic.name())),
        }
    )
}

/// Boxes that this player may look into, and built spaceports.
fn boxes(view: &View) -> String {
    let (board, game) = (view.board(), view.game());
    let opened = board.qboxes().filter_map(|qbox| Some((board.qbox_space(qbox), view.contents(qbox)?)));
    let built = board.ports().map(|port| board.port_space(port)).filter_map(|space| match game.site(space) {
        Site::Station(Some(owner)) => Some((space, Contents::Station(Some(owner)))),
        _ => None,
    });
    object(opened.chain(built).map(|(space, what)| (board.name(space).to_owned(), contents(what))))
}

pub(super) fn json(view: &View, lines: usize) -> String {
    let (board, game) = (view.board(), view.game());
    let homes = board.systems().filter_map(|system| Some((board.system_name(system), view.home(system)?)));
    let homes = object(homes.map(|(system, culture)| (system.to_owned(), format!("{:?}", culture.id()))));
    let bases = Culture::ALL.iter().map(|culture| {
        let stock = things(|token, age| if age == Age::Old { game.at_base(*culture, token) } else { 0 });
        (culture.id().to_owned(), stock)
    });
    let mut legal: Vec<String> = view.legal().iter().map(|verb| format!("{:?}", verb.name())).collect();
    legal.sort();
    format!(
        "{{\"lines\":{lines},\"me\":{},\"state\":{:?},\"current\":{},\"legal\":{},\"players\":{},\"bases\":{},\
         \"homes\":{homes},\"boxes\":{}}}",
        view.me().map_or("null".into(), |seat| seat.0.to_string()),
        view.phase().name(),
        game.current().0,
        list(legal.into_iter()),
        list(game.seats().map(|seat| player(game, seat))),
        object(bases),
        boxes(view),
    )
}
