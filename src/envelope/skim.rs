//! Skimming: the id and the method of a frame that is too long to be kept.

use core::fmt;

use super::{Fault, Member, MemberSpans, Owed, Profile, Reading, Seen, Shape, Validator};
use crate::cast::u64_from;
use crate::frame::{Delimiter, Oversized};
use crate::json::{RawJson, RawStr};
use crate::scan::{Level, Outer, Resumable, Span, Syntax, Watcher};

/// Scans an oversized frame piece by piece, and keeps its id and its method, wherever they are.
///
/// It checks every byte against the grammar of the [scanner](crate::scan), and finds the same members as an
/// [`Envelope`], so it never finds an id that is not there. Its size is constant.
///
/// A [`MessageStream`](crate::stream::MessageStream), the readers and the codec do this for you. Programs that drive a
/// framing [step by step](crate::frame::Framing::step) show it the bytes that they do not keep:
///
/// ```
/// use tautline::Profile;
/// use tautline::envelope::{Outline, Skimmer};
///
/// let mut skimmer = Skimmer::new(&Profile::JSON_RPC);
/// for piece in [&b"{\"method\":\"a\",\"params\":"[..], b"[1,2,3],\"id\":\"x", b"-1\"}"] {
///     skimmer.push(piece);
/// }
/// let skimmed = skimmer.finish();
/// assert_eq!(skimmed.outline(), Outline::Request);
/// assert_eq!(skimmed.id().unwrap().as_bytes(), b"\"x-1\"");
/// assert_eq!(skimmed.method().unwrap(), "a");
/// ```
///
/// [`Envelope`]: super::Envelope
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skimmer {
    scanner: Resumable,
    found: Findings,
    /// The number of bytes that were pushed.
    length: u64,
    /// True if the frame has ended. The next piece then begins another frame.
    finished: bool,
}

impl Skimmer {
    /// The longest id that is kept, in bytes, quotes included.
    pub const LONGEST_ID: usize = 64;

    /// The longest method that is kept, in bytes, quotes included.
    pub const LONGEST_METHOD: usize = 64;

    /// Creates a skimmer for frames under this profile. It uses only its limit on depth.
    #[must_use]
    pub const fn new(profile: &Profile) -> Self {
        let mut new = Self::NEW;
        new.begin(profile.max_depth());
        new
    }

    /// All zeros, so no program has to store a copy of it.
    const NEW: Self =
        Self { scanner: Resumable::NEW, found: Findings::NOTHING, length: 0, finished: false };

    /// Takes the next piece of the frame. After [`finish`](Self::finish), the piece begins another frame.
    pub fn push(&mut self, piece: &[u8]) {
        if self.finished {
            self.begin(self.scanner.max_depth());
        }
        self.length += u64_from(piece.len());
        self.scanner.push(piece, &mut self.found);
    }

    /// Ends the frame, and returns what is known of it.
    pub fn finish(&mut self) -> Skimmed<'_> {
        if self.finished {
            // Nothing was pushed since the last frame.
            self.begin(self.scanner.max_depth());
        }
        self.finished = true;
        let outer = self.scanner.outer();
        let Findings { id, method, seen, .. } = &self.found;
        let (id, method, seen) = match outer {
            Outer::NoArray => {
                (only(seen, Member::ID, id), only(seen, Member::METHOD, method), *seen)
            }
            Outer::Nothing | Outer::Array => (&b""[..], &b""[..], Seen::NOTHING),
        };
        Skimmed { id, method, length: self.length, outer, seen }
    }

    /// Applies this profile to the next frame, unless a frame has already begun.
    pub(crate) const fn follow(&mut self, profile: &Profile) {
        if self.finished || self.length == 0 {
            self.begin(profile.max_depth());
        }
    }

    #[inline(never)]
    const fn begin(&mut self, max_depth: u8) {
        *self = Self::NEW;
        self.scanner.limit_to(max_depth);
    }
}

/// An oversized frame, as far as a [`Skimmer`] could keep it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Skimmed<'skimmer> {
    id: &'skimmer [u8],
    /// Includes the quotes, if it is a string.
    method: &'skimmer [u8],
    length: u64,
    outer: Outer,
    seen: Seen,
}

