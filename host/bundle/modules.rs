// Many modules as one script, for the build scripts of the program and of the boards.
//
// Each becomes a function that runs once and gives what it exports, in an order in which everything is there before it is
// asked for. What is imported by `${language}` is within the script or stays a file, as
// [`Words`] says. What pages share is in a script beside theirs: a browser, and a chip, has it once. Only such imports and exports are known as the pages use, one statement at the beginning of a line; anything
// else, and a circle of imports, is an error of the build rather than of a browser.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// How a module names the language in use.
const LANGUAGE: &str = "${language}";

/// Where the words of a page are.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "each build script needs one of them")]
pub enum Words<'l> {
    /// In the script, in these languages.
    Within(&'l [String]),
    /// In a file a language, of which the page loads one.
    Beside,
}

/// What pages share: the modules of one folder, in a script of their own, for every page that asks for any of them.
#[derive(Default)]
pub struct Library {
    done: Vec<PathBuf>,
    /// A module that exports what each of the library's does, under a name for each.
    pub script: String,
}

/// The folder of the library, and what pages call its script.
const SHARED: &str = "lib";
const LIBRARY: &str = "library";

/// The module at `entry` below `web`, after all that it imports but what goes into the library: the script finds that at
/// `address`.
pub fn join(web: &Path, entry: &Path, words: Words<'_>, library: &mut Library, address: &str) -> io::Result<String> {
    let script = format!("import * as {LIBRARY} from \"{address}\";\n");
    let mut joined = Joined { web, words, library, done: Vec::new(), open: Vec::new(), script };
    joined.add(entry)?;
    Ok(joined.script)
}

struct Joined<'w> {
    web: &'w Path,
    words: Words<'w>,
    library: &'w mut Library,
    /// In the order in which they run.
    done: Vec<PathBuf>,
    /// Those whose imports are being added.
    open: Vec<PathBuf>,
    script: String,
}

