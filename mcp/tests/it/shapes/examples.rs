//! Messages by hand, and what is reported about them.

use tautline::Message;
use tautline_mcp::shape::Shapes;
use tautline_mcp::{KnownMethod, Revision, rule};

/// Checks what is reported about a message.
#[track_caller]
pub fn check(revision: Revision, answered: Option<KnownMethod>, frame: &str, expected: &[&str]) {
    let message = Message::parse(frame.as_bytes(), &revision.profile()).unwrap();
    let mut found = Vec::new();
    Shapes::of(revision).check(&message, answered, |finding| {
        let (rule, path) = (finding.rule(), finding.path(message.frame()));
        found.push(format!("{} {path}: {}", rule::name(rule), finding.reason()));
    });
    assert_eq!(found, expected, "{frame}");
}

pub const LEGACY: Revision = Revision::V2025_11_25;
pub const MODERN: Revision = Revision::V2026_07_28;

pub fn request(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

pub fn result(result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#)
}

#[test]
fn members_are_missing_at_their_object() {
    let lacks = |name: &str, path: &str| {
        format!("missing-member {path}: the required member \"{name}\" is missing")
    };
    check(
        LEGACY,
        None,
        &request("initialize", r#"{"capabilities":{},"clientInfo":{"name":"c"}}"#),
        &[&lacks("version", "params.clientInfo"), &lacks("protocolVersion", "params")],
    );
    check(LEGACY, None, &request("tools/call", r#"{"arguments":{}}"#), &[&lacks("name", "params")]);
    check(
        LEGACY,
        Some(KnownMethod::Initialize),
        &result("{}"),
        &[
            &lacks("capabilities", "result"),
            &lacks("protocolVersion", "result"),
            &lacks("serverInfo", "result"),
        ],
    );
}

/// The others are skipped, up to the end of a message where vectors are of no use.
#[test]
fn each_property_of_a_tool_is_an_object() {
    let object = r#"{"type":"object","properties":{"a":{"type":"string","description":"{}}"}}}"#;
    for number in 0..40 {
        for other in ["7", "[{}]", "\"{}\"", "true", "null"] {
            let members: Vec<_> = (0..40)
                .map(|at| format!("\"p{at}\":{}", if at == number { other } else { object }))
                .collect();
            let properties = members.join(",");
            let schema =
                format!(r#"{{"type":"object","properties":{{{properties}}},"required":7}}"#);
            check(
                LEGACY,
                Some(KnownMethod::ToolsList),
                &result(&format!(r#"{{"tools":[{{"name":"a","inputSchema":{schema}}}]}}"#)),
                &[
                    &format!(
                        "member-type result.tools[0].inputSchema.properties.p{number}: expected an object"
                    ),
                    "member-type result.tools[0].inputSchema.required: expected an array",
                ],
            );
        }
    }
}

#[test]
fn types_constants_and_ranges_are_those_of_the_schema() {
    check(
        LEGACY,
        Some(KnownMethod::ToolsList),
        &result(r#"{"tools":[{"name":"a","inputSchema":{"type":"array"}},7]}"#),
        &[
            "member-value result.tools[0].inputSchema.type: expected \"object\"",
            "member-type result.tools[1]: expected an object",
        ],
    );
    check(
        LEGACY,
        Some(KnownMethod::ResourcesList),
        &result(
            r#"{"resources":[{"name":"r","uri":"a b","annotations":{"priority":1.5,"audience":["me"]}},
            {"name":"r","uri":"a:b","annotations":{"priority":-1e-3},"size":1.5}]}"#,
        ),
        &[
            "uri-syntax result.resources[0].uri: the string is not a URI",
            "member-range result.resources[0].annotations.priority: expected a number up to 1",
            "member-value result.resources[0].annotations.audience[0]: expected \"assistant\" or \"user\"",
            "member-range result.resources[1].annotations.priority: expected a number from 0",
            "member-type result.resources[1].size: expected an integer",
        ],
    );
    let values = ["\"v\""; 102].join(",");
    check(
        MODERN,
        Some(KnownMethod::CompletionComplete),
        &result(&format!(r#"{{"resultType":"complete","completion":{{"values":[{values}]}}}}"#)),
        &["member-range result.completion.values[100]: expected at most 100 elements"],
    );
    check(
        LEGACY,
        None,
        &request("tools/list", r#"{"cursor":null,"_meta":{"progressToken":1.5}}"#),
        &[
            "member-type params.cursor: expected a string",
            "member-type params._meta.progressToken: expected a string or an integer",
        ],
    );
}

#[test]
fn objects_of_a_union_are_told_apart() {
    let call = Some(KnownMethod::ToolsCall);
    check(
        LEGACY,
        call,
        &result(
            r#"{"content":[{"text":"a","type":"text"},{"type":"text"},{"data":"aGk","mimeType":"image/png","type":"image"},
            {"type":"video"},{"text":"a"},{"resource":{"uri":"a:b","blob":"!"},"type":"resource"},
            {"resource":{"uri":"a:b","text":"!"},"type":"resource"},{"resource":{"uri":"a:b"},"type":"resource"}]}"#,
        ),
        &[
            "missing-member result.content[1]: the required member \"text\" is missing",
            "base64-syntax result.content[2].data: the string is not Base64",
            "member-value result.content[3].type: expected \"text\", \"image\", \"audio\", \"resource_link\" or \"resource\"",
            "missing-member result.content[4]: the required member \"type\" is missing",
            "base64-syntax result.content[5].resource.blob: the string is not Base64",
            "missing-member result.content[7].resource: the required member \"text\" is missing",
        ],
    );
    check(
        MODERN,
        call,
        &result(
            r#"{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":
            {"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"number","minimum":"1"},
            "b":{"type":"string","enum":["x"]},"c":{"type":"list"}}}}}}}"#,
        ),
        &[
            "member-type result.inputRequests.q.params.requestedSchema.properties.a.minimum: expected a number",
            "member-value result.inputRequests.q.params.requestedSchema.properties.c.type: \
             expected \"string\", \"integer\", \"number\", \"boolean\" or \"array\"",
        ],
    );
}

#[test]
fn an_object_that_fits_no_type_of_a_union_is_held_to_the_likeliest() {
    check(
        MODERN,
        Some(KnownMethod::ToolsCall),
        &result(r#"{"resultType":"complete","content":7}"#),
        &["member-type result.content: expected an array"],
    );
    check(
        LEGACY,
        Some(KnownMethod::ToolsCall),
        &result(r#"{"content":[{"text":7,"type":"text"},{"type":7,"text":"a"}]}"#),
        &[
            "member-type result.content[0].text: expected a string",
            "member-value result.content[1].type: expected \"text\", \"image\", \"audio\", \"resource_link\" or \"resource\"",
        ],
    );
}

#[test]
fn a_wrong_value_does_not_make_an_object_one_of_another_type() {
    let null = "member-type result.isError: expected a boolean";
    let content = "member-type result.content: expected an array";
    let image = r#"{"_meta":null,"type":"image","data":"AAAA","mimeType":"image/png"}"#;
    for (revision, answered, text, expected) in [
        (LEGACY, KnownMethod::ToolsCall, r#"{"content":[],"isError":null}"#, null),
        (LEGACY, KnownMethod::ToolsCall, r#"{"content":"oops"}"#, content),
        (MODERN, KnownMethod::ToolsCall, r#"{"content":"oops","resultType":"complete"}"#, content),
        (
            LEGACY,
            KnownMethod::ElicitationCreate,
            r#"{"action":"yes"}"#,
            "member-value result.action: expected \"accept\", \"cancel\" or \"decline\"",
        ),
        (
            LEGACY,
            KnownMethod::ToolsCall,
            &format!(r#"{{"content":[{image}]}}"#),
            "member-type result.content[0]._meta: expected an object",
        ),
        (
            LEGACY,
            KnownMethod::ResourcesRead,
            r#"{"contents":[{"uri":5,"blob":"AAAA"}]}"#,
            "member-type result.contents[0].uri: expected a string",
        ),
        (
            LEGACY,
            KnownMethod::ResourcesRead,
            r#"{"contents":[{"uri":"a:","text":5}]}"#,
            "member-type result.contents[0].text: expected a string",
        ),
    ] {
        check(revision, Some(answered), &result(text), &[expected]);
    }
}

#[test]
fn results_of_an_extension_have_any_shape() {
    let call = Some(KnownMethod::ToolsCall);
    check(MODERN, call, &result(r#"{"resultType":"task","taskId":7}"#), &[]);
    check(
        LEGACY,
        call,
        &result(r#"{"resultType":"task","content":7}"#),
        &["member-type result.content: expected an array"],
    );
}

#[test]
fn names_are_compared_and_counted() {
    check(
        LEGACY,
        None,
        &request("tools/call", r#"{"name":"a","Name":"b","n\u0061me":"c","argument\u0000s":{}}"#),
        &[
            "nested-member-lookalike params.Name: the name resembles \"name\"",
            "duplicate-nested-member params[\"n\\u0061me\"]: a member that peers and gateways act on appears twice",
            "nested-member-lookalike params[\"argument\\u0000s\"]: the name resembles \"arguments\"",
        ],
    );
}

/// Any object is allowed for some members, which does not go for those after them.
#[test]
fn members_after_any_object_have_their_types() {
    let capabilities =
        r#"{"sampling":{},"roots":{"listChanged":7},"elicitation":{},"sampling":{}}"#;
    let info = r#"{"name":"c","version":"1"}"#;
    check(
        Revision::V2025_06_18,
        None,
        &request(
            "initialize",
            &format!(
                r#"{{"capabilities":{capabilities},"clientInfo":{info},"protocolVersion":"2025-06-18"}}"#
            ),
        ),
        &[
            "member-type params.capabilities.roots.listChanged: expected a boolean",
            "duplicate-nested-member params.capabilities.sampling: a member that peers and gateways act on appears twice",
        ],
    );
}

#[test]
fn data_of_errors_and_elements_of_batches_have_shapes() {
    let error = |code, data| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"m","data":{data}}}}}"#
        )
    };
    check(
        MODERN,
        None,
        &error(-32022, r#"{"supported":"2026-07-28"}"#),
        &[
            "member-type error.data.supported: expected an array",
            "missing-member error.data: the required member \"requested\" is missing",
        ],
    );
    check(MODERN, None, &error(-32603, "1"), &[]);
    let batch = format!("[{},{}]", request("tools/call", "{}"), request("tools/get", "{}"));
    check(
        Revision::V2025_03_26,
        None,
        &batch,
        &["missing-member [0].params: the required member \"name\" is missing"],
    );
}

#[test]
fn what_is_unknown_has_any_shape() {
    check(LEGACY, None, &result(r#"{"tools":1}"#), &[]);
    check(LEGACY, None, &request("vendor/x", r#"{"name":1}"#), &[]);
    check(LEGACY, Some(KnownMethod::ServerDiscover), &result(r#"{"tools":1}"#), &[]);
    check(LEGACY, None, &request("tools/call", r#"{"name":"a","other":{"name":1}}"#), &[]);
}
