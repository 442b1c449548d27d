//! The session of the Rust crate.

use tautline::encode::{Encoder, Slice};
use tautline::{Fault, Id, Message, RawJson};
use tautline_mcp::session::{Broken, Completion, Event, Session, Slot};
use tautline_mcp::{Era, KnownMethod, MetaView, ParamsView, Revision, Role, meta};

use crate::meaning::{Meaning, finding, method_number};

/// The session of the Rust crate.
pub(crate) struct Reference {
    pub(crate) session: Session<Vec<Slot>>,
    pub(crate) supported: &'static [Revision],
}

impl Reference {
    /// Observes a fault. Returns whether its reply may be sent as well. `is_no_call` is true if the frame has neither a
    /// method nor parameters.
    pub(crate) fn fault(
        &mut self,
        from: Role,
        fault: &Fault<'_>,
        is_no_call: bool,
    ) -> (Meaning, bool) {
        let owed = fault.reply();
        let id = fault.id().and_then(Id::of).filter(|_| match &owed {
            Some(reply) => reply.id().is_some_and(|id| id != Id::Null),
            None => true,
        });
        let code = owed.map_or(0, |reply| reply.code().value());
        let verdict = id.map_or(Broken::Owed, |id| {
            self.session.observe_broken(from, &id, owed.is_some(), is_no_call)
        });
        let meaning = match verdict {
            Broken::Owed => Meaning { code, ..Meaning::default() },
            Broken::Silent => Meaning::default(),
            Broken::Answer { method, late } => {
                let method = method_number(method);
                Meaning { kind: 6, completion: 6, method, late, ..Meaning::default() }
            }
        };
        (meaning, verdict == Broken::Owed && code != 0)
    }

    pub(crate) fn message(&mut self, from: Role, message: &Message<'_>) -> (Meaning, Vec<u8>) {
        let mut seen = Meaning::default();
        let mut refused = Vec::new();
        let mut requested = None;
        if let Message::Batch(_) = message {
            return (Meaning { kind: 9, ..seen }, refused);
        }
        let event = self.session.receive(from, message, |one| seen.findings.push(finding(one)));
        let call = match message {
            Message::Request(request) => Some(request.call()),
            Message::Notification(notification) => Some(notification.call()),
            _ => None,
        };
        let method = call.and_then(|call| KnownMethod::named(call.method()));
        seen.method = method_number(method);
        match event {
            Event::Request => seen.kind = 1,
            Event::Refused(refusal) => {
                seen.kind = 2;
                seen.rule = refusal.rule().number();
                seen.place = refusal.offset();
                seen.code = refusal.code().value();
                let quoted = |text: &[u8]| format!("\"{}\"", String::from_utf8_lossy(text));
                requested = refusal.requested().map(|text| quoted(text.escaped_bytes()));
                let mut room = vec![0; 2000];
                let mut encoder = Encoder::new(Slice::new(&mut room));
                let id = call.unwrap().id().unwrap();
                encoder.error(id, refusal.error(self.supported)).unwrap();
                refused = encoder.output().written().to_vec();
            }
            Event::Notification => seen.kind = 3,
            Event::Ignored(rule) => {
                seen.kind = 4;
                seen.rule = rule.number();
            }
            Event::Cancelled { method, .. } => {
                seen.kind = 5;
                seen.method = method_number(method);
            }
            Event::Response { method, completion, late, .. } => {
                seen.kind = 6;
                seen.method = method_number(method);
                seen.late = late;
                seen.completion = match completion {
                    Completion::Done => 1,
                    Completion::ToolFailed => 2,
                    Completion::InputRequired => 3,
                    Completion::TaskCreated => 4,
                    Completion::Extended => 5,
                    Completion::Invalid => 6,
                    Completion::Failed(code) => {
                        seen.code = code.map_or(0, |code| code.value());
                        7
                    }
                    other => panic!("{other:?}"),
                };
            }
            Event::Untracked => seen.kind = 7,
            Event::Unmatched => seen.kind = 8,
            other => panic!("{other:?}"),
        }
        if let Some(call) = call {
            let params = call.params();
            seen.views = views(method, params);
            let [.., version, _, _, _] = &mut seen.views;
            *version = requested.or(version.take());
            // These members make a request one of the modern era, if the server serves that.
            let serves = self.supported.iter().any(|one| one.era() == Era::Modern);
            let meta = params.and_then(|params| params.member("_meta"));
            let names = [
                meta::PROTOCOL_VERSION,
                meta::CLIENT_CAPABILITIES,
                meta::CLIENT_INFO,
                meta::LOG_LEVEL,
            ];
            let has = |meta: RawJson<'_>| names.iter().any(|name| meta.member(name).is_some());
            let is_of_era = matches!(
                method,
                Some(KnownMethod::ServerDiscover | KnownMethod::SubscriptionsListen)
            );
            let modern = serves && (is_of_era || meta.is_some_and(has));
            seen.modern = (seen.kind == 1 && from == Role::Client).then_some(modern);
        }
        (seen, refused)
    }
}

/// The members of the parameters that a server needs, as they are written.
fn views(method: Option<KnownMethod>, params: Option<RawJson<'_>>) -> [Option<String>; 7] {
    let Some(params) = params.and_then(ParamsView::of) else { return Default::default() };
    let meta = params.meta();
    let meta = meta.as_ref();
    let written = |value: &dyn Fn(&str) -> Option<String>, name: &str| value(name);
    let member = |name: &str| params.object().member(name).map(|value| value.to_string());
    let in_meta = |name: &str| meta?.object().member(name).map(|value| value.to_string());
    let initializes = method == Some(KnownMethod::Initialize);
    let progresses = method == Some(KnownMethod::Progress);
    [
        params.name().and_then(|_| written(&member, "name")),
        params.arguments().and_then(|_| written(&member, "arguments")),
        params.uri().and_then(|_| written(&member, "uri")),
        match initializes {
            true => params.protocol_version().and_then(|_| member("protocolVersion")),
            false => meta
                .and_then(MetaView::protocol_version)
                .and_then(|_| in_meta(meta::PROTOCOL_VERSION)),
        },
        match initializes {
            true => params.capabilities().and_then(|_| member("capabilities")),
            false => meta
                .and_then(MetaView::client_capabilities)
                .and_then(|_| in_meta(meta::CLIENT_CAPABILITIES)),
        },
        match progresses {
            true => params.progress_token().and_then(|_| member("progressToken")),
            false => {
                meta.and_then(MetaView::progress_token).and_then(|_| in_meta(meta::PROGRESS_TOKEN))
            }
        },
        params.request_id().and_then(|_| member("requestId")),
    ]
}
