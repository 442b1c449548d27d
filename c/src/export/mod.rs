//! The functions of the header. All `unsafe` code of the library is here.
//!
//! Every function is `unsafe`, because it takes pointers. Its caller promises what the header says in general: a
//! pointer that is not NULL points to an object of its type that no other thread uses, and a view to `len` readable
//! bytes. The functions check all that costs next to nothing: NULL, lengths, alignment, sizes, and whether a state was
//! initialised.
#![allow(unsafe_code, reason = "pointers come from C")]
#![allow(clippy::missing_safety_doc, reason = "the documentation of the module has the promises")]
#![allow(non_camel_case_types, non_upper_case_globals, reason = "these are their names in C")]

pub mod batches;
pub mod check;
mod checked;
pub mod framings;
pub mod messages;
pub mod names;
pub mod outputs;
pub mod profiles;
pub mod session_names;
pub mod sessions;
pub mod streams;
#[cfg(feature = "checked")]
mod ticket;
pub mod values;
pub mod writers;

use core::ffi::c_char;

use tautline::internal::scan::is_utf8;

use crate::abi::{tl_error, tl_event, tl_view};
use crate::writer::code;

/// The most that a slice can hold.
const LONGEST: usize = isize::MAX.unsigned_abs();

/// Returns the bytes of a view, or `None` if it is NULL.
///
/// # Safety
///
/// The caller of the library has promised that a view that is not NULL has `len` readable bytes, which nothing changes
/// for as long as the library uses them.
unsafe fn bytes_if_any<'a>(view: tl_view) -> Result<Option<&'a [u8]>, tl_error> {
    let ptr: *const u8 = view.ptr.cast();
    if ptr.is_null() {
        return if view.len == 0 { Ok(None) } else { Err(tl_error::Null) };
    }
    if view.len > LONGEST {
        return Err(tl_error::Length);
    }
    // SAFETY: the pointer is not NULL, the length is one that a slice can have, and the promise above covers the rest.
    Ok(Some(unsafe { core::slice::from_raw_parts(ptr, view.len) }))
}

/// Returns the bytes of a view that must not be NULL.
///
/// # Safety
///
/// As for [`bytes_if_any`].
unsafe fn bytes<'a>(view: tl_view) -> Result<&'a [u8], tl_error> {
    // SAFETY: the caller has made the same promise.
    unsafe { bytes_if_any(view) }?.ok_or(tl_error::Null)
}

/// Returns the bytes of a view that is a JSON value. Only the checked build looks at them.
///
/// # Safety
///
/// As for [`bytes_if_any`].
unsafe fn json<'a>(view: tl_view) -> Result<&'a [u8], tl_error> {
    // SAFETY: the caller has made the same promise.
    let text = unsafe { bytes(view)? };
    checked::value(text)?;
    Ok(text)
}

/// Returns the bytes of a frame or a chunk. NULL without a length has none.
///
/// # Safety
///
/// As for [`bytes_if_any`].
unsafe fn input<'a>(view: tl_view) -> Result<&'a [u8], tl_error> {
    // SAFETY: the caller has made the same promise.
    Ok(unsafe { bytes_if_any(view) }?.unwrap_or_default())
}

/// Returns bytes as text.
#[inline(never)]
fn utf8(bytes: &[u8]) -> Result<&str, tl_error> {
    if cfg!(feature = "fast") {
        return core::str::from_utf8(bytes).map_err(|_| tl_error::Utf8);
    }
    if is_utf8(bytes) {
        // SAFETY: the bytes are UTF-8.
        Ok(unsafe { core::str::from_utf8_unchecked(bytes) })
    } else {
        Err(tl_error::Utf8)
    }
}

/// Returns an error if a view overlaps with bytes that the library writes to.
fn apart(room: *const u8, size: usize, view: tl_view) -> Result<(), tl_error> {
    let (at, start) = (view.ptr.addr(), room.addr());
    let end = at.saturating_add(view.len).min(start.saturating_add(size));
    if at.max(start) < end { Err(tl_error::Overlap) } else { Ok(()) }
}

