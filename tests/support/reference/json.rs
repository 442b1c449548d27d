//! A naive JSON recogniser: one byte at a time, with only a state and a stack.
//!
//! The scanner's offsets answer the question "up to which byte can this text still become valid?" The recogniser
//! answers it by trial: if no transition exists for a byte, that byte is the fault. It shares no code with the
//! scanner, and leaves UTF-8 to the standard library.

use std::ops::Range;

use tautline::scan::Syntax;

/// The first fault of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: Syntax,
    pub offset: usize,
}

/// The positions of the strings, quotes included, and of the numbers of a valid text, in order.
#[derive(Debug, Default)]
pub struct Tokens {
    pub strings: Vec<Range<usize>>,
    pub numbers: Vec<Range<usize>>,
}

/// The state: what may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A value.
    Value,
    /// A value, or the end of the array that has just begun.
    ElementOrEnd,
    /// A member's name.
    Name,
    /// A member's name, or the end of the object that has just begun.
    NameOrEnd,
    /// The colon after a name.
    Colon,
    /// Anything that may follow a value.
    Behind,
    /// The inside of a string; `name` requires a colon after it.
    Inside { name: bool },
    /// Anything that may follow a backslash.
    Escape { name: bool },
    /// This many more hexadecimal digits.
    Hex { name: bool, left: u8 },
    /// The rest of a word, at least one letter.
    Word(&'static [u8]),
    /// The first digit of a number's whole part.
    FirstDigit,
    /// After a whole part of 0, which no digit may follow.
    Zero,
    /// After a digit of a whole part.
    Whole,
    /// The first digit of a fraction.
    FirstOfFraction,
    /// After a digit of a fraction.
    Fraction,
    /// The sign or first digit of an exponent.
    SignOfExponent,
    /// The first digit of an exponent, after its sign.
    FirstOfExponent,
    /// After a digit of an exponent.
    Exponent,
}

use State::{
    Behind, Colon, ElementOrEnd, Escape, Exponent, FirstDigit, FirstOfExponent, FirstOfFraction,
    Fraction, Hex, Inside, Name, NameOrEnd, SignOfExponent, Value, Whole, Word, Zero,
};

/// Recognises one value with whitespace around it, nested at most this deep.
pub fn recognise(text: &[u8], max_depth: usize) -> Result<Tokens, Fault> {
    let by_grammar = recognise_grammar(text, max_depth);
    let Err(error) = std::str::from_utf8(text) else {
        return by_grammar;
    };
    let utf8 = Fault { kind: Syntax::InvalidUtf8, offset: error.valid_up_to() };
    match by_grammar {
        Err(fault) if fault.offset < utf8.offset => Err(fault),
        _ => Err(utf8),
    }
}

/// Does the same, but takes every byte from 0x80 on as part of a character.
fn recognise_grammar(text: &[u8], max_depth: usize) -> Result<Tokens, Fault> {
    let mut tokens = Tokens::default();
    let mut open = Vec::new();
    let mut state = Value;
    for (offset, &byte) in text.iter().enumerate() {
        let before = state;
        if ends_number(state, byte) {
            tokens.numbers.last_mut().unwrap().end = offset;
            state = Behind;
        }
        let fault = |kind| Fault { kind, offset };
        state = next(state, byte, &mut open).ok_or(fault(complaint(state, &open, Some(byte))))?;
        if open.len() > max_depth {
            return Err(fault(Syntax::TooDeep));
        }
        match (before, state) {
            (Inside { .. }, Colon | Behind) => {
                tokens.strings.last_mut().unwrap().end = offset + 1;
            }
            (Value | ElementOrEnd | Name | NameOrEnd, Inside { .. }) => {
                tokens.strings.push(offset..offset);
            }
            (Value | ElementOrEnd, FirstDigit | Zero | Whole) => {
                tokens.numbers.push(offset..text.len());
            }
            _ => {}
        }
    }
    let complete = matches!(state, Behind | Zero | Whole | Fraction | Exponent);
    if complete && open.is_empty() {
        return Ok(tokens);
    }
    Err(Fault { kind: complaint(state, &open, None), offset: text.len() })
}

/// Returns whether the current number may end here and this byte does not continue it.
fn ends_number(state: State, byte: u8) -> bool {
    match state {
        Zero => !matches!(byte, b'.' | b'e' | b'E'),
        Whole => !matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E'),
        Fraction => !matches!(byte, b'0'..=b'9' | b'e' | b'E'),
        Exponent => !byte.is_ascii_digit(),
        _ => false,
    }
}

