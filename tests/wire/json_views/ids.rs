//! Ids: which are equal, and which are alike.

use tautline::{Id, Message, Profile};

use super::hash;

/// Passes on the id of a parsed request.
fn with_id<T>(id: &str, look: impl FnOnce(Id<'_>) -> T) -> T {
    let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
    match Message::parse(frame.as_bytes(), &Profile::JSON_RPC) {
        Ok(Message::Request(request)) => look(request.id()),
        other => panic!("{id}: {other:?}"),
    }
}

/// Ids in groups of groups: the ids of an inner group are equal, and the ids of an outer group are alike.
const GROUPS: &[&[&[&str]]] = &[
    &[&["null"]],
    &[&["\"null\""]],
    &[&["0"], &["-0"], &["0.0"], &["0e5"], &["\"0\""], &["\"-0\""], &["\"0.0\""]],
    &[&["1"], &["1.0"], &["10e-1"], &["1E0"], &["\"1\""], &["\"1.0\""]],
    &[&["-1"], &["-1.0"], &["\"-1\""]],
    &[&["\"+1\""]],
    &[&["\"01\""]],
    &[&["\" 1\""]],
    &[&["\"1 \""]],
    &[&["\"1,\""]],
    &[&["100"], &["1e2"], &["\"1e2\""]],
    &[&["\"\""]],
    &[&["\"a\"", "\"\\u0061\""]],
    &[&["\"A\"", "\"\\u0041\""]],
    &[&["\"a/b\"", "\"a\\/b\""]],
    &[&["\"true\""]],
    // An id without an integer value, or with one that fits no type, is alike only if it is spelled alike.
    &[&["1.5"], &["\"1.5\""]],
    &[&["1.50"]],
    &[&["1e30"], &["\"1e30\""]],
    &[&["10e29"]],
    // No two of these are the same as a double.
    &[&["9007199254740992"], &["\"9007199254740992\""]],
    &[&["9007199254740993"], &["9007199254740993.0"]],
    &[&["18446744073709551615"], &["\"18446744073709551615\""]],
    &[&["18446744073709551616"], &["\"18446744073709551616\""]],
    &[&["-9223372036854775808"]],
    &[&["-9223372036854775809"]],
];

fn flat() -> impl Iterator<Item = (usize, (usize, usize), &'static str)> {
    GROUPS.iter().enumerate().flat_map(|(outer, group)| {
        group
            .iter()
            .enumerate()
            .flat_map(move |(inner, ids)| ids.iter().map(move |id| (outer, (outer, inner), *id)))
    })
}

#[test]
fn equal_and_alike() {
    for (outer_a, inner_a, a) in flat() {
        for (outer_b, inner_b, b) in flat() {
            with_id(a, |id_a| {
                with_id(b, |id_b| {
                    let equal = inner_a == inner_b;
                    assert_eq!(id_a == id_b, equal, "{a} {b}");
                    assert_eq!(hash(id_a) == hash(id_b), equal, "{a} {b}");
                    assert_eq!(id_a.is_like(&id_b), outer_a == outer_b, "{a} {b}");
                });
            });
        }
    }
    assert!(flat().count() > 40);
}

/// Two equal ids are alike to the same others.
#[test]
fn an_escape_makes_no_difference_to_what_an_id_is_like() {
    with_id("\"1\"", |plain| {
        with_id("\"\\u0031\"", |escaped| {
            with_id("1", |number| {
                assert_eq!(plain, escaped);
                assert!(plain.is_like(&number) && number.is_like(&plain));
                assert!(escaped.is_like(&number) && number.is_like(&escaped));
            });
        });
    });
}

#[test]
fn display_is_the_spelling() {
    for id in ["1", "1.0", "-0", "null", "\"\"", "\"1\"", "\"\\u0031\"", "\"\\\"\"", "\"\u{e9}\""] {
        with_id(id, |parsed| assert_eq!(parsed.to_string(), id));
    }
}
