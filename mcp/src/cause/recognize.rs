//! The cause of a fault, whatever kind it is.

use alloc::format;
use alloc::string::String;

use tautline::frame::FramingKind;
use tautline::scan::Syntax;
use tautline::{Envelope, Fault, RawJson, Rule};

use super::encoding::{
    BYTE_ORDER_MARK, NUL_HELP, cut_character, escapes_length, leading_nuls, legacy,
    message_in_utf16,
};
use super::message::{find, messages, of_loose, quote};
use super::{Cause, HINTS, LostMessage, Surroundings, foreign, header, mixture, object, rule};

impl Cause {
    /// Returns the cause of the fault of a frame, or of an element of a batch. `None` if the frame is a message, or if its
    /// fault is all there is to say.
    #[must_use]
    pub fn of(envelope: &Envelope<'_>, around: &Surroundings<'_>) -> Option<Self> {
        let fault = envelope.message().err()?;
        let cause = match fault.rule() {
            Rule::NOT_JSON | Rule::INVALID_UTF8 => Self::of_text(envelope, &fault, around),
            Rule::NOT_AN_OBJECT => {
                let value = RawJson::at(envelope.frame(), envelope.span());
                Some(object::encoded_twice(value)?.after(index(envelope.span().start())))
            }
            Rule::MISSING_JSONRPC | Rule::WRONG_VERSION | Rule::NO_SHAPE => {
                let value = RawJson::at(envelope.frame(), envelope.span());
                Some(object::recognize(value)?.after(index(envelope.span().start())))
            }
            _ => None,
        }?;
        Some(cause.read_in(around.framing))
    }

    /// Returns the cause why a framing is desynchronised. `text` are the bytes after the last event, as far as they are
    /// known, and `at` is the index of the byte that breaks `rule`. `follows_frame` is true if that event was a frame, and
    /// false at the start of a stream or after bytes that were skipped. Offsets are indexes of `text`.
    #[must_use]
    pub fn of_loss(
        rule: Rule,
        framing: FramingKind,
        text: &[u8],
        at: usize,
        follows_frame: bool,
    ) -> Option<Self> {
        let cause = header::of_loss(rule, framing, text, at, follows_frame)?;
        Some(cause.read_in(framing))
    }

    /// Returns the cause of a line that begins a JSON value of several lines. `value` is the value, and `lines` their
    /// number.
    #[must_use]
    pub fn of_lines(value: &[u8], lines: usize) -> Self {
        let words = format!("a JSON value begins here that spans {lines} lines");
        let cause = Self::new(Rule::EMBEDDED_NEWLINE, 0, words);
        cause.in_framing(FramingKind::Concatenated).losing(LostMessage::of(value))
    }

    /// Returns the cause of a line that begins a JSON value in whose strings newlines are not escaped. `value` is the
    /// value, with spaces instead of them.
    #[must_use]
    pub fn of_raw_newlines(value: &[u8]) -> Self {
        let words = String::from("a newline inside a string is not escaped");
        Self::new(Rule::EMBEDDED_NEWLINE, 0, words)
            .losing(LostMessage::of(value))
            .with_help("write a newline in a string as \\n: a JSON serializer escapes it")
    }

    /// Returns the cause of a line that begins a JSON value of several lines whose end is unknown.
    #[must_use]
    pub fn of_open_value() -> Self {
        let words = String::from("a JSON value begins here that spans several lines");
        let cause = Self::new(Rule::EMBEDDED_NEWLINE, 0, words);
        cause.in_framing(FramingKind::Concatenated)
    }

    /// Returns the cause of what follows a JSON value of several lines on its last line. `rest` is that text, without
    /// leading whitespace, and begins at the index `at` of the line. If it begins another value of several lines, it may
    /// contain the lines that follow.
    #[must_use]
    pub fn behind_lines(rest: &[u8], at: usize) -> Self {
        let found = find(rest);
        let starts_message = found.as_ref().is_some_and(|found| found.start == 0);
        if starts_message || matches!(rest.first(), Some(b'{' | b'[')) {
            let words = format!(
                "another {} follows a value on its last line",
                if starts_message { "message" } else { "value" },
            );
            let lost = match starts_message {
                true => messages(rest),
                false => found.into_iter().map(|found| found.lost).collect(),
            };
            let cause = Self::new(rule::GLUED_MESSAGES, at, words).losing(lost);
            return cause.in_framing(FramingKind::Concatenated);
        }
        let text = found.as_ref().and_then(|found| rest.get(..found.start)).unwrap_or(rest);
        let words = format!("text follows a value on its last line: {}", quote(text.trim_ascii()));
        Self::new(rule::STRAY_TEXT, at, words).losing(found.map(|found| found.lost))
    }

