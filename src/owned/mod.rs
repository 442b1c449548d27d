//! Owned messages: the full deserialization, for those who need values that live on their own.
//!
//! A [`Message`] here is made of one that was [parsed](crate::Message::parse), so it was judged like
//! any other; there is no `Deserialize` for it, which would be a second parser with verdicts of its own. It
//! can be serialized, by [`serde`] or by an [`Encoder`], and means the same as before.
//!
//! Payload is a [`serde_json::Value`], or a type of yours: [`Request<P>`](Request),
//! [`Notification<P>`](Notification), [`Response<R, D>`](Response).
//!
//! ```
//! use serde::Deserialize;
//! use tautline::{Message, Rules, owned};
//!
//! let frame = br#"{"jsonrpc":"2.0","id":1.0,"method":"subtract","params":{"from":42,"what":23}}"#;
//! let message = Message::parse(frame, &Rules::JSON_RPC).unwrap();
//! let owned = owned::Message::try_from(message)?;
//! let text = serde_json::to_string(&owned).unwrap();
//! assert_eq!(text.as_bytes(), frame);
//!
//! #[derive(Deserialize)]
//! struct Subtract {
//!     from: i64,
//!     what: i64,
//! }
//!
//! let Message::Request(request) = message else { panic!() };
//! let request = owned::Request::<Subtract>::try_from(request)?;
//! let Some(Subtract { from, what }) = request.params else { panic!() };
//! assert_eq!(from - what, 19);
//! # Ok::<(), owned::ToOwnedError>(())
//! ```
//!
//! # What is guaranteed
//!
//! - Ids keep their spelling: an [`Encoder`] sends `1.0`, 2^64 and `1e0` back as they came. [`serde`] knows
//!   no spelling; through it an id is the same string or the same number, or else an error.
//! - If an object in a payload repeats a name, the first member counts, as for
//!   [`RawJson::member`](crate::RawJson::member) and for the envelope; see [`deserialize`](crate::RawJson::deserialize).
//! - What can't be held is an error that says in which member and where, and never another value.
//!
//! | the core accepts | here |
//! |---|---|
//! | half a character in a string (`"\ud800"`) | an error: no text of Rust can hold it |
//! | a number outside the range of `f64` in a payload (`1e999`) | an error |
//! | an error code of more than 64 bits | an error |
//! | a batch with faulty elements | an error, with the element and its fault |
//! | payload nested deeper than 127 containers, where the rules allow for it | an error |
//! | members that mean nothing to JSON-RPC | left out |
//!
//! # What is not checked
//!
//! How a payload holds what it is given: a [`Value`](serde_json::Value) keeps integers of 64 bits
//! exactly and all other numbers as the nearest `f64`, `-0` among them, which is all that RFC 8259, section
//! 6, lets a sender rely on. A type of yours decides for itself.
//!
//! What other crates make of `serde_json`: features of a crate are the same for a whole program. With
//! `raw_value` or `arbitrary_precision`, which tautline never turns on, an object is to a `Value` what its
//! member says, if that is called `$serde_json::private::RawValue` or `$serde_json::private::Number`, and
//! whoever wrote it has smuggled a value past all who read JSON.

mod error;
mod id;
mod message;
mod write;

pub use error::ToOwnedError;
pub use id::Id;
pub use message::{ErrorObject, Message, Notification, Request, Response};

#[cfg(doc)]
use crate::encode::Encoder;
