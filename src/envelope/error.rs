//! The error object (JSON-RPC 2.0, section 5.1).

use super::ErrorCode;
use crate::json::{RawJson, RawNumber, RawStr};

/// Why a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorObject<'buf> {
    pub(super) code: RawNumber<'buf>,
    pub(super) message: RawStr<'buf>,
    pub(super) data: Option<RawJson<'buf>>,
}

impl<'buf> ErrorObject<'buf> {
    /// The code, if it fits 64 bits.
    #[must_use]
    pub fn code(&self) -> Option<ErrorCode> {
        self.code.as_i64().map(ErrorCode::new)
    }

    /// The code as it was written, an integer of any size.
    #[must_use]
    pub const fn raw_code(&self) -> RawNumber<'buf> {
        self.code
    }

    /// A short description, for people.
    #[must_use]
    pub const fn message(&self) -> RawStr<'buf> {
        self.message
    }

    /// More about the error, if the member is there.
    #[must_use]
    pub const fn data(&self) -> Option<RawJson<'buf>> {
        self.data
    }
}
