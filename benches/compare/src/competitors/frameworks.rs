//! The message types of frameworks: how today's servers and clients read a line.

use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage};
use serde::de::DeserializeOwned;

use super::{Answer, Competitor, hand_over, line_by_line};
use benches::corpora::{Counts, Kind};

pub(super) fn competitors() -> Vec<Competitor> {
    vec![
        Competitor {
            name: "rmcp ClientJsonRpcMessage",
            about: "what a server reads; every message becomes the owned type of its method, and what \
                    is of no type becomes a custom one, a tree: nothing of the corpora is refused",
            answer: Answer::Messages,
            pass: Box::new(rmcp::<ClientJsonRpcMessage, _, _, _>),
        },
        Competitor {
            name: "rmcp ServerJsonRpcMessage",
            about: "the messages that a client reads; otherwise the same",
            answer: Answer::Messages,
            pass: Box::new(rmcp::<ServerJsonRpcMessage, _, _, _>),
        },
        Competitor {
            name: "lsp-server Message",
            about: "builds a tree of the payload; its types know no version and ids of 32 bits; \
                    its framing, which is not newlines, is left out",
            answer: Answer::Messages,
            pass: Box::new(lsp_server),
        },
    ]
}

fn rmcp<M, Request, Response, Notification>(wire: &[u8]) -> Counts
where
    M: DeserializeOwned + Into<JsonRpcMessage<Request, Response, Notification>>,
{
    line_by_line(wire, |line| {
        let message = serde_json::from_slice::<M>(line).ok()?.into();
        let kind = match &message {
            JsonRpcMessage::Request(_) => Kind::Request,
            JsonRpcMessage::Notification(_) => Kind::Notification,
            JsonRpcMessage::Response(_) => Kind::Result,
            JsonRpcMessage::Error(_) => Kind::Error,
        };
        hand_over(message);
        Some(kind)
    })
}

fn lsp_server(wire: &[u8]) -> Counts {
    line_by_line(wire, |line| {
        let message: lsp_server::Message = serde_json::from_slice(line).ok()?;
        let kind = match &message {
            lsp_server::Message::Request(_) => Kind::Request,
            lsp_server::Message::Notification(_) => Kind::Notification,
            lsp_server::Message::Response(response) => match response.response_result {
                Ok(_) => Kind::Result,
                Err(_) => Kind::Error,
            },
        };
        hand_over(message);
        Some(kind)
    })
}
