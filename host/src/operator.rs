//! `parlor admin`: asks a running server to do something, and prints what came of it.

use crate::admin::{Game, Row, written};
use crate::cli::{Admin, Exit, Order};
use crate::status::ask;

pub async fn run(args: Admin) -> Result<(), Exit> {
    let (method, path) = match &args.order {
        Order::List => return list(&args).await,
        Order::End { game, table, name } => {
            let name = name.as_deref().map(|name| format!("?name={}", written(name))).unwrap_or_default();
            ("POST", format!("/admin/tables/{game}/{table}/end{name}"))
        }
        Order::Delete { game, table } => ("DELETE", format!("/admin/tables/{game}/{table}")),
        Order::Kick { address } => ("DELETE", format!("/admin/callers?address={address}")),
        Order::Ban { address } => ("POST", format!("/admin/bans?address={address}")),
        Order::Unban { address } => ("DELETE", format!("/admin/bans?address={address}")),
    };
    print!("{}", ask(&args.server, method, &path).await?);
    Ok(())
}

/// Games, connections by table, then bans.
async fn list(args: &Admin) -> Result<(), Exit> {
    let failure = |error: serde_json::Error| Exit::failure(format!("{}: {error}", args.server.http));
    let rows: Vec<Row> = serde_json::from_str(&ask(&args.server, "GET", "/admin/callers").await?).map_err(failure)?;
    let bans: Vec<String> = serde_json::from_str(&ask(&args.server, "GET", "/admin/bans").await?).map_err(failure)?;
    let games: Vec<Game> = serde_json::from_str(&ask(&args.server, "GET", "/admin/games").await?).map_err(failure)?;
    println!("{:<10} {:>5}  {:<8} {:>4}  name: players", "game", "table", "stage", "here");
    for Game { game, table, name, stage, players, here } in games {
        println!("{game:<10} {table:>5}  {stage:<8} {here:>4}  {name}: {}", players.join(", "));
    }
    println!("\n{:<10} {:>5} {:>5}  {:<6} address", "game", "table", "link", "");
    for Row { game, table, link, address, has_joined } in rows {
        let joined = if has_joined { "joined" } else { "" };
        let address = address.map_or_else(|| "(a bot of the server's)".into(), |address| address.to_string());
        println!("{game:<10} {table:>5} {link:>5}  {joined:<6} {address}");
    }
    bans.iter().for_each(|ban| println!("banned: {ban}"));
    Ok(())
}
