//! `tautline audit`: judges both directions of a recorded session, and writes reports.

use std::path::Path;
use std::process::ExitCode;

use crate::args::AuditArgs;
use crate::audit_many;
use crate::audited::{pair, recording};
use crate::exit::{FAILED, Stopped, conclude};
use crate::report::Report;

pub fn run(args: &AuditArgs) -> ExitCode {
    // If the reader of the report has gone away, the rest of the input may still contain errors.
    conclude(audit(args), "what was found", FAILED)
}

fn audit(args: &AuditArgs) -> Result<u8, Stopped> {
    let inputs = args.recordings.iter().chain(&args.client).chain(&args.server);
    let mut inputs: Vec<&Path> = inputs.map(AsRef::as_ref).collect();
    if inputs.is_empty() {
        inputs.push(Path::new("-"));
    }
    let (mut report, mut options) = Report::prepare(&args.report, &inputs)?;
    options.framing = args.framing.unwrap_or(options.framing);
    let live = &mut report.live;
    let document = match (&args.client, &args.server, &*args.recordings) {
        (Some(client), Some(server), _) => pair(client, server, options, live)?,
        // The command line does not allow one without the other.
        (.., []) => recording(args, Path::new("-"), options, live)?,
        (.., [path]) => recording(args, path, options, live)?,
        (.., paths) => return audit_many::audit(args, paths, &options, report),
    };
    report.finish(&document)
}
