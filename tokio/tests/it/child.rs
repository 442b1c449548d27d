//! Child processes: calls, the order of shutdown, and no zombies.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tautline_mcp::Revision;
use tautline_tokio::{CallError, ChildProcess, Closed, Ending, Handlers, Options};
use tokio::io::AsyncReadExt;
use tokio::process::Command;

use crate::support::{until, within};

/// The time for each step of a shutdown, if the process reacts to the step, and if it does not.
const LONG: Duration = Duration::from_secs(10);
const SHORT: Duration = Duration::from_millis(500);

/// Starts a shell script.
fn start(script: &str, grace: Duration) -> ChildProcess {
    let options = Options::mcp(Revision::V2025_11_25).with_shutdown_timeout(grace);
    let mut command = Command::new("sh");
    command.args(["-c", script]).stderr(Stdio::piped());
    options.spawn(&mut command, Handlers::new(())).unwrap()
}

const ANSWER: &str = r#"read line; echo '{"jsonrpc":"2.0","id":1,"result":{"a":1}}'; "#;

/// Returns whether a process exists, as a zombie or not.
fn exists(id: u32) -> bool {
    std::path::Path::new(&format!("/proc/{id}")).exists()
}

async fn called(script: &str, grace: Duration) -> ChildProcess {
    let child = start(&format!("{ANSWER}{script}"), grace);
    let result: Value = within(child.peer().call("a", ())).await.unwrap();
    assert_eq!(result, json!({ "a": 1 }));
    child
}

#[tokio::test]
async fn it_exits_when_its_input_is_closed() {
    let mut child = called("echo note >&2; cat >/dev/null; echo more; exit 3", LONG).await;
    let id = child.id().unwrap();
    let mut stderr = child.take_stderr().unwrap();
    let exit = within(child.close()).await.unwrap();
    assert_eq!((exit.status().code(), exit.ending()), (Some(3), Ending::Exited));
    assert!(matches!(exit.closed(), Closed::Local));
    assert!(!exists(id));
    let mut text = String::new();
    within(stderr.read_to_string(&mut text)).await.unwrap();
    assert_eq!(text, "note\n");
}

/// Its output is read until it exits, so that a full pipe does not stop it.
#[tokio::test]
async fn it_may_write_much_at_the_end() {
    let child = called("cat >/dev/null; head -c 1000000 /dev/zero; exit 4", LONG).await;
    let exit = within(child.close()).await.unwrap();
    assert_eq!((exit.status().code(), exit.ending()), (Some(4), Ending::Exited));
}

#[tokio::test]
async fn it_gets_sigterm_and_then_sigkill() {
    use std::os::unix::process::ExitStatusExt;

    let child = called("exec sleep 100", SHORT).await;
    let id = child.id().unwrap();
    let exit = within(child.close()).await.unwrap();
    assert_eq!((exit.status().signal(), exit.ending()), (Some(15), Ending::Terminated));
    assert!(!exists(id));

    let child = called("trap '' TERM; while :; do sleep 1; done", SHORT).await;
    let id = child.id().unwrap();
    let exit = within(child.close()).await.unwrap();
    assert_eq!((exit.status().signal(), exit.ending()), (Some(9), Ending::Killed));
    assert!(!exists(id));
}

#[tokio::test]
async fn it_exits_by_itself() {
    let child = start("read line; exit 5", LONG);
    let error = within(child.peer().call::<Value>("a", ())).await.unwrap_err();
    assert!(matches!(error, CallError::Closed(Closed::Remote)), "{error}");
    let exit = within(child.wait()).await.unwrap();
    assert_eq!((exit.status().code(), exit.ending()), (Some(5), Ending::Exited));
    assert!(matches!(exit.closed(), Closed::Remote));
}

/// If it is dropped, it is killed, and its exit status is collected.
#[tokio::test]
async fn no_zombie_is_left() {
    for script in ["exec sleep 100", "exit 0"] {
        let child = called(script, LONG).await;
        let id = child.id().unwrap();
        assert!(exists(id));
        drop(child);
        until("the process is gone", || !exists(id)).await;
    }
}

#[tokio::test]
async fn a_command_that_is_not_there() {
    let mut command = Command::new("/no/such/command");
    let error = Options::json_rpc().spawn(&mut command, Handlers::new(())).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

/// Returns whether a process runs. A zombie does not: its new parent may not collect its exit status.
fn runs(id: u64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|stat| !stat.is_empty() && !stat.starts_with(['Z', 'X']))
}

/// Starts a shell that starts a process in the background and then runs the script. Returns the background process.
async fn with_background(background: &str, script: &str, grace: Duration) -> (ChildProcess, u64) {
    let answer = r#"echo '{"jsonrpc":"2.0","id":1,"result":{"pid":'$!'}}'"#;
    let child = start(&format!("({background}) </dev/null & read line; {answer}; {script}"), grace);
    let result: Value = within(child.peer().call("a", ())).await.unwrap();
    let background = result["pid"].as_u64().unwrap();
    assert!(runs(background));
    (child, background)
}

/// A launcher such as `sh -c` or `npx` stays between the client and the server.
#[tokio::test]
async fn what_a_launcher_has_started_ends_too() {
    const STUBBORN: &str = "trap '' TERM; while :; do sleep 1; done";
    for (background, script, grace, ending) in [
        // The launcher waits for the server, which ignores the end of its input.
        ("exec sleep 100", "wait", SHORT, Ending::Terminated),
        // The launcher exits on SIGTERM, and the server ignores it.
        (STUBBORN, "wait", SHORT, Ending::Terminated),
        (STUBBORN, "trap '' TERM; while :; do sleep 1; done", SHORT, Ending::Killed),
        // The launcher exits before the server.
        ("exec sleep 100", "cat >/dev/null", LONG, Ending::Exited),
        (STUBBORN, "cat >/dev/null", SHORT, Ending::Exited),
    ] {
        let (child, background) = with_background(background, script, grace).await;
        let exit = within(child.close()).await.unwrap();
        assert_eq!(exit.ending(), ending, "{script}");
        until("the server has ended", || !runs(background)).await;
    }
    let (child, background) = with_background("exec sleep 100", "wait", LONG).await;
    drop(child);
    until("the server has ended", || !runs(background)).await;
}

/// A shutdown waits for what the process has started, so that it can finish its work.
#[tokio::test]
async fn what_a_launcher_has_started_has_time_to_end() {
    let file = std::env::temp_dir().join(format!("tautline-child-{}", std::process::id()));
    let done = file.display();
    let background =
        format!("trap 'sleep 0.3; echo > {done}; exit' TERM; while :; do sleep 0.1; done");
    let (child, background) = with_background(&background, "wait", 4 * SHORT).await;
    let exit = within(child.close()).await.unwrap();
    assert_eq!(exit.ending(), Ending::Terminated);
    assert!(!runs(background), "it still runs");
    std::fs::remove_file(&file).unwrap();
}

/// So a Ctrl-C in the terminal does not reach it.
#[tokio::test]
async fn it_has_a_process_group_of_its_own() {
    let child = called("cat >/dev/null", LONG).await;
    let id = child.id().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
    let group = stat.rsplit(") ").next().unwrap().split(' ').nth(2).unwrap();
    assert_eq!(group, id.to_string());
    within(child.close()).await.unwrap();
}
