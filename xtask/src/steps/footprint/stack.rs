//! The stack that an image can need, computed from its machine code: the sum of the frames along the deepest chain of
//! calls.
//!
//! A call through a pointer (of a `dyn FnMut`) may reach any function whose address is somewhere in the image. Each of
//! those is assumed to be on the stack at most once: a closure lent as `&mut` can't be entered again before it has
//! returned. The depth of such a chain is thus at most the sum of three parts: the way to a call through a pointer, the
//! ways from each of those functions to the next such call, and the deepest need of any of them at the end.

use std::collections::{BTreeMap, HashMap, HashSet};

use anyhow::{Context as _, Result, ensure};
use rustc_demangle::demangle;
use xshell::Shell;

use super::image::Image;

/// The most stack that an image can need.
#[derive(Debug, PartialEq)]
pub struct Bound {
    pub bytes: u64,
    /// The largest frame of a function of the crate that is not inlined.
    pub largest_frame: u64,
    /// The name of that function.
    pub largest_name: String,
}

/// Returns the bound of an image with frame sizes.
///
/// # Errors
///
/// Fails if there is no bound: if a function recurses, or if the size of its frame is not known.
pub fn bound(sh: &Shell, image: &Image) -> Result<Bound> {
    let code = Code::parse(&image.disassembly(sh)?)?;
    let frames = frames(image.bytes(".stack_sizes"))?;
    let words = [".rodata", ".data"].into_iter().flat_map(|name| words(image.bytes(name)));
    code.bound(&frames, &words.collect()).context("the stack has no bound")
}

/// What the core stores on the stack before it calls the handler of an interrupt, with the word that aligns it.
const INTERRUPT: u64 = 36;

/// Returns the bound of an image of a program in C: the need of the function that runs first, and what the deepest of
/// the handlers adds. The handlers don't interrupt each other.
///
/// `usage` is what GCC's `-fstack-usage` lists, since it emits no section with the sizes.
///
/// # Errors
///
/// Fails if there is no bound.
pub fn bound_in_c(
    sh: &Shell,
    image: &Image,
    usage: &str,
    first: &str,
    handlers: &[&str],
) -> Result<u64> {
    let code = Code::parse(&image.disassembly(sh)?)?;
    let mut frames = frames(image.bytes(".stack_sizes"))?;
    frames.extend(code.listed(usage)?);
    let words = [".rodata", ".data"].into_iter().flat_map(|name| words(image.bytes(name)));
    let words = words.collect();
    let need = |name: &str| Ok(code.bound_from(code.address(name)?, &frames, &words)?.bytes);
    let handlers: Result<Vec<u64>> = handlers.iter().copied().map(need).collect();
    let deepest = handlers?.into_iter().max().map_or(0, |handler| handler + INTERRUPT);
    Ok(need(first)? + deepest)
}

/// Machine code. Functions are identified by their addresses, since a function may have several names.
#[derive(Debug, Default)]
struct Code {
    functions: BTreeMap<u32, Function>,
    /// The constants in the code that may be the lower half of an address.
    halves: HashSet<u32>,
}

#[derive(Debug, Default)]
struct Function {
    name: String,
    calls: Vec<u32>,
    calls_pointer: bool,
}

impl Code {
    /// Parses what llvm-objdump prints.
    fn parse(disassembly: &str) -> Result<Self> {
        let mut code = Self::default();
        let mut at = None;
        for line in disassembly.lines() {
            if let Some((address, name)) = label(line) {
                code.functions.insert(address, Function { name, ..<_>::default() });
                at = Some(address);
                continue;
            }
            let Some((mnemonic, operands)) = instruction(line) else { continue };
            let function = at.and_then(|at| code.functions.get_mut(&at));
            let (Some(at), Some(function)) = (at, function) else { continue };
            let first = operands.first().copied().unwrap_or_default();
            match mnemonic {
                "bl" | "blx" if is_register(first) => function.calls_pointer = true,
                "bx" => function.calls_pointer |= first != "lr",
                "movw" => code.halves.extend(operands.get(1).and_then(|half| immediate(half))),
                _ if mnemonic.starts_with('b') || mnemonic.starts_with("cb") => {
                    let Some(callee) = callee(&operands).with_context(|| line.to_string())? else {
                        continue;
                    };
                    // A jump to its own beginning is a loop, unless it is a call.
                    if callee != at || mnemonic == "bl" {
                        function.calls.push(callee);
                    }
                }
                _ => {}
            }
        }
        Ok(code)
    }

    /// Returns the bound, with the sizes of the frames by the addresses of their functions, and the words in memory.
    fn bound(&self, frames: &HashMap<u32, u64>, words: &HashSet<u32>) -> Result<Bound> {
        let is_main = |function: &Function| function.name.ends_with("__cortex_m_rt_main");
        let main = self.functions.iter().find(|(_, function)| is_main(function));
        let (&main, _) = main.context("main is not in the code")?;
        self.bound_from(main, frames, words)
    }

