//! Values: types, numbers, strings, objects and arrays.
//!
//! They take the views of an event, which are valid JSON. For other text the results are meaningless, but nothing else
//! happens.

use core::ffi::{CStr, c_char};

use tautline::json::Kind;

use super::{
    apart, buffer, bytes, bytes_if_any, can_be_set, checked, done, json, object, set, status, utf8,
};
use crate::abi::{tl_error, tl_iter, tl_type, tl_view};
use crate::double::shortest;
use crate::text;
use crate::value::{self, Iter};

/// Returns the type of a value, or `TL_TYPE_ABSENT` for a view that is NULL. Only the checked build reads a value to
/// its end, and returns `TL_TYPE_ABSENT` if it is no JSON.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_type_of(value: tl_view) -> tl_type {
    // SAFETY: the promises of the caller.
    match unsafe { bytes_if_any(value) } {
        Ok(Some(text)) if checked::value(text).is_ok() => value::type_of(text),
        _ => tl_type::Absent,
    }
}

/// Returns 1 if the value is a string with this text, and 0 otherwise, also in the checked build and for a view that is
/// no JSON. It never returns an error, so `if (tl_text_eq(...))` is right. Escapes are resolved. A NUL ends `text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_text_eq(value: tl_view, text: *const c_char) -> i32 {
    if text.is_null() {
        return 0;
    }
    // SAFETY: the promises of the caller: a NUL ends the text.
    let text = unsafe { CStr::from_ptr(text) }.to_bytes();
    // SAFETY: the promises of the caller.
    unsafe { tl_text_eq_n(value, tl_view::of(text)) }
}

/// Returns 1 if the value is a string with this text, and 0 otherwise, as `tl_text_eq` does. Escapes are resolved.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_text_eq_n(value: tl_view, text: tl_view) -> i32 {
    // SAFETY: the promises of the caller.
    let (value, text) = match unsafe { (bytes(value), bytes(text)) } {
        (Ok(value), Ok(text)) => (value, text),
        _ => return 0,
    };
    if checked::value(value).is_err() {
        return 0;
    }
    // A text that is not UTF-8 equals no string.
    i32::from(value::string(value).is_ok_and(|string| utf8(text).is_ok_and(|text| string == *text)))
}

/// Decodes a string into `buffer`, in UTF-8, and writes a NUL after it. The text can have NULs of its own: `length` is
/// set to its length without the last one. `length` can be NULL.
///
/// The text is never longer than the view, so a buffer of the same length has enough room.
///
/// Returns 0, `TL_ERROR_TYPE` (no string), `TL_ERROR_SURROGATE`, `TL_ERROR_FULL` (`length` is set, and the buffer needs
/// one byte more), `TL_ERROR_OVERLAP` (the view lies in the buffer), `TL_ERROR_NULL` or `TL_ERROR_LENGTH`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_text_decode(
    value: tl_view,
    buffer: *mut c_char,
    size: usize,
    length: *mut usize,
) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { decode(value, buffer, size, length) })
}

/// # Safety
///
/// As for `tl_text_decode`.
unsafe fn decode(
    value: tl_view,
    room: *mut c_char,
    size: usize,
    length: *mut usize,
) -> Result<(), tl_error> {
    // SAFETY: the promises of the caller.
    let room = unsafe { buffer(room, size)? };
    apart(room.as_ptr(), room.len(), value)?;
    if !length.is_null() {
        can_be_set(length)?;
    }
    // SAFETY: the promises of the caller.
    let value = unsafe { json(value)? };
    let decoded = text::decode(value::string(value)?, room);
    // SAFETY: the promises of the caller.
    unsafe { report(decoded, length) }
}

/// Sets the length of a text that was put into a buffer, or that it needs, unless the pointer is NULL.
///
/// # Safety
///
/// As for [`set`].
unsafe fn report(
    (needed, result): (usize, Result<(), tl_error>),
    length: *mut usize,
) -> Result<(), tl_error> {
    if !length.is_null() && matches!(result, Ok(()) | Err(tl_error::Full)) {
        // SAFETY: the promises of the caller.
        unsafe { set(length, needed)? };
    }
    result
}

