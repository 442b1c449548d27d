//! The choices that the page offers.

use serde::Serialize;
use tautline::frame::FramingKind;
use tautline_audit::judge::Selection;
use tautline_audit::source::SourceKind;

use crate::request::ONE_DIRECTION;

/// Everything that can be chosen, by its names on the command line.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Choices {
    /// The version of the engine.
    pub version: &'static str,
    /// The rules.
    pub rules: Vec<&'static str>,
    /// The formats of logs: those of recordings, and that of one direction.
    pub sources: Vec<Source>,
    /// The framings.
    pub framings: Vec<&'static str>,
}

/// A format of logs.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Source {
    /// Its name.
    pub name: &'static str,
    /// A description of a file in this format, with its article.
    pub title: &'static str,
}

impl Choices {
    /// Returns all choices.
    #[must_use]
    pub fn all() -> Self {
        let source = |kind: &SourceKind| Source { name: kind.name(), title: kind.title() };
        let one =
            Source { name: ONE_DIRECTION, title: "messages without directions, in any framing" };
        Self {
            version: env!("CARGO_PKG_VERSION"),
            rules: Selection::names().collect(),
            sources: SourceKind::ALL.iter().map(source).chain([one]).collect(),
            framings: FramingKind::ALL.iter().map(|kind| kind.name()).collect(),
        }
    }
}
