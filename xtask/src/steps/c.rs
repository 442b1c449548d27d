//! The C library: its header, its interface, its tests in Rust and in C, its examples, what it costs on
//! microcontrollers, and the ways to get it.

use anyhow::{Result, ensure};
use xshell::cmd;

use super::footprint::image::Image;
use super::footprint::stack::bound_in_c;
use super::footprint::stack_used;
use crate::tools::Tools;

/// Build systems for firmware and their checkers, and a further compiler.
const PACKAGES: [&str; 6] = [
    "idf-component-manager==3.1.2",
    "kconfiglib==14.1.0",
    "platformio==6.2.0",
    "ruamel.yaml==0.19.1",
    "scons==4.11.1",
    "ziglang==0.17.1",
];

/// Checks the lints, that the header is current, that its interface is that of its version, that C sees what Rust sees,
/// that every compiler accepts header, test and examples, that the table of sizes is true, and that programs can get the
/// library in each way that it is offered. A blessing run writes the header, the interface and the table.
pub fn c(tools: &Tools) -> Result<()> {
    let sh = &tools.sh;
    let _target = sh.push_env("CARGO_TARGET_DIR", tools.target().join("c"));
    let workspace = ["--locked", "--manifest-path", "c/Cargo.toml", "--workspace"];
    if tools.bless {
        cmd!(
            sh,
            "cargo run --quiet --locked --manifest-path c/Cargo.toml --package tautline-c-header"
        )
        .run()?;
    }
    cmd!(sh, "cargo clippy {workspace...} --all-targets -- -D warnings").run()?;
    cmd!(sh, "cargo test --quiet {workspace...}").run()?;
    let fast = ["--locked", "--manifest-path", "c/Cargo.toml", "--features", "fast"];
    cmd!(sh, "cargo test --quiet {fast...} --test differential").run()?;
    cmd!(sh, "c/check").run()?;
    cmd!(sh, "c/compare/run").run()?;
    let write = if tools.bless { &["--write"][..] } else { &[] };
    cmd!(sh, "c/sizes {write...}").run()?;
    let bless = if tools.bless { &["--bless"][..] } else { &[] };
    cmd!(sh, "c/abi/check {bless...}").run()?;
    cmd!(sh, "c/abi/test").run()?;
    cmd!(sh, "c/package/check").run()?;
    let python = tools.python(&tools.target().join("c"), &PACKAGES)?;
    cmd!(sh, "c/package/firmware-check {python}").run()?;
    cmd!(sh, "c/package/zig-check {python}").run()?;
    Ok(())
}

/// Checks that the archives for all targets link, and that their bytes do not depend on the folder of the repository.
pub fn archives(tools: &Tools) -> Result<()> {
    let sh = &tools.sh;
    let _target = sh.push_env("CARGO_TARGET_DIR", tools.target().join("c"));
    cmd!(sh, "c/package/archives-check").run()?;
    Ok(())
}

/// Passes a million inputs to the functions of the header.
pub fn fuzz(tools: &Tools) -> Result<()> {
    let _target = tools.sh.push_env("CARGO_TARGET_DIR", tools.target().join("c"));
    cmd!(tools.sh, "c/fuzz/run 1000000 -max_len=900").run()?;
    Ok(())
}

/// Runs the server in C on a Cortex-M3 in QEMU: it answers official clients, and broken lines as the server in Rust does.
pub fn board(tools: &Tools) -> Result<()> {
    on_cortex_m3(tools, 5_000, &["clients"])
}

/// Sends the server in C four times as many broken lines on the Cortex-M3, and some on RISC-V.
pub fn boards_long(tools: &Tools) -> Result<()> {
    on_cortex_m3(tools, 20_000, &[])?;
    let sh = &tools.sh;
    let _target = sh.push_env("C_TARGET_DIR", tools.target().join("c/firmware"));
    cmd!(sh, "c/board/check riscv_virt 5000").run()?;
    Ok(())
}

/// Checks the server, that nothing in it can panic, and that it needs no more stack than its linker script provides.
fn on_cortex_m3(tools: &Tools, lines: u32, more: &[&str]) -> Result<()> {
    let sh = &tools.sh;
    let target = tools.target().join("c/firmware");
    let lines = lines.to_string();
    let used = {
        let _target = sh.push_env("C_TARGET_DIR", &target);
        stack_used(cmd!(sh, "c/board/check lm3s6965 {lines} {more...}"))?
    };
    let folder = target.join("board/lm3s6965");
    let image = Image::read(&folder.join("server"))?;
    image.ensure_no_panics(sh)?;
    let mut usage = String::new();
    for file in sh.read_dir(&folder)? {
        if file.extension().is_some_and(|extension| extension == "su") {
            usage += &sh.read_file(file)?;
        }
    }
    let bound = bound_in_c(sh, &image, &usage, "start", &["on_uart0", "on_tick"])?;
    let stack = image.size(".stack");
    println!("stack: {used} bytes used, at most {bound} needed, {stack} provided");
    ensure!(used <= bound && bound <= stack, "the stack is too small, or its bound is wrong");
    Ok(())
}
