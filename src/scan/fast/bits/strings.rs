//! The contents of strings.

/// Masks of the delimiters in a block: quotes, brackets, and the backslashes that may escape a quote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Delimiters {
    pub(in super::super) quotes: u64,
    pub(in super::super) backslashes: u64,
    /// Opening brackets of one kind.
    pub(in super::super) opening: u64,
    /// Closing brackets of that kind.
    pub(in super::super) closing: u64,
    /// Colons and all brackets of that kind.
    pub(in super::super) marks: u64,
}

impl Delimiters {
    /// Returns the masks without the first `before` bytes.
    pub(in super::super) const fn after(self, before: u32) -> Self {
        Self {
            quotes: self.quotes >> before,
            backslashes: self.backslashes >> before,
            opening: self.opening >> before,
            closing: self.closing >> before,
            marks: self.marks >> before,
        }
    }
}

/// The strings of a text, from one block to the next.
#[derive(Debug, Default)]
pub(in super::super) struct Strings {
    /// All ones if the next block begins inside a string.
    inside: u64,
    /// One if the first byte of the next block is escaped.
    carry: u64,
}

impl Strings {
    /// Returns whether the next block begins inside a string, and not inside an escape.
    #[inline(always)]
    pub(in super::super) const fn is_plain(&self) -> bool {
        self.inside != 0 && self.carry == 0
    }

    /// Returns the distance from the start of the next block to the first byte that is not escaped.
    #[inline(always)]
    pub(in super::super) const fn carry(&self) -> u64 {
        self.carry
    }

    /// Returns the quotes of the next block that are not escaped.
    #[inline(always)]
    pub(in super::super) fn delimiting(&mut self, quotes: u64, backslashes: u64) -> u64 {
        let is_escaped = if backslashes == 0 {
            core::mem::take(&mut self.carry)
        } else {
            escaped(backslashes, &mut self.carry)
        };
        quotes & !is_escaped
    }

    /// Returns the quotes that begin or end a string, and the bytes of strings with their opening quotes. `parity` marks
    /// the places with an odd number of bits up to and including them.
    #[inline(always)]
    pub(in super::super) fn next(
        &mut self,
        block: &Delimiters,
        parity: impl FnOnce(u64) -> u64,
    ) -> (u64, u64) {
        let quotes = self.delimiting(block.quotes, block.backslashes);
        let inside = parity(quotes) ^ self.inside;
        self.inside = 0_u64.wrapping_sub(inside >> 63);
        (quotes, inside)
    }
}

/// Marks the bytes that follow an unescaped backslash. If the carry is one, the first byte is marked.
#[inline(always)]
pub(in super::super) const fn escaped(backslashes: u64, carry: &mut u64) -> u64 {
    const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    // An escaped backslash does not begin a run.
    let here = backslashes & !*carry;
    // Subtracting a run of backslashes from the bit after it borrows along the run and flips every second
    // bit. Which bits flip depends on where the run begins. The XOR with the odd positions cancels that.
    let alternating = (here << 1 | ODD).wrapping_sub(here) ^ ODD;
    let follow = alternating ^ here;
    let escaped = follow | *carry;
    *carry = (here & !follow) >> 63;
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::one_by_one::Random;
    use super::escaped;

    #[test]
    fn every_second_backslash_of_a_run_is_escaped() {
        let mut random = Random(1);
        for _ in 0..100_000 {
            let dense = (random.next() as u64) << 33 ^ random.next() as u64;
            let backslashes = dense | dense << 1 & (random.next() as u64) << 20;
            let mut carry = random.next() as u64 & 1;
            let (mut expected, mut is_escaped) = (0, carry == 1);
            for at in 0..64 {
                expected |= u64::from(is_escaped) << at;
                is_escaped = !is_escaped && backslashes >> at & 1 == 1;
            }
            assert_eq!(escaped(backslashes, &mut carry), expected, "{backslashes:b}");
            assert_eq!(carry, u64::from(is_escaped), "{backslashes:b}");
        }
    }
}
