//! Compiles schemas: finds what their references mean, and reads the value of each keyword.

use std::cmp::Ordering;
use std::sync::atomic::AtomicUsize;

use serde_json::{Map, Value};

use super::compiled::{Check, Compiled, Counted, Id, Need, Node, Range, Type};
use super::conform::MOST_SPARE;
use super::dialect::Dialect;
use super::equal::canonical;
use super::pattern::Pattern;
use super::resource::{Place, Resources};

/// The number of bytes that the patterns of a schema may need.
const MOST_PATTERNS: usize = 1 << 18;

/// Compiles a schema. `serde_json` limits its depth, and so the depth of the recursion.
pub(super) fn compile(schema: &Value, dialect: Dialect) -> Compiled {
    let mut compiler = Compiler { schemas: Resources::of(schema, dialect), room: MOST_PATTERNS };
    let mut nodes = Vec::new();
    // References may add schemas at the end.
    while let Some(place) = compiler.schemas.places.get(nodes.len()) {
        nodes.push(compiler.node(*place));
    }
    let dynamic_anchors = compiler.schemas.into_dynamic_anchors();
    Compiled { nodes, dynamic_anchors, spare: AtomicUsize::new(MOST_SPARE) }
}

struct Compiler<'s> {
    schemas: Resources<'s>,
    /// The number of bytes that more patterns may need.
    room: usize,
}

/// A keyword, with its value and the members beside it.
struct Keyword<'s> {
    name: &'s str,
    value: &'s Value,
    beside: &'s Map<String, Value>,
    dialect: Dialect,
    resource: usize,
}

impl<'s> Compiler<'s> {
    fn node(&mut self, Place { schema, resource, dialect }: Place<'s>) -> Node {
        let mut node = Node { resource, ..Node::default() };
        let (members, dialect) = match (schema, dialect) {
            (Value::Bool(true), _) => return node,
            (Value::Bool(false), _) => {
                node.checks.push(("false", Check::Never));
                return node;
            }
            (Value::Object(members), Some(dialect)) => (members, dialect),
            _ => {
                node.checks.push(("", Check::Open));
                return node;
            }
        };
        for (name, value) in members {
            // In draft 7, a reference replaces the keywords beside it.
            if dialect == Dialect::Draft7 && name != "$ref" && members.contains_key("$ref") {
                continue;
            }
            let keyword = Keyword { name, value, beside: members, dialect, resource };
            if let Some((name, check)) = self.check(&keyword) {
                node.checks.push((name, check.unwrap_or(Check::Open)));
            }
        }
        let is_last = |check: &Check| {
            matches!(check, Check::UnevaluatedItems(_) | Check::UnevaluatedProperties(_))
        };
        node.checks.sort_by_key(|(_, check)| is_last(check));
        node.has_unevaluated = node.checks.last().is_some_and(|(_, check)| is_last(check));
        node
    }

