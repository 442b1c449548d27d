//! Legal kinds of values: one mask for each member, which the validator, the fast path and the encoder test. The shapes
//! of payloads use the same masks.

use core::ops::BitOr;

/// A set of the kinds of JSON values, with integers told apart from other numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Kinds(u8);

#[doc(hidden)]
impl Kinds {
    pub(crate) const NONE: Self = Self(0);
    pub const NULL: Self = Self(1);
    pub const BOOL: Self = Self(1 << 1);
    pub const INTEGER: Self = Self(1 << 2);
    /// A number that is not an integer.
    pub(crate) const FRACTION: Self = Self(1 << 3);
    pub const STRING: Self = Self(1 << 4);
    pub const ARRAY: Self = Self(1 << 5);
    pub const OBJECT: Self = Self(1 << 6);
    /// No value: a member that is otherwise required may be absent.
    pub(crate) const ABSENT: Self = Self(1 << 7);

    pub const NUMBER: Self = Self::INTEGER.union(Self::FRACTION);
    pub const ANY: Self = Self(!Self::ABSENT.0);
    /// The ids that are legal under every profile.
    pub(crate) const ID: Self = Self::STRING.union(Self::INTEGER);

    /// Returns the kinds of the values that begin with this byte. For a number, these are both of its kinds.
    #[inline(always)]
    pub(crate) const fn begun_by(byte: u8) -> Self {
        match byte {
            b'{' => Self::OBJECT,
            b'[' => Self::ARRAY,
            b'"' => Self::STRING,
            b'n' => Self::NULL,
            b't' | b'f' => Self::BOOL,
            _ => Self::NUMBER,
        }
    }

    /// Returns the kinds of both sets.
    #[inline(always)]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether the sets have a kind in common.
    #[inline(always)]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns whether this set has all kinds of the other.
    #[inline(always)]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Kinds {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.union(other)
    }
}
