//! rmcp drops the future that waits for a message whenever it has other work. No message and no reply is lost or
//! duplicated by this, and no line is torn.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{EmptyObject, ServerJsonRpcMessage, ServerResult};
use rmcp::transport::Transport;
use rmcp_server::transport::LineTransport;
use tautline::{Message, Profile};
use tautline_mcp::Revision;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, duplex};
use tokio::task::{JoinSet, yield_now};
use tokio::time::timeout;

const PROFILE: Profile = Revision::LATEST.profile();
const COUNT: usize = 500;

/// Returns a request. It is valid if the id is even, and has no method if the id is odd.
fn request(id: usize) -> String {
    let method = if id.is_multiple_of(2) { r#","method":"ping""# } else { "" };
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id}{method}}}\n")
}

/// Returns the id of the next reply, if there is one.
async fn reply(lines: &mut Lines<BufReader<DuplexStream>>) -> Option<usize> {
    let line = lines.next_line().await.unwrap()?;
    let Ok(Message::Response(reply)) = Message::parse(line.as_bytes(), &PROFILE) else {
        panic!("{line}")
    };
    let id: usize = reply.id().unwrap().to_string().parse().unwrap();
    assert_eq!(reply.error().is_some(), id % 2 == 1, "{line}");
    Some(id)
}

/// Returns the ids of all replies to the requests that were sent without waiting.
async fn client(mut output: DuplexStream, input: DuplexStream) -> Vec<usize> {
    let mut lines = BufReader::new(input).lines();
    // One after the other, so that each reply has to arrive before the next request is sent.
    for id in 0..COUNT {
        output.write_all(request(id).as_bytes()).await.unwrap();
        assert_eq!(reply(&mut lines).await, Some(id));
    }
    let sent = async {
        let wire: String = (COUNT..3 * COUNT).map(request).collect();
        output.write_all(wire.as_bytes()).await.unwrap();
        drop(output);
    };
    let received = async {
        let mut replies = Vec::new();
        while let Some(id) = reply(&mut lines).await {
            replies.push(id);
            // A slow reader, so that answers are still being sent when the next line arrives.
            for _ in 0..20 {
                yield_now().await;
            }
        }
        replies
    };
    tokio::join!(sent, received).1
}

#[tokio::test]
async fn nothing_is_lost_and_nothing_comes_twice() {
    // So small that every line waits several times, on its way in and out.
    let (requests, input) = duplex(16);
    let (output, replies) = duplex(16);
    let client = tokio::spawn(timeout(Duration::from_secs(120), client(requests, replies)));

    let mut transport = LineTransport::new(input, output, &PROFILE);
    let (mut answers, mut received, mut dropped) = (JoinSet::new(), 0, 0);
    loop {
        tokio::select! {
            biased;
            message = transport.receive() => {
                let Some(message) = message else { break };
                let (_, id) = message.into_request().unwrap();
                assert_eq!(id.to_string(), (2 * received).to_string());
                received += 1;
                let result = ServerResult::EmptyResult(EmptyObject {});
                let answer = ServerJsonRpcMessage::response(result, id);
                answers.spawn(Transport::<RoleServer>::send(&mut transport, answer));
            }
            () = yield_now() => dropped += 1,
        }
    }
    for sent in answers.join_all().await {
        sent.unwrap();
    }
    transport.close().await.unwrap();
    drop(transport);
    assert_eq!(received, 3 * COUNT / 2);
    assert!(dropped > COUNT, "{dropped}");

    let mut replies = client.await.unwrap().expect("it hangs");
    // The transport sends its own replies in the order of the lines.
    assert!(replies.iter().filter(|id| *id % 2 == 1).is_sorted());
    replies.sort_unstable();
    assert!(replies.into_iter().eq(COUNT..3 * COUNT));
}

/// The client would treat an error with the id of a request as its answer.
#[tokio::test]
async fn no_error_answers_a_request_that_waits() {
    let (mut requests, input) = duplex(4096);
    let (output, replies) = duplex(4096);
    let mut transport = LineTransport::new(input, output, &PROFILE);
    let mut replies = BufReader::new(replies).lines();
    let fault = "{\"jsonrpc\":\"2.0\",\"id\":2}\n";
    // rmcp has no type for the second one, which the transport refuses.
    let refused = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\",\"params\":{\"_meta\":7}}\n";
    let next = [request(2), fault.to_owned(), refused.to_owned(), request(4)].concat();
    requests.write_all(next.as_bytes()).await.unwrap();
    for expected in ["2", "4"] {
        let (_, id) = transport.receive().await.unwrap().into_request().unwrap();
        assert_eq!(id.to_string(), expected);
        let answer = ServerJsonRpcMessage::response(ServerResult::EmptyResult(EmptyObject {}), id);
        if expected == "4" {
            Transport::<RoleServer>::send(&mut transport, answer).await.unwrap();
        }
    }
    // The request with id 2 still waits, and only the one with id 4 was answered.
    assert_eq!(reply(&mut replies).await, Some(4));
    let answer = ServerJsonRpcMessage::response(
        ServerResult::EmptyResult(EmptyObject {}),
        rmcp::model::RequestId::Number(2),
    );
    Transport::<RoleServer>::send(&mut transport, answer).await.unwrap();
    assert_eq!(reply(&mut replies).await, Some(2));
    // Now its id is free.
    requests.write_all(format!("{fault}{}", request(6)).as_bytes()).await.unwrap();
    transport.receive().await.unwrap();
    let error = replies.next_line().await.unwrap().unwrap();
    assert!(error.starts_with(r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"#), "{error}");
}