    /// Returns the check of a keyword, with its name. The check is `None` if the value of the keyword is wrong. A keyword
    /// that demands nothing has no check.
    fn check(&mut self, keyword: &Keyword<'s>) -> Option<(&'static str, Option<Check>)> {
        let &Keyword { name, value, beside, dialect, .. } = keyword;
        let of_2020 = dialect == Dialect::V2020;
        let count = || value.as_f64();
        let limit = |accepts| {
            let limit = value.as_number()?.clone();
            Some(Check::Limit { limit, accepts })
        };
        Some(match name {
            "$ref" => (
                "$ref",
                self.reference(keyword).map(Check::Reference).or_else(|| schema_of_schemas(value)),
            ),
            "$dynamicRef" if of_2020 => ("$dynamicRef", self.dynamic_reference(keyword)),
            "type" => ("type", types(value).map(Check::Types)),
            "enum" => {
                let values = value.as_array().map(|all| all.iter().map(canonical).collect());
                ("enum", values.map(Check::Values))
            }
            "const" => ("const", Some(Check::Values([canonical(value)].into()))),
            "allOf" => ("allOf", self.schemas(value).map(Check::AllOf)),
            "anyOf" => ("anyOf", self.schemas(value).map(Check::AnyOf)),
            "oneOf" => ("oneOf", self.schemas(value).map(Check::OneOf)),
            "not" => ("not", self.schema(value).map(Check::Not)),
            "if" => ("if", self.condition(keyword)),
            "minimum" => ("minimum", limit(Ordering::is_ge)),
            "maximum" => ("maximum", limit(Ordering::is_le)),
            "exclusiveMinimum" => ("exclusiveMinimum", limit(Ordering::is_gt)),
            "exclusiveMaximum" => ("exclusiveMaximum", limit(Ordering::is_lt)),
            "multipleOf" => ("multipleOf", value.as_number().cloned().map(Check::MultipleOf)),
            "minLength" => {
                ("minLength", count().map(|n| Check::Size(Counted::Text, Range::at_least(n))))
            }
            "maxLength" => {
                ("maxLength", count().map(|n| Check::Size(Counted::Text, Range::at_most(n))))
            }
            "minItems" => {
                ("minItems", count().map(|n| Check::Size(Counted::Array, Range::at_least(n))))
            }
            "maxItems" => {
                ("maxItems", count().map(|n| Check::Size(Counted::Array, Range::at_most(n))))
            }
            "minProperties" => {
                ("minProperties", count().map(|n| Check::Size(Counted::Object, Range::at_least(n))))
            }
            "maxProperties" => {
                ("maxProperties", count().map(|n| Check::Size(Counted::Object, Range::at_most(n))))
            }
            "pattern" => ("pattern", value.as_str().map(|text| Check::Pattern(self.pattern(text)))),
            "uniqueItems" if *value == Value::Bool(false) => return None,
            "uniqueItems" => ("uniqueItems", value.as_bool().map(|_| Check::UniqueItems)),
            "contains" => ("contains", self.contains(keyword)),
            "items" => ("items", self.elements(keyword)),
            "prefixItems" if of_2020 && !beside.contains_key("items") => {
                ("prefixItems", self.elements(keyword))
            }
            "unevaluatedItems" if of_2020 => {
                ("unevaluatedItems", self.schema(value).map(Check::UnevaluatedItems))
            }
            "required" => ("required", names(value).map(Check::Required)),
            "properties" => ("properties", self.members(keyword)),
            "patternProperties" if !beside.contains_key("properties") => {
                ("patternProperties", self.members(keyword))
            }
            "additionalProperties"
                if !beside.contains_key("properties")
                    && !beside.contains_key("patternProperties") =>
            {
                ("additionalProperties", self.members(keyword))
            }
            "propertyNames" => ("propertyNames", self.schema(value).map(Check::PropertyNames)),
            "dependentRequired" if of_2020 => ("dependentRequired", self.dependent(keyword)),
            "dependentSchemas" if of_2020 => ("dependentSchemas", self.dependent(keyword)),
            "dependencies" => ("dependencies", self.dependent(keyword)),
            "unevaluatedProperties" if of_2020 => {
                ("unevaluatedProperties", self.schema(value).map(Check::UnevaluatedProperties))
            }
            // Annotations, places for schemas, keywords that others read, and vendor extensions.
            "default" | "$defs" => return None,
            _ if dialect.shape_of(name).is_some() || name.starts_with("x-") => return None,
            // Validators may know what it demands.
            _ => ("", None),
        })
    }

    fn schema(&self, value: &Value) -> Option<Id> {
        self.schemas.id_of(value)
    }

    fn schemas(&self, value: &Value) -> Option<Vec<Id>> {
        value.as_array()?.iter().map(|schema| self.schema(schema)).collect()
    }

    fn reference(&mut self, keyword: &Keyword<'s>) -> Option<Id> {
        self.schemas.find(keyword.value.as_str()?, keyword.resource)
    }

