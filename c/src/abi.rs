//! The types of the header.
#![allow(non_camel_case_types, reason = "these are their names in C")]

use core::ffi::c_char;
use core::ptr;

use tautline::Profile;

/// Bytes that someone else owns. No NUL ends them.
///
/// In an event, a view is the text of one JSON value as it was written, such as `"abc"` with its quotes, and `ptr` is
/// NULL if the value is absent.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tl_view {
    /// The first byte.
    pub ptr: *const c_char,
    /// The number of bytes.
    pub len: usize,
}

impl tl_view {
    /// Nothing.
    ///
    /// cbindgen:ignore
    pub const NONE: Self = Self { ptr: ptr::null(), len: 0 };

    /// A view of these bytes.
    #[must_use]
    pub const fn of(bytes: &[u8]) -> Self {
        Self { ptr: bytes.as_ptr().cast(), len: bytes.len() }
    }
}

/// The kinds of events. The functions that yield events return it. Negative results are of `tl_error`.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tl_kind {
    /// No event: the input is consumed, or the stream or the iteration has ended.
    Nothing = 0,
    /// A call that expects an answer. It has `id`, `method` and perhaps `params`.
    Request = 1,
    /// A call that expects no answer. It has `method` and perhaps `params`.
    Notification = 2,
    /// The answer to a request that succeeded. It has `id` and `result`.
    Result = 3,
    /// The answer to a request that failed. It has `error_code`, `error_message`, perhaps `error_data`, and `id` if the
    /// profile demands it.
    Error = 4,
    /// Several messages in one frame. `tl_batch_init` and `tl_batch_next` yield them.
    Batch = 5,
    /// A frame that is not a message. It has `rule`, `place`, `syntax`, and `reply_code` if a reply is owed.
    Fault = 6,
    /// A frame that is longer than the room of the stream, and was dropped. It has what a fault has, and `method` if
    /// the framing has a skimmer, which keeps ids and methods of up to 64 bytes.
    Oversized = 7,
    /// A frame that is not meant to be a message, such as a server-sent event without data.
    NoMessage = 8,
    /// The stream ended inside a frame, which was dropped.
    Unfinished = 9,
    /// The beginning of the next frame is unknown: `rule` says why. The stream takes no more input until
    /// `tl_stream_resync`. Lines and server-sent events are never lost.
    Lost = 10,
}

impl tl_kind {
    /// Returns the number, which never changes.
    #[expect(clippy::as_conversions, reason = "the enum is an i32")]
    #[must_use]
    pub const fn number(self) -> i32 {
        self as i32
    }
}

/// Why a function did not do what was asked. All errors are negative.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tl_error {
    /// A pointer is NULL that must not be.
    Null = -1,
    /// A length is 0 where that makes no sense, or is more than memory can hold.
    Length = -2,
    /// An object is misaligned, too small, or was never initialised.
    State = -3,
    /// The header is of another version than the library.
    Version = -4,
    /// The stream has lost its place, and takes no input before `tl_stream_resync`.
    Lost = -5,
    /// The stream has ended, and takes no more input.
    Ended = -6,
    /// The buffer is too small. The function reports the size that it needs.
    Full = -7,
    /// The text is not JSON, or is not one value.
    Json = -8,
    /// The text is not UTF-8.
    Utf8 = -9,
    /// The string has an unpaired surrogate, so it is no text.
    Surrogate = -10,
    /// The value is of another type.
    Type = -11,
    /// The number is no integer, or is out of range.
    Range = -12,
    /// The object has several members of this name, and peers differ in which one they read.
    Repeated = -13,
    /// The profile does not allow this id, or it is no id.
    Id = -14,
    /// The profile does not allow parameters of this type.
    Params = -15,
    /// The profile does not allow a result of this type.
    Result = -16,
    /// The call can't come here: a value in an object without a key, for example, or a message in a buffer that was
    /// used for another one since.
    Order = -17,
    /// Arrays and objects are nested deeper than a writer can count, or than the library reads.
    Depth = -18,
    /// An input lies in the part of a buffer that the function writes to.
    Overlap = -19,
    /// The text is not one line: it contains a newline.
    Line = -20,
    /// The profile does not allow this message: only the checked build looks.
    Profile = -21,
}

