//! The filter in a second engine, an interpreter, without an Envoy. It decides what the native library decides, in
//! whatever pieces a body comes. Its memory does not grow, and no order of calls ends in a trap.

use std::fs;

use fastrand::Rng;
use serde_json::{Value, json};
use tautline_gateway::settings::{Mode, Settings};
use tautline_gateway_tests::exchange::{Ending, head};
use tautline_gateway_tests::host::{Fields, Half, Host, Side};
use tautline_gateway_tests::native::Request;
use tautline_gateway_tests::request::{Plain, plain_cases};
use tautline_gateway_tests::responses::{self, SHORT, cut, one, response};
use tautline_gateway_tests::upstream::settings;
use tautline_gateway_tests::{module, volume};

/// Levels of the log.
const ERROR: u32 = 4;
const CRITICAL: u32 = 5;

fn start() -> Host {
    Host::start(&fs::read(module()).expect("the module")).expect("the filter starts")
}

/// Starts the filter with these settings, and reads them for the native library.
fn with(settings: &Value) -> (Host, Settings) {
    let (mut host, text) = (start(), settings.to_string());
    assert!(host.configure(&text).expect("no trap"), "{text}: {:?}", host.log());
    (host, Settings::parse(text.as_bytes()).expect("settings"))
}

/// Sends a request in these pieces, and checks that the filter does what the native library decides.
fn check(host: &mut Host, settings: &Settings, name: &str, head: &Fields, pieces: &[&[u8]]) {
    let body = pieces.concat();
    let native = Request::judge(settings, head, pieces);
    let id = host.open().expect("no trap");
    host.show(id, Side::Request, head, pieces, Ending::Piece).expect("no trap");
    if let Some(reply) = host.stream(id).expect("an exchange").reply.clone() {
        assert!(host.show_reply(id, &reply).expect("no trap"), "{name}: {reply:?}");
    }
    let stream = host.close(id).expect("no trap");
    assert_eq!(stream.reply.as_ref(), native.reply(), "{name}");
    if stream.reply.is_none() {
        assert!(stream.request.passed == Some(native.passed(settings, head)), "{name}: {stream:?}");
        assert!(stream.request.passed_body == body, "{name}");
    }
    assert_eq!(stream.states, native.states().into_iter().collect(), "{name}");
    assert_eq!(host.log(), native.lines(settings), "{name}");
}

#[test]
fn configurations_are_accepted_and_refused() {
    let mut host = start();
    for good in ["", "{}", r#"{"requests":"report","methods":{"deny":["tools/call"]}}"#] {
        assert!(host.configure(good).expect("no trap"), "{good}");
        assert_eq!(host.log(), []);
    }
    assert_eq!((host.tick(), host.declared().len()), (5000, 5));
    assert_eq!(host.counter("tautline.request.refused"), Some(0));
    for bad in ["{", "[]", r#"{"request":"enforce"}"#, r#"{"limits":{"request":2000000}}"#] {
        assert!(!host.configure(bad).expect("no trap"), "{bad}");
        let error = Settings::parse(bad.as_bytes()).expect_err(bad);
        let line = format!("the configuration is refused: {error}");
        assert_eq!(host.log(), [(CRITICAL, line)], "{bad}");
    }
}

/// The length of a body whose pieces have one byte. Longer ones have as many pieces.
const PIECES: usize = 2000;

#[tokio::test(flavor = "multi_thread")]
async fn every_case_is_decided_as_the_native_library_does() {
    let cases = plain_cases().await;
    assert!(cases.len() > 600, "{}", cases.len());
    let enforce = settings();
    let mut report = enforce.clone();
    report["requests"] = json!("report");
    let denying = json!({
        "methods": { "deny": ["ping", "tools/list"] },
        "strict": true,
        "responses": "enforce",
        "request_headers": true,
    });
    // Many bodies are as long as these limits, or longer.
    let mut lengths: Vec<usize> = cases.iter().map(|(_, plain)| plain.body.len()).collect();
    lengths.sort_unstable();
    let limits =
        json!({ "request": lengths[cases.len() / 2], "skim": lengths[cases.len() / 4 * 3] });
    let short = json!({ "limits": limits });
    let shown = json!({ "limits": limits, "requests": "report" });
    for settings in [enforce, report, denying, short, shown] {
        let (mut host, settings) = with(&settings);
        for (name, plain) in &cases {
            let (mut head, body) = (head(plain), &plain.body[..]);
            // These make no difference to the rules.
            for (name, value) in [("accept-encoding", "gzip"), ("x-tautline-rule", "none")] {
                head.push((name.to_owned(), value.into()));
            }
            // Without a length, the head is judged before the body.
            let piece = body.len() / PIECES + 1;
            let pieces: Vec<&[u8]> = body.chunks(piece).collect();
            let pieces = if body.is_empty() { vec![body] } else { pieces };
            check(&mut host, &settings, &format!("{name}, in pieces"), &head, &pieces);
            // Reading a body of 10 MB to its end takes the interpreter long, and one of 1 MB does the same.
            if body.len() > 4 << 20 {
                continue;
            }
            let length = body.len().to_string().into_bytes();
            head.push(("content-length".to_owned(), length));
            let pieces = [body];
            let pieces = if body.is_empty() { &[] } else { pieces.as_slice() };
            check(&mut host, &settings, &format!("{name}, whole"), &head, pieces);
        }
    }
}

