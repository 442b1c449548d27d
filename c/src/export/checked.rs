//! The checks of the checked build: duties of the caller that cost too much to check always. In other builds these
//! functions do nothing.

use tautline::envelope::Batches;
use tautline::frame::Frame;
use tautline::{Message, Profile, RawJson, Rule, Severity};

use crate::abi::{tl_error, tl_out};

/// True in the checked build.
pub(super) const IS_ON: bool = cfg!(feature = "checked");

/// Returns an error unless the text is exactly one JSON value.
pub(super) fn value(text: &[u8]) -> Result<(), tl_error> {
    let is_value =
        |text: &[u8]| RawJson::parse(text).is_ok_and(|value| value.as_bytes().len() == text.len());
    if IS_ON && !is_value(text) { Err(tl_error::Json) } else { Ok(()) }
}

/// Returns an error if the profile does not allow a message that was written, or if an object in it repeats a name.
pub(super) fn written(out: &tl_out, line: &[u8], profile: &Profile) -> Result<(), tl_error> {
    if !IS_ON {
        return Ok(());
    }
    let line = Frame::from_line(line.strip_suffix(b"\n").unwrap_or(line));
    let may_be_here = out.batch == 0 || profile.batches() != Batches::Forbidden;
    if Message::parse(line, profile).is_err() || !may_be_here {
        return Err(tl_error::Profile);
    }
    let rule = Rule::DUPLICATE_INNER_MEMBER;
    let unique = profile.with_severity(rule, Severity::Error).unwrap_or(*profile);
    match Message::parse(line, &unique) {
        Err(fault) if fault.rule() == rule => Err(tl_error::Repeated),
        _ => Ok(()),
    }
}
