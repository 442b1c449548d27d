//! The files of the corpus have the form that the schema describes.
//!
//! The walk below knows the keywords of JSON Schema 2020-12 that the schema uses, and fails at any other.

use serde_json::{Value, json};

const SCHEMA: &str = include_str!("../../schema.json");
const SESSIONS: &str = include_str!("../../sessions.json");
const HTTP_SCHEMA: &str = include_str!("../../http/schema.json");
const HTTP_SESSIONS: &str = include_str!("../../http/sessions.json");

fn schema() -> Value {
    serde_json::from_str(SCHEMA).expect("the schema is JSON")
}

fn files() -> Vec<(String, Value)> {
    files_in(concat!(env!("CARGO_MANIFEST_DIR"), "/cases"))
}

fn http_files() -> Vec<(String, Value)> {
    files_in(concat!(env!("CARGO_MANIFEST_DIR"), "/http/cases"))
}

fn files_in(folder: &str) -> Vec<(String, Value)> {
    let entries = std::fs::read_dir(folder).expect("the folder of the cases");
    let read = |entry: std::fs::DirEntry| {
        let text = std::fs::read_to_string(entry.path()).expect("a file");
        let value = serde_json::from_str(&text).expect("JSON");
        (entry.file_name().to_string_lossy().into_owned(), value)
    };
    entries.map(|entry| read(entry.expect("an entry"))).collect()
}

#[test]
fn the_files_are_valid() {
    let schema = schema();
    for (name, file) in files() {
        assert_eq!(check(&schema, &schema, &file, &name), Ok(()));
    }
    let sessions: Value = serde_json::from_str(SESSIONS).expect("JSON");
    assert_eq!(check(&schema, &schema["$defs"]["sessions"], &sessions, "sessions"), Ok(()));
}

#[test]
fn the_files_about_http_are_valid() {
    let schema: Value = serde_json::from_str(HTTP_SCHEMA).expect("the schema is JSON");
    for (name, file) in http_files() {
        assert_eq!(check(&schema, &schema, &file, &name), Ok(()));
    }
    let sessions: Value = serde_json::from_str(HTTP_SESSIONS).expect("JSON");
    assert_eq!(check(&schema, &schema["$defs"]["sessions"], &sessions, "sessions"), Ok(()));
}

#[test]
fn all_files_are_embedded() {
    let count = |files: Vec<(String, Value)>| {
        files.iter().map(|(_, file)| file["cases"].as_array().map_or(0, Vec::len)).sum::<usize>()
    };
    assert_eq!(tautline_conformance::Corpus::embedded().cases.len(), count(files()));
    assert_eq!(tautline_conformance::Corpus::http().cases.len(), count(http_files()));
}

#[test]
fn a_file_about_http_that_breaks_the_schema_is_found() {
    let schema: Value = serde_json::from_str(HTTP_SCHEMA).expect("the schema is JSON");
    let break_one = |pointer: &str, value: Value| {
        let named = |(name, _): &(String, Value)| name == "methods.json";
        let mut file = http_files().into_iter().find(named).expect("a file").1;
        *file.pointer_mut(pointer).expect("a place") = value;
        check(&schema, &schema, &file, "broken")
    };
    assert_eq!(break_one("/cases/0/level", json!("must")), Ok(()), "the control");
    for (pointer, value) in [
        ("/cases/0/opening", json!("late")),
        ("/cases/0/steps", json!([])),
        ("/cases/0/outcomes/0/verdict", json!("acceptable")),
        ("/cases/0/outcomes/0/replies/0", json!({})),
        ("/cases/0/outcomes/0/replies/0", json!({"status": [100]})),
        ("/cases/0/outcomes/0/replies/0", json!({"status": [200], "answers": [{"id": "1"}]})),
        ("/cases/0/outcomes/0", json!({"verdict": "right"})),
        ("/cases/0/outcomes/0/ending", json!("exit")),
        ("/cases/0/role", json!("client")),
        ("/cases/0/on", json!("tools/list")),
    ] {
        let pointed = pointer.rsplit_once('/').expect("a pointer");
        let value = match pointed.1 {
            "opening" | "ending" | "role" | "on" => (pointed.0, json!({pointed.1: value})),
            _ => (pointer, value),
        };
        assert!(break_one(value.0, value.1.clone()).is_err(), "{pointer} {}", value.1);
    }
}

