//! Streams that a GET opens or resumes (2025-03-26 to 2025-11-25, basic/transports).

use std::time::Duration;

use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, StatusCode};
use tautline_mcp::http::{Content, Exchange, Resuming};
use tokio::time::sleep;

use super::error::PostError;
use super::incident::Incident;
use super::reading::Events;
use super::shared::{Mode, Shared};

/// The first and the longest time between attempts, unless the server wants another.
const FIRST_DELAY: Duration = Duration::from_millis(500);
const LONGEST_DELAY: Duration = Duration::from_secs(30);

/// The shortest and the longest time that a server may want a client to wait. Without the first, a server could keep a
/// client busy.
const SHORTEST_RETRY: Duration = Duration::from_millis(50);
const LONGEST_RETRY: Duration = Duration::from_secs(3600);

/// The number of attempts to resume the response to a call, if no event comes in between, and of attempts to open the
/// stream of the server that are refused with 409.
const MOST_ATTEMPTS: u32 = 8;

/// The place where a stream was interrupted, and the number of attempts to resume it.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    /// The id of the last event.
    last_id: Option<HeaderValue>,
    /// The time that the server wants a client to wait.
    retry: Option<Duration>,
    /// The number of attempts since the last event.
    attempts: u32,
    /// The number of attempts in a row that the server has refused with 409.
    conflicts: u32,
}

impl Cursor {
    /// Notes the fields of a stream that has ended.
    pub(super) fn note(&mut self, events: &Events) {
        if events.has_begun() {
            self.attempts = 0;
        }
        self.last_id = events.last_id().or(self.last_id.take());
        self.retry = events.retry().or(self.retry);
    }

    /// Returns the time until the next attempt, and counts it.
    fn delay(&mut self) -> Duration {
        let doubled = FIRST_DELAY.saturating_mul(1 << self.attempts.min(16));
        let own = doubled.min(LONGEST_DELAY);
        self.attempts = self.attempts.saturating_add(1);
        // "The client MUST respect the `retry` field."
        match self.retry.map(|retry| retry.clamp(SHORTEST_RETRY, LONGEST_RETRY)) {
            Some(retry) if self.attempts == 1 => retry,
            Some(retry) => retry.max(own),
            None => own,
        }
    }

    /// Returns the time until the next attempt to open the stream of the server, and counts it. `None` means that there is
    /// none.
    fn again_in(&mut self, error: Option<&PostError>) -> Option<Duration> {
        let is_conflict = matches!(error, Some(PostError::Status(StatusCode::CONFLICT)));
        self.conflicts = if is_conflict { self.conflicts.saturating_add(1) } else { 0 };
        let is_final = error.is_some_and(is_final) || self.conflicts > MOST_ATTEMPTS;
        // The server may have refused only the id, because it no longer has that event.
        let is_refused = is_final && matches!(error, Some(PostError::Status(_)));
        let is_over = is_final && !(is_refused && self.last_id.take().is_some());
        (!is_over).then(|| self.delay())
    }
}

/// Opens a stream, or resumes one after an event.
async fn open(
    shared: &Shared,
    after: Option<HeaderValue>,
    exchange: &mut Exchange<'_>,
    mode: &Mode,
) -> Result<Events, PostError> {
    let exchanged = shared.send(shared.get(after, mode));
    let (head, body) = exchanged.await.map_err(PostError::Unreachable)?.into_parts();
    if head.status == StatusCode::NOT_FOUND && mode.session.is_some() {
        return Err(PostError::SessionEnded);
    }
    let content = check_head(shared, exchange, head.status, &head.headers);
    match content {
        Content::Events => Ok(Events::new(body, shared.settings.limit)),
        _ => Err(unreadable(head.status, &head.headers)),
    }
}

/// Checks the head of a response.
pub(super) fn check_head(
    shared: &Shared,
    exchange: &mut Exchange<'_>,
    status: StatusCode,
    headers: &HeaderMap,
) -> Content {
    let lines = headers.iter().map(|(name, value)| (name.as_str().as_bytes(), value.as_bytes()));
    // An iterator over a `HeaderMap` can't be cloned.
    let lines: Vec<(&[u8], &[u8])> = lines.collect();
    exchange.head(status.as_u16(), lines.iter().copied(), |finding| shared.report(&finding))
}

/// Returns the error for a response whose body has no message.
pub(super) fn unreadable(status: StatusCode, headers: &HeaderMap) -> PostError {
    match status.is_success() {
        true => PostError::ContentType(headers.get(CONTENT_TYPE).cloned()),
        false => PostError::Status(status),
    }
}

/// Resumes the response to a call, which has ended before the answer. The error is the last one, or the reason why the
/// response can't be resumed.
pub(super) async fn resume(
    shared: &Shared,
    call: u64,
    mut error: PostError,
    cursor: &mut Cursor,
    mode: &Mode,
) -> Result<Events, PostError> {
    let Some(last_id) = cursor.last_id.clone().filter(|_| !mode.is_modern()) else {
        return Err(error);
    };
    while cursor.attempts < MOST_ATTEMPTS {
        let after = cursor.delay();
        shared.observe(&Incident::Resuming { call, after });
        sleep(after).await;
        let mut exchange = Exchange::get(mode.revision, Resuming::Yes);
        match open(shared, Some(last_id.clone()), &mut exchange, mode).await {
            Ok(events) => return Ok(events),
            Err(failed) if is_final(&failed) => return Err(failed),
            Err(failed) => error = failed,
        }
    }
    Err(error)
}

