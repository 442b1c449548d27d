//! A case: what is sent to a peer, and what it may do.

use serde::Deserialize;

use crate::{Outcome, Step};

/// A case of the corpus.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Case {
    /// The name, which is unique in the corpus and never changes its meaning.
    pub id: String,
    /// The name of the file that the case stands in, which groups cases by their subject.
    #[serde(skip)]
    pub category: String,
    /// What the case tests, in one sentence.
    pub summary: String,
    /// The peer under test.
    #[serde(default)]
    pub role: Role,
    /// The revisions of MCP that the case is about.
    pub revisions: Vec<String>,
    /// How binding the right outcome is.
    pub level: Level,
    /// The clause of the specification, or the reason where no clause decides.
    pub clause: String,
    /// What happens before the case.
    #[serde(default)]
    pub opening: Opening,
    /// For clients: the method whose first request the steps answer, in place of the usual answer.
    #[serde(default)]
    pub on: Option<String>,
    /// What is sent, piece by piece.
    pub steps: Vec<Step>,
    /// What the peer may do. Everything else is wrong.
    pub outcomes: Vec<Outcome>,
    /// What shows that the peer goes on.
    #[serde(default)]
    pub survival: Survival,
    /// The names of defects that this case finds. A peer with any of them fails it.
    pub defects: Vec<String>,
}

/// The peer under test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::exhaustive_enums, reason = "there is no third side")]
pub enum Role {
    /// The case is sent to a server.
    #[default]
    Server,
    /// The case is sent to a client, in answer to one of its requests.
    Client,
}

/// How binding the right outcome is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Level {
    /// A MUST of a specification.
    Must,
    /// A SHOULD of a specification.
    Should,
    /// No clause decides, but peers depend on it: a connection that lives on, a caller that gets its answer.
    Robustness,
}

/// What happens before a case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Opening {
    /// The session is open: the handshake is over, in revisions that have one.
    #[default]
    Ready,
    /// The peer has just started, and nothing was sent.
    Fresh,
}

/// What shows that a peer goes on after a case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Survival {
    /// The survival request of the revision's session gets a result.
    #[default]
    Request,
    /// Nothing is sent after the case: the session is over.
    None,
}
