//! The heap: a few large blocks that grow in place.
//!
//! A stream keeps the beginning of a frame in one block that grows to the limit. A general allocator would move the
//! block each time, and the old blocks would add up to as much memory again, because WebAssembly never returns memory.
//! This heap extends the block in place: into the free memory after it, or into new memory at the end. Blocks have no
//! headers, because Rust passes their sizes. The free blocks form a list ordered by address, in which neighbours are
//! merged.
//!
//! The heap is generic over the memory, so that its tests run on any machine.

/// Sizes and addresses are multiples of this.
const UNIT: usize = 16;

/// The memory in which a heap allocates its blocks: words at addresses, and a way to grow.
pub trait Memory {
    /// Grows the memory at least to this end address. Returns the new end, or `None` if it can't grow.
    fn grow(&mut self, end: usize) -> Option<usize>;

    /// Returns the word at an address in a free block.
    fn load(&self, address: usize) -> usize;

    /// Sets the word at an address in a free block.
    fn store(&mut self, address: usize, value: usize);
}

/// A heap in this memory. Each free block begins with its size and the address of the next free block, or 0.
#[derive(Debug)]
pub struct Heap<M> {
    memory: M,
    /// The address of the first free block, or 0.
    first: usize,
    /// The end of the memory, or 0 before the first allocation.
    end: usize,
    /// The lowest address of the heap.
    start: usize,
}

const WORD: usize = size_of::<usize>();

impl<M: Memory> Heap<M> {
    /// Creates a heap that begins at this address, above 0.
    pub const fn new(memory: M, start: usize) -> Self {
        Self { memory, first: 0, end: 0, start: start.next_multiple_of(UNIT) }
    }

    /// Returns the memory.
    pub const fn memory(&mut self) -> &mut M {
        &mut self.memory
    }

    /// Returns the address of a block of this size, or `None` if there is no memory for it.
    pub fn allocate(&mut self, size: usize) -> Option<usize> {
        let size = rounded(size)?;
        loop {
            let (mut before, mut block) = (0, self.first);
            while block != 0 {
                if self.size(block) >= size {
                    self.take(before, block, size);
                    return Some(block);
                }
                (before, block) = (block, self.next(block));
            }
            // The last free block is extended if it is at the end.
            self.end = self.end.max(self.start);
            let is_at_end = before != 0 && before + self.size(before) == self.end;
            let from = if is_at_end { before } else { self.end };
            self.grow(from.checked_add(size)?)?;
        }
    }

    /// Frees a block of this size.
    pub fn free(&mut self, block: usize, size: usize) {
        let Some(size) = rounded(size) else { return };
        let mut before = 0;
        let mut after = self.first;
        while after != 0 && after < block {
            (before, after) = (after, self.next(after));
        }
        self.set(block, size, after);
        self.link(before, block);
        self.join(block);
        if before != 0 {
            self.join(before);
        }
    }

    /// Resizes a block without moving it. Returns whether that was possible.
    pub fn resize(&mut self, block: usize, from: usize, to: usize) -> bool {
        let (Some(from), Some(to)) = (rounded(from), rounded(to)) else { return false };
        if to < from {
            self.free(block + to, from - to);
        }
        to <= from || self.extend(block + from, to - from).is_some()
    }

    /// Allocates this many bytes at this address, if they are free or the memory can grow there.
    fn extend(&mut self, at: usize, size: usize) -> Option<()> {
        let (mut before, mut block) = (0, self.first);
        while block != 0 && block < at {
            (before, block) = (block, self.next(block));
        }
        let room = if block == at { self.size(block) } else { 0 };
        if room < size {
            if at + room != self.end {
                return None;
            }
            self.grow(at.checked_add(size)?)?;
        }
        self.take(before, at, size);
        Some(())
    }

    /// Grows the memory up to this address, and adds the new part as a free block.
    fn grow(&mut self, end: usize) -> Option<()> {
        let old = self.end;
        let new = self.memory.grow(end)?;
        // Nothing else is expected to grow the memory.
        self.end = new;
        if new > old {
            self.free(old, new - old);
        }
        Some(())
    }

    /// Removes the first bytes of a free block from the list.
    fn take(&mut self, before: usize, block: usize, size: usize) {
        let (left, next) = (self.size(block) - size, self.next(block));
        let rest = if left == 0 { next } else { block + size };
        if left > 0 {
            self.set(rest, left, next);
        }
        self.link(before, rest);
    }

    /// Merges a free block with the next one, if they are adjacent.
    fn join(&mut self, block: usize) {
        let next = self.next(block);
        if next != 0 && block + self.size(block) == next {
            self.set(block, self.size(block) + self.size(next), self.next(next));
        }
    }

    fn link(&mut self, before: usize, block: usize) {
        match before {
            0 => self.first = block,
            _ => self.memory.store(before + WORD, block),
        }
    }

    fn set(&mut self, block: usize, size: usize, next: usize) {
        self.memory.store(block, size);
        self.memory.store(block + WORD, next);
    }

    fn size(&self, block: usize) -> usize {
        self.memory.load(block)
    }