/// The requests whose responses are judged: with an id, two in a batch, a notification, and a stream without a request.
fn requests() -> Vec<(Fields, Vec<u8>)> {
    let body = |text: &str| text.as_bytes().to_vec();
    let batch =
        r#"[{"jsonrpc":"2.0","id":7,"method":"ping"},{"jsonrpc":"2.0","id":"a","method":"ping"}]"#;
    // Without the header, the revision is 2025-03-26.
    let mut old = head(&Plain::post(""));
    old.retain(|(name, _)| name != "mcp-protocol-version");
    let mut get = head(&Plain::post(""));
    get.retain(|(name, _)| name != "content-type");
    for (name, value) in &mut get {
        match name.as_str() {
            ":method" => *value = body("GET"),
            "accept" => *value = body("text/event-stream"),
            _ => {}
        }
    }
    let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    vec![
        (head(&Plain::ping(7)), Plain::ping(7).body.to_vec()),
        (old, body(batch)),
        (head(&Plain::post("")), body(note)),
        (get, Vec::new()),
    ]
}

/// Has an exchange with the filter, which must do with the response what the native library does.
fn exchange(host: &mut Host, settings: &Settings, random: &mut Rng) -> bool {
    let requests = requests();
    let (asked, request) = &requests[random.usize(..requests.len())];
    let whole = [request.as_slice()];
    let whole = if request.is_empty() { &[] } else { whole.as_slice() };
    let native = Request::judge(settings, asked, whole);
    assert!(native.asked.is_some(), "{:?}", native.lines(settings));
    let id = host.open().expect("no trap");
    host.show(id, Side::Request, asked, whole, Ending::Piece).expect("no trap");

    let (head, body) = response(random);
    let pieces = cut(random, &body);
    let ending = one(random, &[Ending::Piece, Ending::Piece, Ending::Piece, Ending::Trailers]);
    host.show(id, Side::Response, &head, &pieces, ending).expect("no trap");
    let native = native.answer(settings, &head, &pieces, ending);
    let stream = host.close(id).expect("no trap");
    let name = || {
        let shown = (String::from_utf8_lossy(request), String::from_utf8_lossy(&body));
        format!("{shown:?}, {head:?}, {ending:?}, {:?}", settings.responses)
    };
    let Half { passed, passed_body, .. } = stream.response;
    let sent = match stream.reply {
        Some(reply) => Err(reply),
        None => Ok((passed.unwrap_or_default(), passed_body)),
    };
    assert!(sent == native.sent, "{}:\n{sent:?}\n{:?}", name(), native.sent);
    assert_eq!(host.log(), native.lines, "{}", name());
    sent == Ok((head, body))
}

fn judging(mode: &str) -> Value {
    json!({ "requests": mode, "responses": mode, "limits": { "response": SHORT } })
}

#[test]
fn responses_are_judged_as_by_the_native_library() {
    let (enforce, report) = (judging("enforce"), judging("report"));
    let mut strict = enforce.clone();
    for (name, value) in
        [("strict", json!(true)), ("compressed", json!("pass")), ("unjudged", json!("pass"))]
    {
        strict[name] = value;
    }
    for settings in [enforce, report, strict] {
        let (mut host, settings) = with(&settings);
        let (mut random, total) = (Rng::with_seed(1), 1500 * volume());
        let same = (0..total).filter(|_| exchange(&mut host, &settings, &mut random)).count();
        match settings.responses {
            Mode::Report => assert_eq!(same, total),
            _ => assert!(same > total / 5 && same < total * 4 / 5, "{same} of {total}"),
        }
        let count = |name: &str| host.counter(&format!("tautline.response.{name}")).expect(name);
        assert_eq!(count("aborted"), 0);
        assert!(count("accepted") > 100 && count("refused") + count("would_refuse") > 100);
    }
}

/// The number of exchanges after which the memory must not grow.
const WARM: usize = 500;

#[test]
fn memory_does_not_grow() {
    for mode in ["enforce", "report"] {
        let (mut host, settings) = with(&judging(mode));
        let mut random = Rng::with_seed(2);
        let mut run = |host: &mut Host, count: usize| {
            for number in 0..count {
                exchange(host, &settings, &mut random);
                // The next ends while its request is read.
                if number % 4 == 0 {
                    let id = host.open().expect("no trap");
                    let long = Plain::long(random.usize(1000..20_000));
                    host.head(id, Side::Request, head(&long), false).expect("no trap");
                    host.body(id, Side::Request, &long.body, false).expect("no trap");
                    host.close(id).expect("no trap");
                }
            }
            host.pages()
        };
        let warm = run(&mut host, WARM);
        assert_eq!(run(&mut host, 5000 * volume()), warm, "{mode}: pages");
        // The context is gone.
        assert!(host.call::<_, ()>(2, "proxy_on_log", 2_u32).is_err());
    }
}

