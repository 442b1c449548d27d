//! Profiles that need more than the usual checks: changed severities, and batches that must not be mixed.

use super::{Batches, CHOICES, Check, FORBID_CARRIAGE_RETURNS, Profile, Severities};
use crate::envelope::nested::GuardedNames;
use crate::envelope::validate;
use crate::rule::{Rule, Severity};

impl Profile {
    /// Sets which batches are allowed.
    #[must_use]
    pub const fn with_batches(self, batches: Batches) -> Self {
        let check = match batches {
            _ if self.changes_severities() => self.check,
            Batches::Unmixed => Check(Some(validate::first_error_or_mixed)),
            Batches::Allowed | Batches::Forbidden => Check(None),
        };
        let mut profile = self;
        profile.batches = batches;
        profile.check = check;
        profile
    }

    /// Gives a rule this severity. An error is a [fault](crate::Fault), and is owed the reply of any other fault.
    ///
    /// Returns `None` if the rule can't have this severity. These can be set:
    ///
    /// | rule | to |
    /// |---|---|
    /// | [`LINE_SEPARATOR`](Rule::LINE_SEPARATOR), [`ID_NOT_PLAIN_INTEGER`](Rule::ID_NOT_PLAIN_INTEGER), [`ID_UNSAFE_INTEGER`](Rule::ID_UNSAFE_INTEGER), [`METHOD_RESERVED`](Rule::METHOD_RESERVED), [`ERROR_CODE_HTTP`](Rule::ERROR_CODE_HTTP), [`ERROR_CODE_RESERVED`](Rule::ERROR_CODE_RESERVED), [`MEMBER_LOOKALIKE`](Rule::MEMBER_LOOKALIKE), [`UNKNOWN_MEMBER`](Rule::UNKNOWN_MEMBER) | any severity |
    /// | [`NESTED_MEMBER_LOOKALIKE`](Rule::NESTED_MEMBER_LOOKALIKE) | any severity; the rule is checked if it is set, for the names that are [guarded](Self::guarding); then [`DUPLICATE_NESTED_MEMBER`](Rule::DUPLICATE_NESTED_MEMBER) and [`NUL_CHARACTER`](Rule::NUL_CHARACTER) are checked too, and are errors |
    /// | [`DUPLICATE_INNER_MEMBER`](Rule::DUPLICATE_INNER_MEMBER), [`TOO_MANY_NAMES`](Rule::TOO_MANY_NAMES), [`LONE_INNER_SURROGATE`](Rule::LONE_INNER_SURROGATE), [`NUMBER_OUT_OF_RANGE`](Rule::NUMBER_OUT_OF_RANGE) | any severity, the same for all; the rules are checked if it is set |
    /// | [`RAW_CARRIAGE_RETURN`](Rule::RAW_CARRIAGE_RETURN) | any severity; as an error, it is [`CarriageReturns::Forbidden`](super::CarriageReturns::Forbidden) |
    /// | [`MISSING_JSONRPC`](Rule::MISSING_JSONRPC), [`WRONG_VERSION`](Rule::WRONG_VERSION) | any severity; below an error, the frame is a message of whatever version |
    /// | [`ID_NULL`](Rule::ID_NULL), [`ID_FRACTION`](Rule::ID_FRACTION) | any severity under [`Ids::Any`](super::Ids::Any), and an error otherwise |
    /// | any other rule of [`rule`](crate::rule) | the severity that it has |
    ///
    /// Other errors leave no message that could be read, or belong to a setting of their own, such as
    /// [`with_batches`](Self::with_batches). Hints about bytes that are not JSON accompany an error.
    /// [`UNTERMINATED_FRAME`](Rule::UNTERMINATED_FRAME) is about the end of a stream, and not about a frame: see
    /// [`Frame::is_terminated`](crate::frame::Frame::is_terminated). Rules of a
    /// protocol are about the payload or the session. The crate that checks them reports them with severities of its own.
    ///
    /// A later [`with_ids`](Self::with_ids) or [`with_carriage_returns`](Self::with_carriage_returns) replaces
    /// the severities of the rules that it is about. With changed severities, every frame takes the thorough path
    /// through the validator, which costs time but finds the same messages.
    ///
    /// ```
    /// use tautline::{Message, Rule, Profile, Severity};
    ///
    /// const PROFILE: Profile =
    ///     Profile::JSON_RPC.with_severity(Rule::MEMBER_LOOKALIKE, Severity::Error).unwrap();
    /// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"a","Method":"b"}"#;
    /// assert!(Message::parse(frame, &Profile::JSON_RPC).is_ok());
    /// let fault = Message::parse(frame, &PROFILE).unwrap_err();
    /// assert_eq!(fault.rule(), Rule::MEMBER_LOOKALIKE);
    /// assert_eq!(fault.reply().unwrap().id().unwrap().to_string(), "1");
    /// // Nothing can be read of a message whose method is not a string.
    /// assert_eq!(PROFILE.with_severity(Rule::METHOD_TYPE, Severity::Warning), None);
    /// ```
    #[must_use]
    pub const fn with_severity(self, rule: Rule, severity: Severity) -> Option<Self> {
        let is_error = matches!(severity, Severity::Error);
        let profile = match rule {
            Rule::RAW_CARRIAGE_RETURN => self.choosing(FORBID_CARRIAGE_RETURNS, is_error),
            Rule::ID_NULL | Rule::ID_FRACTION if is_error || self.tolerates_id(rule) => self,
            Rule::ID_NULL | Rule::ID_FRACTION => return None,
            _ => self,
        };
        match profile.severities().with(rule, severity) {
            Some(severities) => Some(profile.with_severities(severities)),
            // The severities of other rules are up to their protocol.
            None if !rule.is_of_core() => None,
            None => match (self.severity(rule), severity) {
                (Severity::Error, Severity::Error)
                | (Severity::Warning, Severity::Warning)
                | (Severity::Note, Severity::Note) => Some(self),
                _ => None,
            },
        }
    }