/// The kind of an oversized frame, as far as a [`Skimmer`] can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Outline {
    /// Bytes that are not JSON, or not UTF-8.
    NotJson,
    /// An object with a method that is a string, and an id.
    Request,
    /// An object with a method that is a string, and no id.
    Notification,
    /// An object with a `result` or an `error`: it may be a response.
    Response,
    /// An array.
    Batch,
    /// Anything else.
    Other,
}

impl<'skimmer> Skimmed<'skimmer> {
    /// Returns the kind of the frame.
    #[must_use]
    pub const fn outline(&self) -> Outline {
        let seen = &self.seen;
        match self.outer {
            Outer::Nothing => Outline::NotJson,
            Outer::Array => Outline::Batch,
            Outer::NoArray if seen.has(Member::RESULT) || seen.has(Member::ERROR) => {
                Outline::Response
            }
            Outer::NoArray if !seen.string_method => Outline::Other,
            Outer::NoArray if !seen.has(Member::ID) => Outline::Notification,
            Outer::NoArray => Outline::Request,
        }
    }

    /// Returns the number of its bytes that were pushed.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// Returns the id, legal or not, as [`Envelope::id`] does. Also returns `None` if the id is longer than
    /// [`Skimmer::LONGEST_ID`] bytes, or in a part that is too deep.
    ///
    /// [`Envelope::id`]: super::Envelope::id
    #[must_use]
    pub fn id(&self) -> Option<RawJson<'skimmer>> {
        (!self.id.is_empty()).then(|| RawJson::at(self.id, Span::new(0, self.id.len())))
    }

    /// Returns the method, if it is a string, as [`Envelope::method`] does. Also returns `None` if the method is longer
    /// than [`Skimmer::LONGEST_METHOD`] bytes.
    ///
    /// [`Envelope::method`]: super::Envelope::method
    #[must_use]
    pub fn method(&self) -> Option<RawStr<'skimmer>> {
        let is_string = self.method.first() == Some(&b'"');
        is_string.then(|| RawStr::at(self.method, Span::new(0, self.method.len())))
    }

    /// Returns the value of the member `method`, as it was written; empty if it was not kept.
    #[doc(hidden)]
    #[must_use]
    pub const fn method_value(&self) -> &'skimmer [u8] {
        self.method
    }

    /// Returns the fault of a frame that is too long, if all bytes of the frame were pushed and no others. The reply is the
    /// same that an invalid frame within the limit is owed.
    ///
    /// It is for a caller that has its own limit, such as one on the body of an HTTP request. The frames of a stream have
    /// [`Fault::of_skimmed`].
    #[must_use]
    pub fn too_long(&self, profile: &Profile) -> Fault<'skimmer> {
        Fault::too_long(self.id, self.owed(profile))
    }

    /// Returns the id and the method, for callers that store them separately.
    #[cfg(feature = "tokio-util-v0_7")]
    pub(crate) const fn parts(&self) -> (&'skimmer [u8], &'skimmer [u8]) {
        (self.id, self.method)
    }

    /// Returns the same frame with the id and the method stored elsewhere.
    #[cfg(feature = "tokio-util-v0_7")]
    pub(crate) const fn with_parts<'kept>(
        &self,
        id: &'kept [u8],
        method: &'kept [u8],
    ) -> Skimmed<'kept> {
        Skimmed { id, method, ..*self }
    }

    /// Returns the reply that is owed. The validator decides on it, as for all frames.
    fn owed(&self, profile: &Profile) -> Owed {
        let mut members = MemberSpans { seen: self.seen, ..MemberSpans::default() };
        if let Some(value) = members.values.place(Member::ID.index()) {
            *value = Span::new(0, self.id.len());
        }
        members.shape = match self.outer {
            Outer::Nothing => Shape::Faulty(Syntax::ExpectedValue),
            Outer::Array => Shape::Array,
            Outer::NoArray => Shape::Object,
        };
        let reading = Reading { members, ..Reading::unread(self.id, Delimiter::Other) };
        let validator = Validator { reading: &reading, profile };
        match validator.owed() {
            Owed::InvalidEcho
                if !self.seen.has(Member::METHOD) && !self.seen.has(Member::PARAMS) =>
            {
                Owed::InvalidEchoOfNoCall
            }
            owed => owed,
        }
    }
}

impl fmt::Debug for Skimmed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Skimmed")
            .field("outline", &self.outline())
            .field("length", &self.length)
            .field("id", &self.id())
            .field("method", &self.method())
            .finish()
    }
}

