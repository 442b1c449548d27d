//! Detection of repeated members, of which other parsers would keep another one or none.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::RawStr;
use super::skip::Place;

/// Returns the offset of a name in a valid text that its object has before. If an object repeats several names,
/// returns the first of them.
pub(super) fn first(text: &[u8]) -> Option<usize> {
    // The names of all open objects, each with its offset.
    let mut names: Vec<(Cow<'_, [u8]>, usize)> = Vec::new();
    // For each open container, the index of its first name, if it is an object.
    let mut open = Vec::new();
    let (mut place, mut expects_name) = (Place::before(text, 0), false);
    let mut at = 0_usize;
    while let Some(byte) = place.step() {
        match byte {
            b'"' if core::mem::take(&mut expects_name) => {
                let name = text.get(at.saturating_add(1)..place.at.saturating_sub(1));
                names.push((decoded(name.unwrap_or_default()), at));
            }
            b'{' => {
                open.push(Some(names.len()));
                expects_name = true;
            }
            b'[' => open.push(None),
            b',' => expects_name = matches!(open.last(), Some(Some(_))),
            b'}' | b']' => {
                expects_name = false;
                if let Some(Some(start)) = open.pop() {
                    let repeated = first_of(names.get_mut(start..).unwrap_or_default());
                    if repeated.is_some() {
                        return repeated;
                    }
                    names.truncate(start);
                }
            }
            _ => {}
        }
        at = place.at;
    }
    None
}

/// Returns the lowest offset of a name that is the same as an earlier one.
fn first_of(names: &mut [(Cow<'_, [u8]>, usize)]) -> Option<usize> {
    names.sort_unstable();
    let pairs = names.iter().zip(names.iter().skip(1));
    let repeated = pairs.filter(|((before, _), (name, _))| before == name);
    repeated.map(|(_, (_, at))| *at).min()
}

/// Decodes a name. A name with an unpaired surrogate is kept as written, because no text can hold it.
fn decoded(name: &[u8]) -> Cow<'_, [u8]> {
    if !name.contains(&b'\\') {
        return name.into();
    }
    RawStr::new(name).decode().map_or(name.into(), |text| text.into_owned().into_bytes().into())
}
