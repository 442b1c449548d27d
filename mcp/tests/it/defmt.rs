//! Everything worth logging has a format for `defmt`. This test compiles it for the host; only a log shows that the
//! output is right.

use defmt::Format;
use tautline_mcp::session::{
    Capabilities, Capability, Completion, Early, Event, InFlight, Phase, Refusal,
};
use tautline_mcp::{
    CallKind, Era, Finding, KnownMethod, LogLevel, ReferenceKind, Revision, Role, UnknownRevision,
};

/// Compiles for types that can be logged.
fn is_format<T: Format>() {}

#[test]
fn what_one_would_log_can_be_logged() {
    is_format::<(CallKind, Capabilities, Capability, Completion, Early, Era)>();
    is_format::<(Event<'_>, Finding, InFlight<'_>, KnownMethod, Phase, Refusal<'_>)>();
    is_format::<(LogLevel, ReferenceKind, Revision, Role, UnknownRevision)>();
}
