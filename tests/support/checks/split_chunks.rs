//! However a stream is cut, every driver yields the events of the naive reference.
//!
//! The fuzzer calls this, and so do the tests that replay its findings.

use crate::support::drivers::Case;

/// Decodes and checks a fuzzer's input: one byte for the limit, one for the number of chunk sizes, the sizes, which
/// repeat, and the stream.
pub fn check(input: &[u8]) {
    let (limit, rest) = input.split_first().unwrap_or((&0, &[]));
    let (count, rest) = rest.split_first().unwrap_or((&0, &[]));
    let (sizes, stream) = rest.split_at(usize::from(count % 16).min(rest.len()));
    let case = Case::new(stream, u32::from(*limit));
    case.check_whole();
    let chunks = chunks(stream, sizes);
    case.check_cut(&chunks, &mut |_, _| {});
    case.check_readers(&chunks);
}

/// Cuts a stream into chunks of these sizes, which repeat.
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
