//! What JavaScript calls, and the memory that it shares with it.
//!
//! A pointer is an address in the module's memory, a stream is the address of its state. JavaScript passes nothing but
//! what it was given here, one thread enters the module at a time, and no call of JavaScript is made from here.

#![allow(unsafe_code)]

use alloc::alloc::{alloc, dealloc, realloc};
use core::alloc::{GlobalAlloc, Layout};
use core::arch::wasm32::{memory_grow, memory_size};
use core::cell::UnsafeCell;
use core::ptr;

use tautline::Message;
#[cfg(feature = "full")]
use tautline::envelope::Envelope;

use crate::finding::{self, FindingRow};
use crate::heap::{self, Heap, Memory};
#[cfg(feature = "full")]
use crate::row::LINE;
use crate::row::{Kept, Row};
use crate::rules;
use crate::stream::Stream;

/// The size of the room for input, in bytes: what runtimes read at once from pipes and files.
const INPUT: usize = 64 * 1024;

/// The number of rows that a call fills in at most.
const ROWS: usize = 512;

/// The number of bytes in a page of memory.
const PAGE: usize = 64 * 1024;

/// The frame is a batch around the element that is meant. The flags of rows are lower.
#[cfg(feature = "full")]
const ELEMENT: u32 = 1 << 8;

/// What one thread has to itself.
struct Own<T>(UnsafeCell<T>);

// SAFETY: an instance of the module has one thread.
unsafe impl<T> Sync for Own<T> {}

impl<T> Own<T> {
    const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// # Safety
    ///
    /// No other reference to the value is used while this one is.
    #[allow(clippy::mut_from_ref, reason = "that is what the cell is for")]
    unsafe fn get(&self) -> &mut T {
        // SAFETY: the caller promises it.
        unsafe { &mut *self.0.get() }
    }
}

/// The memory of the module.
struct Pages;

impl Memory for Pages {
    fn grow(&mut self, end: usize) -> Option<usize> {
        let pages = end.div_ceil(PAGE).saturating_sub(memory_size::<0>());
        // The last page is never asked for, so that addresses after the end can be computed.
        if end > usize::MAX - 2 * PAGE || memory_grow::<0>(pages) == usize::MAX {
            return None;
        }
        Some(memory_size::<0>() * PAGE)
    }

    fn load(&self, address: usize) -> usize {
        // SAFETY: the heap asks for aligned words of blocks that it owns.
        unsafe { *ptr::with_exposed_provenance(address) }
    }

    fn store(&mut self, address: usize, value: usize) {
        // SAFETY: as above.
        unsafe { *ptr::with_exposed_provenance_mut(address) = value }
    }
}

/// The heap begins where the linker says that the program's own data ends.
struct Allocator(Own<Option<Heap<Pages>>>);

impl Allocator {
    #[allow(clippy::mut_from_ref, reason = "as above")]
    fn heap(&self) -> &mut Heap<Pages> {
        unsafe extern "C" {
            static __heap_base: u8;
        }
        // SAFETY: one thread, and the heap calls nothing that would come back here.
        let heap = unsafe { self.0.get() };
        heap.get_or_insert_with(|| {
            let base = (&raw const __heap_base).addr();
            Heap::new(Pages, base)
        })
    }
}

// SAFETY: the heap's blocks do not overlap, and have the size and the alignment that were asked for.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > heap::alignment() {
            return ptr::null_mut();
        }
        self.heap()
            .allocate(layout.size())
            .map_or(ptr::null_mut(), ptr::with_exposed_provenance_mut)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        self.heap().free(block.expose_provenance(), layout.size());
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if self.heap().resize(block.expose_provenance(), layout.size(), size) {
            return block;
        }
        // SAFETY: the size is one that a block can have, since the caller says so.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: as above.
        let moved = unsafe { self.alloc(new) };
        if !moved.is_null() {
            // SAFETY: both blocks are as long as the shorter one, and they do not overlap.
            unsafe { ptr::copy_nonoverlapping(block, moved, layout.size().min(size)) };
            // SAFETY: the caller gives up the old block.
            unsafe { self.dealloc(block, layout) };
        }
        moved
    }
}

