//! The place of a finding.

use super::Field;

/// The place of a finding: a header, a place in the body, both if they differ, or neither if it is about the method or the
/// status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) field: Option<Field>,
    pub(super) offset: Option<u32>,
}

impl From<Field> for Place {
    fn from(field: Field) -> Self {
        Self { field: Some(field), offset: None }
    }
}
