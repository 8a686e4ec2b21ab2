//! smoltcp alone: sockets are state machines, and a loop asks every one of them whether there is something to do.

use cable::{End, Weather, cable};
use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::socket::tcp;
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{EthernetAddress, IpAddress, IpCidr};

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
        let room = || tcp::SocketBuffer::new(vec![0; 256]);
        let socket = sockets.add(tcp::Socket::new(room(), room()));
        Self { end, interface, sockets, socket }
    }

    fn poll(&mut self, now: Instant) -> &mut tcp::Socket<'static> {
        self.interface.poll(now, &mut self.end, &mut self.sockets);
        self.sockets.get_mut(self.socket)
    }
}

/// What the client has done so far: between two polls nobody else remembers.
enum Client {
    Connecting,
    Waiting,
}

pub fn run(listens: bool) {
    let [near, far] =
        cable(["client", "server"], Weather { delay: 1, ..Weather::default() }, Box::new(|_, _, _, _| ()));
    let (mut client, mut server) = (Station::new(near, 1), Station::new(far, 2));
    if listens {
        server.poll(Instant::ZERO).listen(7).unwrap();
    }
    let Station { interface, sockets, socket, .. } = &mut client;
    let remote = (IpAddress::v4(10, 0, 0, 2), 7);
    sockets.get_mut::<tcp::Socket>(*socket).connect(interface.context(), remote, 50000).unwrap();

    let (mut state, mut now, mut polls) = (Client::Connecting, Instant::ZERO, 0);
    loop {
        polls += 1;
        let socket = server.poll(now);
        if socket.can_recv() && socket.can_send() {
            let mut piece = [0; 64];
            let n = socket.recv_slice(&mut piece).unwrap();
            socket.send_slice(&piece[..n]).unwrap();
        }
        let socket = client.poll(now);
        match state {
            Client::Connecting if socket.can_send() => {
                socket.send_slice(b"is this thing on?").unwrap();
                state = Client::Waiting;
            }
            Client::Waiting if socket.can_recv() => {
                let mut piece = [0; 64];
                let n = socket.recv_slice(&mut piece).unwrap();
                println!("  heard {:?} after {polls} polls", String::from_utf8_lossy(&piece[..n]));
                return;
            }
            _ if !socket.is_open() => return println!("  refused after {polls} polls"),
            _ => now += Duration::from_millis(1),
        }
    }
}
