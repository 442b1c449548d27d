//! An allocator that counts what the thread under test does, and only that thread. So the tests of one program can share
//! it, though they run at the same time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The use of the heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heap {
    /// The number of allocations, including grown and shrunk blocks.
    pub calls: u64,
    /// The change in the number of bytes in use.
    pub held: i64,
    /// The largest increase in the number of bytes in use.
    pub peak: i64,
}

// Without destructors and with constant initial values: the allocator may use them at any time.
thread_local! {
    static HEAP: Cell<Heap> = const {
        Cell::new(Heap { calls: 0, held: 0, peak: 0 })
    };
    /// The size of the largest block that the thread gets.
    static MOST: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Does some work, and returns its result and its use of the heap.
pub fn measure<T>(work: impl FnOnce() -> T) -> (T, Heap) {
    let before = HEAP.replace(Heap::default());
    let result = work();
    let measured = HEAP.replace(before);
    (result, measured)
}

/// Refuses this thread any block above this size, as long as the result lives.
#[must_use]
pub fn refuse_above(most: usize) -> Refusal {
    Refusal { before: MOST.replace(most) }
}

/// Ends with the previous limit.
pub struct Refusal {
    before: usize,
}

impl Drop for Refusal {
    fn drop(&mut self) {
        MOST.set(self.before);
    }
}

/// The system's allocator, which counts and refuses.
pub struct Counting;

impl Counting {
    /// Returns whether to refuse this allocation. A panicking thread is never refused: reading the debug information
    /// takes a lot of memory.
    fn refuses(&self, size: usize) -> bool {
        size > MOST.get() && !std::thread::panicking()
    }

    fn count(&self, calls: u64, grown: i64) {
        let mut heap = HEAP.get();
        heap.calls += calls;
        heap.held += grown;
        heap.peak = heap.peak.max(heap.held);
        HEAP.set(heap);
    }
}

// SAFETY: every call is passed to the system's allocator with the same arguments, and its result is returned; or null
// is returned, which any call may do, and which leaves the block of a `realloc` unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if self.refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        self.count(1, layout.size() as i64);
        // SAFETY: the caller upholds the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        self.count(0, -(layout.size() as i64));
        // SAFETY: as above; the block came from the system's allocator.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if self.refuses(size) {
            return std::ptr::null_mut();
        }
        self.count(1, size as i64 - layout.size() as i64);
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, size) }
    }
}
