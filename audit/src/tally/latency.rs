//! How long requests take, by method.

use std::collections::BTreeMap;

use serde::Serialize;
use tautline_mcp::Role;

use crate::judge::{Answered, Latency};

/// The maximum number of methods for which durations are counted.
const METHODS: usize = 256;
/// The maximum number of durations that are kept for a method. The quantiles are computed from an evenly spaced sample.
const SAMPLES: usize = 4096;

/// The durations of the requests of one method.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LatencyRow {
    /// The method.
    pub method: String,
    /// The caller: `client` or `server`.
    pub from: &'static str,
    /// The number of requests that were answered.
    pub count: u64,
    /// The shortest, in milliseconds.
    pub min_ms: f64,
    /// The median, in milliseconds.
    pub median_ms: f64,
    /// The 95th percentile, in milliseconds.
    pub p95_ms: f64,
    /// The longest, in milliseconds.
    pub max_ms: f64,
}

#[derive(Debug, Default)]
pub(crate) struct Latencies {
    /// By the side that calls, and by method.
    client: BTreeMap<String, Samples>,
    server: BTreeMap<String, Samples>,
}

#[derive(Debug, Default)]
struct Samples {
    count: u64,
    /// In microseconds, like all durations here.
    min: u64,
    max: u64,
    kept: Vec<u64>,
    /// One in this many durations is kept.
    stride: u64,
}

impl Latencies {
    /// Adds the answer to a request of this side.
    pub fn add(&mut self, from: Role, answered: &Answered) {
        let Some(Latency(duration)) = answered.latency else { return };
        let count = self.client.len() + self.server.len();
        let methods = match from {
            Role::Client => &mut self.client,
            Role::Server => &mut self.server,
        };
        if let Some(samples) = methods.get_mut(&answered.method) {
            samples.add(duration);
        } else if count < METHODS {
            methods.entry(answered.method.clone()).or_default().add(duration);
        }
    }

    /// Returns a row for each method, the methods of the client first.
    pub fn rows(&self) -> Vec<LatencyRow> {
        let row = |from: Role, method: &String, samples: &Samples| {
            let mut sorted = samples.kept.clone();
            sorted.sort_unstable();
            let quantile = |of_100: usize| {
                let at = sorted.len().saturating_sub(1) * of_100 / 100;
                sorted.get(at).map_or(0.0, |&duration| Latency(duration).milliseconds())
            };
            LatencyRow {
                method: method.clone(),
                from: from.name(),
                count: samples.count,
                min_ms: Latency(samples.min).milliseconds(),
                median_ms: quantile(50),
                p95_ms: quantile(95),
                max_ms: Latency(samples.max).milliseconds(),
            }
        };
        let sides = [(Role::Client, &self.client), (Role::Server, &self.server)];
        let rows = sides.into_iter().flat_map(|(from, methods)| {
            methods.iter().map(move |(method, samples)| row(from, method, samples))
        });
        rows.collect()
    }
}

impl Samples {
    fn add(&mut self, duration: u64) {
        self.min = if self.count == 0 { duration } else { self.min.min(duration) };
        self.max = self.max.max(duration);
        self.stride = self.stride.max(1);
        if self.count.is_multiple_of(self.stride) {
            if self.kept.len() >= SAMPLES {
                let mut is_even = false;
                self.kept.retain(|_| {
                    is_even = !is_even;
                    is_even
                });
                self.stride *= 2;
            }
            self.kept.push(duration);
        }
        self.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use tautline_mcp::Role;

    use super::{Latencies, SAMPLES};
    use crate::judge::{Answered, Latency};

    #[test]
    fn quantiles_are_those_of_an_even_sample() {
        let mut latencies = Latencies::default();
        let count = 10 * SAMPLES as u64;
        for duration in 1..=count {
            let answered = Answered {
                frame: 1,
                method: "ping".to_owned(),
                met: None,
                latency: Some(Latency(duration * 1000)),
            };
            latencies.add(Role::Client, &answered);
        }
        let rows = latencies.rows();
        let row = &rows[0];
        assert_eq!((row.count, row.min_ms, row.max_ms), (count, 1.0, count as f64));
        let near = |actual: f64, of_100: f64| {
            let expected = count as f64 * of_100 / 100.0;
            (actual - expected).abs() < expected / 50.0
        };
        assert!(near(row.median_ms, 50.0) && near(row.p95_ms, 95.0), "{row:?}");
        assert!(latencies.client.values().all(|samples| samples.kept.len() <= SAMPLES));
    }
}
