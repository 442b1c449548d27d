//! Messages written piece by piece: a state machine over a buffer.
//!
//! The encoder writes the message around a short value, and the value is taken back together with what follows it.
//! So the head of a message, and what the profile allows in it, are decided in one place.

use tautline::encode::{self, Payload, Slice, Value};
use tautline::envelope::{Params, Results};
use tautline::internal::bytes::copy;
use tautline::internal::encode::alone;
use tautline::{Profile, RawJson};

use crate::abi::{tl_error, tl_type, tl_writer};
use crate::reply::{self, Written};
use crate::value;

/// Returns the payload that holds the place of the one to come, which is of these types. No value of them is shorter, so
/// the place needs no room that the message does not need.
pub(crate) const fn place(outermost: u8) -> &'static [u8] {
    if outermost == ANY { b"0" } else { b"{}" }
}

/// The states of a container, or of the message around it.
mod state {
    /// The first key or element comes next, or the end.
    pub(super) const EMPTY: u8 = 1;
    /// Another key or element comes next, or the end.
    pub(super) const BEGUN: u8 = 2;
    /// The value of a member comes next, or the outermost value.
    pub(super) const VALUE: u8 = 3;
    /// The outermost value is complete.
    pub(super) const COMPLETE: u8 = 4;
}

/// The types that the outermost value may have, in bits 0 to 1. It may have any type.
const ANY: u8 = 0;
const OBJECT: u8 = 1;
const STRUCTURED: u8 = 2;
const STRUCTURED_OR_NULL: u8 = 3;
/// The bits of these types.
const TYPES: u8 = 3;
/// Set if the outermost value is a result.
const IS_RESULT: u8 = 4;
/// Set if the message is an element of a batch.
pub(crate) const IS_ELEMENT: u8 = 8;

/// The objects that are open around the outermost value.
#[derive(Clone, Copy)]
pub(crate) enum Around {
    /// Params or a result.
    Message,
    /// The data of an error.
    Error,
}

/// Returns the types that the profile allows for params.
pub(crate) const fn params(profile: &Profile) -> u8 {
    match profile.params() {
        Params::Structured => STRUCTURED,
        Params::StructuredOrNull => STRUCTURED_OR_NULL,
        _ => OBJECT,
    }
}

/// Returns the types that the profile allows for a result.
pub(crate) const fn results(profile: &Profile) -> u8 {
    match profile.results() {
        Results::Any => ANY,
        _ => OBJECT | IS_RESULT,
    }
}

/// Shows that a writer was initialised.
pub(crate) const ALIVE: u32 = 0x7772_6974;

/// Returns the types for the data of an error, which may be anything.
pub(crate) const fn data(_: &Profile) -> u8 {
    ANY
}

/// A value that the encoder writes. It is one type, so that the encoder's code is compiled once.
enum Piece<'a> {
    Text(&'a str),
    Json(RawJson<'a>),
}

impl Payload for Piece<'_> {
    fn write<'a>(self, value: Value<'a, '_>) -> encode::Written<'a> {
        match self {
            Self::Text(text) => text.write(value),
            Self::Json(json) => json.write(value),
        }
    }
}

impl tl_writer {
    /// A writer without a message.
    ///
    /// cbindgen:ignore
    pub(crate) const NONE: Self = Self {
        magic: ALIVE,
        turn: 0,
        out: core::ptr::null_mut(),
        profile: core::ptr::null(),
        start: 0,
        needed: 0,
        stack: 0,
        error: 0,
        depth: 0,
        state: 0,
        outermost: 0,
        tail: 0,
    };

    /// Begins after the head of a message, which was written around its [`place`].
    pub(crate) fn begin(&mut self, written: Written, around: Around, outermost: u8) {
        let (length, result) = written;
        self.tail = match around {
            Around::Message => 2,
            Around::Error => 3,
        };
        self.needed =
            length.saturating_sub(place(outermost).len()).saturating_sub(self.tail.into());
        (self.stack, self.depth, self.error) = (0, 0, 0);
        (self.state, self.outermost) = (state::VALUE, outermost);
        if let Err(error) = result {
            self.fail(error);
        }
    }

    /// Keeps the first error. A message that does not fit is counted to its end, so that any other error is found too.
    #[inline(never)]
    pub(crate) fn fail(&mut self, error: tl_error) {
        if self.error == 0 || self.error == code(tl_error::Full) {
            self.error = code(error);
        }
    }

    /// Returns whether the message could not begin. Then the writer has nothing but the error.
    pub(crate) const fn has_not_begun(&self) -> bool {
        self.out.is_null() && self.error != 0
    }

    /// Returns 0, or the first error.
    pub(crate) const fn status(&self) -> i32 {
        self.error
    }

    #[inline(never)]
    fn put(&mut self, room: &mut [u8], bytes: &[u8]) {
        let end = self.needed.saturating_add(bytes.len());
        match room.get_mut(self.needed..end) {
            Some(to) => copy(bytes, to),
            None => self.fail(tl_error::Full),
        }
        self.needed = end;
    }

    #[inline(never)]
    fn put_piece(&mut self, room: &mut [u8], piece: Piece<'_>) {
        let rest = room.get_mut(self.needed..).unwrap_or_default();
        let (length, result) = reply::of_encoded(alone(&mut Slice::new(rest), piece));
        self.needed = self.needed.saturating_add(length);
        if let Err(error) = result {
            self.fail(error);
        }
    }

