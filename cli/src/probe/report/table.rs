//! Counts in columns.

use crate::probe::row::Counts;

/// Returns the lines of a table: a heading, a line for each group, and one for all of them.
pub fn lines(name: &str, groups: &[(&str, Counts)], total: Counts) -> Vec<(String, Counts)> {
    let width = groups.iter().map(|(name, _)| name.len()).chain([name.len(), 5]).max().unwrap_or(0);
    let mut heading = format!("{name:<width$}");
    for kind in total.shown() {
        heading.push_str(&format!("  {kind:>10}"));
    }
    let all = [("total", total)];
    let rows = groups.iter().chain(&all).map(|(name, counts)| {
        let mut line = format!("{name:<width$}");
        for count in total.shown().map(|kind| counts.kind(kind)) {
            let count = if count == 0 { "·".to_owned() } else { count.to_string() };
            line.push_str(&format!("  {count:>10}"));
        }
        (line, *counts)
    });
    [(heading, Counts::default())].into_iter().chain(rows).collect()
}
