//! The PROXY protocol's header, version 2: who has connected to whoever passes a connection on. It stands before the first
//! byte of the connection. `haproxy.org/download/3.0/doc/proxy-protocol.txt` is its book; sections are cited from there.
//!
//! What can never happen here: more than [`LONGEST`] bytes read for a header, a byte read that comes after it.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// 12 /* signature */ + 1 /* version and command */ + 1 /* family */ + 2 /* length of the rest */.
const FIXED: usize = 16;
/// No header that we take is longer: addresses of IPv6 and some hundred bytes of other words.
pub const LONGEST: usize = 536;
/// Section 2.2.
const SIGNATURE: [u8; 12] = *b"\r\n\r\n\0\r\nQUIT\n";
/// Version 2, passed on for somebody; for nobody but the proxy itself, which asks after our health.
const PROXY: u8 = 0x21;
const LOCAL: u8 = 0x20;
/// Families: TCP over IPv4, TCP over IPv6.
const TCP4: u8 = 0x11;
const TCP6: u8 = 0x21;
/// The type of the word that says which host was asked for (section 2.2.2).
const AUTHORITY: u8 = 0x02;

/// What a header says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Who has connected; `None`: the proxy itself.
    pub source: Option<SocketAddr>,
    /// Which host was asked for, where that is said.
    pub authority: Option<String>,
}

impl Header {
    /// As bytes. The address that was connected to is not told: nobody asks for it.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = SIGNATURE.to_vec();
        let (family, addresses) = match self.source {
            Some(SocketAddr::V4(source)) => {
                let ports = [source.port().to_be_bytes(), [0; 2]].concat();
                (TCP4, [&source.ip().octets()[..], &[0; 4], &ports].concat())
            }
            Some(SocketAddr::V6(source)) => {
                let ports = [source.port().to_be_bytes(), [0; 2]].concat();
                (TCP6, [&source.ip().octets()[..], &[0; 16], &ports].concat())
            }
            None => (0, Vec::new()),
        };
        let authority = self.authority.as_deref().unwrap_or_default();
        let said = authority.as_bytes().get(..authority.len().min(255)).unwrap_or_default();
        let length = addresses.len() + if said.is_empty() { 0 } else { 3 + said.len() };
        out.extend([if self.source.is_some() { PROXY } else { LOCAL }, family]);
        out.extend((length as u16).to_be_bytes());
        out.extend(addresses);
        if !said.is_empty() {
            out.push(AUTHORITY);
            out.extend((said.len() as u16).to_be_bytes());
            out.extend(said);
        }
        out
    }

    /// Reads a header and not a byte more. Anything else is an error: whoever passes connections on says so each time.
    pub async fn read(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Self> {
        let mut bytes = [0; LONGEST];
        let (fixed, rest) = bytes.split_at_mut(FIXED);
        stream.read_exact(fixed).await?;
        let length = usize::from(u16::from_be_bytes([fixed[14], fixed[15]]));
        let is_ours = fixed.starts_with(&SIGNATURE);
        let rest = rest.get_mut(..length).filter(|_| is_ours).ok_or_else(strange)?;
        stream.read_exact(rest).await?;
        Self::decode(fixed[12], fixed[13], rest).ok_or_else(strange)
    }

    fn decode(command: u8, family: u8, rest: &[u8]) -> Option<Self> {
        if command == LOCAL {
            return Some(Self::default());
        }
        let (source, mut words) = match (command, family) {
            (PROXY, TCP4) => {
                let (addresses, words) = rest.split_first_chunk::<12>()?;
                let [a, b, c, d, .., high, low, _, _] = *addresses;
                (source(Ipv4Addr::new(a, b, c, d).into(), [high, low]), words)
            }
            (PROXY, TCP6) => {
                let (addresses, words) = rest.split_first_chunk::<36>()?;
                let ip = Ipv6Addr::from(*addresses.first_chunk::<16>()?);
                (source(ip.into(), [addresses[32], addresses[33]]), words)
            }
            _ => return None,
        };
        let mut authority = None;
        while let [kind, high, low, more @ ..] = words {
            let (value, more) = more.split_at_checked(usize::from(u16::from_be_bytes([*high, *low])))?;
            if *kind == AUTHORITY {
                authority = Some(std::str::from_utf8(value).ok()?.to_owned());
            }
            words = more;
        }
        Some(Self { source: Some(source), authority })
    }
}

fn source(ip: IpAddr, port: [u8; 2]) -> SocketAddr {
    SocketAddr::new(ip, u16::from_be_bytes(port))
}

fn strange() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "no PROXY header of version 2 before the first byte")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_header_is_read_back_and_nothing_behind_it() {
        for source in [None, Some("192.0.2.7:4711"), Some("[2001:db8::7]:4711")] {
            for authority in [None, Some("pimp.3".to_owned())] {
                let source = source.map(|source| source.parse().unwrap());
                // Nothing is said of whom the proxy itself asks for.
                let header = Header { source, authority: authority.filter(|_| source.is_some()) };
                let bytes = [&header.encode()[..], b"rest"].concat();
                let mut stream = &bytes[..];
                assert_eq!(Header::read(&mut stream).await.unwrap(), header);
                assert_eq!(stream, b"rest");
            }
        }
    }

    #[tokio::test]
    async fn literal_bytes() {
        let header = Header { source: Some("192.0.2.7:258".parse().unwrap()), authority: None };
        let bytes = *b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc0\0\x02\x07\0\0\0\0\x01\x02\0\0";
        assert_eq!(header.encode(), bytes);
    }

    #[tokio::test]
    async fn what_is_none_or_too_long_is_refused() {
        let good = Header { source: Some("192.0.2.7:1".parse().unwrap()), authority: Some("a".into()) }.encode();
        for cut in 0..good.len() {
            assert!(Header::read(&mut &good[..cut]).await.is_err(), "{cut}");
        }
        for at in 0..FIXED - 2 {
            let mut bad = good.clone();
            bad[at] ^= 0x40;
            assert!(Header::read(&mut &bad[..]).await.is_err(), "{at}");
        }
        let mut long = good;
        long[14] = 0xff;
        long.resize(70_000, 0);
        let mut stream = &long[..];
        assert!(Header::read(&mut stream).await.is_err());
        assert_eq!(stream.len(), 70_000 - FIXED, "a header that is too long is not read");
    }
}
