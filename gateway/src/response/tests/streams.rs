//! Streams of events.

use proptest::prelude::*;
use tautline::Message;
use tautline::frame::{Assembler, FrameEvent, HeapBuffer, ServerSentEvents};
use tautline_mcp::http::{Received, Resuming};

use super::{
    BATCHES, ENFORCE, EVENTS, NEW, OLD, PROGRESS, REPORT, error, get, ping, play, post, receive,
    request, result,
};
use crate::response::Terms;

const HEAD: (u16, &[(&str, &str)]) = (200, EVENTS);

fn event(data: &str) -> String {
    format!("data: {data}\n\n")
}

/// The event that is appended.
fn appended(id: &str, rule: &str) -> String {
    format!("data: {}\n", error(id, rule))
}

#[test]
fn a_good_stream_passes_byte_for_byte() {
    let answer = result("7");
    let (open, close) = answer.split_at(17);
    for stream in [
        event(&answer),
        event(PROGRESS) + &event(PROGRESS) + &event(&answer),
        format!("\u{feff}{}", event(&answer)),
        format!("\u{feff}: a comment\n{}", event(&answer)),
        format!(": a comment\n\n\n:\n{}: another\n\n: and no end", event(&answer)),
        format!("id: 1\ndata:\n\nretry: 5\n\nid: 2\nevent: message\n{}", event(&answer)),
        format!("data:{open}\n: a comment inside\ndata: {close}\nid: 3\n\n"),
        format!("event: other\ndata: no message\n\n{}event: other\ndata: {{\n\n", event(&answer)),
        format!("unknown: x\nunknown\n\n\ndata\n\n{}", event(&answer)),
        event(&answer) + &event(PROGRESS).replace("data", "data\n: x\ndata"),
    ] {
        for end in ["\n", "\r\n", "\r"] {
            let stream = stream.replace('\n', end);
            let reported = receive(&ping(OLD), REPORT, HEAD, &stream);
            let enforced = receive(&ping(OLD), ENFORCE, HEAD, &stream);
            assert_eq!(enforced.sent.as_deref(), Ok(stream.as_str()));
            assert_eq!(enforced, reported);
            assert!(
                ["", "message-after-response"].contains(&enforced.notes.as_str()),
                "{enforced:?}"
            );
        }
    }
}

