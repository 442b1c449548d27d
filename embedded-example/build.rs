//! Tells the linker the memory layout of the board. It is done here and not in `.cargo/config.toml`, since cargo
//! reads that file only when started in this directory.

fn main() {
    println!("cargo:rerun-if-changed=memory.x");
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").unwrap() != "none" {
        // A host build of the protocol.
        return;
    }
    let here = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    // cortex-m-rt provides `link.x`, which includes the `memory.x` next to this file.
    println!("cargo:rustc-link-search={here}");
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    // defmt provides this script: it puts the texts of the log into a section that is never loaded.
    println!("cargo:rustc-link-arg-bin=mcp-server=-Tdefmt.x");
    // Merges identical functions, which rust-lld can do and GNU ld cannot.
    println!("cargo:rustc-link-arg-bin=mcp-server=--icf=all");
}
