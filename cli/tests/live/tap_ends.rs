//! How a session through `tautline tap` ends: exit codes, signals, the ends of streams, and processes that are left
//! behind.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use crate::support::{Test, can_end, folder, read, start, start_with, until};

pub fn tests() -> Vec<Test> {
    vec![
        ("the_end_of_the_server_is_that_of_tap", the_end_of_the_server_is_that_of_tap),
        ("signals_are_passed_on", signals_are_passed_on),
        ("a_server_may_ignore_sigterm", a_server_may_ignore_sigterm),
        ("an_ignored_signal_stays_ignored", an_ignored_signal_stays_ignored),
        ("a_server_closes_its_output_and_lives_on", a_server_closes_its_output_and_lives_on),
        ("a_server_closes_its_input", a_server_closes_its_input),
        ("a_client_that_stops_reading_is_noticed", a_client_that_stops_reading_is_noticed),
        (
            "a_server_that_does_not_read_holds_the_client",
            a_server_that_does_not_read_holds_the_client,
        ),
        ("a_launcher_may_leave_its_server_behind", a_launcher_may_leave_its_server_behind),
        ("what_a_server_leaves_behind_is_ended", what_a_server_leaves_behind_is_ended),
        ("orphans_may_be_kept", orphans_may_be_kept),
        (
            "a_tap_that_is_killed_takes_the_server_with_it",
            a_tap_that_is_killed_takes_the_server_with_it,
        ),
        ("a_signal_ends_what_is_left_behind", a_signal_ends_what_is_left_behind),
    ]
}

fn the_end_of_the_server_is_that_of_tap() {
    let file = folder("end").join("record");
    for (server, code, signal, how) in [
        (["exit", "0"], Some(0), None, "exited with status 0"),
        (["exit", "7"], Some(7), None, "exited with status 7"),
        (["exit", "255"], Some(255), None, "exited with status 255"),
        (["die", "KILL"], None, Some(9), "ended by signal 9"),
        (["die", "TERM"], None, Some(15), "ended by signal 15"),
        (["die", "ABORT"], None, Some(6), "ended by signal 6"),
    ] {
        // The client keeps its side open.
        let mut run = start(&["tap", "--record", file.to_str().unwrap()], &server);
        until("the end", || !run.is_running());
        let (status, stderr) = run.end();
        assert_eq!((status.code(), status.signal(), stderr.as_str()), (code, signal, ""));
        assert!(!status.core_dumped());
        assert_eq!(read(&file).others, ["server closed", how]);
    }
}

fn signals_are_passed_on() {
    let mut run = start(&["tap"], &["tells-signals"]);
    assert_eq!(run.read_line(), "ready");
    for signal in [Signal::HUP, Signal::INT, Signal::QUIT] {
        run.signal(signal);
        assert_eq!(run.read_line(), signal.as_raw().to_string());
    }
    run.signal(Signal::TERM);
    assert_eq!(run.read_line(), "15");
    assert_eq!(run.end().0.code(), Some(40));

    let mut run = start(&["tap"], &["deaf"]);
    // Tap watches for signals before it passes on the first line.
    assert_eq!(run.read_line(), "ready");
    assert!(run.is_running());
    run.signal(Signal::INT);
    until("the end", || !run.is_running());
    assert_eq!(run.end().0.signal(), Some(2));
}

fn a_server_may_ignore_sigterm() {
    let mut run = start(&["tap"], &["stubborn"]);
    assert_eq!(run.read_line(), "ready");
    run.signal(Signal::TERM);
    assert_eq!(run.read_line(), "no");
    // Neither the end of input nor the signal ends the server, so they do not end tap.
    run.stdin = None;
    thread::sleep(Duration::from_millis(500));
    assert!(run.is_running());
    run.signal(Signal::HUP);
    assert_eq!(run.end().0.signal(), Some(1));
}

