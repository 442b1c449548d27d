//! Skimming: what is known of a frame that nobody could keep.

use core::fmt;

use super::fault::Owed;
use super::judge::Judge;
use super::member::{Member, Members, Set, Shape};
use super::read::Reading;
use super::{Fault, Rules};
use crate::cast::u64_from;
use crate::frame::{Delimiter, Oversized};
use crate::json::{RawJson, RawStr};
use crate::scan::{Level, Outer, Resumable, Span, Syntax, Watcher};

/// Watches a frame over the limit go by, in pieces, and keeps its id and its method, wherever in it they
/// stand.
///
/// It goes over every byte, by the grammar of the [scanner](crate::scan), and takes the members that an
/// [`Envelope`] would: it never finds an id that is not there. Its size is constant.
///
/// A [`MessageStream`](crate::stream::MessageStream::skimming) and the readers do all of this by
/// themselves. By hand, beside a driver of [frames](crate::frame):
///
/// ```
/// use tautline::envelope::Skimmer;
/// use tautline::frame::{Assembler, FrameEvent};
/// use tautline::{Fault, Rules};
///
/// let mut assembler = Assembler::new([0; 16]);
/// let mut skimmer = Skimmer::new(&Rules::JSON_RPC);
/// let mut chunk: &[u8] = b"{\"method\":\"a\",\"params\":[1,2,3],\"id\":\"x-1\"}\n";
/// let event = assembler.next_watched(&mut chunk, |piece| skimmer.push(piece));
/// let Some(FrameEvent::Oversized(oversized)) = event else { panic!() };
///
/// let skimmed = skimmer.finish();
/// assert_eq!(skimmed.id().unwrap().as_bytes(), b"\"x-1\"");
/// assert_eq!(skimmed.method().unwrap(), "a");
/// let fault = Fault::of_skimmed(&oversized, &skimmed, &Rules::JSON_RPC);
/// let reply = fault.reply().unwrap();
/// assert_eq!((reply.code().value(), reply.id_in(skimmed.text())), (-32600, Some(&b"\"x-1\""[..])));
/// ```
///
/// [`Envelope`]: super::Envelope
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skimmer {
    scanner: Resumable,
    found: Found,
    /// How many bytes were shown.
    length: u64,
    /// What was shown is a whole frame: the next piece begins another.
    finished: bool,
}

impl Skimmer {
    /// The longest id that is kept, in bytes, quotes included.
    pub const LONGEST_ID: usize = 64;

    /// The longest method that is kept, in bytes, quotes included.
    pub const LONGEST_METHOD: usize = 64;

    /// A skimmer for frames under these rules, of which it needs the limit on depth.
    #[must_use]
    pub const fn new(rules: &Rules) -> Self {
        let mut new = Self::NEW;
        new.begin(rules.max_depth());
        new
    }

    /// Nothing but zeros, which no program has to keep a copy of.
    const NEW: Self =
        Self { scanner: Resumable::NEW, found: Found::NOTHING, length: 0, finished: false };

    /// Takes the next piece of the frame. Behind [`finish`](Self::finish), it is the first of another.
    pub fn push(&mut self, piece: &[u8]) {
        if self.finished {
            self.begin(self.scanner.max_depth());
        }
        self.length += u64_from(piece.len());
        self.scanner.push(piece, &mut self.found);
    }

    /// Says that the frame has ended, and what it was.
    pub fn finish(&mut self) -> Skimmed<'_> {
        if self.finished {
            // Nothing was shown since.
            self.begin(self.scanner.max_depth());
        }
        self.finished = true;
        let outline = self.found.outline(self.scanner.outer());
        let (id, method) = match outline {
            Outline::NotJson => (&b""[..], &b""[..]),
            _ => {
                let Found { id, method, .. } = &self.found;
                (self.found.only(Member::ID, id), self.found.only(Member::METHOD, method))
            }
        };
        Skimmed { id, method, length: self.length, outline }
    }

    /// Puts other rules in force for the next frame, if none is under way.
    pub(crate) const fn follow(&mut self, rules: &Rules) {
        if self.finished || self.length == 0 {
            self.begin(rules.max_depth());
        }
    }

    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    const fn begin(&mut self, max_depth: u8) {
        *self = Self::NEW;
        self.scanner.limit_to(max_depth);
    }
}

