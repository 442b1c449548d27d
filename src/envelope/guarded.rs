//! The names below the envelope that strict rules look at.

/// Names below the envelope that peers and gateways act on: of members of `params`, and of members of an object in it.
///
/// ```
/// use tautline::envelope::GuardedNames;
/// use tautline::{Message, Rule, Rules};
///
/// static NAMES: GuardedNames = GuardedNames::new(&["textDocument", "position"]);
/// let rules = Rules::LSP.strict(&NAMES);
/// let frame = br#"{"jsonrpc":"2.0","method":"a","params":{"textdocument":{}}}"#;
/// assert_eq!(Message::parse(frame, &rules).unwrap_err().rule(), Rule::NESTED_MEMBER_LOOKALIKE);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardedNames {
    pub(super) params: &'static [&'static str],
    pub(super) object: &'static str,
    pub(super) members: &'static [&'static str],
}

impl GuardedNames {
    /// No names.
    pub const NONE: Self = Self::new(&[]);

    /// Guards these members of `params`. Names are visible ASCII. Of more than 64 names, the later ones can be
    /// repeated.
    #[must_use]
    pub const fn new(params: &'static [&'static str]) -> Self {
        Self { params, object: "", members: &[] }
    }

    /// Guards these members of each object in `params` that has this name as well. List the name in [`new`](Self::new)
    /// too, since names that resemble it pass otherwise. A later call replaces an earlier one. Of more than 64 names,
    /// the later ones can be repeated.
    #[must_use]
    pub const fn within(self, object: &'static str, members: &'static [&'static str]) -> Self {
        Self { object, members, ..self }
    }
}
