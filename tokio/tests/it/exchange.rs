//! Exchanges: messages go in and come out one by one, and the answer to the first request is the last one.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tautline::{ErrorCode, Message, Profile};
use tautline_mcp::Revision;
use tautline_tokio::{CallError, Context, Exchange, Handlers, Offered, Options, Raw, RpcError};
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::support::within;

const PROFILE: Profile = Profile::JSON_RPC;

async fn next(exchange: &mut Exchange) -> Option<String> {
    let message = within(poll_fn(|cx| exchange.poll_message(cx))).await;
    message.map(|message| String::from_utf8(message.to_vec()).unwrap())
}

fn exchange(handlers: Handlers<impl Send + Sync + 'static>, message: &'static str) -> Exchange {
    let mut exchange = Options::json_rpc().exchange(&Arc::new(handlers));
    exchange.receive(message.into(), &PROFILE);
    exchange
}

#[tokio::test]
async fn what_a_handler_sends_comes_before_its_answer() {
    let handlers = Handlers::new(()).request("work", async |context: Context<()>, (): ()| {
        context.peer().notify("begun", ()).await?;
        sleep(Duration::from_millis(5)).await;
        context.peer().notify("ended", ()).await?;
        Ok(7)
    });
    let mut exchange = exchange(handlers, r#"{"jsonrpc":"2.0","id":"a","method":"work"}"#);
    assert_eq!(exchange.answer(), None);
    let begun = r#"{"jsonrpc":"2.0","method":"begun"}"#;
    assert_eq!(next(&mut exchange).await.as_deref(), Some(begun));
    assert_eq!(exchange.answer(), None);
    let ended = r#"{"jsonrpc":"2.0","method":"ended"}"#;
    assert_eq!(next(&mut exchange).await.as_deref(), Some(ended));
    let answer = r#"{"jsonrpc":"2.0","id":"a","result":7}"#;
    assert_eq!(next(&mut exchange).await.as_deref(), Some(answer));
    assert_eq!(exchange.answer(), Some(None));
    assert_eq!(next(&mut exchange).await, None);
}

#[tokio::test]
async fn nothing_follows_the_answer() {
    let (sender, mut outcomes) = mpsc::unbounded_channel();
    let handlers = Handlers::new(sender).request("work", async |context: Context<_>, (): ()| {
        let late = context.clone();
        tokio::spawn(async move {
            sleep(Duration::from_millis(5)).await;
            let _ = late.state().send(late.peer().notify("late", ()).await);
        });
        Ok(())
    });
    let mut exchange = exchange(handlers, r#"{"jsonrpc":"2.0","id":1,"method":"work"}"#);
    assert!(next(&mut exchange).await.unwrap().ends_with(r#""result":null}"#));
    let outcome = within(outcomes.recv()).await.unwrap();
    assert!(matches!(outcome, Err(CallError::Closed(_))), "{outcome:?}");
    assert_eq!(next(&mut exchange).await, None);
}

#[tokio::test]
async fn a_batch_has_one_answer() {
    let handlers = Handlers::new(()).request("add", async |_, (a, b): (i64, i64)| Ok(a + b));
    let text = r#"[{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]},7,
        {"jsonrpc":"2.0","id":2,"method":"no"},{"jsonrpc":"2.0","method":"note"}]"#;
    let mut exchange = exchange(handlers, text);
    let answers: Value = serde_json::from_str(&next(&mut exchange).await.unwrap()).unwrap();
    let answers = answers.as_array().unwrap().iter();
    let mut codes: Vec<_> = answers.map(|one| one["error"]["code"].as_i64()).collect();
    codes.sort_unstable();
    assert_eq!(codes, [None, Some(-32601), Some(-32600)]);
    assert_eq!(exchange.answer(), Some(None));
    assert_eq!(next(&mut exchange).await, None);
}

#[tokio::test]
async fn invalid_texts_get_the_reply_that_they_are_owed() {
    let mut exchange = exchange(Handlers::new(()), r#"{"jsonrpc":"2.0","id":4}"#);
    let reply = next(&mut exchange).await.unwrap();
    assert!(reply.starts_with(r#"{"jsonrpc":"2.0","id":4,"error":{"code":-32600,"#), "{reply}");
    assert_eq!(next(&mut exchange).await, None);
}

#[tokio::test]
async fn errors_are_answers_with_their_codes() {
    let handlers = Handlers::new(())
        .request("fail", async |_, (): ()| {
            Err::<(), _>(RpcError::new(ErrorCode::new(-32020), "no"))
        })
        .request("panic", async |_, (): ()| -> Result<(), RpcError> { panic!("on purpose") });
    let handlers = Arc::new(handlers);
    for (method, code) in [("fail", -32020), ("panic", -32603), ("absent", -32601)] {
        let mut exchange = Options::json_rpc().exchange(&handlers);
        let request = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
        exchange.receive(request.into(), &PROFILE);
        assert!(next(&mut exchange).await.unwrap().contains(&code.to_string()));
        assert_eq!(exchange.answer().unwrap().unwrap().value(), code);
    }
}

#[tokio::test]
async fn calls_of_a_handler_are_answered_through_the_inbox() {
    let handlers = Handlers::new(()).request("ask", async |context: Context<()>, (): ()| {
        let answer: Raw = context.peer().call("what", ()).await?;
        Ok(answer)
    });
    let options = Options::json_rpc().with_call_ids(1 << 40..=1 << 41);
    let mut exchange = options.exchange(&Arc::new(handlers));
    exchange.receive(r#"{"jsonrpc":"2.0","id":1,"method":"ask"}"#.into(), &PROFILE);
    let inbox = exchange.inbox();
    let call = next(&mut exchange).await.unwrap();
    assert_eq!(call, r#"{"jsonrpc":"2.0","id":1099511627776,"method":"what"}"#);
    let answer = r#"{"jsonrpc":"2.0","id":1099511627776,"result":{"a":1}}"#;
    tokio::spawn(async move { inbox.send(answer.into(), &PROFILE).await });
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#;
    assert_eq!(next(&mut exchange).await.as_deref(), Some(answer));
}

/// Says when it is dropped.
struct Guard(mpsc::UnboundedSender<()>);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

#[tokio::test]
async fn a_dropped_exchange_drops_its_handlers() {
    let (sender, mut dropped) = mpsc::unbounded_channel();
    let handlers = Handlers::new(sender).request("wait", async |context: Context<_>, (): ()| {
        let _guard = Guard(mpsc::UnboundedSender::clone(context.state()));
        context.peer().notify("begun", ()).await?;
        sleep(Duration::from_secs(3600)).await;
        Ok(())
    });
    let mut exchange = exchange(handlers, r#"{"jsonrpc":"2.0","id":1,"method":"wait"}"#);
    assert!(next(&mut exchange).await.is_some());
    assert!(dropped.try_recv().is_err());
    drop(exchange);
    within(dropped.recv()).await.unwrap();
}

#[tokio::test]
async fn notifications_leave_an_exchange_open() {
    let handlers = Handlers::new(()).notification("note", async |context: Context<()>, (): ()| {
        let _ = context.peer().notify("noted", ()).await;
    });
    let mut exchange = exchange(handlers, r#"{"jsonrpc":"2.0","method":"note"}"#);
    for _ in 0..2 {
        assert!(next(&mut exchange).await.unwrap().contains("noted"));
        assert_eq!(next(&mut exchange).await, None);
        assert_eq!(exchange.answer(), None);
        exchange.receive(r#"{"jsonrpc":"2.0","method":"note"}"#.into(), &PROFILE);
    }
}

#[tokio::test]
async fn results_of_2026_07_28_get_their_type() {
    let handlers = Handlers::new(())
        .request("none", async |_, _: IgnoredAny| Ok(json!({})))
        .request("some", async |_, _: IgnoredAny| Ok(json!({"a": {"resultType": 1}})))
        .request("escaped", async |_, _: IgnoredAny| {
            Ok(Raw::parse(r#"{"result\u0054ype":"x"}"#).unwrap())
        })
        .request("ask", async |_, _: IgnoredAny| Ok(json!({"resultType": "input_required"})));
    let handlers = Arc::new(handlers);
    for (method, result) in [
        ("none", r#"{"resultType":"complete"}"#),
        ("some", r#"{"a":{"resultType":1},"resultType":"complete"}"#),
        ("ask", r#"{"resultType":"input_required"}"#),
        ("escaped", r#"{"result\u0054ype":"x"}"#),
    ] {
        let mut exchange = Options::mcp(Revision::V2026_07_28).exchange(&handlers);
        let request = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
        exchange.receive(request.into(), &PROFILE);
        let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        assert_eq!(next(&mut exchange).await, Some(answer));
    }
}

#[tokio::test]
async fn handlers_see_the_attachment() {
    let handlers = Handlers::new(()).request("who", async |context: Context<()>, (): ()| {
        assert_eq!(context.attachment::<u8>(), None);
        Ok(context.attachment::<String>().cloned())
    });
    let options = Options::json_rpc().with_attachment(String::from("Ada"));
    let mut exchange = options.exchange(&Arc::new(handlers));
    exchange.receive(r#"{"jsonrpc":"2.0","id":1,"method":"who"}"#.into(), &PROFILE);
    assert!(next(&mut exchange).await.unwrap().ends_with(r#""result":"Ada"}"#));
}

#[tokio::test]
async fn a_range_of_call_ids_is_not_exceeded() {
    let handlers = Handlers::new(()).request("ask", async |context: Context<()>, (): ()| {
        let mut ids = Vec::new();
        loop {
            match context.peer().request::<Raw, _>("what", ()).send().await {
                Ok(call) => ids.push(call.id()),
                Err(CallError::Closed(_)) => return Ok(ids),
                Err(error) => return Err(RpcError::internal(error.to_string())),
            }
        }
    });
    let mut exchange = Options::json_rpc().with_call_ids(7..=9).exchange(&Arc::new(handlers));
    exchange.receive(r#"{"jsonrpc":"2.0","id":1,"method":"ask"}"#.into(), &PROFILE);
    for id in 7..=9 {
        let call = next(&mut exchange).await.unwrap();
        assert_eq!(call, format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"what"}}"#));
    }
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":[7,8,9]}"#;
    assert_eq!(next(&mut exchange).await.as_deref(), Some(answer));
}

#[tokio::test]
async fn a_stop_drops_handlers_of_an_exchange_that_is_not_polled() {
    let (sender, mut dropped) = mpsc::unbounded_channel();
    let handlers = Handlers::new(sender).request("wait", async |context: Context<_>, (): ()| {
        let _guard = Guard(mpsc::UnboundedSender::clone(context.state()));
        context.peer().notify("begun", ()).await?;
        std::future::pending::<Result<(), RpcError>>().await
    });
    let stop = CancellationToken::new();
    let options = Options::json_rpc().with_stop(stop.clone());
    let mut exchange = options.exchange(&Arc::new(handlers));
    exchange.receive(r#"{"jsonrpc":"2.0","id":1,"method":"wait"}"#.into(), &PROFILE);
    assert!(next(&mut exchange).await.unwrap().contains("begun"));
    stop.cancel();
    within(dropped.recv()).await.unwrap();
    assert!(next(&mut exchange).await.unwrap().contains("-32603"));
    assert_eq!(next(&mut exchange).await, None);
}

/// Handlers of a notification that waits for an answer.
fn asking() -> Handlers<()> {
    Handlers::new(()).notification("ask", async |context: Context<()>, _: IgnoredAny| {
        let _: Result<Raw, _> = context.peer().call("what", ()).await;
    })
}

#[tokio::test]
async fn an_inbox_bounds_the_notifications_that_wait() {
    let note = r#"{"jsonrpc":"2.0","method":"ask"}"#;
    for (limit, max_bytes) in [(2, usize::MAX), (100, 2 * note.len())] {
        let options = Options::json_rpc().with_max_backlog(limit);
        let mut exchange = options.exchange(&Arc::new(asking()));
        let inbox = exchange.inbox();
        let offer = || inbox.offer(note.into(), &PROFILE, max_bytes);
        assert_eq!(offer().await, Offered::Accepted);
        assert!(next(&mut exchange).await.unwrap().contains(r#""id":1"#));
        // The first one is handled, and does not wait any more.
        for expected in [Offered::Accepted, Offered::Accepted, Offered::Full] {
            assert_eq!(offer().await, expected);
        }
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":0}"#;
        assert!(inbox.send(answer.into(), &PROFILE).await);
        assert!(next(&mut exchange).await.unwrap().contains(r#""id":2"#));
        assert_eq!(offer().await, Offered::Accepted);
        assert_eq!(offer().await, Offered::Full);
        drop(exchange);
        assert_eq!(offer().await, Offered::Closed);
    }
}

#[tokio::test]
async fn one_notification_always_has_room() {
    let mut exchange = Options::json_rpc().exchange(&Arc::new(asking()));
    let inbox = exchange.inbox();
    let note = r#"{"jsonrpc":"2.0","method":"ask"}"#;
    assert_eq!(inbox.offer(note.into(), &PROFILE, 0).await, Offered::Accepted);
    assert_eq!(inbox.offer(note.into(), &PROFILE, 0).await, Offered::Full);
    assert!(next(&mut exchange).await.unwrap().contains(r#""id":1"#));
    drop(exchange);
    assert_eq!(inbox.offer(note.into(), &PROFILE, 0).await, Offered::Closed);
}

#[tokio::test]
async fn what_is_received_is_handled_while_no_message_is_taken() {
    let handlers = Handlers::new(()).request("work", async |context: Context<()>, (): ()| {
        let pending = context.peer().request::<i64, _>("what", ()).send().await?;
        // It fills the queue.
        context.peer().notify("begun", ()).await?;
        Ok(pending.await?)
    });
    let options = Options::json_rpc().with_max_unsent(1);
    let mut exchange = options.exchange(&Arc::new(handlers));
    exchange.receive(r#"{"jsonrpc":"2.0","id":"a","method":"work"}"#.into(), &PROFILE);
    let inbox = exchange.inbox();
    assert!(next(&mut exchange).await.unwrap().contains("what"));
    assert!(next(&mut exchange).await.unwrap().contains("begun"));
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":5}"#;
    assert!(inbox.send(answer.into(), &PROFILE).await);
    within(poll_fn(|cx| exchange.poll_received(cx))).await;
    assert_eq!(exchange.answer(), Some(None));
    let answer = r#"{"jsonrpc":"2.0","id":"a","result":5}"#;
    assert_eq!(next(&mut exchange).await.as_deref(), Some(answer));
}

#[tokio::test]
async fn a_report_of_progress_names_its_call() {
    let exchange = Options::mcp(Revision::V2025_11_25).exchange(&Arc::new(Handlers::new(())));
    let call_of = |method: &str, token: &str| {
        let text = format!(
            r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"progressToken":{token},"progress":1}}}}"#
        );
        match Message::parse(text.as_bytes(), &PROFILE) {
            Ok(Message::Notification(notification)) => exchange.peer().reported_call(&notification),
            _ => panic!("{text}"),
        }
    };
    assert_eq!(call_of("notifications/progress", "\"call-7\""), Some(7));
    for token in ["7", "\"7\"", "\"call-07\"", "\"call-\""] {
        assert_eq!(call_of("notifications/progress", token), None, "{token}");
    }
    assert_eq!(call_of("notifications/message", "\"call-7\""), None);
}
