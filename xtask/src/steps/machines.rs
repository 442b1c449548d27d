//! Other machines: targets without std, and back ends of the scanner that this machine has not.

use anyhow::Result;
use xshell::cmd;

use crate::tools::{Tools, root};

/// The features that need no std.
const NO_STD: [&str; 10] = [
    "alloc",
    "serde",
    "serde_json",
    "fast",
    "simd",
    "heapless-v0_9",
    "embedded-io-v0_7",
    "embedded-io-async-v0_7",
    "serde-json-core-v0_7",
    "defmt",
];

/// A microcontroller, and WebAssembly.
const TARGETS: [&str; 2] = ["thumbv7m-none-eabi", "wasm32-unknown-unknown"];

/// Checks that the core compiles without std for a microcontroller, without features and with all that need no std, and
/// MCP with all of its own. The step `features` finds on the host what a feature lacks on its own, and the step `npm` builds for WebAssembly.
pub fn no_std(tools: &Tools) -> Result<()> {
    let [target, _] = TARGETS;
    for set in ["", &NO_STD.join(",")] {
        check(tools, target, set)?;
    }
    let mcp = "shapes,serde_json,fast,simd,defmt";
    cmd!(
        tools.sh,
        ".ci/cross {target} check --quiet --package tautline-mcp --lib --no-default-features --features {mcp}"
    )
    .run()?;
    println!("no-std: the core and MCP compile for {target}");
    Ok(())
}

/// Checks each feature and every pair of them without std, for both targets.
pub fn no_std_pairs(tools: &Tools) -> Result<()> {
    for target in TARGETS {
        check(tools, target, &NO_STD.join(","))?;
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
    /// The tests that the gate runs, as arguments of a test program: all of them if there is no argument, and none if
    /// there is no list.
    in_gate: Option<&'static [&'static str]>,
}

/// The machines with back ends that the processor of the gate lacks. The scalar and the portable back end exist on each.
const MACHINES: [Machine; 3] = [
    Machine {
        back_ends: "scalar,portable,neon,windows",
        target: Some("aarch64-unknown-linux-gnu"),
        variables: &[],
        in_gate: Some(&[]),
    },
    // std must be built for it. The step `npm` compares its verdicts with the native ones.
    Machine {
        back_ends: "scalar,portable,simd128,windows",
        target: Some("wasm32-wasip1"),
        variables: &[("CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS", "-Ctarget-feature=+simd128")],
        in_gate: None,
    },
    // It has no AVX2.
    Machine {
        back_ends: "scalar,portable",
        target: None,
        variables: &[("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", "qemu-x86_64 -cpu Nehalem")],
        in_gate: Some(&CHOSEN),
    },
];

/// A machine whose order of bytes is the other one. It has no back end of its own, and std must be built for it.
const BIG_ENDIAN: Machine = Machine {
    back_ends: "scalar,portable",
    target: Some("s390x-unknown-linux-gnu"),
    variables: &[],
    in_gate: None,
};

/// Tests that enter every kernel of each back end. The processor of the gate has the same back ends as one without AVX2,
/// so there the tests only have to show that AVX2 is not detected, and that these are entered.
const CHOSEN: [&str; 5] = [
    "detect::tests::agrees_with_std",
    "twins::tests::back_ends",
    "twins::tests::mutated_documents",
    "twins::tests::what_the_fuzzer",
    "every_byte_in_every_place",
];

/// Runs the unit tests of the core on other machines, and some of them without AVX2. They fail if a back end is missing,
/// or if one of its kernels is never entered.
pub fn twins(tools: &Tools) -> Result<()> {
    for machine in &MACHINES {
        // The share of the usual volumes that an emulator gets through in a minute.
        if let Some(tests) = machine.in_gate {
            run_machine(tools, machine, "0.25", &["--lib"], tests)?;
        }
    }
    Ok(())
}

/// The same and the integration tests, with much larger volumes, on a big-endian machine as well.
pub fn twins_long(tools: &Tools) -> Result<()> {
    for machine in MACHINES.iter().chain([&BIG_ENDIAN]) {
        run_machine(tools, machine, "100", &["--lib", "--test", "wire"], &[])?;
    }
    Ok(())
}

fn run_machine(
    tools: &Tools,
    machine: &Machine,
    volume: &str,
    targets: &[&str],
    chosen: &[&str],
) -> Result<()> {
    let name = machine.target.unwrap_or("x86_64 without AVX2");
    println!("--- {name}: {}", machine.back_ends);
    let start = std::time::Instant::now();
    let mut command = match machine.target {
        Some(target) => cmd!(tools.sh, ".ci/cross {target} test --package tautline")
            .arg("--config")
            .arg(root().join("xtask/data/emulated.toml"))
            .args(targets),
        // `cargo test` has built these programs already, with the features of all default members.
        None => cmd!(tools.sh, "cargo test").args(targets),
    };
    command = command.arg("--").args(chosen);
    command =
        command.env("TAUTLINE_BACK_ENDS", machine.back_ends).env("TAUTLINE_TEST_VOLUME", volume);
    for (variable, value) in machine.variables {
        command = command.env(variable, value);
    }
    command.run()?;
    println!("--- {name}: passed in {} s, building included", start.elapsed().as_secs());
    Ok(())
}
