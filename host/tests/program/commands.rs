//! The commands beside `serve`, where they can't do what is asked: one sentence that says what is wrong.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::common::{NOBODY, Server, parlor, run, scratch};

/// What is said of these words, which can't be carried out.
fn refused(words: &[&str]) -> String {
    let output = run(words);
    let (out, text) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!output.status.success(), "{words:?}: {out}{text}");
    assert!(text.starts_with("parlor: ") && text.lines().count() == 1 && out.is_empty(), "{words:?}: {out}{text}");
    text.into_owned()
}

#[test]
fn a_folder_without_a_journal_is_not_said_to_agree() {
    let folder = scratch("no-journal");
    let told = refused(&["replay", folder.to_str().unwrap()]);
    assert!(told.contains("no data directory with a journal"), "{told}");
}

#[test]
fn where_nobody_listens_it_is_said() {
    let nobody = NOBODY.to_string();
    for words in [&["status", "--http", &nobody][..], &["bot", "--connect", &nobody]] {
        let told = refused(words);
        assert!(told.contains("nothing listens there"), "{told}");
    }
}

#[test]
fn a_port_of_another_kind_is_named() {
    let server = Server::start(&["--join-timeout", "0.2"]);
    let [pimp, http] = ["pimp", "http"].map(|flag| server.port(flag).to_string());
    let told = refused(&["status", "--http", &pimp]);
    assert!(told.contains("no HTTP is spoken there"), "{told}");
    let told = refused(&["status", "--http", &format!("https://{http}")]);
    assert!(told.contains("no TLS is spoken there"), "{told}");
    let told = refused(&["inspect", &http, "--once"]);
    assert!(told.contains("no board"), "{told}");
    let told = refused(&["bot", "--connect", &format!("tls://{pimp}"), "--insecure"]);
    assert!(told.contains("no TLS is spoken there"), "{told}");
}

/// It comes back for half an hour: a server may be starting. Meanwhile it says what may be wrong.
#[test]
fn a_bot_at_the_port_of_another_game_asks_whether_it_is_right() {
    let server = Server::start(&["--yard", "127.0.0.1:0", "--yard-login-timeout", "0.2"]);
    let mut bot = parlor();
    let mut bot =
        bot.args(["bot", "--connect", &server.port("yard").to_string()]).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(bot.stderr.take().unwrap()).read_line(&mut line).unwrap();
    bot.kill().unwrap();
    bot.wait().unwrap();
    assert!(line.contains("is that a port of pimp?"), "{line}");
}

#[test]
fn a_server_alone_is_no_node() {
    let server = Server::start(&[]);
    let http = server.port("http").to_string();
    for words in [&["status", "--cluster", "--http", &http][..], &["drain", "--http", &http]] {
        let told = refused(words);
        assert!(told.contains("this server is no node of a cluster"), "{told}");
    }
    let told = refused(&["admin", "unban", "192.0.2.7", "--http", &http]);
    assert!(told.contains("192.0.2.7 was not banned"), "{told}");
}