/// What is known of a frame over the limit, as far as a [`Skimmer`] could keep it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Skimmed<'skimmer> {
    id: &'skimmer [u8],
    /// With its quotes, or not a string.
    method: &'skimmer [u8],
    length: u64,
    outline: Outline,
}

/// What a frame is, as far as a [`Skimmer`] can say.
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
    /// What it is.
    #[must_use]
    pub const fn outline(&self) -> Outline {
        self.outline
    }

    /// How many bytes were shown of it.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// The id, legal or not, as [`Envelope::id`] says it; `None` as well if it is longer than
    /// [`Skimmer::LONGEST_ID`]. Of a part that is too deep nothing is kept.
    ///
    /// [`Envelope::id`]: super::Envelope::id
    #[must_use]
    pub fn id(&self) -> Option<RawJson<'skimmer>> {
        (!self.id.is_empty()).then(|| RawJson::at(self.id, Span::new(0, self.id.len())))
    }

    /// The method, if it is a string, as [`Envelope::method`] says it; `None` as well if it is longer
    /// than [`Skimmer::LONGEST_METHOD`].
    ///
    /// [`Envelope::method`]: super::Envelope::method
    #[must_use]
    pub fn method(&self) -> Option<RawStr<'skimmer>> {
        let is_string = self.method.first() == Some(&b'"');
        is_string.then(|| RawStr::at(self.method, Span::new(0, self.method.len())))
    }

    /// What stands for the frame, which is gone: the bytes that the [fault](Fault::of_skimmed) and its
    /// [reply](super::Reply::id_in) are to be asked with for the id.
    #[must_use]
    pub const fn text(&self) -> &'skimmer [u8] {
        self.id
    }

    /// The parts, for whoever keeps them elsewhere.
    #[cfg(feature = "tokio-util-v0_7")]
    pub(crate) const fn parts(&self) -> (&'skimmer [u8], &'skimmer [u8]) {
        (self.id, self.method)
    }

    /// The same with its parts kept elsewhere.
    #[cfg(feature = "tokio-util-v0_7")]
    pub(crate) const fn with_parts<'kept>(
        &self,
        id: &'kept [u8],
        method: &'kept [u8],
    ) -> Skimmed<'kept> {
        Skimmed { id, method, length: self.length, outline: self.outline }
    }

    /// The reply that is owed, as the judge says of all frames.
    fn owed(&self, rules: &Rules) -> Owed {
        let mut members = Members::default();
        let id = Span::new(0, self.id.len());
        let (member, value) = match self.outline {
            Outline::Response => (Member::RESULT, Span::default()),
            _ => (Member::ID, id),
        };
        if !value.is_empty() || matches!(self.outline, Outline::Request | Outline::Response) {
            members.read(member, value);
        }
        members.string_method = matches!(self.outline, Outline::Request | Outline::Notification);
        members.shape = match self.outline {
            Outline::NotJson => Shape::Faulty(Syntax::ExpectedValue),
            Outline::Batch => Shape::Array,
            _ => Shape::Object,
        };
        let reading = Reading { members, ..Reading::unread(self.id, Delimiter::Other) };
        Judge::new(&reading, rules).owed()
    }
}

impl fmt::Debug for Skimmed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Skimmed")
            .field("outline", &self.outline)
            .field("length", &self.length)
            .field("id", &self.id())
            .field("method", &self.method())
            .finish()
    }
}

