//! Tells the linker where the memory of the board lies. This is done here and not in
//! `.cargo/config.toml`, since cargo reads that file only when it is started in this directory.

fn main() {
    println!("cargo:rerun-if-changed=memory.x");
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").unwrap() != "none" {
        // The protocol, built for a host.
        return;
    }
    let here = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    // cortex-m-rt brings `link.x`, which includes the `memory.x` that lies beside this file.
    println!("cargo:rustc-link-search={here}");
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    // defmt brings this one: the texts of the log go into a section that is never loaded.
    println!("cargo:rustc-link-arg-bin=mcp-server=-Tdefmt.x");
    // Functions that came out the same are there once: rust-lld does that, and GNU's ld can't.
    println!("cargo:rustc-link-arg-bin=mcp-server=--icf=all");
}
