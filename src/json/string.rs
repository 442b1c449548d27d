//! Strings, which decode lazily.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

use crate::bytes::FAST;
use crate::cast::{index_u64, u64_from};
use crate::excerpt::Excerpt;
use crate::scan;

/// A string as it was written between its quotes.
///
/// Two strings are equal if they decode to the same text. Comparison with a `&str` decodes too: `"\u0069d"`
/// equals `"id"`.
///
/// ```
/// use tautline::RawJson;
///
/// let value = RawJson::parse(br#""caf\u00e9""#).unwrap();
/// let text = value.string().unwrap();
/// assert_eq!(text, "café");
/// assert_eq!(text.escaped_bytes(), br"caf\u00e9");
/// assert_eq!(text.unescaped(), None, "it has an escape in it");
/// let mut buffer = [0; 16];
/// assert_eq!(text.decode_into(&mut buffer), Ok("café"));
/// ```
#[derive(Clone, Copy)]
pub struct RawStr<'buf> {
    /// The text between the quotes.
    text: &'buf [u8],
}

/// An unpaired surrogate escape: one of `\ud800` to `\udfff` without its other half.
///
/// The JSON grammar allows it, but UTF-8 cannot encode it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct LoneSurrogate {
    unit: u16,
    offset: usize,
}

impl LoneSurrogate {
    /// Returns the UTF-16 code unit, 0xD800 to 0xDFFF.
    #[must_use]
    pub const fn unit(&self) -> u16 {
        self.unit
    }

    /// Returns the offset of the escape's backslash in the string's text, in bytes.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for LoneSurrogate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an escape stands for half a character")
    }
}

impl core::error::Error for LoneSurrogate {}

/// The reason why a string could not be decoded into a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum DecodeError {
    /// The buffer is too small.
    BufferTooSmall {
        /// The length in bytes of the decoded text.
        needed: usize,
    },
    /// The string contains an unpaired surrogate, so it has no decoded form.
    LoneSurrogate(LoneSurrogate),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BufferTooSmall { needed } => {
                f.write_str("the decoded text needs ")?;
                fmt::Display::fmt(needed, f)?;
                f.write_str(" bytes")
            }
            Self::LoneSurrogate(lone) => fmt::Display::fmt(lone, f),
        }
    }
}

impl core::error::Error for DecodeError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::BufferTooSmall { .. } => None,
            Self::LoneSurrogate(lone) => Some(lone),
        }
    }
}

impl From<LoneSurrogate> for DecodeError {
    fn from(lone: LoneSurrogate) -> Self {
        Self::LoneSurrogate(lone)
    }
}

impl<'buf> RawStr<'buf> {
    /// The empty string.
    #[doc(hidden)]
    pub const EMPTY: Self = Self::new(b"");

    /// Creates a view of text that the scanner has found to be the contents of a string.
    pub(super) const fn new(text: &'buf [u8]) -> Self {
        Self { text }
    }

