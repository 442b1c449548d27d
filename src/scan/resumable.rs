//! The resumable scanner: the grammar of the plain one, for a text that arrives in pieces and is not kept.
//!
//! It accepts the same texts as the plain scanner. It reports no offsets, because the text is gone.

use super::nesting::{Container, Nesting};
use super::string::is_escape;
use super::utf8;
use crate::bytes::is_whitespace;
use crate::cast::index;

/// Receives the reports of the resumable scanner: the names and the values of the members of the top object,
/// in order and in pieces.
pub(crate) trait Watcher {
    /// A name or a value begins with this byte.
    fn begin(&mut self, first: u8);

    /// A piece of the current name or value, as written.
    fn piece(&mut self, piece: &[u8]);

    /// The current name or value has ended.
    fn end(&mut self);

    /// The depth limit was exceeded, as for a [`Sink`](super::Sink).
    fn too_deep(&mut self);
}

/// A scanner that can pause at any byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resumable {
    nesting: Nesting,
    at: At,
    /// The role of the current string.
    string: StringRole,
    /// The part of the current number seen so far.
    number: Number,
    /// The rest of the current literal, the next byte lowest; or the number of digits seen of an escape; or
    /// the bytes seen of a character.
    rest: u32,
    outer: Outer,
    /// True inside the name or the value of a member of the top object.
    in_member: bool,
    too_deep: bool,
    /// The number of open brackets in a container nested too deep.
    open: usize,
}

/// The kind of the whole text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outer {
    /// Not JSON, or not complete.
    Nothing,
    Array,
    /// An object, a string, a number or a literal.
    NoArray,
}

/// The grammar's next expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Value,
    ValueOrEnd,
    Name,
    NameOrEnd,
    Colon,
    CommaOrEnd,
    /// String contents.
    Text,
    /// The byte after a backslash.
    Escape,
    /// The hexadecimal digits of an escape.
    Hex,
    /// The rest of a multi-byte character.
    Character,
    /// More of a number, or what follows it.
    Number,
    /// The rest of a literal.
    Literal,
    /// The contents of a container nested too deep.
    TooDeep,
    /// Only whitespace.
    End,
    /// Nothing: the text is not JSON.
    Broken,
}

/// The part of a number seen so far. States after which the same byte may follow are neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Sign,
    Integer,
    Zero,
    Fraction,
    Point,
    E,
    ExponentSign,
    Exponent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StringRole {
    Value,
    Name,
    TooDeep,
}

/// The classification of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Took {
    /// Part of the current token.
    Part,
    /// The first byte of the name or the value of a member of the top object.
    First,
    /// The last byte of a name or a value.
    Last,
    /// The first byte after a number, which has to be scanned again.
    Behind,
}

/// The step for a byte that is not allowed.
const BROKEN: (At, Took) = (At::Broken, Took::Part);

impl Resumable {
    /// The state before a text, all zeros. No limit on depth is set yet.
    pub(crate) const NEW: Self = Self {
        nesting: Nesting::new(0),
        at: At::Value,
        string: StringRole::Value,
        number: Number::Sign,
        rest: 0,
        outer: Outer::Nothing,
        in_member: false,
        too_deep: false,
        open: 0,
    };

    /// Returns the limit on depth.
    pub(crate) const fn max_depth(&self) -> u8 {
        self.nesting.max_depth()
    }

    /// Sets the limit on depth, before a text.
    pub(crate) const fn limit_to(&mut self, max_depth: u8) {
        self.nesting.limit_to(max_depth);
    }

    /// Scans the next piece of the text.
    #[inline(never)]
    pub(crate) fn push(&mut self, piece: &[u8], watcher: &mut impl Watcher) {
        let mut rest = piece;
        // The rest of the piece, from where the current name or value begins or continues.
        let mut from = piece;
        while !matches!(self.at, At::Broken) {
            if matches!(self.at, At::Text) {
                rest = skip_plain(rest);
            }
            let Some((&byte, behind)) = rest.split_first() else { break };
            let (at, took) = self.step(byte, watcher);
            self.at = at;
            match took {
                Took::Part => rest = behind,
                Took::First => {
                    watcher.begin(byte);
                    self.in_member = true;
                    (from, rest) = (rest, behind);
                }
                Took::Last | Took::Behind => {
                    if took == Took::Last {
                        rest = behind;
                    }
                    self.end_member(from, rest, watcher);
                }
            }
        }
        if self.in_member {
            watcher.piece(from);
        }
    }

