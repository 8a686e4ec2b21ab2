//! What the owner's page asks: how things are set, the board's code once, and a change with the code.
//!
//! - `GET /settings/board`: the board's own settings; `GET /settings/GAME`: a game's, by what they are.
//! - `POST /settings/code`: the code, if it was never shown, to a browser on the board's own network.
//! - `POST /settings`, `CODE key=value`: one change.

use core::fmt::Write as _;
use core::task::Context;

use heapless::String;
use parlor_core::settings::{Group, Kind};
use parlor_core::web::head::Head;
use parlor_core::web::json::Object;
use parlor_core::web::status::Status;

use super::{Facts, Hub, Stage, Wire, open_games, refuse, write_json};
use crate::fmt::info;
use crate::games::Id;
use crate::settings::Wrong;

/// The longest value in words.
const VALUE: usize = 64;

pub(super) fn tell(
    path: &str,
    head: &Head,
    wire: &mut Wire<'_>,
    hub: &mut Hub<'_>,
    context: &mut Context<'_>,
) -> Stage {
    match path.strip_prefix("/settings/") {
        Some("board") => write_json(head.into(), wire, hub, context, &board),
        Some(name) => match Id::ALL.iter().find(|id| id.entry().name == name) {
            Some(id) => write_json(head.into(), wire, hub, context, &|object, facts| game(object, facts, *id)),
            None => refuse(Status::NotFound),
        },
        None => refuse(Status::NotFound),
    }
}

pub(super) fn change(
    path: &str,
    head: &Head,
    wire: &mut Wire<'_>,
    hub: &mut Hub<'_>,
    context: &mut Context<'_>,
) -> Stage {
    match path {
        "/settings/code" => show_code(head, wire, hub, context),
        "/settings" => choose(head, wire, hub, context),
        _ => refuse(Status::NotFound),
    }
}

fn show_code(head: &Head, wire: &mut Wire<'_>, hub: &mut Hub<'_>, context: &mut Context<'_>) -> Stage {
    // A browser beyond a router has another network.
    let own = hub.network.config_v4().map(|config| config.address);
    let is_near = wire.socket.remote_endpoint().zip(own).is_some_and(|(peer, own)| match peer.addr {
        embassy_net::IpAddress::Ipv4(peer) => own.contains_addr(&peer),
    });
    if !is_near || hub.shared.chosen.borrow_mut().show().is_none() {
        return refuse(Status::Forbidden);
    }
    info!("settings: the code was shown");
    write_json(head.into(), wire, hub, context, &|object, facts| {
        object.text("code", facts.shared.chosen.borrow().code())
    })
}

fn choose(head: &Head, wire: &mut Wire<'_>, hub: &mut Hub<'_>, context: &mut Context<'_>) -> Stage {
    let Some(text) = head.body().map(|body| str::from_utf8(body).unwrap_or_default()) else {
        return refuse(Status::TooLarge);
    };
    let (key, value) = match hub.shared.chosen.borrow_mut().choose(text) {
        Ok(word) => word,
        Err(Wrong::Code) => return refuse(Status::Forbidden),
        Err(Wrong::Word) => return refuse(Status::BadRequest),
    };
    info!("settings: {}={}", key, value);
    if hub.shared.own.borrow_mut().set(key, value).is_none() {
        // What the page shows. It was understood before.
        let _ = hub.settings.set(key, value);
        hub.shared.chosen.borrow_mut().apply(&mut hub.shared.games.borrow_mut());
        // A game has other limits now, and another deadline.
        hub.shared.poke();
    }
    hub.moved = true;
    context.waker().wake_by_ref();
    write_json(head.into(), wire, hub, context, &|object, facts| {
        object.flag("waits", facts.shared.chosen.borrow().waits())
    })
}

fn board(object: &mut Object<'_>, facts: &Facts<'_>) {
    let own = facts.shared.own.borrow();
    object.text("name", own.name());
    object.number("pace", format_args!("{}.{:03}", own.pace() / 1_000, own.pace() % 1_000));
    object.flag("bots", cfg!(feature = "bots"));
    object.words("games", Id::ALL.iter().map(|id| id.entry().name));
    object.words("open", open_games(facts.shared));
    let chosen = facts.shared.chosen.borrow();
    object.flag("was_shown", chosen.is_shown());
    object.flag("waits", chosen.waits());
}

fn game(object: &mut Object<'_>, facts: &Facts<'_>, id: Id) {
    for (name, group) in [("rules", Group::Rule), ("times", Group::Time), ("limits", Group::Limit)] {
        object.object(name, |row| {
            facts.settings.show(id, &mut |setting, shown| {
                if setting.group != group {
                    return;
                }
                let mut value = String::<VALUE>::new();
                // An address may be longer: then nothing is shown.
                let _ = write!(value, "{shown}");
                match setting.kind {
                    Kind::Switch => row.flag(setting.name, value == "on"),
                    _ => row.text(setting.name, &value),
                }
            });
        });
    }
}

#[cfg(all(test, feature = "pimp", feature = "yard", feature = "venus"))]
mod tests {
    use crate::games::Settings;

    use super::super::{FRONT, OUT};
    use super::*;
    use crate::shared::Shared;
    use crate::watermark::Painted;

    #[test]
    #[allow(unsafe_code, reason = "a stack of no bytes")]
    fn the_settings_of_every_game_have_room() {
        let (shared, settings) = (std::boxed::Box::new(Shared::new()), Settings::default());
        // SAFETY: there is not one word between the two.
        let stack = unsafe { Painted::new(core::ptr::null(), core::ptr::null(), 0) };
        let facts = Facts { shared: &shared, links: 1, stack, settings: &settings };
        for id in Id::ALL {
            let mut out = [0; OUT - FRONT];
            let mut object = Object::new(&mut out);
            game(&mut object, &facts, *id);
            let length = object.end().unwrap_or_else(|| panic!("{id:?} is too long"));
            let text = str::from_utf8(&out[..length]).unwrap();
            assert!(text.starts_with("{\"rules\":{") && text.contains("\"limits\":{"), "{text}");
        }
    }
}
