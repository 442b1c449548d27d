//! Judges the tests of the official JSON Schema Test Suite, which is not part of the repository.

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

#[test]
#[ignore = "needs the suite"]
fn no_test_of_the_suite_is_judged_wrongly() {
    let folder = PathBuf::from(env::var_os(FOLDER).expect(FOLDER));
    let (mut wrong, mut open, mut total) =
        (Vec::new(), BTreeMap::<String, Vec<String>>::new(), BTreeMap::<&str, u32>::new());
    let draft_7 = "http://json-schema.org/draft-07/schema#";
    for (name, declared) in [("draft2020-12", None), ("draft7", Some(draft_7))] {
        for path in files(&folder.join(name)) {
            let file = path.strip_prefix(&folder).unwrap().display().to_string();
            let kind = if file.contains("optional") { "optional" } else { "required" };
            let groups: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            for group in groups.as_array().unwrap() {
                let mut schema = group["schema"].clone();
                if let (Some(declared), Some(members)) = (declared, schema.as_object_mut()) {
                    members.entry("$schema").or_insert(json!(declared));
                }
                let compiled = Dialect::of(&schema).map(|dialect| compile(&schema, dialect));
                for test in group["tests"].as_array().unwrap() {
                    *total.entry(kind).or_default() += 1;
                    let verdict = match compiled.as_ref().map_or(Verdict::Open, |schema| {
                        judge(schema, &test["data"], test["data"].to_string().len())
                    }) {
                        Verdict::Fits => Some(true),
                        Verdict::Differs(_) => Some(false),
                        Verdict::Open => None,
                    };
                    let title = format!("{} / {}", group["description"], test["description"]);
                    match verdict {
                        None => open.entry(file.clone()).or_default().push(title),
                        Some(fits) if test["valid"] != fits => {
                            wrong.push(format!("{file}: {title}"))
                        }
                        Some(_) => {}
                    }
                }
            }
        }
    }
    for (file, titles) in &open {
        eprintln!("open: {} in {file}\n    {}", titles.len(), titles.join("\n    "));
    }
    eprintln!("{total:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
