//! Answers to parsed frames.

use super::answer::{CLOSE, Holder, Responded, Responder, Room, Sheet};
use super::{Endpoint, Failure, Methods, Replied, Status, Traffic};
use crate::encode::{Draft, EncodeError, Encoder, Ends, Measure, NewError};
use crate::envelope::{Batch, Batches, Call, Fault, Ids, Message};

impl<C, M: Methods<C>> Endpoint<C, M> {
    /// Answers what was parsed, if it may be a message.
    pub(super) fn reply<'out>(
        &self,
        parsed: Option<Result<&Message<'_>, &Fault<'_>>>,
        context: &mut C,
        room: Room<'out>,
    ) -> Result<Replied<'out>, EncodeError> {
        let Some(parsed) = parsed else { return Ok(Replied::NOTHING) };
        self.show(context, Traffic::In(parsed));
        // An answer repeats the id of its call, whatever profile that was parsed with.
        let encoder = Encoder::with_profile(room, &self.profile.with_ids(Ids::Any));
        let mut sheet = Sheet::new(encoder);
        let status = match self.answer_frame(parsed, context, &mut sheet) {
            Ok(status) => status,
            Err(error) => {
                sheet.rewind(0);
                return Err(error);
            }
        };
        let bytes = sheet.finish()?;
        if !bytes.is_empty() {
            self.show(context, Traffic::Out(bytes));
        }
        Ok(Replied { bytes, status })
    }

    fn answer_frame(
        &self,
        parsed: Result<&Message<'_>, &Fault<'_>>,
        context: &mut C,
        sheet: &mut Sheet<'_>,
    ) -> Result<Status, EncodeError> {
        let reparsed;
        let parsed = match parsed {
            // If the profile is a constant that forbids batches, none of this code is linked.
            Ok(Message::Batch(batch)) if self.profile.batches() != Batches::Forbidden => {
                return self.answer_batch(batch, context, sheet);
            }
            // The batch was parsed under another profile.
            Ok(Message::Batch(batch)) => {
                reparsed = Message::parse(batch.frame(), &self.profile);
                reparsed.as_ref()
            }
            parsed => parsed,
        };
        self.answer_one(parsed, 0, context, sheet)
    }

    fn answer_batch(
        &self,
        batch: &Batch<'_>,
        context: &mut C,
        sheet: &mut Sheet<'_>,
    ) -> Result<Status, EncodeError> {
        let mut answers: usize = 0;
        let mut elements = batch.iter();
        while let Some(parsed) = elements.next_message() {
            answers = answers.saturating_add(least_answer(parsed.as_ref()));
        }
        sheet.begin_batch(answers);
        let mut elements = batch.iter();
        loop {
            let start = if M::EXPLAINS { elements.offset() } else { 0 };
            let Some(parsed) = elements.next_message() else { break };
            let parsed = parsed.as_ref();
            sheet.next_of_batch(least_answer(parsed));
            if let (Some(observe), Err(fault)) = (self.observer, parsed) {
                observe(context, Traffic::Element(fault));
            }
            let _: Status =
                self.answer_one(parsed, start, context, sheet).map_err(|error| match error {
                    EncodeError::DoesNotFit { .. } => {
                        EncodeError::does_not_fit(answers.saturating_add(CLOSE.len()))
                    }
                    other => other,
                })?;
        }
        sheet.end_batch()?;
        Ok(Status::Batch)
    }

    /// Answers a message or a fault that is an element of a batch from this offset on, or a whole frame.
    fn answer_one(
        &self,
        parsed: Result<&Message<'_>, &Fault<'_>>,
        start: u32,
        context: &mut C,
        sheet: &mut Sheet<'_>,
    ) -> Result<Status, EncodeError> {
        let message = match parsed {
            Ok(message) => message,
            Err(fault) => {
                let status = Status::Fault(fault.finding());
                let responder = Responder { id: None, sheet: &mut *sheet, holder: Holder::Guard };
                let passes =
                    self.guard.is_none_or(|guard| guard(context, parsed, responder).is_ok());
                let Some(reply) = fault.reply().filter(|_| passes) else { return Ok(status) };
                if M::EXPLAINS && sheet.write(|draft| draft.explained_reply(&reply, fault)).is_ok()
                {
                    return Ok(status);
                }
                return sheet.write(|draft| draft.reply(&reply)).map(|_| status);
            }
        };
        let call = match message {
            Message::Request(request) => Some(request.call()),
            Message::Notification(notification) => Some(notification.call()),
            // A response gets no answer, and a batch contains no batches.
            Message::Response(_) | Message::Batch(_) => None,
        };
        let id = call.and_then(Call::id);
        sheet.next_call();
        let before = sheet.length();
        let responder = Responder { id, sheet, holder: Holder::Guard };
        let mut outcome = self.serve(message, call, context, responder);
        if let (Some(call), Err(failure)) = (call, &mut outcome)
            && failure.is_reason()
        {
            self.show(context, Traffic::InvalidParams { call, failure });
            if M::EXPLAINS && explain(call, start, failure, before, sheet) {
                return Ok(Status::Error(failure.code()));
            }
            failure.forget_reason();
        }
        let (Message::Request(request), Some(id)) = (message, id) else {
            return Ok(Status::Silent);
        };
        if let Some(Err(error)) = sheet.given() {
            self.show(context, Traffic::NotWritten { request, error });
        }
        let failure = match &outcome {
            Ok(Responded(())) => match sheet.given() {
                Some(Ok(status)) => return Ok(status),
                // The answer could not be written, or was given to another call.
                _ => &Failure::INTERNAL,
            },
            Err(failure) => failure,
        };
        // A handler may have written an answer and still returned a failure.
        sheet.rewind(before);
        let failed = sheet.fail(id, failure).or_else(|error| {
            self.show(context, Traffic::NotWritten { request, error });
            sheet.fail(id, &Failure::INTERNAL)
        });
        failed.map(Status::Error)
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
        call: Option<&Call<'_>>,
        context: &mut C,
        responder: Responder<'_, '_>,
    ) -> Result<Responded, Failure> {
        let responder = match self.guard {
            None => responder,
            Some(guard) => match guard(context, Ok(message), responder) {
                Ok(responder) => responder,
                Err(answered) => return Ok(answered),
            },
        };
        let Some(call) = call else { return Ok(Responded(())) };
        self.methods.call(context, call, Responder { holder: Holder::Handler, ..responder })
    }
}

/// Answers the request with the failure and its reason, if there is room for the reason.
fn explain(
    call: &Call<'_>,
    start: u32,
    failure: &Failure,
    before: usize,
    sheet: &mut Sheet<'_>,
) -> bool {
    let (Some(id), Some(data)) = (call.id(), failure.explanation(call.frame(), start)) else {
        return false;
    };
    // A handler may have written an answer and still returned a failure.
    sheet.rewind(before);
    let error = NewError::new(failure.code(), failure.message()).with_data(data);
    sheet.write(|draft| draft.error(id.into(), error)).is_ok()
}

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
    use super::super::LONGEST_ERROR;
    use super::*;
    use crate::Profile;
    use crate::encode::{Output, Slice};

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
            let parsed = Message::parse(frame, &Profile::JSON_RPC);
            assert!(least_answer(parsed.as_ref()) <= LONGEST_ERROR.len());
        }
    }
}
