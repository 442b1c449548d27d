//! The names in `params` that gateways act on.

use tautline::Profile;
use tautline::envelope::GuardedNames;

use super::Revision;

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

/// The names that MCP gateways act on, for [strict profiles](Profile::strict).
pub static GUARDED_NAMES: GuardedNames = GuardedNames::new(PARAMS).within(META, IN_META);

const _: () = assert!(PARAMS.len() <= 64 && IN_META.len() <= 64, "repeated names are noticed");

impl Revision {
    /// Returns the strict variant of [`profile`](Self::profile), for gateways: a frame that another peer could read
    /// differently is a fault, below the envelope as well. [`Profile::strict`] lists what is refused. The `arguments` of
    /// a tool are not checked: the tool defines their names.
    ///
    /// ```
    /// use tautline_mcp::{Message, Revision, Rule, Profile};
    ///
    /// const PROFILE: Profile = Revision::V2025_11_25.strict_profile();
    /// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","Name":"rm"}}"#;
    /// let fault = Message::parse(frame, &PROFILE).unwrap_err();
    /// assert_eq!((fault.rule(), fault.offset()), (Rule::NESTED_MEMBER_LOOKALIKE, 69));
    /// ```
    #[must_use]
    pub const fn strict_profile(self) -> Profile {
        self.profile().strict(&GUARDED_NAMES)
    }
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
