//! The encoder writes one message on one line, or nothing.

#[cfg(feature = "std")]
mod forwarding;
mod outputs;
mod payload;
mod profile;
mod replies;
#[cfg(feature = "std")]
mod serialized;

use proptest::prelude::*;
use tautline::encode::{EncodeError, Encoder, NO_PARAMS, NewError, object};
use tautline::{ErrorCode, RawJson};

use crate::support::checks::encode_roundtrip;
use crate::support::volume::volume;

proptest! {
    #![proptest_config(ProptestConfig { cases: volume(5_000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_encoded_is_read_back(input in proptest::collection::vec(any::<u8>(), 0..200)) {
        encode_roundtrip::check(&input);
    }
}

#[test]
fn each_shape_as_it_is_written() {
    let params = RawJson::parse(b"{\"a\":\r\n1}").unwrap();
    for (written, expected) in [
        (
            line(|to| to.request(1, "a\"\\\u{1}\n", Some(params))),
            r#"{"jsonrpc":"2.0","id":1,"method":"a\"\\\u0001\n","params":{"a":1}}"#,
        ),
        (
            line(|to| to.request("é/", "m", NO_PARAMS)),
            r#"{"jsonrpc":"2.0","id":"é/","method":"m"}"#,
        ),
        (line(|to| to.notification("n", NO_PARAMS)), r#"{"jsonrpc":"2.0","method":"n"}"#),
        (
            line(|to| to.result(u64::MAX, object(|_| {}))),
            r#"{"jsonrpc":"2.0","id":18446744073709551615,"result":{}}"#,
        ),
        (
            line(|to| to.result(i64::MIN, None::<bool>)),
            r#"{"jsonrpc":"2.0","id":-9223372036854775808,"result":null}"#,
        ),
        (
            line(|to| to.error(0, NewError::new(ErrorCode::INTERNAL_ERROR, "x").with_data(true))),
            r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"x","data":true}}"#,
        ),
        (
            line(|to| {
                to.batch(|batch| {
                    batch.notification("a", NO_PARAMS);
                    batch.result(1, 2);
                })
            }),
            r#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"result":2}]"#,
        ),
    ] {
        assert_eq!(written, format!("{expected}\n"));
    }
}

fn line(write: impl FnOnce(&mut Encoder<&mut Vec<u8>>) -> Result<usize, EncodeError>) -> String {
    let mut line = Vec::new();
    let length = write(&mut Encoder::new(&mut line)).unwrap();
    assert_eq!(length, line.len());
    String::from_utf8(line).unwrap()
}
