//! Players who are told elsewhere that it is their turn: by the real program, at a listener of the test's own.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use crate::common::{NOBODY, PATIENCE, Server, handshake, parlor, scratch, tcp};
use serde_json::json;

/// Webhooks are allowed, also to this machine, and are sent without delay.
const ALLOWED: [&str; 5] = ["--notify", "--notify-network", "127.0.0.0/8", "--notify-after", "0"];

/// What came to the listener: path, head and body.
#[derive(Debug)]
struct Came {
    path: String,
    head: String,
    body: String,
}

/// Somebody who takes POSTs, like ntfy.
struct Listener {
    at: SocketAddr,
    came: Receiver<Came>,
}

impl Listener {
    /// Answers with what `answer` says of a path.
    fn new(answer: impl Fn(&str) -> String + Send + 'static) -> Self {
        Self::over(answer, |stream| Box::new(stream))
    }

    fn over(
        answer: impl Fn(&str) -> String + Send + 'static,
        speak: impl Fn(TcpStream) -> Box<dyn Both> + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (at, (tell, came)) = (listener.local_addr().unwrap(), channel());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                // Whoever does not trust us says nothing more.
                let _ = take(&mut *speak(stream.unwrap()), &answer, &tell);
            }
        });
        Self { at, came }
    }

    fn taking() -> Self {
        Self::new(|_| "200 OK".into())
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.at)
    }

    fn next(&self) -> Came {
        self.came.recv_timeout(PATIENCE).expect("something should come")
    }

    /// Nothing has come so far.
    fn is_quiet(&self) -> bool {
        self.came.try_recv().is_err()
    }
}

trait Both: Read + Write {}
impl<T: Read + Write> Both for T {}

fn take(stream: &mut dyn Both, answer: &dyn Fn(&str) -> String, tell: &Sender<Came>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut line) = (String::new(), String::new());
    while reader.read_line(&mut line)? > 2 {
        head += &std::mem::take(&mut line);
    }
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")?.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let answer = format!("HTTP/1.1 {}\r\nContent-Length: 0\r\n\r\n", answer(&path));
    reader.get_mut().write_all(answer.as_bytes())?;
    reader.get_mut().flush()?;
    tell.send(Came { path, head, body: String::from_utf8(body).unwrap() }).map_err(std::io::Error::other)
}

/// Somebody at the hall's port, who speaks in lines.
struct Client(BufReader<TcpStream>);

impl Client {
    fn new(at: SocketAddr) -> Self {
        Self(BufReader::new(tcp(at)))
    }

    fn say(&mut self, line: &str) {
        self.0.get_mut().write_all(format!("{line}\r\n").as_bytes()).unwrap();
    }

    /// Up to the line that is waited for.
    fn until(&mut self, is_it: impl Fn(&str) -> bool) -> String {
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the connection was closed");
            if is_it(line.trim_end()) {
                return line.trim_end().to_owned();
            }
        }
    }
}

/// At Scotland Yard: joe is Mr. X, dan has all detectives. The game has not begun.
fn joe_and_dan(server: &Server) -> [Client; 2] {
    let mut both = ["joe", "dan"].map(|name| {
        let mut client = Client::new(server.port("yard"));
        client.say("protocol 2.0");
        client.say(&format!("#1 login {name} pw"));
        client.until(|line| line == "#1 ok");
        client
    });
    let [joe, dan] = &mut both;
    joe.say("#2 newgame evening standard");
    joe.until(|line| line == "#2 ok");
    dan.say("#2 join evening");
    dan.until(|line| line == "#2 ok");
    both
}

fn begin(both: &mut [Client; 2]) {
    for client in both {
        client.say("#3 votestart True");
        client.until(|line| line == "#3 ok");
    }
}

fn wish(place: &str, name: &str, url: &str) -> String {
    json!({ "place": place, "name": name, "key": format!("key of {name}"), "url": url }).to_string()
}

fn set(server: &Server, table: &str, wish: &str) -> u16 {
    server.http_with("PUT", &format!("/notify/{table}"), &[], wish).0
}