/// Keeps a stream for messages of the server open, as long as the server has one. Returns the error if it has ended the
/// session.
pub(super) async fn listen(shared: &Shared, mode: &Mode) -> Option<PostError> {
    let mut cursor = Cursor::default();
    let mut was_open = false;
    loop {
        let resuming = if cursor.last_id.is_some() { Resuming::Yes } else { Resuming::No };
        let mut exchange = Exchange::get(mode.revision, resuming);
        let opened = open(shared, cursor.last_id.clone(), &mut exchange, mode).await;
        let error = match opened {
            Ok(mut events) => {
                was_open = true;
                let error = read_all(shared, &mut events, &mut exchange, mode).await;
                cursor.note(&events);
                error
            }
            // The server has no such stream.
            Err(PostError::Status(StatusCode::METHOD_NOT_ALLOWED)) if !was_open => return None,
            Err(error) => Some(error),
        };
        let again_in = cursor.again_in(error.as_ref());
        if let Some(PostError::SessionEnded) = error {
            return error;
        }
        shared.observe(&Incident::StreamEnded { error: error.as_ref(), again_in });
        sleep(again_in?).await;
    }
}

/// Passes on all messages of a stream. Returns the error that has ended it, if one has.
async fn read_all(
    shared: &Shared,
    events: &mut Events,
    exchange: &mut Exchange<'_>,
    mode: &Mode,
) -> Option<PostError> {
    loop {
        match events.next().await {
            Ok(None) => return None,
            Ok(Some(data)) => {
                // Without a call, this does not fail.
                let _ = shared.receive(exchange, &data, None, mode).await;
            }
            Err(PostError::TooLong(limit)) => shared.observe(&Incident::TooLong { limit }),
            Err(error) => return Some(error),
        }
    }
}

/// Reads what comes after the answer to a call, and passes it on.
pub(super) async fn drain(shared: &Shared, mut events: Events, mode: &Mode) {
    let mut exchange = Exchange::get(mode.revision, Resuming::No);
    read_all(shared, &mut events, &mut exchange, mode).await;
}

/// Returns whether another attempt would have the same result.
fn is_final(error: &PostError) -> bool {
    match error {
        PostError::SessionEnded | PostError::ContentType(_) => true,
        PostError::Status(status) => {
            // A server that has not noticed the end of a stream refuses another one with 409.
            let is_passing = matches!(
                *status,
                StatusCode::REQUEST_TIMEOUT | StatusCode::CONFLICT | StatusCode::TOO_MANY_REQUESTS
            );
            *status == StatusCode::NOT_IMPLEMENTED || !status.is_server_error() && !is_passing
        }
        _ => false,
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests are expected to panic")]
mod tests {
    use std::time::Duration;

    use http::{HeaderValue, StatusCode};

    use super::{Cursor, MOST_ATTEMPTS, PostError};

    /// Returns the times before the next attempts, in milliseconds.
    fn delays(retry: Option<u64>) -> Vec<u128> {
        let retry = retry.map(Duration::from_millis);
        let mut cursor = Cursor { retry, ..Cursor::default() };
        (0..9).map(|_| cursor.delay().as_millis()).collect()
    }

    #[test]
    fn delays_grow_within_bounds() {
        let own = [500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000];
        assert_eq!(delays(None), own);
        for (retry, first) in [(0, 50), (300, 300), (3000, 3000), (u64::MAX, 3_600_000)] {
            let expected = own.iter().skip(1).map(|own| first.max(*own));
            let expected: Vec<u128> = [first].into_iter().chain(expected).collect();
            assert_eq!(delays(Some(retry)), expected);
        }
        let mut late = Cursor { attempts: u32::MAX, ..Cursor::default() };
        assert_eq!(late.delay(), Duration::from_secs(30));
    }

    #[test]
    fn a_final_status_refuses_the_id_first() {
        let refused = PostError::Status(StatusCode::BAD_REQUEST);
        let last_id = Some(HeaderValue::from_static("a"));
        let mut cursor = Cursor { last_id: last_id.clone(), ..Cursor::default() };
        assert!(cursor.again_in(Some(&refused)).is_some());
        assert_eq!(cursor.last_id, None);
        assert_eq!(cursor.again_in(Some(&refused)), None);
        // Without a status, the id is not the reason.
        let mut cursor = Cursor { last_id, ..Cursor::default() };
        assert_eq!(cursor.again_in(Some(&PostError::ContentType(None))), None);
    }

    #[test]
    fn a_conflict_passes_for_some_time() {
        let conflict = PostError::Status(StatusCode::CONFLICT);
        let mut cursor = Cursor::default();
        for _ in 0..2 {
            let attempts = (0..).take_while(|_| cursor.again_in(Some(&conflict)).is_some());
            assert_eq!(attempts.take(100).count(), usize::try_from(MOST_ATTEMPTS).unwrap());
            assert!(cursor.again_in(None).is_some());
        }
    }
}
