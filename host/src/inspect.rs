//! `parlor inspect`: what a board does, live, from its status page.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use serde::Deserialize;
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
    games: Vec<Game>,
}

#[derive(Clone, Debug, Deserialize)]
struct Game {
    game: String,
    commands: u64,
    links_lagged: u32,
}

pub async fn run(args: Inspect) -> Result<(), Exit> {
    let mut before: Option<(Board, Instant)> = None;
    let is_live = std::io::stdout().is_terminal();
    let mut shown = 0;
    loop {
        let (board, now) = (look(&args).await?, Instant::now());
        let text = match &before {
            Some((before, at)) => show(&board, before, now - *at),
            None => show(&board, &board, Duration::ZERO),
        };
        // On a terminal the view stays where it is; anywhere else each is a paragraph.
        let (up, end) = if is_live { (format!("\x1b[{shown}A\x1b[J"), "") } else { (String::new(), "\n") };
        let up = if before.is_none() { "" } else { &up };
        let mut out = std::io::stdout().lock();
        if write!(out, "{up}{text}{end}").and_then(|()| out.flush()).is_err() {
            // Nobody reads any more.
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

async fn look(args: &Inspect) -> Result<Board, Exit> {
    let failure = |what: String| Exit::failure(format!("{}: {what}", args.board));
    let body = status::request(&args.board, "GET", "/status", None).await.map_err(failure)?;
    serde_json::from_str(&body).map_err(|error| failure(format!("not a board's status: {error}")))
}

/// A bar of twenty cells.
fn bar(part: u32, whole: u32) -> String {
    let full = (u64::from(part) * 20).checked_div(whole.into()).unwrap_or(0).min(20) as usize;
    format!("{}{}", "#".repeat(full), ".".repeat(20 - full))
}

fn show(board: &Board, before: &Board, passed: Duration) -> String {
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
    for Game { game, commands, links_lagged } in &board.games {
        let known = before.games.iter().find(|known| known.game == *game);
        let new = commands.saturating_sub(known.map_or(0, |known| known.commands));
        let rate = if passed.is_zero() { 0.0 } else { new as f64 / passed.as_secs_f64() };
        _ = writeln!(text, "{game:<6} {commands:>9} commands {rate:>7.1}/s  {links_lagged} links fell behind");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str = r#"{"uptime_seconds":3725,"links":12,"links_busy":3,"stack_bytes":8192,"stack_bytes_used":4096,
        "games":[{"game":"one","commands":140,"links_lagged":2}],"more":1}"#;

    #[test]
    fn a_board_is_shown_with_what_happened_since() {
        let board: Board = serde_json::from_str(STATUS).unwrap();
        let mut before = board.clone();
        before.games[0].commands = 100;
        let text = show(&board, &before, Duration::from_secs(2));
        let wanted = "up     1:02:05\n\
                      links  [#####...............] 3 of 12\n\
                      stack  [##########..........] 4096 of 8192 bytes at most\n\
                      one          140 commands    20.0/s  2 links fell behind\n";
        assert_eq!(text, wanted);
        before.uptime_seconds += 1;
        assert!(show(&board, &before, Duration::ZERO).starts_with("up     1:02:05  started anew\n"));
    }

    #[test]
    fn a_bar_is_never_longer_than_itself() {
        assert_eq!((bar(0, 0), bar(9, 3)), (".".repeat(20), "#".repeat(20)));
    }
}
