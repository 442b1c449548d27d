//! The parameters of the server's tools, which its own lists of tools tell.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tautline::{Message, Profile, RawJson, RawStr};
use tautline_mcp::http::{Parameter, Tool, parameters_of};

/// The number of tools that are remembered.
const MOST: usize = 10_000;

/// The number of bytes of schemas that are remembered.
const MOST_BYTES: usize = 16 << 20;

/// The least time between two lists that the server asks for. A list that has taken longer is followed by as long a pause.
const PAUSE: Duration = Duration::from_secs(1);

/// The tools that the lists of this server had.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    known: Mutex<Known>,
    /// When the server may ask for a list again.
    next: tokio::sync::Mutex<Option<Instant>>,
}

/// The right to ask for a list.
#[derive(Debug)]
pub(crate) struct Turn<'a>(tokio::sync::MutexGuard<'a, Option<Instant>>);

impl Turn<'_> {
    /// Returns whether the last list is old enough.
    pub(crate) fn is_due(&self) -> bool {
        self.0.is_none_or(|next| next <= Instant::now())
    }

    /// Records that a list has ended, which has begun at this time.
    pub(crate) fn finish(&mut self, begun: Instant) {
        *self.0 = Instant::now().checked_add(begun.elapsed().max(PAUSE));
    }
}

#[derive(Debug, Default)]
struct Known {
    tools: HashMap<String, Schema>,
    bytes: usize,
}

#[derive(Clone, Debug)]
enum Schema {
    /// No parameter is marked.
    Plain,
    /// Parameters are marked in this schema.
    Marked(Bytes),
}

impl Schema {
    fn len(&self) -> usize {
        match self {
            Self::Plain => 0,
            Self::Marked(text) => text.len(),
        }
    }
}

impl Tools {
    /// Waits for the turn to ask for a list.
    pub(crate) async fn turn(&self) -> Turn<'_> {
        Turn(self.next.lock().await)
    }

    /// Learns the tools of an answer to `tools/list`. The latest schema of a tool counts. Returns the cursor of the next
    /// page.
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
        // The caller's function runs without the lock.
        let schema = self.lock().tools.get(&*name).cloned();
        match schema {
            None => Tool::Unknown,
            Some(Schema::Plain) => Tool::Known,
            Some(Schema::Marked(schema)) => match RawJson::parse(&schema) {
                Ok(schema) if parameters_of(schema, visit) => Tool::Known,
                _ => Tool::Unknown,
            },
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
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
        let before = self.tools.get(name).map(|schema| name.len().saturating_add(schema.len()));
        let bytes = self.bytes.saturating_sub(before.unwrap_or(0));
        let bytes = bytes.saturating_add(name.len()).saturating_add(schema.len());
        let has_place = before.is_some() || self.tools.len() < MOST;
        if has_place && bytes <= MOST_BYTES {
            self.bytes = bytes;
            self.tools.insert(name.to_owned(), schema);
        } else if let Some(before) = before {
            // The schema that is known is out of date.
            self.bytes = self.bytes.saturating_sub(before);
            self.tools.remove(name);
        }
    }
}
