//! Two computers on one cable. One asks the other whether it is there. All that happens, happens in the loop of `main`.

use cable::{Fate, Weather, cable};
use smoltcp::iface::{Config, Interface, SocketSet};
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::socket::icmp;
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{
    ArpPacket, EthernetAddress, EthernetFrame, EthernetProtocol, Icmpv4Packet, Icmpv4Repr, IpAddress, IpCidr,
    Ipv4Packet,
};

/// Where the second computer is. `break` moves it to another network.
const THERE: [u8; 4] = [10, 0, 0, 2];
const ELSEWHERE: [u8; 4] = [10, 0, 1, 2];

fn main() {
    let there = if std::env::args().any(|word| word == "break") { ELSEWHERE } else { THERE };
    let tap = Box::new(|from, now: Instant, frame: &[u8], _: Fate| {
        println!("{:>4} ms  {from:<5} sends {}", now.total_millis(), describe(frame));
    });
    let [mut here_end, mut there_end] = cable(["here", "there"], Weather { delay: 2, ..Weather::default() }, tap);

    // An interface is a station: it has two addresses, one for the cable and one for the internet.
    let mut now = Instant::ZERO;
    let mut here = Interface::new(Config::new(EthernetAddress([2, 0, 0, 0, 0, 1]).into()), &mut here_end, now);
    let mut other = Interface::new(Config::new(EthernetAddress([2, 0, 0, 0, 0, 2]).into()), &mut there_end, now);
    here.update_ip_addrs(|list| list.push(IpCidr::new(IpAddress::v4(10, 0, 0, 1), 24)).unwrap());
    other.update_ip_addrs(|list| list.push(IpCidr::new(IpAddress::Ipv4(there.into()), 24)).unwrap());

    // A socket is a mailbox with memory of a fixed size: room for one packet each way.
    let room = || icmp::PacketBuffer::new(vec![icmp::PacketMetadata::EMPTY], vec![0; 64]);
    let mut sockets = SocketSet::new(vec![]);
    let ping = sockets.add(icmp::Socket::new(room(), room()));
    let mut none = SocketSet::new(vec![]);
    let socket = sockets.get_mut::<icmp::Socket>(ping);
    socket.bind(icmp::Endpoint::Ident(7)).unwrap();
    let question = Icmpv4Repr::EchoRequest { ident: 7, seq_no: 1, data: b"are you there?" };
    let letter = socket.send(question.buffer_len(), IpAddress::v4(10, 0, 0, 2)).unwrap();
    question.emit(&mut Icmpv4Packet::new_unchecked(letter), &ChecksumCapabilities::default());

    // The loop. Nothing moves unless somebody polls, and smoltcp says itself when it wants to be polled next.
    while now < Instant::from_millis(3000) {
        here.poll(now, &mut here_end, &mut sockets);
        other.poll(now, &mut there_end, &mut none);
        let socket = sockets.get_mut::<icmp::Socket>(ping);
        if let Ok((answer, from)) = socket.recv() {
            let answer = Icmpv4Packet::new_checked(answer).unwrap();
            println!("{:>4} ms  {from} says: {}", now.total_millis(), String::from_utf8_lossy(answer.data()));
            return;
        }
        let wishes = [here.poll_at(now, &sockets), other.poll_at(now, &none), here_end.next_arrival()];
        now = wishes.into_iter().flatten().min().unwrap_or(now + Duration::from_millis(1000)).max(now);
        now += Duration::from_millis(u64::from(wishes == [None; 3]));
    }
    println!("{:>4} ms  nobody answers", now.total_millis());
}

/// A frame in a few words.
fn describe(frame: &[u8]) -> String {
    let frame = EthernetFrame::new_unchecked(frame);
    let what = match frame.ethertype() {
        EthernetProtocol::Arp => {
            let arp = ArpPacket::new_unchecked(frame.payload());
            let [from, to] = [arp.source_protocol_addr(), arp.target_protocol_addr()]
                .map(|ip| ip.iter().map(u8::to_string).collect::<Vec<_>>().join("."));
            format!("ARP {:?}: {from} looks for {to}", arp.operation()).replace("Reply: ", "Reply, who did: ")
        }
        EthernetProtocol::Ipv4 => {
            let ip = Ipv4Packet::new_unchecked(frame.payload());
            format!("{}: {} -> {}", ip.next_header(), ip.src_addr(), ip.dst_addr())
        }
        other => format!("{other}"),
    };
    format!("to {}  {what}", frame.dst_addr())
}
