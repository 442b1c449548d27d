//! The charset of a Content-Type header, parsed byte by byte.

use crate::cast::index;

/// The name of the parameter, in lower case for comparison.
const NAME: &[u8] = b"charset";
/// The only supported charset, in lower case for comparison.
const UTF_8: &[u8] = b"utf-8";
/// The number of bytes before the hyphen, which may be missing.
const UTF: u8 = 3;

/// The parser's position in the value of a Content-Type header (RFC 9110, section 8.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Charset {
    /// In the media type, or in a parameter. The number of bytes of its name that match [`NAME`] so far;
    /// `None` if they differ.
    Parameter(Option<u8>),
    /// In a quoted string other than the charset.
    Quoted,
    /// After a backslash in a quoted string.
    Escaped,
    /// In the charset, of which this many bytes match [`UTF_8`] so far.
    Value { matched: u8, is_quoted: bool },
    /// After the charset, which is UTF-8.
    End,
    /// The header names another charset.
    Unsupported,
}

impl Charset {
    /// The start of a header value.
    pub(super) const START: Self = Self::Parameter(None);

    /// Advances by one byte of the value.
    pub(super) fn next(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Unsupported, _) => Self::Unsupported,
            (Self::Escaped, _) => Self::Quoted,
            (Self::Quoted, b'\\') => Self::Escaped,
            (Self::Quoted, b'"') => Self::START,
            (Self::Quoted, _) => Self::Quoted,
            (Self::Parameter(_), b';') => Self::Parameter(Some(0)),
            (Self::Parameter(_), b'"') => Self::Quoted,
            (Self::Parameter(matched), _) => match (matched.map(usize::from), byte) {
                // Space around the name and the equals sign is invalid, but some parsers may accept it.
                (Some(0), b' ' | b'\t') => self,
                (Some(name), b' ' | b'\t') if name == NAME.len() => self,
                (Some(name), b'=') if name == NAME.len() => {
                    Self::Value { matched: 0, is_quoted: false }
                }
                _ => Self::Parameter(advance(NAME, matched, byte)),
            },
            (Self::Value { matched: 0, is_quoted: false }, b' ' | b'\t') => self,
            (Self::Value { matched: 0, is_quoted: false }, b'"') => {
                Self::Value { matched: 0, is_quoted: true }
            }
            (Self::Value { is_quoted: false, .. }, b' ' | b'\t') if self.is_utf_8() => Self::End,
            (Self::Value { is_quoted: false, .. } | Self::End, b';') if self.is_utf_8() => {
                Self::Parameter(Some(0))
            }
            (Self::Value { matched, is_quoted: true }, b'"')
                if usize::from(matched) == UTF_8.len() =>
            {
                Self::End
            }
            (Self::Value { matched: UTF, is_quoted }, b'8') => {
                Self::Value { matched: UTF + 2, is_quoted }
            }
            (Self::Value { matched, is_quoted }, _) => match advance(UTF_8, Some(matched), byte) {
                Some(matched) => Self::Value { matched, is_quoted },
                None => Self::Unsupported,
            },
            (Self::End, b' ' | b'\t') => Self::End,
            (Self::End, _) => Self::Unsupported,
        }
    }

    /// Returns whether a value that ends here names no charset other than UTF-8.
    pub(super) fn is_utf_8(self) -> bool {
        match self {
            Self::Value { matched, is_quoted } => usize::from(matched) == UTF_8.len() && !is_quoted,
            Self::Unsupported => false,
            Self::Parameter(_) | Self::Quoted | Self::Escaped | Self::End => true,
        }
    }
}

/// Returns how many bytes of the word match after one more byte, or `None` if they differ.
pub(super) fn advance(word: &[u8], matched: Option<u8>, byte: u8) -> Option<u8> {
    let matched = matched?;
    let expected = word.get(index(u32::from(matched)))?;
    byte.eq_ignore_ascii_case(expected).then_some(matched + 1)
}
