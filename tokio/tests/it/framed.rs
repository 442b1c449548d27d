//! A `Framed` stream of messages: invalid lines are items, and no `select!` loses any.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use futures_util::{SinkExt, StreamExt};
use tautline::codec::{MessageCodec, Outgoing, ReceivedBuf};
use tautline::encode::NO_PARAMS;
use tautline::{Message, Profile, owned};
use tautline_mcp::rule;
use tokio::io::{AsyncRead, AsyncWriteExt, ReadBuf, duplex};
use tokio::task::yield_now;
use tokio_util::codec::{Framed, FramedRead};

const PROFILE: Profile = Profile::JSON_RPC;
const LIMIT: u32 = 200;

/// A thousand valid lines, each followed by an invalid one: not JSON, not a message, or oversized.
fn wire() -> Vec<u8> {
    let mut wire = Vec::new();
    for n in 0..1000 {
        wire.extend(format!("{{\"jsonrpc\":\"2.0\",\"id\":{n},\"method\":\"m{n}\"}}\n").bytes());
        match n % 3 {
            0 => wire.extend(format!("this is log line {n}\n").bytes()),
            1 => wire.extend(format!("{{\"jsonrpc\":\"2.0\",\"id\":{n}}}\r\n").bytes()),
            _ => wire.extend(format!("\"{}{n}\"\n", "x".repeat(300)).bytes()),
        }
    }
    wire
}

/// Checks that this item belongs at this index.
fn check(index: usize, item: &ReceivedBuf) {
    let n = index / 2;
    match (index % 2, item.message()) {
        (0, Ok(Message::Request(request))) => {
            assert_eq!(request.id().to_string(), n.to_string());
            assert_eq!(request.method(), format!("m{n}").as_str());
        }
        (1, Err(Some(fault))) => match n % 3 {
            0 => assert_eq!(item.bytes(), format!("this is log line {n}").as_bytes()),
            1 => assert_eq!(fault.id().map(|id| id.as_bytes()), Some(n.to_string().as_bytes())),
            _ => assert_eq!(rule::name(fault.rule()), "frame-too-long"),
        },
        (_, other) => panic!("{index}: {other:?}"),
    }
}

/// A reader that follows a script: each step yields a number of bytes, is not ready, or fails.
struct Faulty {
    bytes: Vec<u8>,
    at: usize,
    acts: VecDeque<Act>,
}

#[derive(Clone, Copy)]
enum Act {
    Give(usize),
    Wait,
    Fail(ErrorKind),
}

impl AsyncRead for Faulty {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        room: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let count = match self.acts.pop_front() {
            None => usize::MAX,
            Some(Act::Give(count)) => count,
            Some(Act::Wait) => {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            Some(Act::Fail(kind)) => return Poll::Ready(Err(kind.into())),
        };
        let count = count.min(room.remaining()).min(self.bytes.len() - self.at);
        room.put_slice(&self.bytes[self.at..self.at + count]);
        self.at += count;
        Poll::Ready(Ok(()))
    }
}

fn framed(acts: impl IntoIterator<Item = Act>) -> FramedRead<Faulty, MessageCodec> {
    let faulty = Faulty { bytes: wire(), at: 0, acts: acts.into_iter().collect() };
    FramedRead::new(faulty, MessageCodec::with_limit(LIMIT, &PROFILE))
}

#[tokio::test]
async fn good_and_bad_lines_are_items_in_order() {
    for size in [1, 10, 61, 8192] {
        let mut framed = framed(vec![Act::Give(size); wire().len() / size]);
        let mut index = 0;
        while let Some(item) = framed.next().await {
            check(index, &item.unwrap());
            index += 1;
        }
        assert_eq!(index, 2000);
    }
}

/// The other branch of the `select!` wins as often as possible.
#[tokio::test]
async fn a_select_loses_nothing() {
    let (ours, mut theirs) = duplex(64);
    let writer = tokio::spawn(async move {
        for chunk in wire().chunks(13) {
            theirs.write_all(chunk).await.unwrap();
            yield_now().await;
        }
    });
    let mut framed = Framed::new(ours, MessageCodec::with_limit(LIMIT, &PROFILE));
    let (mut index, mut cancelled) = (0, 0);
    loop {
        tokio::select! {
            biased;
            item = framed.next() => match item {
                Some(item) => {
                    check(index, &item.unwrap());
                    index += 1;
                }
                None => break,
            },
            () = yield_now() => cancelled += 1,
        }
    }
    writer.await.unwrap();
    assert_eq!(index, 2000);
    assert!(cancelled > 1000, "{cancelled}");
}

