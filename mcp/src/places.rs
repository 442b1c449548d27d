//! Members and elements with their offsets in a frame.

use tautline::internal::json::Walk;
use tautline::json::Kind;
use tautline::{RawJson, RawStr};

/// A member of an object, with the offsets of its name and its value in the frame.
#[derive(Clone, Copy)]
pub(crate) struct Member<'buf> {
    pub(crate) name: RawStr<'buf>,
    pub(crate) name_at: usize,
    pub(crate) at: usize,
    pub(crate) value: RawJson<'buf>,
}

#[cfg(feature = "alloc")]
impl<'buf> Member<'buf> {
    /// Returns the member if its value is an object.
    pub(crate) fn object(self) -> Option<Self> {
        is_object(&self.value).then_some(self)
    }

    /// Returns the value if it is a string.
    pub(crate) fn string(self) -> Option<RawStr<'buf>> {
        self.value.string()
    }
}

/// Returns the members of the object at an offset in the frame.
pub(crate) fn members(frame: &[u8], at: usize) -> impl Iterator<Item = Member<'_>> {
    let mut walk = Walk::within(frame, at);
    core::iter::from_fn(move || next_member(&mut walk))
}

/// Returns the next member of an object.
// Many loops call it, so it is compiled once on a microcontroller.
#[cfg_attr(any(target_os = "none", target_os = "unknown"), inline(never))]
fn next_member<'buf>(walk: &mut Walk<'buf>) -> Option<Member<'buf>> {
    let (name_at, name) = walk.next_value()?;
    let (at, value) = walk.next_value()?;
    Some(Member { name: name.string()?, name_at, at, value })
}

/// Returns the first member of the object at an offset that has this name.
pub(crate) fn member<'buf>(frame: &'buf [u8], at: usize, name: &str) -> Option<Member<'buf>> {
    members(frame, at).find(|member| member.name == *name)
}

/// Returns the first member with each of these names, in the object at an offset.
#[cfg(feature = "alloc")]
pub(crate) fn pick<'buf, const N: usize>(
    frame: &'buf [u8],
    at: usize,
    names: [&str; N],
) -> [Option<Member<'buf>>; N] {
    let mut found = [None; N];
    for member in members(frame, at) {
        let mut places = names.iter().zip(&mut found);
        if let Some((_, place)) = places.find(|(name, _)| member.name == ***name) {
            *place = place.or(Some(member));
        }
    }
    found
}

/// Returns the elements of the array at this offset, each with its own offset.
pub(crate) fn elements(frame: &[u8], at: usize) -> impl Iterator<Item = (usize, RawJson<'_>)> {
    let mut walk = Walk::within(frame, at);
    core::iter::from_fn(move || walk.next_value())
}

/// Returns the offsets of the objects in a member that is an array.
pub(crate) fn objects<'buf>(
    frame: &'buf [u8],
    member: Option<Member<'buf>>,
) -> impl Iterator<Item = usize> + use<'buf> {
    let array = member.filter(|member| member.value.kind() == Kind::Array);
    let elements = array.into_iter().flat_map(|array| elements(frame, array.at));
    elements.filter(|(_, value)| is_object(value)).map(|(at, _)| at)
}

/// Returns whether the value is an object.
pub(crate) fn is_object(value: &RawJson<'_>) -> bool {
    value.kind() == Kind::Object
}
