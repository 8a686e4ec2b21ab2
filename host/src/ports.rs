//! Ports in a row: one for each table.

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpListener;

use crate::door::listen;

/// Where a search goes on behind the last port: those below need more rights.
const FIRST: u16 = 1024;

/// As many ports in a row, from the one that is asked for. Where any will do (port 0), a row is found if there is one; else
/// the address that could not be had, and why.
pub fn row(address: SocketAddr, count: u16) -> Result<Vec<TcpListener>, (SocketAddr, io::Error)> {
    let open = |port| listen(SocketAddr::new(address.ip(), port));
    let found = match address.port() {
        0 => first_free(address, count).and_then(|(first, port)| any_row(first, port, count, open)),
        port => strict_row(port, count, open),
    };
    found.map_err(|(port, error)| (SocketAddr::new(address.ip(), port), error))
}

type Found<T> = Result<T, (u16, io::Error)>;

/// A port that the system chooses, if one is needed.
fn first_free(address: SocketAddr, count: u16) -> Found<(Option<TcpListener>, u16)> {
    if count == 0 {
        return Ok((None, 0));
    }
    let open = || listen(address).and_then(|listener| Ok((listener.local_addr()?.port(), listener)));
    open().map(|(port, listener)| (Some(listener), port)).map_err(|error| (0, error))
}

fn strict_row<T>(first: u16, count: u16, mut open: impl FnMut(u16) -> io::Result<T>) -> Found<Vec<T>> {
    let mut row = Vec::new();
    for port in (0..count).map(|n| first.checked_add(n)) {
        let port = port.ok_or_else(|| (u16::MAX, io::ErrorKind::AddrInUse.into()))?;
        row.push(open(port).map_err(|error| (port, error))?);
    }
    Ok(row)
}

/// From `first`, which is had already, on and once around: behind a port that is taken another row begins. Where many are
/// taken, a guess of the first port alone would fail again and again.
fn any_row<T>(
    first: Option<T>,
    mut port: u16,
    count: u16,
    mut open: impl FnMut(u16) -> io::Result<T>,
) -> Found<Vec<T>> {
    let mut row: Vec<T> = first.into_iter().collect();
    let mut taken = (port, io::ErrorKind::AddrInUse.into());
    for _ in 0..=u16::MAX {
        if row.len() >= usize::from(count) {
            return Ok(row);
        }
        port = port.checked_add(1).unwrap_or(FIRST);
        if port == FIRST {
            row.clear();
        }
        match open(port) {
            Ok(one) => row.push(one),
            Err(error) => {
                row.clear();
                taken = (port, error);
            }
        }
    }
    Err(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Opens ports of which only some are free.
    fn among(is_free: impl Fn(u16) -> bool) -> impl FnMut(u16) -> io::Result<u16> {
        move |port| if is_free(port) { Ok(port) } else { Err(io::ErrorKind::AddrInUse.into()) }
    }

    #[test]
    fn a_row_is_found_wherever_it_is() {
        // Every third port is in use, but for one row far behind the first try, one before it, and one at the end.
        for free in [40_000..40_050, 2_002..2_052, 65_488..65_536_u32] {
            let open = among(|port| !port.is_multiple_of(3) || free.contains(&u32::from(port)));
            let row = any_row(Some(30_001), 30_001, 48, open).unwrap();
            assert!(row.len() == 48 && row.iter().all(|port| free.contains(&u32::from(*port))), "{row:?}");
            assert!(row.is_sorted_by(|a, b| a + 1 == *b), "{row:?}");
        }
    }

    #[test]
    fn a_search_ends() {
        let (_, error) = any_row(Some(30_001), 30_001, 3, among(|port| !port.is_multiple_of(3))).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
        assert_eq!(any_row(Some(30_001), 30_001, 1, among(|_| false)).unwrap(), [30_001]);
        assert_eq!(any_row(None, 0, 0, among(|_| false)).unwrap(), [0; 0]);
    }

    #[test]
    fn a_port_that_is_asked_for_is_that_or_none() {
        let open = || among(|port| port != 5_002);
        assert_eq!(strict_row(4_998, 4, open()).unwrap(), [4_998, 4_999, 5_000, 5_001]);
        assert_eq!(strict_row(5_000, 4, open()).unwrap_err().0, 5_002);
        assert!(strict_row(65_534, 3, open()).is_err(), "there is no port behind the last");
    }
}
