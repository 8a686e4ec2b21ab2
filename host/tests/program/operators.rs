//! What whoever runs a server may rely on: flags count on a directory that has games in it, SIGHUP reads everything again,
//! what is lost is said, and no crowd at the door stops the games inside.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{self, PATIENCE, Server, handshake, parlor, run, scratch, tcp, tcp_from, tls};
use rustix::process::{Pid, Signal, kill_process};

/// An empty folder.
fn fresh(name: &str) -> PathBuf {
    let data = scratch(name);
    fs::remove_dir_all(&data).unwrap();
    data
}

fn start(data: &Path, more: &[&str]) -> Server {
    Server::start(&[&["--data", data.to_str().unwrap()][..], more].concat())
}

fn stop(mut server: Server) {
    server.terminate();
    assert!(server.wait().success());
}

/// A server whose words to people are heard.
struct Heard {
    child: Child,
    ready: String,
    words: std::thread::JoinHandle<String>,
}

impl Heard {
    fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut errors = child.stderr.take().unwrap();
        let words = std::thread::spawn(move || {
            let mut words = String::new();
            errors.read_to_string(&mut words).unwrap();
            words
        });
        let mut ready = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut ready).unwrap();
        Self { child, ready, words }
    }

    fn port(&self, flag: &str) -> SocketAddr {
        let of = |word: &str| word.strip_prefix(flag)?.strip_prefix('=')?.split(',').next()?.parse().ok();
        self.ready.split_whitespace().find_map(of).unwrap_or_else(|| panic!("no {flag} in {}", self.ready))
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_raw(self.child.id() as i32).unwrap(), signal).unwrap();
    }

    /// Everything it said, once it has ended.
    fn stop(mut self) -> String {
        self.signal(Signal::TERM);
        assert!(self.child.wait().unwrap().success());
        self.words.join().unwrap()
    }
}

fn heard(data: &Path, more: &[&str]) -> Heard {
    let mut command = parlor();
    command.args(["--pimp", "127.0.0.1:0", "--pimp-ws", "off", "--http", "127.0.0.1:0", "--log", "info"]);
    command.args(["--data", data.to_str().unwrap()]).args(more);
    Heard::start(command)
}

/// Joins; WELCOME_DETAILS when the others agree.
fn join(stream: &mut TcpStream, name: &str, plays: bool) {
    let length = 3 + name.len() as u8;
    stream.write_all(&[&[0x02, length, 0, u8::from(plays), name.len() as u8][..], name.as_bytes()].concat()).unwrap();
}

#[test]
fn limits_and_times_count_at_once_on_a_directory_that_has_games() {
    let data = fresh("flags");
    let server = start(&data, &["--join-timeout", "600", "--pot", "off"]);
    let mut ann = server.tcp();
    handshake(&mut ann);
    join(&mut ann, "ann", true);
    ann.read_exact(&mut [0; 7]).unwrap();
    stop(server);
    // The time to join is a short one now; rules wait, for a game is being played.
    let server = heard(&data, &["--join-timeout", "0.5", "--pot", "700", "--yard", "off"]);
    let mut silent = tcp(server.port("pimp"));
    handshake(&mut silent);
    let begun = Instant::now();
    assert_eq!(silent.read(&mut [0]).unwrap_or(0), 0, "closed, long before ten minutes");
    assert!(begun.elapsed() < PATIENCE);
    let words = server.stop();
    assert!(words.contains("table pimp 1 is being played by its old rules; from the next game: --pot"), "{words}");
    // What changed is in the journal: it plays again as it was played.
    let replay = run(&["replay", data.to_str().unwrap()]);
    let told = String::from_utf8(replay.stdout).unwrap();
    assert!(replay.status.success() && told.contains("goes by join_timeout = 500ms"), "{told}");
    assert!(!told.contains("goes by pot"), "{told}");
    fs::remove_dir_all(data).unwrap();
}

#[test]
fn rules_count_from_the_next_game() {
    let data = fresh("rules");
    let server = start(&data, &["--pot", "off"]);
    handshake(&mut server.tcp());
    stop(server);
    // Nobody plays: that is the next game already.
    let server = heard(&data, &["--pot", "700"]);
    let words = server.stop();
    assert!(!words.contains("old rules"), "{words}");
    let told = String::from_utf8(run(&["replay", data.to_str().unwrap()]).stdout).unwrap();
    assert!(told.contains("goes by pot = 700"), "{told}");
    fs::remove_dir_all(data).unwrap();
}

