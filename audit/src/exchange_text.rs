//! HTTP exchanges as text, as examples write them.
//!
//! Lines of the client begin with `>`, and those of the server with `<`. A request begins with its method and path, and a
//! response with its status. Header lines follow, then an empty line and the body, if there is one. `[open REVISION ID]`
//! stands for the exchanges that open a session with this id.

use tautline_mcp::Role;

use crate::source::http::Part;
use crate::source::{Fields, RequestHead, ResponseHead};
use crate::step::Step;

/// The parts of exchanges so far.
#[derive(Default)]
struct Text {
    steps: Vec<Step>,
    number: u64,
    open: Option<Open>,
}

/// A request or a response whose lines come in.
struct Open {
    from: Role,
    first: &'static str,
    headers: Fields<'static>,
    /// The lines of the body, after an empty line.
    body: Option<Vec<&'static str>>,
}

/// Returns the steps of a text.
fn steps(lines: impl Iterator<Item = &'static str>) -> Vec<Step> {
    let mut text = Text::default();
    for line in lines {
        text.line(line);
    }
    text.close();
    text.steps
}

impl Step {
    /// Returns the steps of HTTP exchanges: lines of the client begin with `>`, and those of the server with `<`.
    ///
    /// ```
    /// use tautline_audit::Step;
    ///
    /// let steps = Step::of_exchanges("\
    /// > DELETE /mcp
    /// > Mcp-Session-Id: abc
    /// < 204
    /// ");
    /// // Two heads, and the ends of two bodies.
    /// assert_eq!(steps.len(), 4);
    /// ```
    #[must_use]
    pub fn of_exchanges(text: &'static str) -> Vec<Self> {
        steps(text.lines())
    }
}

impl Text {
    fn line(&mut self, line: &'static str) {
        if let Some(remark) = line.strip_prefix("[open ").and_then(|rest| rest.strip_suffix(']')) {
            self.close();
            let (revision, id) = remark.split_once(' ').unwrap_or((remark, ""));
            return self.handshake(revision, id);
        }
        let (from, rest) = match (line.strip_prefix('>'), line.strip_prefix('<')) {
            (Some(rest), _) => (Role::Client, rest),
            (_, Some(rest)) => (Role::Server, rest),
            _ => return,
        };
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        let Some(open) = self.open.as_mut().filter(|open| open.from == from) else {
            self.close();
            self.number += u64::from(from == Role::Client);
            self.open = Some(Open { from, first: rest, headers: Vec::new(), body: None });
            return;
        };
        match (&mut open.body, rest.split_once(": ")) {
            (Some(body), _) => body.push(rest),
            (None, _) if rest.is_empty() => open.body = Some(Vec::new()),
            (None, Some((name, value))) => open.headers.push((name.into(), value.into())),
            (None, None) => {}
        }
    }

    /// Ends the request or the response.
    fn close(&mut self) {
        let Some(Open { from, first, headers, body }) = self.open.take() else { return };
        let head = match from {
            Role::Client => {
                let (method, target) = first.split_once(' ').unwrap_or((first, "/mcp"));
                Part::Request(RequestHead { method: method.into(), target: target.into(), headers })
            }
            Role::Server => {
                Part::Response(ResponseHead { status: first.parse().unwrap_or_default(), headers })
            }
        };
        self.push(head);
        for line in body.into_iter().flatten() {
            for bytes in [line.as_bytes(), b"\n"] {
                self.push(Part::Bytes { from, bytes });
            }
        }
        self.push(Part::Closed { from, trailers: Vec::new() });
    }

    fn push(&mut self, part: Part<'static>) {
        self.steps.push(Step::Part(self.number, part));
    }

    /// Adds the exchanges that open a session.
    fn handshake(&mut self, revision: &'static str, id: &'static str) {
        let initialize = [
            r#"{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":""#,
            revision,
            r#"","capabilities":{},"clientInfo":{"name":"n","version":"1"}}}"#,
        ];
        let result = [
            r#"{"jsonrpc":"2.0","id":"open","result":{"protocolVersion":""#,
            revision,
            r#"","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"n","version":"1"}}}"#,
        ];
        let initialized = [r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#];
        let json = ("Content-Type".into(), "application/json".into());
        let accept = ("Accept".into(), "application/json, text/event-stream".into());
        let session = ("Mcp-Session-Id".into(), id.into());
        let version = ("MCP-Protocol-Version".into(), revision.into());
        let sent: Fields<'static> = vec![json.clone(), accept];
        let given = if id.is_empty() { vec![json] } else { vec![json, session.clone()] };
        self.exchange(sent.clone(), &initialize, 200, given, &result);
        let mut later = sent;
        later.push(version);
        later.extend((!id.is_empty()).then_some(session));
        self.exchange(later, &initialized, 202, Vec::new(), &[]);
    }

    fn exchange(
        &mut self,
        sent: Fields<'static>,
        body: &[&'static str],
        status: u16,
        given: Fields<'static>,
        answer: &[&'static str],
    ) {
        self.number += 1;
        let request = RequestHead { method: "POST".into(), target: "/mcp".into(), headers: sent };
        self.push(Part::Request(request));
        let bytes = |from| move |text: &&'static str| Part::Bytes { from, bytes: text.as_bytes() };
        let closed = |from| Part::Closed { from, trailers: Vec::new() };
        body.iter().map(bytes(Role::Client)).for_each(|part| self.push(part));
        self.push(closed(Role::Client));
        self.push(Part::Response(ResponseHead { status, headers: given }));
        answer.iter().map(bytes(Role::Server)).for_each(|part| self.push(part));
        self.push(closed(Role::Server));
    }
}
