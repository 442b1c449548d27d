//! The tools or prompts that a server has listed.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::value::RawValue;
use tautline::Response;
use tautline_mcp::{KnownMethod, Role};

use super::asked::Asked;

/// The maximum number of names that are kept.
const MOST: usize = 1 << 14;
/// The number of requests for a page that are followed at the same time.
const MOST_PAGES: usize = 64;
/// The length of an id that is followed, in bytes.
const LONGEST_ID: usize = 256;
/// The number of required arguments that are kept of a prompt.
const MOST_ARGUMENTS: usize = 64;

/// The kind of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Tools,
    Prompts,
}

/// The names of a server's tools or prompts, as far as they were listed.
#[derive(Debug)]
pub(super) struct Listing {
    kind: Kind,
    /// The required arguments, by name.
    entries: BTreeMap<String, Vec<String>>,
    /// The requests for a page, by id: whether it is the first.
    asked: HashMap<String, bool>,
    /// True if the last listing went from the first page to the last, and nothing has changed since.
    is_complete: bool,
}

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
    #[serde(borrow)]
    prompts: Option<&'a RawValue>,
    #[serde(rename = "nextCursor")]
    next: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Argument {
    name: String,
    #[serde(default)]
    required: bool,
}

#[derive(Deserialize)]
struct Cursor {
    cursor: Option<serde::de::IgnoredAny>,
}

impl Kind {
    const fn list(self) -> KnownMethod {
        match self {
            Self::Tools => KnownMethod::ToolsList,
            Self::Prompts => KnownMethod::PromptsList,
        }
    }

    const fn list_changed(self) -> KnownMethod {
        match self {
            Self::Tools => KnownMethod::ToolsListChanged,
            Self::Prompts => KnownMethod::PromptsListChanged,
        }
    }
}

/// The effect of a message on what is known about a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    None,
    Some,
}

impl Listing {
    pub fn new(kind: Kind) -> Self {
        Self { kind, entries: BTreeMap::new(), asked: HashMap::new(), is_complete: false }
    }

    pub const fn kind(&self) -> Kind {
        self.kind
    }

    pub fn request(&mut self, asked: &Asked<'_, '_>) {
        let request = asked.request;
        if asked.from != Role::Client || asked.method != Some(self.kind.list()) {
            return;
        }
        let id = request.id().to_string();
        let params = request.params().map(|params| params.as_bytes());
        let page: Option<Cursor> = params.and_then(|params| serde_json::from_slice(params).ok());
        let is_first = page.is_none_or(|page| page.cursor.is_none());
        if self.asked.len() < MOST_PAGES && id.len() <= LONGEST_ID {
            self.asked.insert(id, is_first);
        } else {
            self.forget();
        }
    }

    pub fn notification(&mut self, method: Option<KnownMethod>) -> Change {
        if method != Some(self.kind.list_changed()) {
            return Change::None;
        }
        self.is_complete = false;
        Change::Some
    }

    pub fn response(&mut self, response: &Response<'_>) -> Change {
        if self.asked.is_empty() {
            return Change::None;
        }
        let Some(id) = response.id() else { return Change::None };
        let Some(is_first) = self.asked.remove(&id.to_string()) else { return Change::None };
        if self.keep(response, is_first).is_none() {
            self.forget();
        }
        Change::Some
    }

    /// Keeps a page, if it is one.
    fn keep(&mut self, response: &Response<'_>, is_first: bool) -> Option<()> {
        let page: Page<'_> = serde_json::from_slice(response.result()?.as_bytes()).ok()?;
        let items = match self.kind {
            Kind::Tools => page.tools?,
            Kind::Prompts => page.prompts?,
        };
        let items: Vec<Item<'_>> = serde_json::from_str(items.get()).ok()?;
        if is_first {
            self.entries.clear();
        }
        for item in items {
            let required = match self.kind {
                Kind::Tools => Vec::new(),
                Kind::Prompts => required(item.arguments),
            };
            self.entries.insert(item.name.into_owned(), required);
        }
        self.is_complete = page.next.is_none();
        (self.entries.len() <= MOST).then_some(())
    }

    /// Returns whether the server has listed all items, and none has this name.
    pub fn lacks(&self, name: &str) -> bool {
        self.is_complete && !self.entries.contains_key(name)
    }

    /// Returns whether the server has listed all items, and one has this name.
    pub fn has(&self, name: &str) -> bool {
        self.is_complete && self.entries.contains_key(name)
    }

    /// Returns the first required argument that is missing from the object of arguments.
    pub fn lacking_argument(&self, name: &str, arguments: Option<&[u8]>) -> Option<&str> {
        let required = self.entries.get(name).filter(|_| self.is_complete)?;
        let given: BTreeMap<Cow<'_, str>, &RawValue> = match arguments {
            Some(arguments) => serde_json::from_slice(arguments).ok()?,
            None => BTreeMap::new(),
        };
        let is_given = |name: &&String| !given.contains_key(name.as_str());
        required.iter().find(is_given).map(String::as_str)
    }

    fn forget(&mut self) {
        *self = Self::new(self.kind);
    }
}

/// Returns the names of the arguments that are required.
fn required(arguments: Option<&RawValue>) -> Vec<String> {
    let arguments =
        arguments.and_then(|list| serde_json::from_str::<Vec<Argument>>(list.get()).ok());
    let required = arguments.unwrap_or_default().into_iter().filter(|argument| argument.required);
    required.map(|argument| argument.name).take(MOST_ARGUMENTS).collect()
}