#[test]
fn whose_turn_it_is_is_told_at_scotland_yard() {
    let (server, listener) = (Server::start(&[&ALLOWED[..], &["--yard", "127.0.0.1:0"]].concat()), Listener::taking());
    assert_eq!(server.http("GET", "/notify", &[]), (200, "{\"is_allowed\":true}".into()));
    let mut both = joe_and_dan(&server);
    assert_eq!(set(&server, "yard/1", &wish("evening", "joe", &listener.url("/joe?priority=high"))), 204);
    let greeting = listener.next();
    assert!(greeting.head.starts_with("POST /joe?priority=high HTTP/1.1\r\n"), "{greeting:?}");
    assert!(greeting.head.contains(&format!("Host: {}\r\n", listener.at)), "{greeting:?}");
    assert!(greeting.head.contains("Content-Type: text/plain"), "{greeting:?}");
    assert_eq!(greeting.body, "You will be told here when it is your turn, joe: Scotland Yard, evening.");
    assert_eq!(set(&server, "yard/1", &wish("evening", "dan", &listener.url("/dan"))), 204);
    assert_eq!(listener.next().path, "/dan");
    begin(&mut both);
    let told = listener.next();
    assert_eq!(
        (told.path.as_str(), told.body.as_str()),
        ("/joe?priority=high", "It is your turn, joe: Scotland Yard, evening.")
    );
    assert!(listener.is_quiet());
}

/// ann and bob at Merchant of Venus; the name of the one whose turn it is comes first.
fn ann_and_bob(server: &Server, before: impl FnOnce()) -> (String, String, Vec<Client>) {
    let mut both = ["ann", "bob"].map(|name| {
        let mut client = Client::new(server.port("venus"));
        client.say(&format!("LOGIN,{name},pw"));
        client.until(|line| line == format!("INHABITANT,{name},Great Hall"));
        client
    });
    both[0].say("NEWROOM,den");
    for client in &mut both {
        client.say("CHANGEROOM,den");
        client.until(|line| line.ends_with(",den") && line.starts_with("INHABITANT"));
    }
    both[0].say("NEWGAME,MerchantOfVenus");
    for (client, me) in both.iter_mut().zip(0..) {
        client.until(|line| line.starts_with("NEWSTATE,InitialState"));
        client.say("JOIN");
        client.until(|line| line == format!("IAM,{me}"));
    }
    before();
    both[0].say("VALIDATESETUP");
    for client in &mut both {
        client.until(|line| line.starts_with("NEWSTATE,ValidateSetup"));
        client.say("LIKEOPTIONS");
    }
    let current = both[0].until(|line| line.starts_with("CURPLAYER,"));
    let mut both = Vec::from(both);
    let mut names = ["ann".to_owned(), "bob".to_owned()];
    if current == "CURPLAYER,1" {
        names.reverse();
        both.reverse();
    }
    let [first, second] = names;
    (first, second, both)
}

#[test]
fn the_turn_that_follows_is_told_and_who_wants_no_more_is_told_no_more() {
    let (server, listener) = (Server::start(&[&ALLOWED[..], &["--venus", "127.0.0.1:0"]].concat()), Listener::taking());
    let (first, second, mut players) = ann_and_bob(&server, || {
        for name in ["ann", "bob"] {
            assert_eq!(set(&server, "venus/1", &wish("den", name, &listener.url(&format!("/{name}")))), 204);
            assert_eq!(listener.next().path, format!("/{name}"));
            // Whoever has not the key that it was set with can't take it back.
            let eve = json!({ "place": "den", "name": name, "key": "guessed" }).to_string();
            assert_eq!(server.http_with("DELETE", "/notify/venus/1", &[], &eve).0, 204);
        }
    });
    let told = listener.next();
    assert_eq!(
        (told.path, told.body),
        (format!("/{first}"), format!("It is your turn, {first}: Merchant of Venus, den."))
    );
    let mut end_turn = |player: usize| {
        players[player].say("ENDMOVE");
        players[player].say("ENDTURN");
    };
    end_turn(0);
    assert_eq!(listener.next().body, format!("It is your turn, {second}: Merchant of Venus, den."));
    assert_eq!(server.http_with("DELETE", "/notify/venus/1", &[], &wish("den", &first, "")).0, 204);
    // The same player under another key: what is told now is told there, and at the address from before no more.
    let other = json!({ "place": "den", "name": first, "key": "another", "url": listener.url("/other") }).to_string();
    assert_eq!(set(&server, "venus/1", &other), 204);
    assert_eq!(listener.next().path, "/other");
    end_turn(1);
    assert_eq!(listener.next().path, "/other");
    assert!(listener.is_quiet());
}

