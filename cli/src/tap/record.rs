//! The recorder: a thread that writes the log into a file.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::Path;
use std::thread;
use std::time::Duration;

use tautline::frame::FramingKind;
use tautline_audit::redaction::Redaction;
use tautline_audit::source::{Header, RecordingWriter};

use super::batch::{Batch, Note};
use super::log::{Log, Reader};
use crate::process::Exit;

/// The recording that is written to a file.
pub type Recording = RecordingWriter<BufWriter<File>>;

/// The pause between two reads of the log. Reading each message at once would slow down the traffic.
const PAUSE: Duration = Duration::from_millis(5);
/// The size of a batch, in bytes, from which there is no pause.
const LARGE: usize = 256 * 1024;

/// Returns the header of a session that starts now.
pub fn header(framing: FramingKind, command: &[OsString]) -> Header {
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
    // Exceeding a limit on the size of files must be an error to report, not the end of this process.
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

/// Writes the log to a recording until the session ends. If that fails, the session continues without a recording.
///
/// # Errors
///
/// Returns the error of the file, after passing it to `complain`.
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
            // Writing the rest of the buffer would fail again, or leave a gap in the file.
            drop(recording.into_inner().into_parts());
            return Err(error);
        }
        if batch.size() < LARGE {
            thread::sleep(PAUSE);
        }
    }
    Ok(())
}

/// Removes the recorder from the log when it is dropped, even by a panic, so that traffic does not wait for it.
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
            // The recorder never skips anything.
            Note::Skipped(..) => {}
        }
    }
    recording.flush()
}
