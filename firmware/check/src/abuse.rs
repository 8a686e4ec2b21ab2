//! A board that is abused on every port at once while a game goes on: players keep their seats, and are answered.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use parlor_core::dice::{Dice, Stream};
use parlor_tests::peer::OverTcp;
use parlor_tests::pimp::bots::Party;
use socket2::{Domain, Socket, Type};

use crate::cable::Cable;
use crate::door::Door;
use crate::emulator::{Emulator, Start};
use crate::web::{self, ask, ask_once, get, must, websocket};
use crate::{Outcome, flood, step};

/// A game that was won, or left, is soon followed by another one. Strangers' commands do not count against the players.
const OPTIONS: [&str; 5] = ["rate=0", "vote-pause=0", "claim-grace=0", "farewell=300ms", "deserted=300ms"];
/// Both of the times above, and what an emulator is late.
const CLEARED: Duration = Duration::from_secs(3);
const BOTS: u8 = 4;
/// Ends what would hang; on it nothing depends.
const PATIENCE: Duration = Duration::from_secs(60);

const HALVES: usize = 1_000;
const CALLERS: usize = 20;
const SLOW: usize = 8;
const LONG_HEADS: usize = 20;
const GARBAGE: usize = 50;
const CONNECTIONS: usize = 20;
const PAGES: usize = 40;
const CALLS: u32 = 60;

/// What is seen of the game.
#[derive(Default)]
struct Game {
    turns: AtomicU32,
    over: AtomicBool,
}

pub fn check(run: &Path, elf: &Path) -> Outcome {
    let board = Start { run, elf, qemu: "" }.pimp("abuse", &OPTIONS.map(String::from))?;
    play_on(&board, abuse)
}

/// Calls from addresses without a host, while pages are asked for.
pub fn check_flood(run: &Path, elf: &Path) -> Outcome {
    let cable = &Cable::new()?;
    let board = Start { run, elf, qemu: "" }.pimp_beside("flood", &cable.ports()?, &OPTIONS.map(String::from))?;
    let hardware = flood::hardware(cable).ok_or("no frame of the board's")?;
    play_on(&board, |door, game| {
        goes_on(door, game, "a flood of calls from nobody", &|| flooded(door, cable, hardware))?;
        given_back(door)
    })
}

/// Does `abuse` while a party plays.
fn play_on(board: &Emulator, abuse: impl Fn(&Door, &Game) -> Outcome) -> Outcome {
    let (door, game) = (&web::door(board.web), &Game::default());
    scope(|scope| {
        let party = scope.spawn(|| play((Ipv4Addr::LOCALHOST, board.port).into(), game));
        let outcome = abuse(door, game);
        game.over.store(true, Relaxed);
        party.join().map_err(|_| "a player broke off")??;
        outcome
    })?;
    println!("{} turns were played meanwhile", game.turns.load(Relaxed));
    complaint(board)
}

fn complaint(board: &Emulator) -> Outcome {
    board.complaint().map_or(Ok(()), |why| Err(format!("{why}\n{}", board.log()).into()))
}

/// One kind of abuse: the game goes on, and so do pages.
fn goes_on(door: &Door, game: &Game, what: &str, attempt: &dyn Fn() -> Outcome) -> Outcome {
    step(what, || {
        let before = game.turns.load(Relaxed);
        attempt()?;
        must(ask(door, &get("/", ""))?.status == 200, "no page")?;
        wait("the game stands still", || Ok(game.over.load(Relaxed) || game.turns.load(Relaxed) > before))
    })
}

fn abuse(door: &Door, game: &Game) -> Outcome {
    let goes_on = |what: &str, attempt: &dyn Fn() -> Outcome| goes_on(door, game, what, attempt);
    goes_on("nothing is wrong", &|| Ok(()))?;
    goes_on(&format!("{HALVES} half requests"), &|| halves(door))?;
    goes_on(&format!("{SLOW} who hardly read their page"), &|| read_slowly(door))?;
    goes_on(&format!("{LONG_HEADS} heads of 64 KB"), &|| long_heads(door))?;
    goes_on(&format!("{GARBAGE} WebSockets that speak garbage"), &|| garbage(door))?;
    goes_on(&format!("a browser with {CONNECTIONS} connections"), &|| connections(door))?;
    given_back(door)
}

