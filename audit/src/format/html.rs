//! One HTML file that needs no network.

use std::io::{self, Write};

use crate::Document;
use crate::is_invisible;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/script.js");

/// Writes a document.
///
/// # Errors
///
/// Returns the error of the output.
pub fn write(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    // The list of sources shows the folders.
    let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
    let names: Vec<String> = document.sources.iter().map(|source| name(&source.name)).collect();
    let title = escape(&format!("tautline audit: {}", names.join(", ")));
    let data = data(document)?;
    let mut rest = PAGE;
    while let Some((before, mark)) = rest.split_once("{{") {
        out.write_all(before.as_bytes())?;
        let (name, after) = mark.split_once("}}").unwrap_or((mark, ""));
        let text = match name {
            "TITLE" => title.as_str(),
            "STYLE" => STYLE,
            "SCRIPT" => SCRIPT,
            "DATA" => data.as_str(),
            _ => "",
        };
        out.write_all(text.as_bytes())?;
        rest = after;
    }
    out.write_all(rest.as_bytes())
}

/// Returns the document as JSON that can't end its HTML element early.
fn data(document: &Document) -> io::Result<String> {
    let json = serde_json::to_string(document)?;
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' => push_escape(&mut safe, c),
            // JSON has no invisible characters outside strings.
            c if is_invisible(c) => push_escape(&mut safe, c),
            c => safe.push(c),
        }
    }
    Ok(safe)
}

fn push_escape(text: &mut String, c: char) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        text.push_str(&format!("\\u{unit:04x}"));
    }
}

/// Escapes a text so that it contains no markup, and every character is visible.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut safe = String::new();
    for c in crate::printable(text.as_bytes()).chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            c => safe.push(c),
        }
    }
    safe
}