/// Sets `number` to an integer, in any notation: `1.0` and `1e2` are integers too.
///
/// Returns 0, `TL_ERROR_TYPE` (no number), `TL_ERROR_RANGE` (a fraction, or out of range), `TL_ERROR_NULL`,
/// `TL_ERROR_LENGTH` or `TL_ERROR_STATE` (`number` is misaligned).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_int64(value: tl_view, number: *mut i64) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { json(value) }.and_then(|text| unsafe { set(number, value::int64(text)?) }))
}

/// Sets `number` to an integer that is not negative, as `tl_int64` does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_uint64(value: tl_view, number: *mut u64) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { json(value) }.and_then(|text| unsafe { set(number, value::uint64(text)?) }))
}

/// Sets `number` to the double that is nearest to a number. The locale does not matter. It needs 1.2 KB of stack,
/// except in a library with the feature `fast`.
///
/// Returns 0, `TL_ERROR_TYPE` (no number), `TL_ERROR_RANGE` (the nearest double is infinite), `TL_ERROR_NULL`,
/// `TL_ERROR_LENGTH` or `TL_ERROR_STATE` (`number` is misaligned).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_double(value: tl_view, number: *mut f64) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { json(value) }.and_then(|text| unsafe { set(number, value::double(text)?) }))
}

/// Writes a double into `buffer` as `tl_put_double` does, in any locale, and a NUL after it: at most 25 bytes. `length`
/// is set to the length without the NUL, and can be NULL.
///
/// Returns 0, `TL_ERROR_RANGE` (infinite or NaN), `TL_ERROR_FULL` (`length` is set, and the buffer needs one byte
/// more), `TL_ERROR_NULL`, `TL_ERROR_LENGTH` or `TL_ERROR_STATE` (`length` is misaligned).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_double_text(
    value: f64,
    buffer: *mut c_char,
    size: usize,
    length: *mut usize,
) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { self::buffer(buffer, size) }.and_then(|room| {
        if !length.is_null() {
            can_be_set(length)?;
        }
        let mut digits = zmij::Buffer::new();
        let text = shortest(value, &mut digits).ok_or(tl_error::Range)?;
        // SAFETY: the promises of the caller.
        unsafe { report(text::put(text, room), length) }
    }))
}

/// Returns 1 for `true`, 0 for `false`, or `TL_ERROR_TYPE`, `TL_ERROR_NULL` or `TL_ERROR_LENGTH`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_bool(value: tl_view) -> i32 {
    // SAFETY: the promises of the caller.
    status(
        unsafe { json(value) }
            .and_then(|text| value::value(text).bool().map(i32::from).ok_or(tl_error::Type)),
    )
}

/// Sets `value` to that of the member with this name. A NUL ends the name. Escapes in names are resolved.
///
/// The view lives as long as that of the object.
///
/// Returns 1, 0 (no such member; `value` is set to NULL), `TL_ERROR_REPEATED` (several), `TL_ERROR_TYPE` (no object),
/// `TL_ERROR_NULL` or `TL_ERROR_LENGTH`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_member(
    object: tl_view,
    name: *const c_char,
    value: *mut tl_view,
) -> i32 {
    // SAFETY: the promises of the caller.
    status(unsafe { member(object, name, value) })
}

/// # Safety
///
/// As for `tl_member`.
unsafe fn member(
    object: tl_view,
    name: *const c_char,
    value: *mut tl_view,
) -> Result<i32, tl_error> {
    // SAFETY: the promises of the caller.
    let object = unsafe { json(object)? };
    if name.is_null() {
        return Err(tl_error::Null);
    }
    can_be_set(value)?;
    // SAFETY: the promises of the caller: a NUL ends the name.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    let found = value::member(object, utf8(name).ok())?;
    // SAFETY: the promises of the caller.
    unsafe { set(value, found.map_or(tl_view::NONE, tl_view::of))? };
    Ok(i32::from(found.is_some()))
}

