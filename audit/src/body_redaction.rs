//! The replacement of values in the bodies of HTTP exchanges, and in the headers that repeat them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

use tautline_mcp::Role;
use tautline_mcp::http::Field;

use crate::event_redaction::Events;
use crate::redaction::{MARKER, Redaction};
use crate::source::Fields;
use crate::source::http::Part;

/// The most bodies that are read at the same time, and the most bytes that are kept of them. Others are replaced as a
/// whole.
const MOST: usize = 4096;
const MOST_BYTES: usize = 256 * 1024 * 1024;

/// Replaces values in exchanges.
#[derive(Debug)]
pub(crate) struct BodyRedactor {
    redaction: Redaction,
    limit: usize,
    open: BTreeMap<(u64, bool), Body>,
    /// The bytes that are kept of bodies that are one message.
    kept: usize,
}

/// A body that was not read to its end.
#[derive(Debug)]
enum Body {
    /// One message.
    Whole(Vec<u8>),
    Events(Events),
    /// It is too long, compressed, or not all there. Values can't be found in it.
    Unreadable,
}

/// A receiver of parts.
type Receive<'a> = dyn FnMut(&Part<'_>) -> io::Result<()> + 'a;

impl BodyRedactor {
    pub fn new(redaction: Redaction, limit: u32) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Self { redaction, limit, open: BTreeMap::new(), kept: 0 }
    }

    /// Passes on a part without the values, or keeps it until its message is complete.
    pub fn part(
        &mut self,
        exchange: u64,
        part: &Part<'_>,
        receive: &mut Receive<'_>,
    ) -> io::Result<()> {
        match part {
            Part::Request(head) => {
                self.begin(exchange, Role::Client, &head.headers);
                let mut head = head.clone();
                self.replace_mirrors(&mut head.headers);
                receive(&Part::Request(head))
            }
            Part::Response(head) => {
                self.begin(exchange, Role::Server, &head.headers);
                receive(part)
            }
            Part::Bytes { from, bytes } => self.bytes(exchange, *from, bytes, receive),
            Part::Omitted { from, .. } => {
                match self.open.get_mut(&key(exchange, *from)) {
                    Some(Body::Events(events)) => events.skip(),
                    Some(_) => self.give_up(exchange, *from),
                    None => {}
                }
                receive(part)
            }
            Part::Closed { from, .. } => {
                self.close(exchange, *from, receive)?;
                if *from == Role::Server {
                    self.leave(exchange, receive)?;
                }
                receive(part)
            }
            Part::Aborted { .. } => {
                for from in [Role::Client, Role::Server] {
                    self.give_up(exchange, from);
                    self.open.remove(&key(exchange, from));
                }
                receive(part)
            }
        }
    }

    fn begin(&mut self, exchange: u64, from: Role, headers: &Fields<'_>) {
        let value = |name: &str| {
            let field = headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
            field.map(|(_, value)| value.to_ascii_lowercase())
        };
        let encoding = value("content-encoding").unwrap_or_default();
        let is_encoded = !matches!(encoding.as_str(), "" | "identity");
        let is_events = value("content-type").is_some_and(|types| types.contains("event-stream"));
        let body = match (is_encoded || self.open.len() >= MOST, is_events) {
            (true, _) => Body::Unreadable,
            (false, true) => Body::Events(Events::new(self.limit)),
            (false, false) => Body::Whole(Vec::new()),
        };
        self.open.insert(key(exchange, from), body);
    }

    fn bytes(
        &mut self,
        exchange: u64,
        from: Role,
        bytes: &[u8],
        receive: &mut Receive<'_>,
    ) -> io::Result<()> {
        let Self { redaction, limit, open, kept: all } = self;
        let Some(body) = open.get_mut(&key(exchange, from)) else {
            // The exchange has ended.
            return receive(&Part::Omitted { from, count: bytes.len() as u64 });
        };
        match body {
            Body::Whole(kept)
                if kept.len() + bytes.len() <= *limit && *all + bytes.len() <= MOST_BYTES =>
            {
                *all += bytes.len();
                kept.extend_from_slice(bytes);
                Ok(())
            }
            Body::Events(events) => {
                let events = events.push(bytes, redaction);
                emit(from, &events, receive)
            }
            Body::Whole(_) => {
                self.give_up(exchange, from);
                Ok(())
            }
            Body::Unreadable => Ok(()),
        }
    }

    /// Drops a body, in which values can't be found.
    fn give_up(&mut self, exchange: u64, from: Role) {
        if let Some(body) = self.open.get_mut(&key(exchange, from))
            && let Body::Whole(kept) = std::mem::replace(body, Body::Unreadable)
        {
            self.kept = self.kept.saturating_sub(kept.len());
        }
    }

    fn close(&mut self, exchange: u64, from: Role, receive: &mut Receive<'_>) -> io::Result<()> {
        match self.open.remove(&key(exchange, from)) {
            Some(Body::Whole(kept)) if !kept.is_empty() => {
                self.kept = self.kept.saturating_sub(kept.len());
                emit(from, &self.redaction.apply(&kept), receive)
            }
            Some(Body::Unreadable) => emit(from, format!("\"{MARKER}\"").as_bytes(), receive),
            // A partial event is never delivered.
            Some(Body::Whole(_) | Body::Events(_)) | None => Ok(()),
        }
    }

    /// Forgets a request that was answered before it was read to its end. The rest may never come.
    fn leave(&mut self, exchange: u64, receive: &mut Receive<'_>) -> io::Result<()> {
        let from = Role::Client;
        match self.open.remove(&key(exchange, from)) {
            Some(Body::Whole(kept)) if !kept.is_empty() => {
                self.kept = self.kept.saturating_sub(kept.len());
                receive(&Part::Omitted { from, count: kept.len() as u64 })
            }
            Some(Body::Unreadable) => emit(from, format!("\"{MARKER}\"").as_bytes(), receive),
            Some(Body::Whole(_) | Body::Events(_)) | None => Ok(()),
        }
    }

    /// Replaces the headers that repeat a value which may be replaced.
    fn replace_mirrors(&self, headers: &mut Fields<'_>) {
        for (name, value) in headers {
            let is_replaced = match Field::named(name.as_bytes()) {
                Some(Field::Parameter) => true,
                Some(Field::Name) => ["name", "uri", "taskId"]
                    .iter()
                    .any(|member| self.redaction.covers(&["params", member])),
                Some(Field::Method) => self.redaction.covers(&["method"]),
                _ => false,
            };
            if is_replaced {
                *value = Cow::Borrowed(MARKER);
            }
        }
    }
}

