//! The functions that the worker calls, and those that it provides. Only one thread enters the module at a time.
//!
//! Input goes through [`room`], and all output goes through `write`.

#![allow(unsafe_code)]

use std::io::{self, BufWriter, Read, Write};
use std::panic;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tautline_audit::format::Format;

use crate::choices::Choices;
use crate::request::{Answer, Request};
use crate::rules;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Copies bytes of a file to an address. Returns the number of bytes, or -1 if the file can't be read.
    fn read(file: usize, offset: f64, at: *mut u8, len: usize) -> isize;

    /// Receives output.
    fn write(at: *const u8, len: usize);

    /// Receives the message of a panic. The module can't be used after that.
    fn fail(at: *const u8, len: usize);
}

/// The text that the worker has written.
static ROOM: Mutex<Vec<u8>> = Mutex::new(Vec::new());
/// The result of the last audit.
static ANSWER: Mutex<Option<Answer>> = Mutex::new(None);

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the address of a buffer for a text of this length.
#[unsafe(no_mangle)]
extern "C" fn room(len: usize) -> *mut u8 {
    let mut room = lock(&ROOM);
    room.clear();
    room.resize(len, 0);
    room.as_mut_ptr()
}

/// Writes the choices.
#[unsafe(no_mangle)]
extern "C" fn choices() {
    panic::set_hook(Box::new(|info| {
        let message = info.to_string();
        // SAFETY: the bytes are valid during the call, which only reads them.
        unsafe { fail(message.as_ptr(), message.len()) };
    }));
    write_json(&Choices::all());
}

/// Writes the rules.
#[unsafe(no_mangle)]
extern "C" fn rules() {
    write_json(&rules::all());
}

/// Runs the audit that the text in the buffer requests. Returns 1 and writes a summary, or returns 0 and writes what is
/// wrong.
#[unsafe(no_mangle)]
extern "C" fn audit() -> u32 {
    let request = serde_json::from_slice(&lock(&ROOM)).map_err(|error| error.to_string());
    let answer = request.and_then(|request: Request| request.run(|file| File { file, offset: 0 }));
    match answer {
        Ok(answer) => {
            write_json(&answer.summary());
            *lock(&ANSWER) = Some(answer);
            1
        }
        Err(why) => {
            // Writing to the worker does not fail.
            let _ = Out.write_all(why.as_bytes());
            0
        }
    }
}

/// Writes a report on the last audit in the format with this index. Returns 1, or 0 on failure.
#[unsafe(no_mangle)]
extern "C" fn report(format: usize) -> u32 {
    let answer = lock(&ANSWER);
    let (Some(answer), Some(format)) = (&*answer, Format::ALL.get(format)) else { return 0 };
    let mut out = BufWriter::with_capacity(1024 * 1024, Out);
    u32::from(format.write(&answer.document, &mut out).and_then(|()| out.flush()).is_ok())
}

fn write_json(value: &impl Serialize) {
    // Writing to the worker does not fail, and all maps in the values have strings as keys.
    let _ = serde_json::to_writer(BufWriter::new(Out), value);
}

/// The output, which goes to the worker.
struct Out;

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // SAFETY: the bytes are valid during the call, which only reads them.
        unsafe { write(bytes.as_ptr(), bytes.len()) };
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file of the worker, identified by its index.
struct File {
    file: usize,
    offset: u64,
}

impl Read for File {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        // Files of browsers are shorter than 2^53 bytes, so the number is exact.
        let offset = self.offset as f64;
        // SAFETY: the call writes only to the buffer, and at most as many bytes as it has.
        let len = unsafe { read(self.file, offset, room.as_mut_ptr(), room.len()) };
        let len = usize::try_from(len).map_err(|_| {
            io::Error::other(
                "the browser can't read the file; was it changed or moved since it was chosen?",
            )
        })?;
        self.offset += len as u64;
        Ok(len)
    }
}
