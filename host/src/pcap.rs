//! `--pcap FILE`: what every connection says, as a capture for Wireshark.
//!
//! Nothing is overheard: packets are made up around the bytes as they pass the door, with the addresses and ports that they
//! had, so no rights and no interface are needed. TLS is off by then: what it hides from others stands here in clear, and so do
//! passwords. The file is for its owner alone, and ends at `LARGEST` bytes.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write as _};
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::net::Stream;

/// A gigabyte: more than this is not read by people.
const LARGEST: u64 = 1 << 30;
/// Bytes of one made-up packet: more than this, and its length would not fit an IPv4 header.
const SEGMENT: usize = 32 << 10;
/// Magic, version 2.4, no time zone, whole packets, and packets that begin with an IP header.
const HEAD: [u32; 6] = [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, 101];

const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const PUSH: u8 = 0x08;
const ACK: u8 = 0x10;
const TCP: u8 = 6;

/// A capture file that is being written.
pub struct Capture {
    file: Mutex<Open>,
}

struct Open {
    file: BufWriter<File>,
    length: u64,
    is_full: bool,
}

/// One connection, as a capture tells it.
struct Flow {
    client: SocketAddr,
    server: SocketAddr,
    /// The next sequence numbers of client and server.
    next: [u32; 2],
}

impl Capture {
    /// A new file; one that is there is written over, and is its owner's alone from now on as well.
    pub fn create(path: &Path) -> io::Result<Arc<Self>> {
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
        // A pipe to a tool has the rights that it was made with.
        if file.metadata()?.is_file() {
            file.set_permissions(Permissions::from_mode(0o600))?;
        }
        let mut open = Open { file: BufWriter::new(file), length: 0, is_full: false };
        open.write(&HEAD.map(u32::to_le_bytes).concat())?;
        open.file.flush()?;
        Ok(Arc::new(Self { file: Mutex::new(open) }))
    }

    /// The same stream, written down.
    pub fn tap(self: &Arc<Self>, stream: Box<dyn Stream>, client: SocketAddr, server: SocketAddr) -> Box<dyn Stream> {
        let mut flow = Flow { client, server, next: [0, 0] };
        for (by_client, flags) in [(true, SYN), (false, SYN | ACK), (true, ACK)] {
            self.note(&mut flow, by_client, flags, &[]);
        }
        Box::new(Tapped { stream, capture: self.clone(), flow, is_over: [false; 2] })
    }

    fn note(&self, flow: &mut Flow, by_client: bool, flags: u8, bytes: &[u8]) {
        let packet = flow.packet(by_client, flags, bytes);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let length = packet.len() as u32;
        let stamp = [now.as_secs() as u32, now.subsec_micros(), length, length].map(u32::to_le_bytes).concat();
        let mut open = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if open.is_full {
            return;
        }
        // All that is said at once is in the file at once, for a tool that reads along.
        let written = open.write(&stamp).and_then(|()| open.write(&packet)).and_then(|()| open.file.flush());
        open.is_full = written.is_err() || open.length > LARGEST;
        if open.is_full {
            let why = written.err().map_or_else(|| "it is as long as it may be".into(), |error| error.to_string());
            tracing::warn!(why, "nothing more is written to the capture");
        }
    }
}

impl Open {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.length += bytes.len() as u64;
        self.file.write_all(bytes)
    }
}

impl Flow {
    fn packet(&mut self, by_client: bool, flags: u8, bytes: &[u8]) -> Vec<u8> {
        let (from, to) = if by_client { (self.client, self.server) } else { (self.server, self.client) };
        let (mine, theirs) = (usize::from(!by_client), usize::from(by_client));
        let mut segment = Vec::with_capacity(20 + bytes.len());
        segment.extend(from.port().to_be_bytes());
        segment.extend(to.port().to_be_bytes());
        segment.extend(self.next[mine].to_be_bytes());
        segment.extend(if flags & ACK == 0 { [0; 4] } else { self.next[theirs].to_be_bytes() });
        // Five words of header, an open window, no checksum yet, nothing urgent.
        segment.extend([5 << 4, flags, 0xff, 0xff, 0, 0, 0, 0]);
        segment.extend_from_slice(bytes);
        self.next[mine] = self.next[mine].wrapping_add(bytes.len() as u32 + u32::from(flags & (SYN | FIN) != 0));
        let (mut packet, pseudo) = match (from.ip().to_canonical(), to.ip().to_canonical()) {
            (IpAddr::V4(from), IpAddr::V4(to)) => {
                let length = ((20 + segment.len()) as u16).to_be_bytes();
                let mut head = [0x45, 0, length[0], length[1], 0, 0, 0x40, 0, 64, TCP, 0, 0].to_vec();
                head.extend(from.octets());
                head.extend(to.octets());
                let sum = checksum(&head, 0);
                head[10..12].copy_from_slice(&sum.to_be_bytes());
                (head, [&from.octets()[..], &to.octets()].concat())
            }
            (from, to) => {
                // One of IPv4 beside one of IPv6 is told as IPv6 tells it.
                let [from, to] = [from, to].map(|ip| match ip {
                    IpAddr::V4(ip) => ip.to_ipv6_mapped().octets(),
                    IpAddr::V6(ip) => ip.octets(),
                });
                let length = (segment.len() as u16).to_be_bytes();
                let head = [&[0x60, 0, 0, 0, length[0], length[1], TCP, 64][..], &from, &to].concat();
                (head, [from, to].concat())
            }
        };
        let sum = checksum(&pseudo, checksum_of(&segment) + u64::from(TCP) + segment.len() as u64);
        segment[16..18].copy_from_slice(&sum.to_be_bytes());
        packet.extend(segment);
        packet
    }
}

