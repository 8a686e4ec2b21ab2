//! What everybody may know of the dice: commitments before a game, its key after it ([`parlor_core::fair`]).

use core::task::Context;

use parlor_core::fair::commitment;
use parlor_core::web::head::Head;
use parlor_core::web::json::Object;
use parlor_core::web::status::Status;

use super::super::Hub;
use super::super::place::{Stage, Wire, refuse};
use super::{Facts, write_json};
use crate::games::Id;

pub(super) const PATH: &str = "/fair";
const SCHEME: &str = "parlor dice 1";

/// `/fair`, or `/fair/GAME-1-NUMBER.json`.
pub(super) fn tell(
    path: &str,
    head: &Head,
    wire: &mut Wire<'_>,
    hub: &mut Hub<'_>,
    context: &mut Context<'_>,
) -> Stage {
    match path.strip_prefix(PATH) {
        Some("") => write_json(head.into(), wire, hub, context, &sealed_games),
        Some(file) => prove(file, head, wire, hub, context),
        None => refuse(Status::NotFound),
    }
}

/// Of every game the number and the commitment of the one that goes on, or was the last to, unless its key is told; and of the one
/// that comes next. Monopoly's is there before its players.
fn sealed_games(object: &mut Object<'_>, facts: &Facts<'_>) {
    object.text("scheme", SCHEME);
    let mut games = facts.shared.games.borrow_mut();
    let mut rows = Id::ALL.iter().flat_map(|id| [(id, false), (id, true)]);
    object.list("tables", |row| {
        let sealed = rows.find_map(|(id, is_next)| Some((id, games.server(*id).record()?.sealed(is_next)?)));
        let Some((id, (game, commitment))) = sealed else { return false };
        row.text("name", id.entry().name);
        row.number("table", 1);
        row.number("game", game);
        row.hex("commitment", &commitment);
        true
    });
}

/// The key of a game that is over, as on a PC but for the chain and the throws.
fn prove(file: &str, head: &Head, wire: &mut Wire<'_>, hub: &mut Hub<'_>, context: &mut Context<'_>) -> Stage {
    // Cut from behind at single marks: to look for several at once is a kilobyte of code.
    let words = file.strip_prefix('/').and_then(|file| file.strip_suffix(".json")?.rsplit_once('-'));
    let found = words.and_then(|(table, number)| {
        let name = table.strip_suffix("-1")?;
        let (number, id) = (number.parse().ok()?, Id::ALL.iter().find(|id| id.entry().name == name)?);
        let (key, thrown) = hub.shared.games.borrow_mut().server(*id).record()?.key(number)?;
        Some((id, number, key, thrown))
    });
    let Some((id, game, key, thrown)) = found else { return refuse(Status::NotFound) };
    write_json(head.into(), wire, hub, context, &|object, _| {
        object.text("scheme", SCHEME);
        object.text("name", id.entry().name);
        object.number("table", 1);
        object.number("game", game);
        object.hex("commitment", &commitment(game, &key));
        object.hex("key", &key);
        object.words("shares", core::iter::empty());
        object.number("thrown", thrown);
    })
}

#[cfg(all(test, feature = "pimp", feature = "yard", feature = "venus"))]
pub(super) mod tests {
    use super::super::{FRONT, OUT};
    use super::*;

    pub(in super::super) fn all_commitments_fit(facts: &Facts<'_>) {
        let mut out = [0; OUT - FRONT];
        let mut object = Object::new(&mut out);
        sealed_games(&mut object, facts);
        let length = object.end().expect("it has no room");
        let text = str::from_utf8(&out[..length]).unwrap();
        for is_next in [false, true] {
            let sealed = facts.shared.games.borrow_mut().server(Id::Pimp).record().unwrap().sealed(is_next);
            let (game, hash) = sealed.unwrap();
            let hash: std::string::String = hash.iter().map(|byte| std::format!("{byte:02x}")).collect();
            let told = std::format!("{{\"name\":\"pimp\",\"table\":1,\"game\":{game},\"commitment\":\"{hash}\"}}");
            assert!(text.contains(&told), "{text}");
        }
        assert_eq!(text.matches("\"commitment\":").count(), 4, "{text}");
        // Two of each game, with the longest numbers there are.
        let row = "{'name':'venus','table':1,'game':4294967295,'commitment':''},".len() + 64;
        assert!(length + 2 * row + 10 * 4 <= OUT - FRONT, "{length} bytes");
    }
}
