//! Defects of servers in how they begin a session, in both eras.

use tautline_mcp::Revision;

use crate::calls::respond;
use crate::defect::{Act, Memory, defects};
use crate::members::{Members, error, quoted, result};
use crate::names::{change, complete};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

defects! { Message {
    "dies-before-initialize" => |line, memory| {
        memory.opened |= is(line, "initialize");
        Act::Die.if_so(!memory.opened, line)
    },
    "ignores-requests-before-initialize" => |line, memory| {
        memory.opened |= is(line, "initialize");
        let is_early = !memory.opened && !is(line, "ping") && Members::of(line).is_some_and(|members| members.is_request());
        Act::Lose.if_so(is_early, line)
    },
    "refuses-ping-before-initialize" => |line, memory| {
        memory.opened |= is(line, "initialize");
        let opened = memory.opened;
        respond(line, |method| method == "ping" && !opened, |id| error(id, -32600))
    },
    "ignores-requests-before-initialized" => |line, memory| {
        memory.opened |= is(line, "initialize");
        memory.initialized |= is(line, "notifications/initialized");
        let is_early = memory.opened && !memory.initialized && is(line, "tools/list");
        Act::Lose.if_so(is_early, line)
    },
    "ignores-unknown-version" => |line, _| Act::Lose.if_so(has_unknown_version(line), line),
    "dies-on-unknown-version" => |line, _| Act::Die.if_so(has_unknown_version(line), line),
    "dies-on-unknown-capability" => |line, _| {
        let declared = Members::of(line).and_then(|members| members.inner("params")?.inner("capabilities"));
        let known = ["roots", "sampling", "elicitation", "experimental", "tasks"];
        let is_unknown = |declared: Members| declared.0.iter().any(|member| !known.contains(&&*member.name));
        Act::Die.if_so(declared.is_some_and(is_unknown), line)
    },
    "ignores-handshakes" => |line, _| Act::Lose.if_so(is(line, "initialize"), line),
    "dies-on-second-initialize" => |line, memory| Act::Die.if_so(is_second(line, "initialize", memory), line),
    "ignores-second-initialize" => |line, memory| Act::Lose.if_so(is_second(line, "initialize", memory), line),
    "dies-on-second-initialized" => |line, memory| {
        Act::Die.if_so(is_second(line, "notifications/initialized", memory), line)
    },
    // Metadata that a request lacks is filled in.
    "serves-without-metadata" => |line, _| change(line, |mut members| {
        complete(&mut members);
        members
    }),
    "serves-unsupported-version" => |line, _| change(line, |mut members| {
        let params = members.inner("params").and_then(|mut params| {
            let mut meta = params.inner("_meta")?;
            meta.string(VERSION)?;
            meta.set(VERSION, quoted(Revision::V2026_07_28.name()));
            params.set("_meta", String::from_utf8_lossy(&meta.text()));
            Some(String::from_utf8_lossy(&params.text()).into_owned())
        });
        if let Some(params) = params {
            members.set("params", params);
        }
        members
    }),
    "keeps-removed-methods" => |line, _| {
        let removed = ["ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];
        let is_modern = Members::of(line).is_some_and(|members| is_modern(&members));
        respond(line, |method| is_modern && removed.contains(&method), result)
    },
} }

pub fn is_modern(members: &Members) -> bool {
    let meta = members.inner("params").and_then(|params| params.inner("_meta"));
    meta.is_some_and(|meta| meta.get(VERSION).is_some())
}

fn is(line: &[u8], method: &str) -> bool {
    Members::of(line).is_some_and(|members| members.method() == method)
}

fn is_second(line: &[u8], method: &str, memory: &mut Memory) -> bool {
    is(line, method) && std::mem::replace(&mut memory.opened, true)
}

fn has_unknown_version(line: &[u8]) -> bool {
    let params = Members::of(line)
        .filter(|_| is(line, "initialize"))
        .and_then(|members| members.inner("params"));
    let version = params.and_then(|params| params.string("protocolVersion"));
    version.is_some_and(|version| version.parse::<Revision>().is_err())
}