/// The sum of pairs of bytes, before it is folded.
fn checksum_of(bytes: &[u8]) -> u64 {
    bytes.chunks(2).map(|pair| u64::from(pair[0]) << 8 | u64::from(pair.get(1).copied().unwrap_or(0))).sum()
}

fn checksum(bytes: &[u8], more: u64) -> u16 {
    let mut sum = checksum_of(bytes) + more;
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// A connection whose bytes are written down as they pass.
struct Tapped {
    stream: Box<dyn Stream>,
    capture: Arc<Capture>,
    flow: Flow,
    /// The client has said its last, and the server has.
    is_over: [bool; 2],
}

impl Tapped {
    fn say(&mut self, by_client: bool, bytes: &[u8]) {
        for piece in bytes.chunks(SEGMENT) {
            self.capture.note(&mut self.flow, by_client, PUSH | ACK, piece);
        }
    }

    fn end(&mut self, by_client: bool) {
        if !std::mem::replace(&mut self.is_over[usize::from(!by_client)], true) {
            self.capture.note(&mut self.flow, by_client, FIN | ACK, &[]);
        }
    }
}

impl AsyncRead for Tapped {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let had = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        match &buffer.filled()[had..] {
            [] if buffer.remaining() > 0 => self.end(true),
            came => self.say(true, came),
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Tapped {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let n = ready!(Pin::new(&mut self.stream).poll_write(context, bytes))?;
        self.say(false, &bytes[..n]);
        Poll::Ready(Ok(n))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.end(false);
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl Drop for Tapped {
    fn drop(&mut self) {
        self.end(false);
        self.end(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_everybodys_is_its_owners_alone() {
        let path = std::env::temp_dir().join(format!("parlor-capture-{}", std::process::id()));
        std::fs::write(&path, b"before").unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        Capture::create(&path).unwrap();
        let about = std::fs::metadata(&path).unwrap();
        assert_eq!((about.permissions().mode() & 0o777, about.len()), (0o600, 24));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_packet_is_whole_and_its_sums_are_right() {
        let mut flow =
            Flow { client: "192.0.2.1:4711".parse().unwrap(), server: "10.0.0.7:13220".parse().unwrap(), next: [7, 9] };
        let packet = flow.packet(true, PUSH | ACK, b"abc");
        assert_eq!(packet.len(), 20 + 20 + 3);
        assert_eq!(packet[..10], [0x45, 0, 0, 43, 0, 0, 0x40, 0, 64, 6]);
        assert_eq!(packet[12..20], [192, 0, 2, 1, 10, 0, 0, 7]);
        assert_eq!(packet[20..34], [0x12, 0x67, 0x33, 0xa4, 0, 0, 0, 7, 0, 0, 0, 9, 0x50, 0x18]);
        assert_eq!(packet[40..], *b"abc");
        // A sum over what has its own sum in it is nothing.
        assert_eq!(checksum(&packet[..20], 0), 0);
        assert_eq!(checksum(&packet[12..], u64::from(TCP) + 23), 0);
        assert_eq!(flow.packet(false, ACK, &[])[24..32], [0, 0, 0, 9, 0, 0, 0, 10]);
    }

    #[test]
    fn the_two_kinds_of_addresses_are_told_as_they_are() {
        let flow = |client: &str, server: &str| Flow {
            client: client.parse().unwrap(),
            server: server.parse().unwrap(),
            next: [0, 0],
        };
        let packet = flow("[2001:db8::1]:1", "[2001:db8::2]:2").packet(false, SYN, b"x");
        assert_eq!(packet[..8], [0x60, 0, 0, 0, 0, 21, 6, 64]);
        assert_eq!((packet[23], packet[39]), (2, 1));
        assert_eq!(checksum(&packet[8..], u64::from(TCP) + 21), 0);
        assert_eq!(flow("[::ffff:192.0.2.1]:1", "10.0.0.7:2").packet(true, SYN, &[])[0], 0x45);
        assert_eq!(flow("[2001:db8::1]:1", "10.0.0.7:2").packet(true, SYN, &[])[0], 0x60);
    }
}
