//! Schemas as checks that refer to each other by number.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::AtomicUsize;

use serde_json::Number;

use super::dialect::Dialect;
use super::pattern::Pattern;

/// The number of a schema among all that a compiled schema consists of.
pub(super) type Id = usize;

/// A schema with everything that it refers to. Number 0 is the whole schema.
#[derive(Debug)]
pub(super) struct Compiled {
    pub nodes: Vec<Node>,
    /// For each resource, the schemas with a `$dynamicAnchor`, by its name.
    pub dynamic_anchors: Vec<HashMap<String, Id>>,
    /// The number of steps that earlier checks have left over.
    pub spare: AtomicUsize,
}

/// A schema inside a schema.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// The number of the resource that it belongs to.
    pub resource: usize,
    /// The checks of the keywords in alphabetical order, but with those of `unevaluated…` at the end.
    pub checks: Vec<(&'static str, Check)>,
    /// True if a keyword needs to know which parts of the value others have evaluated.
    pub has_unevaluated: bool,
}

/// The demand of a keyword on a value. Checks of a type accept every value of another type.
#[derive(Debug)]
pub(super) enum Check {
    Never,
    /// It is not known what the keyword demands.
    Open,
    Reference(Id),
    /// The value has to be a schema.
    Schema(Dialect),
    /// A reference to the first schema in the dynamic scope with the anchor. Without one, it is a plain reference.
    DynamicReference {
        initial: Id,
        anchor: Option<String>,
    },
    Types(Vec<Type>),
    /// The canonical texts of the values that are allowed.
    Values(HashSet<String>),
    AllOf(Vec<Id>),
    AnyOf(Vec<Id>),
    OneOf(Vec<Id>),
    Not(Id),
    If {
        condition: Id,
        then: Option<Id>,
        otherwise: Option<Id>,
    },
    Limit {
        limit: Number,
        accepts: fn(Ordering) -> bool,
    },
    MultipleOf(Number),
    Size(Counted, Range),
    /// `None` is a pattern that can't be matched.
    Pattern(Option<Pattern>),
    UniqueItems,
    Elements {
        first: Vec<Id>,
        rest: Option<Id>,
    },
    Contains {
        schema: Id,
        range: Range,
        /// True if elements that match count as evaluated.
        evaluates: bool,
    },
    UnevaluatedItems(Id),
    Required(Vec<String>),
    Members {
        named: BTreeMap<String, Id>,
        matching: Vec<(Option<Pattern>, Id)>,
        rest: Option<Id>,
    },
    PropertyNames(Id),
    Dependent {
        needs: Vec<(String, Need)>,
        /// True if all validators apply the keyword.
        is_certain: bool,
    },
    UnevaluatedProperties(Id),
}

/// The further demand on a value that has a certain member.
#[derive(Debug)]
pub(super) enum Need {
    Names(Vec<String>),
    Schema(Id),
}

/// The types of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Array,
    Boolean,
    Integer,
    Null,
    Number,
    Object,
    String,
}

impl Type {
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "array" => Self::Array,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "null" => Self::Null,
            "number" => Self::Number,
            "object" => Self::Object,
            "string" => Self::String,
            _ => return None,
        })
    }
}

/// The things that are counted: the characters of a string, the elements of an array, or the members of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    Text,
    Array,
    Object,
}

/// A range of numbers of things.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub least: f64,
    pub most: f64,
}

impl Range {
    pub const fn at_least(least: f64) -> Self {
        Self { least, most: f64::INFINITY }
    }

    pub const fn at_most(most: f64) -> Self {
        Self { least: 0.0, most }
    }

    pub fn contains(self, count: usize) -> bool {
        (self.least..=self.most).contains(&length(count))
    }

    /// Returns whether the number of good verdicts is in the range, as far as that is certain.
    pub fn contains_good(self, verdicts: &[Option<bool>]) -> Option<bool> {
        let of = |wanted| verdicts.iter().filter(|one| **one == wanted).count();
        let (good, open) = (of(Some(true)), of(None));
        let (fewest, highest) = (length(good), length(good.saturating_add(open)));
        if highest < self.least || fewest > self.most {
            return Some(false);
        }
        (fewest >= self.least && highest <= self.most).then_some(true)
    }
}

fn length(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}
