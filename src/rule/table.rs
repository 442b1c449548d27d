//! The table of rules about frames and messages: what each is called, and what to do about it.
//!
//! Code, documentation and the command line all read it. The validator reports what it finds in the order of the rows.
//! A number or a name that was released is never changed and never used again.

use core::fmt;
use core::num::NonZeroU16;

use super::Severity;

/// A rule that a frame, a message or a session can break, or a hint about one.
///
/// This is a number without texts, so that a program that only compares rules links none. The functions of
/// [`rule`](crate::rule) have the texts of the rules up to 255, and those of `tautline_mcp::rule` of all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule(NonZeroU16);

impl Rule {
    /// Returns the rule with this number. The numbers up to 255 belong to [`rule`](crate::rule), and those from 256 to
    /// 1,023 to `tautline-mcp`. The others are free for rules of your own.
    #[must_use]
    pub const fn from_number(number: NonZeroU16) -> Self {
        Self(number)
    }

    /// Returns the number, which stays the same in every release.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.0.get()
    }
}

/// Shows the name of a rule of [`rule`](crate::rule), and the number of any other rule.
impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tuple = f.debug_tuple("Rule");
        if self.is_of_core() {
            tuple.field(&format_args!("{}", name(*self)))
        } else {
            tuple.field(&self.0)
        };
        tuple.finish()
    }
}

/// Writes the [name] of a rule of [`rule`](crate::rule), and the number of any other rule, as in
/// `rule 300`: the core does not know the names of other tables. `tautline_mcp::rule::name` has those of MCP.
///
/// ```
/// use tautline::Rule;
///
/// assert_eq!(Rule::ID_NULL.to_string(), "id-null");
/// assert_eq!(Rule::from_number(300.try_into().unwrap()).to_string(), "rule 300");
/// ```
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_of_core() { f.pad(name(*self)) } else { write!(f, "rule {}", self.0) }
    }
}

/// The results of the functions for rules of other tables.
mod unknown {
    use super::{Rule, Severity};

    pub(super) const fn name(_: Rule) -> &'static str {
        "unknown-rule"
    }

    pub(super) const fn severity(_: Rule) -> Severity {
        Severity::Error
    }

    pub(super) const fn summary(_: Rule) -> &'static str {
        "a rule of another table is broken"
    }

    pub(super) const fn spec_ref(_: Rule) -> &'static str {
        ""
    }

    pub(super) const fn help(_: Rule) -> &'static str {
        ""
    }

    pub(super) const fn from_name(_: &str) -> Option<Rule> {
        None
    }

    #[cfg(feature = "defmt")]
    pub(super) fn log(rule: Rule, f: defmt::Formatter<'_>) {
        defmt::write!(f, "rule {=u16}", rule.number());
    }
}

/// Returns the number of rules that are no errors.
#[doc(hidden)]
#[must_use]
pub const fn count_lenient(all: &[(u16, Severity)]) -> usize {
    let (mut count, mut rest) = (0_usize, all);
    while let [(_, severity), others @ ..] = rest {
        if !matches!(severity, Severity::Error) {
            count = count.saturating_add(1);
        }
        rest = others;
    }
    count
}

/// Returns the rules that are no errors. There are `N` of them.
#[doc(hidden)]
#[must_use]
pub const fn lenient<const N: usize>(all: &[(u16, Severity)]) -> [(u16, Severity); N] {
    let mut found = [(0, Severity::Error); N];
    let mut places: &mut [_] = &mut found;
    let mut rest = all;
    while let [rule, others @ ..] = rest {
        if !matches!(rule.1, Severity::Error)
            && let [place, after @ ..] = places
        {
            *place = *rule;
            places = after;
        }
        rest = others;
    }
    found
}