impl Joined<'_> {
    /// Adds a module, unless it is there already; the name of what it exports.
    fn add(&mut self, module: &Path) -> io::Result<String> {
        if module.starts_with(SHARED) {
            return self.share(module);
        }
        if let Some(at) = self.done.iter().position(|done| done == module) {
            return Ok(name(at));
        }
        if self.is_with_words(module) {
            self.done.push(module.to_path_buf());
            let name = name(self.done.len() - 1);
            self.script.push_str(&format!("import * as {name} from \"../{}\";\n", module.display()));
            return Ok(name);
        }
        let text = self.read(module)?;
        self.done.push(module.to_path_buf());
        let name = name(self.done.len() - 1);
        // The first to be opened is the entry: nobody asks for what it exports, and it may wait at its top level.
        if self.open.is_empty() {
            self.script.push_str(&format!("{{\n{}}}\n", text.body));
        } else {
            self.script.push_str(&text.declare(&name));
        }
        Ok(name)
    }

    /// Words that stay a file import it: it is a file, too, and the browser has it already.
    fn is_with_words(&self, module: &Path) -> bool {
        let Some(file) = module.file_name().and_then(|file| file.to_str()) else { return false };
        let words = fs::read_to_string(self.web.join(module).with_file_name("words.en.js"));
        let is_imported = words.is_ok_and(|words| words.contains(&format!(" from \"./{file}\";")));
        matches!(self.words, Words::Beside) && is_imported
    }

    /// Adds a module to the library, unless it is there already; how what it exports is called from here.
    fn share(&mut self, module: &Path) -> io::Result<String> {
        let at = match self.library.done.iter().position(|done| done == module) {
            Some(at) => at,
            None => {
                let text = self.read(module)?;
                let at = self.library.done.len();
                self.library.done.push(module.to_path_buf());
                self.library.script += &format!("export {}", text.declare(&name(at)));
                at
            }
        };
        let is_within = self.open.last().is_some_and(|asker| asker.starts_with(SHARED));
        Ok(if is_within { name(at) } else { format!("{LIBRARY}.{}", name(at)) })
    }

    fn read(&mut self, module: &Path) -> io::Result<Text> {
        if self.open.iter().any(|open| open == module) {
            return Err(wrong(module, "imports itself by way of others"));
        }
        if self.open.last().is_some_and(|asker| asker.starts_with(SHARED)) && !module.starts_with(SHARED) {
            return Err(wrong(module, "is one page's, and the library imports it"));
        }
        self.open.push(module.to_path_buf());
        let source = fs::read_to_string(self.web.join(module)).map_err(|error| wrong(module, &error.to_string()))?;
        let text = self.rewrite(module, &source)?;
        self.open.pop();
        Ok(text)
    }

    fn rewrite(&mut self, module: &Path, source: &str) -> io::Result<Text> {
        let mut text = Text { body: String::new(), exports: Vec::new(), waits: false };
        let mut rest = source;
        let mut in_text = false;
        while !rest.is_empty() {
            let (statement, after) = match rest.starts_with("import ") {
                true => rest.split_at(rest.find(";\n").ok_or_else(|| wrong(module, "an import without an end"))? + 2),
                false => rest.split_at(rest.find('\n').map_or(rest.len(), |at| at + 1)),
            };
            rest = after;
            if let Some(import) = statement.strip_prefix("import ") {
                let (clause, path) = import_parts(import).ok_or_else(|| wrong(module, statement))?;
                let from = self.add(&beside(module, path).ok_or_else(|| wrong(module, path))?)?;
                text.body.push_str(&bind(clause, &from).ok_or_else(|| wrong(module, statement))?);
            } else if let Some(declaration) = statement.strip_prefix("export ") {
                text.exports.push(declared(declaration).ok_or_else(|| wrong(module, statement))?.to_string());
                text.body.push_str(&self.resolve_late(module, declaration, &mut text.waits)?);
            } else {
                let statement = squeeze(statement, &mut in_text);
                text.body.push_str(&self.resolve_late(module, statement, &mut text.waits)?);
            }
        }
        Ok(text)
    }

    /// `await import(`./words.${language}.js`)` within a line: within the script nobody waits for it.
    fn resolve_words(&mut self, module: &Path, line: &str, waits: &mut bool) -> io::Result<String> {
        let Some((before, after)) = line.split_once("await import(`") else { return Ok(line.into()) };
        let (path, after) = after.split_once("`)").ok_or_else(|| wrong(module, line))?;
        // What else is known only when the page runs stays as it is.
        if path.matches("${").count() != 1 || !path.contains(LANGUAGE) {
            return Ok(line.into());
        }
        let Words::Within(languages) = self.words else {
            *waits = true;
            let path = beside(module, path).ok_or_else(|| wrong(module, path))?;
            return Ok(format!("{before}await import(`../{}`){after}", path.display()));
        };
        let mut choice = Vec::new();
        for language in languages {
            let path = path.replace(LANGUAGE, language);
            choice.push(format!(
                "{language}: {}",
                self.add(&beside(module, &path).ok_or_else(|| wrong(module, &path))?)?
            ));
        }
        Ok(format!("{before}{{ {} }}[language]{after}", choice.join(", ")))
    }

    /// `import("./x.js")` within a line: the module is there.
    fn resolve_late(&mut self, module: &Path, line: &str, waits: &mut bool) -> io::Result<String> {
        let line = &self.resolve_words(module, line, waits)?;
        let (mut text, mut rest) = (String::new(), line.as_str());
        while let Some((before, after)) = rest.split_once("import(\"") {
            let (path, after) = after.split_once("\")").ok_or_else(|| wrong(module, line))?;
            let from = self.add(&beside(module, path).ok_or_else(|| wrong(module, path))?)?;
            text.push_str(before);
            text.push_str(&from);
            rest = after;
        }
        text.push_str(rest);
        Ok(text)
    }
}

/// A line without what only people read: its indentation, or all of it if it is a comment. Inside a text between
/// backticks everything counts.
fn squeeze<'l>(line: &'l str, in_text: &mut bool) -> &'l str {
    let was_in_text = *in_text;
    *in_text ^= line.matches('`').count() % 2 == 1;
    let bare = line.trim_start();
    match was_in_text {
        true => line,
        false if bare.starts_with("//") => "",
        false => bare,
    }
}

struct Text {
    body: String,
    exports: Vec<String>,
    /// For its words.
    waits: bool,
}

impl Text {
    /// The module as a value of that name: what it exports.
    fn declare(&self, name: &str) -> String {
        let (body, exports) = (&self.body, self.exports.join(", "));
        let run = if self.waits { "await (async () => {" } else { "(() => {" };
        format!("const {name} = {run}\n{body}return {{ {exports} }};\n}})();\n")
    }
}

fn name(at: usize) -> String {
    format!("module{at}")
}

