/*
 * tautline: JSON-RPC 2.0 and MCP, from bytes to messages and back. No allocation, no callbacks, no state of its own, no
 * locale, no errno. c/README.md is the guide. This file is generated.
 *
 * Memory
 *
 *   You own all of it: states, events, buffers and inputs. A view (tl_view) is a pointer and a length into memory of
 *   yours; each function says how long its views live.
 *
 * Results
 *
 *   A function that returns int32_t returns 0 or more if it did what it was asked, and else a negative number of
 *   tl_error. Then its results are unchanged, except a length that it reports with TL_ERROR_FULL, and an event id that
 *   tl_sse_last_event_id could not keep. A broken frame is no error but an event. Every function can return
 *   TL_ERROR_STATE for a pointer that is misaligned.
 *
 * What the library checks, and what is up to you
 *
 *   It checks for NULL, for lengths that memory can't hold, for states that are misaligned, too small or never
 *   initialised (zeros, for example), for inputs that lie where it writes, for calls that are out of order, and for a
 *   header of another version. It can't check that a pointer points to what it should, that a view is readable, or that
 *   the memory behind a view has not changed: that is your duty, as always in C.
 *
 *   Of a message that it writes, it checks the id, the types of params and result, and that JSON is JSON and text
 *   UTF-8, and that no line is nested deeper than the reader allows. It does not check what _strict profiles look for
 *   inside values, repeated names, or whether a batch is allowed.
 *
 *   The checked build (the cargo feature "checked"), for your tests, has the same header, and reports more:
 *
 *   - a view that should be a JSON value and is none, or has whitespace around it: TL_ERROR_JSON. Functions without
 *     errors treat it as no value: tl_type_of returns TL_TYPE_ABSENT, tl_text_eq returns 0.
 *   - a message that its profile does not allow: TL_ERROR_PROFILE.
 *   - a name that an object of a message repeats: TL_ERROR_REPEATED.
 *   - a stream (TL_ERROR_STATE) or a writer (TL_ERROR_ORDER) of which another copy was used since. Moving one is fine:
 *     the one that was left behind is then an old copy. A stream is only checked while its room has 4 bytes left.
 *     Copies of a tl_out or a tl_batch are not found.
 *   - input of a stream that lies in its room: TL_ERROR_OVERLAP.
 *
 * Threads
 *
 *   Functions share nothing, so they may run at the same time with different states and buffers.
 *
 * Linking
 *
 *   A program links the profiles and framings that it names, if it is linked with -Wl,--gc-sections.
 */

#ifndef TAUTLINE_H
#define TAUTLINE_H

#include <stddef.h>
#include <stdint.h>

/** The version of the interface, for `tl_stream_init`. It changes with every size, number or signature. */
#define TL_ABI 1

/** The rules that a frame can break, with their numbers, which never change. */
enum tl_rule {
  /** the frame is not one JSON value. */
  TL_RULE_NOT_JSON = 1,
  /** the frame is not valid UTF-8. */
  TL_RULE_INVALID_UTF8 = 2,
  /** arrays and objects are nested deeper than the limit. */
  TL_RULE_TOO_DEEP = 3,
  /** the frame is longer than the limit, and was discarded. */
  TL_RULE_FRAME_TOO_LONG = 4,
  /** the stream ends without a newline after this frame. */
  TL_RULE_UNTERMINATED_FRAME = 5,
  /** the line contains a raw carriage return. */
  TL_RULE_RAW_CARRIAGE_RETURN = 6,
  /** a string contains a raw line separator (U+0085, U+2028 or U+2029). */
  TL_RULE_LINE_SEPARATOR = 7,
  /** the frame is a batch, and this protocol does not allow batches. */
  TL_RULE_BATCH_NOT_ALLOWED = 8,
  /** the batch is empty. */
  TL_RULE_BATCH_EMPTY = 9,
  /** the batch has more messages than the limit. */
  TL_RULE_BATCH_TOO_LONG = 10,
  /** the batch contains both calls and responses. */
  TL_RULE_BATCH_MIXED = 11,
  /** the message is not a JSON object. */
  TL_RULE_NOT_AN_OBJECT = 12,
  /** the same member appears twice, and peers differ in which value they use. */
  TL_RULE_DUPLICATE_MEMBER = 13,
  /** a name or an id that peers compare contains an unpaired surrogate. */
  TL_RULE_LONE_SURROGATE = 14,
  /** the member "jsonrpc" is missing. */
  TL_RULE_MISSING_JSONRPC = 15,
  /** the version is not the string "2.0". */
  TL_RULE_WRONG_VERSION = 16,
  /** the response has both a result and an error. */
  TL_RULE_RESULT_AND_ERROR = 17,
  /** the message has a method, like a request, and a result or an error, like a response. */
  TL_RULE_METHOD_IN_RESPONSE = 18,
  /** the object has neither a method, nor a result, nor an error. */
  TL_RULE_NO_SHAPE = 19,
  /** the id is neither a string nor a number. */
  TL_RULE_ID_TYPE = 20,
  /** the id is null, so no response can be matched to its request. */
  TL_RULE_ID_NULL = 21,
  /** the id is a number with a fractional part. */
  TL_RULE_ID_FRACTION = 22,
  /** the response has no id. */
  TL_RULE_RESPONSE_WITHOUT_ID = 23,
  /** the method is not a string. */
  TL_RULE_METHOD_TYPE = 24,
  /** params has a type that is not allowed. */
  TL_RULE_PARAMS_TYPE = 25,
  /** the result is not an object. */
  TL_RULE_RESULT_TYPE = 26,
  /** the error is not an object. */
  TL_RULE_ERROR_TYPE = 27,
  /** the error has no code. */
  TL_RULE_ERROR_CODE_MISSING = 28,
  /** the error code is not an integer. */
  TL_RULE_ERROR_CODE_TYPE = 29,
  /** the error has no message. */
  TL_RULE_ERROR_MESSAGE_MISSING = 30,
  /** the error message is not a string. */
  TL_RULE_ERROR_MESSAGE_TYPE = 31,
  /** the id is an integer, in a notation that peers rewrite. */
  TL_RULE_ID_NOT_PLAIN_INTEGER = 32,
  /** the id is beyond 2^53 - 1, so peers that use doubles round it. */
  TL_RULE_ID_UNSAFE_INTEGER = 33,
  /** the method begins with "rpc.", which is reserved for extensions of JSON-RPC. */
  TL_RULE_METHOD_RESERVED = 34,
  /** the error code looks like an HTTP status code. */
  TL_RULE_ERROR_CODE_HTTP = 35,
  /** the error code is in a reserved range, and this protocol does not define it. */
  TL_RULE_ERROR_CODE_RESERVED = 36,
  /** the name of this member resembles that of a standard member. */
  TL_RULE_MEMBER_LOOKALIKE = 37,
  /** the protocol does not define this member. */
  TL_RULE_UNKNOWN_MEMBER = 38,
  /** the name of this member resembles one that peers and gateways act on. */
  TL_RULE_NESTED_MEMBER_LOOKALIKE = 39,
  /** the line looks like log output. */
  TL_RULE_LOG_LINE = 40,
  /** the line looks like a header of the Language Server Protocol. */
  TL_RULE_CONTENT_LENGTH_HEADER = 41,
  /** the text looks like UTF-16. */
  TL_RULE_UTF16 = 42,
  /** the line looks like part of a message that spans several lines. */
  TL_RULE_EMBEDDED_NEWLINE = 43,
  /** a member that peers and gateways act on appears twice. */
  TL_RULE_DUPLICATE_NESTED_MEMBER = 44,
  /** an object in the payload has two members with the same name. */
  TL_RULE_DUPLICATE_INNER_MEMBER = 45,
  /** the wire ends before this frame does. */
  TL_RULE_UNFINISHED_FRAME = 46,
  /** this is not a header, which is a name, a colon and a value in visible ASCII. */
  TL_RULE_HEADER_MALFORMED = 47,
  /** a line of a header does not end with CR and LF. */
  TL_RULE_HEADER_LINE_END = 48,
  /** the headers of one frame are longer than the limit. */
  TL_RULE_HEADER_TOO_LONG = 49,
  /** the headers do not state the length of the body. */
  TL_RULE_CONTENT_LENGTH_MISSING = 50,
  /** a length is decimal digits and less than 2^64. */
  TL_RULE_CONTENT_LENGTH_INVALID = 51,
  /** the header Content-Length appears twice, and peers differ in which value they use. */
  TL_RULE_CONTENT_LENGTH_CONFLICT = 52,
  /** the header Content-Type names a charset other than UTF-8. */
  TL_RULE_CHARSET_UNSUPPORTED = 53,
  /** this begins no JSON value. */
  TL_RULE_VALUE_EXPECTED = 54,
  /** an id, a method or a value that peers act on contains U+0000. */
  TL_RULE_NUL_CHARACTER = 55,
  /** the objects of the payload have more names than can be compared. */
  TL_RULE_TOO_MANY_NAMES = 56,
  /** a string in the payload contains an unpaired surrogate. */
  TL_RULE_LONE_INNER_SURROGATE = 57,
  /** a number in the payload is beyond the range of doubles. */
  TL_RULE_NUMBER_OUT_OF_RANGE = 58
};

