//! The fast path of parsing: it accepts what is plainly a message.
//!
//! It never rejects. The validator decides on everything that it does not accept, and would have accepted the rest as
//! well.

use super::kinds::Kinds;
use super::{Layout, Member, Message, Profile, Values};
use crate::scan::{self, Descend, Known, Level, Sink, Span, has_backslash, is_digits};

/// The reason why the fast path does not accept a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Undecided {
    /// The fast scanner does not accept the text.
    Text,
    /// The fast scanner accepts the text, but the validator has to decide about the members.
    Members,
}

/// Parses a frame that is plainly a message.
#[inline(always)]
pub(super) fn message<'buf>(
    frame: &'buf [u8],
    profile: &Profile,
) -> Result<Message<'buf>, Undecided> {
    if profile.changes_severities() {
        return Err(Undecided::Members);
    }
    let mut members = PlainMembers::new(frame);
    scan::document(frame, profile.max_depth(), &mut members).ok_or(Undecided::Text)?;
    members.layout(profile).map(|layout| Message::new(frame, layout)).ok_or(Undecided::Members)
}

/// Parses a line, without its newline, that is plainly a message and has no CR in it.
#[inline(always)]
pub(super) fn delimited<'buf>(
    frame: &'buf [u8],
    profile: &Profile,
) -> Result<Message<'buf>, Undecided> {
    if profile.changes_severities() {
        return Err(Undecided::Members);
    }
    let mut members = PlainMembers::new(frame);
    let end = scan_line(frame, profile.max_depth(), &mut members);
    end.filter(|&end| end == frame.len()).ok_or(Undecided::Text)?;
    members.layout(profile).map(|layout| Message::new(frame, layout)).ok_or(Undecided::Members)
}

/// Parses the line at the start of the bytes, if it is plainly a message. Returns its layout and the offset of its LF.
#[cfg_attr(not(feature = "fast"), allow(dead_code, reason = "streams do not ask then"))]
#[inline(always)]
pub(crate) fn line(bytes: &[u8], profile: &Profile) -> Result<(Layout, usize), Undecided> {
    if profile.changes_severities() {
        return Err(Undecided::Members);
    }
    let mut members = PlainMembers::new(bytes);
    let end = scan_line(bytes, profile.max_depth(), &mut members);
    let end = end.filter(|&end| end < bytes.len()).ok_or(Undecided::Text)?;
    members.layout(profile).map(|layout| (layout, end)).ok_or(Undecided::Members)
}

/// Scans a line, and returns the offset of its LF or of the end of the bytes.
///
/// It is not inlined, so that the scanner is compiled once, in this crate. Otherwise each generic caller would have a
/// copy, and the processor would learn the branches of each copy separately.
#[inline(never)]
fn scan_line(bytes: &[u8], max_depth: u8, members: &mut PlainMembers<'_>) -> Option<usize> {
    scan::line(bytes, max_depth, members).map(|(_, end)| end)
}

/// Records the spans of the members, and whether one of them is unusual.
struct PlainMembers<'buf> {
    frame: &'buf [u8],
    values: Values,
    /// A bit for each member that is present.
    present: u64,
    /// The sum of the same bits, which differs if a member appears twice.
    sum: u64,
    /// A bit for each member that is a string without escapes, or consists only of digits.
    plain: u16,
    unknown: u32,
    /// True if the version was recognized together with its name.
    is_version_2: bool,
    /// True if a name has escapes, or the frame is an array.
    odd: bool,
    /// The number of the current member, at each level.
    top: usize,
    inner: usize,
}

const JSONRPC: usize = Member::JSONRPC.index();
const ID: usize = Member::ID.index();
const METHOD: usize = Member::METHOD.index();
const PARAMS: usize = Member::PARAMS.index();
const RESULT: usize = Member::RESULT.index();
const ERROR: usize = Member::ERROR.index();
const CODE: usize = Member::CODE.index();
const MESSAGE: usize = Member::MESSAGE.index();
const DATA: usize = Member::DATA.index();
/// The number that stands for no known member.
const NAMES: usize = DATA + 1;

