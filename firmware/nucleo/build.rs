//! Makes the pages, and a linker's script that keeps the image out of what lies behind it in flash (src/flash.rs).
use std::path::{Path, PathBuf};
use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    parlor_pages::build(Path::new("../../host/web"), &out, false)?;
    let clear =
        "ASSERT(LOADADDR(.data) + SIZEOF(.data) <= ORIGIN(FLASH) + 508K, \"options and saved games begin there\");\n";
    fs::write(out.join("clear.x"), clear)?;
    println!("cargo:rustc-link-search={}", out.display());
    Ok(())
}