/// As with `nohup`.
fn an_ignored_signal_stays_ignored() {
    let this = std::env::current_exe().unwrap();
    let mut child = std::process::Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_tautline"), "tap", "--"])
        .arg(this)
        .args([crate::support::AS_SERVER, "echo", "mark"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
    for text in ["one\n", "two\n"] {
        stdin.write_all(text.as_bytes()).unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut stdout, &mut line).unwrap();
        assert_eq!(line, text);
        rustix::process::kill_process(rustix::process::Pid::from_child(&child), Signal::HUP)
            .unwrap();
        thread::sleep(Duration::from_millis(100));
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

fn a_server_closes_its_output_and_lives_on() {
    let file = folder("mute").join("record");
    let mut run = start(&["tap", "--record", file.to_str().unwrap()], &["closes-output"]);
    assert_eq!(run.read_to_end(), "");
    assert!(run.is_running());
    run.write("still here");
    let (status, stderr) = run.end();
    assert_eq!((status.code(), stderr.as_str()), (Some(5), "still here"));
    let others = read(&file).others;
    assert_eq!(others, ["server closed", "client closed", "exited with status 5"]);
}

fn a_server_closes_its_input() {
    let mut run = start(&["tap"], &["closes-input"]);
    assert_eq!(run.read_line(), "closed");
    // The client notices, because its pipe is broken.
    let mut stdin = run.stdin.take().unwrap();
    until("the broken pipe", || stdin.write_all(b"x").is_err());
    assert_eq!(run.end().0.code(), Some(6));
}

fn a_client_that_stops_reading_is_noticed() {
    let mut run = start(&["tap"], &["flood", "1", "1000000000"]);
    run.stdout = None;
    until("the end", || !run.is_running());
    // The server noticed that its pipe was broken.
    assert_eq!(run.end().0.code(), Some(9));
}

/// Back pressure: bytes that the server does not read stay with the client, except for the contents of the pipes.
fn a_server_that_does_not_read_holds_the_client() {
    for arguments in [&["tap"][..], &["tap", "--live", "--record", "/dev/null"]] {
        let mut run = start(arguments, &["deaf"]);
        let mut stdin = run.stdin.take().unwrap();
        let written = Arc::new(AtomicUsize::new(0));
        let writer = thread::spawn({
            let written = written.clone();
            move || {
                while let Ok(length @ 1..) = stdin.write(&[b'x'; 4096]) {
                    written.fetch_add(length, Ordering::Relaxed);
                }
            }
        });
        let mut before = usize::MAX;
        until("the client's wait", || {
            thread::sleep(Duration::from_millis(200));
            let now = written.load(Ordering::Relaxed);
            std::mem::replace(&mut before, now) == now && now > 0
        });
        assert!(before < 1_000_000, "{before}");
        run.signal(Signal::TERM);
        until("the end", || !run.is_running());
        writer.join().unwrap();
        assert_eq!(run.end().0.signal(), Some(15));
    }
}

/// SDKs kill a server that does not exit in time, and they know only tap.
fn a_tap_that_is_killed_takes_the_server_with_it() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let file = folder("killed").join("record");
    let mut run = start(&["tap", "--record", file.to_str().unwrap()], &["stubborn"]);
    assert_eq!(run.read_line(), "ready");
    assert_eq!(run.pids().len(), 1);
    until("the record", || read(&file).server.text() == crate::support::hash_of("ready\n"));
    run.signal(Signal::KILL);
    until("the end of the server", || run.processes().is_empty());
    assert_eq!(run.end().0.signal(), Some(9));
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_tautline"))
        .args(["audit", file.to_str().unwrap()])
        .output()
        .unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(report.contains("note: the recording has no end: "), "{report}");
}

/// An orphan may be a browser that the server has opened, for example.
fn orphans_may_be_kept() {
    if !can_end("daemon") {
        return;
    }
    let mut run = start(&["tap", "--keep-orphans"], &["launcher", "daemon"]);
    assert_eq!(run.read_line(), "daemon");
    run.stdin = None;
    until("the end", || !run.is_running());
    let left = run.pids();
    assert_eq!(left.len(), 1);
    for pid in left {
        rustix::process::kill_process(pid, Signal::KILL).unwrap();
    }
    until("the end of the orphan", || run.processes().is_empty());
    assert_eq!(run.end().0.code(), Some(3));
}

/// The session continues with the process that holds the pipes, and ends with the client.
fn a_launcher_may_leave_its_server_behind() {
    let file = folder("launcher").join("record");
    let mut run = start(&["tap", "--record", file.to_str().unwrap()], &["launcher", "echo"]);
    thread::sleep(Duration::from_millis(200));
    for text in ["one", "two"] {
        run.write(&format!("{text}\n"));
        assert_eq!(run.read_line(), text);
    }
    assert_eq!(run.end().0.code(), Some(3));
    assert_eq!(read(&file).others, ["client closed", "server closed", "exited with status 3"]);
}

fn what_a_server_leaves_behind_is_ended() {
    thread::scope(|scope| {
        for server in ["deaf", "daemon", "stubborn"].into_iter().filter(|one| can_end(one)) {
            scope.spawn(move || {
                // The end of the client is noticed at once.
                let run = start_with(&["tap"], &["launcher", server], Stdio::null());
                let (status, stderr) = run.end();
                assert_eq!((status.code(), stderr.as_str()), (Some(3), ""), "{server}: {status}");
            });
        }
    });
}

fn a_signal_ends_what_is_left_behind() {
    if !can_end("daemon") {
        return;
    }
    let mut run = start(&["tap"], &["launcher", "daemon"]);
    assert_eq!(run.read_line(), "daemon");
    // A process that has ended has no command line.
    until("the end of the launcher", || {
        !run.processes().iter().any(|line| line.contains("launcher"))
    });
    thread::sleep(Duration::from_millis(100));
    run.signal(Signal::TERM);
    until("the end", || !run.is_running());
    assert_eq!(run.end().0.code(), Some(3));
}
