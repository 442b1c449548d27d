//! The tools that a server has listed.

use std::collections::{BTreeSet, HashMap};

use serde::Deserialize;
use tautline::envelope::{Request, Response};
use tautline::mcp::{KnownMethod, Role};

/// The number of names that are kept.
const MOST: usize = 1 << 14;
/// The number of requests for a page that are followed at the same time.
const MOST_PAGES: usize = 64;
/// The length of an id that is followed, in bytes.
const LONGEST_ID: usize = 256;

/// The names of a server's tools, as far as they were listed.
#[derive(Debug, Default)]
pub(super) struct Tools {
    names: BTreeSet<String>,
    /// The requests for a page, by id: whether it is the first.
    asked: HashMap<String, bool>,
    /// True if the last listing went from the first page to the last, and the tools have not changed since.
    is_complete: bool,
}

#[derive(Deserialize)]
struct Page {
    tools: Vec<Named>,
    #[serde(rename = "nextCursor")]
    next: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
struct Asked {
    cursor: Option<serde::de::IgnoredAny>,
}

impl Tools {
    pub fn request(&mut self, from: Role, request: &Request<'_>) {
        let method = KnownMethod::named(request.method());
        if from != Role::Client || method != Some(KnownMethod::ToolsList) {
            return;
        }
        let id = request.id().to_string();
        let params = request.params().map(|params| params.as_bytes());
        let asked: Option<Asked> = params.and_then(|params| serde_json::from_slice(params).ok());
        let is_first = asked.is_none_or(|asked| asked.cursor.is_none());
        if self.asked.len() < MOST_PAGES && id.len() <= LONGEST_ID {
            self.asked.insert(id, is_first);
        } else {
            self.forget();
        }
    }

    pub fn notification(&mut self, method: Option<KnownMethod>) {
        if method == Some(KnownMethod::ToolsListChanged) {
            self.is_complete = false;
        }
    }

    pub fn response(&mut self, response: &Response<'_>) {
        if self.asked.is_empty() {
            return;
        }
        let Some(id) = response.id() else { return };
        let Some(is_first) = self.asked.remove(&id.to_string()) else { return };
        let page: Option<Page> =
            response.result().and_then(|result| serde_json::from_slice(result.as_bytes()).ok());
        let Some(page) = page else { return self.forget() };
        if is_first {
            self.names.clear();
        }
        self.names.extend(page.tools.into_iter().map(|tool| tool.name));
        self.is_complete = page.next.is_none();
        if self.names.len() > MOST {
            self.forget();
        }
    }

    /// Returns whether the server has listed all of its tools, and none has this name.
    pub fn lacks(&self, name: &str) -> bool {
        self.is_complete && !self.names.contains(name)
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}
