//! A request's head, read byte by byte: of all that a browser says, only what a server of few pages needs is kept.
//!
//! What can never happen here: state that grows, a read past [`MOST`] and [`BODY_MOST`] bytes, a request answered before its
//! body has come. The first bytes of a body are kept, where a line of the head was; the rest is passed over. Whatever is wrong is
//! remembered, and answered when the head has ended or has become too long.

use super::host;
use super::status::Status;

/// A head may have so many bytes. Browsers send less than two thousand.
pub const MOST: u16 = 8192;
/// A body may have so many, after a POST.
pub const BODY_MOST: u16 = 256;
/// What of a line is kept: enough for every header that is looked at.
const LINE: usize = 128;
const PATH: usize = 48;
const NAME: usize = 64;
/// A tag of ours: 16 digits.
const TAG: usize = 16;
/// 16 bytes in base64.
const KEY: usize = 24;

/// How far the head has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// More bytes must come.
    More,
    /// It is whole, and may be answered.
    Whole,
    /// It is not to be answered with more than this.
    Refused(Status),
}

/// Text of a bounded length. What does not fit makes it nothing at all.
#[derive(Clone, Copy, Debug)]
struct Text<const N: usize> {
    bytes: [u8; N],
    length: u8,
}

impl<const N: usize> Text<N> {
    const EMPTY: Self = Self { bytes: [0; N], length: 0 };

    /// Whether it fits.
    fn set(&mut self, text: &[u8]) -> bool {
        *self = Self::EMPTY;
        let Some(to) = self.bytes.get_mut(..text.len()) else { return false };
        to.copy_from_slice(text);
        self.length = text.len() as u8;
        true
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.length)).unwrap_or_default()
    }

    fn text(&self) -> &str {
        str::from_utf8(self.bytes()).unwrap_or_default()
    }
}

/// What a request says, as far as it has come. A new one for each request.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    line: [u8; LINE],
    /// Bytes of the line that came, those that were not kept too.
    at: u16,
    /// Bytes of the head that came.
    taken: u16,
    begun: bool,
    is_head: bool,
    is_post: bool,
    /// Bytes of the body that are to come, and whether they do.
    body: u16,
    in_body: bool,
    closes: bool,
    upgrade: Upgrade,
    path: Text<PATH>,
    host: Text<NAME>,
    origin: Text<NAME>,
    has_origin: bool,
    tag: Text<TAG>,
    wrong: Option<Status>,
}

/// What was said about a WebSocket.
#[derive(Clone, Copy, Debug)]
struct Upgrade {
    websocket: bool,
    connection: bool,
    version: bool,
    key: Text<KEY>,
}

impl Default for Head {
    fn default() -> Self {
        Self::new()
    }
}

impl Head {
    pub const fn new() -> Self {
        Self {
            line: [0; LINE],
            at: 0,
            taken: 0,
            begun: false,
            is_head: false,
            is_post: false,
            body: 0,
            in_body: false,
            closes: false,
            upgrade: Upgrade { websocket: false, connection: false, version: false, key: Text::EMPTY },
            path: Text::EMPTY,
            host: Text::EMPTY,
            origin: Text::EMPTY,
            has_origin: false,
            tag: Text::EMPTY,
            wrong: None,
        }
    }

    /// What is asked for, without a query. Empty if it is longer than any path that is here.
    pub fn path(&self) -> &str {
        self.path.text()
    }
    /// Only the head of the answer is wanted.
    pub fn is_head(&self) -> bool {
        self.is_head
    }
    /// Something is to be done.
    pub fn is_post(&self) -> bool {
        self.is_post
    }
    /// The tag of the page that the browser has.
    pub fn tag(&self) -> &str {
        self.tag.text()
    }
    /// The connection ends with the answer.
    pub fn closes(&self) -> bool {
        self.closes
    }
    /// Nothing has come yet.
    pub fn is_empty(&self) -> bool {
        self.taken == 0
    }

    /// What came after the head of a POST; `None`: there was more of it than is kept.
    pub fn body(&self) -> Option<&[u8]> {
        if self.in_body { self.line.get(..usize::from(self.at)) } else { Some(b"") }
    }

