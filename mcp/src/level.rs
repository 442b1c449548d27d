//! The levels of log messages.

use tautline::internal::name::{display_name, named};
use tautline::json::{Expected, FromJson, Mismatch};
use tautline::{RawJson, RawStr};

/// The level of a log message: `level` of `notifications/message` and of `logging/setLevel`, and
/// [`meta::LOG_LEVEL`](crate::meta::LOG_LEVEL) of a request. The levels are ordered from `debug` to `emergency`
/// (RFC 5424, section 6.2.1), so a message is sent if its level is at least the one that was asked for.
///
/// ```
/// use tautline_mcp::endpoint::{Endpoint, Method};
/// use tautline_mcp::{LogLevel, Revision};
///
/// const METHODS: &[Method<LogLevel>] = &[Method::new("logging/setLevel", |lowest, call, responder| {
///     *lowest = call.param(0, "level")?;
///     Ok(responder.result(tautline_mcp::encode::object(|_| {})))
/// })];
///
/// let endpoint = Endpoint::new(METHODS, &Revision::V2025_11_25.profile());
/// let (mut lowest, mut room) = (LogLevel::Info, [0; 128]);
/// let set = br#"{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"warning"}}"#;
/// endpoint.answer(set, &mut lowest, &mut room)?;
/// assert!(LogLevel::Notice < lowest && lowest <= LogLevel::Error);
///
/// let set = br#"{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"trace"}}"#;
/// let reply = endpoint.answer(set, &mut lowest, &mut room)?.bytes();
/// assert!(reply.starts_with(br#"{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"#));
/// # Ok::<(), tautline_mcp::encode::EncodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[expect(clippy::exhaustive_enums, reason = "RFC 5424 defines eight levels")]
pub enum LogLevel {
    /// Detailed information for debugging.
    Debug,
    /// General information.
    Info,
    /// Normal but significant events.
    Notice,
    /// Warnings.
    Warning,
    /// Errors.
    Error,
    /// Critical conditions.
    Critical,
    /// Action must be taken at once.
    Alert,
    /// The system is unusable.
    Emergency,
}

display_name!(LogLevel);
named!(LogLevel, "a level of log messages");

impl LogLevel {
    /// All levels, from the lowest.
    pub const ALL: &[Self] = &[
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    /// Returns the name as it appears in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }

    /// Returns the level with this name.
    #[must_use]
    pub fn named(name: RawStr<'_>) -> Option<Self> {
        Self::ALL.iter().copied().find(|level| name == level.name())
    }
}

/// Reads the level from its name.
impl<'buf> FromJson<'buf> for LogLevel {
    fn from_json(value: RawJson<'buf>) -> Result<Self, Mismatch> {
        let name = value.string().ok_or(Mismatch::new(Expected::STRING))?;
        Self::named(name).ok_or(Mismatch::new(Expected::OTHER))
    }
}
