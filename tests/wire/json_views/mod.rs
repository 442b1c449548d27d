//! The views of strings, numbers, values and ids, in detail.

mod ids;
mod numbers;
mod strings;
mod values;

use std::hash::{DefaultHasher, Hash, Hasher};

use tautline::{RawJson, RawNumber, RawStr};

fn value(text: &str) -> RawJson<'_> {
    RawJson::parse(text.as_bytes()).expect(text)
}

fn string(text: &str) -> RawStr<'_> {
    value(text).string().expect(text)
}

fn number(text: &str) -> RawNumber<'_> {
    value(text).number().expect(text)
}

fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