    /// The key of a WebSocket's handshake (RFC 6455 4.2.1); `None`: it is no handshake, or an incomplete one.
    pub fn key(&self) -> Option<&[u8; KEY]> {
        let Upgrade { websocket, connection, version, key } = &self.upgrade;
        (*websocket && *connection && *version).then_some(())?;
        key.bytes().try_into().ok()
    }

    /// A WebSocket must come from a page of this server: browsers let any page open one to anybody.
    pub fn is_own_page(&self) -> bool {
        !self.has_origin || host::is_same(self.origin.text(), self.host.text())
    }

    /// Takes bytes up to the request's end: how many, and how far it has come.
    pub fn take(&mut self, bytes: &[u8]) -> (usize, Asked) {
        for (nth, byte) in bytes.iter().enumerate() {
            if self.in_body {
                self.body = self.body.saturating_sub(1);
                if let Some(slot) = self.line.get_mut(usize::from(self.at)) {
                    *slot = *byte;
                }
                self.at += 1;
                if self.body == 0 {
                    return (nth + 1, self.verdict());
                }
                continue;
            }
            self.taken = self.taken.saturating_add(1);
            if self.taken > MOST {
                return (nth + 1, Asked::Refused(Status::HeadTooLarge));
            }
            if *byte != b'\n' {
                if let Some(slot) = self.line.get_mut(usize::from(self.at)) {
                    *slot = *byte;
                }
                self.at += 1;
                continue;
            }
            if self.end_line() {
                self.in_body = self.body > 0 && self.wrong.is_none();
                if !self.in_body {
                    return (nth + 1, self.verdict());
                }
            }
        }
        (bytes.len(), Asked::More)
    }

    /// Whether that was the last one.
    fn end_line(&mut self) -> bool {
        let (whole, length) = (usize::from(self.at) <= LINE, usize::from(self.at).min(LINE));
        let (line, at) = (self.line, self.at);
        let line = line.get(..length).unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        self.at = 0;
        match (self.begun, line.is_empty()) {
            // An empty line before a request is passed over (RFC 9112 2.2).
            (false, true) => self.taken = self.taken.saturating_sub(at + 1),
            (false, false) => {
                self.begun = true;
                self.request(line, whole);
            }
            (true, true) => return true,
            (true, false) => self.header(line, whole),
        }
        false
    }

    fn verdict(&self) -> Asked {
        match self.wrong {
            Some(status) => Asked::Refused(status),
            None if self.host.length == 0 => Asked::Refused(Status::BadRequest),
            None if !host::is_home(self.host.text()) => Asked::Refused(Status::Misdirected),
            None => Asked::Whole,
        }
    }

    fn refuse(&mut self, status: Status) {
        self.wrong = self.wrong.or(Some(status));
    }

    fn request(&mut self, line: &[u8], whole: bool) {
        let mut words = line.split(|byte| *byte == b' ');
        let (method, target, version) = (words.next(), words.next().unwrap_or_default(), words.next());
        match method {
            Some(b"GET") => {}
            Some(b"HEAD") => self.is_head = true,
            Some(b"POST") => self.is_post = true,
            Some(word) if !word.is_empty() && word.iter().all(u8::is_ascii_uppercase) => {
                self.refuse(Status::MethodNotAllowed);
            }
            _ => self.refuse(Status::BadRequest),
        }
        let path = target.split(|byte| *byte == b'?').next().unwrap_or_default();
        // What is too long for any path here is not found.
        self.path.set(path);
        match version {
            Some(b"HTTP/1.1") => {}
            Some(b"HTTP/1.0") => self.closes = true,
            None if !whole => {}
            Some(_) if !whole => {}
            _ => self.refuse(Status::BadRequest),
        }
        if !target.starts_with(b"/") || words.next().is_some() {
            self.refuse(Status::BadRequest);
        }
    }

