//! The numbers and names of the second header.

use tautline::rule as envelope;
use tautline_c::abi::tl_view;
use tautline_c::export::names::{tl_rule_help, tl_rule_name, tl_rule_summary};
use tautline_c::export::session_names::*;
use tautline_c::session::numbers::{of_capability, of_method, of_revision};
use tautline_mcp::session::Capability;
use tautline_mcp::{KnownMethod, rule};

use crate::meaning::text;

#[test]
fn numbers_never_change() {
    let methods = [
        "initialize",
        "server/discover",
        "ping",
        "tools/list",
        "tools/call",
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "resources/subscribe",
        "resources/unsubscribe",
        "subscriptions/listen",
        "completion/complete",
        "logging/setLevel",
        "tasks/get",
        "tasks/result",
        "tasks/list",
        "tasks/cancel",
        "tasks/update",
        "sampling/createMessage",
        "roots/list",
        "elicitation/create",
        "notifications/initialized",
        "notifications/cancelled",
        "notifications/progress",
        "notifications/message",
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
        "notifications/resources/updated",
        "notifications/roots/list_changed",
        "notifications/elicitation/complete",
        "notifications/tasks/status",
        "notifications/tasks",
        "notifications/subscriptions/acknowledged",
    ];
    for (index, name) in methods.into_iter().enumerate() {
        let method: KnownMethod = name.parse().unwrap();
        assert_eq!(of_method(method), index as i32 + 1);
        assert_eq!(text(tl_method_name(index as i32 + 1)).unwrap(), name);
    }
    assert_eq!(KnownMethod::ALL.len(), methods.len());
    assert!(tl_method_name(0).ptr.is_null() && tl_method_name(37).ptr.is_null());
    let revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
    for (index, name) in revisions.into_iter().enumerate() {
        assert_eq!(of_revision(name.parse().unwrap()), 1 << index);
        assert_eq!(text(tl_revision_name(1 << index)).unwrap(), name);
    }
    let capabilities = [
        "tools",
        "tools.listChanged",
        "prompts",
        "prompts.listChanged",
        "resources",
        "resources.listChanged",
        "resources.subscribe",
        "completions",
        "logging",
        "roots",
        "roots.listChanged",
        "sampling",
        "elicitation",
        "elicitation.url",
        "tasks",
        "tasks.list",
        "tasks.cancel",
        "tasks.requests.tools.call",
        "tasks.requests.sampling.createMessage",
        "tasks.requests.elicitation.create",
    ];
    for (index, name) in capabilities.into_iter().enumerate() {
        assert_eq!(of_capability(name.parse().unwrap()), 1 << index);
    }
    assert_eq!(Capability::ALL.len(), capabilities.len());
    let declared = tl_view::of(br#"{"tools":{"listChanged":true},"tasks":{"list":{}}}"#);
    // SAFETY: the view is readable.
    assert_eq!(unsafe { tl_capabilities_of(declared) }, 1 | 2 | 1 << 14 | 1 << 15);
}

#[test]
fn every_rule_has_its_texts() {
    for one in rule::all() {
        let number = one.number();
        assert_eq!(text(tl_mcp_rule_name(number)).unwrap(), rule::name(one));
        assert_eq!(text(tl_mcp_rule_summary(number)).unwrap(), rule::summary(one));
        assert_eq!(text(tl_mcp_rule_help(number)).unwrap(), rule::help(one));
        let of_envelope = envelope::ALL.contains(&one).then_some(one);
        assert_eq!(text(tl_rule_name(number)).as_deref(), of_envelope.map(envelope::name));
        assert_eq!(text(tl_rule_summary(number)).as_deref(), of_envelope.map(envelope::summary));
        assert_eq!(text(tl_rule_help(number)).as_deref(), of_envelope.map(envelope::help));
    }
    let functions = [
        tl_mcp_rule_name,
        tl_mcp_rule_summary,
        tl_mcp_rule_help,
        tl_rule_name,
        tl_rule_summary,
        tl_rule_help,
    ];
    for function in functions {
        assert!([0, 9999, u16::MAX].into_iter().all(|number| function(number).ptr.is_null()));
    }
}
