//! `tautline explain`: what a rule means, and what to do about it.

use std::io::{self, Write};
use std::process::ExitCode;

use tautline::Rule;
use tautline_audit::example_of;
use tautline_mcp::cause::HINTS;
use tautline_mcp::rule;

use crate::args::ExplainArgs;
use crate::exit::{CLEAN, conclude};

pub fn run(args: &ExplainArgs) -> ExitCode {
    let mut out = io::stdout().lock();
    let written = match &args.rule {
        Some(rule) => explain(&mut out, *rule),
        None => list(&mut out),
    };
    conclude(written.map(|()| CLEAN).map_err(Into::into), "the explanation", CLEAN)
}

/// Writes a line for each rule.
fn list(out: &mut impl Write) -> io::Result<()> {
    let width = rule::all().map(|rule| rule::name(rule).len()).max().unwrap_or(0);
    for rule in rule::all() {
        let (name, severity) = (rule::name(rule), rule::severity(rule).name());
        writeln!(out, "{name:<width$}  {severity:<7}  {}", rule::summary(rule))?;
    }
    Ok(())
}

fn explain(out: &mut impl Write, rule: Rule) -> io::Result<()> {
    let severity = rule::severity(rule).name();
    let cause = if HINTS.contains(&rule) { "; error as the cause of a fault" } else { "" };
    writeln!(out, "{} ({severity}{cause})", rule::name(rule))?;
    writeln!(out)?;
    writeln!(out, "  Meaning  {}", rule::summary(rule))?;
    writeln!(out, "  Clause   {}", rule::spec_ref(rule))?;
    writeln!(out, "  Remedy   {}", rule::help(rule))?;
    if let Some(example) = example_of(rule) {
        writeln!(out)?;
        let (sent, received) = match example.is_http {
            true => ("HTTP requests", "responses"),
            false => ("messages", "messages"),
        };
        let rules = example.rules;
        writeln!(
            out,
            "Example ({rules}): {sent} of the client (>) and {received} of the server (<)"
        )?;
        writeln!(out)?;
        for line in example.lines() {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}
