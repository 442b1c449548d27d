//! The functions that JavaScript calls, and the memory that they share with it.
//!
//! A pointer is an address in the module's memory, and a stream is the address of its state. JavaScript passes only
//! addresses that it got from these functions, only one thread enters the module at a time, and these functions never
//! call JavaScript.

#![allow(unsafe_code)]

use alloc::alloc::{alloc, dealloc, realloc};
use core::alloc::{GlobalAlloc, Layout};
use core::arch::wasm32::{memory_grow, memory_size};
use core::cell::UnsafeCell;
use core::ptr;

#[cfg(feature = "full")]
use tautline::Envelope;
use tautline::Message;
#[cfg(feature = "full")]
use tautline::frame::{Frame, FramingKind};
#[cfg(feature = "judge")]
use tautline_mcp::Role;

use crate::finding::{self, FindingRow};
use crate::heap::{self, Heap, Memory};
#[cfg(feature = "judge")]
use crate::judge::Live;
use crate::profile;
#[cfg(feature = "full")]
use crate::row::LINE;
use crate::row::{Kept, Row};
use crate::stream::{self, Stream};

/// The size of the input buffer, in bytes: the size in which runtimes read pipes and files.
const INPUT: usize = 64 * 1024;

/// The maximum number of rows that a call fills in.
const ROWS: usize = 512;

/// The number of bytes in a page of memory.
const PAGE: usize = 64 * 1024;

/// The memory grows at least by this part of itself.
const SHARE: usize = 8;

/// The flag for a frame that is a batch around a single element. The flags of rows are lower bits.
#[cfg(feature = "full")]
const ELEMENT: u32 = 1 << 8;

/// A value that only one thread uses.
struct Own<T>(UnsafeCell<T>);

// SAFETY: an instance of the module has one thread.
unsafe impl<T> Sync for Own<T> {}

impl<T> Own<T> {
    const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// # Safety
    ///
    /// No other reference to the value may be used while this one is used.
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
        let have = memory_size::<0>();
        let needed = end.div_ceil(PAGE).saturating_sub(have);
        // Engines may take time proportional to the memory each time it grows, so it grows by a share of what there is.
        // If there is not as much, it grows by what is needed.
        let share = needed.max(have / SHARE);
        // The last page is never allocated, so that addresses after the end can be computed.
        let grows =
            |pages| have + pages < usize::MAX / PAGE && memory_grow::<0>(pages) != usize::MAX;
        (grows(share) || grows(needed)).then(|| memory_size::<0>() * PAGE)
    }

    fn load(&self, address: usize) -> usize {
        // SAFETY: the heap accesses only aligned words in blocks that it owns.
        unsafe { *ptr::with_exposed_provenance(address) }
    }

    fn store(&mut self, address: usize, value: usize) {
        // SAFETY: as above.
        unsafe { *ptr::with_exposed_provenance_mut(address) = value }
    }
}

/// The allocator. Its heap begins at the end of the program's static data, at the address that the linker provides.
struct Allocator(Own<Option<Heap<Pages>>>);

impl Allocator {
    #[allow(clippy::mut_from_ref, reason = "as above")]
    fn heap(&self) -> &mut Heap<Pages> {
        unsafe extern "C" {
            static __heap_base: u8;
        }
        // SAFETY: there is one thread, and the heap calls nothing that would call this function.
        let heap = unsafe { self.0.get() };
        heap.get_or_insert_with(|| {
            let base = (&raw const __heap_base).addr();
            Heap::new(Pages, base)
        })
    }
}

// SAFETY: the heap's blocks do not overlap, and have the requested size and alignment.
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
        // SAFETY: the caller guarantees that a block can have this size.
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

