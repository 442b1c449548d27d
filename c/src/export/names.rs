//! Names and descriptions, for logs, and lookup by name.

use core::ffi::{CStr, c_char};
use core::ptr;

use tautline::rule;
use tautline::scan::Syntax;

use crate::abi::tl_view;
use crate::event::number_of;
use crate::texts::texts;

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

fn text_if_any(text: Option<&'static [u8]>) -> tl_view {
    text.map_or(tl_view::NONE, tl_view::of)
}

/// Returns the name of a rule, such as `id-type`, which never changes. The view lives as long as the program, and is
/// NULL for any other number.
#[unsafe(no_mangle)]
pub extern "C" fn tl_rule_name(rule: u16) -> tl_view {
    text_if_any(texts!(&[rule::ALL], rule::name).of(rule))
}

/// Returns what is wrong if a rule is broken, in one line. The view lives as long as the program, and is
/// NULL for any other number.
#[unsafe(no_mangle)]
pub extern "C" fn tl_rule_summary(rule: u16) -> tl_view {
    text_if_any(texts!(&[rule::ALL], rule::summary).of(rule))
}

/// Returns advice for the sender who broke a rule. The view lives as long as the program, and is
/// NULL for any other number.
#[unsafe(no_mangle)]
pub extern "C" fn tl_rule_help(rule: u16) -> tl_view {
    text_if_any(texts!(&[rule::ALL], rule::help).of(rule))
}

/// Returns what is wrong with the syntax, in one line. The view lives as long as the program, and is
/// NULL for any other number.
#[unsafe(no_mangle)]
pub extern "C" fn tl_syntax_description(syntax: u8) -> tl_view {
    let found = Syntax::ALL.iter().find(|kind| number_of(**kind) == syntax);
    found.map_or(tl_view::NONE, |kind| tl_view::of(kind.description().as_bytes()))
}
