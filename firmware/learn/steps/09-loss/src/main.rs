//! Fifty kilobytes over a network that loses, doubles, delays, reorders and damages. Do they arrive, and what does it take?

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use cable::{End, Fate, Weather, cable};
use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::socket::tcp;
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{EthernetAddress, IpAddress, IpCidr};

const BYTES: usize = 50_000;

struct Station {
    end: End,
    interface: Interface,
    sockets: SocketSet<'static>,
    socket: SocketHandle,
}

impl Station {
    fn new(mut end: End, number: u8) -> Self {
        let config = Config::new(EthernetAddress([2, 0, 0, 0, 0, number]).into());
        let mut interface = Interface::new(config, &mut end, Instant::ZERO);
        interface.update_ip_addrs(|list| list.push(IpCidr::new(IpAddress::v4(10, 0, 0, number), 24)).unwrap());
        let mut sockets = SocketSet::new(vec![]);
        let room = || tcp::SocketBuffer::new(vec![0; 2048]);
        let socket = sockets.add(tcp::Socket::new(room(), room()));
        Self { end, interface, sockets, socket }
    }
    fn socket(&mut self) -> &mut tcp::Socket<'static> {
        self.sockets.get_mut(self.socket)
    }
    fn poll(&mut self, now: Instant) {
        self.interface.poll(now, &mut self.end, &mut self.sockets);
    }
    fn poll_at(&mut self, now: Instant) -> Option<Instant> {
        self.interface.poll_at(now, &self.sockets)
    }
}

/// How it went: what arrived, when, and what became of the frames.
fn transfer(weather: Weather) -> (Vec<u8>, Instant, BTreeMap<&'static str, u32>) {
    let tally = Rc::new(RefCell::new(BTreeMap::new()));
    let count = tally.clone();
    let tap = Box::new(move |_, _, _: &[u8], fate| {
        let name = match fate {
            Fate::Arrives => "arrive",
            Fate::Lost => "lost",
            Fate::Doubled => "doubled",
            Fate::Damaged => "damaged",
        };
        *count.borrow_mut().entry(name).or_insert(0) += 1;
    });
    let [near, far] = cable(["near", "far"], weather, tap);
    let (mut near, mut far) = (Station::new(near, 1), Station::new(far, 2));
    far.socket().listen(7).unwrap();
    let Station { interface, sockets, socket, .. } = &mut near;
    sockets
        .get_mut::<tcp::Socket>(*socket)
        .connect(interface.context(), (IpAddress::v4(10, 0, 0, 2), 7), 50000)
        .unwrap();

    let sent: Vec<u8> = (0..BYTES).map(|n| (n % 251) as u8).collect();
    let (mut at, mut arrived, mut now) = (0, Vec::new(), Instant::ZERO);
    while arrived.len() < BYTES && now < Instant::from_secs(600) {
        near.poll(now);
        far.poll(now);
        if near.socket().can_send() && at < BYTES {
            at += near.socket().send_slice(&sent[at..]).unwrap();
        }
        while far.socket().can_recv() {
            let mut piece = [0; 256];
            let n = far.socket().recv_slice(&mut piece).unwrap();
            arrived.extend_from_slice(&piece[..n]);
        }
        let wishes = [near.poll_at(now), far.poll_at(now), near.end.next_arrival()];
        now = wishes.into_iter().flatten().min().unwrap_or(now).max(now + Duration::from_millis(1));
    }
    assert!(arrived[..] == sent[..arrived.len()], "what arrives is what was sent");
    let tally = tally.borrow().clone();
    (arrived, now, tally)
}

fn main() {
    let broken = std::env::args().any(|word| word == "break");
    let fair = Weather { delay: 5, seed: 1, ..Weather::default() };
    let mut weathers = vec![
        ("fair", fair),
        ("10 % lost", Weather { drop: 10, ..fair }),
        ("2 % damaged", Weather { corrupt: 2, ..fair }),
        ("20 % doubled", Weather { duplicate: 20, ..fair }),
        ("50 ms jitter", Weather { jitter: 50, ..fair }),
        ("all of it", Weather { drop: 10, corrupt: 2, duplicate: 20, jitter: 50, ..fair }),
    ];
    if broken {
        weathers = vec![("95 % lost", Weather { drop: 95, ..fair })];
    }
    for (name, weather) in weathers {
        let (arrived, now, tally) = transfer(weather);
        println!("{name:<13} {:>5} bytes after {:>6} ms; frames: {tally:?}", arrived.len(), now.total_millis());
    }
}
