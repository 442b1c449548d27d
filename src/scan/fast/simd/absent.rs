//! The back end of targets without a supported vector unit.

use super::super::bits::{BLOCK, Decimals, Delimiters, Numbers, RareUnits, Text, Units};
use super::super::blocks::Blocks;
use super::super::structure::Delimited;
use super::everywhere::Built;
use super::vectors::Vectors;

/// The empty type: the proof of a vector unit that cannot exist.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Absent {}

impl Built for Absent {
    const HERE: Option<Self> = None;
}

impl Blocks for Absent {
    fn special(self, _: &[u8; BLOCK]) -> u64 {
        match self {}
    }

    fn numbers(self, _: &[u8; BLOCK]) -> Numbers {
        match self {}
    }

    fn decimals(self, _: &[u8; BLOCK]) -> Decimals {
        match self {}
    }

    fn prefetch(self, _: &[u8], _: usize) {
        match self {}
    }
}

impl Delimited for Absent {
    fn delimiters(self, _: &[u8; BLOCK], _: u8) -> Delimiters {
        match self {}
    }
}

impl Vectors for Absent {
    fn odd(self, _: &[u8; 2 * BLOCK]) -> (bool, bool) {
        match self {}
    }

    fn text(self, _: &[u8; BLOCK]) -> Text {
        match self {}
    }

    fn hex_digits(self, _: &[u8; BLOCK]) -> u64 {
        match self {}
    }

    fn units(self, _: &[u8; BLOCK]) -> Units {
        match self {}
    }

    fn rare_units(self, _: &[u8; BLOCK]) -> RareUnits {
        match self {}
    }
}
