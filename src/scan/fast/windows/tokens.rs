//! The grammar of JSON on bytes, one bit for each.
//!
//! A token is an operator (a bracket, a colon or a comma), a string, or a scalar. Between two operators in a row is at
//! most one value, so most rules are about an operator and the one before it. Adding the byte after an operator to the
//! bytes that are no operators carries to the next operator, however far away that is. The rules make sure that the
//! tokens between two brackets in a row are what only an object or only an array may hold.
//! [Brackets](super::brackets) compare this with the container that is really open.
//!
//! The passes go over all busy blocks and have no branches, so that compilers turn them into vector instructions.

use super::masks::{MOST, PerBlock, bit, of, set};

/// The masks of the busy blocks of a window, without the other blocks. Passes overwrite what is not needed any more.
#[derive(Debug)]
pub(super) struct Tokens {
    /// The number of busy blocks.
    pub(super) count: usize,
    /// Quotes.
    pub(super) quotes: PerBlock,
    /// Strings with their opening quotes and without their closing ones, and later the first bytes of values.
    pub(super) inside: PerBlock,
    /// Brackets. At first, those in strings are among them. The same goes for the next three.
    pub(super) brackets: PerBlock,
    /// Curly brackets, colons and commas: the operators that have bit 5.
    pub(super) bit5: PerBlock,
    /// Opening brackets and colons: the operators that have bit 1. Later only the brackets.
    pub(super) bit1: PerBlock,
    /// Whitespace.
    pub(super) spaces: PerBlock,
    /// The bytes of scalars.
    pub(super) scalars: PerBlock,
    /// The brackets in an object: they close the object, or open another container in it.
    pub(super) in_object: PerBlock,
    operators: PerBlock,
    colons: PerBlock,
    /// The operators whose last operator is a colon.
    after_colon: PerBlock,
    /// The operators whose last operator may be followed by a name, or has to be.
    after_may: PerBlock,
    after_must: PerBlock,
    /// The bytes whose last token is an operator after which a value begins, a bracket, or a string.
    due: PerBlock,
    bracket: PerBlock,
    string: PerBlock,
    /// The state carried to the next window.
    carried: Carried,
}

/// The last masks of each kind, and what additions carry out of the last block.
#[derive(Clone, Copy, Debug)]
struct Carried {
    scalars: u64,
    colons: u64,
    may: u64,
    must: u64,
    dues: u64,
    brackets: u64,
    strings: u64,
    over_operators: [u64; 3],
    over_spaces: [u64; 3],
}

/// The place where the scan begins.
#[derive(Clone, Copy, Debug)]
pub(super) enum Start {
    /// At a name in an object.
    Name,
    /// At an element of an array that is not its first.
    Element,
}

/// The places of scalars.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalars {
    /// The map of the busy blocks that have scalars.
    pub(super) some: u64,
    /// The map of the busy blocks that end with a scalar.
    pub(super) last: u64,
}

impl Tokens {
    pub(super) const fn new(start: Start) -> Self {
        const NONE: PerBlock = [0; MOST];
        const LAST: u64 = 1 << 63;
        Self {
            count: 0,
            quotes: NONE,
            inside: NONE,
            brackets: NONE,
            bit5: NONE,
            bit1: NONE,
            spaces: NONE,
            scalars: NONE,
            in_object: NONE,
            operators: NONE,
            colons: NONE,
            after_colon: NONE,
            after_may: NONE,
            after_must: NONE,
            due: NONE,
            bracket: NONE,
            string: NONE,
            carried: Carried {
                scalars: 0,
                colons: 0,
                may: 0,
                must: if matches!(start, Start::Name) { LAST } else { 0 },
                dues: LAST,
                brackets: 0,
                strings: 0,
                over_operators: [0; 3],
                over_spaces: [0; 3],
            },
        }
    }

    /// Returns the map of the blocks.
    #[inline(always)]
    pub(super) const fn all(&self) -> u64 {
        match self.count {
            64.. => u64::MAX,
            count => !(u64::MAX << count),
        }
    }