/// Defines the rules of a table, and functions that return their texts. For rules with other numbers, these functions
/// ask those of the module `$others`.
#[doc(hidden)]
#[macro_export]
macro_rules! __rules {
    (
        $others:ident, [$($in:tt)*]
        $($number:literal $rule:ident $name:literal $severity:ident $summary:literal $spec_ref:literal $help:literal)*
    ) => {
        $crate::__rules! { @constants [$($in)*] $($number $rule $name $summary $spec_ref)* }

        /// The rules of this table, in the order of their numbers.
        pub const ALL: &[Rule] = &[$($crate::__numbered!($number),)*];

        /// Returns the stable name, in kebab case.
        #[must_use]
        pub const fn name(rule: Rule) -> &'static str {
            match rule.number() { $($number => $name,)* _ => $others::name(rule) }
        }

        /// Returns the usual severity.
        #[inline(never)]
        #[must_use]
        pub const fn severity(rule: Rule) -> Severity {
            const ALL: &[(u16, Severity)] = &[$(($number, Severity::$severity),)*];
            const LENIENT: &[(u16, Severity)] = &$crate::rule::lenient::<{ $crate::rule::count_lenient(ALL) }>(ALL);
            // Most rules are errors. A `match` would become a table of jumps, which is four times as large.
            let mut rest = LENIENT;
            while let [(number, severity), others @ ..] = rest {
                if *number == rule.number() {
                    return *severity;
                }
                rest = others;
            }
            $others::severity(rule)
        }

        /// Returns a one-line description of the error.
        #[must_use]
        pub const fn summary(rule: Rule) -> &'static str {
            match rule.number() { $($number => $summary,)* _ => $others::summary(rule) }
        }

        /// Returns the section of the specification that contains the rule.
        #[must_use]
        pub const fn spec_ref(rule: Rule) -> &'static str {
            match rule.number() { $($number => $spec_ref,)* _ => $others::spec_ref(rule) }
        }

        /// Returns advice for the sender.
        #[must_use]
        pub const fn help(rule: Rule) -> &'static str {
            match rule.number() { $($number => $help,)* _ => $others::help(rule) }
        }

        /// Returns the rule with this name. Names are case-sensitive.
        #[must_use]
        pub fn from_name(text: &str) -> Option<Rule> {
            let found = ALL.iter().copied().find(|&rule| name(rule) == text);
            found.or_else(|| $others::from_name(text))
        }

        /// Logs the name, which stays on the host.
        #[cfg(feature = "defmt")]
        #[doc(hidden)]
        pub fn log(rule: Rule, f: defmt::Formatter<'_>) {
            match rule.number() { $($number => defmt::write!(f, $name),)* _ => $others::log(rule, f) }
        }
    };
    (@constants [impl Rule] $($number:literal $rule:ident $name:literal $summary:literal $spec_ref:literal)*) => {
        impl Rule {
            $(
                #[doc = concat!("`", $name, "`: ", $summary, " (", $spec_ref, ").")]
                pub const $rule: Self = $crate::__numbered!($number);
            )*

            /// Returns whether the rule is in this table, and not in that of a protocol.
            pub(crate) const fn is_of_core(self) -> bool {
                match self.number() { $($number => true,)* _ => false }
            }
        }
    };
    (@constants [mod] $($number:literal $rule:ident $name:literal $summary:literal $spec_ref:literal)*) => {
        $(
            #[doc = concat!("`", $name, "`: ", $summary, " (", $spec_ref, ").")]
            pub const $rule: Rule = $crate::__numbered!($number);
        )*
    };
}
pub use __rules as rules;

/// The rule with this number.
#[doc(hidden)]
#[macro_export]
macro_rules! __numbered {
    ($number:literal) => {
        $crate::Rule::from_number(core::num::NonZeroU16::new($number).unwrap())
    };
}
pub use __numbered as numbered;

