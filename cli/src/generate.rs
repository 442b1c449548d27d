//! `tautline completions` and `tautline man`: files that packages install beside the program.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::CommandFactory;

use crate::args::{CompletionsArgs, ManArgs};
use crate::command::Args;
use crate::exit::FAILED;
use crate::input::complain;

/// The name of the program.
const NAME: &str = "tautline";

/// Writes the completions for a shell to standard output.
pub fn completions(args: &CompletionsArgs) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), NAME, &mut script);
    end(io::stdout().write_all(&script), "the completions")
}

/// Writes the manual pages of the program and of each command into a folder.
pub fn man(args: &ManArgs) -> ExitCode {
    let written = std::fs::create_dir_all(&args.folder)
        .and_then(|()| clap_mangen::generate_to(Args::command(), &args.folder));
    end(written, "the manual pages")
}

fn end(written: io::Result<()>, what: &str) -> ExitCode {
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(format_args!("cannot write {what}: {error}"));
            ExitCode::from(FAILED)
        }
    }
}