/// Returns the length of these bytes, at most eight, if the word begins with them.
#[inline(always)]
const fn begins_with<const N: usize>(bytes: &[u8; N], word: u64) -> Option<usize> {
    let (mut expected, mut mask) = ([0; 8], [0; 8]);
    let (mut to, mut from): (&mut [u8], &[u8]) = (&mut expected, bytes);
    let mut masks: &mut [u8] = &mut mask;
    while let ([byte, bytes_rest @ ..], [mask, masks_rest @ ..], [first, rest @ ..]) =
        (to, masks, from)
    {
        *byte = *first;
        *mask = 0xFF;
        (to, masks, from) = (bytes_rest, masks_rest, rest);
    }
    if word & u64::from_le_bytes(mask) == u64::from_le_bytes(expected) { Some(N) } else { None }
}

/// The text after the name of the version and its closing quote, without a space or with one.
const VERSION: &[u8; 6] = b":\"2.0\"";
const SPACED_VERSION: &[u8; 7] = b": \"2.0\"";

impl<'buf> PlainMembers<'buf> {
    #[inline(always)]
    fn new(frame: &'buf [u8]) -> Self {
        let values = Values::default();
        Self {
            frame,
            values,
            present: 0,
            sum: 0,
            plain: 0,
            unknown: 0,
            is_version_2: false,
            odd: false,
            top: NAMES,
            inner: NAMES,
        }
    }

    #[inline(always)]
    fn take(&mut self, level: Level, member: usize) {
        let bit = 1 << member;
        self.present |= bit;
        self.sum = self.sum.wrapping_add(bit);
        match level {
            Level::Top => self.top = member,
            Level::Inner => self.inner = member,
        }
    }

    #[inline(always)]
    fn named(
        &mut self,
        member: usize,
        length: usize,
        level: Level,
        following: impl FnOnce() -> u64,
    ) -> Known {
        let mut length = length;
        if member == JSONRPC || member == MESSAGE {
            let following = following();
            if following.to_le_bytes()[0] != b':' {
                return Known::Nothing;
            }
            if member == JSONRPC
                && let Some(value) =
                    begins_with(VERSION, following).or(begins_with(SPACED_VERSION, following))
            {
                self.take(level, member);
                self.is_version_2 = true;
                return Known::Member(length.wrapping_add(value));
            }
            length = length.wrapping_add(1);
        }
        self.take(level, member);
        Known::Name(length, if member == ERROR { Descend::Enter } else { Descend::Skip })
    }

    #[inline(always)]
    const fn under_way(&self, level: Level) -> usize {
        match level {
            Level::Top => self.top,
            Level::Inner => self.inner,
        }
    }

    #[inline(always)]
    const fn has(&self, member: usize) -> bool {
        self.present & 1 << member != 0
    }
}

impl Sink for PlainMembers<'_> {
    #[inline(always)]
    fn known(&mut self, level: Level, word: u64, following: impl FnOnce() -> u64) -> Known {
        // One comparison after another, each with its constants in the code. A lookup in a table would have to wait for
        // memory.
        macro_rules! names {
            ($($name:literal => $member:ident),*) => {{
                $(if let Some(length) = begins_with($name, word) {
                    return self.named($member, length, level, following);
                })*
            }};
        }
        match level {
            Level::Top => names!(
                b"jsonrpc\"" => JSONRPC, b"id\":" => ID, b"method\":" => METHOD,
                b"params\":" => PARAMS, b"result\":" => RESULT, b"error\":" => ERROR
            ),
            Level::Inner => names!(b"code\":" => CODE, b"message\"" => MESSAGE, b"data\":" => DATA),
        }
        Known::Nothing
    }

    #[inline(always)]
    fn plain(&mut self, level: Level, value: Span) {
        self.plain |= 1 << self.under_way(level);
        self.value(level, value);
    }

    fn name(&mut self, level: Level, name: Span) -> Descend {
        let name = name.of(self.frame).unwrap_or(b"");
        // Whitespace follows each of these names. Otherwise `known` would have recognized them.
        let member = match (level, name) {
            (Level::Top, b"\"jsonrpc\"") => JSONRPC,
            (Level::Top, b"\"id\"") => ID,
            (Level::Top, b"\"method\"") => METHOD,
            (Level::Top, b"\"params\"") => PARAMS,
            (Level::Top, b"\"result\"") => RESULT,
            (Level::Top, b"\"error\"") => ERROR,
            (Level::Inner, b"\"code\"") => CODE,
            (Level::Inner, b"\"message\"") => MESSAGE,
            (Level::Inner, b"\"data\"") => DATA,
            _ => NAMES,
        };
        if member != NAMES {
            self.take(level, member);
            return if member == ERROR { Descend::Enter } else { Descend::Skip };
        }
        // A name with escapes may be any name.
        self.odd |= name.contains(&b'\\');
        self.unknown = self.unknown.saturating_add(u32::from(level == Level::Top));
        match level {
            Level::Top => self.top = NAMES,
            Level::Inner => self.inner = NAMES,
        }
        Descend::Skip
    }

    #[inline(always)]
    fn value(&mut self, level: Level, value: Span) {
        let member = self.under_way(level);
        if let Some(kept) = self.values.place(member) {
            *kept = value;
        }
    }

    fn element(&mut self) {
        self.odd = true;
    }
}

