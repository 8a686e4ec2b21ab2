//! The same server twice: driven in memory, and behind real sockets. Not a line of it differs, for it knows neither.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;

use parlor_core::echo::Echo;
use parlor_core::server::{Framer as _, Intake, Millis, Server};

/// Four connections, and a kilobyte for what everybody hears.
type Room = Echo<4, 1024>;

/// Joins the room with team 7, speaks to everybody in it, asks for an echo.
const SAID: &[u8] = b"J\x01\x07S\x02hiE\x03bye";

/// Bytes go in, bytes come out, and that is all there is to an adapter.
fn exchange(room: &mut Room, said: &[u8], piece: usize) -> Vec<u8> {
    let (link, mut framer, mut heard) = (room.open(Millis(0)).expect("a link is free"), Default::default(), Vec::new());
    for bytes in said.chunks(piece) {
        take(room, &mut framer, bytes, link);
        heard.extend(pull(room, link));
    }
    room.close(link, Millis(0));
    heard
}

fn take(room: &mut Room, framer: &mut <Room as Server>::Framer, bytes: &[u8], link: parlor_core::server::Link) {
    framer.window()[..bytes.len()].copy_from_slice(bytes);
    framer.commit(bytes.len());
    while room.receive(link, framer, Millis(0)) == Intake::More {}
    // No journal is kept here: what was said may go out at once.
    room.release(room.produced());
}

fn pull(room: &mut Room, link: parlor_core::server::Link) -> Vec<u8> {
    let (mut heard, mut out) = (Vec::new(), [0; Room::MAX_FRAME]);
    while let n @ 1.. = room.pull(link, &mut out) {
        heard.extend_from_slice(&out[..n]);
    }
    heard
}

/// One connection after the other; what a thread, a task or an interrupt does elsewhere is a loop here.
fn serve(listener: &TcpListener, connections: usize) -> std::io::Result<()> {
    let mut room = Room::new();
    for _ in 0..connections {
        let (mut stream, _) = listener.accept()?;
        let (link, mut framer, mut buffer) =
            (room.open(Millis(0)).expect("a link is free"), Default::default(), [0; 64]);
        loop {
            let n = stream.read(&mut buffer)?;
            if n == 0 {
                break;
            }
            take(&mut room, &mut framer, &buffer[..n], link);
            stream.write_all(&pull(&mut room, link))?;
        }
        room.close(link, Millis(0));
    }
    Ok(())
}

fn call(address: std::net::SocketAddr, said: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(said)?;
    stream.shutdown(Shutdown::Write)?;
    let mut heard = Vec::new();
    stream.read_to_end(&mut heard)?;
    Ok(heard)
}

fn main() -> std::io::Result<()> {
    let said = if std::env::args().any(|word| word == "break") { &b"J\x01\x07?\x00Q\x00E\x01x"[..] } else { SAID };
    let in_memory = exchange(&mut Room::new(), said, 64);
    println!("in memory, at once    {}", in_memory.escape_ascii());
    println!("in memory, by bytes   {}", exchange(&mut Room::new(), said, 1).escape_ascii());

    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let server = thread::spawn(move || serve(&listener, 1));
    let over_tcp = call(address, said)?;
    server.join().expect("the server does not panic")?;
    println!("over TCP              {}", over_tcp.escape_ascii());
    println!("the same bytes: {}", over_tcp == in_memory);
    println!("all of the server is {} bytes, whoever calls", size_of::<Room>());
    Ok(())
}