    /// Returns the bound of what this function calls, itself included.
    fn bound_from(
        &self,
        main: u32,
        frames: &HashMap<u32, u64>,
        words: &HashSet<u32>,
    ) -> Result<Bound> {
        let mut walk = Walk { code: self, frames, needs: <_>::default(), largest: (0, "") };
        let need = walk.need(main)?;
        let mut bytes = need.whole;
        let (mut ways, mut last) = (0, None);
        for address in self.functions.keys() {
            // Thumb code is called at its address plus one. The halves suffice, since the flash has only 256 KiB.
            let pointer = address + 1;
            let is_taken = words.contains(&pointer) || self.halves.contains(&(pointer & 0xFFFF));
            if is_taken && frames.contains_key(address) {
                let need = walk.need(*address)?;
                ways += need.way.unwrap_or(0);
                last = last.max(Some(need.whole));
            }
        }
        if let Some(way) = need.way {
            let last = last.context("a call through a pointer, and no function to be called")?;
            bytes = bytes.max(way + ways + last);
        }
        let (largest_frame, name) = walk.largest;
        Ok(Bound { bytes, largest_frame, largest_name: name.into() })
    }
}

impl Code {
    /// Returns the address of the function with this name.
    fn address(&self, name: &str) -> Result<u32> {
        let found = self.functions.iter().find(|(_, function)| function.name == name);
        found.map(|(address, _)| *address).with_context(|| format!("{name} is not in the code"))
    }

    /// Returns the frames that GCC has listed: on each line the place and the name of a function, the size of its frame,
    /// and whether that size is fixed.
    fn listed(&self, usage: &str) -> Result<HashMap<u32, u64>> {
        let mut sizes = HashMap::new();
        for line in usage.lines() {
            let mut fields = line.split('\t');
            let name = fields.next().and_then(|place| place.rsplit(':').next());
            let size = fields.next().and_then(|size| size.parse::<u64>().ok());
            let (name, size) = name.zip(size).with_context(|| line.to_string())?;
            ensure!(fields.next() == Some("static"), "the size of a frame is not fixed: {line}");
            let size_of_name = sizes.entry(name).or_insert(size);
            *size_of_name = size.max(*size_of_name);
        }
        let frame = |(address, function): (&u32, &Function)| {
            sizes.get(function.name.as_str()).map(|size| (*address, *size))
        };
        Ok(self.functions.iter().filter_map(frame).collect())
    }
}

/// Returns the address and the name of the function that begins on this line. A name that begins with a dollar sign
/// marks data, not a function.
fn label(line: &str) -> Option<(u32, String)> {
    let (address, name) = line.strip_suffix(">:")?.split_once(" <")?;
    let address = u32::from_str_radix(address, 16).ok()?;
    (!name.starts_with('$')).then(|| (address, format!("{:#}", demangle(name))))
}

/// Returns the mnemonic and the operands of an instruction. Data among the instructions has its bytes before a
/// directive.
fn instruction(line: &str) -> Option<(&str, Vec<&str>)> {
    let (_address, text) = line.split_once(':')?;
    let is_data = text.split_whitespace().any(|field| field.starts_with('.'));
    let mut fields = text.split_whitespace();
    fields.next().filter(|_| !is_data).map(|mnemonic| (mnemonic, fields.collect()))
}

fn is_register(operand: &str) -> bool {
    let number = operand.strip_prefix('r').and_then(|number| number.parse::<u8>().ok());
    number.is_some() || ["lr", "ip"].contains(&operand)
}

/// Returns the value of a constant, which versions of llvm-objdump print differently.
fn immediate(operand: &str) -> Option<u32> {
    let number = operand.strip_prefix('#')?;
    match number.strip_prefix("0x") {
        Some(number) => u32::from_str_radix(number, 16).ok(),
        None => number.parse().ok(),
    }
}

/// Returns the function that a branch reaches, or `None` if the branch stays within a function, or if the instruction
/// is not a branch.
fn callee(operands: &[&str]) -> Result<Option<u32>> {
    let Some(at) = operands.iter().position(|operand| operand.starts_with("0x")) else {
        return Ok(None);
    };
    let name = operands.get(at + 1).and_then(|name| name.strip_prefix('<')?.strip_suffix('>'));
    let name = name.context("a branch to a place without a name")?;
    if name.contains('+') || name.starts_with('$') {
        return Ok(None);
    }
    Ok(Some(u32::from_str_radix(&operands[at][2..], 16)?))
}

