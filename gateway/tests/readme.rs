//! The documentation for operators: its examples are valid, and it lists every setting.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests are expected to panic")]

use tautline_gateway::settings::Settings;

const README: &str = include_str!("../README.md");

const CONFIGURATIONS: &[(&str, &str)] = &[
    ("envoy.yaml", include_str!("../configs/envoy.yaml")),
    ("istio.yaml", include_str!("../configs/istio.yaml")),
    ("higress.yaml", include_str!("../configs/higress.yaml")),
];

fn check(name: &str, json: &str) {
    if let Err(error) = Settings::parse(json.as_bytes()) {
        panic!("{name}: {error} in {json}");
    }
}

#[test]
fn examples_are_valid() {
    let examples: Vec<_> = README.split("```json\n").skip(1).collect();
    assert!(!examples.is_empty());
    for example in examples {
        check("README.md", example.split("```").next().unwrap());
    }
}

/// The settings are an object of several lines, whose braces stand alone at one depth.
#[test]
fn configurations_are_valid() {
    for (name, text) in CONFIGURATIONS {
        let open = text.lines().position(|line| line.trim() == "{").unwrap();
        let lines: Vec<_> = text.lines().skip(open).collect();
        let end = lines[0].replace('{', "}");
        let length = lines.iter().position(|line| **line == end).unwrap();
        let json = lines[..=length].join("\n");
        assert!(json.contains("\"limits\""), "{name}: {json}");
        check(name, &json);
    }
}

/// The error for an unknown member lists those that are known.
#[test]
fn every_setting_is_listed() {
    for (json, path) in [
        (r#"{"?":0}"#, ""),
        (r#"{"limits":{"?":0}}"#, "limits."),
        (r#"{"denied":{"?":0}}"#, "denied."),
        (r#"{"log":{"?":0}}"#, "log."),
    ] {
        let error = Settings::parse(json.as_bytes()).map(|_| ()).unwrap_err().to_string();
        let known = error.split("expected one of ").nth(1).unwrap();
        for name in known.split(", ").filter(|name| !["limits", "denied", "log"].contains(name)) {
            assert!(README.contains(&format!("\n| `{path}{name}` |")), "{path}{name}");
        }
    }
}
