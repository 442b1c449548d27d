//! The inputs of an endpoint: frames, parsed or not.

use crate::envelope::{Fault, Message, Profile};
use crate::frame::Frame;
use crate::stream::Received;

/// An input of an [endpoint](super::Endpoint): bytes that are one message, a [`Frame`], or what a
/// [stream](crate::stream) has received and parsed.
///
/// This trait is sealed.
pub trait Input: sealed::Input {}

impl<T: sealed::Input> Input for T {}

mod sealed {
    use super::{Fault, Message, Profile};

    #[expect(unnameable_types, reason = "it seals the trait")]
    pub trait Input {
        /// Parses the input under the profile, if it isn't parsed yet. An input that may not be a message is passed as
        /// `None`, and gets no answer.
        fn parse<T>(
            self,
            profile: &Profile,
            answer: impl FnOnce(Option<Result<&Message<'_>, &Fault<'_>>>) -> T,
        ) -> T;
    }
}

impl sealed::Input for &Received<'_> {
    // Inlined for size.
    #[inline(always)]
    fn parse<T>(
        self,
        _: &Profile,
        answer: impl FnOnce(Option<Result<&Message<'_>, &Fault<'_>>>) -> T,
    ) -> T {
        answer(match (self, self.fault()) {
            (Received::Message { message, .. }, _) => Some(Ok(message)),
            (_, fault) => fault.map(Err),
        })
    }
}

/// Everything that a frame can be made of.
impl<'buf, F: Into<Frame<'buf>>> sealed::Input for F {
    #[inline]
    fn parse<T>(
        self,
        profile: &Profile,
        answer: impl FnOnce(Option<Result<&Message<'_>, &Fault<'_>>>) -> T,
    ) -> T {
        answer(Some(Message::parse(self, profile).as_ref()))
    }
}
