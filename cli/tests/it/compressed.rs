//! Recordings that are compressed.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::support::{check, root, tautline, text};

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    compress_to_vec(text, CompressionLevel::Fastest)
}

fn recording() -> Vec<u8> {
    std::fs::read(root().join("examples/weather.recording")).unwrap()
}

/// Writes a file of this name and audits it, as JSON.
fn audit(name: &str, bytes: &[u8]) -> Output {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, bytes).unwrap();
    let mut command = tautline(&["audit", "--format", "json"]);
    command.arg(&file).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn the_report_is_that_of_the_content() {
    let recording = recording();
    let plain = audit("compressed", &recording);
    assert_eq!(plain.status.code(), Some(1), "{}", text(&plain.stderr));
    let (start, end) = recording.split_at(recording.len() / 2);
    for packed in [
        gzip(&recording),
        [gzip(start), gzip(end)].concat(),
        zstd(&recording),
        [zstd(start), zstd(end)].concat(),
    ] {
        let output = audit("compressed", &packed);
        assert_eq!(text(&output.stdout), text(&plain.stdout));
        assert_eq!(output.status.code(), plain.status.code());
    }
}

#[test]
fn standard_input_may_be_compressed() {
    let log = std::fs::read(root().join("examples/session.ndjson")).unwrap();
    let plain = check(&["--format", "json"], &log);
    for packed in [gzip(&log), zstd(&log)] {
        let output = check(&["--format", "json"], &packed);
        assert_eq!(text(&output.stdout), text(&plain.stdout));
        assert_eq!(output.status.code(), plain.status.code());
    }
}

#[test]
fn a_compressed_file_without_its_end_is_an_error() {
    for (packed, format) in [(gzip(&recording()), "gzip"), (zstd(&recording()), "zstd")] {
        let output = audit(format, &packed[..packed.len() - 3]);
        assert_eq!(output.status.code(), Some(2));
        let words = format!("the file is compressed ({format}), and its end is missing");
        assert!(text(&output.stderr).contains(&words), "{}", text(&output.stderr));
    }
}
