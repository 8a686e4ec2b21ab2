//! A page's HTML with everything in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::modules::{Library, Words};
use crate::shorten::shorten;
use crate::squeeze::style;
use crate::{modules, words};

/// What pages have in common.
#[derive(Default)]
pub struct Common {
    pub library: Library,
    /// Paths of style sheets, as pages link to them.
    pub sheets: Vec<String>,
}

impl Common {
    /// The style sheets that all of these pages link to, if there are several pages.
    pub fn of(web: &Path, names: &[String]) -> io::Result<Self> {
        let mut sheets: Option<Vec<String>> = None;
        for name in names {
            let html = fs::read_to_string(web.join(name).join("index.html"))?;
            let linked: Vec<_> = linked(&html).map(str::to_owned).collect();
            let mut all = sheets.unwrap_or_else(|| linked.clone());
            all.retain(|sheet| linked.contains(sheet));
            sheets = Some(all);
        }
        let sheets = sheets.filter(|_| names.len() > 1).unwrap_or_default();
        Ok(Self { library: Library::default(), sheets })
    }

    /// All of them as one, which pages find at [`SHEET`].
    pub fn sheet(&self, web: &Path) -> io::Result<String> {
        self.sheets.iter().map(|path| Ok(style(&read(web, path)?))).collect()
    }

    /// A page that has use for a part of them only has that part within.
    fn serves(&self, html: &str) -> bool {
        !self.sheets.is_empty() && self.sheets.iter().all(|sheet| linked(html).any(|path| path == sheet))
    }
}

/// The style sheets that a page links to.
fn linked(html: &str) -> impl Iterator<Item = &str> {
    tags(html).filter_map(|tag| if let Tag::Style(path) = tag { Some(path) } else { None })
}

/// The page of the folder `name` under `web`: its `index.html`, with what it links to inside. Links to other pages stay.
/// It is written in the first of the languages, and has the words of all. What it has in common with other pages is beside it:
/// scripts go into the library, which it finds at [`LIBRARY`], and style sheets into [`SHEET`].
pub fn bundle(web: &Path, name: &str, languages: &[String], common: &mut Common) -> io::Result<String> {
    let html = translate(web, name, languages)?;
    let has_sheet = common.serves(&html);
    let Common { library, sheets } = common;
    let (mut page, mut styles, mut script) = (String::new(), String::new(), String::new());
    for tag in tags(&html) {
        match tag {
            Tag::Style(path) if has_sheet && sheets.iter().any(|sheet| sheet == path) => {}
            Tag::Style(path) => styles.push_str(&style(&read(web, path)?)),
            Tag::Preload => {}
            Tag::Script(path) => {
                script = modules::join(web, &inside(path)?, Words::Within(languages), library, LIBRARY)?
            }
            Tag::Icon(before, path, after) => {
                page.push_str(before);
                page.push_str(&data_url(&read(web, path)?));
                page.push_str(after);
            }
            Tag::Other(text) => page.push_str(text),
        }
    }
    if script.is_empty() {
        return Err(io::Error::other(format!("{name}: a page without a script")));
    }
    let mut page = narrow(&page);
    let end = page.find("</head>").ok_or_else(|| io::Error::other(format!("{name}: no head")))?;
    // Before what is the page's own, which may say otherwise.
    let sheet = if has_sheet { format!("<link rel=\"stylesheet\" href=\"{SHEET}\" />\n") } else { String::new() };
    let early = format!("<link rel=\"modulepreload\" href=\"{LIBRARY}\" />\n");
    page.insert_str(end, &format!("{early}{sheet}<style>\n{styles}</style>\n"));
    let end = page.rfind("</body>").ok_or_else(|| io::Error::other(format!("{name}: no body")))?;
    // A script must not say where it ends.
    let script = shorten(&script)?.replace("</script", "<\\/script");
    page.insert_str(end, &format!("<script type=\"module\">\n{script}</script>\n"));
    Ok(page)
}

/// A page that has all within already, with its style sheet and its script as a browser needs them.
pub fn alone(page: &str) -> io::Result<String> {
    let cut = |text: &str, at: &str| {
        let (before, after) = text.split_once(at).ok_or_else(|| io::Error::other(format!("a page without {at}")))?;
        Ok::<_, io::Error>((before.to_owned(), after.to_owned()))
    };
    let (head, rest) = cut(page, "<style>")?;
    let (sheet, rest) = cut(&rest, "</style>")?;
    let (body, rest) = cut(&rest, "<script type=\"module\">")?;
    let (script, end) = cut(&rest, "</script>")?;
    let (head, body, end) = (narrow(&head), narrow(&body), narrow(&end));
    let (sheet, script) = (style(&sheet), shorten(&script)?);
    Ok(format!("{head}<style>{sheet}</style>\n{body}<script type=\"module\">\n{script}</script>\n{end}"))
}

