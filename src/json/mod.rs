//! Views of validated JSON text, which decode lazily.
//!
//! A view is `Copy`, borrows the frame it was found in, and can only be made of text that the
//! [scanner](crate::scan) has passed. Access to the bytes is free: [`RawJson::as_bytes`] returns the text of
//! the frame. Every conversion to `&str` checks the UTF-8 again, because the crate does not use unsafe code
//! to skip that check.
//!
//! [`FromJson`] reads a view into a type without a heap, and [`Mismatch`] says why it does not fit.
//!
//! # Repeated members
//!
//! JSON lets an object repeat a name (RFC 8259, section 4), and parsers differ in which value they keep: `serde_json`
//! keeps the last one in a map, and derived types refuse the object. If a gateway checks one value and the server that
//! it protects acts on another, the check is worthless. So no lookup chooses one:
//!
//! | | a repeated name |
//! |---|---|
//! | [`RawJson::member`] | has no value |
//! | [`RawJson::pick`] | has no value; [`Picked::repeated`] and [`Picked::present`] tell it from a missing one |
//! | [`Call::param`](crate::Call::param), [`RawJson::read_member`] | is an error |
//! | `RawJson::deserialize`, `Call::params_as`, [owned](crate#modules) messages | is an error anywhere in the value |
//! | `RawJson::deserialize_core`, `Call::params_as_core` | is an error if it is a field of a derived type; a map decides for itself |
//! | [`RawJson::members`], `Serialize` | appears as often as it is written |
//! | [`RawJson::repeated_names_in`], `RawJson::repeated_names` | is found at any depth |
//!
//! A standard member of the envelope that appears twice is the error
//! [`duplicate-member`](crate::Rule::DUPLICATE_MEMBER).

#[cfg(feature = "serde-json-core-v0_7")]
mod core_typed;
mod mismatch;
pub(crate) mod number;
mod path;
pub(crate) mod raw;
mod read;
mod repeats;
#[cfg(feature = "serde")]
mod serialize;
mod skip;
pub(crate) mod string;
#[cfg(feature = "serde_json")]
mod typed;
mod walk;

#[cfg(feature = "serde-json-core-v0_7")]
pub use core_typed::CoreError;
pub use mismatch::{Expected, Mismatch};
pub(crate) use number::RawNumber;
pub use path::{Path, Paths};
pub use raw::Kind;
pub(crate) use raw::RawJson;
pub use read::FromJson;
pub use repeats::{NameSlot, RepeatedName, TooManyNames};
pub use string::{Chars, DecodeError, LoneSurrogate};
pub(crate) use string::{Glance, RawStr};
#[cfg(feature = "serde_json")]
pub use typed::DeserializeError;
pub use walk::{Elements, Member, Members, Picked};
#[doc(hidden)]
pub use walk::{Name, Walk};
