//! The revisions that a server claims, and what it offers.
//!
//! A client of both eras sends `server/discover` first, and falls back to `initialize` if that fails in any way. The
//! probe asks for each revision in a separate process, so that one request can't influence the next. A server claims a
//! revision if it names the revision in the answer that opens a session of it, because nothing else was negotiated.

use serde_json::{Value, json};
use tautline::Severity;
use tautline::frame::{DEFAULT_LIMIT, FramingKind};
use tautline_audit::frame::{MaxFindings, Piece, Reporter};
use tautline_audit::judge::OneSide;
use tautline_audit::printable;
use tautline_audit::wire::{Around, Wire, WireEvent};
use tautline_conformance::Corpus;
use tautline_mcp::{Revision, rule};

use super::interrupt::Cut;
use super::session::{NotOpened, Refused, Session, Setup};

/// A session in which a server can be asked for something.
pub trait Asking {
    /// Sends a request, and returns its result, or `None` if there is none.
    fn ask(&mut self, id: &str, request: &str) -> Result<Option<Value>, Cut>;
}

impl Asking for Session<'_> {
    fn ask(&mut self, id: &str, request: &str) -> Result<Option<Value>, Cut> {
        self.request(id, request)
    }
}

/// The introduction of a server: names, revisions, offers.
#[derive(Clone, Debug, Default)]
pub struct About {
    pub name: Option<String>,
    pub version: Option<String>,
    /// The revisions that it claims, the oldest first.
    pub claimed: Vec<String>,
    /// The revisions that it does not claim, each with the reason.
    pub unclaimed: Vec<(String, String)>,
    /// The names of its capabilities.
    pub capabilities: Vec<String>,
    /// The kinds of items that it lists, each with the number of items.
    pub offers: Vec<(&'static str, Count)>,
    /// The end of its standard error from the first session that could not be opened, if there is one.
    pub stderr: Vec<u8>,
    /// Set if it does not answer `ping`.
    pub no_ping: Option<NoPing>,
    /// The rules that its responses over HTTP break, beside the verdicts of the cases.
    pub remarks: Vec<Remark>,
}

/// A rule that responses break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    pub rule: &'static str,
    pub message: &'static str,
    /// The number of cases in which a response breaks it.
    pub count: usize,
    /// The first of these cases.
    pub case: String,
}

/// A server does not answer `ping` with a result, as each revision with a handshake demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPing {
    /// A method that the server answers with a result. The cases use it in place of `ping`.
    pub instead: Option<&'static str>,
}

impl NoPing {
    /// Returns the fault in words.
    pub fn words(self) -> String {
        let words = "the server does not answer it with a result";
        match self.instead {
            Some(method) => format!("{words}; the cases use {method} instead"),
            None => words.to_owned(),
        }
    }
}

/// The number of items in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    Exactly(usize),
    /// The list continues after its first page.
    AtLeast(usize),
}

/// The lists: the capability, the method, and the member of the result.
const LISTS: [(&str, &str, &str); 3] = [
    ("tools", "tools/list", "tools"),
    ("prompts", "prompts/list", "prompts"),
    ("resources", "resources/list", "resources"),
];

/// The member of `_meta` in which a modern server names itself.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

