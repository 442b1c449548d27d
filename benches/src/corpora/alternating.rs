//! Inputs that keep switching a parser between its code paths: valid and broken lines in turn, of any length, and lines
//! that need care from end to end.

use super::hostile::{ELEMENTS, LINE, STRING, WIRE, Wire, request};
use super::random::Random;

/// The number of containers whose kinds fit in one word, next to a bit that marks the outermost.
const ONE_WORD: usize = 62;

/// The place where a line is broken. The later it is, the more work was in vain.
#[derive(Clone, Copy)]
enum Fault {
    /// A comma at the start of the payload.
    Early,
    /// Two commas after about this many bytes of the payload.
    After(usize),
    /// Two commas at the end.
    AtEnd,
    /// A raw CR between two tokens in the middle. The line is valid, but the fast path does not accept it.
    Return,
    /// A byte that UTF-8 never has, anywhere.
    Anywhere,
    /// A bracket of the wrong kind at the end.
    Late,
}

/// The number of bytes of a container after which blocks take over, plus some bytes until the next comma.
const TAKEN_OVER: usize = 256 + 200;

/// The shape of the next line: the approximate length of its payload in bytes, and its fault.
type Shape = fn(&mut Random, usize) -> (usize, Option<Fault>);

/// Returns all of these inputs.
pub fn wires() -> Vec<Wire> {
    let shapes: [(&str, Shape); 21] = [
        ("short lines, every other broken late", |_, turn| (40, late_if(turn % 2 == 1))),
        ("lines of 300 bytes, half of them broken late", |random, _| {
            (240, late_if(random.chance(0.5)))
        }),
        ("lines of 5 KB, every other broken late", |_, turn| (5000, late_if(turn % 2 == 1))),
        ("long lines, every other broken late", |_, turn| (LINE, late_if(turn % 2 == 1))),
        ("long lines, all broken late", |_, _| (LINE, Some(Fault::Late))),
        ("short lines broken late, and long ones", |random, turn| match turn % 2 {
            0 => (random.count(0, 60), Some(Fault::Late)),
            _ => (random.count(2000, LINE / 4), None),
        }),
        ("short lines, and long ones broken late", |random, turn| match turn % 2 {
            0 => (random.count(0, 60), None),
            _ => (random.count(2000, LINE / 4), Some(Fault::Late)),
        }),
        ("lines of any length, half of them broken anywhere", |random, _| {
            let fault = random.pick(&[Fault::Early, Fault::Anywhere, Fault::Late]);
            (any_length(random), random.chance(0.5).then_some(fault))
        }),
        ("lines of any length, one in ten broken late", |random, _| {
            (any_length(random), late_if(random.chance(0.1)))
        }),
        ("lines of 300 bytes, half broken at the hand-over", |random, _| {
            (220, random.chance(0.5).then_some(Fault::After(TAKEN_OVER)))
        }),
        ("lines of 300 bytes, half broken at the end", |random, _| {
            (220, random.chance(0.5).then_some(Fault::AtEnd))
        }),
        ("lines of 300 bytes, half with a raw CR", |random, _| {
            (220, random.chance(0.5).then_some(Fault::Return))
        }),
        ("lines of 1 KiB, half broken at the hand-over", |random, _| {
            (944, random.chance(0.5).then_some(Fault::After(TAKEN_OVER)))
        }),
        ("lines of 1 KiB, half broken at the end", |random, _| {
            (944, random.chance(0.5).then_some(Fault::AtEnd))
        }),
        ("lines of 1 KiB, half with a raw CR", |random, _| {
            (944, random.chance(0.5).then_some(Fault::Return))
        }),
        ("lines of 4 KiB, half broken at the hand-over", |random, _| {
            (4016, random.chance(0.5).then_some(Fault::After(TAKEN_OVER)))
        }),
        ("lines of 4 KiB, half broken at the end", |random, _| {
            (4016, random.chance(0.5).then_some(Fault::AtEnd))
        }),
        ("lines of 4 KiB, half with a raw CR", |random, _| {
            (4016, random.chance(0.5).then_some(Fault::Return))
        }),
        ("lines of 16 KiB, half broken at the hand-over", |random, _| {
            (16304, random.chance(0.5).then_some(Fault::After(TAKEN_OVER)))
        }),
        ("lines of 16 KiB, half broken at the end", |random, _| {
            (16304, random.chance(0.5).then_some(Fault::AtEnd))
        }),
        ("lines of 16 KiB, half with a raw CR", |random, _| {
            (16304, random.chance(0.5).then_some(Fault::Return))
        }),
    ];
    shapes.into_iter().map(|(name, shape)| alternating(name, shape)).chain(careful()).collect()
}

fn late_if(is_broken: bool) -> Option<Fault> {
    is_broken.then_some(Fault::Late)
}

/// Returns a length of any magnitude, each as likely as the others.
fn any_length(random: &mut Random) -> usize {
    let magnitude = random.count(3, 15);
    random.count(1 << magnitude, 2 << magnitude)
}