/** What is wrong with the syntax of a frame that is not JSON. */
enum tl_syntax {
  /** a JSON value was expected here. */
  TL_SYNTAX_EXPECTED_VALUE = 1,
  /** a member name in double quotes was expected here. */
  TL_SYNTAX_EXPECTED_NAME = 2,
  /** a colon was expected after the member name. */
  TL_SYNTAX_EXPECTED_COLON = 3,
  /** a comma or the closing bracket was expected here. */
  TL_SYNTAX_EXPECTED_COMMA_OR_END = 4,
  /** the JSON value ends before this byte, and more follows it. */
  TL_SYNTAX_TRAILING_BYTES = 5,
  /** only true, false and null are words in JSON. */
  TL_SYNTAX_INVALID_LITERAL = 6,
  /** a digit was expected in the number here. */
  TL_SYNTAX_EXPECTED_DIGIT = 7,
  /** a control character in a string has to be escaped. */
  TL_SYNTAX_CONTROL_CHARACTER = 8,
  /** this is not an escape that JSON knows. */
  TL_SYNTAX_INVALID_ESCAPE = 9,
  /** the string is not closed. */
  TL_SYNTAX_UNTERMINATED_STRING = 10,
  /** the bytes are not valid UTF-8. */
  TL_SYNTAX_INVALID_UTF8 = 11,
  /** arrays and objects are nested deeper than the limit. */
  TL_SYNTAX_TOO_DEEP = 12
};

/** The codes of JSON-RPC for errors. */
enum tl_code {
  /** Parse error. */
  TL_CODE_PARSE_ERROR = -32700,
  /** Invalid Request. */
  TL_CODE_INVALID_REQUEST = -32600,
  /** Method not found. */
  TL_CODE_METHOD_NOT_FOUND = -32601,
  /** Invalid params. */
  TL_CODE_INVALID_PARAMS = -32602,
  /** Internal error. */
  TL_CODE_INTERNAL_ERROR = -32603
};

/**
 * The type of a JSON value.
 */
enum tl_type
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * No value: the view is NULL.
   */
  TL_TYPE_ABSENT = 0,
  /**
   * `null`.
   */
  TL_TYPE_NULL = 1,
  /**
   * `true` or `false`.
   */
  TL_TYPE_BOOL = 2,
  /**
   * A number.
   */
  TL_TYPE_NUMBER = 3,
  /**
   * A string.
   */
  TL_TYPE_STRING = 4,
  /**
   * An array.
   */
  TL_TYPE_ARRAY = 5,
  /**
   * An object.
   */
  TL_TYPE_OBJECT = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tl_type tl_type;
#else
typedef int32_t tl_type;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The kinds of events. The functions that yield events return it. Negative results are of `tl_error`.
 */
