//! A board that is set up from a browser: who may do so, what comes of it, and what is left after a power cut.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::door::{BOOT, Door};
use crate::emulator::{REST, Start};
use crate::web::{self, ask, get, must};
use crate::{Outcome, step};

/// A board that forgets everything erases its flash first.
const FORGETTING: Duration = Duration::from_secs(90);

/// Without a trace: everything is as before but the code, which was shown.
pub fn check(door: &Door) -> Outcome {
    let code = &first_code(door)?;
    step("the code is shown once", || Ok(must(post(door, "/settings/code", "")?.0 == 403, "it was shown twice")?))?;
    step("only who has the code may change something", || refuses(door, code))?;
    step("games are closed and opened", || closes_games(door, code))?;
    step("rules and times are changed", || changes_rules(door, code))
}

/// What is chosen outlives a power cut, and nothing outlives the button.
pub fn check_kept(run: &Path, elf: &Path) -> Outcome {
    let start = Start { run, elf, qemu: "" };
    let mut code = String::new();
    step("a board is set up", || {
        let board = start.pages("settings", &[])?;
        let door = web::door(board.port);
        code = first_code(&door)?;
        for word in ["name=den", "pace=0.25", "pot=77", "games=pimp,yard"] {
            must(post(&door, "/settings", &format!("{code} {word}"))?.0 == 200, word)?;
        }
        board.wait(REST);
        board.complaint().map_or(Ok(()), |why| Err(format!("{why}\n{}", board.log()).into()))
    })?;
    step("a power cut, and it is as it was", || {
        let mut board = start.pages("settings-again", &[])?;
        let door = web::door(board.port);
        must(board.log().contains(&format!("the code is {code}")), "another code")?;
        let own = text(&door, "/settings/board")?;
        for word in ["\"name\":\"den\"", "\"pace\":0.250", "\"open\":[\"pimp\",\"yard\"]", "\"was_shown\":true"] {
            must(own.contains(word), &format!("{word}: {own}"))?;
        }
        must(text(&door, "/settings/pimp")?.contains("\"pot\":\"77\""), "another pot")?;
        must(post(&door, "/settings", &format!("{code} name=attic"))?.0 == 200, "the code is forgotten")?;
        board.hold_button()?;
        let end = Instant::now() + FORGETTING;
        while board.is_running()? {
            must(Instant::now() < end, &format!("it forgets nothing\n{}", board.log()))?;
            sleep(Duration::from_millis(100));
        }
        Ok(must(board.log().contains("everything is forgotten"), &board.log())?)
    })?;
    step("the button was held, and it is as when it was new", || {
        let board = start.pages("settings-new", &[])?;
        let own = text(&web::door(board.port), "/settings/board")?;
        for word in ["\"name\":\"parlor\"", "\"pace\":0.000", "\"venus\"]", "\"was_shown\":false"] {
            must(own.contains(word), &format!("{word}: {own}"))?;
        }
        must(!board.log().contains(&code), "the same code")?;
        Ok(must(board.log().contains("nothing saved") && !board.log().contains("goes on"), &board.log())?)
    })
}

fn first_code(door: &Door) -> Result<String, Box<dyn std::error::Error>> {
    door.guest(BOOT)?;
    must(text(door, "/settings/board")?.contains("\"was_shown\":false"), "it was shown already")?;
    let (status, answer) = post(door, "/settings/code", "")?;
    must(status == 200, &format!("{status} {answer}"))?;
    let code = answer.strip_prefix("{\"code\":\"").and_then(|rest| rest.strip_suffix("\"}"));
    Ok(code.ok_or("no code")?.to_string())
}

fn text(door: &Door, path: &str) -> Result<String, Box<dyn std::error::Error>> {
    Ok(String::from_utf8(ask(door, &get(path, ""))?.body)?)
}

fn post(door: &Door, path: &str, body: &str) -> Result<(u16, String), Box<dyn std::error::Error>> {
    post_from(door, path, body, "parlor.local")
}

fn post_from(door: &Door, path: &str, body: &str, origin: &str) -> Result<(u16, String), Box<dyn std::error::Error>> {
    let lines = format!("Origin: http://{origin}\r\nContent-Length: {}\r\n", body.len());
    let answer = ask(door, &(get(path, &lines).replacen("GET", "POST", 1) + body))?;
    Ok((answer.status, String::from_utf8(answer.body)?))
}

fn refuses(door: &Door, code: &str) -> Outcome {
    let before = text(door, "/settings/board")?;
    let long = format!("{code} name={}", "x".repeat(130));
    for (body, status) in [
        ("", 400),
        ("name=den", 400),
        ("aaaaaaaa name=den", 403),
        (&code[1..], 400),
        (&format!("{code} name=Two Words"), 400),
        (&format!("{code} seed=1"), 400),
        (&format!("{code} games=chess"), 400),
        (&long, 413),
    ] {
        let answer = post(door, "/settings", body)?.0;
        must(answer == status, &format!("{body}: {answer}"))?;
    }
    let foreign = post_from(door, "/settings", &format!("{code} name=den"), "evil.example")?.0;
    must(foreign == 403, "anybody's page may change something")?;
    must(ask(door, &get("/settings/chess", ""))?.status == 404, "settings of no game")?;
    Ok(must(text(door, "/settings/board")? == before, "something has changed")?)
}

fn closes_games(door: &Door, code: &str) -> Outcome {
    let choose = |word: &str| post(door, "/settings", &format!("{code} {word}")).map(|(status, _)| status == 200);
    must(choose("games=yard")? && choose("name=den")?, "refused")?;
    let lobby = text(door, "/lobby")?;
    must(lobby.contains("\"games\":[\"yard\"]") && lobby.contains("\"tables\":[]"), &lobby)?;
    must(lobby.contains("\"board\":\"den\""), &lobby)?;
    for path in ["/pimp", "/ws/pimp", "/ws/venus"] {
        must(ask(door, &get(path, ""))?.status == 404, path)?;
    }
    must(ask(door, &get("/yard", ""))?.status == 200, "no page of the game that is left")?;
    must(choose("games=pimp,yard,venus")? && choose("name=parlor")?, "refused")?;
    Ok(must(ask(door, &get("/pimp", ""))?.status == 200, "it stays closed")?)
}

fn changes_rules(door: &Door, code: &str) -> Outcome {
    let before = text(door, "/settings/pimp")?;
    let (status, answer) = post(door, "/settings", &format!("{code} pimp-pot=77"))?;
    must(status == 200 && answer == "{\"waits\":false}", &answer)?;
    must(text(door, "/settings/pimp")?.contains("\"pot\":\"77\""), "the page says otherwise")?;
    must(text(door, "/lobby")?.contains("\"pot\":77"), "the lobby says otherwise")?;
    must(post(door, "/settings", &format!("{code} pimp-pot=100"))?.0 == 200, "refused")?;
    Ok(must(text(door, "/settings/pimp")? == before, &before)?)
}
