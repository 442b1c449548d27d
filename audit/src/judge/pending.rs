//! The requests that are not answered yet in a log: a response is checked by the method of its request.

use tautline::Message;
use tautline_mcp::session::{Heap, Session};
use tautline_mcp::shape::Shapes;
use tautline_mcp::{Era, KnownMethod, Revision, Role, rule};

/// The methods of the requests that wait for a response, by id.
///
/// A log has no directions, so a client and a server may use the same id. If their methods differ, the method of both
/// responses counts as unknown. A log may also have the messages of one side only. Its responses then answer requests
/// that are not in the log, possibly under the same ids. So no response is treated as an answer until one has shown
/// that the log has both sides.
#[derive(Debug)]
pub(super) struct Pending {
    requests: Session<Heap>,
    has_both_sides: bool,
}

impl Default for Pending {
    fn default() -> Self {
        Self { requests: Session::new(Heap::new()), has_both_sides: false }
    }
}

impl Pending {
    /// Observes a message, and returns the method that it answers, if that is certain.
    pub(super) fn observe(
        &mut self,
        message: &Message<'_>,
        revision: Revision,
    ) -> Option<KnownMethod> {
        // All requests count as those of one side.
        let from =
            if matches!(message, Message::Response(_)) { Role::Server } else { Role::Client };
        let pairing = self.requests.pair(from, message);
        let Message::Response(response) = message else { return None };
        let method = pairing.method()?;
        self.has_both_sides |= revision.era() == Era::Modern;
        if !self.has_both_sides
            && tells(method)
            && let Some(result) = response.result_span()
        {
            // A result with invalid members still belongs to the method, but not a result without a required member.
            let mut is_complete = true;
            Shapes::of(revision).check(message, Some(method), |finding| {
                let is_of_result = finding.offset() == Some(result.start());
                is_complete &= !(is_of_result && finding.rule() == rule::MISSING_MEMBER);
            });
            self.has_both_sides = is_complete;
        }
        Some(method).filter(|_| self.has_both_sides)
    }
}

/// Returns whether the result of this method is distinctive: no result of another method has its required members. The
/// other methods' results have no required member, or only one that others have too.
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
    use tautline::{Message, Profile};
    use tautline_mcp::KnownMethod::{self, Ping, ToolsCall, ToolsList};
    use tautline_mcp::Revision;

    use super::Pending;

    fn observe(pending: &mut Pending, frame: &str) -> Option<KnownMethod> {
        let message = Message::parse(frame.as_bytes(), &Profile::JSON_RPC).unwrap();
        pending.observe(&message, Revision::V2025_11_25)
    }

    /// Returns the state after a response has shown that the log has both sides.
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

    /// A late response may answer a request of the previous session, or of another session in the same log.
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
}
