//! The search for the end of a line.

/// Returns the position of the first LF.
pub(crate) fn find(bytes: &[u8]) -> Option<usize> {
    crate::bytes::find(b'\n', bytes)
}

#[cfg(test)]
mod tests {
    use std::vec;

    /// A straightforward version of [`super::find`], for comparison.
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
                // A second newline after the first must not be found.
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
