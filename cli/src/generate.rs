//! `tautline completions` and `tautline man`: files that packages install beside the program.

use std::io::Write;
use std::process::ExitCode;

use clap::CommandFactory;

use crate::args::{CompletionsArgs, ManArgs};
use crate::command::Args;
use crate::exit::{CLEAN, Stopped, conclude};

/// The name of the program.
const NAME: &str = "tautline";

/// Writes the completions for a shell to standard output.
pub fn completions(args: &CompletionsArgs) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), NAME, &mut script);
    let written = std::io::stdout().write_all(&script);
    conclude(written.map(|()| CLEAN).map_err(Stopped::from), "the completions", CLEAN)
}

/// Writes the manual pages of the program and of each command into a folder.
pub fn man(args: &ManArgs) -> ExitCode {
    let written = std::fs::create_dir_all(&args.folder)
        .and_then(|()| clap_mangen::generate_to(Args::command(), &args.folder));
    conclude(written.map(|()| CLEAN).map_err(Stopped::from), "the manual pages", CLEAN)
}
