//! embassy-net around the same smoltcp: who waits, awaits. The state machine that was written by hand is made by the compiler,
//! and nobody is polled but whom a waker named.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::task::{Context, Waker};

use embassy_futures::block_on;
use embassy_futures::select::{Either, select, select3};
use embassy_net::driver::{Capabilities, Driver, HardwareAddress, LinkState, RxToken, TxToken};
use embassy_net::tcp::TcpSocket;
use embassy_net::{Config, Ipv4Address, Ipv4Cidr, Stack, StackResources, StaticConfigV4};
use embedded_io_async::Write as _;

/// Frames for one end, and whom to wake when one comes.
#[derive(Default)]
struct Mailbox {
    frames: VecDeque<Vec<u8>>,
    waker: Option<Waker>,
}

/// A network driver: where its frames come from, and where they go.
struct Cable {
    mine: Rc<RefCell<Mailbox>>,
    theirs: Rc<RefCell<Mailbox>>,
    address: u8,
}

struct Received(Vec<u8>);
struct Sending<'a>(&'a RefCell<Mailbox>);

impl RxToken for Received {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(mut self, handle: F) -> R {
        handle(&mut self.0)
    }
}

impl TxToken for Sending<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, fill: F) -> R {
        let mut frame = vec![0; length];
        let result = fill(&mut frame);
        let mut mailbox = self.0.borrow_mut();
        mailbox.frames.push_back(frame);
        // This is what an interrupt does on a chip.
        if let Some(waker) = mailbox.waker.take() {
            waker.wake();
        }
        result
    }
}

impl Driver for Cable {
    type RxToken<'a> = Received;
    type TxToken<'a> = Sending<'a>;

    fn receive(&mut self, context: &mut Context<'_>) -> Option<(Received, Sending<'_>)> {
        let mut mine = self.mine.borrow_mut();
        mine.waker = Some(context.waker().clone());
        Some((Received(mine.frames.pop_front()?), Sending(&self.theirs)))
    }
    fn transmit(&mut self, _context: &mut Context<'_>) -> Option<Sending<'_>> {
        Some(Sending(&self.theirs))
    }
    fn link_state(&mut self, _context: &mut Context<'_>) -> LinkState {
        LinkState::Up
    }
    fn capabilities(&self) -> Capabilities {
        let mut capabilities = Capabilities::default();
        capabilities.max_transmission_unit = 14 + 576;
        capabilities
    }
    fn hardware_address(&self) -> HardwareAddress {
        HardwareAddress::Ethernet([2, 0, 0, 0, 0, self.address])
    }
}

/// The server: a straight line.
async fn echo(stack: Stack<'_>) {
    let (mut rx, mut tx) = ([0; 256], [0; 256]);
    let mut socket = TcpSocket::new(stack, &mut rx, &mut tx);
    socket.accept(7).await.unwrap();
    let mut piece = [0; 64];
    while let Ok(n @ 1..) = socket.read(&mut piece).await {
        socket.write_all(&piece[..n]).await.unwrap();
    }
}

/// The client: another.
async fn call(stack: Stack<'_>) {
    let (mut rx, mut tx) = ([0; 256], [0; 256]);
    let mut socket = TcpSocket::new(stack, &mut rx, &mut tx);
    match socket.connect((Ipv4Address::new(10, 0, 0, 2), 7)).await {
        Ok(()) => {
            socket.write_all(b"is this thing on?").await.unwrap();
            let mut piece = [0; 64];
            let n = socket.read(&mut piece).await.unwrap();
            println!("  heard {:?}, and nobody counted polls", String::from_utf8_lossy(&piece[..n]));
        }
        Err(error) => println!("  {error:?}"),
    }
}

pub fn run(listens: bool) {
    let [one, other] = [(); 2].map(|()| Rc::new(RefCell::new(Mailbox::default())));
    let config = |number| {
        let address = Ipv4Cidr::new(Ipv4Address::new(10, 0, 0, number), 24);
        Config::ipv4_static(StaticConfigV4 { address, gateway: None, dns_servers: Default::default() })
    };
    let near = Cable { mine: one.clone(), theirs: other.clone(), address: 1 };
    let far = Cable { mine: other, theirs: one, address: 2 };
    let [mut near_sockets, mut far_sockets] = [(); 2].map(|()| StackResources::<2>::new());
    let (client, mut near_runner) = embassy_net::new(near, config(1), &mut near_sockets, 1);
    let (server, mut far_runner) = embassy_net::new(far, config(2), &mut far_sockets, 2);
    let serve = async {
        if listens {
            echo(server).await;
        }
        std::future::pending::<()>().await
    };
    // Four things at once, on one thread, without a stack for each.
    let network = select(near_runner.run(), far_runner.run());
    block_on(async {
        if let Either::First(()) = select(call(client), select3(network, serve, std::future::pending::<()>())).await {}
    });
}
