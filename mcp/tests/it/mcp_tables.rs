//! The crate's tables of methods and error codes against the schemas of MCP, in both directions.
//!
//! `mcp/tests/data/mcp-schema.py` makes the table of the schemas.

use std::collections::HashSet;

use tautline::rule::CodeClass;
use tautline::{ErrorCode, RawJson};
use tautline_mcp::{CallKind, KnownMethod, Revision, Role};

use crate::support::presets;

const TABLE: &str = include_str!("../data/mcp-schema.tsv");

/// Codes defined in the prose of the specification but in no schema: server, resources, error handling.
const CODES_OF_PROSE: &[(Revision, i64)] = &[
    (Revision::V2024_11_05, -32002),
    (Revision::V2025_03_26, -32002),
    (Revision::V2025_06_18, -32002),
    (Revision::V2025_11_25, -32002),
];

/// Returns the fields of the rows of this sort, without the sort.
fn rows<const N: usize>(sort: &str) -> Vec<[&'static str; N]> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let rows = lines.filter_map(|line| line.strip_prefix(sort)?.strip_prefix('\t'));
    rows.map(|row| row.split('\t').collect::<Vec<_>>().try_into().unwrap()).collect()
}

/// Returns a method as a row of the table, if the revision's schema should have it.
fn row(method: KnownMethod, revision: Revision) -> Option<[&'static str; 5]> {
    let in_use = method.use_in(revision)?;
    let kind = match method.kind() {
        CallKind::Request => "request",
        CallKind::Notification => "notification",
    };
    let sender = match (in_use.is_for(Role::Client), in_use.is_for(Role::Server)) {
        (true, true) => "both",
        (true, false) => "client",
        (false, true) => "server",
        (false, false) => "nobody",
    };
    let params = if in_use.requires_params() { "required" } else { "optional" };
    (!in_use.is_extension()).then_some([revision.name(), method.name(), kind, sender, params])
}

/// Removes differences in the spelling of names: case, spaces, and the word for an error.
fn bare(name: &str) -> String {
    let name = name.replace(' ', "").to_lowercase();
    name.strip_suffix("error").unwrap_or(&name).to_owned()
}

#[test]
fn every_revision_has_rows() {
    for revision in Revision::ALL {
        let own = rows::<5>("method").iter().filter(|row| row[0] == revision.name()).count();
        assert!(own > 15, "{revision} has {own}");
    }
    let other = TABLE.lines().filter(|line| !line.starts_with('#')).count();
    assert_eq!(other, rows::<5>("method").len() + rows::<3>("code").len(), "rows of no sort");
}

#[test]
fn methods_are_those_of_the_schemas() {
    let schemas: HashSet<_> = rows::<5>("method").into_iter().collect();
    let uses = Revision::ALL.iter().flat_map(|&r| KnownMethod::ALL.iter().map(move |&m| row(m, r)));
    let ours: HashSet<_> = uses.flatten().collect();
    let missing: Vec<_> = schemas.difference(&ours).collect();
    let invented: Vec<_> = ours.difference(&schemas).collect();
    assert!(missing.is_empty() && invented.is_empty(), "schemas: {missing:?}, ours: {invented:?}");
    println!("{} methods in {} revisions", ours.len(), Revision::ALL.len());
}

#[test]
fn methods_are_found_by_their_names_alone() {
    let mut names = HashSet::new();
    for &method in KnownMethod::ALL {
        assert!(names.insert(method.name()), "{} twice", method.name());
        let escaped = method.name().replace('/', "\\/").replace('e', "\\u0065");
        let uses = Revision::ALL.iter().filter(|&&revision| method.use_in(revision).is_some());
        assert!(uses.count() > 0, "{} is in no revision", method.name());
        for (name, found) in [
            (method.name().to_owned(), Some(method)),
            (escaped, Some(method)),
            (method.name().to_uppercase(), None),
            (format!("{}/", method.name()), None),
            (format!("{}\\u0000", method.name()), None),
            (method.name()[1..].to_owned(), None),
        ] {
            let text = format!("\"{name}\"");
            let name = RawJson::parse(text.as_bytes()).unwrap().string().unwrap();
            assert_eq!(KnownMethod::named(name), found, "{text}");
        }
    }
}

#[test]
fn codes_are_those_of_the_schemas() {
    let rows = rows::<3>("code");
    assert!(!rows.is_empty());
    for [revision, code, name] in &rows {
        let revision = revision.parse::<Revision>().unwrap();
        let code = ErrorCode::new(code.parse().unwrap());
        let standard = code.class() == CodeClass::Standard;
        let expected = if standard { CodeClass::Standard } else { CodeClass::Protocol };
        assert_eq!(revision.profile().code_class(code), expected, "{code} in {revision}");
        let named = revision.code_name(code).unwrap();
        assert_eq!(bare(named), bare(name), "{code} in {revision}");
    }
}

#[test]
fn codes_of_the_protocol_are_in_a_schema_or_in_its_prose() {
    let rows = rows::<3>("code");
    for &revision in Revision::ALL {
        for value in -33_000..=1000 {
            let code = ErrorCode::new(value);
            let text = value.to_string();
            let defined = rows.iter().any(|row| row[0] == revision.name() && row[1] == text)
                || CODES_OF_PROSE.contains(&(revision, value));
            let class = revision.profile().code_class(code);
            let standard = code.class() == CodeClass::Standard;
            assert_eq!(class == CodeClass::Protocol, defined && !standard, "{code} in {revision}");
            assert_eq!(class == CodeClass::Standard, standard, "{code} in {revision}");
        }
    }
}

/// Later revisions still know a code that an earlier schema has defined.
#[test]
fn codes_that_are_gone_are_retired() {
    let defined = rows::<3>("code").into_iter().map(|[revision, code, _]| {
        (revision.parse::<Revision>().unwrap(), code.parse::<i64>().unwrap())
    });
    for (since, code) in defined.chain(CODES_OF_PROSE.iter().copied()) {
        for &later in Revision::ALL.iter().filter(|&&revision| revision > since) {
            let class = later.profile().code_class(ErrorCode::new(code));
            let known = [CodeClass::Standard, CodeClass::Protocol, CodeClass::Retired];
            assert!(known.contains(&class), "{code} is {class:?} in {later}");
        }
    }
}

/// The tests of the core have rules of their own, so that they need no MCP.
#[test]
fn presets_of_tests_are_the_rules_of_the_revisions() {
    assert_eq!(Revision::ALL.len(), presets::Revision::ALL.len());
    for (revision, preset) in Revision::ALL.iter().zip(presets::Revision::ALL) {
        assert_eq!(revision.name(), preset.to_string());
        assert_eq!(revision.profile(), preset.profile(), "{revision}");
        assert_eq!(revision.strict_profile(), preset.profile().strict(&presets::GUARDED_NAMES));
    }
}
