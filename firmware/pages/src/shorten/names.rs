//! Which words of a script are names that it gives itself, and where each of them holds.

use std::collections::{HashMap, HashSet};

use super::tokens::{Kind, Role, Tokens};

/// The tokens between which a name has one meaning.
pub type Region = (usize, usize);

/// A name that the script gives. Where one is given again within, both are one here: they get the same new name.
pub struct Given<'s> {
    pub name: &'s str,
    pub region: Region,
    /// Where it is said, in order.
    pub said: Vec<usize>,
}

/// What a word is where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// A part of something else: `.x`, `x:`, `x() {}`. Or it is no name.
    Field,
    /// Both the key of an object and a name: `{ x }`.
    Both,
    Name,
}

pub struct Names<'s> {
    pub given: Vec<Given<'s>>,
    /// Names that somebody else gives, or wants to read.
    pub foreign: HashSet<&'s str>,
}

impl<'s> Names<'s> {
    pub fn of(tokens: &Tokens<'s>) -> Self {
        let mut finder = Finder::new(tokens);
        finder.find_all();
        let mut names = Self { given: Vec::new(), foreign: HashSet::new() };
        let mut first = HashMap::<&str, usize>::new();
        finder.found.sort_unstable();
        for (name, region) in finder.found {
            match names.given.last_mut().filter(|last| last.name == name && region.0 <= last.region.1) {
                Some(last) => last.region.1 = last.region.1.max(region.1),
                None => {
                    first.entry(name).or_insert(names.given.len());
                    names.given.push(Given { name, region, said: Vec::new() });
                }
            }
        }
        for (at, token) in tokens.0.iter().enumerate() {
            if usage(tokens, at) == Use::Field {
                continue;
            }
            let of_name = first.get(token.text).and_then(|first| names.given.get_mut(*first..)).unwrap_or_default();
            let mut of_name = of_name.iter_mut().take_while(|given| given.name == token.text);
            match of_name.find(|given| (given.region.0..=given.region.1).contains(&at)) {
                Some(given) => given.said.push(at),
                None => _ = names.foreign.insert(token.text),
            }
            // Others read what is exported, and a label is no variable.
            let before = [2, 1].map(|back| at.checked_sub(back).map_or("", |at| tokens.text(at)));
            if before[0] == "export" || matches!(before[1], "break" | "continue") {
                names.foreign.insert(token.text);
            }
        }
        names
    }
}

pub fn usage(tokens: &Tokens<'_>, at: usize) -> Use {
    let token = &tokens.0[at];
    let before = at.checked_sub(1).map_or("", |at| tokens.text(at));
    if token.kind != Kind::Name || token.text.starts_with('#') || matches!(before, "." | "?.") {
        return Use::Field;
    }
    let after = tokens.text(at + 1);
    match token.outer.map(|outer| tokens.0[outer].role) {
        Some(Role::Object) if is_member(tokens, at) => match after {
            "," | "}" | "=" => Use::Both,
            _ => Use::Field,
        },
        Some(Role::Class) if is_member(tokens, at) => Use::Field,
        _ => Use::Name,
    }
}

/// Whether a member of an object or a class begins with it, or what says of one that it is `get`, `async` or the like.
fn is_member(tokens: &Tokens<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    match tokens.text(before) {
        "{" | "," | ";" | "static" => true,
        "}" => tokens.0[tokens.0[before].mate].role == Role::Block,
        "*" | "get" | "set" | "async" => is_member(tokens, before),
        _ => false,
    }
}

/// Finds every declaration.
pub struct Finder<'t, 's> {
    tokens: &'t Tokens<'s>,
    pub found: Vec<(&'s str, Region)>,
}

impl<'t, 's> Finder<'t, 's> {
    pub fn new(tokens: &'t Tokens<'s>) -> Self {
        Self { tokens, found: Vec::new() }
    }

