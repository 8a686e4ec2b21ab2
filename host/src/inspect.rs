//! `parlor inspect`: what a board does, live, from its status page.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep};

use crate::cli::{Exit, Inspect};
use crate::status;

/// What `GET /status` tells on a board.
#[derive(Clone, Debug, Deserialize)]
struct Board {
    uptime_seconds: u64,
    links: u32,
    links_busy: u32,
    stack_bytes: u32,
    stack_bytes_used: u32,
    /// Where the image counts them.
    instructions_last_command: Option<u32>,
    games: Vec<Game>,
}

#[derive(Clone, Debug, Deserialize)]
struct Game {
    game: String,
    commands: u64,
    links_lagged: u32,
    ring_bytes: u32,
    ring_bytes_used: u32,
}

/// What `GET /links` tells.
#[derive(Clone, Debug, Deserialize)]
struct Links {
    busy: u32,
    send_bytes: u32,
    receive_bytes: u32,
    retransmissions: u32,
    links: Vec<Row>,
}

#[derive(Clone, Debug, Deserialize)]
struct Row {
    /// A game, or `page`.
    at: String,
    /// Not acknowledged by the peer.
    out: u32,
    /// Not taken by the server.
    #[serde(rename = "in")]
    unread: u32,
    /// Bytes of the game's ring that it has not come to.
    behind: u32,
}

pub async fn run(args: Inspect) -> Result<(), Exit> {
    let mut before: Option<((Board, Links), Instant)> = None;
    let is_live = std::io::stdout().is_terminal();
    let mut shown = 0;
    loop {
        let (board, now) = ((look(&args, "/status").await?, look(&args, "/links").await?), Instant::now());
        let text = match &before {
            Some((before, at)) => show(&board, before, now - *at),
            None => show(&board, &board, Duration::ZERO),
        };
        // On a terminal the view stays where it is; anywhere else each is a paragraph.
        let (up, end) = if is_live { (format!("\x1b[{shown}A\x1b[J"), "") } else { (String::new(), "\n") };
        let up = if before.is_none() { "" } else { &up };
        let mut out = std::io::stdout().lock();
        if write!(out, "{up}{text}{end}").and_then(|()| out.flush()).is_err() {
            // The output was closed.
            return Ok(());
        }
        drop(out);
        shown = text.lines().count();
        before = Some((board, now));
        if args.once {
            return Ok(());
        }
        sleep(Duration::from_secs_f32(args.every)).await;
    }
}

async fn look<T: DeserializeOwned>(args: &Inspect, path: &str) -> Result<T, Exit> {
    let failure = |what: String| {
        let hint = if what.contains(" 404 ") { ": no board; `parlor status` shows a server on a PC" } else { "" };
        Exit::failure(format!("{}: {what}{hint}", args.board))
    };
    let body = status::request(&args.board, path).await.map_err(failure)?;
    serde_json::from_str(&body).map_err(|error| failure(format!("not a board's {path}: {error}")))
}

/// A bar of twenty cells.
fn bar(part: u32, whole: u32) -> String {
    let full = (u64::from(part) * 20).checked_div(whole.into()).unwrap_or(0).min(20) as usize;
    format!("{}{}", "#".repeat(full), ".".repeat(20 - full))
}

