//! The PROXY protocol, versions 1 and 2: what a proxy that passes TCP on says of its visitor, before the visitor's first byte.
//!
//! A header is taken byte for byte and nothing behind it: what follows may be TLS, HTTP or a game. A peer that should
//! send one and does not is refused at its first byte that is none of a header's, for guessing would let visitors write
//! it themselves. No header is longer than [`LONGEST`], and readers give it a time.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// How version 1 begins: `PROXY TCP4 192.0.2.1 10.0.0.7 51234 13220\r\n`.
const WORD: &[u8] = b"PROXY ";
/// `PROXY UNKNOWN\r\n`: no header of either version is shorter.
const SHORTEST_LINE: usize = 15;
/// With its line end: two IPv6 addresses and two ports at their longest.
const LONGEST_LINE: usize = 107;
/// How version 2 begins.
const SIGNATURE: &[u8; 12] = b"\r\n\r\n\0\r\nQUIT\n";
/// Signature, version and command, family and protocol, length of the rest.
const HEAD: usize = SIGNATURE.len() + 4;
/// The longest header of version 2 that is read: addresses take 36 bytes at most, and what a proxy may add about TLS or its
/// own network a few hundred.
const LONGEST: usize = 2048;

/// What a header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// The proxy speaks for itself, to see whether the server answers; or it does not know its visitor.
    Own,
    /// It speaks for the visitor with this address.
    Visitor(SocketAddr),
}

/// What the bytes so far are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parsed {
    /// The beginning of a header that has at least so many bytes more.
    Needs(usize),
    Whole(Header),
    No,
}

/// Takes one header off a connection. An error: what came is none.
pub async fn take(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Header> {
    let mut bytes = Vec::with_capacity(LONGEST_LINE);
    loop {
        match parse(&bytes) {
            Parsed::Whole(header) => return Ok(header),
            Parsed::No => return Err(io::Error::new(io::ErrorKind::InvalidData, "no PROXY header where one must be")),
            Parsed::Needs(more) => {
                // Never more than belongs to it: the rest is the visitor's.
                let had = bytes.len();
                bytes.resize(had + more, 0);
                let n = stream.read(&mut bytes[had..]).await?;
                bytes.truncate(had + n);
                if n == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        }
    }
}

/// The header of version 2 for a visitor passed on. The address that was connected to is not told: no node needs it.
#[cfg(feature = "cluster")]
pub fn header_of(visitor: SocketAddr) -> Vec<u8> {
    let port = visitor.port().to_be_bytes();
    let (family, block) = match visitor.ip() {
        IpAddr::V4(ip) => (0x11, [&ip.octets()[..], &[0; 4], &port, &[0; 2]].concat()),
        IpAddr::V6(ip) => (0x21, [&ip.octets()[..], &[0; 16], &port, &[0; 2]].concat()),
    };
    [&SIGNATURE[..], &[0x21, family, 0, block.len() as u8], &block].concat()
}

fn parse(bytes: &[u8]) -> Parsed {
    if bytes.is_empty() {
        return Parsed::Needs(SHORTEST_LINE);
    }
    let begins = |with: &[u8]| bytes.iter().zip(with).all(|(one, other)| one == other);
    if begins(SIGNATURE) {
        return parse_binary(bytes);
    }
    if begins(WORD) { parse_line(bytes) } else { Parsed::No }
}

fn parse_line(bytes: &[u8]) -> Parsed {
    if bytes.len() > LONGEST_LINE {
        return Parsed::No;
    }
    if let Some(line) = bytes.strip_suffix(b"\r\n") {
        return line.strip_prefix(WORD).and_then(visitor_of_line).map_or(Parsed::No, Parsed::Whole);
    }
    if bytes.contains(&b'\n') {
        return Parsed::No;
    }
    // Once it is nearly as long as the shortest, its end may be anywhere.
    let (is_ending, missing) = (bytes.last() == Some(&b'\r'), SHORTEST_LINE.saturating_sub(bytes.len()));
    Parsed::Needs(missing.max(1 + usize::from(!is_ending)))
}

/// What stands behind the first word.
fn visitor_of_line(words: &[u8]) -> Option<Header> {
    let words = str::from_utf8(words).ok()?;
    let mut words = words.split(' ');
    let family = words.next()?;
    if family == "UNKNOWN" {
        // Whatever else it says is to be passed over.
        return Some(Header::Own);
    }
    let addresses = [words.next()?, words.next()?];
    let ports = [words.next()?, words.next()?];
    let source: IpAddr = match family {
        "TCP4" => addresses.map(str::parse::<Ipv4Addr>).into_iter().collect::<Result<Vec<_>, _>>().ok()?[0].into(),
        "TCP6" => addresses.map(str::parse::<Ipv6Addr>).into_iter().collect::<Result<Vec<_>, _>>().ok()?[0].into(),
        _ => return None,
    };
    let ports = ports.map(port).into_iter().collect::<Option<Vec<_>>>()?;
    words.next().is_none().then(|| Header::Visitor(SocketAddr::new(source, ports[0])))
}

/// Digits alone, none of them for nothing.
fn port(text: &str) -> Option<u16> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|_| is_plain)
}

