//! Views of validated JSON text, which decode nothing until they are asked.
//!
//! A view is `Copy`, borrows the frame it was found in, and can only be made of text that the
//! [scanner](crate::scan) has passed. Bytes are free: [`RawJson::as_bytes`] gives what stands in the
//! frame. Where a `&str` is given, its UTF-8 is checked once more, because no unsafe code
//! vouches for the first check.

#[cfg(feature = "serde-json-core-v0_7")]
mod core_typed;
mod number;
mod pick;
mod raw;
#[cfg(feature = "std")]
mod repeats;
mod skip;
mod string;
#[cfg(feature = "std")]
mod typed;
mod walk;

#[cfg(feature = "serde-json-core-v0_7")]
pub use core_typed::CoreError;
pub use number::RawNumber;
pub use pick::Picked;
pub use raw::{Kind, RawJson};
pub(crate) use string::Glance;
pub use string::{Chars, DecodeError, LoneSurrogate, RawStr};
#[cfg(feature = "std")]
pub use typed::DeserializeError;
pub use walk::{Elements, Member, Members};
