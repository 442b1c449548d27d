//! The part of a request that is kept until its response ends.

use tautline::Message;
use tautline_mcp::Revision;

use crate::ids;

/// Returns a message with the ids and methods of another one, which is all that an [`Exchange`](tautline_mcp::http::Exchange) reads of a request.
pub(super) fn skeleton(body: &[u8], revision: Revision) -> Option<(Vec<u8>, bool)> {
    let profile = revision.profile().http_request_body();
    match Message::parse(body, &profile).ok()? {
        Message::Batch(batch) => {
            let elements = batch.iter().filter_map(|element| element.message().ok());
            let parts: Vec<_> = elements.filter_map(|element| of_one(&element)).collect();
            let has_request = parts.iter().any(|(_, is_request)| *is_request);
            let parts: Vec<String> = parts.into_iter().map(|(part, _)| part).collect();
            Some((format!("[{}]", parts.join(",")).into_bytes(), has_request))
        }
        message => {
            let (text, is_request) = of_one(&message)?;
            Some((text.into_bytes(), is_request))
        }
    }
}

fn of_one(message: &Message<'_>) -> Option<(String, bool)> {
    let method = |method: tautline::RawStr<'_>| {
        let text = String::from_utf8(method.escaped_bytes().to_vec()).ok()?;
        Some(format!("\"method\":\"{text}\""))
    };
    match message {
        Message::Request(request) => {
            let id = ids::json(&ids::key_of_any(&request.id())?);
            let method = method(request.method())?;
            Some((format!(r#"{{"jsonrpc":"2.0","id":{id},{method}}}"#), true))
        }
        Message::Notification(note) => {
            Some((format!(r#"{{"jsonrpc":"2.0",{}}}"#, method(note.method())?), false))
        }
        // It needs no answer, like any response.
        Message::Response(_) => Some((r#"{"jsonrpc":"2.0","id":0,"result":{}}"#.to_owned(), false)),
        Message::Batch(_) => None,
    }
}
