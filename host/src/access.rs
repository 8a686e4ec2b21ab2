//! Which requests over HTTP are answered, and whose they are: web pages of strangers may not ask, names that are not
//! ours are not answered to, and commands come from this machine or with the token.
//!
//! A proxy hides its visitors. One that is named (`--trusted-proxy`) is believed what it says of them; any other
//! request that looks forwarded is not from this machine, and is counted by the address that it came from.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use axum::http::{HeaderMap, HeaderName, StatusCode, Version, header};
use axum::response::{IntoResponse, Response};
use parlor_core::web::host::is_home;

use crate::cli::Network;
use crate::door::origin;

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// From a web page of another host.
    Origin,
    /// Neither from this machine nor with the token.
    Token,
    /// By a name that is not this server's.
    Host,
    /// There are too many connections from its address.
    Crowded,
    /// Its address is banned.
    Banned,
    NoTable,
    /// It plays alone.
    NoCluster,
    /// What came with it is too long, or took too long to come.
    Body,
}

impl IntoResponse for Denied {
    fn into_response(self) -> Response {
        let (status, text) = match self {
            Self::Origin => (StatusCode::FORBIDDEN, "this origin may not\n"),
            Self::Token => (StatusCode::UNAUTHORIZED, "only from this machine, or with the token\n"),
            Self::Host => (
                StatusCode::MISDIRECTED_REQUEST,
                "this server does not go by that name; whoever runs it can say --host-name NAME\n",
            ),
            Self::Crowded => (StatusCode::TOO_MANY_REQUESTS, "too many connections from this address\n"),
            Self::Banned => (StatusCode::FORBIDDEN, "this address is banned\n"),
            Self::NoTable => (StatusCode::NOT_FOUND, "there is no such table\n"),
            Self::NoCluster => (StatusCode::NOT_FOUND, "this server is no node of a cluster\n"),
            Self::Body => (StatusCode::BAD_REQUEST, "a body that is short and comes in time\n"),
        };
        (status, text).into_response()
    }
}

/// An address, or all that begin with the same bits: `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subnet {
    address: IpAddr,
    bits: u32,
}

impl Subnet {
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(a), IpAddr::V4(b)) => same_bits(a.to_bits().into(), b.to_bits().into(), 32, self.bits),
            (IpAddr::V6(a), IpAddr::V6(b)) => same_bits(a.to_bits(), b.to_bits(), 128, self.bits),
            _ => false,
        }
    }
}

impl Subnet {
    /// Whether a visitor from there is meant. One address of IPv6 stands for its whole network, as it does where connections are
    /// counted and listed: its owner has all of them.
    pub fn means(&self, address: IpAddr) -> bool {
        self.contains(address) || self.alone().is_some_and(|alone| origin(alone) == origin(address))
    }

    /// The one address that it is, if it is one.
    pub fn alone(&self) -> Option<IpAddr> {
        let all = if self.address.is_ipv4() { 32 } else { 128 };
        (self.bits == all).then_some(self.address)
    }
}

impl fmt::Display for Subnet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.alone() {
            Some(address) => address.fmt(f),
            None => write!(f, "{}/{}", self.address, self.bits),
        }
    }
}

fn same_bits(a: u128, b: u128, width: u32, bits: u32) -> bool {
    (a ^ b).checked_shr(width - bits).unwrap_or_default() == 0
}

impl FromStr for Subnet {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = "not an address like 10.0.0.7, nor a network like 10.0.0.0/8";
        let (address, bits) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let address: IpAddr = address.parse().map_err(|_| refused)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), str::parse).map_err(|_| refused)?;
        if bits <= most { Ok(Self { address, bits }) } else { Err(refused) }
    }
}

/// What a proxy may say of its visitor, beside every name that begins with `x-forwarded`.
const FORWARDING: [&str; 13] = [
    "forwarded",
    "forwarded-for",
    "via",
    "x-real-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-original-forwarded-for",
    "x-envoy-external-address",
    "x-proxyuser-ip",
    "client-ip",
    "true-client-ip",
    "cf-connecting-ip",
    "fastly-client-ip",
];

/// The sender of a request, as far as it can be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The address that limits are counted by.
    pub address: IpAddr,
    /// A program of this machine, not one behind a proxy of it.
    pub is_local: bool,
}

#[derive(Default)]
pub struct Access {
    pub origins: Vec<String>,
    pub token: Option<String>,
    /// Names that this server answers to beside those that every server at home may have.
    pub names: Vec<String>,
    pub proxies: Vec<Subnet>,
}

impl Access {
    /// As the flags say. This machine's own name is one of the server's.
    pub fn new(network: &Network) -> Self {
        let own = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let names = network.host_name.iter().cloned().chain([own]).collect();
        let Network { origin, token, trusted_proxy, .. } = network;
        Self { origins: origin.clone(), token: token.clone(), names, proxies: trusted_proxy.clone() }
    }

    /// Whether this address is a trusted proxy's.
    pub fn is_proxy(&self, address: IpAddr) -> bool {
        self.proxies.iter().any(|proxy| proxy.contains(address))
    }

