//! Names in `params` that gateways act on, and names that resemble them.
//!
//! Only [strict rules](super::Rules::strict) look below the envelope, so this module knows only names. Their types, and
//! the methods that have them, are up to the protocol.

use core::ops::ControlFlow;

use super::report::Flow;
use crate::cast::u32_from;
use crate::json::RawJson;
use crate::resemblance::resembles;
use crate::rule::Rule;

/// The names of parameters that MCP gateways route, authorize, cache and log by (MCP, schema of each revision).
const PARAMS: &[&str] = &[
    META,
    "name",
    "uri",
    "arguments",
    "requestId",
    "progressToken",
    "protocolVersion",
    "capabilities",
    "clientInfo",
    "cursor",
    "level",
    "ref",
    "argument",
    "task",
    "taskId",
    "requestState",
    "inputResponses",
];

const META: &str = "_meta";

/// The names in `_meta` that MCP reserves (MCP, basic, `_meta`).
const IN_META: &[&str] = &[
    "progressToken",
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/logLevel",
    "io.modelcontextprotocol/subscriptionId",
    "io.modelcontextprotocol/serverInfo",
    "io.modelcontextprotocol/related-task",
];

/// A set of names needs a bit for each name.
const _: () = assert!(PARAMS.len() <= 32 && IN_META.len() <= 32, "a set of names has 32 bits");

/// Reports each name in `params`, which begin at `start`, that resembles one of the table, and then each name of the
/// table that appears again.
pub(super) fn check(
    params: RawJson<'_>,
    start: u32,
    report: &mut dyn FnMut(Rule, u32) -> Flow,
) -> Flow {
    each_object(params, start, &mut |object, start, names| {
        lookalikes(object, start, names, report)
    })?;
    each_object(params, start, &mut |object, start, names| duplicates(object, start, names, report))
}

/// Visits the object, and every `_meta` in it.
fn each_object(
    params: RawJson<'_>,
    start: u32,
    visit: &mut dyn FnMut(RawJson<'_>, u32, &[&str]) -> Flow,
) -> Flow {
    visit(params, start, PARAMS)?;
    let Some(mut members) = params.members() else { return ControlFlow::Continue(()) };
    while let Some((_, at, member)) = members.next_places() {
        if member.name == META {
            visit(member.value, start.saturating_add(u32_from(at)), IN_META)?;
        }
    }
    ControlFlow::Continue(())
}

fn lookalikes(
    object: RawJson<'_>,
    start: u32,
    names: &[&str],
    report: &mut dyn FnMut(Rule, u32) -> Flow,
) -> Flow {
    let Some(mut members) = object.members() else { return ControlFlow::Continue(()) };
    while let Some((at, member)) = members.next_at() {
        let is_one = || names.iter().any(|name| member.name == **name);
        if names.iter().any(|name| resembles(member.name, name)) && !is_one() {
            report(Rule::NESTED_MEMBER_LOOKALIKE, start.saturating_add(u32_from(at)))?;
        }
    }
    ControlFlow::Continue(())
}

fn duplicates(
    object: RawJson<'_>,
    start: u32,
    names: &[&str],
    report: &mut dyn FnMut(Rule, u32) -> Flow,
) -> Flow {
    let Some(mut members) = object.members() else { return ControlFlow::Continue(()) };
    let mut seen = 0_u32;
    while let Some((at, member)) = members.next_at() {
        let Some(index) = names.iter().position(|name| member.name == **name) else { continue };
        let bit = 1_u32.wrapping_shl(u32_from(index));
        if seen & bit != 0 {
            report(Rule::DUPLICATE_NESTED_MEMBER, start.saturating_add(u32_from(at)))?;
        }
        seen |= bit;
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::{IN_META, PARAMS};

    #[test]
    fn no_two_names_resemble_each_other() {
        for names in [PARAMS, IN_META] {
            for (i, name) in names.iter().enumerate() {
                let others = names.iter().skip(i + 1);
                assert!(
                    !others.into_iter().any(|other| other.eq_ignore_ascii_case(name)),
                    "{name}"
                );
            }
        }
    }
}
