//! Makes the pages.
use std::path::{Path, PathBuf};
use std::{env, error::Error};

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    parlor_pages::build(Path::new("../../host/web"), &out, true)?;
    Ok(())
}
