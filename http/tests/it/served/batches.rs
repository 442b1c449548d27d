//! Batches of 2025-03-26 with elements that are no messages.

use serde_json::json;
use tautline_http::ServerOptions;
use tautline_tokio::{Handlers, ServerInfo};

use super::support::{POLICY, initialize, post, send, session_of, value};

#[tokio::test]
async fn broken_elements_are_answered_without_a_request_beside_them() {
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/x" });
    for has_sessions in [true, false] {
        let options = ServerOptions::new(POLICY);
        let options = if has_sessions { options } else { options.without_sessions() };
        let info = ServerInfo::new("t", "1");
        let server = options.serve(Handlers::new(()).with_server_info(info));
        let mut headers = vec![("mcp-protocol-version", "2025-03-26")];
        let session;
        if has_sessions {
            session = session_of(&send(&server, post(&[], &initialize("2025-03-26"))).await);
            headers.push(("mcp-session-id", &session));
        }
        for batch in [json!([1]), json!([note, 1]), json!([1, note])] {
            let reply = send(&server, post(&headers, &batch)).await;
            assert_eq!(reply.status(), 200, "{batch}");
            let answers = value(reply).await;
            assert_eq!(answers.as_array().unwrap().len(), 1, "{answers}");
            assert_eq!(answers[0]["error"]["code"], -32600, "{answers}");
        }
        let reply = send(&server, post(&headers, &json!([note]))).await;
        assert_eq!(reply.status(), 202);
    }
}