    fn header(&mut self, line: &[u8], whole: bool) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            // A long name of a header that is not looked at here.
            if whole {
                self.refuse(Status::BadRequest);
            }
            return;
        };
        let (name, value) = line.split_at(colon);
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        let is = |wanted: &str| name.eq_ignore_ascii_case(wanted.as_bytes());
        if is("host") {
            // A second one, or one that is no name, could be read otherwise by others (RFC 9112 3.2).
            if self.host.length != 0 || !whole || !self.host.set(value) || self.host.text().is_empty() {
                self.refuse(Status::BadRequest);
            }
        } else if is("origin") {
            self.has_origin = true;
            self.origin.set(value);
        } else if is("connection") {
            self.closes |= has_word(value, "close");
            self.upgrade.connection |= has_word(value, "upgrade");
        } else if is("upgrade") {
            self.upgrade.websocket |= has_word(value, "websocket");
        } else if is("sec-websocket-version") {
            self.upgrade.version = value == b"13";
        } else if is("sec-websocket-key") {
            self.upgrade.key.set(value);
        } else if is("if-none-match") {
            let tag = value.strip_prefix(b"W/").unwrap_or(value);
            self.tag.set(tag.strip_prefix(b"\"").and_then(|tag| tag.strip_suffix(b"\"")).unwrap_or_default());
        } else if is("content-length") && self.is_post && self.body == 0 {
            let length = str::from_utf8(value).ok().and_then(|value| value.parse().ok());
            match length {
                Some(length @ ..=BODY_MOST) => self.body = length,
                _ => self.refuse(Status::TooLarge),
            }
        } else if is("transfer-encoding") || is("content-length") && value != b"0" {
            self.refuse(Status::TooLarge);
        }
    }
}

