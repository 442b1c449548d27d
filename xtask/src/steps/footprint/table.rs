//! The table of figures on the page FOOTPRINT.md, which is rewritten, or compared with the current figures.

use std::fmt;

use anyhow::{Context as _, Result};

const BEGIN: &str = "\n<!-- The table is written by cargo xtask gate footprint --bless. -->\n";
const END: &str = "\n<!-- The end of the table. -->\n";

/// Differences of up to this many bytes always pass.
const TOLERANCE_BYTES: u64 = 64;

/// Compilers differ in the code that they generate.
const TOLERANCE_PERCENT: u64 = 25;

/// Debian's compiler loads LLVM from a separate package, and a patch release of that changes single figures by up to
/// 2.5 %.
const TOLERANCE_PERCENT_OF_THE_SAME: u64 = 3;

/// The figures, and the compiler that built the images.
pub struct Table {
    toolchain: String,
    rows: Vec<Row>,
}

#[derive(PartialEq)]
struct Row {
    figure: String,
    bytes: u64,
    note: String,
}

impl Table {
    pub const fn new(toolchain: String) -> Self {
        Self { toolchain, rows: Vec::new() }
    }

    pub fn add(&mut self, figure: &str, bytes: u64, note: &str) {
        self.rows.push(Row { figure: figure.into(), bytes, note: note.into() });
    }

    /// Parses the table on a page.
    ///
    /// # Errors
    ///
    /// Fails if the page has no place for it.
    pub fn on_page(page: &str) -> Result<Self> {
        let [_, text, _] = around(page)?;
        let toolchain = text.lines().find_map(|line| line.strip_prefix("Built by: "));
        let rows = text.lines().filter_map(Row::parse).collect();
        Ok(Self { toolchain: toolchain.unwrap_or_default().into(), rows })
    }

    /// Returns the page with this table in place of its own.
    ///
    /// # Errors
    ///
    /// Fails if the page has no place for it.
    pub fn write_into(&self, page: &str) -> Result<String> {
        let [before, _, after] = around(page)?;
        Ok(format!("{before}{BEGIN}\n{self}{END}{after}"))
    }

    /// Compares the table with the current figures, and returns the differences that are not allowed. The rows have to
    /// be the same.
    pub fn compare(&self, now: &Self) -> Vec<String> {
        let mut wrong = self.check(now);
        let gone = self.rows.iter().filter(|row| now.figure(&row.figure).is_none());
        wrong.extend(gone.map(|row| format!("{}: only in the table", row.figure)));
        if self.rows.len() != now.rows.len() {
            wrong.push(format!("{} rows in the table, {} now", self.rows.len(), now.rows.len()));
        }
        wrong
    }

    /// Compares the table with some current figures, and returns the differences that are not allowed.
    pub fn check(&self, now: &Self) -> Vec<String> {
        let percent = self.tolerance_percent(now);
        let wrong = now.rows.iter().filter_map(|Row { figure, bytes, .. }| {
            let Some(before) = self.figure(figure) else {
                return Some(format!("{figure}: not in the table"));
            };
            let difference = bytes.abs_diff(before);
            (difference > TOLERANCE_BYTES && difference * 100 > before * percent)
                .then(|| format!("{figure}: {before} in the table, {bytes} now"))
        });
        wrong.collect()
    }

    fn figure(&self, figure: &str) -> Option<u64> {
        self.rows.iter().find(|row| row.figure == figure).map(|row| row.bytes)
    }

    /// Describes how the current figures are compared, and which of the rows differ at all.
    pub fn describe(&self, now: &Self) -> String {
        let mut text = if self.toolchain == now.toolchain {
            let is_other = |row: &&Row| !now.rows.contains(row);
            let before = self.rows.iter().filter(is_other).map(|row| format!("-{row}\n"));
            let is_other = |row: &&Row| !self.rows.contains(row);
            before.chain(now.rows.iter().filter(is_other).map(|row| format!("+{row}\n"))).collect()
        } else {
            format!("the table was made by another compiler, {}\n", self.toolchain)
        };
        let percent = self.tolerance_percent(now);
        text +=
            &format!("compared within {percent} %, or {TOLERANCE_BYTES} bytes of a small figure");
        text
    }

    fn tolerance_percent(&self, now: &Self) -> u64 {
        if self.toolchain == now.toolchain {
            TOLERANCE_PERCENT_OF_THE_SAME
        } else {
            TOLERANCE_PERCENT
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Built by: {}\n\n| figure | bytes | |\n|---|---:|---|", self.toolchain)?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{row}"))
    }
}

