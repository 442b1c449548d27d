//! Searches for one byte with AVX2, also without `std`, where `memchr` does not ask the processor what it has.

use memchr::arch::x86_64::avx2::memchr::One;

use super::detect;

/// Returns the position of the first `byte`.
#[inline]
pub(crate) fn first(byte: u8, bytes: &[u8]) -> Option<usize> {
    if detect::has_avx2() {
        // SAFETY: the machine has the features that this function is compiled for.
        unsafe { first_with_avx2(byte, bytes) }
    } else {
        memchr::memchr(byte, bytes)
    }
}

/// Returns the position of the last `byte`.
#[inline]
pub(crate) fn last(byte: u8, bytes: &[u8]) -> Option<usize> {
    if detect::has_avx2() {
        // SAFETY: as above.
        unsafe { last_with_avx2(byte, bytes) }
    } else {
        memchr::memrchr(byte, bytes)
    }
}

#[inline(never)]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn first_with_avx2(byte: u8, bytes: &[u8]) -> Option<usize> {
    // SAFETY: this function is compiled for AVX2, and so for SSE2.
    unsafe { One::new_unchecked(byte) }.find(bytes)
}

#[inline(never)]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn last_with_avx2(byte: u8, bytes: &[u8]) -> Option<usize> {
    // SAFETY: as above.
    unsafe { One::new_unchecked(byte) }.rfind(bytes)
}

#[cfg(test)]
mod tests {
    use super::{first, last};

    #[test]
    fn like_a_loop() {
        // More than a few vectors, and lengths and places at their borders.
        for length in (0..140).chain([1000]) {
            for from in [0, 1, 31] {
                let mut bytes = [b' '; 1031];
                let bytes = &mut bytes[from..][..length];
                assert_eq!((first(b'\n', bytes), last(b'\n', bytes)), (None, None));
                for at in 0..length {
                    bytes[at] = b'\n';
                    bytes[length / 2] = b'\n';
                    let (lower, upper) = (at.min(length / 2), at.max(length / 2));
                    assert_eq!(first(b'\n', bytes), Some(lower), "{at} of {length}");
                    assert_eq!(last(b'\n', bytes), Some(upper), "{at} of {length}");
                    bytes[at] = b' ';
                }
            }
        }
    }
}
