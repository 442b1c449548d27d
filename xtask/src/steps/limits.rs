//! The limits on what the command line uses: memory, and instructions for the progress bar.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::{self, ScopedJoinHandle};

use anyhow::{Context as _, Result, anyhow, ensure};
use xshell::cmd;

use crate::callgrind;
use crate::tools::Tools;

const MIB: u64 = 1 << 20;

const GIB: u64 = 1 << 30;

const LINE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":"c-1","method":"tools/call","#,
    r#""params":{"name":"echo","arguments":{"text":"hi"}}}"#,
    "\n"
);

/// Checks that `tautline check` runs in 64 MiB, whatever its input, and `tautline audit` in 256 MiB. The limits are on address
/// space, which exceeds the memory in use, so they are the stricter ones.
pub fn memory(tools: &Tools) -> Result<()> {
    // Messages take most of the time, and a leak in each of them would show.
    bounded(tools, 256 * MIB)
}

/// The same with a log of 1 GiB.
pub fn memory_long(tools: &Tools) -> Result<()> {
    bounded(tools, GIB)
}

/// Checks that the progress bar of `tautline check` is nearly free: with stderr on a pseudo-terminal, a log of 70 MiB takes
/// at most 1.1 times as many instructions as without one, and the bar writes little to it.
pub fn progress(tools: &Tools) -> Result<()> {
    let tautline = command_line(tools)?;
    let scratch = tools.scratch()?;
    let [log, out, report, errors, nothing, terminal] =
        ["log.ndjson", "out", "report", "errors", "nothing", "terminal"]
            .map(|name| scratch.path().join(name));
    // Lines that are cheap to check, so that the cost of the bar shows.
    let line = LINE.replace("hi", &"0".repeat(65536));
    send(repeated(&line, 70 * MIB / line.len() as u64), File::create(&log)?)?;

    let count = |redirected: &str, typescript: &Path| -> Result<u64> {
        let [tautline, log, out, report] =
            [&tautline, &log, &out, &report].map(|path| path.display());
        let command = format!(
            "valgrind --quiet --tool=callgrind --callgrind-out-file={out} {tautline} check {log} >{report} {redirected}"
        );
        let script = cmd!(tools.sh, "script --quiet --return --command {command} {typescript}");
        let output = script.quiet().ignore_status().output()?;
        ensure!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stdout));
        callgrind::total(Path::new(&out.to_string()))
    };
    let without = count(&format!("2>{}", errors.display()), &nothing)?;
    let with = count("", &terminal)?;
    let written = fs::metadata(&terminal)?.len();
    println!(
        "70 MiB in {without} instructions, and in {with} with a progress bar, which wrote {written} bytes"
    );
    ensure!(written > 300, "there was no progress bar");
    ensure!(written < 100_000, "the progress bar writes too much");
    ensure!(with * 100 <= without * 110, "the progress bar takes too much");
    Ok(())
}

