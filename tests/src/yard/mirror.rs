//! A view of Scotland Yard against what a hall tells whoever comes back.

use parlor_core::yard::server::Yard;
use parlor_core::yard::view::View;
use parlor_core::yard::wire::Said;

use super::told::json;
use crate::mirror::{Mirrored, lines};

fn view(name: &str, heard: &[u8]) -> View {
    let mut view = View::new(name);
    for line in lines(heard) {
        let mut room = [0; 2048];
        if let Some(said) = Said::parse(line.as_bytes(), &mut room) {
            view.take(&said);
        }
    }
    view
}

/// The word behind this one, in the last line that begins with it.
fn argument(said: &[u8], word: &str) -> Option<String> {
    let lines = lines(said);
    let rest = lines.iter().rev().find_map(|line| line.strip_prefix(word)?.strip_prefix(' '))?;
    rest.split(' ').next().map(str::to_owned)
}

impl<const ACCOUNTS: usize, const GAMES: usize, const LINKS: usize, const RING: usize, const LINE: usize> Mirrored
    for Yard<ACCOUNTS, GAMES, LINKS, RING, LINE>
{
    const ONE_LINK: bool = true;

    fn words(said: &[u8], heard: &[u8]) -> Option<Vec<Vec<u8>>> {
        let (name, game) = (argument(said, "login")?, argument(said, "join").or_else(|| argument(said, "newgame"))?);
        let view = view(&name, heard);
        let is_played = view.turn() > 0 && view.winner().is_none();
        let words = ["protocol 2.0\r\n".into(), format!("login {name} x\r\n"), format!("join {game}\r\n")];
        is_played.then(|| words.map(String::into_bytes).to_vec())
    }

    fn difference(said: &[u8], heard: &[u8], told: &[u8]) -> Option<String> {
        let name = argument(said, "login").unwrap_or_default();
        let [known, anew] = [heard, told].map(|bytes| json(&view(&name, bytes)));
        (known != anew).then(|| format!("{name} knew\n  {known}\nand is told\n  {anew}"))
    }
}
