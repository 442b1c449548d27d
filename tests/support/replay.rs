//! Replays the fuzzer's seeds and its findings without the fuzzer.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Returns the files below `tests/fuzz` of the repository that are inputs of this target.
fn inputs(target: &str) -> Vec<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let repository = [package, package.parent().unwrap()];
    let fuzz = repository.map(|folder| folder.join("tests/fuzz"));
    let fuzz = fuzz.iter().find(|folder| folder.is_dir()).expect("a folder with inputs");
    let mut inputs = Vec::new();
    for kind in ["seeds", "regressions"] {
        let directory = fuzz.join(kind).join(target);
        let entries = match fs::read_dir(&directory) {
            Ok(entries) => entries,
            // A target without findings has no regressions.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => panic!("{}: {error}", directory.display()),
        };
        for entry in entries {
            let entry = entry.unwrap();
            // Hidden files keep an empty directory in the repository.
            if !entry.file_name().as_encoded_bytes().starts_with(b".") {
                inputs.push(entry.path());
            }
        }
    }
    inputs.sort();
    inputs
}

/// Checks each input of a target.
pub fn replay(target: &str, check: fn(&[u8])) {
    let inputs = inputs(target);
    assert!(!inputs.is_empty(), "there is nothing to replay of {target}");
    for path in inputs {
        // Shown only if the test fails: the last file is the culprit.
        println!("{}", path.display());
        check(&fs::read(&path).unwrap());
    }
}