#[global_allocator]
static ALLOCATOR: Allocator = Allocator(Own::new(None));

/// Nothing here panics on input. If a bug does, the instance traps, and JavaScript gets an exception.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// What JavaScript reads after a call.
#[repr(C)]
struct Answer {
    /// How many bytes of the input were consumed.
    consumed: u32,
    /// The address of the bytes that are lent.
    lent: u32,
    rows: [Row; ROWS],
    findings: [FindingRow; finding::MOST],
}

static INPUT_ROOM: Own<[u8; INPUT]> = Own::new([0; INPUT]);
static ANSWER: Own<Answer> = Own::new(Answer {
    consumed: 0,
    lent: 0,
    rows: [Row::EMPTY; ROWS],
    findings: [FindingRow::EMPTY; finding::MOST],
});
static KEPT: Own<Kept> = Own::new(Kept::EMPTY);
/// A block for frames that are longer than the room for input, and its size.
static LARGE: Own<(usize, usize)> = Own::new((0, 0));

fn address<T: ?Sized>(value: *const T) -> u32 {
    value.cast::<u8>().expose_provenance() as u32
}

/// Returns the bytes at an address.
///
/// # Safety
///
/// The bytes were written by JavaScript to room that it was given here, and stay as they are.
unsafe fn bytes<'a>(at: usize, len: usize) -> &'a [u8] {
    // SAFETY: the caller promises it.
    unsafe { core::slice::from_raw_parts(ptr::with_exposed_provenance(at), len) }
}

/// Returns the address of the room for input, which has 64 KiB.
#[unsafe(no_mangle)]
extern "C" fn input() -> u32 {
    address(INPUT_ROOM.0.get())
}

/// Returns the address of the answer to the last call.
#[unsafe(no_mangle)]
extern "C" fn answer() -> u32 {
    address(ANSWER.0.get())
}

/// Returns the address of room for a frame of this length, or 0 if there is not that much memory. It is the room for
/// input if that is long enough. The room is good until the next call.
#[unsafe(no_mangle)]
extern "C" fn room(len: usize) -> usize {
    if len <= INPUT {
        return INPUT_ROOM.0.get().expose_provenance();
    }
    // SAFETY: nothing else uses it meanwhile.
    let (at, size) = unsafe { LARGE.get() };
    if *size < len {
        let Ok(layout) = Layout::from_size_align(*size, 1) else { return 0 };
        let Ok(new) = Layout::from_size_align(len, 1) else { return 0 };
        let old: *mut u8 = ptr::with_exposed_provenance_mut(*at);
        // SAFETY: the block is as large as it was made, and neither size is 0.
        let block =
            unsafe { if *size == 0 { alloc(new) } else { realloc(old, layout, new.size()) } };
        if block.is_null() {
            return 0;
        }
        (*at, *size) = (block.expose_provenance(), len);
    }
    *at
}

/// Creates a stream, and returns its address, or 0 if there is no memory for it.
#[unsafe(no_mangle)]
extern "C" fn stream_new(framing: u32, limit: u32, choice: u32) -> *mut Stream {
    // SAFETY: the type has a size.
    let stream: *mut Stream = unsafe { alloc(Layout::new::<Stream>()) }.cast();
    if !stream.is_null() {
        // SAFETY: the block is new and large enough.
        unsafe { stream.write(Stream::new(framing, limit, rules::decode(choice))) };
    }
    stream
}

/// Frees a stream.
#[unsafe(no_mangle)]
unsafe extern "C" fn stream_free(stream: *mut Stream) {
    // SAFETY: JavaScript forgets the stream with this call.
    unsafe {
        stream.drop_in_place();
        dealloc(stream.cast(), Layout::new::<Stream>());
    }
}

