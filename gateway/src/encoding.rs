//! Content codings of bodies, which cannot be judged (RFC 9110, section 8.4).

/// Returns whether the header fields name a coding other than `identity`.
#[must_use]
pub fn is_encoded<'h>(fields: impl IntoIterator<Item = (&'h [u8], &'h [u8])>) -> bool {
    let is_coding = |coding: &[u8]| {
        let coding = coding.trim_ascii();
        !coding.is_empty() && !coding.eq_ignore_ascii_case(b"identity")
    };
    fields.into_iter().any(|(name, value)| {
        name.eq_ignore_ascii_case(b"content-encoding")
            && value.split(|byte| *byte == b',').any(is_coding)
    })
}

#[cfg(test)]
mod tests {
    use super::is_encoded;

    #[test]
    fn a_coding_is_anything_but_identity() {
        for (name, value, expected) in [
            ("content-encoding", "gzip", true),
            ("Content-Encoding", "Identity, br", true),
            ("content-encoding", "identity", false),
            ("content-encoding", "", false),
            ("content-encoding", " ,", false),
            ("accept-encoding", "gzip", false),
        ] {
            assert_eq!(
                is_encoded([(name.as_bytes(), value.as_bytes())]),
                expected,
                "{name}: {value}"
            );
        }
    }
}
