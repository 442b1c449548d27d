//! The rows: the input, and the expected verdict.

use crate::support::presets::Revision;
use Expect::{Differ, NotJson, Same, ToNobody};
use tautline::Profile;

/// A set of protocols.
pub type Who = u16;

const JSON_RPC: Who = 1;
const LSP: Who = 2;

/// Revisions of MCP on a stream of lines, and as the bodies of HTTP requests.
const PIPE_2024_11: Who = 1 << 2;

const PIPE_2025_03: Who = 1 << 3;
const PIPE_2025_06: Who = 1 << 4;
const PIPE_2025_11: Who = 1 << 5;
const PIPE_2026_07: Who = 1 << 6;
const HTTP_2025_03: Who = 1 << 8;
const PIPE: Who = PIPE_2024_11 | PIPE_2025_03 | PIPE_2025_06 | PIPE_2025_11 | PIPE_2026_07;
const HTTP: Who = PIPE << 5;
const MCP: Who = PIPE | HTTP;

/// The revisions whose schema requires an id in every error, and those whose schema does not.
const UP_TO_2025_06: Who = UP_TO_2025_06_PIPE | UP_TO_2025_06_PIPE << 5;

const UP_TO_2025_06_PIPE: Who = PIPE_2024_11 | PIPE_2025_03 | PIPE_2025_06;
const SINCE_2025_11: Who = MCP & !UP_TO_2025_06;

/// Each protocol, with its rules.
pub fn protocols() -> Vec<(Who, Profile)> {
    let revisions = Revision::ALL.iter().map(|revision| revision.profile());
    let all = [Profile::JSON_RPC, Profile::LSP].into_iter();
    let all = all.chain(revisions.clone()).chain(revisions.map(Profile::http_request_body));
    all.enumerate().map(|(bit, profile)| (1 << bit, profile)).collect()
}

