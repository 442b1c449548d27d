//! Which parts of a value have been evaluated, for `unevaluatedItems` and `unevaluatedProperties`.

use serde_json::Value;

/// The answer to the question whether a schema that accepts the value has evaluated a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    No,
    Maybe,
    Yes,
}

/// A mark for each element of an array or each member of an object, if any keyword needs them.
#[derive(Debug)]
pub(super) struct Marks(Option<Vec<Mark>>);

impl Marks {
    /// Returns marks that are not kept.
    pub const fn unwanted() -> Self {
        Self(None)
    }

    /// Returns marks for the parts of a value.
    pub fn of(value: &Value) -> Self {
        let parts = match value {
            Value::Array(elements) => elements.len(),
            Value::Object(members) => members.len(),
            _ => 0,
        };
        Self(Some(vec![Mark::No; parts]))
    }

    /// Returns fresh marks for the same value.
    pub fn alike(&self) -> Self {
        Self(self.0.as_ref().map(|marks| vec![Mark::No; marks.len()]))
    }

    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, Vec::len)
    }

    pub const fn are_wanted(&self) -> bool {
        self.0.is_some()
    }

    pub fn get(&self, at: usize) -> Mark {
        self.0.as_ref().and_then(|marks| marks.get(at)).copied().unwrap_or(Mark::Maybe)
    }

    pub fn set(&mut self, at: usize, mark: Mark) {
        if let Some(known) = self.0.as_mut().and_then(|marks| marks.get_mut(at)) {
            *known = mark.max(*known);
        }
    }

    /// Leaves open whether the parts without a mark are evaluated.
    pub fn doubt(&mut self) {
        for mark in self.0.iter_mut().flatten() {
            *mark = Mark::Maybe.max(*mark);
        }
    }

    /// Adds the marks of a schema with this verdict. Those of a schema that rejects the value do not count.
    pub fn merge(&mut self, others: &Self, verdict: Option<bool>) {
        let highest = match verdict {
            Some(true) => Mark::Yes,
            Some(false) => Mark::No,
            None => Mark::Maybe,
        };
        for (at, mark) in others.0.iter().flatten().enumerate() {
            self.set(at, highest.min(*mark));
        }
    }
}