#[test]
fn whose_turn_it_is_is_told_at_monopoly() {
    let (server, listener) = (Server::start(&ALLOWED), Listener::taking());
    let mut ann = server.tcp();
    handshake(&mut ann);
    // JOIN as a player, piece 0: alone at the table, nobody is waited for.
    ann.write_all(&[0x02, 6, 0, 1, 3, b'a', b'n', b'n']).unwrap();
    frame(&mut ann).unwrap();
    assert_eq!(set(&server, "pimp/1", &wish("", "ann", &listener.url("/ann"))), 204);
    assert_eq!(listener.next().body, "You will be told here when it is your turn, ann: Monopoly, table 1.");
    // ACCEPT_JOIN for whoever asks to come in. A bot plays on until it is ann's turn.
    assert_eq!(server.http("POST", "/tables/1/bots", &[]).0, 202);
    let mut ears = ann.try_clone().unwrap();
    std::thread::spawn(move || {
        while let Ok((code, payload)) = frame(&mut ears) {
            // QUERY_JOIN_PLAY.
            if code == 0x06 {
                let candidate = &payload[..4];
                ann.write_all(&[&[0x08, 4], candidate].concat()).unwrap();
            }
        }
    });
    assert_eq!(listener.next().body, "It is your turn, ann: Monopoly, table 1.");
}

/// Whoever sits at a lobby's table knows the number of the game there.
#[test]
fn a_lobbys_table_is_known_by_its_game() {
    let flags = [&ALLOWED[..], &["--pimp-lobby", "127.0.0.1:0"]].concat();
    let (server, listener) = (Server::start(&flags), Listener::taking());
    let mut ann = tcp(server.port("pimp-lobby"));
    let game = handshake(&mut ann);
    ann.write_all(&[0x02, 6, 0, 1, 3, b'a', b'n', b'n']).unwrap();
    ann.read_exact(&mut [0; 2]).unwrap();
    let wish = wish("", "ann", &listener.url("/ann"));
    assert_eq!(set(&server, &format!("pimp-lobby/{}", game ^ 1), &wish), 404);
    assert_eq!(set(&server, &format!("pimp-lobby/{game}"), &wish), 204);
    assert_eq!(listener.next().body, "You will be told here when it is your turn, ann: Monopoly.");
}

fn frame(stream: &mut TcpStream) -> std::io::Result<(u8, Vec<u8>)> {
    let mut head = [0; 2];
    stream.read_exact(&mut head)?;
    let mut payload = vec![0; head[1].into()];
    stream.read_exact(&mut payload)?;
    Ok((head[0], payload))
}

