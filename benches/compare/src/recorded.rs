//! A corpus of recorded traffic: the messages in the recordings that the tests of `tautline-audit` read. Tools such as
//! mitmproxy, Playwright, mcpsnoop and the Inspector recorded them between clients and servers.
//!
//! They are a few hundred messages, repeated. A branch predictor learns them by heart, so their times are too short.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use benches::baseline;
use benches::corpora::{Corpus, Counts, Kind, Scale};
use serde_json::value::RawValue;

use crate::competitors::{self, Answer};

/// The name of the corpus.
pub const NAME: &str = "recorded";

/// The folder with the recordings, beside this package.
const FOLDER: &str = "../../audit/tests/sources";

/// The size of the whole corpus in bytes.
const SIZE: f64 = 24e6;

/// Repeats the recorded messages in their order until they have this share of the usual size.
///
/// # Errors
///
/// If the folder with the recordings can't be read, or holds no messages.
pub fn corpus(scale: Scale) -> io::Result<Corpus> {
    let messages = messages()?;
    if messages.is_empty() {
        return Err(io::Error::other(format!("{FOLDER} has no messages")));
    }
    let (mut wire, mut counts) = (Vec::new(), Counts::default());
    while (wire.len() as f64) < SIZE * scale.factor() {
        for (kind, message) in &messages {
            wire.extend_from_slice(message.as_bytes());
            wire.push(b'\n');
            counts.add(Some(*kind));
        }
    }
    Ok(Corpus { name: NAME.into(), wire, counts })
}

/// Returns the messages of all recordings, as they were recorded. Those that a competitor refuses are left out, such as
/// errors without an id.
///
/// # Errors
///
/// If the folder with the recordings can't be read.
pub fn messages() -> io::Result<Vec<(Kind, String)>> {
    let mut files = Vec::new();
    list(&Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER), &mut files)?;
    files.sort();
    let mut messages = Vec::new();
    for file in files {
        of_file(&String::from_utf8_lossy(&fs::read(file)?), &mut messages);
    }
    let mut competitors = competitors::all();
    competitors.retain(|competitor| competitor.answer == Answer::Messages);
    messages.retain(|(kind, text)| {
        let mut expected = Counts::default();
        expected.add(Some(*kind));
        competitors.iter_mut().all(|competitor| (competitor.pass)(text.as_bytes()) == expected)
    });
    Ok(messages)
}

/// Lists the recordings in a folder, without the expected findings beside them, and without logs made by hand.
fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            list(&path, files)?;
        } else if !["expected", "made-by-hand"].iter().any(|part| name.contains(part)) {
            files.push(path);
        }
    }
    Ok(())
}

/// Collects the messages of a file, which is one JSON text, or has one in some of its lines.
fn of_file(text: &str, messages: &mut Vec<(Kind, String)>) {
    if let Ok(value) = serde_json::from_str::<&RawValue>(text) {
        return of_value(value.get(), messages);
    }
    text.lines().for_each(|line| of_line(line, messages));
}

/// Collects the messages of a line. A log or an event stream has something before them.
fn of_line(line: &str, messages: &mut Vec<(Kind, String)>) {
    let text = line.find('{').and_then(|start| line.get(start..)).unwrap_or_default().trim_end();
    if serde_json::from_str::<&RawValue>(text).is_ok() {
        of_value(text, messages);
    }
}

/// Collects the messages of a JSON text: the text itself, or what is inside its strings, objects and arrays.
fn of_value(text: &str, messages: &mut Vec<(Kind, String)>) {
    if let Some((kind, _)) = baseline::parse(text.as_bytes()) {
        if !text.contains('\n') {
            messages.push((kind, text.to_owned()));
        }
    } else if let Ok(string) = serde_json::from_str::<String>(text) {
        string.lines().for_each(|line| of_line(line, messages));
    } else if let Ok(members) = serde_json::from_str::<BTreeMap<String, &RawValue>>(text) {
        members.values().for_each(|value| of_value(value.get(), messages));
    } else if let Ok(elements) = serde_json::from_str::<Vec<&RawValue>>(text) {
        elements.iter().for_each(|value| of_value(value.get(), messages));
    }
}
