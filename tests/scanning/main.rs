//! The scanner takes RFC 8259 to the letter, and says where a text stops being JSON.
//!
//! It differs from `serde_json::from_slice::<serde_json::Value>` in what this table shows as different,
//! and in nothing else. A test holds the table to what both of them do.
//!
//! | text | limit | `serde_json` | here | why |
//! |---|---|---|---|---|
//! | `"\ud800"` | 127 | refused | accepted | half a character is grammar, and the text is kept |
//! | `{"\udfff": 1}` | 127 | refused | accepted | the same in a name |
//! | `"\udc00\ud800"` | 127 | refused | accepted | two halves in the wrong order are two lone ones |
//! | `"\ud83d\ude00"` | 127 | accepted | accepted | two halves in the right order are a character |
//! | `1e400` | 127 | refused | accepted | no `f64` is near to it, and its text is kept |
//! | `[-1.8e308]` | 127 | refused | accepted | the same below zero |
//! | a 1 and 309 zeros | 127 | refused | accepted | the same without an exponent |
//! | `1.7976931348623157e308` | 127 | accepted | accepted | the largest `f64` |
//! | `1e-400` | 127 | accepted | accepted | an `f64` is near to it: zero |
//! | `0e999999999999` | 127 | accepted | accepted | zero, however it is spelled |
//! | 127 levels of `[]` | 127 | accepted | accepted | the default limit is that of `serde_json` |
//! | 128 levels of `[]` | 127 | refused | refused | and so is what is beyond it |
//! | 127 levels of `[]` | 126 | accepted | refused | another limit was asked for |
//! | 128 levels of `[]` | 128 | refused | accepted | the same |
//! | 255 levels of `{"":}` | 255 | refused | accepted | the highest limit there is |
//! | `0` | 0 | accepted | accepted | no container is needed for a number |
//! | `[]` | 0 | accepted | refused | and one is for this |
//! | `{"a": 1, "a": 2}` | 127 | accepted | accepted | duplicates are grammar; the envelope looks for them |
//! | `"\u0000"` | 127 | accepted | accepted | NUL is a character if it is escaped |

mod depth;
mod grammar;
mod mutated;
#[path = "../support/checks/scan_vs_serde_json.rs"]
mod scan_vs_serde_json;

use scan_vs_serde_json::check;
use tautline::scan;

#[test]
fn differs_from_serde_json_as_the_table_says() {
    let verdict = |accepted| if accepted { "accepted" } else { "refused" };
    let mut rows = 0;
    let mut different = 0;
    let this_file = include_str!("main.rs");
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
