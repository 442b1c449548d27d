//! Values: their types, numbers, and what is in objects and arrays.

use tautline::internal::json::Walk;
use tautline::json::Kind;
use tautline::scan::Span;
use tautline::{RawJson, RawStr};

use crate::abi::{tl_error, tl_type};
use crate::double;

/// Creates a view of text that the caller says is a value. For other text the results are meaningless, but safe.
pub(crate) fn value(text: &[u8]) -> RawJson<'_> {
    RawJson::at(text, Span::new(0, text.len()))
}

pub(crate) fn string(text: &[u8]) -> Result<RawStr<'_>, tl_error> {
    value(text).string().ok_or(tl_error::Type)
}

pub(crate) fn type_of(text: &[u8]) -> tl_type {
    match value(text).kind() {
        Kind::Null => tl_type::Null,
        Kind::Bool => tl_type::Bool,
        Kind::Number => tl_type::Number,
        Kind::String => tl_type::String,
        Kind::Array => tl_type::Array,
        Kind::Object => tl_type::Object,
    }
}

pub(crate) fn int64(text: &[u8]) -> Result<i64, tl_error> {
    value(text).number().ok_or(tl_error::Type)?.as_i64().ok_or(tl_error::Range)
}

pub(crate) fn uint64(text: &[u8]) -> Result<u64, tl_error> {
    value(text).number().ok_or(tl_error::Type)?.as_u64().ok_or(tl_error::Range)
}

/// Returns the double that is nearest to a number.
pub(crate) fn double(text: &[u8]) -> Result<f64, tl_error> {
    let number = value(text).number().ok_or(tl_error::Type)?;
    let double = if cfg!(feature = "fast") {
        number.as_str().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
    } else {
        double::nearest(number)
    };
    if double.is_finite() { Ok(double) } else { Err(tl_error::Range) }
}

/// A text, and a position between two values in it.
pub(crate) struct Iter<'buf> {
    pub(crate) text: &'buf [u8],
    pub(crate) at: usize,
}

impl<'buf> Iter<'buf> {
    /// Begins with the values of a container of this kind.
    pub(crate) fn within(text: &'buf [u8], kind: Kind) -> Result<Self, tl_error> {
        if value(text).kind() == kind { Ok(Self { text, at: 1 }) } else { Err(tl_error::Type) }
    }

    /// Returns the next value, or the next name of a member.
    pub(crate) fn next(&mut self) -> Option<&'buf [u8]> {
        let mut walk = Walk::within(self.text, 0);
        walk.go_on(self.at);
        let (start, value) = walk.next_value()?;
        self.at = start.saturating_add(value.as_bytes().len());
        Some(value.as_bytes())
    }

    /// Returns the next member.
    pub(crate) fn next_member(&mut self) -> Option<(&'buf [u8], &'buf [u8])> {
        Some((self.next()?, self.next()?))
    }
}

/// Returns the value of the member with this name, if the object has exactly one. A name that is not UTF-8 is `None`. No
/// member has it.
pub(crate) fn member<'buf>(
    object: &'buf [u8],
    name: Option<&str>,
) -> Result<Option<&'buf [u8]>, tl_error> {
    let mut members = Iter::within(object, Kind::Object)?;
    let mut found = None;
    while let Some((key, value)) = members.next_member() {
        if string(key).is_ok_and(|key| name.is_some_and(|name| key == *name)) {
            if found.is_some() {
                return Err(tl_error::Repeated);
            }
            found = Some(value);
        }
    }
    Ok(found)
}
