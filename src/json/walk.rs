//! Iterators over the members of an object and the elements of an array, and members picked by name.

use core::fmt;

use super::{Kind, RawJson, RawStr, skip};
use crate::excerpt::Excerpt;

/// A member of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "RFC 8259, section 4: a name and a value")]
pub struct Member<'buf> {
    /// The name.
    pub name: RawStr<'buf>,
    /// The value.
    pub value: RawJson<'buf>,
}

/// An iterator over the members of an object in order, duplicates included.
#[derive(Clone)]
pub struct Members<'buf> {
    walk: Walk<'buf>,
}

/// An iterator over the elements of an array.
#[derive(Clone)]
pub struct Elements<'buf> {
    walk: Walk<'buf>,
}

impl<'buf> RawJson<'buf> {
    /// Returns the members in order, if the value is an object.
    #[must_use]
    pub fn members(&self) -> Option<Members<'buf>> {
        (self.kind() == Kind::Object).then(|| Members::new(self.as_bytes()))
    }

    /// Returns the elements, if the value is an array.
    #[must_use]
    pub fn elements(&self) -> Option<Elements<'buf>> {
        (self.kind() == Kind::Array).then(|| Elements::new(self.as_bytes()))
    }

    /// Returns the value of the member with this name, if the value is an object that has exactly one. A
    /// [repeated](super#repeated-members) member has no value.
    ///
    /// Names are compared after unescaping. All members are visited. To read many members,
    /// [`pick`](Self::pick) them, or iterate over [`members`](Self::members) once.
    ///
    /// ```
    /// use tautline::RawJson;
    ///
    /// let object = RawJson::parse(br#"{"name":"add","cursor":1,"cursor":2}"#).unwrap();
    /// assert_eq!(object.member("name").unwrap().as_bytes(), b"\"add\"");
    /// assert_eq!(object.member("cursor"), None, "two peers may read two values");
    /// ```
    #[must_use]
    pub fn member(&self, name: &str) -> Option<Self> {
        let mut value = None;
        self.pick_into(&[name], core::slice::from_mut(&mut value), &mut [false]);
        value
    }
}

impl<'buf> Members<'buf> {
    const fn new(object: &'buf [u8]) -> Self {
        Self { walk: Walk::within(object, 0) }
    }

    /// Returns the next member, and the offset in the object of the opening quote of its name.
    #[doc(hidden)]
    pub fn next_at(&mut self) -> Option<(usize, Member<'buf>)> {
        let (at, _, member) = self.next_places()?;
        Some((at, member))
    }

    /// Returns the next member, and the offsets in the object of its name and of its value.
    #[doc(hidden)]
    pub fn next_places(&mut self) -> Option<(usize, usize, Member<'buf>)> {
        let name = self.walk.next_name()?;
        let (value_at, value) = self.walk.next_value()?;
        Some((name.at, value_at, Member { name: name.text, value }))
    }

    /// Returns the value of the next member with this name.
    #[doc(hidden)]
    pub fn next_named(&mut self, name: &str) -> Option<RawJson<'buf>> {
        self.find(|member| member.name == *name).map(|member| member.value)
    }
}

impl<'buf> Iterator for Members<'buf> {
    type Item = Member<'buf>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_at().map(|(_, member)| member)
    }
}

impl<'buf> Elements<'buf> {
    const fn new(array: &'buf [u8]) -> Self {
        Self { walk: Walk::within(array, 0) }
    }

    /// Returns the next element, and its offset in the array.
    #[doc(hidden)]
    pub fn next_at(&mut self) -> Option<(usize, RawJson<'buf>)> {
        self.walk.next_value()
    }
}

impl<'buf> Iterator for Elements<'buf> {
    type Item = RawJson<'buf>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_at().map(|(_, value)| value)
    }
}

impl fmt::Debug for Members<'_> {
    /// Writes the text that is left.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Members({})", Excerpt(self.walk.rest()))
    }
}

impl fmt::Debug for Elements<'_> {
    /// Writes the text that is left.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Elements({})", Excerpt(self.walk.rest()))
    }
}

impl core::iter::FusedIterator for Members<'_> {}
impl core::iter::FusedIterator for Elements<'_> {}

/// A name in an object.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
#[non_exhaustive]
pub struct Name<'buf> {
    /// The index of the opening quote.
    pub at: usize,
    pub text: RawStr<'buf>,
    /// The [key](Self::key_of) of the text as it was written, or 0 if it was not determined.
    pub key: u128,
}

impl Name<'_> {
    /// Returns the bytes of a text, which zeros follow. Returns 0 if they are more than 15.
    #[doc(hidden)]
    #[must_use]
    pub const fn key_of(text: &str) -> u128 {
        let (mut bytes, mut key) = (text.as_bytes(), [0; 16]);
        if bytes.len() >= key.len() {
            return 0;
        }
        let mut places = key.as_mut_slice();
        while let ([byte, rest @ ..], [place, others @ ..]) = (bytes, places) {
            *place = *byte;
            (bytes, places) = (rest, others);
        }
        u128::from_le_bytes(key)
    }
}

