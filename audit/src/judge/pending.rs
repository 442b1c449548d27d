//! The requests that a log has not answered yet: a response is checked by the method of its request.

use std::borrow::Cow;
use std::collections::HashMap;

use tautline::mcp::{Era, KnownMethod};
use tautline::shape::Shapes;
use tautline::{Id, Message, Revision, Rule};

/// The number of requests that are remembered.
const MOST: usize = 1 << 16;
/// The length of an id that is remembered, in bytes.
const LONGEST: usize = 256;

/// The methods of the requests that wait for a response, by id.
///
/// A log has no directions, so a client and a server may use the same id. If their methods differ, the responses to
/// both are those of no known method. A log may also be that of one side, whose responses answer requests that are not
/// in it, under the same ids. So no response is taken for an answer before one has shown that the log has both sides.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// Those with a number as id.
    numbers: ById,
    /// Those with a string as id.
    strings: ById,
    has_both_sides: bool,
}

/// Requests by id, as it was written, without its escapes. It borrows an id to look it up.
type ById = HashMap<Box<[u8]>, Waiting>;

#[derive(Debug)]
struct Waiting {
    /// The method of all of them, if it is one that is known.
    method: Option<KnownMethod>,
    count: u32,
}

impl Pending {
    /// Observes a message, and returns the method that it answers, if that is certain.
    pub(super) fn observe(
        &mut self,
        message: &Message<'_>,
        revision: Revision,
    ) -> Option<KnownMethod> {
        let method = self.method_of(message)?;
        self.has_both_sides |= revision.era() == Era::Modern;
        if !self.has_both_sides
            && tells(method)
            && let Message::Response(response) = message
            && let Some(result) = response.result_span()
        {
            // A result with faulty members belongs to the method, unless a member is missing.
            let mut is_complete = true;
            Shapes::of(revision).check(message, Some(method), |violation| {
                let finding = violation.finding();
                let is_of_result = finding.offset() == result.start();
                is_complete &= !(is_of_result && finding.rule() == Rule::MissingMember);
            });
            self.has_both_sides = is_complete;
        }
        Some(method).filter(|_| self.has_both_sides)
    }

    /// Returns the method of the request that has the id of a response.
    fn method_of(&mut self, message: &Message<'_>) -> Option<KnownMethod> {
        match message {
            Message::Request(request) => {
                let method = KnownMethod::named(request.method());
                let has_room = self.numbers.len() + self.strings.len() < MOST;
                let (by_id, id) = self.by_id(request.id())?;
                if let Some(waiting) = by_id.get_mut(&*id) {
                    waiting.method = waiting.method.filter(|_| waiting.method == method);
                    waiting.count = waiting.count.saturating_add(1);
                } else if has_room {
                    by_id.insert(id.into_owned().into(), Waiting { method, count: 1 });
                }
                None
            }
            Message::Response(response) => {
                let (by_id, id) = self.by_id(response.id()?)?;
                let waiting = by_id.get_mut(&*id)?;
                let method = waiting.method;
                waiting.count -= 1;
                if waiting.count == 0 {
                    by_id.remove(&*id);
                }
                method
            }
            _ => None,
        }
    }

    /// Returns the requests with ids of the same type, and the key of the id among them.
    fn by_id<'buf>(&mut self, id: Id<'buf>) -> Option<(&mut ById, Cow<'buf, [u8]>)> {
        let (by_id, key) = match id {
            Id::String(text) if text.has_escapes() => {
                (&mut self.strings, Cow::Owned(text.decode().ok()?.into_owned().into_bytes()))
            }
            Id::String(text) => (&mut self.strings, text.as_bytes().into()),
            Id::Number(number) => (&mut self.numbers, number.as_bytes().into()),
            Id::Null => return None,
        };
        (key.len() <= LONGEST).then_some((by_id, key))
    }
}

