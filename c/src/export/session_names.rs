//! Names and descriptions of what sessions report, and lookup by name.

use tautline::Rule;
use tautline_mcp::session::{Capabilities, Phase};
use tautline_mcp::{KnownMethod, Revision, cause, rule};

use super::json;
use crate::abi::tl_view;
use crate::session::numbers;
use crate::texts::texts;
use crate::value;

/// All rules: of the envelope, why a frame is not a message, and of MCP.
const RULES: &[&[Rule]] = &[tautline::rule::ALL, cause::rule::ALL, rule::ALL];

fn text_if_any(text: Option<&'static [u8]>) -> tl_view {
    text.map_or(tl_view::NONE, tl_view::of)
}

fn view_if_any(text: Option<&'static str>) -> tl_view {
    text_if_any(text.map(str::as_bytes))
}

/// Returns the name of a rule of `tl_mcp_rule` or `tl_rule`, such as `missing-meta`, which never changes. The view
/// lives as long as the program, and is
/// NULL for any other number.
#[unsafe(no_mangle)]
pub extern "C" fn tl_mcp_rule_name(rule: u16) -> tl_view {
    text_if_any(texts!(RULES, rule::name).of(rule))
}

/// Returns what is wrong if a rule of `tl_mcp_rule` or `tl_rule` is broken, in one line. The view lives as long as the
/// program, and is
/// NULL for any other number.
#[unsafe(no_mangle)]
pub extern "C" fn tl_mcp_rule_summary(rule: u16) -> tl_view {
    text_if_any(texts!(RULES, rule::summary).of(rule))
}

/// Returns advice for the sender who broke a rule of `tl_mcp_rule` or `tl_rule`. The view lives as long as the program,
/// and is NULL for any other number.
#[unsafe(no_mangle)]
pub extern "C" fn tl_mcp_rule_help(rule: u16) -> tl_view {
    text_if_any(texts!(RULES, rule::help).of(rule))
}

/// Returns the name of a revision of `tl_revision`, such as `2025-11-25`. The view lives as long as the program, and is
/// NULL for any other number.
#[unsafe(no_mangle)]
pub extern "C" fn tl_revision_name(revision: i32) -> tl_view {
    view_if_any(numbers::revision(revision).map(Revision::name))
}

/// Returns the name of a method of `tl_method`, such as `tools/call`. The view lives as long as the program, and is
/// NULL for any other number.
#[unsafe(no_mangle)]
pub extern "C" fn tl_method_name(method: i32) -> tl_view {
    view_if_any(numbers::method(method).map(KnownMethod::name))
}

/// Returns the name of a phase of `tl_phase`, such as `awaiting-initialized`. The view lives as long as the program,
/// and is NULL for any other number.
#[unsafe(no_mangle)]
pub extern "C" fn tl_phase_name(phase: i32) -> tl_view {
    let mut all = Phase::ALL.iter();
    view_if_any(all.find(|one| numbers::of_phase(**one) == phase).map(|one| one.name()))
}

/// Returns the capabilities that an object declares, a set of `tl_capability`: `capabilities` of a `tl_session_event`.
/// It is 0 for NULL and for values of other types. In other text, it finds what it can: the checked build returns 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_capabilities_of(object: tl_view) -> u32 {
    // SAFETY: the promises of the caller.
    let object = unsafe { json(object) };
    object.map_or(0, |object| numbers::of_capabilities(Capabilities::of(value::value(object))))
}
