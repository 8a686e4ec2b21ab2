//! Puts the linker's scripts where it looks, and asks for them here rather than on cargo's command line.
use std::{env, error::Error, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    fs::write(out.join("memory.x"), include_bytes!("memory.x"))?;
    println!("cargo:rustc-link-search={}", out.display());
    // Sections need not begin on a page: flash is not paged in.
    println!("cargo:rustc-link-arg-bins=--nmagic");
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    println!("cargo:rustc-link-arg-bins=-Tlink-rp.x");
    println!("cargo:rustc-link-arg-bins=-Tdefmt.x");
    // Functions that are the same byte for byte are kept once; nothing here compares their addresses.
    println!("cargo:rustc-link-arg-bins=--icf=all");
    println!("cargo:rerun-if-changed=memory.x");
    Ok(())
}
