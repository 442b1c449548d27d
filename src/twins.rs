//! The fast ways to a verdict, held equal to the plain one: for the crate's own tests and fuzzing.
//!
//! A fast way says what the plain one says, or nothing. Whatever it is given, it must not report
//! anything else than the plain scanner does, nor call a message what the judge does not.

use std::string::String;
use std::vec::Vec;

use crate::envelope::{Envelope, Message, Rules};
use crate::frame::{Assembler, DEFAULT_LIMIT, Frame, FrameEvent, Frames, Growing};
use crate::mcp::Revision;
use crate::scan::{BackEnd, Descend, Level, Sink, Span};
use crate::stream::{MessageStream, Messages, Received};

/// What a scanner reported.
#[derive(Debug, Default, PartialEq, Eq)]
struct Report {
    events: Vec<Event>,
    text: Vec<u8>,
}

#[derive(Debug, PartialEq, Eq)]
enum Event {
    Name(Level, Span),
    Value(Level, Span),
    Element,
    TooDeep,
}

impl Sink for Report {
    fn name(&mut self, level: Level, name: Span) -> Descend {
        self.events.push(Event::Name(level, name));
        // Into every other member, so that both ways are gone.
        match name.start() % 2 {
            0 => Descend::Enter,
            _ => Descend::Skip,
        }
    }

    fn value(&mut self, level: Level, value: Span) {
        self.events.push(Event::Value(level, value));
    }

    fn element(&mut self) {
        self.events.push(Event::Element);
    }

    fn too_deep(&mut self) {
        self.events.push(Event::TooDeep);
    }
}

const DEPTHS: [u8; 9] = [127, 0, 1, 2, 3, 5, 126, 128, 255];

fn all_rules() -> impl Iterator<Item = Rules> {
    let revisions = Revision::ALL.iter().map(|revision| revision.rules());
    [Rules::JSON_RPC, Rules::LSP].into_iter().chain(revisions)
}

/// Checks every way over a text, and over it as a line among others.
pub fn check(text: &[u8]) {
    for max_depth in DEPTHS {
        check_scan(text, max_depth);
    }
    for rules in all_rules() {
        check_parse(text, &rules);
    }
    for limit in [DEFAULT_LIMIT, 64, 8] {
        check_lines(text, limit);
    }
}

/// Checks what the first byte of the input chooses, so that a fuzzer gets on faster.
pub fn check_some(input: &[u8]) {
    let Some((&choice, text)) = input.split_first() else { return };
    let choice = usize::from(choice);
    check_scan(text, DEPTHS.get(choice % 16).copied().unwrap_or(127));
    if let Some(rules) = all_rules().nth(choice / 16 % 8) {
        check_parse(text, &rules);
    }
    check_lines(text, if choice >= 128 { 64 } else { DEFAULT_LIMIT });
}

fn check_parse(text: &[u8], rules: &Rules) {
    let plain = Envelope::read_plain(text, rules).message();
    assert_eq!(Message::parse(text, rules), plain, "{}", shown(text));
    assert_eq!(Envelope::read(text, rules).message(), plain, "{}", shown(text));
}

fn check_scan(text: &[u8], max_depth: u8) {
    for back_end in BackEnd::all() {
        check_back_end(back_end, text, max_depth);
    }
}

fn check_back_end(back_end: BackEnd, text: &[u8], max_depth: u8) {
    let mut plain = Report::default();
    let verdict = crate::scan::plain_document(text, max_depth, &mut plain);
    let mut fast = Report::default();
    if let Some(span) = back_end.document(text, max_depth, &mut fast) {
        assert_eq!((verdict, &plain), (Ok(span), &fast), "{back_end:?} {}", shown(text));
    }
    // What is plainly healthy is passed: otherwise nothing would ever be fast.
    if let Ok(span) = verdict
        && max_depth <= 127
        && matches!(text.get(span.start() as usize), Some(b'{' | b'['))
    {
        assert!(back_end.document(text, max_depth, &mut Report::default()).is_some());
    }
    // The same with a line end behind it, and more behind that.
    let line = [text, b"\n{]"].concat();
    let mut fast = Report::default();
    if let Some((span, end)) = back_end.line(&line, max_depth, &mut fast) {
        assert_eq!(line.get(end), Some(&b'\n'));
        if end == text.len() {
            assert_eq!((verdict, &plain), (Ok(span), &fast), "{back_end:?} {}", shown(text));
        }
        assert!(!line.get(..end).unwrap().contains(&b'\n'));
    }
}

/// The stream doors against splitting and parsing.
fn check_lines(text: &[u8], limit: u32) {
    let rules = Rules::JSON_RPC;
    let wire = [text, b"\n", text, b"\r\n \n", text].concat();
    let mut slow = Frames::new(&wire, limit).map(|event| match event {
        FrameEvent::Frame(frame) => {
            let parsed = Envelope::read_plain(frame.bytes(), &rules).message();
            (Some(frame), parsed.ok(), parsed.err())
        }
        FrameEvent::Oversized(_) => (None, None, None),
    });
    let mut fast = Messages::new(&wire, limit, &rules).map(|received| split(&received));
    // What does not lie whole in a chunk is read where it was put together.
    let mut stream =
        MessageStream::with_assembler(Assembler::with_limit(Growing::default(), limit), &rules);
    let mut chunks = wire.chunks(100);
    let mut chunk: &[u8] = b"";
    loop {
        let (slow, fast) = (slow.next(), fast.next());
        assert_eq!(slow, fast, "limit {limit}: {}", shown(&wire));
        let Some(slow) = slow else { return };
        loop {
            if let Some(received) = stream.next(&mut chunk) {
                assert_eq!(slow, split(&received), "limit {limit}: {}", shown(&wire));
                break;
            }
            match chunks.next() {
                Some(next) => chunk = next,
                None => {
                    let last = stream.finish();
                    assert_eq!(last.map(|received| split(&received)), Some(slow));
                    break;
                }
            }
        }
    }
}