fn given_back(door: &Door) -> Outcome {
    step("every link is given back", || {
        // The players', and the one that asks.
        let busy = format!("\"links_busy\":{},", BOTS + 1);
        let mut status = String::new();
        let is_back = wait("", || {
            status = String::from_utf8(ask(door, &get("/status", "Connection: close\r\n"))?.body)?;
            Ok(status.contains(&busy))
        });
        println!("{status}");
        is_back.map_err(|_| format!("links are missing: {status}"))?;
        let [room, used] = [number(&status, "stack_bytes")?, number(&status, "stack_bytes_used")?];
        Ok(must(used < room, "the stack is full")?)
    })
}

pub fn number(status: &str, name: &str) -> Result<u32, Box<dyn std::error::Error>> {
    let value = status.split_once(&format!("\"{name}\":")).and_then(|(_, rest)| rest.split([',', '}']).next());
    Ok(value.ok_or_else(|| format!("no {name}: {status}"))?.parse()?)
}

fn wait(otherwise: &str, mut is_so: impl FnMut() -> Result<bool, Box<dyn std::error::Error>>) -> Outcome {
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        if is_so()? {
            return Ok(());
        }
        sleep(Duration::from_millis(100));
    }
    Err(otherwise.into())
}

/// Games of bots, one after another, whose connections must all last.
fn play(address: SocketAddr, game: &Game) -> Result<(), String> {
    let board = &mut OverTcp(address);
    while !game.over.load(Relaxed) {
        let mut party = Party::sit(board, BOTS);
        let (mut turns, mut stirred) = (0, Instant::now());
        while party.played.winner.is_none() && !game.over.load(Relaxed) {
            party.step();
            // Connections of a game that was won are closed, and may be before this machine has looked.
            if party.played.winner.is_some() {
                break;
            }
            // A newcomer who finds no link comes again; a player with a seat keeps it, a client without one may not.
            if party.mend(board) > 0 {
                game.over.store(true, Relaxed);
                return Err("a player with a seat was turned out".into());
            }
            if party.played.turns > turns {
                game.turns.fetch_add(party.played.turns - turns, Relaxed);
                (turns, stirred) = (party.played.turns, Instant::now());
            }
            if stirred.elapsed() > PATIENCE {
                game.over.store(true, Relaxed);
                return Err(format!("the game stands still: {:?}", party.played));
            }
        }
        if !game.over.load(Relaxed) {
            drop(party);
            sleep(CLEARED);
        }
    }
    Ok(())
}

/// Some clients leave at once, some stay for as long as they are let. Several at a time: an emulator that is called
/// faster than it takes calls lets each wait for a second.
fn halves(door: &Door) -> Outcome {
    scope(|scope| {
        let callers = [(); CALLERS].map(|()| scope.spawn(|| (0..HALVES / CALLERS).try_for_each(|nth| half(door, nth))));
        callers.into_iter().try_for_each(|caller| Ok(caller.join().map_err(|_| "a caller broke off")??))
    })
}

fn half(door: &Door, nth: usize) -> io::Result<()> {
    let mut stream = door.connect()?;
    let _ = stream.write_all(get("/", "").get(..nth % 30).unwrap_or_default().as_bytes());
    if nth.is_multiple_of(10) {
        // The end, when the board has waited for long enough.
        let _ = stream.read(&mut [0]);
    }
    Ok(())
}

/// Clients with small receive buffers, which take sixteen bytes at a time.
fn read_slowly(door: &Door) -> Outcome {
    let mut slow = (0..SLOW).map(|_| narrow(door.port)).collect::<io::Result<Vec<_>>>()?;
    for stream in &mut slow {
        stream.write_all(get("/pimp", "").as_bytes())?;
    }
    for _ in 0..20 {
        for stream in &mut slow {
            let _ = stream.read(&mut [0; 16]);
        }
        must(ask(door, &get("/lobby", ""))?.status == 200, "no lobby beside them")?;
    }
    Ok(())
}