// A "MUST" of the specification makes an error, a "SHOULD" a warning. A comment at the row gives the reason for any
// other severity.
rules! {
    unknown, [impl Rule]
    // The frame as a text: the first of these errors, by offset, is the fault, and nothing else is checked.
    1 NOT_JSON "not-json" Error
        "the frame is not one JSON value"
        "RFC 8259, section 2; JSON-RPC 2.0, section 5.1"
        "write one complete JSON value, with nothing before or after it"
    2 INVALID_UTF8 "invalid-utf8" Error
        "the frame is not valid UTF-8"
        "RFC 8259, section 8.1; MCP, basic/transports"
        "encode the text as UTF-8, and do not cut a character in two"
    // No clause forbids it, but the receiver can't take it.
    3 TOO_DEEP "too-deep" Error
        "arrays and objects are nested deeper than the limit"
        "RFC 8259, section 9"
        "flatten the payload, or raise the receiver's limit"

    // The frame on the wire.
    // No clause forbids it, but the receiver can't take it.
    4 FRAME_TOO_LONG "frame-too-long" Error
        "the frame is longer than the limit, and was discarded"
        "RFC 8259, section 9"
        "send less at once, or raise the receiver's limit"
    // No clause demands the newline of the last frame, which may be complete.
    5 UNTERMINATED_FRAME "unterminated-frame" Warning
        "the stream ends without a newline after this frame"
        "MCP, basic/transports, stdio"
        "end every message with a newline, including the last one: some receivers drop it otherwise"
    6 RAW_CARRIAGE_RETURN "raw-carriage-return" Error
        "the line contains a raw carriage return"
        "MCP, basic/transports, stdio (no embedded newlines)"
        "remove the CR: some receivers split the line there and read its parts as messages"
    7 LINE_SEPARATOR "line-separator" Note
        "a string contains a raw line separator (U+0085, U+2028 or U+2029)"
        "RFC 8259, section 7"
        "escape it, as in \"\\u2028\": some receivers split the line there"

    // Batches.
    8 BATCH_NOT_ALLOWED "batch-not-allowed" Error
        "the frame is a batch, and this protocol does not allow batches"
        "MCP, basic (batches: only in 2025-03-26); LSP, base protocol"
        "send each message on its own line"
    9 BATCH_EMPTY "batch-empty" Error
        "the batch is empty"
        "JSON-RPC 2.0, section 6"
        "if there is nothing to send, send nothing"
    // No clause forbids it, but the receiver can't take it.
    10 BATCH_TOO_LONG "batch-too-long" Error
        "the batch has more messages than the limit"
        "JSON-RPC 2.0, section 6"
        "split the batch, or raise the receiver's limit"
    11 BATCH_MIXED "batch-mixed" Error
        "the batch contains both calls and responses"
        "MCP 2025-03-26, schema and basic/transports"
        "send calls and responses in separate batches"

    // The object and its members.
    12 NOT_AN_OBJECT "not-an-object" Error
        "the message is not a JSON object"
        "JSON-RPC 2.0, sections 4 and 5"
        "wrap the value in a request, a notification or a response"
    // RFC 8259 has "SHOULD", RFC 7493 has "MUST". An error, because two peers can act on different values.
    13 DUPLICATE_MEMBER "duplicate-member" Error
        "the same member appears twice, and peers differ in which value they use"
        "RFC 8259, section 4; RFC 7493, section 2.3"
        "write each member once"
    14 LONE_SURROGATE "lone-surrogate" Error
        "a name or an id that peers compare contains an unpaired surrogate"
        "RFC 8259, section 8.2; RFC 7493, section 2.1"
        "escape characters beyond U+FFFF as a pair of surrogates, or write them as UTF-8"
    15 MISSING_JSONRPC "missing-jsonrpc" Error
        "the member \"jsonrpc\" is missing"
        "JSON-RPC 2.0, sections 4 and 5"
        "add the member \"jsonrpc\":\"2.0\""
    16 WRONG_VERSION "wrong-version" Error
        "the version is not the string \"2.0\""
        "JSON-RPC 2.0, sections 4 and 5"
        "write \"jsonrpc\":\"2.0\", as a string"
    17 RESULT_AND_ERROR "result-and-error" Error
        "the response has both a result and an error"
        "JSON-RPC 2.0, section 5"
        "leave out the one that does not apply; null does not stand for absent"
    18 METHOD_IN_RESPONSE "method-in-response" Error
        "the message has a method, like a request, and a result or an error, like a response"
        "JSON-RPC 2.0, sections 4 and 5"
        "send the call and the answer as two messages"
    19 NO_SHAPE "no-shape" Error
        "the object has neither a method, nor a result, nor an error"
        "JSON-RPC 2.0, sections 4 and 5"
        "add the method to call, or the result or error of the response"

    // The id.
    20 ID_TYPE "id-type" Error
        "the id is neither a string nor a number"
        "JSON-RPC 2.0, section 4; MCP, basic"
        "use a string or an integer; leave the id out of a notification"
    21 ID_NULL "id-null" Error
        "the id is null, so no response can be matched to its request"
        "JSON-RPC 2.0, section 4 (SHOULD NOT); MCP, basic (MUST NOT)"
        "use a string or an integer; leave the id out of a notification"
    22 ID_FRACTION "id-fraction" Error
        "the id is a number with a fractional part"
        "JSON-RPC 2.0, section 4 (SHOULD NOT); MCP, basic (string or integer)"
        "use an integer or a string"
    23 RESPONSE_WITHOUT_ID "response-without-id" Error
        "the response has no id"
        "JSON-RPC 2.0, section 5; MCP, basic"
        "add the id of the request, exactly as received"

    // The other members.
    24 METHOD_TYPE "method-type" Error
        "the method is not a string"
        "JSON-RPC 2.0, section 4"
        "write the method's name as a string"
    25 PARAMS_TYPE "params-type" Error
        "params has a type that is not allowed"
        "JSON-RPC 2.0, section 4.2 (array or object); MCP, basic (object)"
        "pass params as an object, or leave the member out: null does not stand for absent"
    26 RESULT_TYPE "result-type" Error
        "the result is not an object"
        "MCP, basic, responses"
        "wrap the value in an object; use {} if there is no value"
    27 ERROR_TYPE "error-type" Error
        "the error is not an object"
        "JSON-RPC 2.0, section 5.1"
        "write an object with a code and a message"
    28 ERROR_CODE_MISSING "error-code-missing" Error
        "the error has no code"
        "JSON-RPC 2.0, section 5.1"
        "add an integer member \"code\""
    29 ERROR_CODE_TYPE "error-code-type" Error
        "the error code is not an integer"
        "JSON-RPC 2.0, section 5.1"
        "write the code as an integer, without quotes"
    30 ERROR_MESSAGE_MISSING "error-message-missing" Error
        "the error has no message"
        "JSON-RPC 2.0, section 5.1"
        "add a string member \"message\""
    31 ERROR_MESSAGE_TYPE "error-message-type" Error
        "the error message is not a string"
        "JSON-RPC 2.0, section 5.1"
        "write the message as a string, and anything else as \"data\""

    // Legal, but handled wrongly by some peers.
    32 ID_NOT_PLAIN_INTEGER "id-not-plain-integer" Warning
        "the id is an integer, in a notation that peers rewrite"
        "JSON-RPC 2.0, section 4"
        "write the id in plain digits, without a point, an exponent or minus zero"
    33 ID_UNSAFE_INTEGER "id-unsafe-integer" Warning
        "the id is beyond 2^53 - 1, so peers that use doubles round it"
        "RFC 8259, section 6; RFC 7493, section 2.2"
        "use a smaller integer or a string"
    // "MUST NOT", unless it is an extension of JSON-RPC, which the frame does not show.
    34 METHOD_RESERVED "method-reserved" Note
        "the method begins with \"rpc.\", which is reserved for extensions of JSON-RPC"
        "JSON-RPC 2.0, section 4"
        "choose another name, unless this is such an extension"
    35 ERROR_CODE_HTTP "error-code-http" Warning
        "the error code looks like an HTTP status code"
        "JSON-RPC 2.0, section 5.1"
        "use a code of JSON-RPC or of the protocol, and put the status into \"data\""
    36 ERROR_CODE_RESERVED "error-code-reserved" Warning
        "the error code is in a reserved range, and this protocol does not define it"
        "JSON-RPC 2.0, section 5.1; MCP 2026-07-28, basic, error codes"
        "use a code outside the range -32768 to -32000"
    37 MEMBER_LOOKALIKE "member-lookalike" Warning
        "the name of this member resembles that of a standard member"
        "JSON-RPC 2.0, section 2 (names are case-sensitive)"
        "spell the name exactly: some peers read this as the standard member"
    38 UNKNOWN_MEMBER "unknown-member" Note
        "the protocol does not define this member"
        "JSON-RPC 2.0, sections 4 and 5"
        "move it into params, result or data: strict peers drop the message"
    // Reported only under rules that ask for it: any method may have parameters of its own.
    39 NESTED_MEMBER_LOOKALIKE "nested-member-lookalike" Warning
        "the name of this member resembles one that peers and gateways act on"
        "JSON-RPC 2.0, section 4.2 (names match exactly, including case)"
        "spell the name exactly, or choose one that differs by more than case and invisible characters"

    // Hints about bytes that are not JSON.
    40 LOG_LINE "log-line" Note
        "the line looks like log output"
        "MCP, basic/transports, stdio"
        "log to stderr or to a file: stdout carries the messages"
    41 CONTENT_LENGTH_HEADER "content-length-header" Note
        "the line looks like a header of the Language Server Protocol"
        "LSP, base protocol; MCP, basic/transports, stdio"
        "send each message on its own line, without headers"
    42 UTF16 "utf16" Note
        "the text looks like UTF-16"
        "RFC 8259, section 8.1"
        "write UTF-8; on Windows, set the encoding of the pipe"
    // A hint beside the error that the piece is not JSON.
    43 EMBEDDED_NEWLINE "embedded-newline" Note
        "the line looks like part of a message that spans several lines"
        "MCP, basic/transports, stdio (no embedded newlines)"
        "serialize without indentation, on one line"
    // Below the envelope, in names that peers and gateways act on, and in any object.
    // As for `duplicate-member`.
    44 DUPLICATE_NESTED_MEMBER "duplicate-nested-member" Error
        "a member that peers and gateways act on appears twice"
        "RFC 8259, section 4; RFC 7493, section 2.3"
        "write each member once"
    // As for `duplicate-member`, but it is not known what peers do with it.
    45 DUPLICATE_INNER_MEMBER "duplicate-inner-member" Warning
        "an object in the payload has two members with the same name"
        "RFC 8259, section 4 (SHOULD); RFC 7493, section 2.3"
        "write each member once: peers differ in which value they use"

    // The end of a stream, and the place of the next frame in it.
    46 UNFINISHED_FRAME "unfinished-frame" Error
        "the wire ends before this frame does"
        "LSP, base protocol; HTML, server-sent events; RFC 8259, section 2"
        "write all of the body, the blank line after the event, or the last bracket"
    47 HEADER_MALFORMED "header-malformed" Error
        "this is not a header, which is a name, a colon and a value in visible ASCII"
        "LSP, base protocol, header part; RFC 9110, section 5"
        "write nothing but headers and bodies, and count the length of bodies in bytes"
    48 HEADER_LINE_END "header-line-end" Error
        "a line of a header does not end with CR and LF"
        "LSP, base protocol, header part"
        "end each header with \\r\\n, and the header block with an empty line"
    49 HEADER_TOO_LONG "header-too-long" Error
        "the headers of one frame are longer than the limit"
        "LSP, base protocol, header part"
        "send fewer headers, or raise the receiver's limit on them"
    50 CONTENT_LENGTH_MISSING "content-length-missing" Error
        "the headers do not state the length of the body"
        "LSP, base protocol, header part"
        "send the header Content-Length with every message, and nothing after its body"
    51 CONTENT_LENGTH_INVALID "content-length-invalid" Error
        "a length is decimal digits and less than 2^64"
        "LSP, base protocol, header part; RFC 9110, section 8.6"
        "write the number of bytes in the body, in decimal digits and nothing else"
    52 CONTENT_LENGTH_CONFLICT "content-length-conflict" Error
        "the header Content-Length appears twice, and peers differ in which value they use"
        "RFC 9110, section 8.6"
        "send the header once"
    53 CHARSET_UNSUPPORTED "charset-unsupported" Error
        "the header Content-Type names a charset other than UTF-8"
        "LSP, base protocol, content part; RFC 8259, section 8.1"
        "encode bodies in UTF-8, and write charset=utf-8 or no charset"
    54 VALUE_EXPECTED "value-expected" Error
        "this begins no JSON value"
        "RFC 8259, section 2"
        "write nothing but values with whitespace between them; log to stderr, or to a file"

    // Reported only together with lookalikes below the envelope. No clause forbids it, but two peers can act on
    // different values.
    55 NUL_CHARACTER "nul-character" Error
        "an id, a method or a value that peers act on contains U+0000"
        "RFC 8259, sections 7 and 9"
        "leave the character out: parsers written in C read the text up to it"

    // Reported only together with repeated names. Otherwise a large object could hide them.
    56 TOO_MANY_NAMES "too-many-names" Error
        "the objects of the payload have more names than can be compared"
        "RFC 8259, section 9 (limits of an implementation)"
        "send the members in several messages, or as elements of an array"

    // Reported only together with repeated names. No clause forbids them, but common parsers refuse them or read others.
    57 LONE_INNER_SURROGATE "lone-inner-surrogate" Warning
        "a string in the payload contains an unpaired surrogate"
        "RFC 8259, section 8.2; RFC 7493, section 2.1"
        "escape characters beyond U+FFFF as a pair of surrogates, or write them as UTF-8"
    58 NUMBER_OUT_OF_RANGE "number-out-of-range" Warning
        "a number in the payload is beyond the range of doubles"
        "RFC 8259, section 6; RFC 7493, section 2.2"
        "send a smaller number, or a string: peers refuse it or read infinity"
}

