//! A board that answers for parlor.local, over an emulated network that carries datagrams.

use std::error::Error;
use std::io;
use std::net::{Ipv4Addr, UdpSocket};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::emulator::Start;
use crate::{Outcome, step};

/// Probes and announcements take two seconds; an emulator's may be longer.
const PATIENCE: Duration = Duration::from_secs(20);
const BOARD: [u8; 4] = [10, 0, 2, 15];
const ANOTHER: [u8; 4] = [10, 0, 2, 99];
pub const A: u8 = 1;
const PTR: u8 = 12;

pub fn check(run: &Path, elf: &Path) -> Outcome {
    let board = Start { run, elf, qemu: "" }.names("mdns", &[])?;
    let (all, plain, gone) = (open(board.port)?, open(board.port + 1)?, open(board.port + 2)?);
    step("a name that is asked for is answered to all", || asked(&all, "parlor", BOARD))?;
    step("a service is found", || {
        all.send(&question(&["_parlor", "_tcp", "local"], PTR))?;
        let answer =
            hear(&all, |packet| is_response(packet) && has(packet, b"\x06parlor\x07_parlor\x04_tcp\x05local\0"))?;
        must(has(&answer, b"\x07_parlor\x04_tcp\x05local\0\0\x0C"), "no pointer")
    })?;
    step("plain DNS is answered to its asker", || {
        plain.send(&question(&["parlor", "local"], A))?;
        let answer = hear(&plain, is_response)?;
        must(answer.starts_with(b"\x12\x34\x84\0\0\x01\0\x01"), "another number or question")?;
        must(answer.ends_with(&BOARD), "another address")
    })?;
    step("whoever asks and is gone keeps nobody else waiting", || {
        gone.send(&question(&["parlor", "local"], A))?;
        asked(&all, "parlor", BOARD)?;
        plain.send(&question(&["parlor", "local"], A))?;
        hear(&plain, is_response).map(drop)
    })?;
    step("a name that somebody else has is given up, twice", || {
        contend(&all, "parlor")?;
        asked(&all, "parlor-2", BOARD)?;
        contend(&all, "parlor-2")?;
        asked(&all, "parlor-3", BOARD)
    })?;
    board.complaint().map_or(Ok(()), |why| Err(format!("{why}\n{}", board.log()).into()))
}

fn open(port: u16) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket.connect((Ipv4Addr::LOCALHOST, port))?;
    socket.set_read_timeout(Some(Duration::from_millis(500)))?;
    Ok(socket)
}

fn must(holds: bool, otherwise: &str) -> Outcome {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}

fn name(labels: &[&str]) -> Vec<u8> {
    let labels = labels.iter().flat_map(|label| [&[label.len() as u8], label.as_bytes()].concat());
    labels.chain([0]).collect()
}

pub fn question(labels: &[&str], kind: u8) -> Vec<u8> {
    [b"\x12\x34\0\0\0\x01\0\0\0\0\0\0", &name(labels)[..], &[0, kind, 0, 1]].concat()
}

/// This name has this address, for two minutes, and no other host has it.
pub fn address_record(label: &str, address: [u8; 4]) -> Vec<u8> {
    [&name(&[label, "local"])[..], &[0, A, 0x80, 1, 0, 0, 0, 120, 0, 4], &address].concat()
}

/// Another host says that this name is its own.
fn claim(label: &str) -> Vec<u8> {
    [b"\0\0\x84\0\0\0\0\x01\0\0\0\0", &address_record(label, ANOTHER)[..]].concat()
}

pub fn has(packet: &[u8], bytes: &[u8]) -> bool {
    packet.windows(bytes.len()).any(|window| window == bytes)
}

fn is_response(packet: &[u8]) -> bool {
    packet.get(2).is_some_and(|flags| flags & 0x80 != 0)
}

/// The next packet like this.
fn hear(socket: &UdpSocket, is_it: impl Fn(&[u8]) -> bool) -> Result<Vec<u8>, Box<dyn Error>> {
    let end = Instant::now() + PATIENCE;
    let mut packet = [0; 1500];
    while Instant::now() < end {
        match socket.recv(&mut packet) {
            Ok(length) if is_it(&packet[..length]) => return Ok(packet[..length].to_vec()),
            _ => {}
        }
    }
    Err("nothing came".into())
}

/// Asks until the name has this address: the board may still be probing.
fn asked(all: &UdpSocket, label: &str, address: [u8; 4]) -> Outcome {
    let own = address_record(label, address);
    let end = Instant::now() + PATIENCE;
    let mut packet = [0; 1500];
    while Instant::now() < end {
        all.send(&question(&[label, "local"], A))?;
        if matches!(all.recv(&mut packet), Ok(length) if is_response(&packet[..length]) && has(&packet[..length], &own))
        {
            return Ok(());
        }
    }
    Err(format!("{label}.local is nobody").into())
}

/// Claims the name, and claims it again when the board asks whether it is taken.
fn contend(all: &UdpSocket, label: &str) -> Outcome {
    all.send(&claim(label))?;
    let probe = [&name(&[label, "local"])[..], &[0, 255]].concat();
    hear(all, |packet| !is_response(packet) && has(packet, &probe))?;
    all.send(&claim(label))?;
    Ok(())
}
