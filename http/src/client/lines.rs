//! The lines between a connection and its pump.

use bytes::Bytes;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

/// The lines that the connection writes.
pub(super) struct Lines<R> {
    reader: R,
    /// The beginning of the current line.
    line: Vec<u8>,
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    pub(super) const fn new(reader: R) -> Self {
        Self { reader, line: Vec::new() }
    }

    /// Returns the next line without its LF. `None` is the end. If the future is dropped, nothing is lost.
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        loop {
            let read = self.reader.fill_buf().await.ok().filter(|read| !read.is_empty())?;
            let end = read.iter().position(|byte| *byte == b'\n');
            let length = end.unwrap_or(read.len());
            self.line.extend_from_slice(read.get(..length).unwrap_or_default());
            self.reader.consume(length.saturating_add(usize::from(end.is_some())));
            if end.is_some() {
                return Some(std::mem::take(&mut self.line).into());
            }
        }
    }
}

/// Writes lines that the connection reads. Each has its LF.
pub(super) async fn write_lines(
    mut writer: impl AsyncWrite + Unpin,
    mut lines: mpsc::Receiver<Vec<u8>>,
) {
    while let Some(line) = lines.recv().await {
        if writer.write_all(&line).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests are expected to panic")]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncWriteExt, BufReader, duplex};
    use tokio::time::timeout;

    use super::Lines;

    #[tokio::test]
    async fn lines_survive_futures_that_are_dropped() {
        let (mut writer, reader) = duplex(8);
        let mut lines = Lines::new(BufReader::with_capacity(4, reader));
        for part in ["a longer ", "li", "ne\nx\n\nlas"] {
            let write = async {
                writer.write_all(part.as_bytes()).await.unwrap();
            };
            if part.contains('\n') {
                let read = async {
                    assert_eq!(lines.next().await.unwrap(), "a longer line");
                    assert_eq!(lines.next().await.unwrap(), "x");
                    assert_eq!(lines.next().await.unwrap(), "");
                };
                tokio::join!(write, read);
            } else {
                let read = timeout(Duration::from_millis(10), lines.next());
                let (_, read) = tokio::join!(write, read);
                assert!(read.is_err());
            }
        }
        drop(writer);
        // A line without its LF was not written as a whole.
        assert_eq!(lines.next().await, None);
    }
}
