//! Measures the stack that a call uses: paints the memory below it, makes the call, and looks how much paint is left.

/// A word that code is unlikely to write by chance.
const PAINT: u32 = 0x9A17_7ED5;

unsafe extern "C" {
    /// The end of static memory, the lower bound of the stack (cortex-m-rt).
    static mut __sheap: u32;
    /// The start of the stack, which grows downwards (cortex-m-rt).
    static mut _stack_start: u32;
}

/// Makes the call and returns the number of bytes of stack it used below the caller's own. Returns `None` if the
/// stack has reached static memory, where the measurement is void.
///
/// Stack that a call reserves but never writes is not counted.
#[inline(never)]
pub fn high_water(call: impl FnOnce()) -> Option<u32> {
    let top = paint();
    call();
    unpainted(top)
}

/// Paints the memory from the end of static memory up to the stack pointer, which it returns. No interrupt may be
/// enabled.
#[inline(always)]
pub fn paint() -> *mut u32 {
    let bottom = &raw mut __sheap;
    let top: *mut u32;
    // SAFETY: the loop writes the words from the end of static memory up to the stack pointer. That memory is RAM and
    // part of no object: the whole stack lies above it. The loop itself needs no stack, and no interrupt that would
    // is enabled.
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

/// Returns the most bytes of stack in use at once since it was [painted](paint), or `None` if it has reached static
/// memory.
pub fn deepest() -> Option<u32> {
    unpainted(&raw mut _stack_start)
}

/// Returns the number of bytes below the top that have lost their paint.
#[inline(always)]
fn unpainted(top: *mut u32) -> Option<u32> {
    let bottom = &raw mut __sheap;
    let mut lowest = bottom;
    // SAFETY: `lowest` stays within memory that was painted or is in use as stack. The reads are volatile because the
    // compiler knows of no object there.
    while lowest < top && unsafe { lowest.read_volatile() } == PAINT {
        // SAFETY: as above, and it is still below `top`.
        lowest = unsafe { lowest.add(1) };
    }
    if lowest == bottom {
        return None;
    }
    Some((top.addr() - lowest.addr()) as u32)
}