fn parse_binary(bytes: &[u8]) -> Parsed {
    let Some((head, rest)) = bytes.split_first_chunk::<HEAD>() else { return Parsed::Needs(HEAD - bytes.len()) };
    let [.., command, family, high, low] = *head;
    let length = usize::from(u16::from_be_bytes([high, low]));
    // Version 2, and of its commands LOCAL and PROXY.
    if !matches!(command, 0x20 | 0x21) || HEAD + length > LONGEST {
        return Parsed::No;
    }
    if rest.len() < length {
        return Parsed::Needs(length - rest.len());
    }
    let header = match (command, family) {
        (0x20, _) => Some(Header::Own),
        // TCP over IPv4, and over IPv6: both addresses, then both ports; what comes behind them is passed over.
        (_, 0x11) => address::<4, 12>(rest).map(|(ip, port)| visitor(Ipv4Addr::from(ip).into(), port)),
        (_, 0x21) => address::<16, 36>(rest).map(|(ip, port)| visitor(Ipv6Addr::from(ip).into(), port)),
        // No address that could be counted: datagrams, sockets of the proxy's own machine, whatever is not told.
        _ => Some(Header::Own),
    };
    header.map_or(Parsed::No, Parsed::Whole)
}

fn visitor(ip: IpAddr, port: u16) -> Header {
    Header::Visitor(SocketAddr::new(ip, port))
}