/// Returns the state after a byte, if there is one. The stack has the closing bracket of each container.
fn next(state: State, byte: u8, open: &mut Vec<u8>) -> Option<State> {
    let space = matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    Some(match (state, byte) {
        (Value | ElementOrEnd | Name | NameOrEnd | Colon | Behind, _) if space => state,
        (ElementOrEnd, b']') | (NameOrEnd, b'}') => {
            open.pop();
            Behind
        }
        (Value | ElementOrEnd, b'[') => {
            open.push(b']');
            ElementOrEnd
        }
        (Value | ElementOrEnd, b'{') => {
            open.push(b'}');
            NameOrEnd
        }
        (Value | ElementOrEnd, b'"') => Inside { name: false },
        (Value | ElementOrEnd, b't') => Word(b"rue"),
        (Value | ElementOrEnd, b'f') => Word(b"alse"),
        (Value | ElementOrEnd, b'n') => Word(b"ull"),
        (Value | ElementOrEnd, b'-') => FirstDigit,
        (Value | ElementOrEnd | FirstDigit, b'0') => Zero,
        (Value | ElementOrEnd | FirstDigit, b'1'..=b'9') => Whole,
        (Name | NameOrEnd, b'"') => Inside { name: true },
        (Colon, b':') => Value,
        (Behind, b',') => match open.last()? {
            b'}' => Name,
            _ => Value,
        },
        (Behind, b']' | b'}') if open.last() == Some(&byte) => {
            open.pop();
            Behind
        }
        (Inside { name: true }, b'"') => Colon,
        (Inside { name: false }, b'"') => Behind,
        (Inside { name }, b'\\') => Escape { name },
        (Inside { name }, 0x20..) => Inside { name },
        (Escape { name }, b'u') => Hex { name, left: 4 },
        (Escape { name }, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
            Inside { name }
        }
        (Hex { name, left }, _) if byte.is_ascii_hexdigit() => match left {
            1 => Inside { name },
            _ => Hex { name, left: left - 1 },
        },
        (Word([letter]), _) if byte == *letter => Behind,
        (Word([letter, rest @ ..]), _) if byte == *letter => Word(rest),
        (Whole, b'0'..=b'9') => Whole,
        (Zero | Whole, b'.') => FirstOfFraction,
        (FirstOfFraction | Fraction, b'0'..=b'9') => Fraction,
        (Zero | Whole | Fraction, b'e' | b'E') => SignOfExponent,
        (SignOfExponent, b'+' | b'-') => FirstOfExponent,
        (SignOfExponent | FirstOfExponent | Exponent, b'0'..=b'9') => Exponent,
        _ => return None,
    })
}

/// Returns the error for a byte that is not allowed, or for the end of the text.
fn complaint(state: State, open: &[u8], byte: Option<u8>) -> Syntax {
    match state {
        Value | ElementOrEnd => Syntax::ExpectedValue,
        Name | NameOrEnd => Syntax::ExpectedName,
        Colon => Syntax::ExpectedColon,
        Word(_) => Syntax::InvalidLiteral,
        FirstDigit | FirstOfFraction | SignOfExponent | FirstOfExponent => Syntax::ExpectedDigit,
        Inside { .. } | Escape { .. } | Hex { .. } if byte.is_none() => Syntax::UnterminatedString,
        Inside { .. } => Syntax::ControlCharacter,
        Escape { .. } | Hex { .. } => Syntax::InvalidEscape,
        Behind | Zero | Whole | Fraction | Exponent if open.is_empty() => Syntax::TrailingBytes,
        Behind | Zero | Whole | Fraction | Exponent => Syntax::ExpectedCommaOrEnd,
    }
}

/// Returns the offsets of unpaired surrogate escapes in the inside of a string.
pub fn lone_surrogates(inside: &[u8]) -> Vec<usize> {
    let unit = |at: usize| {
        let digits = inside.get(at..)?.strip_prefix(b"\\u")?.get(..4)?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut lone = Vec::new();
    let mut at = 0;
    while at < inside.len() {
        at += match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => {
                lone.push(at);
                6
            }
            _ if inside[at] == b'\\' => 2,
            _ => 1,
        };
    }
    lone
}

/// A number in normal form: 0.DIGITS times ten to the power of `point`, with no zero at either end of the digits;
/// zero has no digits.
#[derive(Debug)]
pub struct Decimal {
    pub negative: bool,
    pub digits: Vec<u8>,
    pub point: i128,
}

impl Decimal {
    pub fn of(number: &[u8]) -> Self {
        let text = std::str::from_utf8(number).unwrap();
        let magnitude = text.trim_start_matches('-');
        let (mantissa, exponent) = match magnitude.split_once(['e', 'E']) {
            // No text is long enough to compensate an exponent of thirty-five digits.
            Some((mantissa, exponent)) => (
                mantissa,
                exponent.parse().unwrap_or_else(|_| {
                    if exponent.starts_with('-') { i128::MIN / 2 } else { i128::MAX / 2 }
                }),
            ),
            None => (magnitude, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits = [whole, fraction].concat().into_bytes();
        let mut point = exponent + i128::try_from(whole.len()).unwrap();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
        digits.drain(..zeros);
        point -= i128::try_from(zeros).unwrap();
        Self { negative: text.starts_with('-'), digits, point }
    }

    pub fn is_integer(&self) -> bool {
        self.digits.is_empty() || self.point >= i128::try_from(self.digits.len()).unwrap()
    }

    /// Returns the value, if it is an integer of at most 38 digits.
    pub fn integer(&self) -> Option<i128> {
        if self.digits.is_empty() {
            return Some(0);
        }
        if !self.is_integer() || self.point > 38 {
            return None;
        }
        let mut value = 0;
        for place in 0..self.point {
            let digit = self.digits.get(usize::try_from(place).unwrap());
            value = value * 10 + i128::from(digit.unwrap_or(&b'0') - b'0');
        }
        Some(if self.negative { -value } else { value })
    }

    /// Returns whether the number is in the range of `f64`, or `None` if it is so close to the largest `f64` that
    /// rounding decides.
    pub fn is_in_range_of_f64(&self) -> Option<bool> {
        // The first digits of 1.7976931348623157e308.
        const LARGEST: &[u8] = b"179769313486231";
        if self.digits.is_empty() || self.point < 309 {
            return Some(true);
        }
        if self.point > 309 {
            return Some(false);
        }
        let first: Vec<u8> = (0..LARGEST.len())
            .map(|place| self.digits.get(place).copied().unwrap_or(b'0'))
            .collect();
        match first.as_slice().cmp(LARGEST) {
            std::cmp::Ordering::Less => Some(true),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(false),
        }
    }
}