fn wrong(module: &Path, what: &str) -> io::Error {
    io::Error::other(format!("{}: {what}", module.display()))
}

/// `{ a, b as c } from "./x.js";` in its two parts.
fn import_parts(import: &str) -> Option<(&str, &str)> {
    let (clause, path) = import.rsplit_once(" from \"")?;
    Some((clause.trim(), path.trim_end().strip_suffix("\";")?))
}

/// The names of an import, taken out of what the module exports.
fn bind(clause: &str, from: &str) -> Option<String> {
    if let Some(all) = clause.strip_prefix("* as ") {
        return Some(format!("const {all} = {from};\n"));
    }
    let names = clause.strip_prefix('{')?.strip_suffix('}')?;
    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
    let names: Vec<_> = names.map(|name| name.replace(" as ", ": ")).collect();
    Some(format!("const {{ {} }} = {from};\n", names.join(", ")))
}

/// The name that a declaration gives.
fn declared(declaration: &str) -> Option<&str> {
    let declaration = declaration.strip_prefix("async ").unwrap_or(declaration);
    let kinds = ["function* ", "function ", "class ", "const "];
    let rest = kinds.iter().find_map(|kind| declaration.strip_prefix(kind))?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$')?;
    rest.get(..end).filter(|name| !name.is_empty())
}