    /// Checks the blocks against the grammar. Returns where scalars are, and whether a token is wrong.
    #[inline(always)]
    pub(super) fn judge(&mut self) -> (Scalars, bool) {
        let [colon, may, must] = self.carried.over_operators;
        let (scalars, are_spaced, colons) = self.find();
        let colon_into = colons.into_blocks(colon);
        let over_colon = colons.out(self.count, colon_into);
        let carried = self.carried.over_spaces != [0; 3];
        if are_spaced || carried {
            self.skip_spaces();
        }
        let (may_carries, must_carries) = self.names(colon_into);
        let may_into = may_carries.into_blocks(may);
        let must_into = must_carries.into_blocks(must);
        let is_wrong = self.verdict(may_into, must_into);
        self.carried.over_operators = [
            over_colon,
            may_carries.out(self.count, may_into),
            must_carries.out(self.count, must_into),
        ];
        (scalars, is_wrong)
    }

    /// Tells the tokens apart, and begins to find the operators after a colon. Returns whether there are spaces, too.
    #[inline(always)]
    fn find(&mut self) -> (Scalars, bool, Carries) {
        let mut carries = Carries::default();
        let mut found = Scalars { some: 0, last: 0 };
        let mut any_spaces = 0;
        let Carried { mut scalars, mut colons, mut dues, mut brackets, mut strings, .. } =
            self.carried;
        for i in 0..self.count.min(MOST) {
            let (quotes, inside) = (of(&self.quotes, i), of(&self.inside, i));
            let (bit6, bit5, bit1) = (of(&self.brackets, i), of(&self.bit5, i), of(&self.bit1, i));
            let all_spaces = of(&self.spaces, i);
            let spaces = all_spaces & !inside;
            any_spaces |= spaces;

            let before = scalars;
            scalars = !(inside | quotes | bit6 | bit5 | all_spaces);
            found.some |= bit(scalars != 0, i);
            found.last |= bit(scalars >> 63 != 0, i);
            let first = scalars & !next(scalars, before);
            set(&mut self.scalars, i, scalars);
            set(&mut self.inside, i, quotes & inside | first);

            let before = brackets;
            brackets = bit6 & !inside;
            set(&mut self.bracket, i, next(brackets, before));
            set(&mut self.brackets, i, brackets);
            let opening = brackets & bit1;
            set(&mut self.bit1, i, opening);

            let separators = bit5 & !(bit6 | inside);
            let operators = brackets | separators;
            set(&mut self.operators, i, operators);
            let before = dues;
            dues = separators | opening;
            set(&mut self.due, i, next(dues, before));

            let before = strings;
            strings = quotes & !inside;
            set(&mut self.string, i, next(strings, before));

            let before = colons;
            colons = separators & bit1;
            set(&mut self.colons, i, colons);
            set(&mut self.after_colon, i, carries.add(i, next(colons, before), !operators));
            set(&mut self.spaces, i, !spaces);
        }
        self.carried = Carried { scalars, colons, dues, brackets, strings, ..self.carried };
        (found, any_spaces != 0, carries)
    }

    /// Moves the marks of bytes by their last token across whitespace.
    #[inline(always)]
    fn skip_spaces(&mut self) {
        let rows = [&mut self.due, &mut self.bracket, &mut self.string];
        for (row, carry) in rows.into_iter().zip(&mut self.carried.over_spaces) {
            let mut carries = Carries::default();
            for i in 0..self.count.min(MOST) {
                let sum = carries.add(i, of(row, i), !of(&self.spaces, i));
                set(row, i, sum);
            }
            let into = carries.into_blocks(*carry);
            for i in 0..self.count.min(MOST) {
                set(row, i, of(row, i).wrapping_add(into >> i & 1) & of(&self.spaces, i));
            }
            *carry = carries.out(self.count, into);
        }
    }

