//! The grammar of JSON on bytes, one bit for each.
//!
//! A token is an operator (a bracket, a colon or a comma), a string, or a scalar. Between two operators in a row is at
//! most one value, so most rules are about an operator and the one before it. Adding the byte after an operator to the
//! bytes that are no operators carries to the next operator, however far that is. No rule here counts brackets. The rules
//! make sure that the tokens between two brackets in a row are what only an object or only an array may hold.
//! [Brackets](super::brackets) compare this with the container that is really open.
//!
//! The passes go over all blocks, and have no branches, so that compilers turn them into vector instructions.

use super::masks::{MOST, PerBlock};

/// A mask for each block, after that of the block before.
type Row = [u64; MOST + 1];

/// The busy blocks of a window, one after another.
#[derive(Debug)]
pub(super) struct Tokens {
    /// The number of blocks.
    pub(super) count: usize,
    pub(super) quotes: PerBlock,
    pub(super) inside: PerBlock,
    pub(super) brackets: PerBlock,
    pub(super) bit5: PerBlock,
    pub(super) bit1: PerBlock,
    pub(super) spaces: PerBlock,
    operators: PerBlock,
    pub(super) scalars: Row,
    colons: Row,
    may_name: Row,
    must_name: Row,
    dues: Row,
    pub(super) opening: Row,
    closing: Row,
    strings: Row,
    after_colon: PerBlock,
    after_may: PerBlock,
    after_must: PerBlock,
    due: PerBlock,
    opened: PerBlock,
    after_closing: PerBlock,
    string: PerBlock,
    pub(super) in_object: PerBlock,
    carries: [u64; 7],
}

/// The place where the scan begins.
#[derive(Clone, Copy, Debug)]
pub(super) enum Start {
    /// At a name in an object.
    Name,
    /// At an element of an array that is not its first.
    Element,
}

const NONE: PerBlock = [0; MOST];

impl Tokens {
    pub(super) const fn new(start: Start) -> Self {
        const ROW: Row = [0; MOST + 1];
        const LAST: Row = {
            let mut row = ROW;
            row[0] = 1 << 63;
            row
        };
        Self {
            count: 0,
            quotes: NONE,
            inside: NONE,
            brackets: NONE,
            bit5: NONE,
            bit1: NONE,
            spaces: NONE,
            operators: NONE,
            scalars: ROW,
            colons: ROW,
            may_name: ROW,
            must_name: if matches!(start, Start::Name) { LAST } else { ROW },
            dues: LAST,
            opening: ROW,
            closing: ROW,
            strings: ROW,
            after_colon: NONE,
            after_may: NONE,
            after_must: NONE,
            due: NONE,
            opened: NONE,
            after_closing: NONE,
            string: NONE,
            in_object: NONE,
            carries: [0; 7],
        }
    }

