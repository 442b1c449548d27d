//! Endpoints: they take a frame and return the bytes of the reply.
//!
//! # What is guaranteed
//!
//! Handlers see only valid calls. For any frame, the peer gets exactly the reply that the protocol requires,
//! and at most one for each frame:
//!
//! | the frame | gets |
//! |---|---|
//! | is a request | its handler's result or error, with any code; silence if it is answered [later](Answer::later) |
//! | is a request for a method that does not exist | -32601 |
//! | is a request whose answer cannot be written | -32603, and the [observer](Endpoint::observed_by) [receives the reason](Traffic::NotWritten) |
//! | is a request that its handler did not answer, returning the [`Answered`] of another call | -32603 |
//! | is a request that the [guard](Endpoint::guarded_by) [ignores](Answer::ignore) | silence; in a batch, -32603 |
//! | is a notification or a response | silence |
//! | is a batch | one array with the replies to its elements, or silence if there are none; [later](Answer::later) answers are refused with -32603 |
//! | is a batch, and the endpoint's rules forbid batches | the reply to a forbidden batch, whatever rules it was parsed with |
//! | has a fault | the [reply to the fault](crate::envelope::Fault::reply) |
//! | is oversized, and was [skimmed](crate::envelope::Skimmer) | the same: -32600 with its id, if it is a request |
//! | is oversized, and was not skimmed | -32600 without a request's id, as the [rules](crate::envelope::Uncorrelated) specify |
//!
//! An answer cannot be written if the output has no room for it, if it contains a float that is infinite or
//! NaN, if serde could not serialize it, or if the rules do not allow the type of the result.
//!
//! There is one exception: if the output has no room even for the errors, the peer gets nothing, and
//! [`handle`](Endpoint::handle) returns an `Err`. An output of [`min_reply_len`](Endpoint::min_reply_len)
//! bytes rules that out.
//!
//! # What is not checked
//!
//! The endpoint does not check that an id is unused, or that a response has a pending request.

mod answer;
mod call;
mod failure;
mod refuse;

pub use answer::{Answer, Answered};
use answer::{CLOSE, Holder, Sheet};
pub use call::{Handler, Method};
pub use failure::Failure;

use crate::cast::index;
use crate::encode::{Draft, EncodeError, Encoder, Ends, Measure, Slice};
use crate::envelope::{Batch, Batches, Fault, Ids, Message, Request, Rules, Skimmer};
use crate::stream::Received;

/// Answers frames with a table of methods.
///
/// ```
/// use tautline::endpoint::{Answer, Answered, Endpoint, Failure, Method};
/// use tautline::{Call, Rules};
///
/// fn add(total: &mut i64, call: &Call<'_>, answer: Answer<'_, '_>) -> Result<Answered, Failure> {
///     let number = call.param(0, "number")?.number().ok_or(Failure::INVALID_PARAMS)?;
///     *total += number.as_i64().ok_or(Failure::INVALID_PARAMS)?;
///     Ok(answer.result(*total))
/// }
///
/// const METHODS: &[Method<i64>] = &[Method::new("add", add)];
///
/// let endpoint = Endpoint::new(METHODS, &Rules::JSON_RPC);
/// let mut total = 40;
/// let mut room = [0; 256];
/// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"add","params":[2]}"#;
/// let reply = endpoint.handle(frame, &mut total, &mut room).unwrap();
/// assert_eq!(reply, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":42}\n");
/// ```
#[derive(Debug)]
pub struct Endpoint<'table, C> {
    methods: &'table [Method<C>],
    rules: Rules,
    observer: Option<Observer<C>>,
    guard: Option<Guard<C>>,
}

