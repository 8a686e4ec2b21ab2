//! Small JSON objects written into a buffer. What does not fit is left out, and [`Object::end`] says so.

use core::fmt::{self, Write};

/// An object as it is written. Keys and words are the program's own; [`Object::text`] takes anything.
pub struct Object<'a> {
    out: &'a mut [u8],
    at: usize,
    full: bool,
    first: bool,
}

impl<'a> Object<'a> {
    pub fn new(out: &'a mut [u8]) -> Self {
        let mut object = Self { out, at: 0, full: false, first: true };
        object.put("{");
        object
    }

    pub fn number(&mut self, key: &str, value: impl fmt::Display) {
        self.key(key);
        // A write that has no room is remembered in `full`.
        let _ = write!(self, "{value}");
    }

    pub fn flag(&mut self, key: &str, value: bool) {
        self.number(key, value);
    }

    pub fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        self.put("\"");
        for character in value.chars() {
            let _ = match character {
                '"' | '\\' => write!(self, "\\{character}"),
                // A page may stand around it.
                '\0'..' ' | '<' | '\u{7F}' => write!(self, "\\u{:04x}", u32::from(character)),
                _ => self.write_char(character),
            };
        }
        self.put("\"");
    }

    /// Bytes as hexadecimal digits.
    pub fn hex(&mut self, key: &str, bytes: &[u8]) {
        self.key(key);
        self.put("\"");
        for byte in bytes {
            let _ = write!(self, "{byte:02x}");
        }
        self.put("\"");
    }

    /// A list of objects: `each` is called with one after the other, for as long as it returns true.
    pub fn list(&mut self, key: &str, mut each: impl FnMut(&mut Self) -> bool) {
        self.key(key);
        self.put("[");
        let mut count = 0;
        loop {
            let before = self.at;
            self.put(if count == 0 { "{" } else { ",{" });
            self.first = true;
            if !each(self) {
                self.at = before;
                break;
            }
            self.put("}");
            count += 1;
        }
        self.first = false;
        self.put("]");
    }

    /// An object inside.
    pub fn object(&mut self, key: &str, fill: impl FnOnce(&mut Self)) {
        self.key(key);
        self.put("{");
        self.first = true;
        fill(self);
        self.first = false;
        self.put("}");
    }

    /// A list of the program's own words.
    pub fn words<'w>(&mut self, key: &str, words: impl Iterator<Item = &'w str>) {
        self.key(key);
        self.put("[");
        for (nth, word) in words.enumerate() {
            self.put(if nth == 0 { "\"" } else { ",\"" });
            self.put(word);
            self.put("\"");
        }
        self.put("]");
    }

    /// How long it has become; `None`: the buffer is too short.
    pub fn end(mut self) -> Option<usize> {
        self.put("}");
        (!self.full).then_some(self.at)
    }

    fn key(&mut self, key: &str) {
        self.put(if self.first { "\"" } else { ",\"" });
        self.first = false;
        self.put(key);
        self.put("\":");
    }

    fn put(&mut self, text: &str) {
        match self.out.get_mut(self.at..self.at + text.len()) {
            Some(to) if !self.full => {
                to.copy_from_slice(text.as_bytes());
                self.at += text.len();
            }
            _ => self.full = true,
        }
    }
}

impl Write for Object<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.put(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(out: &mut [u8]) -> Option<usize> {
        let mut object = Object::new(out);
        object.number("links", 7);
        object.text("who", "a\"\\\n<é");
        let mut numbers = 1..3;
        object.list("games", |game| {
            let Some(number) = numbers.next() else { return false };
            game.number("number", number);
            game.flag("open", number == 1);
            true
        });
        object.list("none", |_| false);
        object.object("rules", |rules| rules.number("pot", "null"));
        object.words("names", ["one", "two"].into_iter());
        object.hex("key", &[0x0a, 0xff]);
        object.end()
    }

    #[test]
    fn an_object_is_written_whole_or_not_at_all() {
        let expected = r#"{"links":7,"who":"a\"\\\u000a\u003cé","games":[{"number":1,"open":true},{"number":2,"open":false}],"none":[],"rules":{"pot":null},"names":["one","two"],"key":"0aff"}"#;
        let mut out = [0; 200];
        let length = written(&mut out).unwrap();
        assert_eq!(str::from_utf8(&out[..length]), Ok(expected));
        assert_eq!(length, expected.len());
        for short in 0..length {
            assert_eq!(written(&mut out[..short]), None);
        }
    }
}