#[test]
fn a_game_that_is_off_has_no_port_at_all() {
    let mut command = parlor();
    command.args(["--pimp", "off", "--http", "127.0.0.1:0", "--log", "warn"]);
    let server = Server::spawn(command);
    assert!(server.ready.contains(" pimp-ws=off "), "{}", server.ready);
}

fn own_certificate(folder: &Path) -> String {
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    fs::write(folder.join("cert.pem"), own.cert.pem()).unwrap();
    fs::write(folder.join("key.pem"), own.signing_key.serialize_pem()).unwrap();
    parlor::tls::fingerprint(own.cert.der())
}

/// The certificate that is shown to who comes now.
fn shown(address: SocketAddr) -> String {
    let mut stream = tls(tcp(address));
    handshake(&mut stream);
    parlor::tls::fingerprint(&stream.conn.peer_certificates().unwrap()[0])
}

/// Whoever has the token commands: it is told to no server that could be a pretender.
#[test]
fn a_token_is_told_to_the_server_alone() {
    // Nobody has this address (RFC 5737): it is not even tried.
    let far = ["status", "--http", "https://192.0.2.1:8080", "--token", "sesame"];
    let refused = run(&far);
    let why = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(2) && why.contains("--fingerprint"), "{why}");
    let folder = scratch("token");
    let fingerprint = own_certificate(&folder);
    let [cert, key] = ["cert.pem", "key.pem"].map(|name| folder.join(name).display().to_string());
    let server = Server::start(&["--token", "sesame", "--tls-cert", &cert, "--tls-key", &key]);
    let at = format!("https://{}", server.port("http"));
    let ask = |fingerprint: &str| run(&["status", "--http", &at, "--token", "sesame", "--fingerprint", fingerprint]);
    assert!(ask(&fingerprint).status.success());
    let pretender = ask(&"00".repeat(32));
    let why = String::from_utf8_lossy(&pretender.stderr);
    assert!(pretender.status.code() == Some(1) && why.contains("another fingerprint"), "{why}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_hang_up_reads_certificate_and_settings_again() {
    let (data, folder) = (fresh("hup"), scratch("hup-files"));
    let first = own_certificate(&folder);
    let (file, cert, key) = (folder.join("parlor.toml"), folder.join("cert.pem"), folder.join("key.pem"));
    fs::write(&file, "join-timeout = 600\nmax-tables = 1\n").unwrap();
    let paths = [&file, &cert, &key].map(|path| path.to_str().unwrap());
    let server = heard(&data, &["--config", paths[0], "--tls-cert", paths[1], "--tls-key", paths[2]]);
    assert_eq!(shown(server.port("pimp")), first);
    let mut seated = tcp(server.port("pimp"));
    handshake(&mut seated);
    let second = own_certificate(&folder);
    fs::write(&file, "join-timeout = 0.5\nmax-tables = 2\ntables = 2\nhost-name = \"games.example\"\n").unwrap();
    server.signal(Signal::HUP);
    // When it has taken note of it is not for us to say.
    let end = Instant::now() + PATIENCE;
    while shown(server.port("pimp")) != second {
        assert!(Instant::now() < end, "the old certificate for ever");
    }
    // Whoever is connected stays so long as may be, which is not long now.
    assert_eq!(seated.read(&mut [0]).unwrap_or(0), 0);
    let mut page = tcp(server.port("http"));
    page.write_all(b"GET /healthz HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    page.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    // A fault in the file changes nothing.
    fs::write(&file, "join-timeout = \"never\"\n").unwrap();
    server.signal(Signal::HUP);
    std::thread::sleep(Duration::from_millis(300));
    let words = server.stop();
    assert!(words.contains("some wait for the next start") && words.contains("--tables"), "{words}");
    assert!(words.contains("the settings stay as they are"), "{words}");
    fs::remove_dir_all(data).unwrap();
}

#[test]
fn a_renewed_certificate_is_noticed() {
    let (data, folder) = (fresh("renewed"), scratch("renewed-files"));
    let first = own_certificate(&folder);
    let (cert, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    let server = heard(&data, &["--tls-cert", cert.to_str().unwrap(), "--tls-key", key.to_str().unwrap()]);
    assert_eq!(shown(server.port("pimp")), first);
    let second = own_certificate(&folder);
    let end = Instant::now() + PATIENCE;
    while shown(server.port("pimp")) != second {
        assert!(Instant::now() < end, "the old certificate for ever");
        std::thread::sleep(Duration::from_millis(200));
    }
    server.stop();
    fs::remove_dir_all(data).unwrap();
}

#[test]
fn where_tls_is_required_nothing_plain_is_answered() {
    let data = fresh("required");
    let server = start(&data, &["--tls", "required"]);
    handshake(&mut tls(server.tcp()));
    let mut plain = server.tcp();
    plain.write_all(common::HELLO).unwrap();
    assert_eq!(plain.read(&mut [0]).unwrap_or(0), 0);
    let mut page = tcp(server.port("http"));
    page.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    assert_eq!(page.read(&mut [0]).unwrap_or(0), 0);
    let mut page = tls(tcp(server.port("http")));
    page.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    let _ = page.read_to_string(&mut answer);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    drop(server);
    fs::remove_dir_all(data).unwrap();
}

fn segments(data: &Path) -> Vec<PathBuf> {
    let mut names: Vec<_> = fs::read_dir(data.join("journal")).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    names
}

#[test]
fn segments_that_are_gone_or_empty_are_noticed() {
    for is_gone in [true, false] {
        let data = fresh(&format!("segments-{is_gone}"));
        for _ in 0..2 {
            let server = start(&data, &[]);
            handshake(&mut server.tcp());
            stop(server);
        }
        let last = segments(&data).pop().unwrap();
        if is_gone {
            fs::remove_file(&last).unwrap()
        } else {
            fs::write(&last, "").unwrap()
        }
        let words = heard(&data, &[]).stop();
        let what =
            if is_gone { "is missing: what happened then is lost" } else { "is empty: what happened then is lost" };
        assert!(words.contains(what), "{words}");
        // It was said once.
        let words = heard(&data, &[]).stop();
        assert!(!words.contains("is lost"), "{words}");
        fs::remove_dir_all(data).unwrap();
    }
}

#[test]
fn what_is_no_file_is_passed_over() {
    let data = fresh("no-files");
    let server = start(&data, &[]);
    let game = handshake(&mut server.tcp());
    stop(server);
    fs::create_dir(data.join("tables/pimp.1.00000000000000ff.snap")).unwrap();
    fs::create_dir(data.join("journal/00000000000000ff.log")).unwrap();
    let pipe = data.join("tables/pimp.1.00000000000000fe.snap");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let server = heard(&data, &[]);
    assert_eq!(handshake(&mut tcp(server.port("pimp"))), game);
    let words = server.stop();
    assert!(words.contains("is no file and is passed over"), "{words}");
    fs::remove_dir_all(data).unwrap();
}

#[test]
fn a_crowd_at_the_door_leaves_the_journal_its_files() {
    let data = fresh("crowd");
    let mut command = parlor();
    let program = command.get_program().to_owned();
    command = {
        let mut limited = Command::new("sh");
        limited.arg("-c").arg("ulimit -n 128; exec \"$0\" \"$@\"").arg(program);
        command.get_envs().for_each(|(name, value)| match value {
            Some(value) => _ = limited.env(name, value),
            None => _ = limited.env_remove(name),
        });
        limited
    };
    let flags = ["--pimp", "127.0.0.1:0", "--pimp-ws", "off", "--http", "127.0.0.1:0", "--log", "info", "--rate", "0"];
    command.args(flags).args(["--data", data.to_str().unwrap()]);
    let server = Heard::start(command);
    let mut honest = tcp(server.port("pimp"));
    let game = handshake(&mut honest);
    let crowd: Vec<_> = (0..200).map(|_| tcp(server.port("pimp"))).collect();
    // Enough words for some segments; each is noted.
    for _ in 0..50 {
        assert_eq!(handshake(&mut honest), game);
    }
    drop(crowd);
    let words = server.stop();
    assert!(words.contains("there may be so many connections"), "{words}");
    assert!(!words.contains("can't accept") && !words.contains("can't be written"), "{words}");
    fs::remove_dir_all(data).unwrap();
}

/// What a switched off hall left behind does not keep every record for ever.
#[test]
fn the_journal_of_what_is_switched_off_does_not_grow_without_end() {
    let data = fresh("switched-off");
    let server = start(&data, &["--yard", "127.0.0.1:0"]);
    let mut joe = tcp(server.port("yard"));
    joe.write_all(b"protocol 2.0\r\nlogin joe secret\r\nnewgame evening standard\r\n").unwrap();
    let mut lines = BufReader::new(joe.try_clone().unwrap());
    for _ in 0..3 {
        let mut line = String::new();
        while !line.starts_with("- ") {
            line.clear();
            lines.read_line(&mut line).unwrap();
        }
    }
    drop((joe, lines));
    stop(server);
    let server = start(&data, &["--rate", "0", "--durability", "relaxed", "--join-timeout", "600"]);
    // Frames of an unknown kind, each noted: 256 bytes. More than three times what segments hold.
    let frames = [&[0x0F, 254][..], &[0xAA; 254]].concat().repeat(256);
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                let mut stream = server.tcp();
                let mut ears = stream.try_clone().unwrap();
                let listening = std::thread::spawn(move || while ears.read(&mut [0; 65536]).is_ok_and(|n| n > 0) {});
                for _ in 0..32 {
                    stream.write_all(&frames).unwrap();
                }
                let _ = stream.shutdown(std::net::Shutdown::Write);
                listening.join().unwrap();
            });
        }
    });
    let size = || segments(&data).iter().map(|path| fs::metadata(path).unwrap().len()).sum::<u64>();
    let end = Instant::now() + PATIENCE;
    while size() > 26 << 20 {
        assert!(Instant::now() < end, "{} bytes of {}", size(), 20 * 32 * 256 * 256);
        std::thread::sleep(Duration::from_millis(100));
    }
    stop(server);
    // And whoever had an account has it when the hall is open again.
    let server = start(&data, &["--yard", "127.0.0.1:0"]);
    let list = server.http("GET", "/tables", &[]).1;
    assert!(list.contains("\"game\":\"yard\",\"users\":1"), "{list}");
    drop(server);
    fs::remove_dir_all(data).unwrap();
}

