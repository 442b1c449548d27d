//! One cause, one finding: sessions in which a message breaks a rule, and others follow from it or are legal.

use tautline::{Rule, Severity};
use tautline_audit::source::{Event, Place};
use tautline_audit::{Audit, Options};
use tautline_mcp::cause::rule as cause;
use tautline_mcp::{Role, rule};

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Each session, and the errors and warnings in it. A line begins with the sender: `>` for the client, and `<` for the
/// server. `>>` and `<<` write no newline. `META` is what a modern request carries, and `OPEN` a handshake with the revision after it.
const SESSIONS: &[(&str, &[Rule])] = &[
    // The server of the legacy era has sent what only a client may send, and the client refuses it.
    (
        r#"< {"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"s","version":"2"}}}
        > {"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"no"}}"#,
        &[rule::WRONG_DIRECTION],
    ),
    // Elements of a batch are judged at different times, each by its own request.
    (
        r#"> [{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"n","version":"1"}}},{"jsonrpc":"2.0","id":1,"method":"ping"}]
        < {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"1"}}}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        < {"jsonrpc":"2.0","id":1,"result":{}}"#,
        &[rule::INITIALIZE_IN_BATCH],
    ),
    (
        r#"> [{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"n","version":"1"}}}]
        < {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}
        < {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"1"}}}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        &[Rule::BATCH_NOT_ALLOWED],
    ),
    // A request that takes the id of an invalid one is answered by the result.
    (
        r#"OPEN 2025-11-25
        > {"jsonrpc":"1.0","id":1,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}
        > {"jsonrpc":"1.0","id":2,"method":"tools/list"}
        > {"jsonrpc":"2.0","id":2,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":2,"result":{"tools":[{"inputSchema":{"type":"object"}}]}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"no"}}"#,
        &[Rule::WRONG_VERSION, Rule::WRONG_VERSION, rule::ID_IN_USE, rule::MISSING_MEMBER],
    ),
    // The messages of a client after a refusal have one cause.
    (
        r#"> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"n","version":"1"}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no database"}}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        > {"jsonrpc":"2.0","id":2,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no database"}}
        > {"jsonrpc":"2.0","id":3,"method":"prompts/list"}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"no database"}}"#,
        &[rule::INITIALIZED_UNEXPECTED, rule::REQUEST_BEFORE_INITIALIZE],
    ),
    // A modern server sends no requests, so that the client owes no answers.
    (
        r#"DISCOVER
        < {"jsonrpc":"2.0","id":9,"method":"roots/list"}
        < {"jsonrpc":"2.0","id":10,"method":"com.example/confirm","params":{"n":1}}"#,
        &[rule::WRONG_DIRECTION, rule::WRONG_DIRECTION],
    ),
    // A client that answers nevertheless sends in the wrong direction itself.
    (
        r#"DISCOVER
        < {"jsonrpc":"2.0","id":9,"method":"ping"}
        > {"jsonrpc":"2.0","id":9,"result":{}}"#,
        &[rule::WRONG_DIRECTION, rule::WRONG_DIRECTION],
    ),
    // What only the other side may call is not held to what the other side has to know.
    (
        r#"OPEN 2025-11-25
        < {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"x"}}
        > {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}
        > {"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"k"}}"#,
        &[rule::WRONG_DIRECTION, rule::WRONG_DIRECTION],
    ),
    (
        r#"DISCOVER
        > {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"note://1"}}
        > {"jsonrpc":"2.0","id":2,"method":"ping","params":{}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}"#,
        &[rule::WRONG_DIRECTION, rule::METHOD_NOT_IN_REVISION],
    ),
    // Params that are an array are a request of JSON-RPC, and invalid params of MCP.
    (
        r#"OPEN 2025-06-18
        > {"jsonrpc":"2.0","id":"a","method":"prompts/list","params":["x"]}
        < {"jsonrpc":"2.0","id":"a","error":{"code":-32602,"message":"no"}}
        > {"jsonrpc":"2.0","id":"b","method":"prompts/list","params":["x"]}
        < {"jsonrpc":"2.0","id":"b","error":{"code":-32600,"message":"no"}}"#,
        &[Rule::PARAMS_TYPE, Rule::PARAMS_TYPE],
    ),
    // The messages of a mixed batch are served.
    (
        r#"OPEN 2025-03-26
        < {"jsonrpc":"2.0","id":"q","method":"ping"}
        > [{"jsonrpc":"2.0","id":"q","result":{}},{"jsonrpc":"2.0","id":3,"method":"tools/list"}]
        < {"jsonrpc":"2.0","id":3,"result":{"tools":[]}}"#,
        &[Rule::BATCH_MIXED],
    ),
    // The batch is refused as a whole.
    (
        r#"OPEN 2025-11-25
        > [{"jsonrpc":"2.0","id":3,"method":"tools/list"},{"jsonrpc":"2.0","id":4,"method":"ping"}]
        < {"jsonrpc":"2.0","error":{"code":-32600,"message":"no batches"}}"#,
        &[Rule::BATCH_NOT_ALLOWED],
    ),
    // The batch is served although the revision has none.
    (
        r#"OPEN 2025-06-18
        > [{"jsonrpc":"2.0","id":3,"method":"tools/list"}]
        < {"jsonrpc":"2.0","id":3,"result":{"tools":[]}}"#,
        &[Rule::BATCH_NOT_ALLOWED],
    ),
    // The handshake in a batch names the revision, which has batches.
    (
        r#"> [{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"c","version":"1"}}}]
        < [{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}]
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        > {"jsonrpc":"2.0","method":"notifications/roots/list_changed"}
        < {"jsonrpc":"2.0","id":1,"method":"roots/list"}
        > [{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}]"#,
        &[rule::INITIALIZE_IN_BATCH],
    ),
    (
        r#"> [{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{META}}]"#,
        &[Rule::BATCH_NOT_ALLOWED],
    ),
    // Neither request decides how the answers are judged.
    (
        r#"OPEN 2025-11-25
        > {"jsonrpc":"2.0","id":1,"method":"ping"}
        > {"jsonrpc":"2.0","id":1,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}
        < {"jsonrpc":"2.0","id":1,"result":{}}"#,
        &[rule::ID_IN_USE],
    ),
    // A broken request may be cancelled like any other.
    (
        r#"OPEN 2025-11-25
        > {"jsonrpc":"1.0","id":40,"method":"tools/list"}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":40}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":41}}"#,
        &[Rule::WRONG_VERSION, rule::CANCEL_UNKNOWN],
    ),
    // An extension that the request declares may add a type of results, and one that it does not declare may not.
    (
        r#"DISCOVER
        > {"jsonrpc":"2.0","id":1,"method":"com.example/draw","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"com.example/canvas":{}}}}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"com.example/stroke"}}
        > {"jsonrpc":"2.0","id":2,"method":"com.example/draw","params":{META}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"com.example/stroke"}}"#,
        &[rule::UNKNOWN_RESULT_TYPE],
    ),
    // A standard error for an unknown tool contradicts no clause.
    (
        r#"OPEN 2025-11-25
        > {"jsonrpc":"2.0","id":1,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no"}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t"}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32003,"message":"no"}}"#,
        &[rule::UNKNOWN_TOOL_CODE],
    ),
    // The answer is there, and its receiver cannot read it.
    (
        r#"OPEN 2025-11-25
        > {"jsonrpc":"2.0","id":"a7","method":"tools/list"}
        < {'jsonrpc': '2.0', 'id': 'a7', 'result': {'tools': []}}
        > {"jsonrpc":"2.0","id":31,"method":"ping"}
        < INFO ping {"jsonrpc":"2.0","id":31,"result":{}}"#,
        &[cause::LANGUAGE_REPR, cause::STRAY_TEXT],
    ),
    // Two answers on one line, and a third request that nothing answers.
    (
        r#"OPEN 2025-11-25
        > {"jsonrpc":"2.0","id":31,"method":"ping"}
        > {"jsonrpc":"2.0","id":32,"method":"ping"}
        > {"jsonrpc":"2.0","id":33,"method":"ping"}
        < {"jsonrpc":"2.0","id":31,"result":{}}{"jsonrpc":"2.0","id":32,"result":{}}"#,
        &[cause::GLUED_MESSAGES, rule::UNANSWERED_REQUEST],
    ),
    // Neither answer is whole, and the end of the second is on a line of its own.
    (
        r#"OPEN 2025-11-25
        > {"jsonrpc":"2.0","id":61,"method":"tools/list"}
        > {"jsonrpc":"2.0","id":62,"method":"ping"}
        < {"jsonrpc":"2.0","id":61,"result":{"to{"jsonrpc":"2.0","id":62,"resols":[{"name":"n","inputSchema":{"type":"object"}}]}}
        < ult":{"_meta":{"a":"b"}}}"#,
        &[cause::INTERLEAVED_MESSAGES],
    ),
    // The client does not separate its messages. The server reads them nevertheless, or answers the first line only.
    (
        r#">> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"2"}}}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        < {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
        < {"jsonrpc":"2.0","id":"r","method":"roots/list"}
        > {"jsonrpc":"2.0","id":"r","result":{"roots":[]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}"#,
        &[cause::GLUED_MESSAGES],
    ),
    (
        r#">> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"2"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
        >> {"jsonrpc":"2.0","method":"notifications/initialized"}
        >> {"jsonrpc":"2.0","id":2,"method":"ping"}
        < {"jsonrpc":"2.0","id":2,"result":{}}"#,
        &[cause::GLUED_MESSAGES],
    ),
    (
        r#">> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"2"}}}
        >> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        &[cause::GLUED_MESSAGES],
    ),
    // The server does not separate its messages. Every request was answered.
    (
        r#"OPEN 2025-11-25
        > {"jsonrpc":"2.0","id":31,"method":"ping"}
        << {"jsonrpc":"2.0","id":31,"result":{}}
        > {"jsonrpc":"2.0","id":32,"method":"ping"}
        << {"jsonrpc":"2.0","id":32,"result":{}}
        > {"jsonrpc":"2.0","id":33,"method":"ping"}
        << {"jsonrpc":"2.0","id":33,"result":{}}"#,
        &[cause::GLUED_MESSAGES],
    ),
    // A server of lines waits for the end of the first one.
    (
        r#">> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"2"}}}"#,
        &[Rule::UNTERMINATED_FRAME, rule::OPENING_UNANSWERED],
    ),
    (
        r#"OPEN 2025-11-25
        >> {"jsonrpc":"2.0","id":7,"method":"ping"}"#,
        &[Rule::UNTERMINATED_FRAME],
    ),
    // A response to a request that was never sent is unexpected, whatever else is lost.
    (
        r#"OPEN 2025-11-25
        > {"jsonrpc":"2.0","id":7,"method":"ping"}{"jsonrpc":"2.0","id":8,"method":"ping"}
        < {"jsonrpc":"2.0","id":9,"result":{}}"#,
        &[cause::GLUED_MESSAGES, rule::RESPONSE_UNEXPECTED],
    ),
    // A terminal returns each line of the client, even those that a server may write, too.
    (
        r#"> {"jsonrpc":"2.0","id":"o","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"2"}}}
        < {"jsonrpc":"2.0","id":"o","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"2"}}}
        < {"jsonrpc":"2.0","id":"o","result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        < {"jsonrpc":"2.0","method":"notifications/initialized"}
        < {"jsonrpc":"2.0","id":5,"method":"ping"}
        > {"jsonrpc":"2.0","id":5,"result":{}}
        < {"jsonrpc":"2.0","id":5,"result":{}}
        > {"jsonrpc":"2.0","id":5,"method":"ping"}
        < {"jsonrpc":"2.0","id":5,"method":"ping"}
        < {"jsonrpc":"2.0","id":5,"result":{}}"#,
        &[cause::TERMINAL_ECHO],
    ),
    // Both sides may write the same line.
    (
        r#"OPEN 2025-11-25
        > {"jsonrpc":"2.0","id":1,"method":"ping"}
        < {"jsonrpc":"2.0","id":1,"method":"ping"}
        > {"jsonrpc":"2.0","id":1,"result":{}}
        < {"jsonrpc":"2.0","id":1,"result":{}}"#,
        &[],
    ),
    // In other protocols, both sides may call the same method.
    (
        r#"> {"jsonrpc":"2.0","id":1,"method":"hello","params":{"name":"peer"}}
        < {"jsonrpc":"2.0","id":1,"method":"hello","params":{"name":"peer"}}
        > {"jsonrpc":"2.0","id":1,"result":{}}
        < {"jsonrpc":"2.0","id":1,"result":{}}
        > {"jsonrpc":"2.0","method":"heartbeat"}
        < {"jsonrpc":"2.0","method":"heartbeat"}"#,
        &[],
    ),
    // A line that comes back once more is what the server has written.
    (
        r#"OPEN 2025-11-25
        > {"jsonrpc":"2.0","id":1,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":1,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}
        < {"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        &[cause::TERMINAL_ECHO, rule::WRONG_DIRECTION],
    ),
    // A server of the legacy era does not know the first request, and the client falls back.
    (
        r#"> {"jsonrpc":"2.0","id":"d","method":"server/discover","params":{META}}
        OPEN 2025-11-25
        > {"jsonrpc":"2.0","id":1,"method":"ping"}
        < {"jsonrpc":"2.0","id":1,"result":{}}"#,
        &[],
    ),
    // Without a fallback, the server owes the answer.
    (
        r#"> {"jsonrpc":"2.0","id":"d","method":"server/discover","params":{META}}
        > {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{META}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"}}"#,
        &[rule::UNANSWERED_REQUEST],
    ),
    // Without params, a notification can't name its subscription.
    (
        r#"DISCOVER
        > {"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{META,"notifications":{"resourceSubscriptions":["note://a"]}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged"}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{}}}"#,
        &[rule::MISSING_PARAMS, rule::SUBSCRIPTION_ID],
    ),
    // One revision lets a cancellation name no request, which is for tasks. The others do not.
    (
        r#"OPEN 2025-11-25
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"task"}}"#,
        &[],
    ),
    (
        r#"OPEN 2025-06-18
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"task"}}"#,
        &[rule::MISSING_MEMBER],
    ),
    (
        r#"DISCOVER
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"task"}}"#,
        &[rule::MISSING_MEMBER],
    ),
    // Nothing answers a notification, even one with an id.
    (
        r#"OPEN 2025-11-25
        > {"jsonrpc":"2.0","id":12,"method":"notifications/roots/list_changed"}
        > {"jsonrpc":"2.0","method":"ping"}"#,
        &[rule::METHOD_KIND, rule::UNDECLARED_CAPABILITY, rule::METHOD_KIND],
    ),
    // A server that speaks HTTP writes a head before each body.
    (
        r#"OPEN 2025-11-25
        > {"jsonrpc":"2.0","id":7,"method":"ping"}
        < Content-Type: application/json
        < Content-Length: 36
        < {"jsonrpc":"2.0","id":7,"result":{}}"#,
        &[cause::HTTP_HEAD],
    ),
    // The answer to initialize is lost. The client could read it nevertheless, and is not to blame.
    (
        r#"> {"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"2"}}}
        < {'jsonrpc': '2.0', 'id': 5, 'result': {'protocolVersion': '2025-06-18', 'capabilities': {}, 'serverInfo': {'name': 's', 'version': '1'}}}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        > {"jsonrpc":"2.0","id":6,"method":"ping"}
        < {"jsonrpc":"2.0","id":6,"result":{}}"#,
        &[cause::LANGUAGE_REPR],
    ),
    // The answer to initialize breaks a rule of its envelope.
    (
        r#"> {"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"2"}}}
        < {"jsonrpc":2,"id":5,"result":{"protocolVersion":"2025-06-18","capabilities":{"prompts":{}},"serverInfo":{"name":"s","version":"1"}}}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        > {"jsonrpc":"2.0","id":6,"method":"prompts/list"}
        < {"jsonrpc":"2.0","id":6,"result":{"prompts":[]}}"#,
        &[Rule::WRONG_VERSION],
    ),
    // Before anything answers it, the client has to wait.
    (
        r#"> {"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"2"}}}
        > {"jsonrpc":"2.0","id":6,"method":"prompts/list"}
        < {"jsonrpc":2,"id":5,"result":{"protocolVersion":"2025-06-18","capabilities":{"prompts":{}},"serverInfo":{"name":"s","version":"1"}}}
        < {"jsonrpc":"2.0","id":6,"result":{"prompts":[]}}"#,
        &[rule::REQUEST_BEFORE_INITIALIZE, Rule::WRONG_VERSION],
    ),
    // A rewritten id opens the session, or would.
    (
        r#"> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"2"}}}
        < {"jsonrpc":"2.0","id":"0","result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        &[rule::RESPONSE_ID_REWRITTEN],
    ),
    // A broken text in a result or an error does not hide which request it answers, and a broken request answers none.
    (
        r#"OPEN 2025-11-25
        > {"jsonrpc":"2.0","id":"p{1}","method":"ping"}
        > {"jsonrpc":"2.0","id":51,"method":"tools/list"}
        > {"jsonrpc":"2.0","id":52,"method":"tools/list"}
        > {"jsonrpc":"2.0","id":53,"method":"ping"}
        < {"jsonrpc":"2.0","id":51,"result":{"tools":[{"name":"t","description":"D:\work","inputSchema":{"type":"object"}}]}}
        < {"jsonrpc":"2.0","id":52,"error":{"code":-32603,"message":"no \x"}}
        < {"jsonrpc":"2.0","id":53,"method":"roots/list","params":{"a":"\y"}}
        < {"jsonrpc":"2.0","id":"p{1}","result":{}}"#,
        &[Rule::NOT_JSON, Rule::NOT_JSON, Rule::NOT_JSON, rule::UNANSWERED_REQUEST],
    ),
    // An object with neither a method nor a result answers the request with its id, and calls nothing.
    (
        r#"OPEN 2025-11-25
        > {"jsonrpc":"2.0","id":44,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":44}"#,
        &[Rule::NO_SHAPE],
    ),
    // A record of a log is no request, whatever its members are, and no answer.
    (
        r#"OPEN 2025-11-25
        > {"jsonrpc":"2.0","id":44,"method":"tools/list"}
        < {"level":"debug","id":44,"method":"tools/list"}"#,
        &[Rule::MISSING_JSONRPC, rule::UNANSWERED_REQUEST],
    ),
    // Without the member, the capabilities of a side are unknown.
    (
        r#"> {"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"c","version":"2"}}}
        < {"jsonrpc":"2.0","id":5,"result":{"protocolVersion":"2025-06-18","capabilities":[],"serverInfo":{"name":"s","version":"1"}}}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        > {"jsonrpc":"2.0","id":6,"method":"prompts/list"}
        < {"jsonrpc":"2.0","id":6,"result":{"prompts":[]}}
        < {"jsonrpc":"2.0","id":1,"method":"roots/list"}
        > {"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#,
        &[rule::MISSING_MEMBER, rule::MEMBER_TYPE],
    ),
    // A response without its id answers the one request that waits, and so does an error that refuses a batch.
    (
        r#"OPEN 2025-11-25
        > {"jsonrpc":"2.0","id":31,"method":"ping"}
        < {"jsonrpc":"2.0","id":null,"result":{}}
        > {"jsonrpc":"2.0","id":32,"method":"ping"}
        < {"jsonrpc":"2.0","result":{}}
        > {"jsonrpc":"2.0","id":33,"method":"ping"}
        < {"jsonrpc":"2.0","id":[33],"result":{}}
        > {"jsonrpc":"2.0","id":34,"method":"ping"}
        < {"jsonrpc":"2.0","error":{"code":-32603,"message":"no"}}
        > {"jsonrpc":"2.0","id":36,"method":"ping"}
        > {"jsonrpc":"2.0","id":37,"method":"ping"}
        < {"jsonrpc":"2.0","result":{}}
        < {"jsonrpc":"2.0","id":36,"result":{}}"#,
        &[
            Rule::ID_NULL,
            Rule::RESPONSE_WITHOUT_ID,
            Rule::ID_TYPE,
            rule::ERROR_WITHOUT_CAUSE,
            Rule::RESPONSE_WITHOUT_ID,
            rule::UNANSWERED_REQUEST,
        ],
    ),
    (
        r#"OPEN 2025-03-26
        > [{"jsonrpc":"2.0","id":31,"method":"ping"},{"jsonrpc":"2.0","id":32,"method":"ping"}]
        < [{"jsonrpc":"2.0","error":{"code":-32600,"message":"no batches"}}]"#,
        &[Rule::RESPONSE_WITHOUT_ID],
    ),
    (
        r#"> [{"jsonrpc":"2.0","id":"a","method":"getblockhash","params":[7]},{"jsonrpc":"2.0","id":"b","method":"getblockhash","params":[8]}]
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}"#,
        &[rule::ERROR_WITHOUT_CAUSE],
    ),
    // A response has the id of its request, however that is written.
    (
        r#"OPEN 2025-11-25
        > {"jsonrpc":"2.0","id":31.0,"method":"ping"}
        < {"jsonrpc":"2.0","id":31.0,"result":{}}
        > {"jsonrpc":"2.0","id":9007199254740995,"method":"ping"}
        < {"jsonrpc":"2.0","id":9007199254740995,"result":{}}"#,
        &[Rule::ID_NOT_PLAIN_INTEGER, Rule::ID_UNSAFE_INTEGER],
    ),
    (
        r#"> {"jsonrpc":"2.0","id":null,"method":"eth_chainId","params":[]}
        < {"jsonrpc":"2.0","id":null,"result":"0x1"}"#,
        &[Rule::ID_NULL],
    ),
    // A finding that comes before the protocol is known is not repeated.
    (
        r#"> {"jsonrpc":"2.0","id":4.5,"method":"ping"}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        &[rule::INITIALIZED_UNEXPECTED, Rule::ID_FRACTION],
    ),
    (
        r#"> [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"}]
        > {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{META}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"}}"#,
        &[Rule::BATCH_NOT_ALLOWED],
    ),
];

fn lines(session: &str) -> Vec<String> {
    let info = r#"{"name":"n","version":"1"}"#;
    let of_line = |line: &str| match line.trim() {
        "DISCOVER" => vec![
            r#"> {"jsonrpc":"2.0","id":"d","method":"server/discover","params":{META}}"#.to_owned(),
            format!(
                r#"< {{"jsonrpc":"2.0","id":"d","result":{{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{{"tools":{{}}}},"serverInfo":{info},"ttlMs":0,"cacheScope":"private"}}}}"#
            ),
        ],
        line => match line.strip_prefix("OPEN ") {
            Some(version) => vec![
                format!(
                    r#"> {{"jsonrpc":"2.0","id":"o","method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{info}}}}}"#
                ),
                format!(
                    r#"< {{"jsonrpc":"2.0","id":"o","result":{{"protocolVersion":"{version}","capabilities":{{"tools":{{}},"prompts":{{}}}},"serverInfo":{info}}}}}"#
                ),
                r#"> {"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
            ],
            None => vec![line.to_owned()],
        },
    };
    session.lines().flat_map(of_line).map(|line| line.replace("META", META)).collect()
}

#[test]
fn each_cause_is_reported_once() {
    for (session, expected) in SESSIONS {
        let mut audit = Audit::new(Options::default());
        for line in lines(session) {
            let (side, frame) = line.split_once(' ').unwrap();
            let from = if side.starts_with('>') { Role::Client } else { Role::Server };
            let frame = if side.len() > 1 { frame.to_owned() } else { format!("{frame}\n") };
            let event = Event::Bytes { from, bytes: frame.as_bytes() };
            audit.event(event, Place::default(), &mut ()).unwrap();
        }
        let document = audit.finish(Vec::new(), &mut ()).unwrap();
        let loud = document.findings.iter().filter(|one| one.severity != Severity::Note);
        let found: Vec<&str> = loud.map(|finding| finding.rule).collect();
        let expected: Vec<&str> = expected.iter().map(|rule| rule::name(*rule)).collect();
        assert_eq!(found, expected, "{session}");
    }
}
