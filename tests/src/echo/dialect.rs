//! How conversations of Echo are written: the letter of a frame and its payload, word by word. A word of digits is a byte,
//! any other word is its text; spaces between words are not sent.

use parlor_core::echo::{BoardEcho, HostEcho};

use crate::conversation::{self, Message, Runner, Told, Wire};

#[derive(Default)]
pub struct Dialect;

/// Frames of a letter, a length and a payload.
#[derive(Default)]
pub struct Frames;

/// What clients say and hear.
const LETTERS: &str = "EJLSOTMDHWQ";
/// What only the server says.
const REFUSED: &str = "X";

impl Wire for Frames {
    type Line = Vec<u8>;

    fn without_comment(line: &str) -> &str {
        line.split('#').next().unwrap_or_default()
    }
    fn parse(text: &str, _times: usize) -> Told<Vec<u8>> {
        let mut words = text.split_whitespace();
        let code = match words.next().map(str::as_bytes) {
            Some(&[code]) => code,
            _ => return Err(format!("{text}: a frame begins with its letter")),
        };
        let byte = |word: &str| word.bytes().all(|c| c.is_ascii_digit()).then(|| word.parse::<u8>().ok()).flatten();
        let payload: Vec<u8> =
            words.flat_map(|word| byte(word).map_or_else(|| word.as_bytes().to_vec(), |byte| vec![byte])).collect();
        let length = u8::try_from(payload.len()).map_err(|_| format!("{text}: too long for a frame"))?;
        Ok([&[code, length], &payload[..]].concat())
    }
    fn bytes(&self, line: &Vec<u8>) -> Told<Vec<u8>> {
        Ok(line.clone())
    }
    fn cut(unread: &[u8]) -> Option<usize> {
        let whole = 2 + usize::from(*unread.get(1)?);
        (unread.len() >= whole).then_some(whole)
    }
    fn matches(&mut self, line: &Vec<u8>, message: &[u8]) -> Told<bool> {
        Ok(line == message)
    }
    fn show_line(&self, line: &Vec<u8>) -> String {
        self.show(line)
    }
    fn show(&self, message: &[u8]) -> String {
        message.escape_ascii().to_string()
    }
}

impl conversation::Dialect for Dialect {
    type Board = BoardEcho;
    type Host = HostEcho;
    const SCRIPTED: &'static [&'static str] = &[];
    const CALM: &'static [&'static str] = &[];

    type Wire = Frames;
    /// Its files have no short forms.
    type Exchange = std::convert::Infallible;
    type Mirror = ();

    fn scripted(key: &str, _value: &str) -> Told<Vec<u8>> {
        Err(format!("{key}: nothing is random in Echo"))
    }
    fn exchange(_line: &str) -> Told<Option<Self::Exchange>> {
        Ok(None)
    }
    fn hold(_runner: &mut Runner<'_, Self>, exchange: &Self::Exchange) -> Told {
        match *exchange {}
    }

    fn messages() -> Vec<Message> {
        let message = |by_client| move |letter: char| Message { name: letter.into(), by_client, by_server: true };
        LETTERS.chars().map(message(true)).chain(REFUSED.chars().map(message(false))).collect()
    }
    fn kind(message: &[u8], _from_client: bool) -> Option<String> {
        Some(char::from(*message.first()?).to_string())
    }
}
