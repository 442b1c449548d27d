//! The reports of `tautline audit`, through independent readers.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use xshell::{Shell, cmd};

use crate::tools::Tools;

/// The readers, from PyPI.
const READERS: [&str; 3] = ["jsonschema", "sarif-tools", "junitparser"];

/// Checks that independent readers take the reports of `tautline audit`: SARIF against its schema and by sarif-tools, JUnit
/// by junitparser. Runs the script of the page, too, in Node.js.
pub fn reports(tools: &Tools) -> Result<()> {
    let sh = &tools.sh;
    // As `cargo test` builds it, so that it is there already if that ran before.
    cmd!(sh, "cargo build --quiet --locked --profile test --bins --examples").run()?;
    let tautline = tools.target().join("debug/tautline");
    let scratch = tools.scratch()?;
    page(sh, &tautline, scratch.path())?;
    let recordings = recordings(sh)?;
    for (number, recording) in recordings.iter().enumerate() {
        let [sarif, junit] = ["sarif", "xml"]
            .map(|extension| scratch.path().join(number.to_string()).with_extension(extension));
        let audit =
            cmd!(sh, "{tautline} audit {recording} --output sarif={sarif} --output junit={junit}");
        let output = audit.quiet().ignore_status().output()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        let is_audited = matches!(output.status.code(), Some(0 | 1));
        ensure!(is_audited, "{}: {}\n{errors}", recording.display(), output.status);
    }
    println!("reports: {} recordings", recordings.len());
    let kept = tools.target().join("reports");
    let (python, reports) = (tools.python(&kept, &READERS)?, scratch.path());
    cmd!(sh, "{python} audit/tests/readers.py {reports} {kept}").quiet().run()?;
    Ok(())
}

/// Runs the script of a page. It filters by session only if there are several.
fn page(sh: &Shell, tautline: &Path, scratch: &Path) -> Result<()> {
    let recording = sh.read_binary_file("examples/weather.recording")?;
    let (two, page) = (scratch.join("two.recording"), scratch.join("report.html"));
    fs::write(&two, recording.repeat(2))?;
    let audit = cmd!(sh, "{tautline} audit {two} --format html").quiet().ignore_status();
    let output = audit.output()?;
    ensure!(matches!(output.status.code(), Some(0 | 1)), "{audit}: {}", output.status);
    fs::write(&page, output.stdout)?;
    cmd!(sh, "node audit/tests/page.mjs {page}").quiet().run()?;
    Ok(())
}

/// Returns the recordings of the repository.
fn recordings(sh: &Shell) -> Result<Vec<PathBuf>> {
    let mut folders = sh.read_dir("audit/tests/sources")?;
    folders.extend(["examples", "audit/tests/recordings"].map(PathBuf::from));
    let mut files = Vec::new();
    for folder in folders {
        files.extend(sh.read_dir(folder)?);
    }
    files.retain(|file| is_recording(&file.to_string_lossy()));
    Ok(files)
}

fn is_recording(path: &str) -> bool {
    let is_example = path.contains("/examples/");
    // In these, a test replaces a placeholder.
    let has_placeholder = path.contains("/languageclient11-");
    let is_refused = path.contains("/sources/others/") || path.ends_with(".expected");
    (!is_example || path.ends_with(".recording")) && !has_placeholder && !is_refused
}

#[cfg(test)]
mod tests {
    use xshell::Shell;

    use super::{is_recording, recordings};
    use crate::tools::root;

    #[test]
    fn recordings_are_told_from_other_files() {
        for (path, is_one) in [
            ("/r/examples/weather.recording", true),
            ("/r/examples/weather.py", false),
            ("/r/audit/tests/recordings/any.recording", true),
            ("/r/audit/tests/sources/har/broken.har", true),
            ("/r/audit/tests/sources/har/broken.har.expected", false),
            ("/r/audit/tests/sources/others/broken.zhar", false),
            ("/r/audit/tests/sources/lsp-trace/languageclient11-json.log", false),
        ] {
            assert_eq!(is_recording(path), is_one, "{path}");
        }
    }

    #[test]
    fn there_are_recordings_of_each_kind() {
        let sh = Shell::new().unwrap();
        sh.change_dir(root());
        let recordings = recordings(&sh).unwrap();
        for part in ["/examples/", "/recordings/", "/sources/har/", "/sources/vscode/"] {
            assert!(recordings.iter().any(|path| path.to_string_lossy().contains(part)), "{part}");
        }
    }
}