/// A function that observes every frame, and every answer that could not be written. It takes the caller's
/// context and the traffic.
pub type Observer<C> = fn(&mut C, Traffic<'_>);

/// A function that every message must pass. It takes the caller's context, a message, and the space for its
/// answer. It returns the space to let the message pass, or consumes it.
///
/// Before a guard calls [`Answer::later`], it must check whether the call [is in a
/// batch](Answer::is_in_batch). In a batch the call to `later` fails, and the space is consumed.
pub type Guard<C> =
    for<'a, 'out> fn(&mut C, &Message<'_>, Answer<'a, 'out>) -> Result<Answer<'a, 'out>, Answered>;

impl<'table, C> Endpoint<'table, C> {
    /// Creates an endpoint with these methods, for frames under these rules.
    #[must_use]
    pub const fn new(methods: &'table [Method<C>], rules: &Rules) -> Self {
        Self { methods, rules: *rules, observer: None, guard: None }
    }

    /// Passes every frame to the observer before it is answered, and then every reply. In between, the
    /// observer receives the reason if an answer could not be written. Use it to log, count or record.
    ///
    /// Answers that a handler gives [later](Answer::later) do not reach the observer.
    #[must_use]
    pub const fn observed_by(self, observer: Observer<C>) -> Self {
        Self { observer: Some(observer), ..self }
    }

    /// Passes every valid message to a guard before the method lookup: requests, notifications and responses,
    /// including each element of a batch. The guard may answer requests itself, for example while a session
    /// is not open yet. It also sees the responses to requests from this side.
    #[must_use]
    pub const fn guarded_by(self, guard: Guard<C>) -> Self {
        Self { guard: Some(guard), ..self }
    }

    /// Returns the rules in force.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the output size in bytes that suffices to answer any frame of at most `frame_limit` bytes, if
    /// only with errors. With that much room [`handle`](Self::handle) never fails for a frame that was parsed
    /// with the rules of the endpoint.
    ///
    /// The size is the sum of three parts:
    ///
    /// - The longest error of the endpoint itself, with a null id and a separator, once for each element of a
    ///   batch. A batch has at most half as many elements as the frame has bytes, and at most as many as the
    ///   [rules](Rules::max_batch) allow. If the rules forbid batches, there is one.
    /// - The ids, which are copied from the frame. Together they are no longer than the frame. For an
    ///   oversized frame the longest [skimmed id](crate::envelope::Skimmer::LONGEST_ID) is the bound.
    /// - The end of the reply.
    ///
    /// The results and errors of handlers need room in addition.
    #[must_use]
    pub const fn min_reply_len(&self, frame_limit: u32) -> usize {
        let elements = match self.rules.batches() {
            Batches::Allowed | Batches::Unmixed => self.rules.max_batch(),
            Batches::Forbidden => 1,
        };
        let commas = index(frame_limit) / 2;
        let elements = if commas < index(elements) { commas } else { index(elements) };
        let errors = if elements > 1 { elements } else { 1 };
        let errors = errors.saturating_mul(LONGEST_ERROR.len());
        let ids = index(frame_limit);
        let ids = if ids > Skimmer::LONGEST_ID { ids } else { Skimmer::LONGEST_ID };
        errors.saturating_add(ids).saturating_add(CLOSE.len())
    }

    /// Answers bytes that should be one message, such as the body of an HTTP request. Returns the bytes of
    /// the reply, newline included, or no bytes if silence is required.
    ///
    /// For a line of newline-delimited JSON, use [`handle_line`](Self::handle_line).
    ///
    /// # Errors
    ///
    /// Returns [`EncodeError::DoesNotFit`] if the output has no room even for the errors that replace the
    /// answers. The output is then empty, but handlers have run: the handler of the call, or in a batch the
    /// handlers up to the element at which the room ran out. `needed` is the least room in which the frame
    /// can be answered with errors, without any handler's result. For a bound that holds for any frame, use
    /// [`min_reply_len`](Self::min_reply_len).
    pub fn handle<'out>(
        &self,
        frame: &[u8],
        context: &mut C,
        output: &'out mut [u8],
    ) -> Result<&'out [u8], EncodeError> {
        self.reply(Message::parse(frame, &self.rules).as_ref(), context, output)
    }

    /// Answers a line of newline-delimited JSON, given without the newline, as [`handle`](Self::handle) does.
    /// Bytes that must not occur in a line, such as a raw CR, are faults: see [`Message::parse_line`].
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`handle`](Self::handle).
    pub fn handle_line<'out>(
        &self,
        line: &[u8],
        context: &mut C,
        output: &'out mut [u8],
    ) -> Result<&'out [u8], EncodeError> {
        self.reply(Message::parse_line(line, &self.rules).as_ref(), context, output)
    }

    /// Answers a frame received from a [stream](crate::stream), which has already parsed it. An oversized
    /// frame is answered too, with its id if it was [skimmed](crate::envelope::Skimmer).
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`handle`](Self::handle).
    pub fn receive<'out>(
        &self,
        received: &Received<'_>,
        context: &mut C,
        output: &'out mut [u8],
    ) -> Result<&'out [u8], EncodeError> {
        let parsed = match (received, received.fault()) {
            (Received::Message { message, .. }, _) => Ok(message),
            (_, Some(fault)) => Err(fault),
            // An input that may not be a message gets no answer.
            (_, None) => return Ok(&[]),
        };
        self.reply(parsed, context, output)
    }

    fn reply<'out>(
        &self,
        parsed: Result<&Message<'_>, &Fault<'_>>,
        context: &mut C,
        output: &'out mut [u8],
    ) -> Result<&'out [u8], EncodeError> {
        self.show(context, Traffic::In(parsed));
        // An answer repeats the id of its call, whatever rules that was parsed with.
        let encoder = Encoder::with_rules(Slice::new(output), &self.rules.with_ids(Ids::Any));
        let mut sheet = Sheet::new(encoder);
        if let Err(error) = self.answer(parsed, context, &mut sheet) {
            sheet.rewind(0);
            return Err(error);
        }
        let reply = sheet.finish();
        if !reply.is_empty() {
            self.show(context, Traffic::Out(reply));
        }
        Ok(reply)
    }

    fn answer(
        &self,
        parsed: Result<&Message<'_>, &Fault<'_>>,
        context: &mut C,
        sheet: &mut Sheet<'_>,
    ) -> Result<(), EncodeError> {
        let reparsed;
        let parsed = match parsed {
            // If the rules are a constant that forbids batches, none of this code is linked.
            Ok(Message::Batch(batch)) if self.rules.batches() != Batches::Forbidden => {
                return self.answer_batch(batch, context, sheet);
            }
            // The batch was parsed with other rules.
            Ok(Message::Batch(batch)) => {
                reparsed = Message::parse(batch.frame(), &self.rules);
                reparsed.as_ref()
            }
            parsed => parsed,
        };
        self.answer_one(parsed, context, sheet)
    }

    fn answer_batch(
        &self,
        batch: &Batch<'_>,
        context: &mut C,
        sheet: &mut Sheet<'_>,
    ) -> Result<(), EncodeError> {
        let mut answers: usize = 0;
        let mut elements = batch.iter();
        while let Some(parsed) = elements.next_message() {
            answers = answers.saturating_add(least_answer(parsed.as_ref()));
        }
        sheet.begin_batch(answers);
        let mut elements = batch.iter();
        while let Some(parsed) = elements.next_message() {
            let parsed = parsed.as_ref();
            sheet.next_of_batch(least_answer(parsed));
            if let (Some(observe), Err(fault)) = (self.observer, parsed) {
                observe(context, Traffic::Element(fault));
            }
            self.answer_one(parsed, context, sheet).map_err(|error| match error {
                EncodeError::DoesNotFit { .. } => {
                    EncodeError::DoesNotFit { needed: answers.saturating_add(CLOSE.len()) }
                }
                other => other,
            })?;
        }
        sheet.end_batch();
        Ok(())
    }

    fn answer_one(
        &self,
        parsed: Result<&Message<'_>, &Fault<'_>>,
        context: &mut C,
        sheet: &mut Sheet<'_>,
    ) -> Result<(), EncodeError> {
        let message = match parsed {
            Ok(message) => message,
            Err(fault) => {
                let Some(reply) = fault.reply() else { return Ok(()) };
                return sheet.write(|draft| draft.reply(&reply)).map(|_| ());
            }
        };
        let id = match message {
            Message::Request(request) => Some(request.id()),
            _ => None,
        };
        sheet.next_call();
        let before = sheet.length();
        let outcome = self.serve(message, context, Answer { id, sheet, holder: Holder::Guard });
        let (Message::Request(request), Some(id)) = (message, id) else { return Ok(()) };
        if let Some(Err(error)) = sheet.given() {
            self.show(context, Traffic::NotWritten { request, error });
        }
        let failure = match &outcome {
            Ok(Answered(())) if matches!(sheet.given(), Some(Ok(_))) => return Ok(()),
            // The answer could not be written, or was given to another call.
            Ok(Answered(())) => &Failure::INTERNAL,
            Err(failure) => failure,
        };
        // A handler may have written an answer and still returned a failure.
        sheet.rewind(before);
        let failed = sheet.fail(id, failure).or_else(|error| {
            self.show(context, Traffic::NotWritten { request, error });
            sheet.fail(id, &Failure::INTERNAL)
        });
        failed.map(|_| ())
    }

    fn show(&self, context: &mut C, traffic: Traffic<'_>) {
        if let Some(observe) = self.observer {
            observe(context, traffic);
        }
    }

    /// Calls the guard and the method, if they exist.
    fn serve(
        &self,
        message: &Message<'_>,
        context: &mut C,
        answer: Answer<'_, '_>,
    ) -> Result<Answered, Failure> {
        let answer = match self.guard {
            None => answer,
            Some(guard) => match guard(context, message, answer) {
                Ok(answer) => answer,
                Err(answered) => return Ok(answered),
            },
        };
        let call = match message {
            Message::Request(request) => request.call(),
            Message::Notification(notification) => notification.call(),
            // A response gets no answer, and a batch contains no batches.
            Message::Response(_) | Message::Batch(_) => return Ok(Answered(())),
        };
        let name = call.method();
        let method = self
            .methods
            .iter()
            .find(|method| name == method.name && method.is_callable)
            .ok_or(Failure::METHOD_NOT_FOUND)?;
        (method.handler)(context, call, Answer { holder: Holder::Handler, ..answer })
    }
}

