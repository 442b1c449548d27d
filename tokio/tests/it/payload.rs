//! Payloads with a `serde_json` that has only the features enabled by tautline. The crate's own tests and the audit
//! enable more features, so these tests are meaningful only in a build of this package alone.

use serde_json::{Value, json};
use tautline::{Message, Profile, owned};
use tautline_tokio::Raw;

/// With the features `raw_value` and `arbitrary_precision`, these member names would have a special meaning.
#[test]
fn payload_gives_no_commands_to_serde_json() {
    let marker = serde_json::from_str::<Value>(r#"{"$serde_json::private::RawValue":"40"}"#);
    assert!(
        marker.is_ok_and(|value| value.is_object()),
        "another package has enabled `raw_value`: run `cargo test --package tautline-tokio`"
    );
    for name in ["$serde_json::private::RawValue", "$serde_json::private::Number"] {
        let params = json!({ "a": { name: "40" } });
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{params}}}"#);
        let message = Message::parse(frame.as_bytes(), &Profile::JSON_RPC).unwrap();
        let Message::Request(request) = message else { panic!("{message:?}") };
        assert_eq!(request.params().unwrap().deserialize::<Value>().unwrap(), params);
        let owned = owned::Request::<Value>::try_from(request).unwrap();
        assert_eq!(owned.params, Some(params));
        assert_eq!(serde_json::to_string(&owned).unwrap(), frame);
    }
}

/// The result is the nearest float. A faster method would yield its neighbour.
#[test]
fn floats_are_the_nearest() {
    let text = b"0.13563573939324503";
    let value: Value = tautline::RawJson::parse(text).unwrap().deserialize().unwrap();
    assert_eq!(value.to_string().as_bytes(), text);
}

/// It is recognized by its beginning. A long text is cut between two characters.
#[test]
fn the_debug_output_of_raw_json_is_its_text() {
    let raw = Raw::parse("{\"a\": [1e400,\n\"\u{7f}é\"]}").unwrap();
    assert_eq!(format!("{raw:?}"), r#"Raw({"a": [1e400,\n"\u{7f}é"]})"#);
    let long = Raw::parse(format!("\"{}\"", "é".repeat(200))).unwrap();
    assert_eq!(format!("{long:?}"), format!("Raw(\"{}…)", "é".repeat(128)));
}
