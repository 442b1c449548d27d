//! Prints the complete reports on every input of the crate's tests: as one number, or with `--all` text by text.
//!
//! Usage: verdicts [--all] <folder>...

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::{env, fs};

use tautline::frame::{FrameEvent, Frames};
use tautline::{Envelope, Message, Profile};
use tautline_mcp::Revision;

fn main() {
    let mut folders: Vec<_> = env::args().skip(1).collect();
    let says_all = folders.first().is_some_and(|argument| argument == "--all");
    if says_all {
        folders.remove(0);
    }
    let mut texts = Vec::new();
    for folder in &folders {
        collect(Path::new(folder), &mut texts);
    }
    texts.sort();
    texts.dedup();
    assert!(texts.len() > 1000, "there are {} texts only", texts.len());

    let mut hasher = DefaultHasher::new();
    for text in &texts {
        let said = verdicts(text);
        said.hash(&mut hasher);
        if says_all {
            println!("{}\n{said}", text.escape_ascii());
        }
    }
    println!("{} texts, {:016x}", texts.len(), hasher.finish());
}

/// Collects files whole, and line by line.
fn collect(folder: &Path, texts: &mut Vec<Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            // The build output of the packages among the examples.
            if !path.ends_with("target") {
                collect(&path, texts);
            }
            continue;
        }
        let file = fs::read(&path).expect("a file");
        texts.extend(file.split(|&byte| byte == b'\n').map(<[u8]>::to_vec));
        texts.push(file);
    }
}

/// Returns the message or the fault under all rules, all other findings, and how the text is cut into lines.
fn verdicts(text: &[u8]) -> String {
    let mut said = String::new();
    let revisions = Revision::ALL.iter().map(|revision| revision.profile());
    let strict = [
        Profile::JSON_RPC.strict(&tautline_mcp::GUARDED_NAMES),
        Revision::V2025_03_26.strict_profile(),
    ];
    for profile in [Profile::JSON_RPC, Profile::LSP].into_iter().chain(revisions).chain(strict) {
        let mut findings = Vec::new();
        let envelope = Envelope::read(text, &profile);
        envelope.findings(|finding| findings.push(finding));
        let verdict = envelope.message();
        assert_eq!(verdict, Message::parse(text, &profile), "{}", text.escape_ascii());
        writeln!(said, "{verdict:?} {findings:?}").expect("memory");
        if let Ok(Message::Batch(batch)) = verdict {
            for element in batch.iter() {
                writeln!(said, "  {:?}", element.message()).expect("memory");
            }
        }
    }
    for event in Frames::new(text, 64) {
        match event {
            FrameEvent::Frame(frame) => writeln!(said, "{} {}", frame.line(), frame.bytes().len()),
            event => writeln!(said, "{event:?}"),
        }
        .expect("memory");
    }
    said
}
