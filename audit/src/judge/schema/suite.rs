//! Judges the tests of the official JSON Schema Test Suite, which is not part of the repository.
//!
//! The source distribution of the Python package `jsonschema` has it in the folder `json/tests`:
//!
//! ```sh
//! JSON_SCHEMA_TESTS=…/json/tests cargo test -p tautline-audit --lib schema::suite -- --ignored --nocapture
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::{Value, json};

use super::compile::compile;
use super::conform::{Verdict, judge};
use super::dialect::Dialect;

/// The variable with the path of the suite's folder `tests`.
const FOLDER: &str = "JSON_SCHEMA_TESTS";

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // These tests are about validators for which formats and contents are not only annotations.
        if path.ends_with("optional/format") || path.ends_with("optional/content.json") {
            continue;
        }
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The host of documents to which schemas of the suite refer, and which they do not contain.
const REMOTE: &str = "http://localhost:1234";
/// The maximum number of required tests that may be left open without a reference to such a document.
const MOST_OPEN: usize = 20;

#[test]
#[ignore = "needs the suite"]
fn no_test_of_the_suite_is_judged_wrongly() {
    let folder = PathBuf::from(env::var_os(FOLDER).expect(FOLDER));
    let draft_7 = "http://json-schema.org/draft-07/schema#";
    let (mut total, mut wrong) = (0, Vec::new());
    // Whether a test is required, and whether its schema refers to a document.
    let mut open = BTreeMap::<(bool, bool), Vec<String>>::new();
    for (name, declared) in [("draft2020-12", None), ("draft7", Some(draft_7))] {
        for path in files(&folder.join(name)) {
            let is_required = !path.iter().any(|folder| folder == "optional");
            let groups: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            for group in groups.as_array().unwrap() {
                let mut schema = group["schema"].clone();
                if let (Some(declared), Some(members)) = (declared, schema.as_object_mut()) {
                    members.entry("$schema").or_insert(json!(declared));
                }
                let is_remote = schema.to_string().contains(REMOTE);
                let compiled = Dialect::of(&schema).map(|dialect| compile(&schema, dialect));
                for test in group["tests"].as_array().unwrap() {
                    total += 1;
                    let value = &test["data"];
                    let judged = compiled
                        .as_ref()
                        .map(|schema| judge(schema, value, value.to_string().len()));
                    let (file, about) = (path.display(), &group["description"]);
                    let title = format!("{file}: {about} / {}", test["description"]);
                    match judged.unwrap_or(Verdict::Open) {
                        Verdict::Open => {
                            open.entry((is_required, is_remote)).or_default().push(title);
                        }
                        verdict if test["valid"] == (verdict == Verdict::Fits) => {}
                        _ => wrong.push(title),
                    }
                }
            }
        }
    }
    for ((is_required, is_remote), titles) in &open {
        let count = titles.len();
        eprintln!("of {total}, open {count}: required {is_required}, remote {is_remote}");
        eprintln!("{}", titles.join("\n"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(open.get(&(true, false)).is_none_or(|titles| titles.len() <= MOST_OPEN));
}
