//! The conversations over real sockets, in real time: the files know nothing of the harness.
//!
//! The adapter here is the smallest that keeps to the loop of `parlor_core::server`: one thread, a poll each
//! millisecond. It is for this test alone.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parlor_core::limits::{BoardTable, HostTable};
use parlor_core::server::{Framer, Intake, Link, Millis, Server};
use parlor_tests::conversation::{Conversation, Coverage, Limits};
use parlor_tests::peer::OverTcp;

struct Connection<F> {
    stream: TcpStream,
    link: Link,
    framer: F,
    stalled: bool,
    gone: bool,
}

/// Serves until told to stop.
fn serve<S: Server>(server: &mut S, listener: &TcpListener, stop: &AtomicBool) {
    let start = Instant::now();
    let mut connections: Vec<Connection<S::Framer>> = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let now = Millis(1_000 + start.elapsed().as_millis() as u64);
        while let Ok((stream, _)) = listener.accept() {
            stream.set_nonblocking(true).unwrap();
            if let Ok(link) = server.open(now) {
                connections.push(Connection {
                    stream,
                    link,
                    framer: S::Framer::default(),
                    stalled: false,
                    gone: false,
                });
            }
        }
        connections.iter_mut().for_each(|connection| receive(server, connection, now));
        if server.deadline().is_some_and(|due| due <= now) {
            server.tick(now);
        }
        let produced = server.produced();
        server.release(produced);
        while let Some(link) = server.next_ready() {
            connections.iter_mut().filter(|other| other.link == link).for_each(|ready| ready.stalled = false);
        }
        connections.iter_mut().for_each(|connection| send(server, connection));
        connections.retain(|connection| {
            let stays = !connection.gone && !server.closing(connection.link);
            if !stays {
                let _ = connection.stream.shutdown(Shutdown::Write);
                server.close(connection.link, now);
            }
            stays
        });
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn receive<S: Server>(server: &mut S, connection: &mut Connection<S::Framer>, now: Millis) {
    while !connection.stalled && !connection.gone {
        // What waited in the framer comes first: a link that stalled has it there.
        match server.receive(connection.link, &mut connection.framer, now) {
            Intake::More => continue,
            Intake::Stalled => {
                connection.stalled = true;
                return;
            }
            Intake::Hungry => {}
        }
        match connection.stream.read(connection.framer.window()) {
            Ok(0) => connection.gone = true,
            Ok(n) => connection.framer.commit(n),
            Err(e) if e.kind() == ErrorKind::WouldBlock => return,
            Err(_) => connection.gone = true,
        }
    }
}

fn send<S: Server>(server: &mut S, connection: &mut Connection<S::Framer>) {
    let mut out = vec![0; S::MAX_FRAME.max(600)];
    loop {
        match server.pull(connection.link, &mut out) {
            0 => return,
            // The kernel holds more than any of these conversations says.
            n => connection.gone |= connection.stream.write_all(&out[..n]).is_err(),
        }
    }
}

fn hold(conversation: &Conversation) -> Result<(), String> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let mut backend = OverTcp(listener.local_addr().unwrap());
    let stop = AtomicBool::new(false);
    let (config, seed) = (conversation.setup.config()?, &conversation.setup.seed);
    std::thread::scope(|scope| {
        scope.spawn(|| match conversation.setup.limits {
            Limits::Any | Limits::Board => {
                let mut table = Box::new(BoardTable::new());
                table.begin(seed, &config, Millis(1_000));
                serve(&mut *table, &listener, &stop);
            }
            Limits::Host => {
                let mut table = Box::new(HostTable::new());
                table.begin(seed, &config, Millis(1_000));
                serve(&mut *table, &listener, &stop);
            }
        });
        let result = conversation.run(&mut backend, &mut Coverage::default());
        stop.store(true, Ordering::Relaxed);
        result
    })
}

#[test]
fn the_files_hold_over_sockets() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("conversations/pimp");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let queue = Mutex::new(paths);
    let failures = Mutex::new(Vec::new());
    let held = Mutex::new(0);
    // Most of the time is spent waiting, so more at once than there are cores.
    std::thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| {
                loop {
                    let Some(path) = queue.lock().unwrap().pop() else { return };
                    let text = std::fs::read_to_string(&path).unwrap();
                    let conversation = Conversation::parse(&path.display().to_string(), &text).unwrap();
                    if !conversation.setup.needs.is_empty() {
                        continue;
                    }
                    match hold(&conversation) {
                        Ok(()) => *held.lock().unwrap() += 1,
                        Err(failure) => failures.lock().unwrap().push(failure),
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    println!("{} conversations held over sockets", held.into_inner().unwrap());
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
