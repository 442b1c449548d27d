//! Tests of what the text of the specification requires beyond the schemas.

use tautline::{Message, Rule};
use tautline_mcp::shape::Shapes;
use tautline_mcp::{KnownMethod, Revision, rule};

use super::examples::{LEGACY, MODERN, check, request, result};

/// Returns what is expected of a finding that the rule alone describes.
fn at(rule: Rule, path: &str) -> String {
    format!("{} {path}: {}", rule::name(rule), rule::summary(rule))
}

#[track_caller]
fn check_at(
    revision: Revision,
    answered: Option<KnownMethod>,
    frame: &str,
    expected: &[(Rule, &str)],
) {
    let expected: Vec<_> = expected.iter().map(|(rule, path)| at(*rule, path)).collect();
    check(revision, answered, frame, &expected.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn strings_have_the_syntax_that_the_specification_describes() {
    check_at(
        LEGACY,
        Some(KnownMethod::RootsList),
        &result(r#"{"roots":[{"uri":"file:///a"},{"uri":"https://a"}]}"#),
        &[(rule::ROOT_URI, "result.roots[1].uri")],
    );
    let tools = r#"{"tools":[{"name":"a b","inputSchema":{"type":"object"},
        "icons":[{"src":"javascript:0","mimeType":"png"}]}]}"#;
    check_at(
        LEGACY,
        Some(KnownMethod::ToolsList),
        &result(tools),
        &[
            (rule::TOOL_NAME, "result.tools[0].name"),
            (rule::ICON_URI, "result.tools[0].icons[0].src"),
            (rule::MEDIA_TYPE_SYNTAX, "result.tools[0].icons[0].mimeType"),
        ],
    );
    // Earlier revisions have neither icons nor advice on names.
    check_at(Revision::V2025_06_18, Some(KnownMethod::ToolsList), &result(tools), &[]);
    check_at(
        LEGACY,
        Some(KnownMethod::TasksGet),
        &result(
            r#"{"taskId":"t","status":"working","ttl":null,"createdAt":"today","lastUpdatedAt":"2025-11-25T10:30:00Z"}"#,
        ),
        &[(rule::TIMESTAMP_SYNTAX, "result.createdAt")],
    );
    check_at(
        LEGACY,
        Some(KnownMethod::ResourcesList),
        &result(
            r#"{"resources":[{"name":"r","uri":"a:b","annotations":{"lastModified":"yesterday"}}]}"#,
        ),
        &[(rule::LAST_MODIFIED_SYNTAX, "result.resources[0].annotations.lastModified")],
    );
}

