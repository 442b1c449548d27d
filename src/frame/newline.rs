//! Where a line ends: the only place that looks for a newline.

/// The position of the first LF.
pub(crate) fn find(bytes: &[u8]) -> Option<usize> {
    crate::bytes::find(b'\n', bytes)
}

/// The position of the last LF.
#[cfg(feature = "fast")]
pub(crate) fn find_last(bytes: &[u8]) -> Option<usize> {
    memchr::memrchr(b'\n', bytes)
}

#[cfg(test)]
mod tests {
    use std::vec;

    /// The plain twin of [`super::find`].
    fn naive(bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|&byte| byte == b'\n')
    }

    #[test]
    fn agrees_with_its_plain_twin_at_every_alignment() {
        for len in 0..130 {
            for at in 0..=len {
                let mut bytes = vec![b'x'; len];
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = b'\n';
                }
                // A second newline behind the first must not be the one that is found.
                if let Some(byte) = bytes.last_mut() {
                    *byte = b'\n';
                }
                for start in 0..len {
                    assert_eq!(super::find(&bytes[start..]), naive(&bytes[start..]));
                }
            }
        }
    }
}