    /// The sender of a request. A trusted proxy is believed; what another says only shows that it is a proxy.
    pub fn caller(&self, headers: &HeaderMap, version: Version, peer: SocketAddr) -> Caller {
        let peer = peer.ip().to_canonical();
        if self.is_proxy(peer) {
            // From the right: what stands further left may be any client's invention.
            let said = forwarded_for(headers);
            let stranger = said.iter().rev().take_while(|address| address.is_some()).flatten();
            let address = stranger.copied().find(|address| !self.is_proxy(*address)).unwrap_or(peer);
            return Caller { address, is_local: false };
        }
        let is_forwarded = headers.keys().any(is_forwarding) || version < Version::HTTP_11;
        Caller { address: peer, is_local: peer.is_loopback() && !is_forwarded }
    }

    /// A page of a stranger can have its own name lead to this machine, and then passes for ours (DNS rebinding): only
    /// addresses, names of the home and those that were named are answered to.
    pub fn may_be_called(&self, headers: &HeaderMap) -> Result<(), Denied> {
        let mut named = headers.get_all(header::HOST).iter();
        let Some(name) = named.next() else { return Ok(()) };
        let name = host(name.to_str().map_err(|_| Denied::Host)?);
        let is_known = self.names.iter().any(|known| known.eq_ignore_ascii_case(name.trim_end_matches('.')));
        let is_ours = is_known || is_home(name) || bare(name).parse::<IpAddr>().is_ok();
        if is_ours && named.next().is_none() { Ok(()) } else { Err(Denied::Host) }
    }

    /// A browser names the page's origin; other clients need not. Same host, this machine, or as configured.
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

    /// Lists and makes tables. Where there is a token, every caller needs it: an unknown proxy makes strangers look
    /// like programs of this machine.
    pub fn may_command(&self, headers: &HeaderMap, caller: &Caller) -> Result<(), Denied> {
        self.may_come_from(headers)?;
        let given = headers.get(header::AUTHORIZATION).and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
        let may = match &self.token {
            Some(token) => given.is_some_and(|given| is_same(token.as_bytes(), given)),
            None => caller.is_local && asked_host(headers).is_some_and(is_local),
        };
        if may { Ok(()) } else { Err(Denied::Token) }
    }
}

/// Whether a text is what browsers call an origin: scheme, host and perhaps a port. What is none of these would say something
/// else in a header.
pub fn is_origin(text: &str) -> bool {
    let authority = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_good = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    authority.is_some_and(|authority| !authority.is_empty() && authority.bytes().all(is_good))
}

fn is_forwarding(name: &HeaderName) -> bool {
    let name = name.as_str();
    name.starts_with("x-forwarded") || FORWARDING.contains(&name)
}

/// Every address that proxies told, the last one last; `None`: something that is no address. X-Forwarded-For where there is
/// one, else Forwarded (RFC 7239).
fn forwarded_for(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    let lists = |name: &str| {
        let values = headers.get_all(name).iter();
        values.flat_map(|value| value.to_str().unwrap_or("?").split(',').map(str::trim)).collect::<Vec<_>>()
    };
    let plain = lists("x-forwarded-for");
    if !plain.is_empty() {
        return plain.into_iter().map(address).collect();
    }
    let of = |element: &str| {
        element.split(';').find_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            name.eq_ignore_ascii_case("for").then(|| address(value.trim().trim_matches('"')))?
        })
    };
    lists("forwarded").into_iter().map(of).collect()
}

/// An address with or without a port, an IPv6 address with or without brackets.
fn address(text: &str) -> Option<IpAddr> {
    let found = text.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()));
    found.or_else(|| bare(text).parse().ok()).map(|address: IpAddr| address.to_canonical())
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
pub fn host(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => host,
        _ => authority,
    }
}

/// An IPv6 address without its brackets.
fn bare(host: &str) -> &str {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}

