//! The names of the rules that messages are checked against.

use std::fmt;
use std::str::FromStr;

use tautline::Profile;
use tautline_mcp::{Revision, UnknownName};

use super::Selection;

impl Selection {
    /// Returns the names that can be [parsed](FromStr): `auto`, the other protocols, and the revisions of MCP.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let revisions = Revision::ALL.iter().map(|revision| revision.name());
        ["auto", "jsonrpc", "lsp"].into_iter().chain(revisions)
    }

    /// Returns the name: `auto`, a revision of MCP, `jsonrpc`, `lsp`, or `other` for any other profile.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Revision(revision) => revision.name(),
            Self::Other(profile) if *profile == Profile::JSON_RPC => "jsonrpc",
            Self::Other(profile) if *profile == Profile::LSP => "lsp",
            Self::Other(_) => "other",
        }
    }
}

impl fmt::Display for Selection {
    /// Writes the name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Finds the rules with one of the [names](Selection::names).
///
/// ```
/// use tautline_audit::judge::Selection;
///
/// let selection: Selection = "2025-11-25".parse()?;
/// assert_eq!(selection.name(), "2025-11-25");
/// assert!("2025".parse::<Selection>().is_err());
/// # Ok::<(), tautline_mcp::UnknownName>(())
/// ```
impl FromStr for Selection {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Ok(match name {
            "auto" => Self::Auto,
            "jsonrpc" => Self::Other(Profile::JSON_RPC),
            "lsp" => Self::Other(Profile::LSP),
            revision => {
                let unknown = UnknownName::of("a set of rules");
                Self::Revision(revision.parse().map_err(|_| unknown)?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use tautline::Profile;

    use super::Selection;

    #[test]
    fn names_lead_back_to_their_rules() {
        let names: Vec<_> = Selection::names().collect();
        assert_eq!(names.len(), 8);
        for name in names {
            let selection: Selection = name.parse().unwrap();
            assert_eq!((selection.name(), selection.to_string()), (name, name.to_owned()));
        }
        for name in ["", "Auto", "other", "2025-11-26"] {
            assert!(name.parse::<Selection>().is_err(), "{name}");
        }
        assert_eq!(Selection::Other(Profile::LSP.with_max_depth(3)).name(), "other");
    }
}