enum tl_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * No event: the input is consumed, or the stream or the iteration has ended.
   */
  TL_KIND_NOTHING = 0,
  /**
   * A call that expects an answer. It has `id`, `method` and perhaps `params`.
   */
  TL_KIND_REQUEST = 1,
  /**
   * A call that expects no answer. It has `method` and perhaps `params`.
   */
  TL_KIND_NOTIFICATION = 2,
  /**
   * The answer to a request that succeeded. It has `id` and `result`.
   */
  TL_KIND_RESULT = 3,
  /**
   * The answer to a request that failed. It has `error_code`, `error_message`, perhaps `error_data`, and `id` if the
   * profile demands it.
   */
  TL_KIND_ERROR = 4,
  /**
   * Several messages in one frame. `tl_batch_init` and `tl_batch_next` yield them.
   */
  TL_KIND_BATCH = 5,
  /**
   * A frame that is not a message. It has `rule`, `place`, `syntax`, and `reply_code` if a reply is owed.
   */
  TL_KIND_FAULT = 6,
  /**
   * A frame that is longer than the room of the stream, and was dropped. It has what a fault has, and `method` if
   * the framing has a skimmer, which keeps ids and methods of up to 64 bytes.
   */
  TL_KIND_OVERSIZED = 7,
  /**
   * A frame that is not meant to be a message, such as a server-sent event without data.
   */
  TL_KIND_NO_MESSAGE = 8,
  /**
   * The stream ended inside a frame, which was dropped.
   */
  TL_KIND_UNFINISHED = 9,
  /**
   * The beginning of the next frame is unknown: `rule` says why. The stream takes no more input until
   * `tl_stream_resync`. Lines and server-sent events are never lost.
   */
  TL_KIND_LOST = 10,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tl_kind tl_kind;
#else
typedef int32_t tl_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Why a function did not do what was asked. All errors are negative.
 */
enum tl_error
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * A pointer is NULL that must not be.
   */
  TL_ERROR_NULL = -1,
  /**
   * A length is 0 where that makes no sense, or is more than memory can hold.
   */
  TL_ERROR_LENGTH = -2,
  /**
   * An object is misaligned, too small, or was never initialised.
   */
  TL_ERROR_STATE = -3,
  /**
   * The header is of another version than the library.
   */
  TL_ERROR_VERSION = -4,
  /**
   * The stream has lost its place, and takes no input before `tl_stream_resync`.
   */
  TL_ERROR_LOST = -5,
  /**
   * The stream has ended, and takes no more input.
   */
  TL_ERROR_ENDED = -6,
  /**
   * The buffer is too small. The function reports the size that it needs.
   */
  TL_ERROR_FULL = -7,
  /**
   * The text is not JSON, or is not one value.
   */
  TL_ERROR_JSON = -8,
  /**
   * The text is not UTF-8.
   */
  TL_ERROR_UTF8 = -9,
  /**
   * The string has an unpaired surrogate, so it is no text.
   */
  TL_ERROR_SURROGATE = -10,
  /**
   * The value is of another type.
   */
  TL_ERROR_TYPE = -11,
  /**
   * The number is no integer, or is out of range.
   */
  TL_ERROR_RANGE = -12,
  /**
   * The object has several members of this name, and peers differ in which one they read.
   */
  TL_ERROR_REPEATED = -13,
  /**
   * The profile does not allow this id, or it is no id.
   */
  TL_ERROR_ID = -14,
  /**
   * The profile does not allow parameters of this type.
   */
  TL_ERROR_PARAMS = -15,
  /**
   * The profile does not allow a result of this type.
   */
  TL_ERROR_RESULT = -16,
  /**
   * The call can't come here: a value in an object without a key, for example, or a message in a buffer that was
   * used for another one since.
   */
  TL_ERROR_ORDER = -17,
  /**
   * Arrays and objects are nested deeper than a writer can count, or than the library reads.
   */
  TL_ERROR_DEPTH = -18,
  /**
   * An input lies in the part of a buffer that the function writes to.
   */
  TL_ERROR_OVERLAP = -19,
  /**
   * The text is not one line: it contains a newline.
   */
  TL_ERROR_LINE = -20,
  /**
   * The profile does not allow this message: only the checked build looks.
   */
  TL_ERROR_PROFILE = -21,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tl_error tl_error;
#else
typedef int32_t tl_error;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How messages are delimited on the wire. A constant of the library.
 */
typedef struct tl_framing tl_framing;

/**
 * A profile: the messages that are legal, and the replies that illegal ones are owed. A constant of the library.
 */
typedef struct tl_profile tl_profile;

/**
 * Bytes that someone else owns. No NUL ends them.
 *
 * In an event, a view is the text of one JSON value as it was written, such as `"abc"` with its quotes, and `ptr` is
 * NULL if the value is absent.
 */
typedef struct tl_view {
  /**
   * The first byte.
   */
  const char *ptr;
  /**
   * The number of bytes.
   */
  size_t len;
} tl_view;

/**
 * One message, or what was found in place of one.
 *
 * Every function that yields an event sets all of it, unless it returns an error. The views point into the frame,
 * which is either in the input or in the room of the stream: they live until the next call with this stream, as long
 * as the input does. After `tl_check`, they live as long as the frame.
 */
typedef struct tl_event {
  /**
   * The kind of the event, of `tl_kind`.
   */
  int32_t kind;
  /**
   * The rule that is broken, of `tl_rule`, or 0. Rules keep their numbers, and new ones can come with any release.
   */
  uint16_t rule;
  /**
   * The syntax error, of `tl_syntax`, if the frame is not JSON. Otherwise 0.
   */
  uint8_t syntax;
  /**
   * 1 if the frame ended before the stream did, and 0 otherwise. It is 0 after `tl_check`.
   */
  uint8_t terminated;
  /**
   * The place in the frame where the rule is broken, as an offset in bytes.
   */
  uint32_t place;
  /**
   * The code of the error reply that the sender is owed: -32700 or -32600. It is 0 if no reply is owed.
   * `tl_write_reply` writes the reply.
   */
  int32_t reply_code;
  /**
   * The number of members that JSON-RPC does not define.
   */
  uint32_t unknown_members;
  /**
   * The number of elements of a batch.
   */
  uint32_t elements;
  /**
   * The number of the line or frame, counted from 1. A blank line and an oversized or invalid frame count. It is 0
   * after `tl_check`.
   */
  uint64_t line;
  /**
   * The number of bytes of the stream before the frame.
   */
  uint64_t offset;
  /**
   * The number of bytes of the frame, also of one that was dropped.
   */
  uint64_t length;
  /**
   * The frame, which is NULL if it was dropped.
   */
  struct tl_view frame;
  /**
   * The id, as it was written. In a fault, it may be illegal.
   */
  struct tl_view id;
  /**
   * The method, a string.
   */
  struct tl_view method;
  /**
   * The parameters.
   */
  struct tl_view params;
  /**
   * The result.
   */
  struct tl_view result;
  /**
   * The code of the error, a number.
   */
  struct tl_view error_code;
  /**
   * The message of the error, a string.
   */
  struct tl_view error_message;
  /**
   * The data of the error.
   */
  struct tl_view error_data;
  /**
   * The id that the reply carries. NULL if the reply has no member `id`.
   */
  struct tl_view reply_id;
} tl_event;

