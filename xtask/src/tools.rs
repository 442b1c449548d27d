//! The tools of a step: a shell at the root of the repository, with a clean environment, and the folders of builds.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;
use xshell::{Cmd, Shell, cmd};

/// The workspaces besides the one at the root.
pub const WORKSPACES: [&str; 7] =
    ["benches", "c", "embedded-example", "examples/rmcp_server", "fuzz", "gateway/e2e", "xtask"];

/// The tools that each step is given.
pub struct Tools {
    /// A shell whose current directory is the root of the repository.
    pub sh: Shell,
    /// True if committed figures and listings are rewritten.
    pub bless: bool,
}

impl Tools {
    /// Creates the tools.
    ///
    /// # Errors
    ///
    /// Fails if the repository's folder can't be entered.
    pub fn new(bless: bool) -> Result<Self> {
        let sh = Shell::new()?;
        sh.change_dir(root());
        sh.set_var("CARGO_TERM_COLOR", "never");
        // The workspaces of this repository have many dependencies in common. In a shared folder, each dependency is
        // built once.
        if sh.var_os("CARGO_TARGET_DIR").is_none() {
            sh.set_var("CARGO_TARGET_DIR", root().join("target"));
        }
        Ok(Self { sh, bless })
    }

    /// Returns the folder that cargo builds into.
    pub fn target(&self) -> PathBuf {
        self.sh.var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
    }

    /// Returns a temporary folder, which disappears with the returned value.
    pub fn scratch(&self) -> Result<TempDir> {
        TempDir::new().context("a temporary folder")
    }

    /// Returns a Python with these packages of PyPI, in a folder that is kept between runs.
    ///
    /// # Errors
    ///
    /// Fails if a package can't be installed.
    pub fn python(&self, folder: &Path, packages: &[&str]) -> Result<PathBuf> {
        let sh = &self.sh;
        let folder = folder.join("python");
        let (python, installed) = (folder.join("bin/python"), folder.join("installed"));
        let wanted = packages.join("\n");
        if sh.read_file(&installed).is_ok_and(|earlier| earlier == wanted) {
            return Ok(python);
        }
        cmd!(sh, "python3 -m venv --clear {folder}").quiet().run()?;
        let pip = cmd!(sh, "{python} -m pip install --quiet --disable-pip-version-check");
        pip.args(packages).quiet().run()?;
        sh.write_file(installed, wanted)?;
        Ok(python)
    }

    /// Returns a command of cargo for the nightly toolchain.
    ///
    /// # Errors
    ///
    /// Fails if there is no nightly toolchain.
    pub fn nightly(&self) -> Result<Cmd<'_>> {
        cmd!(self.sh, "cargo +nightly --version")
            .quiet()
            .ignore_stdout()
            .run()
            .context("there is no nightly toolchain: rustup toolchain install nightly")?;
        Ok(cmd!(self.sh, "cargo +nightly"))
    }

    /// Runs work next to an idle-priority busy loop, which keeps a processor awake. An idle machine, above all a virtual
    /// one, takes longer to wake up than a byte takes on QEMU's serial port. A board that waits for each byte is four times
    /// as slow on it.
    pub fn awake<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let mut busy = Command::new("nice")
            .args(["-n", "19", "sh", "-c", "while :; do :; done"])
            .spawn()
            .context("nice")?;
        let result = work();
        let _ = busy.kill();
        let _ = busy.wait();
        result
    }
}

/// Returns the root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository")
}

/// Installs the packages of the distribution that steps need.
pub fn set_up() -> Result<()> {
    let mut set_up = Command::new(root().join(".ci/setup"));
    let status = without_cargo(&mut set_up).status().context(".ci/setup")?;
    ensure!(status.success(), ".ci/setup has failed");
    Ok(())
}

/// Removes from a command's environment what `cargo run` has set for this program: it would reach the commands of other
/// toolchains and packages. The settings of builds go, too, so that a step builds the same everywhere. The exceptions
/// change no code.
pub fn without_cargo(command: &mut Command) -> &mut Command {
    let kept = [
        "CARGO_HOME",
        "CARGO_TARGET_DIR",
        "CARGO_BUILD_JOBS",
        "CARGO_INCREMENTAL",
        "CARGO_PROFILE_DEV_DEBUG",
    ];
    let kept_kinds = ["CARGO_NET_", "CARGO_HTTP_", "CARGO_REGISTR"];
    for (name, _) in env::vars_os() {
        let Some(name) = name.to_str() else { continue };
        let is_of_cargo = name.starts_with("CARGO_")
            || ["CARGO", "RUSTUP_TOOLCHAIN", "RUST_RECURSION_COUNT", "LD_LIBRARY_PATH"]
                .contains(&name);
        let is_kept = kept.contains(&name) || kept_kinds.iter().any(|kind| name.starts_with(kind));
        if is_of_cargo && !is_kept {
            command.env_remove(name);
        }
    }
    command
}