/// The checks of the members, one by one. `None` stands for anything that is not plainly valid.
impl PlainMembers<'_> {
    #[inline(always)]
    fn layout(&self, profile: &Profile) -> Option<Layout> {
        let is_odd = self.odd || self.sum != self.present;
        if is_odd || !self.is_version_2 && self.text(JSONRPC)? != b"\"2.0\"" {
            return None;
        }
        if self.has(ID) && !self.is_id()? {
            return None;
        }
        let is_legal = match (self.has(METHOD), self.has(RESULT), self.has(ERROR)) {
            (true, false, false) => {
                self.is_string(METHOD)?
                    && (!self.has(PARAMS) || profile.params.intersects(self.begun(PARAMS)?))
            }
            // The validator decides on responses without an id, and on responses with `params`.
            _ if !self.has(ID) || self.has(PARAMS) => false,
            (false, true, false) => profile.results.intersects(self.begun(RESULT)?),
            (false, false, true) => self.is_error()?,
            _ => false,
        };
        is_legal.then(|| Layout::of_object(&self.values, self.unknown))
    }

    /// Returns the span of the value, which is empty if the member is absent.
    #[inline(always)]
    fn span(&self, member: usize) -> Span {
        self.values.at(member)
    }

    #[inline(always)]
    fn text(&self, member: usize) -> Option<&[u8]> {
        self.span(member).of(self.frame)
    }

    #[inline(always)]
    const fn is_plain(&self, member: usize) -> bool {
        self.plain & 1 << member != 0
    }

    /// Returns the first byte of the value.
    #[inline(always)]
    fn first(&self, member: usize) -> Option<u8> {
        self.frame.get(crate::cast::index(self.span(member).start())).copied()
    }

    /// Returns whether the value is a string without escapes, which cannot contain an unpaired surrogate.
    #[inline(always)]
    fn is_string(&self, member: usize) -> Option<bool> {
        let is_string = self.first(member)? == b'"';
        Some(is_string && (self.is_plain(member) || !has_backslash(self.frame, self.span(member))))
    }

    /// Returns whether the id is a string without escapes, or an integer in plain digits. Both are legal under all
    /// rules.
    #[inline(always)]
    fn is_id(&self) -> Option<bool> {
        match (self.first(ID)?, self.is_plain(ID)) {
            (b'"', _) => self.is_string(ID),
            (_, true) => Some(true),
            (_, false) => self.is_integer(ID),
        }
    }

    /// Returns whether the value consists of digits, possibly after a minus.
    #[inline(always)]
    fn is_integer(&self, member: usize) -> Option<bool> {
        let span = self.span(member);
        let is_negative = self.first(member)? == b'-';
        let digits = Span::between(span.start().wrapping_add(u32::from(is_negative)), span.end());
        Some(!digits.is_empty() && is_digits(self.frame, digits))
    }

    /// Returns the kinds that the value can have, by its first byte.
    #[inline(always)]
    fn begun(&self, member: usize) -> Option<Kinds> {
        self.first(member).map(Kinds::begun_by)
    }

    #[inline(never)]
    fn is_error(&self) -> Option<bool> {
        Some(self.first(ERROR)? == b'{' && self.first(MESSAGE)? == b'"' && self.is_integer(CODE)?)
    }
}