    /// Returns the kind of the text if it is one complete value, and `Nothing` otherwise.
    pub(crate) const fn outer(&self) -> Outer {
        match self.at {
            // Text after a container nested too deep is not held to the grammar.
            _ if self.too_deep => self.outer,
            At::End => self.outer,
            At::Number if self.nesting.depth() == 0 && self.number.may_end() => self.outer,
            _ => Outer::Nothing,
        }
    }

    /// Reports the last piece of a name or value, if it belongs to a member.
    fn end_member(&mut self, from: &[u8], rest: &[u8], watcher: &mut impl Watcher) {
        if self.in_member && self.nesting.depth() == 1 {
            let length = from.len().saturating_sub(rest.len());
            watcher.piece(from.get(..length).unwrap_or(from));
            watcher.end();
            self.in_member = false;
        }
    }

    /// Scans one byte: returns the next expectation and the classification of the byte.
    fn step(&mut self, byte: u8, watcher: &mut impl Watcher) -> (At, Took) {
        match self.at {
            At::Text => self.text(byte),
            At::Escape if byte == b'u' => {
                self.rest = 4;
                (At::Hex, Took::Part)
            }
            At::Escape if is_escape(byte) => (At::Text, Took::Part),
            At::Hex if byte.is_ascii_hexdigit() => {
                self.rest = self.rest.wrapping_sub(1);
                (if self.rest == 0 { At::Text } else { At::Hex }, Took::Part)
            }
            At::Character => self.character(byte),
            At::Number => match self.number.then(byte) {
                Some(number) => {
                    self.number = number;
                    (At::Number, Took::Part)
                }
                None if self.number.may_end() => (self.behind_value(), Took::Behind),
                None => BROKEN,
            },
            At::Literal if self.rest & 0xFF == u32::from(byte) => {
                self.rest >>= 8;
                if self.rest == 0 {
                    (self.behind_value(), Took::Last)
                } else {
                    (At::Literal, Took::Part)
                }
            }
            At::Escape | At::Hex | At::Literal => BROKEN,
            At::TooDeep => self.inside_too_deep(byte),
            at if is_whitespace(byte) => (at, Took::Part),
            At::ValueOrEnd | At::NameOrEnd | At::CommaOrEnd if self.is_end(byte) => {
                self.nesting.pop();
                (self.behind_value(), Took::Last)
            }
            At::Value | At::ValueOrEnd => self.begin_value(byte, watcher),
            At::Name | At::NameOrEnd if byte == b'"' => {
                self.string = StringRole::Name;
                (At::Text, if self.nesting.depth() == 1 { Took::First } else { Took::Part })
            }
            At::Colon if byte == b':' => (At::Value, Took::Part),
            At::CommaOrEnd if byte == b',' => match self.nesting.top() {
                Some(Container::Array) => (At::Value, Took::Part),
                _ => (At::Name, Took::Part),
            },
            _ => BROKEN,
        }
    }

    /// Returns whether the byte closes the innermost container.
    fn is_end(&self, byte: u8) -> bool {
        self.nesting.top().is_some_and(|container| byte == container.end())
    }

    #[inline(never)]
    fn begin_value(&mut self, byte: u8, watcher: &mut impl Watcher) -> (At, Took) {
        let is_member = self.nesting.depth() == 1 && self.nesting.top() == Some(Container::Object);
        if self.nesting.depth() == 0 {
            self.outer = if byte == b'[' { Outer::Array } else { Outer::NoArray };
        }
        let at = match byte {
            b'{' | b'[' => self.open(byte, watcher),
            b'"' => {
                self.string = StringRole::Value;
                At::Text
            }
            b'-' => self.begin_number(Number::Sign),
            b'0' => self.begin_number(Number::Zero),
            b'1'..=b'9' => self.begin_number(Number::Integer),
            b't' => self.begin_literal(*b"rue\0"),
            b'f' => self.begin_literal(*b"alse"),
            b'n' => self.begin_literal(*b"ull\0"),
            _ => return BROKEN,
        };
        (at, if is_member { Took::First } else { Took::Part })
    }

