//! The header fields that the rules read, and one pass over all headers that finds them.

use core::fmt;

/// A header field that the rules of MCP are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Field {
    /// `Accept`
    Accept,
    /// `Content-Type`
    ContentType,
    /// `Host`
    Host,
    /// `Origin`
    Origin,
    /// `MCP-Protocol-Version`
    ProtocolVersion,
    /// `Mcp-Method`
    Method,
    /// `Mcp-Name`
    Name,
    /// `Mcp-Session-Id`
    SessionId,
    /// `Last-Event-ID`
    LastEventId,
    /// `X-Accel-Buffering`, in responses.
    Buffering,
    /// A field whose name begins with `Mcp-Param-`.
    Parameter,
}

impl Field {
    /// The number of fields with one name.
    const NAMED: usize = 10;

    /// All fields, from the first to `Mcp-Param-*`.
    pub const ALL: &[Self] = &[
        Self::Accept,
        Self::ContentType,
        Self::Host,
        Self::Origin,
        Self::ProtocolVersion,
        Self::Method,
        Self::Name,
        Self::SessionId,
        Self::LastEventId,
        Self::Buffering,
        Self::Parameter,
    ];

    /// Returns the name as the specification spells it. That of [`Parameter`](Self::Parameter) is `Mcp-Param-*`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accept => "Accept",
            Self::ContentType => "Content-Type",
            Self::Host => "Host",
            Self::Origin => "Origin",
            Self::ProtocolVersion => "MCP-Protocol-Version",
            Self::Method => "Mcp-Method",
            Self::Name => "Mcp-Name",
            Self::SessionId => "Mcp-Session-Id",
            Self::LastEventId => "Last-Event-ID",
            Self::Buffering => "X-Accel-Buffering",
            Self::Parameter => "Mcp-Param-*",
        }
    }

    /// Returns the field with this name, ignoring case (RFC 9110, section 5.1).
    #[must_use]
    pub fn named(name: &[u8]) -> Option<Self> {
        let named = Self::ALL.iter().copied().take(Self::NAMED);
        let is_it = |field: &Self| field.name().as_bytes().eq_ignore_ascii_case(name);
        named.into_iter().find(is_it).or_else(|| suffix(name).map(|_| Self::Parameter))
    }
}

/// Writes the [name](Field::name).
impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Returns what follows `Mcp-Param-` in the name of a field.
pub(super) fn suffix(name: &[u8]) -> Option<&[u8]> {
    const PREFIX: &[u8] = b"mcp-param-";
    let (start, rest) = name.split_at_checked(PREFIX.len())?;
    start.eq_ignore_ascii_case(PREFIX).then_some(rest)
}

/// The lines of a field that must not be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Single<'h> {
    Absent,
    /// The value, without whitespace around it.
    Value(&'h [u8]),
    Repeated,
}

impl<'h> Single<'h> {
    /// Adds a field line.
    pub(super) const fn add(&mut self, value: &'h [u8]) {
        *self = match self {
            Self::Absent => Self::Value(trim(value)),
            _ => Self::Repeated,
        };
    }

    pub(super) const fn value(self) -> Option<&'h [u8]> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Repeated => None,
        }
    }
}

/// The fields of a message that have one name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'h>([Single<'h>; Field::NAMED]);

impl<'h> Fields<'h> {
    pub(super) fn of(each: super::Each<'_, 'h>) -> Self {
        let mut fields = Self([Single::Absent; Field::NAMED]);
        each(&mut |name, value| {
            let Some(field) = Field::named(name) else { return };
            let mut places = Field::ALL.iter().zip(&mut fields.0);
            if let Some((_, place)) = places.find(|(known, _)| **known == field) {
                place.add(value);
            }
        });
        fields
    }

    pub(super) fn single(&self, field: Field) -> Single<'h> {
        let mut places = Field::ALL.iter().zip(&self.0);
        places.find(|(known, _)| **known == field).map_or(Single::Absent, |(_, single)| *single)
    }
}

/// Removes the spaces and tabs around a value, which are not part of it (RFC 9110, section 5.5).
pub(super) const fn trim(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

/// Returns whether a value has only the characters that MCP allows: visible ASCII, spaces and tabs (2026-07-28,
/// basic/transports/streamable-http, value encoding).
pub(super) fn is_plain(value: &[u8]) -> bool {
    value.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\t'))
}

#[cfg(test)]
mod tests {
    use super::{Field, Fields, Single, trim};

    #[test]
    fn names_match_without_case() {
        for &field in &Field::ALL[..Field::NAMED] {
            assert_eq!(Field::named(field.name().as_bytes()), Some(field));
            assert_eq!(Field::named(field.name().to_ascii_uppercase().as_bytes()), Some(field));
        }
        assert_eq!(Field::named(b"mcp-PARAM-x"), Some(Field::Parameter));
        for other in ["", "Mcp-Param", "Mcp-Methods", "mcp_method", "X-Mcp-Name"] {
            assert_eq!(Field::named(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn one_pass_finds_single_and_repeated_fields() {
        let lines: [(&[u8], &[u8]); 4] =
            [(b"mcp-name", b" \t a b\t"), (b"HOST", b"a"), (b"Other", b"b"), (b"host", b"a")];
        let fields =
            Fields::of(&|visit| lines.iter().for_each(|&(name, value)| visit(name, value)));
        assert_eq!(fields.single(Field::Name), Single::Value(b"a b"));
        assert_eq!(fields.single(Field::Host), Single::Repeated);
        assert_eq!(fields.single(Field::Origin), Single::Absent);
        assert_eq!(trim(b" \t "), b"");
    }
}
