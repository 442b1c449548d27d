//! The types that can be a payload or an id.

// References are payloads too, which is what is tested.
#![allow(clippy::needless_borrows_for_generic_args)]

use tautline::encode::{
    EncodeError, Encoder, NO_PARAMS, NewId, Payload, Slice, Value, Written, object,
};
use tautline::{ErrorCode, Id, RawJson};

fn result(payload: impl Payload) -> Result<String, EncodeError> {
    let mut room = [0; 512];
    let mut encoder = Encoder::new(Slice::new(&mut room));
    encoder.result(1, payload)?;
    let line = String::from_utf8(encoder.output().written().to_vec()).unwrap();
    let start = r#"{"jsonrpc":"2.0","id":1,"result":"#;
    let inside = line.strip_prefix(start).unwrap().strip_suffix("}\n").unwrap();
    RawJson::parse(inside.as_bytes()).unwrap();
    Ok(inside.to_string())
}

fn written(payload: impl Payload) -> String {
    result(payload).unwrap()
}

struct Point {
    x: i32,
}

impl Payload for &Point {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        object(|point| point.member("x", self.x)).write(value)
    }
}

#[test]
fn nothing_is_null() {
    assert_eq!(written(()), "null");
    assert_eq!(written(&()), "null");
    assert_eq!(written(None::<i32>), "null");
    assert_eq!(written(&None::<i32>), "null");
    assert_eq!(written(&Some(7)), "7");
    assert_eq!(written(Some(&&7)), "7");
}

