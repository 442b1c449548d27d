//! The assignment of exchanges to sessions.

use std::collections::HashMap;

/// The most ids that are remembered.
const MOST: usize = 4096;

/// The sessions of an endpoint, by number.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    by_id: HashMap<Vec<u8>, usize>,
    /// The session of the requests without an id that no `initialize` came before.
    unnamed: Option<Unnamed>,
    /// The session that the last `initialize` has opened.
    latest: Option<usize>,
    count: usize,
}

#[derive(Clone, Copy, Debug)]
struct Unnamed {
    number: usize,
    /// True if the client has only asked what the server is, before it falls back to `initialize`.
    is_probe: bool,
}

/// The kind of a request, as far as its session depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Initialize,
    /// `server/discover`
    Probe,
    /// Another request of the modern era, which has no sessions.
    Modern,
    Other,
}

impl Sessions {
    /// Returns the session of a request, and whether it is a new one.
    pub fn of_request(&mut self, id: Option<&[u8]>, kind: Kind) -> (usize, bool) {
        let before = self.count;
        let number = match id {
            Some(id) => self.named(id),
            None => self.without_id(kind),
        };
        (number, self.count > before)
    }

    fn named(&mut self, id: &[u8]) -> usize {
        if let Some(&number) = self.by_id.get(id) {
            return number;
        }
        let number = self.open();
        self.bind(id, number);
        number
    }

    fn without_id(&mut self, kind: Kind) -> usize {
        match (kind, self.unnamed, self.latest) {
            (Kind::Initialize, unnamed, _) => {
                let number = match unnamed.filter(|unnamed| unnamed.is_probe) {
                    Some(probe) => {
                        self.unnamed = None;
                        probe.number
                    }
                    None => self.open(),
                };
                self.latest = Some(number);
                number
            }
            (Kind::Other, _, Some(latest)) => latest,
            (kind, Some(unnamed), _) => {
                let is_probe = unnamed.is_probe && kind == Kind::Probe;
                self.unnamed = Some(Unnamed { is_probe, ..unnamed });
                unnamed.number
            }
            (kind, None, _) => {
                let number = self.open();
                self.unnamed = Some(Unnamed { number, is_probe: kind == Kind::Probe });
                number
            }
        }
    }

    /// Notes that the server has given a session this id.
    pub fn bind(&mut self, id: &[u8], number: usize) {
        if self.by_id.len() < MOST {
            self.by_id.insert(id.to_vec(), number);
        }
    }

    const fn open(&mut self) -> usize {
        self.count += 1;
        self.count - 1
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Sessions};

    #[test]
    fn sessions_are_told_apart() {
        let mut sessions = Sessions::default();
        // A probe, and the fall-back of the same client.
        assert_eq!(sessions.of_request(None, Kind::Probe), (0, true));
        assert_eq!(sessions.of_request(None, Kind::Initialize), (0, false));
        sessions.bind(b"a", 0);
        assert_eq!(sessions.of_request(Some(b"a"), Kind::Other), (0, false));
        // A client that has forgotten its id, another one, and one of the modern era.
        assert_eq!(sessions.of_request(None, Kind::Other), (0, false));
        assert_eq!(sessions.of_request(None, Kind::Initialize), (1, true));
        assert_eq!(sessions.of_request(None, Kind::Modern), (2, true));
        assert_eq!(sessions.of_request(None, Kind::Modern), (2, false));
        assert_eq!(sessions.of_request(None, Kind::Initialize), (3, true));
        assert_eq!(sessions.of_request(Some(b"b"), Kind::Other), (4, true));
        assert_eq!(sessions.of_request(Some(b"a"), Kind::Other), (0, false));
    }
}
