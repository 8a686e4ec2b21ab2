//! Puts the linker's scripts where it looks, and asks for them here rather than on cargo's command line; and makes the pages.
use std::path::{Path, PathBuf};
use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    fs::write(out.join("memory.x"), include_bytes!("memory.x"))?;
    // cortex-m-rt's feature `device` asks for it; the table in src/vectors.rs needs no weak names.
    fs::write(out.join("device.x"), b"")?;
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    println!("cargo:rustc-link-arg-bins=-Tdefmt.x");
    // Functions that are the same byte for byte are kept once; nothing here compares their addresses.
    println!("cargo:rustc-link-arg-bins=--icf=all");
    println!("cargo:rerun-if-changed=memory.x");
    parlor_pages::build(Path::new("../../../host/web"), &out, false)?;
    Ok(())
}
