//! Tells the linker where memory.x is and to use cortex-m-rt's script, from whatever folder cargo was called.

fn main() {
    println!("cargo::rustc-link-search={}", std::env::var("CARGO_MANIFEST_DIR").unwrap());
    println!("cargo::rustc-link-arg-bins=-Tlink.x");
    println!("cargo::rerun-if-changed=memory.x");
}
