//! The conformance corpus, byte for byte: the filter in Envoy gives the same replies as its native twin, which has an
//! Envoy without a filter in front of it.
//!
//! Envoy answers or changes some requests itself. The twin without an Envoy has another reply to those:
//! `envoy-http1.txt` and `envoy-http2.txt` list them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use tautline_gateway_tests::bootstrap::{Config, Filter};
use tautline_gateway_tests::case::{Play, Played, plays, send_all};
use tautline_gateway_tests::envoy::{Access, Envoy};
use tautline_gateway_tests::http2;
use tautline_gateway_tests::outcome::{Outcome, row};
use tautline_gateway_tests::request::{Plain, plain_cases};
use tautline_gateway_tests::rig::Rig;
use tautline_gateway_tests::upstream::{Upstream, settings};

/// The first line of the lists.
const LEGEND: &str =
    "# case | the filter in Envoy | Envoy's flags and its reason | the native twin without Envoy\n";

/// A part of the names of the cases whose bodies have an encoding. The filter refuses such bodies, which the twin
/// leaves to its server.
const ENCODED: &str = "content-encoding-gzip";

/// The replies to all cases, each with what Envoy has written about it.
struct Results(Vec<(Vec<Outcome>, String)>);

impl Results {
    fn of(played: &[Played], upstream: &Upstream, log: &[Access]) -> Self {
        let one = |played: &Played| {
            let of = |reply| Outcome::of(reply, upstream);
            let outcomes: Vec<_> = played.replies.iter().map(of).collect();
            // The end of the connection is logged as well.
            let lines = log.iter().filter(|line| line.port == played.port);
            let lines = lines.take(outcomes.len().max(1));
            let about: Vec<_> =
                lines.map(|line| format!("{} {}", line.flags, line.details)).collect();
            (outcomes, about.join(", "))
        };
        Self(played.iter().map(one).collect())
    }
}

/// Reads the access log after it was flushed.
async fn log(envoy: &Envoy) -> Vec<Access> {
    tokio::time::sleep(Duration::from_millis(300)).await;
    envoy.access(0).await
}

/// Returns whether the filter has refused a request with 400, and the twin has then answered more requests on the same
/// connection. After such a refusal, Envoy closes a connection of HTTP/1.1.
fn ends_early(filter: &[Outcome], twin: &[Outcome]) -> bool {
    matches!(filter.last(), Some(Outcome::Answered { status: 400, .. })) && twin.starts_with(filter)
}

/// Fails if the filter and its twin differ in anything. Both have an Envoy in front of their upstream.
fn assert_same(names: &[String], filter: &Results, twin: &Results, runtime: &str) {
    let mut differences = String::new();
    let mut count = 0;
    for (name, ((filter, log), (twin, _))) in names.iter().zip(filter.0.iter().zip(&twin.0)) {
        if name.contains(ENCODED) {
            let [Outcome::Answered { status: 415, .. }] = filter.as_slice() else {
                panic!("{runtime}: {name}: {}", row(filter));
            };
        } else if filter != twin && !ends_early(filter, twin) {
            count += 1;
            let _ = writeln!(
                differences,
                "{name}\n  filter: {} ({log})\n  twin:   {}",
                row(filter),
                row(twin)
            );
            if row(filter) == row(twin) {
                let _ = writeln!(differences, "  {filter:?}\n  {twin:?}");
            }
        }
    }
    assert!(count == 0, "{runtime}: {count} of {} differ:\n{differences}", names.len());
    assert!(names.len() > 500, "{}", names.len());
}

/// Compares the cases in which Envoy makes a difference with the committed list.
fn assert_listed(version: &str, names: &[String], filter: &Results, alone: &Results) {
    let mut rows = BTreeSet::new();
    for (name, ((behind, log), (alone, _))) in names.iter().zip(filter.0.iter().zip(&alone.0)) {
        let agrees = behind.len() == alone.len()
            && behind.iter().zip(alone).all(|(behind, alone)| behind.agrees(alone));
        if !agrees {
            // A case has one row, because its revisions do not differ in this.
            let (id, _) = name.split_once(' ').expect("an id and a revision");
            rows.insert(format!("{id} | {} | {log} | {}\n", row(behind), row(alone)));
        }
    }
    let list = LEGEND.to_owned() + &rows.into_iter().collect::<String>();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("envoy-{version}.txt"));
    if std::env::var_os("TAUTLINE_BLESS").is_some() {
        fs::write(&path, &list).expect("a file");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(list == committed, "{}: run with TAUTLINE_BLESS=1. Now:\n{list}", path.display());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_has_the_reply_of_the_native_twin() {
    let plays = plays();
    let names: Vec<_> = plays.iter().map(Play::name).collect();
    let twin = Upstream::twin().await;
    let alone = Results::of(&send_all(&plays, twin.address).await, &twin, &[]);
    let envoy = Envoy::start(&Config::new(Filter::None, twin.address)).await;
    let played = send_all(&plays, envoy.address).await;
    let behind = Results::of(&played, &twin, &log(&envoy).await);
    for Rig { runtime, upstream, envoy } in Rig::each(&settings()).await {
        let played = send_all(&plays, envoy.address).await;
        let filtered = Results::of(&played, &upstream, &log(&envoy).await);
        assert_same(&names, &filtered, &behind, &runtime);
        assert_listed("http1", &names, &filtered, &alone);
    }
}

/// Sends requests over HTTP/2, one after the other.
async fn send_http2(requests: &[Plain], envoy: std::net::SocketAddr) -> Vec<Played> {
    let mut played = Vec::new();
    for request in requests {
        played.push(http2::send(request.whole(), envoy).await);
    }
    played
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_has_the_reply_of_the_native_twin_over_http2() {
    let (names, requests): (Vec<_>, Vec<_>) = plain_cases().await.into_iter().unzip();
    let twin = Upstream::twin().await;
    let alone = Results::of(&send_http2(&requests, twin.address).await, &twin, &[]);
    let envoy = Envoy::start(&Config::new(Filter::None, twin.address)).await;
    let played = send_http2(&requests, envoy.address).await;
    let behind = Results::of(&played, &twin, &log(&envoy).await);
    for Rig { runtime, upstream, envoy } in Rig::each(&settings()).await {
        let played = send_http2(&requests, envoy.address).await;
        let filtered = Results::of(&played, &upstream, &log(&envoy).await);
        assert_same(&names, &filtered, &behind, &runtime);
        assert_listed("http2", &names, &filtered, &alone);
    }
}
