//! Methods and notifications, revision by revision.

use core::num::NonZeroU8;

use tautline::RawStr;
use tautline::internal::cast::u8_within;
use tautline::internal::name::{display_name, named};

use super::Revision;

/// A peer's role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[expect(
    clippy::exhaustive_enums,
    reason = "MCP, architecture: a session has a client and a server"
)]
pub enum Role {
    /// The client, which opens the connection.
    Client,
    /// The server.
    Server,
}

display_name!(Role);
named!(Role, "a role");

impl Role {
    /// Both roles.
    pub const ALL: &[Self] = &[Self::Client, Self::Server];

    /// Returns the name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
        }
    }

    /// Returns the role of the other peer.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }
}

/// The two kinds of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON-RPC 2.0, section 4: a call has an id or has none"
)]
pub enum CallKind {
    /// A call that expects an answer.
    Request,
    /// A call that expects no answer.
    Notification,
}

/// A revision's use of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MethodUse(NonZeroU8);

impl MethodUse {
    const BY_CLIENT: u16 = 1;
    const BY_SERVER: u16 = 2;
    const REQUIRES_PARAMS: u16 = 4;
    const IS_EXTENSION: u16 = 8;

    /// Returns whether the peer with this role may call the method.
    #[must_use]
    pub const fn is_for(&self, caller: Role) -> bool {
        self.has(match caller {
            Role::Client => Self::BY_CLIENT,
            Role::Server => Self::BY_SERVER,
        })
    }

    /// Returns whether the schema requires `params`.
    #[must_use]
    pub const fn requires_params(&self) -> bool {
        self.has(Self::REQUIRES_PARAMS)
    }

    /// Returns whether the method belongs to an extension rather than to the revision's own schema.
    #[must_use]
    pub const fn is_extension(&self) -> bool {
        self.has(Self::IS_EXTENSION)
    }

    const fn has(self, bit: u16) -> bool {
        let [bits, _] = bit.to_le_bytes();
        self.0.get() & bits != 0
    }

    /// Reads the use from the lowest bits that `mask` selects, and returns `None` if no role may call the
    /// method.
    const fn of(cells: u16, mask: u8) -> Option<Self> {
        let [bits, _] = cells.to_le_bytes();
        match NonZeroU8::new(bits & mask) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
    }
}

macro_rules! cell {
    (-) => {
        0
    };
    (client) => {
        MethodUse::BY_CLIENT
    };
    (server) => {
        MethodUse::BY_SERVER
    };
    (both) => {
        MethodUse::BY_CLIENT | MethodUse::BY_SERVER
    };
    (CLIENT) => {
        MethodUse::REQUIRES_PARAMS | cell!(client)
    };
    (SERVER) => {
        MethodUse::REQUIRES_PARAMS | cell!(server)
    };
    (BOTH) => {
        MethodUse::REQUIRES_PARAMS | cell!(both)
    };
}

macro_rules! extended_cell {
    (EXT_CLIENT) => {
        MethodUse::IS_EXTENSION | cell!(CLIENT)
    };
    (EXT_SERVER) => {
        MethodUse::IS_EXTENSION | cell!(SERVER)
    };
    ($cell:tt) => {
        cell!($cell)
    };
}

/// The common prefix of all notification names.
const NOTIFICATIONS: &[u8] = b"notifications/";

macro_rules! full_name {
    (Request $name:literal) => {
        $name
    };
    (Notification $name:literal) => {
        concat!("notifications/", $name)
    };
}

macro_rules! methods {
    ($($variant:ident $name:literal $kind:ident $c2411:tt $c2503:tt $c2506:tt $c2511:tt $c2607:tt)*) => {
        /// A method or notification that some revision of MCP defines.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum KnownMethod {
            $(#[doc = concat!("`", full_name!($kind $name), "`")] $variant,)*
        }

        /// The names of all methods in one text, without the common prefix of notifications. On a
        /// microcontroller a table of texts takes eight more bytes for each.
        const NAMES: &str = concat!($($name),*);

        /// The length of each name.
        const LENGTHS: &[u8] = &[$(u8_within($name.len())),*];

        impl KnownMethod {
            /// All methods.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns the name as it appears in `method`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => full_name!($kind $name)),* }
            }

            /// Returns the method with this name, which has no escapes.
            fn plainly_named(name: &[u8]) -> Option<Self> {
                $(
                    if name == const { full_name!($kind $name).as_bytes() } {
                        return Some(Self::$variant);
                    }
                )*
                None
            }

            /// Returns the kind of call.
            #[must_use]
            pub const fn kind(self) -> CallKind {
                match self { $(Self::$variant => CallKind::$kind),* }
            }

            /// Returns the use of the method in a revision, or `None` if the revision does not have it.
            #[must_use]
            pub const fn use_in(self, revision: Revision) -> Option<MethodUse> {
                // Three bits for each revision, from the oldest to the latest. Only the latest has
                // extensions.
                let cells: u16 = match self {
                    $(Self::$variant => cell!($c2411)
                        | cell!($c2503) << 3
                        | cell!($c2506) << 6
                        | cell!($c2511) << 9
                        | extended_cell!($c2607) << 12,)*
                };
                let (shift, mask) = match revision {
                    Revision::V2024_11_05 => (0, 7),
                    Revision::V2025_03_26 => (3, 7),
                    Revision::V2025_06_18 => (6, 7),
                    Revision::V2025_11_25 => (9, 7),
                    Revision::V2026_07_28 => (12, 15),
                };
                MethodUse::of(cells >> shift, mask)
            }
        }
    };
}

