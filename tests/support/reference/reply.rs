//! The naive reference for replies: the table of the design, implemented once more.
//!
//! - Not JSON or not UTF-8: -32700, and the id is never guessed.
//! - JSON with `result` or `error` present: silence, always.
//! - No `id`, but one member that resembles it and is a string or an integer: -32600 with that, under strict profiles.
//! - A string `method` and no `id`: silence, always.
//! - Anything else that is invalid: -32600, with the id if it is legal under the profile and the only one; otherwise as
//!   an uncorrelated error.

use super::super::presets::{GUARDED_NAMES, Revision};
use tautline::Profile;

/// A protocol on JSON-RPC 2.0, with its preset.
pub struct Protocol {
    pub name: String,
    pub profile: Profile,
    pub family: Family,
    /// True if an error may lack an id.
    pub has_errors_without_id: bool,
    /// True if the rules are a preset's strict variant.
    pub is_strict: bool,
    uncorrelated: Uncorrelated,
    answers_what_is_not_json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Family {
    JsonRpc,
    Lsp,
    Mcp(Revision),
}

/// An error reply that can't be tied to a request.
#[derive(Clone, Copy)]
enum Uncorrelated {
    HasNullId,
    HasNoId,
    IsNotSent,
}

/// Returns every preset, the HTTP request variants that differ from it, and some of the response variants, which are
/// all silent in the same way.
pub fn protocols() -> Vec<Protocol> {
    let mut all = Vec::new();
    let families = [Family::JsonRpc, Family::Lsp].into_iter();
    for family in families.chain(Revision::ALL.iter().map(|&revision| Family::Mcp(revision))) {
        let (name, profile, on_a_stream) = match family {
            Family::JsonRpc => ("JSON-RPC".into(), Profile::JSON_RPC, Uncorrelated::HasNullId),
            Family::Lsp => ("LSP".into(), Profile::LSP, Uncorrelated::HasNullId),
            Family::Mcp(revision) => (
                format!("MCP {revision}"),
                revision.profile(),
                if revision >= Revision::V2025_11_25 {
                    Uncorrelated::HasNoId
                } else {
                    Uncorrelated::IsNotSent
                },
            ),
        };
        let since_2025_11 =
            matches!(family, Family::Mcp(revision) if revision >= Revision::V2025_11_25);
        let is_mcp = matches!(family, Family::Mcp(_));
        if is_mcp {
            all.push(Protocol {
                name: format!("{name} in an HTTP request"),
                profile: profile.http_request_body(),
                family,
                is_strict: false,
                has_errors_without_id: since_2025_11,
                uncorrelated: Uncorrelated::HasNoId,
                answers_what_is_not_json: true,
            });
        }
        if let Family::JsonRpc | Family::Mcp(Revision::V2025_03_26 | Revision::V2026_07_28) = family
        {
            all.push(Protocol {
                name: format!("{name} in an HTTP response"),
                profile: profile.http_response_body(),
                family,
                is_strict: false,
                has_errors_without_id: is_mcp,
                uncorrelated: Uncorrelated::IsNotSent,
                answers_what_is_not_json: false,
            });
        }
        all.push(Protocol {
            name,
            profile,
            family,
            is_strict: false,
            has_errors_without_id: since_2025_11,
            uncorrelated: on_a_stream,
            answers_what_is_not_json: !is_mcp,
        });
    }
    all
}

/// Returns the strict variant of each of these.
pub fn strict_protocols() -> Vec<Protocol> {
    let strict = |protocol: Protocol| Protocol {
        name: format!("{}, strict", protocol.name),
        profile: protocol.profile.strict(&GUARDED_NAMES),
        is_strict: true,
        ..protocol
    };
    protocols().into_iter().map(strict).collect()
}

/// The properties of an invalid JSON frame that decide the reply.
#[derive(Default)]
pub struct Facts<'a> {
    pub has_result_or_error: bool,
    pub has_string_method: bool,
    /// The text and the kind of each `id`.
    pub ids: Vec<(&'a str, IdKind)>,
    /// The same of each member that resembles an `id`.
    pub misspelled: Vec<(&'a str, IdKind)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdKind {
    String,
    /// With an unpaired surrogate escape, which a reply could not repeat to every peer.
    BrokenString,
    Integer,
    Fraction,
    Null,
    /// A boolean, an array or an object.
    Illegal,
}

/// A code, and the text of the id if the reply has one.
pub type Reply<'a> = (i64, Option<&'a str>);

/// Returns the id that a strict profile answers if the call has no other.
pub fn misspelled_id<'a>(facts: &Facts<'a>) -> Option<&'a str> {
    match facts.misspelled[..] {
        [(text, IdKind::String | IdKind::Integer)]
            if facts.ids.is_empty() && !facts.has_result_or_error =>
        {
            Some(text)
        }
        _ => None,
    }
}

/// Returns the reply due for an invalid frame; without facts, it is not even JSON.
pub fn owed<'a>(facts: Option<&Facts<'a>>, protocol: &Protocol) -> Option<Reply<'a>> {
    let uncorrelated = |code| match protocol.uncorrelated {
        Uncorrelated::HasNullId => Some((code, Some("null"))),
        Uncorrelated::HasNoId => Some((code, None)),
        Uncorrelated::IsNotSent => None,
    };
    let Some(facts) = facts else {
        return match protocol.answers_what_is_not_json {
            true => uncorrelated(-32700),
            false => None,
        };
    };
    let misspelled = misspelled_id(facts).filter(|_| protocol.is_strict);
    if let Some(text) = misspelled {
        return Some((-32600, Some(text)));
    }
    if facts.has_result_or_error || (facts.has_string_method && facts.ids.is_empty()) {
        return None;
    }
    let legal = |kind| match kind {
        IdKind::String | IdKind::Integer => true,
        IdKind::Fraction | IdKind::Null => protocol.family == Family::JsonRpc,
        IdKind::BrokenString | IdKind::Illegal => false,
    };
    match facts.ids[..] {
        [(text, kind)] if legal(kind) => Some((-32600, Some(text))),
        _ => uncorrelated(-32600),
    }
}
