//! Who may ask what over HTTP: web pages of strangers may not, and commands come from this machine or with the token.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// From a web page of another host.
    Origin,
    /// Neither from this machine nor with the token.
    Token,
    NoTable,
}

impl IntoResponse for Denied {
    fn into_response(self) -> Response {
        let (status, text) = match self {
            Self::Origin => (StatusCode::FORBIDDEN, "this origin may not\n"),
            Self::Token => (StatusCode::UNAUTHORIZED, "only from this machine, or with the token\n"),
            Self::NoTable => (StatusCode::NOT_FOUND, "there is no such table\n"),
        };
        (status, text).into_response()
    }
}

pub struct Access {
    pub origins: Vec<String>,
    pub token: Option<String>,
}

impl Access {
    /// A browser names the page's origin; whoever is no browser need not. Same host, this machine, or as configured.
    pub fn may_come_from(&self, headers: &HeaderMap) -> Result<(), Denied> {
        let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
        let origin = origin.to_str().map_err(|_| Denied::Origin)?;
        if self.origins.iter().any(|known| known.trim_end_matches('/').eq_ignore_ascii_case(origin)) {
            return Ok(());
        }
        let Some((_, authority)) = origin.split_once("://") else { return Err(Denied::Origin) };
        let same = asked_host(headers).is_some_and(|asked| asked.eq_ignore_ascii_case(host(authority)));
        if same || is_local(host(authority)) { Ok(()) } else { Err(Denied::Origin) }
    }

    /// Lists and makes tables.
    pub fn may_command(&self, headers: &HeaderMap, peer: SocketAddr) -> Result<(), Denied> {
        self.may_come_from(headers)?;
        let given = headers.get(header::AUTHORIZATION).and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
        if let (Some(token), Some(given)) = (&self.token, given)
            && is_same(token.as_bytes(), given)
        {
            return Ok(());
        }
        // A proxy on this machine makes everybody look local; so does a page whose name was bent to this address.
        let is_forwarded = headers.contains_key(header::FORWARDED) || headers.contains_key("x-forwarded-for");
        let here = peer.ip().to_canonical().is_loopback() && !is_forwarded;
        if here && asked_host(headers).is_some_and(is_local) { Ok(()) } else { Err(Denied::Token) }
    }
}

/// Takes as long wherever they differ.
fn is_same(token: &[u8], given: &[u8]) -> bool {
    token.len() == given.len() && token.iter().zip(given).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

/// The host that a client believes to talk to.
fn asked_host(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::HOST)?.to_str().ok().map(host)
}

/// Does this client reach the server by a name that leads nowhere from another machine?
pub fn is_asked_locally(headers: &HeaderMap) -> bool {
    asked_host(headers).is_some_and(is_local)
}

/// Without the port; an IPv6 address keeps its brackets.
fn host(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => host,
        _ => authority,
    }
}

fn is_local(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn pages_of_strangers_may_not() {
        let access = Access { origins: vec!["https://games.example".into()], token: None };
        let may = |origin, host| access.may_come_from(&headers(&[("origin", origin), ("host", host)])).is_ok();
        assert!(may("http://box.example:8080", "box.example:23220"));
        assert!(may("http://localhost:3000", "box.example:8080"));
        assert!(may("http://[::1]:8080", "[::1]:8080"));
        assert!(may("https://games.example", "box.example"));
        assert!(!may("http://games.example", "box.example"));
        assert!(!may("http://evil.example", "box.example:8080"));
        assert!(!may("null", "box.example"));
        assert!(access.may_come_from(&headers(&[])).is_ok());
    }

    #[test]
    fn commands_come_from_here_or_with_the_token() {
        let access = Access { origins: vec![], token: Some("secret".into()) };
        let may = |pairs: &[_], peer: &str| access.may_command(&headers(pairs), peer.parse().unwrap());
        let (near, far) = ("127.0.0.1:5000", "10.0.0.9:5000");
        assert_eq!(may(&[("host", "127.0.0.1:8080")], near), Ok(()));
        assert_eq!(may(&[("host", "localhost")], near), Ok(()));
        assert_eq!(may(&[("host", "rebound.example:8080")], near), Err(Denied::Token));
        assert_eq!(may(&[("host", "localhost"), ("x-forwarded-for", "10.0.0.9")], near), Err(Denied::Token));
        assert_eq!(may(&[("host", "box")], far), Err(Denied::Token));
        assert_eq!(may(&[("host", "box"), ("authorization", "Bearer secret")], far), Ok(()));
        assert_eq!(may(&[("host", "box"), ("authorization", "Bearer secreT")], far), Err(Denied::Token));
        let foreign = [("host", "box"), ("authorization", "Bearer secret"), ("origin", "http://evil.example")];
        assert_eq!(may(&foreign, far), Err(Denied::Origin));
    }
}
