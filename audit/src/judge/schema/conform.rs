//! Verdicts on values: whether a value conforms to a schema, as far as that is certain.
//!
//! A regular expression, a reference to another document or an unknown keyword leaves the verdict open.

use serde_json::{Map, Number, Value};

use super::dialect::Dialect;
use super::place::Step;

/// The maximum number of schemas that are applied to one value and its parts.
const MOST_STEPS: u32 = 1 << 16;
/// The maximum nesting depth of schemas, including references.
const DEEPEST: u32 = 256;
/// The maximum number of elements that are compared with each other.
const MOST_COMPARED: usize = 256;
/// 2^53: a floating-point number represents every integer up to this one exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The place of a difference in a value, and the keyword that the value breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub path: Vec<Step>,
    pub keyword: String,
}

/// The verdict on a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Fits,
    Differs(Difference),
    Open,
}

/// Checks a value against a schema.
pub(super) fn judge(schema: &Value, dialect: Dialect, value: &Value) -> Verdict {
    let has_own_base = has_id_inside(schema);
    let mut walk = Walk {
        root: schema,
        dialect,
        has_own_base,
        steps: MOST_STEPS,
        depth: 0,
        alternatives: 0,
        path: Vec::new(),
        first: None,
    };
    match walk.fits(schema, value) {
        Some(true) => Verdict::Fits,
        Some(false) => walk.first.map_or(Verdict::Open, Verdict::Differs),
        None => Verdict::Open,
    }
}

/// Returns whether references inside the schema may be relative to something other than its root.
fn has_id_inside(schema: &Value) -> bool {
    fn has_id(value: &Value) -> bool {
        match value {
            Value::Object(members) => {
                members.get("$id").is_some_and(Value::is_string) || members.values().any(has_id)
            }
            Value::Array(all) => all.iter().any(has_id),
            _ => false,
        }
    }
    match schema {
        Value::Object(members) => members.values().any(has_id),
        _ => false,
    }
}

struct Walk<'a> {
    root: &'a Value,
    dialect: Dialect,
    has_own_base: bool,
    /// The number of schemas that may still be applied.
    steps: u32,
    depth: u32,
    /// The number of enclosing keywords that may accept a value even if one of their schemas does not.
    alternatives: u32,
    path: Vec<Step>,
    first: Option<Difference>,
}

/// Joins verdicts that must all be good: one bad verdict makes the result bad, otherwise one open verdict makes it
/// open.
fn all(verdicts: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut joined = Some(true);
    for verdict in verdicts {
        match verdict {
            Some(false) => return Some(false),
            None => joined = None,
            Some(true) => {}
        }
    }
    joined
}

/// Counts the good verdicts and the open ones.
fn count(verdicts: &[Option<bool>]) -> (usize, usize) {
    let of = |wanted: Option<bool>| verdicts.iter().filter(|one| **one == wanted).count();
    (of(Some(true)), of(None))
}

/// Returns whether the number of good verdicts is in a range, as far as that is certain.
fn is_count_within(verdicts: &[Option<bool>], least: f64, most: f64) -> Option<bool> {
    let (good, open) = count(verdicts);
    let (fewest, highest) = (length(good), length(good.saturating_add(open)));
    if highest < least || fewest > most {
        return Some(false);
    }
    (fewest >= least && highest <= most).then_some(true)
}

