//! Requests of 2026-07-28: each has its own exchange, which ends with its response.

use std::future::poll_fn;
use std::sync::Arc;

use http::StatusCode;
use http::request::Parts;
use tautline_mcp::http::{Action, Parameters};
use tautline_mcp::{KnownMethod, Revision};
use tautline_tokio::Exchange;

use super::body::Source;
use super::endpoint::{Reply, State, empty, json, unavailable, within};
use super::event;
use super::request::HttpRequest;
use crate::Judged;

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
        match exchange.taken_answer() {
            Some(code) => {
                if code.is_none() && judged.method == Some(KnownMethod::ToolsList) {
                    self.tools.learn(&message, judged.profile());
                }
                json(message, revision, code)
            }
            None => {
                let first = event::message(&message, None);
                self.events(Some(first), Source::Exchange(Box::new(exchange)))
            }
        }
    }

    pub(super) fn modern(&self, parts: Parts, revision: Revision) -> Exchange {
        let request = HttpRequest::new(parts, self.closing.clone(), None, false);
        let options = self.options.connection.clone().with_attachment(request).without_calls();
        self.exchange(options, revision)
    }

    /// Handles a notification, whose response does not wait for it. Messages of its handler are dropped, because they have
    /// no stream.
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
}
