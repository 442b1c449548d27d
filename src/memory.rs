//! The policy for memory kept after large frames or messages.

/// The size in bytes that memory shrinks back to.
pub(crate) const USUAL: usize = 64 * 1024;

/// The number of bytes of memory that may be kept for each byte in use.
const PER_BYTE: usize = 4;

/// A frame is large if it needed more than this many bytes. Memory grows by doubling, so it may be twice as
/// large as needed. Therefore only large frames leave more memory than may be kept.
const LARGE: usize = USUAL * PER_BYTE / 2;

/// The number of bytes of memory that even the smallest part may keep. It has room for a read of the usual size after
/// the beginning of a frame, so that parts of such reads need not be copied.
#[cfg(feature = "tokio-util-v0_7")]
pub(crate) const SHARED: usize = 2 * USUAL;

/// A run of large frames ends after this many smaller ones.
const RUN: u8 = 8;

/// Decides when to release memory.
///
/// The memory of a large frame is released at once, because a stream may be idle afterwards. If another
/// large frame was among the last eight, more are likely, and the memory stays. Allocating it again for
/// each frame would cost a page fault for every 4 KiB.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retention {
    /// The number of frames since the last large one, up to [`RUN`].
    since_large: u8,
    /// True during a run of large frames.
    in_run: bool,
}

impl Retention {
    pub(crate) const NEW: Self = Self { since_large: RUN, in_run: false };

    /// Records a frame that needed this many bytes.
    pub(crate) const fn note(&mut self, needed: usize) {
        if needed > LARGE {
            self.in_run = self.since_large < RUN;
            self.since_large = 0;
        } else if self.since_large < RUN {
            self.since_large += 1;
            self.in_run &= self.since_large < RUN;
        }
    }

    /// Returns whether large frames come in a run, and memory stays.
    #[cfg(feature = "tokio-util-v0_7")]
    pub(crate) const fn is_in_run(self) -> bool {
        self.in_run
    }

    /// Returns the number of bytes to keep, or `None` to keep all memory. Less than four times the usual size
    /// is always kept, because it is not worth allocating again.
    pub(crate) fn to_keep(self, memory: usize, in_use: usize) -> Option<usize> {
        let keep = in_use.max(USUAL);
        (!self.in_run && memory > keep.saturating_mul(PER_BYTE)).then_some(keep)
    }
}

/// Returns whether a part of this length is too small to justify keeping all the memory that contains it.
#[cfg(feature = "tokio-util-v0_7")]
pub(crate) fn pins_too_much(memory: usize, length: usize) -> bool {
    memory > length.saturating_mul(PER_BYTE).max(SHARED)
}

#[cfg(test)]
mod tests {
    use super::{LARGE, PER_BYTE, RUN, Retention, USUAL};

    /// More memory than may be kept.
    const MUCH: usize = USUAL * PER_BYTE + 1;

    fn keeps_all(retention: Retention) -> bool {
        retention.to_keep(MUCH, 0).is_none()
    }

    #[test]
    fn a_large_frame_is_kept_memory_for_only_in_a_run() {
        let mut retention = Retention::NEW;
        retention.note(LARGE + 1);
        assert!(!keeps_all(retention), "it may have been the only one");
        for small in 0..RUN {
            for _ in 0..small {
                retention.note(1);
            }
            retention.note(LARGE + 1);
            assert!(keeps_all(retention), "{small}");
        }
        for left in (0..RUN).rev() {
            retention.note(LARGE);
            assert_eq!(keeps_all(retention), left > 0, "{left}");
        }
        retention.note(LARGE + 1);
        assert!(!keeps_all(retention), "the run was over");
    }

    #[test]
    fn what_is_in_use_is_kept_and_a_little_more_is_not_worth_a_call() {
        assert_eq!(Retention::NEW.to_keep(MUCH, 1), Some(USUAL));
        assert_eq!(Retention::NEW.to_keep(MUCH - 1, 1), None);
        assert_eq!(Retention::NEW.to_keep(MUCH, USUAL + 1), None);
        assert_eq!(Retention::NEW.to_keep(2 * MUCH, USUAL + 1), Some(USUAL + 1));
    }
}