/**
 * The state of a stream. The caller owns it, and must not look inside. It is the same for all framings except
 * server-sent events, and except those with a skimmer.
 *
 * It may be moved in memory between two calls, but not copied: two copies would share one room. Moving it ends the
 * views of its last event that point into it: those of an oversized frame, and `tl_sse_last_event_id`.
 */
typedef struct tl_stream {
  /**
   * Private.
   */
  uint64_t words[26];
  /**
   * Private.
   */
  size_t pointers[8];
} tl_stream;

/**
 * An iteration over the messages of a batch. The caller owns it, and must not look inside.
 */
typedef struct tl_batch {
  /**
   * Private.
   */
  uint64_t words[4];
  /**
   * Private.
   */
  size_t pointers[14];
} tl_batch;

/**
 * An iteration over the members of an object or the elements of an array. It may be copied.
 */
typedef struct tl_iter {
  /**
   * Private: the text of the object or the array.
   */
  struct tl_view text;
  /**
   * Private: the offset of the next value.
   */
  size_t at;
  /**
   * Private: shows that the iteration has begun, and over what.
   */
  uint32_t magic;
} tl_iter;

/**
 * A buffer that messages are appended to. Only whole messages count as used. `tl_out_of` makes one.
 */
typedef struct tl_out {
  /**
   * The buffer.
   */
  char *ptr;
  /**
   * Its size in bytes.
   */
  size_t capacity;
  /**
   * The number of bytes with messages. Set it to 0 after sending them. The bytes after them are undefined.
   */
  size_t used;
  /**
   * The length of the last message, or of the batch so far, written or not: if a function returns `TL_ERROR_FULL`,
   * the buffer needs this many free bytes. It is 0 after any other error.
   */
  size_t needed;
  /**
   * Private: where the batch begins.
   */
  size_t start;
  /**
   * Private: the length of the batch so far, without its end, or 0 outside a batch.
   */
  size_t batch;
  /**
   * Private: counts the uses of the buffer, so that a writer notices another one.
   */
  uint32_t turn;
} tl_out;

/**
 * A message that is written piece by piece. The caller owns it, and must not look inside.
 */
typedef struct tl_writer {
  /**
   * Private: shows that the writer was initialised.
   */
  uint32_t magic;
  /**
   * Private: the use of the buffer that is this message.
   */
  uint32_t turn;
  /**
   * Private: where the message goes.
   */
  struct tl_out *out;
  /**
   * Private: what is legal, in the checked build.
   */
  const struct tl_profile *profile;
  /**
   * Private: what the buffer had used before the message.
   */
  size_t start;
  /**
   * Private: the length of the message so far, if there were room.
   */
  size_t needed;
  /**
   * Private: one bit for each open container.
   */
  uint64_t stack;
  /**
   * Private: the first error.
   */
  int32_t error;
  /**
   * Private: the number of open containers.
   */
  uint8_t depth;
  /**
   * Private: the place in the container.
   */
  uint8_t state;
  /**
   * Private: the type that the outermost value must have.
   */
  uint8_t outermost;
  /**
   * Private: how the message ends.
   */
  uint8_t tail;
} tl_writer;

/**
 * The state of a stream whose framing finds the ids of oversized requests, such as `tl_framing_lines_skimming`. Pass
 * its member `stream` and the size of the whole.
 */
typedef struct tl_skimming_stream {
  /**
   * The stream to pass.
   */
  struct tl_stream stream;
  /**
   * Private.
   */
  uint64_t words[38];
} tl_skimming_stream;

/**
 * The state of a stream of server-sent events, with or without a skimmer. Pass its member `stream` and the size of the
 * whole.
 */
typedef struct tl_sse_stream {
  /**
   * The stream to pass.
   */
  struct tl_stream stream;
  /**
   * Private.
   */
  uint64_t words[98];
} tl_sse_stream;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Returns the profile with this name, or NULL: `json-rpc`, `lsp`, or a revision of MCP such as `2025-11-25`, perhaps
 * followed by `/strict`, `/request-body` or `/response-body`. A NUL ends the name.
 *
 * A program that calls this links all profiles.
 */
const struct tl_profile *tl_profile_named(const char *name);

/**
 * Returns the framing with this name, without a skimmer, or NULL: `ndjson`, `content-length`, `sse` or `concatenated`.
 * A NUL ends the name.
 *
 * A program that calls this links all framings.
 */
const struct tl_framing *tl_framing_named(const char *name);

/**
 * Returns the version of the interface that the library has: `TL_ABI` of its header.
 */
uint32_t tl_abi(void);

/**
 * Judges a frame that is one message, such as the body of an HTTP request, and sets `event`. Whitespace around it and
 * line breaks in it are fine.
 *
 * Returns the kind of the event, or an error: `TL_ERROR_NULL`, `TL_ERROR_LENGTH` or `TL_ERROR_STATE` (`event` is
 * misaligned). An empty frame is a fault, and so
 * is one of 4 GiB or more.
 */
int32_t tl_check(const struct tl_profile *profile,
                 struct tl_view frame,
                 struct tl_event *event);

/**
 * Judges a line without its newline, and sets `event`, as a stream of lines does, except that a stream skips blank
 * lines. A raw carriage return in it is a fault under most profiles.
 *
 * Returns what `tl_check` does, or `TL_ERROR_LINE`: a text with a newline is no line, but several.
 */
int32_t tl_check_line(const struct tl_profile *profile,
                      struct tl_view line,
                      struct tl_event *event);

/**
 * Returns the size of a `tl_stream` in bytes, which the library was built with.
 */
size_t tl_stream_size(void);

/**
 * Returns the alignment of a `tl_stream` in bytes, which the library was built with.
 */
size_t tl_stream_align(void);

/**
 * Begins a stream. The stream needs no end: just stop using it.
 *
 * `abi` is `TL_ABI`, and `size` is that of `*stream`, or of what it is a member of. `room` has the frames that arrive
 * in several pieces, and its size is the longest frame: at most 2^32 - 1 bytes of it are used. It belongs to the
 * stream for as long as the stream is used.
 *
 * Returns 0, or `TL_ERROR_VERSION`, `TL_ERROR_NULL`, `TL_ERROR_STATE` (the state is misaligned or too small),
 * `TL_ERROR_LENGTH` (no room), or `TL_ERROR_OVERLAP` (the room and the state overlap).
 */