/// Every future is dropped at its await point, at every byte.
#[test]
fn futures_that_are_dropped_lose_nothing() {
    let bytes = wire().len();
    let acts = (0..2 * bytes).map(|n| if n % 2 == 0 { Act::Wait } else { Act::Give(1) });
    let mut framed = framed(acts);
    let mut context = Context::from_waker(Waker::noop());
    let (mut index, mut dropped) = (0, 0);
    loop {
        match pin!(framed.next()).poll(&mut context) {
            Poll::Pending => dropped += 1,
            Poll::Ready(None) => break,
            Poll::Ready(Some(item)) => {
                check(index, &item.unwrap());
                index += 1;
            }
        }
    }
    assert_eq!(index, 2000);
    assert!(dropped >= bytes, "{dropped}");
}

/// A failing reader ends the stream once, as `tokio_util` specifies. Polling again yields the rest.
#[tokio::test]
async fn a_failure_comes_behind_what_was_complete_and_loses_nothing() {
    let failing = [ErrorKind::ConnectionReset, ErrorKind::TimedOut];
    for (n, kind) in (0..400).map(|n| (n, failing[n % 2])) {
        let mut acts = vec![Act::Give(7); n];
        acts.push(Act::Fail(kind));
        let mut framed = framed(acts);
        let (mut index, mut failures) = (0, 0);
        loop {
            match framed.next().await {
                Some(Ok(item)) => {
                    check(index, &item);
                    index += 1;
                }
                Some(Err(error)) => {
                    assert_eq!(error.kind(), kind);
                    let before = &wire()[..framed.get_ref().at];
                    assert_eq!(index, before.iter().filter(|&&byte| byte == b'\n').count());
                    assert!(framed.next().await.is_none());
                    failures += 1;
                }
                None => break,
            }
        }
        assert_eq!((index, failures), (2000, 1));
    }
}

#[tokio::test]
async fn what_is_sent_is_received() {
    let (ours, theirs) = duplex(16);
    let sender = tokio::spawn(async move {
        let mut sink = Framed::new(ours, MessageCodec::new(&PROFILE));
        for n in 0..100_u32 {
            sink.feed(Outgoing(move |encoder: &mut tautline::encode::Encoder<_>| {
                encoder.request(n, "a", NO_PARAMS)
            }))
            .await
            .unwrap();
        }
        let last = owned::Message::Notification(owned::Notification::new("last", None));
        sink.send(last).await.unwrap();
    });
    let items: Vec<_> = Framed::new(theirs, MessageCodec::new(&PROFILE)).collect().await;
    sender.await.unwrap();
    assert_eq!(items.len(), 101);
    for (n, item) in items[..100].iter().enumerate() {
        let Ok(Message::Request(request)) = item.as_ref().unwrap().message() else { panic!() };
        assert_eq!(request.id().to_string(), n.to_string());
    }
    let Ok(Message::Notification(last)) = items[100].as_ref().unwrap().message() else { panic!() };
    assert_eq!(last.method(), "last");
}

/// A `Framed` keeps its outgoing buffer for its whole lifetime.
#[tokio::test]
async fn a_sink_gives_memory_back_after_a_giant_message() {
    let giant = "x".repeat(1024 * 1024);
    let mut framed = Framed::new(tokio::io::empty(), MessageCodec::new(&PROFILE));
    framed.send(Outgoing(|encoder| encoder.result(1, giant.as_str()))).await.unwrap();
    framed.write_buffer_mut().reserve(1);
    assert!(framed.write_buffer().capacity() > 1024 * 1024);
    framed.send(Outgoing(|encoder| encoder.notification("a", NO_PARAMS))).await.unwrap();
    framed.write_buffer_mut().reserve(1);
    assert!(framed.write_buffer().capacity() <= 64 * 1024);
}
