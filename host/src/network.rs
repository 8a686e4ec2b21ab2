//! Where this machine can be reached: what friends in the same network type, or point a camera at.

use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use qrcodegen::{QrCode, QrCodeEcc};

/// Interfaces of these names lead to programs of this machine, not to friends.
const INNER: [&str; 6] = ["docker", "veth", "br-", "virbr", "tun", "tap"];
/// Light modules around a code: less, and cameras do not find it.
const MARGIN: i32 = 4;

/// A port for this machine alone becomes one for every network it is in.
pub fn widen(address: &mut SocketAddr) {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_loopback() => address.set_ip(Ipv4Addr::UNSPECIFIED.into()),
        IpAddr::V6(ip) if ip.is_loopback() => address.set_ip(Ipv6Addr::UNSPECIFIED.into()),
        _ => {}
    }
}

/// The addresses by which others reach what listens here, the likeliest first; none if only this machine does.
pub fn reachable(listening: &[SocketAddr]) -> Vec<SocketAddr> {
    let interfaces = || {
        let mut found = if_addrs::get_if_addrs().unwrap_or_default();
        found.sort_by_key(|one| (INNER.iter().any(|name| one.name.starts_with(name)), one.ip().is_ipv6()));
        found.into_iter().map(|one| one.ip()).filter(is_told).collect::<Vec<_>>()
    };
    let mut addresses = Vec::new();
    for at in listening {
        match at.ip() {
            ip if ip.is_loopback() => {}
            // What listens at all addresses of IPv6 listens at those of IPv4 too.
            ip if ip.is_unspecified() => {
                let ips = interfaces().into_iter().filter(|other| ip.is_ipv6() || other.is_ipv4());
                addresses.extend(ips.map(|ip| SocketAddr::new(ip, at.port())));
            }
            _ => addresses.push(*at),
        }
    }
    addresses.dedup();
    addresses
}

/// Addresses of this machine in networks where others could hear it.
pub fn multicast_addresses() -> Vec<Ipv4Addr> {
    let found = if_addrs::get_if_addrs().unwrap_or_default().into_iter();
    let outer = found.filter(|one| !one.is_loopback() && !INNER.iter().any(|name| one.name.starts_with(name)));
    let ips = outer.filter_map(|one| match one.ip() {
        IpAddr::V4(ip) => Some(ip),
        IpAddr::V6(_) => None,
    });
    ips.collect()
}

/// A person could type it: no address of one wire alone.
fn is_told(ip: &IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => !ip.is_loopback() && !ip.is_link_local(),
        IpAddr::V6(ip) => !ip.is_loopback() && !ip.is_unicast_link_local(),
    }
}

/// `http://ADDRESS/`, as a browser takes it.
pub fn url(address: SocketAddr) -> String {
    format!("http://{address}/")
}

fn code(text: &str) -> Option<QrCode> {
    QrCode::encode_text(text, QrCodeEcc::Medium).ok()
}

/// A picture for a page; `None`: the text is too long for a code.
pub fn svg(text: &str) -> Option<String> {
    let code = code(text)?;
    let side = code.size() + 2 * MARGIN;
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" shape-rendering=\"crispEdges\">\
         <path fill=\"#fff\" d=\"M0 0h{side}v{side}H0z\"/><path d=\""
    );
    for y in 0..code.size() {
        for x in (0..code.size()).filter(|x| code.get_module(*x, y)) {
            let _ = write!(picture, "M{} {}h1v1h-1z", x + MARGIN, y + MARGIN);
        }
    }
    picture += "\"/></svg>";
    Some(picture)
}

/// The same in letters, two rows a line, for a terminal of any colours: dark on light is said outright.
pub fn letters(text: &str) -> Option<String> {
    let code = code(text)?;
    let mut picture = String::new();
    let edge = code.size() + MARGIN;
    for y in (-MARGIN..edge).step_by(2) {
        picture += "\x1b[30;107m";
        for x in -MARGIN..edge {
            picture.push(match (code.get_module(x, y), code.get_module(x, y + 1)) {
                (true, true) => '█',
                (true, false) => '▀',
                (false, true) => '▄',
                (false, false) => ' ',
            });
        }
        picture += "\x1b[0m\n";
    }
    Some(picture)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_widened() {
        let widened = |text: &str| {
            let mut address = text.parse().unwrap();
            widen(&mut address);
            address.to_string()
        };
        assert_eq!(widened("127.0.0.1:8080"), "0.0.0.0:8080");
        assert_eq!(widened("[::1]:8080"), "[::]:8080");
        assert_eq!(widened("192.168.1.5:80"), "192.168.1.5:80");
    }

    #[test]
    fn nobody_reaches_loopback_and_everybody_what_is_named() {
        let at = |text: &str| reachable(&[text.parse().unwrap()]);
        assert_eq!(at("127.0.0.1:8080"), []);
        assert_eq!(at("192.0.2.7:8080"), ["192.0.2.7:8080".parse().unwrap()]);
        assert!(at("0.0.0.0:8080").iter().all(|address| address.is_ipv4() && address.port() == 8080));
    }

    /// Every module that the code has dark is drawn, and no other, in both pictures.
    #[test]
    fn both_pictures_show_the_code() {
        let text = "http://192.168.1.5:8080/";
        let code = code(text).unwrap();
        let is_dark = |x: i32, y: i32| code.get_module(x - MARGIN, y - MARGIN);
        let side = code.size() + 2 * MARGIN;
        let all = || (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
        let picture = svg(text).unwrap();
        assert!(all().all(|(x, y)| picture.contains(&format!("M{x} {y}h1")) == is_dark(x, y)));
        let plain = letters(text).unwrap().replace("\x1b[30;107m", "").replace("\x1b[0m", "");
        let lines: Vec<Vec<char>> = plain.lines().map(|line| line.chars().collect()).collect();
        let drawn = |x: i32, y: i32| {
            let half = if y % 2 == 0 { ['█', '▀'] } else { ['█', '▄'] };
            half.contains(&lines[y as usize / 2][x as usize])
        };
        assert!(all().all(|(x, y)| drawn(x, y) == is_dark(x, y)));
        assert!(svg(&"x".repeat(4000)).is_none());
    }
}
