//! Compresses the pages (web/, a folder a page and one for what they share) into the program: one table of files, each with
//! its path, its type, a tag of its contents and its bytes in gzip.
//!
//! All files together have a version. Pages name theirs below it (`/VERSION/FOLDER/FILE`), and so do the files among each
//! other, by relative paths: what a browser has of a version it need never ask for again.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> io::Result<()> {
    let web = Path::new("web");
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
    for file in files {
        let name = file.strip_prefix(web).ok().and_then(Path::to_str).ok_or(io::ErrorKind::InvalidInput)?;
        let Some(kind) = kind(name) else { continue };
        println!("cargo::rerun-if-changed={}", file.display());
        texts.push((name.to_owned(), kind, slim(name, &fs::read_to_string(&file)?)));
    }
    let version = format!("{:012x}", tag(texts.iter().flat_map(|(_, _, text)| text.bytes())) >> 16);
    let mut table = format!("pub const VERSION: &str = {version:?};\npub static FILES: &[File] = &[\n");
    for (name, kind, text) in texts {
        let flat = name.replace('/', "-");
        let text = if kind == HTML { below(&version, &text) } else { text };
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

fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

/// A page whose files are named below the version.
fn below(version: &str, page: &str) -> String {
    ["href", "src"]
        .iter()
        .fold(page.to_owned(), |page, name| page.replace(&format!(" {name}=\"/"), &format!(" {name}=\"/{version}/")))
}

/// Without the lines that are only comments, and without indentation: no browser needs them. Text over several lines stands
/// at the left in our files.
fn slim(name: &str, text: &str) -> String {
    let is_comment: fn(&str) -> bool = match name.rsplit_once('.') {
        Some((_, "js")) => |line| line.starts_with("//"),
        Some((_, "css")) => |line| line.starts_with("/*") && line.ends_with("*/"),
        _ => return text.into(),
    };
    let lines = text.lines().map(str::trim_start).filter(|line| !line.is_empty() && !is_comment(line));
    lines.flat_map(|line| [line, "\n"]).collect()
}

const HTML: &str = "text/html; charset=utf-8";

fn kind(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "html" => Some(HTML),
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        "webmanifest" => Some("application/manifest+json"),
        _ => None,
    }
}

/// FNV-1a: it tells one version of a file from another, no more.
fn tag(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
