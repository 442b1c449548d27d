//! Requests of 2026-07-28: each has its own exchange, which ends with its response.

use std::future::poll_fn;
use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use http::request::Parts;
use tautline::Message;
use tautline::encode::{Encoder, object};
use tautline_mcp::http::{Action, Parameters};
use tautline_mcp::{KnownMethod, Revision, meta};
use tautline_tokio::Exchange;

use super::body::{ServerBody, Source};
use super::endpoint::{Reply, State, empty, json, unavailable, within};
use super::event;
use super::request::HttpRequest;
use crate::Judged;

/// The number of pages of the server's own list of tools that are read.
const PAGES: usize = 64;

impl State {
    pub(super) async fn serve_modern(self: Arc<Self>, parts: Parts, judged: Judged) -> Reply {
        if judged.parameters() == Parameters::NotJudged
            && let Some(reply) = self.judge_parameters(&parts, &judged).await
        {
            return reply;
        }
        let revision = judged.revision();
        let mut exchange = self.modern(parts, revision);
        exchange.receive(judged.body().clone(), judged.profile());
        if judged.action() == Action::Acknowledge {
            return self.acknowledge(exchange);
        }
        let first = poll_fn(|cx| exchange.poll_message(cx));
        let Some(first) = within(self.options.keep_alive, first).await else {
            return self.events(Some(event::COMMENT), Source::Exchange(Box::new(exchange)));
        };
        let Some(message) = first else { return empty(StatusCode::INTERNAL_SERVER_ERROR) };
        match exchange.answer() {
            Some(code) if !exchange.has_message() => {
                if code.is_none() && is_list_of_tools(&judged) {
                    self.tools.learn(&message, judged.profile());
                }
                json(message, revision, code)
            }
            _ => {
                let first = event::message(&message, None);
                self.events(Some(first), Source::Exchange(Box::new(exchange)))
            }
        }
    }

    fn modern(&self, parts: Parts, revision: Revision) -> Exchange {
        let request = HttpRequest::new(parts, self.closing.clone(), None, false);
        let options = self.options.connection.clone().with_attachment(request);
        self.exchange(options, revision)
    }

    /// Handles a notification, whose response does not wait for it. Messages of its handler are dropped, because they have no stream.
    pub(super) fn acknowledge(&self, mut exchange: Exchange) -> Reply {
        let Ok(permit) = Arc::clone(&self.detached).try_acquire_owned() else {
            return unavailable();
        };
        let end = self.end.clone();
        tokio::spawn(async move {
            let handle = async { while poll_fn(|cx| exchange.poll_message(cx)).await.is_some() {} };
            end.run_until_cancelled(handle).await;
            drop(permit);
        });
        empty(StatusCode::ACCEPTED)
    }

    /// Asks the server for its tools, so that the headers of a call to one of them can be judged. Returns the response if
    /// the call is refused.
    async fn judge_parameters(&self, parts: &Parts, judged: &Judged) -> Option<Reply> {
        if !self.lists_tools {
            return None;
        }
        let mut cursor = None;
        for _ in 0..PAGES {
            let request = list_tools(judged.revision(), cursor.as_deref())?;
            let mut exchange = self.modern(parts.clone(), judged.revision());
            exchange.receive(request, judged.profile());
            let answer = async {
                let mut answer = None;
                while let Some(message) = poll_fn(|cx| exchange.poll_message(cx)).await {
                    answer = Some(message);
                }
                answer
            };
            let answer = within(self.options.keep_alive, answer).await??;
            let next = self.tools.learn(&answer, judged.profile());
            if next.is_none() || next == cursor {
                break;
            }
            cursor = next;
        }
        let refused = self.judge.refusal(parts, judged.body())?;
        Some(refused.map(ServerBody::full))
    }
}

/// Returns whether the request is for a list of tools.
pub(super) fn is_list_of_tools(judged: &Judged) -> bool {
    let method = KnownMethod::ToolsList.name();
    matches!(judged.message(), Ok(Message::Request(request)) if request.method() == method)
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