#[test]
fn a_bad_event_is_removed_and_answered() {
    let long = "x".repeat(1001);
    for (bad, rule, found) in [
        ("{", "not-json", "not-json"),
        (r#"{"jsonrpc":"1.0","id":7,"result":{}}"#, "wrong-version", "wrong-version"),
        (&result("8"), "response-unexpected", "response-unexpected"),
        (
            r#"{"jsonrpc":"2.0","error":{"code":1,"message":""}}"#,
            "response-unexpected",
            "response-unexpected",
        ),
        (&long, "frame-too-long", "frame-too-long"),
    ] {
        let notes = |end: &str| format!("{found}, {end}");
        let removed = notes(&format!("removed({rule}), answered({rule})"));
        for end in ["\n", "\r\n", "\r"] {
            let stream = |bad: &str| {
                format!(": a\nid: 1\ndata:\n\n{}: b\n{bad}: c\n", event(PROGRESS))
                    .replace('\n', end)
            };
            let bad = format!("id: 2\nevent: message\n: d\n{}", event(bad));
            // The empty line at its end stays.
            let due = stream("\n") + &appended("7", rule);
            let got = receive(&ping(OLD), ENFORCE, HEAD, stream(&bad));
            got.passes(&due, &removed);

            // Nothing is appended if the answer comes after all.
            let rest = event(&result("7")).replace('\n', end);
            let got = receive(&ping(OLD), ENFORCE, HEAD, stream(&bad) + &rest);
            got.passes(&(stream("\n") + &rest), &notes(&format!("removed({rule})")));

            let got = receive(&ping(OLD), REPORT, HEAD, stream(&bad) + &rest);
            got.passes(&(stream(&bad) + &rest), &notes(&format!("removed({rule})")));
        }
    }
}

#[test]
fn a_second_answer_is_removed() {
    let answer = event(&result("7"));
    let got = receive(&ping(OLD), ENFORCE, HEAD, answer.repeat(2));
    got.passes(&(answer + "\n"), "response-duplicate, removed(response-duplicate)");
}

#[test]
fn what_a_server_may_not_send_is_removed_and_is_no_answer() {
    let call = event(&request(OLD, "1", "ping"));
    let got = receive(&ping(NEW), ENFORCE, HEAD, &call);
    got.passes("\n", "wrong-direction, removed(wrong-direction), unanswered-request");
    // Up to 2025-11-25 it may.
    let got = receive(&ping(OLD), ENFORCE, HEAD, &call);
    got.passes(&call, "unanswered-request");
}

#[test]
fn what_is_only_reported_passes() {
    let late = event(&result("7")) + &event(PROGRESS);
    receive(&ping(OLD), ENFORCE, HEAD, &late).passes(&late, "message-after-response");
}

#[test]
fn the_strict_profile_removes_what_is_ambiguous() {
    let ambiguous = r#"{"jsonrpc":"2.0","id":7,"result":{"a":1,"a":2}}"#;
    let stream = event(ambiguous);
    receive(&ping(OLD), ENFORCE, HEAD, &stream).passes(&stream, "");
    let strict = Terms { strict: true, ..ENFORCE };
    let rule = "duplicate-inner-member";
    receive(&ping(OLD), strict, HEAD, &stream).passes(
        &format!("\n{}", appended("7", rule)),
        &format!("{rule}, removed({rule}), answered({rule})"),
    );
}

#[test]
fn a_stream_that_ends_early_is_reported() {
    for terms in [ENFORCE, REPORT] {
        let stream = event(PROGRESS);
        receive(&ping(OLD), terms, HEAD, &stream).passes(&stream, "unanswered-request");
        receive(&ping(OLD), terms, HEAD, "").passes("", "unanswered-request");
        // A client resumes it.
        let stream = format!("id: 1\n{stream}");
        receive(&ping(OLD), terms, HEAD, &stream).passes(&stream, "");
        receive(&ping(NEW), terms, HEAD, &stream).passes(&stream, "unanswered-request");
    }
}

#[test]
fn an_unfinished_event_is_not_passed_on() {
    let good = event(PROGRESS);
    for rest in ["d", "id: 1\n", "data: {", "data: {}\n", "data: {}\r"] {
        let stream = format!("{good}: x\n{rest}");
        let got = receive(&ping(OLD), ENFORCE, HEAD, &stream);
        got.passes(&format!("{good}: x\n"), "removed(unfinished-frame), unanswered-request");
        let got = receive(&ping(OLD), REPORT, HEAD, &stream);
        got.passes(&stream, "removed(unfinished-frame), unanswered-request");
    }
}

#[test]
fn the_error_begins_on_a_line_of_its_own() {
    let stream = format!("{}: no end", event("{"));
    let got = receive(&ping(OLD), ENFORCE, HEAD, &stream);
    got.passes(
        &format!("\n: no end\n{}", appended("7", "not-json")),
        "not-json, removed(not-json), answered(not-json)",
    );
}

/// A byte order mark counts at the beginning only. It must not come there.
#[test]
fn no_event_appears_because_another_one_is_removed() {
    let stream = event("{") + "\u{feff}" + &event(&result("8"));
    let got = receive(&ping(OLD), ENFORCE, HEAD, &stream);
    got.passes(
        &format!("\n\u{feff}{}{}", event(&result("8")), appended("7", "not-json")),
        "not-json, removed(not-json), answered(not-json)",
    );
}

#[test]
fn each_request_of_a_batch_is_answered() {
    let calls = ["1", "\"b\"", "3"].map(|id| request(BATCHES, id, "ping"));
    let asked = post(BATCHES, &format!("[{}]", calls.join(",")));
    let good = event(&format!("[{}]", result("3")));
    receive(&asked, ENFORCE, HEAD, &good).passes(&good, "unanswered-request");

    // One bad element condemns the batch, also the good one in it.
    let bad = event(&format!("[{},{}]", result("1"), result("4")));
    let rule = "response-unexpected";
    receive(&asked, ENFORCE, HEAD, good.clone() + &bad).passes(
        &(good.clone() + "\n" + &appended("1", rule) + &appended("\"b\"", rule)),
        &format!("{rule}, removed({rule}), answered({rule}), answered({rule})"),
    );
    let bad = event(&format!("[{},{{}}]", result("1")));
    let rest = event(&result("\"b\"")) + &good;
    let got = receive(&asked, REPORT, HEAD, bad.clone() + &rest);
    assert_eq!(got.notes, "missing-jsonrpc, removed(missing-jsonrpc)", "it was answered");
    let got = receive(&asked, ENFORCE, HEAD, bad + &event(&result("1")) + &good);
    assert!(
        got.sent.unwrap().starts_with(&format!("\n{}", event(&result("1")))),
        "it was not answered before"
    );
    let all = ["3", "1", "\"b\""].map(|id| event(&result(id))).concat();
    receive(&asked, ENFORCE, HEAD, &all).passes(&all, "");
}

#[test]
fn a_stream_of_the_server_has_requests_and_no_responses() {
    let good = event(&request(OLD, "\"s\"", "sampling/createMessage")) + &event(PROGRESS);
    let stream = good.clone() + &event(&result("1"));
    receive(&get(Resuming::No), ENFORCE, HEAD, &stream)
        .passes(&(good + "\n"), "response-unexpected, removed(response-unexpected)");
    receive(&get(Resuming::Yes), ENFORCE, HEAD, &stream).passes(&stream, "");
    receive(&get(Resuming::Yes), ENFORCE, HEAD, event("{") + &stream)
        .passes(&format!("\n{stream}"), "not-json, removed(not-json)");
}

#[test]
fn a_subscription_may_end_without_an_answer() {
    let asked = post(NEW, &request(NEW, "7", "subscriptions/listen"));
    let note = |name: &str| {
        event(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/{name}","params":{{}}}}"#))
    };
    let good = note("subscriptions/acknowledged") + &note("tools/list_changed");
    receive(&asked, ENFORCE, HEAD, &good).passes(&good, "");
    receive(&asked, ENFORCE, HEAD, good.clone() + &event("{"))
        .passes(&(good + "\n"), "not-json, removed(not-json)");
}

#[test]
fn the_limit_is_that_of_the_data() {
    let answer = result("7");
    let limit = u32::try_from(answer.len()).unwrap();
    let terms = |limit| Terms { limit, ..ENFORCE };
    let stream = format!("id: {}\n{}", "i".repeat(300), event(&answer));
    receive(&ping(OLD), terms(limit), HEAD, &stream).passes(&stream, "");
    let rule = "frame-too-long";
    receive(&ping(OLD), terms(limit - 1), HEAD, &stream).passes(
        &format!("\n{}", appended("7", rule)),
        &format!("{rule}, removed({rule}), answered({rule})"),
    );
    // The answer may have been in it.
    let got =
        receive(&ping(OLD), Terms { enforces: false, ..terms(limit - 1) }, HEAD, event(&answer));
    got.passes(&event(&answer), &format!("{rule}, removed({rule})"));
    let other = format!("event: other\n{stream}");
    let got = receive(&ping(OLD), terms(limit - 1), HEAD, &other);
    got.passes(
        &format!("\n{}", appended("7", rule)),
        &format!("{rule}, removed({rule}), answered({rule})"),
    );
}

/// An event with too many lines besides its data is dropped to its very end.
#[test]
fn the_lines_of_an_event_are_bounded() {
    let good = event(&result("7"));
    let rule = "frame-too-long";
    for (long, count) in [
        (format!("id: {}", "i".repeat(70_000)), 1),
        (format!("data: {{}}{}", "\nid: 1".repeat(12_000)), 1),
        (format!("data: {{}}{}", "\n: x".repeat(20_000)), 1),
        // Two data lines for each byte.
        ("data\n".repeat(100_000), 1),
        (format!("data: {{}}\nevent: other{}", "\n: x".repeat(20_000)), 1),
    ] {
        for end in ["\n", "\r\n", "\r"] {
            let stream = format!("{good}{}\n\n: after\n", long.trim_end()).replace('\n', end);
            let due = format!("{good}\n: after\n").replace('\n', end);
            let removed = vec![format!("{rule}, removed({rule})"); count].join(", ");
            let tail = stream.len() - 30;
            for size in [13, 100, 1000, tail, tail + 1, tail + 7, stream.len()] {
                let pieces: Vec<_> = stream.as_bytes().chunks(size).collect();
                play(&ping(OLD), ENFORCE, HEAD, &pieces, false).passes(&due, &removed);
                let got = play(&ping(OLD), REPORT, HEAD, &pieces, false);
                got.passes(&stream, &format!("{rule}, removed({rule})"));
            }
        }
    }
}

/// Lines that are likely to be mixed up.
fn line() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        4 => Just(String::new()),
        2 => Just(format!("data: {PROGRESS}")),
        1 => Just(format!("data:{}", result("7"))),
        1 => Just(format!("data: {}", result("8"))),
        1 => Just("data: {".to_owned()),
        1 => Just("data".to_owned()),
        1 => Just(format!("data: {}", "x".repeat(150))),
        1 => Just("event: other".to_owned()),
        1 => Just("event:message".to_owned()),
        1 => Just("id: 5".to_owned()),
        1 => Just(": comment".to_owned()),
        1 => Just("\u{feff}".to_owned()),
        1 => Just("datax: y".to_owned()),
    ];
    (text, prop::sample::select(&["\n", "\r", "\r\n", ""][..])).prop_map(|(text, end)| text + end)
}