    /// Finds the operators after a colon, and begins to find those before which a name may be, or must be.
    #[inline(always)]
    fn names(&mut self, into: u64) -> (Carries, Carries) {
        let (mut may_carries, mut must_carries) = (Carries::default(), Carries::default());
        let Carried { mut may, mut must, .. } = self.carried;
        for i in 0..self.count.min(MOST) {
            let operators = of(&self.operators, i);
            let after_colon = of(&self.after_colon, i).wrapping_add(into >> i & 1) & operators;
            set(&mut self.after_colon, i, after_colon);
            let commas = operators & !(of(&self.brackets, i) | of(&self.colons, i));
            let after_closing = of(&self.bracket, i) & !of(&self.due, i);
            let before = may;
            may = of(&self.bit1, i) & of(&self.bit5, i) | commas & after_closing;
            set(&mut self.after_may, i, may_carries.add(i, next(may, before), !operators));
            let before = must;
            must = commas & after_colon;
            set(&mut self.after_must, i, must_carries.add(i, next(must, before), !operators));
        }
        (self.carried.may, self.carried.must) = (may, must);
        (may_carries, must_carries)
    }

    /// Returns whether a token is wrong, and finds the brackets in objects.
    #[inline(always)]
    fn verdict(&mut self, may_into: u64, must_into: u64) -> bool {
        let mut all = 0;
        for i in 0..self.count.min(MOST) {
            let (brackets, bit5) = (of(&self.brackets, i), of(&self.bit5, i));
            let opening = of(&self.bit1, i);
            let closing = brackets & !opening;
            let colons = of(&self.colons, i);
            let after_colon = of(&self.after_colon, i);
            let after_may = of(&self.after_may, i).wrapping_add(may_into >> i & 1);
            let after_must = of(&self.after_must, i).wrapping_add(must_into >> i & 1);
            let (due, bracket) = (of(&self.due, i), of(&self.bracket, i));
            // A value begins after every operator but a closing bracket, and nowhere else. Only an empty container has
            // none.
            let empty = closing & due & bracket;
            let mut wrong = ((of(&self.inside, i) | opening) ^ due) & !empty;
            // A colon follows a name, which is a string. A name follows an opening curly bracket or a comma. After a
            // member and a comma there is always a name and a colon.
            wrong |= colons & !of(&self.string, i);
            let operators = of(&self.operators, i);
            wrong |= (colons ^ after_must) & operators & !after_may;
            // The bracket that closes after a scalar or a string is curly exactly if the scalar or string was a
            // member's value.
            wrong |= closing & !bracket & (bit5 ^ after_colon);
            set(&mut self.in_object, i, opening & after_colon | closing & bit5);
            all |= wrong;
        }
        all != 0
    }
}

/// Marks the bytes after these. The second mask is that of the block before.
#[inline(always)]
const fn next(marks: u64, before: u64) -> u64 {
    marks << 1 | before >> 63
}

/// An addition in each block. The carries from block to block are found afterwards, all at once.
#[derive(Clone, Copy, Debug, Default)]
struct Carries {
    /// The map of the blocks whose addition carries.
    over: u64,
    /// The map of the blocks whose addition carries if that of the block before does.
    full: u64,
}

impl Carries {
    /// Adds the first mask to the second. If the second one marks all bytes to skip, the sum marks the next one after
    /// each run of them.
    #[inline(always)]
    fn add(&mut self, block: usize, from: u64, skipped: u64) -> u64 {
        let sum = from.wrapping_add(skipped);
        self.over |= bit(sum < from, block);
        self.full |= bit(sum == u64::MAX, block);
        sum
    }

    /// Returns the map of the blocks that a carry enters.
    #[inline(always)]
    const fn into_blocks(self, carry: u64) -> u64 {
        // A block that only passes a carry on is like a digit nine: adding the carries in this way passes them all on.
        (self.over << 1 | carry).wrapping_add(self.full) ^ self.full
    }

    /// Returns the carry out of the last block.
    #[inline(always)]
    const fn out(self, count: usize, into: u64) -> u64 {
        (self.over | self.full & into) >> (count.wrapping_sub(1) & 63) & 1
    }
}
