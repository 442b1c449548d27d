//! Names in `params` that gateways act on, and names that resemble them.
//!
//! Only [strict rules](super::Rules::strict) look below the envelope, so this knows names and no more: their types,
//! and the methods that have them, are the business of the protocol.

use core::ops::ControlFlow;

use super::names::visible;
use super::report::Flow;
use crate::cast::u32_from;
use crate::json::{RawJson, RawStr};
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

/// The length of the longest of these names, in bytes.
const LONGEST: usize = 42;

/// A set of names needs a bit for each.
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
    while let Some((_, member)) = members.next_at() {
        if member.name == META {
            let offset = crate::bytes::offset_in(params.as_bytes(), member.value.as_bytes());
            visit(member.value, start.saturating_add(offset), IN_META)?;
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
        if resembles(member.name, names) && !names.iter().any(|name| member.name == **name) {
            report(Rule::NestedMemberLookalike, start.saturating_add(u32_from(at)))?;
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
            report(Rule::DuplicateNestedMember, start.saturating_add(u32_from(at)))?;
        }
        seen |= bit;
    }
    ControlFlow::Continue(())
}

/// Returns whether a careless comparison takes the name for one of these, or the name is one of them.
fn resembles(name: RawStr<'_>, names: &[&str]) -> bool {
    let mut bytes = [0; LONGEST];
    let mut length = 0;
    for c in name.chars() {
        let Some(c) = c.ok().map(visible) else { return false };
        let Some(c) = c else { continue };
        let (Ok(byte), Some(place)) = (u8::try_from(c), bytes.get_mut(length)) else {
            return false;
        };
        *place = byte;
        length = length.saturating_add(1);
    }
    let folded = bytes.get(..length).unwrap_or_default();
    names.iter().any(|name| name.as_bytes().eq_ignore_ascii_case(folded))
}

#[cfg(test)]
mod tests {
    use super::{IN_META, LONGEST, PARAMS};

    #[test]
    fn the_longest_name_fits_and_no_two_names_resemble_each_other() {
        let lengths = PARAMS.iter().chain(IN_META).map(|name| name.len());
        assert_eq!(lengths.max(), Some(LONGEST));
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
