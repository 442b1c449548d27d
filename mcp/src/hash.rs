//! Hashes of texts and values, for comparisons that do not store them. They guard against accidental collisions, not
//! deliberate ones.

use tautline::RawStr;

/// Returns a hash of the decoded text: FNV-1a over its characters, then mixed. Without mixing, sums of the hashes of
/// numbered names would be equal.
pub(crate) fn of_text(text: RawStr<'_>) -> u64 {
    let mut characters = text.chars();
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    while let Some(character) = characters.value() {
        hash = (hash ^ u64::from(character)).wrapping_mul(0x0100_0000_01B3);
    }
    mix(hash)
}

/// Returns a hash of the bytes.
#[cfg(feature = "alloc")]
pub(crate) fn of_bytes(bytes: &[u8]) -> u64 {
    let add = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
    mix(bytes.iter().fold(0xCBF2_9CE4_8422_2325, add))
}

/// Mixes the bits of a hash (`SplitMix64`).
pub(crate) const fn mix(hash: u64) -> u64 {
    let mut hash = hash;
    hash = (hash ^ hash >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    hash ^ hash >> 31
}
