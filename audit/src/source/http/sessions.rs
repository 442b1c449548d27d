//! The assignment of exchanges to sessions.

use std::collections::{HashMap, HashSet, VecDeque};

/// The most ids that are remembered, and the most bytes in them.
const MOST: usize = 4096;
const MOST_BYTES: usize = 1024 * 1024;

/// The most clients without sessions that are distinguished.
const CLIENTS: usize = 16;

/// The sessions of an endpoint, by number.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    by_id: HashMap<Vec<u8>, usize>,
    /// The ids, in the order in which they are forgotten, and the number of bytes in them.
    ids: VecDeque<Vec<u8>>,
    bytes: usize,
    /// The session of the requests without an id that no `initialize` came before.
    unnamed: Option<Unnamed>,
    /// The sessions of further clients without ids.
    others: Vec<usize>,
    /// The ids of the open requests without a session, by the number that they got instead.
    busy: HashSet<(usize, String)>,
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
    /// Returns the session of a request, and whether it is a new one. `request` is the id of the request, as it was
    /// written.
    pub fn of_request(
        &mut self,
        id: Option<&[u8]>,
        kind: Kind,
        request: Option<&str>,
    ) -> (usize, bool) {
        let before = self.count;
        let number = match id {
            Some(id) => self.named(id),
            None => self.without_id(kind, request),
        };
        (number, self.count > before)
    }

    /// Notes that a request without a session is open.
    pub fn began(&mut self, number: usize, request: &str) {
        self.busy.insert((number, request.to_owned()));
    }

    /// Notes that the exchange of a request without a session has ended.
    pub fn ended(&mut self, number: usize, request: String) {
        self.busy.remove(&(number, request));
    }

    /// Returns a session in which no open request has this id. A client uses an id once at a time, so the requests with the
    /// same id come from several clients.
    fn free(&mut self, first: usize, request: Option<&str>) -> usize {
        let Some(request) = request else { return first };
        let is_free = |number: &usize| !self.busy.contains(&(*number, request.to_owned()));
        let mut all = std::iter::once(first).chain(self.others.iter().copied());
        if let Some(number) = all.find(is_free) {
            return number;
        }
        if self.others.len() >= CLIENTS {
            return first;
        }
        let number = self.open();
        self.others.push(number);
        number
    }

    fn named(&mut self, id: &[u8]) -> usize {
        if let Some(&number) = self.by_id.get(id) {
            return number;
        }
        let number = self.open();
        self.bind(id, number);
        number
    }

    fn without_id(&mut self, kind: Kind, request: Option<&str>) -> usize {
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
                self.free(unnamed.number, request)
            }
            (kind, None, _) => {
                let number = self.open();
                self.unnamed = Some(Unnamed { number, is_probe: kind == Kind::Probe });
                number
            }
        }
    }

    /// Notes that the server has given a session this id. If there are too many, the oldest is forgotten.
    pub fn bind(&mut self, id: &[u8], number: usize) {
        if self.by_id.insert(id.to_vec(), number).is_some() {
            return;
        }
        self.ids.push_back(id.to_vec());
        self.bytes += id.len();
        while (self.ids.len() > MOST || self.bytes > MOST_BYTES)
            && let Some(oldest) = self.ids.pop_front()
        {
            self.bytes = self.bytes.saturating_sub(oldest.len());
            self.by_id.remove(&oldest);
        }
    }

    /// Notes that the session with this id has ended. Its id is the next that is forgotten, but not at once, because the client
    /// may use it again.
    pub fn retire(&mut self, id: &[u8]) {
        if let Some(place) = self.ids.iter().position(|other| other == id)
            && let Some(id) = self.ids.remove(place)
        {
            self.ids.push_front(id);
        }
    }

    const fn open(&mut self) -> usize {
        self.count += 1;
        self.count - 1
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, MOST, MOST_BYTES, Sessions};

    #[test]
    fn sessions_are_told_apart() {
        let mut sessions = Sessions::default();
        // A probe, and the fall-back of the same client.
        assert_eq!(sessions.of_request(None, Kind::Probe, None), (0, true));
        assert_eq!(sessions.of_request(None, Kind::Initialize, None), (0, false));
        sessions.bind(b"a", 0);
        assert_eq!(sessions.of_request(Some(b"a"), Kind::Other, None), (0, false));
        // A client that has forgotten its id, another one, and one of the modern era.
        assert_eq!(sessions.of_request(None, Kind::Other, None), (0, false));
        assert_eq!(sessions.of_request(None, Kind::Initialize, None), (1, true));
        assert_eq!(sessions.of_request(None, Kind::Modern, None), (2, true));
        assert_eq!(sessions.of_request(None, Kind::Modern, None), (2, false));
        assert_eq!(sessions.of_request(None, Kind::Initialize, None), (3, true));
        assert_eq!(sessions.of_request(Some(b"b"), Kind::Other, None), (4, true));
        assert_eq!(sessions.of_request(Some(b"a"), Kind::Other, None), (0, false));
    }

    /// A client with many sessions after each other keeps each of them, and so does another one with a long session.
    #[test]
    fn ids_are_bounded_and_those_of_ended_sessions_go_first() {
        let mut sessions = Sessions::default();
        let named = |sessions: &mut Sessions, id: &str| {
            sessions.of_request(Some(id.as_bytes()), Kind::Other, None)
        };
        assert_eq!(named(&mut sessions, "long"), (0, true));
        for number in 1..=2 * MOST {
            let id = format!("id {number}");
            assert_eq!(named(&mut sessions, &id), (number, true));
            assert_eq!(named(&mut sessions, &id), (number, false));
            sessions.retire(id.as_bytes());
            assert_eq!(named(&mut sessions, &id), (number, false));
        }
        assert_eq!(named(&mut sessions, "long"), (0, false));
        // Without an end, the oldest is forgotten.
        for number in 0..MOST {
            named(&mut sessions, &format!("open {number}"));
        }
        assert_eq!((sessions.ids.len(), sessions.by_id.len()), (MOST, MOST));
        let last = format!("open {}", MOST - 1);
        assert!(!named(&mut sessions, &last).1 && named(&mut sessions, "long").1);
        // Long ids are fewer.
        for number in 0..4 {
            named(&mut sessions, &format!("{number}{}", "x".repeat(MOST_BYTES / 2)));
        }
        assert!(sessions.ids.len() == 1 && sessions.bytes <= MOST_BYTES);
    }

    #[test]
    fn an_id_that_is_in_use_shows_another_client() {
        let mut sessions = Sessions::default();
        let call = |sessions: &mut Sessions| {
            let (number, _) = sessions.of_request(None, Kind::Modern, Some("1"));
            sessions.began(number, "1");
            number
        };
        assert_eq!([call(&mut sessions), call(&mut sessions), call(&mut sessions)], [0, 1, 2]);
        sessions.ended(1, "1".to_owned());
        assert_eq!([call(&mut sessions), call(&mut sessions)], [1, 3]);
        assert_eq!(sessions.of_request(None, Kind::Modern, Some("2")), (0, false));
    }
}
