//! The reason why a value does not fit a type.

use core::fmt;

use crate::cast::u32_from;

/// The reason why a value could not be read into a type: what the type expects, and where.
///
/// ```
/// use tautline::RawJson;
/// use tautline::json::Expected;
///
/// let point = RawJson::parse(br#"{"x":1,"y":"2"}"#).unwrap();
/// let mismatch = point.read_member::<i64>("y").unwrap_err();
/// assert_eq!((mismatch.expected(), mismatch.offset()), (Expected::INTEGER, 11));
///
/// let mismatch = point.read_member::<i64>("z").unwrap_err();
/// assert_eq!((mismatch.expected(), mismatch.offset()), (Expected::MEMBER, 0));
/// assert_eq!(mismatch.member(), Some("z"));
/// ```
#[derive(Clone, Copy)]
pub struct Mismatch {
    offset: u32,
    expected: Expected,
    /// The index of the element that is missing. Otherwise unused: it may be the index of a parameter.
    index: u16,
    /// The name of the member that is missing. Otherwise unused: it may be the name of a parameter.
    member: &'static str,
}

/// The value or the part that a type expects.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Expected(u8);

/// Each in one byte, so that a failure [can hold it](crate::endpoint::Failure::mismatch).
macro_rules! expectations {
    ($($number:literal, $NAME:ident, $description:literal, $doc:literal;)*) => {
        impl Expected {
            $(#[doc = $doc]
            pub const $NAME: Self = Self($number);)*

            /// Returns what is wrong, in one line.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self {
                    $(Self::$NAME => $description,)*
                    _ => Self::OTHER.description(),
                }
            }
        }

        impl fmt::Debug for Expected {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match *self {
                    $(Self::$NAME => stringify!($NAME),)*
                    _ => "?",
                })
            }
        }
    };
}

expectations! {
    0, OTHER, "the value does not fit", "Another value, for a reason that is not listed here.";
    1, NULL, "null is expected", "`null`.";
    2, BOOL, "true or false is expected", "`true` or `false`.";
    3, INTEGER, "an integer in the range of the type is expected", "An integer in the range of the type.";
    4, NUMBER, "a number is expected", "A number.";
    5, STRING, "a string is expected", "A string.";
    6, TEXT, "a string without unpaired surrogates is expected", "A string without unpaired surrogates.";
    7, UNESCAPED, "a string without escapes is expected", "A string without escapes, which can be borrowed.";
    8, ARRAY, "an array is expected", "An array.";
    9, OBJECT, "an object is expected", "An object.";
    10, ELEMENT, "an element is missing", "An element, which is [missing](Mismatch::index).";
    11, END, "there are too many elements", "The end of the array.";
    12, MEMBER, "a member is missing", "A member, which is [missing](Mismatch::member).";
    13, UNIQUE, "the name of a member is repeated", "A member whose name is not [repeated](super#repeated-members).";
    14, PARAMS, "the params are missing", "The params of the call, which are missing.";
    15, ID, "a string, a number or null is expected", "An id: a string, a number or null.";
}

impl Mismatch {
    /// Creates the mismatch of a value that is not what is expected. The offset is 0, the start of the value.
    ///
    /// For a part that is missing, use [`RawJson::read_member`](crate::RawJson::read_member) or a tuple, which name it.
    #[must_use]
    pub const fn new(expected: Expected) -> Self {
        Self { offset: 0, expected, index: 0, member: "" }
    }

    /// Creates the mismatch of a value without the element at this index or without the member of this name.
    pub(super) fn without_part(expected: Expected, index: usize, member: &'static str) -> Self {
        Self { offset: 0, expected, index: index.try_into().unwrap_or(u16::MAX), member }
    }

    /// Moves the place by this many bytes.
    #[must_use]
    pub(crate) fn at(self, offset: usize) -> Self {
        Self { offset: self.offset.wrapping_add(u32_from(offset)), ..self }
    }

    /// Returns everything but the name as bytes, and the name.
    pub(crate) const fn to_parts(self) -> ([u8; 7], &'static str) {
        let [i, j] = self.index.to_be_bytes();
        let [a, b, c, d] = self.offset.to_be_bytes();
        ([self.expected.0, i, j, a, b, c, d], self.member)
    }

    /// Returns the mismatch with these [parts](Self::to_parts).
    pub(crate) const fn from_parts(
        [expected, i, j, a, b, c, d]: [u8; 7],
        member: &'static str,
    ) -> Self {
        Self {
            offset: u32::from_be_bytes([a, b, c, d]),
            expected: Expected(expected),
            index: u16::from_be_bytes([i, j]),
            member,
        }
    }

    /// Returns the offset in bytes: in the text of the value that was read, or [in the
    /// frame](crate::endpoint::Failure::mismatch) if it was the parameter of a call.
    ///
    /// It is the start of the value that does not fit. If a member or an element is missing, it is the start of the
    /// object or array. If the params are missing, it is the method. If a name is repeated, it is the opening quote of
    /// the second one. If serde found the mismatch, it is what `DeserializeError::offset` says.
    #[must_use]
    pub const fn offset(&self) -> u32 {
        self.offset
    }

    /// Returns what is expected.
    #[must_use]
    pub const fn expected(&self) -> Expected {
        self.expected
    }

    /// Returns the name of the member that is missing.
    #[must_use]
    pub const fn member(&self) -> Option<&'static str> {
        match self.expected {
            Expected::MEMBER => Some(self.member),
            _ => None,
        }
    }

    /// Returns the index of the element that is missing, at most 65,535.
    #[must_use]
    pub const fn index(&self) -> Option<u16> {
        match self.expected {
            Expected::ELEMENT => Some(self.index),
            _ => None,
        }
    }
}

/// Two mismatches are equal if everything that they say is equal.
impl PartialEq for Mismatch {
    fn eq(&self, other: &Self) -> bool {
        self.offset == other.offset
            && self.expected == other.expected
            && self.member() == other.member()
            && self.index() == other.index()
    }
}

impl Eq for Mismatch {}

impl fmt::Debug for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mismatch({self})")
    }
}

/// Writes the offset, what is wrong, and the member or the element that is missing.
impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.expected.description())?;
        match self.expected {
            Expected::MEMBER => write!(f, ": {}", self.member),
            Expected::ELEMENT => write!(f, ": {}", self.index),
            _ => Ok(()),
        }
    }
}

impl core::error::Error for Mismatch {}
