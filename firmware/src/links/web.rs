//! What a browser is answered: pages out of flash, how the board stands, and the way to a game.

#[cfg(feature = "fair")]
mod fair;
#[cfg(feature = "settings")]
mod settings;

use core::fmt::{self, Write};
use core::task::Context;

use embassy_time::Instant;
use parlor_core::settings::{Kind, Setting, Value};
use parlor_core::web::handshake;
use parlor_core::web::head::Head;
use parlor_core::web::json::Object;
use parlor_core::web::status::Status;

use super::Hub;
use super::place::{LinkStatus, Reply, Stage, Wire, refuse, upgrade};
use crate::games::{Id, Settings};
use crate::shared::Shared;
use crate::watermark::Painted;

pub const PORT: u16 = 80;
/// The longest answer that is written here rather than read from flash.
pub(super) const OUT: usize = 1024;
/// Of these, what comes before the JSON.
const FRONT: usize = 160;
/// Links that one answer tells of; `busy` says whether there are more.
pub(super) const LINKS_TOLD: usize = (OUT - FRONT - 98 /* figures of all links, and the end */) / 56 /* one link */;

/// What is sent before every page.
const BEFORE_PAGES: &str = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nX-Content-Type-Options: nosniff\r\n";

/// A page: its path, the lines of its head that are its own, what a browser may do with it, its tag, and itself, compressed when
/// the image was built.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    pub path: &'static str,
    pub lines: &'static str,
    pub policy: &'static str,
    pub tag: &'static str,
    pub gzip: &'static [u8],
}

/// What is done next with a connection whose request is whole.
pub(super) fn answer(head: &Head, wire: &mut Wire<'_>, hub: &mut Hub<'_>, context: &mut Context<'_>) -> Stage {
    let path = head.path();
    if let Some(game) = path.strip_prefix("/ws/") {
        return shake_hands(game, head, wire, hub, context);
    }
    if head.is_post() {
        return command(path, head, wire, hub, context);
    }
    match path {
        "/lobby" => write_json(head.into(), wire, hub, context, &lobby),
        "/status" => write_json(head.into(), wire, hub, context, &status),
        "/links" => Stage::TellLinks(head.into()),
        #[cfg(feature = "fair")]
        _ if path.starts_with(fair::PATH) => fair::tell(path, head, wire, hub, context),
        #[cfg(feature = "settings")]
        _ if path.starts_with("/settings/") => settings::tell(path, head, wire, hub, context),
        _ => page(path, head, wire, hub, context),
    }
}

/// A page may call a bot to a game that is one table, as on a PC: `/tables/1/bots`. Other pages' scripts may not.
fn command(path: &str, head: &Head, wire: &mut Wire<'_>, hub: &mut Hub<'_>, context: &mut Context<'_>) -> Stage {
    let is_settings = cfg!(feature = "settings") && path.starts_with("/settings");
    if !is_settings && (path != "/tables/1/bots" || !cfg!(feature = "bots")) {
        return refuse(Status::MethodNotAllowed);
    }
    if !head.is_own_page() {
        return refuse(Status::Forbidden);
    }
    #[cfg(feature = "settings")]
    if is_settings {
        return settings::change(path, head, wire, hub, context);
    }
    let table = Id::ALL.iter().find(|id| id.entry().is_table);
    let is_coming = table.is_some_and(|id| hub.shared.games.borrow_mut().calls.take(id.entry().name, "", None));
    if !is_coming {
        return refuse(Status::Unavailable);
    }
    #[cfg(feature = "bots")]
    hub.shared.bots.signal(());
    write_json(head.into(), wire, hub, context, &|object, _| object.number("table", 1))
}

fn page(path: &str, head: &Head, wire: &mut Wire<'_>, hub: &Hub<'_>, context: &mut Context<'_>) -> Stage {
    // A folder is called with or without its stroke.
    let name = |path: &'static str| path.strip_suffix('/').unwrap_or(path);
    let wanted = path.strip_suffix('/').unwrap_or(path);
    let is_closed =
        Id::ALL.iter().any(|id| wanted.strip_prefix('/') == Some(id.entry().name) && !hub.shared.is_open(*id));
    let page = hub.pages.iter().find(|page| name(page.path) == wanted && !is_closed);
    let Some(page) = page else { return refuse(Status::NotFound) };
    if page.tag == head.tag() {
        return refuse(Status::NotModified);
    }
    // The send buffer is empty: it was when the request was read.
    for part in [BEFORE_PAGES, page.lines, page.policy, "\r\n"] {
        wire.write_all(part.as_bytes(), context);
    }
    let body = if head.is_head() { b"" } else { page.gzip };
    Stage::Reply(Reply { head: b"", body, closes: head.closes() })
}