/// An event: its type and its data.
type Seen = (Vec<u8>, Vec<u8>);

/// Returns the events with data, as another reader finds them.
fn events_of(stream: &str, limit: u32) -> Vec<Seen> {
    let framing = ServerSentEvents::new(limit);
    let mut assembler = Assembler::with_framing(HeapBuffer::new(limit), framing);
    let (mut rest, mut seen) = (stream.as_bytes(), Vec::new());
    while !rest.is_empty() {
        let Some(FrameEvent::Frame(frame)) = assembler.next(&mut rest) else { continue };
        let data = frame.bytes().to_vec();
        seen.push((assembler.framing().event_type().unwrap_or(b"long").to_vec(), data));
    }
    seen
}

/// Returns the events that a client may get, and whether the request is answered.
fn good_events(stream: &str, limit: u32) -> (Vec<Seen>, bool) {
    let asked = ping(OLD);
    let mut exchange = asked.exchange();
    let headers = EVENTS.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes()));
    exchange.head(200, headers, |_| {});
    let mut seen = events_of(stream, limit);
    seen.retain(|(kind, data)| {
        let message = Message::parse(data, &exchange.profile());
        kind != b"message"
            || data.is_empty()
            || (message.is_ok() && exchange.message(message, |_| {}) != Received::Stray)
    });
    (seen, exchange.is_answered())
}

