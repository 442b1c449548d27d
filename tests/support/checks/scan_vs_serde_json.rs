//! Differential test of the scanner and the views of `json` against `serde_json`, and against a naive recogniser.
//!
//! The property holds for any bytes. `serde_json` differs exactly where `tautline` documents it. The strings and
//! numbers of a text decide whether it falls under one of the exceptions; the error of `serde_json` never does.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use serde_json::Value;
use tautline::json::{DecodeError, Elements, Members};
use tautline::{RawJson, RawNumber, RawStr, scan};

use crate::support::reference::json::{self, Decimal};

/// A name that `serde_json` treats as internal, with its feature `raw_value`.
const MARKER: &str = "$serde_json::private::RawValue";

/// Checks all parsers against each other, for any input.
pub fn check(input: &[u8]) {
    let shallow = u8::try_from(input.len() % 7).unwrap();
    check_verdict(input, shallow);
    let tokens = check_verdict(input, scan::DEFAULT_MAX_DEPTH);

    let Some(tokens) = tokens else {
        let serde = serde_json::from_slice::<Value>(input);
        assert!(serde.is_err(), "serde_json takes what is refused here");
        return;
    };
    let exceptions = Exceptions::of(input, &tokens);
    if exceptions.marker {
        return;
    }
    if let Some(expected) = exceptions.verdict() {
        let serde = serde_json::from_slice::<Value>(input);
        assert_eq!(serde.is_ok(), expected, "{serde:?}");
    }
    // Without the unsupported parts, it accepts the text.
    let value: Value = serde_json::from_slice(&exceptions.without).unwrap();
    let root = RawJson::parse(input).unwrap();
    let mut walk =
        Walk { input, without: &exceptions.without, strings: Vec::new(), numbers: Vec::new() };
    assert_eq!(walk.value(root), value);
    assert_eq!(walk.strings, tokens.strings);
    assert_eq!(walk.numbers, tokens.numbers);
}

/// The scanner's verdict equals the recogniser's, including the kind and offset of the fault.
fn check_verdict(input: &[u8], max_depth: u8) -> Option<json::Tokens> {
    let verdict = scan::validate(input, max_depth);
    match json::recognise(input, usize::from(max_depth)) {
        Ok(tokens) => {
            assert_eq!(verdict, Ok(()), "with {max_depth} levels");
            Some(tokens)
        }
        Err(fault) => {
            let error = verdict.unwrap_err();
            let offset = usize::try_from(error.offset()).unwrap();
            let found = (error.kind(), offset);
            assert_eq!(found, (fault.kind, fault.offset), "with {max_depth} levels");
            None
        }
    }
}

/// The parts of a valid text that `serde_json` refuses.
struct Exceptions {
    /// True for an unpaired surrogate escape.
    lone_surrogate: bool,
    /// True for a number out of the range of `f64`; `None` if that is hard to tell.
    out_of_range: Option<bool>,
    /// True for a string that `serde_json` would act upon.
    marker: bool,
    /// The text with the first two replaced by something of the same length.
    without: Vec<u8>,
}

impl Exceptions {
    fn of(input: &[u8], tokens: &json::Tokens) -> Self {
        let mut this = Self {
            lone_surrogate: false,
            out_of_range: Some(false),
            marker: false,
            without: input.to_vec(),
        };
        for string in &tokens.strings {
            let inside = string.start + 1..string.end - 1;
            for at in json::lone_surrogates(&input[inside.clone()]) {
                this.lone_surrogate = true;
                this.without[inside.start + at..][..6].copy_from_slice(br"\ufffd");
            }
            if inside.len() >= MARKER.len() {
                let text: String = serde_json::from_slice(&this.without[string.clone()]).unwrap();
                this.marker |= text == MARKER;
            }
        }
        for number in &tokens.numbers {
            let in_range = Decimal::of(&input[number.clone()]).is_in_range_of_f64();
            if in_range == Some(true) {
                continue;
            }
            this.out_of_range = match (this.out_of_range, in_range) {
                (Some(true), _) | (_, Some(_)) => Some(true),
                (_, None) => None,
            };
            this.without[number.clone()].fill(b' ');
            this.without[number.start] = b'1';
        }
        this
    }

    /// Returns whether `serde_json` accepts the text, if that can be told.
    fn verdict(&self) -> Option<bool> {
        if self.lone_surrogate {
            return Some(false);
        }
        self.out_of_range.map(|out_of_range| !out_of_range)
    }
}

