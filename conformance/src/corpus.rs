//! The whole corpus.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;

use crate::{Case, Opening, Role, Step};

/// The files with cases, in the order in which a tool runs them.
const FILES: &[(&str, &str)] = &[
    ("envelope", include_str!("../cases/envelope.json")),
    ("ids", include_str!("../cases/ids.json")),
    ("errors", include_str!("../cases/errors.json")),
    ("names", include_str!("../cases/names.json")),
    ("framing", include_str!("../cases/framing.json")),
    ("size", include_str!("../cases/size.json")),
    ("utf8", include_str!("../cases/utf8.json")),
    ("grammar", include_str!("../cases/grammar.json")),
    ("depth", include_str!("../cases/depth.json")),
    ("batch", include_str!("../cases/batch.json")),
    ("lifecycle", include_str!("../cases/lifecycle.json")),
    ("modern", include_str!("../cases/modern.json")),
    ("notifications", include_str!("../cases/notifications.json")),
    ("responses", include_str!("../cases/responses.json")),
    ("floods", include_str!("../cases/floods.json")),
    ("end", include_str!("../cases/end.json")),
    ("clients", include_str!("../cases/clients.json")),
];

/// The sessions of the revisions.
const SESSIONS: &str = include_str!("../sessions.json");

/// The files with cases about Streamable HTTP, in the order in which a tool runs them.
const HTTP_FILES: &[(&str, &str)] = &[
    ("methods", include_str!("../http/cases/methods.json")),
    ("media", include_str!("../http/cases/media.json")),
    ("bodies", include_str!("../http/cases/bodies.json")),
    ("ids", include_str!("../http/cases/ids.json")),
    ("names", include_str!("../http/cases/names.json")),
    ("headers", include_str!("../http/cases/headers.json")),
    ("encoding", include_str!("../http/cases/encoding.json")),
    ("versions", include_str!("../http/cases/versions.json")),
    ("sessions", include_str!("../http/cases/sessions.json")),
    ("requests", include_str!("../http/cases/requests.json")),
    ("notifications", include_str!("../http/cases/notifications.json")),
    ("sites", include_str!("../http/cases/sites.json")),
    ("sizes", include_str!("../http/cases/sizes.json")),
    ("chunked", include_str!("../http/cases/chunked.json")),
    ("connections", include_str!("../http/cases/connections.json")),
    ("clients", include_str!("../http/cases/clients.json")),
];

/// The sessions of the revisions over HTTP.
const HTTP_SESSIONS: &str = include_str!("../http/sessions.json");

/// All cases, and the sessions in which they run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Corpus {
    /// The cases, by file and then in the order of the file.
    pub cases: Vec<Case>,
    /// The sessions, by revision.
    pub sessions: BTreeMap<String, Session>,
}

/// The steps that open a session of a revision, and the request that shows that it is still alive.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Session {
    /// The steps that open a session with a server.
    pub open: Vec<Step>,
    /// A harmless request that every server answers with a result, without its id: `{ID}` stands for it.
    pub survival: String,
}

/// A file of the corpus that can't be read.
#[derive(Debug)]
pub struct CorpusError {
    file: String,
    reason: String,
}

impl fmt::Display for CorpusError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.file, self.reason)
    }
}

impl std::error::Error for CorpusError {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "$schema")]
    _schema: String,
    cases: Vec<Case>,
}

impl Corpus {
    /// Returns the corpus that this package ships with.
    ///
    /// # Panics
    ///
    /// Never: a test reads the embedded files.
    #[must_use]
    pub fn embedded() -> Self {
        Self::of(FILES, SESSIONS)
    }

    /// Returns the corpus about Streamable HTTP that this package ships with.
    ///
    /// # Panics
    ///
    /// Never: a test reads the embedded files.
    #[must_use]
    pub fn http() -> Self {
        Self::of(HTTP_FILES, HTTP_SESSIONS)
    }

    fn of(files: &[(&str, &str)], sessions: &str) -> Self {
        match Self::read(files.iter().copied(), sessions) {
            Ok(corpus) => corpus,
            Err(error) => panic!("the embedded corpus is broken: {error}"),
        }
    }

    /// Reads a corpus from the texts of its files, each with its name, and of its sessions.
    ///
    /// # Errors
    ///
    /// Returns an error if a file is not of the form of `schema.json`, or if two cases have the same id.
    pub fn read<'a>(
        files: impl Iterator<Item = (&'a str, &'a str)>,
        sessions: &str,
    ) -> Result<Self, CorpusError> {
        let error = |file: &str, reason: String| CorpusError { file: file.to_owned(), reason };
        let sessions = serde_json::from_str(sessions)
            .map_err(|reason| error("sessions", reason.to_string()))?;
        let (mut cases, mut ids) = (Vec::new(), BTreeSet::new());
        for (name, text) in files {
            let file: File =
                serde_json::from_str(text).map_err(|reason| error(name, reason.to_string()))?;
            for mut case in file.cases {
                if !ids.insert(case.id.clone()) {
                    return Err(error(name, format!("the id {} is not unique", case.id)));
                }
                name.clone_into(&mut case.category);
                cases.push(case);
            }
        }
        Ok(Self { cases, sessions })
    }

    /// Replaces the method of the requests that the cases for servers and the sessions send, for a server that lacks
    /// it. The cases that find the lack itself (defect `lacks-` and the method), those that run before the session is
    /// open, and the steps that open it stay as they are.
    pub fn replace_method(&mut self, method: &str, other: &str) {
        let lacks = format!("lacks-{method}");
        let [method, other] = [method, other].map(|name| format!("\"method\":\"{name}\""));
        let cases = self.cases.iter_mut();
        let cases = cases.filter(|case| {
            case.role == Role::Server
                && case.opening == Opening::Ready
                && !case.defects.contains(&lacks)
        });
        for step in cases.flat_map(|case| &mut case.steps) {
            if let Step::Text(text) | Step::Repeat { text, .. } | Step::Numbered { text, .. } = step
            {
                *text = text.replace(&method, &other);
            }
        }
        for session in self.sessions.values_mut() {
            session.survival = session.survival.replace(&method, &other);
        }
    }

    /// Returns the case with this id.
    #[must_use]
    pub fn case(&self, id: &str) -> Option<&Case> {
        self.cases.iter().find(|case| case.id == id)
    }
}