/// Without indentation and empty lines. No page of ours has text whose spaces are shown as they are.
fn narrow(html: &str) -> String {
    html.lines().map(str::trim).filter(|line| !line.is_empty()).flat_map(|line| [line, "\n"]).collect()
}

/// Stands for the address of the library, which is known once all pages are there.
pub const LIBRARY: &str = "/lib.js";
/// Stands for the address of the style sheet that pages have in common.
pub const SHEET: &str = "/lib.css";

/// The page in the first language; what it tells the front page about itself, in all.
fn translate(web: &Path, name: &str, languages: &[String]) -> io::Result<String> {
    let html = fs::read_to_string(web.join(name).join("index.html"))?;
    let mut all = Vec::new();
    for language in languages {
        all.push((language, words::fill(web, name, &html, language, languages)?));
    }
    let mut all = all.into_iter();
    let (_, mut page) = all.next().ok_or_else(|| io::Error::other("a page in no language"))?;
    for (language, other) in all {
        let about = other.find(ABOUT).and_then(|at| other.get(at..)?.split_inclusive('>').next());
        if let (Some(about), Some(at)) = (about, page.find(ABOUT)) {
            // Whoever looks for one without a language finds the first.
            let end = page.get(at..).and_then(|rest| rest.find('>')).map_or(at, |end| at + end + 1);
            page.insert_str(end, &about.replacen("<meta ", &format!("<meta lang=\"{language}\" "), 1));
        }
    }
    Ok(page)
}

const ABOUT: &str = "<meta name=\"description\"";

enum Tag<'h> {
    Style(&'h str),
    Preload,
    Script(&'h str),
    /// What is before its address, the address, and what is after it.
    Icon(&'h str, &'h str, &'h str),
    Other(&'h str),
}

/// The page cut into the tags that go into it and what lies between them.
fn tags(html: &str) -> impl Iterator<Item = Tag<'_>> {
    let mut rest = html;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let is_link = rest.starts_with("<link");
        let is_script = rest.starts_with("<script");
        let end = match (is_link, is_script) {
            (true, _) => rest.find('>').map(|at| at + 1),
            (_, true) => rest.find("</script>").map(|at| at + "</script>".len()),
            _ => rest.match_indices('<').map(|(at, _)| at).find(|at| {
                rest.get(*at..).is_some_and(|text| text.starts_with("<link") || text.starts_with("<script"))
            }),
        };
        let (tag, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(match (is_link, is_script) {
            (true, _) if tag.contains("rel=\"stylesheet\"") => {
                value(tag, "href").map_or(Tag::Other(tag), |(_, path, _)| Tag::Style(path))
            }
            (true, _) if tag.contains("rel=\"modulepreload\"") => Tag::Preload,
            // A board has one file a page, and no place for another one.
            (true, _) if tag.contains("rel=\"manifest\"") => Tag::Preload,
            (true, _) if tag.contains("rel=\"icon\"") => {
                value(tag, "href").map_or(Tag::Other(tag), |(before, path, after)| Tag::Icon(before, path, after))
            }
            (_, true) => value(tag, "src").map_or(Tag::Other(tag), |(_, path, _)| Tag::Script(path)),
            _ => Tag::Other(tag),
        })
    })
}

/// What stands before an attribute's value, the value, and what stands after it.
fn value<'t>(tag: &'t str, name: &str) -> Option<(&'t str, &'t str, &'t str)> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    let (before, rest) = tag.split_at(start);
    let (value, after) = rest.split_at(rest.find('"')?);
    Some((before, value, after))
}

/// A path as pages write it, `/lib/style.css`, as one below the folder of all pages.
fn inside(path: &str) -> io::Result<PathBuf> {
    let inner = path.strip_prefix('/').filter(|path| !path.split('/').any(|part| part == ".."));
    inner.map(PathBuf::from).ok_or_else(|| io::Error::other(format!("{path}: not below the pages")))
}

fn read(web: &Path, path: &str) -> io::Result<String> {
    let file = web.join(inside(path)?);
    fs::read_to_string(&file).map_err(|error| io::Error::other(format!("{}: {error}", file.display())))
}