fn alternating(name: &'static str, shape: Shape) -> Wire {
    let mut random = Random::new(62);
    let (mut bytes, mut messages, mut turn) = (Vec::new(), 0, 0);
    while bytes.len() < WIRE {
        let (length, fault) = shape(&mut random, turn);
        let line = match fault {
            Some(Fault::Early) => request(&format!("[,{}]", payload(&mut random, length))),
            Some(Fault::Late) => request(&format!("[{}}}", payload(&mut random, length))),
            Some(Fault::After(first)) => {
                let first = payload(&mut random, first.min(length));
                let rest = payload(&mut random, length.saturating_sub(first.len()));
                request(&format!("[{first},,{rest}]"))
            }
            Some(Fault::AtEnd) => request(&format!("[{},,0]", payload(&mut random, length))),
            Some(Fault::Return) => {
                let halves = [0; 2].map(|_| payload(&mut random, length / 2));
                request(&format!("[{}]", halves.join(",\r")))
            }
            _ => request(&format!("[{}]", payload(&mut random, length))),
        };
        let start = bytes.len();
        bytes.extend_from_slice(line.as_bytes());
        if let Some(Fault::Anywhere) = fault {
            let at = random.count(start + 1, bytes.len() - 1);
            bytes[at] = 0xFF;
        }
        bytes.push(b'\n');
        messages += u64::from(matches!(fault, None | Some(Fault::Return)));
        turn += 1;
    }
    Wire { name, bytes, messages }
}