    /// Creates a view of the span of a frame in which the scanner has found a string, quotes included.
    #[cfg_attr(any(feature = "fast", not(any(target_os = "none", target_os = "unknown"))), inline)]
    #[cfg_attr(
        all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
        inline(never)
    )]
    pub(crate) fn at(frame: &'buf [u8], quoted: scan::Span) -> Self {
        match quoted.of(frame) {
            Some([_, inside @ .., _]) => Self::new(inside),
            _ => Self::EMPTY,
        }
    }

    /// Returns the text between the quotes, with its escapes. To compare the string, use `==`, which decodes it.
    #[must_use]
    pub const fn escaped_bytes(&self) -> &'buf [u8] {
        self.text
    }

    /// Returns whether the text contains an escape.
    #[must_use]
    pub fn has_escapes(&self) -> bool {
        crate::bytes::find(b'\\', self.text).is_some()
    }

    /// Returns the string if it has no escapes, and `None` if it has: most strings of most senders have none, but a
    /// peer may escape any character. Its UTF-8 is checked again.
    #[must_use]
    pub fn unescaped(&self) -> Option<&'buf str> {
        if self.has_escapes() {
            return None;
        }
        core::str::from_utf8(self.text).ok()
    }

    /// Returns an iterator over the decoded characters, which are `Result`s: an escape may be an unpaired surrogate, and
    /// so no character.
    #[must_use]
    pub const fn chars(&self) -> Chars<'buf> {
        Chars { text: self.text, at: 0 }
    }

    /// Returns whether the decoded string begins with this text.
    #[must_use]
    pub fn starts_with(&self, prefix: &str) -> bool {
        let mut characters = self.chars();
        prefix.chars().all(|expected| characters.value() == Some(expected.into()))
    }

    /// Returns the string without this ASCII prefix, if it has the prefix.
    #[doc(hidden)]
    pub fn strip_ascii(&self, prefix: &[u8]) -> Option<Self> {
        let mut characters = self.chars();
        let is_there = prefix.iter().all(|&byte| characters.value() == Some(byte.into()));
        is_there.then(|| Self::new(self.text.get(characters.at..).unwrap_or_default()))
    }

    /// Returns the length of the decoded string, in bytes.
    ///
    /// # Errors
    ///
    /// Returns [`LoneSurrogate`] if the string contains an unpaired surrogate.
    pub fn decoded_len(&self) -> Result<usize, LoneSurrogate> {
        self.chars().try_fold(0, |length: usize, character| {
            character.map(|character| length.saturating_add(character.len_utf8()))
        })
    }

    /// Decodes the string into the front of a buffer. The decoded string is never longer than the text
    /// between the quotes.
    ///
    /// # Errors
    ///
    /// Fails if the buffer is too small, or the string contains an unpaired surrogate.
    pub fn decode_into<'out>(&self, buffer: &'out mut [u8]) -> Result<&'out str, DecodeError> {
        let needed = self.decoded_len()?;
        let out = buffer.get_mut(..needed).ok_or(DecodeError::BufferTooSmall { needed })?;
        let mut at = 0;
        for character in self.chars() {
            let mut encoded = [0; 4];
            for &byte in character?.encode_utf8(&mut encoded).as_bytes() {
                if let Some(to) = out.get_mut(at) {
                    *to = byte;
                }
                at = at.saturating_add(1);
            }
        }
        core::str::from_utf8(out).map_err(|_| DecodeError::BufferTooSmall { needed })
    }

    /// Decodes the string. The result is borrowed if the string has no escapes.
    ///
    /// # Errors
    ///
    /// Returns [`LoneSurrogate`] if the string contains an unpaired surrogate.
    #[cfg(feature = "alloc")]
    #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
    pub fn decode(&self) -> Result<alloc::borrow::Cow<'buf, str>, LoneSurrogate> {
        match self.unescaped() {
            Some(text) => Ok(text.into()),
            None => self.chars().collect::<Result<alloc::string::String, _>>().map(Into::into),
        }
    }

    /// Returns the first unpaired surrogate escape, if there is one.
    #[must_use]
    pub fn lone_surrogate(&self) -> Option<LoneSurrogate> {
        let offset = self.glance().lone_surrogate()?;
        let (unit, _) = escaped_unit(self.text, offset.wrapping_add(1));
        Some(LoneSurrogate { unit, offset })
    }

    /// Scans the string once for everything that is needed of a member name.
    #[cfg_attr(
        all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
        inline(never)
    )]
    pub(crate) fn glance(self) -> Glance {
        if FAST && let Some(plain) = self.plain_glance() {
            return plain;
        }
        let mut units = self.chars();
        let mut packed = 1;
        // The index after a high surrogate that still needs its low one, or 0.
        let mut half = 0;
        loop {
            let unit = units.unit();
            let is_second = matches!(unit, Some(0xDC00..=0xDFFF));
            if (half > 0) != is_second {
                // Each surrogate escape has six bytes.
                let end = if is_second { units.at } else { half };
                return Glance(Glance::LONE | u64_from(end.wrapping_sub(6)));
            }
            let Some(unit) = unit else { return Glance(packed) };
            half = if matches!(unit, 0xD800..=0xDBFF) { units.at } else { 0 };
            let is_short = unit < 0x80 && packed >> 56 == 0;
            packed = if is_short { packed << 8 | u64::from(unit) } else { Glance::LONG };
        }
    }

    /// Does the same for a string without escapes. Returns `None` for some others too.
    #[inline]
    fn plain_glance(self) -> Option<Glance> {
        if self.text.len() > 7 {
            return (!self.has_escapes()).then_some(Glance(Glance::LONG));
        }
        let (mut packed, mut is_plain) = (1, true);
        for &byte in self.text {
            packed = packed << 8 | u64::from(byte);
            is_plain &= byte.is_ascii() & (byte != b'\\');
        }
        is_plain.then_some(Glance(packed))
    }
}

/// A summary of a member name in one word, which a microcontroller keeps in registers.
#[derive(Clone, Copy)]
pub(crate) struct Glance(u64);

impl Glance {
    /// The flag for an unpaired surrogate. The other bits are the offset of its escape, in bytes.
    const LONE: u64 = 1 << 63;

    /// The flag for a name that cannot be packed.
    const LONG: u64 = 1 << 62;

    /// Returns the decoded text packed into a word, if it is at most seven characters of ASCII: 8 bits for
    /// each, after a leading 1. The value for any other text never equals a packed one.
    pub(crate) const fn packed(self) -> u64 {
        self.0
    }

