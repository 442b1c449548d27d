//! State that travels through the client, and is safe from it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Map, Value};
use sha2::Sha256;

/// How long a client may take to answer.
const LIFETIME: Duration = Duration::from_secs(600);

/// A key that seals state. Servers that share their clients need the same one.
///
/// A client may forge, change and repeat what it sends as `requestState`, so the seal covers the state, the end of its
/// life, and the call that it belongs to (2026-07-28, basic/patterns/mrtr, server requirements). A server whose clients log
/// in has to cover the user as well.
pub struct Seal(Hmac<Sha256>);

/// The text is not a state of this call, or it has expired.
#[derive(Debug, PartialEq, Eq)]
pub struct Broken;

impl Seal {
    /// Creates a random key.
    pub fn new() -> Result<Self, getrandom::Error> {
        let mut key = [0; 64];
        getrandom::fill(&mut key)?;
        Ok(Self(Hmac::new(&key.into())))
    }

    /// Seals the state of a call: its parameters other than the state itself.
    pub fn close(&self, call: &str, state: &Map<String, Value>) -> String {
        self.close_until(SystemTime::now() + LIFETIME, call, state)
    }

    fn close_until(&self, end: SystemTime, call: &str, state: &Map<String, Value>) -> String {
        let until = seconds(end);
        let content = Value::from(vec![until.into(), Value::Object(state.clone())]).to_string();
        let tag = self.mac(call, content.as_bytes()).finalize().into_bytes();
        [content.as_bytes(), &tag].map(|part| URL_SAFE_NO_PAD.encode(part)).join(".")
    }

    /// Opens a sealed state.
    pub fn open(&self, call: &str, sealed: &str) -> Result<Map<String, Value>, Broken> {
        let (content, tag) = sealed.split_once('.').ok_or(Broken)?;
        let [content, tag] = [content, tag].map(|part| URL_SAFE_NO_PAD.decode(part));
        let (content, tag) = (content.map_err(|_| Broken)?, tag.map_err(|_| Broken)?);
        self.mac(call, &content).verify_slice(&tag).map_err(|_| Broken)?;
        let (until, state): (u64, _) = serde_json::from_slice(&content).map_err(|_| Broken)?;
        if until < seconds(SystemTime::now()) { Err(Broken) } else { Ok(state) }
    }

    fn mac(&self, call: &str, content: &[u8]) -> Hmac<Sha256> {
        // The length keeps the end of the call apart from the beginning of the content.
        let length = u64::try_from(call.len()).unwrap_or(u64::MAX).to_be_bytes();
        self.0.clone().chain_update(length).chain_update(call).chain_update(content)
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use serde_json::{Map, json};

    use super::{Broken, Seal};

    #[test]
    fn only_the_state_of_the_call_is_opened() {
        let seal = Seal::new().unwrap();
        let state = Map::from_iter([("name".to_owned(), json!("Ada"))]);
        let sealed = seal.close("a call", &state);
        assert_eq!(seal.open("a call", &sealed), Ok(state.clone()));
        assert_eq!(seal.open("another call", &sealed), Err(Broken));
        assert_eq!(Seal::new().unwrap().open("a call", &sealed), Err(Broken));
        for at in 0..sealed.len() {
            let mut changed = sealed.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(seal.open("a call", &changed), Err(Broken), "{at}");
            assert_eq!(seal.open("a call", &sealed[..at]), Err(Broken), "{at}");
        }
        let past = SystemTime::now() - Duration::from_secs(2);
        assert_eq!(seal.open("a call", &seal.close_until(past, "a call", &state)), Err(Broken));
    }
}