/// `/ws/pimp`, or `/ws/pimp/1` as on a PC: a board has one table of each.
fn shake_hands(game: &str, head: &Head, wire: &mut Wire<'_>, hub: &mut Hub<'_>, context: &mut Context<'_>) -> Stage {
    let game = game.strip_suffix("/1").unwrap_or(game);
    let id = Id::ALL.iter().find(|id| id.entry().name == game && hub.shared.is_open(**id));
    let Some(id) = id else { return refuse(Status::NotFound) };
    let Some(key) = head.key() else { return refuse(Status::UpgradeRequired) };
    if !head.is_own_page() {
        return refuse(Status::Forbidden);
    }
    let Some(stage) = upgrade(*id, hub) else { return refuse(Status::Unavailable) };
    // The send buffer is empty: it was when the request was read.
    for part in [handshake::SWITCHING, &handshake::accept(key), b"\r\n\r\n"] {
        wire.write_all(part, context);
    }
    stage
}

/// Text into a part of a buffer.
struct Line<'a> {
    out: &'a mut [u8],
    at: usize,
}

impl Write for Line<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let to = self.out.get_mut(self.at..self.at + text.len()).ok_or(fmt::Error)?;
        to.copy_from_slice(text.as_bytes());
        self.at += text.len();
        Ok(())
    }
}

/// What answers are made of: the hub without its buffer, which is being written to.
struct Facts<'h> {
    shared: &'h Shared,
    links: usize,
    stack: Painted,
    settings: &'h Settings,
}

type Fill<'f> = &'f dyn Fn(&mut Object<'_>, &Facts<'_>);

/// How an answer is wanted.
#[derive(Clone, Copy)]
pub(super) struct ReplyForm {
    /// Without its body.
    is_head: bool,
    closes: bool,
}

impl From<&Head> for ReplyForm {
    fn from(head: &Head) -> Self {
        Self { is_head: head.is_head(), closes: head.closes() }
    }
}

fn write_json(
    form: ReplyForm,
    wire: &mut Wire<'_>,
    hub: &mut Hub<'_>,
    context: &mut Context<'_>,
    fill: Fill<'_>,
) -> Stage {
    let facts = Facts { shared: hub.shared, links: hub.links, stack: hub.stack, settings: &hub.settings };
    let Some((front, body)) = hub.out.split_at_mut_checked(FRONT) else { return refuse(Status::Unavailable) };
    let mut object = Object::new(body.get_mut(..OUT - FRONT).unwrap_or_default());
    fill(&mut object, &facts);
    let Some(length) = object.end() else { return refuse(Status::Unavailable) };
    let mut line = Line { out: front, at: 0 };
    let end = if form.closes { "Connection: close\r\n" } else { "" };
    let fits = write!(
        line,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\nContent-Length: {length}\r\n{end}\r\n"
    );
    if fits.is_err() {
        return refuse(Status::Unavailable);
    }
    let at = line.at;
    wire.write_all(front.get(..at).unwrap_or_default(), context);
    if !form.is_head {
        wire.write_all(body.get(..length).unwrap_or_default(), context);
    }
    Stage::Reply(Reply { head: b"", body: b"", closes: form.closes })
}

/// All links that are not free, and how much a link's buffers hold.
pub(super) struct LinksStatus<'a> {
    pub(super) seen: &'a [LinkStatus],
    pub(super) busy: usize,
    pub(super) send: usize,
    pub(super) receive: usize,
}

pub(super) fn write_links(
    form: ReplyForm,
    wire: &mut Wire<'_>,
    hub: &mut Hub<'_>,
    context: &mut Context<'_>,
    all: &LinksStatus<'_>,
) -> Stage {
    let retransmissions = hub.listeners.retransmissions();
    write_json(form, wire, hub, context, &|object, _| links(object, retransmissions, all))
}

/// Where each link is, what its peer has not acknowledged, what its server has not taken, and how far it is behind.
fn links(object: &mut Object<'_>, retransmissions: u32, all: &LinksStatus<'_>) {
    object.number("busy", all.busy);
    object.number("send_bytes", all.send);
    object.number("receive_bytes", all.receive);
    object.number("retransmissions", retransmissions);
    let mut seen = all.seen.iter();
    object.list("links", |row| {
        let Some(LinkStatus { game, unsent, unread, behind }) = seen.next() else { return false };
        row.text("at", game.map_or("page", |id| id.entry().name));
        row.number("out", unsent);
        row.number("in", unread);
        row.number("behind", behind);
        true
    });
}