    fn of_text(
        envelope: &Envelope<'_>,
        fault: &Fault<'_>,
        around: &Surroundings<'_>,
    ) -> Option<Self> {
        let (frame, at) = (envelope.frame(), index(fault.offset()));
        let hint = hint(envelope);
        let nuls = leading_nuls(frame);
        if nuls > 0 {
            return Some(Self::behind_nuls(frame, nuls));
        }
        if hint == Some(Rule::UTF16) {
            let cause = Self::new(Rule::UTF16, 0, String::new());
            return Some(cause.losing(message_in_utf16(frame)));
        }
        let blank = frame.len() - frame.trim_ascii_start().len();
        let text = frame.trim_ascii_start();
        if let Some(rest) = text.strip_prefix(BYTE_ORDER_MARK) {
            return Self::of_marked(rest, blank, around);
        }
        if let Some(cause) = Self::of_escapes(text, hint) {
            return Some(cause.after(blank));
        }
        if let Some(cause) = foreign::recognize(text, around.framing, around.behind) {
            return Some(cause.after(blank));
        }
        if let Some(cause) = foreign::word(frame, at) {
            return Some(cause);
        }
        if around.framing == FramingKind::ContentLength
            && let Some(cause) = header::of_body(frame, at, around.behind)
        {
            return Some(cause);
        }
        if fault.rule() == Rule::INVALID_UTF8 && text.starts_with(b"{") {
            let cut = cut_character(frame, at).map(|words| (Rule::INVALID_UTF8, words));
            let found = cut.or_else(|| Some((rule::LEGACY_ENCODING, legacy(frame, at)?)));
            if let Some((rule, words)) = found {
                return Some(Self::new(rule, at, words).losing(of_loose(frame)));
            }
        }
        let is_trailing = fault.syntax() == Some(Syntax::TrailingBytes);
        let shape = (is_trailing, hint == Some(Rule::LOG_LINE));
        if let Some(cause) = mixture::recognize(frame, at, shape, around.framing) {
            return Some(cause);
        }
        if fault.syntax() == Some(Syntax::InvalidEscape) && text.starts_with(b"{") {
            return Some(Self::of_backslash(frame, at));
        }
        let rule = hint?;
        let words = if rule == Rule::LOG_LINE { logged(text) } else { String::new() };
        let cause = Self::new(rule, blank, words);
        Some(match rule {
            Rule::CONTENT_LENGTH_HEADER => cause.in_framing(FramingKind::ContentLength),
            Rule::EMBEDDED_NEWLINE => cause.in_framing(FramingKind::Concatenated),
            _ => cause,
        })
    }

    /// Returns the cause of a frame that begins with a byte order mark, before this rest.
    fn of_marked(rest: &[u8], blank: usize, around: &Surroundings<'_>) -> Option<Self> {
        let words = String::from("a byte order mark (EF BB BF) stands before the text");
        let cause = Self::new(rule::BYTE_ORDER_MARK, blank, words);
        if let Some(message) = LostMessage::of(rest) {
            return Some(cause.losing([message]));
        }
        let other = Self::of(&Envelope::read(rest, &tautline::Profile::JSON_RPC), around);
        let length = blank + BYTE_ORDER_MARK.len();
        Some(other.map_or(cause, |other| other.after(length)))
    }

    /// Returns the cause of a frame with a backslash that begins no escape. The fault is at `at`.
    fn of_backslash(frame: &[u8], at: usize) -> Self {
        let until = frame.get(..=at).unwrap_or(frame);
        let start = until.iter().rposition(|&byte| byte == b'\\').unwrap_or(at);
        let escape = until.get(start..).unwrap_or_default();
        let escape = core::str::from_utf8(escape).ok().filter(|escape| {
            escape.len() > 1 && escape.bytes().all(|byte| byte.is_ascii_graphic())
        });
        let words = match escape {
            Some(escape) => format!("{escape} is not an escape of JSON"),
            None => String::from("a backslash begins no escape of JSON"),
        };
        Self::new(Rule::NOT_JSON, at, words).losing(of_loose(frame)).with_help(
            "write a backslash of the text as \\\\, as in a Windows path: a JSON serializer escapes it",
        )
    }

    /// Returns the cause of a frame that begins with NUL bytes, this many of them.
    fn behind_nuls(frame: &[u8], count: usize) -> Self {
        let rest = frame.get(count..).unwrap_or_default();
        let end = rest.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let rest = rest.get(..end).unwrap_or_default();
        let (bytes, verb) =
            if count == 1 { ("a NUL byte", "stands") } else { ("NUL bytes", "stand") };
        let place = if rest.is_empty() { "where a message is due" } else { "before the message" };
        let words = format!("{bytes} {verb} {place}: the terminator of a C string was written");
        let lost = LostMessage::of(rest).or_else(|| of_loose(rest));
        Self::new(rule::STRAY_TEXT, 0, words).losing(lost).with_help(NUL_HELP)
    }

    /// Returns the cause of a text that begins with escape sequences of a terminal.
    fn of_escapes(text: &[u8], hint: Option<Rule>) -> Option<Self> {
        let length = escapes_length(text);
        let (escapes, rest) = text.split_at_checked(length).filter(|_| length > 0)?;
        // Coloured text is log output, whatever stands in it.
        let found = find(rest).filter(|found| found.start == 0);
        let is_log = !rest.is_empty() && found.is_none() && !rest.starts_with(b"{");
        if is_log && hint.is_some() {
            return None;
        }
        let words = format!(
            "a terminal escape sequence stands before the message: {}",
            quote(escapes.trim_ascii())
        );
        let cause = Self::new(rule::TERMINAL_ESCAPE, 0, words);
        Some(cause.losing(found.map(|found| found.lost)))
    }
}

/// Returns what the core has recognised in bytes that are not JSON.
fn hint(envelope: &Envelope<'_>) -> Option<Rule> {
    let mut hint = None;
    envelope.findings(|finding| {
        if HINTS.contains(&finding.rule()) {
            hint = Some(finding.rule());
        }
    });
    hint
}

fn logged(text: &[u8]) -> String {
    format!("the line looks like log output: {}", quote(text))
}

fn index(offset: u32) -> usize {
    tautline::internal::cast::index(offset)
}