/// Traverses a whole text by its views, and checks each on the way.
struct Walk<'a> {
    input: &'a [u8],
    /// The same text without the parts that `serde_json` refuses.
    without: &'a [u8],
    strings: Vec<Range<usize>>,
    numbers: Vec<Range<usize>>,
}

/// An open container: the part built so far, and the views that are left.
enum Open<'a> {
    Array(Vec<Value>, Elements<'a>),
    Object(serde_json::Map<String, Value>, Members<'a>, String),
}

impl Open<'_> {
    fn put(&mut self, value: Value) {
        match self {
            Self::Array(values, _) => values.push(value),
            // Of several members with the same name, `serde_json` keeps the last.
            Self::Object(map, _, name) => {
                map.insert(std::mem::take(name), value);
            }
        }
    }

    fn close(self) -> Value {
        match self {
            Self::Array(values, mut elements) => {
                assert!(elements.next().is_none(), "the iterator is fused");
                Value::Array(values)
            }
            Self::Object(map, mut members, _) => {
                assert!(members.next().is_none(), "the iterator is fused");
                Value::Object(map)
            }
        }
    }
}

impl<'a> Walk<'a> {
    /// Returns the value that the views represent, built with a stack.
    fn value(&mut self, root: RawJson<'a>) -> Value {
        let mut open: Vec<Open<'a>> = Vec::new();
        let mut raw = root;
        loop {
            let mut done = self.begin(raw, &mut open);
            raw = loop {
                if let Some(value) = done.take() {
                    match open.last_mut() {
                        Some(container) => container.put(value),
                        None => return value,
                    }
                }
                match self.next_in(open.last_mut().unwrap()) {
                    Some(raw) => break raw,
                    None => done = open.pop().map(Open::close),
                }
            };
        }
    }

    /// Returns a scalar value, or opens a container.
    fn begin(&mut self, raw: RawJson<'a>, open: &mut Vec<Open<'a>>) -> Option<Value> {
        check_kind(raw);
        if let Some(members) = raw.members() {
            check_lookup(raw);
            open.push(Open::Object(serde_json::Map::new(), members, String::new()));
        } else if let Some(elements) = raw.elements() {
            open.push(Open::Array(Vec::new(), elements));
        } else if let Some(string) = raw.string() {
            return Some(Value::String(self.string(string)));
        } else if let Some(number) = raw.number() {
            return Some(self.number(number));
        } else {
            return Some(raw.bool().map_or(Value::Null, Value::Bool));
        }
        None
    }

