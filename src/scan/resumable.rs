//! The resumable scanner: the grammar of the plain one, for a text that comes in pieces of which nothing
//! is kept.
//!
//! It accepts what the plain scanner accepts, and has no offsets to report: the text is gone.

use super::nesting::{Container, Nesting};
use super::string::is_escape;
use super::utf8;
use crate::bytes::is_whitespace;
use crate::cast::index;

/// What the resumable scanner reports to: the names and the values of the members of the top object, in turn
/// and in pieces.
pub(crate) trait Watcher {
    /// A name or a value begins, with this byte.
    fn begin(&mut self, first: u8);

    /// A piece of what is under way, as it is written.
    fn piece(&mut self, piece: &[u8]);

    /// What was under way has ended.
    fn end(&mut self);

    /// The depth limit was passed, as for a [`Sink`](super::Sink).
    fn too_deep(&mut self);
}

/// A scanner that can be left at any byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resumable {
    nesting: Nesting,
    at: At,
    /// What the string under way is.
    string: Text,
    /// What of the number under way was there.
    number: Number,
    /// What is left of the literal under way, the next byte lowest; how many digits are of an escape; or what
    /// was there of a character.
    rest: u32,
    outer: Outer,
    /// The name or the value of a member of the top object is under way.
    in_member: bool,
    too_deep: bool,
    /// How many brackets are open of a container too deep.
    open: usize,
}

/// What the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outer {
    /// No JSON, or not yet.
    Nothing,
    Array,
    /// An object, a string, a number or a word.
    NoArray,
}

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Value,
    ValueOrEnd,
    Name,
    NameOrEnd,
    Colon,
    CommaOrEnd,
    /// The inside of a string.
    Text,
    /// Behind a backslash.
    Escape,
    /// The digits of an escape.
    Hex,
    /// The rest of a character of several bytes.
    Character,
    /// More of a number, or what is behind it.
    Number,
    /// The rest of a literal.
    Literal,
    /// The inside of a container too deep.
    TooDeep,
    /// Nothing but whitespace.
    End,
    /// Nothing: it is not JSON.
    Broken,
}

/// What of a number was there, in an order in which those that the same byte may follow are neighbours.
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
enum Text {
    Value,
    Name,
    TooDeep,
}

/// What a byte was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Took {
    /// Part of what is under way.
    Part,
    /// The first byte of the name or the value of a member of the top object.
    First,
    /// The last byte of a name or a value.
    Last,
    /// The first one behind a number, to be looked at again.
    Behind,
}

/// What comes of a byte that may not stand there.
const BROKEN: (At, Took) = (At::Broken, Took::Part);

impl Resumable {
    /// Before a text of any depth, which is nothing but zeros.
    pub(crate) const NEW: Self = Self {
        nesting: Nesting::new(0),
        at: At::Value,
        string: Text::Value,
        number: Number::Sign,
        rest: 0,
        outer: Outer::Nothing,
        in_member: false,
        too_deep: false,
        open: 0,
    };

    /// The limit on depth.
    pub(crate) const fn max_depth(&self) -> u8 {
        self.nesting.max_depth()
    }

    /// Puts a limit on depth in force, before a text.
    pub(crate) const fn limit_to(&mut self, max_depth: u8) {
        self.nesting.limit_to(max_depth);
    }

    /// Goes over the next piece of the text.
    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    pub(crate) fn push(&mut self, piece: &[u8], watcher: &mut impl Watcher) {
        let mut rest = piece;
        // What is left of the piece from where what is under way begins, or goes on.
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

    /// What the text was, if it has ended: nothing, unless it was one value.
    pub(crate) const fn outer(&self) -> Outer {
        match self.at {
            // What is behind a container too deep is not held to the grammar.
            _ if self.too_deep => self.outer,
            At::End => self.outer,
            At::Number if self.nesting.depth() == 0 && self.number.may_end() => self.outer,
            _ => Outer::Nothing,
        }
    }

    /// Reports the last piece of what has ended, if it is a member's.
    fn end_member(&mut self, from: &[u8], rest: &[u8], watcher: &mut impl Watcher) {
        if self.in_member && self.nesting.depth() == 1 {
            let length = from.len().saturating_sub(rest.len());
            watcher.piece(from.get(..length).unwrap_or(from));
            watcher.end();
            self.in_member = false;
        }
    }

    /// What the byte was, and what may come next.
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
                self.string = Text::Name;
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

    /// Whether it closes the innermost container.
    fn is_end(&self, byte: u8) -> bool {
        self.nesting.top().is_some_and(|container| byte == container.end())
    }

    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    fn begin_value(&mut self, byte: u8, watcher: &mut impl Watcher) -> (At, Took) {
        let is_member = self.nesting.depth() == 1 && self.nesting.top() == Some(Container::Object);
        if self.nesting.depth() == 0 {
            self.outer = if byte == b'[' { Outer::Array } else { Outer::NoArray };
        }
        let at = match byte {
            b'{' | b'[' => self.open(byte, watcher),
            b'"' => {
                self.string = Text::Value;
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

    /// What may come next in the container that this bracket opens.
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

    /// What may come next behind a value.
    const fn behind_value(&self) -> At {
        if self.nesting.depth() == 0 { At::End } else { At::CommaOrEnd }
    }

    /// A container too deep is skipped by its brackets and strings alone.
    const fn inside_too_deep(&mut self, byte: u8) -> (At, Took) {
        match byte {
            b'"' => {
                self.string = Text::TooDeep;
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
                Text::Value => (self.behind_value(), Took::Last),
                Text::TooDeep => (At::TooDeep, Took::Part),
                Text::Name => (At::Colon, Took::Last),
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

    /// A byte of a character of several. When there are four and still no character, there will be none.
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

/// What is behind the part of a string that is as it looks.
fn skip_plain(text: &[u8]) -> &[u8] {
    let is_plain = |byte: &u8| matches!(byte, 0x20..=0x7F) && !matches!(byte, b'"' | b'\\');
    let end = text.iter().position(|byte| !is_plain(byte)).unwrap_or(text.len());
    text.get(end..).unwrap_or_default()
}

impl Number {
    /// What of the number was there with one byte more, if that belongs to it.
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

    /// Whether that is a number already.
    const fn may_end(self) -> bool {
        matches!(self, Self::Zero | Self::Integer | Self::Fraction | Self::Exponent)
    }
}
