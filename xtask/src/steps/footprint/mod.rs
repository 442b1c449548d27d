//! Measures what the core costs on a Cortex-M3, and checks that it can't panic there.
//!
//! 1. No panic is reachable in the images at any usual level of optimisation. The image `footprint` links the whole
//!    reading core. As a control, the check must find the panic that `negative-control` adds.
//! 2. Nothing in the images recurses, and their use of the stack is bounded.
//! 3. Under QEMU, on a painted stack, the core gives the expected verdicts and stays within that bound.
//! 4. No panic is reachable in the server of embedded-example. Under QEMU, on a painted stack, it answers the harmless
//!    requests among thousands of broken lines.
//! 5. The table in embedded-example/FOOTPRINT.md is up to date. It names the compiler that built the images.

pub mod image;
pub mod stack;
mod table;

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail, ensure};
use xshell::{Cmd, Shell, cmd};

use self::image::Image;
use self::stack::bound;
use self::table::Table;
use crate::tools::Tools;

const TARGET: &str = "thumbv7m-none-eabi";
const FOLDER: &str = "embedded-example";
const PAGE: &str = "embedded-example/FOOTPRINT.md";

const STACK_OF_SERVER: &str = "stack, the server, measured";

/// Measures all figures, and compares them with the table or writes it.
pub fn footprint(tools: &Tools) -> Result<()> {
    let images = Images::new(&tools.sh)?;
    ensure_panics_are_found(&images)?;
    let mut table = Table::new(images.toolchain()?);
    measure_core(&images, &mut table)?;
    measure_server(tools, &images, &mut table)?;
    compare_or_write(tools, &table)
}