fn narrow(port: u16) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    socket.set_recv_buffer_size(4096)?;
    socket.connect(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)).into())?;
    let stream: TcpStream = socket.into();
    stream.set_read_timeout(Some(Duration::from_millis(100)))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

fn long_heads(door: &Door) -> Outcome {
    let request = get("/", &format!("X-Long: {}\r\n", "x".repeat(64 * 1024)));
    for _ in 0..LONG_HEADS {
        must(ask(door, &request)?.status == 431, "not refused")?;
    }
    Ok(())
}

/// Noise from clients that are let in. Where all links are taken, a newcomer is not, or takes another newcomer's.
fn garbage(door: &Door) -> Outcome {
    let mut dice = Dice::new();
    dice.begin(&[23; 32]);
    let mut upgraded = 0;
    for nth in 0..GARBAGE {
        let Ok(mut stream) = websocket(door, ["pimp", "yard"][nth % 2]) else { continue };
        upgraded += 1;
        let noise: Vec<u8> = (0..512).flat_map(|_| dice.word(Stream::Secret).to_le_bytes()).collect();
        let _ = stream.write_all(&noise);
        // A close frame, or the end; a frame that says it is long is waited for.
        stream.set_read_timeout(Some(Duration::from_millis(200)))?;
        let _ = stream.read(&mut [0; 64]);
    }
    Ok(must(upgraded > GARBAGE / 2, &format!("only {upgraded} were let in"))?)
}

/// Pages load all the same, each over the connection that asked for it, for longer than a board waits for a caller.
fn flooded(door: &Door, cable: &Cable, hardware: [u8; 6]) -> Outcome {
    let (calls, over) = (&AtomicU32::new(0), &AtomicBool::new(false));
    scope(|scope| {
        let flood = scope.spawn(|| flood::call_in_vain(cable, hardware, calls, over));
        let start = Instant::now();
        let (mut pages, mut slowest) = (0, Duration::ZERO);
        let outcome = (0..PAGES).try_for_each(|nth| {
            // More calls than the board has links, since the last page.
            let enough = calls.load(Relaxed) + CALLS;
            wait("nobody calls", || Ok(calls.load(Relaxed) > enough))?;
            let start = Instant::now();
            let answer = ask_once(door, &get("/pimp", "Connection: close\r\n"))
                .map_err(|error| format!("page {nth}: {error}"))?;
            slowest = slowest.max(start.elapsed());
            pages += 1;
            Ok(must(answer.status == 200, "no page")?)
        });
        over.store(true, Relaxed);
        flood.join().map_err(|_| "the flood broke off")??;
        let (seconds, calls) = (start.elapsed().as_secs_f32(), calls.load(Relaxed));
        println!("{calls} calls in {seconds:.1} s, and {pages} pages, the slowest in {slowest:.1?}");
        outcome
    })
}

/// A little of all that.
pub fn be_bad(door: &Door) -> Outcome {
    half(door, 7)?;
    must(ask(door, &get("/", &format!("X-Long: {}\r\n", "x".repeat(64 * 1024))))?.status == 431, "not refused")?;
    for game in ["pimp", "yard", "venus"] {
        // Where every link of a game is taken, a newcomer is turned away.
        if let Ok(mut stream) = websocket(door, game) {
            let _ = stream.write_all(&[0xA5; 300]);
            stream.set_read_timeout(Some(Duration::from_millis(200)))?;
            let _ = stream.read(&mut [0; 64]);
        }
    }
    Ok(())
}

fn connections(door: &Door) -> Outcome {
    let idle = (0..CONNECTIONS).map(|_| door.connect()).collect::<io::Result<Vec<_>>>()?;
    must(ask(door, &get("/pimp", ""))?.status == 200, "no page")?;
    drop(idle);
    Ok(())
}
