//! The delivery of what a legacy client sends without asking: answers, notifications, and cancellations.

use bytes::Bytes;
use tautline::{Batch, Message, Notification};
use tautline_mcp::{KnownMethod, ParamsView};
use tautline_tokio::{Inbox, Offered};

use super::endpoint::{State, within};
use super::session::Session;
use crate::Judged;

impl State {
    /// Passes on what is not answered: a notification, a response, or those of a batch.
    pub(super) async fn deliver(
        &self,
        session: &Session,
        judged: &Judged,
        message: &Message<'_>,
    ) -> Offered {
        let all = async {
            let Message::Batch(batch) = message else {
                return self.pass(session, judged, message, judged.body().clone()).await;
            };
            for element in batch.iter() {
                let Ok(message @ (Message::Notification(_) | Message::Response(_))) =
                    element.message()
                else {
                    continue;
                };
                // A copy, which does not keep the other elements.
                let text = element.span().of(element.frame()).unwrap_or_default();
                let text = Bytes::copy_from_slice(text);
                if self.pass(session, judged, &message, text).await == Offered::Full {
                    return Offered::Full;
                }
            }
            Offered::Accepted
        };
        // An exchange that is not polled for so long is blocked by a handler.
        within(self.options.keep_alive, all).await.unwrap_or(Offered::Full)
    }

    async fn pass(
        &self,
        session: &Session,
        judged: &Judged,
        message: &Message<'_>,
        text: Bytes,
    ) -> Offered {
        match Destination::of(session, message) {
            Destination::Turn => {
                session.inbox.offer(text, judged.profile(), self.options.limit).await
            }
            // An answer may come after its caller has given up.
            Destination::Direct(None) => Offered::Accepted,
            Destination::Direct(Some(inbox)) => match inbox.send(text, judged.profile()).await {
                true => Offered::Accepted,
                false => Offered::Closed,
            },
        }
    }
}

/// The destination of a message. An answer and a report of progress go to the caller at once, and a cancellation to its
/// request. The other notifications wait for their turn in the session.
enum Destination {
    Direct(Option<Inbox>),
    Turn,
}

impl Destination {
    fn of(session: &Session, message: &Message<'_>) -> Self {
        match message {
            Message::Response(response) => {
                Self::Direct(response.id().and_then(|id| session.answered(id)))
            }
            Message::Notification(notification) => match session.reported(notification) {
                Some(caller) => Self::Direct(Some(caller)),
                None if notification.method() == KnownMethod::Cancelled.name() => {
                    Self::Direct(cancelled(notification, session))
                }
                None => Self::Turn,
            },
            // These are answered, and not passed on.
            Message::Request(_) | Message::Batch(_) => Self::Direct(None),
        }
    }
}

/// Returns the request that a notification cancels, if it still runs.
fn cancelled(notification: &Notification<'_>, session: &Session) -> Option<Inbox> {
    let params = notification.params().and_then(ParamsView::of)?;
    session.request(params.request_id()?)
}

/// Returns a batch without its notifications and responses, or `None` if it has none.
pub(super) fn without_deliverable(batch: &Batch<'_>) -> Option<Bytes> {
    let is_deliverable = |message: Result<Message<'_>, _>| {
        matches!(message, Ok(Message::Notification(_) | Message::Response(_)))
    };
    if !batch.iter().any(|element| is_deliverable(element.message())) {
        return None;
    }
    let rest = batch.iter().filter(|element| !is_deliverable(element.message()));
    let rest = rest.filter_map(|element| element.span().of(element.frame()));
    let rest: Vec<&[u8]> = rest.collect();
    Some([b"[", &*rest.join(&b','), b"]"].concat().into())
}
