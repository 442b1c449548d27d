//! Several recordings, each audited on its own, on several threads.
//!
//! The reports come in the order of the recordings, and do not depend on the number of threads. Threads write into
//! channels, which the main thread empties in this order. A thread waits while its channel is full, and no recording
//! is begun long before its turn, so that memory is bounded.

use std::any::Any;
use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{self, Write};
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;

use tautline_audit::Options;
use tautline_audit::format::{Format, Series, jsonl};

use crate::args::{AuditArgs, AuditFormat};
use crate::audit_text::AuditText;
use crate::audited::recording;
use crate::exit::{CLEAN, FAILED, Stopped};
use crate::input::{complain, name_of};
use crate::output::{Output, Style};
use crate::replacement::Replacement;
use crate::report::{Live, Report, code_of};

/// The number of bytes of a report that are passed on at once.
const PIECE: usize = 1024 * 1024;
/// The number of pieces that wait in a channel.
const PIECES: usize = 4;
/// The number of recordings for each thread that may have begun and wait for their turn.
const AHEAD: usize = 4;

/// A piece of the report on a recording.
enum Piece {
    /// A part of what goes to standard output while the audit runs.
    Live(Vec<u8>),
    /// The parts of the reports that are written at the end, in their order, and the exit code.
    Parts(Vec<Vec<u8>>, u8),
    /// The reason why there is no report, and the parts that say so in the reports that are written at the end.
    Failed(String, Vec<Vec<u8>>),
}

/// A recording to audit, the name that tells it from the others, and where its report goes.
type Job<'a> = (&'a Path, String, SyncSender<Piece>);

/// The settings that all threads share.
struct Work<'a> {
    args: &'a AuditArgs,
    options: &'a Options,
    format: AuditFormat,
    style: Style,
    /// The reports that are written at the end.
    series: &'a [Series],
}

/// Audits these recordings.
pub fn audit(
    args: &AuditArgs,
    paths: &[PathBuf],
    options: &Options,
    mut report: Report<'_>,
) -> Result<u8, Stopped> {
    if report.has_baseline() {
        let why = "a baseline is for one recording; audit each of them on its own";
        return Err(Stopped::said(&why));
    }
    let (format, text) = (report.live.format, &mut report.live.text);
    let on_stdout = match format {
        AuditFormat::Whole(format) => Some(format),
        _ => None,
    };
    let formats = on_stdout.into_iter().chain(args.report.files().map(|output| output.format));
    let series = formats.map(series_of).collect::<Result<Vec<Series>, Stopped>>()?;
    let style = text.style();
    let work = Work { args, options, format, style, series: &series };
    let jobs = args.jobs.or_else(|| thread::available_parallelism().ok());
    let jobs = jobs.map_or(1, NonZero::get).min(paths.len());

    let mut files = Vec::new();
    for output in args.report.files() {
        let cannot_write = |error| Stopped::cannot_write(&output.file, &error);
        let file = Replacement::begin(&output.file).map_err(cannot_write)?;
        files.push((&*output.file, file));
    }
    let mut reports =
        Reports { out: text.out(), is_on_stdout: on_stdout.is_some(), files, count: 0 };
    reports.each(&series, |series| series.head)?;
    let (begin, begun) = mpsc::channel();
    let begun = Mutex::new(begun);
    let code: Result<u8, Stopped> = thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| work.run(&begun));
        }
        // If this returns early, the threads find that their channels are closed.
        let mut paths = paths.iter().zip(labels(paths));
        let (mut waiting, begin) = (VecDeque::new(), begin);
        let mut code = CLEAN;
        loop {
            while waiting.len() < jobs.saturating_mul(AHEAD)
                && let Some((path, label)) = paths.next()
            {
                let (pieces, report) = mpsc::sync_channel(PIECES);
                waiting.push_back(report);
                // A thread ends early only if this one does.
                let _ = begin.send((path.as_path(), label, pieces));
            }
            let Some(report) = waiting.pop_front() else { break Ok(code) };
            code = code.max(reports.write(&report, &series)?);
        }
    });
    let code = code?;
    reports.each(&series, |series| series.tail)?;
    reports.finish()?;
    Ok(code)
}

/// Returns a name for each of these recordings. One that is given again is numbered.
fn labels(paths: &[PathBuf]) -> Vec<String> {
    let names = paths.iter().map(|path| name_of(path));
    let mut taken: HashSet<String> = names.clone().collect();
    // The number that each name gets next.
    let mut next = HashMap::new();
    let labels = names.map(|name| {
        let Some(number) = next.get_mut(&name) else {
            next.insert(name.clone(), 2_usize);
            return name;
        };
        loop {
            let label = format!("{name} ({number})");
            *number += 1;
            if taken.insert(label.clone()) {
                return label;
            }
        }
    });
    labels.collect()
}

fn series_of(format: Format) -> Result<Series, Stopped> {
    let why = "an HTML page shows one recording; audit each of them on its own";
    format.series().ok_or_else(|| Stopped::said(&why))
}