    /// Returns the offset in bytes of the first unpaired surrogate escape, if there is one.
    pub(crate) fn lone_surrogate(self) -> Option<usize> {
        (self.0 & Self::LONE != 0).then(|| index_u64(self.0 & !Self::LONE))
    }
}

/// An iterator over the decoded characters of a [`RawStr`]. Each item is a [`Result`]: a character, or the unpaired
/// surrogate that the text has in its place, after which the iterator continues.
#[derive(Clone)]
pub struct Chars<'buf> {
    text: &'buf [u8],
    at: usize,
}

impl Chars<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.text.get(self.at)?;
        self.at = self.at.wrapping_add(1);
        Some(byte)
    }

    /// Returns the next code point: a character or an unpaired surrogate.
    #[doc(hidden)]
    pub fn value(&mut self) -> Option<u32> {
        let at = self.at;
        if let &byte @ ..0x80 = self.text.get(at)? {
            self.at = at.wrapping_add(1);
            return Some(if byte == b'\\' { self.escape() } else { byte.into() });
        }
        let character = scan::character(self.text, at)?;
        self.at = at.wrapping_add(character.len_utf8());
        Some(character.into())
    }

    /// Returns the next byte, or the UTF-16 code unit of the next escape.
    #[inline]
    fn unit(&mut self) -> Option<u16> {
        match self.byte()? {
            b'\\' => Some(self.escaped_unit()),
            byte => Some(byte.into()),
        }
    }

    /// Decodes an escape from after its backslash into a UTF-16 code unit.
    #[inline]
    fn escaped_unit(&mut self) -> u16 {
        let unit;
        (unit, self.at) = escaped_unit(self.text, self.at);
        unit
    }

    /// Decodes an escape from after its backslash into a character or an unpaired surrogate.
    fn escape(&mut self) -> u32 {
        let high = u32::from(self.escaped_unit());
        let behind = self.at;
        if matches!(high, 0xD800..=0xDBFF)
            && self.byte() == Some(b'\\')
            && let low @ 0xDC00..=0xDFFF = u32::from(self.escaped_unit())
        {
            return 0x1_0000 + ((high & 0x3FF) << 10 | low & 0x3FF);
        }
        self.at = behind;
        high
    }
}

/// Decodes the escape whose backslash is right before index `at`. Returns its UTF-16 code unit and the index
/// after it.
#[cfg_attr(
    all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
    inline(never)
)]
fn escaped_unit(text: &[u8], at: usize) -> (u16, usize) {
    let mut chars = Chars { text, at };
    let unit = match chars.byte().unwrap_or_default() {
        b'b' => 0x8,
        b'f' => 0xC,
        b'n' => 0xA,
        b'r' => 0xD,
        b't' => 0x9,
        b'u' => {
            let mut unit = 0;
            for _ in 0..4 {
                let byte = chars.byte().unwrap_or(b'0');
                // The letters follow `@` and the backtick, whose low four bits are 0.
                let letter = if byte > b'9' { 9 } else { 0 };
                unit = unit << 4 | u16::from((byte & 0x0F).wrapping_add(letter));
            }
            unit
        }
        byte => byte.into(),
    };
    (unit, chars.at)
}

/// Returns the character of the escape at `offset`, unless it is an unpaired surrogate.
fn character(value: u32, offset: usize) -> Result<char, LoneSurrogate> {
    // A value that is not a character is a surrogate, which fits in 16 bits.
    let lone = |_| LoneSurrogate { unit: u16::try_from(value).unwrap_or_default(), offset };
    char::try_from(value).map_err(lone)
}

impl Iterator for Chars<'_> {
    type Item = Result<char, LoneSurrogate>;

    fn next(&mut self) -> Option<Self::Item> {
        let offset = self.at;
        self.value().map(|value| character(value, offset))
    }
}

impl core::iter::FusedIterator for Chars<'_> {}

impl PartialEq for RawStr<'_> {
    fn eq(&self, other: &Self) -> bool {
        if !self.has_escapes() && !other.has_escapes() {
            return self.text == other.text;
        }
        // Unpaired surrogates with the same value are equal, however they are written.
        let (mut own, mut others) = (self.chars(), other.chars());
        loop {
            let value = own.value();
            if value != others.value() {
                return false;
            }
            if value.is_none() {
                return true;
            }
        }
    }
}

impl Eq for RawStr<'_> {}

impl PartialEq<str> for RawStr<'_> {
    #[cfg_attr(not(any(target_os = "none", target_os = "unknown")), inline)]
    fn eq(&self, other: &str) -> bool {
        // An escape is longer than what it stands for.
        #[cfg(feature = "fast")]
        if self.text.len() <= other.len() {
            return self.text == other.as_bytes() && !other.bytes().any(|byte| byte == b'\\');
        }
        // Most names differ at once.
        #[cfg(not(any(target_os = "none", target_os = "unknown")))]
        if let Some(first) = self.text.first()
            && *first != b'\\'
            && other.as_bytes().first() != Some(first)
        {
            return false;
        }
        self.is_decoded(other)
    }
}

