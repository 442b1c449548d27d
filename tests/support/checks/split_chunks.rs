//! However a stream is cut, and whichever driver takes it, the events are those of the naive twin.
//!
//! The fuzzer calls this, and so do the tests that replay what it has come upon.

// The fuzzer builds this file in a package of its own, which has `std` on and no feature to say so.
#![allow(unexpected_cfgs)]

#[path = "../drivers.rs"]
pub mod drivers;

use drivers::Case;

/// Takes an input apart, and checks what it says: one byte for the limit, one for the number of
/// sizes, the sizes of the chunks, which come round again and again, and the stream.
pub fn check(input: &[u8]) {
    let (limit, rest) = input.split_first().unwrap_or((&0, &[]));
    let (count, rest) = rest.split_first().unwrap_or((&0, &[]));
    let (sizes, stream) = rest.split_at(usize::from(count % 16).min(rest.len()));
    let case = Case::new(stream, u32::from(*limit));
    case.check_whole();
    let chunks = chunks(stream, sizes);
    case.check_cut(&chunks, &mut |_| {});
    case.check_readers(&chunks);
}

/// Cuts a stream into chunks of these sizes, over and over.
fn chunks<'stream>(stream: &'stream [u8], sizes: &[u8]) -> Vec<&'stream [u8]> {
    if sizes.iter().all(|&size| size == 0) {
        return vec![stream];
    }
    let mut rest = stream;
    let mut chunks = Vec::new();
    for &size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (chunk, behind) = rest.split_at(usize::from(size).min(rest.len()));
        chunks.push(chunk);
        rest = behind;
    }
    chunks
}
