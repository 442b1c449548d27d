//! The parameters of the server's tools, which its own lists of tools tell.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tautline::{Message, Profile, RawJson, RawStr};
use tautline_mcp::http::{Parameter, Tool, parameters_of};

/// The number of tools that are remembered.
const MOST: usize = 10_000;

/// The number of bytes of schemas that are remembered.
const MOST_BYTES: usize = 16 << 20;

/// The tools that the lists of this server had.
#[derive(Debug, Default)]
pub(crate) struct Tools(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    tools: HashMap<String, Schema>,
    bytes: usize,
}

#[derive(Debug, PartialEq, Eq)]
enum Schema {
    /// No parameter is marked.
    Plain,
    /// Parameters are marked in this schema.
    Marked(Bytes),
    /// The server has shown different schemas, so it is not known which one a client has seen.
    Ambiguous,
}

impl Tools {
    /// Learns the tools of an answer to `tools/list`. Returns the cursor of the next page.
    pub(crate) fn learn(&self, answer: &[u8], profile: &Profile) -> Option<String> {
        let Ok(Message::Response(response)) = Message::parse(answer, profile) else { return None };
        let result = response.result()?;
        let mut known = self.lock();
        for tool in result.member("tools")?.elements()? {
            let name = tool.member("name").and_then(|name| name.string());
            let name = name.and_then(|name| name.decode().ok());
            if let (Some(name), Some(schema)) = (name, tool.member("inputSchema")) {
                known.add(&name, schema);
            }
        }
        result.member("nextCursor")?.string()?.decode().ok().map(std::borrow::Cow::into_owned)
    }

    /// Calls the function with the parameters of a tool.
    pub(crate) fn parameters(
        &self,
        tool: RawStr<'_>,
        visit: &mut dyn FnMut(&Parameter<'_>),
    ) -> Tool {
        let Ok(name) = tool.decode() else { return Tool::Unknown };
        // The function may take any time, so the lock is released before.
        let schema = match self.lock().tools.get(&*name) {
            None | Some(Schema::Ambiguous) => return Tool::Unknown,
            Some(Schema::Plain) => return Tool::Known,
            Some(Schema::Marked(schema)) => schema.clone(),
        };
        match RawJson::parse(&schema) {
            Ok(schema) if parameters_of(schema, visit) => Tool::Known,
            _ => Tool::Unknown,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn add(&mut self, name: &str, schema: RawJson<'_>) {
        let mut is_marked = false;
        let is_complete = parameters_of(schema, &mut |_| is_marked = true);
        let schema = if is_marked || !is_complete {
            Schema::Marked(Bytes::copy_from_slice(schema.as_bytes()))
        } else {
            Schema::Plain
        };
        if let Some(known) = self.tools.get_mut(name) {
            if *known != schema {
                *known = Schema::Ambiguous;
            }
            return;
        }
        let length = match &schema {
            Schema::Marked(text) => text.len(),
            _ => 0,
        };
        let length = length.saturating_add(name.len());
        if self.tools.len() < MOST && self.bytes.saturating_add(length) <= MOST_BYTES {
            self.bytes = self.bytes.saturating_add(length);
            self.tools.insert(name.to_owned(), schema);
        }
    }
}