    /// Returns the strict variant, for gateways and other receivers that pass messages on: a frame whose members
    /// another peer could read differently is a fault.
    ///
    /// These are errors, besides the errors of the preset:
    ///
    /// - members that resemble standard ones ([`MEMBER_LOOKALIKE`](Rule::MEMBER_LOOKALIKE)), and other members that
    ///   JSON-RPC does not define ([`UNKNOWN_MEMBER`](Rule::UNKNOWN_MEMBER)), in the message and in its error object;
    /// - members of `params` that resemble one of the guarded names
    ///   ([`NESTED_MEMBER_LOOKALIKE`](Rule::NESTED_MEMBER_LOOKALIKE)), and guarded names that appear twice
    ///   ([`DUPLICATE_NESTED_MEMBER`](Rule::DUPLICATE_NESTED_MEMBER));
    /// - any other name that an object in the payload repeats, at any depth
    ///   ([`DUPLICATE_INNER_MEMBER`](Rule::DUPLICATE_INNER_MEMBER)), compared up to U+0000, and objects that are open at
    ///   the same time with more than 8,192 names ([`TOO_MANY_NAMES`](Rule::TOO_MANY_NAMES)), or 256 on a
    ///   microcontroller, which has no room to compare more;
    /// - strings and names in the payload with an unpaired surrogate
    ///   ([`LONE_INNER_SURROGATE`](Rule::LONE_INNER_SURROGATE)), and numbers that round to 2^1024 or more, which doubles can't hold
    ///   ([`NUMBER_OUT_OF_RANGE`](Rule::NUMBER_OUT_OF_RANGE)): common parsers refuse them, or read others;
    /// - ids, methods and values of guarded names that contain U+0000 ([`NUL_CHARACTER`](Rule::NUL_CHARACTER)), at
    ///   which parsers written in C end a text;
    /// - ids that are integers beyond 2^53 - 1 ([`ID_UNSAFE_INTEGER`](Rule::ID_UNSAFE_INTEGER)), or in another notation
    ///   than plain digits ([`ID_NOT_PLAIN_INTEGER`](Rule::ID_NOT_PLAIN_INTEGER));
    /// - a raw CR in a line ([`RAW_CARRIAGE_RETURN`](Rule::RAW_CARRIAGE_RETURN)).
    ///
    /// A call without an id that has a member like `"Id":9` is a fault that is [answered](crate::Fault::reply) with 9.
    /// Under other profiles it is a notification with a warning, which gets no reply (JSON-RPC 2.0, section 4.1).
    ///
    /// The comparison of names takes 70 KB of stack if there are more than 64 of them, or 4 KB on a microcontroller, and
    /// about 2 KB otherwise.
    ///
    /// # What is not checked
    ///
    /// - Values that resemble others: `Tools/Call` as a method, or `Read_File` as the name of a tool. The profile knows no
    ///   values. A gateway that decides by them compares them exactly, and lets nothing pass that it does not know.
    /// - Names that are not guarded and resemble each other, such as `path` and `Path` in the arguments of a tool.
    /// - Numbers that doubles round, such as 2^53 + 1 or 1e-400, except in ids.
    ///
    /// # Names
    ///
    /// Which names are guarded is up to the protocol. For MCP, call
    /// `Revision::strict_profile` of `tautline-mcp`. A gateway checks the
    /// responses of a server under the same profile, so an unknown member makes a response a fault.
    ///
    /// ```
    /// use tautline::envelope::GuardedNames;
    /// use tautline::{Message, Rule, Profile};
    ///
    /// const PROFILE: Profile = Profile::JSON_RPC.strict(&GuardedNames::new(&["path"]));
    /// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"read","params":{"path":"a","Path":"b"}}"#;
    /// let fault = Message::parse(frame, &PROFILE).unwrap_err();
    /// assert_eq!((fault.rule(), fault.offset()), (Rule::NESTED_MEMBER_LOOKALIKE, 61));
    /// ```
    #[must_use]
    pub const fn strict(self, guarded: &'static GuardedNames) -> Self {
        let profile = self.guarding(guarded).choosing(FORBID_CARRIAGE_RETURNS, true);
        profile.with_severities(profile.severities().strict())
    }

    const fn with_severities(self, severities: Severities) -> Self {
        let mut profile = self;
        profile.choices = self.choices & CHOICES | severities.bits();
        profile.check = Check(Some(validate::first_by_severity));
        profile
    }
}
