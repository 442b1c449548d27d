//! How to send a case by hand, with the commands that every Unix has.

use std::fmt::Write as _;

use tautline_conformance::{Opening, Role, Step};

use super::{Report, Target};
use crate::probe::row::Row;

/// The maximum length of a text in the command line.
const LONGEST: usize = 2000;

/// Returns a shell command that sends the case to the server. Returns `None` if it would be too long, or for a client.
pub fn line(report: &Report<'_>, row: &Row<'_>) -> Option<String> {
    if report.role == Role::Client {
        return None;
    }
    let mut commands = Vec::new();
    let script = report.script(row)?;
    let open = match report.target {
        Target::Command(_) if row.case.opening != Opening::Fresh => &script.open[..],
        _ => &[],
    };
    for step in open.iter().chain(row.steps()) {
        commands.extend(command(step)?);
    }
    let is_closed = row.steps().iter().any(|step| matches!(step, Step::Close(_)));
    // Over HTTP, it has a connection of its own.
    let survival = row.evidence.survival.as_ref().filter(|_| row.evidence.sent.is_none());
    if let Some(survival) = survival {
        commands.push(Command::Print(escaped(survival.as_bytes())?));
    }
    if !is_closed {
        // The end of the input comes after the answers.
        commands.push(Command::Other("sleep 3".to_owned()));
    }
    let mut line = String::new();
    let mut printed: Option<String> = None;
    for command in commands {
        match command {
            Command::Print(text) => printed.get_or_insert_default().push_str(&text),
            Command::Other(command) => {
                push_print(&mut line, printed.take());
                push(&mut line, &command);
            }
        }
    }
    push_print(&mut line, printed);
    (line.len() <= 2 * LONGEST).then(|| format!("({line}) | {}", peer(report)))
}

/// Returns the command that the bytes are sent to.
fn peer(report: &Report<'_>) -> String {
    match report.target {
        Target::Command(_) => report.target_line(),
        #[cfg(feature = "http")]
        Target::Url(url) => {
            let (name, port) = (quoted(&url.name), url.port);
            match url.is_https {
                true => format!("openssl s_client -quiet -connect {name}:{port}"),
                false => format!("nc {name} {port}"),
            }
        }
    }
}

enum Command {
    /// Prints a text, which is escaped already.
    Print(String),
    Other(String),
}

fn command(step: &Step) -> Option<Option<Command>> {
    Some(Some(match step {
        Step::PauseMs(ms) => Command::Other(format!("sleep {}", f64::from(*ms) / 1000.0)),
        // An interpreter takes a while to start.
        Step::Await(_) => Command::Other("sleep 2".to_owned()),
        Step::Close(_) | Step::Answer(_) => return Some(None),
        Step::Numbered { text, count } => {
            let text = printf(&text.replace('%', "%%").replace("{N}", "%d"))?;
            // printf repeats its format for each argument.
            Command::Other(match text.matches("%d").count() {
                1 => format!("printf '{text}' $(seq {count})"),
                _ => return None,
            })
        }
        Step::Repeat { text, count } if *count > 1 => {
            let line = text.strip_suffix('\n').unwrap_or(text);
            let word = quoted(line);
            let is_simple = !line.contains(|c: char| c.is_control());
            match (is_simple, line.len() == text.len()) {
                (true, true) => {
                    Command::Other(format!("yes -- {word} | head -n {count} | tr -d '\\n'"))
                }
                (true, false) => Command::Other(format!("yes -- {word} | head -n {count}")),
                (false, _) => {
                    let text = escaped(text.as_bytes())?;
                    Command::Other(format!("for i in $(seq {count}); do printf '{text}'; done"))
                }
            }
        }
        step => {
            let (bytes, _) = step.bytes()?;
            Command::Print(escaped(&bytes)?)
        }
    }))
}

fn push(line: &mut String, command: &str) {
    if !line.is_empty() {
        line.push_str("; ");
    }
    line.push_str(command);
}

fn push_print(line: &mut String, text: Option<String>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        let dashes = if text.starts_with('-') { "-- " } else { "" };
        push(line, &format!("printf {dashes}'{text}'"));
    }
}

/// Escapes bytes as a format of `printf` in single quotes. Returns `None` if the result is too long.
fn escaped(bytes: &[u8]) -> Option<String> {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '%' => text.push_str("%%"),
                c if tautline_audit::is_invisible(c) && c != '\n' => {
                    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                        // Writing to a `String` does not fail.
                        let _ = write!(text, "\u{0}{byte:03o}");
                    }
                }
                c => text.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\u{0}{byte:03o}");
        }
        if text.len() > LONGEST {
            return None;
        }
    }
    printf(&text)
}

/// Escapes a format in which each `%` is already `%%`, and the octal digits of a byte follow a NUL.
fn printf(format: &str) -> Option<String> {
    let text = format.replace('\\', "\\\\").replace('\n', "\\n").replace('\'', "'\\''");
    let text = text.replace('\u{0}', "\\");
    (text.len() <= LONGEST).then_some(text)
}

/// Quotes a word for a shell, if necessary.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{escaped, quoted};

    #[cfg(unix)]
    #[test]
    fn a_shell_prints_the_same_bytes() {
        let all: Vec<u8> = (0..=255).collect();
        for bytes in [&b"{\"a\":'%s\\u0041 100%'}\r\n"[..], "é\u{FEFF}🙂\u{200B}7".as_bytes(), &all]
        {
            let script = format!("printf '{}'", escaped(bytes).unwrap());
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(output.stdout, bytes, "{script}");
        }
        assert_eq!(escaped(&[b'a'; 5000]), None);
    }

    #[test]
    fn words_are_quoted_if_they_need_it() {
        for (word, text) in
            [("./server", "./server"), ("a b", "'a b'"), ("it's", r"'it'\''s'"), ("", "''")]
        {
            assert_eq!(quoted(word), text);
        }
    }
}
