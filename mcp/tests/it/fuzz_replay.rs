//! Replays the fuzzer's seeds and its findings without the fuzzer.

use crate::support::checks::{conversation, http_vs_naive, shapes_vs_naive};
use crate::support::replay::replay;

#[test]
fn conversation_replayed() {
    replay("conversation", conversation::check);
}

#[test]
fn http_vs_naive_replayed() {
    replay("http_vs_naive", http_vs_naive::check);
}

#[test]
fn shapes_vs_naive_replayed() {
    replay("shapes_vs_naive", shapes_vs_naive::check);
}
