//! An allocator that counts what the thread under test does, and no more than that thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// What was asked of the heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heap {
    /// How many times memory was asked for, grown and shrunk blocks included.
    pub calls: u64,
    /// How many bytes more than before are in use.
    pub held: i64,
    /// How many bytes more than before were in use at most.
    pub peak: i64,
}

thread_local! {
    // Without a destructor and with a constant to begin with: the allocator may use it at any time.
    static HEAP: Cell<Heap> = const {
        Cell::new(Heap { calls: 0, held: 0, peak: 0 })
    };
}

/// Does some work, and says what it asked of the heap.
pub fn measure<T>(work: impl FnOnce() -> T) -> (T, Heap) {
    let before = HEAP.replace(Heap::default());
    let result = work();
    let measured = HEAP.replace(before);
    (result, measured)
}

/// The system's allocator, which has no memory for those who want more than this at once.
pub struct Counting {
    pub most: usize,
}

impl Counting {
    /// Whether there is no memory for this. There is for who reports a failure: reading the debug
    /// information takes a lot.
    fn refuses(&self, size: usize) -> bool {
        size > self.most && !std::thread::panicking()
    }

    fn count(&self, calls: u64, grown: i64) {
        let mut heap = HEAP.get();
        heap.calls += calls;
        heap.held += grown;
        heap.peak = heap.peak.max(heap.held);
        HEAP.set(heap);
    }
}

// SAFETY: every call is handed on to the system's allocator with the arguments that it came with, and
// what that one returns is returned; or null, which says of any call that there is no memory, and
// leaves the block of a `realloc` as it was.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if self.refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        self.count(1, layout.size() as i64);
        // SAFETY: the caller keeps to the contract, which is the same.
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
