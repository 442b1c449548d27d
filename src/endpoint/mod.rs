//! Endpoints: a frame in, the bytes of the reply out.
//!
//! # What is guaranteed
//!
//! Handlers see valid calls alone. Whatever the frame was, the peer gets exactly what it is owed, and
//! at most one reply to a frame:
//!
//! | the frame | gets |
//! |---|---|
//! | is a request | its handler's result, or the error that the handler gave, with whatever code that has; silence, if it is to be answered [later](Answer::later) |
//! | is a request for a method that is not there | -32601 |
//! | is a request whose answer can't be written | -32603, and the [observer](Endpoint::observed_by) is [shown why](Traffic::NotWritten) |
//! | is a request that was not answered: its handler gave an [`Answered`] that was another call's | -32603 |
//! | is a request that the [guard](Endpoint::guarded_by) [ignores](Answer::ignore) | silence; in a batch, -32603 |
//! | is a notification or a response | silence |
//! | is a batch | one array with what each of its elements is owed, or silence if that is nothing; none of them can be answered later: that is refused with -32603 |
//! | is a batch, and the endpoint's rules forbid them | what that is owed, whatever rules it was parsed by |
//! | has a fault | [what it is owed](crate::envelope::Fault::reply) |
//! | is over the limit, and was [skimmed](crate::envelope::Skimmer) | the same: -32600 with its id, if it is a request |
//! | is over the limit, and was not | -32600 to nobody in particular, as the [rules](crate::envelope::Uncorrelated) say |
//!
//! An answer can't be written if the output has no room for it, if a float in it is infinite or not a
//! number, if serde could not serialize it, or if the rules do not allow the type of the result.
//!
//! There is one exception: if the output has not even room for the errors, the peer gets nothing, and
//! [`handle`](Endpoint::handle) is an `Err`. With [`least_room`](Endpoint::least_room) that can't be.
//!
//! # What is not checked
//!
//! Whether an id is in use, and whether anybody waits for a response.

mod answer;
mod call;
mod refuse;

pub use answer::{Answer, Answered};
use answer::{CLOSE, Holder, Sheet};
pub use call::{Call, Failure, Handler, Method};

use crate::cast::index;
use crate::encode::{Draft, EncodeError, Encoder, Ends, Measure, Slice};
use crate::envelope::{Batch, Batches, Fault, Ids, Message, Request, Rules, Skimmer};
use crate::stream::Received;

/// Answers frames by a table of methods.
///
/// ```
/// use tautline::endpoint::{Answer, Answered, Call, Endpoint, Failure, Method};
/// use tautline::Rules;
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

