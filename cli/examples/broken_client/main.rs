//! A small MCP client for all revisions. It is correct, or has the one defect given on the command line.
//!
//! ```sh
//! cargo run -p tautline-cli --example broken_client -- SERVER ARGUMENTS
//! cargo run -p tautline-cli --example broken_client -- --defect hangs-on-log-line SERVER ARGUMENTS
//! cargo run -p tautline-cli --example broken_client -- --list
//! ```
//!
//! It starts the server, agrees with it on a revision, lists its tools, calls one, and closes the session. It exits
//! with 0 if every request was answered, and with 1 if it had to report an error. Without a defect it never hangs: it
//! waits for each answer until the server closes its output, or for half a minute.

mod defects;
mod session;

use std::env;
use std::process::ExitCode;

use defects::DEFECTS;
use session::Session;

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let (defect, command) = match &*arguments {
        [list] if list == "--list" => {
            DEFECTS.iter().for_each(|defect| println!("{}", defect.name));
            return ExitCode::SUCCESS;
        }
        [flag, name, command @ ..] if flag == "--defect" => {
            match DEFECTS.iter().find(|defect| defect.name == name) {
                Some(defect) => (Some(defect), command),
                None => return usage(&format!("there is no defect {name}")),
            }
        }
        command => (None, command),
    };
    let Some((program, arguments)) = command.split_first() else { return usage("no server") };
    let run = Session::start(program, arguments, defect).and_then(Session::run);
    match run {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn usage(why: &str) -> ExitCode {
    eprintln!("{why}\nusage: broken_client [--defect NAME] SERVER [ARGUMENT]... | --list");
    ExitCode::from(2)
}
