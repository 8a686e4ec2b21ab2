//! The set-ups of host/README.md, as they stand there, with the real proxies. Run by `tests/run proxies`, which installs them.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{HELLO, PATIENCE, Server, handshake, scratch, tcp, tcp_from};
use tungstenite::{Message, WebSocket, client::IntoClientRequest as _};

const FLAGS: [&str; 8] =
    ["--trusted-proxy", "127.0.0.1", "--host-name", "games.example", "--token", "sesame", "--max-per-address", "3"];

/// The README's words in this language.
fn block(language: &str) -> String {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let (_, rest) = page.split_once(&format!("```{language}\n")).expect("a set-up");
    rest.split_once("```").unwrap().0.into()
}

/// The same with the true port of the server.
fn words(language: &str, server: &Server) -> String {
    block(language).replace("127.0.0.1:8080", &server.port("http").to_string())
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

impl Proxy {
    /// In front of Monopoly's port.
    fn haproxy(server: &Server, folder: &Path) -> Self {
        let at = free_port();
        let ends = block("haproxy").replace("bind :13220", &format!("bind {at}"));
        let ends = ends.replace("10.0.0.7:13220", &server.port("pimp").to_string());
        let file = folder.join("haproxy.cfg");
        let times = "timeout connect 5s\n    timeout client 1h\n    timeout server 1h";
        fs::write(&file, format!("defaults\n    {times}\n{ends}")).unwrap();
        let mut command = Command::new("haproxy");
        command.arg("-db").arg("-f").arg(&file);
        Self::start(command, at)
    }

    fn nginx_stream(server: &Server, folder: &Path) -> Self {
        let (at, folder_text) = (free_port(), folder.display());
        let stream = block("nginx-stream").replace("listen 13220", &format!("listen {at}"));
        let stream = stream.replace("10.0.0.7:13220", &server.port("pimp").to_string());
        // Debian has it as a module of its own.
        let module = "/usr/lib/nginx/modules/ngx_stream_module.so";
        let module = if Path::new(module).exists() { format!("load_module {module};\n") } else { String::new() };
        let head =
            format!("daemon off;\nmaster_process off;\npid {folder_text}/pid;\nerror_log stderr;\nevents {{}}\n");
        let file = folder.join("nginx.conf");
        fs::write(&file, format!("{module}{head}{stream}")).unwrap();
        let mut command = Command::new("nginx");
        command.arg("-c").arg(&file).arg("-e").arg("stderr");
        Self::start(command, at)
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
    tungstenite::client(request, tcp(proxy.at)).ok().map(|(socket, _)| socket)
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

/// Whoever comes through a proxy that passes TCP on is known by an address of its own, and counted by it.
fn tells_visitors_apart(server: &Server, proxy: &Proxy) {
    let mut guests: Vec<_> =
        ["127.0.0.5", "127.0.0.5", "127.0.0.5", "127.0.0.6"].map(|from| tcp_from(from, proxy.at)).into();
    guests.iter_mut().map(handshake).for_each(drop);
    let mut fourth = tcp_from("127.0.0.5", proxy.at);
    assert_eq!(fourth.read(&mut [0]).unwrap_or(0), 0, "a fourth from one address");
    // From an address that is no proxy's: there is no header before it.
    let mut stream = tcp_from("127.0.0.2", server.port("http"));
    let head = "Host: localhost\r\nConnection: close\r\nAuthorization: Bearer sesame";
    stream.write_all(format!("GET /admin/callers HTTP/1.1\r\n{head}\r\n\r\n").as_bytes()).unwrap();
    let mut list = String::new();
    stream.read_to_string(&mut list).unwrap();
    let count = |address: &str| list.matches(&format!("\"address\":\"{address}\"")).count();
    assert_eq!((count("127.0.0.5"), count("127.0.0.6"), count("127.0.0.1")), (3, 1, 0), "{list}");
}

#[test]
#[ignore = "needs HAProxy: tests/run proxies"]
fn haproxy_as_the_readme_says() {
    let (server, folder) = (Server::start(&[&FLAGS[..], &["--proxy-protocol"]].concat()), scratch("haproxy"));
    tells_visitors_apart(&server, &Proxy::haproxy(&server, &folder));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
#[ignore = "needs nginx: tests/run proxies"]
fn nginx_passes_tcp_on_as_the_readme_says() {
    let (server, folder) = (Server::start(&[&FLAGS[..], &["--proxy-protocol"]].concat()), scratch("nginx-stream"));
    tells_visitors_apart(&server, &Proxy::nginx_stream(&server, &folder));
    fs::remove_dir_all(folder).unwrap();
}
