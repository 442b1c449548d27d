//! Names and descriptions, for logs, and lookup by name.

use core::ffi::{CStr, c_char};
use core::num::NonZeroU16;
use core::ptr;

use tautline::scan::Syntax;
use tautline::{Rule, rule};

use crate::abi::tl_view;
use crate::event::number_of;

/// Returns the constant with this name, or NULL.
///
/// # Safety
///
/// The name is NULL, or a NUL ends it.
pub(super) unsafe fn find<T>(name: *const c_char, all: &[(&str, &T)]) -> *const T {
    if name.is_null() {
        return ptr::null();
    }
    // SAFETY: a NUL ends the name.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    all.iter()
        .find(|(other, _)| other.as_bytes() == name)
        .map_or(ptr::null(), |(_, constant)| ptr::from_ref(*constant))
}

fn text_of_rule(number: u16, text: fn(Rule) -> &'static str) -> tl_view {
    let rule = NonZeroU16::new(number).map(Rule::from_number);
    rule.map_or(tl_view::NONE, |rule| tl_view::of(text(rule).as_bytes()))
}

/// Returns the name of a rule, such as `id-type`, which never changes. The view lives as long as the program, and is
/// NULL for 0.
#[unsafe(no_mangle)]
pub extern "C" fn tl_rule_name(rule: u16) -> tl_view {
    text_of_rule(rule, rule::name)
}

/// Returns what is wrong if a rule is broken, in one line. The view lives as long as the program, and is NULL for 0.
#[unsafe(no_mangle)]
pub extern "C" fn tl_rule_summary(rule: u16) -> tl_view {
    text_of_rule(rule, rule::summary)
}

/// Returns advice for the sender who broke a rule. The view lives as long as the program, and is NULL for 0.
#[unsafe(no_mangle)]
pub extern "C" fn tl_rule_help(rule: u16) -> tl_view {
    text_of_rule(rule, rule::help)
}

/// Returns what is wrong with the syntax, in one line. The view lives as long as the program, and is NULL for 0.
#[unsafe(no_mangle)]
pub extern "C" fn tl_syntax_description(syntax: u8) -> tl_view {
    let found = Syntax::ALL.iter().find(|kind| number_of(**kind) == syntax);
    found.map_or(tl_view::NONE, |kind| tl_view::of(kind.description().as_bytes()))
}
