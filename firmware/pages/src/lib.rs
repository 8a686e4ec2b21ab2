//! Makes one compressed file of a page, and one of what all pages share: for a board's build script.
//!
//! A browser that is given forty files by a chip with a dozen sockets and no backlog waits long, or in vain. So a page's
//! style sheets, its icon and the modules of its own go into its HTML. The modules that pages share are one script beside
//! them, named by what is in it: flash holds them once, and a browser asks for them once. So are the style sheets that all
//! games link to. Each is compressed when the image is built.
//!
//! Pages are in English, unless `PARLOR_LANGUAGES` names others when the image is built, the first for everybody who reads
//! none of them: `PARLOR_LANGUAGES=de,en`. Each costs some kilobytes of flash a page.

mod html;
#[path = "../../../host/bundle/modules.rs"]
mod modules;
mod shorten;
#[path = "../../../host/bundle/squeeze.rs"]
mod squeeze;
#[path = "../../../host/bundle/words.rs"]
mod words;

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use html::{Common, LIBRARY, SHEET, alone, bundle};

/// The folder of the page that belongs to no game.
const FRONT: &str = "front";
/// The variable that chooses the languages.
const LANGUAGES: &str = "PARLOR_LANGUAGES";

/// A board's own page. It is made of nothing else: few look at it, so it should take little flash.
const SETTINGS: &str = include_str!("../settings.html");

/// A page as a board serves it.
struct Bundle {
    path: String,
    kind: &'static str,
    /// For how long a browser need not ask again.
    keeping: &'static str,
    tag: String,
    gzip: Vec<u8>,
}

impl Bundle {
    /// What pages have in common. Its address, `/lib` and an ending, changes with it.
    fn common(text: &str, address: &str, kind: &'static str) -> io::Result<Self> {
        let pack = Self::pack(text, "")?;
        let path = address.replace('.', &format!(".{}.", pack.tag));
        Ok(Self { path, kind, keeping: "public, max-age=31536000, immutable", ..pack })
    }

    /// A page, which is one file by now.
    fn pack(page: &str, path: &str) -> io::Result<Self> {
        // A twentieth less than zlib's best, for a second of the build. The same page gives the same bytes: neither time nor
        // file name is told.
        let mut gzip = Vec::new();
        zopfli::compress(zopfli::Options::default(), zopfli::Format::Gzip, page.as_bytes(), &mut gzip)?;
        let tag = format!("{:016x}", hash(&gzip));
        Ok(Self { path: path.to_string(), kind: PAGE, keeping: "no-cache", tag, gzip })
    }

    /// The lines of its head that are its own; the others are the board's.
    fn lines(&self) -> String {
        let Self { kind, keeping, tag, gzip, .. } = self;
        let length = gzip.len();
        format!(
            "Content-Type: {kind}; charset=utf-8\r\nContent-Length: {length}\r\nCache-Control: {keeping}\r\nETag: \"{tag}\"\r\n"
        )
    }

    /// What a page may do is a page's matter: a script or a style sheet has no use for it.
    fn policy(&self) -> &'static str {
        if self.kind == PAGE { POLICY } else { "" }
    }
}

const PAGE: &str = "text/html";
const POLICY: &str = "Referrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'none'; \
                      script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n";

