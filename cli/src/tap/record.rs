//! The recorder: a thread that writes the log into a file.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::Path;
use std::thread;
use std::time::Duration;

use tautline_audit::redaction::Redaction;
use tautline_audit::source::{Header, RecordingWriter};
use tautline_audit::wire::Framing;

use super::batch::{Batch, Note};
use super::log::{Log, Reader};
use crate::process::Exit;

/// A file that is being recorded into.
pub type Recording = RecordingWriter<BufWriter<File>>;

/// The time between two looks at the log. A look for each message would slow down the traffic.
const PAUSE: Duration = Duration::from_millis(5);
/// A batch of this size leaves no time for a pause.
const LARGE: usize = 256 * 1024;

/// Returns the header of a session that starts now.
pub fn header(framing: Framing, command: &[OsString]) -> Header {
    let mut header = Header::new(framing);
    header.started = Some(jiff::Timestamp::now().to_string());
    header.command = command.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    header
}

/// Opens a recording. Its file is overwritten, and only its owner can read it if it is new.
///
/// # Errors
///
/// Fails if the file can't be written.
pub fn open(
    path: &Path,
    header: Header,
    redaction: Option<Redaction>,
    limit: u32,
) -> io::Result<Recording> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // A limit on the size of files is an error to report, and not the end of the session.
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default())?;
    let file = BufWriter::with_capacity(LARGE, options.open(path)?);
    let mut recording = match redaction {
        Some(redaction) => Recording::redacted(file, header, redaction, limit)?,
        None => Recording::new(file, header)?,
    };
    recording.flush()?;
    Ok(recording)
}

/// Writes the log into a recording until the session ends. If that fails, the session goes on without.
///
/// # Errors
///
/// Returns the error of the file. `complain` has heard of it at once.
pub fn record(
    log: &Log,
    mut recording: Recording,
    complain: impl Fn(&io::Error),
) -> io::Result<()> {
    let _seat = Seat(log);
    let mut batch = Batch::default();
    while log.take(Reader::Recorder, &mut batch) {
        if let Err(error) = write(&mut recording, &batch) {
            log.leave(Reader::Recorder);
            complain(&error);
            // The rest of the buffer would fail again, or come after a hole.
            drop(recording.into_inner().into_parts());
            return Err(error);
        }
        if batch.size() < LARGE {
            thread::sleep(PAUSE);
        }
    }
    Ok(())
}

/// The place of the recorder at the log. Nobody waits for a recorder that has left, even by a panic.
struct Seat<'a>(&'a Log);

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.0.leave(Reader::Recorder);
    }
}

fn write(recording: &mut Recording, batch: &Batch) -> io::Result<()> {
    for (us, note, bytes) in batch.iter() {
        match note {
            Note::Bytes(stream, _) => recording.bytes(us, stream, bytes)?,
            Note::Closed(side) => recording.closed(us, side)?,
            Note::Exit(Exit::Code(code)) => recording.exit(us, code)?,
            Note::Exit(Exit::Signal(number)) => recording.signal(us, number)?,
            // Nothing is skipped here.
            Note::Skipped(..) => {}
        }
    }
    recording.flush()
}
