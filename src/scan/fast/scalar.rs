//! The back end for machines without vectors, which has a single kernel.

use super::entry::Entry;
use super::kernels::{Kernels, LONG};
use super::word;

/// Scans eight bytes at a time in an integer. It continues token by token where other back ends have kernels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar;

impl Entry for Scalar {}

impl Kernels for Scalar {
    type Near = ();

    #[inline(always)]
    fn short(self, text: &[u8], from: usize, (): &mut ()) -> usize {
        let mut at = from;
        while at.wrapping_sub(from) < LONG {
            let special = word::special_or_beyond_ascii(word::load(text, at));
            if special != 0 {
                return at.wrapping_add(crate::cast::index(word::before(special)));
            }
            at = at.wrapping_add(8);
        }
        at
    }

    #[inline(always)]
    fn text(self, _: &[u8], from: usize) -> usize {
        from
    }

    #[inline(always)]
    fn numbers(self, _: &[u8], from: usize) -> usize {
        from
    }
}
