//! Where the first client finds its pictures: what NEWGUI tells (venus 9.2). The directory is a setting.

use crate::settings::Url;

/// The client's own names for its two windows.
pub(super) const ROOM_GUI: &str = "ROOMGUI";
pub(super) const GAME_GUI: &str = "MerchantOfVenus";

/// The longest address of a directory.
pub const GUI_MAX: usize = 96;

/// Unless told otherwise.
pub(super) const USUAL: Url<GUI_MAX> = Url::fixed("http://localhost/venus");

/// The file of one of the two windows.
pub(super) fn file(gui: &str) -> &'static str {
    match gui {
        ROOM_GUI => "rooms.xml",
        _ => "MerchantOfVenusClient.xml",
    }
}