    const fn is_in_object(&self) -> bool {
        self.depth > 0 && self.stack & 1 == 1
    }

    /// Prepares for a value of this type, with the comma before it. Returns false if none can come here.
    #[inline(never)]
    fn expects(&mut self, room: &mut [u8], kind: tl_type) -> bool {
        match self.state {
            state::VALUE if self.depth == 0 => {
                let is_allowed = match self.outermost & TYPES {
                    OBJECT => kind == tl_type::Object,
                    STRUCTURED => matches!(kind, tl_type::Object | tl_type::Array),
                    STRUCTURED_OR_NULL => {
                        matches!(kind, tl_type::Object | tl_type::Array | tl_type::Null)
                    }
                    _ => true,
                };
                if !is_allowed {
                    let is_result = self.outermost & IS_RESULT != 0;
                    self.fail(if is_result { tl_error::Result } else { tl_error::Params });
                }
                is_allowed
            }
            state::VALUE => true,
            state::EMPTY if !self.is_in_object() => true,
            state::BEGUN if !self.is_in_object() => {
                self.put(room, b",");
                true
            }
            _ => {
                self.fail(tl_error::Order);
                false
            }
        }
    }

    /// Continues after a value.
    const fn after_value(&mut self) {
        self.state = if self.depth == 0 { state::COMPLETE } else { state::BEGUN };
    }

    /// Writes a text as a string.
    pub(crate) fn text(&mut self, room: &mut [u8], text: &str) {
        self.value(room, tl_type::String, Piece::Text(text));
    }

    /// Writes a value that was written elsewhere.
    pub(crate) fn json(&mut self, room: &mut [u8], text: &[u8]) {
        // The objects around the outermost value, one less than the bytes that end them, and the array of a batch.
        let is_element = u8::from(self.outermost & IS_ELEMENT != 0);
        let around = self.tail.saturating_sub(1).saturating_add(is_element);
        match reply::json(text, around.saturating_add(self.depth)) {
            Ok(value) => self.value(room, value::type_of(value.as_bytes()), Piece::Json(value)),
            Err(error) => self.fail(error),
        }
    }

    fn value(&mut self, room: &mut [u8], kind: tl_type, piece: Piece<'_>) {
        if self.expects(room, kind) {
            self.put_piece(room, piece);
            self.after_value();
        }
    }

    /// Writes a number, `true`, `false` or `null`, or fails if there is no such text, as for an infinite number.
    pub(crate) fn scalar(&mut self, room: &mut [u8], text: &[u8]) {
        if text.is_empty() {
            return self.fail(tl_error::Range);
        }
        if self.expects(room, value::type_of(text)) {
            self.put(room, text);
            self.after_value();
        }
    }

    /// Begins an object or an array, with this bracket.
    pub(crate) fn open(&mut self, room: &mut [u8], bracket: &[u8]) {
        let is_object = bracket == b"{";
        let kind = if is_object { tl_type::Object } else { tl_type::Array };
        if u32::from(self.depth) >= u64::BITS {
            return self.fail(tl_error::Depth);
        }
        if self.expects(room, kind) {
            self.put(room, bracket);
            self.stack = self.stack << 1 | u64::from(is_object);
            self.depth = self.depth.saturating_add(1);
            self.state = state::EMPTY;
        }
    }

    /// Ends the object or the array that was begun last.
    pub(crate) fn close(&mut self, room: &mut [u8], _: &[u8]) {
        if !matches!(self.state, state::EMPTY | state::BEGUN) {
            return self.fail(tl_error::Order);
        }
        self.put(room, if self.is_in_object() { b"}" } else { b"]" });
        self.stack >>= 1;
        self.depth = self.depth.saturating_sub(1);
        self.after_value();
    }

    /// Writes the name of a member.
    pub(crate) fn key(&mut self, room: &mut [u8], name: &str) {
        let is_begun = self.state == state::BEGUN;
        if !self.is_in_object() || !(is_begun || self.state == state::EMPTY) {
            return self.fail(tl_error::Order);
        }
        if is_begun {
            self.put(room, b",");
        }
        self.put_piece(room, Piece::Text(name));
        self.put(room, b":");
        self.state = state::VALUE;
    }

    /// Ends the message, and returns its length, if it has no other error than that it does not fit.
    pub(crate) fn end(&mut self, room: &mut [u8]) -> Written {
        if self.state != state::COMPLETE {
            self.fail(tl_error::Order);
        }
        self.put(room, if self.tail == 3 { b"}}\n" } else { b"}\n" });
        // Nothing can follow.
        self.state = 0;
        match self.error {
            0 => (self.needed, Ok(())),
            error if error == code(tl_error::Full) => (self.needed, Err(tl_error::Full)),
            _ => (0, Err(tl_error::Order)),
        }
    }
}

/// The longest integer of 64 bits, with its sign.
pub(crate) const LONGEST_INTEGER: usize = 20;

/// Writes an integer at the front of a buffer, and returns it, if the buffer has room for it.
pub(crate) fn digits(room: &mut [u8], number: impl Payload) -> Option<&[u8]> {
    let length = alone(&mut Slice::new(room), number).ok()?;
    room.get(..length)
}

/// Returns the number of an error.
#[expect(clippy::as_conversions, reason = "the enum is an i32")]
pub(crate) const fn code(error: tl_error) -> i32 {
    error as i32
}
