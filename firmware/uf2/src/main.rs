//! Makes files that an RP2040's boot loader takes as if it were a USB stick.
//!
//! - `uf2 image ELF OUT`: the program.
//! - `uf2 settings ELF OUT WORD…`: the page of options that this program reads, with these words in it.
//! - `uf2 forget ELF OUT`: nothing where this program keeps its saved game.
//!
//! Any file is read without a panic: one that is no ELF file, or a damaged one, is said to be.

mod elf;
mod pages;

use std::env;
use std::error::Error;
use std::fs;
use std::process::ExitCode;

use elf::Elf;
use pages::Pages;

const USAGE: &str = "uf2 image ELF OUT | uf2 settings ELF OUT WORD… | uf2 forget ELF OUT";

/// What flash holds where nothing was written.
const EMPTY: u8 = 0xFF;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match make(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("uf2: {error}");
            ExitCode::FAILURE
        }
    }
}

fn make(words: &[&str]) -> Result<(), Box<dyn Error>> {
    let [what, elf, out, options @ ..] = words else { return Err(USAGE.into()) };
    let bytes = fs::read(elf).map_err(|error| format!("{elf}: {error}"))?;
    let elf = Elf::new(&bytes).ok_or_else(|| format!("{elf}: not an ELF file of 32 bits"))?;
    let mut pages = Pages::new();
    match *what {
        "image" => {
            for (address, bytes) in elf.segments().ok_or("the ELF file is damaged")? {
                pages.put(address, bytes);
            }
        }
        "settings" => {
            pages.put(elf.start_of("settings")?, &filled(options.join(" ").as_bytes(), elf.size_of("settings")?)?)
        }
        "forget" => pages.put(elf.start_of("saved")?, &filled(&[], elf.size_of("saved")?)?),
        _ => return Err(USAGE.into()),
    }
    fs::write(out, pages.uf2()).map_err(|error| format!("{out}: {error}"))?;
    println!("{out}: {} bytes of flash", pages.size());
    Ok(())
}

/// A whole region of flash that begins with `bytes`.
fn filled(bytes: &[u8], size: usize) -> Result<Vec<u8>, String> {
    let mut region = bytes.to_vec();
    if region.len() > size {
        return Err(format!("{} bytes do not fit into {size}", region.len()));
    }
    region.resize(size, EMPTY);
    Ok(region)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_is_filled_and_never_overfull() {
        assert_eq!(filled(b"ab", 4).unwrap(), [b'a', b'b', 0xFF, 0xFF]);
        assert_eq!(filled(b"ab", 1).unwrap_err(), "2 bytes do not fit into 1");
    }
}
