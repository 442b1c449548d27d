//! Which values conform to which schemas, and what is left open.

use serde_json::{Map, Value, json};

use super::compile::compile;
use super::conform::{Verdict, judge};
use super::dialect::Dialect;
use super::place::written;

/// Checks each value against the schema. `Some(true)` means that it fits, `None` that the verdict is open.
#[track_caller]
fn check(schema: &Value, values: &[(Value, Option<bool>)]) {
    let compiled = compile(schema, Dialect::of(schema).unwrap());
    for (value, expected) in values {
        let found = match judge(&compiled, value, value.to_string().len()) {
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
    check(&json!({"type": "integer"}), &[(json!(1.0), YES), (json!(1.5), NO), (json!("1"), NO)]);
    check(&json!({"type": ["string", "null"]}), &[(json!(null), YES), (json!(1), NO)]);
    check(&json!({"enum": [1, {"a": [2]}]}), &[(json!({"a": [2.0]}), YES), (json!(2), NO)]);
    check(&json!({"const": 1}), &[(json!(1.0), YES), (json!(true), NO)]);
    let range = json!({"minimum": 1, "exclusiveMaximum": 3});
    check(&range, &[(json!(1), YES), (json!(3), NO), (json!(0.5), NO), (json!("0"), YES)]);
    check(&json!({"multipleOf": 3}), &[(json!(9), YES), (json!(8), NO), (json!(0.3), NO)]);
    check(
        &json!({"maximum": 9007199254740992_i64}),
        &[
            (json!(9_007_199_254_740_992_i64), YES),
            (json!(9_007_199_254_740_993_i64), NO),
            (json!(9_007_199_254_740_992.0), None),
        ],
    );
    check(&json!({"minLength": 2, "maxLength": 2}), &[(json!("äö"), YES), (json!("a"), NO)]);
    check(
        &json!({"pattern": "^a", "type": "string"}),
        &[(json!("ba"), NO), (json!("ab"), YES), (json!(1), NO)],
    );
    check(&json!(false), &[(json!(1), NO)]);
}

#[test]
fn arrays_and_objects_are_held_to_their_parts() {
    let items = json!({"prefixItems": [{"type": "string"}], "items": {"type": "integer"}});
    check(&items, &[(json!(["a", 1]), YES), (json!([1]), NO), (json!(["a", "b"]), NO)]);
    let draft = "http://json-schema.org/draft-07/schema#";
    let tuple = json!({"$schema": draft, "items": [{"type": "string"}], "additionalItems": false});
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
    check(&patterns, &[(json!({}), YES), (json!({"xy": 1}), YES), (json!({"yx": 1}), NO)]);
    let names = json!({"propertyNames": {"maxLength": 1}, "dependentRequired": {"a": ["b"]}});
    check(&json!({"dependencies": {"a": ["b"]}}), &[(json!({"a": 1}), None)]);
    check(&names, &[(json!({"ab": 1}), NO), (json!({"a": 1}), NO), (json!({"c": 1}), YES)]);
}

#[test]
fn schemas_are_combined_and_referred_to() {
    let any = json!({"anyOf": [{"type": "string"}, {"pattern": "(?=a)", "minimum": 3}]});
    check(&any, &[(json!("a"), YES), (json!(3), YES), (json!(2), NO)]);
    let one = json!({"oneOf": [{"minimum": 1}, {"maximum": 5}]});
    check(&one, &[(json!(0), YES), (json!(3), NO)]);
    check(&json!({"not": {"type": "null"}}), &[(json!(null), NO), (json!(1), YES)]);
    check(&json!({"not": {"pattern": "(?=a)"}}), &[(json!("a"), None)]);
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
    check(&json!({"unevaluatedProperties": false}), &[(json!({"a": 1}), NO)]);
    check(&json!({"strange": 1}), &[(json!(1), None)]);
}

#[test]
fn members_that_no_schema_evaluates_are_found() {
    let schema = json!({
        "$defs": {"base": {"properties": {"id": {"type": "integer"}}}},
        "$ref": "#/$defs/base",
        "anyOf": [
            {"properties": {"kind": {"const": "file"}, "path": true}, "required": ["path"]},
            {"properties": {"kind": {"const": "link"}, "url": true}, "required": ["url"]},
        ],
        "if": {"properties": {"size": {"minimum": 10}}, "required": ["size"]},
        "else": {"patternProperties": {"^small": true}},
        "dependentSchemas": {"id": {"properties": {"owner": true}}},
        "unevaluatedProperties": {"type": "null"},
    });
    check(
        &schema,
        &[
            (json!({"id": 1, "kind": "file", "path": ""}), YES),
            (json!({"id": 1, "kind": "file", "path": "", "url": null}), YES),
            // The alternative with `url` accepts the value, too.
            (json!({"path": "", "url": ""}), YES),
            (json!({"kind": "file", "path": "", "url": ""}), NO),
            (json!({"path": "", "size": 10}), YES),
            (json!({"path": "", "size": 9}), NO),
            (json!({"path": "", "smallest": 1}), YES),
            (json!({"path": "", "size": 10, "smallest": 1}), NO),
            (json!({"path": "", "owner": 1}), NO),
            (json!({"path": "", "id": 1, "owner": 1}), YES),
        ],
    );
    // The schemas around it do not count, nor does one that rejects the value.
    let nested = json!({
        "properties": {"a": true},
        "allOf": [{"unevaluatedProperties": false}],
    });
    check(&nested, &[(json!({}), YES), (json!({"a": 1}), NO)]);
    let not = json!({"not": {"not": {"properties": {"a": true}}}, "unevaluatedProperties": false});
    check(&not, &[(json!({"a": 1}), NO)]);
}

#[test]
fn elements_that_no_schema_evaluates_are_found() {
    let schema = json!({
        "prefixItems": [{"type": "string"}],
        "contains": {"type": "integer"},
        "oneOf": [{"prefixItems": [true, {"const": 1}]}, {"prefixItems": [true, {"const": null}, true]}],
        "unevaluatedItems": false,
    });
    check(
        &schema,
        &[
            (json!(["a", 1]), YES),
            (json!(["a", 1, 2, 3]), YES),
            (json!(["a", 1, "b"]), NO),
            (json!(["a", null, "b", 1]), YES),
            (json!(["a", null, "b", 1, "c"]), NO),
        ],
    );
    check(&json!({"items": true, "unevaluatedItems": false}), &[(json!([1]), YES)]);
}

#[test]
fn what_an_open_schema_evaluates_is_open() {
    for part in [
        json!({"$ref": "https://example.com/a"}),
        json!({"$ref": "#/$defs/missing"}),
        json!({"anyOf": [{"$ref": "https://example.com/a"}, true]}),
        json!({"patternProperties": {"(?=b)": true}}),
        json!({"if": {"$ref": "https://example.com/a"}, "then": {"properties": {"b": true}}}),
        json!({"dependencies": {"a": {"properties": {"b": true}}}}),
        json!({"strange": {"b": true}}),
    ] {
        let mut schema = json!({"properties": {"a": true}, "unevaluatedProperties": false});
        schema.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
        check(&schema, &[(json!({"a": 1, "b": 1}), None)]);
        schema["unevaluatedProperties"] = json!(true);
        schema["properties"]["b"] = json!(false);
        check(&schema, &[(json!({"a": 1, "b": 1}), NO)]);
    }
}

#[test]
fn dynamic_references_mean_the_outermost_anchor() {
    let tree = json!({
        "$id": "https://example.com/strict-tree",
        "$dynamicAnchor": "node",
        "$ref": "tree",
        "unevaluatedProperties": false,
        "$defs": {"tree": {
            "$id": "tree",
            "$dynamicAnchor": "node",
            "type": "object",
            "properties": {
                "data": true,
                "children": {"type": "array", "items": {"$dynamicRef": "#node"}},
            },
        }},
    });
    check(
        &tree,
        &[
            (json!({"children": [{"data": 1}]}), YES),
            (json!({"children": [{"daat": 1}]}), NO),
            (json!({"children": [{"children": [1]}]}), NO),
        ],
    );
    // Without a dynamic anchor at its target, it is a reference as any other.
    let plain = json!({
        "$dynamicRef": "#text",
        "$defs": {"a": {"$anchor": "text", "type": "string"}},
    });
    check(&plain, &[(json!("a"), YES), (json!(1), NO)]);
    check(&json!({"$dynamicRef": "other#node"}), &[(json!(1), None)]);
}

#[test]
fn references_reach_every_part_of_the_schema() {
    let schema = json!({
        "$id": "https://example.com/all/root.json",
        "properties": {
            "pointer": {"$ref": "#/x-components/a~1b%25/0"},
            "anchor": {"$ref": "#here"},
            "relative": {"$ref": "part.json"},
            "inside": {"$ref": "part.json#/$defs/inner"},
            "urn": {"$ref": "urn:example:part"},
        },
        "$defs": {
            "anchor": {"$anchor": "here", "type": "integer"},
            "part": {
                "$id": "part.json",
                "$ref": "#/$defs/inner",
                "$defs": {"inner": {"type": "integer"}},
            },
            "urn": {"$id": "urn:example:part", "type": "integer"},
        },
    });
    for name in ["anchor", "relative", "inside", "urn"] {
        check(&schema, &[(json!({name: 1}), YES), (json!({name: ""}), NO)]);
    }
    check(&schema, &[(json!({"pointer": 1}), None)]);
    // No keyword reads the place of the schema.
    let mut with_components = schema;
    with_components["x-components"] = json!({"a/b%": [{"type": "integer"}]});
    check(&with_components, &[(json!({"pointer": 1}), YES), (json!({"pointer": ""}), NO)]);
    // Two schemas with one name.
    let twice =
        json!({"$ref": "a", "$defs": {"a": {"$id": "a"}, "b": {"$id": "a", "type": "null"}}});
    check(&twice, &[(json!(1), None)]);
    let draft = "http://json-schema.org/draft-07/schema#";
    let old = json!({
        "$schema": draft,
        "properties": {"a": {"$ref": "#here", "minimum": 5}},
        "definitions": {"b": {"$id": "#here", "type": "integer"}},
    });
    check(&old, &[(json!({"a": 1}), YES), (json!({"a": ""}), NO)]);
}

#[test]
fn references_to_meta_schemas_need_no_document() {
    let schema = json!({"properties": {
        "new": {"$ref": "https://json-schema.org/draft/2020-12/schema"},
        "old": {"$ref": "http://json-schema.org/draft-07/schema#"},
    }});
    check(
        &schema,
        &[
            (json!({"new": {"type": "object"}, "old": {"$id": "a", "items": [true]}}), YES),
            (json!({"new": {"items": [true]}}), NO),
            (json!({"old": {"type": "text"}}), NO),
            (json!({"new": {"$id": "a"}}), None),
            (json!({"new": {"$id": 1}}), NO),
        ],
    );
}

#[test]
fn formats_and_contents_are_annotations() {
    for draft in
        ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"]
    {
        let schema = json!({
            "$schema": draft, "format": "date-time", "contentEncoding": "base64",
            "contentMediaType": "application/json",
        });
        check(&schema, &[(json!("soon"), YES)]);
    }
    check(&json!({"contentSchema": false}), &[(json!("{}"), YES)]);
}

/// Returns a schema in which each of the schemas `0` to `count` applies the next one, and the last one is `end`.
fn chain(count: usize, link: impl Fn(&str) -> Value, end: Value) -> Value {
    let next = |at: usize| format!("#/$defs/{}", at + 1);
    let mut schemas: Map<String, Value> =
        (0..count).map(|at| (at.to_string(), link(&next(at)))).collect();
    schemas.insert(count.to_string(), end);
    json!({"$ref": "#/$defs/0", "$defs": schemas})
}

#[test]
fn hostile_schemas_are_left_open() {
    let twice = |keyword: &'static str| move |next: &str| json!({keyword: [{"$ref": next}, {"$ref": next}]});
    let mut deep = json!({});
    let mut value = json!({});
    for at in 0..120 {
        value = json!({"a": value});
        if at % 3 == 0 {
            deep = json!({"anyOf": [deep], "properties": {"a": {"$ref": "#"}}});
        }
    }
    let loops = chain(500, |next| json!({"$ref": next}), json!({"$ref": "#/$defs/0"}));
    for schema in [
        json!({"$ref": "#"}),
        json!({"$dynamicRef": "#a", "$dynamicAnchor": "a"}),
        json!({"not": {"$ref": "#"}}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
        json!({"unevaluatedProperties": {"$ref": "#"}, "anyOf": [{"$ref": "#"}, {"$ref": "#"}]}),
        loops,
        deep,
        chain(
            2000,
            |next| json!({"$ref": next}),
            json!({"properties": {"a": {"$ref": "#/$defs/0"}}}),
        ),
        chain(60, twice("allOf"), json!(true)),
        chain(60, twice("anyOf"), json!({"type": "null"})),
        chain(60, twice("oneOf"), json!(true)),
        chain(
            60,
            |next| json!({"properties": {"a": {"allOf": [{"$ref": next}, {"$ref": next}]}}}),
            json!({}),
        ),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {
            "unevaluatedProperties": true,
            "properties": {"a": {"oneOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}},
        }}}),
    ] {
        check(&schema, &[(value.clone(), None)]);
    }
}

#[test]
fn a_schema_that_always_takes_long_is_left_open() {
    let twice = |next: &str| json!({"allOf": [{"$ref": next}, {"$ref": next}]});
    let mut schema = chain(14, twice, json!(true));
    schema = json!({"properties": {"a": schema["$ref"].take()}, "$defs": schema["$defs"].take()});
    schema["properties"]["a"] = json!({"$ref": schema["properties"]["a"].take()});
    let compiled = compile(&schema, Dialect::V2020);
    let value = json!({"a": 1});
    let verdicts: Vec<_> = (0..5).map(|_| judge(&compiled, &value, 7)).collect();
    assert_eq!(verdicts.first(), Some(&Verdict::Fits));
    assert_eq!(verdicts.last(), Some(&Verdict::Open));
    // What is checked in few steps still has a verdict.
    assert_eq!(judge(&compiled, &json!({"b": 1}), 7), Verdict::Fits);
}

#[test]
fn hostile_patterns_are_left_open() {
    let long = Value::String("a".repeat(1 << 16));
    let slow = json!({"pattern": "^(a|b|ab)*c".repeat(100)});
    check(&slow, &[(long.clone(), None), (json!(""), NO)]);
    check(&json!({"pattern": "(x+x+)+y"}), &[(Value::String("x".repeat(1 << 14)), NO)]);
    check(&json!({"pattern": "((a{1,200}){1,200}){1,200}"}), &[(long.clone(), None)]);
    check(&json!({"pattern": "(".repeat(1 << 15)}), &[(long, None)]);
    // One pattern that is too large takes no room from those after it.
    let both = json!({"allOf": [{"pattern": "(a{1000}){1000}"}, {"pattern": "^b"}]});
    check(&both, &[(json!("a"), NO), (json!("b"), None)]);
    // Together they may not need more than a schema's share.
    let many: Vec<Value> =
        (0..2000).map(|at| json!({"pattern": format!("x{{{at}}}[^y]{{200}}")})).collect();
    check(&json!({"allOf": many}), &[(json!(1), YES), (json!(""), NO)]);
}

#[test]
fn large_values_are_judged() {
    let numbers: Vec<u32> = (0..50_000).collect();
    let schema = json!({"items": {"type": "integer", "minimum": 0}, "uniqueItems": true});
    check(&schema, &[(json!(numbers), YES)]);
    let mut twice = numbers;
    twice.push(7);
    check(&schema, &[(json!(twice), NO)]);
}

#[test]
fn a_difference_has_its_place() {
    let schema = json!({"properties": {"a": {"items": {"anyOf": [{"type": "string"}]}}}});
    let verdict = judge(&compile(&schema, Dialect::V2020), &json!({"a": ["x", 1]}), 16);
    let Verdict::Differs(found) = verdict else { panic!("{verdict:?}") };
    assert_eq!((written(&found.path).as_str(), found.keyword), ("a[1]", "anyOf"));
    let schema = json!({
        "allOf": [{"properties": {"a": true}}],
        "unevaluatedProperties": false,
        "properties": {"b": {"pattern": "^x"}},
    });
    let compiled = compile(&schema, Dialect::V2020);
    for (value, place, keyword) in [
        (json!({"a": 1, "c": 1}), "c", "false"),
        (json!({"b": "y"}), "b", "pattern"),
        (json!({"a": 1, "b": "y", "c": 1}), "b", "pattern"),
    ] {
        let verdict = judge(&compiled, &value, 16);
        let Verdict::Differs(found) = verdict else { panic!("{verdict:?}") };
        assert_eq!((written(&found.path).as_str(), found.keyword), (place, keyword));
    }
}