/// Returns a buffer to write to.
///
/// # Safety
///
/// The caller of the library has promised that a buffer that is not NULL has `len` bytes, that all are initialised or
/// of no importance, and that nothing else uses them for as long as the library does.
unsafe fn buffer<'a>(ptr: *mut c_char, len: usize) -> Result<&'a mut [u8], tl_error> {
    let ptr: *mut u8 = ptr.cast();
    if ptr.is_null() {
        return if len == 0 { Ok(&mut []) } else { Err(tl_error::Null) };
    }
    if len > LONGEST {
        return Err(tl_error::Length);
    }
    // SAFETY: the pointer is not NULL, the length is one that a slice can have, and the promise above covers the rest.
    Ok(unsafe { core::slice::from_raw_parts_mut(ptr, len) })
}

/// Returns an object of the caller.
///
/// # Safety
///
/// The caller of the library has promised that a pointer that is neither NULL nor misaligned points to an initialised
/// object that nothing else uses for as long as the library does.
unsafe fn object<'a, T>(ptr: *mut T) -> Result<&'a mut T, tl_error> {
    if !ptr.is_aligned() {
        return Err(tl_error::State);
    }
    // SAFETY: the pointer is aligned, and the promise above covers the rest.
    unsafe { ptr.as_mut() }.ok_or(tl_error::Null)
}

/// Returns a constant, which is never misaligned.
///
/// # Safety
///
/// The caller of the library has promised that a pointer that is not NULL is that of a constant of the library.
unsafe fn constant<'a, T>(ptr: *const T) -> Result<&'a T, tl_error> {
    // SAFETY: the promise above.
    unsafe { ptr.as_ref() }.ok_or(tl_error::Null)
}

/// Returns an error if a result can't be set: then nothing else may happen.
#[inline(always)]
fn can_be_set<T>(ptr: *mut T) -> Result<(), tl_error> {
    if ptr.is_null() {
        return Err(tl_error::Null);
    }
    if !ptr.is_aligned() {
        return Err(tl_error::State);
    }
    Ok(())
}

/// Sets a result of the caller, which may be uninitialised.
///
/// # Safety
///
/// The caller of the library has promised that a pointer that is not NULL can be written to.
unsafe fn set<T>(ptr: *mut T, value: T) -> Result<(), tl_error> {
    can_be_set(ptr)?;
    // SAFETY: the pointer is aligned and not NULL, and the promise above covers the rest.
    unsafe { ptr.write(value) };
    Ok(())
}

/// Sets an event of the caller to one without content, and returns it. Every view is NULL if an event is all zeros.
/// They are written as bytes, because a program links a function for that anyway.
///
/// # Safety
///
/// As for [`set`].
#[inline(always)]
unsafe fn empty<'a>(event: *mut tl_event) -> Result<&'a mut tl_event, tl_error> {
    can_be_set(event)?;
    // SAFETY: the pointer is aligned and not NULL, and the promise above covers the rest.
    unsafe { event.cast::<[u8; size_of::<tl_event>()]>().write([0; _]) };
    // SAFETY: the event is initialised: numbers and pointers can be zero.
    Ok(unsafe { &mut *event })
}

/// Returns the number that the function returns to C.
fn status(result: Result<i32, tl_error>) -> i32 {
    result.unwrap_or_else(code)
}

/// Returns 0 or the number of an error.
fn done(result: Result<(), tl_error>) -> i32 {
    status(result.map(|()| 0))
}

// The precompiled `core` mentions this function of unwinders, which nothing calls: there is nothing to unwind. A
// program that has one from elsewhere keeps it, and a shared library does not export this one.
#[cfg(all(panic = "abort", target_os = "linux"))]
core::arch::global_asm!(
    ".pushsection .text.rust_eh_personality,\"ax\",%progbits",
    ".weak rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality: .byte 0",
    ".popsection",
);