/// What a page shows before a game, in the shape that a PC gives it: the tables in figures, without names; the settings
/// of those tables, times in seconds, what is off as null; of every game those that its page shows while it is played;
/// and every game by the name of its page.
fn lobby(object: &mut Object<'_>, facts: &Facts<'_>) {
    let mut tables = Id::ALL.iter().filter(|id| id.entry().is_table && facts.shared.is_open(**id));
    object.list("tables", |row| {
        let Some(id) = tables.next() else { return false };
        let summary = facts.shared.games.borrow_mut().server(*id).summary();
        row.text("game", id.entry().name);
        row.number("table", 1);
        row.number("players", summary.players);
        row.number("watchers", summary.watchers);
        row.number("connected", summary.connected);
        row.number("turn", summary.turn);
        row.text("phase", summary.phase);
        true
    });
    object.object("rules", |rules| {
        let first = Id::ALL.iter().find(|id| id.entry().is_table);
        first.into_iter().for_each(|id| facts.settings.tell(*id, &mut |setting, value| rule(rules, setting, value)));
    });
    object.object("settings", |games| Id::ALL.iter().for_each(|id| shown_by_pages(games, *id, facts.settings)));
    // There is one table of each; bots may be called to it.
    object.flag("may_command", cfg!(feature = "bots"));
    object.flag("may_make", false);
    object.flag("lobby", false);
    object.words("games", open_games(facts.shared));
    #[cfg(feature = "settings")]
    object.text("board", facts.shared.own.borrow().name());
}

/// A page counts down to the end of the time that a player has for a decision. A PC tells all settings here, for which
/// an answer of a board has no room.
fn shown_by_pages(games: &mut Object<'_>, id: Id, settings: &Settings) {
    settings.tell(id, &mut |setting, value| {
        if setting.name == "move_timeout" {
            games.object(id.entry().name, |own| rule(own, setting, value));
        }
    });
}

fn open_games(shared: &Shared) -> impl Iterator<Item = &'static str> {
    Id::ALL.iter().filter(|id| shared.is_open(**id)).map(|id| id.entry().name)
}

fn rule(object: &mut Object<'_>, setting: &Setting, value: Value) {
    match (setting.kind, value) {
        (_, None) => object.number(setting.name, "null"),
        (Kind::Switch, Some(on)) => object.flag(setting.name, on != 0),
        (Kind::Time, Some(time)) => object.number(setting.name, time / 1_000),
        (_, Some(number)) => object.number(setting.name, number),
    }
}

fn status(object: &mut Object<'_>, facts: &Facts<'_>) {
    object.number("uptime_seconds", Instant::now().as_secs());
    object.number("links", facts.links);
    object.number("links_busy", facts.shared.busy.get());
    object.number("stack_bytes", facts.stack.size());
    object.number("stack_bytes_used", facts.stack.used());
    // Only an image that counts has any.
    let cost = facts.shared.cost.get();
    if cost > 0 {
        object.number("instructions_last_command", cost);
    }
    let mut games = Id::ALL.iter();
    object.list("games", |row| {
        let Some(id) = games.next() else { return false };
        let (summary, ring) = {
            let mut games = facts.shared.games.borrow_mut();
            let server = games.server(*id);
            (server.summary(), server.ring())
        };
        row.text("game", id.entry().name);
        row.number("commands", summary.commands);
        row.number("links_lagged", summary.lagging);
        row.number("ring_bytes", ring.size);
        row.number("ring_bytes_used", ring.used);
        true
    });
}

#[cfg(all(test, feature = "pimp", feature = "yard", feature = "venus"))]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_told_how_long_a_decision_may_take() {
        let (mut shared, mut settings) = (std::boxed::Box::new(Shared::new()), Settings::default());
        // The longest there can be: an answer must have room for them.
        let mut names = std::vec::Vec::new();
        settings.tell(Id::Pimp, &mut |setting, _| names.push(setting.name));
        for name in names {
            let _ = ["4000000", "65535", "255"].iter().any(|value| settings.set(name, value).is_some());
        }
        for (name, value) in [("move-timeout", "86400"), ("yard-move-timeout", "45"), ("venus-move-timeout", "90")] {
            settings.set(name, value).unwrap();
        }
        let mut seed = || parlor_core::dice::with_keys([7; 32]);
        shared.begin(|games, now| games.begin(&mut seed, &settings, false, now));
        let facts = Facts { shared: &shared, links: 1, stack: Painted::NONE, settings: &settings };
        let mut out = [0; OUT - FRONT];
        let mut object = Object::new(&mut out);
        lobby(&mut object, &facts);
        let length = object.end().expect("it has no room");
        let text = str::from_utf8(&out[..length]).unwrap();
        let told = "\"settings\":{\"pimp\":{\"move_timeout\":86400},\"yard\":{\"move_timeout\":45},\"venus\":{\"move_timeout\":90}}";
        assert!(text.contains(told), "{text}");

        #[cfg(feature = "fair")]
        fair::tests::all_commitments_fit(&facts);
    }
}