/// Parses the section `.stack_sizes`: the address of each function, and the size of its frame in LEB128.
fn frames(mut section: &[u8]) -> Result<HashMap<u32, u64>> {
    let mut frames = HashMap::new();
    while let Some((address, mut rest)) = section.split_first_chunk() {
        let (mut size, mut shift) = (0, 0);
        loop {
            let (byte, after) = rest.split_first().context("a size of a stack frame is cut off")?;
            ensure!(shift < 64, "a size of a stack frame is too large");
            size |= u64::from(byte & 0x7F) << shift;
            shift += 7;
            rest = after;
            if byte & 0x80 == 0 {
                break;
            }
        }
        // The lowest bit marks Thumb code.
        let frame = frames.entry(u32::from_le_bytes(*address) & !1).or_default();
        *frame = size.max(*frame);
        section = rest;
    }
    ensure!(section.is_empty(), "the section `.stack_sizes` is cut off");
    Ok(frames)
}

fn words(section: &[u8]) -> impl Iterator<Item = u32> {
    section.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word))
}

/// A walk down the calls.
struct Walk<'a> {
    code: &'a Code,
    frames: &'a HashMap<u32, u64>,
    /// By function; `None` while the walk is in it.
    needs: HashMap<u32, Option<Need>>,
    largest: (u64, &'a str),
}

/// The stack that a function needs, its own frame included.
#[derive(Clone, Copy)]
struct Need {
    /// With all functions that it names.
    whole: u64,
    /// Down to a call through a pointer, if there is one.
    way: Option<u64>,
}

