//! The requests that are not answered yet in a log: a response is checked by the method of its request.

use std::borrow::{Borrow, Cow};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

use tautline::{Id, Message};
use tautline_mcp::shape::Shapes;
use tautline_mcp::{Era, KnownMethod, Revision, rule};

use super::key::Key;

/// The number of requests that are remembered.
const MOST: usize = 1 << 16;
/// The length of an id that is remembered, in bytes.
const LONGEST: usize = 256;

/// The methods of the requests that wait for a response, by id.
///
/// A log has no directions, so a client and a server may use the same id. If their methods differ, the method of both
/// responses counts as unknown. A log may also have the messages of one side only. Its responses then answer requests
/// that are not in the log, possibly under the same ids. So no response is treated as an answer until one has shown
/// that the log has both sides.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// The requests whose id is a number that consists of digits only.
    numbers: HashMap<u64, Waiting>,
    /// The requests whose id is another number, as it was written.
    others: HashMap<Key, Waiting>,
    /// The requests whose id is a string, without its escapes.
    strings: HashMap<Key, Waiting>,
    has_both_sides: bool,
}

#[derive(Debug)]
struct Waiting {
    /// The method of all of them, if it is the same and known.
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

    /// Returns the method of the request that has the id of a response.
    fn method_of(&mut self, message: &Message<'_>) -> Option<KnownMethod> {
        match message {
            Message::Request(request) => {
                let method = KnownMethod::named(request.method());
                let has_room = self.len() < MOST;
                match IdKey::of(request.id())? {
                    IdKey::Number(number) => add(self.numbers.entry(number), method, has_room),
                    IdKey::Other(text) => add(self.others.entry(text.into()), method, has_room),
                    IdKey::String(text) => {
                        add(self.strings.entry((*text).into()), method, has_room)
                    }
                }
                None
            }
            Message::Response(response) => match IdKey::of(response.id()?)? {
                IdKey::Number(number) => answered(&mut self.numbers, &number),
                IdKey::Other(text) => answered(&mut self.others, text),
                IdKey::String(text) => answered(&mut self.strings, &*text),
            },
            _ => None,
        }
    }

    /// Returns the number of ids.
    fn len(&self) -> usize {
        self.numbers.len() + self.others.len() + self.strings.len()
    }
}

/// An id, as it is looked up.
enum IdKey<'buf> {
    Number(u64),
    /// A number that has a sign, a fraction or an exponent, or is large, as it was written.
    Other(&'buf [u8]),
    /// A string, without its escapes.
    String(Cow<'buf, [u8]>),
}

impl<'buf> IdKey<'buf> {
    /// Returns the key for an id, unless the id is too long.
    fn of(id: Id<'buf>) -> Option<Self> {
        let key = match id {
            Id::String(text) if text.has_escapes() => {
                Self::String(Cow::Owned(text.decode().ok()?.into_owned().into_bytes()))
            }
            Id::String(text) => Self::String(text.escaped_bytes().into()),
            Id::Number(number) => match plain(number.as_bytes()) {
                Some(number) => Self::Number(number),
                None => Self::Other(number.as_bytes()),
            },
            Id::Null => return None,
        };
        let is_short = match &key {
            Self::Number(_) => true,
            Self::Other(text) => text.len() <= LONGEST,
            Self::String(text) => text.len() <= LONGEST,
        };
        is_short.then_some(key)
    }
}

/// Returns the value of a number that consists of digits only. It is written in one way: JSON has no leading zeros.
fn plain(number: &[u8]) -> Option<u64> {
    // No number of 19 digits is too large.
    if number.len() > 19 {
        return None;
    }
    number.iter().try_fold(0, |value: u64, byte| {
        byte.is_ascii_digit().then(|| value * 10 + u64::from(byte - b'0'))
    })
}

/// Adds a request to those with the same id.
fn add<K>(entry: Entry<'_, K, Waiting>, method: Option<KnownMethod>, has_room: bool) {
    match entry {
        Entry::Occupied(mut entry) => {
            let waiting = entry.get_mut();
            waiting.method = waiting.method.filter(|_| waiting.method == method);
            waiting.count = waiting.count.saturating_add(1);
        }
        Entry::Vacant(entry) => {
            if has_room {
                entry.insert(Waiting { method, count: 1 });
            }
        }
    }
}

/// Removes one request with this id, and returns the method of all of them.
fn answered<K, Q>(by_id: &mut HashMap<K, Waiting>, id: &Q) -> Option<KnownMethod>
where
    K: Eq + Hash + Borrow<Q>,
    Q: Eq + Hash + ?Sized,
{
    // Few ids are shared, so one search removes most.
    let (id, mut waiting) = by_id.remove_entry(id)?;
    let method = waiting.method;
    waiting.count -= 1;
    if waiting.count > 0 {
        by_id.insert(id, waiting);
    }
    method
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

    use super::{MOST, Pending};

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

    #[test]
    fn ids_that_are_written_differently_are_different() {
        // Texts of 36 bytes are the longest that are kept without an allocation.
        let texts = [35, 36, 37, 256].map(|length| format!("\"{}\"", "i".repeat(length)));
        let numbers = [
            "0",
            "-0",
            "1",
            "-1",
            "1.0",
            "1e0",
            "9999999999999999999",
            "10000000000000000000",
            "18446744073709551616",
            "18446744073709551617",
        ];
        let ids = numbers.into_iter().chain(["\"\"", "\"1\""]);
        let ids: Vec<&str> = ids.chain(texts.iter().map(String::as_str)).collect();
        for asked in &ids {
            let pending = &mut both_sides();
            request(pending, asked, "ping");
            for id in ids.iter().filter(|id| *id != asked) {
                assert_eq!(response(pending, id), None, "{asked} {id}");
            }
            assert_eq!(response(pending, asked), Some(Ping), "{asked}");
        }
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let pending = &mut Pending::default();
        for id in 0..MOST + 10 {
            request(pending, &id.to_string(), "ping");
        }
        assert_eq!(pending.len(), MOST);
        let long = format!("\"{}\"", "i".repeat(1000));
        request(&mut Pending::default(), &long, "ping");
    }
}