impl Walk<'_> {
    fn fits(&mut self, schema: &Value, value: &Value) -> Option<bool> {
        self.steps = self.steps.checked_sub(1)?;
        let members = match schema {
            Value::Bool(any) => {
                if !any {
                    self.note("false");
                }
                return Some(*any);
            }
            Value::Object(members) => members,
            _ => return None,
        };
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        // In draft 7, a reference replaces the keywords beside it.
        let only = members.get("$ref").filter(|_| self.dialect == Dialect::Draft7);
        let verdict = match only {
            Some(reference) => self.refers(reference, value),
            None => all(members.iter().map(|(keyword, of)| {
                let verdict = self.keyword(keyword, of, members, value);
                if verdict == Some(false) {
                    self.note(keyword);
                }
                verdict
            })),
        };
        self.depth -= 1;
        verdict
    }

    /// Remembers the keyword that the value breaks, if it is the innermost, and nothing else could accept the value.
    fn note(&mut self, keyword: &str) {
        if self.alternatives == 0 && self.first.is_none() {
            self.first = Some(Difference { path: self.path.clone(), keyword: keyword.to_owned() });
        }
    }

    /// Applies a schema whose rejection alone does not decide the verdict.
    fn tries(&mut self, schema: &Value, value: &Value) -> Option<bool> {
        self.alternatives += 1;
        let verdict = self.fits(schema, value);
        self.alternatives -= 1;
        verdict
    }

    fn tries_each(&mut self, schemas: &Value, value: &Value) -> Option<Vec<Option<bool>>> {
        Some(schemas.as_array()?.iter().map(|schema| self.tries(schema, value)).collect())
    }

    /// Applies a schema to a part of the value.
    fn part(&mut self, step: Step, schema: &Value, part: &Value) -> Option<bool> {
        self.path.push(step);
        let verdict = self.fits(schema, part);
        self.path.pop();
        verdict
    }

    fn refers(&mut self, reference: &Value, value: &Value) -> Option<bool> {
        let pointer = reference.as_str()?.strip_prefix('#')?;
        if self.has_own_base || pointer.contains('%') {
            return None;
        }
        let root = self.root;
        self.fits(root.pointer(pointer)?, value)
    }

    fn keyword(
        &mut self,
        keyword: &str,
        of: &Value,
        members: &Map<String, Value>,
        value: &Value,
    ) -> Option<bool> {
        if self.dialect.shape_of(keyword).is_none() && keyword != "const" {
            // Annotations and vendor extensions.
            return match keyword {
                "default" => Some(true),
                _ if keyword.starts_with("x-") => Some(true),
                _ => None,
            };
        }
        match keyword {
            "$ref" => self.refers(of, value),
            "$dynamicRef" => None,
            // Its meta-schema has the keyword of older dialects, and validators differ in whether they apply it.
            "dependencies" if self.dialect == Dialect::V2020 => None,
            "type" => is_of_type(of, value),
            "enum" => Some(of.as_array()?.iter().any(|one| same(one, value))),
            "const" => Some(same(of, value)),
            "allOf" => {
                let schemas = of.as_array()?;
                all(schemas.iter().map(|schema| self.fits(schema, value)))
            }
            "anyOf" => is_count_within(&self.tries_each(of, value)?, 1.0, f64::INFINITY),
            "oneOf" => is_count_within(&self.tries_each(of, value)?, 1.0, 1.0),
            "not" => self.tries(of, value).map(|fits| !fits),
            "if" => {
                let branch = if self.tries(of, value)? { "then" } else { "else" };
                members.get(branch).map_or(Some(true), |schema| self.fits(schema, value))
            }
            _ => match value {
                Value::Number(number) => of_number(keyword, of, number),
                Value::String(text) => of_text(keyword, of, text),
                Value::Array(elements) => self.of_array(keyword, of, members, elements),
                Value::Object(object) => self.of_object(keyword, of, members, object),
                Value::Null | Value::Bool(_) => Some(true),
            },
        }
    }

    fn of_array(
        &mut self,
        keyword: &str,
        of: &Value,
        members: &Map<String, Value>,
        elements: &[Value],
    ) -> Option<bool> {
        match keyword {
            "minItems" => Some(length(elements.len()) >= of.as_f64()?),
            "maxItems" => Some(length(elements.len()) <= of.as_f64()?),
            "uniqueItems" if !of.as_bool()? => Some(true),
            "uniqueItems" if elements.len() > MOST_COMPARED => None,
            "uniqueItems" => Some(
                elements
                    .iter()
                    .enumerate()
                    .all(|(at, one)| elements.iter().take(at).all(|other| !same(one, other))),
            ),
            "prefixItems" => self.elements(of.as_array()?.iter(), elements, 0),
            "items" => match of {
                Value::Array(schemas) => self.elements(schemas.iter(), elements, 0),
                schema => {
                    let first = members.get("prefixItems").and_then(Value::as_array);
                    let first =
                        first.filter(|_| self.dialect == Dialect::V2020).map_or(0, Vec::len);
                    self.elements(std::iter::repeat(schema), elements, first)
                }
            },
            "additionalItems" => match members.get("items") {
                Some(Value::Array(first)) => {
                    self.elements(std::iter::repeat(of), elements, first.len())
                }
                _ => Some(true),
            },
            "contains" => {
                let limit = |name: &str, other: f64| {
                    let limit = members.get(name).filter(|_| self.dialect == Dialect::V2020);
                    limit.map_or(Some(other), Value::as_f64)
                };
                let (least, most) =
                    (limit("minContains", 1.0)?, limit("maxContains", f64::INFINITY)?);
                let verdicts: Vec<Option<bool>> =
                    elements.iter().map(|element| self.tries(of, element)).collect();
                is_count_within(&verdicts, least, most)
            }
            "unevaluatedItems" => (of.as_bool()? || elements.is_empty()).then_some(true),
            _ => Some(true),
        }
    }

    fn elements<'s>(
        &mut self,
        schemas: impl Iterator<Item = &'s Value>,
        elements: &[Value],
        from: usize,
    ) -> Option<bool> {
        let those = elements.iter().enumerate().skip(from).zip(schemas);
        all(those.map(|((at, element), schema)| self.part(Step::Index(at), schema, element)))
    }

    fn of_object(
        &mut self,
        keyword: &str,
        of: &Value,
        members: &Map<String, Value>,
        object: &Map<String, Value>,
    ) -> Option<bool> {
        let has_all = |names: &Value| {
            let mut names = names.as_array()?.iter();
            Some(names.all(|name| name.as_str().is_none_or(|name| object.contains_key(name))))
        };
        match keyword {
            "minProperties" => Some(length(object.len()) >= of.as_f64()?),
            "maxProperties" => Some(length(object.len()) <= of.as_f64()?),
            "required" => has_all(of),
            "properties" => all(of.as_object()?.iter().map(|(name, schema)| {
                let part = object.get(name);
                part.map_or(Some(true), |part| self.part(Step::Name(name.clone()), schema, part))
            })),
            // It is not known which names a regular expression matches.
            "patternProperties" => {
                (of.as_object()?.is_empty() || object.is_empty()).then_some(true)
            }
            "additionalProperties" => {
                let known = members.get("properties").and_then(Value::as_object);
                let patterns = members.get("patternProperties").and_then(Value::as_object);
                let is_open = patterns.is_some_and(|patterns| !patterns.is_empty());
                let mut others = object
                    .iter()
                    .filter(|(name, _)| !known.is_some_and(|known| known.contains_key(*name)));
                if is_open {
                    return others.next().is_none().then_some(true);
                }
                all(others.map(|(name, part)| self.part(Step::Name(name.clone()), of, part)))
            }
            "propertyNames" => all(object.keys().map(|name| {
                let name = Value::String(name.clone());
                self.fits(of, &name)
            })),
            "dependentRequired" | "dependentSchemas" | "dependencies" => {
                let mut there =
                    of.as_object()?.iter().filter(|(name, _)| object.contains_key(*name));
                let whole = Value::Object(object.clone());
                all(there.by_ref().map(|(_, needed)| match needed {
                    Value::Array(_) => has_all(needed),
                    schema => self.fits(schema, &whole),
                }))
            }
            "unevaluatedProperties" => (of.as_bool()? || object.is_empty()).then_some(true),
            _ => Some(true),
        }
    }
}