#[cfg(test)]
mod tests {
    use core::num::NonZeroU16;
    use std::collections::HashSet;
    use std::format;

    use super::{ALL, Rule, from_name, help, name, severity, spec_ref, summary};
    use crate::rule::Severity;

    #[test]
    fn names_and_numbers_are_unique_and_names_are_in_kebab_case() {
        let numbers: HashSet<_> = ALL.iter().map(|rule| rule.number()).collect();
        let names: HashSet<_> = ALL.iter().map(|&rule| name(rule)).collect();
        assert_eq!((names.len(), numbers.len()), (ALL.len(), ALL.len()));
        for name in names {
            let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(name.chars().all(kebab), "{name}");
            assert_eq!(from_name(name).map(super::name), Some(name));
        }
        assert!(numbers.iter().all(|number| (1..256).contains(number)));
    }

    #[test]
    fn texts_are_one_line_and_there() {
        for &rule in ALL {
            for text in [summary(rule), spec_ref(rule), help(rule)] {
                assert!(
                    !text.is_empty() && !text.contains('\n') && !text.ends_with('.'),
                    "{rule:?}"
                );
            }
        }
    }

    #[test]
    fn errors_of_the_envelope_come_before_its_traps() {
        for rule in ALL.iter().copied().take_while(|rule| *rule != Rule::DUPLICATE_NESTED_MEMBER) {
            let is_milder = matches!(rule, Rule::UNTERMINATED_FRAME | Rule::LINE_SEPARATOR);
            let is_error = rule < Rule::ID_NOT_PLAIN_INTEGER && !is_milder;
            assert_eq!(severity(rule) == Severity::Error, is_error, "{rule:?}");
        }
    }

    #[test]
    fn a_rule_of_another_table_has_no_text() {
        let other = Rule::from_number(NonZeroU16::MAX);
        assert_eq!((name(other), severity(other)), ("unknown-rule", Severity::Error));
        assert_eq!(from_name("unknown-rule"), None);
        assert_eq!(format!("{other:?} {:?}", Rule::NOT_JSON), "Rule(65535) Rule(not-json)");
        assert_eq!(format!("{other} {:>10}", Rule::NOT_JSON), "rule 65535   not-json");
    }
}