/// "Maximum 100 items per response" (server/utilities/completion).
#[test]
fn a_completion_has_at_most_100_values() {
    for &revision in Revision::ALL {
        for (count, expected) in [(100, 0), (101, 1)] {
            let values = vec![r#""a""#; count].join(",");
            let frame = result(&format!(
                r#"{{"resultType":"complete","completion":{{"values":[{values}]}}}}"#
            ));
            let message = Message::parse(frame.as_bytes(), &revision.profile()).unwrap();
            let mut found = 0;
            let answered = Some(KnownMethod::CompletionComplete);
            Shapes::of(revision).check(&message, answered, |finding| {
                assert_eq!(finding.rule(), rule::MEMBER_RANGE);
                assert_eq!(
                    finding.path(frame.as_bytes()).to_string(),
                    "result.completion.values[100]"
                );
                found += 1;
            });
            assert_eq!(found, expected, "{revision}");
        }
    }
}

#[test]
fn keys_of_metadata_have_a_grammar() {
    let call = |meta: &str| request("tools/call", &format!(r#"{{"name":"a","_meta":{meta}}}"#));
    let meta = r#"{"com.example/a":1,"-b":2,"progressToken":3,"mcp.dev/c":4,"org.mcp/d":5,"io.modelcontextprotocol/e":6}"#;
    check_at(
        LEGACY,
        None,
        &call(meta),
        &[
            (rule::META_KEY, "params._meta.-b"),
            (rule::META_PREFIX_RESERVED, "params._meta[\"org.mcp/d\"]"),
        ],
    );
    check_at(
        Revision::V2025_06_18,
        None,
        &call(meta),
        &[
            (rule::META_KEY, "params._meta.-b"),
            (rule::META_PREFIX_RESERVED, "params._meta[\"mcp.dev/c\"]"),
        ],
    );
    check_at(Revision::V2025_03_26, None, &call(meta), &[]);
    check_at(
        LEGACY,
        Some(KnownMethod::ToolsCall),
        &result(r#"{"content":[{"type":"text","text":"","_meta":{"a b":1}}],"_meta":{"/":1}}"#),
        &[(rule::META_KEY, "result.content[0]._meta[\"a b\"]"), (rule::META_KEY, "result._meta./")],
    );
}

#[test]
fn results_that_require_input_say_which() {
    let call = Some(KnownMethod::ToolsCall);
    let empty = r#"{"resultType":"input_required"}"#;
    check_at(MODERN, call, &result(empty), &[(rule::INPUT_REQUIRED_EMPTY, "result")]);
    for rest in [r#""requestState":"s""#, r#""inputRequests":{}"#] {
        let rest = format!(r#"{{"resultType":"input_required",{rest}}}"#);
        check_at(MODERN, call, &result(&rest), &[]);
    }
    check_at(LEGACY, None, &result(empty), &[]);
    check_at(MODERN, None, &result(r#"{"resultType":"complete"}"#), &[]);
}

#[test]
fn errors_have_the_data_that_their_code_requires() {
    let error =
        |code| format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"m"}}}}"#);
    let lacks =
        |names| format!("missing-error-data error.code: the error lacks \"data\", with {names}");
    check(MODERN, None, &error(-32022), &[&lacks("\"requested\" and \"supported\"")]);
    check(MODERN, None, &error(-32021), &[&lacks("\"requiredCapabilities\"")]);
    check(MODERN, None, &error(-32602), &[]);
    check(LEGACY, None, &error(-32042), &[&lacks("\"elicitations\"")]);
    check(LEGACY, None, &error(-32022), &[]);
}

#[test]
fn tool_uses_and_results_are_paired() {
    let usage = |ids: &[&str]| {
        let blocks = ids
            .iter()
            .map(|id| format!(r#"{{"type":"tool_use","id":"{id}","name":"n","input":{{}}}}"#));
        let blocks = blocks.collect::<Vec<_>>().join(",");
        format!(r#"{{"role":"assistant","content":[{blocks}]}}"#)
    };
    let answer = |ids: &[&str], rest: &str| {
        let blocks = ids
            .iter()
            .map(|id| format!(r#"{{"type":"tool_result","toolUseId":"{id}","content":[]}}"#));
        let blocks = blocks.collect::<Vec<_>>().join(",");
        format!(r#"{{"role":"user","content":[{blocks}{rest}]}}"#)
    };
    let text = r#"{"role":"user","content":{"type":"text","text":"t"}}"#.to_owned();
    let other = r#",{"type":"text","text":"t"}"#;
    let one =
        r#"{"role":"user","content":{"type":"tool_result","toolUseId":"\u0061","content":[]}}"#;
    let cases: &[(Vec<String>, &[usize])] = &[
        (vec![text.clone()], &[]),
        (vec![text.clone(), usage(&["a"]), answer(&["a"], "")], &[]),
        (vec![usage(&["a"]), one.to_owned(), text.clone()], &[]),
        (vec![usage(&["a", "b"]), answer(&["b", "a"], ""), usage(&["c"]), answer(&["c"], "")], &[]),
        (vec![usage(&["a", "b"]), answer(&["b"], "")], &[1]),
        (vec![usage(&["a"]), answer(&["b"], "")], &[1]),
        (vec![usage(&["a"]), answer(&["a", "a"], "")], &[1]),
        (vec![usage(&["a"]), answer(&["a"], other)], &[1]),
        (vec![usage(&["a"]), text.clone(), answer(&["a"], "")], &[1, 2]),
        (vec![answer(&["a"], "")], &[0]),
        (vec![text, usage(&["a"])], &[1]),
        // Sums of ids are equal.
        (vec![usage(&["call_1", "call_2"]), answer(&["call_0", "call_3"], "")], &[1]),
        (vec![usage(&["a"]), answer(&["a"], "").replace("user", "assistant")], &[1]),
        (vec![usage(&["a"]).replace("assistant", "user"), answer(&["a"], "")], &[0]),
    ];
    for (messages, expected) in cases {
        let messages = messages.join(",");
        let paths: Vec<_> = expected.iter().map(|i| format!("[{i}]")).collect();
        let params = format!(r#"{{"messages":[{messages}],"maxTokens":9}}"#);
        let expected: Vec<_> = paths
            .iter()
            .map(|path| at(rule::TOOL_RESULT_UNPAIRED, &format!("params.messages{path}")))
            .collect();
        let expected: Vec<_> = expected.iter().map(String::as_str).collect();
        check(LEGACY, None, &request("sampling/createMessage", &params), &expected);

        let nested = format!(r#"{{"method":"sampling/createMessage","params":{params}}}"#);
        let nested =
            format!(r#"{{"resultType":"input_required","inputRequests":{{"r":{nested}}}}}"#);
        let expected: Vec<_> = paths
            .iter()
            .map(|path| {
                let path = format!("result.inputRequests.r.params.messages{path}");
                at(rule::TOOL_RESULT_UNPAIRED, &path)
            })
            .collect();
        let expected: Vec<_> = expected.iter().map(String::as_str).collect();
        check(MODERN, Some(KnownMethod::ToolsCall), &result(&nested), &expected);
    }
}

#[test]
fn headers_have_names_and_places() {
    let tools = |properties: &str, rest: &str| {
        format!(
            r#"{{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{{"name":"t",
            "inputSchema":{{"type":"object","properties":{{{properties}}}{rest}}}}}]}}"#
        )
    };
    let schema = "result.tools[0].inputSchema";
    let cases = [
        (
            r#""a":{"type":"string","x-mcp-header":"A"},"b":{"x-mcp-header":"B","type":"integer"}"#,
            "",
            None,
        ),
        (
            r#""x-mcp-header":{"type":"object","properties":{"c":{"type":"boolean","x-mcp-header":"C-1"}}}"#,
            "",
            None,
        ),
        (
            r#""a":{"type":"string","default":{"x-mcp-header":""},"enum":[{"x-mcp-header":1}]}"#,
            "",
            None,
        ),
        (
            r#""x-mcp-header":{"type":"string"}"#,
            r#","dependentRequired":{"x-mcp-header":["a"]},"x-docs":{"example":{"x-mcp-header":1}}"#,
            None,
        ),
        (
            r#""a":{"type":["string"],"x-mcp-header":"A"},"b":{"enum":["x"],"x-mcp-header":"B"}"#,
            "",
            None,
        ),
        (
            r#""a":{"type":["string","number"],"x-mcp-header":"A"}"#,
            "",
            Some(".properties.a.x-mcp-header"),
        ),
        (r#""a":{"type":"string","x-mcp-header":""}"#, "", Some(".properties.a.x-mcp-header")),
        (r#""a":{"type":"string","x-mcp-header":"a b"}"#, "", Some(".properties.a.x-mcp-header")),
        (
            r#""a":{"type":"string","x-mcp-header":"a\r\nb"}"#,
            "",
            Some(".properties.a.x-mcp-header"),
        ),
        (r#""a":{"type":"string","x-mcp-header":7}"#, "", Some(".properties.a.x-mcp-header")),
        (r#""a":{"type":"number","x-mcp-header":"A"}"#, "", Some(".properties.a.x-mcp-header")),
        (r#""a":{"x-mcp-header":"A"}"#, "", Some(".properties.a.x-mcp-header")),
        (
            r#""a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"string","x-mcp-header":"rEGION"}"#,
            "",
            Some(".properties.b.x-mcp-header"),
        ),
        (
            r#""a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}"#,
            "",
            Some(".properties.a.items.x-mcp-header"),
        ),
        ("", r#","x-mcp-header":"A""#, Some(".x-mcp-header")),
        (
            "",
            r#","$defs":{"d":{"type":"string","x-mcp-header":"A"}}"#,
            Some(".$defs.d.x-mcp-header"),
        ),
        (
            "",
            r#","oneOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]"#,
            Some(".oneOf[0].properties.a.x-mcp-header"),
        ),
    ];
    for (properties, rest, path) in cases {
        let frame = result(&tools(properties, rest));
        let path = path.map(|path| format!("{schema}{path}"));
        let expected: Vec<_> =
            path.iter().map(|path| (rule::HEADER_ANNOTATION, path.as_str())).collect();
        check_at(MODERN, Some(KnownMethod::ToolsList), &frame, &expected);
        check_at(MODERN, None, &frame, &[]);
    }
}

#[test]
fn values_of_tracing_have_a_syntax() {
    let call = |meta: &str| {
        let meta = format!(
            r#"{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}},{meta}}}"#
        );
        request("tools/list", &format!(r#"{{"_meta":{meta}}}"#))
    };
    let legal = r#""traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01","tracestate":"a=b","baggage":"c=d""#;
    check_at(MODERN, None, &call(legal), &[]);
    let illegal = r#""traceparent":"00","tracestate":{},"baggage":"e""#;
    check_at(
        MODERN,
        None,
        &call(illegal),
        &[
            (rule::TRACE_CONTEXT_SYNTAX, "params._meta.traceparent"),
            (rule::TRACE_CONTEXT_SYNTAX, "params._meta.tracestate"),
            (rule::BAGGAGE_SYNTAX, "params._meta.baggage"),
        ],
    );
    check_at(LEGACY, None, &call(illegal), &[]);
}

#[test]
fn extensions_have_a_prefix() {
    let extensions = r#"{"extensions":{"com.example/a":{},"a":{},"/b":{},"x y/c":{},"d.e/":{}}}"#;
    let meta = format!(
        r#"{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{extensions}}}"#
    );
    let paths = |start: &str| [".a", "./b", "[\"x y/c\"]"].map(|end| format!("{start}{end}"));
    let expect = |revision, answered, frame: &str, start: &str| {
        let paths = paths(start);
        let expected: Vec<_> =
            paths.iter().map(|path| (rule::EXTENSION_ID, path.as_str())).collect();
        check_at(revision, answered, frame, &expected);
    };
    expect(
        MODERN,
        None,
        &request("tools/list", &format!(r#"{{"_meta":{meta}}}"#)),
        "params._meta[\"io.modelcontextprotocol/clientCapabilities\"].extensions",
    );
    let discovered = format!(
        r#"{{"resultType":"complete","supportedVersions":[],"capabilities":{extensions},"ttlMs":0,"cacheScope":"public"}}"#
    );
    expect(
        MODERN,
        Some(KnownMethod::ServerDiscover),
        &result(&discovered),
        "result.capabilities.extensions",
    );
}

#[test]
fn elicitations_have_no_insecure_links() {
    let url = |url: &str| {
        format!(r#"{{"mode":"url","message":"http://a","elicitationId":"1","url":"{url}"}}"#)
    };
    let form = r#"{"message":"Go to https://example.com","requestedSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{
        "a":{"type":"string","title":"http://a","default":"http://b","format":"uri"},
        "b":{"type":"string","oneOf":[{"const":"http://b","title":"b"},{"const":"c","title":"see http://c"}]},
        "c":{"type":"array","items":{"anyOf":[{"const":"d","title":"https://d"}]}}}}}"#;
    let insecure = [(rule::ELICITATION_URL_INSECURE, "params.url")];
    check_at(LEGACY, None, &request("elicitation/create", &url("http://example.com")), &insecure);
    check_at(LEGACY, None, &request("elicitation/create", &url("http://127.0.0.1:8000/a")), &[]);
    let fields = "params.requestedSchema";
    let links = [
        (rule::ELICITATION_FORM_LINK, "params.message".to_owned()),
        (rule::SCHEMA_DIALECT, format!("{fields}.$schema")),
        (rule::ELICITATION_FORM_LINK, format!("{fields}.properties.a.title")),
        (rule::ELICITATION_FORM_LINK, format!("{fields}.properties.b.oneOf[1].title")),
        (rule::ELICITATION_FORM_LINK, format!("{fields}.properties.c.items.anyOf[0].title")),
    ];
    let links: Vec<_> = links.iter().map(|(rule, path)| (*rule, path.as_str())).collect();
    check_at(LEGACY, None, &request("elicitation/create", form), &links);
    check_at(
        Revision::V2025_06_18,
        None,
        &request(
            "elicitation/create",
            r#"{"message":"http://a","requestedSchema":{"type":"object","properties":{}}}"#,
        ),
        &[],
    );
    let asked = format!(
        r#"{{"resultType":"input_required","inputRequests":{{"i":{{"method":"elicitation/create","params":{}}}}}}}"#,
        url("http://example.com").replace(r#""elicitationId":"1","#, "")
    );
    check_at(
        MODERN,
        Some(KnownMethod::ToolsCall),
        &result(&asked),
        &[(rule::ELICITATION_URL_INSECURE, "result.inputRequests.i.params.url")],
    );
}

#[test]
fn what_the_schema_leaves_open_is_asked_for() {
    let prompt = r#"{"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"a:b","text":"t"}}},
        {"role":"user","content":{"type":"resource","resource":{"uri":"a:b","text":"t","mimeType":"text/plain"}}},
        {"role":"user","content":{"type":"text","text":"t"}}]}"#;
    check_at(
        Revision::V2024_11_05,
        Some(KnownMethod::PromptsGet),
        &result(prompt),
        &[(rule::RESOURCE_MEDIA_TYPE_MISSING, "result.messages[0].content.resource")],
    );
    let ping = Some(KnownMethod::Ping);
    check_at(LEGACY, ping, &result(r#"{"_meta":{}}"#), &[]);
    check_at(
        LEGACY,
        ping,
        &result(r#"{"_meta":{},"pong":true}"#),
        &[(rule::PING_RESULT, "result.pong")],
    );
    let task = |rest: &str| {
        result(&format!(
            r#"{{"taskId":"t","status":"failed","ttl":null,"createdAt":"2025-11-25T10:30:00Z","lastUpdatedAt":"2025-11-25T10:30:00Z"{rest}}}"#
        ))
    };
    let get = Some(KnownMethod::TasksGet);
    check_at(LEGACY, get, &task(r#","statusMessage":"m""#), &[]);
    check_at(LEGACY, get, &task(""), &[(rule::TASK_FAILURE_UNEXPLAINED, "result.status")]);
    let tools = |dialect: &str| {
        result(&format!(
            r#"{{"tools":[{{"name":"t","inputSchema":{{"type":"object"}},"outputSchema":{{"$schema":"{dialect}","type":"object"}}}},
            {{"name":"u","inputSchema":{{"$schema":"{dialect}","type":"object"}}}}]}}"#
        ))
    };
    let list = Some(KnownMethod::ToolsList);
    check_at(LEGACY, list, &tools("https://json-schema.org/draft/2020-12/schema"), &[]);
    let draft = tools("http://json-schema.org/draft-07/schema#");
    let path = "result.tools[0].outputSchema.$schema";
    check_at(LEGACY, list, &draft, &[(rule::SCHEMA_DIALECT, path)]);
    check_at(Revision::V2025_06_18, list, &draft, &[]);
    for (context, expected) in [
        ("none", &[][..]),
        ("thisServer", &[(rule::SAMPLING_CONTEXT_DEPRECATED, "params.includeContext")]),
    ] {
        let params = format!(r#"{{"messages":[],"maxTokens":9,"includeContext":"{context}"}}"#);
        let frame = request("sampling/createMessage", &params);
        check_at(LEGACY, None, &frame, expected);
        check_at(Revision::V2025_06_18, None, &frame, &[]);
    }
}