impl Walk<'_> {
    fn need(&mut self, address: u32) -> Result<Need> {
        let function = self.code.functions.get(&address);
        let function = function.with_context(|| format!("there is no code at {address:#x}"))?;
        let name = &function.name;
        if let Some(need) = self.needs.get(&address) {
            return need.with_context(|| format!("recursion through {name}"));
        }
        let frame = self.frames.get(&address);
        let frame =
            *frame.with_context(|| format!("the stack frame of {name} has no known size"))?;
        if name.contains("tautline::") && frame > self.largest.0 {
            self.largest = (frame, name);
        }
        self.needs.insert(address, None);
        let mut below = Need { whole: 0, way: function.calls_pointer.then_some(0) };
        for callee in &function.calls {
            let Need { whole, way } = self.need(*callee)?;
            below = Need { whole: below.whole.max(whole), way: below.way.max(way) };
        }
        let need = Need { whole: below.whole + frame, way: below.way.map(|way| way + frame) };
        self.needs.insert(address, Some(need));
        Ok(need)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the form of llvm-objdump 14.
    const CODE: &str = "
image:\tfile format elf32-littlearm

Disassembly of section .text:

00000400 <Reset>:
     400:      \tbl\t0x410 <main> @ imm = #12
     404:      \tb\t0x404 <Reset+0x4> @ imm = #-4

00000410 <main>:
     410:      \tpush\t{r7, lr}
     412:      \tbl\t0x420 <_RNvCs1_5image18___cortex_m_rt_main> @ imm = #10
     416:      \tudf\t#254

00000420 <_RNvCs1_5image18___cortex_m_rt_main>:
     420:      \tpush\t{r4, lr}
     422:      \tcbz\tr0, 0x42a <_RNvCs1_5image18___cortex_m_rt_main+0xa> @ imm = #4
     424:      \tbic\tr0, r0, #1
     428:      \tbl\t0x440 <_RNvCs2_8tautline4deep> @ imm = #20
     42c:      \tbl\t0x450 <_RNvCs2_8tautline4wide> @ imm = #32
     430:      \tb\t0x420 <_RNvCs1_5image18___cortex_m_rt_main> @ imm = #-20

00000434 <$d.1>:
     434:\tb4 9f 00 00\t.word\t0x00009fb4

00000440 <_RNvCs2_8tautline4deep>:
     440:      \tb.w\t0x460 <leaf> @ imm = #28

00000450 <_RNvCs2_8tautline4wide>:
     450:      \tbx\tlr

00000460 <leaf>:
     460:      \tbeq\t0x462 <leaf+0x2> @ imm = #-2
     462:      \tbx\tlr
";

    const FRAMES: [(u32, u64); 6] =
        [(0x400, 0), (0x410, 8), (0x420, 100), (0x440, 20), (0x450, 24), (0x460, 7)];

    fn bound_of(code: &str, words: &[u32]) -> Result<Bound> {
        Code::parse(code)?.bound(&FRAMES.into(), &words.iter().copied().collect())
    }

    fn with(instruction: &str) -> String {
        let code = format!("     440:      \t{instruction}\n     442:      \tb.w\t0x460 <leaf>");
        CODE.replace("     440:      \tb.w\t0x460 <leaf> @ imm = #28", &code)
    }

    fn error(result: Result<Bound>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn deepest_chain() {
        let bound = bound_of(CODE, &[]).unwrap();
        let largest_name = "tautline::wide".into();
        assert_eq!(bound, Bound { bytes: 127, largest_frame: 24, largest_name });
    }

    #[test]
    fn frames_that_gcc_lists() {
        let code = Code::parse(CODE).unwrap();
        let usage = "a.c:3:5:leaf\t24\tstatic\nb.c:1:1:leaf\t8\tstatic\nb.c:2:1:gone\t4\tstatic\n";
        assert_eq!(code.listed(usage).unwrap(), HashMap::from([(0x460, 24)]));
        for wrong in ["a.c:3:5:leaf\t24\tdynamic", "a.c:3:5:leaf\tmany\tstatic", "leaf"] {
            assert!(code.listed(wrong).is_err(), "{wrong}");
        }
        assert_eq!(code.address("leaf").unwrap(), 0x460);
        assert!(code.address("nothing").is_err());
        let need = code.bound_from(0x440, &FRAMES.into(), &HashSet::new()).unwrap();
        assert_eq!(need.bytes, 27);
    }

    #[test]
    fn recursion() {
        for call in [
            "bl\t0x440 <_RNvCs2_8tautline4deep>",
            "beq\t0x420 <_RNvCs1_5image18___cortex_m_rt_main>",
        ] {
            let error = error(bound_of(&with(call), &[]));
            assert!(error.starts_with("recursion through "), "{error}");
        }
        // This is a loop.
        assert_eq!(bound_of(&with("b\t0x440 <_RNvCs2_8tautline4deep>"), &[]).unwrap().bytes, 127);
    }

    #[test]
    fn calls_through_pointers() {
        for call in ["blx\tr3", "bx\tr12", "blx\tip", "bl\tlr"] {
            let code = with(call);
            let error = error(bound_of(&code, &[]));
            assert_eq!(error, "a call through a pointer, and no function to be called");
            // The way to the call, and the called function.
            assert_eq!(bound_of(&code, &[0x451]).unwrap().bytes, 120 + 24);
            // Two functions may be called. One of them has a way of its own to another call.
            assert_eq!(bound_of(&code, &[0x451, 0x441]).unwrap().bytes, 120 + 20 + 27);
            // An address without the bit of Thumb code is something else.
            assert!(bound_of(&code, &[0x450]).is_err());
        }
        assert_eq!(bound_of(&with("bx\tlr"), &[]).unwrap().bytes, 127);
        // A pointer that is never called.
        assert_eq!(bound_of(CODE, &[0x451]).unwrap().bytes, 127);
    }

    #[test]
    fn calls_through_pointers_from_empty_frames() {
        let mut frames: HashMap<u32, u64> = FRAMES.into();
        frames.insert(0x440, 0);
        let code = Code::parse(&with("bx\tr3")).unwrap();
        assert_eq!(code.bound(&frames, &HashSet::from([0x451])).unwrap().bytes, 100 + 24);
    }

    #[test]
    fn addresses_in_halves() {
        for half in ["movw\tr0, #1105", "movw\tr0, #0x451"] {
            let code = with(half).replace("\tbx\tlr", "\tbx\tr0");
            // `wide` calls through a pointer, and is the only one that can be called.
            assert_eq!(bound_of(&code, &[]).unwrap().bytes, 127 + 24 + 24, "{half}");
        }
    }

    #[test]
    fn unknown_frames() {
        let mut frames: HashMap<u32, u64> = FRAMES.into();
        frames.remove(&0x460);
        let code = Code::parse(CODE).unwrap();
        let error = error(code.bound(&frames, &HashSet::new()));
        assert_eq!(error, "the stack frame of leaf has no known size");
    }

    #[test]
    fn unknown_code() {
        let error = error(bound_of(&with("bl\t0x600 <nothing>"), &[]));
        assert_eq!(error, "there is no code at 0x600");
        assert!(Code::parse(&with("bl\t0x600")).is_err());
        let error = self::error(bound_of("00000400 <Reset>:\n", &[]));
        assert_eq!(error, "main is not in the code");
    }

    #[test]
    fn stack_sizes() {
        let section = [0x01, 0x04, 0, 0, 0x08, 0x41, 0x04, 0, 0, 0xB8, 0x02];
        assert_eq!(frames(&section).unwrap(), HashMap::from([(0x400, 8), (0x440, 0x138)]));
        for cut in [1, 4, 6, 9, 10] {
            assert!(frames(&section[..cut]).is_err(), "{cut}");
        }
    }

    #[test]
    fn words_in_memory() {
        let words: Vec<u32> = words(&[0x51, 0x04, 0, 0, 0xFF, 0, 0, 0x80, 1]).collect();
        assert_eq!(words, [0x451, 0x8000_00FF]);
    }
}