impl<'skimmer> Fault<'skimmer> {
    /// Returns the fault of an oversized frame. The reply follows from what was skimmed: it is the same reply that an
    /// invalid frame within the limit is owed.
    ///
    /// If the skimmer did not get all bytes of the frame and no others, it may have seen the inside of a string. The
    /// fault is then the same as from [`of_oversized`](Self::of_oversized).
    #[must_use]
    pub fn of_skimmed(
        oversized: &Oversized,
        skimmed: &Skimmed<'skimmer>,
        profile: &Profile,
    ) -> Self {
        match skimmed.length == oversized.length() {
            true => skimmed.too_long(profile),
            false => Self::of_oversized(oversized, profile),
        }
    }
}

/// The scanner's reports about one frame.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Findings {
    under_way: UnderWay,
    /// True if the current name or value is a string.
    is_string: bool,
    name: Kept<LONGEST_NAME>,
    id: Kept<{ Skimmer::LONGEST_ID }>,
    method: Kept<{ Skimmer::LONGEST_METHOD }>,
    seen: Seen,
}

/// The part of a member that is current, or comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnderWay {
    Name,
    /// The value of a member; `None` if the member is unknown.
    Value(Option<Member>),
}

/// No standard name is longer, quotes included, even if each character is an escape.
const LONGEST_NAME: usize = 64;

impl Findings {
    const NOTHING: Self = Self {
        under_way: UnderWay::Name,
        is_string: false,
        name: Kept::NOTHING,
        id: Kept::NOTHING,
        method: Kept::NOTHING,
        seen: Seen::NOTHING,
    };

    /// Returns the place for the current name or value, if it is kept.
    fn kept(&mut self) -> Option<&mut Kept<{ Skimmer::LONGEST_ID }>> {
        match self.under_way {
            UnderWay::Name => Some(&mut self.name),
            UnderWay::Value(Some(Member::ID)) => Some(&mut self.id),
            UnderWay::Value(Some(Member::METHOD)) => Some(&mut self.method),
            UnderWay::Value(_) => None,
        }
    }

    /// Returns the member whose name has ended, if it is a standard one.
    fn named(&mut self) -> Option<Member> {
        let name = self.name.whole();
        let name = RawStr::at(name, Span::new(0, name.len())).glance();
        self.name.length = 0;
        let member = Member::named(Level::Top, name)?;
        self.seen.insert(member);
        Some(member)
    }
}

/// Returns the value of this member, if it is the only one, and complete.
fn only<'kept, const N: usize>(seen: &Seen, member: Member, kept: &'kept Kept<N>) -> &'kept [u8] {
    if seen.has_only(member) { kept.whole() } else { b"" }
}

impl Watcher for Findings {
    fn begin(&mut self, first: u8) {
        self.is_string = first == b'"';
    }

    #[inline(never)]
    fn piece(&mut self, piece: &[u8]) {
        if let Some(kept) = self.kept() {
            kept.push(piece);
        }
    }

    fn end(&mut self) {
        self.under_way = match self.under_way {
            UnderWay::Name => UnderWay::Value(self.named()),
            UnderWay::Value(member) => {
                self.seen.string_method |= self.is_string && member == Some(Member::METHOD);
                UnderWay::Name
            }
        };
    }

    fn too_deep(&mut self) {
        self.seen.too_deep = true;
        // The value that contains the part is not kept.
        if let Some(kept) = self.kept() {
            kept.drop();
        }
    }
}

/// A value that is kept, if it is short.
#[derive(Clone, PartialEq, Eq)]
struct Kept<const N: usize> {
    bytes: [u8; N],
    /// The length of the value. If the value is not kept, it is more than there is room for.
    length: usize,
}

impl<const N: usize> Kept<N> {
    const NOTHING: Self = Self { bytes: [0; N], length: 0 };

    fn push(&mut self, piece: &[u8]) {
        let end = self.length.saturating_add(piece.len());
        if let Some(room) = self.bytes.get_mut(self.length..end) {
            crate::bytes::copy(piece, room);
        }
        self.length = end;
    }

    const fn drop(&mut self) {
        self.length = usize::MAX;
    }

    /// Returns the value, if it is complete.
    fn whole(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

impl<const N: usize> fmt::Debug for Kept<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::excerpt::Excerpt(self.whole()).fmt(f)
    }
}