/// A text that contains a container, and a position between two values in that container.
#[derive(Clone)]
#[doc(hidden)]
#[derive(Debug)]
pub struct Walk<'buf> {
    text: &'buf [u8],
    at: usize,
}

impl<'buf> Walk<'buf> {
    /// Creates a walk of the container whose opening bracket is at index `at`.
    #[doc(hidden)]
    pub const fn within(text: &'buf [u8], at: usize) -> Self {
        Self { text, at: at.wrapping_add(1) }
    }

    /// Returns the text after the position.
    fn rest(&self) -> &'buf [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Returns the next value or name, and its index.
    #[doc(hidden)]
    pub fn next_value(&mut self) -> Option<(usize, RawJson<'buf>)> {
        let start = self.next_start()?;
        Some((start, self.value_from(start)?))
    }

    /// Returns the index of the next value or name, after any punctuation. Returns `None` at the closing
    /// bracket.
    #[doc(hidden)]
    #[cfg_attr(not(any(target_os = "none", target_os = "unknown")), inline)]
    pub fn next_start(&mut self) -> Option<usize> {
        // Most values and names come right after a separator.
        if cfg!(not(any(target_os = "none", target_os = "unknown")))
            && let Some([b',' | b':', first, ..]) = self.text.get(self.at..)
            && !matches!(first, 0..=b' ' | b'}' | b']')
        {
            self.at = self.at.wrapping_add(1);
            return Some(self.at);
        }
        // Outside strings, bytes up to a space are whitespace.
        while let Some(0..=b' ' | b',' | b':') = self.text.get(self.at) {
            self.at = self.at.wrapping_add(1);
        }
        (!matches!(self.text.get(self.at)?, b'}' | b']')).then_some(self.at)
    }

    /// Returns the next name. Returns `None` at the closing bracket.
    #[doc(hidden)]
    #[cfg_attr(not(any(target_os = "none", target_os = "unknown")), inline(always))]
    pub fn next_name(&mut self) -> Option<Name<'buf>> {
        let at = self.next_start()?;
        let inside = at.wrapping_add(1);
        // On a microcontroller, names have no keys.
        if cfg!(not(any(target_os = "none", target_os = "unknown")))
            && let Some((length, key)) = skip::short_string(self.text, inside)
        {
            let end = inside.wrapping_add(length);
            self.at = end.wrapping_add(1);
            return Some(Name { at, text: RawStr::new(self.text.get(inside..end)?), key });
        }
        self.at = skip::value(self.text, at);
        let text = RawStr::new(self.text.get(inside..self.at.wrapping_sub(1))?);
        Some(Name { at, text, key: 0 })
    }

    /// Continues at this index, such as the end of a value.
    #[doc(hidden)]
    pub const fn go_on(&mut self, end: usize) {
        self.at = end;
    }

    /// Returns the index after the container, once there is no next value.
    #[doc(hidden)]
    pub const fn end(&self) -> usize {
        self.at.wrapping_add(1)
    }

    /// Returns the kind of the value at the position, to which [`next_start`](Self::next_start) has led.
    #[doc(hidden)]
    pub fn kind(&self) -> Kind {
        RawJson::new(self.rest()).kind()
    }

    /// Enters the container at the position.
    #[doc(hidden)]
    pub const fn enter(&mut self) {
        self.at = self.at.wrapping_add(1);
    }

    /// Skips the next value.
    #[doc(hidden)]
    pub fn skip(&mut self) {
        if let Some(start) = self.next_start() {
            self.skip_from(start);
        }
    }

    /// Skips the value that begins at this index.
    #[doc(hidden)]
    #[cfg_attr(not(any(target_os = "none", target_os = "unknown")), inline)]
    pub fn skip_from(&mut self, start: usize) {
        self.at = skip::value(self.text, start);
    }

    /// Skips the object that begins at this index, which is the value of a member, and maybe more of the members that
    /// follow it, as long as their values are objects too.
    #[doc(hidden)]
    pub fn skip_objects_from(&mut self, start: usize) {
        self.at = skip::objects(self.text, start);
    }

    /// Skips the value that begins at this index, and returns it.
    #[doc(hidden)]
    pub fn value_from(&mut self, start: usize) -> Option<RawJson<'buf>> {
        self.skip_from(start);
        self.text.get(start..self.at).map(RawJson::new)
    }
}

/// The values of the members requested from [`RawJson::pick`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picked<'buf, const N: usize> {
    values: [Option<RawJson<'buf>>; N],
    present: [bool; N],
    repeated: Option<RawStr<'buf>>,
}

impl<'buf, const N: usize> Picked<'buf, N> {
    /// No members. As a constant it is all zeros, which is cheaper than building it field by field.
    const NONE: Self = Self { values: [None; N], present: [false; N], repeated: None };

    /// Looks up to `N` names in an object.
    #[doc(hidden)]
    pub fn of(object: RawJson<'buf>, names: &[&str]) -> Self {
        let mut picked = Self::NONE;
        picked.repeated = object.pick_into(names, &mut picked.values, &mut picked.present);
        picked
    }

