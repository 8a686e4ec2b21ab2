//! Runs every step and holds its page to it: behind `<!-- saw -->` a page has what the program says, behind `<!-- broke -->`
//! what it says with the word `break`. `check` compares, `check write` writes the pages anew, `check NAME…` does some of them.
//!
//! Where a page has a number with a `~` before it, any number will do: it depends on the compiler.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

/// The folder of the course.
fn course() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("check is in a folder").to_path_buf()
}

/// What a step says. A step for a chip has a script `run` of its own.
fn output(step: &Path, word: &str) -> Result<String, String> {
    let script = step.join("run");
    let mut command = if script.exists() {
        Command::new(script)
    } else {
        let mut cargo = Command::new("cargo");
        cargo.args(["run", "--quiet", "--locked", "--manifest-path"]).arg(step.join("Cargo.toml")).arg("--");
        cargo
    };
    if !word.is_empty() {
        command.arg(word);
    }
    let done = command.current_dir(step).output().map_err(|error| error.to_string())?;
    if !done.status.success() {
        return Err(format!("it failed:\n{}", String::from_utf8_lossy(&done.stderr)));
    }
    Ok(String::from_utf8_lossy(&done.stdout).trim_end().to_string())
}

/// Where in a page the block behind this mark stands.
fn block(page: &str, mark: &str) -> Option<(usize, usize)> {
    let mark = page.find(&format!("<!-- {mark} -->"))?;
    let start = mark + page[mark..].find("```text\n")? + "```text\n".len();
    let end = start + page[start..].find("\n```")?;
    Some((start, end))
}

/// With every number behind a `~` left out.
fn lenient(text: &str) -> String {
    let mut parts = text.split('~');
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |text, part| text + "~" + part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' '))
}

fn check(step: &Path, writes: bool) -> Result<(), String> {
    let path = step.join("README.md");
    let mut page = fs::read_to_string(&path).map_err(|error| error.to_string())?;
    for (mark, word) in [("saw", ""), ("broke", "break")] {
        let Some((start, end)) = block(&page, mark) else { return Err(format!("its page has no block `{mark}`")) };
        let said = output(step, word)?;
        if lenient(&page[start..end]) == lenient(&said) {
            continue;
        }
        if !writes {
            return Err(format!("its page has\n{}\nand it says\n{said}", &page[start..end]));
        }
        page.replace_range(start..end, &said);
        fs::write(&path, &page).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let writes = words.iter().any(|word| word == "write");
    let wanted: Vec<&String> = words.iter().filter(|word| *word != "write").collect();
    let mut steps: Vec<PathBuf> =
        fs::read_dir(course().join("steps")).expect("steps").map(|entry| entry.expect("a step").path()).collect();
    steps.sort();
    let mut failed = 0;
    for step in steps {
        let name = step.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let has_program = step.join("Cargo.toml").exists();
        if !has_program || !(wanted.is_empty() || wanted.iter().any(|wanted| name.contains(*wanted))) {
            continue;
        }
        match check(&step, writes) {
            Ok(()) => println!("{name}: as its page says"),
            Err(why) => {
                println!("{name}: {why}");
                failed += 1;
            }
        }
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
