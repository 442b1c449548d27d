//! JSON bodies, and bodies that are not judged.

use tautline_mcp::http::Resuming;

use super::{
    BATCHES, ENFORCE, EVENTS, HTML, JSON, NEW, NOTE, OLD, REPORT, accepted, error, get, ping, post,
    receive, request, result,
};
use crate::response::{Asked, HeadStep, Note, Response, Terms};

#[test]
fn a_good_body_passes() {
    let answer = result("7");
    for body in [answer.clone(), format!(" \r\n{answer}\n")] {
        for terms in [ENFORCE, REPORT] {
            receive(&ping(OLD), terms, (200, JSON), &body).passes(&body, "");
            receive(&ping(NEW), terms, (200, JSON), &body).passes(&body, "");
        }
    }
}

#[test]
fn a_bad_body_is_replaced() {
    for (body, found) in [
        ("{", "not-json"),
        ("", "not-json"),
        (r#"{"jsonrpc":"2.0","id":7}"#, "no-shape"),
        (&result("8"), "response-unexpected"),
        (&format!("[{}]", result("7")), "batch-not-allowed"),
    ] {
        let got = receive(&ping(OLD), ENFORCE, (200, JSON), body);
        got.is_refused(&error("7", found), &format!("{found}, refused({found})"));
        let got = receive(&ping(OLD), REPORT, (200, JSON), body);
        got.passes(body, &format!("{found}, refused({found}), unanswered-request"));
    }
}

/// A client that compares ids would wait for its answer.
#[test]
fn an_answer_with_another_type_of_id_is_replaced() {
    let (body, rule) = (result("\"7\""), "response-id-rewritten");
    let got = receive(&ping(OLD), ENFORCE, (200, JSON), &body);
    got.is_refused(&error("7", rule), &format!("{rule}, refused({rule})"));
    let got = receive(&ping(OLD), REPORT, (200, JSON), &body);
    got.passes(&body, &format!("{rule}, refused({rule})"));
}

#[test]
fn a_body_without_an_answer_is_reported() {
    receive(&ping(OLD), ENFORCE, (200, JSON), NOTE).passes(NOTE, "unanswered-request");
}

#[test]
fn a_long_body_is_replaced() {
    let body = result(&format!("7{}", " ".repeat(1000)));
    let got = receive(&ping(OLD), ENFORCE, (200, JSON), &body);
    got.is_refused(&error("7", "frame-too-long"), "frame-too-long, refused(frame-too-long)");
    let got = receive(&ping(OLD), REPORT, (200, JSON), &body);
    got.passes(&body, "frame-too-long, refused(frame-too-long)");
    let exact = Terms { limit: u32::try_from(body.len()).unwrap(), ..ENFORCE };
    receive(&ping(OLD), exact, (200, JSON), &body).passes(&body, "");
    let exact = Terms { enforces: false, ..exact };
    receive(&ping(OLD), exact, (200, JSON), &body).passes(&body, "");
}

#[test]
fn a_batch_is_answered_by_a_batch() {
    let batch = |ids: &[&str]| {
        let calls: Vec<_> = ids.iter().map(|id| request(BATCHES, id, "ping")).collect();
        post(BATCHES, &format!("[{},{NOTE}]", calls.join(",")))
    };
    let asked = batch(&["1", "\"\\u0062\""]);
    let good = format!("[{},{}]", result("\"b\""), result("1"));
    receive(&asked, ENFORCE, (200, JSON), &good).passes(&good, "");
    let bad = format!("[{},{},{}]", result("\"b\""), result("1"), result("1"));
    let found = "response-duplicate";
    let errors = ["1", "\"\\u0062\""].map(|id| error(id, found).trim_end().to_owned());
    receive(&asked, ENFORCE, (200, JSON), &bad)
        .is_refused(&format!("[{}]\n", errors.join(",")), &format!("{found}, refused({found})"));

    // The first bad element is the reason.
    let bad = format!("[{},{{}},{}]", result("8"), result("1"));
    let errors = ["1", "\"\\u0062\""].map(|id| error(id, "response-unexpected"));
    receive(&asked, ENFORCE, (200, JSON), &bad).is_refused(
        &format!("[{}]\n", errors.map(|error| error.trim_end().to_owned()).join(",")),
        "response-unexpected, missing-jsonrpc, refused(response-unexpected)",
    );

    let ids: Vec<_> = (0..65).map(|id| id.to_string()).collect();
    let asked = batch(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    let got = receive(&asked, ENFORCE, (200, JSON), "{");
    got.is_refused(&error("", "not-json"), "not-json, refused(not-json)");
}

/// An element that is no message is owed an error, which answers no request.
#[test]
fn the_errors_that_a_batch_is_owed_pass() {
    let errors = |id: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32600,"message":""}}}}"#)
    };
    let faulty = r#"{"jsonrpc":"2.0","id":9,"method":1}"#;
    let asked = post(BATCHES, &format!("[{},{faulty}]", request(BATCHES, "1", "ping")));
    let body = format!("[{},{}]", result("1"), errors("9"));
    receive(&asked, ENFORCE, (200, JSON), &body).passes(&body, "response-unexpected");
    let asked = post(BATCHES, &format!("[{faulty}]"));
    let body = format!("[{}]", errors("9"));
    let notes = "http-status, http-body-unexpected";
    receive(&asked, ENFORCE, (200, JSON), &body).passes(&body, notes);
}

