//! A view of Merchant of Venus against what a hall tells whoever comes back.

use parlor_core::venus::board::Chart;
use parlor_core::venus::pieces::Phase;
use parlor_core::venus::server::Venus;
use parlor_core::venus::view::View;
use parlor_core::venus::wire::Event;

use super::told::json;
use crate::mirror::{Mirrored, lines};

fn view(heard: &[u8]) -> Box<View> {
    let mut view = Box::new(View::new(Chart::Galaxy));
    for line in lines(heard) {
        let mut room = [0; 4096];
        if let Some(event) = Event::parse(line.as_bytes(), &mut room) {
            view.take(&event);
        }
    }
    view
}

/// What the last line of this action names first.
fn argument(said: &[u8], action: &str) -> Option<String> {
    let lines = lines(said);
    let rest = lines.iter().rev().find_map(|line| line.strip_prefix(action)?.strip_prefix(','))?;
    rest.split(',').next().map(str::to_owned)
}

impl<
    const ACCOUNTS: usize,
    const ROOMS: usize,
    const LINKS: usize,
    const RING: usize,
    const LINE: usize,
    const SHOTS: usize,
    const SAVES: usize,
> Mirrored for Venus<ACCOUNTS, ROOMS, LINKS, RING, LINE, SHOTS, SAVES>
{
    const ONE_LINK: bool = true;

    fn words(said: &[u8], heard: &[u8]) -> Option<Vec<Vec<u8>>> {
        let (name, room) = (argument(said, "LOGIN")?, argument(said, "CHANGEROOM")?);
        let view = view(heard);
        let has_begun = !matches!(view.phase(), Phase::InitialState | Phase::ValidateSetup);
        let is_played = view.me().is_some() && has_begun && view.winner().is_none();
        let words = [format!("LOGIN,{name},x\n"), format!("CHANGEROOM,{room}\n")];
        is_played.then(|| words.map(String::into_bytes).to_vec())
    }

    fn difference(said: &[u8], heard: &[u8], told: &[u8]) -> Option<String> {
        let name = argument(said, "LOGIN").unwrap_or_default();
        let [known, anew] = [heard, told].map(|bytes| json(&view(bytes), 0));
        (known != anew).then(|| format!("{name} knew\n  {known}\nand is told\n  {anew}"))
    }
}
