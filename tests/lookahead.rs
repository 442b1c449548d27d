//! A stream looks ahead in its input, but remembers nothing of bytes that it has not consumed: the caller may show others
//! the next time.

use std::fmt::Debug;

use tautline::Rules;
use tautline::stream::{MessageStream, Messages};

/// A line of about this many bytes.
fn line(id: usize, length: usize) -> String {
    let text = "x".repeat(length);
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"a\",\"params\":[\"{text}\"]}}\n")
}

fn shown(event: &impl Debug) -> String {
    format!("{event:?}")
}

/// Shows each line with something else after it every time, or only the first half of it before that.
fn events(lines: &[String], decoys: &[&[u8]]) -> Vec<String> {
    let mut stream = MessageStream::new([0; 8192], Rules::JSON_RPC);
    let mut events = Vec::new();
    for (turn, line) in lines.iter().enumerate() {
        let decoy = decoys[turn % decoys.len()];
        let (half, rest) = line.as_bytes().split_at(if turn % 3 == 2 { line.len() / 2 } else { 0 });
        let mut half = half;
        assert!(stream.next(&mut half).is_none() && half.is_empty());
        let input = [rest, decoy].concat();
        let mut rest = &input[..];
        events.extend(stream.next(&mut rest).as_ref().map(shown));
        assert_eq!(rest, decoy, "only the line is consumed");
    }
    events.extend(stream.finish().as_ref().map(shown));
    events
}

/// Streams treat lines of more than 2 KiB with care, and search ahead for the last line end that they were shown.
#[test]
fn what_is_shown_after_a_line_may_change() {
    let lengths = [3000, 10, 3000, 3000, 2100, 40, 5000];
    let lines: Vec<_> = lengths.iter().enumerate().map(|(id, &length)| line(id, length)).collect();
    let all = lines.concat();
    let expected: Vec<_> =
        Messages::new(all.as_bytes(), 8192, Rules::JSON_RPC).map(|event| shown(&event)).collect();
    assert_eq!(expected.len(), lines.len());

    let (long, cut) = (line(9, 4000), line(9, 4000).replace('\n', ""));
    let many = line(9, 10).repeat(50);
    let decoys: [&[u8]; 6] =
        [b"", many.as_bytes(), b"\n\n", cut.as_bytes(), long.as_bytes(), b"\"\\\xFF\r\n{"];
    for first in 0..decoys.len() {
        let mut decoys = decoys;
        decoys.rotate_left(first);
        assert_eq!(events(&lines, &decoys), expected, "beginning with {first}");
    }
}
