//! Lookup of several members of an object in one pass.

use super::{Kind, RawJson, RawStr};

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
    pub(super) fn pick_into(
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
