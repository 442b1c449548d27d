//! Meanings of messages, in the terms of the header.

use tautline_c::abi::tl_view;
use tautline_c::session::reports;
use tautline_mcp::{Finding, KnownMethod, Role};

/// The meaning of a message, in the terms of the header.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Meaning {
    pub(crate) kind: i32,
    pub(crate) method: i32,
    pub(crate) completion: i32,
    pub(crate) late: bool,
    pub(crate) rule: u16,
    pub(crate) place: u32,
    pub(crate) code: i64,
    /// Rule, severity and place.
    pub(crate) findings: Vec<(u16, u8, u32)>,
    /// Of the name, the arguments, the URI, the version, the capabilities, the token and the request.
    pub(crate) views: [Option<String>; 7],
    pub(crate) modern: Option<bool>,
}

pub(crate) fn text(view: tl_view) -> Option<String> {
    // SAFETY: views of events are readable, as long as the test looks at them.
    (!view.ptr.is_null()).then(|| {
        let bytes = unsafe { std::slice::from_raw_parts(view.ptr.cast(), view.len) };
        String::from_utf8(bytes.to_vec()).unwrap()
    })
}

pub(crate) fn number(role: Role) -> i32 {
    if role == Role::Client { 1 } else { 2 }
}

pub(crate) fn method_number(method: Option<KnownMethod>) -> i32 {
    method.map_or(0, |method| {
        KnownMethod::ALL.iter().position(|one| *one == method).unwrap() as i32 + 1
    })
}

pub(crate) fn finding(finding: Finding) -> (u16, u8, u32) {
    let severity = match finding.severity().name() {
        "note" => 1,
        "warning" => 2,
        "error" => 3,
        other => panic!("{other}"),
    };
    assert!(finding.rule().number() < 256 || reports(finding.rule()), "{finding}");
    (finding.rule().number(), severity, finding.offset().unwrap())
}