#[test]
fn a_file_that_breaks_the_schema_is_found() {
    let schema = schema();
    let break_one = |pointer: &str, value: Value| {
        let mut file = files().into_iter().find(|(name, _)| name == "ids.json").expect("a file").1;
        *file.pointer_mut(pointer).expect("a place") = value;
        check(&schema, &schema, &file, "broken")
    };
    assert_eq!(break_one("/cases/0/level", json!("must")), Ok(()), "the control");
    for (pointer, value) in [
        ("/cases/0/level", json!("maybe")),
        ("/cases/0/steps/0", json!({"text": "a", "base64": "YQ=="})),
        ("/cases/0/steps/0", json!({"wait": 1})),
        ("/cases/0/outcomes/0/verdict", json!("acceptable")),
        ("/cases/0/outcomes/1/verdict", json!("right")),
        ("/cases/0/outcomes/1", json!({"verdict": "acceptable", "answers": []})),
        ("/cases/0/outcomes/0/answers/0", json!({"id": "1"})),
        ("/cases/0/outcomes/0/answers/0", json!({"id": "1", "result": true, "error": []})),
        ("/cases/0/revisions", json!([])),
        ("/cases/0/defects", json!([])),
        ("/cases/0", json!({"id": "lacks-all-else"})),
    ] {
        assert!(break_one(pointer, value.clone()).is_err(), "{pointer} {value}");
    }
}

type Checked = Result<(), String>;

fn check(root: &Value, schema: &Value, value: &Value, at: &str) -> Checked {
    let Some(keywords) = schema.as_object() else { return Err(format!("{at}: no schema")) };
    keywords.iter().try_for_each(|(keyword, meaning)| {
        let holds = holds(root, schema, (keyword, meaning), value, at)?;
        holds
            .then_some(())
            .ok_or_else(|| format!("{at}: {keyword} {meaning} does not hold for {value}"))
    })
}

fn holds(
    root: &Value,
    schema: &Value,
    (keyword, meaning): (&str, &Value),
    value: &Value,
    at: &str,
) -> Result<bool, String> {
    let is = |schema: &Value| check(root, schema, value, at).is_ok();
    let list = || meaning.as_array().into_iter().flatten();
    let elements = || value.as_array().into_iter().flatten();
    let limit = |count: Option<usize>, keeps: fn(u64, u64) -> bool| {
        count.is_none_or(|count| keeps(count as u64, meaning.as_u64().unwrap_or_default()))
    };
    let at_least = |count: u64, limit: u64| count >= limit;
    Ok(match keyword {
        "$schema" | "$defs" | "title" | "description" | "default" | "format"
        | "contentEncoding" => true,
        // The tests of the corpus check the meaning of these texts by reading them.
        "pattern" => value.is_string(),
        "$ref" => {
            let name = meaning.as_str().and_then(|text| text.strip_prefix('#')).unwrap_or("/none");
            check(root, root.pointer(name).unwrap_or(&Value::Null), value, at)?;
            true
        }
        "type" => match meaning.as_str() {
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("integer") => value.is_i64(),
            _ => return Err(format!("{at}: an unknown type")),
        },
        "enum" => list().any(|one| one == value),
        "const" => meaning == value,
        "properties" => {
            for (name, schema) in meaning.as_object().into_iter().flatten() {
                if let Some(member) = value.get(name) {
                    check(root, schema, member, &format!("{at}/{name}"))?;
                }
            }
            true
        }
        "additionalProperties" => {
            let known = |name: &String| schema["properties"].get(name).is_some();
            for (name, member) in
                value.as_object().into_iter().flatten().filter(|(name, _)| !known(name))
            {
                match meaning {
                    Value::Bool(false) => return Err(format!("{at}: {name} is unknown")),
                    schema => check(root, schema, member, &format!("{at}/{name}"))?,
                }
            }
            true
        }
        "propertyNames" => {
            for name in value.as_object().into_iter().flatten().map(|(name, _)| name) {
                check(root, meaning, &json!(name), at)?;
            }
            true
        }
        "required" => {
            list().all(|name| name.as_str().is_some_and(|name| value.get(name).is_some()))
        }
        "prefixItems" => {
            for (schema, element) in list().zip(elements()) {
                check(root, schema, element, at)?;
            }
            true
        }
        "items" => {
            let before = schema["prefixItems"].as_array().map_or(0, Vec::len);
            for (index, element) in elements().enumerate().skip(before) {
                check(root, meaning, element, &format!("{at}/{index}"))?;
            }
            true
        }
        "uniqueItems" => elements()
            .enumerate()
            .all(|(index, one)| !elements().skip(index + 1).any(|other| one == other)),
        "minItems" => limit(value.as_array().map(Vec::len), at_least),
        "minLength" => limit(value.as_str().map(str::len), at_least),
        "minProperties" => limit(value.as_object().map(serde_json::Map::len), at_least),
        "maxProperties" => {
            limit(value.as_object().map(serde_json::Map::len), |count, limit| count <= limit)
        }
        "minimum" => value.as_u64() >= meaning.as_u64(),
        "allOf" => {
            list().try_fold(true, |_, schema| check(root, schema, value, at).map(|()| true))?
        }
        "anyOf" => list().any(is),
        "oneOf" => list().filter(|schema| is(schema)).count() == 1,
        "not" => !is(meaning),
        "if" => {
            let branch = &schema[if is(meaning) { "then" } else { "else" }];
            check(root, branch, value, at)?;
            true
        }
        "then" | "else" => true,
        _ => return Err(format!("{at}: the walk does not know {keyword}")),
    })
}
