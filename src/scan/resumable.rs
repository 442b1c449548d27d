//! The resumable scanner: the grammar of the plain one, for a text that comes in pieces of which nothing
//! is kept.
//!
//! It accepts what the plain scanner accepts, and has no offsets to report: the text is gone.

use super::nesting::{Container, Nesting};
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
    /// So many digits of an escape.
    Hex(u8),
    /// The rest of a character of several bytes, behind these.
    Character(u32),
    Number(Number),
    /// The rest of a literal, with zeros behind it.
    Literal([u8; 4]),
    /// The inside of a container too deep.
    TooDeep,
    /// Nothing but whitespace.
    End,
    /// Nothing: it is not JSON.
    Broken,
}

/// What of a number was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Sign,
    Zero,
    Integer,
    Point,
    Fraction,
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
    Broken,
}

impl Resumable {
    pub(crate) const fn new(max_depth: u8) -> Self {
        Self {
            nesting: Nesting::new(max_depth),
            at: At::Value,
            string: Text::Value,
            outer: Outer::Nothing,
            in_member: false,
            too_deep: false,
            open: 0,
        }
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
            match self.step(byte, watcher) {
                Took::Part => rest = behind,
                Took::First => {
                    watcher.begin(byte);
                    self.in_member = true;
                    (from, rest) = (rest, behind);
                }
                Took::Last => {
                    rest = behind;
                    self.end_member(from, rest, watcher);
                }
                Took::Behind => self.end_member(from, rest, watcher),
                Took::Broken => self.at = At::Broken,
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
            At::Number(number) if self.nesting.depth() == 0 && number.may_end() => self.outer,
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

    fn step(&mut self, byte: u8, watcher: &mut impl Watcher) -> Took {
        match self.at {
            At::Text => self.text(byte),
            At::Escape => match byte {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.go(At::Text),
                b'u' => self.go(At::Hex(4)),
                _ => Took::Broken,
            },
            At::Hex(_) if !byte.is_ascii_hexdigit() => Took::Broken,
            At::Hex(1) => self.go(At::Text),
            At::Hex(left) => self.go(At::Hex(left.saturating_sub(1))),
            At::Character(before) => self.character(before, byte),
            At::Number(number) => match number.then(byte) {
                Some(number) => self.go(At::Number(number)),
                None if number.may_end() => {
                    self.end_value();
                    Took::Behind
                }
                None => Took::Broken,
            },
            At::Literal([next, ..]) if next != byte => Took::Broken,
            At::Literal([_, 0, ..]) => self.end_value(),
            At::Literal([_, rest @ ..]) => {
                let [second, third, fourth] = rest;
                self.go(At::Literal([second, third, fourth, 0]))
            }
            At::TooDeep => self.inside_too_deep(byte),
            _ if is_whitespace(byte) => Took::Part,
            At::ValueOrEnd | At::NameOrEnd | At::CommaOrEnd if self.is_end(byte) => {
                self.nesting.pop();
                self.end_value()
            }
            At::Value | At::ValueOrEnd => self.begin_value(byte, watcher),
            At::Name | At::NameOrEnd if byte == b'"' => {
                self.string = Text::Name;
                self.at = At::Text;
                if self.nesting.depth() == 1 { Took::First } else { Took::Part }
            }
            At::Colon if byte == b':' => self.go(At::Value),
            At::CommaOrEnd if byte == b',' => match self.nesting.top() {
                Some(Container::Array) => self.go(At::Value),
                _ => self.go(At::Name),
            },
            _ => Took::Broken,
        }
    }

    /// Whether it closes the innermost container.
    fn is_end(&self, byte: u8) -> bool {
        self.nesting.top().is_some_and(|container| byte == container.end())
    }

    const fn go(&mut self, at: At) -> Took {
        self.at = at;
        Took::Part
    }

    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    fn begin_value(&mut self, byte: u8, watcher: &mut impl Watcher) -> Took {
        let is_member = self.nesting.depth() == 1 && self.nesting.top() == Some(Container::Object);
        if self.nesting.depth() == 0 {
            self.outer = if byte == b'[' { Outer::Array } else { Outer::NoArray };
        }
        self.at = match byte {
            b'{' | b'[' => self.open(byte, watcher),
            b'"' => {
                self.string = Text::Value;
                At::Text
            }
            b'-' => At::Number(Number::Sign),
            b'0' => At::Number(Number::Zero),
            b'1'..=b'9' => At::Number(Number::Integer),
            b't' => At::Literal(*b"rue\0"),
            b'f' => At::Literal(*b"alse"),
            b'n' => At::Literal(*b"ull\0"),
            _ => return Took::Broken,
        };
        if is_member { Took::First } else { Took::Part }
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

    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    const fn end_value(&mut self) -> Took {
        self.at = if self.nesting.depth() == 0 { At::End } else { At::CommaOrEnd };
        Took::Last
    }

    /// A container too deep is skipped by its brackets and strings alone.
    fn inside_too_deep(&mut self, byte: u8) -> Took {
        match byte {
            b'"' => {
                self.string = Text::TooDeep;
                return self.go(At::Text);
            }
            b'{' | b'[' => self.open = self.open.saturating_add(1),
            b'}' | b']' => self.open = self.open.saturating_sub(1),
            _ => {}
        }
        if self.open == 0 { self.end_value() } else { Took::Part }
    }

    fn text(&mut self, byte: u8) -> Took {
        match byte {
            b'"' => match self.string {
                Text::Value => self.end_value(),
                Text::TooDeep => self.go(At::TooDeep),
                Text::Name => {
                    self.at = At::Colon;
                    Took::Last
                }
            },
            b'\\' => self.go(At::Escape),
            0x00..=0x1F => Took::Broken,
            0x20..=0x7F => Took::Part,
            0x80.. => self.character(0, byte),
        }
    }

    /// A byte of a character of several. When there are four and still no character, there will be none.
    fn character(&mut self, before: u32, byte: u8) -> Took {
        let bytes = before << 8 | u32::from(byte);
        let unused = bytes.leading_zeros() >> 3;
        if utf8::character(&bytes.to_be_bytes(), index(unused)).is_some() {
            self.go(At::Text)
        } else if unused == 0 {
            Took::Broken
        } else {
            self.go(At::Character(bytes))
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