type Parts<'buf> = (Option<Frame<'buf>>, Option<Message<'buf>>, Option<crate::envelope::Fault>);

fn split<'buf>(received: &Received<'buf>) -> Parts<'buf> {
    match *received {
        Received::Message { frame, message } => (Some(frame), Some(message), None),
        Received::Fault { frame, fault } => (Some(frame), None, Some(fault)),
        Received::Oversized { .. } => (None, None, None),
    }
}

fn shown(text: &[u8]) -> String {
    std::format!("{}", text.escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::{Vec, check};
    use crate::scan::entered;

    /// How many mutated messages are checked.
    const ROUNDS: usize = 20_000;

    /// A linear congruential generator (Knuth's MMIX): the same texts in every run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) as usize) % limit
        }
    }

    /// Messages with everything in them that some path of the scanner is for.
    fn seeds() -> Vec<Vec<u8>> {
        let long =
            "a long text without anything special in it, so that a kernel takes over. ".repeat(4);
        let escapes =
            r#"line\n\ttab \"quoted\" \\ \/ \u00e9 \ud83d\ude00 and on and on and on \r\n"#
                .repeat(5);
        let numbers: Vec<_> = (0..60).map(|n| std::format!("{}", n * 7919 % 1000 - 300)).collect();
        let floats: Vec<_> =
            (0..60).map(|n| std::format!("{}.{}e-{}", n % 3, n * 31, n % 20)).collect();
        let deep = "[".repeat(120) + &"]".repeat(120);
        [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":-2.5e3}}}"#.into(),
            r#" { "jsonrpc" : "2.0" , "method" : "m" , "params" : [ true , false , null , {} , [] ] } "#.into(),
            r#"{"result":{"content":[{"type":"text","text":"caf\u00e9 café 🚀"}]},"jsonrpc":"2.0","id":"a-1"}"#.into(),
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no","data":[1,2,3]}}"#.into(),
            r#"[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"}]"#.into(),
            std::format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"text":"{long}é{long}"}}}}"#),
            std::format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"text":"{escapes}"}}}}"#),
            std::format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"v":[{}],"f":[{}]}}}}"#, numbers.join(","), floats.join(",")),
            std::format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"v":[{}]}}}}"#, numbers.join(", ")),
            std::format!(r#"{{"jsonrpc":"2.0","id":2,"params":{deep},"method":"x"}}"#),
        ]
        .map(std::string::String::into_bytes)
        .to_vec()
    }

    #[test]
    fn healthy_messages_and_every_way_to_break_one_byte_of_them() {
        for seed in seeds() {
            check(&seed);
            for at in 0..seed.len() {
                check(&seed[..at]);
                for byte in [b'"', b'\\', b',', b'0', b'\n', 0x1F, 0x80] {
                    let mut broken = seed.clone();
                    broken[at] = byte;
                    check(&broken);
                }
            }
        }
        let [clean, escaped, numbers, characters] = entered();
        assert!(
            clean > 0 && numbers > 0 && characters > 0,
            "no kernel was entered: {clean} {escaped} {numbers} {characters}"
        );
    }

    #[test]
    fn what_the_fuzzer_begins_with_and_what_it_has_found() {
        let fuzz = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
        let mut inputs = 0;
        for kind in ["seeds", "regressions"] {
            for entry in fuzz.join(kind).join("scan_fast_vs_plain").read_dir().unwrap() {
                let input = std::fs::read(entry.unwrap().path()).unwrap();
                super::check_some(&input);
                check(input.get(1..).unwrap_or_default());
                inputs += 1;
            }
        }
        assert!(inputs > 10);
    }

    #[test]
    fn mutated_messages() {
        let seeds = seeds();
        let mut random = Random(1);
        let pieces: &[&[u8]] = &[
            b"\"",
            b"\\",
            b"\\u00e9",
            b"\\ud800",
            b"\xC3\xA9",
            b"\xFF",
            b"{",
            b"}",
            b"[",
            b"]",
            b",",
            b":",
            b"-0",
            b"01",
            b"1.5e+7",
            b"true",
            b"nul",
            b"\n",
            b"\r",
            b" ",
            b"\"id\":1",
            b"\"error\":{}",
        ];
        for _ in 0..ROUNDS {
            let mut text = seeds[random.below(seeds.len())].clone();
            for _ in 0..=random.below(3) {
                let at = random.below(text.len() + 1);
                let end = at + random.below(6).min(text.len() - at);
                text.splice(at..end, pieces[random.below(pieces.len())].iter().copied());
            }
            check(&text);
        }
    }
}