pub fn is_local(host: &str) -> bool {
    let bare = bare(host);
    bare.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn an_origin_is_a_scheme_and_a_host_and_nothing_that_ends_a_header() {
        for good in ["https://a.example", "http://10.0.0.7:8080", "https://[fd00::1]:8443"] {
            assert!(is_origin(good), "{good}");
        }
        for bad in [
            "",
            "a.example",
            "https://",
            "wss://a",
            "https://a/",
            "https://a; script-src *",
            "https://a b",
            "https://a\r\nb",
        ] {
            assert!(!is_origin(bad), "{bad}");
        }
    }

    #[test]
    fn pages_of_strangers_may_not() {
        let access = Access { origins: vec!["https://games.example".into()], ..Access::default() };
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

    fn may(access: &Access, pairs: &[(&'static str, &'static str)], peer: &str) -> Result<(), Denied> {
        let headers = headers(pairs);
        access.may_command(&headers, &access.caller(&headers, Version::HTTP_11, peer.parse().unwrap()))
    }

    const NEAR: &str = "127.0.0.1:5000";
    const FAR: &str = "10.0.0.9:5000";

    #[test]
    fn without_a_token_commands_come_from_this_machine() {
        let access = Access::default();
        assert_eq!(may(&access, &[("host", "127.0.0.1:8080")], NEAR), Ok(()));
        assert_eq!(may(&access, &[("host", "localhost")], NEAR), Ok(()));
        assert_eq!(may(&access, &[("host", "rebound.example:8080")], NEAR), Err(Denied::Token));
        assert_eq!(may(&access, &[("host", "127.0.0.1")], FAR), Err(Denied::Token));
        for name in FORWARDING.into_iter().chain(["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"]) {
            assert_eq!(may(&access, &[("host", "localhost"), (name, "127.0.0.1")], NEAR), Err(Denied::Token), "{name}");
        }
        // What proxies speak unless told otherwise, and no client of today.
        let old = access.caller(&headers(&[("host", "localhost")]), Version::HTTP_10, NEAR.parse().unwrap());
        assert!(!old.is_local);
    }

    #[test]
    fn where_there_is_a_token_everybody_needs_it() {
        let access = Access { token: Some("secret".into()), ..Access::default() };
        assert_eq!(may(&access, &[("host", "127.0.0.1:8080")], NEAR), Err(Denied::Token));
        for peer in [NEAR, FAR] {
            assert_eq!(may(&access, &[("host", "box"), ("authorization", "Bearer secret")], peer), Ok(()));
            assert_eq!(may(&access, &[("host", "box"), ("authorization", "Bearer secreT")], peer), Err(Denied::Token));
        }
        let foreign = [("host", "box"), ("authorization", "Bearer secret"), ("origin", "http://evil.example")];
        assert_eq!(may(&access, &foreign, FAR), Err(Denied::Origin));
    }

    #[test]
    fn a_trusted_proxy_is_believed_and_nobody_else() {
        let proxies = ["127.0.0.1", "10.1.0.0/16", "fd00::/8"].map(|text| text.parse().unwrap());
        let access = Access { proxies: proxies.into(), ..Access::default() };
        let caller = |pairs: &[_], peer: &str| {
            let caller = access.caller(&headers(pairs), Version::HTTP_11, peer.parse().unwrap());
            assert!(!caller.is_local);
            caller.address.to_string()
        };
        assert_eq!(caller(&[("x-forwarded-for", "192.0.2.1")], NEAR), "192.0.2.1");
        // Only the last that is no proxy of ours counts: before it, any client may have written anything.
        assert_eq!(caller(&[("x-forwarded-for", "127.0.0.1, 192.0.2.1, 10.1.7.7")], NEAR), "192.0.2.1");
        assert_eq!(caller(&[("x-forwarded-for", "192.0.2.9"), ("forwarded", "for=192.0.2.1")], NEAR), "192.0.2.9");
        assert_eq!(caller(&[("forwarded", "for=evil, For=\"[2001:db8::1]:4711\";proto=https")], NEAR), "2001:db8::1");
        assert_eq!(caller(&[("x-forwarded-for", "192.0.2.1, rubbish")], NEAR), "127.0.0.1");
        assert_eq!(caller(&[], "[fd00::7]:1"), "fd00::7");
        assert_eq!(caller(&[("x-forwarded-for", "192.0.2.1")], FAR), "10.0.0.9");
    }

    #[test]
    fn networks_are_told_by_their_first_bits() {
        let net = |text: &str| text.parse::<Subnet>();
        let has = |text: &str, address: &str| net(text).unwrap().contains(address.parse().unwrap());
        assert!(has("10.0.0.0/8", "10.255.0.1") && !has("10.0.0.0/8", "11.0.0.1"));
        assert!(has("0.0.0.0/0", "192.0.2.1") && !has("0.0.0.0/0", "2001:db8::1"));
        assert!(has("10.0.0.7", "::ffff:10.0.0.7") && !has("10.0.0.7", "10.0.0.8"));
        assert!(has("::/0", "2001:db8::1") && has("2001:db8::/32", "2001:db8:1::1"));
        assert!(
            ["", "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.1/", "a.example"].iter().all(|text| net(text).is_err())
        );
    }

    #[test]
    fn only_names_of_ours_are_answered_to() {
        let access = Access { names: vec!["games.example".into()], ..Access::default() };
        let may = |host| access.may_be_called(&headers(&[("host", host)])).is_ok();
        for host in ["games.example", "Games.Example:8080", "192.0.2.7:8080", "[2001:db8::1]:80", "[::ffff:192.0.2.7]"]
        {
            assert!(may(host), "{host}");
        }
        assert!(may("localhost:1") && may("box") && may("box.local:8080") && may("games.example."));
        for host in ["evil.example", "games.example.evil.example", "192.0.2.7.evil.example", "", "a@games.example"] {
            assert!(!may(host), "{host}");
        }
        assert!(access.may_be_called(&headers(&[])).is_ok());
        assert!(access.may_be_called(&headers(&[("host", "box"), ("host", "evil.example")])).is_err());
    }
}
