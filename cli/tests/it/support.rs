//! Runs the tool, and many tasks at once that spend most of their time waiting.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::thread;

/// The number of calls at the same time, for each processor.
const AT_ONCE: usize = 12;

/// Calls a function for each item, many at the same time, and returns the results in any order.
pub fn at_once<T: Send, R: Send>(
    items: impl IntoIterator<Item = T, IntoIter: Send>,
    call: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let (queue, results) = (Mutex::new(items.into_iter()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE * processors {
            scope.spawn(|| {
                while let Some(item) = next(&queue) {
                    let result = call(item);
                    results.lock().unwrap().push(result);
                }
            });
        }
    });
    results.into_inner().unwrap()
}

fn next<T>(queue: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    queue.lock().unwrap().next()
}

/// The root of the repository, where the tool is run and the shipped log is located.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Returns a command that runs the tool in the root of the repository.
pub fn tautline(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tautline"));
    command.current_dir(root()).args(args).env_remove("CLICOLOR_FORCE");
    command
}

/// Runs `tautline check` on this input, through a pipe.
pub fn check(args: &[&str], input: &[u8]) -> Output {
    let mut command = tautline(&["check"]);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    output
}

/// Returns what the tool has written.
pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}
