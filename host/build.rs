//! Compresses the pages (web/, a folder a page and one for what they share) into the program: one table of files, each with
//! its path, its type, a tag of its contents and its bytes in gzip.
//!
//! The modules of a page are one script, by the name of the page's own, and those that pages share another one beside it; only
//! words and house rules stay files, as a page loads those of one language. Its style sheets are one: nothing is painted before
//! they are there, and one comes on the connection that is there already. A page stands there once in every language that there are words for, as `FOLDER/index.LANGUAGE.html`.
//!
//! All files together have a version. Pages name theirs below it (`/VERSION/FOLDER/FILE`), and so do the files among each
//! other, by relative paths: what a browser has of a version it need never ask for again.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use flate2::Compression;
use flate2::write::GzEncoder;
use modules::{Library, Words};

#[path = "bundle/modules.rs"]
mod modules;
#[path = "bundle/squeeze.rs"]
mod squeeze;
#[path = "bundle/words.rs"]
mod words;

fn main() -> io::Result<()> {
    let web = Path::new("web");
    let languages = words::languages(web)?;
    println!("cargo::rerun-if-changed=web");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let mut files = Vec::new();
    for folder in list(web)? {
        if folder.is_dir() {
            println!("cargo::rerun-if-changed={}", folder.display());
            files.extend(list(&folder)?);
        }
    }
    files.sort();
    let mut texts = Vec::new();
    let mut library = Library::default();
    for file in files {
        let name = file.strip_prefix(web).ok().and_then(Path::to_str).ok_or(io::ErrorKind::InvalidInput)?;
        let Some(kind) = kind(name) else { continue };
        println!("cargo::rerun-if-changed={}", file.display());
        let mut text = fs::read_to_string(&file)?;
        if kind == HTML {
            let folder = name.split('/').next().unwrap_or_default();
            let (page, sheet) = one_sheet(web, folder, &text)?;
            texts.push((sheet_of(folder), STYLE, sheet));
            text = page;
            let script =
                value(&text, "src").ok_or_else(|| io::Error::other(format!("{name}: a page without a script")))?;
            let joined = modules::join(web, Path::new(script), Words::Beside, &mut library, &format!("../{LIBRARY}"))?;
            texts.push((script.to_owned(), SCRIPT, squeeze::squeeze(&joined)));
        }
        // Other modules and sheets are within those.
        if (kind != SCRIPT && kind != STYLE) || is_beside(name, &languages) {
            texts.push((name.to_owned(), kind, slim(name, &text)));
        }
        if is_beside(name, &languages) {
            for module in text.split(" from \"./").skip(1).filter_map(|rest| rest.split('"').next()) {
                let path = file.with_file_name(module);
                let name = path.strip_prefix(web).ok().and_then(Path::to_str).ok_or(io::ErrorKind::InvalidInput)?;
                texts.push((name.to_owned(), SCRIPT, slim(name, &fs::read_to_string(&path)?)));
            }
        }
    }
    texts.push((LIBRARY.to_owned(), SCRIPT, squeeze::squeeze(&library.script)));
    texts.sort();
    texts.dedup();
    let version = format!("{:012x}", tag(texts.iter().flat_map(|(_, _, text)| text.bytes())) >> 16);
    let mut files = Vec::new();
    for (name, kind, text) in texts {
        match name.strip_suffix("/index.html") {
            Some(folder) => {
                for language in &languages {
                    let page = below(&version, &words::fill(web, folder, &text, language, &languages)?);
                    files.push((format!("{folder}/index.{language}.html"), kind, page));
                }
            }
            None => files.push((name, kind, text)),
        }
    }
    let mut table = format!(
        "pub const VERSION: &str = {version:?};\npub const LANGUAGES: &[&str] = &{languages:?};\npub static FILES: &[File] = &[\n"
    );
    for (name, kind, text) in files {
        let flat = name.replace('/', "-");
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(text.as_bytes())?;
        fs::write(out.join(format!("{flat}.gz")), gzip.finish()?)?;
        let tag = tag(text.bytes());
        let _ = writeln!(
            table,
            "    File {{ name: {name:?}, kind: {kind:?}, tag: \"\\\"{tag:016x}\\\"\", \
             gzip: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{flat}.gz\")) }},"
        );
    }
    table += "];\n";
    fs::write(out.join("page.rs"), table)
}

/// Is it of one language alone? What such a file imports is a file, too.
fn is_beside(name: &str, languages: &[String]) -> bool {
    languages.iter().any(|language| name.ends_with(&format!(".{language}.js")))
}

fn sheet_of(folder: &str) -> String {
    format!("{folder}/page.css")
}

/// The page with one style sheet instead of several, and that one: all that it names, in their order.
fn one_sheet(web: &Path, folder: &str, page: &str) -> io::Result<(String, String)> {
    let (mut kept, mut sheet) = (String::new(), String::new());
    for line in page.lines() {
        match line.split_once("rel=\"stylesheet\"").and_then(|(_, link)| value(link, "href")) {
            Some(path) => {
                if sheet.is_empty() {
                    kept += &format!("<link rel=\"stylesheet\" href=\"/{}\" />\n", sheet_of(folder));
                }
                sheet += &squeeze::style(&fs::read_to_string(web.join(path))?);
            }
            None => kept.extend([line, "\n"]),
        }
    }
    Ok((kept, sheet))
}

fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

/// A page whose files are named below the version.
fn below(version: &str, page: &str) -> String {
    ["href", "src"]
        .iter()
        .fold(page.to_owned(), |page, name| page.replace(&format!(" {name}=\"/"), &format!(" {name}=\"/{version}/")))
}

/// Without what no browser needs.
fn slim(name: &str, text: &str) -> String {
    match name.rsplit_once('.') {
        Some((_, "js")) => squeeze::squeeze(text),
        // An attribute on a line of its own keeps the space before it.
        Some((_, "html")) => {
            let slim = |line| if str::trim_start(line).starts_with('<') { line.trim_start() } else { line };
            text.lines().map(slim).flat_map(|line| [line, "\n"]).collect()
        }
        _ => text.into(),
    }
}

/// What all pages share.
const LIBRARY: &str = "lib/library.js";
const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// The first path that an attribute of the page names, below the pages.
fn value<'p>(page: &'p str, attribute: &str) -> Option<&'p str> {
    page.split_once(&format!(" {attribute}=\"/"))?.1.split('"').next()
}

fn kind(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "html" => Some(HTML),
        "css" => Some(STYLE),
        "js" => Some(SCRIPT),
        "svg" => Some("image/svg+xml"),
        "webmanifest" => Some("application/manifest+json"),
        _ => None,
    }
}

/// FNV-1a: it tells one version of a file from another, no more.
fn tag(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