/// Creates elements of an array: strings, numbers, objects and arrays, in about this many bytes.
fn payload(random: &mut Random, length: usize) -> String {
    let mut elements = String::from("0");
    while elements.len() < length {
        elements.push(',');
        match random.count(0, 5) {
            0 => elements.push_str(&format!("\"{}\"", "text ".repeat(random.count(0, 30)))),
            1 => elements.push_str(&random.between(-99_999, 99_999).to_string()),
            2 => elements.push_str(&format!(r#"{{"name":"a","value":{}}}"#, random.unit())),
            3 => elements.push_str(r#"[true,null,{"a":[]}]"#),
            4 => elements.push_str(r#""an \"escape\" and é""#),
            _ => elements.push_str("[1,2,3,4,5,6,7,8]"),
        }
    }
    elements
}

/// Creates lines that need careful work from end to end: valid lines, and some with a fault at the end.
fn careful() -> impl Iterator<Item = Wire> {
    [
        // The message, its params and the elements are levels too.
        Wire::of_pieces("62 levels, up and down", ELEMENTS, |random| nest(random, ONE_WORD - 2)),
        Wire::of_pieces("around 62 levels", ELEMENTS, |random| {
            let levels = random.count(ONE_WORD - 6, ONE_WORD + 4);
            nest(random, levels)
        }),
        Wire::of_pieces("brackets of any depth", ELEMENTS, |random| {
            let levels = random.count(1, ONE_WORD);
            nest(random, levels)
        }),
        Wire::of_pieces("names and short strings of escapes", ELEMENTS, escapes),
        Wire::of_pieces("names and short strings beyond ASCII", ELEMENTS, beyond_ascii),
        Wire::of_pieces("62 levels of one kind, open and closed again", ELEMENTS, |random| {
            let (open, close) = random.pick(&[("[", "]"), (r#"{"a":"#, "}")]);
            open.repeat(ONE_WORD - 2) + "1" + &close.repeat(ONE_WORD - 2)
        }),
        Wire::of_pieces("all levels up to 62, up and down in turn", ELEMENTS, zigzag),
        Wire::of_pieces("escapes alone in names and strings", ELEMENTS, |random| {
            let [name, value] = [0; 2].map(|_| {
                let escapes = [r"\n", r#"\""#, r"\\", r"\/", r"\u00e9", r"\ud83d\ude80"];
                (0..random.count(1, 20)).map(|_| random.pick(&escapes)).collect::<String>()
            });
            format!(r#"{{"{name}":"{value}"}}"#)
        }),
        Wire::of_pieces("characters of 2 bytes", STRING, |random| {
            random.pick(&["é", "ß", "я", "\u{7FF}"]).to_owned()
        }),
        Wire::of_pieces("characters of 3 bytes", STRING, |random| {
            random.pick(&["数", "据", "€", "\u{FFFF}"]).to_owned()
        }),
        Wire::of_pieces("a character beyond ASCII and ASCII in turn", STRING, |random| {
            random.pick(&["éa", "数b", "🦀c", "a\u{7FF}", "b€"]).to_owned()
        }),
        Wire::of_pieces("short strings of characters of 3 bytes", ELEMENTS, |random| {
            let text: String =
                (0..random.count(1, 8)).map(|_| random.pick(&['数', '据', '文', '字'])).collect();
            format!("\"{text}\"")
        }),
        Wire::of_pieces("names and strings of any characters and ASCII", ELEMENTS, |random| {
            let [name, value] = [0; 2].map(|_| {
                let characters = ['a', 'é', 'b', '数', 'c', '🦀', ' '];
                (0..random.count(1, 20)).map(|_| random.pick(&characters)).collect::<String>()
            });
            format!(r#"{{"{name}":"{value}"}}"#)
        }),
        Wire::of_pieces("runs of numbers and of strings in turn", ELEMENTS, runs),
        Wire::of_pieces("arrays of numbers and long strings in turn", ELEMENTS, |random| {
            let numbers = numbers(random, 100);
            format!("[{}],\"{}\"", numbers.join(","), "text ".repeat(random.count(20, 100)))
        }),
        Wire::of_pieces("characters of 2, 3 and 4 bytes", STRING, |random| {
            random
                .pick(&["é", "数", "🦀", "\u{7FF}", "\u{800}", "\u{FFFF}", "\u{10000}"])
                .to_owned()
        }),
        Wire::of_pieces("nothing but empty strings", ELEMENTS, |_| r#""""#.to_owned()),
        Wire::of_pieces("raw CRs between tokens", ELEMENTS, |random| {
            random.pick(&["\r1", "\r\r\"a\"", "{\r\"a\"\r:\r1}", "[\r]\r"]).to_owned()
        }),
        broken("62 levels, broken late", |random| nest(random, ONE_WORD - 2)),
        broken("empty containers, broken late", |random| random.pick(&["[]", "{}"]).to_owned()),
        broken("names and strings of escapes, broken late", escapes),
        broken("names and strings beyond ASCII, broken late", beyond_ascii),
        late_cr("short lines, a raw CR at the end of each", |_| 40),
        late_cr("lines of any length, a raw CR at the end of each", any_length),
    ]
    .into_iter()
}

/// Creates lines of these elements with a bracket of the wrong kind at the end.
fn broken(name: &'static str, piece: fn(&mut Random) -> String) -> Wire {
    let [open, between, _] = ELEMENTS;
    Wire { messages: 0, ..Wire::of_pieces(name, [open, between, "}"], piece) }
}

/// Creates an object with a name and a string of escapes.
fn escapes(random: &mut Random) -> String {
    let [name, value] =
        [0; 2].map(|_| random.pick(&[r"\n", r#"\""#, r"\\\\", r"a\/", r"\u00e9", r"\ud83d\ude80"]));
    format!(r#"{{"{name}":"{value}"}}"#)
}

/// Creates an object with a name and a string beyond ASCII.
fn beyond_ascii(random: &mut Random) -> String {
    let [name, value] = [0; 2].map(|_| random.pick(&["é", "数据", "🦀", "aß", "\u{7FF}𝄞"]));
    format!(r#"{{"{name}":"{value}"}}"#)
}

/// Creates containers of both kinds within each other.
fn nest(random: &mut Random, levels: usize) -> String {
    let (mut text, mut closing) = (String::new(), String::new());
    for _ in 0..levels {
        let (open, close) = random.pick(&[("[", ']'), (r#"{"a":"#, '}')]);
        text.push_str(open);
        closing.insert(0, close);
    }
    text + "1" + &closing
}

/// Creates containers that open and close some levels at a time, up to the last level.
fn zigzag(random: &mut Random) -> String {
    let (mut text, mut open) = (String::from("["), vec!["]"]);
    while open.len() < ONE_WORD - 3 {
        for _ in 0..random.count(1, 6).min(ONE_WORD - 2 - open.len()) {
            let (begin, close) = random.pick(&[("[", "]"), (r#"{"a":"#, "}")]);
            text.push_str(begin);
            open.push(close);
        }
        text.push('1');
        for _ in 0..random.count(1, 4).min(open.len() - 1) {
            text.push_str(open.pop().unwrap_or_default());
        }
        text.push_str(if open.last() == Some(&"}") { r#","b":"# } else { "," });
    }
    open.reverse();
    text + "1" + &open.concat()
}

/// Creates some numbers and then some strings.
fn runs(random: &mut Random) -> String {
    let mut elements = numbers(random, 60);
    let strings = random.count(8, 60);
    elements.extend((0..strings).map(|_| format!("\"{}\"", "b".repeat(random.count(0, 20)))));
    elements.join(",")
}

fn numbers(random: &mut Random, most: usize) -> Vec<String> {
    let count = random.count(8, most);
    (0..count).map(|_| random.between(-99_999, 9_999_999).to_string()).collect()
}

/// Creates messages with a raw CR before the last bracket, which is whitespace, but no end of a line.
fn late_cr(name: &'static str, length: fn(&mut Random) -> usize) -> Wire {
    let mut random = Random::new(13);
    let (mut bytes, mut messages) = (Vec::new(), 0);
    while bytes.len() < WIRE {
        let length = length(&mut random);
        let line = request(&format!("[{}]\r", payload(&mut random, length)));
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        messages += 1;
    }
    Wire { name, bytes, messages }
}
