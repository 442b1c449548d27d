//! Each default, each member and each mistake.

use tautline::rule::CodeClass;
use tautline::{ErrorCode, RawJson, RawStr};
use tautline_mcp::Revision;
use tautline_mcp::http::{Allowed, Policy, Sessions};

use super::{Denial, IdInLog, Key, Limits, Mode, Settings, Unjudged};

fn parse(json: &str) -> Settings {
    Settings::parse(json.as_bytes()).unwrap_or_else(|error| panic!("{json}: {error}"))
}

fn name(text: &str) -> RawStr<'_> {
    RawJson::parse(text.as_bytes()).unwrap().string().unwrap()
}

/// Shows a policy, and which of the revisions it is strict in.
fn shown(policy: Policy<'_>) -> (String, Vec<Revision>) {
    // The last field is a function.
    let text = format!("{policy:?}").split(", profile").next().unwrap().to_owned();
    let is_strict = |revision: &Revision| {
        policy.profile(*revision) == revision.strict_profile().http_request_body()
    };
    (text, Revision::ALL.iter().copied().filter(is_strict).collect())
}

/// Each message, and the mistakes that it is for.
const MISTAKES: &[(&str, &[&str])] = &[
    ("must be JSON: a member name in double quotes was expected here (byte 1)", &["{"]),
    (
        "must be JSON: the JSON value ends before this byte, and more follows it (byte 3)",
        &["{} {}"],
    ),
    ("must be an object", &["[]", "null"]),
    (
        "request: unknown; expected one of requests, revisions, log, methods, tools, \
         strict, responses, hosts, origins, sessions, streams, session_end, paths, limits, compressed, unjudged, \
         denied, counters, request_headers",
        &[r#"{"request":"off"}"#],
    ),
    (
        "Requests: unknown; expected one of requests, revisions, log, methods, tools, \
         strict, responses, hosts, origins, sessions, streams, session_end, paths, limits, compressed, unjudged, \
         denied, counters, request_headers",
        &[r#"{"Requests":"off"}"#],
    ),
    (
        "requests: is repeated",
        &[r#"{"requests":"off","requests":"off"}"#, r#"{"requests":"off","\u0072equests":"off"}"#],
    ),
    (
        r#"requests: must be one of "enforce", "report", "off""#,
        &[
            r#"{"requests":"Enforce"}"#,
            r#"{"requests":true}"#,
            r#"{"requests":{"off":null}}"#,
            r#"{"requests":null}"#,
        ],
    ),
    (r#"responses: must be one of "enforce", "report", "off""#, &[r#"{"responses":"on"}"#]),
    ("paths: must be an array", &[r#"{"paths":"/mcp"}"#, r#"{"paths":null}"#]),
    ("paths: must not be empty; without the member, every path is judged", &[r#"{"paths":[]}"#]),
    (
        r#"paths[1]: must be a path like "/mcp", in ASCII, without a query and a wildcard"#,
        &[r#"{"paths":["/mcp","mcp"]}"#],
    ),
    (
        r#"paths[0]: must be a path like "/mcp", in ASCII, without a query and a wildcard"#,
        &[r#"{"paths":["/mcp?a=b"]}"#],
    ),
    ("paths[1]: must be a string", &[r#"{"paths":["/mcp",7]}"#]),
    ("revisions: must not be empty", &[r#"{"revisions":[]}"#]),
    (
        r#"revisions[1]: must be one of "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28""#,
        &[r#"{"revisions":["2025-11-25","2024-11-05"]}"#],
    ),
    (
        r#"revisions[0]: must be one of "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28""#,
        &[r#"{"revisions":["2027-01-01"]}"#, r#"{"revisions":[20251125]}"#],
    ),
    ("strict: must be true or false", &[r#"{"strict":"yes"}"#]),
    (
        r#"hosts: must be "any", "loopback" or an array of strings"#,
        &[r#"{"hosts":"all"}"#, r#"{"hosts":{}}"#],
    ),
    ("hosts: must not be empty, for no request would be accepted", &[r#"{"hosts":[]}"#]),
    (
        r#"hosts[1]: must be a host like "mcp.example.com" or "mcp.example.com:8443""#,
        &[r#"{"hosts":["a","https://b"]}"#],
    ),
    (
        r#"hosts[0]: must be a host like "mcp.example.com" or "mcp.example.com:8443""#,
        &[r#"{"hosts":["*.example.com"]}"#, r#"{"hosts":[" a"]}"#, r#"{"hosts":["a:70000"]}"#],
    ),
    (
        r#"origins[0]: must be an origin like "https://app.example.com", or "null""#,
        &[
            r#"{"origins":["app.example.com"]}"#,
            r#"{"origins":["https://a/"]}"#,
            r#"{"origins":["*"]}"#,
            r#"{"origins":["https://*.example.com"]}"#,
        ],
    ),
    (r#"sessions: must be one of "none", "optional", "required""#, &[r#"{"sessions":"always"}"#]),
    ("streams: must be true or false", &[r#"{"streams":1}"#]),
    ("session_end: must be true or false", &[r#"{"session_end":"no"}"#]),
    ("limits: must be an object", &[r#"{"limits":1000}"#, r#"{"limits":[1,2,3]}"#]),
    (
        "limits.request: must be an integer from 1 to 4294967295",
        &[
            r#"{"limits":{"request":"1k"}}"#,
            r#"{"limits":{"request":1.5}}"#,
            r#"{"limits":{"request":null}}"#,
            r#"{"limits":{"request":0}}"#,
        ],
    ),
    (
        "limits.response: must be an integer from 1 to 4294967295",
        &[r#"{"limits":{"response":-1}}"#],
    ),
    (
        "limits.buffer: must be an integer from 2 to 4294967295",
        &[
            r#"{"limits":{"buffer":0}}"#,
            r#"{"limits":{"buffer":1}}"#,
            r#"{"limits":{"buffer":4294967296}}"#,
            r#"{"limits":{"buffer":18446744073709551615}}"#,
        ],
    ),
    (
        "limits.request: must be less than limits.buffer (1048576)",
        &[r#"{"limits":{"request":1048576}}"#],
    ),
    (
        "limits.response: must be less than limits.buffer (64)",
        &[r#"{"limits":{"response":64,"buffer":64}}"#],
    ),
    (
        "limits.kept: must be at least the longest body (786432)",
        &[r#"{"limits":{"kept":786431,"request":1}}"#],
    ),
    ("limits.skim: must be at least limits.request (786432)", &[r#"{"limits":{"skim":786431}}"#]),
    (
        "compressed: must be \"refuse\" beside methods or tools",
        &[r#"{"compressed":"pass","tools":{"deny":[]}}"#],
    ),
    (
        "unjudged: must be \"refuse\" beside methods or tools",
        &[r#"{"unjudged":"pass","methods":{"deny":[]}}"#],
    ),
    (
        "strict: must be true beside methods or tools",
        &[
            r#"{"strict":false,"tools":{"deny":[]}}"#,
            r#"{"methods":{"allow":["ping"]},"strict":false}"#,
        ],
    ),
    (
        "responses: must be \"off\" if requests is \"off\"",
        &[
            r#"{"requests":"off","responses":"report"}"#,
            r#"{"requests":"off","responses":"enforce"}"#,
        ],
    ),
    (
        "limits.requests: unknown; expected one of buffer, request, response, skim, kept",
        &[r#"{"limits":{"requests":64}}"#],
    ),
    (r#"compressed: must be one of "refuse", "pass""#, &[r#"{"compressed":"inflate"}"#]),
    (r#"unjudged: must be one of "refuse", "pass""#, &[r#"{"unjudged":false}"#]),
    (
        "methods: must have either allow or deny",
        &[r#"{"methods":{}}"#, r#"{"methods":{"allow":["ping"],"deny":["ping"]}}"#],
    ),
    ("methods: must be an object", &[r#"{"methods":["tools/call"]}"#, r#"{"methods":null}"#]),
    ("methods.allow[1]: must not be empty", &[r#"{"methods":{"allow":["ping",""]}}"#]),
    ("methods.allow: must be an array", &[r#"{"methods":{"allow":null}}"#]),
    (
        r#"methods: has no effect while requests is "off""#,
        &[r#"{"methods":{"deny":["ping"]},"requests":"off"}"#],
    ),
    ("tools.deny[0]: must be a string", &[r#"{"tools":{"deny":[null]}}"#]),
    (
        "tools.Deny: unknown; expected one of allow, deny",
        &[r#"{"tools":{"deny":["a"],"Deny":["b"]}}"#],
    ),
    ("tools.deny: is repeated", &[r#"{"tools":{"deny":["a"],"deny":["b"]}}"#]),
    ("tools: must have either allow or deny", &[r#"{"tools":{"allow":[],"deny":[]}}"#]),
    (
        r#"tools: has no effect while requests is "off""#,
        &[r#"{"tools":{"allow":["a"]},"requests":"off"}"#],
    ),
    (
        "denied.status: must be 200, or an integer from 400 to 599",
        &[
            r#"{"denied":{"status":201}}"#,
            r#"{"denied":{"status":399}}"#,
            r#"{"denied":{"status":600}}"#,
            r#"{"denied":{"status":"403"}}"#,
        ],
    ),
    (
        "denied.code: must be an integer from -2147483648 to 2147483647",
        &[r#"{"denied":{"code":2147483648}}"#, r#"{"denied":{"code":-2147483649}}"#],
    ),
    (
        "denied.code: must not be -32020, which 2026-07-28 defines, reserves or has retired; \
         codes outside -32768..-32000 are free",
        &[r#"{"denied":{"code":-32020}}"#],
    ),
    (
        "denied.code: must not be -32050, which 2026-07-28 defines, reserves or has retired; \
         codes outside -32768..-32000 are free",
        &[r#"{"denied":{"code":-32050}}"#],
    ),
    (
        "denied.code: must not be -32002, which 2025-03-26 defines, reserves or has retired; \
         codes outside -32768..-32000 are free",
        &[r#"{"denied":{"code":-32002}}"#],
    ),
    (
        "denied.code: must not be -32500, which 2025-06-18 defines, reserves or has retired; \
         codes outside -32768..-32000 are free",
        &[r#"{"denied":{"code":-32500},"revisions":["2025-06-18"]}"#],
    ),
    ("denied.message: must be a string", &[r#"{"denied":{"message":7}}"#]),
    (r#"log.id: must be one of "hash", "plain", "none""#, &[r#"{"log":{"id":"sha"}}"#]),
    (
        "log.key: must be 32 hexadecimal digits",
        &[r#"{"log":{"key":"0123"}}"#, r#"{"log":{"key":"+123456789abcdef0123456789abcdef"}}"#],
    ),
    (
        r#"log.key: has no effect unless log.id is "hash""#,
        &[r#"{"log":{"id":"plain","key":"000102030405060708090a0b0c0d0e0f"}}"#],
    ),
    (
        r#"counters: must be letters from a to z, digits, "_" and ".""#,
        &[r#"{"counters":""}"#, r#"{"counters":"Tautline"}"#, r#"{"counters":"a-b"}"#],
    ),
    ("request_headers: must be true or false", &[r#"{"request_headers":0}"#]),
    (
        r#"request_headers: needs requests to be "enforce""#,
        &[r#"{"request_headers":true,"requests":"report"}"#],
    ),
];

#[test]
fn each_mistake_is_named_with_its_path() {
    for (message, mistakes) in MISTAKES {
        for json in *mistakes {
            let error = Settings::parse(json.as_bytes()).map(|_| ()).unwrap_err();
            assert_eq!(error.to_string(), *message, "{json}");
            assert!(message.starts_with(error.path()), "{json}");
        }
    }
}

#[test]
fn an_empty_text_stands_for_the_defaults() {
    for json in ["", " \n", "{}", r#"{"limits":{},"denied":{},"log":{}}"#] {
        let settings = parse(json);
        assert_eq!((settings.requests, settings.responses), (Mode::Enforce, Mode::Report));
        let served = &Revision::ALL[1..];
        assert_eq!(settings.policy.supported(), served);
        let policy = Policy::new(served, Allowed::Any, Allowed::Any)
            .with_sessions(Sessions::Optional)
            .with_streams()
            .with_session_end();
        assert_eq!(shown(settings.policy), shown(policy), "{json}");
        assert!(settings.has_path(b"/any?x=y") && settings.has_path(b""));
        assert_eq!(
            settings.limits,
            Limits { request: 786_432, response: 786_432, skim: 3_145_728, kept: 64 << 20 }
        );
        assert_eq!((settings.compressed, settings.unjudged), (Unjudged::Refuse, Unjudged::Refuse));
        assert!(!settings.denies_method(name("\"x\"")) && !settings.denies_tool(name("\"x\"")));
        let message = "the gateway does not allow this".to_owned();
        let denial = Denial { status: 403, code: ErrorCode::new(-31_403), message };
        assert_eq!(settings.denial, denial);
        for &revision in served {
            let class = revision.profile().code_class(settings.denial.code);
            assert_eq!(class, CodeClass::Application, "{revision}");
        }
        assert_eq!((settings.log, settings.key), (IdInLog::Hash, Key([0; 16])));
        assert_eq!(settings.counters, "tautline");
        assert!(!settings.request_headers);
    }
}

#[test]
fn each_member_is_read() {
    let settings = parse(
        r#"{
            "requests": "report", "responses": "enforce", "paths": ["/mcp", "/a/b"],
            "revisions": ["2026-07-28", "2025-11-25"], "strict": true,
            "hosts": ["mcp.example.com", "[::1]:80"], "origins": "loopback",
            "sessions": "required", "streams": false, "session_end": false,
            "limits": {"request": 1000, "response": 4095, "skim": 5000, "kept": 6000, "buffer": 4096},
            "compressed": "refuse", "unjudged": "refuse",
            "methods": {"deny": ["logging/setLevel"]}, "tools": {"allow": ["read"]},
            "denied": {"status": 404, "code": -32601, "message": "No \u0061."},
            "log": {"id": "none"}, "counters": "edge.mcp_1", "request_headers": false
        }"#,
    );
    assert_eq!((settings.requests, settings.responses), (Mode::Report, Mode::Enforce));
    let policy = Policy::new(
        &[Revision::V2026_07_28, Revision::V2025_11_25],
        Allowed::Loopback,
        Allowed::Listed(&["mcp.example.com", "[::1]:80"]),
    );
    let policy = policy.with_sessions(Sessions::Required).strict();
    assert_eq!(shown(settings.policy), shown(policy));
    for (path, is_judged) in
        [("/mcp", true), ("/a/b?c=/d", true), ("/mcp?", true), ("/mcp/x", false), ("/a", false)]
    {
        assert_eq!(settings.has_path(path.as_bytes()), is_judged, "{path}");
    }
    assert_eq!(settings.limits, Limits { request: 1000, response: 4095, skim: 5000, kept: 6000 });
    assert_eq!((settings.compressed, settings.unjudged), (Unjudged::Refuse, Unjudged::Refuse));
    let other = parse(r#"{"compressed":"pass","denied":{"status":200}}"#);
    assert_eq!((other.compressed, other.unjudged), (Unjudged::Pass, Unjudged::Refuse));
    assert_eq!(other.denial.status, 200);
    assert_eq!(parse(r#"{"unjudged":"pass"}"#).unjudged, Unjudged::Pass);
    assert!(settings.denies_method(name(r#""logging/set\u004cevel""#)));
    assert!(!settings.denies_method(name("\"tools/call\"")));
    assert!(settings.denies_tool(name("\"Read\"")) && !settings.denies_tool(name("\"read\"")));
    let denial =
        Denial { status: 404, code: ErrorCode::METHOD_NOT_FOUND, message: "No a.".to_owned() };
    assert_eq!(settings.denial, denial);
    assert_eq!(settings.log, IdInLog::None);
    assert_eq!(settings.counters, "edge.mcp_1");
}

#[test]
fn limits_follow_the_buffer() {
    for (json, request, response) in [
        (r#"{"limits":{"buffer":8388608}}"#, 6_291_456, 6_291_456),
        (r#"{"limits":{"buffer":2}}"#, 1, 1),
        (r#"{"limits":{"response":1048575}}"#, 786_432, 1_048_575),
        // A proxy may have read the configuration from YAML, and written it again.
        (r#"{"limits":{"request":1e3,"response":1000.0}}"#, 1000, 1000),
    ] {
        let skim = request * 4;
        assert_eq!(
            parse(json).limits,
            Limits { request, response, skim, kept: 64 << 20 },
            "{json}"
        );
    }
}

#[test]
fn the_lists_of_sites_may_be_names_and_origins_may_be_empty() {
    for (hosts, origins, expected) in [
        (r#""any""#, r#""loopback""#, (Allowed::Any, Allowed::Loopback)),
        (r#""loopback""#, "[]", (Allowed::Loopback, Allowed::Listed(&[]))),
        (
            r#"["a","b:1"]"#,
            r#"["null"]"#,
            (Allowed::Listed(&["a", "b:1"]), Allowed::Listed(&["null"])),
        ),
    ] {
        let settings =
            parse(&format!(r#"{{"hosts":{hosts},"origins":{origins},"sessions":"none"}}"#));
        let policy = Policy::new(settings.policy.supported(), expected.1, expected.0);
        let policy = policy.with_streams().with_session_end();
        assert_eq!(shown(settings.policy), shown(policy));
    }
}

#[test]
fn ids_are_hashed_with_the_key() {
    // The vectors of the authors of SipHash-2-4, whose output is in little-endian order.
    let settings = parse(r#"{"log":{"key":"000102030405060708090A0b0c0d0e0f"}}"#);
    let input: [u8; 15] = core::array::from_fn(|i| u8::try_from(i).unwrap());
    assert_eq!(settings.hashed(&[]), 0x726f_db47_dd0e_0e31);
    assert_eq!(settings.hashed(&input), 0xa129_ca61_49be_45e5);
    assert_ne!(parse("").hashed(&[]), settings.hashed(&[]));
    let shown = format!("{settings:?}").replace(char::is_whitespace, "");
    assert!(!shown.contains("13,14,15"), "the key stays out of sight");
}
