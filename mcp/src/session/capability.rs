//! Capabilities: the features that the two sides declare.

use tautline::RawJson;
use tautline::internal::cast::u8_within;
use tautline::internal::name::{display_name, named};
use tautline::json::Kind;

use crate::{Era, KnownMethod, Revision, Role};

/// The capabilities that one side declared, as bits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Capabilities(u32);

/// A feature that one side can declare, and that the other side relies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// Client: `elicitation.url`
    ElicitationUrl,
    /// Either side: `tasks`
    Tasks,
    /// Either side: `tasks.list`
    TasksList,
    /// Either side: `tasks.cancel`
    TasksCancel,
    /// Server: `tasks.requests.tools.call`
    TasksToolsCall,
    /// Client: `tasks.requests.sampling.createMessage`
    TasksSamplingCreateMessage,
    /// Client: `tasks.requests.elicitation.create`
    TasksElicitationCreate,
}

/// A member of a `capabilities` object.
struct Declared {
    /// The number of members that contain it. The innermost of them is the last row above whose depth is one less.
    depth: u8,
    /// The length of its name, which follows the names of the rows above.
    length: u8,
    /// The value that declares the capability: an object, or `true` for a flag.
    kind: Kind,
    declares: Option<Capability>,
}

macro_rules! declared {
    ($($depth:literal $name:literal $kind:ident $declares:expr;)*) => {
        /// All members that declare a capability, and the members that contain them.
        const DECLARED: &[Declared] = &[$(Declared {
            depth: $depth,
            length: u8_within($name.len()),
            kind: Kind::$kind,
            declares: $declares,
        }),*];

        /// Their names, one after the other. On a microcontroller, a table of texts takes eight more bytes for each.
        const NAMES: &str = concat!($($name),*);
    };
}

declared! {
    0 "tools" Object Some(Capability::Tools);
    1 "listChanged" Bool Some(Capability::ToolsListChanged);
    0 "prompts" Object Some(Capability::Prompts);
    1 "listChanged" Bool Some(Capability::PromptsListChanged);
    0 "resources" Object Some(Capability::Resources);
    1 "listChanged" Bool Some(Capability::ResourcesListChanged);
    1 "subscribe" Bool Some(Capability::ResourcesSubscribe);
    0 "completions" Object Some(Capability::Completions);
    0 "logging" Object Some(Capability::Logging);
    0 "roots" Object Some(Capability::Roots);
    1 "listChanged" Bool Some(Capability::RootsListChanged);
    0 "sampling" Object Some(Capability::Sampling);
    0 "elicitation" Object Some(Capability::Elicitation);
    1 "url" Object Some(Capability::ElicitationUrl);
    0 "tasks" Object Some(Capability::Tasks);
    1 "list" Object Some(Capability::TasksList);
    1 "cancel" Object Some(Capability::TasksCancel);
    1 "requests" Object None;
    2 "tools" Object None;
    3 "call" Object Some(Capability::TasksToolsCall);
    2 "sampling" Object None;
    3 "createMessage" Object Some(Capability::TasksSamplingCreateMessage);
    2 "elicitation" Object None;
    3 "create" Object Some(Capability::TasksElicitationCreate);
}

display_name!(Capability);
named!(Capability, "a capability");

impl Capability {
    /// All capabilities.
    pub const ALL: &[Self] = &[
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
        Self::ElicitationUrl,
        Self::Tasks,
        Self::TasksList,
        Self::TasksCancel,
        Self::TasksToolsCall,
        Self::TasksSamplingCreateMessage,
        Self::TasksElicitationCreate,
    ];