/// The source's address and port out of a block of `ALL` bytes.
fn address<const N: usize, const ALL: usize>(block: &[u8]) -> Option<([u8; N], u16)> {
    let block: &[u8; ALL] = block.first_chunk()?;
    let (ip, ports) = (block.first_chunk::<N>()?, block.get(2 * N..)?);
    Some((*ip, u16::from_be_bytes(*ports.first_chunk()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(command: u8, family: u8, block: &[u8]) -> Vec<u8> {
        let length = u16::try_from(block.len()).unwrap().to_be_bytes();
        [&SIGNATURE[..], &[command, family], &length, block].concat()
    }

    const V4: [u8; 12] = [192, 0, 2, 1, 10, 0, 0, 7, 0xc8, 0x22, 0x33, 0xa4];

    /// Fed as a stream would: what a parser asks for, in pieces of at most so many bytes. What it says, and how many it took.
    fn read(bytes: &[u8], piece: usize) -> (Parsed, usize) {
        let mut taken = 0;
        loop {
            match parse(&bytes[..taken]) {
                Parsed::Needs(more) if taken < bytes.len() => taken += more.min(piece).min(bytes.len() - taken),
                parsed => return (parsed, taken),
            }
        }
    }

    fn visitor(text: &str) -> Parsed {
        Parsed::Whole(Header::Visitor(text.parse().unwrap()))
    }

    #[test]
    fn headers_are_read_to_their_last_byte_and_no_further() {
        let more = binary(0x21, 0x11, &[&V4[..], &[0x04, 0, 2, 7, 7]].concat());
        let mut v6 = [0; 36];
        v6[..4].copy_from_slice(&[0x20, 0x01, 0x0d, 0xb8]);
        (v6[15], v6[33]) = (9, 80);
        let longest = format!("PROXY TCP6 {0} {0} 65535 65535\r\n", "ffff:".repeat(7) + "ffff");
        let all = [
            (b"PROXY TCP4 192.0.2.1 10.0.0.7 51234 13220\r\n".to_vec(), visitor("192.0.2.1:51234")),
            (b"PROXY TCP6 2001:db8::9 ::1 1 2\r\n".to_vec(), visitor("[2001:db8::9]:1")),
            (longest.into_bytes(), visitor("[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535")),
            (b"PROXY UNKNOWN\r\n".to_vec(), Parsed::Whole(Header::Own)),
            (b"PROXY UNKNOWN ffff::1 what ever\r\n".to_vec(), Parsed::Whole(Header::Own)),
            (binary(0x21, 0x11, &V4), visitor("192.0.2.1:51234")),
            (more, visitor("192.0.2.1:51234")),
            (binary(0x21, 0x21, &v6), visitor("[2001:db8::9]:80")),
            (binary(0x20, 0x00, &[]), Parsed::Whole(Header::Own)),
            (binary(0x20, 0x11, &V4), Parsed::Whole(Header::Own)),
            (binary(0x21, 0x31, &[0; 216]), Parsed::Whole(Header::Own)),
            (binary(0x21, 0x00, &[]), Parsed::Whole(Header::Own)),
        ];
        for (header, parsed) in all {
            let stream = [&header[..], b"\r\nPROXY \x16\x03"].concat();
            for piece in [usize::MAX, 7, 1] {
                assert_eq!(read(&stream, piece), (parsed, header.len()), "{}", header.escape_ascii());
            }
            for cut in 0..header.len() {
                assert!(matches!(read(&header[..cut], 1).0, Parsed::Needs(1..)), "{}", header.escape_ascii());
            }
        }
    }

    #[cfg(feature = "cluster")]
    #[tokio::test]
    async fn what_is_passed_on_is_read_back_and_nothing_behind_it() {
        let literal = *b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc0\0\x02\x07\0\0\0\0\x01\x02\0\0";
        assert_eq!(header_of("192.0.2.7:258".parse().unwrap()), literal);
        for visitor in ["192.0.2.7:4711", "[2001:db8::7]:4711"] {
            let visitor = visitor.parse().unwrap();
            let bytes = [&header_of(visitor)[..], b"rest"].concat();
            let mut stream = &bytes[..];
            assert_eq!(take(&mut stream).await.unwrap(), Header::Visitor(visitor));
            assert_eq!(stream, b"rest");
        }
    }

    #[test]
    fn what_is_no_header_is_known_at_once() {
        let refused = |bytes: &[u8]| assert_eq!(read(bytes, 1).0, Parsed::No, "{}", bytes.escape_ascii());
        // First words of the games, of TLS and of HTTP.
        for first in [&b"\0"[..], b"protocol", b"\x16", b"GET", b"PRI", b"PROXY\t", b"\r\n\r\n\x01"] {
            refused(first);
        }
        for line in [
            "PROXY \r\n__________",
            "PROXY TCP4\r\n______",
            "PROXY TCP5 192.0.2.1 10.0.0.7 1 2\r\n",
            "PROXY TCP4 192.0.2.1 10.0.0.7 1\r\n",
            "PROXY TCP4 192.0.2.1 10.0.0.7 1 2 3\r\n",
            "PROXY TCP4 192.0.2.256 10.0.0.7 1 2\r\n",
            "PROXY TCP4 192.0.2.1 2001:db8::1 1 2\r\n",
            "PROXY TCP4 2001:db8::1 2001:db8::2 1 2\r\n",
            "PROXY TCP6 192.0.2.1 10.0.0.7 1 2\r\n",
            "PROXY TCP4 192.0.2.1 10.0.0.7 65536 2\r\n",
            "PROXY TCP4 192.0.2.1 10.0.0.7 01 2\r\n",
            "PROXY TCP4 192.0.2.1 10.0.0.7 +1 2\r\n",
            "PROXY TCP4 192.0.2.1  10.0.0.7 1 2\r\n",
            "PROXY TCP4 192.0.2.1 10.0.0.7 1 2\n",
            "PROXY UNKNOWN\n_____",
        ] {
            refused(line.as_bytes());
        }
        refused(&[&b"PROXY UNKNOWN "[..], &[b'x'; 200]].concat());
        // Another version, another command, addresses that are cut short, a header without a near end.
        refused(&binary(0x11, 0x11, &V4));
        refused(&binary(0x22, 0x11, &V4));
        refused(&binary(0x21, 0x11, &V4[..11]));
        refused(&binary(0x21, 0x21, &[0; 35]));
        refused(&binary(0x21, 0x11, &[0; LONGEST])[..HEAD]);
    }
}
