//! The texts of rules, in one piece for each kind of text.
//!
//! A compiler puts literals of 4, 8 or 16 bytes where a linker can merge them. There, a program that uses one of them
//! gets all of the library. So the tables are joined at compile time, and their literals are left out.

use tautline::Rule;

/// A text for each rule.
pub(crate) struct Texts<const RULES: usize, const BYTES: usize> {
    /// The number of each rule, and where its text ends.
    pub(crate) rows: [(u16, u16); RULES],
    /// The texts, one after another.
    pub(crate) bytes: [u8; BYTES],
}

impl<const RULES: usize, const BYTES: usize> Texts<RULES, BYTES> {
    /// Returns the text of the rule with this number, or `None` for any other number.
    pub(crate) fn of(&self, rule: u16) -> Option<&[u8]> {
        let mut start = 0;
        for &(number, end) in &self.rows {
            if number == rule {
                return self.bytes.get(usize::from(start)..usize::from(end));
            }
            start = end;
        }
        None
    }
}

/// Returns the number of rules in these tables.
pub(crate) const fn count(tables: &[&[Rule]]) -> usize {
    let (mut count, mut tables) = (0, tables);
    while let [table, others @ ..] = tables {
        tables = others;
        count += table.len();
    }
    count
}

/// Returns a length that has 16 bits.
pub(crate) const fn short(length: usize) -> u16 {
    assert!(length < 1 << 16, "the texts are too long");
    #[expect(clippy::as_conversions, reason = "`From` is no function for constants yet")]
    let short = length as u16;
    short
}

/// Joins the texts that a function has for the rules of these tables.
macro_rules! texts {
    ($rules:expr, $text:path) => {{
        const TABLES: &[&[tautline::Rule]] = $rules;
        const BYTES: usize = {
            let (mut bytes, mut tables) = (0, TABLES);
            while let [table, other_tables @ ..] = tables {
                tables = other_tables;
                let mut rules = *table;
                while let [rule, others @ ..] = rules {
                    rules = others;
                    bytes += $text(*rule).len();
                }
            }
            bytes
        };
        static TEXTS: $crate::texts::Texts<{ $crate::texts::count(TABLES) }, BYTES> = {
            let mut texts = $crate::texts::Texts { rows: [(0, 0); _], bytes: [0; _] };
            let (mut end, mut tables) = (0_u16, TABLES);
            let (mut rows, mut bytes): (&mut [_], &mut [u8]) = (&mut texts.rows, &mut texts.bytes);
            while let [table, other_tables @ ..] = tables {
                tables = other_tables;
                let mut rules = *table;
                while let [rule, others @ ..] = rules {
                    rules = others;
                    let text = $text(*rule).as_bytes();
                    let (place, bytes_rest) = bytes.split_at_mut(text.len());
                    let (row, rows_rest) = rows.split_at_mut(1);
                    (bytes, rows) = (bytes_rest, rows_rest);
                    place.copy_from_slice(text);
                    end += $crate::texts::short(text.len());
                    row.copy_from_slice(&[(rule.number(), end)]);
                }
            }
            texts
        };
        &TEXTS
    }};
}

pub(crate) use texts;
