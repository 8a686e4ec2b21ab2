//! Addresses that are not let in, as the operator says: kept in the data directory, so that a restart forgives none.

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, PoisonError, RwLock};

use crate::access::Subnet;
use crate::journal::Disk;
use crate::journal::disk::write_whole;

const FOLDER: &str = "tables";
const NAME: &str = "bans";
/// The first line of the file, with its version.
const WORD: &str = "parlor bans 1";
/// Lines that are kept at most: each connection is compared with all.
const MOST: usize = 4096;

#[derive(Default)]
pub struct Bans {
    list: RwLock<Vec<Subnet>>,
    disk: Option<Arc<dyn Disk>>,
}

impl Bans {
    /// The bans that were kept, if there is a place for them.
    pub fn kept(disk: Option<Arc<dyn Disk>>) -> io::Result<Self> {
        let read = disk.as_ref().map(|disk| disk.read(&format!("{FOLDER}/{NAME}")));
        let text = match read {
            Some(Ok(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => format!("{WORD}\n"),
        };
        let mut lines = text.lines();
        if lines.next() != Some(WORD) {
            let strange = format!("{FOLDER}/{NAME} is damaged, or another version's");
            return Err(io::Error::new(io::ErrorKind::InvalidData, strange));
        }
        let list = RwLock::new(lines.filter_map(|line| line.parse().ok()).collect());
        Ok(Self { list, disk })
    }

    pub fn contains(&self, address: IpAddr) -> bool {
        self.list.read().unwrap_or_else(PoisonError::into_inner).iter().any(|ban| ban.means(address))
    }

    pub fn list(&self) -> Vec<Subnet> {
        self.list.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds or takes away a ban; whether that changed anything. On an error nothing has happened.
    pub fn change(&self, address: Subnet, is_banned: bool) -> io::Result<bool> {
        let mut list = self.list.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed: Vec<_> = list.iter().copied().filter(|ban| *ban != address).collect();
        if is_banned {
            changed.push(address);
        }
        if changed.len() > MOST {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        if changed.len() == list.len() {
            return Ok(false);
        }
        if let Some(disk) = &self.disk {
            let lines = changed.iter().map(|ban| format!("{ban}\n"));
            let text: String = [format!("{WORD}\n")].into_iter().chain(lines).collect();
            write_whole(&**disk, FOLDER, NAME, text.as_bytes())?;
        }
        *list = changed;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Files;

    #[test]
    fn a_ban_outlives_the_process_until_it_is_lifted() {
        let folder = std::env::temp_dir().join(format!("parlor-bans-{}", std::process::id()));
        let disk: Arc<dyn Disk> = Arc::new(Files::unlocked(&folder));
        disk.make_folder(FOLDER).unwrap();
        let bans = || Bans::kept(Some(disk.clone())).unwrap();
        let net = || "10.0.0.0/8".parse().unwrap();
        assert!(bans().change(net(), true).unwrap() && !bans().change(net(), true).unwrap());
        assert!(bans().contains("10.1.2.3".parse().unwrap()) && !bans().contains("11.1.2.3".parse().unwrap()));
        assert_eq!(bans().list(), [net()]);
        // As the list of connections shows it, or any other address of that network.
        for shown in ["2001:db8:1:2::", "2001:db8:1:2::7"] {
            let (shown, has) = (shown.parse().unwrap(), |address: &str| bans().contains(address.parse().unwrap()));
            assert!(bans().change(shown, true).unwrap());
            assert!(has("2001:db8:1:2:aaaa:bbbb:cccc:dddd") && !has("2001:db8:1:3::7"));
            assert!(bans().change(shown, false).unwrap());
        }
        assert!(bans().change(net(), false).unwrap() && bans().list().is_empty());
        std::fs::write(folder.join("tables/bans"), "parlor bans 2\n").unwrap();
        assert!(Bans::kept(Some(disk.clone())).is_err());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
