//! Legal kinds of values: one mask for each member, which the validator, the fast path and the encoder test.

use core::ops::BitOr;

/// A set of the kinds of JSON values, with integers told apart from other numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kinds(u8);

impl Kinds {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const BOOL: Self = Self(1 << 1);
    pub(crate) const INTEGER: Self = Self(1 << 2);
    /// A number that is not an integer.
    pub(crate) const FRACTION: Self = Self(1 << 3);
    pub(crate) const STRING: Self = Self(1 << 4);
    pub(crate) const ARRAY: Self = Self(1 << 5);
    pub(crate) const OBJECT: Self = Self(1 << 6);
    /// No value: a member that is otherwise required may be absent.
    pub(crate) const ABSENT: Self = Self(1 << 7);

    pub(crate) const ANY: Self = Self(!Self::ABSENT.0);
    /// The ids that are legal under all rules.
    pub(crate) const ID: Self = Self::STRING.and(Self::INTEGER);

    /// Returns the kinds of the values that begin with this byte. For a number, these are both of its kinds.
    #[inline(always)]
    pub(crate) const fn begun_by(byte: u8) -> Self {
        match byte {
            b'{' => Self::OBJECT,
            b'[' => Self::ARRAY,
            b'"' => Self::STRING,
            b'n' => Self::NULL,
            b't' | b'f' => Self::BOOL,
            _ => Self::INTEGER.and(Self::FRACTION),
        }
    }

    /// Returns the kinds of both sets.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether the sets have a kind in common.
    #[inline(always)]
    pub(crate) const fn has(self, kinds: Self) -> bool {
        self.0 & kinds.0 != 0
    }
}

impl BitOr for Kinds {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.and(other)
    }
}