impl Fault {
    /// The fault of a frame that was too long, with the reply that is owed to what was skimmed of it: the
    /// same that a frame within the limit would be owed, if it were invalid.
    ///
    /// Its id is found in [`Skimmed::text`]. If the skimmer was not shown all of the frame and nothing
    /// else, what it has seen may be the inside of a string, and it is as [`of_oversized`].
    ///
    /// [`of_oversized`]: Self::of_oversized
    #[must_use]
    pub fn of_skimmed(oversized: &Oversized, skimmed: &Skimmed<'_>, rules: &Rules) -> Self {
        let fault = Self::of_oversized(oversized, rules);
        if skimmed.length != oversized.length() {
            return fault;
        }
        Self { owed: skimmed.owed(rules), id: Span::new(0, skimmed.id.len()), ..fault }
    }
}

/// What the scanner has reported of one frame.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    under_way: UnderWay,
    /// What is under way is a string.
    is_string: bool,
    name: Kept<LONGEST_NAME>,
    id: Kept<{ Skimmer::LONGEST_ID }>,
    method: Kept<{ Skimmer::LONGEST_METHOD }>,
    present: Set,
    /// Members that appear several times, or behind a part that was too deep, where nothing is relied on.
    unreliable: Set,
    /// A method is a string: if there are several, any of them.
    string_method: bool,
    too_deep: bool,
}

/// What of a member is under way, or comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnderWay {
    Name,
    /// The value of a member, if that means something.
    Value(Option<Member>),
}

/// No name that means something is longer, quotes included, even if each character is an escape.
const LONGEST_NAME: usize = 64;

impl Found {
    const NOTHING: Self = Self {
        under_way: UnderWay::Name,
        is_string: false,
        name: Kept::NOTHING,
        id: Kept::NOTHING,
        method: Kept::NOTHING,
        present: Set::EMPTY,
        unreliable: Set::EMPTY,
        string_method: false,
        too_deep: false,
    };

    fn outline(&self, outer: Outer) -> Outline {
        match outer {
            Outer::Nothing => Outline::NotJson,
            Outer::Array => Outline::Batch,
            _ if self.present.has(Member::RESULT) || self.present.has(Member::ERROR) => {
                Outline::Response
            }
            _ if !self.string_method => Outline::Other,
            _ if !self.present.has(Member::ID) => Outline::Notification,
            _ => Outline::Request,
        }
    }

    /// The value of this member, if it is the only one, and all there.
    fn only<'found, const N: usize>(&self, member: Member, kept: &'found Kept<N>) -> &'found [u8] {
        if self.unreliable.has(member) { b"" } else { kept.whole() }
    }

    /// Where what is under way is kept, if it is.
    fn kept(&mut self) -> Option<&mut Kept<{ Skimmer::LONGEST_ID }>> {
        match self.under_way {
            UnderWay::Name => Some(&mut self.name),
            UnderWay::Value(Some(Member::ID)) => Some(&mut self.id),
            UnderWay::Value(Some(Member::METHOD)) => Some(&mut self.method),
            UnderWay::Value(_) => None,
        }
    }

    /// The member whose name has ended, if it means something.
    fn named(&mut self) -> Option<Member> {
        let name = self.name.whole();
        let name = RawStr::at(name, Span::new(0, name.len())).glance();
        self.name.length = 0;
        let member = Member::named(Level::Top, name)?;
        if !self.present.insert(member) || self.too_deep {
            self.unreliable.insert(member);
        }
        Some(member)
    }
}

impl Watcher for Found {
    fn begin(&mut self, first: u8) {
        self.is_string = first == b'"';
    }

    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    fn piece(&mut self, piece: &[u8]) {
        if let Some(kept) = self.kept() {
            kept.push(piece);
        }
    }

    fn end(&mut self) {
        self.under_way = match self.under_way {
            UnderWay::Name => UnderWay::Value(self.named()),
            UnderWay::Value(member) => {
                self.string_method |= self.is_string && member == Some(Member::METHOD);
                UnderWay::Name
            }
        };
    }

    fn too_deep(&mut self) {
        self.too_deep = true;
        // The value that it is in is not kept.
        if let Some(kept) = self.kept() {
            kept.drop();
        }
    }
}

/// A value that is kept, if it is short.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kept<const N: usize> {
    bytes: [u8; N],
    /// How long it is; of one that is not kept, more than there is room for.
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

    /// The value, if all of it is there.
    fn whole(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}
