//! Batches of calls and batches of responses, which MCP 2025-03-26 keeps apart.

use core::fmt;

use crate::json::RawJson;

/// Finds the first element of a batch that must not be in it beside those before, where the rules ask for that.
///
/// By its address, so that a program none of whose rules ask for it does not link it.
#[derive(Clone, Copy)]
pub(super) struct Mixed(Option<fn(RawJson<'_>) -> Option<usize>>);

impl Mixed {
    /// The rules do not ask for that.
    pub(super) const NEVER: Self = Self(None);
    /// The rules ask for that.
    pub(super) const FIND: Self = Self(Some(first_mixed));

    /// Returns where in the batch that element begins.
    pub(super) fn find(&self, batch: RawJson<'_>) -> Option<usize> {
        (self.0?)(batch)
    }
}

impl PartialEq for Mixed {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_some() == other.0.is_some()
    }
}

impl Eq for Mixed {}

impl fmt::Debug for Mixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Mixed").field(&self.0.is_some()).finish()
    }
}

/// Returns where the first element begins that is not of the kind of those before it: a response in a batch of calls, or
/// a call in a batch of responses. A faulty element counts as well, if it has the members for it.
fn first_mixed(batch: RawJson<'_>) -> Option<usize> {
    let mut first = None;
    let mut elements = batch.elements()?;
    while let Some((at, element)) = elements.next_at() {
        let mut names = ["result", "error", "method"].iter();
        if names.any(|name| element.member(name).is_some()) {
            // The method comes last.
            let is_response = names.len() > 0;
            if *first.get_or_insert(is_response) != is_response {
                return Some(at);
            }
        }
    }
    None
}