// The callers of each method in every revision from 2024-11-05 to 2026-07-28, in capitals if the schema
// requires `params`. EXT marks a method of the extension for tasks.
methods! {
    Initialize "initialize" Request CLIENT CLIENT CLIENT CLIENT -
    ServerDiscover "server/discover" Request - - - - CLIENT
    Ping "ping" Request both both both both -
    ToolsList "tools/list" Request client client client client CLIENT
    ToolsCall "tools/call" Request CLIENT CLIENT CLIENT CLIENT CLIENT
    PromptsList "prompts/list" Request client client client client CLIENT
    PromptsGet "prompts/get" Request CLIENT CLIENT CLIENT CLIENT CLIENT
    ResourcesList "resources/list" Request client client client client CLIENT
    ResourcesTemplatesList "resources/templates/list" Request client client client client CLIENT
    ResourcesRead "resources/read" Request CLIENT CLIENT CLIENT CLIENT CLIENT
    ResourcesSubscribe "resources/subscribe" Request CLIENT CLIENT CLIENT CLIENT -
    ResourcesUnsubscribe "resources/unsubscribe" Request CLIENT CLIENT CLIENT CLIENT -
    SubscriptionsListen "subscriptions/listen" Request - - - - CLIENT
    CompletionComplete "completion/complete" Request CLIENT CLIENT CLIENT CLIENT CLIENT
    LoggingSetLevel "logging/setLevel" Request CLIENT CLIENT CLIENT CLIENT -
    TasksGet "tasks/get" Request - - - BOTH EXT_CLIENT
    TasksResult "tasks/result" Request - - - BOTH -
    TasksList "tasks/list" Request - - - both -
    TasksCancel "tasks/cancel" Request - - - BOTH EXT_CLIENT
    TasksUpdate "tasks/update" Request - - - - EXT_CLIENT
    SamplingCreateMessage "sampling/createMessage" Request SERVER SERVER SERVER SERVER -
    RootsList "roots/list" Request server server server server -
    ElicitationCreate "elicitation/create" Request - - SERVER SERVER -

    Initialized "initialized" Notification client client client client -
    Cancelled "cancelled" Notification BOTH BOTH BOTH BOTH BOTH
    Progress "progress" Notification BOTH BOTH BOTH BOTH SERVER
    LoggingMessage "message" Notification SERVER SERVER SERVER SERVER SERVER
    ToolsListChanged "tools/list_changed" Notification server server server server server
    PromptsListChanged "prompts/list_changed" Notification server server server server server
    ResourcesListChanged "resources/list_changed" Notification server server server server server
    ResourcesUpdated "resources/updated" Notification SERVER SERVER SERVER SERVER SERVER
    RootsListChanged "roots/list_changed" Notification client client client client -
    ElicitationComplete "elicitation/complete" Notification - - - SERVER -
    TasksStatus "tasks/status" Notification - - - BOTH -
    Tasks "tasks" Notification - - - - EXT_SERVER
    SubscriptionsAcknowledged "subscriptions/acknowledged" Notification - - - - SERVER
}

display_name!(KnownMethod);
named!(KnownMethod, "a method of MCP");

impl KnownMethod {
    /// Returns the method with this name, if any revision has it.
    ///
    /// ```
    /// use tautline_mcp::{KnownMethod, Message, Revision, Role};
    ///
    /// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"roots\/list"}"#;
    /// let revision = Revision::V2025_11_25;
    /// let Ok(Message::Request(request)) = Message::parse(frame, &revision.profile()) else { panic!() };
    /// let method = KnownMethod::named(request.method()).unwrap();
    /// assert_eq!(method, KnownMethod::RootsList);
    /// assert!(method.use_in(revision).unwrap().is_for(Role::Server));
    /// ```
    #[must_use]
    pub fn named(name: RawStr<'_>) -> Option<Self> {
        // On a microcontroller, the code for this is too large.
        if cfg!(not(any(target_os = "none", target_os = "unknown"))) && !name.has_escapes() {
            return Self::plainly_named(name.escaped_bytes());
        }
        let (kind, name) = match name.strip_ascii(NOTIFICATIONS) {
            Some(name) => (CallKind::Notification, name),
            None => (CallKind::Request, name),
        };
        let mut names = NAMES;
        for (method, &length) in Self::ALL.iter().zip(LENGTHS) {
            let (candidate, others) = names.split_at_checked(length.into())?;
            if method.kind() == kind && name == *candidate {
                return Some(*method);
            }
            names = others;
        }
        None
    }
}
