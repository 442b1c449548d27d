//! The parameters of calls.

use super::Failure;
use crate::envelope::Call;
use crate::json::RawJson;

impl<'buf> Call<'buf> {
    /// Returns the parameter with this name. If the parameters are positional, returns the one at this
    /// position, counted from 0 (JSON-RPC 2.0, section 4.2).
    ///
    /// # Errors
    ///
    /// Returns [`Failure::INVALID_PARAMS`] if the parameter is missing. A parameter whose name appears twice
    /// is an error too, because peers differ in which of the two they use.
    pub fn param(&self, position: usize, name: &str) -> Result<RawJson<'buf>, Failure> {
        let params = self.params().ok_or(Failure::INVALID_PARAMS)?;
        let param = match params.elements() {
            Some(mut elements) => elements.nth(position),
            None => params.member(name),
        };
        param.ok_or(Failure::INVALID_PARAMS)
    }

    /// Deserializes the parameters. Missing parameters are deserialized from `null`, so an `Option` becomes
    /// `None`, and `()` requires that there are none.
    ///
    /// A `&str` can only be borrowed from text without escapes. So a type that contains one rejects valid
    /// parameters such as `"a\nb"`, or `"/"` from a peer that writes it as `"\/"`. Use a `String`, or a
    /// `Cow<str>` with `#[serde(borrow)]`.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::INVALID_PARAMS`] if the parameters do not fit the type, or if an object in them [repeats a
    /// name](crate::json#repeated-members).
    #[cfg(feature = "serde_json")]
    #[cfg_attr(docsrs, doc(cfg(feature = "serde_json")))]
    pub fn params_as<T: serde::Deserialize<'buf>>(&self) -> Result<T, Failure> {
        let Some(params) = self.params() else {
            return serde_json::from_str("null").map_err(|_| Failure::INVALID_PARAMS);
        };
        params.deserialize().map_err(|_| Failure::INVALID_PARAMS)
    }
}
