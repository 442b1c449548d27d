//! Counts the valid lines that the fast path leaves to the plain scanner or to the validator.

use std::path::{Path, PathBuf};
use std::{fs, io};

use counted::corpora::{self, Scale};
use tautline::frame::{DEFAULT_LIMIT, Frame};
use tautline::stream::{Messages, Received};
use tautline::twins::{DecidedBy, decided_by};
use tautline::{Message, Profile};
use tautline_audit::source::{SourceKind, read_start};
use tautline_audit::{Audit, Audited, Options, Sink};

/// The folders with recordings.
const FOLDERS: [&str; 3] = ["examples", "audit/tests/recordings", "audit/tests/sources"];

const PROFILE: Profile = Profile::JSON_RPC;

/// The valid lines of an input, by the part of the crate that decides about them.
#[derive(Default)]
struct Counts {
    healthy: u64,
    plain_scanner: u64,
    /// The lines with a raw CR, which are meant for the plain scanner.
    with_return: u64,
    validator: u64,
}

impl Counts {
    /// Counts a line, without its end. It must be accepted at the end of a read and before other lines, and with a CR: the
    /// scanner looks for the end of each in another way.
    fn add(&mut self, line: &[u8]) {
        self.healthy += 1;
        let followed = [b"\n", line, b"\n"].concat();
        let with_cr = [b"\r\n", line].concat();
        let ends: [(&str, &[u8]); 3] =
            [("alone", b"\n"), ("before others", &followed), ("with a CR", &with_cr)];
        let left = ends
            .map(|(how, end)| (how, decided_by(&[line, end].concat(), &PROFILE)))
            .into_iter()
            .find(|(_, decided_by)| *decided_by != DecidedBy::FastPath);
        let Some((how, decided_by)) = left else { return };
        match decided_by {
            DecidedBy::Validator => self.validator += 1,
            _ if line.contains(&b'\r') => self.with_return += 1,
            _ => self.plain_scanner += 1,
        }
        let shown = line[..line.len().min(160)].escape_ascii();
        println!("    {decided_by:?}, {how}, {} bytes: {shown}", line.len());
    }

    fn print(&self, name: &str) {
        let Self { healthy, plain_scanner, with_return, validator } = self;
        println!("{name}: {healthy} healthy lines");
        println!("    left to the plain scanner: {plain_scanner}, and {with_return} with a raw CR");
        println!("    left to the validator: {validator}");
    }
}

fn main() {
    for corpus in corpora::corpora(Scale::Full) {
        let counts = of_wire(&corpus.wire);
        counts.print(&corpus.name);
        assert_eq!(counts.healthy, corpus.counts.accepted(), "{}", corpus.name);
        let left = counts.plain_scanner + counts.validator;
        assert!(left * 2000 < counts.healthy, "{}: 0.05 percent or more are left", corpus.name);
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    FOLDERS.iter().for_each(|folder| list(&root.join(folder), &mut files));
    files.sort();
    let mut all = Counts::default();
    for file in files {
        let bytes = fs::read(&file).expect("the file was listed");
        let counts = match recorded(&bytes) {
            Some(frames) => of_frames(&frames),
            None if file.extension().is_some_and(|name| name == "ndjson") => of_wire(&bytes),
            None => continue,
        };
        counts.print(&file.strip_prefix(&root).unwrap_or(&file).to_string_lossy());
        all.healthy += counts.healthy;
        all.plain_scanner += counts.plain_scanner;
        all.with_return += counts.with_return;
        all.validator += counts.validator;
    }
    all.print("all recordings");
    assert!(all.healthy > 300, "the recordings were not found");
    assert_eq!(all.plain_scanner, 0, "of the recordings");
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is in the repository") {
        let path = entry.expect("an entry of a folder").path();
        if !path.is_dir() {
            files.push(path);
        } else if !path.ends_with("target") {
            list(&path, files);
        }
    }
}

fn of_wire(wire: &[u8]) -> Counts {
    let mut counts = Counts::default();
    for received in Messages::new(wire, DEFAULT_LIMIT, &PROFILE) {
        if let Received::Message { frame, .. } = received {
            counts.add(frame.bytes());
        }
    }
    counts
}

/// Counts frames as lines. Frames with line breaks can't be lines.
fn of_frames(frames: &Frames) -> Counts {
    let mut counts = Counts::default();
    for frame in &frames.0 {
        if !frame.contains(&b'\n') && Message::parse(Frame::from_line(frame), &PROFILE).is_ok() {
            counts.add(frame);
        }
    }
    counts
}

/// The frames of a recording.
struct Frames(Vec<Vec<u8>>);

impl Sink for Frames {
    fn frame(&mut self, frame: &Audited<'_>) -> io::Result<()> {
        self.0.extend(frame.bytes.map(<[u8]>::to_vec));
        Ok(())
    }
}

/// Returns the frames of a recording, if it is one. It may end with an error.
fn recorded(mut file: &[u8]) -> Option<Frames> {
    let start = read_start(&mut { file }).ok()?;
    let kind = SourceKind::detect(&start).ok()?;
    let mut options = Options::default();
    kind.prepare(&mut options);
    let mut audit = Audit::new(options);
    let mut frames = Frames(Vec::new());
    let limit = audit.limit();
    let _ = kind.read(&mut file, limit, &mut |event, place| audit.event(event, place, &mut frames));
    audit.finish(Vec::new(), &mut frames).ok()?;
    Some(frames)
}