impl About {
    /// Asks a server for these revisions.
    ///
    /// # Errors
    ///
    /// Fails if the server can't be started.
    pub fn ask<'a>(
        setup: Setup<'a>,
        corpus: &'a Corpus,
        revisions: impl DoubleEndedIterator<Item = &'a str>,
    ) -> Result<Self, NotOpened> {
        let mut about = Self::default();
        let mut has_pinged = false;
        // The newest revision first, as clients do.
        for revision in revisions.rev() {
            let Some(script) = corpus.sessions.get(revision) else { continue };
            match Session::open(setup, script) {
                Ok((mut session, result)) => {
                    match answered(&result, revision) {
                        Ok(()) => {
                            about.meet(&mut session, &script.survival, &result)?;
                            if is_ping(&script.survival) && !has_pinged {
                                about.no_ping = no_ping(&mut session, &script.survival, &result)?;
                                has_pinged = true;
                            }
                            about.claimed.push(revision.to_owned());
                        }
                        Err(why) => about.unclaimed.push((revision.to_owned(), why)),
                    }
                    session.end();
                }
                Err(NotOpened::Refused(Refused { mut why, is_answered, received, stderr })) => {
                    let sent = First::of(received.bytes(), revision);
                    // An answer is explained only by what is wrong with it.
                    let sent =
                        sent.filter(|sent| sent.severity == Some(Severity::Error) || !is_answered);
                    if let Some(First { words, .. }) = sent {
                        why = format!("{why}; {words}");
                    }
                    let words = String::from_utf8_lossy(&stderr);
                    if let Some(line) = words.lines().rfind(|line| !line.trim().is_empty()) {
                        why = format!("{why}; its standard error ends with: {line}");
                    }
                    about.unclaimed.push((revision.to_owned(), why));
                    if about.stderr.is_empty() {
                        about.stderr = stderr;
                    }
                }
                Err(other) => return Err(other),
            }
        }
        about.claimed.reverse();
        about.unclaimed.reverse();
        Ok(about)
    }

    /// Records what a server says about itself when a session is opened. `survival` is the message of the survival
    /// request.
    pub fn meet(
        &mut self,
        session: &mut impl Asking,
        survival: &str,
        result: &Value,
    ) -> Result<(), Cut> {
        if self.name.is_none() {
            self.introduce(result);
        }
        if self.claimed.is_empty() { self.describe(session, survival, result) } else { Ok(()) }
    }

    /// Records that a response breaks a rule.
    #[cfg(feature = "http")]
    pub fn note(&mut self, rule: &'static str, message: &'static str, case: &str) {
        match self.remarks.iter_mut().find(|remark| remark.rule == rule) {
            Some(remark) => remark.count += 1,
            None => self.remarks.push(Remark { rule, message, count: 1, case: case.to_owned() }),
        }
    }

    /// Records the name of a server. It may give its name in one era and not in the other.
    fn introduce(&mut self, result: &Value) {
        let info = result.get("serverInfo");
        let info = info.or_else(|| result.get("_meta").and_then(|meta| meta.get(SERVER_INFO)));
        let text = |name| {
            let text = info.and_then(|info| info.get(name)?.as_str());
            text.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        (self.name, self.version) = (text("name"), text("version"));
    }

    /// Records the capabilities that a server declared when the session was opened, and requests its lists.
    fn describe(
        &mut self,
        session: &mut impl Asking,
        survival: &str,
        result: &Value,
    ) -> Result<(), Cut> {
        let Some(Value::Object(capabilities)) = result.get("capabilities") else { return Ok(()) };
        self.capabilities = capabilities.keys().cloned().collect();
        // The survival request of a revision contains the metadata that each request needs.
        let sample: Value =
            serde_json::from_str(&survival.replace("{ID}", "0")).unwrap_or_default();
        let meta = sample.pointer("/params/_meta");
        for (capability, method, member) in LISTS {
            if !capabilities.contains_key(capability) {
                continue;
            }
            let mut request = json!({"jsonrpc": "2.0", "id": method, "method": method});
            if let Some(meta) = meta {
                request["params"] = json!({ "_meta": meta });
            }
            let id = json!(method).to_string();
            let Some(result) = session.ask(&id, &format!("{request}\n"))? else { continue };
            let Some(list) = result.get(member).and_then(Value::as_array) else { continue };
            let count = match result.get("nextCursor") {
                Some(Value::String(_)) => Count::AtLeast(list.len()),
                _ => Count::Exactly(list.len()),
            };
            self.offers.push((member, count));
        }
        Ok(())
    }
}

impl Remark {
    /// Returns the remark in words.
    pub fn words(&self) -> String {
        let Self { rule, message, count, case } = self;
        match count {
            1 => format!("{rule}: {message} ({case})"),
            _ => format!("{rule}: {message} ({count} cases, such as {case})"),
        }
    }
}

/// The method of the request that each peer answers, in revisions with a handshake.
pub const PING: &str = "ping";

/// Returns whether the survival request of a revision is a ping.
fn is_ping(survival: &str) -> bool {
    survival.contains("\"method\":\"ping\"")
}

/// Sends a ping. If it gets no result, looks for a request of a list that gets one.
fn no_ping(
    session: &mut Session<'_>,
    survival: &str,
    result: &Value,
) -> Result<Option<NoPing>, Cut> {
    let id = json!(PING).to_string();
    if session.ask(&id, &survival.replace("{ID}", &id))?.is_some() {
        return Ok(None);
    }
    let mut instead = None;
    for (capability, method, _) in LISTS {
        if instead.is_none()
            && result.pointer("/capabilities").is_some_and(|all| all.get(capability).is_some())
        {
            let id = json!(format!("instead of ping: {method}")).to_string();
            let request =
                survival.replace("{ID}", &id).replace("\"ping\"", &json!(method).to_string());
            instead = session.ask(&id, &request)?.map(|_| method);
        }
    }
    Ok(Some(NoPing { instead }))
}

/// The number of bytes that are shown of what a server has sent.
const SHOWN: usize = 40;