/// What is shown every frame, and every answer that failed: a function of the caller's context and what
/// it is.
pub type Observer<C> = fn(&mut C, Traffic<'_>);

/// What every message has to pass: a function of the caller's context, the frame, a message in it, and
/// room for the answer, which it gives back to let the message pass, or uses up.
///
/// Before it calls [`Answer::later`], a guard has to ask whether the call [is in a batch](Answer::is_in_batch):
/// there it is refused, and the room is used up.
pub type Guard<C> =
    for<'a, 'out> fn(&mut C, &Message<'_>, Answer<'a, 'out>) -> Result<Answer<'a, 'out>, Answered>;

impl<'table, C> Endpoint<'table, C> {
    /// An endpoint with these methods, for frames under these rules.
    #[must_use]
    pub const fn new(methods: &'table [Method<C>], rules: &Rules) -> Self {
        Self { methods, rules: *rules, observer: None, guard: None }
    }

    /// Shows every frame before it is answered, every reply, and between them why an answer could not
    /// be written: to log, to count or to record.
    ///
    /// What a handler answers [later](Answer::later) does not come through here.
    #[must_use]
    pub const fn observed_by(self, observer: Observer<C>) -> Self {
        Self { observer: Some(observer), ..self }
    }

    /// Shows every valid message to a guard before a method is looked for: requests, notifications and
    /// responses, those of a batch one by one. It may answer requests itself, as for a session that
    /// is not open yet, and sees the responses to what was asked from here.
    #[must_use]
    pub const fn guarded_by(self, guard: Guard<C>) -> Self {
        Self { guard: Some(guard), ..self }
    }

    /// The rules in force.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// How much room for output always suffices to answer a frame of at most so many bytes, if only
    /// with errors: with that, no frame makes [`handle`](Self::handle) fail. It is so for frames that
    /// were parsed by the rules of the endpoint.
    ///
    /// It is made of the longest error that the endpoint has of its own, with a null id and what
    /// separates it from the next one, as many times as a batch has elements: at most half as many as
    /// the frame has bytes, no more than the [rules](Rules::max_batch) allow, and one where they allow
    /// no batches. To that come the ids, which are copied from the frame, and so are no longer than it
    /// is in all, or than the longest id that is [skimmed](crate::envelope::Skimmer::LONGEST_ID) of a
    /// longer one; and the end of the reply.
    ///
    /// What handlers have to say needs room besides.
    #[must_use]
    pub const fn least_room(&self, frame_limit: u32) -> usize {
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

    /// Answers bytes that should be one message, such as the body of an HTTP request: gives the bytes of the
    /// reply, newline included, or none where silence is owed.
    ///
    /// For a line of newline-delimited JSON, use [`handle_line`](Self::handle_line).
    ///
    /// # Errors
    ///
    /// [`EncodeError::DoesNotFit`] if the output has not even room for the errors that say that the
    /// answers do not fit. The output holds nothing then, but handlers have run: that of the call, or
    /// those of a batch up to the place where the room was used up. `needed` is the least room in which
    /// the frame can be answered with errors, and not what its handlers have to say;
    /// [`least_room`](Self::least_room) is that of any frame.
    pub fn handle<'out>(
        &self,
        frame: &[u8],
        context: &mut C,
        output: &'out mut [u8],
    ) -> Result<&'out [u8], EncodeError> {
        self.reply(frame, Message::parse(frame, &self.rules).as_ref(), context, output)
    }

    /// Answers a line of newline-delimited JSON, given without the newline, as [`handle`](Self::handle)
    /// does. What must not stand in a line, as a raw CR, is held against it: see [`Message::parse_line`].
    ///
    /// # Errors
    ///
    /// As [`handle`](Self::handle).
    pub fn handle_line<'out>(
        &self,
        line: &[u8],
        context: &mut C,
        output: &'out mut [u8],
    ) -> Result<&'out [u8], EncodeError> {
        self.reply(line, Message::parse_line(line, &self.rules).as_ref(), context, output)
    }

    /// Answers what came off a [stream](crate::stream), where it was parsed already, and what was too
    /// long to be a frame as well: with its id, if it was [skimmed](crate::envelope::Skimmer).
    ///
    /// # Errors
    ///
    /// As [`handle`](Self::handle).
    pub fn receive<'out>(
        &self,
        received: &Received<'_>,
        context: &mut C,
        output: &'out mut [u8],
    ) -> Result<&'out [u8], EncodeError> {
        let (frame, parsed) = match (received, received.fault()) {
            (Received::Message { frame, message }, _) => (frame.bytes(), Ok(message)),
            (_, Some((fault, text))) => (text, Err(fault)),
            // Nobody is owed an answer to what is not known to be a message.
            (_, None) => return Ok(&[]),
        };
        self.reply(frame, parsed, context, output)
    }

    fn reply<'out>(
        &self,
        frame: &[u8],
        parsed: Result<&Message<'_>, &Fault>,
        context: &mut C,
        output: &'out mut [u8],
    ) -> Result<&'out [u8], EncodeError> {
        self.show(context, Traffic::In { frame, fault: parsed.err().copied() });
        // An answer has the id of its call, whatever rules that was parsed by.
        let encoder = Encoder::with_rules(Slice::new(output), &self.rules.with_ids(Ids::Any));
        let mut sheet = Sheet::new(encoder);
        if let Err(error) = self.answer(frame, parsed, context, &mut sheet) {
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
        frame: &[u8],
        parsed: Result<&Message<'_>, &Fault>,
        context: &mut C,
        sheet: &mut Sheet<'_>,
    ) -> Result<(), EncodeError> {
        let reparsed;
        let parsed = match parsed {
            // Where the rules are a constant that forbids batches, nothing of this is linked.
            Ok(Message::Batch(batch)) if self.rules.batches() != Batches::Forbidden => {
                return self.answer_batch(batch, context, sheet);
            }
            // It was parsed by other rules.
            Ok(Message::Batch(_)) => {
                reparsed = Message::parse(frame, &self.rules);
                reparsed.as_ref()
            }
            parsed => parsed,
        };
        self.answer_one(frame, parsed, context, sheet)
    }

    fn answer_batch(
        &self,
        batch: &Batch<'_>,
        context: &mut C,
        sheet: &mut Sheet<'_>,
    ) -> Result<(), EncodeError> {
        let frame = batch.frame();
        let mut answers: usize = 0;
        let mut elements = batch.iter();
        while let Some(parsed) = elements.next_message() {
            answers = answers.saturating_add(least_answer(frame, parsed.as_ref()));
        }
        sheet.begin_batch(answers);
        let mut elements = batch.iter();
        while let Some(parsed) = elements.next_message() {
            let parsed = parsed.as_ref();
            sheet.next_of_batch(least_answer(frame, parsed));
            if let (Some(observe), Err(fault)) = (self.observer, parsed) {
                observe(context, Traffic::Element { frame, fault: *fault });
            }
            self.answer_one(frame, parsed, context, sheet).map_err(|error| match error {
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
        frame: &[u8],
        parsed: Result<&Message<'_>, &Fault>,
        context: &mut C,
        sheet: &mut Sheet<'_>,
    ) -> Result<(), EncodeError> {
        let message = match parsed {
            Ok(message) => message,
            Err(fault) => {
                let Some(reply) = fault.reply() else { return Ok(()) };
                return sheet.write(|draft| draft.reply(&reply, frame)).map(|_| ());
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
            // An answer that could not be written, or that was given to another call.
            Ok(Answered(())) => &Failure::INTERNAL,
            Err(failure) => failure,
        };
        // A handler may have written an answer, and failed all the same.
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

    /// Has the guard asked and the method called, if there are any.
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
            Message::Request(request) => {
                Call { id: answer.id, method: request.method(), params: request.params() }
            }
            Message::Notification(notification) => {
                Call { id: None, method: notification.method(), params: notification.params() }
            }
            // A response is not answered, and a batch has no batches in it.
            Message::Response(_) | Message::Batch(_) => return Ok(Answered(())),
        };
        let method = self
            .methods
            .iter()
            .find(|method| call.method == method.name && method.is_callable)
            .ok_or(Failure::METHOD_NOT_FOUND)?;
        (method.handler)(context, &call, Answer { holder: Holder::Handler, ..answer })
    }
}

/// A frame on its way in or out, or what kept an answer from it, as it is shown to an [`Observer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Traffic<'a> {
    /// A frame that came.
    In {
        /// Its bytes, without the newline; of a line that was too long to be a frame, the text of its
        /// id if that is known, and else none.
        frame: &'a [u8],
        /// What is wrong with it, if anything is.
        fault: Option<Fault>,
    },
    /// An element of the batch that came last is no message.
    Element {
        /// The bytes of the batch, without the newline.
        frame: &'a [u8],
        /// What is wrong with the element.
        fault: Fault,
    },
    /// An answer could not be written. An error takes its place, if there is room for that.
    NotWritten {
        /// The request that it was to answer.
        request: &'a Request<'a>,
        /// Why not.
        error: EncodeError,
    },
    /// A reply that is to be sent, with its newline.
    Out(&'a [u8]),
}

/// The longest error that an endpoint has of its own, with the longest id that is in no frame, and what
/// separates it from the one before.
const LONGEST_ERROR: &[u8] =
    br#",{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}"#;

/// How long the shortest answer is that an element of a batch is owed, with what separates it from
/// the one before; 0 if it is owed none.
fn least_answer(frame: &[u8], parsed: Result<&Message<'_>, &Fault>) -> usize {
    let measure = |write: &dyn Fn(Draft<'_, '_>)| {
        Encoder::new(Measure).whole(&Ends::NEXT, write).unwrap_or(0)
    };
    match parsed {
        Err(fault) => fault.reply().map_or(0, |reply| measure(&|draft| draft.reply(&reply, frame))),
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
            assert!(least_answer(frame, parsed.as_ref()) <= LONGEST_ERROR.len());
        }
    }
}
