//! What can be wrong with a text.

use core::fmt;

/// What was wrong at the first byte that did not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Syntax {
    /// There was no value where one has to be.
    ExpectedValue,
    /// There was no member name, in quotes, where one has to be.
    ExpectedName,
    /// There was no colon behind a member's name.
    ExpectedColon,
    /// There was neither a comma nor the closing bracket behind a value.
    ExpectedCommaOrEnd,
    /// The value was complete, and something other than whitespace followed it.
    TrailingBytes,
    /// A word began like `true`, `false` or `null` and went on otherwise.
    InvalidLiteral,
    /// There was no digit where a number has to have one.
    ExpectedDigit,
    /// A string had a control character (U+0000 to U+001F) in it that was not escaped.
    ControlCharacter,
    /// A backslash was followed by something that is no escape.
    InvalidEscape,
    /// The text ended inside a string.
    UnterminatedString,
    /// The bytes are not UTF-8.
    InvalidUtf8,
    /// A container was nested deeper than the limit.
    TooDeep,
}

macro_rules! descriptions {
    ($($variant:ident $description:literal)*) => {
        impl Syntax {
            /// What was wrong, in words.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self { $(Self::$variant => $description),* }
            }
        }
    };
}

descriptions! {
    ExpectedValue "a JSON value was expected here"
    ExpectedName "a member name in double quotes was expected here"
    ExpectedColon "a colon was expected behind the member name"
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

/// The first fault in a text, and where it is.
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

    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> Syntax {
        self.kind
    }

    /// The offset in bytes of the first byte that does not fit, or the text's length where it ends
    /// too early. Of bytes that are not UTF-8, it is that of the sequence's first byte; of a container
    /// too deep, that of its opening bracket.
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
