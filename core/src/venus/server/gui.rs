//! Where the first client finds its pictures: what NEWGUI tells (venus 9.2).

use crate::text::Text;

/// The client's own names for its two windows.
pub(super) const ROOM_GUI: &str = "ROOMGUI";
pub(super) const GAME_GUI: &str = "MerchantOfVenus";

const DIRECTORY_MAX: usize = 96;
const FILE_MAX: usize = 32;

/// A directory by its URL and two files in it. New, it is all zero bytes, and the usual ones.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "postcard", derive(serde::Serialize, serde::Deserialize))]
pub struct Gui {
    directory: Text<DIRECTORY_MAX>,
    room_file: Text<FILE_MAX>,
    game_file: Text<FILE_MAX>,
}

impl Gui {
    pub const USUAL: Self = Self { directory: Text::EMPTY, room_file: Text::EMPTY, game_file: Text::EMPTY };

    /// The usual files in another directory; `None` if the URL is none that the first client can open: it must be
    /// absolute, without comma, percent sign or blank.
    pub fn at(directory: &str) -> Option<Self> {
        let scheme = directory.split_once(":/").map(|(scheme, _)| scheme)?;
        let is_scheme = !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b',' | b'%');
        let fits = is_scheme && directory.bytes().all(is_plain);
        Some(Self { directory: Text::new(directory).filter(|_| fits)?, ..Self::USUAL })
    }

    /// Other files there; `None` if one of them is empty, too long, or not a plain name.
    pub fn with_files(self, room_file: &str, game_file: &str) -> Option<Self> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let file = |name: &str| Text::new(name).filter(|name| !name.is_empty() && name.as_str().bytes().all(is_plain));
        Some(Self { room_file: file(room_file)?, game_file: file(game_file)?, ..self })
    }

    pub(super) fn directory(&self) -> &str {
        or(self.directory.as_str(), "http://localhost/venus")
    }

    /// The file of one of the two windows.
    pub(super) fn file(&self, gui: &str) -> &str {
        match gui {
            ROOM_GUI => or(self.room_file.as_str(), "rooms.xml"),
            _ => or(self.game_file.as_str(), "MerchantOfVenusClient.xml"),
        }
    }
}

fn or<'a>(text: &'a str, usual: &'a str) -> &'a str {
    if text.is_empty() { usual } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_first_client_can_open_is_told() {
        for url in ["http://localhost/venus", "file:///srv/venus", "https://example.org:8080/a/b"] {
            assert_eq!(Gui::at(url).map(|gui| gui.directory().len()), Some(url.len()));
        }
        for url in ["", "venus", "/srv/venus", "http://a/b,c", "http://a/%20", "http://a/b c", "://a"] {
            assert_eq!(Gui::at(url), None, "{url}");
        }
        let gui = Gui::USUAL.with_files("a.xml", "b.xml").unwrap();
        assert_eq!((gui.file(ROOM_GUI), gui.file(GAME_GUI)), ("a.xml", "b.xml"));
        assert_eq!(Gui::USUAL.file(ROOM_GUI), "rooms.xml");
        assert!(Gui::USUAL.with_files("", "b").is_none() && Gui::USUAL.with_files("a/b", "b").is_none());
    }
}