#[test]
fn nothing_is_sent_into_the_servers_network_unless_it_is_allowed() {
    let listener = Listener::taking();
    let port = listener.at.port();
    let inside = ["127.0.0.1", "localhost", "127.1.2.3", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433"];
    let further = ["10.0.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "[fe80::1]", "[fd00::1]"];
    let no_urls = ["", "joe", "ftp://ntfy.example/joe", "file:///etc/passwd", "http://joe:pw@ntfy.example/"];
    let url = |host: &&str| format!("http://{host}:{port}/joe");
    // One server is asked twelve times at once, and no more often.
    for urls in
        [inside.iter().map(url).chain(no_urls.map(String::from)).collect::<Vec<_>>(), further.iter().map(url).collect()]
    {
        let server = Server::start(&["--notify", "--yard", "127.0.0.1:0"]);
        let _both = joe_and_dan(&server);
        for url in urls {
            assert_eq!(set(&server, "yard/1", &wish("evening", "joe", &url)), 400, "{url}");
        }
    }
    assert!(listener.is_quiet());
}

#[test]
fn what_is_not_taken_is_not_kept_and_no_redirect_is_followed() {
    let goal = Listener::taking();
    let to = goal.url("/goal");
    let listener = Listener::new(move |path| match path {
        "/moved" => format!("302 Found\r\nLocation: {to}"),
        "/kept" => format!("307 Temporary Redirect\r\nLocation: {to}"),
        "/none" => "404 Not Found".into(),
        _ => "204 No Content".into(),
    });
    let server = Server::start(&[&ALLOWED[..], &["--yard", "127.0.0.1:0"]].concat());
    let mut both = joe_and_dan(&server);
    for path in ["/moved", "/kept", "/none"] {
        assert_eq!(set(&server, "yard/1", &wish("evening", "joe", &listener.url(path))), 502, "{path}");
        assert_eq!(listener.next().path, path);
    }
    assert_eq!(set(&server, "yard/1", &wish("evening", "joe", &format!("http://{NOBODY}/"))), 502);
    assert_eq!(set(&server, "yard/1", &wish("evening", "joe", &listener.url("/taken"))), 204);
    assert_eq!(listener.next().path, "/taken");
    begin(&mut both);
    // Of all these the last alone was kept.
    assert_eq!(listener.next().path, "/taken");
    assert!(listener.is_quiet() && goal.is_quiet());
}

#[test]
fn who_may_ask_and_how_often() {
    let listener = Listener::taking();
    let without = Server::start(&["--yard", "127.0.0.1:0"]);
    let _both = joe_and_dan(&without);
    assert_eq!(without.http("GET", "/notify", &[]), (200, "{\"is_allowed\":false}".into()));
    assert_eq!(set(&without, "yard/1", &wish("evening", "joe", &listener.url("/"))), 404);
    let server = Server::start(&[&ALLOWED[..], &["--yard", "127.0.0.1:0"]].concat());
    let _both = joe_and_dan(&server);
    let wish_of = |place, name| wish(place, name, &listener.url("/"));
    assert_eq!(set(&server, "yard/1", &wish_of("evening", "eve")), 403);
    assert_eq!(set(&server, "yard/1", &wish_of("morning", "joe")), 403);
    assert_eq!(set(&server, "yard/2", &wish_of("evening", "joe")), 404);
    assert_eq!(set(&server, "chess/1", &wish_of("evening", "joe")), 404);
    assert_eq!(set(&server, "yard/1", "{}"), 400);
    let foreign = [("Origin", "http://elsewhere.example")];
    assert_eq!(server.http_with("PUT", "/notify/yard/1", &foreign, &wish_of("evening", "joe")).0, 403);
    assert!(listener.is_quiet());
    let answers: Vec<u16> = (0..12).map(|_| set(&server, "yard/1", &wish_of("evening", "joe"))).collect();
    assert!(answers.starts_with(&[204]) && answers.contains(&429), "{answers:?}");
}

/// Everything that the server wrote, in all files of a folder.
fn written(folder: &Path) -> Vec<Vec<u8>> {
    let inside = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    inside.flat_map(|path| if path.is_dir() { written(&path) } else { vec![fs::read(path).unwrap()] }).collect()
}

#[test]
fn an_address_outlives_a_restart_and_is_written_nowhere() {
    let (listener, folder) = (Listener::taking(), scratch("webhooks"));
    let log = folder.with_extension("log");
    let start = || {
        let mut command = parlor();
        let ports = ["--pimp", "off", "--yard", "127.0.0.1:0", "--http", "127.0.0.1:0", "--log", "trace"];
        command.args(ports).args(ALLOWED).arg("--data").arg(&folder);
        command.stderr(File::options().create(true).append(true).open(&log).unwrap());
        Server::spawn(command)
    };
    let mut server = start();
    let mut both = joe_and_dan(&server);
    assert_eq!(set(&server, "yard/1", &wish("evening", "joe", &listener.url("/very-secret-topic"))), 204);
    listener.next();
    begin(&mut both);
    assert_eq!(listener.next().path, "/very-secret-topic");
    server.terminate();
    server.wait();
    let server = start();
    assert_eq!(listener.next().body, "It is your turn, joe: Scotland Yard, evening.");
    drop(server);
    for text in written(&folder).into_iter().chain([fs::read(&log).unwrap()]) {
        assert!(!text.windows(11).any(|part| part == b"very-secret"), "{}", String::from_utf8_lossy(&text));
    }
    fs::remove_dir_all(&folder).unwrap();
    fs::remove_file(&log).unwrap();
}

#[test]
fn a_secure_address_must_prove_who_it_is() {
    let own = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let pem = scratch("webhooks-trust").join("own.pem");
    fs::write(&pem, own.cert.pem()).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::try_from(own.signing_key.serialize_der()).unwrap();
    let builder = rustls::ServerConfig::builder_with_provider(parlor::tls::provider());
    let config = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let config = Arc::new(config.with_single_cert(vec![own.cert.der().clone()], key).unwrap());
    let connections = Mutex::new(config);
    let listener = Listener::over(
        |_| "200 OK".into(),
        move |stream| {
            let config = connections.lock().unwrap().clone();
            Box::new(rustls::StreamOwned::new(rustls::ServerConnection::new(config).unwrap(), stream))
        },
    );
    let start = |trusts: bool| {
        let mut command = parlor();
        command.args(["--pimp", "off", "--yard", "127.0.0.1:0", "--http", "127.0.0.1:0"]).args(ALLOWED);
        // localhost may be both.
        command.args(["--notify-network", "::1"]);
        command.env("SSL_CERT_FILE", if trusts { &pem } else { Path::new("/dev/null") });
        Server::spawn(command)
    };
    let port = listener.at.port();
    let wish_at = |host| wish("evening", "joe", &format!("https://{host}:{port}/joe"));
    let server = start(true);
    let _both = joe_and_dan(&server);
    assert_eq!(set(&server, "yard/1", &wish_at("localhost")), 204);
    assert_eq!(listener.next().path, "/joe");
    // The certificate is of another name.
    assert_eq!(set(&server, "yard/1", &wish_at("127.0.0.1")), 502);
    let server = start(false);
    let _both = joe_and_dan(&server);
    assert_eq!(set(&server, "yard/1", &wish_at("localhost")), 502);
    assert!(listener.is_quiet());
}
