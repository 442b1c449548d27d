//! Inputs that are slow to read: made to be slow, or entering and leaving every possible fast path.

use super::random::Random;

/// The approximate size of an input in bytes.
pub const WIRE: usize = 1024 * 1024;
/// The approximate size of a long line in bytes.
pub const LINE: usize = 64 * 1024;

/// The most elements that a batch may have under the default rules.
const MAX_BATCH: usize = 1024;

/// An input.
pub struct Wire {
    /// The name.
    pub name: &'static str,
    /// The bytes: lines.
    pub bytes: Vec<u8>,
    /// The number of its messages.
    pub messages: u64,
}

#[derive(Clone, Copy)]
enum Lines {
    Valid,
    Faulty,
}

impl Wire {
    /// Repeats the same line.
    fn repeating(name: &'static str, lines: Lines, line: &str) -> Self {
        let count = (WIRE / line.len()).max(1);
        let bytes = format!("{line}\n").repeat(count).into_bytes();
        let messages = match lines {
            Lines::Valid => count as u64,
            Lines::Faulty => 0,
        };
        Self { name, bytes, messages }
    }

    /// Creates requests with a sequence of pieces as params: as elements, or as one string.
    ///
    /// If the pieces differ, so do the lines: a branch predictor learns repeated lines by heart.
    pub fn of_pieces(
        name: &'static str,
        [open, between, close]: [&str; 3],
        piece: impl Fn(&mut Random) -> String,
    ) -> Self {
        let mut random = Random::new(127);
        let (mut bytes, mut messages) = (Vec::new(), 0);
        while bytes.len() < WIRE {
            let mut params = open.to_owned() + &piece(&mut random);
            while params.len() < LINE {
                params.push_str(between);
                params.push_str(&piece(&mut random));
            }
            bytes.extend_from_slice(request(&(params + close)).as_bytes());
            bytes.push(b'\n');
            messages += 1;
        }
        Self { name, bytes, messages }
    }
}

/// The text before, between and after pieces that are elements.
pub const ELEMENTS: [&str; 3] = ["[", ",", "]"];
/// The text before, between and after pieces of one string.
pub const STRING: [&str; 3] = ["[\"", "", "\"]"];

/// Creates a request with these params.
pub fn request(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#)
}

/// Messages and other lines that are slow to scan.
pub fn wires() -> Vec<Wire> {
    // With the message around them, 127 containers, the maximum depth.
    let nested = r#"[{"a":"#.repeat(63) + "1" + &"}]".repeat(63);
    let repeated = r#","id":1"#.repeat(LINE / 7);
    vec![
        Wire::repeating("deepest nesting", Lines::Valid, &request(&nested)),
        Wire::repeating("nothing but [", Lines::Faulty, &request(&"[".repeat(LINE))),
        Wire::of_pieces("nothing but escapes", STRING, |random| {
            random.pick(&[r"\n", r#"\""#, r"\\", r"\/", r"\t"]).to_owned()
        }),
        Wire::of_pieces("nothing but \\u", STRING, |random| {
            random.pick(&[r"\u00e9", r"\u4E2D", r"\ud83d\ude80"]).to_owned()
        }),
        Wire::of_pieces("an escape after about 40 bytes", STRING, |random| clean(random) + r"\n"),
        Wire::of_pieces("an accent after about 40 bytes", STRING, |random| clean(random) + "é"),
        Wire::of_pieces("UTF-8 of 4 bytes", STRING, |random| {
            random.pick(&["🦀", "𝄞", "\u{10FFFF}"]).to_owned()
        }),
        Wire::repeating("smallest messages", Lines::Valid, r#"{"jsonrpc":"2.0","method":""}"#),
        Wire::repeating("frames of one byte", Lines::Faulty, "1"),
        Wire::repeating(
            "one key repeated",
            Lines::Faulty,
            &format!(r#"{{"jsonrpc":"2.0"{repeated},"method":"a"}}"#),
        ),
        Wire::of_pieces("numbers and strings in turn", ELEMENTS, |random| {
            format!("{},\"{}\"", number(random), "b".repeat(random.count(0, 20)))
        }),
        Wire::of_pieces("a few numbers and a string", ELEMENTS, |random| {
            let numbers: Vec<_> = (0..random.count(3, 9)).map(|_| number(random)).collect();
            numbers.join(",") + r#","a""#
        }),
        Wire::of_pieces("empty containers", ELEMENTS, |random| {
            random.pick(&["[]", "{}"]).to_owned()
        }),
        Wire::of_pieces("whitespace", ELEMENTS, |random| {
            random.pick(&[" ", "\t ", " \r  ", "        "]).to_owned() + "1 "
        }),
    ]
}

/// Returns about 40 bytes with nothing to stop at.
fn clean(random: &mut Random) -> String {
    "a".repeat(random.count(34, 46))
}

fn number(random: &mut Random) -> String {
    match random.count(0, 2) {
        0 => random.between(-9, 9).to_string(),
        1 => random.between(-1_000_000, 1_000_000).to_string(),
        _ => format!("{:e}", random.unit()),
    }
}

/// Messages with unknown members, whose names are scanned again for findings.
pub fn strangers() -> Vec<Wire> {
    let message = |members: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping"{members}}}"#);
    let numbered: String = (0..LINE / 8).map(|number| format!(r#","x{number}":0"#)).collect();
    let batch = |element: &str, count| format!("[{}]", vec![element; count].join(","));
    vec![
        Wire::repeating("unknown members", Lines::Valid, &message(&numbered)),
        Wire::repeating(
            "shortest unknown members",
            Lines::Valid,
            &message(&r#","":0"#.repeat(LINE / 5)),
        ),
        Wire::repeating(
            "unknown members in a batch",
            Lines::Valid,
            &batch(&message(&r#","":0"#.repeat(12)), MAX_BATCH),
        ),
        Wire::repeating(
            "unknown members in a small batch",
            Lines::Valid,
            &batch(&message(&r#","":0"#.repeat(LINE / 5)), 2),
        ),
        Wire::repeating(
            "members that look like others",
            Lines::Valid,
            &message(&r#","METHOD":0,"Id":0,"m\u0065thod ":0"#.repeat(LINE / 40)),
        ),
        Wire::repeating(
            "unknown members of an error",
            Lines::Valid,
            &format!(
                r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":1,"message":""{}}}}}"#,
                r#","":0"#.repeat(LINE / 5)
            ),
        ),
        Wire::repeating(
            "a name of spaces",
            Lines::Valid,
            &message(&format!(r#","{}":0"#, " ".repeat(LINE))),
        ),
        Wire::repeating(
            "a name of escaped spaces",
            Lines::Valid,
            &message(&format!(r#","{}":0"#, r"\u0020".repeat(LINE / 6))),
        ),
    ]
}

/// Messages whose id, or any other reference to a request, is a number of 4 MB.
pub fn long_ids() -> [(&'static str, String); 5] {
    let number = "1".repeat(4_000_000);
    let about = |method: &str, member: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{{"{member}":{number}}}}}"#
        )
    };
    let token = format!(r#"{{"_meta":{{"progressToken":{number}}}}}"#);
    [
        ("response", format!(r#"{{"jsonrpc":"2.0","id":{number},"result":{{}}}}"#)),
        ("request", format!(r#"{{"jsonrpc":"2.0","id":{number},"method":"ping"}}"#)),
        ("cancelled", about("cancelled", "requestId")),
        ("progress", about("progress", "progressToken")),
        (
            "request with a token",
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{token}}}"#),
        ),
    ]
}
