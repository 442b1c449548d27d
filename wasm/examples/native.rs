//! Writes the data that the tests in JavaScript compare with: wires, and the verdicts of the native build on them.
//!
//! ```text
//! native corpora FOLDER               writes the six corpora of the benchmarks
//! native verdicts FOLDER COUNT        writes the lines of the tests and examples, so many mutations of them, and the
//!                                     verdicts on them under each preset
//! ```

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use tautline::encode::Encoder;
use tautline::frame::{Assembler, HeapBuffer};
use tautline::scan::Span;
use tautline::stream::{MessageStream, Received};
use tautline::{Fault, Message, Profile, RawJson};
use tautline_mcp::{Revision, rule};

#[path = "../../benches/src/corpora/mod.rs"]
#[allow(dead_code, reason = "it is used in part")]
mod corpora;
#[path = "../../tests/support/dice.rs"]
#[allow(dead_code, reason = "it is used in part")]
mod dice;

/// The limit on frames in the verdicts, so that some are oversized.
const LIMIT: u32 = 4096;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["corpora", folder] => corpora(Path::new(folder)),
        ["verdicts", folder, count] => {
            verdicts(Path::new(folder), count.parse().expect("a number"))
        }
        _ => panic!("native corpora FOLDER, or native verdicts FOLDER COUNT"),
    }
}

fn corpora(folder: &Path) {
    for corpus in corpora::corpora(corpora::Scale::Part(0.25)) {
        fs::write(folder.join(format!("{}.ndjson", corpus.name)), &corpus.wire).expect("room");
    }
}

fn verdicts(folder: &Path, count: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
    let mut lines = Vec::new();
    for folder in ["tests", "examples", "src"] {
        collect(&root.join(folder), &mut lines);
    }
    lines.sort();
    lines.dedup();
    assert!(lines.len() > 1000, "there are {} lines only", lines.len());
    let seeds: Vec<String> = lines
        .iter()
        .filter_map(|line| String::from_utf8(line.clone()).ok())
        .filter(|line| line.starts_with('{') && line.len() < 400)
        .collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    let mut dice = dice::Dice(1);
    for _ in 0..count {
        let mut frame = Vec::new();
        dice.break_one(&seeds, &mut frame);
        lines.push(frame);
    }
    let mut wire = lines.join(&b'\n');
    // The last line has no newline.
    wire.extend_from_slice(
        br#"
{"jsonrpc":"2.0","method":"last"}"#,
    );
    fs::write(folder.join("wire.ndjson"), &wire).expect("room");

    let revisions = Revision::ALL.iter().map(|revision| (revision.name(), revision.profile()));
    for (name, profile) in
        [("jsonrpc", Profile::JSON_RPC), ("lsp", Profile::LSP)].into_iter().chain(revisions)
    {
        fs::write(folder.join(format!("{name}.txt")), said(&wire, profile)).expect("room");
        let strict = said(&wire, profile.strict(&tautline_mcp::GUARDED_NAMES));
        fs::write(folder.join(format!("{name}.strict.txt")), strict).expect("room");
    }
}

/// Collects the lines of all files in a folder, without the `target` and `node_modules` folders in it.
fn collect(folder: &Path, lines: &mut Vec<Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if !path.ends_with("target") && !path.ends_with("node_modules") {
                collect(&path, lines);
            }
            continue;
        }
        let file = fs::read(&path).expect("a file");
        lines.extend(file.split(|&byte| byte == b'\n').map(<[u8]>::to_vec));
    }
}

/// Returns one line for each event.
fn said(wire: &[u8], profile: Profile) -> String {
    let mut text = String::new();
    let assembler = Assembler::with_limit(HeapBuffer::new(LIMIT), LIMIT);
    let mut stream = MessageStream::with_assembler(assembler, &profile);
    let mut left = wire;
    while let Some(received) = stream.next(&mut left) {
        describe(&mut text, &received);
    }
    while let Some(received) = stream.finish() {
        describe(&mut text, &received);
    }
    text
}

fn describe(text: &mut String, received: &Received<'_>) {
    match received {
        Received::Message { frame, message, .. } => {
            let length = frame.bytes().len();
            write!(text, "{} {} {length} {} ", frame.offset(), frame.line(), frame.is_terminated())
                .expect("memory");
            describe_message(text, message);
            if let Message::Batch(batch) = message {
                for element in batch.iter() {
                    text.push_str(" | ");
                    match &element.message() {
                        Ok(message) => describe_message(text, message),
                        Err(fault) => describe_fault(text, "fault", fault),
                    }
                }
            }
        }
        Received::Fault { frame, fault, .. } => {
            let length = frame.bytes().len();
            write!(text, "{} {} {length} {} ", frame.offset(), frame.line(), frame.is_terminated())
                .expect("memory");
            describe_fault(text, "fault", fault);
        }
        Received::Oversized { oversized, fault, skimmed, .. } => {
            let (offset, line, length) = (oversized.offset(), oversized.line(), oversized.length());
            let is_terminated = oversized.is_terminated();
            write!(text, "{offset} {line} {length} {is_terminated} ").expect("memory");
            describe_fault(text, "oversized", fault);
            let method = skimmed.as_ref().and_then(|skimmed| skimmed.method());
            let method = method.map_or_else(|| "-".to_owned(), |method| method.to_string());
            write!(text, " {method}").expect("memory");
        }
        other => write!(text, "{other:?}").expect("memory"),
    }
    text.push('\n');
}

fn describe_message(text: &mut String, message: &Message<'_>) {
    let spans = match message {
        Message::Request(request) => {
            text.push_str("request");
            let call = request.call();
            vec![call.id_span(), Some(call.method_span()), call.params_span()]
        }
        Message::Notification(notification) => {
            text.push_str("notification");
            let call = notification.call();
            vec![None, Some(call.method_span()), call.params_span()]
        }
        Message::Response(response) => match response.error() {
            None => {
                text.push_str("result");
                vec![response.id_span(), response.result_span()]
            }
            Some(error) => {
                text.push_str("error");
                let (code, message) = (error.code_span(), error.message_span());
                vec![response.id_span(), Some(code), Some(message), error.data_span()]
            }
        },
        Message::Batch(batch) => {
            write!(text, "batch {}", batch.len()).expect("memory");
            Vec::new()
        }
    };
    for span in spans {
        write!(text, " {}", place(span)).expect("memory");
    }
}

fn describe_fault(text: &mut String, kind: &str, fault: &Fault<'_>) {
    let mut reply = Vec::new();
    Encoder::new(&mut reply).fault(fault).expect("memory");
    let reply = String::from_utf8_lossy(&reply).trim_end().to_owned();
    let id = fault.id().map_or_else(|| "-".to_owned(), |id: RawJson<'_>| id.to_string());
    let (rule, offset, message) = (fault.rule(), fault.offset(), fault.message());
    write!(text, "{kind} {} {offset} {id} {message} {reply}", rule::name(rule)).expect("memory");
}

fn place(span: Option<Span>) -> String {
    span.map_or_else(|| "-".to_owned(), |span| format!("{}-{}", span.start(), span.end()))
}
