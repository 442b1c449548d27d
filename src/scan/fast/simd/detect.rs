//! Detects at run time which instructions an x86-64 machine has, with and without `std`.
//!
//! The processor answers with CPUID. AVX2 also needs an operating system that keeps the upper halves of the vector
//! registers when it switches between threads, which XGETBV tells. AVX-512 needs one that also keeps the masks and the
//! other new registers. It counts only on processors with VBMI. The older ones run slower while they use it.
//!
//! Code for a target without an operating system may be a kernel that keeps them for its programs, and not for itself.
//! There, only what the crate is compiled for counts. Enclaves of SGX can't ask the processor, and neither can Miri.

use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
use core::sync::atomic::{AtomicU8, Ordering};

/// The features of [`FOUND`], which is 0 until the processor has been asked. That takes long.
const ASKED: u8 = 1;
const AVX2: u8 = 2;
const FAST_PEXT: u8 = 4;
const AVX512: u8 = 8;

static FOUND: AtomicU8 = AtomicU8::new(0);

const BUILT_FOR_AVX2: bool = cfg!(all(
    target_feature = "avx2",
    target_feature = "bmi1",
    target_feature = "bmi2",
    target_feature = "lzcnt",
    target_feature = "popcnt",
    target_feature = "pclmulqdq",
));
const BUILT_FOR_AVX512: bool = BUILT_FOR_AVX2
    && cfg!(all(
        not(miri),
        target_feature = "avx512bw",
        target_feature = "avx512vl",
        target_feature = "avx512vbmi",
    ));
const CAN_ASK: bool = !cfg!(any(target_env = "sgx", miri));
const HAS_SYSTEM: bool = !cfg!(target_os = "none");

/// Returns whether the machine has AVX2, BMI1, BMI2, LZCNT, POPCNT and PCLMULQDQ.
#[inline(always)]
pub(super) fn has_avx2() -> bool {
    BUILT_FOR_AVX2 || found() & AVX2 != 0
}

/// Returns whether a machine with these instructions has a fast `pext`.
#[inline(always)]
pub(super) fn has_fast_pext() -> bool {
    found() & FAST_PEXT != 0
}

/// Returns whether a machine with these instructions has AVX-512 too.
#[inline(always)]
pub(super) fn has_avx512() -> bool {
    found() & AVX512 != 0
}

/// Makes all scans of the process use a fast `pext`, if the machine has one, or not use it. Benchmarks measure with it
/// how the scanner does on other machines.
pub fn set_fast_pext(is_used: bool) {
    set(FAST_PEXT, is_used);
}

/// Does the same for AVX-512.
pub fn set_avx512(is_used: bool) {
    set(AVX512, is_used);
}

fn set(feature: u8, is_used: bool) {
    let found = found();
    let asked = ask();
    let others = found & !feature;
    FOUND.store(if is_used { others | asked & feature } else { others }, Ordering::Relaxed);
}

#[inline(always)]
fn found() -> u8 {
    match FOUND.load(Ordering::Relaxed) {
        0 => ask(),
        known => known,
    }
}

#[cold]
#[inline(never)]
fn ask() -> u8 {
    let processor = if CAN_ASK { Processor::ask() } else { Processor::default() };
    let mut found = ASKED;
    if BUILT_FOR_AVX2 || HAS_SYSTEM && processor.has_avx2() {
        found |= AVX2;
        if !processor.is_microcoded() {
            found |= FAST_PEXT;
        }
        if BUILT_FOR_AVX512 || HAS_SYSTEM && processor.has_avx512() {
            found |= AVX512;
        }
    }
    FOUND.store(found, Ordering::Relaxed);
    found
}

/// The answers of a processor. Those that it does not have are 0.
#[derive(Clone, Copy, Debug, Default)]
struct Processor {
    /// The last four letters of the vendor's name.
    vendor: u32,
    /// The family and the model.
    version: u32,
    /// The registers in which leaves 1, 7 and 0x8000_0001 list features.
    first: u32,
    seventh: u32,
    /// The second register of leaf 7.
    seventh_more: u32,
    extended: u32,
    /// The registers that the operating system keeps.
    kept: u64,
}

impl Processor {
    #[allow(unused_unsafe, reason = "newer compilers know that every machine has CPUID")]
    fn ask() -> Self {
        // SAFETY: every x86-64 machine has CPUID.
        let leaf = |number| unsafe { __cpuid(number) };
        let [name, version] = [leaf(0), leaf(1)];
        let mut processor =
            Self { vendor: name.ecx, version: version.eax, first: version.ecx, ..Self::default() };
        if name.eax >= 7 {
            // SAFETY: as above.
            let leaf = unsafe { __cpuid_count(7, 0) };
            (processor.seventh, processor.seventh_more) = (leaf.ebx, leaf.ecx);
        }
        if leaf(0x8000_0000).eax > 0x8000_0000 {
            processor.extended = leaf(0x8000_0001).ecx;
        }
        if processor.has_xgetbv() {
            // SAFETY: the processor has the instruction, and the operating system lets programs execute it.
            processor.kept = unsafe { _xgetbv(0) };
        }
        processor
    }

    /// True with XSAVE and OSXSAVE.
    const fn has_xgetbv(self) -> bool {
        has(self.first, [26, 27])
    }

    const fn has_avx2(self) -> bool {
        let keeps_vectors = self.kept & 0b110 == 0b110;
        let has_instructions =
            has(self.first, [1, 23, 28]) && has(self.seventh, [3, 5, 8]) && has(self.extended, [5]);
        has_instructions && self.has_xgetbv() && keeps_vectors
    }