fn bounded(tools: &Tools, log: u64) -> Result<()> {
    let tautline = &command_line(tools)?;
    let name = format!("{} MiB of messages", log / MIB);
    check(tautline, &name, 0, repeated(LINE, log / LINE.len() as u64))?;
    check(tautline, "1 GiB without a newline", 1, repeated("x", GIB))?;
    // One message with as many members as fit: each is a finding, but not each is kept.
    let members = iter::repeat_n(r#","":0"#, 3_000_000);
    let message = iter::once(r#"{"jsonrpc":"2.0","method":"a""#).chain(members).chain(["}\n"]);
    check(tautline, "3 million unknown members", 0, message)?;

    let scratch = tools.scratch()?;
    let [client, server] = ["client", "server"].map(|name| scratch.path().join(name));
    cmd!(tools.sh, "mkfifo {client} {server}").quiet().run()?;
    let audit = Audit { tautline, client: &client, server: &server };
    // Requests that nothing answers, and responses to no request: everything that waits is remembered.
    let (client, server) = (requests(600_000), responses(600_000));
    audit.check("60 MB of requests, 30 MB of responses", 1_200_000, client, server)?;
    let (client, server) = (repeated("x", GIB), repeated("{", GIB));
    audit.check("1 GiB without a newline on both sides", 0, client, server)
}

/// Builds the command line, and returns its path.
fn command_line(tools: &Tools) -> Result<PathBuf> {
    cmd!(tools.sh, "cargo build --quiet --locked --release --package tautline-cli").run()?;
    Ok(tools.target().join("release/tautline"))
}

/// Runs `tautline check` on an input in 64 MiB, and checks its exit code and that it has read the whole input.
fn check(
    tautline: &Path,
    name: &str,
    code: i32,
    input: impl Iterator<Item = impl AsRef<[u8]>> + Send,
) -> Result<()> {
    let mut limited = limited(64 * MIB, r#"exec "$1" check"#, &[tautline]);
    let mut child = limited.stdin(Stdio::piped()).spawn()?;
    let stdin = child.stdin.take().context("no stdin")?;
    thread::scope(|scope| {
        let sent = scope.spawn(|| send(input, stdin));
        let output = child.wait_with_output()?;
        expect(name, &output, code, joined(sent)?)
    })
}

/// Runs of `tautline audit`.
struct Audit<'a> {
    tautline: &'a Path,
    /// Named pipes.
    client: &'a Path,
    server: &'a Path,
}

impl Audit<'_> {
    /// Audits two sides in 256 MiB, and checks that errors are found and that everything was read. The report counts the bytes
    /// of this many lines without their ends.
    fn check<C: AsRef<[u8]>, S: AsRef<[u8]>>(
        &self,
        name: &str,
        lines: u64,
        client: impl Iterator<Item = C> + Send,
        server: impl Iterator<Item = S> + Send,
    ) -> Result<()> {
        // The shell opens the pipes, so that no sender waits for a reader if the program ends early.
        let script =
            r#"exec 3<"$2" 4<"$3" && exec "$1" audit --client /dev/fd/3 --server /dev/fd/4"#;
        let files = [self.tautline, self.client, self.server];
        let child = limited(256 * MIB, script, &files).spawn()?;
        thread::scope(|scope| {
            let client =
                scope.spawn(|| send(client, File::options().write(true).open(self.client)?));
            let server =
                scope.spawn(|| send(server, File::options().write(true).open(self.server)?));
            let output = child.wait_with_output()?;
            expect(name, &output, 1, joined(client)? + joined(server)? - lines)
        })
    }
}

/// Returns a command of the shell with so many bytes of address space. Its arguments are files.
fn limited(bytes: u64, script: &str, files: &[&Path]) -> Command {
    let mut command = Command::new("sh");
    let script = format!("ulimit -v {} && {script}", bytes / 1024);
    command.args(["-c", &script, "sh"]).args(files).stdout(Stdio::piped());
    command
}

fn expect(name: &str, output: &Output, code: i32, bytes: u64) -> Result<()> {
    let report = String::from_utf8_lossy(&output.stdout);
    let last = report.lines().last().unwrap_or_default();
    println!("{name}: {}; {last}", output.status);
    ensure!(output.status.code() == Some(code), "{name}: expected the exit code {code}");
    ensure!(last.starts_with(&format!("{bytes} bytes in")), "{name}: expected {bytes} bytes");
    Ok(())
}

/// Writes an input, and returns its length.
fn send<T: AsRef<[u8]>>(input: impl Iterator<Item = T>, output: impl Write) -> Result<u64> {
    let mut output = BufWriter::with_capacity(1 << 16, output);
    let mut sent = 0;
    for piece in input {
        output.write_all(piece.as_ref()).context("the reader has ended early")?;
        sent += piece.as_ref().len() as u64;
    }
    output.flush()?;
    Ok(sent)
}

fn joined(handle: ScopedJoinHandle<'_, Result<u64>>) -> Result<u64> {
    handle.join().map_err(|_| anyhow!("the sender has panicked"))?
}

/// Returns a piece so many times, many at once.
fn repeated(piece: &str, times: u64) -> impl Iterator<Item = String> + use<> {
    let at_once = (1 << 16) / piece.len() as u64 + 1;
    let [many, rest] = [at_once, times % at_once].map(|times| piece.repeat(times as usize));
    (0..times / at_once).map(move |_| many.clone()).chain([rest])
}

fn requests(count: u32) -> impl Iterator<Item = String> {
    (0..count).map(|number| {
        format!(
            r#"{{"jsonrpc":"2.0","id":"{number:040}","method":"tools/call","params":{{"name":"echo{number}"}}}}{end}"#,
            end = '\n'
        )
    })
}

fn responses(count: u32) -> impl Iterator<Item = String> {
    (0..count).map(|number| {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{number},\"result\":{{\"content\":[]}}}}\n")
    })
}

#[cfg(test)]
mod tests {
    use super::{LINE, repeated, requests, responses, send};

    #[test]
    fn a_piece_is_repeated_as_often_as_asked() {
        for times in [0, 1, 65_535, 65_536, 65_537, 200_000] {
            assert_eq!(send(repeated("x", times), std::io::sink()).unwrap(), times);
        }
        let mut log = Vec::new();
        assert_eq!(send(repeated(LINE, 1000), &mut log).unwrap(), log.len() as u64);
        assert_eq!(log, LINE.repeat(1000).into_bytes());
    }

    #[test]
    fn the_sides_are_lines() {
        let wire: String = requests(2).chain(responses(1)).collect();
        let lines: Vec<serde_json::Value> =
            wire.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[1]["id"].as_str().unwrap().len(), 40);
        assert_eq!(lines[1]["params"]["name"], "echo1");
        assert_eq!(lines[2]["id"], 0);
    }
}
