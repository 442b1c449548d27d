//! A machine that handles one byte at a time, for tests, and for targets that have no vectors.

use super::bits::BLOCK;
use super::lanes::Lanes;

#[derive(Clone, Copy, Debug)]
pub(super) struct OneByOne {
    pub(super) gathers: bool,
}

type Bytes = [u8; BLOCK];

fn each(one: Bytes, other: Bytes, work: impl Fn(u8, u8) -> u8) -> Bytes {
    let mut bytes = one;
    bytes.iter_mut().zip(other).for_each(|(byte, other)| *byte = work(*byte, other));
    bytes
}

const fn truth(is: bool) -> u8 {
    if is { 0xFF } else { 0 }
}

impl Lanes for OneByOne {
    type Bytes = Bytes;

    type Wider = Self;

    fn detect() -> Option<Self> {
        None
    }

    fn apart<R>(self, work: impl FnOnce() -> R) -> R {
        work()
    }

    fn load(self, block: &Bytes) -> Bytes {
        *block
    }

    fn and(self, one: Bytes, other: Bytes) -> Bytes {
        each(one, other, |one, other| one & other)
    }

    fn or(self, one: Bytes, other: Bytes) -> Bytes {
        each(one, other, |one, other| one | other)
    }

    fn xor(self, one: Bytes, other: Bytes) -> Bytes {
        each(one, other, |one, other| one ^ other)
    }

    fn same(self, one: Bytes, other: Bytes) -> Bytes {
        each(one, other, |one, other| truth(one == other))
    }

    fn splat(self, byte: u8) -> Bytes {
        [byte; BLOCK]
    }

    fn less(self, bytes: Bytes, byte: u8) -> Bytes {
        bytes.map(|other| other.saturating_sub(byte))
    }

    fn below_or_beyond_ascii(self, bytes: Bytes, byte: u8) -> Bytes {
        bytes.map(|other| truth(other < byte || other >= 0x80))
    }

    fn upper(self, bytes: Bytes) -> Bytes {
        bytes.map(|byte| byte >> 4)
    }

    fn look_up(self, table: &[u8; 16], bytes: Bytes) -> Bytes {
        bytes.map(|byte| table.get(usize::from(byte & 0xF)).copied().unwrap_or(0))
    }

    fn mask(self, found: Bytes) -> u64 {
        self.bit::<7>(found)
    }

    fn bit<const BIT: u32>(self, bytes: Bytes) -> u64 {
        bytes.iter().rev().fold(0, |mask, byte| mask << 1 | u64::from(byte >> BIT & 1))
    }

    fn are_zero(self, bytes: Bytes) -> bool {
        bytes == [0; BLOCK]
    }

    fn gathers(self) -> bool {
        self.gathers
    }

    fn gather(self, bits: u64, places: u64) -> u64 {
        let mut left = places;
        let mut gathered = 0;
        while left != 0 {
            let place = 63 ^ left.leading_zeros();
            gathered = gathered << 1 | bits >> place & 1;
            left ^= 1 << place;
        }
        gathered
    }
}