/// Sets the rules for subsequent frames of a stream.
#[unsafe(no_mangle)]
unsafe extern "C" fn stream_set_rules(stream: *mut Stream, choice: u32) {
    // SAFETY: the stream is one that was created here.
    unsafe { &mut *stream }.set_rules(rules::decode(choice));
}

/// Continues a stream that is desynchronised.
#[unsafe(no_mangle)]
unsafe extern "C" fn stream_resync(stream: *mut Stream) {
    // SAFETY: the stream is one that was created here.
    unsafe { &mut *stream }.resync();
}

/// Shows a stream its next bytes, at this address. Returns how many rows the answer has, and sets how many bytes were
/// consumed, and what is lent.
#[unsafe(no_mangle)]
unsafe extern "C" fn stream_read(stream: *mut Stream, at: usize, len: usize) -> usize {
    // SAFETY: the stream is one that was created here, the input is what JavaScript has written, and the other two
    // are used here alone.
    let (stream, input, answer, kept) =
        unsafe { (&mut *stream, bytes(at, len), ANSWER.get(), KEPT.get()) };
    let Answer { consumed, lent, rows, .. } = answer;
    let read = stream.read(input, rows, kept, |bytes| *lent = address(bytes));
    *consumed = read.consumed as u32;
    read.rows
}

/// Ends a stream. Returns 1 if the answer has a row for what was left of it, and 0 if there was nothing more.
#[unsafe(no_mangle)]
unsafe extern "C" fn stream_finish(stream: *mut Stream) -> u32 {
    // SAFETY: as above.
    let (stream, answer, kept) = unsafe { (&mut *stream, ANSWER.get(), KEPT.get()) };
    let Answer { lent, rows: [row, ..], .. } = answer;
    u32::from(stream.finish(row, kept, |bytes| *lent = address(bytes)))
}

/// Parses one frame, which leaves one row.
#[unsafe(no_mangle)]
unsafe extern "C" fn parse(at: usize, len: usize, choice: u32) {
    // SAFETY: as above.
    let (frame, answer) = unsafe { (bytes(at, len), ANSWER.get()) };
    let Answer { rows: [row, ..], .. } = answer;
    row.fill_parsed(frame, Message::parse(frame, &rules::decode(choice)));
}

/// Reads the elements of a batch from this one on. Returns how many rows the answer has.
#[unsafe(no_mangle)]
unsafe extern "C" fn elements(at: usize, len: usize, choice: u32, from: usize) -> usize {
    // SAFETY: as above.
    let (frame, answer) = unsafe { (bytes(at, len), ANSWER.get()) };
    let Ok(Message::Batch(batch)) = Message::parse(frame, &rules::decode(choice)) else { return 0 };
    let mut filled = 0;
    for (row, element) in answer.rows.iter_mut().zip(batch.iter().skip(from)) {
        row.fill_element(&element);
        filled += 1;
    }
    filled
}

#[cfg(feature = "full")]
/// Reports everything about a frame with these flags of its row, and returns how many findings the answer has. An
/// element of a batch is passed as the only one of a batch, with the flag [`ELEMENT`].
#[unsafe(no_mangle)]
unsafe extern "C" fn findings(at: usize, len: usize, choice: u32, flags: u32) -> usize {
    // SAFETY: as above.
    let (frame, answer) = unsafe { (bytes(at, len), ANSWER.get()) };
    let rules = rules::decode(choice);
    let envelope = if flags & ELEMENT != 0 {
        let Ok(Message::Batch(batch)) = Message::parse(frame, &rules) else { return 0 };
        let Some(element) = batch.iter().next() else { return 0 };
        element
    } else if flags & u32::from(LINE) != 0 {
        Envelope::read_line(frame, &rules)
    } else {
        Envelope::read(frame, &rules)
    };
    let mut rows = answer.findings.iter_mut();
    let mut filled = 0;
    envelope.findings(|finding| {
        if let Some(row) = rows.next() {
            *row = finding.into();
            filled += 1;
        }
    });
    filled
}