proptest! {
    /// However the stream is cut, the same comes out: the good events.
    #[test]
    fn the_cut_makes_no_difference(
        begins_with_mark: bool,
        lines in prop::collection::vec(line(), 0..24),
        sizes in prop::collection::vec(1..40_usize, 1..8),
    ) {
        let terms = Terms { limit: 120, ..ENFORCE };
        let stream = if begins_with_mark { "\u{feff}" } else { "" }.to_owned() + &lines.concat();
        let mut pieces = Vec::new();
        let mut rest = stream.as_bytes();
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, behind) = rest.split_at((*size).min(rest.len()));
            pieces.push(piece);
            rest = behind;
        }
        let whole = [stream.as_bytes()];
        let asked = ping(OLD);
        let got = play(&asked, terms, HEAD, &whole, false);
        prop_assert_eq!(&play(&asked, terms, HEAD, &pieces, true), &got);
        let reported = Terms { enforces: false, ..terms };
        let observed = play(&asked, reported, HEAD, &whole, true);
        prop_assert_eq!(&play(&asked, reported, HEAD, &pieces, true), &observed);
        prop_assert_eq!(observed.sent.as_deref(), Ok(stream.as_str()));

        let clean = got.sent.unwrap();
        let (due, is_answered) = good_events(&stream, terms.limit);
        let mut passed = events_of(&clean, 1000);
        let is_appended = got.notes.contains("answered(");
        if is_appended {
            let (_, error) = passed.pop().unwrap();
            let begins = error.starts_with(br#"{"jsonrpc":"2.0","id":7,"error":{"code":-32603"#);
            prop_assert!(begins, "{:?}", error);
        }
        prop_assert_eq!(&passed, &due);
        let is_removed = got.notes.replace("removed(unfinished", "").contains("removed(");
        prop_assert_eq!(is_appended, is_removed && !is_answered);
        let again = play(&asked, Terms { limit: 1000, ..terms }, HEAD, &[clean.as_bytes()], false);
        prop_assert_eq!(again.sent.as_deref(), Ok(clean.as_str()));
    }
}
