//! Differential test of the skimmer against the parser: however a frame is cut, both find the same kind, id, method
//! and reply.
//!
//! The fuzzer calls this, and so do the tests that replay its findings.

use super::super::presets::Revision;
use tautline::envelope::{Outline, Skimmer};
use tautline::frame::{Assembler, FrameEvent};
use tautline::scan::Syntax;
use tautline::stream::{MessageStream, Received};
use tautline::{Envelope, Fault, Message, Profile, Rule};

/// Decodes and checks a fuzzer's input: one byte for the rules, one for the number of piece lengths, the lengths,
/// which repeat, and the frame.
pub fn check(input: &[u8]) {
    let (choice, rest) = input.split_first().unwrap_or((&0, &[]));
    let (count, rest) = rest.split_first().unwrap_or((&0, &[]));
    let (sizes, frame) = rest.split_at(usize::from(count % 8).min(rest.len()));
    let profile = match choice % 4 {
        0 => Profile::JSON_RPC,
        1 => Revision::V2025_11_25.profile(),
        2 => Revision::V2024_11_05.profile(),
        _ => Revision::V2025_03_26.profile().http_request_body(),
    };
    let profile = match choice / 4 % 3 {
        0 => profile,
        1 => profile.with_max_depth(choice / 16 % 6),
        _ => profile.with_max_depth(255),
    };
    check_frame(frame, &profile, sizes);
}

/// Checks one frame, in pieces of these sizes.
pub fn check_frame(frame: &[u8], profile: &Profile, sizes: &[u8]) {
    let envelope = Envelope::read(frame, profile);
    let mut skimmer = Skimmer::new(profile);
    // Earlier input makes no difference.
    skimmer.push(b"{\"id\":7,\"method\":\"\xFF");
    let _ = skimmer.finish();
    for piece in pieces(frame, sizes) {
        skimmer.push(piece);
    }
    let skimmed = skimmer.finish();
    let shown = frame.escape_ascii();

    assert_eq!(skimmed.length(), frame.len() as u64, "{shown}");
    let error = tautline::scan::validate(frame, profile.max_depth()).err();
    let too_deep = error.is_some_and(|error| error.kind() == Syntax::TooDeep);
    assert_eq!(skimmed.outline() == Outline::NotJson, error.is_some() && !too_deep, "{shown}");
    let container = |value: &[u8]| matches!(value.first(), Some(b'{' | b'['));
    let id = envelope.id().map(|id| id.as_bytes());
    // Nothing is kept of a part that is too deep.
    let id = id.filter(|id| id.len() <= Skimmer::LONGEST_ID && !(too_deep && container(id)));
    let found = skimmed.id().map(|id| id.as_bytes());
    if !(too_deep && found.is_some_and(container)) {
        assert_eq!(found, id, "{shown}");
    }
    let method = envelope.method().map(|method| method.escaped_bytes());
    let method = method.filter(|method| method.len() + 2 <= Skimmer::LONGEST_METHOD);
    assert_eq!(skimmed.method().map(|method| method.escaped_bytes()), method, "{shown}");
    match envelope.message() {
        Ok(message) => {
            let outline = match message {
                Message::Request(_) => Outline::Request,
                Message::Notification(_) => Outline::Notification,
                Message::Response(_) => Outline::Response,
                Message::Batch(_) => Outline::Batch,
            };
            assert_eq!(skimmed.outline(), outline, "{shown}");
        }
        Err(fault) => {
            // A reply can't carry an id longer than what is kept.
            let kept = envelope.id().is_none_or(|id| id.as_bytes().len() <= Skimmer::LONGEST_ID);
            if let (Some(oversized), true) = (oversized(frame), kept) {
                let reply = Fault::of_skimmed(&oversized, &skimmed, profile).reply();
                let text =
                    reply.map(|reply| (reply.code(), reply.raw_id().map(|id| id.as_bytes())));
                let owed = fault
                    .reply()
                    .map(|reply| (reply.code(), reply.raw_id().map(|id| id.as_bytes())));
                assert_eq!(text, owed, "{shown}");
            }
        }
    }
    check_stream(frame, profile, sizes);
}

/// Checks the same through a stream, which must report what the skimmer did.
fn check_stream(frame: &[u8], profile: &Profile, sizes: &[u8]) {
    let whole = Envelope::read(frame, profile).message();
    if oversized(frame).is_none() {
        return;
    }
    let wire = [frame, b"\n{}\n"].concat();
    let mut stream = MessageStream::new([0; 1], profile);
    let mut seen = 0;
    for mut piece in pieces(&wire, sizes) {
        while let Some(received) = stream.next(&mut piece) {
            seen += 1;
            let Received::Oversized { oversized, fault, skimmed, .. } = received else { panic!() };
            if seen > 1 {
                continue;
            }
            let skimmed = skimmed.expect("all of it was shown");
            assert_eq!(
                (fault.rule(), skimmed.length()),
                (Rule::FRAME_TOO_LONG, oversized.length())
            );
            // No reply carries an id that the parser would not find.
            let answered = fault.reply().and_then(|reply| reply.raw_id().map(|id| id.as_bytes()));
            match (answered, &whole) {
                (Some(b"null") | None, _) => {}
                (Some(id), Ok(Message::Request(request))) => {
                    assert_eq!(request.id().to_string().as_bytes(), id);
                }
                (Some(id), Err(fault)) => assert_eq!(fault.id().map(|id| id.as_bytes()), Some(id)),
                (Some(_), Ok(_)) => panic!("an answer to no request"),
            }
        }
    }
    assert_eq!(seen, 2);
}

/// Returns the frame as an oversized line, if it can be one.
fn oversized(frame: &[u8]) -> Option<tautline::frame::Oversized> {
    if frame.contains(&b'\n') || frame.ends_with(b"\r") || frame.starts_with(b"\xEF\xBB\xBF") {
        return None;
    }
    let line = [frame, b"\n"].concat();
    let mut rest = line.as_slice();
    match Assembler::new([0; 1]).next(&mut rest) {
        Some(FrameEvent::Oversized(oversized)) => Some(oversized),
        _ => None,
    }
}

/// Cuts a text into pieces of these sizes, which repeat.
fn pieces<'text>(text: &'text [u8], sizes: &[u8]) -> Vec<&'text [u8]> {
    if sizes.iter().all(|&size| size == 0) {
        return vec![text];
    }
    let mut rest = text;
    let mut pieces = Vec::new();
    for &size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, behind) = rest.split_at(usize::from(size).min(rest.len()));
        pieces.push(piece);
        rest = behind;
    }
    pieces
}
