//! Hashes of texts and values, for comparisons that do not store them. They guard against accidental collisions, not
//! deliberate ones.

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;
#[cfg(feature = "alloc")]
use alloc::format;
#[cfg(all(feature = "alloc", feature = "shapes"))]
use alloc::string::String;

use tautline::RawStr;

/// The length up to which a name is kept as it is, in bytes.
#[cfg(feature = "alloc")]
const LONGEST_NAME: usize = 128;

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

/// Returns a hash of the bytes, eight at a time.
#[cfg(feature = "alloc")]
pub(crate) fn of_words(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let rest = rest.iter().fold(1, |rest: u64, byte| rest << 8 | u64::from(*byte));
    words.iter().fold(mix(rest), |hash, word| mix(hash ^ u64::from_le_bytes(*word)))
}

/// Mixes the bits of a hash (`SplitMix64`).
pub(crate) const fn mix(hash: u64) -> u64 {
    let mut hash = hash;
    hash = (hash ^ hash >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    hash ^ hash >> 31
}

/// Returns a text that stands for a string: the decoded string, or a hash of a long one.
#[cfg(all(feature = "alloc", feature = "shapes"))]
pub(crate) fn name_of(text: RawStr<'_>) -> String {
    brief(text).into_owned()
}

/// The same, borrowed if it is the string.
#[cfg(feature = "alloc")]
pub(crate) fn brief(text: RawStr<'_>) -> Cow<'_, str> {
    match text.decode() {
        Ok(Cow::Borrowed(text)) => shortened(text),
        Ok(Cow::Owned(text)) => shortened(&text).into_owned().into(),
        // A string with an unpaired surrogate is the same only in the same spelling.
        Err(_) => {
            let text = core::str::from_utf8(text.escaped_bytes()).unwrap_or_default();
            shortened(&format!("\\{text}")).into_owned().into()
        }
    }
}

/// Returns the text, or its length and hash if it is long.
#[cfg(feature = "alloc")]
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    // FNV-1a.
    const START: u128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    if text.len() <= LONGEST_NAME {
        return text.into();
    }
    let add = |hash: u128, byte: u8| (hash ^ u128::from(byte)).wrapping_mul(PRIME);
    let hash = text.bytes().fold(START, add);
    format!("#{} {hash:x}", text.len()).into()
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::{of_words, shortened};

    #[test]
    fn every_byte_counts() {
        let bytes = [0; 40];
        for length in 0..bytes.len() {
            let hash = of_words(&bytes[..length]);
            assert_ne!(hash, of_words(&bytes[..length + 1]), "{length}");
            for at in 0..length {
                let mut others = bytes;
                others[at] = 1;
                assert_ne!(hash, of_words(&others[..length]), "{at} of {length}");
            }
        }
    }

    #[test]
    fn long_texts_are_kept_as_hashes() {
        let (long, other) = ("a".repeat(1000), "b".repeat(1000));
        assert_eq!(shortened("short"), "short");
        assert_eq!(shortened(&long), shortened(&long.clone()));
        assert_ne!(shortened(&long), shortened(&other));
        assert!(shortened(&long).len() < 50);
    }
}
