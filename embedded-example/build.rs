//! Tells the linker where the memory of the board lies. This is done here and not in
//! `.cargo/config.toml`, since cargo reads that file only when it is started in this directory.

fn main() {
    let here = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    // cortex-m-rt brings `link.x`, which includes the `memory.x` that lies beside this file.
    println!("cargo:rustc-link-search={here}");
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    println!("cargo:rerun-if-changed=memory.x");
    println!("cargo:rerun-if-changed=build.rs");
}
