//! The scanner follows RFC 8259 to the letter, and reports where a text stops being JSON.
//!
//! It differs from `serde_json::from_slice::<serde_json::Value>` only where this table shows
//! a difference. A test checks the table against both of them.
//!
//! | text | limit | `serde_json` | here | why |
//! |---|---|---|---|---|
//! | `"\ud800"` | 127 | refused | accepted | the grammar allows an unpaired surrogate, and the text is kept |
//! | `{"\udfff": 1}` | 127 | refused | accepted | the same in a name |
//! | `"\udc00\ud800"` | 127 | refused | accepted | two surrogates in the wrong order are both unpaired |
//! | `"\ud83d\ude00"` | 127 | accepted | accepted | two surrogates in the right order are a character |
//! | `1e400` | 127 | refused | accepted | it is out of the range of `f64`, and its text is kept |
//! | `[-1.8e308]` | 127 | refused | accepted | the same below zero |
//! | a 1 and 309 zeros | 127 | refused | accepted | the same without an exponent |
//! | `1.7976931348623157e308` | 127 | accepted | accepted | the largest `f64` |
//! | `1e-400` | 127 | accepted | accepted | the nearest `f64` is zero |
//! | `0e999999999999` | 127 | accepted | accepted | zero, however it is spelled |
//! | 127 levels of `[]` | 127 | accepted | accepted | the default limit equals that of `serde_json` |
//! | 128 levels of `[]` | 127 | refused | refused | more levels exceed the limit |
//! | 127 levels of `[]` | 126 | accepted | refused | the limit is lower |
//! | 128 levels of `[]` | 128 | refused | accepted | the limit is higher |
//! | 255 levels of `{"":}` | 255 | refused | accepted | the highest possible limit |
//! | `0` | 0 | accepted | accepted | a number is not a container |
//! | `[]` | 0 | accepted | refused | an array is a container |
//! | `{"a": 1, "a": 2}` | 127 | accepted | accepted | the grammar allows duplicates; the envelope checks for them |
//! | `"\u0000"` | 127 | accepted | accepted | NUL is a character if it is escaped |

mod depth;
mod grammar;
mod long_lines;
mod mutated;

use tautline::scan;

use crate::support::checks::scan_vs_serde_json::check;

#[test]
fn differs_from_serde_json_as_the_table_says() {
    let verdict = |accepted| if accepted { "accepted" } else { "refused" };
    let mut rows = 0;
    let mut different = 0;
    let this_file = include_str!("mod.rs");
    for row in this_file.lines().filter_map(|l| l.strip_prefix("//! | ")) {
        let cells: Vec<_> = row.split(" | ").map(str::trim).collect();
        let [text, limit, serde, here, _why] = cells[..] else { panic!("{row}") };
        if text == "text" {
            continue;
        }
        let text = text_of(text);
        let found = serde_json::from_str::<serde_json::Value>(&text).is_ok();
        assert_eq!(verdict(found), serde, "{row}");
        let found = scan::validate(text.as_bytes(), limit.parse().unwrap()).is_ok();
        assert_eq!(verdict(found), here, "{row}");
        check(text.as_bytes());
        rows += 1;
        different += usize::from(serde != here);
    }
    assert_eq!((rows, different), (19, 10));
}

fn text_of(cell: &str) -> String {
    if let Some(literal) = cell.strip_prefix('`').and_then(|c| c.strip_suffix('`')) {
        return literal.into();
    }
    let nested = |levels: &str, open: &str, inside: &str, close: &str| {
        let levels = levels.parse().unwrap();
        open.repeat(levels) + inside + &close.repeat(levels)
    };
    match cell.split(' ').collect::<Vec<_>>()[..] {
        [levels, "levels", "of", "`[]`"] => nested(levels, "[", "", "]"),
        [levels, "levels", "of", "`{\"\":}`"] => nested(levels, "{\"\":", "0", "}"),
        ["a", "1", "and", zeros, "zeros"] => format!("1{}", nested(zeros, "0", "", "")),
        _ => panic!("{cell}"),
    }
}