fn admin(server: &Server, words: &[&str]) -> (Option<i32>, String) {
    let address = server.port("http").to_string();
    let output = run(&[&["admin", "--http", &address][..], words].concat());
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

#[test]
fn whoever_runs_the_server_can_end_games_and_send_people_away() {
    let data = fresh("admin");
    let server = start(&data, &[]);
    let mut ann = tcp_from("127.0.0.2", server.port("pimp"));
    let game = handshake(&mut ann);
    join(&mut ann, "ann", true);
    ann.read_exact(&mut [0; 7]).unwrap();
    let mut eve = tcp_from("127.0.0.3", server.port("pimp"));
    handshake(&mut eve);
    let (_, list) = admin(&server, &["list"]);
    let has = |address: &str, joined: bool| {
        list.lines().any(|line| line.ends_with(address) && line.contains("joined") == joined)
    };
    assert!(has("127.0.0.2", true) && has("127.0.0.3", false), "{list}");
    // Sent away, she may come back; banned, she may not, after a restart neither.
    assert_eq!(admin(&server, &["kick", "127.0.0.3"]), (Some(0), "1 connections closed\n".into()));
    eve.read_to_end(&mut Vec::new()).unwrap();
    handshake(&mut tcp_from("127.0.0.3", server.port("pimp")));
    assert_eq!(admin(&server, &["ban", "127.0.0.3"]).0, Some(0));
    assert_eq!(tcp_from("127.0.0.3", server.port("pimp")).read(&mut [0]).unwrap_or(0), 0);
    assert!(admin(&server, &["list"]).1.contains("banned: 127.0.0.3"));
    assert_eq!(admin(&server, &["ban", "127.0.0.0/8"]).0, Some(1), "that is oneself");
    stop(server);
    let server = start(&data, &[]);
    assert_eq!(tcp_from("127.0.0.3", server.port("pimp")).read(&mut [0]).unwrap_or(0), 0);
    assert_eq!(admin(&server, &["unban", "127.0.0.3"]).0, Some(0));
    handshake(&mut tcp_from("127.0.0.3", server.port("pimp")));
    // A game ends, another begins, and a crash does not bring the first one back.
    let mut ann = tcp_from("127.0.0.2", server.port("pimp"));
    assert_eq!(handshake(&mut ann), game);
    assert_eq!(admin(&server, &["end", "pimp", "1"]).0, Some(0));
    ann.read_to_end(&mut Vec::new()).unwrap();
    let other = handshake(&mut tcp_from("127.0.0.2", server.port("pimp")));
    let list = server.http("GET", "/tables", &[]).1;
    assert!(list.contains("\"users\":0"), "{list}");
    drop(server);
    let server = start(&data, &[]);
    assert_eq!(handshake(&mut tcp_from("127.0.0.2", server.port("pimp"))), other);
    assert_eq!(admin(&server, &["delete", "pimp", "1"]).0, Some(1), "it is always there");
    server.http("POST", "/tables", &[]);
    assert_eq!(admin(&server, &["delete", "pimp", "2"]).0, Some(0));
    assert_eq!(admin(&server, &["end", "chess", "1"]).0, Some(1));
    drop(server);
    fs::remove_dir_all(data).unwrap();
}

#[test]
fn whoever_runs_the_server_can_end_a_game_of_a_hall() {
    let data = fresh("end-game");
    let flags = ["--yard", "127.0.0.1:0", "--venus", "127.0.0.1:0"];
    let server = start(&data, &flags);
    let mut joe = tcp(server.port("yard"));
    joe.write_all(b"protocol 2.0\r\nlogin joe secret\r\nnewgame \"all evening\" standard\r\n").unwrap();
    let mut ears = BufReader::new(joe.try_clone().unwrap());
    let mut hear = |wanted: &str| {
        let mut line = String::new();
        while line.trim_end() != wanted {
            line.clear();
            assert_ne!(ears.read_line(&mut line).unwrap(), 0, "closed before {wanted}");
        }
    };
    (0..3).for_each(|_| hear("- ok"));
    let mut ann = tcp(server.port("venus"));
    ann.write_all(b"LOGIN,ann,secret\nNEWROOM,den\nCHANGEROOM,den\n").unwrap();
    let mut told = BufReader::new(ann.try_clone().unwrap());
    let mut told = |wanted: &str| {
        let mut line = String::new();
        while line.trim_end() != wanted {
            line.clear();
            assert_ne!(told.read_line(&mut line).unwrap(), 0, "closed before {wanted}");
        }
    };
    told("INHABITANT,ann,den");
    let (_, list) = admin(&server, &["list"]);
    assert!(list.lines().any(|line| line.starts_with("yard") && line.ends_with("all evening: joe")), "{list}");
    assert!(list.lines().any(|line| line.starts_with("venus") && line.contains("den")), "{list}");
    assert_eq!(admin(&server, &["end", "yard", "1", "morning"]).0, Some(1));
    assert_eq!(admin(&server, &["end", "yard", "1"]).0, Some(1), "which one?");
    assert_eq!(admin(&server, &["end", "pimp", "1", "evening"]).0, Some(1), "it has no name");
    assert_eq!(admin(&server, &["end", "yard", "1", "all evening"]).0, Some(0));
    hear("* gameremoved \"all evening\"");
    assert_eq!(admin(&server, &["end", "venus", "1", "den"]).0, Some(0));
    told("DROPROOM,den");
    // A crash brings neither back, and both are who they were.
    drop(server);
    let server = start(&data, &flags);
    let (_, list) = admin(&server, &["list"]);
    assert!(!list.contains("evening") && !list.contains("den"), "{list}");
    drop(server);
    let replay = run(&["replay", data.to_str().unwrap()]);
    assert!(replay.status.success(), "{}", String::from_utf8_lossy(&replay.stdout));
    fs::remove_dir_all(data).unwrap();
}

#[test]
fn whoever_runs_the_server_can_end_a_game_of_a_lobby() {
    let server = Server::start(&["--pimp-lobby", "127.0.0.1:0"]);
    let mut ann = tcp(server.port("pimp-lobby"));
    handshake(&mut ann);
    join(&mut ann, "ann", true);
    ann.read_exact(&mut [0; 7]).unwrap();
    assert_eq!(admin(&server, &["end", "pimp-lobby", "1"]).0, Some(0));
    ann.read_to_end(&mut Vec::new()).unwrap();
    let (_, list) = admin(&server, &["list"]);
    assert!(!list.contains("ann"), "{list}");
}
