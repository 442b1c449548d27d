//! Requests of 2026-07-28. Clauses are those of basic/transports/streamable-http, unless they name another page.

use tautline::Message;
use tautline::json::Path;
use tautline::stream::{MessageStream, Received};
use tautline_mcp::Revision;
use tautline_mcp::http::{Allowed, Field, Policy, Verdict};

use super::{POLICY, Tools, check, judge, judge_by, refused_as, show};

/// Headers that every request has, but those that mirror the body.
const COMMON: &str = "Host: mcp.example\nContent-Type: application/json\nAccept: application/json, text/event-stream";

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Returns a POST of a request with these headers and params.
fn post(method: &str, headers: &str, params: &str) -> String {
    let comma = if params.is_empty() { "" } else { "," };
    format!(
        "POST\n{COMMON}\nMCP-Protocol-Version: 2026-07-28\n{headers}\n\n{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"{method}\",\"params\":{{{params}{comma}{META}}}}}"
    )
}

/// Returns a call of the tool `query` with these arguments and headers.
fn query(headers: &str, arguments: &str) -> String {
    let headers = format!("Mcp-Method: tools/call\nMcp-Name: query{headers}");
    post("tools/call", &headers, &format!(r#""name":"query","arguments":{{{arguments}}}"#))
}

#[test]
fn requests_that_are_served() {
    for (text, verdict) in [
        (post("tools/list", "Mcp-Method: tools/list", ""), "answer 2026-07-28 NotDue"),
        // "Header names are case-insensitive."
        (post("tools/list", "mcp-METHOD: tools/list", ""), "answer 2026-07-28 NotDue"),
        // RFC 9110, section 5.5: whitespace around a value is no part of it.
        (post("tools/list", "Mcp-Method:  \t tools/list\t ", ""), "answer 2026-07-28 NotDue"),
        (
            post("resources/read", "Mcp-Method: resources/read\nMcp-Name: a:b", r#""uri":"a:b""#),
            "answer 2026-07-28 NotDue",
        ),
        // "Servers MUST decode an encoded Mcp-Name."
        (
            post(
                "tools/call",
                "Mcp-Method: tools/call\nMcp-Name: =?base64?w6Q=?=",
                r#""name":"ä""#,
            ),
            "answer 2026-07-28 NotJudged",
        ),
        (
            post("tools/call", "Mcp-Method: tools/call\nMcp-Name: plain", r#""name":"plain""#),
            "answer 2026-07-28 Judged",
        ),
        // "The server's response is itself an SSE stream that stays open."
        (
            post(
                "subscriptions/listen",
                "Mcp-Method: subscriptions/listen",
                r#""notifications":{}"#,
            ),
            "listen 2026-07-28 NotDue",
        ),
        // Extension for tasks: "the client MUST set Mcp-Name to the value of params.taskId".
        (
            post("tasks/get", "Mcp-Method: tasks/get\nMcp-Name: t", r#""taskId":"t""#),
            "answer 2026-07-28 NotDue",
        ),
        // A method that no revision has may be an extension.
        (post("vendor/x", "Mcp-Method: vendor/x", ""), "answer 2026-07-28 NotDue"),
        // "An Mcp-Session-Id header on a request: ignore it." "A Last-Event-ID header: ignore it."
        (
            post(
                "tools/list",
                "Mcp-Method: tools/list\nMcp-Session-Id: gone\nLast-Event-ID: 7",
                "",
            ),
            "answer 2026-07-28 NotDue",
        ),
    ] {
        let outcome = judge(&text);
        assert_eq!(outcome.verdict, verdict, "{text}");
        assert!(
            outcome.found.iter().all(|found| found == "unknown-method"),
            "{text}: {:?}",
            outcome.found
        );
    }
}

#[test]
fn the_endpoint_is_for_posts() {
    // "GET or DELETE: respond with 405."
    for method in ["GET", "DELETE", "PUT", "post", ""] {
        let text = format!("{method}\n{COMMON}\nMCP-Protocol-Version: 2026-07-28");
        check(&text, "405", "http-method");
    }
    // An endpoint of this revision alone.
    const MODERN: Policy<'_> =
        Policy::new(&[Revision::V2026_07_28], Allowed::Any, Allowed::Any).with_streams();
    assert_eq!(judge_by(&MODERN, &format!("GET\n{COMMON}")).verdict, "405");
    // RFC 9110, section 15.5.6: the reply lists the methods.
    let head = MODERN.head(b"GET", [].into_iter(), &(), |_| {});
    let Some(Verdict::Refused(refusal)) = head.verdict(|_| {}) else { panic!() };
    assert_eq!(refusal.allow(), Some("POST"));
}

#[test]
fn origins_and_hosts() {
    let with = |more: &str| {
        let text = post("tools/list", "Mcp-Method: tools/list", "");
        text.replacen("Host: mcp.example", more, 1)
    };
    for (headers, verdict, found) in [
        ("Host: mcp.example\nOrigin: https://app.example", "answer 2026-07-28 NotDue", ""),
        // "If the Origin header is present and invalid, servers MUST respond with 403."
        ("Host: mcp.example\nOrigin: https://evil.example", "403", "http-origin Origin"),
        ("Host: mcp.example\nOrigin: null", "403", "http-origin Origin"),
        // One that is malformed is no bad request, but invalid too.
        ("Host: mcp.example\nOrigin: not an origin", "403", "http-origin Origin"),
        ("Host: mcp.example\nOrigin:", "403", "http-origin Origin"),
        (
            "Host: mcp.example\nOrigin: https://app.example\nOrigin: https://app.example",
            "403",
            "http-origin Origin",
        ),
        ("Host: evil.example", "403", "http-host Host"),
        ("Host: mcp.example:8080", "answer 2026-07-28 NotDue", ""),
        // RFC 9112, section 3.2: 400 without a Host, with several, and with an invalid one.
        ("X: y", "400", "http-host Host"),
        ("Host: mcp.example\nHost: mcp.example", "400", "http-host Host"),
        ("Host: mcp.example/", "400", "http-host Host"),
    ] {
        check(&with(headers), verdict, found);
    }
}

#[test]
fn media_types() {
    let text = post("tools/list", "Mcp-Method: tools/list", "");
    let content = |value: &str| text.replacen("Content-Type: application/json", value, 1);
    for (value, is_right) in [
        ("Content-Type: Application/JSON;charset=utf-8", true),
        ("Content-Type: application/json; charset=\"utf-8\" ;", true),
        ("Content-Type: application/jsonp", false),
        ("Content-Type: application/json, text/plain", false),
        ("Content-Type: text/plain; a=application/json", false),
        ("Content-Type: application/json; a", false),
        ("X: y", false),
        ("Content-Type: application/json\nContent-Type: application/json", false),
    ] {
        let found = if is_right { "" } else { "http-content-type Content-Type" };
        check(&content(value), if is_right { "answer 2026-07-28 NotDue" } else { "415" }, found);
    }
    let accept =
        |value: &str| text.replacen("Accept: application/json, text/event-stream", value, 1);
    // "The client MUST include an Accept header listing both."
    for (value, is_right) in [
        ("Accept: */*", true),
        ("Accept: text/event-stream;q=0.5, application/*", true),
        ("Accept: application/json\nAccept: text/event-stream", true),
        ("Accept: application/json", false),
        ("Accept: text/event-stream", false),
        ("Accept: application/json, text/event-stream;q=0", false),
        ("X: y", false),
    ] {
        let found = if is_right { "" } else { "http-accept Accept" };
        check(&accept(value), if is_right { "answer 2026-07-28 NotDue" } else { "406" }, found);
    }
}

#[test]
fn versions() {
    let text = post("tools/list", "Mcp-Method: tools/list", "");
    let header = |value: &str| text.replacen("MCP-Protocol-Version: 2026-07-28", value, 1);
    for (value, verdict, found) in [
        // "Every POST request MUST include an MCP-Protocol-Version header."
        ("X: y", "400 -32020 7", "http-header-missing MCP-Protocol-Version"),
        // "The header value MUST match the protocolVersion field in _meta."
        (
            "MCP-Protocol-Version: 2099-01-01",
            "400 -32020 7",
            "http-header-mismatch MCP-Protocol-Version",
        ),
        (
            "MCP-Protocol-Version: 2025-11-25",
            "400 -32020 7",
            "http-header-mismatch MCP-Protocol-Version",
        ),
        ("MCP-Protocol-Version:", "400 -32020 7", "http-header-mismatch MCP-Protocol-Version"),
        (
            "MCP-Protocol-Version: 2026-07-28\nMCP-Protocol-Version: 2026-07-28",
            "400 -32020 7",
            "http-header-repeated MCP-Protocol-Version",
        ),
        (
            "MCP-Protocol-Version: 2026\u{b7}07",
            "400 -32020 7",
            "http-header-characters MCP-Protocol-Version",
        ),
    ] {
        check(&header(value), verdict, found);
    }
    // "If the server does not implement the requested version": -32022, with the versions that it supports.
    let unknown = text.replace("2026-07-28", "2099-01-01");
    check(&unknown, "400 -32022 7", "version-unsupported MCP-Protocol-Version");
    assert!(judge(&unknown).reply.ends_with(
        "\"data\":{\"supported\":[\"2025-03-26\",\"2025-06-18\",\"2025-11-25\",\"2026-07-28\"],\"requested\":\"2099-01-01\"}}}\n"
    ));
    // The same for a version that the server has chosen not to support.
    const MODERN: Policy<'_> = Policy::new(&[Revision::V2026_07_28], Allowed::Any, Allowed::Any);
    let older = text.replace("2026-07-28", "2025-11-25");
    assert_eq!(judge_by(&MODERN, &older).verdict, "400 -32022 7");
    // basic/versioning: "SHOULD name the protocol versions it supports in any error it returns to an initialize request".
    let initialize = format!(
        "POST\n{COMMON}\n\n{{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{{}}}}}}"
    );
    let outcome = judge_by(&MODERN, &initialize);
    assert_eq!(outcome.verdict, "400 -32020 0");
    assert!(
        outcome.reply.contains(r#""supported":["2026-07-28"],"requested":"2025-11-25""#),
        "{}",
        outcome.reply
    );
}

#[test]
fn the_method_and_the_name_are_repeated() {
    for (headers, verdict, found) in [
        // "A required standard header is missing."
        ("Mcp-Name: plain", "400 -32020 7", "http-header-missing Mcp-Method"),
        ("Mcp-Method: tools/call", "400 -32020 7", "http-header-missing Mcp-Name"),
        // "A header value does not match the corresponding request body value."
        (
            "Mcp-Method: tools/list\nMcp-Name: plain",
            "400 -32020 7",
            "http-header-mismatch Mcp-Method",
        ),
        (
            "Mcp-Method: tools/call\nMcp-Name: other",
            "400 -32020 7",
            "http-header-mismatch Mcp-Name",
        ),
        // "Header values are case-sensitive."
        (
            "Mcp-Method: Tools/Call\nMcp-Name: plain",
            "400 -32020 7",
            "http-header-mismatch Mcp-Method",
        ),
        (
            "Mcp-Method: tools/call\nMcp-Name: Plain",
            "400 -32020 7",
            "http-header-mismatch Mcp-Name",
        ),
        // "A header value contains invalid characters."
        (
            "Mcp-Method: tools/call\nMcp-Name: pl\u{e4}in",
            "400 -32020 7",
            "http-header-characters Mcp-Name",
        ),
        (
            "Mcp-Method: tools/call\nMcp-Name: =?base64?cGxhaW4?=",
            "400 -32020 7",
            "http-header-encoding Mcp-Name",
        ),
        (
            "Mcp-Method: tools/call\nMcp-Name: =?BASE64?cGxhaW4=?=",
            "400 -32020 7",
            "http-header-mismatch Mcp-Name",
        ),
        ("Mcp-Method: tools/call\nMcp-Name: =?base64?cGxhaW4=?=", "answer 2026-07-28 Judged", ""),
        // Only Mcp-Name and Mcp-Param-* have an encoding.
        (
            "Mcp-Method: =?base64?dG9vbHMvY2FsbA==?=\nMcp-Name: plain",
            "400 -32020 7",
            "http-header-mismatch Mcp-Method",
        ),
        // RFC 9110, section 5.3: repeated lines of a field without a list.
        (
            "Mcp-Method: tools/call\nMcp-Name: plain\nmcp-name: plain",
            "400 -32020 7",
            "http-header-repeated Mcp-Name",
        ),
        (
            "Mcp-Method: tools/call\nMcp-Method: tools/list\nMcp-Name: plain",
            "400 -32020 7",
            "http-header-repeated Mcp-Method",
        ),
        // All findings are reported.
        ("", "400 -32020 7", "http-header-missing Mcp-Method, http-header-missing Mcp-Name"),
    ] {
        check(&post("tools/call", headers, r#""name":"plain","arguments":{}"#), verdict, found);
    }
    let read = |name: &str| {
        post(
            "resources/read",
            &format!("Mcp-Method: resources/read\nMcp-Name: {name}"),
            r#""uri":"file:///a""#,
        )
    };
    check(&read("file:///b"), "400 -32020 7", "http-header-mismatch Mcp-Name");
    check(
        &post("tasks/cancel", "Mcp-Method: tasks/cancel", r#""taskId":"t""#),
        "400 -32020 7",
        "http-header-missing Mcp-Name",
    );
}

#[test]
fn parameters_are_repeated() {
    for (headers, arguments, found) in [
        ("\nMcp-Param-Region: eu", r#""region":"eu""#, ""),
        ("\nMCP-PARAM-REGION: eu", r#""region":"eu""#, ""),
        ("\nMcp-Param-Region: =?base64?ZXU=?=", r#""region":"eu""#, ""),
        // "Client omits header but value is in body: MUST reject."
        ("", r#""region":"eu""#, "http-header-missing Mcp-Param-*"),
        ("\nMcp-Param-Region: us", r#""region":"eu""#, "http-header-mismatch Mcp-Param-*"),
        ("\nMcp-Param-Region: EU", r#""region":"eu""#, "http-header-mismatch Mcp-Param-*"),
        (
            "\nMcp-Param-Region: =?base64?ZXU?=",
            r#""region":"eu""#,
            "http-header-encoding Mcp-Param-*",
        ),
        ("\nMcp-Param-Region: e\u{fc}", r#""region":"eu""#, "http-header-characters Mcp-Param-*"),
        (
            "\nMcp-Param-Region: eu\nMcp-Param-region: eu",
            r#""region":"eu""#,
            "http-header-repeated Mcp-Param-*",
        ),
        // "Parameter value is null: MUST NOT expect the header", and "client MUST omit the header".
        ("", r#""region":null"#, ""),
        ("", "", ""),
        ("\nMcp-Param-Region: eu", r#""region":null"#, "http-header-unexpected Mcp-Param-*"),
        ("\nMcp-Param-Region: eu", "", "http-header-unexpected Mcp-Param-*"),
        // "Intermediate servers MUST forward it and otherwise ignore it."
        ("\nMcp-Param-Other: eu", "", ""),
        // "Servers SHOULD compare numerically."
        ("\nMcp-Param-Limit: 42.0", r#""limit":42"#, ""),
        ("\nMcp-Param-Limit: 42", r#""limit":4.2e1"#, ""),
        ("\nMcp-Param-Limit: 43", r#""limit":42"#, "http-header-mismatch Mcp-Param-*"),
        // Integers MUST be within the safe range of JavaScript.
        (
            "\nMcp-Param-Limit: 9007199254740992",
            r#""limit":9007199254740992"#,
            "header-integer-range Mcp-Param-*",
        ),
        // "Convert to lowercase true or false."
        ("\nMcp-Param-Dry: true", r#""dry":true"#, ""),
        ("\nMcp-Param-Dry: True", r#""dry":true"#, "http-header-mismatch Mcp-Param-*"),
        ("\nMcp-Param-Dry: 1", r#""dry":true"#, "http-header-mismatch Mcp-Param-*"),
        ("\nMcp-Param-Dry: false", r#""dry":false"#, ""),
        // "Reading the instance value at the exact property path."
        ("\nMcp-Param-Tenant: t", r#""where":{"tenant":"t"}"#, ""),
        ("", r#""where":{"tenant":"t"}"#, "http-header-missing Mcp-Param-*"),
        ("", r#""where":["tenant"],"tenant":"t""#, ""),
        ("", r#""wh\u0065re":{"tenant":"t"}"#, "http-header-missing Mcp-Param-*"),
        // Peers differ in which of two members they read.
        (
            "\nMcp-Param-Region: eu",
            r#""region":"eu","region":"us""#,
            "duplicate-nested-member Mcp-Param-*",
        ),
        // No header stands for an object.
        ("\nMcp-Param-Region: {}", r#""region":{}"#, "http-header-mismatch Mcp-Param-*"),
    ] {
        let is_right = found.is_empty() || found.starts_with("header-integer-range");
        let verdict = if is_right { "answer 2026-07-28 Judged" } else { "400 -32020 7" };
        check(&query(headers, arguments), verdict, found);
    }
    let stored = query("\nMcp-Param-Region: us", r#""region":"eu""#).replace("query", "stored");
    check(&stored, "400 -32020 7", "http-header-mismatch Mcp-Param-*");
    // A tool that the caller does not know.
    let unknown = query("\nMcp-Param-Region: us", r#""region":"eu""#).replace("query", "unheard");
    check(&unknown, "answer 2026-07-28 NotJudged", "");
}

#[test]
fn bodies() {
    let text = post("tools/list", "Mcp-Method: tools/list", "");
    let (head, _) = text.split_once("\n\n").unwrap();
    let with = |body: &str| format!("{head}\n\n{body}");
    for (body, verdict, found) in [
        ("", "400 -32700", "not-json"),
        ("{", "400 -32700", "not-json"),
        (r#"{"jsonrpc":"2.0","id":7}"#, "400 -32600 7", "no-shape"),
        (r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#, "400 -32600", "id-null"),
        // "A single JSON-RPC request or notification."
        (r#"[{"jsonrpc":"2.0","id":7,"method":"tools/list"}]"#, "400 -32600", "batch-not-allowed"),
        // "The client MUST NOT send JSON-RPC responses." The error has no id.
        (r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, "400", "wrong-direction"),
        // basic, _meta: "the server MUST reject it with -32602", and 400.
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}"#,
            "400 -32602 7",
            "missing-meta",
        ),
        (r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#, "400 -32602 7", "missing-params"),
    ] {
        check(&with(body), verdict, found);
    }
    // "If the server does not implement the requested method: 404 and -32601."
    let call = |method: &str| post(method, &format!("Mcp-Method: {method}"), r#""ref":{}"#);
    check(&call("ping"), "404 -32601 7", "method-not-in-revision");
    check(&call("completion/complete"), "404 -32601 7", "method-not-served");
    // basic, _meta: "MissingRequiredClientCapabilityError (-32021) whose data.requiredCapabilities lists", and 400.
    let get = post("prompts/get", "Mcp-Method: prompts/get\nMcp-Name: p", r#""name":"p""#);
    check(&get, "400 -32021 7", "undeclared-capability");
    assert!(judge(&get).reply.contains(r#""data":{"requiredCapabilities":{"sampling":{}}}"#));
}

#[test]
fn notifications_are_never_answered_with_an_id() {
    let note = |headers: &str, method: &str| {
        format!(
            "POST\n{COMMON}\nMCP-Protocol-Version: 2026-07-28\n{headers}\n\n{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{{\"requestId\":1}}}}"
        )
    };
    // "If the server accepts it, it MUST return 202 with no body." Its headers are not defined.
    check(&note("X: y", "notifications/cancelled"), "acknowledge 2026-07-28 NotDue", "");
    check(
        &note("Mcp-Method: notifications/cancelled", "notifications/cancelled"),
        "acknowledge 2026-07-28 NotDue",
        "",
    );
    // A gateway would route it by a method that it does not have.
    check(
        &note("Mcp-Method: tools/list", "notifications/cancelled"),
        "400",
        "http-header-mismatch Mcp-Method",
    );
    check(&note("X: y", "notifications/message"), "400", "wrong-direction");
    check(&note("X: y", "tools/list"), "400", "method-kind");
}

#[test]
fn a_body_that_is_too_long_is_answered_with_its_id() {
    let lines: [(&[u8], &[u8]); 4] = [
        (b"Host", b"mcp.example"),
        (b"Content-Type", b"application/json"),
        (b"Accept", b"*/*"),
        (b"MCP-Protocol-Version", b"2026-07-28"),
    ];
    let head = POLICY.head(b"POST", lines.into_iter(), &(), |_| {});
    let body = post("tools/list", "", &format!(r#""cursor":"{}""#, "x".repeat(5000)));
    let body = [body.split_once("\n\n").unwrap().1, "\n"].concat();
    // A stream with little room skims what does not fit.
    let mut stream = MessageStream::new([0; 256], &head.profile());
    let mut chunk = body.as_bytes();
    let Some(Received::Oversized { fault, .. }) = stream.next(&mut chunk) else { panic!() };
    let Verdict::Refused(refusal) = head.judge(&(), Err(fault), |_| {}) else { panic!() };
    assert_eq!(refused_as(&refusal).0, "413 -32600 7");
    assert_eq!(refusal.rule(), tautline::Rule::FRAME_TOO_LONG);
}

/// A caller that only reports judges the body nevertheless.
#[test]
fn a_refused_head_does_not_hide_the_findings_of_the_body() {
    let text = post("tools/call", "Origin: https://evil.example", r#""name":"plain""#);
    let (lines, body) = text.split_once("\n\n").unwrap();
    let headers = lines.lines().skip(1).map(|line| line.split_once(": ").unwrap());
    let headers = headers.map(|(name, value)| (name.as_bytes(), value.as_bytes()));
    let mut found = Vec::new();
    let head = POLICY.head(b"POST", headers, &(), |finding| found.push(show(finding)));
    let verdict = head.judge(&(), Message::parse(body.as_bytes(), &head.profile()), |finding| {
        found.push(show(finding));
    });
    assert_eq!(
        found,
        ["http-origin Origin", "http-header-missing Mcp-Method", "http-header-missing Mcp-Name"]
    );
    let Verdict::Refused(refusal) = verdict else { panic!() };
    assert_eq!((refusal.status(), refusal.code()), (403, None));
}

#[test]
fn places_lead_to_the_header_and_the_member() {
    let text = query("\nMcp-Param-Tenant: t", r#""where":{"tenant":"u"}"#);
    let (lines, body) = text.split_once("\n\n").unwrap();
    let headers = lines.lines().skip(1).map(|line| line.split_once(": ").unwrap());
    let headers = headers.map(|(name, value)| (name.as_bytes(), value.as_bytes()));
    let head = POLICY.head(b"POST", headers, &Tools, |_| {});
    let message = Message::parse(body.as_bytes(), &head.profile());
    let Verdict::Refused(refusal) = head.judge(&Tools, message, |_| {}) else { panic!() };
    let finding = refusal.finding();
    assert_eq!(finding.field(), Some(Field::Parameter));
    let offset = finding.offset().unwrap();
    assert_eq!(Path::at(body.as_bytes(), offset).to_string(), "params.arguments.where.tenant");
    assert_eq!(
        finding.to_string(),
        format!(
            "http-header-mismatch in Mcp-Param-* at byte {offset}: a header differs from the value in the body that it repeats"
        )
    );
}