/// Begins with the members of an object, in their order, repeated ones included.
///
/// Returns 0, `TL_ERROR_TYPE` (no object), `TL_ERROR_NULL` or `TL_ERROR_LENGTH`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_members(object: tl_view, iter: *mut tl_iter) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { begin(object, iter, Kind::Object) })
}

/// Begins with the elements of an array.
///
/// Returns 0, `TL_ERROR_TYPE` (no array), `TL_ERROR_NULL` or `TL_ERROR_LENGTH`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_elements(array: tl_view, iter: *mut tl_iter) -> i32 {
    // SAFETY: the promises of the caller.
    done(unsafe { begin(array, iter, Kind::Array) })
}

/// # Safety
///
/// As for the functions above.
unsafe fn begin(container: tl_view, iter: *mut tl_iter, kind: Kind) -> Result<(), tl_error> {
    // SAFETY: the promises of the caller.
    let values = Iter::within(unsafe { json(container)? }, kind)?;
    let magic = if kind == Kind::Object { MEMBERS } else { ELEMENTS };
    // SAFETY: the promises of the caller.
    unsafe { set(iter, tl_iter { text: tl_view::of(values.text), at: values.at, magic }) }
}

/// Shows that an iteration over members has begun.
const MEMBERS: u32 = 0x6d65_6d62;
/// Shows that an iteration over elements has begun.
const ELEMENTS: u32 = 0x656c_656d;

/// Sets `name` and `value` to those of the next member. The name is a string, for `tl_text_eq` and `tl_text_decode`.
///
/// The views live as long as that of the object.
///
/// Returns 1 (both are set), 0 (there was no other member), `TL_ERROR_TYPE` (the iteration is one over elements),
/// `TL_ERROR_STATE` (it has not begun), `TL_ERROR_NULL` or `TL_ERROR_LENGTH`. After an error, the same member is next.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_next_member(
    iter: *mut tl_iter,
    name: *mut tl_view,
    value: *mut tl_view,
) -> i32 {
    // SAFETY: the promises of the caller.
    status(can_be_set(name).and_then(|()| can_be_set(value)).and_then(|()| unsafe {
        let Some((key, found)) = next(iter, MEMBERS, Iter::next_member)? else { return Ok(0) };
        set(name, tl_view::of(key))?;
        set(value, tl_view::of(found))?;
        Ok(1)
    }))
}

/// Sets `value` to the next element.
///
/// The view lives as long as that of the array.
///
/// Returns 1 (it is set), 0 (there was no other element), `TL_ERROR_TYPE` (the iteration is one over members),
/// `TL_ERROR_STATE` (it has not begun), `TL_ERROR_NULL` or `TL_ERROR_LENGTH`. After an error, the same element is next.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_next_element(iter: *mut tl_iter, value: *mut tl_view) -> i32 {
    // SAFETY: the promises of the caller.
    status(can_be_set(value).and_then(|()| unsafe {
        let Some(found) = next(iter, ELEMENTS, Iter::next)? else { return Ok(0) };
        set(value, tl_view::of(found))?;
        Ok(1)
    }))
}

/// # Safety
///
/// As for the functions above.
unsafe fn next<'a, T>(
    iter: *mut tl_iter,
    magic: u32,
    step: impl FnOnce(&mut Iter<'a>) -> Option<T>,
) -> Result<Option<T>, tl_error> {
    // SAFETY: the promises of the caller.
    let iter = unsafe { object(iter)? };
    if iter.magic != magic {
        let is_another = matches!(iter.magic, MEMBERS | ELEMENTS);
        return Err(if is_another { tl_error::Type } else { tl_error::State });
    }
    // SAFETY: the promises of the caller.
    let mut values = Iter { text: unsafe { bytes(iter.text)? }, at: iter.at };
    let found = step(&mut values);
    iter.at = values.at;
    Ok(found)
}