fn is_of_type(of: &Value, value: &Value) -> Option<bool> {
    let is = |name: &Value| {
        Some(match name.as_str()? {
            "array" => value.is_array(),
            "boolean" => value.is_boolean(),
            "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            "null" => value.is_null(),
            "number" => value.is_number(),
            "object" => value.is_object(),
            "string" => value.is_string(),
            _ => return None,
        })
    };
    match of {
        Value::Array(names) => {
            let verdicts: Vec<Option<bool>> = names.iter().map(is).collect();
            is_count_within(&verdicts, 1.0, f64::INFINITY)
        }
        name => is(name),
    }
}

/// Compares with a limit. The verdict is open for two large numbers that are equal after rounding.
fn of_number(keyword: &str, of: &Value, number: &Number) -> Option<bool> {
    let number = number.as_f64()?;
    if !matches!(
        keyword,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf"
    ) {
        return Some(true);
    }
    let limit = of.as_f64()?;
    let is_exact = number.abs() < EXACT && limit.abs() < EXACT;
    if keyword == "multipleOf" {
        let is_whole = number.fract() == 0.0 && limit.fract() == 0.0 && limit > 0.0;
        return (is_exact && is_whole).then(|| number % limit == 0.0);
    }
    if number == limit {
        return is_exact.then_some(!keyword.starts_with("exclusive"));
    }
    Some((number > limit) == matches!(keyword, "minimum" | "exclusiveMinimum"))
}

