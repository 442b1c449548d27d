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
    /// Each by the name of its object, with what the flag `listChanged` in there declares besides.
    const OBJECTS: &[(&str, Self, Option<Self>)] = &[
        ("tools", Self::Tools, Some(Self::ToolsListChanged)),
        ("prompts", Self::Prompts, Some(Self::PromptsListChanged)),
        ("resources", Self::Resources, Some(Self::ResourcesListChanged)),
        ("completions", Self::Completions, None),
        ("logging", Self::Logging, None),
        ("roots", Self::Roots, Some(Self::RootsListChanged)),
        ("sampling", Self::Sampling, None),
        ("elicitation", Self::Elicitation, None),
        ("tasks", Self::Tasks, None),
    ];

    /// All of them.
    const ALL: &[Self] = &[
        Self::Tools,
        Self::ToolsListChanged,
        Self::Prompts,
        Self::PromptsListChanged,
        Self::Resources,
        Self::ResourcesListChanged,
        Self::ResourcesSubscribe,
        Self::Completions,
        Self::Logging,
        Self::Roots,
        Self::RootsListChanged,
        Self::Sampling,
        Self::Elicitation,
        Self::Tasks,
    ];

    /// All of them.
    #[cfg(feature = "defmt")]
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied()
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
        let Some(members) = object.members() else { return declared };
        for member in members {
            let named = Capability::OBJECTS.iter().find(|(name, ..)| member.name == *name);
            let Some((_, capability, list_changed)) = named else { continue };
            if !member.value.is_null() {
                declared.add(Some(*capability));
            }
            if has_flag(member.value, "listChanged") {
                declared.add(*list_changed);
            }
            if *capability == Capability::Resources && has_flag(member.value, "subscribe") {
                declared.add(Some(Capability::ResourcesSubscribe));
            }
        }
        declared
    }

    /// What is declared by such an object, if there is one.
    pub(super) fn of_declared(object: Option<RawJson<'_>>) -> Self {
        object.map_or(Self::NONE, Self::of)
    }

    const fn add(&mut self, capability: Option<Capability>) {
        if let Some(capability) = capability {
            self.0 |= capability.bit();
        }
    }

    /// Whether it was declared.
    #[must_use]
    pub const fn has(self, capability: Capability) -> bool {
        self.0 & capability.bit() != 0
    }
}

/// Whether an object has this flag, and it is set.
fn has_flag(object: RawJson<'_>, name: &str) -> bool {
    object.member(name).and_then(|flag| flag.bool()) == Some(true)
}

impl core::fmt::Debug for Capabilities {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let all = Capability::ALL.iter();
        f.debug_set().entries(all.filter(|&&capability| self.has(capability))).finish()
    }
}
