//! What a journal asks of a disk: little enough that a test can be one, and break at any point.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::quiet::warn_seldom;

/// A folder with its folders. Names are relative to it, with `/` between.
pub trait Disk: Send + Sync {
    /// Makes what is missing, and is this process's alone from now on; `WouldBlock` if it is another's.
    fn lock(&self) -> io::Result<()> {
        Ok(())
    }
    /// A folder that its owner alone may read, if it is not there yet.
    fn make_folder(&self, _folder: &str) -> io::Result<()> {
        Ok(())
    }
    /// An empty file that its owner alone may read; another of that name is gone.
    fn create(&self, name: &str) -> io::Result<Box<dyn Sheet>>;
    fn read(&self, name: &str) -> io::Result<Vec<u8>>;
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    fn remove(&self, name: &str) -> io::Result<()>;
    /// The names of the files in a folder, in no order; none if there is no such folder.
    fn list(&self, folder: &str) -> io::Result<Vec<String>>;
    /// Makes what was created, renamed or removed in this folder last.
    fn sync_folder(&self, folder: &str) -> io::Result<()>;
}

/// A file being written.
pub trait Sheet: Send {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Sets room aside: the file is so long at least, with zeros behind what was written.
    fn reserve(&mut self, _length: u64) -> io::Result<()> {
        Ok(())
    }
    /// The file ends here.
    fn cut(&mut self, _length: u64) -> io::Result<()> {
        Ok(())
    }
    /// Returns when what was written will be there after a power cut.
    fn sync(&mut self) -> io::Result<()>;
}

/// The real one.
pub struct Files {
    root: PathBuf,
    /// Held as long as this lives: two processes would write over each other.
    lock: Mutex<Option<File>>,
    /// Folders that were synced, kept open: when the system has no file left, what is written is still made to last.
    folders: Mutex<BTreeMap<String, File>>,
}

/// The folders that a journal needs.
pub const FOLDERS: [&str; 3] = ["journal", "tables", "damaged"];

impl Files {
    /// To look at only, until it is locked: a server may be writing there.
    pub fn unlocked(root: &Path) -> Self {
        Self { root: root.into(), lock: Mutex::default(), folders: Mutex::default() }
    }
}

impl Disk for Files {
    fn lock(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(&self.root)?;
        FOLDERS.iter().try_for_each(|folder| builder.create(self.root.join(folder)))?;
        let path = self.root.join("lock");
        let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?;
        file.try_lock().map_err(|error| match error {
            fs::TryLockError::WouldBlock => io::ErrorKind::WouldBlock.into(),
            fs::TryLockError::Error(error) => error,
        })?;
        *super::lock(&self.lock) = Some(file);
        Ok(())
    }

    fn make_folder(&self, folder: &str) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(self.root.join(folder))
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn Sheet>> {
        let file = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(self.root.join(name))?;
        Ok(Box::new(file))
    }

    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        fs::read(self.root.join(name))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.root.join(from), self.root.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.root.join(name))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(self.root.join(folder)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            // What is no file can't be read, and a pipe would be read for ever. A link to a file is one.
            match fs::metadata(entry.path()) {
                Ok(about) if about.is_file() => names.push(name),
                // It was removed meanwhile, or leads nowhere.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                _ => warn_seldom!("{folder}/{name} is no file and is passed over: if it stood for one, that is lost"),
            }
        }
        Ok(names)
    }

    fn sync_folder(&self, folder: &str) -> io::Result<()> {
        let mut folders = super::lock(&self.folders);
        if !folders.contains_key(folder) {
            folders.insert(folder.into(), File::open(self.root.join(folder))?);
        }
        folders.get(folder).map_or(Ok(()), File::sync_all)
    }
}

impl Sheet for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn reserve(&mut self, length: u64) -> io::Result<()> {
        Ok(rustix::fs::fallocate(self, rustix::fs::FallocateFlags::empty(), 0, length)?)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// Writes a file that is there whole or not at all: under another name first.
pub fn write_whole(disk: &(impl Disk + ?Sized), folder: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
    let draft = format!("{folder}/{name}.new");
    let mut sheet = disk.create(&draft)?;
    sheet.write(bytes)?;
    sheet.sync()?;
    drop(sheet);
    disk.rename(&draft, &format!("{folder}/{name}"))?;
    disk.sync_folder(folder)
}
