//! The syntax of ECMA-262's regular expressions, with the flag `u`, which JSON Schema recommends.
//!
//! Validators differ in whether they set the flag. So punctuation may also be escaped, and a hyphen may follow a class,
//! as is only legal without the flag. Brackets that stand for themselves without the flag have no meaning here.

use std::collections::HashSet;
use std::str::Chars;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, Look, Repetition};

/// The maximum nesting depth of groups.
const DEEPEST: u32 = 64;

/// White space and ends of lines.
const SPACE: &[(char, char)] = &[
    ('\t', '\r'),
    (' ', ' '),
    ('\u{a0}', '\u{a0}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{2000}', '\u{200a}'),
    ('\u{2028}', '\u{2029}'),
    ('\u{202f}', '\u{202f}'),
    ('\u{205f}', '\u{205f}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{feff}', '\u{feff}'),
];
const DIGIT: &[(char, char)] = &[('0', '9')];
const WORD: &[(char, char)] = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
/// The characters that end a line, which `.` does not match.
const LINE_END: &[(char, char)] = &[('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')];

/// Reads a pattern. Returns `None` if its meaning is uncertain, or if it has no linear matcher.
pub(super) fn parse(pattern: &str) -> Option<Hir> {
    let mut parser = Parser { rest: pattern.chars(), depth: 0, names: HashSet::new() };
    let expression = parser.alternatives()?;
    parser.peek().is_none().then_some(expression)
}

fn class(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|(from, to)| ClassUnicodeRange::new(*from, *to)))
}

fn without(ranges: &[(char, char)]) -> ClassUnicode {
    let mut class = class(ranges);
    class.negate();
    class
}

fn literal(sign: char) -> Hir {
    Hir::literal(sign.encode_utf8(&mut [0; 4]).as_bytes())
}

/// The meaning of a backslash and the characters after it, in a class or outside.
enum Escape {
    Sign(char),
    Class(ClassUnicode),
}

