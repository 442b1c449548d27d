//! Endpoints: a frame in, the bytes of the reply out.
//!
//! # What is guaranteed
//!
//! Handlers see valid calls alone. Whatever the frame was, the peer gets exactly what it is owed, and
//! at most one reply to a frame:
//!
//! | the frame | gets |
//! |---|---|
//! | is a request | its handler's answer; -32601 if there is none; -32602 or -32603 if it failed; -32603 if the answer does not fit the output |
//! | is a notification or a response | silence |
//! | is a batch | one array with an answer to each request in it, or silence if there is none |
//! | has a fault | [what it is owed](crate::envelope::Fault::reply) |
//!
//! # What is not checked
//!
//! Whether an id is in use, and whether anybody waits for a response.

mod answer;
mod call;
mod refuse;

pub use answer::{Answer, Answered};
use answer::{Sheet, State};
pub use call::{Call, Failure, Handler, Method};

use crate::encode::{EncodeError, Encoder, Measure, Slice};
use crate::envelope::{Batch, Fault, Message, Rules};
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

/// What is shown every frame: a function of the caller's context and the frame.
pub type Observer<C> = fn(&mut C, Traffic<'_>);

/// What every message has to pass: a function of the caller's context, the frame, a message in it, and
/// room for the answer, which it gives back to let the message pass, or uses up.
pub type Guard<C> = for<'a, 'out> fn(
    &mut C,
    &[u8],
    &Message<'_>,
    Answer<'a, 'out>,
) -> Result<Answer<'a, 'out>, Answered>;

impl<'table, C> Endpoint<'table, C> {
    /// An endpoint with these methods, for frames under these rules.
    #[must_use]
    pub const fn new(methods: &'table [Method<C>], rules: &Rules) -> Self {
        Self { methods, rules: *rules, observer: None, guard: None }
    }

    /// Shows every frame before it is answered, and every reply: to log, to count or to record.
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

    /// Answers a frame: gives the bytes of the reply, newline included, or none where silence is owed.
    ///
    /// # Errors
    ///
    /// [`EncodeError::DoesNotFit`] if the output has not even room for the error that says that the
    /// answer does not fit. The output holds nothing then.
    pub fn handle<'out>(
        &self,
        frame: &[u8],
        context: &mut C,
        output: &'out mut [u8],
    ) -> Result<&'out [u8], EncodeError> {
        self.reply(frame, Message::parse(frame, &self.rules), context, output)
    }

    /// Answers what came off a [stream](crate::stream), where it was parsed already, and a line that
    /// was too long to be a frame as well.
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
        let (frame, parsed) = match *received {
            Received::Message { frame, message } => (frame.bytes(), Ok(message)),
            Received::Fault { frame, fault } => (frame.bytes(), Err(fault)),
            Received::Oversized { fault, .. } => (&b""[..], Err(fault)),
        };
        self.reply(frame, parsed, context, output)
    }

    fn reply<'out>(
        &self,
        frame: &[u8],
        parsed: Result<Message<'_>, Fault>,
        context: &mut C,
        output: &'out mut [u8],
    ) -> Result<&'out [u8], EncodeError> {
        if let Some(observe) = self.observer {
            observe(context, Traffic::In { frame, fault: parsed.err() });
        }
        let encoder = Encoder::with_rules(Slice::new(output), &self.rules);
        let mut sheet = Sheet::new(encoder);
        if let Err(error) = self.answer(frame, parsed, context, &mut sheet) {
            sheet.abandon();
            return Err(error);
        }
        let reply = sheet.finish();
        if let (Some(observe), false) = (self.observer, reply.is_empty()) {
            observe(context, Traffic::Out(reply));
        }
        Ok(reply)
    }

    fn answer(
        &self,
        frame: &[u8],
        parsed: Result<Message<'_>, Fault>,
        context: &mut C,
        sheet: &mut Sheet<'_>,
    ) -> Result<(), EncodeError> {
        match parsed {
            Ok(Message::Batch(batch)) => self.answer_batch(&batch, context, sheet),
            parsed => self.answer_one(frame, parsed, context, sheet),
        }
    }

    fn answer_batch(
        &self,
        batch: &Batch<'_>,
        context: &mut C,
        sheet: &mut Sheet<'_>,
    ) -> Result<(), EncodeError> {
        let needed = batch.iter().map(|element| least_answer(element.frame(), element.message()));
        sheet.begin_batch(needed.sum());
        for element in batch {
            let (frame, parsed) = (element.frame(), element.message());
            sheet.next_of_batch(least_answer(frame, parsed));
            self.answer_one(frame, parsed, context, sheet)?;
        }
        Ok(())
    }

    fn answer_one(
        &self,
        frame: &[u8],
        parsed: Result<Message<'_>, Fault>,
        context: &mut C,
        sheet: &mut Sheet<'_>,
    ) -> Result<(), EncodeError> {
        let message = match parsed {
            Ok(message) => message,
            Err(fault) => {
                return match fault.reply() {
                    Some(reply) => sheet.write(|message| message.reply(&reply, frame)),
                    None => Ok(()),
                };
            }
        };
        let id = match message {
            Message::Request(request) => Some(request.id()),
            _ => None,
        };
        let before = sheet.length();
        let outcome = self.serve(frame, &message, context, Answer { id, sheet });
        let Some(id) = id else { return Ok(()) };
        let failure = match outcome {
            Ok(Answered(State::Done)) if sheet.length() > before => return Ok(()),
            Ok(Answered(State::Later)) if !sheet.is_batch() => return Ok(()),
            // An answer that could not be written, that was promised for a time when the batch is
            // gone, or that was given to another call.
            Ok(Answered(_)) => Failure::INTERNAL,
            Err(failure) => failure,
        };
        // A handler may have written an answer, and failed all the same.
        sheet.rewind(before);
        let mut write = |failure: Failure| {
            sheet.write(|message| message.error(Some(id.into()), failure.to_error()))
        };
        write(failure).or_else(|_| write(Failure::INTERNAL))
    }

    /// Has the guard asked and the method called, if there are any.
    fn serve(
        &self,
        frame: &[u8],
        message: &Message<'_>,
        context: &mut C,
        answer: Answer<'_, '_>,
    ) -> Result<Answered, Failure> {
        let answer = match self.guard {
            None => answer,
            Some(guard) => match guard(context, frame, message, answer) {
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
            Message::Response(_) | Message::Batch(_) => return Ok(Answered(State::Done)),
        };
        // Such names are for extensions of JSON-RPC (section 4).
        let reserved = call.method.starts_with("rpc.");
        let method = self
            .methods
            .iter()
            .find(|method| call.method == method.name && (method.extension || !reserved))
            .ok_or(Failure::METHOD_NOT_FOUND)?;
        (method.handler)(context, &call, answer)
    }
}

/// A frame on its way in or out, as it is shown to an [`Observer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Traffic<'a> {
    /// A frame that came.
    In {
        /// Its bytes, without the newline; empty for a line that was too long to be a frame.
        frame: &'a [u8],
        /// What is wrong with it, if anything is.
        fault: Option<Fault>,
    },
    /// A reply that is to be sent, with its newline.
    Out(&'a [u8]),
}

/// How long the shortest answer is that an element of a batch is owed, with what separates it from
/// the one before; 0 if it is owed none.
fn least_answer(frame: &[u8], parsed: Result<Message<'_>, Fault>) -> usize {
    let mut measure = Encoder::new(Measure);
    let length = match parsed {
        Err(fault) => match fault.reply() {
            Some(reply) => measure.whole(b",", b"", |message| message.reply(&reply, frame)),
            None => Ok(0),
        },
        Ok(Message::Request(request)) => {
            let id = Some(request.id().into());
            measure.whole(b",", b"", |message| message.error(id, Failure::INTERNAL.to_error()))
        }
        Ok(_) => Ok(0),
    };
    length.unwrap_or(0)
}
