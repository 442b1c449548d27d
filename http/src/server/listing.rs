//! The server's question to its own handler of `tools/list`, so that the headers of a call can be judged.

use std::future::poll_fn;
use std::time::Instant;

use bytes::Bytes;
use http::request::Parts;
use tautline::encode::{Encoder, object};
use tautline_mcp::{KnownMethod, Revision, meta};

use super::body::ServerBody;
use super::endpoint::{Reply, State, within};
use crate::Judged;

/// The number of pages that are read.
const PAGES: usize = 64;

impl State {
    /// Asks the server for its tools, so that the headers of a call to one of them can be judged. Returns the response if
    /// the call is refused. If the list fails, takes too long, or lacks the tool, the headers are not judged.
    pub(super) async fn judge_parameters(&self, parts: &Parts, judged: &Judged) -> Option<Reply> {
        if !self.lists_tools {
            return None;
        }
        self.list_tools(parts, judged).await;
        let refused = self.judge.refusal(parts, judged.body())?;
        Some(refused.map(ServerBody::full))
    }

    /// Lists the tools, unless that has just happened. Requests that come together wait for one list.
    async fn list_tools(&self, parts: &Parts, judged: &Judged) {
        let begun = Instant::now();
        let limit = self.options.keep_alive;
        let Some(mut turn) = within(limit, self.tools.turn()).await else { return };
        if turn.is_due() {
            let rest = limit.saturating_sub(begun.elapsed());
            let begun = Instant::now();
            within(rest, self.read_pages(parts, judged)).await;
            // If the client of this request has gone before, another request begins.
            turn.finish(begun);
        }
    }

    /// Reads the list, page by page.
    async fn read_pages(&self, parts: &Parts, judged: &Judged) {
        let mut cursor = None;
        for _ in 0..PAGES {
            let Some(answer) = self.read_page(parts, judged, cursor.as_deref()).await else {
                return;
            };
            let next = self.tools.learn(&answer, judged.profile());
            if next.is_none() || next == cursor {
                return;
            }
            cursor = next;
        }
    }

    async fn read_page(
        &self,
        parts: &Parts,
        judged: &Judged,
        cursor: Option<&str>,
    ) -> Option<Bytes> {
        let request = list_tools(judged.revision(), cursor)?;
        let mut exchange = self.modern(parts.clone(), judged.revision());
        exchange.receive(request, judged.profile());
        let mut answer = None;
        while let Some(message) = poll_fn(|cx| exchange.poll_message(cx)).await {
            answer = Some(message);
        }
        answer
    }
}

/// Returns a request for a page of the list of tools.
fn list_tools(revision: Revision, cursor: Option<&str>) -> Option<Bytes> {
    let mut encoder = Encoder::new(Vec::new());
    let params = object(|params| {
        params.member(
            "_meta",
            object(|of| {
                of.member(meta::PROTOCOL_VERSION, revision.name());
                of.member(meta::CLIENT_CAPABILITIES, object(|_| {}));
            }),
        );
        if let Some(cursor) = cursor {
            params.member("cursor", cursor);
        }
    });
    encoder.request(1_u64, KnownMethod::ToolsList.name(), Some(params)).ok()?;
    Some(encoder.into_output().into())
}