/// No input causes a panic. If a bug causes one, the instance traps, and JavaScript gets an exception.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// The answer that JavaScript reads after a call.
#[repr(C)]
struct Answer {
    /// The number of bytes of the input that were consumed.
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
/// The words of the last cause of a fault.
#[cfg(feature = "full")]
static WORDS: Own<alloc::string::String> = Own::new(alloc::string::String::new());
/// A block for frames that are longer than the input buffer, and its size.
static LARGE: Own<(usize, usize)> = Own::new((0, 0));

fn address<T: ?Sized>(value: *const T) -> u32 {
    value.cast::<u8>().expose_provenance() as u32
}

/// Returns the bytes at an address.
///
/// # Safety
///
/// JavaScript must have written the bytes to a buffer that it got from this module, and they must not change.
unsafe fn bytes<'a>(at: usize, len: usize) -> &'a [u8] {
    // SAFETY: the caller promises it.
    unsafe { core::slice::from_raw_parts(ptr::with_exposed_provenance(at), len) }
}

/// Returns the address of the input buffer, which has 64 KiB.
#[unsafe(no_mangle)]
extern "C" fn input() -> u32 {
    address(INPUT_ROOM.0.get())
}

/// Returns the address of the answer to the last call.
#[unsafe(no_mangle)]
extern "C" fn answer() -> u32 {
    address(ANSWER.0.get())
}

/// Returns the address of a buffer for a frame of this length, or 0 if there is not enough memory. It is the input
/// buffer if that is long enough. The buffer is valid until the next call.
#[unsafe(no_mangle)]
extern "C" fn room(len: usize) -> usize {
    if len <= INPUT {
        return INPUT_ROOM.0.get().expose_provenance();
    }
    // SAFETY: nothing else uses it at the same time.
    let (at, size) = unsafe { LARGE.get() };
    if *size < len {
        let Ok(layout) = Layout::from_size_align(*size, 1) else { return 0 };
        let Ok(new) = Layout::from_size_align(len, 1) else { return 0 };
        let old: *mut u8 = ptr::with_exposed_provenance_mut(*at);
        // SAFETY: the block has the size with which it was allocated, and neither size is 0.
        let block =
            unsafe { if *size == 0 { alloc(new) } else { realloc(old, layout, new.size()) } };
        if block.is_null() {
            return 0;
        }
        (*at, *size) = (block.expose_provenance(), len);
    }
    *at
}

/// Creates a stream. Returns its address, or 0 if there is not enough memory.
#[unsafe(no_mangle)]
extern "C" fn stream_new(framing: u32, limit: u32, choice: u32) -> *mut Stream {
    // SAFETY: the size of the type is not 0.
    let at: *mut Stream = unsafe { alloc(Layout::new::<Stream>()) }.cast();
    if !at.is_null() {
        // SAFETY: the block is new and large enough.
        unsafe { at.write(stream::new(framing, limit, &profile::decode(choice))) };
    }
    at
}

/// Frees a stream.
#[unsafe(no_mangle)]
unsafe extern "C" fn stream_free(stream: *mut Stream) {
    // SAFETY: JavaScript does not use the stream after this call.
    unsafe {
        stream.drop_in_place();
        dealloc(stream.cast(), Layout::new::<Stream>());
    }
}

/// Sets the profile for subsequent frames of a stream.
#[unsafe(no_mangle)]
unsafe extern "C" fn stream_set_rules(stream: *mut Stream, choice: u32) {
    // SAFETY: the stream was created by `stream_new`.
    unsafe { &mut *stream }.set_profile(&profile::decode(choice));
}

/// Continues a stream that is desynchronised.
#[unsafe(no_mangle)]
unsafe extern "C" fn stream_resync(stream: *mut Stream) {
    // SAFETY: the stream was created by `stream_new`.
    unsafe { &mut *stream }.resync();
}

/// Passes the next bytes to a stream, at this address. Returns the number of rows in the answer. The answer also has
/// the number of consumed bytes and the address of lent bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn stream_read(stream: *mut Stream, at: usize, len: usize) -> usize {
    // SAFETY: the stream was created by `stream_new`, JavaScript has written the input, and the other two are used only
    // in this call.
    let (source, input, answer, kept) =
        unsafe { (&mut *stream, bytes(at, len), ANSWER.get(), KEPT.get()) };
    let Answer { consumed, lent, rows, .. } = answer;
    let read = stream::read(source, input, rows, kept, |bytes| *lent = address(bytes));
    *consumed = read.consumed as u32;
    read.rows
}

/// Ends a stream. Returns 1 if the answer has a row for the rest of the stream, and 0 if there was nothing left.
#[unsafe(no_mangle)]
unsafe extern "C" fn stream_finish(stream: *mut Stream) -> u32 {
    // SAFETY: as above.
    let (source, answer, kept) = unsafe { (&mut *stream, ANSWER.get(), KEPT.get()) };
    let Answer { lent, rows: [row, ..], .. } = answer;
    u32::from(stream::finish(source, row, kept, |bytes| *lent = address(bytes)))
}