    pub fn find_all(&mut self) {
        for at in 0..self.tokens.0.len() {
            let token = &self.tokens.0[at];
            let is_word = token.kind == Kind::Keyword && !matches!(self.tokens.text(at.wrapping_sub(1)), "." | "?.");
            match token.text {
                "let" | "const" | "var" if is_word => self.variables(at),
                "function" if is_word => {
                    let name = if self.tokens.text(at + 1) == "*" { at + 2 } else { at + 1 };
                    self.give(name, self.block(at));
                }
                "class" if is_word => self.give(at + 1, self.block(at)),
                "as" if self.tokens.text(at.wrapping_sub(1)) == "*" => self.give(at + 1, self.block(at)),
                "=>" => self.arrow(at),
                "{" if token.role == Role::Block => {
                    let (start, end) = self.body(at);
                    // A function's, a method's or what is caught.
                    if self.tokens.text(start) == "(" && self.tokens.text(at - 1) == ")" {
                        self.list(start + 1, self.tokens.0[start].mate, (start, end));
                    }
                }
                _ => {}
            }
        }
    }

    fn give(&mut self, at: usize, region: Region) {
        if self.tokens.is_name(at) {
            self.found.push((self.tokens.text(at), region));
        }
    }

    /// A block, with what stands in brackets before it where that holds in it alone.
    fn body(&self, open: usize) -> Region {
        let end = self.tokens.0[open].mate;
        let Some(before) = open.checked_sub(1) else { return (open, end) };
        let start = match self.tokens.text(before) {
            ")" => {
                let round = self.tokens.0[before].mate;
                let is_asked =
                    |at| matches!(self.tokens.text(at), "if" | "for" | "while" | "switch" | "with" | "await");
                if round.checked_sub(1).is_some_and(is_asked) { open } else { round }
            }
            "=>" => self.tokens.0[before - 1].mate.min(before - 1),
            _ => open,
        };
        (start, end)
    }

    /// The block that something is declared in.
    fn block(&self, at: usize) -> Region {
        let mut outer = self.tokens.0[at].outer;
        while let Some(open) = outer {
            if self.tokens.0[open].role == Role::Block {
                return self.body(open);
            }
            outer = self.tokens.0[open].outer;
        }
        (0, self.tokens.0.len())
    }

    fn variables(&mut self, at: usize) {
        let region = self.block(at);
        let mut at = self.target(at + 1, region);
        if !matches!(self.tokens.text(at), "of" | "in") {
            at = self.expression(at);
            while self.tokens.text(at) == "," {
                at = self.element(at + 1, region);
            }
        }
    }

    fn arrow(&mut self, at: usize) {
        let Some(before) = at.checked_sub(1) else { return };
        let end = if self.tokens.text(at + 1) == "{" { self.tokens.0[at + 1].mate } else { self.expression(at + 1) };
        let start = self.tokens.0[before].mate;
        match self.tokens.text(before) {
            ")" => self.list(start + 1, before, (start, end)),
            _ => self.give(before, (before, end)),
        }
    }

    /// Where the expression ends that begins here.
    fn expression(&self, at: usize) -> usize {
        let mut at = at;
        while !self.tokens.is_end(at) && !matches!(self.tokens.text(at), "," | ";") {
            at = self.tokens.after(at);
        }
        at
    }

    /// Names in square brackets, or what a function takes.
    fn list(&mut self, from: usize, to: usize, region: Region) {
        let mut at = from;
        while at < to {
            at = if self.tokens.text(at) == "," { at + 1 } else { self.element(at, region) };
        }
    }

    /// The same, and what it is if nothing else is given. What is behind it.
    fn element(&mut self, at: usize, region: Region) -> usize {
        let after = self.target(at, region);
        self.expression(after)
    }

    /// A name that gets a value, or a pattern of them. What is behind it.
    fn target(&mut self, at: usize, region: Region) -> usize {
        let at = if self.tokens.text(at) == "..." { at + 1 } else { at };
        match self.tokens.text(at) {
            "[" => self.list(at + 1, self.tokens.0[at].mate, region),
            "{" => self.fields(at, region),
            _ => self.give(at, region),
        }
        self.tokens.after(at)
    }

    fn fields(&mut self, open: usize, region: Region) {
        let end = self.tokens.0[open].mate;
        let mut at = open + 1;
        while at < end {
            let after = self.tokens.after(at);
            at = match self.tokens.text(at) {
                "," => at + 1,
                _ if self.tokens.text(after) == ":" => self.element(after + 1, region),
                _ => self.element(at, region),
            };
        }
    }
}