struct Parser<'p> {
    rest: Chars<'p>,
    depth: u32,
    /// The names of groups.
    names: HashSet<&'p str>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    /// Skips the text, if it is next.
    fn skip(&mut self, text: &str) -> bool {
        let rest = self.rest.as_str().strip_prefix(text);
        rest.inspect(|rest| self.rest = rest.chars()).is_some()
    }

    fn alternatives(&mut self) -> Option<Hir> {
        let mut all = vec![self.terms()?];
        while self.skip("|") {
            all.push(self.terms()?);
        }
        Some(Hir::alternation(all))
    }

    fn terms(&mut self) -> Option<Hir> {
        let mut all = Vec::new();
        while self.peek().is_some_and(|sign| !matches!(sign, '|' | ')')) {
            all.push(self.term()?);
        }
        Some(Hir::concat(all))
    }

    fn term(&mut self) -> Option<Hir> {
        for (text, look) in [
            ("^", Look::Start),
            ("$", Look::End),
            (r"\b", Look::WordAscii),
            (r"\B", Look::WordAsciiNegate),
        ] {
            if self.skip(text) {
                return Some(Hir::look(look));
            }
        }
        let atom = match self.rest.next()? {
            '.' => Hir::class(Class::Unicode(without(LINE_END))),
            '(' => self.group()?,
            '[' => Hir::class(Class::Unicode(self.class()?)),
            '\\' => match self.escape()? {
                Escape::Sign(sign) => literal(sign),
                Escape::Class(class) => Hir::class(Class::Unicode(class)),
            },
            '*' | '+' | '?' | '{' | '}' | ']' => return None,
            sign => literal(sign),
        };
        let (min, max) = self.quantifier()?;
        let greedy = !self.skip("?");
        Some(Hir::repetition(Repetition { min, max, greedy, sub: Box::new(atom) }))
    }

    fn group(&mut self) -> Option<Hir> {
        if self.skip("?") && !self.skip(":") {
            let is_named = self.skip("<") && self.name();
            is_named.then_some(())?;
        }
        self.depth += 1;
        let inside = (self.depth <= DEEPEST).then(|| self.alternatives())??;
        self.depth -= 1;
        self.skip(")").then_some(inside)
    }

    /// Skips the name of a group and the bracket after it. No two groups may have one name.
    fn name(&mut self) -> bool {
        let Some((name, rest)) = self.rest.as_str().split_once('>') else { return false };
        self.rest = rest.chars();
        let is_sign = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
        let is_name =
            name.chars().all(is_sign) && name.starts_with(|sign: char| !sign.is_ascii_digit());
        is_name && self.names.insert(name)
    }

    /// Reads a quantifier, if one is next, and returns the least and the highest number of repetitions.
    fn quantifier(&mut self) -> Option<(u32, Option<u32>)> {
        for (text, range) in [("*", (0, None)), ("+", (1, None)), ("?", (0, Some(1)))] {
            if self.skip(text) {
                return Some(range);
            }
        }
        if !self.skip("{") {
            return Some((1, Some(1)));
        }
        let min = self.number()?;
        let max = match self.skip(",") {
            false => Some(min),
            true if self.peek() == Some('}') => None,
            true => Some(self.number()?),
        };
        let is_range = self.skip("}") && max.is_none_or(|max| min <= max);
        is_range.then_some((min, max))
    }

    fn number(&mut self) -> Option<u32> {
        let text = self.rest.as_str();
        let end = text.find(|sign: char| !sign.is_ascii_digit())?;
        let (digits, rest) = text.split_at(end);
        self.rest = rest.chars();
        digits.parse().ok()
    }

    fn class(&mut self) -> Option<ClassUnicode> {
        let is_negated = self.skip("^");
        let mut ranges = Vec::new();
        while !self.skip("]") {
            let first = self.member()?;
            let rest = self.rest.as_str();
            let is_range = rest.starts_with('-') && !rest.starts_with("-]");
            match first {
                Escape::Class(class) => ranges.extend_from_slice(class.ranges()),
                Escape::Sign(from) if is_range => {
                    self.skip("-");
                    match self.member()? {
                        Escape::Sign(to) if from <= to => {
                            ranges.push(ClassUnicodeRange::new(from, to));
                        }
                        Escape::Sign(_) => return None,
                        // The hyphen stands for itself.
                        Escape::Class(class) => {
                            ranges.extend_from_slice(class.ranges());
                            ranges
                                .extend([from, '-'].map(|sign| ClassUnicodeRange::new(sign, sign)));
                        }
                    }
                }
                Escape::Sign(sign) => ranges.push(ClassUnicodeRange::new(sign, sign)),
            }
        }
        let mut class = ClassUnicode::new(ranges);
        if is_negated {
            class.negate();
        }
        Some(class)
    }

    /// Reads a character of a class, or a class in it.
    fn member(&mut self) -> Option<Escape> {
        if self.skip(r"\b") {
            return Some(Escape::Sign('\u{8}'));
        }
        match self.rest.next()? {
            '\\' => self.escape(),
            sign => Some(Escape::Sign(sign)),
        }
    }

    fn escape(&mut self) -> Option<Escape> {
        let sign = match self.rest.next()? {
            'd' => return Some(Escape::Class(class(DIGIT))),
            'D' => return Some(Escape::Class(without(DIGIT))),
            's' => return Some(Escape::Class(class(SPACE))),
            'S' => return Some(Escape::Class(without(SPACE))),
            'w' => return Some(Escape::Class(class(WORD))),
            'W' => return Some(Escape::Class(without(WORD))),
            't' => '\t',
            'n' => '\n',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'r' => '\r',
            '0' if !self.peek().is_some_and(|sign| sign.is_ascii_digit()) => '\0',
            'c' => {
                let letter = self.rest.next().filter(char::is_ascii_alphabetic)?;
                char::from_u32(u32::from(letter) % 32)?
            }
            'x' => char::from_u32(self.hexadecimal(2)?)?,
            'u' => self.code_point()?,
            // Without the flag, any punctuation stands for itself.
            sign if sign.is_ascii_punctuation() => sign,
            _ => return None,
        };
        Some(Escape::Sign(sign))
    }

    /// Reads what follows `\u`.
    fn code_point(&mut self) -> Option<char> {
        if self.skip("{") {
            let end = self.rest.as_str().find('}')?;
            let code = self.hexadecimal(end)?;
            self.skip("}");
            return char::from_u32(code);
        }
        let unit = self.hexadecimal(4)?;
        let is_high = (0xd800..0xdc00).contains(&unit);
        if !is_high {
            return char::from_u32(unit);
        }
        let low = self.skip(r"\u").then(|| self.hexadecimal(4))??.checked_sub(0xdc00)?;
        let code = 0x1_0000 + ((unit - 0xd800) << 10) + low;
        (low < 0x400).then(|| char::from_u32(code)).flatten()
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<u32> {
        let (text, rest) = self.rest.as_str().split_at_checked(digits)?;
        let is_hexadecimal = text.bytes().all(|digit| digit.is_ascii_hexdigit());
        self.rest = rest.chars();
        is_hexadecimal.then(|| u32::from_str_radix(text, 16).ok()).flatten()
    }
}