    /// Returns the path of the member that declares it, from the `capabilities` object.
    ///
    /// ```
    /// use tautline_mcp::session::Capability;
    ///
    /// assert_eq!(Capability::ToolsListChanged.name(), "tools.listChanged");
    /// assert_eq!("tasks.list".parse(), Ok(Capability::TasksList));
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::ToolsListChanged => "tools.listChanged",
            Self::Prompts => "prompts",
            Self::PromptsListChanged => "prompts.listChanged",
            Self::Resources => "resources",
            Self::ResourcesListChanged => "resources.listChanged",
            Self::ResourcesSubscribe => "resources.subscribe",
            Self::Completions => "completions",
            Self::Logging => "logging",
            Self::Roots => "roots",
            Self::RootsListChanged => "roots.listChanged",
            Self::Sampling => "sampling",
            Self::Elicitation => "elicitation",
            Self::ElicitationUrl => "elicitation.url",
            Self::Tasks => "tasks",
            Self::TasksList => "tasks.list",
            Self::TasksCancel => "tasks.cancel",
            Self::TasksToolsCall => "tasks.requests.tools.call",
            Self::TasksSamplingCreateMessage => "tasks.requests.sampling.createMessage",
            Self::TasksElicitationCreate => "tasks.requests.elicitation.create",
        }
    }

    const fn bit(self) -> u32 {
        #[expect(clippy::as_conversions, reason = "the discriminant of one of 20 variants")]
        let number = self as u8;
        1 << number
    }

    /// Returns the capability that a call of the method by this side needs, and the side that has to declare it.
    ///
    /// Handshake methods require no capability. Neither do methods for which the revision has no capability.
    #[must_use]
    pub const fn needed_for(
        method: KnownMethod,
        revision: Revision,
        from: Role,
    ) -> Option<(Role, Self)> {
        let Some(capability) = Self::of_method(method) else { return None };
        let side = match (method, revision.era()) {
            (KnownMethod::TasksStatus, _) => from,
            // The later extension for tasks is declared in each request.
            (KnownMethod::TasksGet | KnownMethod::TasksCancel, Era::Modern) => return None,
            _ => match capability.side() {
                Some(side) => side,
                None => from.other(),
            },
        };
        // The capability is newer than the method.
        match (capability, revision) {
            (Self::Completions, Revision::V2024_11_05) => None,
            _ => Some((side, capability)),
        }
    }

    /// Returns the capability that some revision requires for a method. This is compiled into a table.
    #[inline(never)]
    const fn of_method(method: KnownMethod) -> Option<Self> {
        Some(match method {
            KnownMethod::ToolsList | KnownMethod::ToolsCall => Self::Tools,
            KnownMethod::ToolsListChanged => Self::ToolsListChanged,
            KnownMethod::PromptsList | KnownMethod::PromptsGet => Self::Prompts,
            KnownMethod::PromptsListChanged => Self::PromptsListChanged,
            KnownMethod::ResourcesList
            | KnownMethod::ResourcesTemplatesList
            | KnownMethod::ResourcesRead => Self::Resources,
            KnownMethod::ResourcesListChanged => Self::ResourcesListChanged,
            KnownMethod::ResourcesSubscribe
            | KnownMethod::ResourcesUnsubscribe
            | KnownMethod::ResourcesUpdated => Self::ResourcesSubscribe,
            KnownMethod::CompletionComplete => Self::Completions,
            KnownMethod::LoggingSetLevel | KnownMethod::LoggingMessage => Self::Logging,
            KnownMethod::RootsList => Self::Roots,
            KnownMethod::RootsListChanged => Self::RootsListChanged,
            KnownMethod::SamplingCreateMessage => Self::Sampling,
            KnownMethod::ElicitationCreate => Self::Elicitation,
            // Only an elicitation in `url` mode is completed by a notification.
            KnownMethod::ElicitationComplete => Self::ElicitationUrl,
            KnownMethod::TasksGet | KnownMethod::TasksResult | KnownMethod::TasksStatus => {
                Self::Tasks
            }
            KnownMethod::TasksList => Self::TasksList,
            KnownMethod::TasksCancel => Self::TasksCancel,
            _ => return None,
        })
    }

    /// Returns the side that declares it, unless either side may.
    const fn side(self) -> Option<Role> {
        Some(match self {
            Self::Tools
            | Self::ToolsListChanged
            | Self::Prompts
            | Self::PromptsListChanged
            | Self::Resources
            | Self::ResourcesListChanged
            | Self::ResourcesSubscribe
            | Self::Completions
            | Self::Logging
            | Self::TasksToolsCall => Role::Server,
            Self::Roots
            | Self::RootsListChanged
            | Self::Sampling
            | Self::Elicitation
            | Self::ElicitationUrl
            | Self::TasksSamplingCreateMessage
            | Self::TasksElicitationCreate => Role::Client,
            Self::Tasks | Self::TasksList | Self::TasksCancel => return None,
        })
    }

    /// Returns the capability that a call of the method needs to ask for a [task](crate::ParamsView::task), and
    /// the side that has to declare it (2025-11-25).
    #[must_use]
    pub const fn needed_for_task(method: KnownMethod) -> Option<(Role, Self)> {
        Some(match method {
            KnownMethod::ToolsCall => (Role::Server, Self::TasksToolsCall),
            KnownMethod::SamplingCreateMessage => (Role::Client, Self::TasksSamplingCreateMessage),
            KnownMethod::ElicitationCreate => (Role::Client, Self::TasksElicitationCreate),
            _ => return None,
        })
    }
}

impl Capabilities {
    /// No capabilities.
    pub const NONE: Self = Self(0);

    /// Returns the capabilities that a `capabilities` object declares.
    ///
    /// ```
    /// use tautline_mcp::session::{Capabilities, Capability};
    /// use tautline_mcp::RawJson;
    ///
    /// let declared = RawJson::parse(br#"{"tools":{"listChanged":true},"prompts":{}}"#).unwrap();
    /// let declared = Capabilities::of(declared);
    /// assert!(declared.has(Capability::ToolsListChanged));
    /// assert!(!declared.has(Capability::Resources));
    /// ```
    #[must_use]
    pub fn of(object: RawJson<'_>) -> Self {
        let mut declared = Self::default();
        // The object, and the last member of each depth.
        let mut path = [Some(object), None, None, None, None];
        let mut names = NAMES;
        for member in DECLARED {
            let Some((name, others)) = names.split_at_checked(member.length.into()) else { break };
            let Some([within, last, ..]) = path.get_mut(usize::from(member.depth)..) else { break };
            names = others;
            let value = within.and_then(|within| within.member(name));
            *last =
                value.filter(|value| value.kind() == member.kind && value.bool() != Some(false));
            if let (Some(_), Some(capability)) = (last, member.declares) {
                declared.0 |= capability.bit();
            }
        }
        declared
    }

    /// Returns the capabilities that the object declares. Without an object, which is an error of its own, they are
    /// unknown.
    pub(super) fn of_declared(object: Option<RawJson<'_>>) -> Option<Self> {
        object.filter(|object| object.kind() == Kind::Object).map(Self::of)
    }

    /// Returns whether the capability was declared.
    #[must_use]
    pub const fn has(self, capability: Capability) -> bool {
        self.0 & capability.bit() != 0
    }
}

impl core::fmt::Debug for Capabilities {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let all = Capability::ALL.iter();
        f.debug_set().entries(all.filter(|&&capability| self.has(capability))).finish()
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Capabilities {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "[");
        for capability in Capability::ALL.iter().filter(|capability| self.has(**capability)) {
            defmt::write!(f, "{} ", capability);
        }
        defmt::write!(f, "]");
    }
}