int32_t tl_stream_init(uint32_t abi,
                       struct tl_stream *stream,
                       size_t size,
                       const struct tl_framing *framing,
                       const struct tl_profile *profile,
                       char *room,
                       size_t room_size);

/**
 * Takes bytes off the front of the input, up to the end of the next frame, and sets `event`. Call it until it returns
 * 0: all of the input is then consumed.
 *
 * The views of the event live until the next call with this stream, and as long as the bytes of the input. Those of an
 * event of kind `TL_KIND_OVERSIZED` point into the state, so they also end when you move it.
 *
 * A frame that does not fit in the room has its event when it ends. If a peer announces a huge length and then falls
 * silent, that is never, so a program needs a timeout of its own: `tl_finish` then reports `TL_KIND_UNFINISHED`.
 *
 * Returns the kind of the event, 0 (`TL_KIND_NOTHING`), or an error: `TL_ERROR_NULL`, `TL_ERROR_LENGTH`,
 * `TL_ERROR_STATE`, `TL_ERROR_LOST` (call `tl_stream_resync` first), or `TL_ERROR_ENDED` (after `tl_finish`). After an
 * error nothing was consumed, and the event is not set.
 */
int32_t tl_push(struct tl_stream *stream,
                struct tl_view *input,
                struct tl_event *event);

/**
 * Ends the stream, and sets `event` to what is left of it. Call it until it returns 0. A line without a newline is
 * judged like any other, but is not `terminated`.
 *
 * The views of the event live until the next call with this stream.
 *
 * Returns the kind of the event, 0 (`TL_KIND_NOTHING`), `TL_ERROR_NULL` or `TL_ERROR_STATE`.
 */
int32_t tl_finish(struct tl_stream *stream,
                  struct tl_event *event);

/**
 * Continues after `TL_KIND_LOST`, by skipping to what looks like the next frame. That is a guess, which a peer can
 * exploit: on a connection, close it instead. Without a loss, nothing happens.
 *
 * Returns 0, `TL_ERROR_NULL` or `TL_ERROR_STATE`.
 */
int32_t tl_stream_resync(struct tl_stream *stream);

/**
 * Sets the profile for the frames to come, for example after a handshake: all whose events were not returned yet, also
 * one that has arrived in part. If that one is oversized, it is skimmed up to the depth of the profile before.
 *
 * Returns 0, `TL_ERROR_NULL` or `TL_ERROR_STATE`.
 */
int32_t tl_stream_set_profile(struct tl_stream *stream,
                              const struct tl_profile *profile);

/**
 * Sets `id` to the last event id of a stream of server-sent events, without quotes: a client sends it as
 * `Last-Event-ID` when it connects again.
 *
 * The view lives until the next call with this stream, or until you move it.
 *
 * Returns 1, 0 (there was none, or the stream has reset it: `id` is set to NULL), `TL_ERROR_LENGTH` (it is longer than
 * 128 bytes, and was not kept: `id` is set to NULL), `TL_ERROR_TYPE` (a stream in another framing), `TL_ERROR_NULL` or
 * `TL_ERROR_STATE`.
 */
int32_t tl_sse_last_event_id(const struct tl_stream *stream,
                             struct tl_view *id);

/**
 * Begins with the messages of a batch: an event of kind `TL_KIND_BATCH`, and the profile that its frame was judged by.
 * The frame must stay as it is for as long as `batch` and its events are used: to keep the batch longer than the
 * event, copy the frame, and set `frame` of a copy of the event.
 *
 * Returns 0, `TL_ERROR_NULL`, `TL_ERROR_LENGTH`, `TL_ERROR_STATE` (misaligned), or `TL_ERROR_TYPE` (the event is no
 * batch, or the profile does not allow it).
 */
int32_t tl_batch_init(struct tl_batch *batch,
                      const struct tl_profile *profile,
                      const struct tl_event *event);

/**
 * Sets `event` to the next message or fault of the batch. Its `frame`, `line` and `offset` are those of the batch.
 *
 * The views of the event live as long as that frame.
 *
 * Returns the kind of the event, 0 (`TL_KIND_NOTHING`) after the last one, `TL_ERROR_NULL`, or `TL_ERROR_STATE` (the
 * batch was not initialised).
 */
int32_t tl_batch_next(struct tl_batch *batch,
                      struct tl_event *event);

/**
 * Returns the type of a value, or `TL_TYPE_ABSENT` for a view that is NULL. Only the checked build reads a value to
 * its end, and returns `TL_TYPE_ABSENT` if it is no JSON.
 */
tl_type tl_type_of(struct tl_view value);

/**
 * Returns 1 if the value is a string with this text, and 0 otherwise, also in the checked build and for a view that is
 * no JSON. It never returns an error, so `if (tl_text_eq(...))` is right. Escapes are resolved. A NUL ends `text`.
 */
int32_t tl_text_eq(struct tl_view value,
                   const char *text);

/**
 * Returns 1 if the value is a string with this text, and 0 otherwise, as `tl_text_eq` does. Escapes are resolved.
 */
int32_t tl_text_eq_n(struct tl_view value,
                     struct tl_view text);

/**
 * Decodes a string into `buffer`, in UTF-8, and writes a NUL after it. The text can have NULs of its own: `length` is
 * set to its length without the last one. `length` can be NULL.
 *
 * The text is never longer than the view, so a buffer of the same length has enough room.
 *
 * Returns 0, `TL_ERROR_TYPE` (no string), `TL_ERROR_SURROGATE`, `TL_ERROR_FULL` (`length` is set, and the buffer needs
 * one byte more), `TL_ERROR_OVERLAP` (the view lies in the buffer), `TL_ERROR_NULL` or `TL_ERROR_LENGTH`.
 */
int32_t tl_text_decode(struct tl_view value,
                       char *buffer,
                       size_t size,
                       size_t *length);

/**
 * Sets `number` to an integer, in any notation: `1.0` and `1e2` are integers too.
 *
 * Returns 0, `TL_ERROR_TYPE` (no number), `TL_ERROR_RANGE` (a fraction, or out of range), `TL_ERROR_NULL`,
 * `TL_ERROR_LENGTH` or `TL_ERROR_STATE` (`number` is misaligned).
 */
