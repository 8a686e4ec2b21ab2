//! Asks for the linker's scripts here rather than on cargo's command line. memory.x comes with embassy-stm32.
fn main() {
    // Sections need not begin on a page: flash is not paged in.
    println!("cargo:rustc-link-arg-bins=--nmagic");
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    println!("cargo:rustc-link-arg-bins=-Tdefmt.x");
    println!("cargo:rustc-link-arg-bins=-Tclear.x");
}