impl Row {
    fn parse(line: &str) -> Option<Self> {
        let cells = line.strip_prefix('|')?.strip_suffix('|')?;
        let mut cells = cells.splitn(3, '|').map(str::trim);
        let [figure, bytes, note] = [cells.next()?, cells.next()?, cells.next()?];
        Some(Self { figure: figure.into(), bytes: bytes.parse().ok()?, note: note.into() })
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { figure, bytes, note } = self;
        let space = if note.is_empty() { "" } else { " " };
        write!(f, "| {figure} | {bytes} |{space}{note} |")
    }
}

/// Returns what is before the table, the table, and what is after it.
fn around(page: &str) -> Result<[&str; 3]> {
    let parts = page.split_once(BEGIN).and_then(|(before, rest)| {
        let (table, after) = rest.split_once(END)?;
        Some([before, table, after])
    });
    parts.context("the page has no place for the table")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(toolchain: &str, rows: &[(&str, u64)]) -> Table {
        let mut table = Table::new(toolchain.into());
        rows.iter().for_each(|(figure, bytes)| table.add(figure, *bytes, ""));
        table
    }

    fn page(table: &Table) -> String {
        table.write_into(&format!("# Title\n{BEGIN}old{END}\nText.\n")).unwrap()
    }

    #[test]
    fn page_with_table() {
        let mut table = table("rustc 1.0", &[("flash", 6140)]);
        table.add("stack", 8, "of `main`");
        let expected = format!(
            "# Title\n{BEGIN}\nBuilt by: rustc 1.0\n\n| figure | bytes | |\n|---|---:|---|\n\
             | flash | 6140 | |\n| stack | 8 | of `main` |\n{END}\nText.\n"
        );
        assert_eq!(page(&table), expected);
        let read = Table::on_page(&expected).unwrap();
        assert!(read.toolchain == table.toolchain && read.rows == table.rows);
        assert_eq!(read.write_into(&expected).unwrap(), expected);
    }

    #[test]
    fn page_without_place() {
        assert!(Table::on_page("# Title\n").is_err());
        assert!(table("", &[]).write_into(&format!("{END}{BEGIN}")).is_err());
    }

    #[test]
    fn tolerances() {
        let before = [("large", 10_000), ("small", 100)];
        let is_well = |toolchain, large, small| {
            let now = table(toolchain, &[("large", large), ("small", small)]);
            table("same", &before).compare(&now).is_empty()
        };
        assert!(is_well("same", 10_300, 164) && is_well("same", 9_700, 36));
        assert!(!is_well("same", 10_301, 100) && !is_well("same", 9_699, 100));
        assert!(!is_well("same", 10_000, 165) && !is_well("same", 10_000, 35));
        assert!(is_well("other", 12_500, 164) && is_well("other", 7_500, 36));
        assert!(!is_well("other", 12_501, 100) && !is_well("other", 7_499, 100));
        assert!(!is_well("other", 10_000, 165));
    }

    #[test]
    fn rows() {
        let before = table("same", &[("a", 1), ("b", 2)]);
        assert_eq!(before.compare(&table("same", &[("b", 2), ("a", 1)])), [""; 0]);
        let wrong = before.compare(&table("same", &[("a", 1), ("c", 2)]));
        assert_eq!(wrong, ["c: not in the table", "b: only in the table"]);
        assert_eq!(before.check(&table("same", &[("a", 1)])), [""; 0]);
        let wrong = before.compare(&table("same", &[("a", 1)]));
        assert_eq!(wrong, ["b: only in the table", "2 rows in the table, 1 now"]);
        let wrong = before.compare(&table("same", &[("a", 1), ("b", 2), ("b", 2)]));
        assert_eq!(wrong, ["2 rows in the table, 3 now"]);
        // A row without a figure is not a row of the table.
        let page = page(&before).replace("| 2 |", "| two |");
        let wrong = Table::on_page(&page).unwrap().compare(&before);
        assert_eq!(wrong, ["b: not in the table", "1 rows in the table, 2 now"]);
    }

    #[test]
    fn description() {
        let before = table("same", &[("a", 1), ("b", 2)]);
        let text = before.describe(&table("same", &[("a", 1), ("b", 3)]));
        let expected =
            "-| b | 2 | |\n+| b | 3 | |\ncompared within 3 %, or 64 bytes of a small figure";
        assert_eq!(text, expected);
        assert!(
            before
                .describe(&table("other", &[]))
                .ends_with("within 25 %, or 64 bytes of a small figure")
        );
    }
}
