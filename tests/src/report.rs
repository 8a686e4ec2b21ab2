//! What runners of conversations share, in whatever form a game talks: step by step, and where one went another way, how it
//! is told.

/// How many lines of the talk a failure repeats.
const LAST_LINES: usize = 24;

pub type Told<T = ()> = Result<T, String>;

/// All that was said and heard so far.
#[derive(Default)]
pub struct Transcript(Vec<String>);

impl Transcript {
    pub fn push(&mut self, line: String) {
        self.0.push(line);
    }

    fn end(&self) -> String {
        self.0[self.0.len().saturating_sub(LAST_LINES)..].join("\n    ")
    }
}

/// A conversation that is being held.
pub trait Runner {
    type Step;
    fn step(&mut self, step: &Self::Step) -> Told;
    /// After the last step: what must hold at the end of any conversation.
    fn end(&mut self) -> Told;
    fn transcript(&self) -> &Transcript;
}

/// Takes every step and says, readably, at which line it failed. `what`: the file and its title.
pub fn hold<R: Runner>(runner: &mut R, what: (&str, &str), steps: &[(usize, R::Step)]) -> Told {
    let (file, title) = what;
    let failure = |runner: &R, line: usize, why: String| {
        format!("{file}:{line}: {why}\n  {title}\n  the talk so far ends with\n    {}", runner.transcript().end())
    };
    for (line, step) in steps {
        runner.step(step).map_err(|why| failure(runner, *line, why))?;
    }
    let last = steps.last().map_or(0, |(line, _)| *line);
    runner.end().map_err(|why| failure(runner, last, why))
}
