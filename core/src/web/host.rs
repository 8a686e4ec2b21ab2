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
    plain || is_address(name) || HOME.iter().any(|end| ends_with(name, end))
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

fn is_address(name: &str) -> bool {
    name.parse::<core::net::Ipv4Addr>().is_ok()
}

fn ends_with(name: &str, end: &str) -> bool {
    let start = name.len().checked_sub(end.len());
    start.and_then(|start| name.get(start..)).is_some_and(|last| last.eq_ignore_ascii_case(end))
}

#[cfg(test)]
mod tests {
    use super::*;

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