int32_t tl_int64(struct tl_view value,
                 int64_t *number);

/**
 * Sets `number` to an integer that is not negative, as `tl_int64` does.
 */
int32_t tl_uint64(struct tl_view value, uint64_t *number);

/**
 * Sets `number` to the double that is nearest to a number. The locale does not matter. It needs 1.2 KB of stack,
 * except in a library with the feature `fast`.
 *
 * Returns 0, `TL_ERROR_TYPE` (no number), `TL_ERROR_RANGE` (the nearest double is infinite), `TL_ERROR_NULL`,
 * `TL_ERROR_LENGTH` or `TL_ERROR_STATE` (`number` is misaligned).
 */
int32_t tl_double(struct tl_view value,
                  double *number);

/**
 * Writes a double into `buffer` as `tl_put_double` does, in any locale, and a NUL after it: at most 25 bytes. `length`
 * is set to the length without the NUL, and can be NULL.
 *
 * Returns 0, `TL_ERROR_RANGE` (infinite or NaN), `TL_ERROR_FULL` (`length` is set, and the buffer needs one byte
 * more), `TL_ERROR_NULL`, `TL_ERROR_LENGTH` or `TL_ERROR_STATE` (`length` is misaligned).
 */
int32_t tl_double_text(double value,
                       char *buffer,
                       size_t size,
                       size_t *length);

/**
 * Returns 1 for `true`, 0 for `false`, or `TL_ERROR_TYPE`, `TL_ERROR_NULL` or `TL_ERROR_LENGTH`.
 */
int32_t tl_bool(struct tl_view value);

/**
 * Sets `value` to that of the member with this name. A NUL ends the name. Escapes in names are resolved.
 *
 * The view lives as long as that of the object.
 *
 * Returns 1, 0 (no such member; `value` is set to NULL), `TL_ERROR_REPEATED` (several), `TL_ERROR_TYPE` (no object),
 * `TL_ERROR_NULL` or `TL_ERROR_LENGTH`.
 */
int32_t tl_member(struct tl_view object,
                  const char *name,
                  struct tl_view *value);

/**
 * Begins with the members of an object, in their order, repeated ones included.
 *
 * Returns 0, `TL_ERROR_TYPE` (no object), `TL_ERROR_NULL` or `TL_ERROR_LENGTH`.
 */
int32_t tl_members(struct tl_view object, struct tl_iter *iter);

/**
 * Begins with the elements of an array.
 *
 * Returns 0, `TL_ERROR_TYPE` (no array), `TL_ERROR_NULL` or `TL_ERROR_LENGTH`.
 */
int32_t tl_elements(struct tl_view array, struct tl_iter *iter);

/**
 * Sets `name` and `value` to those of the next member. The name is a string, for `tl_text_eq` and `tl_text_decode`.
 *
 * The views live as long as that of the object.
 *
 * Returns 1 (both are set), 0 (there was no other member), `TL_ERROR_TYPE` (the iteration is one over elements),
 * `TL_ERROR_STATE` (it has not begun), `TL_ERROR_NULL` or `TL_ERROR_LENGTH`. After an error, the same member is next.
 */
int32_t tl_next_member(struct tl_iter *iter,
                       struct tl_view *name,
                       struct tl_view *value);

/**
 * Sets `value` to the next element.
 *
 * The view lives as long as that of the array.
 *
 * Returns 1 (it is set), 0 (there was no other element), `TL_ERROR_TYPE` (the iteration is one over members),
 * `TL_ERROR_STATE` (it has not begun), `TL_ERROR_NULL` or `TL_ERROR_LENGTH`. After an error, the same element is next.
 */
int32_t tl_next_element(struct tl_iter *iter,
                        struct tl_view *value);

/**
 * Begins a batch. Every message that is written until `tl_end_batch`, in one of the ways below, becomes an element of
 * one array, in one line. To answer a batch, answer each of its requests and write the reply to each of its faults.
 *
 * Only `tl_end_batch` counts the batch as used. Until then, don't change `out->used`, `out->ptr` or `out->capacity`.
 * If a message does not fit, the batch fails, even if the message is written again: call `tl_end_batch`, enlarge the
 * buffer, begin the batch again, and write all of its messages again.
 *
 * A batch should have either calls
 * or responses, which is not checked. Not every profile allows batches: only the checked build looks.
 *
 * Returns 0, `TL_ERROR_ORDER` (a batch has begun already), `TL_ERROR_NULL`, `TL_ERROR_LENGTH` or `TL_ERROR_STATE`.
 */
int32_t tl_begin_batch(struct tl_out *out);

/**
 * Ends the batch, and counts it as used. A batch without messages is nothing, and nothing is written.
 *
 * Returns 0, `TL_ERROR_FULL` (a message did not fit, nothing was written, and `out->needed` is the length of the batch
 * with all messages, those that did not fit included), `TL_ERROR_ORDER` (no
 * batch has begun, or `out->used` was changed), `TL_ERROR_NULL`, `TL_ERROR_LENGTH` or `TL_ERROR_STATE`. The batch has
 * ended in any case. A message that failed with another error than `TL_ERROR_FULL` is not in the batch.
 */
int32_t tl_end_batch(struct tl_out *out);

/**
 * Writes a request as a line: `id` and `params` are JSON, and `method` is text in UTF-8. `params` can be NULL.
 *
 * Returns 0 or an error. After an error, nothing was written: `TL_ERROR_FULL` (`out->needed` is set), `TL_ERROR_ID`,
 * `TL_ERROR_PARAMS` or `TL_ERROR_RESULT` (not under this profile), `TL_ERROR_JSON` (what is given as JSON is none),
 * `TL_ERROR_DEPTH` (arrays and objects of the whole line, its own included, are nested deeper than 127, the limit of
 * the reader: `params` and `result` can have 126 levels, `data` 125, and one less in a batch),
 * `TL_ERROR_UTF8`, `TL_ERROR_OVERLAP`, `TL_ERROR_ORDER` (`out->used` was changed inside a batch), `TL_ERROR_NULL`,
 * `TL_ERROR_LENGTH` or `TL_ERROR_STATE`. The functions below return the same errors.
 */
