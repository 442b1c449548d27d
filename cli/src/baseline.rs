//! The files of baselines, which list what is accepted.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf, is_separator};

use tautline_audit::Baseline;

use crate::exit::Stopped;
use crate::input::{reason, shown};
use crate::replacement::Replacement;

/// Reads a baseline.
pub fn read(path: &Path) -> Result<Baseline, Stopped> {
    let fail = |why: &dyn ToString| {
        Stopped::Said(format!("the baseline {}: {}", shown(path), why.to_string()))
    };
    let text = std::fs::read_to_string(path).map_err(|error| fail(&reason(&error)))?;
    Baseline::parse(&text).map_err(|error| fail(&error))
}

/// Writes a baseline.
pub fn write(path: &Path, baseline: &Baseline) -> Result<(), Stopped> {
    let written = Replacement::begin(path).and_then(|mut file| {
        file.write_all(baseline.to_text().as_bytes())?;
        file.finish()
    });
    written.map_err(|error| Stopped::cannot_write(path, &error))
}

/// Checks that no report and no new baseline would overwrite an input, a report or the baseline in use, and that they
/// can be written.
///
/// # Errors
///
/// Returns the reason if there is a file that can't be written, or that has two purposes.
pub fn check_outputs<'a>(
    inputs: impl Iterator<Item = &'a Path>,
    reports: impl Iterator<Item = &'a Path>,
    baseline: Option<&'a Path>,
    new_baseline: Option<&'a Path>,
) -> Result<(), Stopped> {
    let mut taken: Vec<PathBuf> = Vec::new();
    let mut files: Vec<Identity> = Vec::new();
    for path in inputs {
        taken.extend(path.canonicalize());
        files.extend(identity(path));
    }
    let baseline = baseline.and_then(|path| Some((path.canonicalize().ok()?, identity(path))));
    let reports = reports.map(|path| (path, baseline.as_ref()));
    // A new baseline may overwrite the old one.
    for (path, baseline) in reports.chain(new_baseline.map(|path| (path, None))) {
        if path
            .as_os_str()
            .as_encoded_bytes()
            .last()
            .is_some_and(|last| is_separator((*last).into()))
        {
            return Err(Stopped::Said(format!("cannot write {}: it names a folder", shown(path))));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| Path::new(".")).canonicalize();
        let folder = folder.map_err(|error| Stopped::cannot_write(path, &error))?;
        let place = folder.join(path.file_name().unwrap_or_default());
        let place = place.canonicalize().unwrap_or(place);
        let file = identity(&place);
        let is_taken = file.is_some_and(|file| files.contains(&file));
        let is_baseline =
            baseline.is_some_and(|(own, id)| *own == place || file.is_some() && *id == file);
        if is_taken || is_baseline || taken.contains(&place) {
            let name = shown(path);
            let why = format!("{name} is an input or another report; choose another file");
            return Err(Stopped::Said(why));
        }
        // Opening a pipe would wait for its reader.
        if place.is_file() {
            let opened = OpenOptions::new().append(true).open(&place);
            opened.map_err(|error| Stopped::cannot_write(path, &error))?;
        }
        taken.push(place);
        files.extend(file);
    }
    Ok(())
}

/// What tells a file from others: its device and its number there. Hard links have several paths.
type Identity = (u64, u64);

/// Returns what tells a regular file from others. `-` is standard input.
#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;

    use crate::input::is_stdin;

    let path = if is_stdin(path) { Path::new("/dev/stdin") } else { path };
    let file = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    Some((file.dev(), file.ino()))
}

/// Only the paths tell files apart.
#[cfg(not(unix))]
const fn identity(_: &Path) -> Option<Identity> {
    None
}