/// For a board's build script: the front page, and the pages of the games that the image serves. A game's page, its folder
/// under `web` and the board's feature have one name. `has_settings`: and the page on which the board is set up.
pub fn build(web: &Path, out: &Path, has_settings: bool) -> io::Result<()> {
    println!("cargo:rerun-if-changed={}", web.display());
    println!("cargo:rerun-if-env-changed={LANGUAGES}");
    let languages = chosen(&env::var(LANGUAGES).unwrap_or_default(), &words::languages(web)?)?;
    let mut folders: Vec<_> = fs::read_dir(web)?.collect::<io::Result<_>>()?;
    folders.sort_by_key(fs::DirEntry::file_name);
    let mut names = Vec::new();
    for folder in folders {
        let name = folder.file_name().into_string().map_err(|_| io::Error::other("a folder without a name"))?;
        let is_served = env::var_os(format!("CARGO_FEATURE_{}", name.to_uppercase())).is_some();
        if is_served && folder.path().join("index.html").exists() {
            names.push(name);
        }
    }
    let mut common = Common::of(web, &names)?;
    let mut pages = vec![("/".to_string(), bundle(web, FRONT, &languages, &mut common)?)];
    for name in &names {
        pages.push((format!("/{name}"), bundle(web, name, &languages, &mut common)?));
    }
    let library = Bundle::common(&shorten::shorten(&common.library.script)?, LIBRARY, "text/javascript")?;
    let sheet = Bundle::common(&common.sheet(web)?, SHEET, "text/css")?;
    let packed = pages
        .iter()
        .map(|(path, page)| Bundle::pack(&page.replace(LIBRARY, &library.path).replace(SHEET, &sheet.path), path));
    let mut bundles: Vec<_> = packed.collect::<io::Result<_>>()?;
    bundles.push(library);
    if !common.sheets.is_empty() {
        bundles.push(sheet);
    }
    if has_settings {
        bundles.push(Bundle::pack(&alone(SETTINGS)?, "/settings")?);
    }
    write(out, &bundles)
}

/// The languages that were asked for; the first there is where none was.
fn chosen(asked: &str, known: &[String]) -> io::Result<Vec<String>> {
    let asked: Vec<_> = asked.split(',').map(str::trim).filter(|code| !code.is_empty()).map(str::to_owned).collect();
    if let Some(other) = asked.iter().find(|code| !known.contains(code)) {
        return Err(io::Error::other(format!("{LANGUAGES}: there is no {other:?}, but {}", known.join(", "))));
    }
    Ok(if asked.is_empty() { known.iter().take(1).cloned().collect() } else { asked })
}

/// Writes `pages.rs` into a build script's `OUT_DIR`: a constant `PAGES` of these pages, which lie beside it.
fn write(out: &Path, bundles: &[Bundle]) -> io::Result<()> {
    let mut list = String::from("pub const PAGES: &[parlor_firmware::links::Page] = &[\n");
    for (nth, bundle) in bundles.iter().enumerate() {
        let file = out.join(format!("page{nth}.gz"));
        fs::write(&file, &bundle.gzip)?;
        let (path, lines, policy, tag) = (&bundle.path, bundle.lines(), bundle.policy(), &bundle.tag);
        let gzip = format!("include_bytes!({file:?})");
        writeln!(
            list,
            "    parlor_firmware::links::Page {{ path: {path:?}, lines: {lines:?}, policy: {policy:?}, tag: {tag:?}, gzip: {gzip} }},"
        )
        .map_err(io::Error::other)?;
    }
    list.push_str("];\n");
    fs::write(out.join("pages.rs"), list)
}

/// FNV-1a: tells one version of a page from the next.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_follows_the_page() {
        assert_eq!(hash(b""), 0xCBF2_9CE4_8422_2325);
        assert_eq!(hash(b"a"), 0xAF63_DC4C_8601_EC8C);
    }

    #[test]
    fn languages_are_those_that_were_asked_for() {
        let known = ["en".to_string(), "de".to_string(), "he".to_string()];
        assert_eq!(chosen("", &known).unwrap(), ["en"]);
        assert_eq!(chosen("he, en", &known).unwrap(), ["he", "en"]);
        assert!(chosen("en,fr", &known).unwrap_err().to_string().contains("\"fr\""));
    }

    #[test]
    fn a_head_tells_of_its_body() {
        let (tag, gzip) = ("0123456789abcdef".into(), vec![0; 7]);
        let page = Bundle { path: "/".into(), kind: PAGE, keeping: "no-cache", tag, gzip };
        let lines = page.lines();
        assert!(lines.starts_with("Content-Type: text/html; charset=utf-8\r\n"), "{lines}");
        assert!(
            lines.contains("Content-Length: 7\r\n") && lines.ends_with("ETag: \"0123456789abcdef\"\r\n"),
            "{lines}"
        );
        let policy = page.policy();
        assert!(!policy.contains("  ") && policy.contains("Content-Security-Policy: default-src 'none';"), "{policy}");
        assert_eq!(Bundle { kind: "text/css", ..page }.policy(), "");
    }
}
