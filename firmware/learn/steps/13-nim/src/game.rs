//! Nim as adapters list it, and its bot.

use parlor_core::game::{Encoding, End, Game, Out, Player, Progress, Scope, Seat, Told};
use parlor_core::lines::{Lines, Piece};
use parlor_core::server::Millis;
use parlor_core::text::Text;

use crate::server::{LINKS, Table};
use crate::wire::{Event, LINE_MAX, NAME_MAX};

parlor_core::settings! {
    /// Nim has nothing to decide.
    pub struct Config {}
}

impl Game for Table {
    const NAME: &'static str = "nim";
    const TITLE: &'static str = "Nim";
    const PORT: u16 = 6464;
    const ENCODING: Encoding = Encoding::Text;
    const SCOPE: Scope = Scope::Table;
    const LINKS: usize = LINKS;
    const NEW: Self = Self::new();
    type Config = Config;
    type Player = Bot;

    fn begin(&mut self, seed: &[u8; 32], _config: &Config, _now: Millis) {
        self.begin(seed);
    }

    fn tell(bytes: &[u8], _by_client: bool, told: Told<'_>) {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            told(&line.trim_ascii_end().escape_ascii(), line);
        }
    }

    fn each_player(&self, tell: &mut dyn FnMut(&str, &str)) {
        self.names().for_each(|name| tell("", name));
    }
}

/// Plays Nim as well as it can be played: it leaves heaps whose binary digits cancel out, if that can be done.
pub struct Bot {
    name: Text<NAME_MAX>,
    heaps: [u8; 3],
    progress: Progress,
    end: Option<End>,
}

impl Bot {
    /// A heap and how many stones to take of it.
    pub fn choose(heaps: [u8; 3]) -> (usize, u8) {
        let sum = heaps.iter().fold(0, |sum, heap| sum ^ heap);
        let wins = heaps.iter().position(|heap| heap ^ sum < *heap).map(|at| (at, heaps[at] - (heaps[at] ^ sum)));
        // A lost position: one stone, and hope.
        wins.unwrap_or_else(|| (heaps.iter().position(|heap| *heap > 0).unwrap_or(0), 1))
    }
}

impl Player for Bot {
    type Framer = Lines<LINE_MAX>;

    fn new(seat: &Seat<'_>) -> Option<Self> {
        Some(Self { name: Text::new(seat.name)?, heaps: [0; 3], progress: Progress::Outside, end: None })
    }

    fn connect(&mut self, out: Out<'_>) {
        out(b"sit ");
        out(self.name.as_str().as_bytes());
        out(b"\n");
    }

    fn receive(&mut self, framer: &mut Self::Framer, out: Out<'_>) {
        while let Some(piece) = framer.peek(false) {
            let line = if let Piece::Line(line) = piece { str::from_utf8(line).unwrap_or_default() } else { "" };
            let me = self.name.as_str();
            match Event::parse(line) {
                Some(Event::Sits(name)) if name == me => self.progress = Progress::Seated,
                Some(Event::Heaps(heaps)) => self.heaps = heaps,
                Some(Event::Turn(name)) if name == me => {
                    let (heap, count) = Self::choose(self.heaps);
                    out(format!("take {heap} {count}\n").as_bytes());
                }
                Some(Event::Won(name)) => self.end = Some(End::Over { won: name == me }),
                Some(Event::No(_)) if self.progress == Progress::Outside => self.end = Some(End::Refused),
                _ => {}
            }
            framer.skip();
        }
    }

    fn nudge(&mut self, _out: Out<'_>) {}
    fn progress(&self) -> Progress {
        self.progress
    }
    fn end(&self) -> Option<End> {
        self.end
    }
}
