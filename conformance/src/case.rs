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
    /// The name of the file that has the case, which groups cases by their subject.
    #[serde(skip)]
    pub category: String,
    /// A description of what the case tests, in one sentence.
    pub summary: String,
    /// The peer under test.
    #[serde(default)]
    pub role: Role,
    /// The revisions of MCP that the case is about.
    pub revisions: Vec<String>,
    /// The requirement level of the right outcome.
    pub level: Level,
    /// The clause of the specification, or the reason where no clause decides.
    pub clause: String,
    /// The state in which the case begins.
    #[serde(default)]
    pub opening: Opening,
    /// The feature of a server without which the case is about nothing.
    #[serde(default)]
    pub needs: Option<Feature>,
    /// For clients: the method whose first request the steps answer, in place of the usual answer.
    #[serde(default)]
    pub on: Option<String>,
    /// The steps, in order: what is sent, piece by piece.
    pub steps: Vec<Step>,
    /// The outcomes that are right or acceptable. Everything else is wrong.
    pub outcomes: Vec<Outcome>,
    /// The check that the peer is still alive after the case.
    #[serde(default)]
    pub survival: Survival,
    /// The names of defects that this case finds. A peer with any of them fails it. The cases about HTTP have none.
    #[serde(default)]
    pub defects: Vec<String>,
}

/// A feature that a server may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Feature {
    /// The server gives a session id in its answer to `initialize`.
    SessionId,
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

/// The requirement level of the right outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Level {
    /// A MUST of a specification.
    Must,
    /// A SHOULD of a specification.
    Should,
    /// No clause decides, but peers depend on it: the connection stays open, the caller gets its answer.
    Robustness,
}

/// The state in which a case begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Opening {
    /// The session is open: the handshake is over, in revisions that have one.
    #[default]
    Ready,
    /// The peer has just started, and nothing was sent. Over HTTP, the server may run for long, but the case has no
    /// session.
    Fresh,
    /// Over HTTP: the session is open, and no other case uses it.
    Own,
}

/// The check that a peer is still alive after a case.
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
