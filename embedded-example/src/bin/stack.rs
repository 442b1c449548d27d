//! Measures the stack usage of the core: makes the calls of `footprint` on a painted stack, under QEMU.
//!
//! Writes one line for each input. Fails if a verdict is not the expected one, if deeper nesting costs stack, or if
//! the stack is exhausted.
#![no_std]
#![no_main]

use core::fmt::Write;
use core::panic::PanicInfo;
use cortex_m_rt::{ExceptionFrame, entry, exception};
use cortex_m_semihosting::{debug, hio};
use tautline_embedded_example::paint::high_water;
use tautline_embedded_example::probe::{self, STORAGE, Tally, hide, inputs};

#[entry]
fn main() -> ! {
    // cortex-m-rt lends a static of `main` as `&'static mut`, since `main` is entered once.
    static mut BYTES: [u8; STORAGE] = [0; STORAGE];

    let mut all_well = true;
    let mut shallow = None;
    for input in inputs::ALL {
        let bytes: &[u8] = hide(input.bytes);
        let mut tally = Tally::default();
        let used = high_water(|| tally = probe::everything(bytes, BYTES));

        let expected = tally.is(input.verdict) && used.is_some();
        say(format_args!(
            "{:<10} {:>5} bytes of stack  {:>2} messages {:>2} faults {:>2} oversized  {}\n",
            input.name,
            used.unwrap_or(u32::MAX),
            tally.messages,
            tally.faults,
            tally.oversized,
            if expected { "ok" } else { "NOT AS EXPECTED" },
        ));
        all_well &= expected;

        // Nothing may recurse, so 126 nested arrays cost no more stack than 2.
        match input.name {
            "shallow" => shallow = used,
            "deep" if used != shallow => {
                say(format_args!("nesting costs stack\n"));
                all_well = false;
            }
            _ => {}
        }
    }
    end(all_well)
}

/// Writes a line to the standard output of QEMU.
fn say(line: core::fmt::Arguments<'_>) {
    if let Ok(mut out) = hio::hstdout() {
        // A host that does not listen misses the line, and the gate then fails.
        let _ = out.write_fmt(line);
    }
}

/// Ends QEMU.
fn end(all_well: bool) -> ! {
    debug::exit(if all_well { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE });
    loop {
        cortex_m::asm::wfi();
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    say(format_args!("{info}\n"));
    end(false)
}

/// A stack overflow ends here, instead of in a loop that QEMU would run forever.
#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    say(format_args!("{frame:#x?}\n"));
    end(false)
}