/// The type of a JSON value.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tl_type {
    /// No value: the view is NULL.
    Absent = 0,
    /// `null`.
    Null = 1,
    /// `true` or `false`.
    Bool = 2,
    /// A number.
    Number = 3,
    /// A string.
    String = 4,
    /// An array.
    Array = 5,
    /// An object.
    Object = 6,
}

/// One message, or what was found in place of one.
///
/// Every function that yields an event sets all of it, unless it returns an error. The views point into the frame,
/// which is either in the input or in the room of the stream: they live until the next call with this stream, as long
/// as the input does. After `tl_check`, they live as long as the frame.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tl_event {
    /// The kind of the event, of `tl_kind`.
    pub kind: i32,
    /// The rule that is broken, of `tl_rule`, or 0. Rules keep their numbers, and new ones can come with any release.
    pub rule: u16,
    /// The syntax error, of `tl_syntax`, if the frame is not JSON. Otherwise 0.
    pub syntax: u8,
    /// 1 if the frame ended before the stream did, and 0 otherwise. It is 0 after `tl_check`.
    pub terminated: u8,
    /// The place in the frame where the rule is broken, as an offset in bytes.
    pub place: u32,
    /// The code of the error reply that the sender is owed: -32700 or -32600. It is 0 if no reply is owed.
    /// `tl_write_reply` writes the reply.
    pub reply_code: i32,
    /// The number of members that JSON-RPC does not define.
    pub unknown_members: u32,
    /// The number of elements of a batch.
    pub elements: u32,
    /// The number of the line or frame, counted from 1. A blank line and an oversized or invalid frame count. It is 0
    /// after `tl_check`.
    pub line: u64,
    /// The number of bytes of the stream before the frame.
    pub offset: u64,
    /// The number of bytes of the frame, also of one that was dropped.
    pub length: u64,
    /// The frame, which is NULL if it was dropped.
    pub frame: tl_view,
    /// The id, as it was written. In a fault, it may be illegal.
    pub id: tl_view,
    /// The method, a string.
    pub method: tl_view,
    /// The parameters.
    pub params: tl_view,
    /// The result.
    pub result: tl_view,
    /// The code of the error, a number.
    pub error_code: tl_view,
    /// The message of the error, a string.
    pub error_message: tl_view,
    /// The data of the error.
    pub error_data: tl_view,
    /// The id that the reply carries. NULL if the reply has no member `id`.
    pub reply_id: tl_view,
}

impl tl_event {
    /// No event.
    ///
    /// cbindgen:ignore
    pub const NONE: Self = Self {
        kind: 0,
        rule: 0,
        syntax: 0,
        terminated: 0,
        place: 0,
        reply_code: 0,
        unknown_members: 0,
        elements: 0,
        line: 0,
        offset: 0,
        length: 0,
        frame: tl_view::NONE,
        id: tl_view::NONE,
        method: tl_view::NONE,
        params: tl_view::NONE,
        result: tl_view::NONE,
        error_code: tl_view::NONE,
        error_message: tl_view::NONE,
        error_data: tl_view::NONE,
        reply_id: tl_view::NONE,
    };
}

/// A profile: the messages that are legal, and the replies that illegal ones are owed. A constant of the library.
#[derive(Debug)]
pub struct tl_profile(pub(crate) Profile);

impl tl_profile {
    /// Returns the profile of the core.
    #[must_use]
    pub const fn profile(&self) -> &Profile {
        &self.0
    }
}

