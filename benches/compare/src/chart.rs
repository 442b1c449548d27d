//! The measurements as a chart: bars of the ratios, grouped by input.

use std::fmt::Write;

use compare::competitors::BASELINE;

use crate::report::Report;

/// The competitors that are drawn if measured, with their colors.
const DRAWN: &[(&str, &str)] = &[
    ("tautline stream", "#c2410c"),
    ("tautline, message by message", "#fb923c"),
    (BASELINE, "#475569"),
    ("sonic-rs LazyValue envelope", "#0284c7"),
    ("simd-json tape", "#38bdf8"),
    ("jiter envelope", "#7c3aed"),
    ("rmcp ClientJsonRpcMessage", "#94a3b8"),
];

const WIDTH: f64 = 760.0;
/// The left edge of the bars. The names of the inputs are left of it.
const LEFT: f64 = 90.0;
/// The space after the longest bar, for its number.
const RIGHT: f64 = 60.0;
const BAR: f64 = 13.0;
const GAP: f64 = 14.0;

/// Returns the chart as SVG, readable on light and dark pages.
pub fn svg(report: &Report) -> String {
    let mut out = String::new();
    draw(report, &mut out).expect("a String takes everything");
    out
}

fn draw(report: &Report, out: &mut String) -> std::fmt::Result {
    let names: Vec<(&str, &str)> = DRAWN
        .iter()
        .copied()
        .filter(|(name, _)| report.competitors.iter().any(|competitor| competitor.name == *name))
        .collect();
    let ratio = |corpus: usize, name: &str| {
        let results = &report.corpora.get(corpus)?.results;
        Some(results.iter().find(|numbers| numbers.competitor == name)?.ratio)
    };
    let longest = (0..report.corpora.len())
        .flat_map(|corpus| names.iter().filter_map(move |(name, _)| ratio(corpus, name)))
        .fold(1.0, f64::max);
    let unit = (WIDTH - LEFT - RIGHT) / longest;

    let legend = 44.0 + 18.0 * names.len().div_ceil(3) as f64;
    let group = BAR * names.len() as f64 + GAP;
    let height = legend + group * report.corpora.len() as f64 + 6.0;
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" font-family="system-ui, sans-serif" font-size="12" role="img">"#
    )?;
    writeln!(out, "<title>Speed relative to a serde_json envelope</title>")?;
    writeln!(
        out,
        "<style>text{{fill:#1e293b}}line{{stroke:#94a3b8}}@media(prefers-color-scheme:dark){{text{{fill:#e2e8f0}}}}</style>"
    )?;
    writeln!(
        out,
        r#"<text x="8" y="20" font-size="14" font-weight="600">Speed relative to a serde_json envelope in the same run (longer is faster)</text>"#
    )?;
    for (index, (name, color)) in names.iter().enumerate() {
        let (x, y) = (8.0 + 250.0 * (index % 3) as f64, 42.0 + 18.0 * (index / 3) as f64);
        writeln!(out, r#"<rect x="{x}" y="{}" width="10" height="10" fill="{color}"/>"#, y - 9.0)?;
        writeln!(out, r#"<text x="{}" y="{y}">{}</text>"#, x + 15.0, escaped(name))?;
    }
    for (index, corpus) in report.corpora.iter().enumerate() {
        let top = legend + group * index as f64;
        let middle = top + (group - GAP) / 2.0 + 4.0;
        writeln!(
            out,
            r#"<text x="{}" y="{middle}" text-anchor="end" font-weight="600">{}</text>"#,
            LEFT - 8.0,
            escaped(&corpus.name)
        )?;
        for (row, (name, color)) in names.iter().enumerate() {
            let Some(ratio) = ratio(index, name) else { continue };
            let (y, width) = (top + BAR * row as f64, ratio * unit);
            writeln!(
                out,
                r#"<rect x="{LEFT}" y="{y:.1}" width="{width:.1}" height="{}" fill="{color}"/>"#,
                BAR - 2.0
            )?;
            writeln!(
                out,
                r#"<text x="{:.1}" y="{:.1}" font-size="10">{ratio:.2}</text>"#,
                LEFT + width + 4.0,
                y + 9.0
            )?;
        }
    }
    let one = LEFT + unit;
    writeln!(
        out,
        r#"<line x1="{one:.1}" y1="{}" x2="{one:.1}" y2="{}" stroke-dasharray="3 3"/>"#,
        legend - 6.0,
        height - GAP
    )?;
    writeln!(out, "</svg>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
