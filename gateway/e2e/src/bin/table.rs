//! Prints a table of the HTTP corpus in Markdown: what a case asks for, and what becomes of it in Envoy without a
//! filter, with the filter, and with Envoy's own filter for MCP at its strictest.
//!
//! Usage: `cargo run --bin table`, with the environment of the tests.

use std::collections::BTreeMap;

use tautline_conformance::{Case, Reply};
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
    /// Acceptable outcomes are allowed as well as right ones.
    fn of(case: &Case) -> Self {
        let is_refusal = |reply: &Reply| reply.status.iter().all(|status| *status >= 400);
        let outcomes = case.outcomes.iter().map(|outcome| {
            let replies = outcome.replies.as_deref().unwrap_or_default();
            let refusals = replies.iter().filter(|reply| is_refusal(reply)).count();
            match (replies.len(), refusals) {
                (0, _) => Self::Either,
                (_, 0) => Self::Served,
                (all, refusals) if all == refusals => Self::Refused,
                _ => Self::Either,
            }
        });
        let either = |one: Self, other: Self| if one == other { one } else { Self::Either };
        outcomes.reduce(either).unwrap_or(Self::Either)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Served => "served",
            Self::Either => "either",
        }
    }
}

/// The result of a case.
struct Result {
    /// The result in words.
    text: String,
    /// True if all requests of the case have reached the upstream.
    is_served: bool,
    /// True if the replies have statuses that the case allows.
    has_allowed_status: bool,
}

/// Returns the result of each case.
async fn play(plays: &[Play], filter: Filter) -> Vec<Result> {
    let upstream = Upstream::start().await;
    let envoy = Envoy::start(&Config::new(filter, upstream.address)).await;
    let played = send_all(plays, envoy.address).await;
    let results = plays.iter().zip(&played).map(|(play, played)| {
        let replies = &played.replies;
        let outcomes: Vec<_> = replies.iter().map(|reply| Outcome::of(reply, &upstream)).collect();
        let has_reached = |outcome: &Outcome| matches!(outcome, Outcome::Reached(_));
        let is_served = !outcomes.is_empty() && outcomes.iter().all(has_reached);
        let text = if is_served { "passed on".to_owned() } else { row(&outcomes) };
        let has_allowed_status = play.case.outcomes.iter().any(|outcome| {
            let allowed = outcome.replies.as_deref().unwrap_or_default();
            let mut pairs = allowed.iter().zip(replies);
            allowed.len() == replies.len()
                && pairs.all(|(allowed, reply)| allowed.status.contains(&reply.status))
        });
        Result { text, is_served, has_allowed_status }
    });
    results.collect()
}

/// A column: a name, and the result of each case.
type Column = (&'static str, Vec<Result>);

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
        let cells = columns.iter().map(|(_, results)| results[at].text.as_str());
        let cells = cells.collect::<Vec<_>>().join(" | ");
        println!("| `{}` | {} | {cells} |", play.case.id, Wanted::of(&play.case).name());
    }
    println!("\n| cases | number | {names} |\n|---|--:|---|---|---|");
    for wanted in [Wanted::Refused, Wanted::Served, Wanted::Either] {
        let of_kind = |at: &usize| Wanted::of(&plays[*at].case) == wanted;
        let cases: Vec<_> = (0..plays.len()).filter(of_kind).collect();
        let cells = columns.iter().map(|(_, results)| {
            let results = || cases.iter().map(|at| &results[*at]);
            let served = results().filter(|result| result.is_served).count();
            let refused = results().filter(|result| !result.is_served);
            let allowed = refused.filter(|result| result.has_allowed_status).count();
            let refused = cases.len() - served;
            format!("{served} passed on, {refused} refused ({allowed} with an allowed status)")
        });
        let cells = cells.collect::<Vec<_>>().join(" | ");
        println!("| to be {} | {} | {cells} |", wanted.name(), cases.len());
    }
}