/// The expected verdict on a frame.
pub enum Expect {
    /// The same under every protocol.
    Same(&'static str),
    /// Different ones.
    Differ(&'static [(Who, &'static str)]),
    /// A violation of this rule, with the reply -32600 without an id.
    ToNobody(&'static str),
    /// A violation of this rule by bytes that are not JSON at all.
    NotJson(&'static str),
}

impl Expect {
    /// Returns the expected verdict under one protocol.
    pub fn under(&self, who: Who) -> String {
        let choices = match self {
            Same(expected) => return (*expected).into(),
            Differ(choices) => *choices,
            ToNobody(rule) => {
                return match who {
                    JSON_RPC | LSP => format!("{rule}: -32600 null"),
                    _ if UP_TO_2025_06_PIPE & who != 0 => format!("{rule}: silence"),
                    _ => format!("{rule}: -32600 without id"),
                };
            }
            NotJson(rule) => {
                return match who {
                    JSON_RPC | LSP => format!("{rule}: -32700 null"),
                    _ if PIPE & who != 0 => format!("{rule}: silence"),
                    _ => format!("{rule}: -32700 without id"),
                };
            }
        };
        let mut choices = choices.iter().filter(|(among, _)| among & who != 0);
        let (_, expected) = choices.next().expect("each protocol has an expectation");
        assert!(choices.next().is_none(), "and only one");
        (*expected).into()
    }
}

/// A row: the heading in the documentation above, a frame, and the expected verdict.
pub type Row = (&'static str, &'static [u8], Expect);

#[rustfmt::skip]
pub const FRAMES: &[Row] = &[
    ("malformed or truncated JSON", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"", NotJson("not-json")),
    ("malformed or truncated JSON", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":ping}", NotJson("not-json")),
    ("malformed or truncated JSON", b"Server ready", NotJson("not-json")),
    // Even if it looks like a response or a notification: no part of it is trusted.
    ("malformed or truncated JSON", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}", NotJson("not-json")),
    ("malformed or truncated JSON", b"{\"jsonrpc\":\"2.0\",\"method\":\"m\"", NotJson("not-json")),

    ("two CRs before LF", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r", Same("request 1")),
    ("spaces around the object", b" \t{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} \t ", Same("request 1")),
    ("byte order mark", b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", NotJson("not-json")),
    ("byte order mark", b"\xFF\xFE{\x00}\x00", NotJson("invalid-utf8")),

    ("invalid UTF-8 in a string", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\xFF\"}}", NotJson("invalid-utf8")),
    ("invalid UTF-8 in a string", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"caf\xE9\"}", NotJson("invalid-utf8")),
    ("invalid UTF-8 in the id", b"{\"jsonrpc\":\"2.0\",\"id\":\"c\xFF\",\"method\":\"ping\"}", NotJson("invalid-utf8")),
    ("lone surrogate in the id", br#"{"jsonrpc":"2.0","id":"\ud800","method":"ping"}"#, ToNobody("lone-surrogate")),
    ("lone surrogate in params", br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"\udfff":"\ud800"}}"#, Same("request 1")),
    ("control character in a string", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\tng\"}", NotJson("not-json")),
    ("control character in a string", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\x00ng\"}", NotJson("not-json")),
    ("control character in a string", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\x0Cng\"}", NotJson("not-json")),
    ("control character in a string", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\x00", NotJson("not-json")),
    // A body or the data of an event may contain newlines.
    ("message over several lines", b"{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"method\": \"ping\"\n}\n", Same("request 1")),
    ("message over several lines", b"{", NotJson("not-json")),
    ("message over several lines", b"  \"id\": 1,", NotJson("not-json")),
    ("lone CR between tokens", b"{\"jsonrpc\":\"2.0\",\r\"id\":1,\r\"method\":\"ping\"}", Same("request 1")),
    ("two objects on a line", br#"{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}"#, NotJson("not-json")),
    ("two objects on a line", br#"{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":2,"method":"ping"}"#, NotJson("not-json")),
    ("two objects on a line", br#"{"jsonrpc":"2.0","id":1,"method":"ping"}garbage"#, NotJson("not-json")),
    ("two objects on a line", br#"{"jsonrpc":"2.0","id":1,"method":"ping"},"#, NotJson("not-json")),
    ("U+2028 or U+0085 in a string", "{\"jsonrpc\":\"2.0\",\"id\":\"\u{2028}\u{85}\",\"method\":\"ping\"}".as_bytes(), Same("request \"\u{2028}\u{85}\"")),

    ("response to nothing", br#"{"jsonrpc":"2.0","id":99,"result":{}}"#, Same("result 99")),

    ("member twice", br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, ToNobody("duplicate-member")),
    ("member twice", br#"{"jsonrpc":"2.0","id":1,"\u0069d":1,"method":"ping"}"#, ToNobody("duplicate-member")),
    ("member twice", br#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"pong"}"#, Same("duplicate-member: -32600 1")),
    ("member twice", br#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}"#, Same("duplicate-member: -32600 1")),
    ("member twice", br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"params":{}}"#, Same("duplicate-member: -32600 1")),
    ("member twice", br#"{"jsonrpc":"2.0","method":"ping","method":"pong"}"#, Same("duplicate-member: silence")),
    ("member twice", br#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#, Same("duplicate-member: silence")),
    ("member twice", br#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","code":2}}"#, Same("duplicate-member: silence")),
    ("member twice", br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1,"a":2}}"#, Same("request 1")),

    ("`Method` alone", br#"{"jsonrpc":"2.0","id":1,"Method":"ping"}"#, Same("no-shape: -32600 1")),
    ("`Method` alone", br#"{"jsonrpc":"2.0","Method":"ping"}"#, ToNobody("no-shape")),
    ("`Method` alone", br#"{"JSONRPC":"2.0","ID":1,"METHOD":"ping"}"#, ToNobody("missing-jsonrpc")),
    ("`METHOD` beside `method`", br#"{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"pong"}"#, Same("request 1 (member-lookalike)")),
    ("`METHOD` beside `method`", br#"{"jsonrpc":"2.0","id":1,"method":"ping","method\u0000":"pong"}"#, Same("request 1 (member-lookalike)")),
    ("`METHOD` beside `method`", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"param\u{17F}\":{}}".as_bytes(), Same("request 1 (member-lookalike)")),
    ("escaped name", br#"{"jsonrpc":"2.0","id":1,"\u006dethod":"ping"}"#, Same("request 1")),
    ("escaped name", br#"{"\u006a\u0073onrpc":"2\u002e0","\u0069\u0064":1,"metho\u0064":"p\u0069ng"}"#, Same("request 1")),

    ("batch", br#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"n"}]"#, Differ(&[
        (JSON_RPC | PIPE_2025_03 | HTTP_2025_03, "batch of request 1, notification"),
        (LSP, "batch-not-allowed: -32600 null"),
        (PIPE_2024_11 | PIPE_2025_06, "batch-not-allowed: silence"),
        (SINCE_2025_11 | HTTP & !HTTP_2025_03 & UP_TO_2025_06, "batch-not-allowed: -32600 without id"),
    ])),
    ("batch", br#"[1,{"jsonrpc":"2.0","id":2},{"foo":"boo"},[]]"#, Differ(&[
        (JSON_RPC, "batch of not-an-object: -32600 null, no-shape: -32600 2, missing-jsonrpc: -32600 null, not-an-object: -32600 null"),
        (PIPE_2025_03, "batch of not-an-object: silence, no-shape: -32600 2, missing-jsonrpc: silence, not-an-object: silence"),
        (HTTP_2025_03, "batch of not-an-object: -32600 without id, no-shape: -32600 2, missing-jsonrpc: -32600 without id, not-an-object: -32600 without id"),
        (LSP, "batch-not-allowed: -32600 null"),
        (PIPE_2024_11 | PIPE_2025_06, "batch-not-allowed: silence"),
        (SINCE_2025_11 | HTTP & !HTTP_2025_03 & UP_TO_2025_06, "batch-not-allowed: -32600 without id"),
    ])),
    ("empty batch", b"[]", Differ(&[
        (JSON_RPC, "batch-empty: -32600 null"),
        (PIPE_2025_03, "batch-empty: silence"),
        (HTTP_2025_03, "batch-empty: -32600 without id"),
        (LSP, "batch-not-allowed: -32600 null"),
        (PIPE_2024_11 | PIPE_2025_06, "batch-not-allowed: silence"),
        (SINCE_2025_11 | HTTP & !HTTP_2025_03 & UP_TO_2025_06, "batch-not-allowed: -32600 without id"),
    ])),

    ("null id", br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Differ(&[
        (JSON_RPC, "request null (id-null)"),
        (LSP, "id-null: -32600 null"),
        (UP_TO_2025_06_PIPE, "id-null: silence"),
        (SINCE_2025_11 | HTTP & UP_TO_2025_06, "id-null: -32600 without id"),
    ])),
    ("fractional id", br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, Differ(&[
        (JSON_RPC, "request 1.5 (id-fraction)"),
        (LSP, "id-fraction: -32600 null"),
        (UP_TO_2025_06_PIPE, "id-fraction: silence"),
        (SINCE_2025_11 | HTTP & UP_TO_2025_06, "id-fraction: -32600 without id"),
    ])),
    ("fractional id", br#"{"jsonrpc":"2.0","id":1.5,"method":1}"#, Differ(&[
        (JSON_RPC, "method-type: -32600 1.5"),
        (LSP, "id-fraction: -32600 null"),
        (UP_TO_2025_06_PIPE, "id-fraction: silence"),
        (SINCE_2025_11 | HTTP & UP_TO_2025_06, "id-fraction: -32600 without id"),
    ])),
    ("id of a wrong type", br#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, ToNobody("id-type")),
    ("id of a wrong type", br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, ToNobody("id-type")),
    ("id of a wrong type", br#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, ToNobody("id-type")),
    ("id with a point or an exponent", br#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#, Same("request 1.0 (id-not-plain-integer)")),
    ("id with a point or an exponent", br#"{"jsonrpc":"2.0","id":1e2,"method":"ping"}"#, Same("request 1e2 (id-not-plain-integer)")),
    ("id with a point or an exponent", br#"{"jsonrpc":"2.0","id":1.0}"#, Same("no-shape: -32600 1.0")),
    ("id minus zero", br#"{"jsonrpc":"2.0","id":-0,"method":"ping"}"#, Same("request -0 (id-not-plain-integer)")),
    ("id beyond 2^53", br#"{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}"#, Same("request 9007199254740991")),
    ("id beyond 2^53", br#"{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}"#, Same("request 9007199254740993 (id-unsafe-integer)")),
    ("id beyond 2^63", br#"{"jsonrpc":"2.0","id":9223372036854775808,"method":"ping"}"#, Same("request 9223372036854775808 (id-unsafe-integer)")),
    ("id beyond 2^63", br#"{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}"#, Same("request 18446744073709551616 (id-unsafe-integer)")),
    ("id beyond 2^63", br#"{"jsonrpc":"2.0","id":18446744073709551616,"method":1}"#, Same("method-type: -32600 18446744073709551616")),
    ("empty string as id, negative id", br#"{"jsonrpc":"2.0","id":"","method":"ping"}"#, Same("request \"\"")),
    ("empty string as id, negative id", br#"{"jsonrpc":"2.0","id":-7,"method":"ping"}"#, Same("request -7")),

    ("unknown member", br#"{"jsonrpc":"2.0","id":1,"method":"ping","extra":true}"#, Same("request 1 (unknown-member)")),
    ("method beside result", br#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#, Same("method-in-response: silence")),
    ("method beside result", br#"{"jsonrpc":"2.0","id":1,"method":"ping","error":null}"#, Same("method-in-response: silence")),
    ("result beside error", br#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"no"}}"#, Same("result-and-error: silence")),
    ("neither method nor result nor error", br#"{"jsonrpc":"2.0","id":1}"#, Same("no-shape: -32600 1")),
    ("neither method nor result nor error", br#"{"jsonrpc":"2.0","id":1,"params":{}}"#, Same("no-shape: -32600 1")),
    ("neither method nor result nor error", br#"{"jsonrpc":"2.0"}"#, ToNobody("no-shape")),
    ("neither method nor result nor error", br#"{"foo":"boo"}"#, ToNobody("missing-jsonrpc")),
    ("neither method nor result nor error", b"{}", ToNobody("missing-jsonrpc")),
    ("neither method nor result nor error", b"1", ToNobody("not-an-object")),
    ("neither method nor result nor error", b"\"ping\"", ToNobody("not-an-object")),
    ("neither method nor result nor error", b"null", ToNobody("not-an-object")),
    ("version absent or wrong", br#"{"id":1,"method":"ping"}"#, Same("missing-jsonrpc: -32600 1")),
    ("version absent or wrong", br#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, Same("wrong-version: -32600 1")),
    ("version absent or wrong", br#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#, Same("wrong-version: -32600 1")),
    ("version absent or wrong", br#"{"jsonrpc":"2.0 ","id":1,"method":"ping"}"#, Same("wrong-version: -32600 1")),
    ("version absent or wrong", br#"{"method":"ping"}"#, Same("missing-jsonrpc: silence")),
    ("version absent or wrong", br#"{"id":1,"result":{}}"#, Same("missing-jsonrpc: silence")),

    ("params of a wrong type", br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}"#, Same("params-type: -32600 1")),
    ("params of a wrong type", br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":7}"#, Same("params-type: -32600 1")),
    ("params of a wrong type", br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":false}"#, Same("params-type: -32600 1")),
    ("params of a wrong type", br#"{"jsonrpc":"2.0","method":"ping","params":"x"}"#, Same("params-type: silence")),
    ("params as an array", br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, Differ(&[
        (JSON_RPC | LSP, "request 1"),
        (MCP, "params-type: -32600 1"),
    ])),
    ("params as an array", br#"{"jsonrpc":"2.0","method":"ping","params":[]}"#, Differ(&[
        (JSON_RPC | LSP, "notification"),
        (MCP, "params-type: silence"),
    ])),
    ("null params", br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#, Differ(&[
        (LSP, "request 1"),
        (JSON_RPC | MCP, "params-type: -32600 1"),
    ])),
    ("method empty or unknown", br#"{"jsonrpc":"2.0","id":1,"method":""}"#, Same("request 1")),
    ("method empty or unknown", br#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#, Same("request 1")),
    ("method empty or unknown", br#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#, Same("request 1 (method-reserved)")),
    ("method empty or unknown", br#"{"jsonrpc":"2.0","id":1,"method":7}"#, Same("method-type: -32600 1")),
    ("method empty or unknown", br#"{"jsonrpc":"2.0","method":null}"#, ToNobody("method-type")),
    ("notification's method with an id", br#"{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}"#, Same("request 1")),
    ("required params absent", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, Same("request 1")),
    ("request's method without an id", br#"{"jsonrpc":"2.0","method":"ping"}"#, Same("notification")),

    ("error with a null id", br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#, Differ(&[
        (JSON_RPC | LSP, "error null"),
        (MCP, "id-null: silence"),
    ])),
    ("error without an id", br#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#, Differ(&[
        (JSON_RPC | LSP | UP_TO_2025_06, "response-without-id: silence"),
        (SINCE_2025_11, "error without id"),
    ])),
    ("error without an id", br#"{"jsonrpc":"2.0","result":{}}"#, Same("response-without-id: silence")),
    ("result that is no object", br#"{"jsonrpc":"2.0","id":1,"result":19}"#, Differ(&[
        (JSON_RPC | LSP, "result 1"),
        (MCP, "result-type: silence"),
    ])),
    ("result that is no object", br#"{"jsonrpc":"2.0","id":1,"result":[]}"#, Differ(&[
        (JSON_RPC | LSP, "result 1"),
        (MCP, "result-type: silence"),
    ])),

    // Input of clients.
    ("banner before the first message", b"Server listening on stdio", NotJson("not-json")),
    ("string id for a number", br#"{"jsonrpc":"2.0","id":"1","result":{}}"#, Same("result \"1\"")),
    ("float id for an integer", br#"{"jsonrpc":"2.0","id":1.0,"result":{}}"#, Same("result 1.0 (id-not-plain-integer)")),
    ("result beside a null error", br#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#, Same("result-and-error: silence")),
    ("result beside a null error", br#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":"no"}}"#, Same("result-and-error: silence")),
    ("result and an unknown member", br#"{"jsonrpc":"2.0","id":1,"result":{},"extra":true}"#, Same("result 1 (unknown-member)")),
    ("response without a version", br#"{"id":1,"result":{}}"#, Same("missing-jsonrpc: silence")),
    ("batch of responses", br#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"error":null}]"#, Differ(&[
        (JSON_RPC | PIPE_2025_03 | HTTP_2025_03, "batch of result 1, error-type: silence"),
        (LSP, "batch-not-allowed: -32600 null"),
        (PIPE_2024_11 | PIPE_2025_06, "batch-not-allowed: silence"),
        (SINCE_2025_11 | HTTP & !HTTP_2025_03 & UP_TO_2025_06, "batch-not-allowed: -32600 without id"),
    ])),
    ("response over several lines", b"{\n\"jsonrpc\":\"2.0\",\n\"id\":1,\n\"result\":{}\n}", Same("result 1")),
    ("null result", br#"{"jsonrpc":"2.0","id":1,"result":null}"#, Differ(&[
        (JSON_RPC | LSP, "result 1"),
        (MCP, "result-type: silence"),
    ])),
];

/// A row of several lines: its heading, the bytes, and the verdict on each line, under the profile of MCP 2025-11-25 on
/// a pipe.
pub type WireRow = (&'static str, &'static [u8], &'static [&'static str]);

#[rustfmt::skip]
pub const WIRES: &[WireRow] = &[
    ("blank line", b"\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n \t \n\r\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n", &[
        "line 2: request 1",
        "line 5: request 2",
    ]),
    ("CRLF", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n{\"jsonrpc\":\"2.0\",\"method\":\"n\"}\r\n", &[
        "line 1: request 1",
        "line 2: notification",
    ]),
    ("two CRs before LF", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\r\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n", &[
        "line 1: raw-carriage-return: -32600 1",
        "line 2: request 2",
    ]),
    ("spaces around the object", b"  {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}  \n", &[
        "line 1: request 1",
    ]),
    ("byte order mark", b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n", &[
        "line 1: request 1",
        "line 2: not-json: silence",
    ]),
    ("message over several lines", b"{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"method\": \"ping\"\n}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n", &[
        "line 1: not-json: silence",
        "line 2: not-json: silence",
        "line 3: not-json: silence",
        "line 4: not-json: silence",
        "line 5: not-json: silence",
        "line 6: request 2",
    ]),
    ("lone CR between tokens", b"{\"jsonrpc\":\"2.0\",\r\"id\":1,\"method\":\"ping\"\r}\n", &[
        "line 1: raw-carriage-return: -32600 1",
    ]),
    ("two objects on a line", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}\n", &[
        "line 1: not-json: silence",
        "line 2: request 3",
    ]),
    ("U+2028 or U+0085 in a string", "{\"jsonrpc\":\"2.0\",\"id\":\"\u{2028}\u{85}\",\"method\":\"\u{2029}\"}\n".as_bytes(), &[
        "line 1: request \"\u{2028}\u{85}\"",
    ]),
    ("control character in a string", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\x00b\"}\n\x00\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n", &[
        "line 1: not-json: silence",
        "line 2: not-json: silence",
        "line 3: request 2",
    ]),
    ("id used twice", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n", &[
        "line 1: request 1",
        "line 2: request 1",
    ]),
    ("no newline at the end", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}", &[
        "line 1: request 1",
        "line 2, unterminated: request 2",
    ]),
    ("no newline at the end", b"{\"jsonrpc\":\"2.0\",\"id\":1", &[
        "line 1, unterminated: not-json: silence",
    ]),

    ("banner before the first message", b"MCP server 1.0\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", &[
        "line 1: not-json: silence",
        "line 3: result 1",
    ]),
    ("invalid UTF-8, then a message", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xFF\"}}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", &[
        "line 1: invalid-utf8: silence",
        "line 2: result 1",
    ]),
    ("byte order mark before the first message", b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", &[
        "line 1: result 1",
    ]),
    ("error with a null id, then a message", b"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"?\"}}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", &[
        "line 1: id-null: silence",
        "line 2: result 1",
    ]),
    ("response over several lines", b"{\n\"jsonrpc\":\"2.0\",\n\"id\":1,\n\"result\":{}\n}\n", &[
        "line 1: not-json: silence",
        "line 2: not-json: silence",
        "line 3: not-json: silence",
        "line 4: not-json: silence",
        "line 5: not-json: silence",
    ]),
    // The stream is also pushed byte by byte, which cuts every character in it.
    ("character cut between two writes", "{\"jsonrpc\":\"2.0\",\"id\":\"\u{e9}\u{20ac}\u{1F600}\",\"result\":{}}\n".as_bytes(), &[
        "line 1: result \"\u{e9}\u{20ac}\u{1F600}\"",
    ]),
    ("response without a newline at the end", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", &[
        "line 1, unterminated: result 1",
    ]),
];
