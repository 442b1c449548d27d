//! The configuration of the filter: JSON, read once and checked as a whole.
//!
//! A proxy passes the text to the filter when it starts. A mistake is an error that names the member, and the proxy then
//! refuses the configuration. `README.md` lists all members.

mod check;
mod names;
mod paths;
mod read;
#[cfg(test)]
mod tests;

use std::fmt;
use std::hash::Hasher;

use siphasher::sip::SipHasher24;
use tautline::{ErrorCode, RawStr};
use tautline_mcp::http::Policy;

pub use self::names::Names;
use self::paths::Paths;

/// The settings of one filter.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The mode for requests.
    pub requests: Mode,
    /// The mode for responses.
    pub responses: Mode,
    /// The revisions, sites and sessions of the endpoint, and whether bodies are read strictly.
    ///
    /// Its lists are leaked: once for each configuration that a proxy loads, so that no request builds them.
    pub policy: Policy<'static>,
    /// True if messages are read under [strict profiles](tautline_mcp::Revision::strict_profile).
    pub strict: bool,
    /// The paths of the endpoint, without a query. An empty list stands for every path.
    paths: Paths,
    /// The numbers of bytes that the filter keeps.
    pub limits: Limits,
    /// The treatment of a body that has a `Content-Encoding`.
    pub compressed: Unjudged,
    /// The treatment of a body that the filter cannot judge for another reason.
    pub unjudged: Unjudged,
    methods: Names,
    tools: Names,
    /// The refusal of a method or a tool that is denied.
    pub denial: Denial,
    /// The form of the id of a request in a line of the log.
    pub log: IdInLog,
    key: Key,
    /// The first part of the name of every counter.
    pub counters: String,
    /// True if the upstream receives the verdict in headers.
    pub request_headers: bool,
}

/// The treatment of messages that break a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// They are refused or replaced.
    Enforce,
    /// They pass, and are counted and logged.
    Report,
    /// No message is judged.
    Off,
}

/// The treatment of a body that the filter cannot judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unjudged {
    /// It is refused.
    Refuse,
    /// It passes.
    Pass,
}

/// The form of the id of a request in a line of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdInLog {
    /// Its [hash](Settings::hashed).
    Hash,
    /// The id as it came.
    Plain,
    /// Nothing.
    None,
}

/// The limits of the filter, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum length of the body of a request. It is less than the limit of the proxy's buffer.
    pub request: usize,
    /// The maximum length of a JSON body of a response, or of the data of an event. It is less than that limit, too.
    pub response: usize,
    /// The length up to which a longer body of a request is read for its id.
    pub skim: usize,
    /// The memory of a worker of the proxy for the bodies that are only reported on.
    pub kept: usize,
}

/// The refusal of a method or a tool that is denied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    /// The status of HTTP.
    pub status: u16,
    /// The code of the error.
    pub code: ErrorCode,
    /// The message of the error.
    pub message: String,
}

/// The key of the hash of ids.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Key([u8; 16]);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

impl Settings {
    /// Reads the configuration. An empty text stands for the defaults.
    ///
    /// # Errors
    ///
    /// Returns the first mistake, with the path of its member.
    pub fn parse(json: &[u8]) -> Result<Self, SettingsError> {
        read::object(json, check::settings)
    }

    /// Returns whether a server could treat this path as that of the endpoint. The query is ignored.
    #[must_use]
    pub fn has_path(&self, path: &[u8]) -> bool {
        self.paths.have(path)
    }

    /// Returns whether requests and notifications with this method are denied.
    #[must_use]
    pub fn denies_method(&self, method: RawStr<'_>) -> bool {
        self.methods.denies(method)
    }

    /// Returns whether calls of the tool with this name are denied.
    #[must_use]
    pub fn denies_tool(&self, tool: RawStr<'_>) -> bool {
        self.tools.denies(tool)
    }

    /// Returns whether methods or tools are listed. Each name in a request then has to be beyond doubt.
    #[must_use]
    pub fn has_lists(&self) -> bool {
        self.methods != Names::Any || self.lists_tools()
    }

    /// Returns whether tools are listed.
    #[must_use]
    pub fn lists_tools(&self) -> bool {
        self.tools != Names::Any
    }

    /// Returns the hash of an id: SipHash-2-4 of its bytes, with the key of the configuration.
    #[must_use]
    pub fn hashed(&self, id: &[u8]) -> u64 {
        let mut hasher = SipHasher24::new_with_key(&self.key.0);
        hasher.write(id);
        hasher.finish()
    }
}

/// The error for a configuration that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsError {
    path: String,
    message: String,
}

impl SettingsError {
    fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }

    /// Returns the path of the member, as in `hosts[0]`. It is empty if the text as a whole is wrong.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, message } = self;
        if path.is_empty() { f.write_str(message) } else { write!(f, "{path}: {message}") }
    }
}

impl std::error::Error for SettingsError {}
