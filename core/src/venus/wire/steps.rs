//! Where a player may go next: steps joined by `/`, each `space!walk|jump!cost` and, where numbers matter, `!` and the
//! numbers (venus 2.6).

use super::field::Field;
use crate::lines::FieldWriter;
use crate::venus::pieces::Numbers;

/// One way on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Step<'a> {
    pub space: &'a str,
    /// By telegate.
    pub jump: bool,
    pub cost: u8,
    /// Those that lead there, if numbers matter.
    pub numbers: Numbers,
}

// Texts are split at `['!']`, not at `'!'`: the search for a single character holds a slice whose panic would be linked.
impl<'a> Step<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let mut parts = text.split(['!']);
        let space = parts.next().filter(|space| !space.is_empty())?;
        let jump = match parts.next()? {
            "walk" => false,
            "jump" => true,
            _ => return None,
        };
        let cost = u8::take(parts.next()?)?;
        let numbers = match parts.next() {
            Some(digits) => Numbers::take(digits).filter(|numbers| !numbers.is_empty())?,
            None => Numbers::NONE,
        };
        parts.next().is_none().then_some(Self { space, jump, cost, numbers })
    }

    fn put(&self, line: &mut FieldWriter<'_>) {
        line.text(self.space);
        line.text(if self.jump { "!jump!" } else { "!walk!" });
        self.cost.put(line);
        if !self.numbers.is_empty() {
            line.text("!");
            self.numbers.put(line);
        }
    }
}

/// A list of steps: one that was built, or one that came and is sound.
#[derive(Clone, Copy, Debug)]
pub enum Destinations<'a> {
    Built(&'a [Step<'a>]),
    Came(&'a str),
}

impl<'a> Destinations<'a> {
    pub fn iter(&self) -> impl Iterator<Item = Step<'a>> + use<'a> {
        let (built, came) = match self {
            Self::Built(steps) => (*steps, ""),
            Self::Came(text) => (&[][..], *text),
        };
        built.iter().copied().chain(came.split(['/']).filter_map(Step::read))
    }
}

impl PartialEq for Destinations<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Destinations<'_> {}

impl<'a> Field<'a> for Destinations<'a> {
    fn take(text: &'a str) -> Option<Self> {
        let is_sound = text.is_empty() || text.split(['/']).all(|step| Step::read(step).is_some());
        is_sound.then_some(Self::Came(text))
    }
    fn put(&self, line: &mut FieldWriter<'_>) {
        for (nth, step) in self.iter().enumerate() {
            line.text(if nth == 0 { "" } else { "/" });
            step.put(line);
        }
    }
}
