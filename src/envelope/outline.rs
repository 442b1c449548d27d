//! A verdict without a message, and a message from the places of its members: for the C library, which lays out the
//! members itself and must be small.

use super::{Fault, Layout, Message, Profile, Reading, Shape, Validator, Values};
use crate::frame::Frame;
use crate::scan::Span;

/// A frame that was read, and the profile that decides.
#[derive(Debug)]
pub struct Outlined<'a, 'buf> {
    reading: &'a Reading<'buf>,
    profile: &'a Profile,
}

/// Reads a frame, and passes it to `show`. Nothing is copied.
#[inline(always)]
pub fn outline<T>(
    frame: &Frame<'_>,
    profile: &Profile,
    show: impl FnOnce(&Outlined<'_, '_>) -> T,
) -> T {
    let mut reading = Reading::unread(frame.bytes(), frame.delimiter());
    reading.scan(profile.max_depth(), None);
    show(&Outlined { reading: &reading, profile })
}

impl<'buf> Outlined<'_, 'buf> {
    /// Returns the first fault. If there is none, the frame is a message.
    #[inline(always)]
    #[must_use]
    pub fn fault(&self) -> Option<Fault<'buf>> {
        let fault = Validator { reading: self.reading, profile: self.profile }.first_fault()?;
        Some(Fault::new(self.reading.frame, fault))
    }

    /// Returns the value of the member at this index of `jsonrpc`, `id`, `method`, `params`, `result`, `error`, and in it
    /// `code`, `message` and `data`. The span of an absent member is empty.
    #[inline(always)]
    #[must_use]
    pub fn value(&self, member: usize) -> Span {
        self.reading.members.values.at(member)
    }

    /// Returns whether the frame is an array.
    #[must_use]
    pub const fn is_batch(&self) -> bool {
        matches!(self.reading.members.shape, Shape::Array)
    }

    /// Returns the number of elements of an array, or of the members of an object that JSON-RPC does not define.
    #[must_use]
    pub const fn others(&self) -> u32 {
        self.reading.members.others
    }
}

/// Returns the message whose members are at these places of its frame, in the order of [`Outlined::value`]. Nothing is
/// read: the places have to be those of a message that the frame or an element of it was parsed to. Other places give
/// a message whose views mean nothing.
#[inline(always)]
#[must_use]
pub fn message_at<'buf>(frame: &'buf [u8], places: &[Span; 9], unknown: u32) -> Message<'buf> {
    Message::new(frame, Layout::of_object(&Values(*places), unknown))
}

#[cfg(test)]
mod tests {
    use super::{message_at, outline};
    use crate::envelope::{Message, Profile};
    use crate::frame::Frame;

    #[test]
    fn the_places_of_an_outline_give_the_message() {
        for frame in [
            r#"{"jsonrpc":"2.0","id":1.0,"method":"a","params":{"b":[1,"c"]},"x":0}"#,
            r#" {"jsonrpc":"2.0","method":"\u0061b"} "#,
            r#"{"jsonrpc":"2.0","id":"\u0061","result":"","y":1,"z":2}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":{"data":null,"code":1e2,"message":"\n"}}"#,
        ] {
            let profile = &Profile::JSON_RPC;
            let message = Message::parse(frame.as_bytes(), profile).unwrap();
            let again = outline(&Frame::from(frame.as_bytes()), profile, |outlined| {
                let places = core::array::from_fn(|member| outlined.value(member));
                message_at(frame.as_bytes(), &places, outlined.others())
            });
            assert_eq!(again, message, "{frame}");
            assert_eq!(std::format!("{again:?}"), std::format!("{message:?}"));
        }
    }
}
