//! The settings with which a client starts a server through tap.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::args::{Client, TapArgs};
use crate::exit::Stopped;

/// Programs that run the program in their arguments. Their own name says nothing about the server.
const LAUNCHERS: &[&str] = &[
    "npx", "bunx", "uvx", "uv", "pipx", "node", "bun", "deno", "python", "python3", "py", "docker",
    "sh", "env",
];

/// Arguments of launchers that are commands of their own.
const VERBS: &[&str] = &["run", "exec", "tool", "x", "dlx", "start"];

/// Prints the settings of a client, to be pasted.
///
/// # Errors
///
/// Fails if a part of the command is not Unicode, or if the current folder is unknown.
pub fn print(args: &TapArgs, client: Client) -> Result<(), Stopped> {
    let this = std::env::current_exe()
        .map_err(|error| Stopped::Said(format!("cannot find this program: {error}")))?;
    let entry = json!({ "command": text(this.as_os_str())?, "args": arguments(args)? });
    let name = name(&args.command);
    let settings = match client {
        Client::ClaudeDesktop | Client::Cursor => json!({ "mcpServers": { name: entry } }),
        Client::Vscode => {
            let mut entry = entry;
            if let Some(members) = entry.as_object_mut() {
                members.insert("type".to_owned(), "stdio".into());
            }
            json!({ "servers": { name: entry } })
        }
    };
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &settings).map_err(io::Error::from)?;
    Ok(writeln!(out)?)
}

/// Returns the arguments of tap. Clients start servers in a folder of their own, so paths are absolute.
fn arguments(args: &TapArgs) -> Result<Vec<Value>, Stopped> {
    let mut all: Vec<Value> = vec!["tap".into()];
    let mut add = |name: &str, value: Value| all.extend([name.into(), value]);
    if let Some(record) = &args.record {
        add("--record", absolute(record)?);
    }
    args.redact.iter().for_each(|path| add("--redact", path.as_str().into()));
    if let Some(framing) = args.framing {
        add("--framing", framing.name().into());
    }
    if let Some(rules) = &args.rules {
        add("--rules", rules.name().into());
    }
    if let Some(limit) = args.limit.max_frame {
        add("--max-frame", limit.to_string().into());
    }
    if args.live {
        all.push("--live".into());
    }
    if args.keep_orphans {
        all.push("--keep-orphans".into());
    }
    all.push("--".into());
    for (index, part) in args.command.iter().enumerate() {
        let is_path = index == 0 && Path::new(part).components().count() > 1;
        all.push(if is_path { absolute(Path::new(part))? } else { text(part)?.into() });
    }
    Ok(all)
}

fn absolute(path: &Path) -> Result<Value, Stopped> {
    let path = std::path::absolute(path).map_err(|error| {
        Stopped::Said(format!("cannot make {} absolute: {error}", crate::input::shown(path)))
    })?;
    Ok(text(path.as_os_str())?.into())
}

fn text(part: &std::ffi::OsStr) -> Result<&str, Stopped> {
    part.to_str().ok_or_else(|| {
        let part = crate::input::shown(part.as_ref());
        Stopped::Said(format!("{part} is not Unicode, so JSON can't hold it"))
    })
}

/// Returns a name for the server: that of the program without its folder and extension or, if a launcher runs it, that of
/// the first other argument.
fn name(command: &[OsString]) -> String {
    let parts = command.iter().map(|part| part.to_string_lossy());
    let names = parts.filter(|part| !part.starts_with('-')).filter_map(|part| {
        // The name of a package may have a scope, and a version.
        let last = part.rsplit(['/', '\\']).find(|part| !part.is_empty())?.to_owned();
        let last = last.split('@').find(|part| !part.is_empty())?.to_owned();
        let stem =
            ["py", "js", "mjs", "ts", "exe", "cmd", "sh", "jar"].iter().find_map(|extension| {
                last.strip_suffix(extension)?.strip_suffix('.').map(str::to_owned)
            });
        Some(stem.unwrap_or(last))
    });
    let is_launcher =
        |name: &String| LAUNCHERS.contains(&name.as_str()) || VERBS.contains(&name.as_str());
    let mut names = names.skip_while(is_launcher);
    names.next().unwrap_or_else(|| "server".to_owned())
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn a_server_is_named_after_what_is_run() {
        for (command, expected) in [
            (&["./bin/weather-server", "--port", "1"][..], "weather-server"),
            (&["python3", "src/notes.py"], "notes"),
            (&["npx", "-y", "@example/server-files@1.2.0", "/tmp"], "server-files"),
            (&["uv", "run", "mail.py"], "mail"),
            (&["docker", "run", "-i", "--rm", "example/git"], "git"),
            (&["node"], "server"),
        ] {
            let command: Vec<_> = command.iter().map(Into::into).collect();
            assert_eq!(name(&command), expected);
        }
    }
}