/// Opens an exchange, and shows only the head of this request.
fn open(host: &mut Host, plain: &Plain) -> u32 {
    let id = host.open().expect("no trap");
    host.head(id, Side::Request, head(plain), false).expect("no trap");
    id
}

#[test]
fn trailers_end_a_body_that_never_came() {
    let (mut host, settings) = with(&judging("enforce"));
    let head = head(&Plain::ping(7));
    let native = Request::judge(&settings, &head, &[b""]);
    let id = open(&mut host, &Plain::ping(7));
    host.trailers(id, Side::Request).expect("no trap");
    let stream = host.close(id).expect("no trap");
    assert!(stream.reply.is_some() && stream.reply.as_ref() == native.reply(), "{stream:?}");
    assert_eq!(host.log(), native.lines(&settings));
}

#[test]
fn a_proxy_that_refuses_a_long_body_gives_the_error_of_the_filter() {
    let (mut host, settings) = with(&judging("enforce"));
    for (status, is_rewritten) in [(413, true), (200, false)] {
        let plain = Plain::ping(7);
        let id = open(&mut host, &plain);
        host.body(id, Side::Request, &plain.body[..10], false).expect("no trap");
        let early = responses::head(status, &[("content-length", "5"), ("x-a", "b")]);
        let hello = [b"hel".as_slice(), b"lo"];
        host.show(id, Side::Response, &early, &hello, Ending::Piece).expect("no trap");
        let stream = host.close(id).expect("no trap");
        let passed = stream.response.passed.expect("a head");
        let body = String::from_utf8(stream.response.passed_body).expect("UTF-8");
        let has_length = passed.iter().any(|(name, _)| name == "content-length");
        assert!(passed.contains(&("x-a".to_owned(), b"b".to_vec())), "{passed:?}");
        assert_eq!(has_length, !is_rewritten, "{passed:?}");
        if is_rewritten {
            let error: Value = serde_json::from_str(&body).expect("JSON");
            assert_eq!(error["error"]["code"], -32600, "{body}");
        } else {
            assert_eq!((passed, body.as_str()), (early, "hello"));
        }
    }
    let count = |name: &str| host.counter(&format!("{}.{name}", settings.counters));
    assert_eq!((count("request.refused"), count("request.aborted")), (Some(1), Some(1)));
}

#[test]
fn an_operator_is_told_once_that_bodies_are_missing() {
    let (mut host, _) = with(&judging("enforce"));
    let tick = |host: &mut Host| host.call::<_, ()>(1, "proxy_on_tick", 1_u32).expect("no trap");
    tick(&mut host);
    assert_eq!(host.log(), []);
    let id = open(&mut host, &Plain::ping(7));
    tick(&mut host);
    tick(&mut host);
    let log = host.log();
    assert!(matches!(log.as_slice(), [(ERROR, line)] if line.contains("do not arrive")), "{log:?}");
    host.close(id).expect("no trap");
}

/// Has several exchanges at the same time, each in an order that no proxy should have.
fn disorder(host: &mut Host, random: &mut Rng) {
    let requests = requests();
    let ids: Vec<u32> = (0..4).map(|_| host.open().expect("no trap")).collect();
    let mut heads = vec![(false, false); ids.len()];
    for _ in 0..random.usize(..40) {
        let number = random.usize(..ids.len());
        let (id, (has_request, has_response)) = (ids[number], &mut heads[number]);
        let (head, body) = &requests[random.usize(..requests.len())];
        let (answer, shown) = response(random);
        let side = one(random, &[Side::Request, Side::Response]);
        let body = if side == Side::Request { body } else { &shown };
        let ended = random.usize(..4) == 0;
        match random.usize(..8) {
            0 | 1 if !std::mem::replace(has_request, true) => {
                host.head(id, Side::Request, head.clone(), ended)
            }
            2 if !std::mem::replace(has_response, true) => {
                host.head(id, Side::Response, answer, ended)
            }
            3 => host.body(id, side, b"", ended),
            4 => host.trailers(id, side),
            5 => host.call(1, "proxy_on_tick", 1_u32),
            _ => host.body(id, side, &body[..random.usize(..=body.len())], ended),
        }
        .expect("no trap");
    }
    for id in ids {
        host.close(id).expect("no trap");
    }
}

#[test]
fn no_order_of_calls_is_a_trap() {
    let mut all = ["enforce", "report", "off"].map(judging).to_vec();
    // Several bodies do not fit in the memory at the same time.
    let limits = json!({ "request": 50, "response": SHORT, "kept": SHORT });
    for mode in ["enforce", "report"] {
        all.push(json!({
            "requests": mode,
            "responses": mode,
            "unjudged": "pass",
            "limits": limits,
            "request_headers": mode == "enforce",
        }));
    }
    for settings in all {
        let (mut host, _) = with(&settings);
        let mut random = Rng::with_seed(3);
        for _ in 0..300 * volume() {
            disorder(&mut host, &mut random);
        }
    }
}
