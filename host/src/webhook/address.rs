//! Where a player may have the server send something: an address of the internet, and none that only the server's own
//! network has, unless the operator says so.
//!
//! A name is looked up each time, and what is connected to is what was looked at: a name that leads elsewhere a moment later
//! leads nowhere else here.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::http::Uri;
use tokio::net::lookup_host;

use crate::access::Subnet;

/// The longest address that is taken.
const LONGEST: usize = 512;

/// An address as a player gave it. It is a secret: anyone who knows it can send there. So it is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    uri: Uri,
}

impl Address {
    /// `http` or `https`, a host, no user and no password.
    pub fn read(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok().filter(|_| text.len() <= LONGEST)?;
        let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'))?;
        let is_whole = is_web && !authority.host().is_empty() && authority.port_u16() != Some(0);
        is_whole.then_some(Self { uri })
    }

    pub fn text(&self) -> String {
        self.uri.to_string()
    }

    pub fn is_secure(&self) -> bool {
        self.uri.scheme_str() == Some("https")
    }

    /// Without the brackets of an IPv6 address.
    pub fn host(&self) -> &str {
        let host = self.uri.host().unwrap_or_default();
        host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
    }

    /// As the header `Host` has it.
    pub fn authority(&self) -> &str {
        self.uri.authority().map_or("", |authority| authority.as_str())
    }

    pub fn path(&self) -> &str {
        self.uri.path_and_query().map_or("/", |path| path.as_str())
    }

    fn port(&self) -> u16 {
        self.uri.port_u16().unwrap_or(if self.is_secure() { 443 } else { 80 })
    }

    /// Where it leads, one after the other; none if a part of it is in the server's network and not `allowed`.
    pub async fn find(&self, allowed: &[Subnet]) -> Vec<SocketAddr> {
        let found = match self.host().parse::<IpAddr>() {
            Ok(ip) => vec![SocketAddr::new(ip, self.port())],
            Err(_) => lookup_host((self.host(), self.port())).await.map(Iterator::collect).unwrap_or_default(),
        };
        let own = own_networks();
        let may = |address: &SocketAddr| may_send_to(address.ip(), allowed, &own);
        if found.iter().all(may) { found } else { Vec::new() }
    }
}

/// The networks that this machine is in, by an address of it and its mask.
fn own_networks() -> Vec<(IpAddr, IpAddr)> {
    let interfaces = if_addrs::get_if_addrs().unwrap_or_default().into_iter();
    let network = |interface: if_addrs::Interface| match interface.addr {
        if_addrs::IfAddr::V4(v4) => (v4.ip.into(), v4.netmask.into()),
        if_addrs::IfAddr::V6(v6) => (v6.ip.into(), v6.netmask.into()),
    };
    interfaces.map(network).collect()
}

fn may_send_to(ip: IpAddr, allowed: &[Subnet], own: &[(IpAddr, IpAddr)]) -> bool {
    let ip = ip.to_canonical();
    let is_own = own.iter().any(|(address, mask)| is_same_network(ip, *address, *mask));
    allowed.iter().any(|network| network.contains(ip)) || (!is_own && is_of_internet(ip))
}

fn is_same_network(ip: IpAddr, own: IpAddr, mask: IpAddr) -> bool {
    match (ip, own, mask) {
        (IpAddr::V4(ip), IpAddr::V4(own), IpAddr::V4(mask)) => ip & mask == own & mask,
        (IpAddr::V6(ip), IpAddr::V6(own), IpAddr::V6(mask)) => ip & mask == own & mask,
        _ => false,
    }
}

/// Whether every machine of the internet means the same by it, and one machine alone.
fn is_of_internet(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let is_special = ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_multicast()
        || ip.is_broadcast()
        || ip.is_documentation();
    // "This network", carriers' own addresses (RFC 6598), protocols', benchmarks', and those for later.
    let is_reserved = match ip.octets() {
        [0, ..] | [192, 0, 0, _] | [240..=255, ..] => true,
        [100, second, ..] => second & 0xC0 == 64,
        [198, second, ..] => second & 0xFE == 18,
        _ => false,
    };
    !is_special && !is_reserved
}

/// All of the internet's addresses are in 2000::/3 so far. Some of those carry an IPv4 address, of any network.
fn is_public_v6(ip: Ipv6Addr) -> bool {
    match ip.segments() {
        [0x2001, 0 | 0xdb8, ..] => false,
        [0x2002, high, low, ..] => is_public_v4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))),
        [first, ..] => first & 0xE000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Address> {
        Address::read(text)
    }

    #[test]
    fn an_address_is_of_the_web_and_names_nobody() {
        let address = read("https://ntfy.example/my-topic?x=1").unwrap();
        assert_eq!((address.host(), address.path(), address.port()), ("ntfy.example", "/my-topic?x=1", 443));
        assert!(address.is_secure());
        let plain = read("http://[2001:db8::1]:8080").unwrap();
        assert_eq!((plain.host(), plain.path(), plain.authority()), ("2001:db8::1", "/", "[2001:db8::1]:8080"));
        let long = format!("https://a.example/{}", "x".repeat(LONGEST));
        for bad in ["", "/topic", "ntfy.example/a", "ftp://a.example/", "file:///etc/passwd", "http://", "http://:80/"]
        {
            assert!(read(bad).is_none(), "{bad}");
        }
        for bad in ["http://ann:pw@a.example/", "http://a.example:0/", "http://a.example/ b", "http://a\r\nb/", &long] {
            assert!(read(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn nothing_inside_the_servers_network_is_sent_to() {
        let may = |ip: &str| may_send_to(ip.parse().unwrap(), &[], &[]);
        let inside = "127.0.0.1 127.9.9.9 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 \
            0.0.0.0 0.1.2.3 224.0.0.251 239.1.1.1 255.255.255.255 240.0.0.1 192.0.0.8 198.18.0.1 198.19.1.1 ::1 :: fe80::1 \
            fec0::1 fc00::1 fd12::1 ff02::fb ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 \
            2002:7f00:1:: 2002:a00:1:: 2001::1 100::1";
        for ip in inside.split_whitespace() {
            assert!(!may(ip), "{ip}");
        }
        let outside = "9.9.9.9 172.15.0.1 172.32.0.1 100.63.0.1 100.128.0.1 198.20.0.1 2620:fe::fe 2002:909:909:: \
            ::ffff:9.9.9.9";
        for ip in outside.split_whitespace() {
            assert!(may(ip), "{ip}");
        }
    }

    #[test]
    fn a_neighbour_is_inside_and_who_is_allowed_may_be_anywhere() {
        let own = [("9.9.9.1".parse().unwrap(), "255.255.255.0".parse().unwrap())];
        let may = |ip: &str, allowed: &[Subnet]| may_send_to(ip.parse().unwrap(), allowed, &own);
        assert!(!may("9.9.9.9", &[]) && may("9.9.8.9", &[]));
        let allowed = ["192.168.1.5".parse().unwrap(), "9.9.9.0/30".parse().unwrap()];
        assert!(may("192.168.1.5", &allowed) && may("::ffff:192.168.1.5", &allowed) && may("9.9.9.2", &allowed));
        assert!(!may("192.168.1.6", &allowed) && !may("9.9.9.9", &allowed));
    }

    #[tokio::test]
    async fn a_name_of_this_machine_leads_nowhere() {
        assert!(read("http://localhost:8080/").unwrap().find(&[]).await.is_empty());
        let allowed = ["127.0.0.0/8", "::1"].map(|network| network.parse().unwrap());
        assert!(!read("http://localhost:8080/").unwrap().find(&allowed).await.is_empty());
    }
}
