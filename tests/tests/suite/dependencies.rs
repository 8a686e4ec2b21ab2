//! What comes into the house with the programs that are given away, those of boards too: every crate is from the one public
//! registry and under a licence that deny.toml allows, and no dependency of ours takes any version that comes along.
//!
//! It is what `cargo deny check licenses bans sources` holds, as far as it can be held without another program, in every run
//! of the tests: building that program takes longer than all tests of core. `tests/run deny` asks the program itself, which
//! also reads the licences' texts, and advisories and yanked versions where a list of them can be had.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The licences that deny.toml allows.
fn allowed() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("deny.toml")).unwrap();
    let (_, rest) = text.split_once("allow = [").expect("a list of licences");
    let (list, _) = rest.split_once(']').unwrap();
    list.split(',').map(|word| word.trim().trim_matches('"').to_owned()).filter(|word| !word.is_empty()).collect()
}

/// Every crate that is built for this target from the workspace in this folder.
fn packages(folder: &str, target: &str) -> Vec<Value> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version", "1", "--locked", "--filter-platform", target]);
    let output = cargo.current_dir(root().join(folder)).output().unwrap();
    assert!(output.status.success(), "{folder}: {}", String::from_utf8_lossy(&output.stderr));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let is_built =
        |package: &&Value| told["resolve"]["nodes"].as_array().unwrap().iter().any(|node| node["id"] == package["id"]);
    told["packages"].as_array().unwrap().iter().filter(is_built).cloned().collect()
}

/// Whether an expression of licences leaves a choice that is allowed.
struct Choice<'a> {
    words: Vec<&'a str>,
    at: usize,
    allowed: &'a [String],
}

impl Choice<'_> {
    fn is_allowed(expression: &str, allowed: &[String]) -> bool {
        // A stroke is an old way to say OR.
        let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
        let mut choice = Choice { words: spaced.split_whitespace().collect(), at: 0, allowed };
        choice.any() && choice.at == choice.words.len()
    }

    fn next_is(&mut self, word: &str) -> bool {
        let is_it = self.words.get(self.at) == Some(&word);
        self.at += usize::from(is_it);
        is_it
    }

    fn any(&mut self) -> bool {
        let mut is_allowed = self.all();
        while self.next_is("OR") {
            is_allowed |= self.all();
        }
        is_allowed
    }

    fn all(&mut self) -> bool {
        let mut is_allowed = self.one();
        while self.next_is("AND") {
            is_allowed &= self.one();
        }
        is_allowed
    }

    fn one(&mut self) -> bool {
        if self.next_is("(") {
            return self.any() & self.next_is(")");
        }
        let mut name = self.words.get(self.at).copied().unwrap_or_default().to_owned();
        self.at += 1;
        if self.next_is("WITH") {
            name = format!("{name} WITH {}", self.words.get(self.at).copied().unwrap_or_default());
            self.at += 1;
        }
        self.allowed.contains(&name)
    }
}

#[test]
fn crates_are_from_the_registry_and_may_be_used() {
    let (allowed, mut faults) = (allowed(), Vec::new());
    let workspaces = [
        (".", "x86_64-unknown-linux-gnu"),
        ("firmware", "thumbv6m-none-eabi"),
        ("firmware", "thumbv7m-none-eabi"),
        ("firmware", "thumbv7em-none-eabihf"),
    ];
    for (folder, target) in workspaces {
        let packages = packages(folder, target);
        assert!(packages.len() > 50, "{folder} for {target} has {} crates", packages.len());
        for package in &packages {
            let name = format!("{} {} of {folder}", package["name"], package["version"]);
            match package["source"].as_str() {
                None => wildcards(package, &name, &mut faults),
                Some(REGISTRY) => {}
                Some(other) => faults.push(format!("{name} comes from {other}")),
            }
            let licence = package["license"].as_str().unwrap_or("no licence");
            if !Choice::is_allowed(licence, &allowed) {
                faults.push(format!("{name} is under {licence}"));
            }
        }
    }
    faults.sort();
    faults.dedup();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A crate of ours says which versions it takes.
fn wildcards(package: &Value, name: &str, faults: &mut Vec<String>) {
    for dependency in package["dependencies"].as_array().unwrap() {
        if dependency["req"] == "*" && dependency["path"].is_null() {
            faults.push(format!("{name} takes any version of {}", dependency["name"]));
        }
    }
}

#[test]
fn licences_are_read_as_they_are_meant() {
    let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
    for (expression, is_allowed) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("(GPL-3.0 OR MIT) AND ISC", true),
        ("GPL-3.0 OR MIT AND ISC", true),
        ("(GPL-3.0 OR MIT) AND OpenSSL", false),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("Apache-2.0", false),
        ("MIT ISC", false),
        ("", false),
    ] {
        assert_eq!(Choice::is_allowed(expression, &allowed), is_allowed, "{expression}");
    }
}
