//! Other machines: targets without std, and back ends of the scanner that this machine has not.

use anyhow::Result;
use xshell::{Cmd, cmd};

use crate::tools::{Tools, root};

/// The features that need no std.
const NO_STD: [&str; 11] = [
    "alloc",
    "serde",
    "serde_json",
    "fast",
    "simd",
    "shapes",
    "heapless-v0_9",
    "embedded-io-v0_7",
    "embedded-io-async-v0_7",
    "serde-json-core-v0_7",
    "defmt",
];

/// The targets: a microcontroller, and WebAssembly.
const TARGETS: [&str; 2] = ["thumbv7m-none-eabi", "wasm32-unknown-unknown"];

/// Checks that the core compiles without std: without features, with a heap, and with all features that need no std. The
/// step `features` finds on the host what a feature lacks on its own.
pub fn no_std(tools: &Tools) -> Result<()> {
    let all = NO_STD.join(",");
    for target in TARGETS {
        for set in ["", "alloc,serde", &all] {
            check(tools, target, set)?;
        }
    }
    println!("no-std: the core compiles for {}", TARGETS.join(" and "));
    Ok(())
}

/// Checks each feature and every pair of them without std, for both targets.
pub fn no_std_pairs(tools: &Tools) -> Result<()> {
    for target in TARGETS {
        for (at, one) in NO_STD.iter().enumerate() {
            check(tools, target, one)?;
            for other in &NO_STD[at + 1..] {
                check(tools, target, &format!("{one},{other}"))?;
            }
        }
    }
    Ok(())
}

fn check(tools: &Tools, target: &str, features: &str) -> Result<()> {
    println!("{target}: {}", if features.is_empty() { "no features" } else { features });
    cmd!(
        tools.sh,
        ".ci/cross {target} check --quiet --package tautline --lib --no-default-features --features {features}"
    )
    .quiet()
    .run()?;
    Ok(())
}

/// A machine with a back end of its own, or another order of bytes.
struct Machine {
    /// The back ends that the tests must find, as in `TAUTLINE_BACK_ENDS`.
    back_ends: &'static str,
    target: Option<&'static str>,
    /// The variables that choose its features, or emulate it.
    variables: &'static [(&'static str, &'static str)],
}

/// The machines that are tested beside the processor that runs the gate. The scalar and the portable back end exist on each.
const MACHINES: [Machine; 4] = [
    Machine {
        back_ends: "scalar,portable,neon",
        target: Some("aarch64-unknown-linux-gnu"),
        variables: &[],
    },
    Machine {
        back_ends: "scalar,portable,simd128",
        target: Some("wasm32-wasip1"),
        variables: &[("CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS", "-Ctarget-feature=+simd128")],
    },
    // Its order of bytes is the other one.
    Machine {
        back_ends: "scalar,portable",
        target: Some("s390x-unknown-linux-gnu"),
        variables: &[],
    },
    // It has no AVX2.
    Machine {
        back_ends: "scalar,portable",
        target: None,
        variables: &[("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", "qemu-x86_64 -cpu Nehalem")],
    },
];

/// The share of the usual volumes that an emulator gets through in a minute.
const EMULATED_VOLUME: &str = "0.25";

/// Runs the tests of framing and of the scanners on other machines. They fail if a back end is missing, or if one of its
/// kernels is never entered.
pub fn twins(tools: &Tools) -> Result<()> {
    run_machines(tools, EMULATED_VOLUME)
}

/// The same with much larger volumes.
pub fn twins_long(tools: &Tools) -> Result<()> {
    run_machines(tools, "100")
}

fn run_machines(tools: &Tools, volume: &str) -> Result<()> {
    for machine in MACHINES {
        let name = machine.target.unwrap_or("x86_64 without AVX2");
        println!("--- {name}: {}", machine.back_ends);
        let start = std::time::Instant::now();
        let mut command = tests(tools, machine.target)
            .env("TAUTLINE_BACK_ENDS", machine.back_ends)
            .env("TAUTLINE_TEST_VOLUME", volume);
        for (variable, value) in machine.variables {
            command = command.env(variable, value);
        }
        command.run()?;
        println!("--- {name}: passed in {} s, building included", start.elapsed().as_secs());
    }
    Ok(())
}

/// Returns the command that builds and runs the tests. Unoptimised code takes minutes under emulation, hence the profile.
fn tests<'a>(tools: &'a Tools, target: Option<&str>) -> Cmd<'a> {
    let profile = root().join("xtask/data/emulated.toml");
    let command = match target {
        Some(target) => cmd!(tools.sh, ".ci/cross {target}"),
        None => cmd!(tools.sh, "cargo"),
    };
    command.args(["test", "--config"]).arg(profile).args([
        "--package",
        "tautline",
        "--lib",
        "--test",
        "wire",
    ])
}
