//! An Envoy with the filter, in front of an upstream that records.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;

use crate::bootstrap::{Config, Filter};
use crate::connection::{Connection, Reply};
use crate::envoy::Envoy;
use crate::outcome::Outcome;
use crate::runtimes;
use crate::upstream::Upstream;

/// An Envoy with the filter, in front of an upstream that records.
pub struct Rig {
    /// The WebAssembly runtime.
    pub runtime: String,
    /// The upstream.
    pub upstream: Upstream,
    /// The Envoy.
    pub envoy: Envoy,
}

impl Rig {
    /// Starts one in each runtime, with these settings.
    pub async fn each(settings: &Value) -> Vec<Self> {
        Self::each_with(settings, |_| {}).await
    }

    /// Starts one in each runtime, with these settings and a change to the configuration of Envoy.
    pub async fn each_with(settings: &Value, change: impl Fn(&mut Config)) -> Vec<Self> {
        let mut rigs = Vec::new();
        for runtime in runtimes() {
            let upstream = Upstream::start().await;
            let mut config = Config::new(Filter::tautline(&runtime, settings), upstream.address);
            change(&mut config);
            let envoy = Envoy::start(&config).await;
            rigs.push(Self { runtime, upstream, envoy });
        }
        rigs
    }

    /// Returns the address on which Envoy serves.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.envoy.address
    }

    /// Sends the bytes of a request on a connection of its own, and returns the reply and what it means.
    ///
    /// # Panics
    ///
    /// Panics if there is no reply.
    pub async fn send(&self, bytes: &[u8]) -> (Reply, Outcome) {
        let mut connection = Connection::open(self.address()).await.expect("Envoy");
        connection.send(bytes).await;
        self.reply(&mut connection).await
    }

    /// Waits for the next reply on a connection, and returns it with what it means.
    ///
    /// # Panics
    ///
    /// Panics if there is no reply.
    pub async fn reply(&self, connection: &mut Connection) -> (Reply, Outcome) {
        connection.wait(1, Duration::from_secs(20)).await;
        let Some(reply) = connection.replies.pop() else {
            panic!("{}: no reply. The log of Envoy:\n{}", self.runtime, self.envoy.log());
        };
        let outcome = Outcome::of(&reply, &self.upstream);
        (reply, outcome)
    }
}