/// The outputs of the main thread.
struct Reports<'a> {
    out: &'a mut Output,
    /// True if the first report that is written at the end goes to standard output.
    is_on_stdout: bool,
    /// The files of the others.
    files: Vec<(&'a Path, Replacement)>,
    /// The number of parts that were written to each.
    count: usize,
}

impl Reports<'_> {
    /// Writes the report on one recording, as it comes. Returns its exit code.
    fn write(&mut self, report: &Receiver<Piece>, series: &[Series]) -> Result<u8, Stopped> {
        for piece in report {
            match piece {
                Piece::Live(bytes) => self.out.write_all(&bytes)?,
                Piece::Parts(parts, code) => {
                    self.part(&parts, series)?;
                    return Ok(code);
                }
                Piece::Failed(why, parts) => {
                    self.part(&parts, series)?;
                    self.out.flush()?;
                    complain(why);
                    return Ok(FAILED);
                }
            }
        }
        // Its thread has panicked.
        Ok(FAILED)
    }

    /// Writes the parts on one recording in the reports that are written at the end.
    fn part(&mut self, parts: &[Vec<u8>], series: &[Series]) -> Result<(), Stopped> {
        if self.count > 0 {
            self.each(series, |series| series.separator)?;
        }
        self.count += 1;
        self.each(parts, |part| part)
    }

    /// Writes to each of the reports that are written at the end.
    fn each<'t, T, B: AsRef<[u8]> + ?Sized + 't>(
        &mut self,
        items: &'t [T],
        bytes: impl Fn(&'t T) -> &'t B,
    ) -> Result<(), Stopped> {
        let mut items = items.iter();
        if self.is_on_stdout
            && let Some(item) = items.next()
        {
            self.out.write_all(bytes(item).as_ref())?;
        }
        for ((path, file), item) in self.files.iter_mut().zip(items) {
            let written = file.write_all(bytes(item).as_ref());
            written.map_err(|error| Stopped::cannot_write(path, &error))?;
        }
        Ok(())
    }

    fn finish(self) -> Result<(), Stopped> {
        self.out.flush()?;
        for (path, file) in self.files {
            file.finish().map_err(|error| Stopped::cannot_write(path, &error))?;
        }
        Ok(())
    }
}

impl Work<'_> {
    /// Audits one recording after the other, until there are no more.
    fn run(&self, jobs: &Mutex<Receiver<Job<'_>>>) {
        let next = || jobs.lock().ok()?.recv().ok();
        while let Some((path, label, report)) = next() {
            // After a panic, the reports say that this one is missing, and the thread audits the others.
            let one = || self.one(path, &label, &report);
            let last = match catch_unwind(AssertUnwindSafe(one)).unwrap_or_else(panicked) {
                Ok(last) => last,
                Err(Stopped::Said(why)) => {
                    let names = (&*name_of(path), &*label);
                    let parts = self.parts(|series, part| series.write_failure(names, &why, part));
                    // Writing to memory does not fail.
                    Piece::Failed(why, parts.unwrap_or_default())
                }
                // The main thread has ended early.
                Err(_) => return,
            };
            if report.send(last).is_err() {
                return;
            }
        }
    }

    fn one(&self, path: &Path, label: &str, report: &SyncSender<Piece>) -> Result<Piece, Stopped> {
        let pieces = Pieces { report: report.clone(), bytes: Vec::new() };
        let out = Output::new(Box::new(pieces), false);
        let mut live = Live::one_of_many(self.format, AuditText::new(out, self.style));
        let name = name_of(path);
        match self.format {
            AuditFormat::Text => writeln!(live.text.out(), "{name}:\n")?,
            AuditFormat::Jsonl => {
                jsonl::write(live.text.out(), &jsonl::SourceLine { source: &name })?;
            }
            AuditFormat::Whole(_) => {}
        }
        let document = recording(self.args, path, self.options.clone(), &mut live)?;
        live.end(&document, None)?;
        if self.format.is_text() {
            writeln!(live.text.out())?;
        }
        live.text.out().flush()?;
        let parts = self.parts(|series, part| series.write_part(&document, label, part))?;
        Ok(Piece::Parts(parts, code_of(&document)))
    }

    /// Writes a part of each report that is written at the end.
    fn parts(
        &self,
        write: impl Fn(&Series, &mut Vec<u8>) -> io::Result<()>,
    ) -> io::Result<Vec<Vec<u8>>> {
        let parts = self.series.iter().map(|series| {
            let mut part = Vec::new();
            write(series, &mut part)?;
            Ok(part)
        });
        parts.collect()
    }
}

fn panicked<T>(_: Box<dyn Any + Send>) -> Result<T, Stopped> {
    Err(Stopped::said(&"an internal error has stopped this audit; please report it"))
}

/// The live report on a recording. The last bytes are passed on when it is dropped.
struct Pieces {
    report: SyncSender<Piece>,
    bytes: Vec<u8>,
}

impl Pieces {
    fn pass_on(&mut self) -> io::Result<()> {
        let bytes = std::mem::take(&mut self.bytes);
        self.report.send(Piece::Live(bytes)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= PIECE {
            self.pass_on()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        if !self.bytes.is_empty() {
            // It fails if the main thread has ended early, and then the bytes are not needed.
            let _ = self.pass_on();
        }
    }
}
