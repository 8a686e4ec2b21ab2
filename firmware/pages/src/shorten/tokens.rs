//! A script as tokens, with the brackets that belong together.

use crate::squeeze::{is_word, pattern, text};

/// Words that are no names.
const RESERVED: &[&str] = &[
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
];
/// Marks of several characters, of which another one is the beginning: the longest first.
const MARKS: &[&str] = &[
    "===", "!==", "...", "&&=", "||=", "??=", "=>", "?.", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=", "^=", "&&", "||", "??",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A word that may be a name.
    Name,
    /// One that is not.
    Keyword,
    /// A number, a text, a pattern, or a part of a template.
    Value,
    Mark,
}

/// What a pair of brackets holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Block,
    Class,
    /// An object, or a pattern of one.
    Object,
    /// Round or square brackets, or an expression in a template.
    Other,
}

pub struct Token<'s> {
    pub kind: Kind,
    pub text: &'s str,
    /// Where it begins.
    pub at: usize,
    /// Of a bracket, the other one of its pair; itself otherwise.
    pub mate: usize,
    /// The opening bracket around it, if it stands in any.
    pub outer: Option<usize>,
    /// Of an opening bracket.
    pub role: Role,
}

pub struct Tokens<'s>(pub Vec<Token<'s>>);

pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

impl<'s> Tokens<'s> {
    /// A script that was squeezed: it has no comments. `None`: its brackets do not match.
    pub fn of(script: &'s str) -> Option<Self> {
        let (mut tokens, mut open) = (Self(Vec::new()), Vec::new());
        let mut at = 0;
        while let Some(next) = script.get(at..).and_then(|rest| rest.chars().next()) {
            let rest = script.get(at..)?;
            let (kind, length) = match next {
                ' ' | '\n' => {
                    at += 1;
                    continue;
                }
                '"' | '\'' => (Kind::Value, text(rest, next)),
                '`' => (Kind::Value, template(rest)),
                '/' if tokens.is_before_pattern() => {
                    let length = pattern(rest);
                    (Kind::Value, length + rest.get(length..)?.find(|c| !is_word(c)).unwrap_or(0))
                }
                '$' if rest.starts_with("${") => (Kind::Mark, 2),
                c if is_word(c) => {
                    let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                    let word = rest.get(..length)?;
                    let kind = if is_reserved(word) { Kind::Keyword } else { Kind::Name };
                    (if c.is_ascii_digit() { Kind::Value } else { kind }, length)
                }
                _ => (
                    Kind::Mark,
                    MARKS.iter().find(|mark| rest.starts_with(**mark)).map_or(next.len_utf8(), |mark| mark.len()),
                ),
            };
            let goes_on = tokens.push(kind, script.get(at..at + length)?, at, &mut open)?;
            at += length;
            // Behind an expression a template goes on.
            if goes_on {
                let length = template(script.get(at - 1..)?) - 1;
                tokens.push(Kind::Value, script.get(at..at + length)?, at, &mut open)?;
                at += length;
            }
        }
        open.is_empty().then_some(tokens)
    }

    /// Whether the expression of a template ends with it.
    fn push(&mut self, kind: Kind, text: &'s str, at: usize, open: &mut Vec<usize>) -> Option<bool> {
        let here = self.0.len();
        let (mut mate, mut role, mut ends_expression) = (here, Role::Other, false);
        if kind == Kind::Mark && matches!(text, ")" | "]" | "}") {
            mate = open.pop()?;
            self.0[mate].mate = here;
            ends_expression = self.0[mate].text == "${";
            let pair = self.0[mate].text;
            if !matches!((pair, text), ("(", ")") | ("[", "]") | ("{" | "${", "}")) {
                return None;
            }
        }
        if (kind, text) == (Kind::Mark, "{") {
            role = self.role(open.last().copied());
        }
        self.0.push(Token { kind, text, at, mate, outer: open.last().copied(), role });
        if kind == Kind::Mark && matches!(text, "(" | "[" | "{" | "${") {
            open.push(here);
        }
        Some(ends_expression)
    }

    /// What the brace holds that comes next.
    fn role(&self, outer: Option<usize>) -> Role {
        let Some(last) = self.0.last() else { return Role::Block };
        let head = self.0.iter().rev().take_while(|token| token.kind != Kind::Mark || token.text == ".");
        if head.into_iter().any(|token| token.text == "class") {
            return Role::Class;
        }
        match last.text {
            ")" | "=>" | ";" | "{" | "}" | "else" | "try" | "catch" | "finally" | "do" => Role::Block,
            // Behind a case, not behind a key or a question.
            ":" if outer.is_some_and(|outer| self.0[outer].role == Role::Block) => {
                let mut before = self.0.iter().rev().skip(1).filter(|token| token.outer == outer);
                let found = before.find(|token| matches!(token.text, "case" | "default" | "?" | "," | ";" | "{" | "}"));
                match found.map(|token| token.text) {
                    Some("case" | "default") => Role::Block,
                    _ => Role::Object,
                }
            }
            _ => Role::Object,
        }
    }

    /// A slash after a value divides.
    fn is_before_pattern(&self) -> bool {
        self.0.last().is_none_or(|last| match last.kind {
            Kind::Name | Kind::Value => false,
            Kind::Keyword => !matches!(last.text, "this" | "super" | "null" | "true" | "false"),
            Kind::Mark => !matches!(last.text, ")" | "]" | "}"),
        })
    }

    pub fn text(&self, at: usize) -> &'s str {
        self.0.get(at).map_or("", |token| token.text)
    }

    pub fn is_name(&self, at: usize) -> bool {
        self.0.get(at).is_some_and(|token| token.kind == Kind::Name)
    }

    pub fn is_end(&self, at: usize) -> bool {
        self.0.get(at).is_none_or(|token| token.mate < at)
    }

    /// Behind the token, or behind the brackets that it opens.
    pub fn after(&self, at: usize) -> usize {
        self.0.get(at).map_or(at, |token| token.mate.max(at)) + 1
    }
}

/// How long the part of a template is that begins here, behind a backtick or an expression: before the next expression, or with
/// its end.
fn template(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'`' => return at + 1,
            b'$' if bytes.get(at + 1) == Some(&b'{') => return at,
            _ => {}
        }
        at += 1;
    }
    rest.len()
}
