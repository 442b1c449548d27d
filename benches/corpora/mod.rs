//! Six wires to measure on, made anew in every run and the same each time.
//!
//! They are synthetic: the shapes and sizes are those of real sessions, the words are salad. Small
//! messages are many and all different, since a predictor learns a thousand of them by heart, and
//! then what is measured is its memory.
#![allow(dead_code, reason = "each of those who include this file uses a part of it")]

mod json;
pub mod random;
mod shapes;

use std::borrow::Cow;
use std::collections::HashSet;

use random::Random;
use shapes::Shaped;

/// A wire: messages, each on a line of its own.
pub struct Corpus {
    /// What it is called.
    pub name: Cow<'static, str>,
    /// The bytes.
    pub wire: Vec<u8>,
    /// How many messages there are, of each kind.
    pub counts: Counts,
}

/// How many messages of each kind somebody has found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls that are to be answered.
    pub requests: u64,
    /// Calls that are not.
    pub notifications: u64,
    /// Responses with a result.
    pub results: u64,
    /// Responses with an error.
    pub errors: u64,
    /// Lines that were refused.
    pub refused: u64,
}

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A call that is to be answered.
    Request,
    /// A call that is not.
    Notification,
    /// A response with a result.
    Result,
    /// A response with an error.
    Error,
}

/// How much of a corpus to make.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// All of it: 100,000 small messages, 24 to 32 MB of every other kind.
    Full,
    /// So much of it; never less than 50,000 small messages, which would flatter everybody.
    Part(f64),
    /// Next to nothing: to see whether the answers are right, and not to measure.
    Smoke,
}

/// Fewer different messages than this are learnt by heart.
const FEWEST_DISTINCT: u64 = 50_000;

impl Scale {
    /// The part that is asked for by the arguments of `cargo bench`, where `--test` is a smoke test.
    pub fn of_bench() -> Self {
        if std::env::args().any(|argument| argument == "--test") {
            Self::Smoke
        } else {
            Self::Part(0.25)
        }
    }

    fn factor(self) -> f64 {
        match self {
            Self::Full => 1.0,
            Self::Part(factor) => factor,
            Self::Smoke => 0.005,
        }
    }
}

impl Counts {
    /// Counts one message, or a line that was refused.
    pub const fn add(&mut self, kind: Option<Kind>) {
        let count = match kind {
            Some(Kind::Request) => &mut self.requests,
            Some(Kind::Notification) => &mut self.notifications,
            Some(Kind::Result) => &mut self.results,
            Some(Kind::Error) => &mut self.errors,
            None => &mut self.refused,
        };
        *count += 1;
    }

    /// How many lines were taken for messages.
    pub const fn accepted(&self) -> u64 {
        self.requests + self.notifications + self.results + self.errors
    }
}

/// When a corpus is large enough.
#[derive(Clone, Copy)]
enum Enough {
    /// Of so many bytes.
    Bytes(u64),
    /// Of so many messages, which are all different.
    Messages(u64),
}

impl Enough {
    fn reached(self, wire: &[u8], counts: Counts, scale: Scale) -> bool {
        let part = |whole: u64| (whole as f64 * scale.factor()) as u64;
        match (self, scale) {
            (Self::Bytes(bytes), _) => wire.len() as u64 >= part(bytes),
            (Self::Messages(messages), Scale::Smoke) => counts.accepted() >= part(messages),
            (Self::Messages(messages), _) => {
                counts.accepted() >= part(messages).max(FEWEST_DISTINCT)
            }
        }
    }
}

struct Recipe {
    name: &'static str,
    shape: fn(&mut Random) -> Shaped,
    enough: Enough,
}

const RECIPES: [Recipe; 6] = [
    Recipe { name: "small", shape: shapes::small, enough: Enough::Messages(100_000) },
    Recipe { name: "tools", shape: shapes::tools, enough: Enough::Bytes(24_000_000) },
    Recipe { name: "text", shape: shapes::text, enough: Enough::Bytes(24_000_000) },
    Recipe { name: "blob", shape: shapes::blob, enough: Enough::Bytes(32_000_000) },
    Recipe { name: "numbers", shape: shapes::numbers, enough: Enough::Bytes(24_000_000) },
    Recipe { name: "lsp", shape: shapes::lsp, enough: Enough::Bytes(24_000_000) },
];

/// The names of the corpora.
pub fn names() -> impl Iterator<Item = &'static str> {
    RECIPES.iter().map(|recipe| recipe.name)
}

/// Makes the corpus of this name.
pub fn corpus(name: &str, scale: Scale) -> Option<Corpus> {
    RECIPES.iter().find(|recipe| recipe.name == name).map(|recipe| recipe.make(scale))
}

/// Makes all of the corpora.
pub fn corpora(scale: Scale) -> impl Iterator<Item = Corpus> {
    RECIPES.iter().map(move |recipe| recipe.make(scale))
}

impl Recipe {
    fn make(&self, scale: Scale) -> Corpus {
        // Any other seed is as good; the name makes one of each corpus.
        let seed = self.name.bytes().fold(2026, |seed, byte| seed << 8 ^ u64::from(byte));
        let mut random = Random::new(seed);
        let (mut wire, mut counts) = (Vec::new(), Counts::default());
        let mut seen = HashSet::new();
        while !self.enough.reached(&wire, counts, scale) {
            let (kind, message) = (self.shape)(&mut random);
            assert!(!message.contains('\n'), "{message:?} is not one line");
            if seen.contains(&message) {
                continue;
            }
            wire.extend_from_slice(message.as_bytes());
            wire.push(b'\n');
            counts.add(Some(kind));
            if let Enough::Messages(_) = self.enough {
                seen.insert(message);
            }
        }
        Corpus { name: self.name.into(), wire, counts }
    }
}
