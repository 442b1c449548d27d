//! Payload: values of every type, and text.

use tautline::encode::{EncodeError, Encoder, NO_PARAMS, NewId, array};
use tautline::{Id, RawJson};

use super::line;

#[test]
fn values_of_every_type() {
    let raw = RawJson::parse(b"[1]").unwrap();
    let (owned, text) = (String::from("a\"b"), r#""a\"b""#);
    for (written, expected) in [
        (line(|to| to.result(1, u8::MAX)), "255"),
        (line(|to| to.result(1, i8::MIN)), "-128"),
        (line(|to| to.result(1, u16::MAX)), "65535"),
        (line(|to| to.result(1, i16::MIN)), "-32768"),
        (line(|to| to.result(1, u32::MAX)), "4294967295"),
        (line(|to| to.result(1, i32::MIN)), "-2147483648"),
        (line(|to| to.result(1, usize::MAX)), &usize::MAX.to_string()),
        (line(|to| to.result(1, isize::MIN)), &isize::MIN.to_string()),
        (line(|to| to.result(1, 0.1_f32)), "0.1"),
        (line(|to| to.result(1, 1e-7_f32)), "1e-7"),
        (line(|to| to.result(1, 1e21)), "1e21"),
        (line(|to| to.result(1, &owned)), text),
        (line(|to| to.result(1, owned.clone())), text),
        (line(|to| to.result(1, [raw].first())), "[1]"),
        (line(|to| to.result(1, &[1_u8, 2][..])), "[1,2]"),
        (line(|to| to.result(1, [""; 0].as_slice())), "[]"),
        (
            line(|to| to.result(1, array(|array| array.element(Some(owned.as_str()))))),
            &format!("[{text}]"),
        ),
    ] {
        assert_eq!(written, format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{expected}}}\n"));
    }
    let mut out = Vec::new();
    assert_eq!(Encoder::new(&mut out).result(1, f32::NAN), Err(EncodeError::NotFinite));
    assert!(out.is_empty());

    let read = Id::parse(b"7").unwrap();
    let ids: [NewId<'_>; 4] = [7_usize.into(), (&read).into(), (&owned).into(), "7".into()];
    let lines = ids.map(|id| line(|to| to.request(id, "m", NO_PARAMS)));
    let ids = ["7", "7", text, "\"7\""];
    assert_eq!(
        lines,
        ids.map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"m\"}}\n"))
    );
}

#[cfg(feature = "serde-json-core-v0_7")]
#[test]
fn payload_is_serialized_without_std() {
    use tautline::encode::CoreJson;

    let mut scratch = [0; 8];
    let payload = CoreJson::new(&[1, 2, 3], &mut scratch);
    assert_eq!(
        line(|to| to.result(1, payload)),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[1,2,3]}\n"
    );
    let mut out = Vec::new();
    let payload = CoreJson::new(&[10, 20, 30], &mut scratch);
    assert_eq!(Encoder::new(&mut out).result(1, payload), Err(EncodeError::Payload));
    assert!(out.is_empty());
}

/// Characters at which some line readers split, and characters that begin with the same bytes.
pub const LINE_ENDS: &str = "\u{84}\u{85}\u{86}\u{a0}\u{2027}\u{2028}\u{2029}\u{202a}\u{2068}é";
pub const ESCAPED: &str = "\u{84}\\u0085\u{86}\u{a0}\u{2027}\\u2028\\u2029\u{202a}\u{2068}é";

#[test]
fn strings_that_are_written_here_have_no_line_ends() {
    use tautline::ErrorCode;
    use tautline::encode::{NewError, object};

    let text = LINE_ENDS;
    let owned = tautline::owned::Id::from(text);
    for (written, expected) in [
        (line(|to| to.result(text, text)), r#""id":"T","result":"T""#),
        (line(|to| to.result(&owned, String::from(text))), r#""id":"T","result":"T""#),
        (
            line(|to| to.request(1, text, Some(object(|params| params.member(text, text))))),
            r#""id":1,"method":"T","params":{"T":"T"}"#,
        ),
        (
            line(|to| to.error(1, NewError::new(ErrorCode::new(2), text).with_data(text))),
            r#""id":1,"error":{"code":2,"message":"T","data":"T"}"#,
        ),
        (
            line(|to| to.result("\u{2028}", "\n\u{2029}\u{85}\\")),
            r#""id":"\u2028","result":"\n\u2029\u0085\\""#,
        ),
    ] {
        let expected = expected.replace('T', ESCAPED);
        assert_eq!(written, format!("{{\"jsonrpc\":\"2.0\",{expected}}}\n"));
    }
}

#[test]
fn text_that_was_written_elsewhere_keeps_its_line_ends() {
    let text = format!("\"{LINE_ENDS}\"");
    let id = Id::parse(text.as_bytes()).unwrap();
    let raw = RawJson::parse(text.as_bytes()).unwrap();
    let expected = format!("{{\"jsonrpc\":\"2.0\",\"id\":{text},\"result\":{text}}}\n");
    assert_eq!(line(|to| to.result(id, raw)), expected);
    assert_eq!(
        line(|to| to.result(&tautline::owned::Id::from(id), raw.string().unwrap())),
        expected
    );
}

#[cfg(feature = "serde-json-core-v0_7")]
#[test]
fn without_std_there_are_no_line_ends_either() {
    use tautline::encode::CoreJson;

    let mut scratch = [0; 64];
    let payload = CoreJson::new(&[LINE_ENDS, "\n\"\\"], &mut scratch);
    let expected =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[\"{ESCAPED}\",\"\\n\\\"\\\\\"]}}\n");
    assert_eq!(line(|to| to.result(1, payload)), expected);
}