/// The first frame that a server has sent.
struct First {
    /// The frame, and what is wrong with it.
    words: String,
    /// The severity of that, if there is a finding.
    severity: Option<Severity>,
}

impl First {
    /// Examines what a server has sent. Returns `None` if there is no frame in it.
    fn of(received: &[u8], revision: &str) -> Option<Self> {
        let revision: Revision = revision.parse().ok()?;
        let profile = revision.profile();
        let mut judge = OneSide::new(profile, Some(revision));
        let mut wire = Wire::new(FramingKind::Ndjson, DEFAULT_LIMIT, &profile);
        let mut found = None;
        let mut reporter = Reporter::new(FramingKind::Ndjson, MaxFindings::AtMost(10));
        let mut handle = |event: WireEvent<'_>, around: &Around<'_>| {
            if let (None, Some(frame)) = (&found, event.frame()) {
                let piece = Piece::of_frame(frame);
                let report = reporter.frame(&piece, &mut judge, around.behind);
                let findings = report.messages().flat_map(|message| &message.findings);
                // The first finding of the highest severity that there is.
                let finding = findings.min_by_key(|finding| match finding.severity {
                    Severity::Error => 0,
                    Severity::Warning => 1,
                    Severity::Note => 2,
                });
                let start = frame.bytes().get(..SHOWN).unwrap_or(frame.bytes());
                let more = if start.len() < frame.bytes().len() { "…" } else { "" };
                let mut words = format!("it has sent {}{more}", printable(start));
                if let Some(finding) = finding {
                    words += &format!(": {}, {}", rule::name(finding.rule), finding.message);
                }
                found = Some(Self { words, severity: finding.map(|finding| finding.severity) });
            }
            Ok(())
        };
        // Nothing is written, so nothing fails.
        let _ = wire.push(received, &mut handle).and_then(|_| wire.finish(&mut handle));
        found
    }
}

/// Checks whether a result that opens a session names the revision. Returns the reason if not.
pub fn answered(result: &Value, revision: &str) -> Result<(), String> {
    if let Some(version) = result.get("protocolVersion") {
        return match version.as_str() {
            Some(version) if version == revision => Ok(()),
            _ => Err(format!("it answers with {version}")),
        };
    }
    let versions = result.get("supportedVersions").and_then(Value::as_array);
    match versions {
        Some(versions) if versions.iter().any(|version| version == revision) => Ok(()),
        Some(versions) => Err(format!("it supports {}", Value::from(versions.clone()))),
        None => Err("its answer names no revision".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use tautline::Severity;

    use super::{First, answered};

    #[test]
    fn what_a_server_sends_instead_of_an_answer_is_diagnosed() {
        let said = |bytes: &[u8], revision| {
            First::of(bytes, revision).map(|first| (first.words, first.severity))
        };
        let (words, severity) = said(b"Server ready\n", "2025-11-25").unwrap();
        assert!(words.starts_with("it has sent Server ready: "), "{words}");
        assert_eq!(severity, Some(Severity::Error));
        let result = b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n";
        let (words, severity) = said(result, "2025-11-25").unwrap();
        assert_eq!(words, r#"it has sent {"jsonrpc":"2.0","id":7,"result":{}}"#);
        assert_eq!(severity, None);
        let marked = [b"\xEF\xBB\xBF", &result[..]].concat();
        let (words, severity) = said(&marked, "2025-11-25").unwrap();
        assert!(words.contains(": byte-order-mark, "), "{words}");
        assert_eq!(severity, Some(Severity::Warning));
        assert_eq!(said(b"", "2025-11-25"), None);
        let long = format!("\x1b[0m{}", "x".repeat(100));
        let (words, _) = said(long.as_bytes(), "2026-07-28").unwrap();
        assert!(words.starts_with("it has sent \u{241b}[0mxxx"), "{words}");
        assert!(words.contains("x…: "), "{words}");
    }

    #[test]
    fn a_revision_is_claimed_by_name() {
        let modern = json!({"supportedVersions": ["2025-11-25", "2026-07-28"]});
        let legacy = json!({"protocolVersion": "2025-11-25"});
        assert_eq!(answered(&modern, "2026-07-28"), Ok(()));
        assert_eq!(answered(&legacy, "2025-11-25"), Ok(()));
        assert_eq!(
            answered(&legacy, "2025-06-18"),
            Err("it answers with \"2025-11-25\"".to_owned())
        );
        assert_eq!(
            answered(&json!({"supportedVersions": []}), "2026-07-28"),
            Err("it supports []".to_owned())
        );
        assert!(answered(&json!({"protocolVersion": 7}), "7").is_err());
        assert!(answered(&json!({}), "2026-07-28").is_err());
    }
}
