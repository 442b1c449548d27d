//! What the two sides declare that they can do.

use crate::json::RawJson;
use crate::mcp::{Method, Peer, Revision};

/// The capabilities that one side declared, as bits.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Capabilities(u16);

/// Something that a side can declare, and that the other needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
#[repr(u8)]
pub enum Capability {
    /// Server: `tools`
    Tools,
    /// Server: `tools.listChanged`
    ToolsListChanged,
    /// Server: `prompts`
    Prompts,
    /// Server: `prompts.listChanged`
    PromptsListChanged,
    /// Server: `resources`
    Resources,
    /// Server: `resources.listChanged`
    ResourcesListChanged,
    /// Server: `resources.subscribe`
    ResourcesSubscribe,
    /// Server: `completions`
    Completions,
    /// Server: `logging`
    Logging,
    /// Client: `roots`
    Roots,
    /// Client: `roots.listChanged`
    RootsListChanged,
    /// Client: `sampling`
    Sampling,
    /// Client: `elicitation`
    Elicitation,
    /// Either side: `tasks`
    Tasks,
}

impl Capability {
    /// All of them, each with its name, and that of a flag in its object.
    const NAMES: &[(Self, &str, Option<&str>)] = &[
        (Self::Tools, "tools", None),
        (Self::ToolsListChanged, "tools", Some("listChanged")),
        (Self::Prompts, "prompts", None),
        (Self::PromptsListChanged, "prompts", Some("listChanged")),
        (Self::Resources, "resources", None),
        (Self::ResourcesListChanged, "resources", Some("listChanged")),
        (Self::ResourcesSubscribe, "resources", Some("subscribe")),
        (Self::Completions, "completions", None),
        (Self::Logging, "logging", None),
        (Self::Roots, "roots", None),
        (Self::RootsListChanged, "roots", Some("listChanged")),
        (Self::Sampling, "sampling", None),
        (Self::Elicitation, "elicitation", None),
        (Self::Tasks, "tasks", None),
    ];

    /// All of them.
    #[cfg(feature = "defmt")]
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Self::NAMES.iter().map(|(capability, ..)| *capability)
    }

    const fn bit(self) -> u16 {
        #[expect(clippy::as_conversions, reason = "the number of a variant, of which there are 14")]
        let number = self as u8;
        1 << number
    }

    /// What a call of the method needs that one side declared, and which side.
    ///
    /// Nothing that the handshake itself consists of needs any, and neither does what a revision has
    /// no capability for.
    #[must_use]
    pub const fn needed_for(method: Method, revision: Revision) -> Option<(Peer, Self)> {
        Some(match method {
            Method::ToolsList | Method::ToolsCall => (Peer::Server, Self::Tools),
            Method::ToolsListChanged => (Peer::Server, Self::ToolsListChanged),
            Method::PromptsList | Method::PromptsGet => (Peer::Server, Self::Prompts),
            Method::PromptsListChanged => (Peer::Server, Self::PromptsListChanged),
            Method::ResourcesList | Method::ResourcesTemplatesList | Method::ResourcesRead => {
                (Peer::Server, Self::Resources)
            }
            Method::ResourcesListChanged => (Peer::Server, Self::ResourcesListChanged),
            Method::ResourcesSubscribe
            | Method::ResourcesUnsubscribe
            | Method::ResourcesUpdated => (Peer::Server, Self::ResourcesSubscribe),
            // The capability is younger than the method.
            Method::CompletionComplete => match revision {
                Revision::V2024_11_05 => return None,
                _ => (Peer::Server, Self::Completions),
            },
            Method::LoggingSetLevel | Method::LoggingMessage => (Peer::Server, Self::Logging),
            Method::RootsList => (Peer::Client, Self::Roots),
            Method::RootsListChanged => (Peer::Client, Self::RootsListChanged),
            Method::SamplingCreateMessage => (Peer::Client, Self::Sampling),
            Method::ElicitationCreate => (Peer::Client, Self::Elicitation),
            _ => return None,
        })
    }
}

impl Capabilities {
    /// Nothing.
    pub const NONE: Self = Self(0);

    /// What a `capabilities` object declares.
    ///
    /// ```
    /// use tautline::RawJson;
    /// use tautline::session::{Capabilities, Capability};
    ///
    /// let declared = RawJson::parse(br#"{"tools":{"listChanged":true},"prompts":{}}"#).unwrap();
    /// let declared = Capabilities::of(declared);
    /// assert!(declared.has(Capability::ToolsListChanged));
    /// assert!(!declared.has(Capability::Resources));
    /// ```
    #[must_use]
    pub fn of(object: RawJson<'_>) -> Self {
        let mut declared = Self::default();
        for member in object.members().into_iter().flatten() {
            for (capability, name, flag) in Capability::NAMES {
                let is_declared = || match flag {
                    None => !member.value.is_null(),
                    Some(flag) => {
                        member.value.member(flag).and_then(|flag| flag.bool()) == Some(true)
                    }
                };
                if member.name == *name && is_declared() {
                    declared.0 |= capability.bit();
                }
            }
        }
        declared
    }

    /// Whether it was declared.
    #[must_use]
    pub const fn has(self, capability: Capability) -> bool {
        self.0 & capability.bit() != 0
    }
}

impl core::fmt::Debug for Capabilities {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let all = Capability::NAMES.iter().map(|(capability, ..)| capability);
        f.debug_set().entries(all.filter(|&&capability| self.has(capability))).finish()
    }
}