    /// Returns the values, in the order of the requested names.
    ///
    /// A missing or [repeated](super#repeated-members) member has the value `None`.
    #[must_use]
    pub const fn values(&self) -> [Option<RawJson<'buf>>; N] {
        self.values
    }

    /// Returns whether each member is present, once or more often.
    #[must_use]
    pub const fn present(&self) -> [bool; N] {
        self.present
    }

    /// Returns a reference to the [`values`](Self::values).
    #[doc(hidden)]
    pub const fn as_values(&self) -> &[Option<RawJson<'buf>>; N] {
        &self.values
    }

    /// Returns the value of the name at this index; see [`values`](Self::values).
    #[doc(hidden)]
    pub fn value(&self, number: usize) -> Option<RawJson<'buf>> {
        *self.values.get(number)?
    }

    /// Returns whether the name at this index is present; see [`present`](Self::present).
    #[doc(hidden)]
    pub fn has(&self, number: usize) -> bool {
        self.present.get(number) == Some(&true)
    }

    /// Returns the first requested name that appears for the second time.
    #[must_use]
    pub const fn repeated(&self) -> Option<RawStr<'buf>> {
        self.repeated
    }
}

impl<'buf> RawJson<'buf> {
    /// Looks up the members with these names, if the value is an object. Names are compared after unescaping.
    /// The object is scanned once. Request each name only once.
    ///
    /// ```
    /// use tautline::RawJson;
    ///
    /// let params = RawJson::parse(br#"{"uri":"a:b","n\u0061me":"add","name":"rm"}"#).unwrap();
    /// let picked = params.pick(&["uri", "name", "cursor"]).unwrap();
    /// let [uri, name, cursor] = picked.values();
    /// assert_eq!(uri.unwrap().as_bytes(), br#""a:b""#);
    /// assert_eq!((name, cursor), (None, None));
    /// assert_eq!(picked.repeated().unwrap(), "name");
    /// ```
    #[must_use]
    pub fn pick<const N: usize>(&self, names: &[&str; N]) -> Option<Picked<'buf, N>> {
        if self.kind() != Kind::Object {
            return None;
        }
        Some(Picked::of(*self, names))
    }

    /// Looks up these names: stores their values and whether they are present, and returns the first name
    /// that is repeated. This is compiled once, not once for each number of names.
    #[inline(never)]
    fn pick_into(
        &self,
        names: &[&str],
        values: &mut [Option<Self>],
        present: &mut [bool],
    ) -> Option<RawStr<'buf>> {
        let mut repeated = None;
        for member in self.members()? {
            let mut places = names.iter().zip(&mut *values).zip(&mut *present);
            let place = places.find(|((name, _), _)| member.name == ***name);
            let Some(((_, value), present)) = place else { continue };
            *value = (!*present).then_some(member.value);
            if *present {
                repeated = repeated.or(Some(member.name));
            }
            *present = true;
        }
        repeated
    }
}

#[cfg(test)]
mod tests {
    use std::format;

    use super::{Name, Walk};

    /// Names are short or long, and near the end of the text or far from it.
    #[test]
    fn names_have_the_keys_of_their_texts() {
        let letters = "abcdefghijklmnopqrstuvwxyz";
        for (length, _) in letters.char_indices() {
            for after in 0..20 {
                let (written, _) = letters.split_at(length);
                let text = format!("{{ \"{written}\" :{}}}", "\"".repeat(after));
                let name = Walk::within(text.as_bytes(), 0).next_name().unwrap();
                assert_eq!((name.at, name.text.escaped_bytes()), (2, written.as_bytes()));
                let key = Name::key_of(written);
                let may_lack = length > 15
                    || after < 17
                    || cfg!(any(target_os = "none", target_os = "unknown"));
                assert!(name.key == key || name.key == 0 && may_lack, "{text}");
                assert_eq!(key == 0, length == 0 || length > 15, "{written}");
                for place in written.chars().take(15) {
                    assert!(length > 15 || Name::key_of(&written.replace(place, "X")) != key);
                }
            }
        }
    }

    #[test]
    fn names_end_at_their_first_quote_without_escape() {
        for written in
            [r#"\""#, r#"a\"b"#, r"\\", r#"\\\""#, r"a\u0022", r#"0123456789\"abcdefghij"#]
        {
            let text = format!("{{\"{written}\":0, \"and more that is long\":1}}");
            let mut walk = Walk::within(text.as_bytes(), 0);
            assert_eq!(walk.next_name().unwrap().text.escaped_bytes(), written.as_bytes());
            assert_eq!(walk.next_start(), Some(written.len() + 4), "{text}");
        }
    }

    #[test]
    fn values_begin_after_separators_and_spaces() {
        for (text, start) in [
            ("[1", Some(1)),
            ("[,1", Some(2)),
            ("[ , 1", Some(4)),
            ("[:\n1", Some(3)),
            ("[]", None),
            ("[,]", None),
            ("[ }", None),
            ("[,", None),
            ("[", None),
        ] {
            assert_eq!(Walk::within(text.as_bytes(), 0).next_start(), start, "{text}");
        }
    }
}
