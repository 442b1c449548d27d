//! All defects.

use crate::defect::Defect;
use crate::{batches, calls, ids, lifecycle, lines, names, reads, replies, text};

/// Returns all defects.
pub fn all() -> impl Iterator<Item = &'static Defect> {
    let tables = [
        reads::DEFECTS,
        text::DEFECTS,
        lines::DEFECTS,
        names::DEFECTS,
        ids::DEFECTS,
        calls::DEFECTS,
        lifecycle::DEFECTS,
        batches::DEFECTS,
        replies::DEFECTS,
    ];
    tables.into_iter().flatten()
}

pub fn named(name: &str) -> Option<&'static Defect> {
    all().find(|defect| defect.name == name)
}
