//! Kernels for vector units: the only module of the crate with `unsafe` code.
//!
//! Calling a function compiled for instructions that not every machine has requires `unsafe`. Each back end
//! is a token that exists only if those instructions are available, so holding one makes the call sound.
//! Loads go through slices. Other uses of `unsafe` are the prefetch of x86-64, which takes a pointer, and the
//! questions to its processor.
//!
//! A target has at most one vector unit, its [`Unit`]. On x86-64 it is [detected](detect) at run time.
//! Elsewhere it is used only if the whole crate is compiled for it.

#![allow(unsafe_code, reason = "entering functions that are compiled for a vector unit")]

#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128"),
)))]
mod absent;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod bytes;
#[cfg(target_arch = "x86_64")]
mod detect;
#[cfg(not(target_arch = "x86_64"))]
mod everywhere;
#[cfg(target_arch = "x86_64")]
pub(crate) mod find;
#[cfg(any(
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128"),
))]
mod lanes;
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
mod neon;
#[cfg(target_arch = "x86_64")]
mod numbers;
#[cfg(target_arch = "x86_64")]
mod pext;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
mod vectors;

#[cfg(target_arch = "x86_64")]
pub(crate) use bytes::Avx2 as Unit;
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
pub(crate) type Unit = everywhere::Everywhere<neon::Neon>;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) type Unit = everywhere::Everywhere<simd128::Simd128>;
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128"),
)))]
pub(crate) type Unit = everywhere::Everywhere<absent::Absent>;

#[cfg(test)]
mod tests {
    use super::super::bits::BLOCK;
    use super::super::bits::one_by_one;
    use super::super::blocks::tests::check;
    use super::Unit;
    use super::vectors::Vectors;

    fn check_more(vectors: impl Vectors, block: &[u8; BLOCK]) {
        let text = one_by_one::text(block);
        let mut seen = vectors.text(block);
        if text.backslashes == 0 {
            // Bytes that may follow a backslash are not computed for a block without backslashes.
            (seen.simple, seen.unicode) = (text.simple, text.unicode);
        }
        assert_eq!(seen, text, "{block:?}");
        for open in [b'{', b'['] {
            assert_eq!(vectors.delimiters(block, open), one_by_one::delimiters(block, open));
        }
        assert_eq!(vectors.hex_digits(block), one_by_one::hex_digits(block), "{block:?}");
        assert_eq!(vectors.units(block), one_by_one::units(block), "{block:?}");
        assert_eq!(vectors.rare_units(block), one_by_one::rare_units(block), "{block:?}");

        let is_odd = text.quotes | text.backslashes | text.controls != 0;
        for half in 0..2 {
            let mut both = [b'a'; 2 * BLOCK];
            both[half * BLOCK..][..BLOCK].copy_from_slice(block);
            assert_eq!(vectors.odd(&both), (is_odd, text.beyond_ascii != 0), "{block:?}");
        }
    }

    #[test]
    fn every_byte_in_every_place() {
        let Some(unit) = Unit::detect() else { return };
        #[cfg(not(target_arch = "x86_64"))]
        let unit = unit.0;
        for block in one_by_one::blocks() {
            check(unit, &block);
            check_more(unit, &block);
        }
    }
}