    const fn begin_number(&mut self, number: Number) -> At {
        self.number = number;
        At::Number
    }

    const fn begin_literal(&mut self, rest: [u8; 4]) -> At {
        self.rest = u32::from_le_bytes(rest);
        At::Literal
    }

    /// Opens a container, and returns the next expectation.
    fn open(&mut self, bracket: u8, watcher: &mut impl Watcher) -> At {
        let (container, inside) = match bracket {
            b'{' => (Container::Object, At::NameOrEnd),
            _ => (Container::Array, At::ValueOrEnd),
        };
        if self.nesting.push(container) {
            return inside;
        }
        if !self.too_deep {
            self.too_deep = true;
            watcher.too_deep();
        }
        self.open = 1;
        At::TooDeep
    }

    /// Returns the next expectation after a value.
    const fn behind_value(&self) -> At {
        if self.nesting.depth() == 0 { At::End } else { At::CommaOrEnd }
    }

    /// Skips a container nested too deep by its brackets and strings alone.
    const fn inside_too_deep(&mut self, byte: u8) -> (At, Took) {
        match byte {
            b'"' => {
                self.string = StringRole::TooDeep;
                return (At::Text, Took::Part);
            }
            b'{' | b'[' => self.open = self.open.saturating_add(1),
            b'}' | b']' => self.open = self.open.wrapping_sub(1),
            _ => {}
        }
        if self.open == 0 { (self.behind_value(), Took::Last) } else { (At::TooDeep, Took::Part) }
    }

    fn text(&mut self, byte: u8) -> (At, Took) {
        match byte {
            b'"' => match self.string {
                StringRole::Value => (self.behind_value(), Took::Last),
                StringRole::TooDeep => (At::TooDeep, Took::Part),
                StringRole::Name => (At::Colon, Took::Last),
            },
            b'\\' => (At::Escape, Took::Part),
            0x00..=0x1F => BROKEN,
            0x20..=0x7F => (At::Text, Took::Part),
            0x80.. => {
                self.rest = 0;
                self.character(byte)
            }
        }
    }

    /// Scans a byte of a multi-byte character. Four bytes that still form no character are invalid.
    fn character(&mut self, byte: u8) -> (At, Took) {
        self.rest = self.rest << 8 | u32::from(byte);
        let unused = self.rest.leading_zeros() >> 3;
        if utf8::character(&self.rest.to_be_bytes(), index(unused)).is_some() {
            (At::Text, Took::Part)
        } else if unused == 0 {
            BROKEN
        } else {
            (At::Character, Took::Part)
        }
    }
}

/// Returns the text after the unescaped ASCII at its start.
fn skip_plain(text: &[u8]) -> &[u8] {
    let is_plain = |byte: &u8| matches!(byte, 0x20..=0x7F) && !matches!(byte, b'"' | b'\\');
    let end = text.iter().position(|byte| !is_plain(byte)).unwrap_or(text.len());
    text.get(end..).unwrap_or_default()
}

impl Number {
    /// Returns the state after one more byte, if the byte belongs to the number.
    const fn then(self, byte: u8) -> Option<Self> {
        Some(match (byte, self) {
            (b'0', Self::Sign) => Self::Zero,
            (b'0'..=b'9', Self::Sign | Self::Integer) => Self::Integer,
            (b'0'..=b'9', Self::Point | Self::Fraction) => Self::Fraction,
            (b'0'..=b'9', Self::E | Self::ExponentSign | Self::Exponent) => Self::Exponent,
            (b'.', Self::Zero | Self::Integer) => Self::Point,
            (b'e' | b'E', Self::Zero | Self::Integer | Self::Fraction) => Self::E,
            (b'+' | b'-', Self::E) => Self::ExponentSign,
            _ => return None,
        })
    }

    /// Returns whether the number is complete.
    const fn may_end(self) -> bool {
        matches!(self, Self::Zero | Self::Integer | Self::Fraction | Self::Exponent)
    }
}
