//! The set-ups of host/README.md, as they stand there, with the real proxies. Run by `tests/run proxies`, which installs them.

mod common;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{HELLO, PATIENCE, Server, scratch, tcp};
use tokio_tungstenite::tungstenite::{Message, WebSocket, client::IntoClientRequest as _};

const FLAGS: [&str; 8] =
    ["--trusted-proxy", "127.0.0.1", "--host-name", "games.example", "--token", "sesame", "--max-per-address", "3"];

/// The README's words in this language, with the true port of the server.
fn words(language: &str, server: &Server) -> String {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let (_, rest) = page.split_once(&format!("```{language}\n")).expect("a set-up");
    let (block, _) = rest.split_once("```").unwrap();
    block.replace("127.0.0.1:8080", &server.port("http").to_string())
}

fn free_port() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

struct Proxy {
    child: Child,
    at: SocketAddr,
}

impl Proxy {
    fn start(mut command: Command, at: SocketAddr) -> Self {
        let proxy = Self { child: command.stdout(Stdio::null()).spawn().expect("the proxy should start"), at };
        let end = Instant::now() + PATIENCE;
        while TcpStream::connect(at).is_err() {
            assert!(Instant::now() < end, "the proxy does not listen");
            std::thread::sleep(Duration::from_millis(50));
        }
        proxy
    }

    fn nginx(server: &Server, folder: &Path) -> Self {
        let (at, folder_text) = (free_port(), folder.display());
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {folder_text}/{kind};\n"))
            .concat();
        let text = format!(
            "daemon off;\nmaster_process off;\npid {folder_text}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\n\
             access_log off;\n{temporary}server {{\nlisten {at};\n{}}}\n}}\n",
            words("nginx", server)
        );
        let file = folder.join("nginx.conf");
        fs::write(&file, text).unwrap();
        let mut command = Command::new("nginx");
        command.arg("-c").arg(&file).arg("-e").arg("stderr");
        Self::start(command, at)
    }

    fn caddy(server: &Server, folder: &Path) -> Self {
        let at = free_port();
        let site = words("caddy", server).replace("games.example {", &format!("http://games.example:{} {{", at.port()));
        let file = folder.join("Caddyfile");
        fs::write(&file, format!("{{\n    admin off\n}}\n{site}")).unwrap();
        let mut command = Command::new("caddy");
        command.args(["run", "--adapter", "caddyfile", "--config"]).arg(&file).env("HOME", folder);
        Self::start(command, at)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Status and body.
fn ask(proxy: &Proxy, path: &str, more: &str) -> (u16, String) {
    let mut stream = tcp(proxy.at);
    let host = format!("games.example:{}", proxy.at.port());
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.into())
}

/// A page's WebSocket, through the proxy.
fn sit(proxy: &Proxy) -> Option<WebSocket<TcpStream>> {
    let name = format!("games.example:{}", proxy.at.port());
    let mut request = format!("ws://{name}/ws/pimp").into_client_request().unwrap();
    request.headers_mut().insert("origin", format!("http://{name}").parse().unwrap());
    tokio_tungstenite::tungstenite::client(request, tcp(proxy.at)).ok().map(|(socket, _)| socket)
}

fn holds(proxy: &Proxy) {
    assert_eq!(ask(proxy, "/", "").0, 200);
    // What is written before the proxy's word is not believed, and nobody is taken for a user of this machine.
    for more in ["", "X-Forwarded-For: 127.0.0.1\r\n", "Forwarded: for=127.0.0.1\r\n", "X-Real-IP: 127.0.0.1\r\n"] {
        assert_eq!(ask(proxy, "/tables", more).0, 401, "{more}");
    }
    let (status, list) = ask(proxy, "/admin/callers", "Authorization: Bearer sesame\r\n");
    assert_eq!((status, &list[..]), (200, "[]"));
    let mut sockets: Vec<_> = (0..3).map(|_| sit(proxy).expect("a WebSocket")).collect();
    for socket in &mut sockets {
        socket.send(Message::Binary(HELLO.to_vec().into())).unwrap();
        assert!(matches!(socket.read().unwrap(), Message::Binary(bytes) if bytes[..2] == [0x01, 4]));
    }
    let (_, list) = ask(proxy, "/admin/callers", "Authorization: Bearer sesame\r\n");
    assert_eq!(list.matches("\"address\":\"127.0.0.1\"").count(), 3, "{list}");
    assert!(sit(proxy).is_none(), "a fourth from one address");
}

#[test]
#[ignore = "needs nginx: tests/run proxies"]
fn nginx_as_the_readme_says() {
    let (server, folder) = (Server::start(&FLAGS), scratch("nginx"));
    holds(&Proxy::nginx(&server, &folder));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
#[ignore = "needs Caddy: tests/run proxies"]
fn caddy_as_the_readme_says() {
    let (server, folder) = (Server::start(&FLAGS), scratch("caddy"));
    holds(&Proxy::caddy(&server, &folder));
    fs::remove_dir_all(folder).unwrap();
}
