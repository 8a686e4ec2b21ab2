//! By which names a small server in somebody's home may be called.
//!
//! A page of a stranger can have its own name point at an address of this network, and its scripts then speak to that
//! address as to their own server (DNS rebinding). Such a name is a public one. So a request is answered only if it calls
//! an address, or a name that no public server can have.

/// The ends of names that are never given to anybody (RFC 6762, 8375, ICANN's `internal`), and `lan`, which home routers use.
const HOME: [&str; 5] = [".local", ".lan", ".home.arpa", ".internal", ".localhost"];

/// Whether a request with this Host is meant for a server at home.
pub fn is_home(host: &str) -> bool {
    let name = without_port(host);
    // A name without a dot is looked up nowhere but here. An address in brackets is one of IPv6.
    let plain = !name.is_empty() && !name.contains('.');
    plain || ipv4(name).is_some() || HOME.iter().any(|end| ends_with(name, end))
}

/// Whether a page from `origin` is this server's own, called `host`.
pub fn is_same(origin: &str, host: &str) -> bool {
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// The four numbers of an address of IPv4. The standard library reads the same, in half a kilobyte of a board's flash more.
pub fn ipv4(address: &str) -> Option<[u8; 4]> {
    let mut numbers = [0; 4];
    let mut parts = address.split('.');
    for number in &mut numbers {
        *number = byte(parts.next()?)?;
    }
    if parts.next().is_none() { Some(numbers) } else { None }
}

/// A number below 256 in digits, without zeros before it.
#[inline(never)]
pub fn byte(digits: &str) -> Option<u8> {
    let next = |number: u8, digit: u8| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 10)?;
        number.checked_mul(10)?.checked_add(digit)
    };
    let is_plain = digits == "0" || !digits.starts_with('0') && !digits.is_empty();
    if is_plain { digits.bytes().try_fold(0, next) } else { None }
}

fn ends_with(name: &str, end: &str) -> bool {
    let start = name.len().checked_sub(end.len());
    start.and_then(|start| name.get(start..)).is_some_and(|last| last.eq_ignore_ascii_case(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_the_library_reads_it() {
        for text in [
            "0.0.0.0",
            "10.0.2.15",
            "255.255.255.255",
            "256.0.0.1",
            "1.2.3",
            "1.2.3.4.5",
            "1.2.3.",
            ".1.2.3",
            "1..2.3",
            "01.2.3.4",
            "1.2.3.+4",
            "1.2.3.4 ",
            "a.b.c.d",
            "",
            "1.2.3.00",
            "1.2.3.1000",
        ] {
            assert_eq!(ipv4(text), text.parse().ok().map(|address: core::net::Ipv4Addr| address.octets()), "{text}");
        }
    }

    #[test]
    fn names_of_the_home_and_of_the_world() {
        for host in [
            "192.168.13.220",
            "10.0.2.15:80",
            "parlor.local",
            "PARLOR-2.LOCAL:8080",
            "localhost:8080",
            "parlor",
            "[fe80::1]:80",
            "parlor.lan",
            "parlor.home.arpa",
            "a.b.local",
        ] {
            assert!(is_home(host), "{host}");
        }
        for host in
            ["evil.example", "192.168.13.220.evil.example", "local.evil.example:80", "", ":80", "xlocal.com", "1.2.3"]
        {
            assert!(!is_home(host), "{host}");
        }
    }

    #[test]
    fn an_origin_is_the_server_itself_or_not() {
        assert!(is_same("http://parlor.local", "parlor.local"));
        assert!(is_same("http://Parlor.local:8080", "parlor.local:8080"));
        for origin in ["http://evil.example", "null", "", "http://parlor.local:81", "http://parlor.local.evil.example"]
        {
            assert!(!is_same(origin, "parlor.local"), "{origin}");
        }
    }
}
