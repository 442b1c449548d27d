//! Paths from a value to a value inside it.

use std::fmt::Write as _;

use tautline::RawJson;

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Name(String),
    Index(usize),
}

/// Returns the value at the end of the path, or the last value on it that exists.
pub(super) fn follow<'buf>(value: RawJson<'buf>, path: &[Step]) -> RawJson<'buf> {
    let next = |value: RawJson<'buf>, step: &Step| match step {
        Step::Name(name) => value.member(name),
        Step::Index(index) => value.elements()?.nth(*index),
    };
    path.iter()
        .try_fold(value, |value, step| next(value, step).ok_or(value))
        .unwrap_or_else(|at| at)
}

/// Returns the path as text, such as `properties.a.enum[3]`.
pub(super) fn written(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Name(name) if text.is_empty() => text.push_str(name),
            Step::Name(name) => drop(write!(text, ".{name}")),
            Step::Index(index) => drop(write!(text, "[{index}]")),
        }
    }
    text
}