fn show((board, pool): &(Board, Links), (before, past): &(Board, Links), passed: Duration) -> String {
    let (hours, minutes, seconds) =
        (board.uptime_seconds / 3600, board.uptime_seconds / 60 % 60, board.uptime_seconds % 60);
    let mut text = format!("up     {hours}:{minutes:02}:{seconds:02}");
    if board.uptime_seconds < before.uptime_seconds {
        text += "  started anew";
    }
    let Board { links, links_busy, stack_bytes, stack_bytes_used, .. } = *board;
    // Writing to a String can't fail.
    _ = write!(text, "\nlinks  [{}] {links_busy} of {links}", bar(links_busy, links));
    _ = writeln!(
        text,
        "\nstack  [{}] {stack_bytes_used} of {stack_bytes} bytes at most",
        bar(stack_bytes_used, stack_bytes)
    );
    let resent = pool.retransmissions.saturating_sub(past.retransmissions);
    _ = writeln!(text, "TCP    {} segments sent again, {resent} since the last look", pool.retransmissions);
    if let Some(instructions) = board.instructions_last_command {
        _ = writeln!(text, "CPU    {instructions} instructions for the last command");
    }
    for Game { game, commands, links_lagged, ring_bytes, ring_bytes_used } in &board.games {
        let known = before.games.iter().find(|known| known.game == *game);
        let new = commands.saturating_sub(known.map_or(0, |known| known.commands));
        let rate = if passed.is_zero() { 0.0 } else { new as f64 / passed.as_secs_f64() };
        _ = writeln!(text, "{game:<6} {commands:>9} commands {rate:>7.1}/s  {links_lagged} links fell behind");
        let ring = bar(*ring_bytes_used, *ring_bytes);
        _ = writeln!(text, "  ring [{ring}] {ring_bytes_used} of {ring_bytes} bytes not yet written over");
        // The newest is at the right: a link further left has more to read.
        for Row { out, unread, behind, .. } in pool.links.iter().filter(|row| row.at == *game) {
            let place = ring_bytes.saturating_sub(*behind).saturating_mul(20) / (*ring_bytes).max(1);
            let cursor = format!("{:>1$}", '^', place.clamp(1, 20) as usize);
            let window = pool.receive_bytes.saturating_sub(*unread);
            _ = writeln!(
                text,
                "        {cursor:<20}  {behind} behind, {out} of {} unacknowledged, window {window} of {}",
                pool.send_bytes, pool.receive_bytes
            );
        }
    }
    let pages = pool.links.iter().filter(|row| row.at == PAGE).count();
    let unseen = pool.busy.saturating_sub(pool.links.len() as u32);
    _ = writeln!(
        text,
        "{PAGE:<6} {pages} links{}",
        if unseen > 0 { format!("; {unseen} more busy") } else { String::new() }
    );
    text
}

/// Where a link is that is at no game.
const PAGE: &str = "page";

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str = r#"{"uptime_seconds":3725,"links":12,"links_busy":3,"stack_bytes":8192,"stack_bytes_used":4096,
        "games":[{"game":"one","commands":140,"links_lagged":2,"ring_bytes":400,"ring_bytes_used":200}],"more":1}"#;
    const LINKS: &str = r#"{"busy":5,"send_bytes":1072,"receive_bytes":256,"retransmissions":7,"links":[
        {"at":"one","out":0,"in":0,"behind":0},{"at":"one","out":900,"in":56,"behind":100},{"at":"page","out":0,"in":0,"behind":0}]}"#;

    #[test]
    fn a_board_is_shown_with_what_happened_since() {
        let now: (Board, Links) = (serde_json::from_str(STATUS).unwrap(), serde_json::from_str(LINKS).unwrap());
        let mut before = now.clone();
        before.0.games[0].commands = 100;
        before.1.retransmissions = 5;
        let text = show(&now, &before, Duration::from_secs(2));
        let wanted = "up     1:02:05\n\
                      links  [#####...............] 3 of 12\n\
                      stack  [##########..........] 4096 of 8192 bytes at most\n\
                      TCP    7 segments sent again, 2 since the last look\n\
                      one          140 commands    20.0/s  2 links fell behind\n  \
                        ring [##########..........] 200 of 400 bytes not yet written over\n        \
                                                 ^  0 behind, 0 of 1072 unacknowledged, window 256 of 256\n        \
                                            ^       100 behind, 900 of 1072 unacknowledged, window 200 of 256\n\
                      page   1 links; 2 more busy\n";
        assert_eq!(text.replace(' ', ""), wanted.replace(' ', ""));
        let cursors: Vec<_> = text.lines().filter_map(|line| line.find('^')).collect();
        assert_eq!(cursors, [8 + 19, 8 + 14]);
        before.0.uptime_seconds += 1;
        assert!(show(&now, &before, Duration::ZERO).starts_with("up     1:02:05  started anew\n"));
    }

    #[test]
    fn a_bar_is_never_longer_than_itself() {
        assert_eq!((bar(0, 0), bar(9, 3)), (".".repeat(20), "#".repeat(20)));
    }
}
