//! The table of reasons why a framing loses synchronisation.

use crate::name::named;
use crate::table::table;

table! {
    /// The reason why a framing no longer knows where the next frame begins.
    ///
    /// ```
    /// use tautline::frame::{Concatenated, Desync, FrameEvent, Frames};
    ///
    /// let mut frames = Frames::with_framing(b"{} listening on 3000\n", Concatenated::new(64));
    /// assert!(matches!(frames.next(), Some(FrameEvent::Frame(_))));
    /// let Some(FrameEvent::Desynchronised(lost)) = frames.next() else { panic!() };
    /// assert_eq!((lost.cause(), lost.offset()), (Desync::ValueExpected, 3));
    /// assert_eq!(lost.cause().name(), "value-expected");
    /// ```
    pub enum Desync {
        [all()]
        HeaderMalformed "header-malformed"
            "this is not a header, which is a name, a colon and a value in visible ASCII"
            "LSP, base protocol, header part; RFC 9110, section 5"
            "write nothing but headers and bodies, and count the length of bodies in bytes"
        HeaderLineEnd "header-line-end"
            "a line of a header does not end with CR and LF"
            "LSP, base protocol, header part"
            "end each header with \\r\\n, and the header block with an empty line"
        HeaderTooLong "header-too-long"
            "the headers of one frame are longer than the limit"
            "LSP, base protocol, header part"
            "send fewer headers, or raise the receiver's limit on them"
        ContentLengthMissing "content-length-missing"
            "the headers do not state the length of the body"
            "LSP, base protocol, header part"
            "send the header Content-Length with every message, and nothing after its body"
        ContentLengthInvalid "content-length-invalid"
            "a length is decimal digits and less than 2^64"
            "LSP, base protocol, header part; RFC 9110, section 8.6"
            "write the number of bytes in the body, in decimal digits and nothing else"
        ContentLengthConflict "content-length-conflict"
            "the header Content-Length appears twice, and peers differ in which value they use"
            "RFC 9110, section 8.6"
            "send the header once"
        CharsetUnsupported "charset-unsupported"
            "the header Content-Type names a charset other than UTF-8"
            "LSP, base protocol, content part; RFC 8259, section 8.1"
            "encode bodies in UTF-8, and write charset=utf-8 or no charset"
        ValueExpected "value-expected"
            "this begins no JSON value"
            "RFC 8259, section 2"
            "write nothing but values with whitespace between them; log to stderr, or to a file"
    }
}

named!(Desync, "a cause of lost synchronisation");
