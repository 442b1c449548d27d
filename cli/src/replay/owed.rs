//! The messages that the server must still send: the answers and requests that it had sent at this point of the
//! recording.

use std::collections::HashMap;
use std::fmt;

use tautline::{Envelope, Message, Profile};

/// The part of a message of the server that must be equal in its counterpart in the recording.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// It answers the request with this id, as it was written. The id is empty if the answer has none.
    Answer(String),
    /// It is a request of this method. Its id is the server's choice.
    Request(String),
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer(id) if id.is_empty() => f.write_str("an answer without an id"),
            Self::Answer(id) => write!(f, "the answer to the id {id}"),
            Self::Request(method) => write!(f, "a request of {method}"),
        }
    }
}

/// Passes the keys of the messages in a frame to `found`. Notifications have none: a server may send them at any time.
pub fn keys(frame: &[u8], mut found: impl FnMut(Key)) {
    let envelope = Envelope::read(frame, &Profile::JSON_RPC);
    match envelope.message() {
        Ok(Message::Batch(batch)) => batch.iter().filter_map(|one| key(&one)).for_each(found),
        _ => {
            if let Some(key) = key(&envelope) {
                found(key);
            }
        }
    }
}

fn key(envelope: &Envelope<'_>) -> Option<Key> {
    let id = envelope.id().and_then(|id| id.as_str());
    match envelope.method() {
        // An invalid frame with an id also answers the request of this id.
        None if matches!(envelope.message(), Ok(Message::Response(_))) || id.is_some() => {
            Some(Key::Answer(id.unwrap_or_default().to_owned()))
        }
        None => None,
        Some(method) => id.map(|_| Key::Request(method.decode().unwrap_or_default().into_owned())),
    }
}

/// Compares how often each message occurred in the recording with how often it has arrived now.
#[derive(Debug, Default)]
pub struct Owed {
    /// The number of recorded messages minus the number of messages that arrived now. If more arrived now, they are not
    /// awaited later.
    balance: HashMap<Key, i64>,
    missing: u64,
    /// The messages that were given up, each with its number.
    forgiven: HashMap<Key, i64>,
}

impl Owed {
    /// Counts a message of the recording.
    pub fn expect(&mut self, key: Key) {
        let balance = self.balance.entry(key.clone()).or_default();
        *balance += 1;
        match *balance {
            0 => drop(self.balance.remove(&key)),
            1.. => self.missing += 1,
            _ => {}
        }
    }

    /// Counts a message of the server.
    ///
    /// Returns whether it was given up before.
    pub fn came(&mut self, key: Key) -> bool {
        if let Some(count) = self.forgiven.get_mut(&key).filter(|count| **count > 0) {
            *count -= 1;
            return true;
        }
        let balance = self.balance.entry(key.clone()).or_default();
        *balance -= 1;
        if *balance >= 0 {
            self.missing -= 1;
        }
        if *balance == 0 {
            self.balance.remove(&key);
        }
        false
    }

    pub const fn is_settled(&self) -> bool {
        self.missing == 0
    }

    /// Stops waiting for the messages that are missing now. Returns a description of the first few.
    pub fn forgive(&mut self) -> String {
        const NAMED: usize = 3;
        let mut missing: Vec<String> = Vec::new();
        self.balance.retain(|key, balance| {
            let is_missing = *balance > 0;
            if is_missing {
                missing.push(key.to_string());
                *self.forgiven.entry(key.clone()).or_default() += *balance;
            }
            !is_missing
        });
        self.missing = 0;
        missing.sort();
        let more = missing.len().saturating_sub(NAMED);
        missing.truncate(NAMED);
        if more > 0 {
            missing.push(format!("{more} more"));
        }
        missing.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, Owed, keys};

    fn of(frame: &str) -> Vec<String> {
        let mut all = Vec::new();
        keys(frame.as_bytes(), |key| all.push(key.to_string()));
        all
    }

    #[test]
    fn answers_and_requests_have_keys() {
        for (frame, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, &["the answer to the id 1"][..]),
            (r#"{"jsonrpc":"2.0","id":"1","result":{}}"#, &["the answer to the id \"1\""]),
            (r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#, &["a request of ping"]),
            (r#"{"jsonrpc":"2.0","method":"notifications/message"}"#, &[]),
            (r#"{"jsonrpc":"2.0","id":2,"error":{}}"#, &["the answer to the id 2"]),
            (
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}"#,
                &["the answer to the id null"],
            ),
            (
                r#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]"#,
                &["the answer to the id 1", "the answer to the id 2"],
            ),
            ("listening", &[]),
        ] {
            assert_eq!(of(frame), expected, "{frame}");
        }
    }

    #[test]
    fn each_message_settles_one_of_the_recording() {
        let key = |id: &str| Key::Answer(id.to_owned());
        let mut owed = Owed::default();
        owed.expect(key("1"));
        owed.expect(key("1"));
        owed.came(key("2"));
        owed.came(key("1"));
        assert!(!owed.is_settled());
        owed.came(key("1"));
        assert!(owed.is_settled());
        // The message arrived before it was expected.
        owed.expect(key("2"));
        assert!(owed.is_settled() && owed.balance.is_empty());
        // A message that was given up is not the next one with the same id.
        owed.expect(key("3"));
        owed.forgive();
        owed.expect(key("3"));
        assert!(owed.came(key("3")) && !owed.is_settled());
        assert!(!owed.came(key("3")) && owed.is_settled());
        ["c", "a", "d", "b"].into_iter().for_each(|id| owed.expect(key(id)));
        assert_eq!(
            owed.forgive(),
            "the answer to the id a, the answer to the id b, the answer to the id c, 1 more"
        );
        assert!(owed.is_settled());
    }
}