/// Returns whether no result of another method fits the one of this method. The results of the others have no required
/// member, or one that other results have, too.
fn tells(method: KnownMethod) -> bool {
    matches!(
        method,
        KnownMethod::Initialize
            | KnownMethod::ServerDiscover
            | KnownMethod::ToolsList
            | KnownMethod::PromptsList
            | KnownMethod::PromptsGet
            | KnownMethod::ResourcesList
            | KnownMethod::ResourcesTemplatesList
            | KnownMethod::ResourcesRead
            | KnownMethod::CompletionComplete
            | KnownMethod::RootsList
    )
}

#[cfg(test)]
mod tests {
    use tautline::mcp::KnownMethod::{self, Ping, ToolsCall, ToolsList};
    use tautline::{Message, Revision, Rules};

    use super::{MOST, Pending};

    fn observe(pending: &mut Pending, frame: &str) -> Option<KnownMethod> {
        let message = Message::parse(frame.as_bytes(), &Rules::JSON_RPC).unwrap();
        pending.observe(&message, Revision::V2025_11_25)
    }

    /// Returns what has shown that its log has both sides.
    fn both_sides() -> Pending {
        Pending { has_both_sides: true, ..Pending::default() }
    }

    fn request(pending: &mut Pending, id: &str, method: &str) {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#);
        assert_eq!(observe(pending, &frame), None);
    }

    fn response(pending: &mut Pending, id: &str) -> Option<KnownMethod> {
        observe(pending, &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#))
    }

    #[test]
    fn a_response_has_the_method_of_the_request_with_its_id() {
        let pending = &mut both_sides();
        request(pending, "1", "ping");
        request(pending, "\"1\"", "tools/list");
        assert_eq!(response(pending, "2"), None);
        assert_eq!(response(pending, "\"\\u0031\""), Some(ToolsList));
        assert_eq!(response(pending, "1"), Some(Ping));
        assert_eq!(response(pending, "1"), None, "it was answered");
    }

    #[test]
    fn a_log_of_one_side_has_no_answers() {
        let pending = &mut Pending::default();
        for id in ["0", "1", "2", "3"] {
            request(pending, id, "tools/list");
        }
        assert_eq!((response(pending, "0"), response(pending, "1")), (None, None));
        let answer = r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}"#;
        assert_eq!(observe(pending, answer), Some(ToolsList));
        assert_eq!(response(pending, "3"), Some(ToolsList), "it does not fit, and is an answer");
    }

    #[test]
    fn two_requests_with_one_id_have_a_method_if_it_is_the_same() {
        let pending = &mut both_sides();
        request(pending, "1", "ping");
        request(pending, "1", "ping");
        assert_eq!(response(pending, "1"), Some(Ping));
        request(pending, "1", "tools/list");
        assert_eq!((response(pending, "1"), response(pending, "1")), (None, None));
        request(pending, "1", "tools/call");
        assert_eq!(response(pending, "1"), Some(ToolsCall));
    }

    /// A late response may answer a request of the session before, or of another one in the same log.
    #[test]
    fn a_request_of_another_session_is_not_forgotten() {
        let pending = &mut both_sides();
        request(pending, "1", "tools/call");
        request(pending, "0", "initialize");
        request(pending, "1", "ping");
        assert_eq!(response(pending, "1"), None);
    }

    #[test]
    fn a_result_with_faults_shows_both_sides_if_no_member_is_missing() {
        let pending = &mut Pending::default();
        request(pending, "0", "tools/list");
        let answer = r#"{"jsonrpc":"2.0","id":0,"result":{"tools":[{}]}}"#;
        assert_eq!(observe(pending, answer), Some(ToolsList));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let pending = &mut Pending::default();
        for id in 0..MOST + 10 {
            request(pending, &id.to_string(), "ping");
        }
        assert_eq!(pending.numbers.len() + pending.strings.len(), MOST);
        let long = format!("\"{}\"", "i".repeat(1000));
        request(&mut Pending::default(), &long, "ping");
    }
}
