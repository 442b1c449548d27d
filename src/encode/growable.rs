//! Outputs that grow.

use super::Output;

/// An [`Output`] that grows as needed, and whose [`rewind`](Output::rewind) restores its earlier contents.
///
/// An [endpoint](crate::endpoint::Endpoint::answer_into) appends replies to it. `Vec<u8>` implements it, and with
/// feature `tokio-util-v0_7`, `BytesMut` does.
pub trait GrowableOutput: Output {
    /// Returns everything put after the mark.
    fn put_since(&self, mark: usize) -> &[u8];
}

impl<O: GrowableOutput + ?Sized> GrowableOutput for &mut O {
    fn put_since(&self, mark: usize) -> &[u8] {
        (**self).put_since(mark)
    }
}

impl GrowableOutput for alloc::vec::Vec<u8> {
    fn put_since(&self, mark: usize) -> &[u8] {
        self.get(mark..).unwrap_or_default()
    }
}

#[cfg(feature = "tokio-util-v0_7")]
#[cfg_attr(docsrs, doc(cfg(feature = "tokio-util-v0_7")))]
impl GrowableOutput for bytes::BytesMut {
    fn put_since(&self, mark: usize) -> &[u8] {
        self.get(mark..).unwrap_or_default()
    }
}