fn key(exchange: u64, from: Role) -> (u64, bool) {
    (exchange, from == Role::Server)
}

fn emit(from: Role, bytes: &[u8], receive: &mut Receive<'_>) -> io::Result<()> {
    match bytes {
        [] => Ok(()),
        bytes => receive(&Part::Bytes { from, bytes }),
    }
}

#[cfg(test)]
mod tests {
    use tautline_mcp::Role;

    use super::BodyRedactor;
    use crate::Step;
    use crate::redaction::Redaction;
    use crate::source::http::Part;

    /// Returns the bytes of the bodies of both sides, and the values of the headers.
    fn redacted(paths: &[&str], text: &'static str, chunk: usize) -> [String; 3] {
        let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
        let mut redactor = BodyRedactor::new(Redaction::parse(&paths).unwrap(), 1000);
        let mut found = [const { String::new() }; 3];
        for step in Step::of_exchanges(text) {
            let Step::Part(number, part) = step else { unreachable!() };
            let parts = match part {
                Part::Bytes { from, bytes } => {
                    bytes.chunks(chunk).map(|bytes| Part::Bytes { from, bytes }).collect()
                }
                part => vec![part],
            };
            for part in parts {
                let receive = &mut |part: &Part<'_>| {
                    match part {
                        Part::Bytes { from, bytes } => {
                            let text = std::str::from_utf8(bytes).unwrap();
                            found[usize::from(*from == Role::Server)].push_str(text);
                        }
                        Part::Request(head) => {
                            head.headers.iter().for_each(|(_, value)| found[2] += value);
                        }
                        _ => {}
                    }
                    Ok(())
                };
                redactor.part(number, &part, receive).unwrap();
            }
        }
        found
    }

    const EXCHANGE: &str = "\
> POST /mcp
> Mcp-Method: tools/call
> Mcp-Name: secret
> Mcp-Param-Key: secret
>
> {\"params\":{\"name\":\"secret\",\"arguments\":{\"key\":\"secret\"}}}
< 200
< Content-Type: text/event-stream
<
< : secret
< id: 7
< data: {\"key\":\"secret\",
< data: \"a\":1}
<
< data: secret
<
< data: {\"key\":\"sec
";

    #[test]
    fn no_value_is_left_in_bodies_and_headers() {
        for chunk in [1, 7, 1000] {
            let [request, response, headers] = redacted(&["key", "params.name"], EXCHANGE, chunk);
            assert_eq!(
                request,
                "{\"params\":{\"name\":\"[redacted]\",\"arguments\":{\"key\":\"[redacted]\"}}}\n"
            );
            assert_eq!(
                response,
                ":\nid: 7\ndata: {\"key\":\"[redacted]\",\ndata: \"a\":1}\n\ndata: \"[redacted]\"\n\n"
            );
            assert_eq!(headers, "tools/call[redacted][redacted]");
        }
        // The name is not replaced, and the parameters always are.
        assert_eq!(redacted(&["key"], EXCHANGE, 1000)[2], "tools/callsecret[redacted]");
    }

    /// A server may answer before it has read the request, whose rest may come later or never.
    #[test]
    fn a_request_that_is_not_read_is_not_kept() {
        let redaction = Redaction::parse(&["a".to_owned()]).unwrap();
        let mut redactor = BodyRedactor::new(redaction, 1000);
        let mut omitted = Vec::new();
        let from = Role::Client;
        let bytes = Part::Bytes { from, bytes: b"{\"a\":1" };
        let parts = Step::of_exchanges("> POST /mcp\n< 413\n");
        let mut parts = parts.into_iter().filter_map(|step| match step {
            Step::Part(_, part @ (Part::Request(_) | Part::Response(_))) => Some(part),
            _ => None,
        });
        let (request, response) = (parts.next().unwrap(), parts.next().unwrap());
        let closed = Part::Closed { from: Role::Server, trailers: Vec::new() };
        for part in [request, bytes.clone(), response, closed, bytes] {
            let receive = &mut |part: &Part<'_>| {
                match part {
                    Part::Omitted { from: Role::Client, count } => omitted.push(*count),
                    Part::Bytes { .. } => panic!("{part:?}"),
                    _ => {}
                }
                Ok(())
            };
            redactor.part(1, &part, receive).unwrap();
        }
        assert_eq!((redactor.open.len(), redactor.kept), (0, 0));
        assert_eq!(omitted, [6, 6]);
    }

    #[test]
    fn what_can_not_be_read_is_replaced_as_a_whole() {
        let long = format!("> POST /mcp\n>\n> {{\"a\":\"{}\"}}\n< 202\n", "x".repeat(2000));
        for text in [
            long.leak(),
            "> POST /mcp\n> Content-Encoding: gzip\n>\n> {\"a\":1}\n< 202\n",
            "> POST /mcp\n>\n> secret\n< 202\n",
        ] {
            assert_eq!(redacted(&["b"], text, 100)[0], "\"[redacted]\"");
        }
    }
}
