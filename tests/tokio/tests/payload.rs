//! Payload by way of a `serde_json` that has the features which tautline gives it and no others. The crate's
//! own tests are built with more of them.

use serde_json::{Value, json};
use tautline::{Message, Rules, owned};

/// With `raw_value` it would be what the text says.
#[test]
fn payload_gives_no_commands_to_serde_json() {
    for name in ["$serde_json::private::RawValue", "$serde_json::private::Number"] {
        let params = json!({ "a": { name: "40" } });
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{params}}}"#);
        let message = Message::parse(frame.as_bytes(), &Rules::JSON_RPC).unwrap();
        let Message::Request(request) = message else { panic!("{message:?}") };
        assert_eq!(request.params().unwrap().deserialize::<Value>().unwrap(), params);
        let owned = owned::Request::<Value>::try_from(request).unwrap();
        assert_eq!(owned.params, Some(params));
        assert_eq!(serde_json::to_string(&owned).unwrap(), frame);
    }
}

/// The nearest, where a faster way would be beside it.
#[test]
fn floats_are_the_nearest() {
    let text = b"0.13563573939324503";
    let value: Value = tautline::RawJson::parse(text).unwrap().deserialize().unwrap();
    assert_eq!(value.to_string().as_bytes(), text);
}
