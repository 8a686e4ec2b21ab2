//! Counts machine instructions: a program runs one of its own cases under callgrind, which counts inside that case's
//! function only. Its prologue and return are in the figure, the loop around it is not. Nothing is timed.

use std::env;
use std::process::{Command, ExitCode};

/// A case: its name, the function in which callgrind counts, what is done there.
pub type Case = (&'static str, &'static str, &'static str);

/// The instructions of all runs of one case of the program `name`.
fn count(name: &str, case: &str, function: &str) -> Result<u64, String> {
    let exe = env::current_exe().map_err(|e| e.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(format!("--toggle-collect={name}::{function}"))
        .arg(exe)
        .arg(case)
        .output()
        .map_err(|e| format!("valgrind: {e}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let total = said.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok());
    total.filter(|&n| n > 0).ok_or_else(|| format!("valgrind counted nothing:\n{said}"))
}

/// The whole program `name`: without an argument it prints a table of all cases, each run so often by itself; with one it
/// is what callgrind watches.
pub fn main(name: &str, cases: &[Case], runs: u32, run: impl Fn(&str) -> Option<()>) -> ExitCode {
    if let Some(case) = env::args().nth(1) {
        return if run(&case).is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    println!("| instructions | case |\n|---:|---|");
    for (case, function, what) in cases {
        match count(name, case, function) {
            // Any figure that is not the same in all runs shows as a fraction.
            Ok(total) => println!("| {} | {what} |", total as f64 / f64::from(runs)),
            Err(why) => {
                eprintln!("{case}: {why}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
