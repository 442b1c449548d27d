//! The environment of a run: numbers mean nothing without it.

use std::collections::BTreeMap;
use std::process::Command;
use std::{env, fs, thread};

/// Returns processor, compiler, commit and the like, by name.
pub fn provenance() -> Vec<(String, String)> {
    let cores = thread::available_parallelism().map_or_else(|_| "?".to_owned(), |n| n.to_string());
    let features =
        if cfg!(feature = "fast") { "default" } else { "std, and the features given to the build" };
    [
        ("processor", format!("{}, {cores} cores", processor().unwrap_or_else(unknown))),
        ("system", format!("{} {}", env::consts::OS, env::consts::ARCH)),
        ("compiler", output("rustc", &["--version"])),
        ("commit", commit()),
        ("features of tautline", features.to_owned()),
        ("target features", target_features()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

/// Returns the commit, and whether files other than the results of earlier runs differ from it.
fn commit() -> String {
    let git = |arguments: &[&str]| {
        output("git", &[&["-C", concat!(env!("CARGO_MANIFEST_DIR"), "/..")], arguments].concat())
    };
    let changed = git(&["status", "--porcelain", "--untracked-files=no", "--", ":/", ":!results*"]);
    let is_dirty = !changed.is_empty() && changed != unknown();
    format!("{}{}", git(&["describe", "--always"]), if is_dirty { "-dirty" } else { "" })
}

fn unknown() -> String {
    "unknown".to_owned()
}

fn processor() -> Option<String> {
    let about = fs::read_to_string("/proc/cpuinfo").ok()?;
    let field = |name: &str| {
        let line = about.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let (name, family, model) = (field("model name")?, field("cpu family")?, field("model\t")?);
    Some(format!("{name} (family {family}, model {model})"))
}

/// Returns the features that the build may use without run-time detection.
fn target_features() -> String {
    let mut features = Vec::new();
    for (name, is_there) in [
        ("sse2", cfg!(target_feature = "sse2")),
        ("avx2", cfg!(target_feature = "avx2")),
        ("avx512bw", cfg!(target_feature = "avx512bw")),
        ("neon", cfg!(target_feature = "neon")),
    ] {
        if is_there {
            features.push(name);
        }
    }
    features.join(", ")
}

fn output(program: &str, arguments: &[&str]) -> String {
    let text = |output: std::process::Output| {
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    Command::new(program).args(arguments).output().ok().and_then(text).unwrap_or_else(unknown)
}

/// Returns the versions of the compared packages, from the lock file that they were built from.
pub fn versions() -> BTreeMap<String, String> {
    const COMPARED: &[&str] = &[
        "jiter",
        "lsp-server",
        "memchr",
        "rmcp",
        "serde",
        "serde-json-core",
        "serde_json",
        "simd-json",
        "simdutf8",
        "sonic-rs",
        "tautline",
    ];
    let mut versions = BTreeMap::new();
    let mut name = "";
    for line in include_str!("../../Cargo.lock").lines() {
        let value = |key: &str| line.strip_prefix(key)?.strip_suffix('"');
        if let Some(package) = value("name = \"") {
            name = package;
        } else if let Some(version) = value("version = \"")
            && COMPARED.contains(&name)
        {
            versions.insert(name.to_owned(), version.to_owned());
        }
    }
    versions
}