    fn next(&self, block: usize) -> usize {
        self.memory.load(block + WORD)
    }
}

/// Rounds up a size. A block of 0 bytes also gets its own address.
fn rounded(size: usize) -> Option<usize> {
    size.max(1).checked_next_multiple_of(UNIT)
}

/// Returns the largest alignment of a block.
#[must_use]
pub const fn alignment() -> usize {
    UNIT
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use alloc::vec::Vec;

    const START: usize = 1000;
    const PAGE: usize = 4096;

    /// Words from address 0 up to a limit.
    struct Words {
        words: Vec<usize>,
        limit: usize,
    }

    impl Memory for Words {
        fn grow(&mut self, end: usize) -> Option<usize> {
            let end = end.next_multiple_of(PAGE).max(self.words.len() * WORD);
            if end > self.limit {
                return None;
            }
            self.words.resize(end / WORD, usize::MAX);
            Some(end)
        }

        fn load(&self, address: usize) -> usize {
            self.words[address / WORD]
        }

        fn store(&mut self, address: usize, value: usize) {
            self.words[address / WORD] = value;
        }
    }

    fn heap(limit: usize) -> Heap<Words> {
        Heap::new(Words { words: Vec::new(), limit }, START)
    }

    fn used(heap: &mut Heap<Words>) -> usize {
        heap.memory().words.len() * WORD
    }

    /// Returns the free blocks, in the order of the list.
    fn free(heap: &Heap<Words>) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let mut block = heap.first;
        while block != 0 {
            found.push((block, heap.size(block)));
            block = heap.next(block);
        }
        found
    }

    /// Checks the invariants of the allocated and the free blocks.
    fn check(heap: &Heap<Words>, blocks: &BTreeMap<usize, usize>) {
        let free = free(heap);
        for pair in free.windows(2) {
            let [(block, size), (next, _)] = pair else { panic!("a window has two") };
            assert!(block + size < *next, "free blocks are in order, and neighbours are joined");
        }
        let mut all: Vec<(usize, usize)> = blocks
            .iter()
            .map(|(&block, &size)| (block, rounded(size).unwrap()))
            .chain(free)
            .collect();
        all.sort_unstable();
        let mut at = START.next_multiple_of(UNIT);
        for (block, size) in all {
            assert_eq!(block, at, "the blocks cover the memory without gaps or overlaps");
            at += size;
        }
        assert!(blocks.is_empty() || at == heap.end);
    }

    #[test]
    fn blocks_never_overlap_and_nothing_is_lost() {
        let mut random = 1_u64;
        let mut next = |below: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(random >> 33).unwrap() % below
        };
        let mut heap = heap(1 << 20);
        let mut blocks = BTreeMap::new();
        let (mut refused, mut resized) = (0, 0);
        for _ in 0..20_000 {
            let known = blocks.iter().nth(next(blocks.len().max(1))).map(|(&at, &size)| (at, size));
            match (next(3), known) {
                (0, Some((block, size))) => {
                    heap.free(block, size);
                    blocks.remove(&block);
                }
                (1, Some((block, size))) => {
                    let to = next(30_000);
                    if heap.resize(block, size, to) {
                        blocks.insert(block, to);
                        resized += 1;
                    }
                }
                _ => {
                    let size = next(30_000);
                    match heap.allocate(size) {
                        Some(block) => assert!(blocks.insert(block, size).is_none()),
                        None => refused += 1,
                    }
                }
            }
            check(&heap, &blocks);
        }
        assert!(refused > 10 && resized > 1000, "{refused} refused, {resized} resized");
        for (block, size) in core::mem::take(&mut blocks) {
            heap.free(block, size);
        }
        assert_eq!(free(&heap).len(), 1, "all is one free block again");
        check(&heap, &blocks);
    }

    #[test]
    fn a_block_grows_in_place_and_the_memory_with_it_alone() {
        const LIMIT: usize = 1 << 20;
        let mut heap = heap(2 * LIMIT);
        let block = heap.allocate(64).unwrap();
        let mut size = 64;
        while size < LIMIT {
            assert!(heap.resize(block, size, 2 * size), "{size}");
            size *= 2;
        }
        assert!(used(&mut heap) <= START + LIMIT + 2 * PAGE);
        // The freed part is used again.
        assert!(heap.resize(block, size, 64));
        let before = used(&mut heap);
        let other = heap.allocate(LIMIT / 2).unwrap();
        assert!(other > block);
        assert_eq!(used(&mut heap), before);
        assert!(!heap.resize(block, 64, LIMIT), "another block is in the way");
    }

    #[test]
    fn sizes_that_no_memory_has_are_refused() {
        let mut heap = heap(1 << 16);
        assert_eq!(heap.allocate(usize::MAX), None);
        assert_eq!(heap.allocate(usize::MAX - UNIT), None);
        assert_eq!(heap.allocate(1 << 17), None);
        let block = heap.allocate(0).unwrap();
        assert!(!heap.resize(block, 0, usize::MAX - UNIT));
        assert!(!heap.resize(block, 0, 1 << 17));
        assert_ne!(heap.allocate(0), Some(block));
    }
}
