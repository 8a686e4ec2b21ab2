// Scripts without what only people read: comments, indentation, and the spaces and line ends that mean nothing.

/// A script as a browser needs it. Texts and patterns stay as they are.
pub fn squeeze(script: &str) -> String {
    let mut squeezed = Squeezed { out: String::new(), open: Vec::new() };
    let mut rest = script;
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '"' | '\'' => text(rest, next),
            '`' => squeezed.template(rest),
            '}' if squeezed.open.last() == Some(&0) => squeezed.template(rest),
            '/' if rest.starts_with("//") => {
                rest = rest.get(rest.find('\n').unwrap_or(rest.len())..).unwrap_or_default();
                continue;
            }
            '/' if squeezed.is_before_pattern() => pattern(rest),
            ' ' | '\n' => {
                let after = rest.trim_start_matches([' ', '\n']);
                squeezed.space(rest.get(..rest.len() - after.len()).unwrap_or_default(), after);
                rest = after;
                continue;
            }
            _ => {
                squeezed.count(next);
                next.len_utf8()
            }
        };
        let (token, after) = rest.split_at(length.min(rest.len()));
        squeezed.out.push_str(token);
        rest = after;
    }
    squeezed.out.push('\n');
    squeezed.out
}

struct Squeezed {
    out: String,
    /// For each template that an expression stands in: the braces that are open in the expression.
    open: Vec<usize>,
}

impl Squeezed {
    fn count(&mut self, brace: char) {
        match (brace, self.open.last_mut()) {
            ('{', Some(open)) => *open += 1,
            ('}', Some(open)) => *open -= 1,
            _ => {}
        }
    }

    /// How long the part of a template is that begins here, behind a backtick or an expression: up to the next of either.
    fn template(&mut self, rest: &str) -> usize {
        if rest.starts_with('}') {
            self.open.pop();
        }
        let bytes = rest.as_bytes();
        let mut at = 1;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\\' => at += 1,
                b'`' => return at + 1,
                b'$' if bytes.get(at + 1) == Some(&b'{') => {
                    self.open.push(0);
                    return at + 2;
                }
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// A slash after a value divides.
    fn is_before_pattern(&self) -> bool {
        self.out
            .trim_end()
            .chars()
            .last()
            .is_none_or(|last| !is_word(last) && !matches!(last, ')' | ']' | '}' | '`' | '"'))
    }

    fn space(&mut self, space: &str, after: &str) {
        let (last, next) = (self.out.chars().last(), after.chars().next());
        let (Some(last), Some(next)) = (last, next) else { return };
        if space.contains('\n') {
            // A line ends a statement only where one can end.
            let goes_on = matches!(last, ',' | '(' | '[' | '{' | ';' | '&' | '|' | '?' | ':' | '=' | '>' | '\n');
            if !goes_on && !matches!(next, ')' | ']' | '}' | '.' | ',' | '?' | ':' | '&' | '|' | '=') {
                self.out.push('\n');
            }
        } else if (is_word(last) && is_word(next)) || (last == next && matches!(next, '+' | '-')) {
            self.out.push(' ');
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '#')
}

/// How long a text in quotes is.
fn text(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// How long a pattern between slashes is.
fn pattern(rest: &str) -> usize {
    let (mut is_escaped, mut is_class) = (false, false);
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => is_class = true,
            ']' => is_class = false,
            '/' if !is_class => return at + 1,
            _ => {}
        }
    }
    rest.len()
}