/// The path of a module that another one calls `./x.js` or `../lib/x.js`.
fn beside(module: &Path, path: &str) -> Option<PathBuf> {
    let mut whole = module.parent()?.to_path_buf();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => whole.pop().then_some(())?,
            Component::Normal(part) => whole.push(part),
            _ => return None,
        }
    }
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(files: &[(&str, &str)]) -> io::Result<String> {
        let languages = ["en".into(), "de".into()];
        joined_with(files, Words::Within(&languages))
    }

    /// Both scripts: the library's, and the page's.
    fn joined_with(files: &[(&str, &str)], words: Words<'_>) -> io::Result<String> {
        let mut library = Library::default();
        let script = joined_beside(files, words, &mut library)?;
        Ok(library.script + script.split_once('\n').unwrap().1)
    }

    fn joined_beside(files: &[(&str, &str)], words: Words<'_>, library: &mut Library) -> io::Result<String> {
        static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let nth = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let web = std::env::temp_dir().join(format!("parlor-modules-{}-{nth}", std::process::id()));
        for (path, text) in files {
            let file = web.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let script = join(&web, Path::new("game/main.js"), words, library, "../lib/all.js");
        fs::remove_dir_all(&web).unwrap();
        script
    }

    #[test]
    fn modules_come_before_those_that_import_them() {
        let script = joined(&[
            (
                "game/main.js",
                "import {\n  a,\n  b as c,\n} from \"./x.js\";\nconst { y } = await import(\"../lib/y.js\");\na(c, y);\n",
            ),
            ("game/x.js", "import * as y from \"../lib/y.js\";\nexport function a() {}\nexport const b = y.y;\n"),
            ("lib/y.js", "export const y = 1;\n"),
        ]);
        let expected = "export const module0 = (() => {\nconst y = 1;\nreturn { y };\n})();\n\
            const module0 = (() => {\nconst y = library.module0;\nfunction a() {}\nconst b = y.y;\nreturn { a, b };\n})();\n\
            {\nconst { a, b: c } = module0;\nconst { y } = await library.module0;\na(c, y);\n}\n";
        assert_eq!(script.unwrap(), expected);
    }

    #[test]
    fn words_are_there_in_every_language_of_the_page() {
        let script = joined(&[
            (
                "game/main.js",
                "import { lang } from \"./lang.js\";\nconst x = await import(`../${game}/x.${language}.js`);\nlang(x);\n",
            ),
            (
                "game/lang.js",
                "const language = \"de\";\nexport const lang = (await import(`./words.${language}.js`)).words;\n",
            ),
            ("game/words.en.js", "export const words = \"yes\";\n"),
            ("game/words.de.js", "export const words = \"ja\";\n"),
        ]);
        let expected = "const module0 = (() => {\nconst words = \"yes\";\nreturn { words };\n})();\n\
            const module1 = (() => {\nconst words = \"ja\";\nreturn { words };\n})();\n\
            const module2 = (() => {\nconst language = \"de\";\nconst lang = ({ en: module0, de: module1 }[language]).words;\n\
            return { lang };\n})();\n\
            {\nconst { lang } = module2;\nconst x = await import(`../${game}/x.${language}.js`);\nlang(x);\n}\n";
        assert_eq!(script.unwrap(), expected);
    }

    #[test]
    fn words_stay_beside_the_script_and_are_waited_for() {
        let files = [
            ("game/main.js", "import { lang } from \"../lib/lang.js\";\nlang();\n"),
            ("lib/lang.js", "export const lang = (await import(`./words.${language}.js`)).words;\n"),
        ];
        let expected = "export const module0 = await (async () => {\n\
            const lang = (await import(`../lib/words.${language}.js`)).words;\nreturn { lang };\n})();\n\
            {\nconst { lang } = library.module0;\nlang();\n}\n";
        assert_eq!(joined_with(&files, Words::Beside).unwrap(), expected);
    }

    #[test]
    fn what_words_beside_the_script_import_is_a_file_beside_it() {
        let files = [
            ("game/main.js", "import { a } from \"./facts.js\";\na();\n"),
            ("game/facts.js", "export const a = 1;\n"),
            ("game/words.en.js", "import { a } from \"./facts.js\";\nexport const words = a;\n"),
        ];
        let expected = "import * as module0 from \"../game/facts.js\";\n{\nconst { a } = module0;\na();\n}\n";
        assert_eq!(joined_with(&files, Words::Beside).unwrap(), expected);
        assert!(joined(&files).unwrap().starts_with("const module0 = (() => {\nconst a = 1;\n"));
    }

    #[test]
    fn a_library_is_written_once_and_has_what_any_page_asks_for() {
        let (x, y) = ("export const x = 1;\n", "import { x } from \"./x.js\";\nexport const y = x;\n");
        let lib = [("lib/x.js", x), ("lib/y.js", y)];
        let (words, mut library) = (Words::Within(&[]), Library::default());
        let main = "import { y } from \"../lib/y.js\";\nimport { z } from \"./z.js\";\ny(z);\n";
        let page = [
            lib[0],
            lib[1],
            ("game/main.js", main),
            ("game/z.js", "import * as x from \"../lib/x.js\";\nexport const z = x;\n"),
        ];
        let script = joined_beside(&page, words, &mut library).unwrap();
        let import = "import * as library from \"../lib/all.js\";\n";
        let expected = "const module0 = (() => {\nconst x = library.module0;\nconst z = x;\nreturn { z };\n})();\n\
            {\nconst { y } = library.module1;\nconst { z } = module0;\ny(z);\n}\n";
        assert_eq!(script, format!("{import}{expected}"));
        let other = [lib[0], ("game/main.js", "import { x } from \"../lib/x.js\";\nx();\n")];
        let script = joined_beside(&other, words, &mut library).unwrap();
        assert_eq!(script, format!("{import}{{\nconst {{ x }} = library.module0;\nx();\n}}\n"));
        let shared = "export const module0 = (() => {\nconst x = 1;\nreturn { x };\n})();\n\
            export const module1 = (() => {\nconst { x } = module0;\nconst y = x;\nreturn { y };\n})();\n";
        assert_eq!(library.script, shared);
        let astray = [
            ("game/main.js", "import { x } from \"../lib/x.js\";\n"),
            ("game/y.js", ""),
            ("lib/x.js", "import { y } from \"../game/y.js\";\n"),
        ];
        assert!(joined_beside(&astray, words, &mut Library::default()).is_err());
    }

    #[test]
    fn only_people_read_comments() {
        let main = "// A page.\n  f(`\n  // text\n`);\n\n    // more\n  g(\"//\");\n";
        assert_eq!(joined(&[("game/main.js", main)]).unwrap(), "{\nf(`\n  // text\n`);\ng(\"//\");\n}\n");
    }

    #[test]
    fn what_is_not_known_is_an_error() {
        for main in [
            "export let a = 1;\n",
            "export { a };\n",
            "import a from \"./x.js\";\n",
            "import { a } from \"./none.js\";\n",
            "import { a } from \"/x.js\";\n",
            "import { a } from \"../../x.js\";\n",
        ] {
            assert!(joined(&[("game/main.js", main), ("game/x.js", "")]).is_err(), "{main}");
        }
        let circle =
            [("game/main.js", "import { a } from \"./x.js\";\n"), ("game/x.js", "import { b } from \"./main.js\";\n")];
        assert!(joined(&circle).unwrap_err().to_string().contains("by way of others"));
    }
}
