//! Whole requests and responses, shown to the filter in the second engine.

use crate::host::{Fields, Half, Host, Reply, Result, Side};
use crate::request::Plain;

/// The ending of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The last piece ends it.
    Piece,
    /// Trailers follow.
    Trailers,
}

/// Returns the head of a request, as a proxy shows it.
#[must_use]
pub fn head(plain: &Plain) -> Fields {
    let (parts, ()) = plain.http2(()).into_parts();
    let authority = parts.uri.authority().map_or("", |authority| authority.as_str());
    let path = parts.uri.path_and_query().map_or("", |path| path.as_str());
    let first = [(":authority", authority), (":method", parts.method.as_str()), (":path", path)];
    let first = first.map(|(name, value)| (name.to_owned(), value.into()));
    let rest = parts.headers.iter();
    let rest = rest.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
    first.into_iter().chain(rest).collect()
}

impl Host {
    /// Shows a request or a response, up to the reply of the filter. Without pieces and trailers, the head ends it.
    ///
    /// # Errors
    ///
    /// Fails if the filter traps.
    pub fn show(
        &mut self,
        id: u32,
        side: Side,
        head: &Fields,
        pieces: &[&[u8]],
        ending: Ending,
    ) -> Result<()> {
        let has_body = !pieces.is_empty() || ending == Ending::Trailers;
        self.head(id, side, head.clone(), !has_body)?;
        for (number, piece) in pieces.iter().enumerate() {
            if self.has_replied(id) {
                return Ok(());
            }
            let is_last = number + 1 == pieces.len() && ending == Ending::Piece;
            self.body(id, side, piece, is_last)?;
        }
        if ending == Ending::Trailers && !self.has_replied(id) {
            self.trailers(id, side)?;
        }
        Ok(())
    }

    fn has_replied(&self, id: u32) -> bool {
        self.stream(id).is_some_and(|stream| stream.reply.is_some())
    }

    /// Shows the filter its own reply to a request, as Envoy does. Returns whether it passes.
    ///
    /// # Errors
    ///
    /// Fails if the filter traps.
    pub fn show_reply(&mut self, id: u32, reply: &Reply) -> Result<bool> {
        let status = (":status".to_owned(), reply.status.to_string().into());
        let head: Fields = [status].into_iter().chain(reply.fields.clone()).collect();
        self.head(id, Side::Response, head.clone(), reply.body.is_empty())?;
        if !reply.body.is_empty() {
            self.body(id, Side::Response, &reply.body, true)?;
        }
        Ok(self.stream(id).is_some_and(|stream| {
            let Half { passed, passed_body, .. } = &stream.response;
            (passed.as_ref(), passed_body) == (Some(&head), &reply.body)
        }))
    }
}