/// An event for an [`Observer`]: a frame in either direction, or the reason why an answer could not be
/// written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Traffic<'a> {
    /// A frame was received: its message, or its fault.
    In(Result<&'a Message<'a>, &'a Fault<'a>>),
    /// An element of the last batch is not a message.
    Element(&'a Fault<'a>),
    /// An answer could not be written. An error replaces it, if there is room.
    NotWritten {
        /// The request that it was meant to answer.
        request: &'a Request<'a>,
        /// The reason.
        error: EncodeError,
    },
    /// A reply to be sent, with its newline.
    Out(&'a [u8]),
}

/// The longest error of the endpoint itself, with the longest id that is not copied from a frame, and the
/// separator before it.
const LONGEST_ERROR: &[u8] =
    br#",{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}"#;

/// Returns the length of the shortest answer to an element of a batch, with the separator before it, or 0 if
/// the element gets no answer.
fn least_answer(parsed: Result<&Message<'_>, &Fault<'_>>) -> usize {
    let measure = |write: &dyn Fn(Draft<'_, '_>)| {
        Encoder::new(Measure).whole(&Ends::NEXT, write).unwrap_or(0)
    };
    match parsed {
        Err(fault) => fault.reply().map_or(0, |reply| measure(&|draft| draft.reply(&reply))),
        Ok(Message::Request(request)) => {
            measure(&|draft| Failure::INTERNAL.write(draft, request.id()))
        }
        Ok(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::Output;

    #[test]
    fn the_longest_error_is_the_longest() {
        let mut room = [0; 128];
        let mut encoder = Encoder::new(Slice::new(&mut room));
        for failure in [Failure::METHOD_NOT_FOUND, Failure::INTERNAL, Failure::INVALID_PARAMS] {
            let error = encoder.whole(&Ends::NEXT, |draft| {
                failure.write(draft, crate::Id::Null);
            });
            assert!(error.unwrap() <= LONGEST_ERROR.len());
            if failure == Failure::METHOD_NOT_FOUND {
                assert_eq!(encoder.output().written(), LONGEST_ERROR);
            }
            encoder.output_mut().rewind(0);
        }
        for frame in [&b"1"[..], b"{"] {
            let parsed = Message::parse(frame, &Rules::JSON_RPC);
            assert!(least_answer(parsed.as_ref()) <= LONGEST_ERROR.len());
        }
    }
}
