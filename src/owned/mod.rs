//! Owned messages: full deserialization, for values that must outlive the frame.
//!
//! A [`Message`] of this module is converted from a [parsed](crate::Message::parse) one, so it was validated
//! like any other. It does not implement `Deserialize`, which would be a second parser with verdicts of its
//! own. You can serialize it with [`serde`], or write it with [`Message::encode`] to an [`Encoder`], and the result
//! means the same as the original.
//!
//! To keep a message without deserializing it, use a [`MessageBuf`](crate::envelope::MessageBuf).
//!
//! Ids need only `alloc`. Messages need `serde_json`, and encoding them needs `std`.
//!
//! Payload is a [`serde_json::Value`], or a type of yours: [`Request<P>`](Request),
//! [`Notification<P>`](Notification), [`Response<R, D>`](Response).
//!
//! ```
//! use serde::Deserialize;
//! use tautline::{Message, Profile, owned};
//!
//! let frame = br#"{"jsonrpc":"2.0","id":1.0,"method":"subtract","params":{"from":42,"what":23}}"#;
//! let message = Message::parse(frame, &Profile::JSON_RPC).unwrap();
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
//! - Ids keep their text: an [`Encoder`] writes `1.0`, 2^64 and `1e0` as they came. [`serde`] does not
//!   preserve the text of numbers. With it an id becomes the same string or the same number, or an error.
//! - A value that cannot be converted is an error with the member and the offset, and never becomes another
//!   value.
//!
//! | the core accepts | here |
//! |---|---|
//! | an unpaired surrogate in a string (`"\ud800"`) | an error: a Rust string cannot hold it |
//! | an object that [repeats a name](crate::json#repeated-members) in a payload | an error |
//! | a number outside the range of `f64` in a payload (`1e999`) | an error |
//! | an error code of more than 64 bits | an error |
//! | a batch with faulty elements | an error, with the element and its fault |
//! | payload nested deeper than 127 containers, if the profile allows it | an error |
//! | members that JSON-RPC does not define | left out |
//!
//! # What is not checked
//!
//! The precision of a payload. A [`Value`](serde_json::Value) keeps integers of 64 bits exactly and all other
//! numbers, `-0` included, as the nearest `f64`. A sender cannot rely on more (RFC 8259, section 6). A type
//! of yours decides for itself.
//!
//! Features of `serde_json` that other crates enable, which apply to the whole program. With `raw_value` or
//! `arbitrary_precision`, which tautline never enables, an object whose member is named
//! `$serde_json::private::RawValue` or `$serde_json::private::Number` becomes the contents of that member in
//! a `Value`. So a sender can smuggle in a value that other JSON readers do not see.

#[cfg(feature = "std")]
mod encode;
mod id;
#[cfg(feature = "serde_json")]
mod message;
#[cfg(feature = "serde_json")]
mod serialize;

pub use id::{Id, InvalidId};
#[cfg(feature = "serde_json")]
pub use message::ToOwnedError;
#[cfg(feature = "serde_json")]
pub use message::{ErrorObject, Message, Notification, Request, Response};

#[cfg(all(doc, feature = "std"))]
use crate::encode::Encoder;