/// The state of a stream. The caller owns it, and must not look inside. It is the same for all framings except
/// server-sent events, and except those with a skimmer.
///
/// It may be moved in memory between two calls, but not copied: two copies would share one room. Moving it ends the
/// views of its last event that point into it: those of an oversized frame, and `tl_sse_last_event_id`.
#[repr(C)]
#[derive(Debug)]
pub struct tl_stream {
    /// Private.
    pub words: [u64; 26],
    /// Private.
    pub pointers: [usize; 8],
}

/// The state of a stream whose framing finds the ids of oversized requests, such as `tl_framing_lines_skimming`. Pass
/// its member `stream` and the size of the whole.
#[repr(C)]
#[derive(Debug)]
pub struct tl_skimming_stream {
    /// The stream to pass.
    pub stream: tl_stream,
    /// Private.
    pub words: [u64; 38],
}

/// The state of a stream of server-sent events, with or without a skimmer. Pass its member `stream` and the size of the
/// whole.
#[repr(C)]
#[derive(Debug)]
pub struct tl_sse_stream {
    /// The stream to pass.
    pub stream: tl_stream,
    /// Private.
    pub words: [u64; 98],
}

/// An iteration over the messages of a batch. The caller owns it, and must not look inside.
#[repr(C)]
#[derive(Debug)]
pub struct tl_batch {
    /// Private.
    pub words: [u64; 4],
    /// Private.
    pub pointers: [usize; 14],
}

/// An iteration over the members of an object or the elements of an array. It may be copied.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tl_iter {
    /// Private: the text of the object or the array.
    pub text: tl_view,
    /// Private: the offset of the next value.
    pub at: usize,
    /// Private: shows that the iteration has begun, and over what.
    pub magic: u32,
}

/// A buffer that messages are appended to. Only whole messages count as used. `tl_out_of` makes one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tl_out {
    /// The buffer.
    pub ptr: *mut c_char,
    /// Its size in bytes.
    pub capacity: usize,
    /// The number of bytes with messages. Set it to 0 after sending them. The bytes after them are undefined.
    pub used: usize,
    /// The length of the last message, or of the batch so far, written or not: if a function returns `TL_ERROR_FULL`,
    /// the buffer needs this many free bytes. It is 0 after any other error.
    pub needed: usize,
    /// Private: where the batch begins.
    pub start: usize,
    /// Private: the length of the batch so far, without its end, or 0 outside a batch.
    pub batch: usize,
    /// Private: counts the uses of the buffer, so that a writer notices another one.
    pub turn: u32,
}

impl tl_out {
    /// An empty buffer for messages.
    ///
    /// cbindgen:ignore
    #[must_use]
    pub const fn of(room: &mut [u8]) -> Self {
        let (ptr, capacity) = (room.as_mut_ptr().cast(), room.len());
        Self { ptr, capacity, used: 0, needed: 0, start: 0, batch: 0, turn: 0 }
    }
}

/// A message that is written piece by piece. The caller owns it, and must not look inside.
#[repr(C)]
#[derive(Debug)]
pub struct tl_writer {
    /// Private: shows that the writer was initialised.
    pub magic: u32,
    /// Private: the use of the buffer that is this message.
    pub turn: u32,
    /// Private: where the message goes.
    pub out: *mut tl_out,
    /// Private: what is legal, in the checked build.
    pub profile: *const tl_profile,
    /// Private: what the buffer had used before the message.
    pub start: usize,
    /// Private: the length of the message so far, if there were room.
    pub needed: usize,
    /// Private: one bit for each open container.
    pub stack: u64,
    /// Private: the first error.
    pub error: i32,
    /// Private: the number of open containers.
    pub depth: u8,
    /// Private: the place in the container.
    pub state: u8,
    /// Private: the type that the outermost value must have.
    pub outermost: u8,
    /// Private: how the message ends.
    pub tail: u8,
}

/// The version of the interface, for `tl_stream_init`. It changes with every change of a size, a number or a signature.
pub const TL_ABI: u32 = 1;