/// Sends the server four times as many broken lines, and checks that they need no more stack than the table states.
pub fn many_broken_lines(tools: &Tools) -> Result<()> {
    let images = Images::new(&tools.sh)?;
    let mut now = Table::new(images.toolchain()?);
    images.build(None, &["--bin=mcp-server"])?;
    now.add(STACK_OF_SERVER, measure_stack_of_server(tools, &images, 20_000)?, "");
    let wrong = Table::on_page(&tools.sh.read_file(PAGE)?).context(PAGE)?.check(&now);
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// Checks that the gate finds a panic where an index may be out of bounds.
fn ensure_panics_are_found(images: &Images<'_>) -> Result<()> {
    let bin = ["--no-default-features", "--features=negative-control", "--bin=footprint"];
    images.build(Some("s"), &bin)?;
    let image = images.read("footprint")?;
    let panics = image.panics();
    for name in ["panic_reached", "core::panicking::"] {
        let is_found = panics.iter().any(|panic| panic.contains(name));
        ensure!(is_found, "the gate is blind: it does not find {name} where it has to be");
    }
    println!("negative control: {} names of panics found, as there have to be", panics.len());
    Ok(())
}

/// Measures the crate without features. The level "s" comes last, since the stack is measured on its output.
fn measure_core(images: &Images<'_>, table: &mut Table) -> Result<()> {
    let [at_3, at_z] = [images.core("3")?, images.core("z")?];
    let at_s = images.core("s")?;
    images.build(Some("s"), &["--no-default-features", "--features=shapes", "--bin=shapes"])?;
    let shapes = images.read_without_panics("shapes")?;
    images.build(Some("s"), &["--no-default-features", "--bin=http"])?;
    let http = images.read_without_panics("http")?;
    let [empty, minimal, answering, all] = &at_s;

    let add_levels = |table: &mut Table, figure: &str, name, at: usize| {
        let flash = |core: &[Image; 4]| less(core[at].flash(), core[0].flash());
        let note = format!("`{name}` less `empty`, opt-level \"s\"");
        table.add(figure, flash(&at_s)?, &note);
        table.add(&format!("{figure}, at \"z\""), flash(&at_z)?, "");
        table.add(&format!("{figure}, at 3"), flash(&at_3)?, "");
        anyhow::Ok(())
    };
    add_levels(table, "flash, the least", "minimal", 1)?;
    add_levels(table, "flash, answering", "answering", 2)?;
    let note = "`shapes` less `empty`: `minimal`, and the shapes of the latest revision";
    table.add("flash, the least with shapes", less(shapes.flash(), empty.flash())?, note);
    let note =
        "`http` less `empty`: messages, and the rules of Streamable HTTP for a server and a client";
    table.add("flash, HTTP", less(http.flash(), empty.flash())?, note);
    add_levels(table, "flash, all of it", "footprint", 3)?;
    table.add("flash of the image `empty`", empty.flash(), "not counted above");
    let note = "in flash, in every image, not counted above";
    table.add("vector table", all.size(".vector_table"), note);
    table.add("static RAM", less(all.ram(), empty.ram())?, "`footprint` less `empty`");

    for (figure, name, image) in [
        ("stack, the least", "minimal", minimal),
        ("stack, answering", "answering", answering),
        ("stack, the least with shapes", "shapes", &shapes),
        ("stack, HTTP", "http", &http),
        ("stack, all of it", "footprint", all),
    ] {
        let note = format!("bound: the deepest chain of calls of `{name}`");
        table.add(figure, bound(images.sh, image)?.bytes, &note);
    }
    let high_water = measure_stack(images)?;
    table.add("stack, measured", high_water, "high-water mark of all of it under QEMU");
    let bound = bound(images.sh, all)?;
    let name = format!("`{}`", bound.largest_name);
    table.add("largest stack frame of the crate", bound.largest_frame, &name);
    Ok(())
}

/// Runs the core on a painted stack, and returns how much of it was used.
fn measure_stack(images: &Images<'_>) -> Result<u64> {
    images.build(Some("s"), &["--no-default-features", "--bin=stack"])?;
    let bound = bound(images.sh, &images.read("stack")?)?.bytes;
    let image = images.path("stack");
    let qemu = ["qemu-system-arm", "-machine", "lm3s6965evb", "-nographic", "-monitor", "none"];
    let semihosting = ["-serial", "none", "-semihosting-config", "enable=on,target=native"];
    let run = cmd!(images.sh, "timeout 120 {qemu...} {semihosting...} -kernel {image}");
    let used = stack_used(run).context("the image `stack`")?;
    ensure!(used <= bound, "{used} bytes of stack used, over the bound of {bound}");
    Ok(used)
}

/// Measures the server, which has a profile of its own.
fn measure_server(tools: &Tools, images: &Images<'_>, table: &mut Table) -> Result<()> {
    let empty = images.read("empty")?;
    let features = ["--no-default-features", "--features=server", "--bin=serde-alone"];
    images.build(Some("s"), &features)?;
    let serde_alone = less(images.read("serde-alone")?.flash(), empty.flash())?;
    images.build(Some("s"), &["--bin=mcp-server"])?;
    let at_s = images.read("mcp-server")?.flash();
    let without_log = {
        let _off = images.sh.push_env("DEFMT_LOG", "off");
        images.build(None, &["--bin=mcp-server"])?;
        images.read("mcp-server")?.flash()
    };
    images.build(None, &["--bin=mcp-server"])?;
    let server = images.read_without_panics("mcp-server")?;
    println!("the server: no panics");

    let note = "`serde-alone` less `empty`: a part of what `minimal` does";
    table.add("flash, serde-json-core alone", serde_alone, note);
    let note = "all of `mcp-server`, which is the board's code, the tools and the log as well, opt-level \"z\"";
    table.add("flash, the server", server.flash(), note);
    table.add("flash, the server, at \"s\"", at_s, "");
    table.add("flash, the server without its log", without_log, "with `DEFMT_LOG=off`");
    let note = "the buffers for frames of 1 KiB and for replies are in it";
    table.add("static RAM, the server", server.ram(), note);
    let note = "high-water mark after 5,000 broken lines, rounded up to 256";
    table.add(STACK_OF_SERVER, measure_stack_of_server(tools, images, 5_000)?, note);
    Ok(())
}

/// Sends the server broken lines, and returns how much stack it used.
fn measure_stack_of_server(tools: &Tools, images: &Images<'_>, lines: u32) -> Result<u64> {
    let sh = images.sh;
    let lines = lines.to_string();
    let package = ["--locked", "--manifest-path", "embedded-example/Cargo.toml"];
    let features = ["--no-default-features", "--features=server", "--example=hostile"];
    cmd!(sh, "cargo build --quiet --release {package...} {features...}").run()?;
    let hostile = tools.target().join("release/examples/hostile");
    let image = images.path("mcp-server");
    let qemu = ["qemu-system-arm", "-cpu", "cortex-m3", "-machine", "lm3s6965evb"];
    let serial = ["-display", "none", "-monitor", "none", "-serial", "stdio"];
    let run = cmd!(sh, "timeout 400 {hostile} {lines} {qemu...} {serial...} -kernel {image}");
    let used = tools.awake(|| stack_used(run)).context("the server and the hostile host")?;
    // The depth of the stack at an interrupt varies by chance.
    Ok(used.next_multiple_of(256))
}

/// Runs a program that prints how many bytes of stack it has used, and returns the most.
pub fn stack_used(run: Cmd<'_>) -> Result<u64> {
    let output = run.quiet().ignore_status().output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    print!("{text}");
    if !output.status.success() {
        bail!("{}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    let used = most_stack(&text).filter(|bytes| *bytes > 0);
    used.context("the output does not report the stack usage")
}

fn most_stack(text: &str) -> Option<u64> {
    let numbers = text.lines().filter_map(|line| {
        let (before, _) = line.split_once(" bytes of stack")?;
        before.split_whitespace().last()?.parse().ok()
    });
    numbers.max()
}

fn compare_or_write(tools: &Tools, now: &Table) -> Result<()> {
    let sh = &tools.sh;
    let page = sh.read_file(PAGE)?;
    if tools.bless {
        print!("{now}");
        return Ok(sh.write_file(PAGE, now.write_into(&page).context(PAGE)?)?);
    }
    let before = Table::on_page(&page).context(PAGE)?;
    println!("{}", before.describe(now));
    let wrong = before.compare(now);
    if !wrong.is_empty() {
        let wrong = wrong.join("\n");
        bail!(
            "{wrong}\n{PAGE} is out of date; if the change is meant: cargo xtask gate footprint --bless"
        );
    }
    Ok(())
}

fn less(bytes: u64, empty: u64) -> Result<u64> {
    bytes.checked_sub(empty).context("an image is smaller than `empty`")
}

/// Builds the images.
struct Images<'a> {
    sh: &'a Shell,
    /// The folder that they are in.
    folder: PathBuf,
}

impl<'a> Images<'a> {
    fn new(sh: &'a Shell) -> Result<Self> {
        let folder = cmd!(sh, ".ci/cross --print target-dir {TARGET}").quiet().read()?;
        Ok(Self { sh, folder: sh.current_dir().join(folder).join(TARGET).join("release") })
    }

    /// Returns the toolchain that builds the images.
    fn toolchain(&self) -> Result<String> {
        Ok(cmd!(self.sh, ".ci/cross --print toolchain {TARGET}").quiet().read()?)
    }

    /// Builds images, at this level of optimisation or that of the profile.
    fn build(&self, level: Option<&str>, arguments: &[&str]) -> Result<()> {
        // The configuration in this folder is for the board.
        let _folder = self.sh.push_dir(FOLDER);
        let cross = cmd!(self.sh, "../.ci/cross {TARGET} build --locked --release --quiet");
        let build = cross.args(arguments).env("CROSS_STACK_SIZES", "1");
        let build = match level {
            Some(level) => build.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", level),
            None => build,
        };
        Ok(build.run()?)
    }

    /// Builds the images of the core, none of which may panic, and returns them with `empty` first.
    fn core(&self, level: &str) -> Result<[Image; 4]> {
        let bins = ["--bin=empty", "--bin=minimal", "--bin=answering", "--bin=footprint"];
        self.build(Some(level), &[&["--no-default-features"], &bins[..]].concat())?;
        let read =
            |name| self.read_without_panics(name).with_context(|| format!("opt-level {level}"));
        let core = [self.read("empty")?, read("minimal")?, read("answering")?, read("footprint")?];
        println!("opt-level {level}: no panics");
        Ok(core)
    }

    fn read_without_panics(&self, name: &str) -> Result<Image> {
        let image = self.read(name)?;
        image.ensure_no_panics(self.sh)?;
        Ok(image)
    }

    fn read(&self, name: &str) -> Result<Image> {
        Image::read(&self.path(name))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::most_stack;

    #[test]
    fn stack_that_programs_report() {
        let text = "\
plain        412 bytes of stack   2 messages  1 faults
deep        1664 bytes of stack   1 messages  0 faults
3000 bytes";
        assert_eq!(most_stack(text), Some(1664));
        assert_eq!(most_stack("2931 bytes of stack\n"), Some(2931));
        assert_eq!(most_stack("none bytes of stack\n"), None);
    }
}