    /// True with AVX-512's F, BW, VL and VBMI, if the processor also [has AVX2](Self::has_avx2). Compilers take FMA and F16C
    /// as parts of F.
    const fn has_avx512(self) -> bool {
        let keeps_vectors = self.kept & 0b1110_0110 == 0b1110_0110;
        let has_instructions = has(self.first, [12, 29])
            && has(self.seventh, [16, 30, 31])
            && has(self.seventh_more, [1]);
        has_instructions && keeps_vectors
    }

    /// Returns whether the processor runs `pext` as a loop, as the processors of AMD and of Hygon did before Zen 3. One
    /// `pext` then takes as long as a hundred other instructions.
    const fn is_microcoded(self) -> bool {
        const ZEN_3: u32 = 0x19;
        let is_of_amd = self.vendor == u32::from_le_bytes(*b"cAMD");
        let is_of_hygon = self.vendor == u32::from_le_bytes(*b"uine");
        let family = (self.version >> 8 & 0xF).wrapping_add(self.version >> 20 & 0xFF);
        (is_of_amd || is_of_hygon) && family < ZEN_3
    }
}

/// Returns whether these bits are set.
const fn has<const N: usize>(register: u32, bits: [u32; N]) -> bool {
    let mut left: &[u32] = &bits;
    while let [bit, rest @ ..] = left {
        if register >> (*bit & 31) & 1 == 0 {
            return false;
        }
        left = rest;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::Processor;

    /// Zen 5 under Linux.
    const ZEN_5: Processor = Processor {
        vendor: u32::from_le_bytes(*b"cAMD"),
        version: 0x00B0_0F21,
        first: 0xFEFA_3203,
        seventh: 0xF1BF_07AB,
        seventh_more: 0x0040_5FDE,
        extended: 0x0044_03F3,
        kept: 0xE7,
    };

    #[test]
    fn agrees_with_std() {
        let has_avx2 = std::is_x86_feature_detected!("avx2")
            && std::is_x86_feature_detected!("bmi1")
            && std::is_x86_feature_detected!("bmi2")
            && std::is_x86_feature_detected!("lzcnt")
            && std::is_x86_feature_detected!("popcnt")
            && std::is_x86_feature_detected!("pclmulqdq");
        let has_avx512 = has_avx2
            && std::is_x86_feature_detected!("fma")
            && std::is_x86_feature_detected!("f16c")
            && std::is_x86_feature_detected!("avx512f")
            && std::is_x86_feature_detected!("avx512bw")
            && std::is_x86_feature_detected!("avx512vl")
            && std::is_x86_feature_detected!("avx512vbmi");
        let processor = Processor::ask();
        assert_eq!(processor.has_avx2(), has_avx2, "{processor:x?}");
        assert_eq!(processor.has_avx2() && processor.has_avx512(), has_avx512, "{processor:x?}");
        let is_fast = has_avx2 && !processor.is_microcoded();
        let found = || (super::has_avx2(), super::has_fast_pext(), super::has_avx512());
        // The first call asks, the second one remembers.
        for _ in 0..2 {
            assert_eq!(found(), (has_avx2, is_fast, has_avx512));
        }
        super::set_fast_pext(false);
        assert_eq!(found(), (has_avx2, false, has_avx512));
        super::set_avx512(false);
        assert_eq!(found(), (has_avx2, false, false));
        super::set_fast_pext(true);
        assert_eq!(found(), (has_avx2, is_fast, false));
        super::set_avx512(true);
        assert_eq!(found(), (has_avx2, is_fast, has_avx512));
    }

    #[test]
    fn each_answer_counts() {
        assert!(ZEN_5.has_avx2() && ZEN_5.has_avx512() && !ZEN_5.is_microcoded());
        // A system that keeps no vectors, or only their lower halves.
        for kept in [0, 0b001, 0b011, 0b101] {
            assert!(!Processor { kept, ..ZEN_5 }.has_avx2(), "{kept}");
        }
        for bit in [1, 23, 26, 27, 28] {
            assert!(!Processor { first: ZEN_5.first & !(1 << bit), ..ZEN_5 }.has_avx2(), "{bit}");
        }
        for bit in [3, 5, 8] {
            assert!(!Processor { seventh: ZEN_5.seventh & !(1 << bit), ..ZEN_5 }.has_avx2());
        }
        assert!(!Processor { extended: ZEN_5.extended & !(1 << 5), ..ZEN_5 }.has_avx2());
        for bit in [1, 2, 5, 6, 7] {
            assert!(!Processor { kept: ZEN_5.kept & !(1 << bit), ..ZEN_5 }.has_avx512(), "{bit}");
        }
        for bit in [12, 29] {
            assert!(!Processor { first: ZEN_5.first & !(1 << bit), ..ZEN_5 }.has_avx512(), "{bit}");
        }
        for bit in [16, 30, 31] {
            assert!(!Processor { seventh: ZEN_5.seventh & !(1 << bit), ..ZEN_5 }.has_avx512());
        }
        assert!(!Processor { seventh_more: ZEN_5.seventh_more & !(1 << 1), ..ZEN_5 }.has_avx512());
    }

    #[test]
    fn slow_pext() {
        let zen_2 = Processor { version: 0x0083_0F10, ..ZEN_5 };
        assert!(zen_2.is_microcoded());
        assert!(Processor { vendor: u32::from_le_bytes(*b"uine"), ..zen_2 }.is_microcoded());
        let intel = u32::from_le_bytes(*b"ntel");
        assert!(!Processor { vendor: intel, version: 0x0003_06C3, ..ZEN_5 }.is_microcoded());
        // Zen 3.
        assert!(!Processor { version: 0x00A0_0F11, ..ZEN_5 }.is_microcoded());
    }
}
