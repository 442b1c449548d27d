//! The formats of reports. Independent readers of SARIF and JUnit run in the step `reports`.

use serde_json::Value;
use tautline_audit::document::SourceRow;
use tautline_audit::format::Format;
use tautline_audit::source::{Event, Place};
use tautline_audit::{Audit, Document, Options};
use tautline_mcp::Role;

const HOSTILE: &str = "</script><script>alert(1)</script><!-- \u{202E}&\u{2028}\u{2029}{{DATA}}";

/// Audits a session in which every text is hostile.
fn hostile() -> Document {
    let mut options = Options::default();
    options.frames = 100;
    let mut audit = Audit::new(options);
    let name = serde_json::to_string(HOSTILE).unwrap();
    for (from, bytes) in [
        (
            Role::Client,
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{name},\"method\":{name}}}\n").into_bytes(),
        ),
        (Role::Server, format!("{HOSTILE}\n").into_bytes()),
        (Role::Server, b"\xFF\xFE\0\n".to_vec()),
        (
            Role::Client,
            format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{}\"}}\n", "m".repeat(1 << 20))
                .into_bytes(),
        ),
    ] {
        audit.event(Event::Bytes { from, bytes: &bytes }, Place::default(), &mut ()).unwrap();
    }
    let event = Event::Stderr { text: HOSTILE.as_bytes() };
    audit.event(event, Place::default(), &mut ()).unwrap();
    let source = SourceRow { name: format!("{HOSTILE}.ndjson"), kind: "recording" };
    audit.finish(vec![source], &mut ()).unwrap()
}

fn written(format: Format, document: &Document) -> String {
    let mut out = Vec::new();
    format.write(document, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn nothing_from_the_wire_is_markup() {
    let page = written(Format::Html, &hostile());
    let (before, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    let (data, after) = rest.split_once("</script>").unwrap();
    for (name, part) in [("before", before), ("after", after)] {
        assert!(!part.contains("<script>alert"), "{name}");
        assert!(!part.contains('\u{202E}'), "{name}");
    }
    assert!(!data.contains('<') && !data.contains('>') && !data.contains('&'));
    assert!(data.chars().all(|c| !tautline_audit::is_invisible(c)));
    let document: Value = serde_json::from_str(data).unwrap();
    assert_eq!(document["sources"][0]["name"], format!("{HOSTILE}.ndjson"));
    assert_eq!(document["frames"][0]["id"], serde_json::to_string(HOSTILE).unwrap());
    assert_eq!(document["frames"][2]["bytes"][0]["base64"], "//4A");
    // Only the front of the megabyte-long method is kept.
    assert!(data.len() < 100_000, "{}", data.len());
}

#[test]
fn sarif_has_rules_places_and_fingerprints() {
    let log: Value = serde_json::from_str(&written(Format::Sarif, &hostile())).unwrap();
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let location = &result["locations"][0]["physicalLocation"];
        assert!(location["region"]["startLine"].as_u64().unwrap() > 0);
        let uri = location["artifactLocation"]["uri"].as_str().unwrap();
        assert!(uri.is_ascii() && !uri.contains(['<', ' ']), "{uri}");
        assert_eq!(result["partialFingerprints"]["tautline/v1"].as_str().unwrap().len(), 16);
    }
    assert_eq!(run["properties"]["truncated"], false);
}

#[test]
fn sarif_says_what_was_left_out() {
    let mut options = Options::default();
    options.findings = 1;
    let mut audit = Audit::new(options);
    let event = Event::Bytes { from: Role::Server, bytes: b"a\n{}\n" };
    audit.event(event, Place::default(), &mut ()).unwrap();
    let document = audit.finish(Vec::new(), &mut ()).unwrap();
    let log: Value = serde_json::from_str(&written(Format::Sarif, &document)).unwrap();
    let run = &log["runs"][0];
    assert_eq!(run["properties"]["truncated"], true);
    let notice = &run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert!(notice.as_str().unwrap().starts_with("truncated: "), "{notice}");
}

#[test]
fn junit_fails_for_errors_and_skips_what_was_not_observed() {
    let xml = written(Format::Junit, &hostile());
    assert!(
        xml.contains("<testcase name=\"jsonrpc-messages\" classname=\"tautline.audits\">"),
        "{xml}"
    );
    assert!(xml.contains("<failure message=\"jsonrpc-messages (CWE-116) fails\">"), "{xml}");
    let invisible = xml.chars().find(|&c| c != '\n' && tautline_audit::is_invisible(c));
    assert_eq!(invisible, None, "{xml}");
}

#[test]
fn json_is_the_document() {
    let document: Value = serde_json::from_str(&written(Format::Json, &hostile())).unwrap();
    assert_eq!(document["format"], 1);
    assert_eq!(document["totals"]["frames"], 4);
    assert_eq!(document["totals"]["messages"][1]["invalid"], 2);
}