int32_t tl_write_request(struct tl_out *out,
                         const struct tl_profile *profile,
                         struct tl_view id,
                         struct tl_view method,
                         struct tl_view params);

/**
 * Writes a notification as a line. `params` can be NULL.
 */
int32_t tl_write_notification(struct tl_out *out,
                              const struct tl_profile *profile,
                              struct tl_view method,
                              struct tl_view params);

/**
 * Writes the answer to a request that succeeded as a line. The id is that of the request, or a copy of it. It is
 * written byte for byte.
 */
int32_t tl_write_result(struct tl_out *out,
                        const struct tl_profile *profile,
                        struct tl_view id,
                        struct tl_view result);

/**
 * Writes the answer to a request that failed as a line. `message` is text in UTF-8. `data` can be NULL. If the
 * id is NULL, the error answers no request. Some profiles do not allow that.
 */
int32_t tl_write_error(struct tl_out *out,
                       const struct tl_profile *profile,
                       struct tl_view id,
                       int64_t code,
                       struct tl_view message,
                       struct tl_view data);

/**
 * Writes the reply to a fault as a line, or nothing if no reply is owed. Pass every event of kind `TL_KIND_FAULT` and
 * `TL_KIND_OVERSIZED`. Other events are owed nothing, so they may be passed too.
 *
 * If a request of yours with the same id is pending, send nothing: the error would answer it.
 *
 * Returns 0, `TL_ERROR_FULL`, `TL_ERROR_OVERLAP`, `TL_ERROR_ORDER`, `TL_ERROR_NULL`, `TL_ERROR_LENGTH` or
 * `TL_ERROR_STATE`.
 */
int32_t tl_write_reply(struct tl_out *out,
                       const struct tl_event *event);

/**
 * Begins a request. One value follows, the parameters, then `tl_end`.
 *
 * `out` must not move or be used for anything else until then: any other call that writes to it, or another
 * `out->used`, ends the message with `TL_ERROR_ORDER`. Of a message without `tl_end`, nothing counts as written, and
 * nothing is left to undo.
 *
 * Returns 0 or the first error since here, as all functions of a writer do. It is enough to look at that of `tl_end`.
 */
int32_t tl_begin_request(struct tl_writer *writer,
                         struct tl_out *out,
                         const struct tl_profile *profile,
                         struct tl_view id,
                         struct tl_view method);

/**
 * Begins a notification. One value follows, the parameters, then `tl_end`.
 */
int32_t tl_begin_notification(struct tl_writer *writer,
                              struct tl_out *out,
                              const struct tl_profile *profile,
                              struct tl_view method);

/**
 * Begins the answer to a request that succeeded. One value follows, the result, then `tl_end`.
 */
int32_t tl_begin_result(struct tl_writer *writer,
                        struct tl_out *out,
                        const struct tl_profile *profile,
                        struct tl_view id);

/**
 * Begins the answer to a request that failed. One value follows, the data, then `tl_end`.
 */
int32_t tl_begin_error(struct tl_writer *writer,
                       struct tl_out *out,
                       const struct tl_profile *profile,
                       struct tl_view id,
                       int64_t code,
                       struct tl_view message);

/**
 * Begins an object. Objects and arrays begun in this way can have 64 levels: `TL_ERROR_DEPTH`.
 */
int32_t tl_open_object(struct tl_writer *writer);

/**
 * Begins an array, with the same limit.
 */
int32_t tl_open_array(struct tl_writer *writer);

/**
 * Ends the object or array that was begun last.
 */
int32_t tl_close(struct tl_writer *writer);

/**
 * Writes the name of a member, text in UTF-8. Its value comes next. No name may be repeated: only the checked build
 * looks.
 */
int32_t tl_key(struct tl_writer *writer,
               struct tl_view name);

/**
 * Writes a string, from text in UTF-8.
 */
int32_t tl_put_text(struct tl_writer *writer, struct tl_view text);

/**
 * Writes a value that is JSON already, such as a view of an event, on one line. The whole line can have 127 levels of
 * objects and arrays, its own included: `TL_ERROR_DEPTH`.
 */
int32_t tl_put_json(struct tl_writer *writer,
                    struct tl_view value);

/**
 * Writes an integer.
 */
int32_t tl_put_int64(struct tl_writer *writer, int64_t value);

/**
 * Writes an integer that is not negative.
 */
int32_t tl_put_uint64(struct tl_writer *writer, uint64_t value);

/**
 * Writes a number with the fewest significant digits that read back as the same double, and always with a fraction or
 * an exponent: 1 is `1.0`. For an integer without one, call `tl_put_int64`. An infinite number and NaN have no form in
 * JSON: `TL_ERROR_RANGE`.
 */
int32_t tl_put_double(struct tl_writer *writer,
                      double value);

/**
 * Writes `false` for 0, and `true` for any other number.
 */
int32_t tl_put_bool(struct tl_writer *writer, int32_t value);

/**
 * Writes `null`.
 */
int32_t tl_put_null(struct tl_writer *writer);

/**
 * Ends the message. Only now it counts as written.
 *
 * Returns 0, or the first error since the beginning, and then nothing is written. With `TL_ERROR_FULL`, `out->needed`
 * is the length of the message. `TL_ERROR_ORDER` means that something is missing or was in the wrong place, or that
 * `out` was used for something else. `TL_ERROR_PARAMS` and `TL_ERROR_RESULT` mean that the profile does not allow a
 * value of this type, and `TL_ERROR_STATE` that the writer was never begun.
 */
int32_t tl_end(struct tl_writer *writer);

/**
 * Returns the name of a rule, such as `id-type`, which never changes. The view lives as long as the program, and is
 * NULL for any other number.
 */
struct tl_view tl_rule_name(uint16_t rule);

/**
 * Returns what is wrong if a rule is broken, in one line. The view lives as long as the program, and is
 * NULL for any other number.
 */
struct tl_view tl_rule_summary(uint16_t rule);

/**
 * Returns advice for the sender who broke a rule. The view lives as long as the program, and is
 * NULL for any other number.
 */
struct tl_view tl_rule_help(uint16_t rule);

/**
 * Returns the name of an error of `tl_error`, such as `full`, which never changes. The view lives as long as the
 * program, and is NULL for any other number.
 */
struct tl_view tl_error_name(int32_t error);

/**
 * Returns the name of a kind of `tl_kind`, such as `no-message`, which never changes. The view lives as long as the
 * program, and is NULL for any other number.
 */
