//! Replays the fuzzer's seeds and its findings without the fuzzer.

use crate::support::checks::{
    encode_roundtrip, frame_concatenated, frame_content_length, frame_sse, scan_vs_serde_json,
    skim_vs_plain, split_chunks,
};
use crate::support::replay::replay;

#[test]
fn split_chunks_replayed() {
    replay("split_chunks", split_chunks::check);
}

#[test]
fn encode_roundtrip_replayed() {
    replay("encode_roundtrip", encode_roundtrip::check);
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
