//! The dialects of JSON Schema that are known, and their keywords.

use serde_json::Value;

/// A dialect of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Draft7,
    V2020,
}

impl Dialect {
    /// Returns the dialect that a schema declares, or 2020-12 (since 2025-11-25, basic, JSON Schema usage). Returns
    /// `None` for other dialects.
    pub fn of(schema: &Value) -> Option<Self> {
        let Some(declared) = schema.get("$schema").and_then(Value::as_str) else {
            return Some(Self::V2020);
        };
        Self::named(declared)
    }

    /// Returns the dialect whose meta-schema has this URI.
    pub fn named(uri: &str) -> Option<Self> {
        match uri.strip_suffix('#').unwrap_or(uri) {
            "https://json-schema.org/draft/2020-12/schema" => Some(Self::V2020),
            "http://json-schema.org/draft-07/schema" => Some(Self::Draft7),
            _ => None,
        }
    }
}

/// The kind of value that a keyword requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Schema,
    Schemas,
    SchemaOrSchemas,
    NamedSchemas,
    NamedSchemasOrNames,
    NamedNames,
    Names,
    Types,
    Array,
    Boolean,
    Text,
    Number,
    Positive,
    Count,
}

impl Shape {
    /// Returns the expected kind of value, in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Schema => "a schema, which is an object or a boolean",
            Self::Schemas => "a list of schemas that is not empty",
            Self::SchemaOrSchemas => "a schema, or a list of schemas that is not empty",
            Self::NamedSchemas => "an object whose members are schemas",
            Self::NamedSchemasOrNames => "an object whose members are schemas or lists of names",
            Self::NamedNames => "an object whose members are lists of names",
            Self::Names => "a list of strings, none of them twice",
            Self::Types => "the name of a JSON type, or a list of them",
            Self::Array => "an array",
            Self::Boolean => "a boolean",
            Self::Text => "a string",
            Self::Number => "a number",
            Self::Positive => "a number above 0",
            Self::Count => "an integer from 0",
        }
    }
}

/// The keywords of both dialects (JSON Schema, core and validation).
const COMMON: &[(&str, Shape)] = &[
    ("$id", Shape::Text),
    ("$schema", Shape::Text),
    ("$ref", Shape::Text),
    ("$comment", Shape::Text),
    ("definitions", Shape::NamedSchemas),
    ("dependencies", Shape::NamedSchemasOrNames),
    ("allOf", Shape::Schemas),
    ("anyOf", Shape::Schemas),
    ("oneOf", Shape::Schemas),
    ("not", Shape::Schema),
    ("if", Shape::Schema),
    ("then", Shape::Schema),
    ("else", Shape::Schema),
    ("contains", Shape::Schema),
    ("properties", Shape::NamedSchemas),
    ("patternProperties", Shape::NamedSchemas),
    ("additionalProperties", Shape::Schema),
    ("propertyNames", Shape::Schema),
    ("type", Shape::Types),
    ("enum", Shape::Array),
    ("multipleOf", Shape::Positive),
    ("maximum", Shape::Number),
    ("exclusiveMaximum", Shape::Number),
    ("minimum", Shape::Number),
    ("exclusiveMinimum", Shape::Number),
    ("maxLength", Shape::Count),
    ("minLength", Shape::Count),
    ("pattern", Shape::Text),
    ("maxItems", Shape::Count),
    ("minItems", Shape::Count),
    ("uniqueItems", Shape::Boolean),
    ("maxProperties", Shape::Count),
    ("minProperties", Shape::Count),
    ("required", Shape::Names),
    ("format", Shape::Text),
    ("contentEncoding", Shape::Text),
    ("contentMediaType", Shape::Text),
    ("title", Shape::Text),
    ("description", Shape::Text),
    ("readOnly", Shape::Boolean),
    ("writeOnly", Shape::Boolean),
    ("examples", Shape::Array),
];

const OF_DRAFT_7: &[(&str, Shape)] =
    &[("items", Shape::SchemaOrSchemas), ("additionalItems", Shape::Schema)];

const OF_2020: &[(&str, Shape)] = &[
    ("$defs", Shape::NamedSchemas),
    ("$anchor", Shape::Text),
    ("$dynamicRef", Shape::Text),
    ("$dynamicAnchor", Shape::Text),
    ("items", Shape::Schema),
    ("prefixItems", Shape::Schemas),
    ("dependentSchemas", Shape::NamedSchemas),
    ("dependentRequired", Shape::NamedNames),
    ("unevaluatedItems", Shape::Schema),
    ("unevaluatedProperties", Shape::Schema),
    ("maxContains", Shape::Count),
    ("minContains", Shape::Count),
    ("contentSchema", Shape::Schema),
    ("deprecated", Shape::Boolean),
];

impl Dialect {
    /// Returns the kind of value that a keyword requires, if the dialect knows the keyword.
    pub fn shape_of(self, keyword: &str) -> Option<Shape> {
        let own = match self {
            Self::Draft7 => OF_DRAFT_7,
            Self::V2020 => OF_2020,
        };
        let mut all = COMMON.iter().chain(own);
        all.find(|(name, _)| *name == keyword).map(|(_, shape)| *shape)
    }
}
