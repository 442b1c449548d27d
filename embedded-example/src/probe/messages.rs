//! The calls of the modules `envelope` and `mcp`.

use tautline::frame::{FrameEvent, Frames};
use tautline::{
    Batch, Envelope, ErrorCode, ErrorObject, Fault, Finding, Id, Message, Outcome, Profile, Reply,
    Rule,
};
use tautline_mcp::{Revision, rule};

use super::frames::LIMIT;
use super::{Show, Tally, hide, json};

/// Parses every line of the stream under every preset. Only the verdicts under JSON-RPC count.
pub fn all_presets(stream: &[u8], tally: &mut Tally) {
    for event in Frames::new(stream, hide(LIMIT)) {
        let FrameEvent::Frame(line) = event else {
            continue;
        };
        let line = line.bytes();
        json::text(line);
        frame(line, &Profile::JSON_RPC, tally);
        frame(line, &Profile::LSP, &mut Tally::default());
        for revision in Revision::ALL {
            let profile = hide(*revision).profile();
            frame(line, &profile, &mut Tally::default());
            frame(line, &profile.http_request_body(), &mut Tally::default());
            frame(line, &profile.http_response_body(), &mut Tally::default());
        }
    }
}

/// Calls everything that is not about one message: the tables.
#[inline(never)]
pub fn tables(text: &[u8]) {
    for rule in rule::all() {
        show_rule(rule);
    }
    for revision in Revision::ALL {
        revision.name().show();
        (revision.era() as u32).show();
        show_profile(&revision.profile());
    }
    let name = core::str::from_utf8(text).unwrap_or_default();
    name.parse::<Revision>().is_ok().show();
    show_profile(&Profile::LSP.with_max_depth(hide(9)).with_max_batch(hide(3)));
}

/// Parses one frame under one profile.
#[inline(never)]
fn frame(bytes: &[u8], profile: &Profile, tally: &mut Tally) {
    let envelope = Envelope::read(bytes, profile);
    envelope.findings(show_finding);
    match envelope.message() {
        Ok(message) => {
            tally.messages += 1;
            show_message(message);
            if let Message::Batch(batch) = message {
                elements(batch);
            }
        }
        Err(fault) => {
            tally.faults += 1;
            show_fault(fault);
            again(bytes, profile);
        }
    }
}

/// Calls the functions that report more about a faulty frame than its fault.
#[inline(never)]
fn again(bytes: &[u8], profile: &Profile) {
    show_envelope(&Envelope::read(bytes, profile));
}

/// Reads the elements of a batch, each with its own verdict.
#[inline(never)]
fn elements(batch: Batch<'_>) {
    for element in batch {
        show_envelope(&element);
        match element.message() {
            Ok(message) => show_message(message),
            Err(fault) => show_fault(fault),
        }
    }
}

#[inline(never)]
pub fn show_message(message: Message<'_>) {
    match message {
        Message::Request(request) => {
            show_id(request.id());
            json::string(request.method());
            request.params().map(json::value);
            request.call().unknown_members().show();
        }
        Message::Notification(notification) => {
            json::string(notification.method());
            notification.params().map(json::value);
            notification.call().unknown_members().show();
        }
        Message::Response(response) => {
            response.id().map(show_id);
            match response.outcome() {
                Outcome::Result(result) => json::value(result),
                Outcome::Error(error) => show_error(error),
            }
            response.unknown_members().show();
            response.result().is_some().show();
            response.error().is_some().show();
        }
        // Its elements are read elsewhere: doing it here would recurse.
        Message::Batch(batch) => batch.len().show(),
    }
}

#[inline(never)]
fn show_id(id: Id<'_>) {
    match id {
        Id::String(text) => json::string(text),
        Id::Number(number) => json::number(number),
        Id::Null => 0_u32.show(),
    }
    let other = hide(id);
    (id == other).show();
    id.is_like(&other).show();
}

#[inline(never)]
fn show_error(error: ErrorObject<'_>) {
    error.code().map(show_code);
    json::number(error.raw_code());
    json::string(error.message());
    error.data().map(json::value);
}

#[inline(never)]
fn show_code(code: ErrorCode) {
    code.value().show();
    (code.class() as u32).show();
    (Profile::LSP.code_class(code) as u32).show();
    for revision in Revision::ALL {
        let profile = hide(*revision).profile();
        (profile.code_class(code) as u32).show();
        revision.code_name(code).show();
    }
    code.lsp_name().show();
}

#[inline(never)]
fn show_envelope(envelope: &Envelope<'_>) {
    envelope.frame().show();
    json::show_span(envelope.span(), envelope.frame());
    envelope.id().map(json::value);
    envelope.method().map(json::string);
    envelope.findings(show_finding);
}

#[inline(never)]
fn show_finding(finding: Finding) {
    show_rule(finding.rule());
    finding.severity().name().show();
    finding.offset().show();
    finding.message().show();
    finding.syntax().map(|syntax| syntax.description().show());
}

#[inline(never)]
pub fn show_fault(fault: Fault<'_>) {
    show_rule(fault.rule());
    fault.offset().show();
    fault.message().show();
    fault.syntax().map(|syntax| syntax.description().show());
    fault.id_span().map(|span| json::show_span(span, fault.frame()));
    fault.id().map(json::value);
    fault.reply().map(show_reply);
}

#[inline(never)]
fn show_reply(reply: Reply<'_>) {
    reply.code().value().show();
    reply.id().map(show_id);
    reply.raw_id().map(json::value);
}

#[inline(never)]
fn show_rule(rule: Rule) {
    rule::name(rule).show();
    rule::summary(rule).show();
    rule::spec_ref(rule).show();
    rule::help(rule).show();
    rule::severity(rule).name().show();
    for profile in [Profile::JSON_RPC, Profile::LSP] {
        (hide(profile).severity(rule) as u32).show();
    }
}

#[inline(never)]
fn show_profile(profile: &Profile) {
    (profile.params() as u32).show();
    (profile.ids() as u32).show();
    (profile.error_ids() as u32).show();
    (profile.results() as u32).show();
    (profile.batches() as u32).show();
    (profile.uncorrelated() as u32).show();
    (profile.unparseable() as u32).show();
    profile.max_depth().show();
    profile.max_batch().show();
}
