//! Views of validated JSON text, which decode lazily.
//!
//! A view is `Copy`, borrows the frame it was found in, and can only be made of text that the
//! [scanner](crate::scan) has passed. Access to the bytes is free: [`RawJson::as_bytes`] returns the text of
//! the frame. Every conversion to `&str` checks the UTF-8 again, because the crate does not use unsafe code
//! to skip that check.

#[cfg(feature = "serde-json-core-v0_7")]
mod core_typed;
mod number;
mod pick;
mod raw;
#[cfg(feature = "serde_json")]
mod repeats;
#[cfg(feature = "serde")]
mod serialize;
mod skip;
mod string;
#[cfg(feature = "serde_json")]
mod typed;
mod walk;

#[cfg(feature = "serde-json-core-v0_7")]
pub use core_typed::CoreError;
pub use number::RawNumber;
pub use pick::Picked;
pub use raw::{Kind, RawJson};
pub(crate) use string::Glance;
pub use string::{Chars, DecodeError, LoneSurrogate, RawStr};
#[cfg(feature = "serde_json")]
pub use typed::DeserializeError;
pub use walk::{Elements, Member, Members};
