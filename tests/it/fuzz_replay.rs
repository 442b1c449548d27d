//! Replays the fuzzer's seeds and its findings without the fuzzer.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::support::checks::{
    conversation, encode_roundtrip, frame_concatenated, frame_content_length, frame_sse,
    scan_vs_serde_json, shapes_vs_naive, skim_vs_plain, split_chunks,
};

/// Returns the files below `tests/fuzz` that are inputs of this target.
fn inputs(target: &str) -> Vec<PathBuf> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz");
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

fn replay(target: &str, check: fn(&[u8])) {
    let inputs = inputs(target);
    assert!(!inputs.is_empty(), "there is nothing to replay of {target}");
    for path in inputs {
        // Shown only if the test fails: the last file is the culprit.
        println!("{}", path.display());
        check(&fs::read(&path).unwrap());
    }
}

#[test]
fn split_chunks_replayed() {
    replay("split_chunks", split_chunks::check);
}

#[test]
fn conversation_replayed() {
    replay("conversation", conversation::check);
}

#[test]
fn encode_roundtrip_replayed() {
    replay("encode_roundtrip", encode_roundtrip::check);
}

#[test]
fn shapes_vs_naive_replayed() {
    replay("shapes_vs_naive", shapes_vs_naive::check);
}

#[test]
fn scan_vs_serde_json_replayed() {
    replay("scan_vs_serde_json", scan_vs_serde_json::check);
}

#[test]
fn frame_content_length_replayed() {
    replay("frame_content_length", frame_content_length::check);
}

#[test]
fn frame_sse_replayed() {
    replay("frame_sse", frame_sse::check);
}

#[test]
fn frame_concatenated_replayed() {
    replay("frame_concatenated", frame_concatenated::check);
}

#[test]
fn skim_vs_plain_replayed() {
    replay("skim_vs_plain", skim_vs_plain::check);
}