#[test]
fn arrays_and_slices_of_any_payload() {
    assert_eq!(written([1, 2]), "[1,2]");
    assert_eq!(written([[1.5, 2.0], [3.0, -1.0]]), "[[1.5,2.0],[3.0,-1.0]]");
    assert_eq!(written(&["a", "b"]), r#"["a","b"]"#);
    assert_eq!(written(&["a", "b"][..]), r#"["a","b"]"#);
    assert_eq!(written([(); 0]), "[]");
    let points = [Point { x: 1 }, Point { x: 2 }];
    assert_eq!(written(&points), r#"[{"x":1},{"x":2}]"#);
    assert_eq!(written(&points[..1]), r#"[{"x":1}]"#);
    assert_eq!(written([&points[0]]), r#"[{"x":1}]"#);
    assert_eq!(written(&&points[..]), r#"[{"x":1},{"x":2}]"#);
    assert_eq!(written(&[Some(true), None]), "[true,null]");
}

#[test]
fn references_are_written_as_their_values() {
    assert_eq!(written(&7_u8), "7");
    assert_eq!(written(&-7_isize), "-7");
    assert_eq!(written(&&true), "true");
    assert_eq!(written(&0.5_f32), "0.5");
    assert_eq!(written(&&"a"), r#""a""#);
    let value = RawJson::parse(br#"{"a": [1.0, "\u0061"]}"#).unwrap();
    assert_eq!(written(&value), r#"{"a": [1.0, "\u0061"]}"#);
    let mut elements = value.member("a").unwrap().elements().unwrap();
    let (number, text) = (elements.next().unwrap(), elements.next().unwrap());
    assert_eq!(written(&number.number().unwrap()), "1.0");
    assert_eq!(written(&text.string().unwrap()), r#""\u0061""#);
    assert_eq!(written(ErrorCode::PARSE_ERROR), "-32700");
}

#[test]
fn formatted_text_is_one_string() {
    let odd = "\"\n\u{2028}";
    assert_eq!(written(format_args!("{}, {odd}: {:?}", 1, 2.0)), r#""1, \"\n\u2028: 2.0""#);
    assert_eq!(written(&format_args!("")), r#""""#);

    struct Fails;
    impl std::fmt::Display for Fails {
        fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            Err(std::fmt::Error)
        }
    }
    assert_eq!(result(format_args!("a{Fails}")), Err(EncodeError::Payload));
    let long = "a".repeat(600);
    let needed = r#"{"jsonrpc":"2.0","id":1,"result":""}"#.len() + 600 + 1;
    let refused = result(format_args!("{long}"));
    assert!(matches!(refused, Err(EncodeError::DoesNotFit { needed: n, .. }) if n == needed));
}

#[test]
fn ids_are_payloads() {
    for text in [r#""\u0061""#, "1.0", "null"] {
        let id = Id::parse(text.as_bytes()).unwrap();
        assert_eq!(written(id), text);
        assert_eq!(written(&id), text);
        assert_eq!(written(NewId::from(id)), text);
    }
    assert_eq!(written(NewId::from("a\"")), r#""a\"""#);
}

#[test]
fn every_integer_is_an_id() {
    fn id<'a>(id: impl Into<NewId<'a>>) -> String {
        let mut room = [0; 128];
        let mut encoder = Encoder::new(Slice::new(&mut room));
        encoder.request(id, "a", NO_PARAMS).unwrap();
        let line = RawJson::parse(encoder.output().written()).unwrap();
        line.member("id").unwrap().to_string()
    }
    assert_eq!(id(u8::MAX), u8::MAX.to_string());
    assert_eq!(id(u16::MAX), u16::MAX.to_string());
    assert_eq!(id(u32::MAX), u32::MAX.to_string());
    assert_eq!(id(u64::MAX), u64::MAX.to_string());
    assert_eq!(id(usize::MAX), usize::MAX.to_string());
    assert_eq!(id(i8::MIN), i8::MIN.to_string());
    assert_eq!(id(i16::MIN), i16::MIN.to_string());
    assert_eq!(id(i32::MIN), i32::MIN.to_string());
    assert_eq!(id(i64::MIN), i64::MIN.to_string());
    assert_eq!(id(isize::MIN), isize::MIN.to_string());
    assert_eq!(id(isize::MAX), isize::MAX.to_string());
    assert_eq!(id(7_isize), "7");
    assert_eq!(id("x"), "\"x\"");
}

#[cfg(feature = "alloc")]
#[test]
fn what_needs_a_heap() {
    use std::borrow::Cow;
    use tautline::owned;

    assert_eq!(written(vec![1, 2]), "[1,2]");
    let names = vec!["a".to_string(), "b\n".to_string()];
    assert_eq!(written(&names), r#"["a","b\n"]"#);
    assert_eq!(written(&names[1..]), r#"["b\n"]"#);
    assert_eq!(written(names), r#"["a","b\n"]"#);
    assert_eq!(written(&vec![Point { x: 3 }]), r#"[{"x":3}]"#);
    assert_eq!(written(vec![vec![Some(1)], vec![None]]), "[[1],[null]]");
    assert_eq!(written(Cow::Borrowed("a")), r#""a""#);
    assert_eq!(written(&Cow::<str>::Owned("a".into())), r#""a""#);
    assert_eq!(written(Box::new(7)), "7");
    assert_eq!(written(&Box::new(7)), "7");
    assert_eq!(written(Box::<str>::from("a")), r#""a""#);
    assert_eq!(written("a".to_string()), r#""a""#);
    let id = owned::Id::parse("1.0").unwrap();
    assert_eq!(written(&id), "1.0");
    assert_eq!(written(id), "1.0");

    assert_eq!(owned::Id::from(Cow::Borrowed("a")), owned::Id::from("a"));
    assert_eq!(owned::Id::from(7_u8).to_string(), "7");
    assert_eq!(owned::Id::from(i8::MIN).to_string(), "-128");
    assert_eq!(NewId::from(&Cow::Borrowed("a")), NewId::from("a"));
}

#[cfg(feature = "std")]
#[test]
fn values_of_serde_json() {
    let value = serde_json::json!({"a": [1, "\u{2028}", null]});
    assert_eq!(written(&value), r#"{"a":[1,"\u2028",null]}"#);
    assert_eq!(written(Some(value)), r#"{"a":[1,"\u2028",null]}"#);
}
