//! Prints a table of the HTTP corpus in Markdown: what a case asks for, and what becomes of it in Envoy without a filter,
//! with the filter, and with Envoy's own filter for MCP at its strictest.
//!
//! Usage: `cargo run --bin table`, with the environment of the tests.

use std::collections::BTreeMap;

use tautline_conformance::{Case, Verdict};
use tautline_gateway_tests::bootstrap::{Config, Filter};
use tautline_gateway_tests::case::{Play, plays, send_all};
use tautline_gateway_tests::envoy::Envoy;
use tautline_gateway_tests::outcome::{Outcome, row};
use tautline_gateway_tests::runtimes;
use tautline_gateway_tests::upstream::{Upstream, settings};

/// The reaction that a case asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wanted {
    Refused,
    Served,
    /// Both are allowed, or some of its requests are to be refused and others served.
    Either,
}

impl Wanted {
    fn of(case: &Case) -> Self {
        let outcomes = case.outcomes.iter();
        let right = outcomes.filter(|outcome| outcome.verdict == Verdict::Right);
        let is_refused = right.map(|outcome| {
            let replies = outcome.replies.as_deref().unwrap_or_default();
            let refused = replies.iter().filter(|reply| reply.status.iter().all(|one| *one >= 400));
            match refused.count() {
                0 if !replies.is_empty() => Some(false),
                count if count == replies.len() => Some(true),
                _ => None,
            }
        });
        let is_refused: Vec<_> = is_refused.collect();
        match is_refused.as_slice() {
            [Some(first), rest @ ..] if rest.iter().all(|one| *one == Some(*first)) => {
                match first {
                    true => Self::Refused,
                    false => Self::Served,
                }
            }
            _ => Self::Either,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Served => "served",
            Self::Either => "either",
        }
    }
}

/// Returns the result of each case: in words, and whether all of its requests have reached the upstream.
async fn play(plays: &[Play], filter: Filter) -> Vec<(String, bool)> {
    let upstream = Upstream::start().await;
    let envoy = Envoy::start(&Config::new(filter, upstream.address)).await;
    let mut results = Vec::new();
    for played in send_all(plays, envoy.address).await {
        let of = |reply| Outcome::of(reply, &upstream);
        let outcomes: Vec<_> = played.replies.iter().map(of).collect();
        let has_reached = |outcome: &Outcome| matches!(outcome, Outcome::Reached(_));
        let is_served = !outcomes.is_empty() && outcomes.iter().all(has_reached);
        let text = if is_served { "passed on".to_owned() } else { row(&outcomes) };
        results.push((text, is_served));
    }
    results
}

/// A column: a name, and the result of each case.
type Column = (&'static str, Vec<(String, bool)>);

#[tokio::main]
async fn main() {
    let mut newest = BTreeMap::new();
    for (at, play) in plays().into_iter().enumerate() {
        newest
            .entry(play.case.id.clone())
            .and_modify(|(_, kept)| *kept = play.clone())
            .or_insert((at, play));
    }
    let mut plays: Vec<_> = newest.into_values().collect();
    plays.sort_by_key(|(at, _)| *at);
    let plays: Vec<_> = plays.into_iter().map(|(_, play)| play).collect();
    let runtime = runtimes().swap_remove(0);
    let columns: [Column; 3] = [
        ("Envoy without a filter", self::play(&plays, Filter::None).await),
        (
            "the filter of tautline",
            self::play(&plays, Filter::tautline(&runtime, &settings())).await,
        ),
        ("Envoy's filter for MCP", self::play(&plays, Filter::Mcp).await),
    ];
    let names = columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" | ");
    println!("| case | wanted | {names} |\n|---|---|---|---|---|");
    for (at, play) in plays.iter().enumerate() {
        let cells = columns.iter().map(|(_, results)| results[at].0.as_str());
        let cells = cells.collect::<Vec<_>>().join(" | ");
        println!("| `{}` | {} | {cells} |", play.case.id, Wanted::of(&play.case).name());
    }
    println!("\n| cases | number | {names} |\n|---|--:|---|---|---|");
    for wanted in [Wanted::Refused, Wanted::Served, Wanted::Either] {
        let of_kind = |at: &usize| Wanted::of(&plays[*at].case) == wanted;
        let cases: Vec<_> = (0..plays.len()).filter(of_kind).collect();
        let cells = columns.iter().map(|(_, results)| {
            let served = cases.iter().filter(|at| results[**at].1).count();
            format!("{served} passed on, {} refused", cases.len() - served)
        });
        let cells = cells.collect::<Vec<_>>().join(" | ");
        println!("| to be {} | {} | {cells} |", wanted.name(), cases.len());
    }
}