/// Parses one frame. The answer has one row.
#[unsafe(no_mangle)]
unsafe extern "C" fn parse(at: usize, len: usize, choice: u32) {
    // SAFETY: as above.
    let (frame, answer) = unsafe { (bytes(at, len), ANSWER.get()) };
    let Answer { rows: [row, ..], .. } = answer;
    row.fill_parsed(frame, Message::parse(frame, &profile::decode(choice)));
}

/// Reads the elements of a batch, starting from this index. Returns the number of rows in the answer.
#[unsafe(no_mangle)]
unsafe extern "C" fn elements(at: usize, len: usize, choice: u32, from: usize) -> usize {
    // SAFETY: as above.
    let (frame, answer) = unsafe { (bytes(at, len), ANSWER.get()) };
    let Ok(Message::Batch(batch)) = Message::parse(frame, &profile::decode(choice)) else {
        return 0;
    };
    let mut filled = 0;
    for (row, element) in answer.rows.iter_mut().zip(batch.iter().skip(from)) {
        row.fill_element(&element);
        filled += 1;
    }
    filled
}

#[cfg(feature = "full")]
/// Reports all findings on a frame with these flags of its row. Returns the number of findings in the answer. An
/// element of a batch is passed as the only element of a batch, with the flag [`ELEMENT`]. If the first finding is the
/// cause of a fault, the answer has the address of its words and, as the number of consumed bytes, their length.
#[unsafe(no_mangle)]
unsafe extern "C" fn findings(at: usize, len: usize, choice: u32, flags: u32) -> usize {
    // SAFETY: as above.
    let (frame, answer) = unsafe { (bytes(at, len), ANSWER.get()) };
    let profile = profile::decode(choice);
    let envelope = if flags & ELEMENT != 0 {
        let Ok(Message::Batch(batch)) = Message::parse(frame, &profile) else { return 0 };
        let Some(element) = batch.iter().next() else { return 0 };
        element
    } else if flags & u32::from(LINE) != 0 {
        Envelope::read(Frame::from_line(frame), &profile)
    } else {
        Envelope::read(frame, &profile)
    };
    let is_line = flags & u32::from(LINE) != 0;
    let framing = if is_line { FramingKind::Ndjson } else { FramingKind::Concatenated };
    let (filled, said) = finding::fill(&mut answer.findings, &envelope, framing);
    // SAFETY: nothing else uses it at the same time.
    let words = unsafe { WORDS.get() };
    *words = said;
    answer.lent = address(words.as_ptr());
    answer.consumed = words.len() as u32;
    filled
}

/// Creates a judge. Returns its address, or 0 if there is not enough memory.
#[cfg(feature = "judge")]
#[unsafe(no_mangle)]
extern "C" fn judge_new() -> *mut Live {
    // SAFETY: the size of the type is not 0.
    let at: *mut Live = unsafe { alloc(Layout::new::<Live>()) }.cast();
    if !at.is_null() {
        // SAFETY: the block is new and large enough.
        unsafe { at.write(Live::default()) };
    }
    at
}

/// Frees a judge.
#[cfg(feature = "judge")]
#[unsafe(no_mangle)]
unsafe extern "C" fn judge_free(judge: *mut Live) {
    // SAFETY: JavaScript does not use the judge after this call.
    unsafe {
        judge.drop_in_place();
        dealloc(judge.cast(), Layout::new::<Live>());
    }
}

/// Lets a judge observe a frame of the client, or of the server if `is_server` is not 0. Returns the length of the findings,
/// which are lent.
#[cfg(feature = "judge")]
#[unsafe(no_mangle)]
unsafe extern "C" fn judge_observe(
    judge: *mut Live,
    is_server: u32,
    at: usize,
    len: usize,
) -> usize {
    // SAFETY: the judge was created by `judge_new`, and JavaScript has written the frame.
    let (judge, frame, answer) = unsafe { (&mut *judge, bytes(at, len), ANSWER.get()) };
    let from = if is_server == 0 { Role::Client } else { Role::Server };
    let found = judge.observe(from, frame);
    answer.lent = address(found.as_ptr());
    found.len()
}

/// Ends the session of a judge. Returns the length of the findings, which are lent.
#[cfg(feature = "judge")]
#[unsafe(no_mangle)]
unsafe extern "C" fn judge_finish(judge: *mut Live) -> usize {
    // SAFETY: as above.
    let (judge, answer) = unsafe { (&mut *judge, ANSWER.get()) };
    let found = judge.finish();
    answer.lent = address(found.as_ptr());
    found.len()
}
