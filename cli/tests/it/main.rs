//! The tests of the command line, in one binary, so that it is linked only once.

mod audit;
mod audit_many;
mod check_losses;
mod cli;
mod compressed;
mod effects;
#[path = "../examples.rs"]
mod examples;
mod live_input;
mod probe;
mod probe_baseline;
mod probe_defects;
mod support;
#[cfg(all(feature = "http", unix))]
mod tap_http;
mod text;
#[cfg(target_os = "linux")]
#[path = "../../../tests/support/volume.rs"]
mod volume;
