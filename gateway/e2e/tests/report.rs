//! The filter that only reports: it refuses nothing, and its counters add up.

use std::time::Duration;

use serde_json::json;
use tautline_gateway_tests::bootstrap::{Config, Filter};
use tautline_gateway_tests::connection::{Connection, Reply};
use tautline_gateway_tests::envoy::Envoy;
use tautline_gateway_tests::outcome::Outcome;
use tautline_gateway_tests::request::{Plain, plain_cases};
use tautline_gateway_tests::rig::Rig;
use tautline_gateway_tests::upstream::{Upstream, settings};
use tautline_gateway_tests::volume;

/// The number of connections.
const CONNECTIONS: usize = 16;
/// The number of requests that are sent on a connection at once.
const BATCH: usize = 20;

/// A case, and whether the native twin refuses it.
type Known = (Plain, bool);

async fn known() -> Vec<Known> {
    let (twin, upstream) = (Upstream::twin().await, Upstream::start().await);
    let envoy = Envoy::start(&Config::new(Filter::None, upstream.address)).await;
    let mut known = Vec::new();
    for (_, plain) in plain_cases().await {
        // The longest bodies would be most of the work, and one of them is as good as another. The filter does not
        // judge bodies with an encoding; the twin does.
        if plain.body.len() > 20_000 || plain.has("content-encoding") {
            continue;
        }
        let [mut of_twin, mut of_envoy] = [Vec::new(), Vec::new()];
        for (address, replies) in [(twin.address, &mut of_twin), (envoy.address, &mut of_envoy)] {
            let mut connection = Connection::open(address).await.expect("a server");
            connection.send(&plain.bytes()).await;
            connection.wait(1, Duration::from_secs(20)).await;
            *replies = connection.replies;
        }
        let reaches = |replies: &[Reply], upstream| {
            let reached = |reply| matches!(Outcome::of(reply, upstream), Outcome::Reached(_));
            replies.iter().all(reached)
        };
        // Envoy itself refuses some.
        if !of_twin.is_empty() && reaches(&of_envoy, &upstream) {
            known.push((plain, !reaches(&of_twin, &twin)));
        }
    }
    known
}

/// Sends requests on a connection, in batches. Returns the replies that are no replies of the upstream.
async fn send(requests: Vec<Plain>, address: std::net::SocketAddr) -> Vec<String> {
    let mut connection = Connection::open(address).await.expect("Envoy");
    let mut others = Vec::new();
    for batch in requests.chunks(BATCH) {
        connection.send(&batch.iter().flat_map(Plain::bytes).collect::<Vec<_>>()).await;
        if !connection.wait(batch.len(), Duration::from_secs(60)).await {
            others.push(format!("{} of {}", connection.replies.len(), batch.len()));
            return others;
        }
        for reply in connection.replies.drain(..) {
            if reply.header("x-record").is_none() {
                others.push(format!("{reply:?}"));
            }
        }
    }
    others
}

#[tokio::test(flavor = "multi_thread")]
async fn all_requests_pass_and_are_counted() {
    let known = known().await;
    let of_cases = known.len();
    assert!(of_cases > 600, "{of_cases}");
    let total = 5000 * volume();
    let sent: Vec<&Known> = known.iter().cycle().take(total).collect();
    let refused = sent.iter().filter(|(_, is_refused)| *is_refused).count();
    let mut settings = settings();
    settings["requests"] = json!("report");
    settings["responses"] = json!("report");
    for rig in Rig::each(&settings).await {
        let address = rig.address();
        let tasks = (0..CONNECTIONS).map(|one| {
            let requests = sent.iter().skip(one).step_by(CONNECTIONS);
            let requests: Vec<Plain> = requests.map(|(plain, _)| plain.clone()).collect();
            tokio::spawn(send(requests, address))
        });
        for task in tasks.collect::<Vec<_>>() {
            let others = task.await.expect("a connection");
            assert!(others.is_empty(), "{}: {:?}", rig.runtime, &others[..1]);
        }
        let counters = rig.envoy.counters().await;
        let count = |name: &str| {
            let value = counters.get(&format!("tautline.{name}")).copied().unwrap_or_default();
            usize::try_from(value).expect("a count")
        };
        assert_eq!(count("request.would_refuse"), refused, "{}: {counters:?}", rig.runtime);
        assert_eq!(count("request.accepted"), total - refused, "{}: {counters:?}", rig.runtime);
        let names = ["request.refused", "request.unjudged", "request.aborted", "response.refused"];
        for name in names {
            assert_eq!(count(name), 0, "{}: {name}", rig.runtime);
        }
        // Each request that would be refused breaks at least one rule.
        let rules = counters.iter().filter(|(name, _)| name.starts_with("tautline.rule."));
        let rules: u64 = rules.map(|(_, count)| count).sum();
        assert!(usize::try_from(rules).expect("a count") >= refused, "{}: {rules}", rig.runtime);
        assert_eq!(rig.upstream.count(), total, "{}", rig.runtime);
        let log = rig.envoy.log();
        assert!(!log.contains("tautline: request refused"), "{}: {log}", rig.runtime);
        let lines = log.matches("tautline: request would_refuse").count();
        assert_eq!(lines, refused, "{}", rig.runtime);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_arrive_as_they_were_sent() {
    let mut settings = settings();
    settings["requests"] = json!("report");
    for rig in Rig::each(&settings).await {
        // Also those that are longer than the limit, and those that are not JSON.
        for length in [0, 1, 1000, 100_000, 1_000_000, 10_000_000] {
            let body: Vec<u8> =
                (0..length).map(|at: u32| at.to_le_bytes()[at as usize % 3]).collect();
            let request = Plain::post(body);
            let (_, outcome) = rig.send(&request.bytes()).await;
            let Outcome::Reached(record) = outcome else { panic!("{}: {outcome}", rig.runtime) };
            assert!(record.body == request.body && record.is_whole, "{}: {length}", rig.runtime);
        }
    }
}
