//! The errors of the scanner.

use core::fmt;

/// The kind of syntax error, found at the first byte that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Syntax {
    /// A value was required and none was found.
    ExpectedValue,
    /// A member name in quotes was required and none was found.
    ExpectedName,
    /// No colon follows a member name.
    ExpectedColon,
    /// Neither a comma nor the closing bracket follows a value.
    ExpectedCommaOrEnd,
    /// The value is complete, and something other than whitespace follows it.
    TrailingBytes,
    /// A word begins like `true`, `false` or `null` and continues differently.
    InvalidLiteral,
    /// A digit is missing where a number requires one.
    ExpectedDigit,
    /// A string contains an unescaped control character (U+0000 to U+001F).
    ControlCharacter,
    /// A backslash begins no valid escape.
    InvalidEscape,
    /// The text ends inside a string.
    UnterminatedString,
    /// The bytes are not UTF-8.
    InvalidUtf8,
    /// A container is nested deeper than the limit.
    TooDeep,
}

macro_rules! descriptions {
    ($($variant:ident $description:literal)*) => {
        impl Syntax {
            /// Returns a description of the error.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self { $(Self::$variant => $description),* }
            }

            /// All kinds of syntax errors, in the order of their numbers.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// All descriptions.
            pub(crate) const DESCRIPTIONS: &[&str] = &[$($description),*];
        }
    };
}

descriptions! {
    ExpectedValue "a JSON value was expected here"
    ExpectedName "a member name in double quotes was expected here"
    ExpectedColon "a colon was expected after the member name"
    ExpectedCommaOrEnd "a comma or the closing bracket was expected here"
    TrailingBytes "the JSON value ends before this byte, and more follows it"
    InvalidLiteral "only true, false and null are words in JSON"
    ExpectedDigit "a digit was expected in the number here"
    ControlCharacter "a control character in a string has to be escaped"
    InvalidEscape "this is not an escape that JSON knows"
    UnterminatedString "the string is not closed"
    InvalidUtf8 "the bytes are not valid UTF-8"
    TooDeep "arrays and objects are nested deeper than the limit"
}

/// The first error in a text, and its offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct SyntaxError {
    kind: Syntax,
    offset: u32,
}

impl SyntaxError {
    pub(crate) const fn new(kind: Syntax, offset: u32) -> Self {
        Self { kind, offset }
    }

    /// Returns the kind of error.
    #[must_use]
    pub const fn kind(&self) -> Syntax {
        self.kind
    }

    /// Returns the byte offset of the first byte that does not fit, or the length of a text that ends too early. For
    /// invalid UTF-8 it is the offset of the sequence's first byte. If a container is nested too deep, it is the offset
    /// of the container's opening bracket.
    #[must_use]
    pub const fn offset(&self) -> u32 {
        self.offset
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.description())?;
        f.write_str(" (byte ")?;
        fmt::Display::fmt(&self.offset, f)?;
        f.write_str(")")
    }
}

impl core::error::Error for SyntaxError {}