    /// Returns the next value in a container.
    fn next_in(&mut self, container: &mut Open<'a>) -> Option<RawJson<'a>> {
        match container {
            Open::Array(_, elements) => elements.next(),
            Open::Object(_, members, name) => {
                let member = members.next()?;
                *name = self.string(member.name);
                Some(member.value)
            }
        }
    }

    /// Returns the range of the input that a view covers.
    fn range_of(&self, view: &[u8]) -> Range<usize> {
        let start = view.as_ptr().addr() - self.input.as_ptr().addr();
        start..start + view.len()
    }

    fn string(&mut self, string: RawStr<'a>) -> String {
        let inside = self.range_of(string.escaped_bytes());
        let quoted = inside.start - 1..inside.end + 1;
        let text: String = serde_json::from_slice(&self.without[quoted.clone()]).unwrap();
        check_string(string, &text);
        self.strings.push(quoted);
        text
    }

    fn number(&mut self, number: RawNumber<'a>) -> Value {
        let range = self.range_of(number.as_bytes());
        check_number(number);
        let value = serde_json::from_slice(&self.without[range.clone()]).unwrap();
        self.numbers.push(range);
        value
    }
}

/// Checks that only the accessors for its own kind return a value.
fn check_kind(raw: RawJson<'_>) {
    use tautline::json::Kind;
    let kind = match raw.as_bytes() {
        b"null" => Kind::Null,
        b"true" | b"false" => Kind::Bool,
        [b'"', ..] => Kind::String,
        [b'[', ..] => Kind::Array,
        [b'{', ..] => Kind::Object,
        _ => Kind::Number,
    };
    assert_eq!(raw.kind(), kind);
    assert_eq!(raw.is_null(), kind == Kind::Null);
    assert_eq!(raw.bool().is_some(), kind == Kind::Bool);
    assert_eq!(raw.number().is_some(), kind == Kind::Number);
    assert_eq!(raw.string().is_some(), kind == Kind::String);
    assert_eq!(raw.elements().is_some(), kind == Kind::Array);
    assert_eq!(raw.members().is_some(), kind == Kind::Object);
    assert_eq!(raw.as_str().map(str::as_bytes), Some(raw.as_bytes()));
}

/// Checks that a lookup finds a member whose name is not repeated, and no other.
fn check_lookup(object: RawJson<'_>) {
    let mut buffer = [0; 64];
    for member in object.members().unwrap().take(16) {
        let Ok(name) = member.name.decode_into(&mut buffer) else {
            continue;
        };
        let same = object.members().unwrap().filter(|other| other.name == member.name);
        assert_eq!(object.member(name), (same.count() == 1).then_some(member.value));
    }
}

/// Checks a string against its text, with U+FFFD for unpaired surrogates.
fn check_string(string: RawStr<'_>, text: &str) {
    let inside = string.escaped_bytes();
    let lone = json::lone_surrogates(inside);
    let first = string.lone_surrogate().map(|lone| lone.offset());
    assert_eq!(first, lone.first().copied());
    let decoded: Vec<_> = string.chars().collect();
    let found = decoded.iter().filter_map(|c| c.err().map(|lone| lone.offset()));
    assert!(found.eq(lone.iter().copied()));
    assert!(decoded.iter().map(|c| c.unwrap_or('\u{FFFD}')).eq(text.chars()));
    assert_eq!(string.to_string(), text);

    assert_eq!(string.has_escapes(), inside.contains(&b'\\'));
    let plain = (!string.has_escapes()).then_some(text);
    assert_eq!(string.unescaped(), plain);
    assert_eq!(string == *text, lone.is_empty());
    assert!(string != *format!("{text}x"));
    assert!(text.is_empty() || string != *"");

    let mut buffer = vec![0; inside.len()];
    let decoded = string.decode_into(&mut buffer);
    match string.decoded_len() {
        Ok(needed) => {
            assert_eq!((decoded, needed), (Ok(text), text.len()));
            if let Some(short) = needed.checked_sub(1) {
                let error = string.decode_into(&mut buffer[..short]);
                assert_eq!(error, Err(DecodeError::BufferTooSmall { needed }));
            }
        }
        Err(error) => {
            assert_eq!(decoded, Err(DecodeError::LoneSurrogate(error)));
            assert_eq!(Some(error.offset()), first);
        }
    }

    let spelled_out = spell_out(string);
    let other = RawJson::parse(spelled_out.as_bytes()).unwrap();
    let other = other.string().unwrap();
    assert_eq!(string, other);
    assert_eq!(other, string);
    assert_eq!(hash(string), hash(other));
}

/// Returns the same string with every UTF-16 code unit escaped.
fn spell_out(string: RawStr<'_>) -> String {
    let mut text = String::from('"');
    for character in string.chars() {
        let mut units = [0; 2];
        let units: &[u16] = match character {
            Ok(character) => character.encode_utf16(&mut units),
            Err(lone) => &[lone.unit()],
        };
        for unit in units {
            text.push_str(&format!("\\u{unit:04X}"));
        }
    }
    text.push('"');
    text
}

fn hash(string: RawStr<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    string.hash(&mut hasher);
    hasher.finish()
}

/// Checks a number against exact arithmetic on its digits, and against `serde_json` if that has an integer.
fn check_number(number: RawNumber<'_>) {
    let text = number.as_bytes();
    let exact = Decimal::of(text);
    assert_eq!(number.is_integer(), exact.is_integer());
    let as_i64 = exact.integer().and_then(|value| value.try_into().ok());
    assert_eq!(number.as_i64(), as_i64);
    let as_u64 = exact.integer().and_then(|value| value.try_into().ok());
    assert_eq!(number.as_u64(), as_u64);
    let plain = !text.iter().any(|byte| b".eE".contains(byte));
    assert_eq!(number.is_plain_integer(), plain);
    assert_eq!(number.to_string().as_bytes(), text);

    if let Ok(Value::Number(serde)) = serde_json::from_slice(text) {
        if serde.is_i64() {
            assert_eq!(number.as_i64(), serde.as_i64());
        }
        if serde.is_u64() {
            assert_eq!(number.as_u64(), serde.as_u64());
        }
    }
}
