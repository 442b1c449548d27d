//! Any recording is either read to its end or refused, and yields the same events each time.

use std::io;

use tautline_audit::source::{Event, Place, SourceError, SourceKind};
use tautline_audit::{Audit, Document, Options};

/// The maximum length of a frame, small enough that longer frames occur.
const LIMIT: u32 = 2048;

/// Checks one input. Its first byte selects the format in which the rest is read.
pub fn check(input: &[u8]) {
    let Some((&first, file)) = input.split_first() else { return };
    let kinds = SourceKind::ALL;
    let kind = match kinds.get(usize::from(first) % (kinds.len() + 1)) {
        Some(&kind) => kind,
        None => match SourceKind::detect(file) {
            Ok(kind) => kind,
            Err(why) => return assert!(!why.is_empty()),
        },
    };
    let lines = 1 + file.iter().filter(|&&byte| byte == b'\n').count() as u64;
    let (first, second) = (events(kind, file, lines), events(kind, file, lines));
    assert_eq!(first, second);
    audited(kind, file, LIMIT).1.expect("no sink has failed");
}

/// Returns the events as text, and the error that ended them, if any.
fn events(kind: SourceKind, mut file: &[u8], lines: u64) -> (Vec<String>, Option<String>) {
    let mut events = Vec::new();
    let result = kind.read(&mut file, LIMIT, &mut |event, place: Place| {
        if let Event::Frame { piece, .. } = &event {
            assert!(piece.bytes().len() <= LIMIT as usize);
        }
        let line = place.line.expect("files have lines");
        assert!((1..=lines).contains(&line), "line {line} of {lines}");
        events.push(format!("{line} {:?} {event:?}", place.time));
        Ok(())
    });
    (events, result.err().map(|error| error.to_string()))
}

/// Audits a file. After an error, the document covers everything before it.
pub fn audited(
    kind: SourceKind,
    mut file: &[u8],
    limit: u32,
) -> (Result<(), SourceError>, io::Result<Document>) {
    let mut options = Options::default();
    options.max_frame = limit;
    options.frames = 1000;
    kind.prepare(&mut options);
    let mut audit = Audit::new(options);
    let result =
        kind.read(&mut file, limit, &mut |event, place| audit.event(event, place, &mut ()));
    (result, audit.finish(Vec::new(), &mut ()))
}
