//! A view of Monopoly against what a table tells whoever comes back.

use parlor_core::pimp::server::Table;
use parlor_core::pimp::view::View;
use parlor_core::pimp::wire::{FRAME_MAX, Message};

use super::sim::told::{Told, frames};
use crate::mirror::Mirrored;

/// A table knows by this that a password was right.
const RIGHT: u32 = 1;

fn view(heard: &[u8]) -> Box<View<32>> {
    let mut view = Box::new(View::new());
    frames(heard, |code, payload| {
        if let Ok(message) = Message::from_server(code, payload) {
            view.take(&message);
        }
    });
    view
}

fn encoded(message: &Message<'_>) -> Vec<u8> {
    let mut frame = [0; FRAME_MAX];
    let n = message.encode(&mut frame).expect("a message fits");
    frame[..n].to_vec()
}

impl<const USERS: usize, const LINKS: usize, const RING: usize> Mirrored for Table<USERS, LINKS, RING> {
    // Whoever comes back takes the seat from the link that had it.
    const ONE_LINK: bool = false;

    fn words(_: &[u8], heard: &[u8]) -> Option<Vec<Vec<u8>>> {
        let view = view(heard);
        let is_there = view.known().me != 0 && !view.is_dumping();
        let rejoin = Message::Rejoin { player: view.me(), password: RIGHT };
        is_there.then(|| vec![encoded(&Message::Handshake { version: 1 }), encoded(&rejoin)])
    }

    fn difference(_: &[u8], heard: &[u8], told: &[u8]) -> Option<String> {
        let (mut seen, mut read) = (Told::default(), Told::default());
        seen.of(&view(heard).known());
        read.read(told);
        seen.forget_ghosts(&read);
        seen.difference(&read)
    }
}
