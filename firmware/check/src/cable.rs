//! The far end of a board's cable: its frames are datagrams between an emulator and this process.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};

pub struct Cable {
    end: UdpSocket,
    board: SocketAddr,
}

impl Cable {
    pub fn new() -> io::Result<Self> {
        let here = || UdpSocket::bind((Ipv4Addr::LOCALHOST, 0));
        let end = here()?;
        end.set_nonblocking(true)?;
        // This port is free again when the emulator begins.
        Ok(Self { end, board: here()?.local_addr()? })
    }

    /// As an emulator wants to be told: its port and this one.
    pub fn ports(&self) -> io::Result<String> {
        Ok(format!("{}-{}", self.board.port(), self.end.local_addr()?.port()))
    }

    pub fn send(&self, frame: &[u8]) -> io::Result<()> {
        self.end.send_to(frame, self.board).map(drop)
    }

    /// The next frame that has come, if there is one.
    pub fn take<'f>(&self, room: &'f mut [u8; 2048]) -> Option<&'f [u8]> {
        let length = self.end.recv(room).ok()?;
        room.get(..length)
    }
}