fn of_text(keyword: &str, of: &Value, text: &str) -> Option<bool> {
    match keyword {
        "minLength" => Some(length(text.chars().count()) >= of.as_f64()?),
        "maxLength" => Some(length(text.chars().count()) <= of.as_f64()?),
        "pattern" => None,
        // Formats are annotations.
        _ => Some(true),
    }
}

fn length(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}

/// Returns whether two values are equal. 1 and 1.0 are equal.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let is_integer = |number: &Number| number.is_i64() || number.is_u64();
            if is_integer(one) && is_integer(other) {
                return one == other;
            }
            one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(others)) => {
            one.len() == others.len()
                && one
                    .iter()
                    .all(|(name, one)| others.get(name).is_some_and(|other| same(one, other)))
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::dialect::Dialect;
    use super::super::place::written;
    use super::{Verdict, judge};

    /// Checks each value against the schema. `Some(true)` means that it fits, `None` that the verdict is open.
    #[track_caller]
    fn check(schema: &Value, values: &[(Value, Option<bool>)]) {
        let dialect = Dialect::of(schema).unwrap();
        for (value, expected) in values {
            let found = match judge(schema, dialect, value) {
                Verdict::Fits => Some(true),
                Verdict::Differs(_) => Some(false),
                Verdict::Open => None,
            };
            assert_eq!(found, *expected, "{schema} {value}");
        }
    }

    const YES: Option<bool> = Some(true);
    const NO: Option<bool> = Some(false);

    #[test]
    fn a_value_is_held_to_its_type_and_range() {
        check(
            &json!({"type": "integer"}),
            &[(json!(1.0), YES), (json!(1.5), NO), (json!("1"), NO)],
        );
        check(&json!({"type": ["string", "null"]}), &[(json!(null), YES), (json!(1), NO)]);
        check(&json!({"enum": [1, {"a": [2]}]}), &[(json!({"a": [2.0]}), YES), (json!(2), NO)]);
        check(&json!({"const": 1}), &[(json!(1.0), YES), (json!(true), NO)]);
        let range = json!({"minimum": 1, "exclusiveMaximum": 3});
        check(&range, &[(json!(1), YES), (json!(3), NO), (json!(0.5), NO), (json!("0"), YES)]);
        check(&json!({"multipleOf": 3}), &[(json!(9), YES), (json!(8), NO), (json!(0.3), None)]);
        check(&json!({"maximum": 9007199254740992_i64}), &[(json!(9007199254740993_i64), None)]);
        check(&json!({"minLength": 2, "maxLength": 2}), &[(json!("äö"), YES), (json!("a"), NO)]);
        check(&json!({"pattern": "^a", "type": "string"}), &[(json!("b"), None), (json!(1), NO)]);
        check(&json!(false), &[(json!(1), NO)]);
    }

    #[test]
    fn arrays_and_objects_are_held_to_their_parts() {
        let items = json!({"prefixItems": [{"type": "string"}], "items": {"type": "integer"}});
        check(&items, &[(json!(["a", 1]), YES), (json!([1]), NO), (json!(["a", "b"]), NO)]);
        let draft = "http://json-schema.org/draft-07/schema#";
        let tuple =
            json!({"$schema": draft, "items": [{"type": "string"}], "additionalItems": false});
        check(&tuple, &[(json!(["a"]), YES), (json!(["a", 1]), NO)]);
        check(&json!({"uniqueItems": true}), &[(json!([1, 2]), YES), (json!([1, 1.0]), NO)]);
        let contains = json!({"contains": {"const": 1}, "maxContains": 1});
        check(&contains, &[(json!([1, 2]), YES), (json!([2]), NO), (json!([1, 1]), NO)]);
        let object = json!({
            "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
            "additionalProperties": false,
        });
        check(&object, &[(json!({"a": ""}), YES), (json!({}), NO), (json!({"a": "", "b": 1}), NO)]);
        let patterns = json!({"patternProperties": {"^x": {}}, "additionalProperties": false});
        check(&patterns, &[(json!({}), YES), (json!({"y": 1}), None)]);
        let names = json!({"propertyNames": {"maxLength": 1}, "dependentRequired": {"a": ["b"]}});
        check(&json!({"dependencies": {"a": ["b"]}}), &[(json!({"a": 1}), None)]);
        check(&names, &[(json!({"ab": 1}), NO), (json!({"a": 1}), NO), (json!({"c": 1}), YES)]);
    }

    #[test]
    fn schemas_are_combined_and_referred_to() {
        let any = json!({"anyOf": [{"type": "string"}, {"pattern": "a", "minimum": 3}]});
        check(&any, &[(json!("a"), YES), (json!(3), YES), (json!(2), NO)]);
        let one = json!({"oneOf": [{"minimum": 1}, {"maximum": 5}]});
        check(&one, &[(json!(0), YES), (json!(3), NO)]);
        check(&json!({"not": {"type": "null"}}), &[(json!(null), NO), (json!(1), YES)]);
        check(&json!({"not": {"pattern": "a"}}), &[(json!("a"), None)]);
        let branch = json!({"if": {"const": 1}, "then": false, "else": {"type": "string"}});
        check(&branch, &[(json!(1), NO), (json!("a"), YES), (json!(2), NO)]);
        let list = json!({
            "$ref": "#/$defs/list",
            "$defs": {"list": {"type": "object", "properties": {"next": {"$ref": "#/$defs/list"}}}},
        });
        check(&list, &[(json!({"next": {"next": {}}}), YES), (json!({"next": {"next": 1}}), NO)]);
        check(&json!({"$ref": "#"}), &[(json!(1), None)]);
        check(&json!({"$ref": "https://example.com/a"}), &[(json!(1), None)]);
        check(&json!({"$ref": "#/no"}), &[(json!(1), None)]);
        check(&json!({"unevaluatedProperties": false}), &[(json!({"a": 1}), None)]);
        check(&json!({"strange": 1}), &[(json!(1), None)]);
    }

    #[test]
    fn a_difference_has_its_place() {
        let schema = json!({"properties": {"a": {"items": {"anyOf": [{"type": "string"}]}}}});
        let verdict = judge(&schema, Dialect::V2020, &json!({"a": ["x", 1]}));
        let Verdict::Differs(found) = verdict else { panic!("{verdict:?}") };
        assert_eq!((written(&found.path).as_str(), found.keyword.as_str()), ("a[1]", "anyOf"));
    }
}
