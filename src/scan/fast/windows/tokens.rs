//! The grammar of JSON on tokens, one bit for each token however long it is.
//!
//! A token is an operator (a bracket, a colon or a comma), a string, or a scalar. No rule here counts brackets. The
//! rules compare neighbours, and make sure that the tokens between two brackets in a row are what only an object or
//! only an array may hold. [Brackets](super::brackets) compare this with the container that is really open.

/// The number of tokens at the start of a word that are repeated from the word before. Rules look back four tokens at
/// most, so none of them has to carry anything from word to word.
pub(super) const HISTORY: u32 = 4;

/// The number of tokens that a word holds.
const FULL: u32 = 64;

/// Up to sixty new tokens, with the four before them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tokens {
    /// The number of tokens, history included.
    pub(super) count: u32,
    pub(super) brackets: u64,
    /// Curly brackets, colons and commas.
    pub(super) bit5: u64,
    /// Opening brackets, colons and strings.
    pub(super) bit1: u64,
}

/// The findings about a word of tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    /// True if a token breaks a rule.
    pub(super) is_wrong: bool,
    /// The brackets among the new tokens.
    pub(super) brackets: u64,
    /// Marks the brackets that open a container.
    pub(super) opening: u64,
    /// Marks the curly brackets.
    pub(super) curly: u64,
    /// Marks the brackets in an object: they close the object, or open another container in it.
    pub(super) in_object: u64,
}

impl Tokens {
    /// The history at the beginning of a name in an object.
    pub(super) const AT_NAME: Self = Self {
        // `[ [ [ {`
        count: HISTORY,
        brackets: 0b1111,
        bit5: 0b1000,
        bit1: 0b1111,
    };

    /// The history at an element of an array that is not its first.
    pub(super) const AT_ELEMENT: Self = Self {
        // `1 , 1 ,`
        count: HISTORY,
        brackets: 0,
        bit5: 0b1010,
        bit1: 0,
    };

    /// Returns whether there is room for this many more tokens.
    #[inline(always)]
    pub(super) const fn has_room(&self, count: u32) -> bool {
        self.count.wrapping_add(count) <= FULL
    }

    /// Checks the new tokens against the grammar. The last four become the history of the next word.
    #[inline(always)]
    pub(super) const fn judge(&mut self) -> Verdict {
        let Self { brackets, bit5, bit1, count } = *self;
        let operators = brackets | bit5;
        let values = !operators;
        let strings = values & bit1;
        let opening = brackets & bit1;
        let closing = brackets & !bit1;
        let opening_curly = opening & bit5;
        let colons = bit5 & !brackets & bit1;
        let commas = bit5 & !brackets & !bit1;

        // A value begins after every operator but a closing bracket, and nowhere else. Only an empty container has
        // none.
        let begins = values | opening;
        let due = (operators & !closing) << 1;
        let mut wrong = (begins ^ due) & !(closing & opening << 1);
        // A colon follows a name: a string after a comma or an opening curly bracket.
        wrong |= colons & !(strings << 1 & (opening_curly | commas) << 2);
        // An object that is not empty begins with a name and a colon.
        wrong |= opening_curly << 2 & !(closing << 1) & !colons;
        // A comma after a scalar or a string is followed by a name and a colon exactly if the scalar or string was a
        // member's value.
        let after_value = commas & values << 1;
        wrong |= (after_value & colons << 2) << 2 & !colons;
        wrong |= (after_value & !(colons << 2)) << 2 & colons;
        // The bracket that closes after a scalar or a string is curly exactly if the scalar or string was a member's
        // value.
        wrong |= closing & values << 1 & (bit5 ^ colons << 2);

        let new = u64::MAX >> (FULL.wrapping_sub(count) & 63) & (u64::MAX << HISTORY);
        let old = count.wrapping_sub(HISTORY) & 63;
        const fn last(tokens: u64, old: u32) -> u64 {
            tokens >> old & !(u64::MAX << HISTORY)
        }
        *self = Self {
            count: HISTORY,
            brackets: last(brackets, old),
            bit5: last(bit5, old),
            bit1: last(bit1, old),
        };
        Verdict {
            is_wrong: wrong & new != 0,
            brackets: brackets & new,
            opening,
            curly: bit5,
            // A container that is opened after a colon is a member of an object. A closing bracket shows it by its own
            // kind.
            in_object: opening & colons << 1 | closing & bit5,
        }
    }
}