#[test]
fn the_body_of_an_error_is_an_answer_if_it_is_a_message() {
    let not_found =
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found"}}"#;
    let no_session = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"No session"}}"#;
    for terms in [ENFORCE, REPORT] {
        receive(&ping(NEW), terms, (404, JSON), not_found).passes(not_found, "");
        receive(&ping(OLD), terms, (404, JSON), no_session).passes(no_session, "");
        receive(&ping(OLD), terms, (404, HTML), "<p>").passes("<p>", "");
        receive(&ping(OLD), terms, (302, &[]), "").passes("", "");
        for page in [r#"{"error":"invalid_token"}"#, "{", "", "null"] {
            receive(&ping(OLD), terms, (401, JSON), page).passes(page, "");
        }
    }
    let other = not_found.replace('7', "8");
    let got = receive(&ping(NEW), ENFORCE, (404, JSON), &other);
    got.is_refused(
        &error("7", "response-unexpected"),
        "response-unexpected, refused(response-unexpected)",
    );
    // The reason is what it is refused for, and not another finding.
    let got = receive(&ping(NEW), ENFORCE, (400, JSON), &other);
    got.is_refused(
        &error("7", "response-unexpected"),
        "http-status, response-unexpected, refused(response-unexpected)",
    );
    let twice = not_found.replace("\"id\"", "\"id\":8,\"id\"");
    let got = receive(&ping(NEW), ENFORCE, (404, JSON), twice);
    got.is_refused(&error("7", "duplicate-member"), "duplicate-member, refused(duplicate-member)");
}

#[test]
fn a_success_of_another_type_is_refused() {
    let rule = "http-response-type";
    for headers in [HTML, &[], &[("content-type", "text/event-streams")]] {
        let got = receive(&ping(OLD), ENFORCE, (200, headers), "x");
        got.is_refused(&error("7", rule), &format!("{rule}, refused({rule})"));
        for (terms, verdict) in [
            (REPORT, "refused"),
            (Terms { passes_unjudged: true, ..REPORT }, "unjudged"),
            (Terms { passes_unjudged: true, ..ENFORCE }, "unjudged"),
        ] {
            let got = receive(&ping(OLD), terms, (200, headers), "x");
            got.passes("x", &format!("{rule}, {verdict}({rule})"));
        }
    }
    let got = receive(&get(Resuming::No), ENFORCE, (200, JSON), NOTE);
    got.is_refused(&error("", rule), &format!("{rule}, refused({rule})"));
    let ended = accepted(OLD, "DELETE", "", |accepted| Asked::new(accepted, Resuming::No));
    receive(&ended, ENFORCE, (200, HTML), "x").passes("x", "");
    receive(&get(Resuming::No), ENFORCE, (405, HTML), "x").passes("x", "");
}