struct tl_view tl_kind_name(int32_t kind);

/**
 * Returns what is wrong with the syntax, in one line. The view lives as long as the program, and is
 * NULL for any other number.
 */
struct tl_view tl_syntax_description(uint8_t syntax);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#ifdef __cplusplus
extern "C" {
#endif

/** JSON-RPC 2.0. */
extern const tl_profile tl_json_rpc;

/** JSON-RPC 2.0, the body of an HTTP request. */
extern const tl_profile tl_json_rpc_request_body;

/** JSON-RPC 2.0, the body of an HTTP response, or an event in it. */
extern const tl_profile tl_json_rpc_response_body;

/** The Language Server Protocol. */
extern const tl_profile tl_lsp;

/** MCP 2024-11-05, on stdio. */
extern const tl_profile tl_mcp_2024_11_05;

/** MCP 2024-11-05, on stdio, without anything that peers are known to read differently. */
extern const tl_profile tl_mcp_2024_11_05_strict;

/** MCP 2025-03-26, on stdio. */
extern const tl_profile tl_mcp_2025_03_26;

/** MCP 2025-03-26, on stdio, without anything that peers are known to read differently. */
extern const tl_profile tl_mcp_2025_03_26_strict;

/** MCP 2025-03-26, the body of an HTTP request. */
extern const tl_profile tl_mcp_2025_03_26_request_body;

/** MCP 2025-03-26, the body of an HTTP response, or an event in it. */
extern const tl_profile tl_mcp_2025_03_26_response_body;

/** MCP 2025-06-18, on stdio. */
extern const tl_profile tl_mcp_2025_06_18;

/** MCP 2025-06-18, on stdio, without anything that peers are known to read differently. */
extern const tl_profile tl_mcp_2025_06_18_strict;

/** MCP 2025-06-18, the body of an HTTP request. */
extern const tl_profile tl_mcp_2025_06_18_request_body;

/** MCP 2025-06-18, the body of an HTTP response, or an event in it. */
extern const tl_profile tl_mcp_2025_06_18_response_body;

/** MCP 2025-11-25, on stdio. */
extern const tl_profile tl_mcp_2025_11_25;

/** MCP 2025-11-25, on stdio, without anything that peers are known to read differently. */
extern const tl_profile tl_mcp_2025_11_25_strict;

/** MCP 2025-11-25, the body of an HTTP request. */
extern const tl_profile tl_mcp_2025_11_25_request_body;

/** MCP 2025-11-25, the body of an HTTP response, or an event in it. */
extern const tl_profile tl_mcp_2025_11_25_response_body;

/** MCP 2026-07-28, on stdio. */
extern const tl_profile tl_mcp_2026_07_28;

/** MCP 2026-07-28, on stdio, without anything that peers are known to read differently. */
extern const tl_profile tl_mcp_2026_07_28_strict;

/** MCP 2026-07-28, the body of an HTTP request. */
extern const tl_profile tl_mcp_2026_07_28_request_body;

/** MCP 2026-07-28, the body of an HTTP response, or an event in it. */
extern const tl_profile tl_mcp_2026_07_28_response_body;

/** One message per line, as on MCP's stdio. */
extern const tl_framing tl_framing_lines;

/** The same, for a larger state: oversized requests are answered with their ids. */
extern const tl_framing tl_framing_lines_skimming;

/** A header with the length before each message, as in LSP. */
extern const tl_framing tl_framing_content_length;

/** The same, for a larger state: oversized requests are answered with their ids. */
extern const tl_framing tl_framing_content_length_skimming;

/** Server-sent events, as in MCP over HTTP. */
extern const tl_framing tl_framing_sse;

/** The same, for a larger state: oversized requests are answered with their ids. */
extern const tl_framing tl_framing_sse_skimming;

/** One JSON value after another. */
extern const tl_framing tl_framing_concatenated;

/** The same, for a larger state: oversized requests are answered with their ids. */
extern const tl_framing tl_framing_concatenated_skimming;

#ifdef __cplusplus
} /* extern "C" */
#endif

/** The size of a `tl_stream` in this ABI. */
#define TL_STREAM_SIZE (26 * 8 + 8 * sizeof(size_t))

/* Fails to compile if the compiler lays out the states in another way than the library. */
typedef char tl_assert_stream[sizeof(tl_stream) == TL_STREAM_SIZE ? 1 : -1];
typedef char tl_assert_skimming[sizeof(tl_skimming_stream) == TL_STREAM_SIZE + 38 * 8 ? 1 : -1];
typedef char tl_assert_sse[sizeof(tl_sse_stream) == TL_STREAM_SIZE + 98 * 8 ? 1 : -1];
typedef char tl_assert_batch[sizeof(tl_batch) == 4 * 8 + 14 * sizeof(size_t) ? 1 : -1];
typedef char tl_assert_out[sizeof(tl_out) == 7 * sizeof(size_t) ? 1 : -1];
typedef char tl_assert_writer[sizeof(tl_writer) == 24 + 4 * sizeof(size_t) ? 1 : -1];
typedef char tl_assert_iter[sizeof(tl_iter) == 4 * sizeof(size_t) ? 1 : -1];
typedef char tl_assert_event[sizeof(tl_event) == 48 + 18 * sizeof(size_t) ? 1 : -1];

/** A view of bytes, such as a chunk that arrived. */
static inline tl_view tl_bytes(const void *ptr, size_t len) {
  tl_view view;
#ifdef __cplusplus
  view.ptr = static_cast<const char *>(ptr);
#else
  view.ptr = ptr;
#endif
  view.len = len;
  return view;
}

/** A view of text that a NUL ends, or the view of nothing for NULL. For JSON as well, such as `tl_text("null")`. */
static inline tl_view tl_text(const char *text) {
  size_t len = 0;
  if (text != NULL) {
    while (text[len] != '\0') {
      len++;
    }
  }
  return tl_bytes(text, len);
}

/** The view of nothing. */
static inline tl_view tl_none(void) {
  return tl_bytes(NULL, 0);
}

/** An empty buffer for messages. */
static inline tl_out tl_out_of(char *ptr, size_t capacity) {
  tl_out out;
  out.ptr = ptr;
  out.capacity = capacity;
  out.used = 0;
  out.needed = 0;
  out.start = 0;
  out.batch = 0;
  out.turn = 0;
  return out;
}

#endif
