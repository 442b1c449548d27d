//! How deep a call goes into the stack: paint the memory below it, make the call, look how much of
//! the paint is left.

/// A word that code is unlikely to write by itself.
const PAINT: u32 = 0x9A17_7ED5;

unsafe extern "C" {
    /// The end of all static memory, which is as far down as the stack may grow (cortex-m-rt).
    static mut __sheap: u32;
    /// Where the stack begins, which grows downwards (cortex-m-rt).
    static mut _stack_start: u32;
}

/// Makes the call, and says how many bytes of stack it took below the caller's own; `None` if the
/// stack has reached the static memory, so that nothing can be said.
///
/// What a call reserves and never writes is not seen.
#[inline(never)]
pub fn high_water(call: impl FnOnce()) -> Option<u32> {
    let top = paint();
    call();
    unpainted(top)
}

/// Paints the memory from the end of what is static up to the stack pointer, and says where that is. No interrupt
/// may be on.
#[inline(always)]
pub fn paint() -> *mut u32 {
    let bottom = &raw mut __sheap;
    let top: *mut u32;
    // SAFETY: the loop writes the words from the end of the static memory up to the stack pointer.
    // That memory is RAM and no part of any object: whatever is on the stack lies above. The loop
    // itself needs no stack, and no interrupt is on that would.
    unsafe {
        core::arch::asm!(
            "mov {top}, sp",
            "2:",
            "cmp {at}, {top}",
            "bhs 3f",
            "str {paint}, [{at}]",
            "adds {at}, #4",
            "b 2b",
            "3:",
            top = out(reg) top,
            at = inout(reg) bottom => _,
            paint = in(reg) PAINT,
            options(nostack),
        );
    }
    top
}

/// How many bytes of the stack were in use at most since it was [painted](paint); `None` if it has reached the
/// static memory.
pub fn deepest() -> Option<u32> {
    unpainted(&raw mut _stack_start)
}

/// How many bytes below the top have lost their paint.
#[inline(always)]
fn unpainted(top: *mut u32) -> Option<u32> {
    let bottom = &raw mut __sheap;
    let mut lowest = bottom;
    // SAFETY: `lowest` stays within the memory that was painted, or is in use as stack; reads of it are volatile
    // since the compiler knows of no object there.
    while lowest < top && unsafe { lowest.read_volatile() } == PAINT {
        // SAFETY: as above, and it is still below `top`.
        lowest = unsafe { lowest.add(1) };
    }
    if lowest == bottom {
        return None;
    }
    Some((top.addr() - lowest.addr()) as u32)
}