#[test]
fn a_compressed_body_is_refused_or_passed_as_the_terms_say() {
    for (encoding, is_compressed) in [
        ("gzip", true),
        ("identity, br", true),
        ("x", true),
        ("identity", false),
        (" Identity , identity", false),
        ("", false),
    ] {
        for kind in [JSON, EVENTS] {
            let headers = [kind, &[("Content-Encoding", encoding)]].concat();
            let answer =
                if kind == JSON { result("7") } else { format!("data:{}\n\n", result("7")) };
            let got = receive(&ping(OLD), ENFORCE, (200, &headers), &answer);
            if is_compressed {
                got.is_refused(&error("7", "body-encoded"), "refused(body-encoded)");
            } else {
                got.passes(&answer, "");
            }
            for (terms, note) in [
                (REPORT, "refused(body-encoded)"),
                (Terms { passes_compressed: true, ..ENFORCE }, "unjudged(body-encoded)"),
            ] {
                let note = if is_compressed { note } else { "" };
                receive(&ping(OLD), terms, (200, &headers), &answer).passes(&answer, note);
            }
        }
    }
    // A body that is not judged may be compressed.
    let headers = [HTML, &[("content-encoding", "gzip")]].concat();
    receive(&ping(OLD), ENFORCE, (404, &headers), "x").passes("x", "");
}

#[test]
fn nothing_answers_a_notification() {
    let asked = post(OLD, NOTE);
    for terms in [ENFORCE, REPORT] {
        receive(&asked, terms, (202, &[]), "").passes("", "");
        receive(&asked, terms, (200, JSON), "").passes("", "http-status");
    }
    let found = "http-body-unexpected";
    let got = receive(&asked, ENFORCE, (202, JSON), result("1"));
    got.passes("", &format!("{found}, removed({found})"));
    let got = receive(&asked, REPORT, (202, JSON), result("1"));
    got.passes(&result("1"), &format!("{found}, removed({found})"));
}

#[test]
fn long_ids_are_not_judged() {
    let id = format!("\"{}\"", "i".repeat(20_000));
    let asked = post(OLD, &request(OLD, &id, "ping"));
    let got = receive(&asked, ENFORCE, (200, JSON), "x");
    got.is_refused(&error("", "ids-too-long"), "refused(ids-too-long)");
    for (terms, verdict) in
        [(REPORT, "refused"), (Terms { passes_unjudged: true, ..ENFORCE }, "unjudged")]
    {
        let got = receive(&asked, terms, (200, JSON), "x");
        got.passes("x", &format!("{verdict}(ids-too-long)"));
    }
}

#[test]
fn a_response_may_end_with_its_head() {
    let end = |asked: Asked, terms, status, headers: &[(&str, &str)]| {
        let mut notes = Vec::new();
        let headers = headers.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes()));
        let mut response = Response::new(asked, terms);
        let step = response.head(status, headers, true, |note: Note| notes.push(super::show(note)));
        (step == HeadStep::Pass, notes.join(", "))
    };
    let gzip = [JSON, &[("content-encoding", "gzip")]].concat();
    let because = |notes: &str| (false, notes.to_owned());
    let passes = |notes: &str| (true, notes.to_owned());
    assert_eq!(end(ping(OLD), ENFORCE, 200, JSON), because("not-json, refused(not-json)"));
    assert_eq!(end(ping(OLD), ENFORCE, 200, &gzip), because("not-json, refused(not-json)"));
    assert_eq!(
        end(ping(OLD), REPORT, 200, JSON),
        passes("not-json, refused(not-json), unanswered-request")
    );
    assert_eq!(end(ping(OLD), ENFORCE, 200, EVENTS), passes("unanswered-request"));
    assert_eq!(end(ping(OLD), ENFORCE, 401, JSON), passes(""));
    assert_eq!(end(post(OLD, NOTE), ENFORCE, 202, &[]), passes(""));
    assert_eq!(end(post(OLD, NOTE), ENFORCE, 204, &[]), passes("http-status"));
}