    /// Checks the blocks against the grammar. Returns whether a token is wrong.
    #[inline(always)]
    pub(super) fn judge(&mut self) -> bool {
        let n = self.count.min(MOST);
        if n == 0 {
            return false;
        }
        let mut any_spaces = 0;
        for i in 0..n {
            let inside = self.inside[i];
            let quotes = self.quotes[i];
            let brackets = self.brackets[i] & !inside;
            let separators = self.bit5[i] & !inside & !self.brackets[i];
            let bit1 = self.bit1[i];
            let spaces = self.spaces[i] & !inside;
            any_spaces |= spaces;
            self.scalars[i + 1] = !(inside | quotes | self.brackets[i] | self.bit5[i] | spaces);
            self.brackets[i] = brackets;
            self.operators[i] = brackets | separators;
            self.spaces[i] = spaces;
            self.colons[i + 1] = separators & bit1;
            self.dues[i + 1] = separators | brackets & bit1;
            self.opening[i + 1] = brackets & bit1;
            self.closing[i + 1] = brackets & !bit1;
            self.strings[i + 1] = quotes & !inside;
        }
        let [colon, may, must, due, opened, closing, string] = &mut self.carries;
        skip(&self.colons, &self.operators, n, colon, &mut self.after_colon);
        if any_spaces == 0 && *due | *opened | *closing | *string == 0 {
            shift(&self.closing, n, &mut self.after_closing);
            shift(&self.dues, n, &mut self.due);
            shift(&self.opening, n, &mut self.opened);
            shift(&self.strings, n, &mut self.string);
        } else {
            for i in 0..n {
                self.spaces[i] = !self.spaces[i];
            }
            skip(&self.closing, &self.spaces, n, closing, &mut self.after_closing);
            skip(&self.dues, &self.spaces, n, due, &mut self.due);
            skip(&self.opening, &self.spaces, n, opened, &mut self.opened);
            skip(&self.strings, &self.spaces, n, string, &mut self.string);
        }
        for i in 0..n {
            let commas = self.operators[i] & !(self.brackets[i] | self.colons[i + 1]);
            self.may_name[i + 1] = self.opening[i + 1] & self.bit5[i] | commas & self.after_closing[i];
            self.must_name[i + 1] = commas & self.after_colon[i];
        }
        skip(&self.may_name, &self.operators, n, may, &mut self.after_may);
        skip(&self.must_name, &self.operators, n, must, &mut self.after_must);
        let mut all = 0;
        for i in 0..n {
            let inside = self.inside[i];
            let scalars = self.scalars[i + 1];
            let first = scalars & !next(&self.scalars, i);
            let values = self.quotes[i] & inside | first;
            let (opening, closing) = (self.opening[i + 1], self.closing[i + 1]);
            let colons = self.colons[i + 1];
            let after_colon = self.after_colon[i];
            let bit5 = self.bit5[i];
            // A value begins after every operator but a closing bracket, and nowhere else. Only an empty container has
            // none.
            let empty = closing & self.opened[i];
            let mut wrong = ((values | opening) ^ self.due[i]) & !empty;
            // A colon follows a name, which is a string. A name follows an opening curly bracket or a comma. If the
            // comma is after a member, it is followed by a name and a colon.
            wrong |= colons & !self.string[i];
            wrong |= (colons ^ self.after_must[i]) & !self.after_may[i];
            // The bracket that closes after a scalar or a string is curly exactly if the scalar or string was a
            // member's value.
            wrong |= closing & !(self.after_closing[i] | empty) & (bit5 ^ after_colon);
            self.in_object[i] = opening & after_colon | closing & bit5;
            all |= wrong;
        }
        if n > 0 {
            for row in [
                &mut self.scalars,
                &mut self.colons,
                &mut self.may_name,
                &mut self.must_name,
                &mut self.dues,
                &mut self.opening,
                &mut self.closing,
                &mut self.strings,
            ] {
                row[0] = row[n];
            }
        }
        all != 0
    }
}

#[inline(always)]
fn next(row: &Row, i: usize) -> u64 {
    row[i + 1] << 1 | row[i] >> 63
}

#[inline(always)]
fn shift(row: &Row, n: usize, to: &mut PerBlock) {
    for i in 0..n {
        to[i] = next(row, i);
    }
}

/// Marks the byte after each of these bytes, or if that is to be skipped, the first byte after it to stop at.
#[inline(always)]
fn skip(row: &Row, stops: &PerBlock, n: usize, carry: &mut u64, to: &mut PerBlock) {
    // The maps of the blocks whose sum carries, and of those whose sum carries if the block before does.
    let (mut carries, mut full) = (0_u64, 0_u64);
    for i in 0..n {
        let from = next(row, i) & !stops[i];
        let sum = from.wrapping_add(!stops[i]);
        to[i] = sum;
        carries |= if sum < from { 1 << i } else { 0 };
        full |= if sum == u64::MAX { 1 << i } else { 0 };
    }
    let into = (carries << 1 | *carry).wrapping_add(full) ^ full;
    *carry = (carries | full & into) >> ((n - 1) & 63) & 1;
    for i in 0..n {
        to[i] = (next(row, i) | to[i].wrapping_add(into >> i & 1)) & stops[i];
    }
}

/// The brackets of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    pub(super) brackets: u64,
    /// Marks the brackets that open a container.
    pub(super) opening: u64,
    /// Marks the curly brackets, among others.
    pub(super) curly: u64,
    /// Marks the brackets in an object: they close the object, or open another container in it.
    pub(super) in_object: u64,
}