impl RawStr<'_> {
    /// Returns whether the text without its escapes is this one.
    fn is_decoded(&self, other: &str) -> bool {
        let (other, mut at) = (other.as_bytes(), 0_usize);
        let mut chars = self.chars();
        // Unescaped text is compared byte for byte.
        while let Some(byte) = chars.byte() {
            let length = match byte {
                b'\\' => {
                    let Some(character) = scan::character(other, at) else { return false };
                    (u32::from(character) == chars.escape()).then(|| character.len_utf8())
                }
                byte => (other.get(at) == Some(&byte)).then_some(1),
            };
            let Some(length) = length else { return false };
            at = at.wrapping_add(length);
        }
        at == other.len()
    }
}

impl PartialEq<&str> for RawStr<'_> {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl PartialEq<RawStr<'_>> for str {
    fn eq(&self, other: &RawStr<'_>) -> bool {
        other == self
    }
}

impl PartialEq<RawStr<'_>> for &str {
    fn eq(&self, other: &RawStr<'_>) -> bool {
        other == *self
    }
}

impl Hash for RawStr<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut characters = self.chars();
        while let Some(value) = characters.value() {
            value.hash(state);
        }
        0xFF_u8.hash(state);
    }
}

/// Orders strings as their decoded texts, code point by code point, which is the order of `str`.
impl Ord for RawStr<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.compare(*other, false)
    }
}

impl RawStr<'_> {
    /// Compares the code points of two texts, or those before U+0000.
    pub(super) fn compare(self, other: RawStr<'_>, up_to_nul: bool) -> Ordering {
        let (mut characters, mut others) = (self.chars(), other.chars());
        let is_inside = |character: &u32| !up_to_nul || *character != 0;
        loop {
            match (characters.value().filter(is_inside), others.value().filter(is_inside)) {
                (None, None) => return Ordering::Equal,
                (a, b) if a == b => {}
                (a, b) => return a.cmp(&b),
            }
        }
    }
}

impl PartialOrd for RawStr<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
impl PartialEq<alloc::string::String> for RawStr<'_> {
    fn eq(&self, other: &alloc::string::String) -> bool {
        *self == **other
    }
}

#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
impl PartialEq<RawStr<'_>> for alloc::string::String {
    fn eq(&self, other: &RawStr<'_>) -> bool {
        *other == **self
    }
}

impl fmt::Debug for RawStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawStr(\"{}\")", Excerpt(self.text))
    }
}

impl fmt::Debug for Chars<'_> {
    /// Writes the text that is left.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = self.text.get(self.at..).unwrap_or_default();
        write!(f, "Chars(\"{}\")", Excerpt(rest))
    }
}

impl fmt::Display for RawStr<'_> {
    /// Writes the decoded string, with U+FFFD for an unpaired surrogate.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        self.chars().try_for_each(|c| f.write_char(c.unwrap_or(char::REPLACEMENT_CHARACTER)))
    }
}

#[cfg(test)]
mod tests {
    use std::format;
    use std::string::String;

    use crate::json::RawJson;

    #[test]
    fn a_glance_agrees_with_the_characters() {
        const PIECES: [&str; 13] = [
            "",
            "a",
            "id",
            "jsonrpc",
            r"\u0000",
            r"\u0069",
            r"\n",
            r"\ud800",
            r"\udc00",
            r"\ud83d\ude00",
            r"\u00e9",
            "é",
            "\u{1F600}",
        ];
        for first in PIECES {
            for second in PIECES {
                for third in PIECES {
                    let text = format!("\"{first}{second}{third}\"");
                    let string = RawJson::parse(text.as_bytes()).unwrap().string().unwrap();
                    let glance = string.glance();
                    let lone = string.chars().find_map(Result::err);
                    assert_eq!(glance.lone_surrogate(), lone.map(|lone| lone.offset()), "{text}");
                    assert_eq!(string.lone_surrogate(), lone, "{text}");

                    let decoded: Option<String> = string.chars().map(Result::ok).collect();
                    match decoded.filter(|text| text.is_ascii() && text.len() <= 7) {
                        Some(short) => {
                            let packed =
                                short.bytes().fold(1, |all, byte| all << 8 | u64::from(byte));
                            assert_eq!(glance.packed(), packed, "{text}");
                        }
                        None => assert_ne!(glance.packed() >> 57, 0, "{text}"),
                    }
                }
            }
        }
    }
}
