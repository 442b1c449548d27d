//! Facts about a server from what it has sent: its sessions, and the parameters of its tools.

use std::collections::HashMap;

use tautline::{Message, Outcome, RawJson, RawStr};
use tautline_mcp::http::{Name, Parameter, Server, Session, Tool, parameters_of};
use tautline_mcp::{KnownMethod, ResultView, Revision};

/// The most sessions and tools that are remembered, and the most bytes in the ids of the former and in the latter.
const MOST: usize = 4096;
const MOST_BYTES: usize = 1024 * 1024;
const MOST_BYTES_OF_TOOLS: usize = 16 * 1024 * 1024;

/// Facts about a server. Anything else is not judged.
#[derive(Debug, Default)]
pub(super) struct Known {
    sessions: HashMap<Vec<u8>, Session>,
    /// True if the server has given the id of a session.
    pub gives_ids: bool,
    tools: HashMap<String, Vec<Marked>>,
    /// The bytes in the ids of the sessions.
    bytes: usize,
    /// The bytes in the tools.
    bytes_of_tools: usize,
}

/// A parameter that a tool marks with `x-mcp-header`.
#[derive(Debug)]
struct Marked {
    header: String,
    path: Vec<String>,
}

impl Known {
    /// Notes that the response to `initialize` has given this id. The revision is not known yet.
    pub fn opened(&mut self, id: &[u8]) {
        self.gives_ids = true;
        self.set(id, Session::Unjudged);
    }

    /// Notes the revision of a session.
    pub fn negotiated(&mut self, id: &[u8], revision: Revision) {
        self.set(id, Session::Open(revision));
    }

    /// Notes that a session has ended.
    pub fn ended(&mut self, id: &[u8]) {
        self.set(id, Session::Unknown);
    }

    fn set(&mut self, id: &[u8], session: Session) {
        if let Some(known) = self.sessions.get_mut(id) {
            *known = session;
        } else if self.sessions.len() < MOST && self.bytes + id.len() <= MOST_BYTES {
            self.bytes += id.len();
            self.sessions.insert(id.to_vec(), session);
        }
    }

    /// Returns the revision of a session.
    pub fn revision_of(&self, id: &[u8]) -> Option<Revision> {
        match self.sessions.get(id) {
            Some(&Session::Open(revision)) => Some(revision),
            _ => None,
        }
    }

    /// Returns whether a tool is known to have parameters in headers.
    pub fn has_marks(&self, tool: &str) -> bool {
        self.tools.get(tool).is_some_and(|marked| !marked.is_empty())
    }

    /// Learns from a response to a request with this method.
    pub fn learn(&mut self, method: KnownMethod, session: Option<&[u8]>, message: &Message<'_>) {
        let Message::Response(response) = message else { return };
        let Outcome::Result(result) = response.outcome() else { return };
        match method {
            KnownMethod::ToolsList => self.list(result),
            KnownMethod::Initialize => {
                let version = ResultView::of(result).and_then(|view| view.protocol_version());
                if let Some((id, revision)) = session.zip(version.and_then(Revision::named)) {
                    self.negotiated(id, revision);
                }
            }
            _ => {}
        }
    }

    fn list(&mut self, result: RawJson<'_>) {
        let tools = result.member("tools").and_then(|tools| tools.elements());
        for tool in tools.into_iter().flatten() {
            let name = tool.member("name").and_then(|name| name.string());
            let Some(Ok(name)) = name.map(|name| name.decode()) else { continue };
            let mut marked = Vec::new();
            let is_complete = tool.member("inputSchema").is_none_or(|schema| {
                parameters_of(schema, &mut |parameter| marked.push(Marked::of(parameter)))
            });
            // A tool that is not remembered is not judged.
            if let Some(old) = self.tools.remove(&*name) {
                self.bytes_of_tools = self.bytes_of_tools.saturating_sub(size(&name, &old));
            }
            let bytes = self.bytes_of_tools + size(&name, &marked);
            if is_complete && self.tools.len() < MOST && bytes <= MOST_BYTES_OF_TOOLS {
                self.bytes_of_tools = bytes;
                self.tools.insert(name.into_owned(), marked);
            }
        }
    }
}

/// Returns the bytes in a tool, roughly.
fn size(name: &str, marked: &[Marked]) -> usize {
    const ENTRY: usize = 64;
    let of_path = |path: &[String]| path.iter().map(|name| name.len() + ENTRY).sum::<usize>();
    let of_one = |one: &Marked| one.header.len() + of_path(&one.path) + ENTRY;
    name.len() + ENTRY + marked.iter().map(of_one).sum::<usize>()
}

impl Marked {
    fn of(parameter: &Parameter<'_>) -> Self {
        let path = parameter.path().iter().map(ToString::to_string).collect();
        Self { header: parameter.header().to_string(), path }
    }
}

impl Server for Known {
    fn session(&self, id: &[u8]) -> Session {
        self.sessions.get(id).copied().unwrap_or(Session::Unjudged)
    }

    fn parameters(&self, tool: RawStr<'_>, visit: &mut dyn FnMut(&Parameter<'_>)) -> Tool {
        let name = tool.decode();
        let Some(marked) = name.ok().and_then(|name| self.tools.get(&*name)) else {
            return Tool::Unknown;
        };
        for one in marked {
            let path: Vec<Name<'_>> = one.path.iter().map(|name| Name::new(name)).collect();
            visit(&Parameter::new(Name::new(&one.header), &path));
        }
        Tool::Known
    }
}
