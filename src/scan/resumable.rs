//! The resumable scanner: the grammar of the plain one, for a text that comes in pieces of which nothing
//! is kept.
//!
//! It accepts what the plain scanner accepts, and has no offsets to report: the text is gone.

use super::nesting::{Container, Nesting};
use super::utf8;
use crate::bytes::is_whitespace;

/// What the resumable scanner reports to: the members of the top object, in pieces.
pub(crate) trait Watcher {
    /// A name begins.
    fn begin_name(&mut self);

    /// What comes next in the name, unescaped: a byte, or the UTF-16 code unit of an escape.
    fn name(&mut self, unit: u16);

    /// The name under way has ended, and its value follows.
    fn end_name(&mut self);

    /// A value begins, with this byte.
    fn begin_value(&mut self, first: u8);

    /// A piece of the value under way, as it is written.
    fn value(&mut self, piece: &[u8]);

    /// The value under way has ended.
    fn end_value(&mut self);

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
    /// The value of a member of the top object is under way.
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
    Object,
    Array,
    Scalar,
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
    /// So many digits of an escape, behind those that made this of the code unit.
    Hex(u8, u16),
    /// So many bytes of a UTF-8 sequence, the next of them between these two.
    Sequence(u8, u8, u8),
    Number(Number),
    /// The rest of a literal.
    Literal(&'static [u8]),
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
    /// The name of a member of the top object.
    TopName,
    Name,
    Value,
    TooDeep,
}

/// What a byte was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Took {
    /// Part of what is under way.
    Part,
    /// The first byte of a member's value.
    First,
    /// The last byte of a value.
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
    pub(crate) fn push(&mut self, piece: &[u8], watcher: &mut impl Watcher) {
        let mut rest = piece;
        // What is left of the piece from where the value under way begins, or goes on.
        let mut from = piece;
        while !matches!(self.at, At::Broken) {
            if matches!(self.at, At::Text) {
                rest = self.skip_plain(rest, watcher);
            }
            let Some((&byte, behind)) = rest.split_first() else { break };
            match self.step(byte, watcher) {
                Took::Part => rest = behind,
                Took::First => {
                    watcher.begin_value(byte);
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
            watcher.value(from);
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

    /// Reports the last piece of the value that has ended, if it is a member's.
    fn end_member(&mut self, from: &[u8], rest: &[u8], watcher: &mut impl Watcher) {
        if self.in_member && self.nesting.depth() == 1 {
            let length = from.len().saturating_sub(rest.len());
            watcher.value(from.get(..length).unwrap_or(from));
            watcher.end_value();
            self.in_member = false;
        }
    }

    /// The part of a string that is as it looks.
    fn skip_plain<'piece>(&self, rest: &'piece [u8], watcher: &mut impl Watcher) -> &'piece [u8] {
        let is_plain = |byte: &u8| matches!(byte, 0x20..=0x7F) && !matches!(byte, b'"' | b'\\');
        let end = rest.iter().position(|byte| !is_plain(byte)).unwrap_or(rest.len());
        let (plain, behind) = rest.split_at_checked(end).unwrap_or((rest, b""));
        if self.string == Text::TopName {
            plain.iter().for_each(|&byte| watcher.name(u16::from(byte)));
        }
        behind
    }

    fn step(&mut self, byte: u8, watcher: &mut impl Watcher) -> Took {
        match self.at {
            At::Text => self.text(byte, watcher),
            At::Escape => self.escape(byte, watcher),
            At::Hex(left, unit) => self.hex(byte, left, unit, watcher),
            At::Sequence(left, least, most) => match (byte, left) {
                (_, _) if byte < least || byte > most => Took::Broken,
                (_, 1) => self.go(At::Text),
                _ => self.go(At::Sequence(left.saturating_sub(1), 0x80, 0xBF)),
            },
            At::Number(number) => match number.then(byte) {
                Some(number) => self.go(At::Number(number)),
                None if number.may_end() => {
                    self.end_value();
                    Took::Behind
                }
                None => Took::Broken,
            },
            At::Literal(word) => match word.split_first() {
                Some((&next, [])) if next == byte => self.end_value(),
                Some((&next, left)) if next == byte => self.go(At::Literal(left)),
                _ => Took::Broken,
            },
            At::TooDeep => self.inside_too_deep(byte),
            _ if is_whitespace(byte) => Took::Part,
            At::Value => self.begin_value(byte, watcher),
            At::ValueOrEnd if byte == b']' => self.close(),
            At::ValueOrEnd => self.begin_value(byte, watcher),
            At::NameOrEnd if byte == b'}' => self.close(),
            At::Name | At::NameOrEnd if byte == b'"' => {
                self.string = match self.nesting.depth() {
                    1 => Text::TopName,
                    _ => Text::Name,
                };
                if self.string == Text::TopName {
                    watcher.begin_name();
                }
                self.go(At::Text)
            }
            At::Colon if byte == b':' => self.go(At::Value),
            At::CommaOrEnd => match (self.nesting.top(), byte) {
                (Some(Container::Array), b',') => self.go(At::Value),
                (Some(Container::Object), b',') => self.go(At::Name),
                (Some(Container::Array), b']') | (Some(Container::Object), b'}') => self.close(),
                _ => Took::Broken,
            },
            At::Name | At::NameOrEnd | At::Colon | At::End | At::Broken => Took::Broken,
        }
    }

    const fn go(&mut self, at: At) -> Took {
        self.at = at;
        Took::Part
    }

    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    fn begin_value(&mut self, byte: u8, watcher: &mut impl Watcher) -> Took {
        let is_member = self.nesting.depth() == 1 && self.nesting.top() == Some(Container::Object);
        if self.nesting.depth() == 0 {
            self.outer = match byte {
                b'{' => Outer::Object,
                b'[' => Outer::Array,
                _ => Outer::Scalar,
            };
        }
        let at = match byte {
            b'{' => self.open(Container::Object, At::NameOrEnd),
            b'[' => self.open(Container::Array, At::ValueOrEnd),
            b'"' => {
                self.string = Text::Value;
                At::Text
            }
            b'-' => At::Number(Number::Sign),
            b'0' => At::Number(Number::Zero),
            b'1'..=b'9' => At::Number(Number::Integer),
            b't' => At::Literal(b"rue"),
            b'f' => At::Literal(b"alse"),
            b'n' => At::Literal(b"ull"),
            _ => return Took::Broken,
        };
        self.at = at;
        if matches!(at, At::TooDeep) && !core::mem::replace(&mut self.too_deep, true) {
            watcher.too_deep();
        }
        if !is_member {
            return Took::Part;
        }
        self.in_member = true;
        Took::First
    }

    fn open(&mut self, container: Container, inside: At) -> At {
        if self.nesting.push(container) {
            return inside;
        }
        self.open = 1;
        At::TooDeep
    }

    fn close(&mut self) -> Took {
        self.nesting.pop();
        self.end_value()
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

    fn text(&mut self, byte: u8, watcher: &mut impl Watcher) -> Took {
        match byte {
            b'"' => match self.string {
                Text::Value => self.end_value(),
                Text::TooDeep => self.go(At::TooDeep),
                Text::Name => self.go(At::Colon),
                Text::TopName => {
                    watcher.end_name();
                    self.go(At::Colon)
                }
            },
            b'\\' => self.go(At::Escape),
            0x00..=0x1F => Took::Broken,
            0x20..=0x7F => Took::Part,
            0x80.. => match utf8::lead(byte) {
                Some((length, least, most)) => {
                    self.unit(u16::from(byte), watcher);
                    self.go(At::Sequence(length.saturating_sub(1), least, most))
                }
                None => Took::Broken,
            },
        }
    }

    fn escape(&mut self, byte: u8, watcher: &mut impl Watcher) -> Took {
        let stands_for = match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 0x08,
            b'f' => 0x0C,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => return self.go(At::Hex(4, 0)),
            _ => return Took::Broken,
        };
        self.unit(u16::from(stands_for), watcher);
        self.go(At::Text)
    }

    fn hex(&mut self, byte: u8, left: u8, unit: u16, watcher: &mut impl Watcher) -> Took {
        let digit = match byte {
            b'0'..=b'9' => byte.wrapping_sub(b'0'),
            b'a'..=b'f' => byte.wrapping_sub(b'a').wrapping_add(10),
            b'A'..=b'F' => byte.wrapping_sub(b'A').wrapping_add(10),
            _ => return Took::Broken,
        };
        let unit = unit.wrapping_shl(4) | u16::from(digit);
        if left > 1 {
            return self.go(At::Hex(left.saturating_sub(1), unit));
        }
        self.unit(unit, watcher);
        self.go(At::Text)
    }

    fn unit(&self, unit: u16, watcher: &mut impl Watcher) {
        if self.string == Text::TopName {
            watcher.name(unit);
        }
    }
}

impl Number {
    /// What of the number was there with one byte more, if that belongs to it.
    const fn then(self, byte: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::Sign, b'0') => Self::Zero,
            (Self::Sign, b'1'..=b'9') | (Self::Integer, b'0'..=b'9') => Self::Integer,
            (Self::Zero | Self::Integer, b'.') => Self::Point,
            (Self::Point | Self::Fraction, b'0'..=b'9') => Self::Fraction,
            (Self::Zero | Self::Integer | Self::Fraction, b'e' | b'E') => Self::E,
            (Self::E, b'+' | b'-') => Self::ExponentSign,
            (Self::E | Self::ExponentSign | Self::Exponent, b'0'..=b'9') => Self::Exponent,
            _ => return None,
        })
    }

    /// Whether that is a number already.
    const fn may_end(self) -> bool {
        matches!(self, Self::Zero | Self::Integer | Self::Fraction | Self::Exponent)
    }
}
