//! The programs of the examples, which several test binaries run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// Returns the program of an example, which needs these features. `cargo test` builds it, unless only some test binaries
/// were selected. Tests that run at the same time wait for one build.
pub fn example(name: &str, features: &str) -> PathBuf {
    static BUILT: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());
    let mut built = BUILT.lock().unwrap();
    built.entry(name.to_owned()).or_insert_with(|| build(name, features)).clone()
}

fn build(name: &str, features: &str) -> PathBuf {
    let profile = Path::new(env!("CARGO_BIN_EXE_tautline")).parent().unwrap();
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let program = profile.join("examples").join(file);
    if !is_current(&program) {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args([
            "build",
            "--quiet",
            "--offline",
            "--package",
            "tautline-cli",
            "--example",
            name,
        ]);
        // Use the profile of `cargo test`, to avoid another build.
        let name = if profile.ends_with("release") { "release" } else { "test" };
        cargo.args(["--profile", name, "--features", features]);
        assert!(cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap().success());
    }
    program
}

/// Returns whether a program exists and is newer than its sources, which Cargo lists in a file beside it.
fn is_current(program: &Path) -> bool {
    let modified = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    let list = fs::read_to_string(program.with_extension("d")).unwrap_or_default();
    let Some((_, sources)) = list.split_once(": ") else { return false };
    modified(program).is_some_and(|built| {
        sources.split_whitespace().all(|path| modified(path.as_ref()).is_some_and(|at| at < built))
    })
}
