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

/// The names of errors, from -1 downwards.
const ERRORS: &str = "null length state version lost ended full json utf8 surrogate type range repeated id params \
                      result order depth overlap line profile ";

/// The names of kinds, from 0 upwards.
const KINDS: &str =
    "nothing request notification result error batch fault oversized no-message unfinished lost ";

/// Returns a word, each of which a space ends. One text needs less room than many, as in [`crate::texts`].
fn word(words: &'static str, number: u32) -> tl_view {
    let words = words.as_bytes();
    let (mut start, mut left) = (0, number);
    for (at, byte) in words.iter().enumerate() {
        if *byte == b' ' {
            if left == 0 {
                return text_if_any(words.get(start..at));
            }
            left = left.wrapping_sub(1);
            start = at.wrapping_add(1);
        }
    }
    tl_view::NONE
}

/// Returns the name of an error of `tl_error`, such as `full`, which never changes. The view lives as long as the
/// program, and is NULL for any other number.
#[unsafe(no_mangle)]
pub extern "C" fn tl_error_name(error: i32) -> tl_view {
    // The complement of -1 is 0.
    word(ERRORS, (!error).cast_unsigned())
}

/// Returns the name of a kind of `tl_kind`, such as `no-message`, which never changes. The view lives as long as the
/// program, and is NULL for any other number.
#[unsafe(no_mangle)]
pub extern "C" fn tl_kind_name(kind: i32) -> tl_view {
    word(KINDS, kind.cast_unsigned())
}

/// Returns what is wrong with the syntax, in one line. The view lives as long as the program, and is
/// NULL for any other number.
#[unsafe(no_mangle)]
pub extern "C" fn tl_syntax_description(syntax: u8) -> tl_view {
    let found = Syntax::ALL.iter().find(|kind| number_of(**kind) == syntax);
    found.map_or(tl_view::NONE, |kind| tl_view::of(kind.description().as_bytes()))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by it")]
mod tests {
    use super::{tl_error_name, tl_kind_name};
    use crate::abi::tl_view;

    /// Compares the names of an enum in the header with those of a function, and returns the number of them.
    fn compare(prefix: &str, name: extern "C" fn(i32) -> tl_view) -> usize {
        let header = include_str!("../../include/tautline.h");
        let mut count = 0;
        for line in header.lines() {
            let Some(line) = line.trim().strip_prefix(prefix) else { continue };
            let Some((constant, number)) = line.trim_end_matches(',').split_once(" = ") else {
                continue;
            };
            let view = name(number.parse().unwrap());
            assert!(!view.ptr.is_null(), "{constant} has no name");
            // SAFETY: the view lives as long as the program.
            let found = unsafe { core::slice::from_raw_parts(view.ptr.cast(), view.len) };
            let expected = constant.to_lowercase().replace('_', "-");
            assert_eq!(core::str::from_utf8(found).unwrap(), expected);
            count += 1;
        }
        count
    }

    #[test]
    fn errors_and_kinds_have_the_names_of_the_header() {
        assert_eq!(compare("TL_ERROR_", tl_error_name), 21);
        assert_eq!(compare("TL_KIND_", tl_kind_name), 11);
        for number in [0, 1, -22, i32::MIN, i32::MAX] {
            assert!(tl_error_name(number).ptr.is_null());
        }
        for number in [-1, 11, i32::MIN, i32::MAX] {
            assert!(tl_kind_name(number).ptr.is_null());
        }
    }
}