    fn dynamic_reference(&mut self, keyword: &Keyword<'s>) -> Option<Check> {
        let initial = self.reference(keyword)?;
        let anchor = self.schemas.dynamic_anchor(keyword.value.as_str()?, initial);
        Some(Check::DynamicReference { initial, anchor })
    }

    fn condition(&self, keyword: &Keyword<'s>) -> Option<Check> {
        let condition = self.schema(keyword.value)?;
        let branch = |name| keyword.beside.get(name).and_then(|schema| self.schema(schema));
        Some(Check::If { condition, then: branch("then"), otherwise: branch("else") })
    }

    fn contains(&self, keyword: &Keyword<'s>) -> Option<Check> {
        let evaluates = keyword.dialect == Dialect::V2020;
        let limit = |name: &str, other: f64| {
            let limit = keyword.beside.get(name).filter(|_| evaluates);
            limit.map_or(Some(other), Value::as_f64)
        };
        let range =
            Range { least: limit("minContains", 1.0)?, most: limit("maxContains", f64::INFINITY)? };
        Some(Check::Contains { schema: self.schema(keyword.value)?, range, evaluates })
    }

    /// Joins the keywords about elements.
    fn elements(&self, keyword: &Keyword<'s>) -> Option<Check> {
        let of = |name| keyword.beside.get(name);
        let (first, rest) = match keyword.dialect {
            Dialect::V2020 => (of("prefixItems"), of("items")),
            Dialect::Draft7 if keyword.value.is_array() => (of("items"), of("additionalItems")),
            Dialect::Draft7 => (None, of("items")),
        };
        let first = first.map_or(Some(Vec::new()), |first| self.schemas(first))?;
        let rest = rest.map(|rest| self.schema(rest).ok_or(())).transpose().ok()?;
        Some(Check::Elements { first, rest })
    }

    /// Joins the keywords about members.
    fn members(&mut self, keyword: &Keyword<'s>) -> Option<Check> {
        let of = |name| keyword.beside.get(name);
        let mut named = Vec::new();
        for (name, schema) in of("properties").map_or(Some(&Map::new()), Value::as_object)? {
            named.push((name.clone(), self.schema(schema)?));
        }
        let mut matching = Vec::new();
        for (pattern, schema) in
            of("patternProperties").map_or(Some(&Map::new()), Value::as_object)?
        {
            let schema = self.schema(schema)?;
            matching.push((self.pattern(pattern), schema));
        }
        let rest = of("additionalProperties").map(|rest| self.schema(rest).ok_or(()));
        let rest = rest.transpose().ok()?;
        Some(Check::Members { named: named.into_iter().collect(), matching, rest })
    }

    fn dependent(&self, keyword: &Keyword<'s>) -> Option<Check> {
        let needs = keyword.value.as_object()?.iter().map(|(name, need)| {
            let need = match need {
                Value::Array(_) => Need::Names(names(need)?),
                schema => Need::Schema(self.schema(schema)?),
            };
            Some((name.clone(), need))
        });
        // The meta-schema of 2020-12 has the keyword of older dialects, and validators differ in whether they apply it.
        let is_certain = keyword.name != "dependencies" || keyword.dialect == Dialect::Draft7;
        Some(Check::Dependent { needs: needs.collect::<Option<_>>()?, is_certain })
    }

    fn pattern(&mut self, text: &str) -> Option<Pattern> {
        Pattern::new(text, &mut self.room)
    }
}

/// Returns the check for a reference to a meta-schema, which needs no document.
fn schema_of_schemas(reference: &Value) -> Option<Check> {
    reference.as_str().and_then(Dialect::named).map(Check::Schema)
}

fn types(value: &Value) -> Option<Vec<Type>> {
    let named = |name: &Value| Type::named(name.as_str()?);
    match value {
        Value::Array(names) => names.iter().map(named).collect(),
        name => Some(vec![named(name)?]),
    }
}

fn names(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect()
}
