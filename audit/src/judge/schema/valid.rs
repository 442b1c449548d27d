//! Verdicts on schemas: whether each keyword has a value of the kind that the meta-schema of its dialect demands.
//!
//! Patterns of strings and the syntax of URIs and regular expressions are not checked.

use std::collections::HashSet;

use serde_json::Value;

use super::dialect::{Dialect, Shape};
use super::place::Step;

/// The first keyword with a wrong value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    /// The path to it from the schema.
    pub path: Vec<Step>,
    /// The kind of value that is expected there, in words.
    pub expected: &'static str,
}

/// Returns what is wrong with a schema. `serde_json` limits the depth of a value, and so the depth of the recursion.
pub(super) fn wrong(schema: &Value, dialect: Dialect) -> Option<Wrong> {
    let Value::Object(members) = schema else {
        return (!schema.is_boolean()).then(|| here(Shape::Schema));
    };
    members.iter().find_map(|(name, value)| {
        let shape = dialect.shape_of(name)?;
        within(wrong_value(shape, value, dialect), Step::Name(name.clone()))
    })
}

/// Keywords of 2020-12 for which the meta-schema has patterns.
const WITH_PATTERNS: [&str; 6] =
    ["$anchor", "$dynamicAnchor", "$id", "$recursiveAnchor", "$recursiveRef", "$vocabulary"];

/// Returns whether a value is a schema, as far as that is certain.
pub(super) fn is_schema(value: &Value, dialect: Dialect) -> Option<bool> {
    if wrong(value, dialect).is_some() {
        return Some(false);
    }
    (dialect == Dialect::Draft7 || !has_patterns(value)).then_some(true)
}

fn has_patterns(value: &Value) -> bool {
    match value {
        Value::Array(elements) => elements.iter().any(has_patterns),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| WITH_PATTERNS.contains(&name.as_str()) || has_patterns(value)),
        _ => false,
    }
}

fn here(shape: Shape) -> Wrong {
    Wrong { path: Vec::new(), expected: shape.words() }
}

/// Adds a step at the beginning of the path.
fn within(wrong: Option<Wrong>, step: Step) -> Option<Wrong> {
    let mut wrong = wrong?;
    wrong.path.insert(0, step);
    Some(wrong)
}

fn wrong_value(shape: Shape, value: &Value, dialect: Dialect) -> Option<Wrong> {
    let is_right = match shape {
        Shape::Schema => return wrong(value, dialect),
        Shape::SchemaOrSchemas if !value.is_array() => return wrong(value, dialect),
        Shape::Schemas | Shape::SchemaOrSchemas => match value.as_array() {
            Some(all) if !all.is_empty() => {
                let mut numbered = all.iter().enumerate();
                return numbered.find_map(|(at, one)| within(wrong(one, dialect), Step::Index(at)));
            }
            _ => false,
        },
        Shape::NamedSchemas | Shape::NamedSchemasOrNames | Shape::NamedNames => {
            let Some(members) = value.as_object() else { return Some(here(shape)) };
            return members.iter().find_map(|(name, value)| {
                let has_names =
                    shape == Shape::NamedNames || shape != Shape::NamedSchemas && value.is_array();
                let shape = if has_names { Shape::Names } else { Shape::Schema };
                within(wrong_value(shape, value, dialect), Step::Name(name.clone()))
            });
        }
        Shape::Names => names(value).is_some(),
        Shape::Types => match value {
            Value::Array(all) => {
                !all.is_empty()
                    && names(value).is_some_and(|all| all.iter().all(|one| is_type(one)))
            }
            one => one.as_str().is_some_and(is_type),
        },
        Shape::Array => value.is_array(),
        Shape::Boolean => value.is_boolean(),
        Shape::Text => value.is_string(),
        Shape::Number => value.is_number(),
        Shape::Positive => value.as_f64().is_some_and(|number| number > 0.0),
        Shape::Count => value.as_f64().is_some_and(|number| number >= 0.0 && number.fract() == 0.0),
    };
    (!is_right).then(|| here(shape))
}

/// Returns the elements of a list of unique strings. Returns `None` for any other value.
fn names(value: &Value) -> Option<HashSet<&str>> {
    let all = value.as_array()?;
    let names: HashSet<&str> = all.iter().filter_map(Value::as_str).collect();
    (names.len() == all.len()).then_some(names)
}

fn is_type(name: &str) -> bool {
    matches!(name, "array" | "boolean" | "integer" | "null" | "number" | "object" | "string")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::dialect::Dialect;
    use super::super::place::written;
    use super::wrong;

    #[test]
    fn each_keyword_has_its_kind_of_value() {
        let draft = "http://json-schema.org/draft-07/schema#";
        for (schema, place) in [
            (json!(true), None),
            (json!({}), None),
            (json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}}), None),
            (json!({"x-own": 1, "default": 1, "const": {}, "enum": []}), None),
            (json!({"required": [], "minLength": 2.0, "multipleOf": 0.5}), None),
            (json!({"dependencies": {"a": ["b"], "c": {"type": "string"}}}), None),
            (json!({"$schema": draft, "items": [{}], "prefixItems": 1}), None),
            (json!({"items": [{}]}), Some("items")),
            (json!({"$schema": draft, "items": [{"type": "text"}]}), Some("items[0].type")),
            (json!(1), Some("")),
            (json!({"type": "str"}), Some("type")),
            (json!({"type": []}), Some("type")),
            (json!({"type": ["string", "string"]}), Some("type")),
            (json!({"properties": []}), Some("properties")),
            (json!({"properties": {"a": "string"}}), Some("properties.a")),
            (json!({"properties": {"a": {"minimum": "0"}}}), Some("properties.a.minimum")),
            (json!({"properties": {"a": {"required": true}}}), Some("properties.a.required")),
            (json!({"required": ["a", "a"]}), Some("required")),
            (json!({"required": ["a", 1]}), Some("required")),
            (json!({"anyOf": []}), Some("anyOf")),
            (json!({"anyOf": [{}, {"not": 0}]}), Some("anyOf[1].not")),
            (json!({"$defs": {"a": {"multipleOf": 0}}}), Some("$defs.a.multipleOf")),
            (json!({"maxItems": -1}), Some("maxItems")),
            (json!({"maxItems": 1.5}), Some("maxItems")),
            (json!({"exclusiveMinimum": true}), Some("exclusiveMinimum")),
            (json!({"enum": "a"}), Some("enum")),
            (json!({"dependentRequired": {"a": {}}}), Some("dependentRequired.a")),
            (json!({"description": null}), Some("description")),
            (json!({"$schema": 1}), Some("$schema")),
        ] {
            let found = Dialect::of(&schema).and_then(|dialect| wrong(&schema, dialect));
            let found = found.map(|wrong| written(&wrong.path));
            assert_eq!(found.as_deref(), place, "{schema}");
        }
        assert_eq!(Dialect::of(&json!({"$schema": "https://example.com/mine"})), None);
    }
}
