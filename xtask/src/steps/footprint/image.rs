//! An image for the board: the sizes of its sections, and the names in it that only a panic needs.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use object::read::elf::ElfFile32;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SymbolKind};
use rustc_demangle::demangle;
use xshell::{Shell, cmd};

/// An image, as the linker wrote it.
pub struct Image {
    path: PathBuf,
    sections: Vec<Section>,
    /// The names of functions and statics, without the hashes in them.
    names: Vec<String>,
}

struct Section {
    name: String,
    size: u64,
    /// Empty if the section has no bytes in the file, as `.bss`.
    bytes: Vec<u8>,
}

impl Image {
    /// Reads an image.
    ///
    /// # Errors
    ///
    /// Fails if it can't be read, or is stripped.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).with_context(|| path.display().to_string())?;
        let file: ElfFile32 = ElfFile32::parse(&*bytes)?;
        let mut sections = Vec::new();
        for section in file.sections() {
            let (name, bytes) = (section.name()?.to_string(), section.data()?.to_vec());
            sections.push(Section { name, size: section.size(), bytes });
        }
        let symbols = file.symbols().filter(|symbol| symbol.kind() != SymbolKind::File);
        let names = symbols.map(|symbol| Ok(format!("{:#}", demangle(symbol.name()?))));
        let image = Self { path: path.into(), names: names.collect::<Result<_>>()?, sections };
        // A stripped image has no names at all, and no panics would be found in it.
        let is_main = |name: &String| name == "main" || name.contains("__cortex_m_rt_main");
        let names_main = image.names.iter().any(is_main);
        ensure!(names_main, "{} does not name its functions", path.display());
        Ok(image)
    }

    /// Returns the size of everything in flash but the vector table, which is the same in each image.
    pub fn flash(&self) -> u64 {
        [".text", ".rodata", ".data"].map(|name| self.size(name)).iter().sum()
    }

    /// Returns the size of static memory.
    pub fn ram(&self) -> u64 {
        [".data", ".bss", ".uninit"].map(|name| self.size(name)).iter().sum()
    }

    /// Returns the size of a section, which is 0 if there is none.
    pub fn size(&self, name: &str) -> u64 {
        self.section(name).map_or(0, |section| section.size)
    }

    /// Returns the contents of a section, which are empty if there is none.
    pub fn bytes(&self, name: &str) -> &[u8] {
        self.section(name).map_or(&[], |section| &section.bytes)
    }

    fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }

    /// Returns the names that only a panic needs.
    pub fn panics(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).filter(|name| is_of_panic(name)).collect()
    }

    /// Fails if a panic is reachable, and prints the calls to it.
    pub fn ensure_no_panics(&self, sh: &Shell) -> Result<()> {
        let panics = self.panics();
        if panics.is_empty() {
            return Ok(());
        }
        eprintln!("{}\n\ncalled from:", panics.join("\n"));
        let calls = calls_of_panics(&self.disassembly(sh)?);
        // It lists each call with its chain of inlined functions, the innermost first.
        let path = &self.path;
        let chains =
            cmd!(sh, "llvm-symbolizer --obj={path} --demangle {calls...}").quiet().read()?;
        eprintln!("{chains}");
        bail!("a panic is reachable in {}", path.display());
    }

    /// Returns the machine code as text.
    pub fn disassembly(&self, sh: &Shell) -> Result<String> {
        let path = &self.path;
        Ok(cmd!(sh, "llvm-objdump --disassemble --no-show-raw-insn {path}").quiet().read()?)
    }
}

/// Returns whether only a panic can have linked in the item with this name. The panic handlers of the images end in
/// `panic_reached`. That name reveals every panic, even one under a name that this list lacks.
fn is_of_panic(name: &str) -> bool {
    const PARTS: &[&str] = &[
        "panic",
        "unwrap_failed",
        "expect_failed",
        "slice_index",
        "slice_error_fail",
        "index_fail",
        "bounds_check",
        "len_mismatch",
        "assert_failed",
        "begin_unwind",
        "eh_personality",
        " core::fmt::",
        " <core::fmt::",
    ];
    // Such a path is at the beginning, or follows `as`.
    let name = format!(" {name}");
    PARTS.iter().any(|part| name.contains(part))
}

/// Returns the addresses of the calls to a panic.
fn calls_of_panics(disassembly: &str) -> Vec<String> {
    let is_call = |line: &&str| {
        let Some((_, callee)) = line.rsplit_once('<') else { return false };
        let Some((callee, rest)) = callee.split_once('>') else { return false };
        // A colon follows the name of the function that begins here. An offset marks a jump within a function.
        !rest.starts_with(':')
            && !callee.contains('+')
            && ["panic", "_fail"].iter().any(|part| callee.contains(part))
    };
    let calls = disassembly.lines().filter(is_call);
    calls.filter_map(|line| Some(format!("0x{}", line.split_once(':')?.0.trim()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_panics() {
        for name in [
            "core::panicking::panic_bounds_check",
            "tautline_embedded_example::panic_reached",
            "core::option::expect_failed",
            "core::slice::index::slice_index_fail",
            "core::fmt::write",
            "<core::fmt::Formatter>::pad",
            "<u8 as core::fmt::Debug>::fmt",
            "<usize as core::fmt::LowerHex>::fmt",
            "rust_eh_personality",
            "<[u8]>::copy_from_slice::len_mismatch_fail",
        ] {
            assert!(is_of_panic(name), "{name}");
        }
    }

    #[test]
    fn names_of_others() {
        for name in [
            "minimal::__cortex_m_rt_main",
            "<tautline::envelope::message::Message>::read",
            "<tautline::id::Id as core::cmp::PartialEq>::eq",
            "<server::Sender as embedded_io::Write>::write",
            "__aeabi_memcpy",
        ] {
            assert!(!is_of_panic(name), "{name}");
        }
    }

    #[test]
    fn calls() {
        let code = "\
0000044c <_RNvNtCs1_4core9panicking9panic_fmt>:
     44c:      \tb\t0x44c <_RNvNtCs1_4core9panicking9panic_fmt> @ imm = #-0x4
     44e:      \tb\t0x44c <_RNvNtCs1_4core9panicking9panic_fmt+0x2>
     450:      \tbl\t0x400 <_RNvCs2_5image4main> @ imm = #-84
     454:      \tbl\t0x500 <_RNvNtCs1_4core6option13expect_failed>
     458:      \tmovs\tr0, #0
";
        assert_eq!(calls_of_panics(code), ["0x44c", "0x454"]);
    }

    #[test]
    fn sizes() {
        let section = |name: &str, size| Section { name: name.into(), size, bytes: vec![] };
        let names = [".vector_table", ".text", ".rodata", ".data", ".bss", ".uninit", ".defmt"];
        let sections =
            names.iter().enumerate().map(|(power, name)| section(name, 10_u64.pow(power as u32)));
        let image = Image { path: "".into(), sections: sections.collect(), names: vec![] };
        assert_eq!((image.flash(), image.ram()), (1_110, 111_000));
        assert_eq!((image.size(".vector_table"), image.size(".none")), (1, 0));
    }
}
