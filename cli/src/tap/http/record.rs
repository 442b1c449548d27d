//! The recorder of exchanges: a thread that writes the log into a file.

use std::io;

use tautline_audit::credentials::Credentials;
use tautline_audit::source::http::Part;

use super::log::{Entry, Log, Reader};
use crate::tap::record::Recording;

/// Writes the log to a recording until the proxy stops. If that fails, the proxy continues without a recording.
///
/// # Errors
///
/// Returns the error of the file, after passing it to `complain`.
pub fn record(
    reader: &Reader,
    mut recording: Recording,
    keeps_credentials: bool,
    log: &Log,
    complain: impl Fn(&io::Error),
) -> io::Result<()> {
    let credentials = (!keeps_credentials).then(Credentials::default);
    let result = write(reader, &mut recording, credentials.as_ref())
        .and_then(|()| recording.stopped(log.now()))
        .and_then(|()| recording.flush());
    if let Err(error) = &result {
        complain(error);
        // Writing the rest of the buffer would fail again, or leave a gap in the file.
        drop(recording.into_inner().into_parts());
    }
    result
}

fn write(
    reader: &Reader,
    recording: &mut Recording,
    credentials: Option<&Credentials>,
) -> io::Result<()> {
    while let Some(first) = reader.next() {
        let mut next = Some(first);
        while let Some(entry) = next {
            one(&entry, recording, credentials)?;
            next = reader.try_next();
        }
        recording.flush()?;
    }
    Ok(())
}

fn one(
    entry: &Entry,
    recording: &mut Recording,
    credentials: Option<&Credentials>,
) -> io::Result<()> {
    let Entry { us, exchange, note } = entry;
    let part = match (note.part(), credentials) {
        (Part::Request(head), Some(credentials)) => Part::Request(credentials.request(&head)),
        (Part::Response(head), Some(credentials)) => Part::Response(credentials.response(&head)),
        (Part::Closed { from, trailers }, Some(credentials)) => {
            Part::Closed { from, trailers: credentials.fields(&trailers) }
        }
        (part, _) => part,
    };
    recording.part(*us, *exchange, &part)
}