/// An SVG as an address.
fn data_url(svg: &str) -> String {
    let mut url = String::from("data:image/svg+xml,");
    for character in svg.trim().chars() {
        match character {
            '"' => url.push('\''),
            '\n' => url.push(' '),
            '%' | '#' | '<' | '>' | '&' | '?' => url.push_str(&format!("%{:02X}", u32::from(character))),
            _ => url.push(character),
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_goes_into_the_page() {
        let web = std::env::temp_dir().join(format!("parlor-pages-{}", std::process::id()));
        for folder in ["lib", "game"] {
            fs::create_dir_all(web.join(folder)).unwrap();
        }
        let write = |path: &str, text: &str| fs::write(web.join(path), text).unwrap();
        write("lib/style.css", "/* Red\n   it is. */\n  a {\n  color: red;\n}\n");
        write("lib/icon.svg", "<svg fill=\"#fff\"/>\n");
        write("game/main.js", "document.title = '</script>';\n");
        write("lib/words.en.js", "export const words = {\n  hello: \"Hi\",\n};\n");
        write("lib/words.de.js", "export const words = {\n  hello: \"Hallo\",\n};\n");
        let head = "<link rel=\"icon\" href=\"/lib/icon.svg\" />\n<link\n rel=\"stylesheet\" href=\"/lib/style.css\" />\n\
                    <link rel=\"modulepreload\" href=\"/lib/x.js\" />\n<script type=\"module\" src=\"/game/main.js\"></script>";
        let about = "<meta name=\"description\" content=\"{hello}\" />";
        write(
            "game/index.html",
            &format!("<html lang=\"{{language}}\"><head>{about}{head}</head><body><a href=\"/\">x</a></body></html>"),
        );
        let page = bundle(&web, "game", &["en".into(), "de".into()], &mut Common::default()).unwrap();
        fs::remove_dir_all(&web).unwrap();
        assert!(page.contains("<style>\na{color:red}\n</style>\n</head>"), "{page}");
        assert!(page.contains("href=\"data:image/svg+xml,%3Csvg fill='%23fff'/%3E\""), "{page}");
        assert!(page.contains("document.title='<\\/script>'"), "{page}");
        assert!(page.contains("<html lang=\"en\">"), "{page}");
        let both = "content=\"Hi\" /><meta lang=\"de\" name=\"description\" content=\"Hallo\" />";
        assert!(page.contains(both), "{page}");
        assert!(page.contains("<a href=\"/\">x</a>"), "{page}");
        assert!(!page.contains("/lib/") && !page.contains("src="), "{page}");
        assert!(page.contains("<script type=\"module\">\nimport*as e from\"/lib.js\";"), "{page}");
    }

    #[test]
    fn what_all_games_link_to_is_one_sheet() {
        let web = std::env::temp_dir().join(format!("parlor-sheets-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            fs::create_dir_all(web.join(path).parent().unwrap()).unwrap();
            fs::write(web.join(path), text).unwrap();
        };
        for (path, text) in [("lib/a.css", "a { x: 1; }"), ("lib/b.css", "b { x: 2; }"), ("lib/words.en.js", "")] {
            write(path, text);
        }
        write("game/main.js", "play();\n");
        let page = |sheets: &[&str]| {
            let link = |path: &&str| format!("<link rel=\"stylesheet\" href=\"{path}\" />");
            let links: String = sheets.iter().map(link).collect();
            format!("<head>{links}<script type=\"module\" src=\"/game/main.js\"></script></head><body></body>")
        };
        write("front/index.html", &page(&["/lib/a.css"]));
        for name in ["one", "two"] {
            write(&format!("{name}/own.css"), &format!("{name} {{ x: 3; }}"));
            write(&format!("{name}/index.html"), &page(&["/lib/a.css", "/lib/b.css", &format!("/{name}/own.css")]));
        }
        let mut common = Common::of(&web, &["one".into(), "two".into()]).unwrap();
        let sheet = common.sheet(&web).unwrap();
        let [front, one] = ["front", "one"].map(|name| bundle(&web, name, &["en".into()], &mut common).unwrap());
        let alone = Common::of(&web, &["one".into()]).unwrap();
        fs::remove_dir_all(&web).unwrap();
        assert_eq!(sheet, "a{x:1}\nb{x:2}\n");
        assert!(one.contains("<link rel=\"stylesheet\" href=\"/lib.css\" />\n<style>\none{x:3}\n</style>"), "{one}");
        assert!(front.contains("<style>\na{x:1}\n</style>") && !front.contains("lib.css"), "{front}");
        assert!(alone.sheets.is_empty());
    }

    #[test]
    fn a_page_by_itself_is_as_short() {
        let page = "<html>\n  <head>\n    <style>\n      a { x: 1; }\n    </style>\n  </head>\n\n  <body>\n    <b>1</b>\n    \
                    <script type=\"module\">\n      // Why.\n      const long = 1;\n      show(long);\n    </script>\n  </body>\n</html>\n";
        let short = "<html>\n<head>\n<style>a{x:1}\n</style>\n</head>\n<body>\n<b>1</b>\n\
                     <script type=\"module\">\nlet e=1;show(e);\n</script>\n</body>\n</html>\n";
        assert_eq!(alone(page).unwrap(), short);
        assert!(alone("<html></html>").is_err());
    }

    #[test]
    fn nothing_is_read_beside_the_pages() {
        assert!(inside("/../secret").is_err() && inside("secret").is_err() && inside("/lib/dom.js").is_ok());
    }
}
