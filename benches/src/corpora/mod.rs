//! Six inputs for benchmarks and some hostile ones. They are generated in every run, and a seed determines them.
//!
//! They are synthetic: shapes and sizes are taken from real sessions, and the words are random. The small messages are
//! many and all different: a branch predictor learns a thousand of them by heart, and the benchmark would then measure
//! its memory.

pub mod alternating;
pub mod hostile;
mod json;
pub mod random;
mod shapes;

use std::borrow::Cow;
use std::collections::HashSet;

use random::Random;
use shapes::Shaped;

/// An input: messages, one per line.
pub struct Corpus {
    /// The name.
    pub name: Cow<'static, str>,
    /// The bytes.
    pub wire: Vec<u8>,
    /// The number of messages of each kind.
    pub counts: Counts,
}

/// The number of messages of each kind that a parser has found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls that expect a response.
    pub requests: u64,
    /// Calls that expect none.
    pub notifications: u64,
    /// Responses with a result.
    pub results: u64,
    /// Responses with an error.
    pub errors: u64,
    /// Lines that were refused.
    pub refused: u64,
}

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A call that expects a response.
    Request,
    /// A call that expects none.
    Notification,
    /// A response with a result.
    Result,
    /// A response with an error.
    Error,
}

/// The size of a corpus to generate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// All of it: 100,000 small messages, 24 to 32 MB of every other kind.
    Full,
    /// This fraction of it, but never less than 50,000 small messages: fewer would flatter every parser.
    Part(f64),
    /// A minimal size, to check the answers and not to measure.
    Smoke,
}

/// A branch predictor learns fewer different messages than this by heart.
const FEWEST_DISTINCT: u64 = 50_000;

impl Scale {
    /// Returns the scale for the arguments of a benchmark. As criterion has it, only `--bench` without `--test` measures:
    /// `cargo bench` passes the first, and `cargo test` neither.
    pub fn of_bench() -> Self {
        let has = |name| std::env::args().any(|argument| argument == name);
        if has("--bench") && !has("--test") { Self::Part(0.25) } else { Self::Smoke }
    }

    /// Returns the fraction of a corpus.
    pub const fn factor(self) -> f64 {
        match self {
            Self::Full => 1.0,
            Self::Part(factor) => factor,
            Self::Smoke => 0.005,
        }
    }
}

impl Counts {
    /// Counts one message, or a refused line.
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

    /// Returns the number of lines accepted as messages.
    pub const fn accepted(&self) -> u64 {
        self.requests + self.notifications + self.results + self.errors
    }
}

/// The target size of a corpus.
#[derive(Clone, Copy)]
enum Enough {
    /// This many bytes.
    Bytes(u64),
    /// This many messages, all different.
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

/// Returns the names of the corpora.
pub fn names() -> impl Iterator<Item = &'static str> {
    RECIPES.iter().map(|recipe| recipe.name)
}

/// The seed of the corpora that every benchmark reads, unless it is told another.
pub const USUAL_SEED: u64 = 0;

/// Generates the corpus of this name and seed.
pub fn corpus(name: &str, scale: Scale, seed: u64) -> Option<Corpus> {
    RECIPES.iter().find(|recipe| recipe.name == name).map(|recipe| recipe.make(scale, seed))
}

/// Generates all corpora of the usual seed.
pub fn corpora(scale: Scale) -> impl Iterator<Item = Corpus> {
    RECIPES.iter().map(move |recipe| recipe.make(scale, USUAL_SEED))
}

impl Recipe {
    fn make(&self, scale: Scale, seed: u64) -> Corpus {
        // The name gives each corpus a seed of its own.
        let of_name = self.name.bytes().fold(2026, |seed, byte| seed << 8 ^ u64::from(byte));
        let mut random = Random::new(of_name.wrapping_add(seed));
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
