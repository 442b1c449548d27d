//! Short texts as keys of a map.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};

/// The length of a text that needs no allocation: UUIDs are this long.
const SHORT: usize = 36;

/// The text of an id. Most are short, and an allocation for each would take more time than the rest of the lookup.
#[derive(Debug)]
pub(super) enum Key {
    /// A text of this length, followed by zeros.
    Short(u8, [u8; SHORT]),
    Long(Box<[u8]>),
}

impl From<&[u8]> for Key {
    fn from(text: &[u8]) -> Self {
        let mut bytes = [0; SHORT];
        match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
            (Some(place), Ok(length)) => {
                place.copy_from_slice(text);
                Self::Short(length, bytes)
            }
            _ => Self::Long(text.into()),
        }
    }
}

impl Borrow<[u8]> for Key {
    fn borrow(&self) -> &[u8] {
        match self {
            Self::Short(length, bytes) => bytes.get(..usize::from(*length)).unwrap_or(bytes),
            Self::Long(text) => text,
        }
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Borrow::<[u8]>::borrow(self).hash(state);
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        Borrow::<[u8]>::borrow(self) == Borrow::<[u8]>::borrow(other)
    }
}

impl Eq for Key {}
