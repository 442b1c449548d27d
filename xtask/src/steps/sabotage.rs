//! Sabotage: removes each rule of scanning in windows in turn, and shows that a test notices.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use xshell::{Shell, cmd};

use crate::tools::{Tools, root};

/// The rules.
const RULES: &str = "xtask/data/sabotage.tsv";
/// The folder of the files that the rules are in.
const FOLDER: &str = "src/scan/fast";
/// The variable that chooses rules: a part of a rule or of its file.
const CHOICE: &str = "SABOTAGE";

/// Removes each rule, or those that `SABOTAGE` chooses, from a copy of the sources, and runs the tests of scanning. Fails if
/// they pass without a rule.
pub fn sabotage(tools: &Tools) -> Result<()> {
    let rules = fs::read_to_string(root().join(RULES)).context(RULES)?;
    let choice = tools.sh.var(CHOICE).unwrap_or_default();
    let rules: Vec<_> =
        parse(&rules)?.into_iter().filter(|rule| rule.is_chosen_by(&choice)).collect();
    ensure!(!rules.is_empty(), "no rule has `{choice}` in it");
    let scratch = tools.scratch()?;
    let copy = scratch.path().join("tautline");
    copy_tracked(&tools.sh, &copy)?;
    let sh = tools.sh.clone();
    sh.change_dir(&copy);
    // Only a few files differ from one build to the next.
    sh.set_var("CARGO_INCREMENTAL", "1");
    sh.set_var("CARGO_TARGET_DIR", tools.target().join("sabotage"));
    sh.set_var("RUST_BACKTRACE", "0");
    let mut survivors = 0;
    for rule in &rules {
        let noticed = rule.removed_from(&copy, || noticed(&sh))?;
        survivors += u32::from(noticed.is_none());
        let result = noticed.map_or("SURVIVED".to_owned(), |test| format!("noticed by {test}"));
        println!("{result} | {} | {} -> {}", rule.file, rule.code, rule.replacement);
    }
    ensure!(survivors == 0, "no test has noticed {survivors} of the changes");
    println!("all {} changes were noticed", rules.len());
    Ok(())
}

/// A rule in the sources.
#[derive(Debug, PartialEq)]
struct Rule<'a> {
    file: &'a str,
    code: &'a str,
    replacement: &'a str,
}

impl Rule<'_> {
    fn is_chosen_by(&self, choice: &str) -> bool {
        format!("{} {}", self.file, self.code).contains(choice)
    }

    /// Does something while the rule is not in this copy of the sources.
    fn removed_from<T>(&self, copy: &Path, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let path = copy.join(FOLDER).join(self.file);
        let source = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let count = source.matches(self.code).count();
        ensure!(count == 1, "{} has this {count} times: {}", self.file, self.code);
        fs::write(&path, source.replace(self.code, self.replacement))?;
        let result = work();
        fs::write(&path, source)?;
        result
    }
}

fn parse(text: &str) -> Result<Vec<Rule<'_>>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(parse_line).collect()
}

fn parse_line(line: &str) -> Result<Rule<'_>> {
    match line.split('\t').collect::<Vec<_>>()[..] {
        [file, code, replacement] if code != replacement && !code.is_empty() => {
            Ok(Rule { file, code, replacement })
        }
        _ => bail!("this is no file, rule and replacement: {line}"),
    }
}

/// Copies the files that are in the repository.
fn copy_tracked(sh: &Shell, copy: &Path) -> Result<()> {
    for name in cmd!(sh, "git ls-files -z").quiet().read()?.split_terminator('\0') {
        let to = copy.join(name);
        fs::create_dir_all(to.parent().context("a file without a folder")?)?;
        fs::copy(sh.current_dir().join(name), to).context(name.to_owned())?;
    }
    Ok(())
}

/// Runs the tests, and returns the first that fails.
fn noticed(sh: &Shell) -> Result<Option<String>> {
    for tests in ["scan::", "twins::"] {
        let test = cmd!(sh, "timeout 600 cargo test --quiet --package tautline --lib {tests}");
        let output = test.quiet().ignore_status().output()?;
        // `timeout` exits with this code when the time is up.
        if output.status.code() == Some(124) {
            return Ok(Some("a scan without an end".to_owned()));
        }
        let stdout = String::from_utf8_lossy(&output.stdout);
        match output.status.success() {
            true => {}
            false if stdout.contains("test result: FAILED") => return Ok(Some(first(&stdout))),
            false => bail!(
                "this does not compile or crashes:\n{stdout}{}",
                String::from_utf8_lossy(&output.stderr)
            ),
        }
    }
    Ok(None)
}

/// Returns the name of the first test that failed, from the list at the end.
fn first(output: &str) -> String {
    let list = output.rsplit("failures:\n").next().unwrap_or_default();
    let first = list.lines().find_map(|line| line.strip_prefix("    "));
    first.unwrap_or("a test without a name").to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{FOLDER, RULES, Rule, first, parse};
    use crate::tools::root;

    #[test]
    fn a_rule_has_a_file_a_code_and_what_replaces_it() {
        let rules = parse("# A comment.\na.rs\tx | y\ty\nb.rs\tx;\t\n").unwrap();
        assert_eq!(rules[0], Rule { file: "a.rs", code: "x | y", replacement: "y" });
        assert_eq!(rules[1], Rule { file: "b.rs", code: "x;", replacement: "" });
        for text in ["a.rs\tx", "a.rs\tx\tx", "a.rs\t\tx", "a.rs\tx\ty\tz", ""] {
            assert!(parse(&format!("{text}\n")).is_err(), "{text}");
        }
    }

    #[test]
    fn a_rule_is_chosen_by_a_part_of_it_or_of_its_file() {
        let rule = Rule { file: "windows/a.rs", code: "x | y", replacement: "y" };
        for (choice, is_chosen) in [("", true), ("windows", true), ("| y", true), ("z", false)] {
            assert_eq!(rule.is_chosen_by(choice), is_chosen, "{choice}");
        }
    }

    #[test]
    fn each_rule_is_found_once_in_the_sources() {
        let rules = fs::read_to_string(root().join(RULES)).unwrap();
        for rule in parse(&rules).unwrap() {
            let source = fs::read_to_string(root().join(FOLDER).join(rule.file)).unwrap();
            assert_eq!(source.matches(rule.code).count(), 1, "{}: {}", rule.file, rule.code);
        }
    }

    #[test]
    fn a_file_is_as_before_after_a_rule_was_removed() {
        let copy = tempfile::tempdir().unwrap();
        let file = copy.path().join(FOLDER).join("a.rs");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "x | y").unwrap();
        let rule = |code| Rule { file: "a.rs", code, replacement: "" };
        let without =
            rule("x | ").removed_from(copy.path(), || Ok(fs::read_to_string(&file)?)).unwrap();
        assert_eq!(without, "y");
        assert_eq!(fs::read_to_string(&file).unwrap(), "x | y");
        assert!(rule("z").removed_from(copy.path(), || Ok(())).is_err());
    }

    #[test]
    fn the_first_failure_is_named() {
        let output = "failures:\n\n---- scan::a stdout ----\n    what it says\n\nfailures:\n    scan::a\n    \
                      scan::b\n\ntest result: FAILED. 1 passed; 2 failed\n";
        assert_eq!(first(output), "scan::a");
    }
}
