//! Some members of an object, found in one pass.

use super::{Kind, RawJson, RawStr};

/// The values of the members that were asked for by [`RawJson::pick`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picked<'buf, const N: usize> {
    values: [Option<RawJson<'buf>>; N],
    present: [bool; N],
    repeated: Option<RawStr<'buf>>,
}

impl<'buf, const N: usize> Picked<'buf, N> {
    /// Nothing. As a constant it is zeros, and not put together piece by piece.
    const NONE: Self = Self { values: [None; N], present: [false; N], repeated: None };

    /// What an object has of up to `N` names.
    pub(crate) fn of(object: RawJson<'buf>, names: &[&str]) -> Self {
        let mut picked = Self::NONE;
        picked.repeated = object.pick_into(names, &mut picked.values, &mut picked.present);
        picked
    }

    /// The values, in the order in which their names were asked for.
    ///
    /// A member that is not there has none, and neither has one that is there twice: peers differ in
    /// which of the two they believe.
    #[must_use]
    pub const fn values(&self) -> [Option<RawJson<'buf>>; N] {
        self.values
    }

    /// Whether the members are there, once or more often.
    #[must_use]
    pub const fn present(&self) -> [bool; N] {
        self.present
    }

    /// The [`values`](Self::values), where they are.
    pub(crate) const fn as_values(&self) -> &[Option<RawJson<'buf>>; N] {
        &self.values
    }

    /// The value of the name of this number; see [`values`](Self::values).
    pub(crate) fn value(&self, number: usize) -> Option<RawJson<'buf>> {
        *self.values.get(number)?
    }

    /// Whether the member of the name of this number is there; see [`present`](Self::present).
    pub(crate) fn has(&self, number: usize) -> bool {
        self.present.get(number) == Some(&true)
    }

    /// The first name among those asked for that appears for the second time.
    #[must_use]
    pub const fn repeated(&self) -> Option<RawStr<'buf>> {
        self.repeated
    }
}

impl<'buf> RawJson<'buf> {
    /// The values of the members of these names, if it is an object. Names are compared after
    /// unescaping, and the object is passed over once. Each name is to be asked for once.
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

    /// Of these names the values, whether they are there, and which is the first that is there again. This is
    /// compiled once, and not for every number of names.
    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
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
