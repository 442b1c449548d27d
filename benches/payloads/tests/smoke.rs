//! Both ways of the check accept every message, and only the checks of payloads find what is in payloads.

use std::process::Command;

#[test]
fn both_ways_check_every_message() {
    let program = || Command::new(env!("CARGO_BIN_EXE_payloads"));
    let table = program().arg("--smoke").output().unwrap();
    assert!(table.status.success(), "{}", String::from_utf8_lossy(&table.stderr));
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(table.contains("| tools-asked |"), "{table}");

    let unknown = program().args(["--smoke", "--input", "no such input"]).output().unwrap();
    assert!(!unknown.status.success());
}
