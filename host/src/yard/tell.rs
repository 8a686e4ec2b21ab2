//! What was said, for people to read.

use parlor_core::lines::{Tagged, Words, split_tag};
use parlor_core::yard::wire::Command;

use crate::games::Saying;

/// Cuts bytes into lines for people to read. A password was written over when it was taken; here not even its length is
/// told.
pub fn tell(bytes: &[u8], by_client: bool) -> Vec<Saying> {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    lines.map(|line| if by_client { hush(line) } else { None }.unwrap_or_else(|| said(line))).collect()
}

fn said(line: &[u8]) -> Saying {
    Saying { words: String::from_utf8_lossy(line).trim_end().escape_debug().to_string(), raw: line.to_vec() }
}

/// A login, without what follows the name.
fn hush(line: &[u8]) -> Option<Saying> {
    let Tagged { tag, rest, .. } = split_tag(line.trim_ascii_end()).ok()?;
    let mut room = vec![0; rest.len()];
    match Command::parse(Words::split(rest, &mut room).ok()?) {
        Ok(Command::Login { name, .. }) => {
            let words = format!("{} login {name:?} (password)", tag.text());
            Some(Saying { raw: words.clone().into_bytes(), words })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_and_passwords_are_not() {
        let told = |bytes: &[u8], by_client| -> Vec<String> {
            tell(bytes, by_client).into_iter().map(|saying| saying.words).collect()
        };
        let said = b"protocol 2.0\r\n#7 login \"j o\" xxx  \r\nnoop\n\xff";
        assert_eq!(told(said, true), ["protocol 2.0", "#7 login \"j o\" (password)", "noop", "\u{fffd}"]);
        assert_eq!(tell(b"login a xx\r\n", true)[0].raw, b"- login \"a\" (password)");
        assert_eq!(told(b"- ok\r\n* turn X\r\n", false), ["- ok", "* turn X"]);
    }
}