/// Whether a list of words has this one.
fn has_word(list: &[u8], word: &str) -> bool {
    list.split(|byte| *byte == b',').any(|one| one.trim_ascii().eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    const HANDSHAKE: &[u8] = b"GET /ws/pimp/1?x HTTP/1.1\r\nHost: parlor.local\r\n\
        User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 and much more that \
        nobody here would ever want to know about a browser\r\nOrigin: http://parlor.local\r\n\
        Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
        Sec-WebSocket-Version: 13\r\n\r\nrest";

    fn asked(text: &[u8]) -> (Head, Asked) {
        let mut head = Head::new();
        let (_, asked) = head.take(text);
        (head, asked)
    }

    fn get(lines: &str) -> (Head, Asked) {
        asked(["GET / HTTP/1.1\r\nHost: parlor\r\n", lines, "\r\n"].concat().as_bytes())
    }

    #[test]
    fn a_head_may_come_in_any_pieces() {
        for cut in 0..HANDSHAKE.len() - 4 {
            let mut head = Head::new();
            let (one, asked) = head.take(&HANDSHAKE[..cut]);
            assert_eq!((one, asked), (cut, Asked::More));
            let (other, asked) = head.take(&HANDSHAKE[cut..]);
            assert_eq!((one + other, asked), (HANDSHAKE.len() - 4, Asked::Whole));
            assert_eq!((head.path(), head.key()), ("/ws/pimp/1", Some(b"dGhlIHNhbXBsZSBub25jZQ==")));
            assert!(head.is_own_page() && !head.closes());
        }
    }

    #[test]
    fn what_a_page_needs_is_heard() {
        let (head, asked) = get("If-None-Match: W/\"0123456789abcdef\"\r\nConnection: close\r\n");
        assert_eq!((asked, head.tag(), head.closes(), head.is_head()), (Asked::Whole, "0123456789abcdef", true, false));
        let (head, asked) = self::asked(b"\r\nHEAD /yard HTTP/1.0\nhost: 10.0.2.15\n\n");
        assert_eq!((asked, head.path(), head.closes(), head.is_head()), (Asked::Whole, "/yard", true, true));
        assert!(!get("Origin: http://evil.example\r\n").0.is_own_page());
        assert_eq!(get("").0.key(), None);
    }

    #[test]
    fn a_handshake_must_be_whole() {
        let text = str::from_utf8(HANDSHAKE).unwrap();
        for line in ["Upgrade: websocket\r\n", "keep-alive, Upgrade", "Sec-WebSocket-Version: 13\r\n", "dGhlIHNh"] {
            assert_eq!(asked(text.replacen(line, "", 1).as_bytes()).0.key(), None, "{line}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let refused = |text: &str| asked(text.as_bytes()).1;
        for (text, status) in [
            ("PUT / HTTP/1.1\r\nHost: parlor\r\n\r\n", Status::MethodNotAllowed),
            ("POST / HTTP/1.1\r\nHost: parlor\r\nContent-Length: 257\r\n\r\n", Status::TooLarge),
            ("POST / HTTP/1.1\r\nHost: parlor\r\nContent-Length: x\r\n\r\n", Status::TooLarge),
            ("POST / HTTP/1.1\r\nHost: parlor\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", Status::TooLarge),
            ("get / HTTP/1.1\r\nHost: parlor\r\n\r\n", Status::BadRequest),
            ("GET / HTTP/2\r\nHost: parlor\r\n\r\n", Status::BadRequest),
            ("GET /\r\nHost: parlor\r\n\r\n", Status::BadRequest),
            ("GET http://parlor/ HTTP/1.1\r\nHost: parlor\r\n\r\n", Status::BadRequest),
            ("GET / HTTP/1.1\r\n\r\n", Status::BadRequest),
            ("GET / HTTP/1.1\r\nHost: parlor\r\nHost: parlor\r\n\r\n", Status::BadRequest),
            ("GET / HTTP/1.1\r\nHost: parlor\r\nnonsense\r\n\r\n", Status::BadRequest),
            ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", Status::Misdirected),
            ("GET / HTTP/1.1\r\nHost: parlor\r\nContent-Length: 1\r\n\r\n", Status::TooLarge),
            ("GET / HTTP/1.1\r\nHost: parlor\r\nTransfer-Encoding: chunked\r\n\r\n", Status::TooLarge),
        ] {
            assert_eq!(refused(text), Asked::Refused(status), "{text}");
        }
        assert_eq!(get("Content-Length: 0\r\n").1, Asked::Whole);
    }

    #[test]
    fn a_body_is_taken_to_its_end() {
        let text = b"POST /tables/1/bots HTTP/1.1\r\nHost: parlor\r\nContent-Length: 5\r\n\r\n{\n\r\n}GET";
        let length = text.len() - 3;
        for cut in 0..length {
            let mut head = Head::new();
            assert_eq!(head.take(&text[..cut]), (cut, Asked::More));
            assert_eq!(head.take(&text[cut..]), (length - cut, Asked::Whole));
            assert!(head.is_post() && head.path() == "/tables/1/bots");
            assert_eq!(head.body(), Some(&b"{\n\r\n}"[..]));
        }
        for (length, kept) in [(0, Some(0)), (1, Some(1)), (LINE, Some(LINE)), (LINE + 1, None)] {
            let text = std::format!(
                "POST / HTTP/1.1\r\nHost: parlor\r\nContent-Length: {length}\r\n\r\n{}",
                "x".repeat(length)
            );
            let (head, asked) = asked(text.as_bytes());
            assert_eq!((asked, head.body().map(<[u8]>::len)), (Asked::Whole, kept));
        }
        assert_eq!(get("").0.body(), Some(&b""[..]));
        assert!(matches!(asked(b"POST / HTTP/1.1\r\nHost: parlor\r\n\r\n"), (head, Asked::Whole) if head.is_post()));
    }

    #[test]
    fn a_head_has_an_end() {
        let mut long = Vec::from(&b"GET / HTTP/1.1\r\n"[..]);
        long.resize(100_000, b'x');
        let (taken, asked) = Head::new().take(&long);
        assert_eq!((taken, asked), (usize::from(MOST) + 1, Asked::Refused(Status::HeadTooLarge)));
        let (head, asked) =
            self::asked(["GET /", &"x".repeat(300), " HTTP/1.1\r\nHost: parlor\r\n\r\n"].concat().as_bytes());
        assert_eq!((asked, head.path()), (Asked::Whole, ""));
        assert!(size_of::<Head>() <= 400, "{}", size_of::<Head>());
    }
}
