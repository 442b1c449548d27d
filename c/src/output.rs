//! The buffer that messages are appended to, and the batch in it.
//!
//! A batch grows after the used part of the buffer. Its first byte is left free for the bracket, and each message ends
//! with a comma instead of its newline. The end of the batch sets both brackets, and counts the whole as used.
//!
//! After a message that did not fit, nothing more of the batch is written, and `start` is the complement of what it
//! was. So the batch fails even if the buffer grows meanwhile. A complement is never a start: that would be more than
//! the longest buffer.

use crate::abi::{tl_error, tl_out};
use crate::reply::Written;

impl tl_out {
    /// Begins a use of the buffer, which ends the turn of a writer.
    pub(crate) const fn begin_turn(&mut self) {
        self.turn = self.turn.wrapping_add(1);
        self.needed = 0;
    }

    /// Returns the number of containers around the next message: the array of a batch, or none.
    pub(crate) fn containers(&self) -> u8 {
        u8::from(self.batch > 0)
    }

    /// Returns the part of the buffer where the next message goes, and none after one that did not fit in the batch.
    pub(crate) fn free<'a>(&self, all: &'a mut [u8]) -> Result<&'a mut [u8], tl_error> {
        let free = all.get_mut(self.used..).ok_or(tl_error::Length)?;
        if self.batch == 0 {
            return Ok(free);
        }
        if self.is_full()? {
            return Ok(&mut []);
        }
        Ok(free.get_mut(self.batch..).unwrap_or_default())
    }

    /// Returns whether a message of the batch did not fit.
    const fn is_full(&self) -> Result<bool, tl_error> {
        if self.used == self.start {
            Ok(false)
        } else if self.used == !self.start {
            Ok(true)
        } else {
            Err(tl_error::Order)
        }
    }

    /// Counts a message that was written to the free part. In a batch, one that does not fit is counted, too.
    #[inline(never)]
    pub(crate) fn commit(
        &mut self,
        free: &mut [u8],
        (length, result): Written,
    ) -> Result<(), tl_error> {
        self.needed = length;
        if self.batch > 0 && length > 0 {
            if let Some(newline) = free.get_mut(length.saturating_sub(1)) {
                *newline = b',';
            }
            if result.is_err() {
                self.start = !self.used;
            }
            self.batch = self.batch.saturating_add(length);
            self.needed = self.batch.saturating_add(1);
        } else if result.is_ok() {
            self.used = self.used.saturating_add(length);
        }
        result
    }

    /// Begins a batch.
    pub(crate) const fn begin_batch(&mut self) -> Result<(), tl_error> {
        if self.batch > 0 {
            return Err(tl_error::Order);
        }
        self.start = self.used;
        self.batch = 1;
        Ok(())
    }

    /// Ends the batch, whether it fits or not.
    pub(crate) fn end_batch(&mut self, all: &mut [u8]) -> Result<(), tl_error> {
        let length = core::mem::replace(&mut self.batch, 0);
        if length == 0 {
            return Err(tl_error::Order);
        }
        let is_full = self.is_full()?;
        if length == 1 {
            return Ok(());
        }
        self.needed = length.saturating_add(1);
        if is_full {
            return Err(tl_error::Full);
        }
        let end = self.used.saturating_add(self.needed);
        let Some([open, .., close, newline]) = all.get_mut(self.used..end) else {
            return Err(tl_error::Full);
        };
        (*open, *close, *newline) = (b'[', b']', b'\n');
        self.used = end;
        Ok(())
    }
}
