//! The protocol revisions and their two eras.

use core::fmt;

use tautline::RawStr;
use tautline::internal::name::{display_name, named};

/// A revision of MCP, named by its date.
///
/// ```
/// use tautline_mcp::{Era, Revision};
///
/// let revision: Revision = "2025-11-25".parse()?;
/// assert!(revision < Revision::LATEST);
/// assert_eq!(revision.era(), Era::Legacy);
/// # Ok::<(), tautline_mcp::UnknownRevision>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Revision {
    /// 2024-11-05
    V2024_11_05,
    /// 2025-03-26
    V2025_03_26,
    /// 2025-06-18
    V2025_06_18,
    /// 2025-11-25
    V2025_11_25,
    /// 2026-07-28
    V2026_07_28,
}

/// An era of the protocol: the way in which peers learn each other's capabilities (2026-07-28,
/// basic/versioning).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[expect(
    clippy::exhaustive_enums,
    reason = "the specification's terms, which it defines in a pair"
)]
pub enum Era {
    /// A handshake at the start of a session: `initialize`. Up to 2025-11-25.
    Legacy,
    /// Metadata in every request. From 2026-07-28.
    Modern,
}

impl Revision {
    /// All revisions, from the oldest to the latest.
    pub const ALL: &[Self] = &[
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];

    /// The latest revision that this crate knows.
    pub const LATEST: Self = Self::V2026_07_28;

    /// Returns the name as it appears in `protocolVersion`.
    #[inline(never)]
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Returns the revision with this name, if this crate knows it.
    #[must_use]
    pub fn named(name: RawStr<'_>) -> Option<Self> {
        Self::ALL.iter().copied().find(|revision| name == revision.name())
    }

    /// Returns the era of the revision.
    #[must_use]
    pub const fn era(self) -> Era {
        match self {
            Self::V2024_11_05 | Self::V2025_03_26 | Self::V2025_06_18 | Self::V2025_11_25 => {
                Era::Legacy
            }
            Self::V2026_07_28 => Era::Modern,
        }
    }
}

impl Default for Revision {
    /// Returns the [latest](Self::LATEST) revision.
    fn default() -> Self {
        Self::LATEST
    }
}

impl Era {
    /// Both eras, in their order.
    pub const ALL: &[Self] = &[Self::Legacy, Self::Modern];

    /// Returns the name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        }
    }

    /// Returns the common era of these revisions, if they have one.
    pub(crate) const fn of_all(revisions: &[Revision]) -> Option<Self> {
        let (mut legacy, mut modern, mut rest) = (false, false, revisions);
        while let [first, others @ ..] = rest {
            match first.era() {
                Self::Legacy => legacy = true,
                Self::Modern => modern = true,
            }
            rest = others;
        }
        match (legacy, modern) {
            (true, false) => Some(Self::Legacy),
            (false, true) => Some(Self::Modern),
            _ => None,
        }
    }
}

display_name!(Revision);
named!(Revision, "a revision of MCP", UnknownRevision, UnknownRevision);

display_name!(Era);
named!(Era, "an era of MCP");

/// The error for a text that is not the name of a known revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct UnknownRevision;

impl fmt::Display for UnknownRevision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no revision of MCP that is known here")
    }
}

impl core::error::Error for UnknownRevision {}
